//! What people type by habit where a subcommand is expected, and the command that would do it.

use std::ffi::OsString;
use std::path::Path;

use clap::CommandFactory as _;

use rankine_grid::launcher::quoted;

/// Words that are known from other tools, and what does the same here. What follows them stays.
const ELSEWHERE: &[(&[&str], &str)] = &[
    (&["mpiexec", "mpirun", "mpiexec.hydra", "srun", "prterun", "exec", "start", "launch"], "run"),
    (&["mpicc", "gcc", "clang"], "cc"),
    (&["mpicxx", "mpic++", "mpiCC", "g++", "clang++"], "c++"),
    (&["mpifort", "mpif90", "mpif77", "gfortran", "flang"], "fc"),
    (&["sbatch", "qsub", "bsub"], "submit"),
    (&["install"], "sdk install"),
    (&["build"], "sdk build"),
    (&["check", "--check"], "run --check"),
    (&["profile", "--profile"], "run --profile"),
    (&["debug", "gdb", "--debug"], "run --debug"),
    (&["record"], "run --record=FILE"),
    (&["show"], "view"),
    (&["version"], "--version"),
];

/// The answer to a command line that has no subcommand of ours.
pub(super) fn answer(arguments: &[OsString]) -> Option<String> {
    let (first, rest) = arguments.get(1..)?.split_first()?;
    let word = first.to_str()?;
    let command = super::Arguments::command();
    let is_ours =
        command.get_subcommands().any(|ours| ours.get_name() == word || ours.get_all_aliases().any(|a| a == word));
    if is_ours || matches!(word, "help" | "-h" | "--help" | "-V" | "--version") {
        return None;
    }
    let typed = |command: &str, rest: &[OsString]| {
        let words = rest.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
        format!("rankine {command} {words}").trim_end().to_string()
    };
    let known = ELSEWHERE.iter().find(|(words, _)| words.contains(&word));
    Some(match known {
        Some((_, command)) => {
            format!("there is no `rankine {word}`; what does that here is `{}`", typed(command, rest))
        }
        None if is_python(word) => {
            format!("to run a program in Python: `{}`", typed("python", &arguments[1..]))
        }
        None if is_program(word) => format!("to run a program: `{}`", typed("run", &arguments[1..])),
        None if word.starts_with('-') && rest.iter().filter_map(|word| word.to_str()).any(is_program) => {
            format!("{word} is an option of `rankine run`: `{}`", typed("run", &arguments[1..]))
        }
        None => return None,
    })
}

fn is_python(word: &str) -> bool {
    Path::new(word).extension().is_some_and(|ending| ending == "py")
}

/// Whether a word is a program's file.
fn is_program(word: &str) -> bool {
    let path = Path::new(word);
    path.extension().is_some_and(|ending| ending == "wasm" || ending == "wat")
        || std::fs::File::open(path).is_ok_and(|mut file| {
            let mut head = [0; 4];
            std::io::Read::read_exact(&mut file, &mut head).is_ok() && head == *b"\0asm"
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(line: &str) -> Option<String> {
        answer(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn habits_get_the_command_that_does_it() {
        for (line, command) in [
            ("rankine heat.wasm --steps 4", "`rankine run heat.wasm --steps 4`"),
            ("rankine -n 4 heat.wasm", "`rankine run -n 4 heat.wasm`"),
            ("rankine src/heat.py 8", "`rankine python src/heat.py 8`"),
            ("rankine --np=4 heat.wasm", "`rankine run --np=4 heat.wasm`"),
            ("rankine mpiexec -n 4 heat.wasm", "`rankine run -n 4 heat.wasm`"),
            ("rankine mpicc -O2 a.c", "`rankine cc -O2 a.c`"),
            ("rankine install", "`rankine sdk install`"),
            ("rankine --check heat.wasm", "`rankine run --check heat.wasm`"),
        ] {
            let said = answered(line).unwrap_or_default();
            assert!(said.ends_with(command), "{line}: {said}");
        }
    }

    #[test]
    fn what_is_ours_is_left_alone() {
        for line in
            ["rankine", "rankine run a.wasm", "rankine cxx a.cpp", "rankine --help", "rankine help run", "rankine rum"]
        {
            assert_eq!(answered(line), None, "{line}");
        }
    }
}
