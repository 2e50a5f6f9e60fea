//! Processes of an MPI library on a machine with fewer cores.

use super::places::Places;
use std::path::PathBuf;
use std::process::Command;

/// Processes of MPICH poll while they wait. On fewer cores than processes that keeps from the core the one that they
/// wait for, and what takes milliseconds takes seconds: so they sleep now and then.
const SLEEP_WHILE_WAITING: [(&str, &str); 4] = [
    ("MPIR_CVAR_CH4_PROGRESS_THROTTLE", "1"),
    ("MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT", "64"),
    ("MPIR_CVAR_ENABLE_HEAVY_YIELD", "1"),
    ("MPIR_CVAR_POLLS_BEFORE_YIELD", "10"),
];

/// The library's launcher, about to start so many processes of whatever is added, which find that library.
pub fn mpiexec(places: &Places, ranks: u32) -> Command {
    let mut command = Command::new(places.mpi_bin.join("mpiexec"));
    command.args(["-n", &ranks.to_string()]).envs(SLEEP_WHILE_WAITING);
    command.env("RANKINE_MPI_LIB", library(places));
    command
}

/// The library that the launcher belongs to.
pub fn library(places: &Places) -> PathBuf {
    places.mpi_bin.with_file_name("lib").join("libmpi_abi.so.1")
}
