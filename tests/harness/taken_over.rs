//! An MPI library that was taken over (`tests/wall/library/taken_over.c`).

use super::mpiexec::library;
use super::places::Places;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles it into a folder.
pub fn taken_over(places: &Places, folder: &Path) -> Result<PathBuf, String> {
    linked(places, &places.root.join("tests/wall/library/taken_over.c"), folder)
}

/// Compiles a library from this source, which has what it does not say from that of the tests.
pub fn linked(places: &Places, source: &Path, folder: &Path) -> Result<PathBuf, String> {
    let (real, made) = (library(places), folder.join("lib/libmpi_abi.so.1"));
    fs::create_dir_all(folder.join("lib")).map_err(|e| e.to_string())?;
    let rpath = format!("-Wl,-rpath,{}", real.parent().unwrap_or(Path::new("/")).display());
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-O1", "-Wl,--no-as-needed", "-o"]).arg(&made).arg(source).arg(&real).arg(rpath);
    // Not the name of the real one, which the loader would take this one for.
    let output = cc.arg("-Wl,-soname,libtaken_over.so").output().map_err(|e| format!("cc: {e}"))?;
    match output.status.success() {
        true => Ok(made),
        false => Err(format!("the library can't be compiled: {}", String::from_utf8_lossy(&output.stderr))),
    }
}
