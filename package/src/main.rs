//! `./x install` and `./x package`: what belongs to `rankine` is laid out beneath a folder, or packed for others.
//!
//! `x` builds the binary first, and asks by `--plan` which one. Read `layout` first, then `packages`, and `wheel` if you care for
//! pip. What `rankine uninstall` removes again is in `host/src/cli/uninstall.rs`.

mod binary;
mod files;
mod layout;
mod packages;
mod wheel;

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, ensure};
use clap::{Parser, Subcommand};

/// The version of LLVM whose packages a user is told to install, as `x` has it.
const LLVM: u32 = 22;

/// The variable by which `x` says where it lies.
const CLONE: &str = "RANKINE_CLONE";

#[derive(Parser)]
#[command(bin_name = "./x", disable_help_subcommand = true)]
struct Arguments {
    /// Print which binary has to be built first, if any, and do no more
    #[arg(long, hide = true, global = true)]
    plan: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Put rankine into a folder, with manual pages, the book's pages and completions; `rankine uninstall` removes it again
    Install {
        /// The folder [default: ~/.local]
        #[arg(long, value_name = "DIR")]
        prefix: Option<PathBuf>,
        /// The binary to install [default: the one that is built here]
        #[arg(long, value_name = "FILE")]
        binary: Option<PathBuf>,
    },
    /// Make a tar, a .deb and a wheel of it, with checksums
    Package {
        /// The binary to pack [default: one that is built for this kind of machine, or for that of --kind]
        #[arg(long, value_name = "FILE")]
        binary: Option<PathBuf>,
        /// Where to put them [default: target/package in the clone]
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
        /// Take along the Python that `rankine sdk build python` has made (100 MB): `rankine python` needs no more then
        #[arg(long)]
        python: bool,
        /// The kind of machine; --binary says by itself what it is for
        #[arg(long, conflicts_with = "binary", value_parser = binary::PORTABLE)]
        kind: Option<String>,
    },
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("x: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(Arguments { plan, command }: &Arguments) -> Result<()> {
    let clone = std::env::var_os(CLONE)
        .with_context(|| format!("{CLONE} does not say where the clone lies: it is for ./x to call"))?;
    let clone = Path::new(&clone);
    match command {
        Command::Install { binary, .. } if *plan => {
            println!("{}", if binary.is_none() { std::env::consts::ARCH } else { "" });
            Ok(())
        }
        Command::Install { prefix, binary } => {
            let prefix = match prefix {
                Some(prefix) => std::path::absolute(prefix)?,
                None => PathBuf::from(std::env::var_os("HOME").context("HOME is not set: ./x install --prefix DIR")?)
                    .join(".local"),
            };
            install(clone, &prefix, binary.as_deref().unwrap_or(&binary::own(clone)))
        }
        Command::Package { binary, out, python, kind } => {
            let kind = match (binary, kind.as_deref().unwrap_or(std::env::consts::ARCH)) {
                (Some(_), _) => "",
                (None, kind) => kind,
            };
            let known = binary::PORTABLE.join(", ");
            ensure!(
                kind.is_empty() || binary::PORTABLE.contains(&kind),
                "./x package makes binaries for {known}; for {kind} build rankine there, and pack it with --binary"
            );
            if *plan {
                println!("{kind}");
                return Ok(());
            }
            let binary = binary.clone().unwrap_or_else(|| binary::portable(clone, kind));
            let out = std::path::absolute(out.clone().unwrap_or(clone.join("target/package")))?;
            packages::make(clone, &binary, &out, python.then(|| data(clone).join("python")).as_deref())
        }
    }
}

/// Where `x` keeps what is built for guests.
fn data(clone: &Path) -> PathBuf {
    std::env::var_os("RANKINE_DATA_DIR").map_or_else(|| clone.join(".tools/data"), PathBuf::from)
}

fn install(clone: &Path, prefix: &Path, binary: &Path) -> Result<()> {
    let programs = prefix.join("bin");
    files::folder(&programs).context("choose another place: ./x install --prefix DIR")?;
    say(&format!("installing into {}", prefix.display()));
    layout::lay_out(clone, binary, prefix)?;
    say(&format!(
        "to compile programs: rankine sdk install, once (what ./x setup has installed is for this clone, unless RANKINE_DATA_DIR \
         names {}/.tools/data)",
        clone.display()
    ));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_on_path = std::env::split_paths(&path).any(|folder| folder == programs);
    let programs = programs.display();
    say(&match is_on_path {
        true => "ready: rankine doctor says what it finds on this machine".into(),
        false => format!("ready, but {programs} is not on your PATH: export PATH=\"{programs}:$PATH\""),
    });
    Ok(())
}

/// Says what is done, as `x` does.
fn say(text: &str) {
    match std::io::stderr().is_terminal() {
        true => eprintln!("\x1b[1m==> {text}\x1b[0m"),
        false => eprintln!("==> {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_well_formed() {
        <Arguments as clap::CommandFactory>::command().debug_assert();
        for wrong in [
            &["install", "--prefix", ""][..],
            &["package", "--kind", "vax"],
            &["package", "--kind", "x86_64", "--binary", "b"],
        ] {
            assert!(Arguments::try_parse_from([&["x"], wrong].concat()).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn llvm_is_that_of_x() {
        let x = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../x")).unwrap();
        assert!(x.contains(&format!("\nLLVM={LLVM}\n")));
    }
}
