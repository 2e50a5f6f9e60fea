//! `just bench openmp` and `just bench hybrid`: OpenMP in a guest, beside LLVM's runtime in a native program.

use std::process::Command;

use anyhow::{Context as _, Result};

use crate::record::Line;
use crate::turns::{self, Native};
use crate::twins::{Competitor, output, root};

/// Measures a program with 1 and 2 threads, and prints.
pub fn run(program: &str, rounds: u32) -> Result<Vec<Line>> {
    let guest = Competitor::local().with("rankine local", "-fopenmp").with_threads(2).command(program, 1)?;
    let clang = output(Command::new(&guest[0]).args(["cc", "-showme:command"]))?.trim().to_owned();
    let source = root().join("bench/programs").join(program).with_extension("c");
    let binary = root().join("target/bench").join(program).with_extension("native");
    let mut compile = Command::new(clang);
    compile.args(["-O3", "-fopenmp", "-DALONE"]).arg(source).arg("-o").arg(&binary).arg("-lm");
    output(&mut compile).context("compiling the native program, which needs clang's libomp (libomp-dev)")?;
    let mut command = Command::new(binary);
    command.env("OMP_NUM_THREADS", "2");
    turns::run(&guest, vec![Native { name: "libomp", command }], rounds)
}
