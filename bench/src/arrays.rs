//! `just bench arrays`: methods on grids over distributed arrays, in C and in Rust, beside MPI by hand: the same C as a guest
//! and as a native program.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::plans::suits_natives;
use crate::twins::{Competitor, Measurement, measurements, output, root};

/// With so many ranks each; 36 are more than most machines have cores.
const RANKS: [u32; 4] = [1, 2, 4, 36];

/// What the others are compared with: MPI by hand, as a guest.
pub const BY_HAND: &str = "rankine by hand";

/// A way to write the methods: its name, and a command for each number of ranks.
pub struct Way {
    pub name: &'static str,
    commands: Vec<Vec<String>>,
}

impl Way {
    /// Runs it once with each number of ranks.
    pub fn run(&self) -> Result<Vec<Measurement>> {
        let mut all = Vec::new();
        for words in &self.commands {
            all.extend(measurements(Command::new(&words[0]).args(&words[1..]), self.name)?);
        }
        Ok(all)
    }

    fn in_c(competitor: &Competitor, crowded: bool) -> Result<Way> {
        let suits = |ranks: &&u32| !competitor.is_native() || suits_natives(**ranks, crowded);
        let commands =
            RANKS.iter().filter(suits).map(|&ranks| competitor.command("arrays", ranks)).collect::<Result<_>>()?;
        Ok(Way { name: competitor.name, commands })
    }
}

/// Everything that is here, built.
pub fn ways(crowded: bool) -> Result<Vec<Way>> {
    let mut ways = Vec::new();
    match Competitor::mpich() {
        Some(native) => ways.push(Way::in_c(&native, crowded)?),
        None => eprintln!("MPICH is not here: install its wheel (`./x bench` does) to compare with native programs"),
    }
    ways.push(Way::in_c(&Competitor::local().with(BY_HAND, "-O3"), crowded)?);
    ways.push(Way::in_c(&Competitor::local().with("rankine in C", "-DLIBRARY"), crowded)?);
    let (local, module) = (Competitor::local(), in_rust()?);
    let command = |&ranks: &u32| [local.launcher(ranks), vec![module.clone()]].concat();
    ways.push(Way { name: "rankine in Rust", commands: RANKS.iter().map(command).collect() });
    Ok(ways)
}

/// The program in Rust, with the instructions that `rankine cc` uses too.
fn in_rust() -> Result<String> {
    let target: &Path = &root().join("target/bench/arrays");
    let mut cargo = Command::new(option_env!("CARGO").unwrap_or("cargo"));
    cargo.args(["build", "--release", "--quiet", "--target", "wasm32-wasip1", "--target-dir"]).arg(target);
    output(cargo.env("RUSTFLAGS", "-C target-feature=+simd128").current_dir(root().join("bench/programs/arrays")))?;
    Ok(target.join("wasm32-wasip1/release/bench-arrays.wasm").display().to_string())
}
