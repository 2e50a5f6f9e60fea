//! An MPI library that lacks a function of the standard: a copy of the installed one, in which that function has
//! another name.

use super::Places;
use super::mpiexec::mpiexec;
use super::process::{Ended, run_within};
use libtest_mimic::Failed;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The function; `lacking.c` calls it.
const FUNCTION: &[u8] = b"MPI_Get_hw_resource_info\0";

const LIMIT: Duration = Duration::from_secs(300);

/// A guest that calls it gets an error, and goes on.
pub fn call(places: &Places) -> Result<(), Failed> {
    let folder = places.target.join("lacking");
    fs::create_dir_all(&folder)?;
    let (library, guest) = (folder.join("liblacking_abi.so"), folder.join("lacking.wasm"));
    let installed = places.mpi_bin.with_file_name("lib");
    without_it(&installed.join("libmpi_abi.so.1"), &library)?;
    let mut cc = Command::new(&places.rankine);
    cc.args(["cc", "-O1"]).arg(places.root.join("tests/harness/lacking.c")).arg("-o").arg(&guest);
    let compiled = run_within(cc, None, LIMIT)?;
    if compiled.ended != Ended::Status(0) {
        return Err(compiled.to_string().into());
    }
    let mut command = mpiexec(places, 2);
    command.arg(&places.rankine).args(["run", "--mpi-lib"]).arg(&library).arg(guest);
    // Where it finds what it is linked with.
    command.env("LD_LIBRARY_PATH", installed.join("mpich"));
    let run = run_within(command, None, LIMIT)?;
    if run.ended == Ended::Status(0) && run.stdout == "OK\n" { Ok(()) } else { Err(run.to_string().into()) }
}

/// Copies a library, and changes the last letter of the function's name wherever it stands.
fn without_it(from: &Path, to: &Path) -> Result<(), Failed> {
    let mut bytes = fs::read(from).map_err(|e| format!("{}: {e}", from.display()))?;
    let places: Vec<usize> =
        bytes.windows(FUNCTION.len()).enumerate().filter(|(_, text)| *text == FUNCTION).map(|(at, _)| at).collect();
    if places.is_empty() {
        return Err(format!("{} does not have the function to begin with", from.display()).into());
    }
    for at in places {
        bytes[at + FUNCTION.len() - 2] = b'_';
    }
    fs::write(to, bytes).map_err(|e| format!("{}: {e}", to.display()))?;
    Ok(())
}
