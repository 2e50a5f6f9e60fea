//! `rankine sdk build c++`: libc++ with its ABI library and unwinder, from LLVM's source. What Debian packages of it
//! for WebAssembly has neither exceptions nor files. The parts `openmp` and `m64` have one more each, for their sysroots.
//!
//! ```text
//! c++-<key>/include/c++/v1    the headers
//!           lib/libc++.a      everything in one archive
//! ```

use super::jobs::run_all;
use super::llvm_source::{self, LlvmSource};
use crate::cxx::Library;
use crate::embedded;
use crate::find;
use crate::folder::{self, copy_tree, write};
use crate::process::check;
use crate::sdk::{self, Sdk, base_flags};
use crate::terminal::say;
use anyhow::{Context as _, Result, ensure};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What of LLVM's source is needed: libc++ reads numbers with code of LLVM's C library.
const FOLDERS: &[&str] = &[
    "libcxx/include",
    "libcxx/src",
    "libcxx/vendor",
    "libcxxabi/include",
    "libcxxabi/src",
    "libunwind/include",
    "libunwind/src",
    "libc/hdr",
    "libc/include",
    "libc/shared",
    "libc/src/__support",
];

/// Which files of these folders make the library.
const SOURCES: &[&str] = &["libcxx/src", "libcxx/src/filesystem", "libcxx/src/ryu", "libcxxabi/src"];

/// Files there that are for a library without exceptions, and for a sanitizer.
const NOT_THESE: &[&str] = &["cxa_noexception.cpp", "int128_builtins.cpp"];

/// Builds the library, unless it is there or the WASI SDK brings one.
pub fn build(force: bool) -> Result<()> {
    let clang = find::clang()?.path;
    let sysroot = find::sysroot()?.path;
    if let (Ok(library), false) = (Library::find(&clang, &sysroot), force) {
        say(&format!("the C++ library is there already: {}", library.origin));
        return Ok(());
    }
    build_for(&clang, &sysroot)
}

/// Builds it for what is compiled with this sysroot.
pub fn build_for(clang: &Path, sysroot: &Path) -> Result<()> {
    let sdk = Sdk::with(clang, sysroot)?;
    let source = LlvmSource::with(&llvm_source::version_of(clang)?, FOLDERS)?;
    let place = Library::place(clang, sysroot)?;
    folder::remake(&place, |draft| {
        copy_headers(&source, &draft.join("include/c++/v1"))?;
        compile(&source, clang, sysroot, &sdk.include(), draft)
    })?;
    say(&format!("ready: {}", place.display()));
    Ok(())
}

/// The headers of libc++, configured for guests.
pub fn copy_headers(source: &LlvmSource, to: &Path) -> Result<()> {
    copy_tree(&source.path("libcxx/include"), to)?;
    copy_tree(&source.path("libcxxabi/include"), to)?;
    let handler = source.path("libcxx/vendor/llvm/default_assertion_handler.in");
    fs::copy(&handler, to.join("__assertion_handler")).with_context(|| format!("cannot copy {}", handler.display()))?;
    write(&to.join("__config_site"), embedded::file(&embedded::CPP, "__config_site"))
}

fn compile(source: &LlvmSource, clang: &Path, sysroot: &Path, headers: &Path, draft: &Path) -> Result<()> {
    let work = draft.join("objects");
    fs::create_dir(&work)?;
    let tag = work.join("exception_tag.S");
    write(&tag, embedded::file(&embedded::CPP, "exception_tag.S"))?;
    let mut files = vec![source.path("libunwind/src/Unwind-wasm.c"), tag];
    for folder in SOURCES {
        files.extend(cpp_files(&source.path(folder))?);
    }
    ensure!(files.len() > 50, "LLVM's source has another layout than that of LLVM {}", find::TESTED_CLANG);
    let (mut jobs, mut objects) = (Vec::new(), Vec::new());
    for (number, file) in files.iter().enumerate() {
        let name = file.file_stem().and_then(OsStr::to_str).unwrap_or_default();
        let object = work.join(format!("{name}.{number}.o"));
        let mut job = Command::new(clang);
        job.args(base_flags(sysroot)).args(["-fwasm-exceptions", "-mexception-handling", "-O2", "-w", "-DNDEBUG"]);
        job.args(["-ffunction-sections", "-fdata-sections", "-c"]).arg(file).arg("-o").arg(&object);
        // What a landing pad is told is a thread's own for programs, which are compiled with it: so it has to be here.
        job.args(sdk::for_either(sysroot));
        if file.extension() == Some(OsStr::new("cpp")) {
            job.args(["-std=c++26", "-nostdinc++", "-isystem"]).arg(draft.join("include/c++/v1"));
        }
        job.args(["-D_LIBCPP_BUILDING_LIBRARY", "-DLIBCXX_BUILDING_LIBCXXABI", "-D_LIBCXXABI_BUILDING_LIBRARY"]);
        job.args(["-D_LIBUNWIND_HAS_NO_THREADS", "-D_LIBUNWIND_IS_NATIVE_ONLY", "-D_LIBUNWIND_HIDE_SYMBOLS"]);
        job.arg("-isystem").arg(headers);
        for folder in ["libcxx/src", "libcxxabi/include", "libunwind/include", "libc"] {
            job.arg("-I").arg(source.path(folder));
        }
        jobs.push(job);
        objects.push(object);
    }
    say(&format!("compiling libc++, {} files", jobs.len()));
    run_all(jobs, "compiling libc++")?;
    archive(clang, &objects, &draft.join("lib/libc++.a"))?;
    fs::remove_dir_all(&work).with_context(|| format!("cannot remove {}", work.display()))
}

fn cpp_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let listing = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files: Vec<PathBuf> = listing.filter_map(|entry| Some(entry.ok()?.path())).collect();
    let wanted = |name: &str| name.ends_with(".cpp") && !NOT_THESE.contains(&name);
    files.retain(|file| file.file_name().and_then(OsStr::to_str).is_some_and(wanted));
    files.sort();
    Ok(files)
}

fn archive(clang: &Path, objects: &[PathBuf], file: &Path) -> Result<()> {
    let llvm_ar = find::llvm_tool(clang, "llvm-ar").with_context(|| {
        format!("{} has no llvm-ar beside it; install llvm-{}", clang.display(), find::TESTED_CLANG)
    })?;
    fs::create_dir_all(file.parent().unwrap_or(file))?;
    check(Command::new(llvm_ar).arg("rcs").arg(file).args(objects), "archiving libc++").map(drop)
}
