//! `rankine start`: the line that a program of `-runnable` begins with names it, and the system runs it when the program is
//! started by its name. What it may use is the user's to say, not the file's.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail};

use crate::module::first_line;
use rankine_system::trust::{Found, Notes};
use rankine_system::{made_here, os};

/// The variable with options of `rankine run` for such programs.
const OPTIONS: &str = "RANKINE_RUN_OPTIONS";
/// What the name of a file with options ends with, behind that of the program that it lies beside.
const BESIDE: &str = ".options";
/// The longest such file.
const LONGEST: u64 = 64 << 10;
/// How the names of variables begin that are for Rankine and not for programs.
const OWN: &str = "RANKINE_";

/// The command line of `rankine start`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// What follows is a command line of mpiexec: the SDK's scripts of that name say this
    #[arg(long)]
    mpiexec: bool,

    /// The program, and its arguments
    #[arg(value_name = "PROGRAM", required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    program: Vec<OsString>,
}

/// Becomes `rankine run` with the user's options. A program of the user's own sees the environment, as natively, and may use
/// the folder in which it is started unless they name folders.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let (notes, mut options) = (Notes::of_user(), Vec::new());
    if arguments.mpiexec {
        options.extend(of_environment()?);
        return become_run(&without_ranks(options), true, &arguments.program);
    }
    let program = Path::new(&arguments.program[0]);
    let mut beside = program.as_os_str().to_owned();
    beside.push(BESIDE);
    let beside = PathBuf::from(beside);
    if beside.exists() {
        let says = "says how the program is run and what it may use";
        let text = notes.read_deciding(&beside, says, Found::ByPlace, LONGEST)?;
        options.extend(split(&text).with_context(|| beside.display().to_string())?);
    }
    // What was said for this start counts more than what a file says for all.
    if says_ranks() {
        options = without_ranks(options);
    }
    options.extend(of_environment()?);
    let is_own = is_trusted(program, &notes)?;
    become_run(&options, is_own, &arguments.program)
}

/// Becomes `rankine run`. A program that is trusted sees the environment and, unless the options name folders, the one it is
/// started in.
fn become_run(options: &[String], is_trusted: bool, rest: &[OsString]) -> Result<ExitCode> {
    let names_folders = options.iter().any(|word| word.starts_with("--dir"));
    let folder = (is_trusted && !names_folders).then_some("--dir=.");
    let exe = std::env::current_exe().context("where is this executable?")?;
    let mut command = Command::new(&exe);
    command.arg("run");
    if is_trusted {
        // By name: others can read a command line. What the options set is set after it.
        command.args(shown_variables(std::env::vars_os()).map(|name| format!("--env={name}")));
    }
    command.args(options).args(folder).args(rest);
    os::replace_process(&mut command).with_context(|| format!("can't start {}", exe.display()))
}

/// The names of the variables that a trusted program sees.
fn shown_variables(variables: impl Iterator<Item = (OsString, OsString)>) -> impl Iterator<Item = String> {
    let texts = variables.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    texts.map(|(name, _)| name).filter(|name| !name.starts_with(OWN))
}

fn of_environment() -> Result<Vec<String>> {
    std::env::var(OPTIONS).map_or(Ok(Vec::new()), |text| split(&text).context(OPTIONS))
}

/// Whether the environment says how many ranks there are.
fn says_ranks() -> bool {
    std::env::var_os(super::options::RANKS).is_some_and(|ranks| !ranks.is_empty())
}

/// Options but for the number of ranks.
fn without_ranks(options: Vec<String>) -> Vec<String> {
    let mut words = options.into_iter();
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-n" | "-np" | "--ranks" => drop(words.next()),
            _ if word.starts_with("--ranks=") => {}
            _ => kept.push(word),
        }
    }
    kept
}

/// Whether this user has compiled the program, or has said that it is to be trusted as it is now.
fn is_trusted(program: &Path, notes: &Notes) -> Result<bool> {
    let bytes = fs::read(program).with_context(|| format!("can't read {}", program.display()))?;
    Ok(made_here::is_sealed(&bytes[first_line(&bytes)..]) || notes.is_confirmed(program, &bytes))
}

/// The words of a text: quotes keep blanks, and a `#` at the start of a word begins a remark.
fn split(text: &str) -> Result<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(letter),
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => {
                let _ = letters.by_ref().find(|letter| *letter == '\n');
            }
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(letter),
        }
    }
    if let Some(quote) = quote {
        bail!("the quote {quote} is not closed");
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_what_mpiexec_says() {
        let words = |text: &str| split(text).unwrap();
        assert_eq!(without_ranks(words("-n 4 --dir . --ranks=3 --label")), words("--dir . --label"));
    }

    #[test]
    fn rankines_own_variables_are_not_shown() {
        let variables = [("HOME", "/home/a"), ("RANKINE_RANKS", "4"), ("OMP_NUM_THREADS", "2")];
        let shown = shown_variables(variables.into_iter().map(|(name, value)| (name.into(), value.into())));
        assert_eq!(shown.collect::<Vec<_>>(), ["HOME", "OMP_NUM_THREADS"]);
    }

    #[test]
    fn options_are_words() {
        let words = split("-n 4 # ranks\n--dir 'a b'  --label\n\"\"").unwrap();
        assert_eq!(words, ["-n", "4", "--dir", "a b", "--label", ""]);
        assert!(split("--dir 'a").unwrap_err().to_string().contains("not closed"));
    }
}
