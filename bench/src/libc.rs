//! `just bench libc`: functions of the C library in a guest, beside those of the machine's own in a native program.

use std::process::Command;

use anyhow::{Context as _, Result};

use crate::record::Line;
use crate::turns::{self, Native};
use crate::twins::{Competitor, output, root};

/// Measures and prints.
pub fn run(rounds: u32) -> Result<Vec<Line>> {
    let guest = Competitor::local().with("rankine local", "-fno-builtin").command("libc", 1)?;
    let clang = output(Command::new(&guest[0]).args(["cc", "-showme:command"]))?.trim().to_owned();
    let source = root().join("bench/programs/libc.c");
    let binary = root().join("target/bench/libc.native");
    let mut compile = Command::new(clang);
    compile.args(["-O3", "-fno-builtin", "-DALONE"]).arg(source).arg("-o").arg(&binary).arg("-lm");
    output(&mut compile).context("compiling the native program")?;
    turns::run(&guest, vec![Native { name: "native", command: Command::new(binary) }], rounds)
}
