//! The linker of guests: wasm-ld, and adapters where the two sides of a call disagree about a function.
//!
//! Old C is called with too few arguments, Fortran's hidden lengths of strings are left out, results are ignored: native
//! calling conventions forgive all that, and WebAssembly does not. wasm-ld warns and lets such calls trap. Here they get a
//! function between caller and callee, with zeros for what is missing; what natively would not work either is an error
//! ([`agreement`]). A program whose calls agree is linked once, and no more is done.

pub(crate) mod agreement;
mod call_stack;
mod common;
mod critical;
pub(crate) mod encoding;
mod forgiving;
mod lines;
mod module;
mod null_page;
mod rivals;

use crate::casts::{self, Cast};
use crate::find::{self, TARGET};
use crate::process::{check, exit_code};
use crate::wide::WIDE;
pub(crate) use forgiving::types_called;

use agreement::{Agreement, Mismatch};
use anyhow::{Context as _, Result};
use rankine_system::tell;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

/// The word by which `rankine cc -fforgiving-calls` asks for calls through pointers that forgive.
pub(crate) const FORGIVING: &str = "--rankine-forgiving-calls";
/// And that for none, whatever casts there are.
pub(crate) const UNFORGIVING: &str = "--rankine-no-forgiving-calls";

/// The name of a C program's `main`, where it has parameters. One without takes the place of what calls this.
const MAIN: &str = "__main_argc_argv";

/// What the linker says of a symbol that it traces, behind the name of a file.
const TRACED: [&str; 2] = ["reference to", "definition of"];

/// Links; the first argument is the clang whose linker does it, the others are the linker's.
pub fn run(arguments: &[OsString]) -> Result<ExitCode> {
    let (clang, arguments) = arguments.split_first().context("which compiler's linker?")?;
    let linker = find::wasm_ld(Path::new(clang)).context("no wasm-ld found; install lld")?;
    let mut arguments = arguments.to_vec();
    let said = arguments.iter().rev().find(|word| *word == FORGIVING || *word == UNFORGIVING);
    let forgives = said.map(|word| word == FORGIVING);
    arguments.retain(|word| word != FORGIVING && word != UNFORGIVING);
    let output = output(&arguments);
    let call_stack = call_stack::take(&mut arguments)?;
    let leaves_null_page = output.is_some() && null_page::leave(&mut arguments);
    if output.is_some() {
        // The C library for threads lies in the data folder.
        let sysroot = find::sysroot().map(|sysroot| sysroot.path);
        let not_own: Vec<PathBuf> = sysroot.into_iter().chain(find::data_dir()).collect();
        lines::leave_out(&mut arguments, &not_own);
    }
    let ends = Ends { forgives, leaves_null_page, call_stack };
    let copies;
    if critical::may_be_in(&arguments) {
        copies = tempfile::tempdir().context("cannot create a temporary folder")?;
        critical::share(&mut arguments, clang, copies.path())?;
    }
    let mut first = link(&linker, &arguments, &[])?;
    let merged;
    if !first.status.success() && !common::duplicates(&String::from_utf8_lossy(&first.stderr)).is_empty() {
        merged = tempfile::tempdir().context("cannot create a temporary folder")?;
        first = link_merged(&linker, clang, &mut arguments, merged.path())?;
    }
    print(&first);
    let folder;
    if let Some(output) = output.as_deref().filter(|_| first.status.success())
        && !module::is_valid(output)?
    {
        folder = tempfile::tempdir().context("cannot create a temporary folder")?;
        arguments.insert(0, names(&linker, clang, &arguments, output, folder.path())?.into());
        first = link(&linker, &arguments, &[])?;
    }
    if let Some(output) = output.as_deref().filter(|_| first.status.success() && lacks_main(&first)) {
        tell::piece(&String::from_utf8_lossy(&first.stderr));
        tell!("rankine: error: undefined symbol: main. Link the object that defines it; -c compiles without linking");
        let _ = fs::remove_file(output);
        return Ok(ExitCode::FAILURE);
    }
    let arguments = arguments.as_slice();
    let said = String::from_utf8_lossy(&first.stderr);
    let (mismatches, rest) = agreement::read(&said);
    let (true, false, Some(output)) = (first.status.success(), mismatches.is_empty(), output) else {
        tell::piece(&said);
        advice(&said, target(arguments))
            .filter(|_| !first.status.success())
            .iter()
            .for_each(|advice| tell!("rankine: {advice}"));
        if let Some(output) = self::output(arguments).filter(|_| first.status.success()) {
            finish(&output, &ends)?;
        }
        return Ok(exit_code(first.status));
    };
    tell::piece(&rest);
    let refused: Vec<&Mismatch> = of_kind(&mismatches, Agreement::None).collect();
    if !refused.is_empty() {
        refused.iter().for_each(|mismatch| tell!("rankine: error: {}", mismatch.in_words()));
        let _ = fs::remove_file(&output);
        return Ok(ExitCode::FAILURE);
    }
    let adaptable: Vec<&Mismatch> = of_kind(&mismatches, Agreement::Adapted).collect();
    let rivals = rivals::find(arguments, &adaptable)?;
    if !rivals.is_empty() {
        for (mismatch, file) in &rivals {
            let (words, file) = (mismatch.in_words(), file.display().to_string());
            match mismatch.called_as().1 == file {
                true => tell!("rankine: error: {words}"),
                false => tell!("rankine: error: {words}; {file} has one as it is called"),
            }
        }
        let mut names: Vec<&str> = rivals.iter().map(|(mismatch, _)| mismatch.function.as_str()).collect();
        names.dedup();
        tell!("rankine: {} is defined more than once: give its definitions one type", names.join(", "));
        let _ = fs::remove_file(&output);
        return Ok(ExitCode::FAILURE);
    }
    of_kind(&mismatches, Agreement::InNameOnly).for_each(|mismatch| tell::piece(&mismatch.said));
    let mut adapted: Vec<&str> = adaptable.iter().map(|mismatch| mismatch.function.as_str()).collect();
    adapted.sort_unstable();
    adapted.dedup();
    if !adapted.is_empty() {
        let left = adapt(&linker, arguments, &adapted, &output)?;
        if !left.is_empty() {
            let said = mismatches.iter().filter(|mismatch| left.contains(&mismatch.function.as_str()));
            said.for_each(|mismatch| tell!("rankine: error: {}", mismatch.in_words()));
            tell!("rankine: {} is defined more than once: give its definitions one type", left.join(", "));
            let _ = fs::remove_file(&output);
            return Ok(ExitCode::FAILURE);
        }
    }
    finish(&output, &ends)?;
    Ok(ExitCode::SUCCESS)
}

/// What is done to a program that is linked.
struct Ends {
    /// As was said, if anything was.
    forgives: Option<bool>,
    leaves_null_page: bool,
    call_stack: Option<u64>,
}

fn finish(output: &Path, ends: &Ends) -> Result<()> {
    let linked = fs::read(output).with_context(|| format!("cannot read {}", output.display()))?;
    let casts = casts::noted(&linked)?;
    if ends.forgives == Some(true) || !casts.is_empty() {
        let casts = if ends.forgives == Some(false) { &casts[..0] } else { &casts[..] };
        let forgiving = forgiving::forgive(&linked, (ends.forgives != Some(true)).then_some(casts))?;
        fs::write(output, forgiving).with_context(|| format!("cannot write {}", output.display()))?;
    }
    if ends.leaves_null_page {
        null_page::mark(output)?;
    }
    ends.call_stack.map(|bytes| call_stack::mark(output, bytes)).transpose()?;
    Ok(())
}

/// Has a program that is linked forgive what these casts may lead to.
pub(crate) fn forgive_casts(output: &Path, casts: &[Cast]) -> Result<()> {
    let linked = fs::read(output).with_context(|| format!("cannot read {}", output.display()))?;
    if !linked.starts_with(b"\0asm") {
        return Ok(());
    }
    let forgiving = forgiving::forgive(&linked, Some(casts))?;
    fs::write(output, forgiving).with_context(|| format!("cannot write {}", output.display()))
}

/// Links a program that defines symbols several times, of those variables one that can be one.
fn link_merged(linker: &Path, clang: &OsStr, arguments: &mut Vec<OsString>, folder: &Path) -> Result<Output> {
    let all = link(linker, arguments, &["--error-limit=0".into(), "--no-demangle".into()])?;
    let said = String::from_utf8_lossy(&all.stderr);
    let Some(variables) = common::merge(arguments, &common::duplicates(&said), clang, folder)? else {
        return Ok(all);
    };
    tell!(
        "rankine: warning: {variables}: defined in several files, and taken as one variable, as \
         -fcommon does natively; declare it extern in all files but one"
    );
    link(linker, arguments, &[])
}

/// What helps where the linker's words don't say it.
fn advice(said: &str, target: &str) -> Option<&'static str> {
    if said.contains("undefined symbol: __kmpc_") {
        return Some("an object was compiled with -fopenmp: give -fopenmp when you link, too");
    }
    if said.contains("duplicate symbol: ") {
        return Some("a name is defined in several files: declare it extern (a function: static) in all files but one");
    }
    // wasm-ld has these words for an object of either width if it was told the other one.
    let differs = said.contains("wasm32 object file can't be linked in wasm64 mode");
    if differs && target == WIDE {
        return Some("an object was compiled without -m64: compile all of a program's files with it, or none");
    }
    if differs || said.contains("must specify -mwasm64 to process wasm64 object files") {
        return Some("an object was compiled with -m64: give -m64 when you link, too");
    }
    if said.contains("--shared-memory is disallowed by") {
        return Some(
            "that file was compiled without atomic instructions, by other means than `rankine cc`, `c++` or `fc` of this version: \
             compile it again, with -matomics -mbulk-memory",
        );
    }
    None
}

fn of_kind(mismatches: &[Mismatch], kind: Agreement) -> impl Iterator<Item = &Mismatch> {
    mismatches.iter().filter(move |mismatch| mismatch.agreement() == kind)
}

/// Links again, so that the functions are there and can be found, and puts adapters before them; the functions for which
/// that can't be done.
fn adapt<'f>(linker: &Path, arguments: &[OsString], functions: &[&'f str], output: &Path) -> Result<Vec<&'f str>> {
    let before = fs::read(output).with_context(|| format!("cannot read {}", output.display()))?;
    let exported = module::exports(&before)?;
    let mut more = ["--keep-section=name", "--emit-relocs"].map(String::from).to_vec();
    more.extend(functions.iter().map(|function| format!("--export-if-defined={function}")));
    let again = link(linker, arguments, &more)?;
    anyhow::ensure!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    let linked = fs::read(output).with_context(|| format!("cannot read {}", output.display()))?;
    let left = module::without_adapter(&linked, functions)?;
    let keeps_names = module::has_names(&before);
    let adapted = module::adapt(&linked, functions, |name| exported.contains(name), keeps_names)?;
    fs::write(output, adapted).with_context(|| format!("cannot write {}", output.display()))?;
    Ok(left)
}

/// The target of what is linked.
fn target(arguments: &[OsString]) -> &'static str {
    // clang's driver says it in two words.
    let is_wide =
        arguments.iter().any(|word| word == "-mwasm64") || arguments.windows(2).any(|pair| pair == ["-m", "wasm64"]);
    if is_wide { WIDE } else { TARGET }
}

/// An object that names all functions that come from archives, for the first place of the command line.
///
/// wasm-ld compares the types of a function's two sides, except where it is the call that brings the function's object from
/// an archive that it has already seen: that call stays as it is, and the module is invalid. A function that was named
/// before has been brought by then.
fn names(linker: &Path, clang: &OsStr, arguments: &[OsString], output: &Path, folder: &Path) -> Result<PathBuf> {
    let (why, source, object) = (folder.join("why"), folder.join("names.c"), folder.join("names.o"));
    let more = [format!("--why-extract={}", why.display()), "--keep-section=name".into(), "--no-demangle".into()];
    let again = link(linker, arguments, &more)?;
    anyhow::ensure!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    let functions = module::functions(&fs::read(output)?)?;
    let why = fs::read_to_string(why)?;
    let mut brought: Vec<&str> = why.lines().skip(1).filter_map(|line| line.rsplit('\t').next()).collect();
    brought.retain(|name| functions.contains(*name) && !name.contains(['"', '\\']));
    brought.sort_unstable();
    brought.dedup();
    let mut text = String::new();
    for (number, name) in brought.iter().enumerate() {
        text +=
            &format!("extern void f{number}(void) __asm__(\"{name}\");\nvoid (*const p{number})(void) = f{number};\n");
    }
    fs::write(&source, text)?;
    let mut command = Command::new(clang);
    command.arg(format!("--target={}", target(arguments))).arg("-c").arg(&source).arg("-o").arg(&object);
    if arguments.iter().any(|word| word == "--shared-memory") {
        command.args(["-matomics", "-mbulk-memory"]);
    }
    check(&mut command, "naming functions")?;
    Ok(object)
}

fn link(linker: &Path, arguments: &[OsString], more: &[String]) -> Result<Output> {
    let mut command = Command::new(linker);
    command.args(arguments).args(more).arg(format!("--trace-symbol={MAIN}"));
    command.output().with_context(|| format!("cannot start {}", linker.display()))
}

/// Prints what the linker was asked to print, a trace or a map: once, however often a program is linked.
fn print(linked: &Output) {
    let is_ours = |line: &&str| {
        TRACED
            .iter()
            .any(|what| [MAIN, "undefined_weak:main"].iter().any(|name| line.ends_with(&format!("{what} {name}"))))
    };
    let printed = String::from_utf8_lossy(&linked.stdout);
    let rest: String = printed.lines().filter(|line| !is_ours(line)).map(|line| format!("{line}\n")).collect();
    // As with what it says on standard error, the program is made whether or not anybody reads this.
    let _ = std::io::stdout().write_all(rest.as_bytes());
}

/// Whether the C library calls `main` and nobody has it: the call is a weak one, so the linker lets that pass.
fn lacks_main(linked: &Output) -> bool {
    let traced = String::from_utf8_lossy(&linked.stdout);
    let [is_called, is_there] =
        TRACED.map(|what| traced.lines().any(|line| line.ends_with(&format!(": {what} {MAIN}"))));
    is_called && !is_there
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_which_of_two_widths_an_object_has() {
        let said = "wasm-ld: error: a.o: wasm32 object file can't be linked in wasm64 mode";
        assert!(advice(said, WIDE).unwrap().starts_with("an object was compiled without -m64"));
        assert!(advice(said, TARGET).unwrap().starts_with("an object was compiled with -m64"));
    }

    #[test]
    fn the_target_is_known_in_one_word_and_in_two() {
        let target = |line: &str| target(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert_eq!([target("-m wasm64 a.o"), target("-mwasm64 a.o")], [WIDE; 2]);
        assert_eq!([target("-m wasm32 a.o"), target("a.o -o wasm64")], [TARGET; 2]);
    }
}
