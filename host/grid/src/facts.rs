//! What a node says of itself when it is asked (`rankine grid facts`).

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use serde::{Deserialize, Serialize};

use crate::network;

/// A node, by its own word. What an older or newer `rankine` does not say is left out.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// The version of its `rankine`.
    pub version: String,
    /// As Rust calls it: `x86_64`, `aarch64`.
    pub architecture: String,
    /// The system, with the version of its kernel.
    pub system: String,
    /// Cores that a process may use.
    pub cores: usize,
    /// Processes that wanted a core, on average over the last minute.
    pub load: Option<f64>,
    /// Bytes of memory that programs could have.
    pub memory: Option<u64>,
    /// Devices of networks that are faster than TCP.
    pub fabrics: Vec<String>,
    /// The MPI library that ranks would be given.
    pub mpi: Found<Mpi>,
    /// The folder for what jobs bring along.
    pub scratch: Found<Space>,
    /// The folder of data, if the grid names one.
    pub data: Option<Found<Space>>,
}

/// What was looked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Found<T> {
    /// It is there.
    Here(T),
    /// It is not.
    Missing {
        /// Why.
        missing: String,
    },
}

impl<T> Default for Found<T> {
    fn default() -> Found<T> {
        Found::Missing { missing: "it was not looked for".into() }
    }
}

impl<T> From<anyhow::Result<T>> for Found<T> {
    fn from(result: anyhow::Result<T>) -> Found<T> {
        match result {
            Ok(found) => Found::Here(found),
            Err(error) => Found::Missing { missing: format!("{error:#}") },
        }
    }
}

/// An MPI library.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Mpi {
    /// What it calls itself.
    pub version: String,
    /// Its file.
    pub path: PathBuf,
}

/// A folder, and the space in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Space {
    /// Where it is.
    pub path: PathBuf,
    /// Bytes that are free for us.
    pub free: u64,
}

/// What this node is asked about.
#[derive(clap::Args)]
pub struct Question {
    /// The MPI library that ranks are to use
    #[arg(long, value_name = "FILE")]
    pub mpi_lib: Option<PathBuf>,

    /// The folder for what jobs bring along
    #[arg(long, value_name = "DIR", default_value = "/tmp")]
    pub scratch: PathBuf,

    /// The folder of data
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
}

impl Facts {
    /// The facts of this machine, whose MPI library is this one.
    pub fn gather(question: &Question, mpi: anyhow::Result<Mpi>) -> Facts {
        Facts {
            version: env!("CARGO_PKG_VERSION").into(),
            architecture: std::env::consts::ARCH.into(),
            system: system(),
            cores: available_parallelism().map_or(1, usize::from),
            load: load(&fs::read_to_string("/proc/loadavg").unwrap_or_default()),
            memory: memory(&fs::read_to_string("/proc/meminfo").unwrap_or_default()),
            fabrics: network::fabrics(),
            mpi: mpi.into(),
            scratch: space(&question.scratch, true).into(),
            data: question.data.as_deref().map(|data| space(data, false).into()),
        }
    }
}

fn system() -> String {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{} {}", std::env::consts::OS, release.trim()).trim_end().into()
}

fn load(text: &str) -> Option<f64> {
    text.split_whitespace().next()?.parse().ok()
}

fn memory(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// A folder that must be there and, for scratch, be one to write into.
#[cfg(unix)]
fn space(folder: &Path, is_written: bool) -> anyhow::Result<Space> {
    use rustix::fs::{Access, access, statvfs};
    let wrong = |error: rustix::io::Errno| anyhow::anyhow!("{}: {}", folder.display(), std::io::Error::from(error));
    anyhow::ensure!(folder.is_dir(), "there is no folder {}", folder.display());
    let rights = if is_written { Access::WRITE_OK | Access::EXEC_OK } else { Access::READ_OK | Access::EXEC_OK };
    access(folder, rights).map_err(wrong)?;
    let system = statvfs(folder).map_err(wrong)?;
    Ok(Space { path: folder.into(), free: system.f_bavail.saturating_mul(system.f_frsize) })
}

/// Nodes of a grid are no Windows.
#[cfg(windows)]
fn space(_: &Path, _: bool) -> anyhow::Result<Space> {
    anyhow::bail!("a node of a grid has Linux or macOS")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says() {
        assert_eq!(load("0.52 0.40 0.31 1/345 6789\n"), Some(0.52));
        assert_eq!(load(""), None);
        assert_eq!(memory("MemTotal: 8 kB\nMemAvailable:   4 kB\n"), Some(4096));
        assert_eq!(memory("MemTotal: 8 kB\n"), None);
    }

    #[test]
    fn facts_survive_the_way() {
        let question = Question { mpi_lib: Some("/no/libmpi_abi.so.1".into()), scratch: "/tmp".into(), data: None };
        let none = Err(anyhow::anyhow!("there is no /no/libmpi_abi.so.1"));
        let text = serde_json::to_string(&Facts::gather(&question, none)).unwrap();
        let facts: Facts = serde_json::from_str(&text).unwrap();
        assert_eq!(
            (facts.version.as_str(), facts.architecture.as_str()),
            (env!("CARGO_PKG_VERSION"), std::env::consts::ARCH)
        );
        assert!(matches!(&facts.mpi, Found::Missing { missing } if missing.contains("/no/libmpi_abi.so.1")));
        assert!(matches!(&facts.scratch, Found::Here(space) if space.free > 0));
        assert!(facts.data.is_none() && facts.cores > 0);
        // An answer of another version: what it lacks is missing, what is new is left alone.
        let other: Facts = serde_json::from_str(r#"{"version": "9.9", "colour": "green"}"#).unwrap();
        assert!(other.version == "9.9" && matches!(other.mpi, Found::Missing { .. }));
    }
}
