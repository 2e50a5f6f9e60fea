//! `just bench compute`: how fast a guest computes, beside native programs of the same source.

use std::process::Command;

use anyhow::{Result, bail};

use crate::record::Line;
use crate::turns::{self, Native};
use crate::twins::{Competitor, output, root};

/// Measures and prints.
pub fn run(rounds: u32) -> Result<Vec<Line>> {
    let guest = Competitor::local().command("compute", 1)?;
    let natives = natives(&guest)?;
    if natives.is_empty() {
        bail!("neither clang nor gcc compiles native programs here: there is nothing to compare with");
    }
    turns::run(&guest, natives, rounds)
}

/// The same program by the clang that `rankine cc` calls, and by gcc where there is one: for any processor of the kind, and for
/// this one.
fn natives(guest: &[String]) -> Result<Vec<Native>> {
    let clang = output(Command::new(&guest[0]).args(["cc", "-showme:command"]))?.trim().to_owned();
    let source = root().join("bench/programs/compute.c");
    let mut found = Vec::new();
    let clang = clang.as_str();
    let ways = [
        ("clang", clang, None),
        ("gcc", "gcc", None),
        ("clang -march=native", clang, Some("-march=native")),
        ("gcc -march=native", "gcc", Some("-march=native")),
    ];
    for (name, compiler, machine) in ways {
        let binary = root().join("target/bench").join(format!("compute-{}.native", name.replace(' ', "")));
        let mut command = Command::new(compiler);
        command.args(["-O3", "-DALONE"]).args(machine).arg(&source).arg("-o").arg(&binary).arg("-lm");
        match output(&mut command) {
            Ok(_) => found.push(Native { name, command: Command::new(binary) }),
            Err(error) => eprintln!("not compared with {name}: {error:#}"),
        }
    }
    Ok(found)
}
