//! `rankine doctor`: checks the set-up, and names the next step for what is missing.

use crate::engine::mpi::library;
use crate::module;
use anyhow::Result;
use rankine_grid::network;
use rankine_system::confine;
use rankine_toolchain::build::Flang;
use rankine_toolchain::cxx::Library;
use rankine_toolchain::find::{self, TARGET};
use rankine_toolchain::python::Python;
use rankine_toolchain::sdk::Sdk;
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// The command line of `rankine doctor`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print the findings as JSON.
    #[arg(long)]
    json: bool,
}

/// One finding.
#[derive(Debug, Serialize)]
struct Finding {
    /// What was looked for.
    part: &'static str,
    /// Whether it is there and good enough.
    ok: bool,
    /// Whether compiling and running a C program needs it.
    needed: bool,
    /// What was found, or why not.
    detail: String,
    /// What to do about it.
    next: Option<String>,
}

impl Finding {
    fn new(part: &'static str, needed: bool, result: Result<String>, next: impl Into<String>) -> Finding {
        match result {
            Ok(detail) => Finding { part, ok: true, needed, detail, next: None },
            Err(error) => {
                let (detail, _) = advice(&error);
                Finding { part, ok: false, needed, detail, next: Some(next.into()) }
            }
        }
    }

    /// The compiler of one language. The error itself knows the next step.
    fn language(part: &'static str, command: &str, result: Result<String>) -> Finding {
        let next = result.as_ref().err().map(|error| advice(error).1).unwrap_or_default();
        Finding::new(part, false, result, format!("only `rankine {command}` needs it: {next}"))
    }

    fn as_text(&self) -> String {
        let state = match (self.ok, self.needed) {
            (true, _) => "ok",
            (false, true) => "missing",
            (false, false) if self.part == CORES => "busy",
            (false, false) => "not here",
        };
        let found = format!("{state:<9} {:<14} {}\n", self.part, self.detail);
        match &self.next {
            Some(next) => format!("{found}{:<9} {:<14} → {next}\n", "", ""),
            None => found,
        }
    }
}

/// What an error says is wrong, and what it advises after a semicolon: that has a line for itself here.
fn advice(error: &anyhow::Error) -> (String, String) {
    let text = format!("{error:#}");
    let (wrong, next) = text.split_once("; ").unwrap_or((&text, "mend what is missing above"));
    (wrong.to_string(), next.to_string())
}

/// Looks at everything. The exit status is 1 when something is missing that every C program needs.
pub fn run(args: Args) -> Result<ExitCode> {
    let findings = look();
    let page = match args.json {
        true => serde_json::to_string_pretty(&findings)? + "\n",
        false => findings.iter().map(Finding::as_text).collect(),
    };
    super::print_page(&page)?;
    let broken = findings.iter().any(|finding| finding.needed && !finding.ok);
    Ok(ExitCode::from(u8::from(broken)))
}

fn look() -> Vec<Finding> {
    let mut findings = compiler();
    findings.push(rust_target());
    findings.push(python());
    findings.push(processor());
    findings.extend(mpi());
    findings.push(maps());
    findings.push(cores());
    findings.push(wall());
    findings
}

/// The parts of `rankine cc`. What builds on a part that is missing is reported as missing for that reason.
fn compiler() -> Vec<Finding> {
    let clang = find::clang();
    let sysroot = find::sysroot();
    let with_clang = |find: fn(&std::path::Path) -> Option<PathBuf>| match &clang {
        Ok(clang) => {
            find(&clang.path).map(|path| path.display().to_string()).ok_or_else(|| anyhow::anyhow!("not found"))
        }
        Err(_) => Err(anyhow::anyhow!("belongs to clang, which is missing")),
    };
    let linker = with_clang(find::wasm_ld);
    let builtins = with_clang(find::builtins);
    let library = match (&clang, &sysroot) {
        (Ok(clang), Ok(sysroot)) => Sdk::with(&clang.path, &sysroot.path).map(|sdk| sdk.root().display().to_string()),
        _ => Err(anyhow::anyhow!("needs clang and the sysroot")),
    };
    let (cpp, fortran) = match (&clang, &sysroot) {
        (Ok(clang), Ok(sysroot)) => (
            Library::find(&clang.path, &sysroot.path).map(|library| library.origin),
            Flang::find().map(|flang| flang.compiler().display().to_string()),
        ),
        _ => (Err(anyhow::anyhow!("needs clang and the sysroot")), Err(anyhow::anyhow!("needs clang and the sysroot"))),
    };
    let describe = |found: find::Found| format!("{} (from {})", found.path.display(), found.origin);
    let clang = clang.map(|found| match find::clang_version(&found.path) {
        Some(version) => format!("version {version}, {}", describe(found)),
        None => describe(found),
    });
    let llvm = find::TESTED_CLANG;
    vec![
        Finding::new("clang", true, clang, find::install_clang()),
        Finding::new("wasm-ld", true, linker, format!("install lld-{llvm}")),
        Finding::new("builtins", true, builtins, format!("install libclang-rt-{llvm}-dev-wasm32")),
        Finding::new("WASI sysroot", true, sysroot.map(describe), "run `rankine sdk install`"),
        Finding::new("SDK library", true, library, "mend what is missing above, then run `rankine sdk install`"),
        Finding::language("C++ library", "c++", cpp),
        Finding::language("Fortran", "fc", fortran),
    ]
}

/// The Rust compiler's target for guests. Where it is rustup's, rustup adds what is missing.
fn rust_target() -> Finding {
    let query = find::rustc().args(["--print", "target-libdir", "--target", TARGET]).output();
    let folder = query.ok().filter(|output| output.status.success()).map(|output| output.stdout);
    let folder = folder.map(|text| PathBuf::from(String::from_utf8_lossy(&text).trim()));
    let rustup = find::find_program("rustup");
    let result = match folder {
        Some(folder) if folder.is_dir() => Ok(format!("{TARGET}, {}", folder.display())),
        Some(_) => Err(anyhow::anyhow!("the Rust compiler is here, its target {TARGET} is not")),
        None if rustup.is_some() => Err(anyhow::anyhow!("rustup is here, a Rust compiler is not (for guests in Rust)")),
        None => Err(anyhow::anyhow!("no Rust compiler (for guests in Rust)")),
    };
    Finding::new("Rust target", false, result, rust_advice(find::find_program("rustc").as_deref(), rustup.as_deref()))
}

/// What to do for the target, with what is there.
fn rust_advice(rustc: Option<&Path>, rustup: Option<&Path>) -> String {
    let home = find::env_path("CARGO_HOME").or_else(|| Some(find::env_path("HOME")?.join(".cargo")));
    let unfound = home.map(|home| home.join("bin/rustup")).filter(|path| path.is_file());
    match (rustc, rustup, unfound) {
        (Some(_), Some(_), _) => format!("run `rustup target add {TARGET}`"),
        (None, Some(_), _) => format!("run `rustup toolchain install stable -t {TARGET}`"),
        (_, None, Some(path)) => format!(
            "rustup is here, but not on PATH: export PATH=\"{}:$PATH\", then `rustup target add {TARGET}`",
            path.parent().unwrap_or(&path).display()
        ),
        (Some(rustc), None, None) => {
            format!(
                "{} was not installed by rustup: install rustup, then `rustup target add {TARGET}`",
                rustc.display()
            )
        }
        (None, None, None) => format!("install rustup, then `rustup target add {TARGET}`"),
    }
}

/// What runs programs in Python.
fn python() -> Finding {
    let python = Python::find().map(|python| python.module().display().to_string());
    Finding::language("Python", "python", python)
}

/// Whether programs are compiled for this machine.
fn processor() -> Finding {
    let result = module::engine(module::Settings::default()).and_then(|engine| match engine.is_pulley() {
        false => Ok(format!("{}: programs are compiled for it", std::env::consts::ARCH)),
        true => Err(anyhow::anyhow!("{}: Wasmtime has no compiler for it", std::env::consts::ARCH)),
    });
    Finding::new("processor", false, result, "programs are interpreted, which is 20 to 40 times slower")
}

/// The library that carries messages between processes and machines, and the network that it has for that.
fn mpi() -> Vec<Finding> {
    let found = library::find(None);
    let network = found.as_ref().ok().map(|library| {
        let variables: Vec<(String, String)> = std::env::vars_os()
            .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
            .collect();
        let has_choice = network::has_choice(&library.version);
        let way = network::way(&library.version, has_choice, &network::fabrics(), &variables);
        Finding::new("network", false, Ok(way), "")
    });
    let found = found.map(|library| {
        let (major, minor) = library.abi;
        let skipped: String = library.skipped.iter().map(|skipped| format!("; skipped: {skipped}")).collect();
        let (version, path) = (&library.version, library.path.display());
        format!("{version}, ABI {major}.{minor}, {path} (from {}){skipped}", library.origin)
    });
    let next = "only several machines, and `--engine mpi`, need one: `pip install mpich`, or set RANKINE_MPI_LIB";
    [Finding::new("MPI library", false, found, next)].into_iter().chain(network).collect()
}

/// Mappings that one rank needs: its memory with guard regions, its table, its stack.
const MAPS_PER_RANK: u64 = 6;

/// The number of ranks that a machine should allow without a change of its settings.
const FEW_RANKS: u64 = 1000;

fn maps() -> Finding {
    let text = fs::read_to_string("/proc/sys/vm/max_map_count");
    let result = match text.ok().and_then(|text| text.trim().parse::<u64>().ok()) {
        Some(limit) if limit / MAPS_PER_RANK >= FEW_RANKS => {
            Ok(format!("vm.max_map_count is {limit}: about {} ranks in one process", limit / MAPS_PER_RANK))
        }
        Some(limit) => Err(anyhow::anyhow!(
            "vm.max_map_count is {limit}: only about {} ranks in one process",
            limit / MAPS_PER_RANK
        )),
        None => Ok("this system has no limit on memory mappings".into()),
    };
    Finding::new("mappings", false, result, "as root: sysctl vm.max_map_count=1048576")
}

/// What cores are called: they are there even where they are busy.
const CORES: &str = "cores";

/// How many cores there are, and what of them others use now.
fn cores() -> Finding {
    let cores = match std::thread::available_parallelism() {
        Ok(cores) => cores.get(),
        Err(error) => {
            let detail = format!("unknown ({error})");
            return Finding { part: CORES, ok: true, needed: false, detail, next: None };
        }
    };
    let detail = format!("{cores}: up to {cores} ranks run as threads, more as fibers");
    let result = match busy_cores() {
        Some(busy) if busy >= 0.5 => {
            Err(anyhow::anyhow!("{detail}, but other programs keep {busy:.1} of them busy now"))
        }
        _ => Ok(detail),
    };
    Finding::new(
        CORES,
        false,
        result,
        "ranks that wait for each other are slow on busy cores: fewer ranks, or --fibers",
    )
}

/// How long to look what the cores do.
const LOOK: Duration = Duration::from_millis(200);

/// How many cores' worth of time others use; nothing where the system does not tell.
fn busy_cores() -> Option<f64> {
    let before = core_times(&fs::read_to_string("/proc/stat").ok()?)?;
    std::thread::sleep(LOOK);
    let text = fs::read_to_string("/proc/stat").ok()?;
    let after = core_times(&text)?;
    let (all, idle) = (after.0.checked_sub(before.0)?, after.1.checked_sub(before.1)?);
    let cores = text.lines().filter(|line| line.starts_with("cpu")).count() - 1;
    (all > 0).then(|| cores as f64 * all.saturating_sub(idle) as f64 / all as f64)
}

/// The time that all cores have had, and what of it they were idle, from `/proc/stat`.
fn core_times(text: &str) -> Option<(u64, u64)> {
    // Time of virtual machines, behind the first eight, is counted as the system's or the user's too.
    let times =
        text.lines().next()?.strip_prefix("cpu ")?.split_whitespace().take(8).map(|word| word.parse::<u64>().ok());
    let times = times.collect::<Option<Vec<u64>>>()?;
    // Waiting for a disk is idling.
    Some((times.iter().sum(), times.get(3)? + times.get(4)?))
}

/// What confines the processes of a job.
fn wall() -> Finding {
    let standing = confine::available();
    let detail = standing.to_string();
    let result = if standing.is_whole() { Ok(detail) } else { Err(anyhow::anyhow!(detail)) };
    Finding::new(
        "confinement",
        false,
        result,
        "a second wall around guests; Linux has it from 5.13 on, with landlock among the kernel's `lsm=`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_cores() {
        assert_eq!(core_times("cpu  10 0 5 80 4 0 1 0 7 0\ncpu0 1 1\n"), Some((100, 84)));
        assert_eq!(core_times("cpu  10 0"), None);
        assert_eq!(core_times(""), None);
    }

    #[test]
    fn advice_for_rust_goes_by_what_is_there() {
        let (rustc, rustup) = (Some(Path::new("/usr/bin/rustc")), Some(Path::new("/usr/bin/rustup")));
        assert!(rust_advice(rustc, rustup).starts_with("run `rustup target add"));
        assert!(rust_advice(None, rustup).contains("toolchain install"));
        let advice = rust_advice(rustc, None);
        assert!(advice.contains("/usr/bin/rustc is not rustup's") || advice.contains("not on PATH"), "{advice}");
    }
}
