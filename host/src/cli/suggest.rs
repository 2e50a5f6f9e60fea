//! Suggestions for misspelt options.

use clap::Args;

/// An option that a subcommand does not have, in words.
pub(super) fn unknown_option<Options: Args>(written: &str) -> String {
    let name = written.split('=').next().unwrap_or(written);
    let command = Options::augment_args(clap::Command::new("options"));
    match nearest(name, &command) {
        Some(known) => format!("there is no option {name}; did you mean {known}? `rankine run --help` lists them"),
        None => format!(
            "there is no option {name}; `rankine run --help` lists them, and options of the program follow its file"
        ),
    }
}

/// An option that neither `submit` has nor `run`, to which it passes what it does not know.
pub(super) fn unknown_option_of_submit<Own: Args, Passed: Args>(written: &str) -> String {
    let name = written.split('=').next().unwrap_or(written);
    let commands = [Own::augment_args(clap::Command::new("submit")), Passed::augment_args(clap::Command::new("run"))];
    let meant = commands.iter().find_map(|command| nearest(name, command));
    let meant = meant.map(|known| format!("did you mean {known}? ")).unwrap_or_default();
    format!(
        "there is no option {name}; {meant}`rankine submit --help` lists its own, `rankine run --help` those that it passes \
         on, and options of the program follow its file"
    )
}

/// The option of a command that is most like this one.
fn nearest(name: &str, command: &clap::Command) -> Option<String> {
    let names = command.get_arguments().filter_map(|option| option.get_long()).map(|long| format!("--{long}"));
    let nearest = names.map(|known| (distance(name, &known), known)).min();
    // A third of the letters may be wrong.
    nearest.filter(|(wrong, known)| *wrong <= known.len() / 3).map(|(_, known)| known)
}

/// How many letters must be written, left out or exchanged to make one word of another.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (at, letter) in from.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (column, other) in to.iter().enumerate() {
            let exchanged = diagonal + usize::from(letter != *other);
            diagonal = row[column + 1];
            row[column + 1] = exchanged.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn words_that_differ_by_letters() {
        assert_eq!(distance("--label", "--label"), 0);
        assert_eq!(distance("--lable", "--label"), 2);
        assert_eq!(distance("--timeot", "--timeout"), 1);
        assert_eq!(distance("", "abc"), 3);
    }
}
