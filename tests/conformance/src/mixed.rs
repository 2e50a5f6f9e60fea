//! Jobs of two kinds of processes: half of them this machine's own, half beneath an emulator, over TCP.

use crate::emulator::{self, ARM, NETWORK, TOLD};
use crate::mpiexec::mpiexec;
use crate::places::Places;
use std::ffi::OsString;
use std::process::Command;

/// Processes on one machine talk as if they were on several.
const APART: (&str, &str) = ("MPIR_CVAR_NOLOCAL", "1");

/// The launcher, about to start the half of the ranks that is like this machine.
pub fn first_half(places: &Places, ranks: u32) -> Command {
    let mut command = mpiexec(places, ranks / 2);
    command.envs([APART]).envs(NETWORK).envs(TOLD);
    command
}

/// The words that stand before the options of the other half.
pub fn other_half(places: &Places, ranks: u32) -> Vec<OsString> {
    let library = OsString::from("RANKINE_MPI_LIB");
    let mut words: Vec<OsString> = [":", "-n"].map(OsString::from).to_vec();
    words.push((ranks - ranks / 2).to_string().into());
    words.extend(["-env".into(), library, emulator::mpi(places).join("lib/libmpi_abi.so.1").into()]);
    words.extend(emulator::emulator(ARM).map(OsString::from));
    words.push(emulator::rankine(places, ARM).into());
    words
}
