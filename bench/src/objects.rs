//! `just bench objects`: object graphs between two ranks, beside what else can carry them.
//!
//! On WebAssembly: described objects, freed one by one or received into one block, a cluster, and the plain send of as
//! many bytes as the cluster has. Native, over MPICH: C that packs and unpacks by hand, three serialisers of Rust, and
//! mpi4py with pickle. All build the same graphs, and all end with a graph in fresh memory.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::twins::{Competitor, Measurement, measurements, output, root};

/// A way to send a graph: its name, and the command that measures it.
pub struct Way {
    pub name: &'static str,
    command: Vec<String>,
}

impl Way {
    /// Runs it once.
    pub fn run(&self) -> Result<Vec<Measurement>> {
        let mut command = Command::new(&self.command[0]);
        measurements(command.args(&self.command[1..]), self.name)
    }
}

/// Everything that is here, built, on two ranks; or each program alone, which measures the work of both ends without
/// the way between them.
pub fn ways(alone: bool) -> Result<Vec<Way>> {
    let mut ways = Vec::new();
    let (local, ranks) = (Competitor::local(), if alone { 1 } else { 2 });
    let pair: &[(_, &[&str])] = &[
        ("rankine", &["objects"]),
        ("rankine in one block", &["objects", "together"]),
        ("rankine cluster", &["cluster"]),
        ("rankine plain", &["bytes"]),
    ];
    let single: &[(_, &[&str])] = &[("rankine", &["alone"]), ("rankine in one block", &["alone", "together"])];
    for &(name, words) in if alone { single } else { pair } {
        let words = words.iter().map(|&word| word.into()).collect();
        ways.push(Way { name, command: [local.command("objects", ranks)?, words].concat() });
    }
    let Some(mpich) = Competitor::mpich() else {
        eprintln!("MPICH is not here: install its wheel (`./x bench` does) to compare with native programs");
        return Ok(ways);
    };
    ways.push(Way { name: "C by hand", command: mpich.command("objects_packed", ranks)? });
    let native = natives()?.display().to_string();
    for name in ["rkyv", "postcard", "bincode"] {
        ways.push(Way { name, command: [mpich.launcher(ranks), vec![native.clone(), name.into()]].concat() });
    }
    let python = root().join(".venv-mpi4py/bin/python");
    if python.exists() {
        let words = [python, root().join("bench/programs/objects_pickle.py")].map(|path| path.display().to_string());
        ways.push(Way { name: "mpi4py pickle", command: [mpich.launcher(ranks), words.to_vec()].concat() });
    } else {
        eprintln!("mpi4py is not here: `./x bench objects` installs it into .venv-mpi4py");
    }
    Ok(ways)
}

/// The program of the serialisers, linked with the MPI library that was found.
fn natives() -> Result<PathBuf> {
    let library = root().join(".venv/lib");
    let flags = format!(
        "-C link-arg={} -C link-arg=-Wl,-rpath,{}",
        library.join("libmpi_abi.so.1").display(),
        library.display()
    );
    let target: &Path = &root().join("target/bench/natives");
    let mut cargo = Command::new(option_env!("CARGO").unwrap_or("cargo"));
    cargo.args(["build", "--release", "--quiet", "--target-dir"]).arg(target).env("RUSTFLAGS", flags);
    output(cargo.current_dir(root().join("bench/natives")))?;
    Ok(target.join("release/rankine-bench-natives"))
}
