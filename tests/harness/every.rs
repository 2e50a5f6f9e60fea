//! A module that names every function of the ABI: the mpi engine has them all, so it loads.

use super::Places;
use super::mpiexec::library;
use super::process::{Ended, run_within};
use libtest_mimic::Failed;
use rankine_abi::{FUNCTIONS, MODULE, ValueType};
use std::process::Command;
use std::time::Duration;

/// Writes the module, and runs it as a single process without a launcher.
pub fn load(places: &Places) -> Result<(), Failed> {
    let wasm = wat::parse_str(text()).map_err(|e| e.to_string())?;
    let path = places.target.join("every-function.wasm");
    std::fs::write(&path, wasm).map_err(|e| e.to_string())?;
    let mut command = Command::new(&places.rankine);
    command.args(["run", "--engine", "mpi"]).arg(path);
    command.env("RANKINE_MPI_LIB", library(places));
    let run = run_within(command, None, Duration::from_secs(300))?;
    if run.ended == Ended::Status(0) { Ok(()) } else { Err(run.to_string().into()) }
}

fn text() -> String {
    let ty = |value: &ValueType| match value {
        ValueType::I32 => "i32",
        ValueType::I64 => "i64",
        ValueType::F64 => "f64",
    };
    let mut text = String::from("(module\n");
    for function in &FUNCTIONS {
        let parameters: Vec<&str> = function.parameters.iter().map(ty).collect();
        let (name, result) = (function.name, ty(&function.result));
        text +=
            &format!("(import \"{MODULE}\" \"{name}\" (func (param {}) (result {result})))\n", parameters.join(" "));
    }
    text + "(memory (export \"memory\") 1)\n(func (export \"_start\")))\n"
}
