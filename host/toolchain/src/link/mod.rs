//! The linker of guests: wasm-ld, and adapters where the two sides of a call disagree about a function.
//!
//! Old C is called with too few arguments, Fortran's hidden lengths of strings are left out, results are ignored: native
//! calling conventions forgive all that, and WebAssembly does not. wasm-ld warns and lets such calls trap. Here they get a
//! function between caller and callee, with zeros for what is missing; what natively would not work either is an error
//! ([`agreement`]). A program whose calls agree is linked once, and no more is done.

mod agreement;
mod module;

use crate::find;
use crate::process::exit_code;
use agreement::{Agreement, Mismatch};
use anyhow::{Context as _, Result};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

/// Links; the first argument is the clang whose linker does it, the others are the linker's.
pub fn run(arguments: &[OsString]) -> Result<ExitCode> {
    let (clang, arguments) = arguments.split_first().context("which compiler's linker?")?;
    let linker = find::wasm_ld(Path::new(clang)).context("no wasm-ld found; install lld")?;
    let first = link(&linker, arguments, &[])?;
    let said = String::from_utf8_lossy(&first.stderr);
    let (mismatches, rest) = agreement::read(&said);
    let output = output(arguments);
    let (true, false, Some(output)) = (first.status.success(), mismatches.is_empty(), output) else {
        eprint!("{said}");
        return Ok(exit_code(first.status));
    };
    eprint!("{rest}");
    let refused: Vec<&Mismatch> = of_kind(&mismatches, Agreement::None).collect();
    if !refused.is_empty() {
        refused.iter().for_each(|mismatch| eprintln!("rankine: error: {}", mismatch.in_words()));
        let _ = fs::remove_file(&output);
        return Ok(ExitCode::FAILURE);
    }
    of_kind(&mismatches, Agreement::InNameOnly).for_each(|mismatch| eprint!("{}", mismatch.said));
    let adapted: Vec<&str> =
        of_kind(&mismatches, Agreement::Adapted).map(|mismatch| mismatch.function.as_str()).collect();
    if !adapted.is_empty() {
        adapt(&linker, arguments, &adapted, &output)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn of_kind(mismatches: &[Mismatch], kind: Agreement) -> impl Iterator<Item = &Mismatch> {
    mismatches.iter().filter(move |mismatch| mismatch.agreement() == kind)
}

/// Links again, so that the functions are there and can be found, and puts adapters before them.
fn adapt(linker: &Path, arguments: &[OsString], functions: &[&str], output: &Path) -> Result<()> {
    let before = fs::read(output).with_context(|| format!("cannot read {}", output.display()))?;
    let exported = module::exports(&before)?;
    let mut more = ["--keep-section=name", "--emit-relocs"].map(String::from).to_vec();
    more.extend(functions.iter().map(|function| format!("--export-if-defined={function}")));
    let again = link(linker, arguments, &more)?;
    anyhow::ensure!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    let linked = fs::read(output).with_context(|| format!("cannot read {}", output.display()))?;
    let keeps_names = module::has_names(&before);
    let adapted = module::adapt(&linked, functions, |name| exported.contains(name), keeps_names)?;
    fs::write(output, adapted).with_context(|| format!("cannot write {}", output.display()))
}

fn link(linker: &Path, arguments: &[OsString], more: &[String]) -> Result<Output> {
    let mut command = Command::new(linker);
    command.args(arguments).args(more).stdout(std::process::Stdio::inherit());
    command.output().with_context(|| format!("cannot start {}", linker.display()))
}

/// The program that is linked; nothing where objects become one object, or the arguments lie in a file.
fn output(arguments: &[OsString]) -> Option<PathBuf> {
    let is = |word: &OsStr, names: [&str; 2]| names.iter().any(|name| word == *name);
    if arguments.iter().any(|word| is(word, ["-r", "--relocatable"])) {
        return None;
    }
    let at = arguments.iter().rposition(|word| word == "-o")?;
    arguments.get(at + 1).map(PathBuf::from)
}
