//! What an MPI library must know, and may keep, once its process is confined.

use std::env;
use std::fs;

use anyhow::Result;
use wasmtime::Module;

use super::launcher;
use crate::confine::{Needs, Network};
use crate::engine::mpi::io::opening;
use crate::engine::mpi::library::Library;
use crate::engine::mpi::spawn;
use crate::job::Settings;
use crate::secret::Secret;

/// Settings by which libraries copy through memory that they share. To reach into a peer they would need rights over any
/// process of the user's, and not all of them look whether they have them.
const BY_SHARED_MEMORY: [(&str, &str); 6] = [
    ("UCX_POSIX_USE_PROC_LINK", "n"),
    ("MPIR_CVAR_CH4_CMA_ENABLE", "0"),
    ("FI_SHM_DISABLE_CMA", "1"),
    ("OMPI_MCA_smsc", "^cma"),
    ("OMPI_MCA_btl_vader_single_copy_mechanism", "none"),
    ("MV2_SMP_USE_CMA", "0"),
];

/// The ways of UCX's messages. Memory that is shared by a file's name would outlive a process that is killed; what System V
/// has in its place goes with the last that uses it.
const WAYS: &str = "^posix";
/// The same for processes that need no network.
const WAYS_ON_ONE_HOST: &str = "^posix,tcp";

/// The parts in which MPICH passes messages through shared memory: of 16 KiB, the most that it can, instead of 8. In such
/// parts that takes no longer than a direct copy. All processes of a job must have the same.
const PARTS: (&str, &str) = ("MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE", "16384");

/// Where launchers say how many processes of the job are on this host, and in all.
const COUNTS: [(&str, &str); 2] =
    [("MPI_LOCALNRANKS", "PMI_SIZE"), ("OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_SIZE")];

/// What the library's process needs; the library is told of it, and its launcher hears no more than it may. Call it
/// before `MPI_Init`, and before any thread is started.
pub(crate) fn prepare(library: &Library, program: &Module, settings: &Settings) -> Result<Needs> {
    // Names of ports are sealed with it.
    let _ = Secret::of_user();
    launcher::stand_between(spawn::State::new(library, settings).permit(settings)?)?;
    for (name, value) in BY_SHARED_MEMORY {
        set(name, value);
    }
    let (name, value) = PARTS;
    if env::var_os(name).is_none() {
        set(name, value);
    }
    let spawns = program.imports().any(|import| import.name().starts_with("MPI_Comm_spawn"));
    // Who is started may be on any of the launcher's hosts.
    let has_relatives = spawns && !settings.grants.is_empty() || env::var_os("PMI_SPAWNED").is_some();
    // A launcher that gives no descriptor is asked over TCP.
    let is_asked_there = env::var_os("PMI_PORT").is_some();
    let is_together = !has_relatives && !is_asked_there && is_on_one_host(|name| env::var(name).ok());
    let network = if is_together && goes_without_network(library) { Network::Closed } else { Network::Open };
    if env::var_os("UCX_TLS").is_none() {
        set("UCX_TLS", if network == Network::Closed { WAYS_ON_ONE_HOST } else { WAYS });
    }
    // Nothing is made there for a program without folders.
    let names = if settings.grants.is_empty() { None } else { opening::folder_of_names().ok() };
    Ok(Needs::new(&settings.grants, Some(&library.path), network).with(names))
}

/// Whether all processes of the job are on this host, as far as its launcher says.
fn is_on_one_host(value: impl Fn(&str) -> Option<String>) -> bool {
    let count = |name| value(name)?.parse::<u32>().ok();
    COUNTS.iter().find_map(|(here, all)| Some(count(here)? == count(all)?)).unwrap_or(false)
}

/// Whether a library is known to reach processes of the same host without sockets: MPICH over UCX, unless the user has
/// chosen the ways of its messages.
fn goes_without_network(library: &Library) -> bool {
    let over_ucx = fs::read_to_string("/proc/self/maps").is_ok_and(|maps| maps.contains("/libucp.so"));
    let chosen = ["MPIR_CVAR_CH4_NETMOD", "UCX_TLS", "UCX_NET_DEVICES"];
    library.version.starts_with("MPICH") && over_ucx && chosen.iter().all(|name| env::var_os(name).is_none())
}

fn set(name: &str, value: &str) {
    // SAFETY: the process has one thread yet.
    unsafe { env::set_var(name, value) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_host_is_known_by_its_launcher() {
        let on_one = |environment: &[(&str, &str)]| {
            is_on_one_host(|name| {
                environment.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string())
            })
        };
        assert!(on_one(&[("MPI_LOCALNRANKS", "4"), ("PMI_SIZE", "4")]));
        assert!(!on_one(&[("MPI_LOCALNRANKS", "2"), ("PMI_SIZE", "4")]));
        assert!(on_one(&[("OMPI_COMM_WORLD_LOCAL_SIZE", "2"), ("OMPI_COMM_WORLD_SIZE", "2")]));
        assert!(!on_one(&[("PMI_SIZE", "4")]));
        assert!(!on_one(&[]));
    }
}
