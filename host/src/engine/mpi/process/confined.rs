//! What an MPI library must know, and may keep, once its process is confined.

use std::ffi::OsString;
use std::{env, fs, io};

use anyhow::{Result, ensure};
use rankine_abi::{Function, MODULE, Mark};
use wasmtime::Module;

use crate::module::{self, DIGEST_OPTION};
use crate::run::job::Settings;
use rankine_mpi::folder_of_names;
use rankine_mpi::launcher::{self, Permit};
use rankine_mpi::library::Library;
use rankine_system::confine::{self, Needs, Network};
use rankine_system::grants::Grant;
use rankine_system::secret::Secret;

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
/// The ways of UCX's messages for processes that need no network.
const WAYS_ON_ONE_HOST: &str = "^posix,tcp";

/// The parts in which MPICH passes messages through shared memory: of 16 KiB, the most that it can, instead of 8. In such
/// parts that takes no longer than a direct copy. All processes of a job must have the same.
const PARTS: (&str, &str) = ("MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE", "16384");

/// Where launchers say how many processes of the job are on this host, and in all.
const COUNTS: [(&str, &str); 2] =
    [("MPI_LOCALNRANKS", "PMI_SIZE"), ("OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_SIZE")];

/// The command line of a process that a program starts, up to its module's digest: what this one may do, it may.
pub(crate) fn words(library: &Library, settings: &Settings) -> Vec<OsString> {
    // A name without a folder is looked for by the loader; a path must not depend on where a process is started.
    let path = &library.path;
    let is_name = path.components().count() == 1;
    let path = if is_name { path.clone() } else { path.canonicalize().unwrap_or_else(|_| path.clone()) };
    let mut words: Vec<OsString> = ["run", "--engine", "mpi", "--mpi-lib"].map(OsString::from).into();
    words.push(path.into_os_string());
    words.extend(settings.grants.iter().flat_map(Grant::words));
    for (name, value) in &settings.environment {
        words.extend(["--env".into(), format!("{name}={value}").into()]);
    }
    if let Some(bytes) = settings.memory_limit {
        words.extend(["--memory-limit".into(), bytes.to_string().into()]);
    }
    if module::call_stack() != module::GUEST_STACK {
        words.extend(["--call-stack".into(), module::call_stack().to_string().into()]);
    }
    if settings.profile.is_some() {
        words.push("--profile".into());
    }
    words.extend(settings.codegen.words());
    if let Some(library) = &settings.blas {
        words.extend(["--blas".into(), library.path.clone().into_os_string()]);
    }
    if let Some(keys) = settings.demands.words() {
        words.extend(["--require-signature".into(), keys.into()]);
    }
    if settings.label {
        words.push("--label".into());
    }
    if !settings.confine {
        words.push("--no-confine".into());
    }
    if !settings.null_page {
        words.push("--no-null-page".into());
    }
    if settings.check_heap {
        words.push("--check-heap".into());
    }
    words.push(DIGEST_OPTION.into());
    words
}

/// What the launcher may be asked to start: nothing without a folder in which modules lie.
fn permit(library: &Library, settings: &Settings) -> io::Result<Option<Permit>> {
    if settings.grants.is_empty() {
        return Ok(None);
    }
    let folders = settings.grants.iter().map(|grant| grant.real().to_path_buf()).collect();
    Ok(Some(Permit { rankine: env::current_exe()?, words: words(library, settings), folders }))
}

/// What the library's process needs; the library is told of it, and its launcher hears no more than it may. Call it
/// before `MPI_Init`, and before any thread is started.
pub(crate) fn prepare<'p>(
    library: &Library,
    programs: impl IntoIterator<Item = &'p Module>,
    settings: &Settings,
) -> Result<Needs> {
    // Names of ports are sealed with it.
    let _ = Secret::of_user();
    launcher::stand_between(permit(library, settings)?)?;
    let mut told = BY_SHARED_MEMORY.to_vec();
    if env::var_os(PARTS.0).is_none() {
        told.push(PARTS);
    }
    let starts = |name: &str| Function::of_import(name).is_some_and(|function| function.is(Mark::Spawns));
    let mut imports = programs.into_iter().flat_map(Module::imports);
    let spawns = imports.any(|import| import.module() == MODULE && starts(import.name()));
    // Who is started may be on any of the launcher's hosts.
    let has_relatives = spawns && !settings.grants.is_empty() || env::var_os("PMI_SPAWNED").is_some();
    // A launcher that gives no descriptor is asked over TCP.
    let is_asked_there = env::var_os("PMI_PORT").is_some();
    let is_together = !has_relatives && !is_asked_there && is_on_one_host(|name| env::var(name).ok());
    let network = if is_together && goes_without_network(library) { Network::Closed } else { Network::Open };
    if env::var_os("UCX_TLS").is_none() {
        told.push(("UCX_TLS", if network == Network::Closed { WAYS_ON_ONE_HOST } else { WAYS }));
    }
    tell(&told)?;
    // Who has the page answers browsers; its listener is there already.
    let answers = settings.view.as_ref().is_some_and(|view| view.is_served());
    let network = if answers && network == Network::Closed { Network::Answers } else { network };
    // Nothing is made there for a program without folders.
    let names = if settings.grants.is_empty() { None } else { folder_of_names().ok() };
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

/// Tells the libraries of this process something by variables, those that don't say it yet. Only while the process is alone:
/// another thread could be reading the environment, from C too.
pub(super) fn tell(settings: &[(&str, &str)]) -> Result<()> {
    let is_new = |&&(name, value): &&(&str, &str)| env::var_os(name).is_none_or(|known| known != value);
    let new: Vec<_> = settings.iter().filter(is_new).collect();
    if new.is_empty() {
        return Ok(());
    }
    let others = confine::other_threads();
    ensure!(others.is_empty(), "{}", in_words(&new, &others));
    for (name, value) in new {
        // SAFETY: this is the only thread, as the system has just said (Linux); the others that the program starts were
        // joined, or are started later (`cli/run.rs`), and so are the library's, in MPI_Init.
        unsafe { env::set_var(name, value) };
    }
    Ok(())
}

/// What can be done where it can't be told.
fn in_words(settings: &[&(&str, &str)], others: &[String]) -> String {
    let settings: Vec<_> = settings.iter().map(|(name, value)| format!("{name}='{value}'")).collect();
    format!(
        "the process has other threads already ({}), so the MPI library can't be told what it must know in time: set {} for all \
         of the job's processes",
        others.join(", "),
        settings.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_told_is_for_the_user_to_set() {
        let text = in_words(&[&("UCX_TLS", "^posix,tcp"), &("MV2_SMP_USE_CMA", "0")], &["helper".into()]);
        assert!(
            text.contains("(helper)") && text.contains("set UCX_TLS='^posix,tcp' MV2_SMP_USE_CMA='0' for"),
            "{text}"
        );
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_environment_of_threads_is_left_alone() {
        const NAME: &str = "NOBODY_READS_THIS";
        let (ends, waits) = std::sync::mpsc::channel::<()>();
        let other = std::thread::spawn(move || waits.recv());
        assert!(tell(&[(NAME, "1")]).is_err() && env::var_os(NAME).is_none());
        // What is said already may be said.
        let path = env::var("PATH").unwrap();
        tell(&[("PATH", &path)]).unwrap();
        drop(ends);
        assert!(other.join().unwrap().is_err());
    }

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
