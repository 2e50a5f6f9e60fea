//! The compiler's support routines, of 128-bit and quad-precision numbers and the like: those that clang has for 32-bit
//! addresses, compiled from LLVM's source for 64-bit ones.

use super::Compiler;
use crate::build::llvm_source::{self, LlvmSource};
use crate::find;
use crate::process::check;
use crate::terminal::say;
use anyhow::{Context as _, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const FOLDER: &str = "compiler-rt/lib/builtins";

/// LLVM calls comparisons of `long double` as if they gave an `int` for every target but those that are named here; the linker
/// would lead them to a trap.
const COMPARISONS: (&str, &str, &str) =
    ("fp_compare_impl.inc", "#if defined(__aarch64__)", "#if defined(__wasm64__) || defined(__aarch64__)");

/// Builds the library.
pub(super) fn build(compiler: &Compiler<'_>, lib: &Path) -> Result<()> {
    let source = LlvmSource::with(&llvm_source::version_of(compiler.clang)?, &[FOLDER])?;
    let folder = compiler.objects.with_file_name("builtins");
    crate::folder::copy_tree(&source.path(FOLDER), &folder)?;
    let (file, from, to) = COMPARISONS;
    let file = folder.join(file);
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    ensure!(text.contains(from), "{} is not as that of LLVM {}", file.display(), find::TESTED_CLANG);
    fs::write(&file, text.replacen(from, to, 1))?;
    let names = names(compiler.clang)?;
    let place = |name: &String| {
        let places = [folder.join(name), folder.join("wasm").join(name)];
        places
            .into_iter()
            .find(|place| place.is_file())
            .with_context(|| format!("LLVM's source has no {name} in {FOLDER}"))
    };
    let files: Vec<PathBuf> = names.iter().map(place).collect::<Result<_>>()?;
    say(&format!("compiling LLVM's support routines, {} files", files.len()));
    let flags = ["-fno-builtin", "-std=c11"].map(String::from).to_vec();
    let files = files.into_iter().map(|file| (file, flags.clone())).collect();
    compiler.archive(files, "compiling LLVM's support routines", &lib.join("libclang_rt.builtins.a"))
}

/// The sources of those that clang has for 32-bit addresses.
fn names(clang: &Path) -> Result<Vec<String>> {
    let archive = find::builtins(clang).with_context(find::install_clang)?;
    let llvm_ar = find::llvm_tool(clang, "llvm-ar").context("llvm-ar is missing, which belongs to LLVM's tools")?;
    let listed = check(Command::new(llvm_ar).arg("t").arg(&archive), "reading the list of clang's support routines")?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let source = |member: &str| member.strip_suffix(".obj").or(member.strip_suffix(".o")).unwrap_or(member).to_owned();
    Ok(listed.lines().map(source).collect())
}
