//! `rankine sdk build blas` and `lapack`: the reference libraries with their C interfaces, from one source package of Debian's.
//!
//! ```text
//! blas-<key>/lib/libblas.a libcblas.a         include/cblas.h …
//! lapack-<key>/lib/liblapack.a liblapacke.a   include/lapacke.h …
//! ```
//!
//! The routines of [`SERVED`] are compiled under another name. What has theirs asks the host first (`guest-sdk/lapack`).

use super::Flang;
use super::jobs::run_all;
use crate::apt::{self, Apt};
use crate::find;
use crate::folder::{self, write};
use crate::key;
use crate::process::check;
use crate::sdk::{Sdk, base_flags};
use crate::terminal::say;
use crate::threads;
use crate::wide;
use crate::{embedded, fc};
use anyhow::{Context as _, Result, ensure};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the host may do in the guest's place: the letters of the kinds of numbers, the rest of the name, how many parameters
/// there are, and how many of them are strings.
const SERVED: &[(&str, &str, usize, usize)] = &[
    ("sdcz", "gemm", 13, 2),
    ("sdcz", "symm", 12, 2),
    ("cz", "hemm", 12, 2),
    ("sdcz", "syrk", 10, 2),
    ("cz", "herk", 10, 2),
    ("sdcz", "syr2k", 12, 2),
    ("cz", "her2k", 12, 2),
    ("sdcz", "trmm", 11, 4),
    ("sdcz", "trsm", 11, 4),
    ("sdcz", "getrf", 6, 0),
    ("sdcz", "potrf", 5, 1),
];

/// Goes up when what is built changes, and this file with it.
const LAYOUT: u32 = 2;

/// Modules of LAPACK's that other files of it use.
const MODULES: [&str; 2] = ["la_constants.f90", "la_xisnan.F90"];

/// Files of `INSTALL` that belong to LAPACK.
const INSTALL: [&str; 7] = [
    "ilaver.f",
    "dlamch.f",
    "slamch.f",
    "droundup_lwork.f",
    "sroundup_lwork.f",
    "dsecnd_INT_CPU_TIME.f",
    "second_INT_CPU_TIME.f",
];

/// What is built at a time: BLAS takes a minute, LAPACK ten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// BLAS and its C interface.
    Blas,
    /// LAPACK and its C interface, over BLAS.
    Lapack,
}

impl Part {
    const fn name(self) -> &'static str {
        match self {
            Part::Blas => "blas",
            Part::Lapack => "lapack",
        }
    }

    /// Its libraries, as in `-lblas`, each before what it needs.
    const fn libraries(self) -> [&'static str; 2] {
        match self {
            Part::Blas => ["cblas", "blas"],
            Part::Lapack => ["lapacke", "lapack"],
        }
    }

    /// Its headers, and the folder that they are in; `cblas_mangling.h` has another name there.
    fn headers(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Part::Blas => ("CBLAS/include", &["cblas.h", "cblas_mangling.h"]),
            Part::Lapack => (
                "LAPACKE/include",
                &["lapack.h", "lapacke.h", "lapacke_config.h", "lapacke_utils.h", "lapacke_mangling.h"],
            ),
        }
    }

    /// Where its routines are in the source.
    const fn sources(self) -> &'static str {
        match self {
            Part::Blas => "BLAS/SRC",
            Part::Lapack => "SRC",
        }
    }

    /// That of which a word of a command line names a library.
    fn asked_for(word: &OsString) -> Option<Part> {
        let name = word.to_str()?.strip_prefix("-l")?;
        [Part::Blas, Part::Lapack].into_iter().find(|part| part.libraries().contains(&name))
    }

    /// The routines of it that the host may serve, with their numbers of parameters and of strings.
    fn served(self) -> impl Iterator<Item = (String, usize, usize)> {
        let of_it = SERVED.iter().filter(move |(_, rest, ..)| rest.ends_with("trf") == (self == Part::Lapack));
        of_it.flat_map(|&(kinds, rest, parameters, strings)| {
            kinds.chars().map(move |kind| (format!("{kind}{rest}"), parameters, strings))
        })
    }
}

/// What a program is linked with.
pub(crate) struct Lapack {
    /// Where they are, each before what it needs.
    parts: Vec<(Part, PathBuf)>,
    flang: Flang,
}

impl Lapack {
    /// What these words of a command line ask for, as it was built on this machine, and for that sysroot what Fortran's
    /// runtime is.
    pub(crate) fn find(clang: &Path, sysroot: &Path, words: &[OsString]) -> Result<Lapack> {
        let flang = Flang::with(sysroot)?;
        let is_wanted =
            |part: &Part| *part == Part::Blas || words.iter().any(|word| Part::asked_for(word) == Some(*part));
        let parts = [Part::Lapack, Part::Blas].into_iter().filter(is_wanted).map(|part| {
            let (root, name) = (place(part, clang, &flang, &unthreaded(clang, sysroot)?)?, part.name());
            ensure!(
                root.is_dir(),
                "{} is not built yet{}, or by another version of Rankine or LLVM (there is no {}); run `rankine sdk build {name}` once",
                name.to_uppercase(),
                if wide::is_in(sysroot) { " for 64-bit addresses" } else { "" },
                root.display()
            );
            Ok((part, root))
        });
        Ok(Lapack { parts: parts.collect::<Result<_>>()?, flang })
    }

    /// Whether a word of a command line asks for one of them.
    pub(crate) fn is_asked_for(word: &OsString) -> bool {
        Part::asked_for(word).is_some()
    }

    /// All of them, each before those that it needs, and what they need of Fortran's. They come last: what precedes them
    /// may have a function of theirs.
    pub(crate) fn link_flags(&self) -> Vec<String> {
        let archives = |(part, root): &(Part, PathBuf)| {
            part.libraries().map(|name| root.join(format!("lib/lib{name}.a")).display().to_string())
        };
        let mut line: Vec<String> = self.parts.iter().flat_map(archives).collect();
        line.extend(self.flang.libraries().iter().map(|archive| archive.display().to_string()));
        line
    }

    /// Where `cblas.h` and `lapacke.h` are, if they are there.
    pub(crate) fn includes(clang: &Path) -> Vec<PathBuf> {
        let Ok(flang) = Flang::find() else { return Vec::new() };
        let plain = find::sysroot().ok();
        let folder = |part| Some(place(part, clang, &flang, &plain.as_ref()?.path).ok()?.join("include"));
        [Part::Blas, Part::Lapack].into_iter().filter_map(folder).filter(|folder| folder.is_dir()).collect()
    }
}

/// The sysroot for programs without threads of the same width: what is compiled with it is linked to those with threads, too.
fn unthreaded(clang: &Path, sysroot: &Path) -> Result<PathBuf> {
    if wide::is_in(sysroot) { wide::place(clang, false) } else { Ok(find::sysroot()?.path) }
}

fn place(part: Part, clang: &Path, flang: &Flang, sysroot: &Path) -> Result<PathBuf> {
    let name = if wide::is_in(sysroot) { format!("{}-m64", part.name()) } else { part.name().into() };
    let made_of =
        (LAYOUT, key::compiler(clang), key::sysroot(sysroot), flang.name(), embedded::files(&embedded::LAPACK));
    key::place(&name, made_of)
}

/// Builds a part and what it needs, unless they are there; where programs may have 64-bit addresses, for those as well.
pub fn build(part: Part, force: bool) -> Result<()> {
    if part == Part::Lapack {
        build(Part::Blas, false)?;
    }
    let clang = find::clang()?.path;
    build_for(part, &clang, &find::sysroot()?.path, force)?;
    let wide = wide::place(&clang, false)?;
    if wide.is_dir() && Flang::with(&wide).is_ok() { build_for(part, &clang, &wide, force) } else { Ok(()) }
}

fn build_for(part: Part, clang: &Path, sysroot: &Path, force: bool) -> Result<()> {
    let flang = Flang::with(sysroot)?;
    let place = place(part, clang, &flang, sysroot)?;
    if place.is_dir() && !force {
        say(&format!("{} is there already: {}", part.name().to_uppercase(), place.display()));
        return Ok(());
    }
    let sdk = Sdk::with(clang, sysroot)?;
    let work = folder::work_beside(&place)?;
    let source = source(work.path())?;
    folder::remake(&place, |draft| {
        let build = Build { part, source: &source, work: work.path(), draft, clang, sysroot, sdk: &sdk, flang: &flang };
        build.all()
    })?;
    say(&format!("ready: {}", place.display()));
    Ok(())
}

/// LAPACK's source, unpacked in a folder.
fn source(work: &Path) -> Result<PathBuf> {
    let folder = work.join("source");
    fs::create_dir_all(&folder)?;
    let tarball = match find::env_path("RANKINE_LAPACK_SOURCE") {
        Some(path) => path,
        None => {
            let other_way = "let RANKINE_LAPACK_SOURCE name a tarball of it";
            apt::needs(&["apt-get", "tar", "gzip"], "LAPACK's source", other_way)?;
            say("fetching LAPACK's source");
            let apt = Apt::sources_of_this_machine(&work.join("apt"))?;
            apt.update()?;
            apt.source("lapack", work)?
        }
    };
    let mut command = Command::new("tar");
    command.arg("-xf").arg(&tarball).arg("-C").arg(&folder).arg("--strip-components=1");
    check(&mut command, "unpacking LAPACK's source")?;
    Ok(folder)
}

/// Where everything is while it is built.
struct Build<'a> {
    part: Part,
    source: &'a Path,
    work: &'a Path,
    draft: &'a Path,
    clang: &'a Path,
    sysroot: &'a Path,
    sdk: &'a Sdk,
    flang: &'a Flang,
}

impl Build<'_> {
    fn all(&self) -> Result<()> {
        let (folder, headers) = self.part.headers();
        let include = self.draft.join("include");
        fs::create_dir_all(&include)?;
        for header in headers {
            let from = header.replace("mangling.h", "mangling_with_flags.h.in");
            let from = self.source.join(folder).join(from);
            fs::copy(&from, include.join(header)).with_context(|| format!("LAPACK has no {}", from.display()))?;
        }
        self.rename_served()?;
        match self.part {
            Part::Blas => self.blas().and_then(|()| self.cblas()),
            Part::Lapack => self.lapack().and_then(|()| self.lapacke()),
        }
    }

    /// Gives the routines that the host may serve another name.
    fn rename_served(&self) -> Result<()> {
        for (name, _, _) in self.part.served() {
            let path = self.source.join(self.part.sources()).join(format!("{name}.f"));
            let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let name = name.to_uppercase();
            let (line, new) = (format!("\n      SUBROUTINE {name}("), format!("\n      SUBROUTINE COMPILED_{name}("));
            // What follows goes on in another line, as lines end at column 72.
            let renamed = text.replacen(&line, &(new + "\n     $"), 1);
            ensure!(renamed != text, "{} has no subroutine {name}", path.display());
            write(&path, &renamed)?;
        }
        Ok(())
    }

    fn blas(&self) -> Result<()> {
        let sources = files(&self.source.join(self.part.sources()), |name| name != "xerbla.f")?;
        let mut objects = self.fortran(&sources, "blas")?;
        objects.extend(self.served()?);
        let source = self.work.join("xerbla.c");
        write(&source, embedded::file(&embedded::LAPACK, "xerbla.c"))?;
        let object = source.with_extension("o");
        check(&mut self.c_job(&source, &object), "compiling xerbla")?;
        objects.push(object);
        self.archive("blas", &objects)
    }

    /// What asks the host first.
    fn served(&self) -> Result<Vec<PathBuf>> {
        let (shim, folder) = (self.work.join("served.c"), self.folder("served")?);
        write(&shim, embedded::file(&embedded::LAPACK, "served.c"))?;
        let (mut jobs, mut objects) = (Vec::new(), Vec::new());
        for (name, parameters, strings) in self.part.served() {
            let object = folder.join(format!("{name}_served.o"));
            let mut job = self.c_job(&shim, &object);
            job.args(definitions(&name, parameters, strings));
            jobs.push(job);
            objects.push(object);
        }
        run_all(jobs, "compiling what asks the host")?;
        Ok(objects)
    }

    fn cblas(&self) -> Result<()> {
        let folder = self.source.join("CBLAS/src");
        let mut objects = self.fortran(&files(&folder, |name| name.ends_with(".f"))?, "cblas")?;
        let sources = files(&folder, |name| name.ends_with(".c") && name != "xerbla.c")?;
        objects.extend(self.c(&sources, "cblas-c")?);
        self.archive("cblas", &objects)
    }

    fn lapack(&self) -> Result<()> {
        let folder = self.source.join(self.part.sources());
        let mut sources = MODULES.map(|name| folder.join(name)).to_vec();
        sources.extend(INSTALL.map(|name| self.source.join("INSTALL").join(name)));
        let not_these = ["xerbla.f", "lsame.f"];
        let is_other = |name: &str| !MODULES.contains(&name) && !not_these.contains(&name);
        sources.extend(files(&folder, |name| is_fortran(name) && is_other(name))?);
        let mut objects = self.fortran(&sources, "lapack")?;
        objects.extend(self.served()?);
        self.archive("lapack", &objects)
    }

    fn lapacke(&self) -> Result<()> {
        let mut sources = files(&self.source.join("LAPACKE/src"), |name| name.ends_with(".c"))?;
        sources.extend(files(&self.source.join("LAPACKE/utils"), |name| name.ends_with(".c"))?);
        self.archive("lapacke", &self.c(&sources, "lapacke")?)
    }

    /// Compiles Fortran: what others use comes first, and is waited for.
    fn fortran(&self, sources: &[PathBuf], name: &str) -> Result<Vec<PathBuf>> {
        let folder = self.folder(name)?;
        let (mut front, mut back, mut objects) = (Vec::new(), Vec::new(), Vec::new());
        for source in sources {
            let stem = folder.join(source.file_stem().unwrap_or_default());
            let (bitcode, object) = (stem.with_extension("bc"), stem.with_extension("o"));
            let mut job = Command::new(self.flang.compiler());
            job.args(["-triple", &threads::triple_of(self.sysroot), "-O2", "-emit-llvm-bc"]);
            job.args(self.flang.module_flags()).arg("-module-dir").arg(&folder);
            job.arg("-I").arg(&folder).arg(source).arg("-o").arg(&bitcode);
            front.push(job);
            let mut job = Command::new(self.clang);
            job.args(base_flags(self.sysroot)).args(["-O2", "-w", "-Qunused-arguments"]).args(fc::WITHOUT_LFTR);
            job.arg("-c").arg(bitcode).arg("-o").arg(&object);
            back.push(job);
            objects.push(object);
        }
        let first = if name == "lapack" { MODULES.len() } else { 0 };
        let rest = front.split_off(first);
        front.iter_mut().try_for_each(|job| check(job, "compiling LAPACK's modules").map(drop))?;
        say(&format!("compiling lib{name}.a, {} files", sources.len()));
        run_all(rest, "flang")?;
        run_all(back, "clang")?;
        Ok(objects)
    }

    fn c(&self, sources: &[PathBuf], name: &str) -> Result<Vec<PathBuf>> {
        let folder = self.folder(name)?;
        let object = |source: &PathBuf| folder.join(source.file_stem().unwrap_or_default()).with_extension("o");
        let objects: Vec<PathBuf> = sources.iter().map(object).collect();
        say(&format!("compiling lib{}.a, {} files of C", name.trim_end_matches("-c"), sources.len()));
        run_all(sources.iter().zip(&objects).map(|(source, object)| self.c_job(source, object)).collect(), "clang")?;
        Ok(objects)
    }

    fn c_job(&self, source: &Path, object: &Path) -> Command {
        let mut job = Command::new(self.clang);
        job.args(base_flags(self.sysroot)).args(["-O2", "-w", "-DADD_", "-DHAVE_LAPACK_CONFIG_H", "-I"]);
        job.arg(self.draft.join("include")).arg("-I").arg(self.source.join("CBLAS/include"));
        job.arg("-isystem").arg(self.sdk.include()).arg("-c").arg(source).arg("-o").arg(object);
        job
    }

    fn folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.work.join(name);
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        Ok(folder)
    }

    fn archive(&self, name: &str, objects: &[PathBuf]) -> Result<()> {
        let llvm_ar =
            find::llvm_tool(self.clang, "llvm-ar").context("llvm-ar is missing, which belongs to LLVM's tools")?;
        let lib = self.draft.join("lib");
        fs::create_dir_all(&lib)?;
        let mut command = Command::new(llvm_ar);
        command.arg("rcs").arg(lib.join(format!("lib{name}.a"))).args(objects);
        check(&mut command, "archiving BLAS and LAPACK").map(drop)
    }
}

/// What `served.c` is compiled with for a routine.
fn definitions(name: &str, parameters: usize, strings: usize) -> Vec<String> {
    let list = |count: usize, word: &str, before: &str| {
        (0..count).map(|number| format!("{before}{word}{number}")).collect::<Vec<_>>().join(", ")
    };
    let hidden = |list: String| if strings == 0 { String::new() } else { format!(", {list}") };
    vec![
        format!("-DROUTINE={name}"),
        format!("-DFORTRAN={name}_"),
        format!("-DHOST=rankine_math_{name}"),
        format!("-DCOMPILED=compiled_{name}_"),
        format!("-DPOINTERS={}", list(parameters, "p", "void *")),
        format!("-DVALUES={}", list(parameters, "p", "")),
        format!("-DLENGTHS={}", hidden(list(strings, "length", "size_t "))),
        format!("-DLENGTH_VALUES={}", hidden(list(strings, "length", ""))),
    ]
}

fn is_fortran(name: &str) -> bool {
    [".f", ".F", ".f90", ".F90"].iter().any(|end| name.ends_with(end))
}

/// Files of a folder, in order.
fn files(folder: &Path, wanted: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>> {
    let listing = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files: Vec<PathBuf> = listing.filter_map(|entry| Some(entry.ok()?.path())).collect();
    let is_source = |name: &str| is_fortran(name) || name.ends_with(".c");
    files.retain(|file| file.file_name().and_then(OsStr::to_str).is_some_and(|name| is_source(name) && wanted(name)));
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_libraries_are_asked_for_by_name() {
        let asks = |word: &str| Lapack::is_asked_for(&word.into());
        assert!(asks("-llapack") && asks("-lblas"));
        assert_eq!(Part::asked_for(&"-llapacke".into()), Some(Part::Lapack));
        assert!(!["-lm", "-llapack95", "blas", "libblas.a"].into_iter().any(asks));
    }

    #[test]
    fn parameters_of_what_is_served() {
        let text = definitions("dpotrf", 2, 1).join(" ");
        assert!(text.contains("-DPOINTERS=void *p0, void *p1 -DVALUES=p0, p1 -DLENGTHS=, size_t length0"), "{text}");
        assert!(definitions("dgetrf", 2, 0).contains(&"-DLENGTHS=".to_string()));
    }
}
