//! Jobs of two kinds of processes: half of them this machine's own, half beneath an emulator, over TCP.

use super::emulator::{self, ARM, NETWORK, TOLD};
use super::mpiexec::mpiexec;
use super::places::Places;
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

/// What follows the program and its arguments: the emulated half, up to the options of `rankine run`.
pub fn other_half(places: &Places, ranks: u32) -> Vec<OsString> {
    let mut words: Vec<OsString> = [":", "-n"].map(OsString::from).to_vec();
    words.push((ranks - ranks / 2).to_string().into());
    words.extend(emulator::emulator(ARM).map(OsString::from));
    words.push(emulator::rankine(places, ARM).into());
    words.extend(["run", "--mpi-lib"].map(OsString::from));
    words.push(emulator::mpi(places).join("lib/libmpi_abi.so.1").into());
    words
}
