//! `rankine sdk build m64`: what `-m64` compiles and links with (see `crate::wide`). The C library is wasi-libc, whose source
//! knows of 32-bit addresses only: a musl architecture is made for it from that of wasm32 ([`source`]), and
//! `guest-sdk/wide/wasi.c` stands between its WASI and the host's. The compiler's support routines are LLVM's ([`builtins`]),
//! and so is the C++ library, which is compiled as for 32-bit addresses (`super::cxx`). Fortran's runtime for them is built with
//! the compiler (`super::flang`): by whichever of the two parts comes second.

mod builtins;
mod source;

use super::cxx;
use super::flang::{self, Flang};
use super::jobs::run_all;
use super::openmp;
use crate::cxx::Library;
use crate::embedded;
use crate::find;
use crate::folder::{self, write};
use crate::process::check;
use crate::sdk::Sdk;
use crate::terminal::say;
use crate::threads;
use crate::wide::{self, WIDE, WIDE_THREADS};
use anyhow::{Context as _, Result};
use source::Source;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Libraries of the C library that are empty, as their functions are in `libc.a`.
const EMPTY: [&str; 7] = ["m", "pthread", "rt", "crypt", "util", "resolv", "xnet"];

/// Builds it, unless it is there.
pub fn build(force: bool) -> Result<()> {
    let clang = find::clang()?.path;
    build_for(&clang, WIDE, force)?;
    // Where there are threads, programs with such addresses may have some now, and where Fortran is compiled, its own.
    if threads::place(&clang, &find::sysroot()?.path)?.is_dir() {
        build_for(&clang, WIDE_THREADS, force)?;
    }
    if Flang::find().is_ok() { flang::build(false) } else { Ok(()) }
}

/// Builds what programs with threads are linked with, where there is what others are.
pub(super) fn build_threads(force: bool) -> Result<()> {
    let clang = find::clang()?.path;
    if wide::place(&clang, false)?.is_dir() { build_for(&clang, WIDE_THREADS, force) } else { Ok(()) }
}

/// Builds what is not there yet for one of the two targets.
fn build_for(clang: &Path, target: &'static str, force: bool) -> Result<()> {
    let has_threads = target == WIDE_THREADS;
    let place = wide::place(clang, has_threads)?;
    let of_what = if has_threads { "64-bit addresses and threads" } else { "64-bit addresses" };
    if place.is_dir() && !force {
        say(&format!("the C library for {of_what} is there already: {}", place.display()));
    } else {
        folder::remake(&place, |draft| {
            build_in(clang, target, draft)?;
            if has_threads { openmp::runtime(clang, draft) } else { Ok(()) }
        })?;
    }
    Sdk::with(clang, &place)?;
    say(&format!("ready: {}", place.display()));
    match Library::find(clang, &place) {
        Ok(library) if !force => {
            say(&format!("the C++ library for {of_what} is there already: {}", library.origin));
            Ok(())
        }
        _ => cxx::build_for(clang, &place),
    }
}

fn build_in(clang: &Path, target: &'static str, draft: &Path) -> Result<()> {
    let work = draft.join("work");
    fs::create_dir(&work)?;
    let source = Source::prepare(&work)?;
    let (include, lib) = (draft.join("include").join(target), draft.join("lib").join(target));
    fs::create_dir_all(&lib)?;
    source.lay_out_headers(&include)?;
    for file in ["wasi.c", "threads.S"] {
        write(&work.join(file), embedded::file(&embedded::WIDE, file))?;
    }
    let compiler = Compiler { clang, target, include: &include, objects: work.join("objects") };
    fs::create_dir(&compiler.objects)?;
    libraries(&compiler, &source, &work, &lib)?;
    builtins::build(&compiler, &lib)?;
    for name in EMPTY {
        fs::write(lib.join(format!("lib{name}.a")), "!<arch>\n")?;
    }
    fs::remove_dir_all(&work).with_context(|| format!("cannot remove {}", work.display()))
}

/// How files are compiled while there is no library.
struct Compiler<'a> {
    clang: &'a Path,
    target: &'static str,
    include: &'a Path,
    objects: PathBuf,
}

impl Compiler<'_> {
    /// The compilation of a file; what comes of it is named by a number.
    fn job(&self, number: usize, file: &Path, flags: &[String]) -> (Command, PathBuf) {
        let object = self.objects.join(format!("{number}.o"));
        let mut job = Command::new(self.clang);
        job.arg(format!("--target={}", self.target)).arg("-isystem").arg(self.include).args([
            "-nostdlibinc",
            "-O2",
            "-DNDEBUG",
        ]);
        let of_threads: &[&str] = match self.has_threads() {
            true => &["-mthread-model", "posix", "-pthread", "-matomics", "-ftls-model=local-exec"],
            false => &["-mthread-model", "single"],
        };
        job.args(of_threads).args(["-fno-trapping-math", "-ffunction-sections", "-fdata-sections", "-w"]);
        job.args(wide::LONG_IS_INT64);
        job.args(flags).arg("-c").arg(file).arg("-o").arg(&object);
        (job, object)
    }

    fn has_threads(&self) -> bool {
        self.target == WIDE_THREADS
    }

    /// Compiles files, each with its flags, to an archive.
    fn archive(&self, files: Vec<(PathBuf, Vec<String>)>, doing: &'static str, archive: &Path) -> Result<()> {
        let first = fs::read_dir(&self.objects)?.count();
        let files = files.iter().zip(first..);
        let (jobs, objects): (Vec<_>, Vec<_>) =
            files.map(|((file, flags), number)| self.job(number, file, flags)).unzip();
        run_all(jobs, doing)?;
        let llvm_ar =
            find::llvm_tool(self.clang, "llvm-ar").context("llvm-ar is missing, which belongs to LLVM's tools")?;
        check(Command::new(llvm_ar).arg("rcs").arg(archive).args(objects), doing).map(drop)
    }
}

/// The C library and the small ones beside it, and what a program begins with.
fn libraries(compiler: &Compiler<'_>, source: &Source, own: &Path, lib: &Path) -> Result<()> {
    let all = source.files(own, compiler.has_threads())?;
    say(&format!(
        "compiling wasi-libc for 64-bit addresses, {} files",
        all.iter().map(|part| part.1.len()).sum::<usize>()
    ));
    for (name, files) in all {
        compiler.archive(files, "compiling wasi-libc", &lib.join(format!("lib{name}.a")))?;
    }
    for name in ["crt1-command", "crt1-reactor"] {
        let (mut job, object) = compiler.job(0, &source.start(name), &source.start_flags());
        check(&mut job, "compiling what a program begins with")?;
        fs::copy(object, lib.join(format!("{name}.o")))?;
    }
    fs::copy(lib.join("crt1-command.o"), lib.join("crt1.o"))?;
    Ok(())
}
