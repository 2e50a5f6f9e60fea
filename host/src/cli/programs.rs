//! Several programs in one job, as launchers spell it: `-n 1 a.wasm : -n 2 b.wasm`.

use std::ffi::OsString;
use std::path::Path;

use clap::Parser;

use super::spellings;
use super::values::parse_ranks;
use crate::run::job::Part;

/// What stands behind a `:`.
#[derive(Parser)]
#[command(name = "rankine run ... :", disable_help_flag = true)]
struct Section {
    #[arg(short = 'n', long = "ranks", value_name = "N", value_parser = parse_ranks)]
    ranks: Option<usize>,
    #[arg(value_names = ["FILE", "ARGS"], required = true, num_args = 1.., trailing_var_arg = true, allow_hyphen_values = true)]
    program: Vec<String>,
}

/// The programs in the words that follow the options of `rankine run`; the first one is run by so many ranks.
pub(super) fn parts(ranks: usize, words: &[String]) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    for (number, words) in sections(words).into_iter().enumerate() {
        parts.push(match number {
            0 => Part { ranks, arguments: words.to_vec() },
            _ => part(words)?,
        });
    }
    Ok(parts)
}

/// Whether there is more than one program.
pub(super) fn are_several(words: &[String]) -> bool {
    sections(words).len() > 1
}

/// The words of each program. A `:` that no program follows is an argument.
fn sections(words: &[String]) -> Vec<&[String]> {
    let is_colon = |at: usize| words[at] == ":" && begins_program(&words[at + 1..]);
    let colons = (1..words.len()).filter(|&at| is_colon(at));
    let ends = colons.chain([words.len()]);
    ends.scan(0, |begin, end| Some(&words[std::mem::replace(begin, end + 1)..end])).collect()
}

fn begins_program(words: &[String]) -> bool {
    let is_module = |word: &String| word.ends_with(".wasm") || word.ends_with(".wat");
    let Some(first) = words.first() else { return false };
    let mut own = words.iter().take_while(|word| *word != ":");
    let says_ranks = ["-n", "--np", "--ranks"].iter().any(|option| first.starts_with(option));
    says_ranks || is_module(first) || (first.starts_with('-') && own.any(is_module)) || Path::new(first).is_file()
}

fn part(words: &[String]) -> Result<Part, String> {
    let command = ["rankine", "run"].into_iter().map(OsString::from);
    let translated = spellings::translate::<Section>(command.chain(words.iter().map(OsString::from)).collect());
    let words = &translated.arguments[1..];
    let Section { ranks, program } = Section::try_parse_from(words).unwrap_or_else(|error| error.exit());
    if program[0].starts_with('-') {
        return Err(format!(
            "{} comes after a `:`, where only -n may: other options apply to all programs and come before the first",
            program[0]
        ));
    }
    Ok(Part { ranks: ranks.unwrap_or(1), arguments: program })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Vec<(usize, String)> {
        let words: Vec<String> = line.split(' ').map(String::from).collect();
        parts(3, &words).unwrap().into_iter().map(|part| (part.ranks, part.arguments.join(" "))).collect()
    }

    #[test]
    fn programs_stand_between_colons() {
        assert_eq!(read("a.wasm x"), [(3, "a.wasm x".into())]);
        assert_eq!(read("a.wasm x : b.wasm"), [(3, "a.wasm x".into()), (1, "b.wasm".into())]);
        for ranks in ["-n 2", "-n2", "-np 2", "--np=2", "--ranks 2"] {
            let line = format!("a.wasm : {ranks} b.wasm -n 5 : c.wasm");
            let expected = [(3, "a.wasm".into()), (2, "b.wasm -n 5".into()), (1, "c.wasm".into())];
            assert_eq!(read(&line), expected, "{line}");
        }
    }

    #[test]
    fn other_colons_are_arguments() {
        for line in ["a.wasm :", "a.wasm x : y", "a.wasm : -v", "a.wasm : :"] {
            assert_eq!(read(line), [(3, line.to_owned())]);
        }
    }

    #[test]
    fn options_of_all_stand_before_the_first() {
        let words = ["a.wasm", ":", "--dir", "x", "b.wasm"].map(String::from);
        assert!(parts(1, &words).unwrap_err().starts_with("--dir comes after a `:`"));
    }
}
