//! `just bench math`: the host's mathematics, called by a guest, beside OpenBLAS and FFTW in a native program, all on one core.
//!
//! The libraries are those of wheels from PyPI, which are fetched when they are missing.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::record::Line;
use crate::turns::{self, Native};
use crate::twins::{Competitor, output, root};

/// Wheels with a library in them, the folder there, and how the library's name begins.
const OPENBLAS: (&str, &str, &str) = ("scipy-openblas32", "scipy_openblas32/lib", "libscipy_openblas");
const FFTW: (&str, &str, &str) = ("pyfftw", "pyfftw.libs", "libfftw3-");

/// Measures and prints.
pub fn run(rounds: u32) -> Result<Vec<Line>> {
    let guest = Competitor::local().with("rankine local", "-lfftw3").command("math", 1)?;
    let wheels = root().join("target/bench/wheels");
    let binary = root().join("target/bench/math.native");
    let source = root().join("bench/programs/math.c");
    output(Command::new("cc").args(["-O3", "-DALONE"]).arg(source).arg("-o").arg(&binary).args(["-lm", "-ldl"]))
        .context("compiling the native program")?;
    let mut command = Command::new(binary);
    command.env("OPENBLAS", library(&wheels, OPENBLAS)?).env("FFTW", library(&wheels, FFTW)?);
    command.env("OPENBLAS_NUM_THREADS", "1");
    turns::run(&guest, vec![Native { name: "native", command }], rounds)
}

/// The library of a wheel, which is installed if it is not there.
fn library(wheels: &Path, (wheel, folder, name): (&str, &str, &str)) -> Result<PathBuf> {
    let folder = wheels.join(folder);
    if !folder.is_dir() {
        eprintln!("fetching {wheel}");
        let python = root().join(".venv/bin/python");
        let mut command = Command::new(if python.is_file() { python } else { "python3".into() });
        command.args(["-m", "pip", "install", "--quiet", "--only-binary", ":all:", "--no-deps", "--target"]);
        output(command.arg(wheels).arg(wheel)).with_context(|| format!("the wheel {wheel} is missing"))?;
    }
    let entries = std::fs::read_dir(&folder).with_context(|| format!("{wheel} has no {}", folder.display()))?;
    let is_it = |path: &PathBuf| path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(name));
    match entries.filter_map(|entry| Some(entry.ok()?.path())).find(is_it) {
        Some(library) => Ok(library),
        None => bail!("{wheel} has no library {name} in {}", folder.display()),
    }
}
