//! Options of `rankine run` as launchers of MPI programs spell them: those of MPICH, Open MPI and Slurm.
//!
//! What means something here becomes our own option; what can mean nothing is taken, with a note that says why.

use std::ffi::{OsStr, OsString};

use clap::Args;

/// What a launcher's option is here.
enum Meaning {
    /// This option, with the value that follows.
    Option(&'static str),
    /// This option, which takes no value.
    Flag(&'static str),
    /// `--env` for a name and the value after it.
    Variable,
    /// `--env` for each name in a list.
    Variables,
    /// `--no-binding`, if its value is `none`.
    Binding,
    /// `--map-by`, if its value says how ranks are numbered.
    Numbering,
    /// Nothing, with so many values.
    Nothing(usize, &'static str),
}
use Meaning::{Binding, Flag, Nothing, Numbering, Option as As, Variable, Variables};

const CORES: &str = "the system places ranks on cores, and --threads-per-rank N gives each N of its own; a launcher gets its \
                     own options by --launcher-option";
const NUMBERS: &str = "ranks are numbered by slot or by node here, and the system places them on cores";
const ENVIRONMENT: &str = "a program sees the variables that --env names, and no others";
const SHARED: &str = "where there are more ranks than cores, they share them anyway";

/// The options, without the hyphens before them.
const KNOWN: &[(&str, Meaning)] = &[
    ("np", As("--ranks")),
    ("x", As("--env")),
    ("genv", Variable),
    ("env", Variable),
    ("genvlist", Variables),
    ("envlist", Variables),
    ("genvall", Nothing(0, ENVIRONMENT)),
    ("genvnone", Nothing(0, ENVIRONMENT)),
    ("envall", Nothing(0, ENVIRONMENT)),
    ("envnone", Nothing(0, ENVIRONMENT)),
    ("prepend-rank", Flag("--label")),
    ("tag-output", Flag("--label")),
    ("tag", Flag("--label")),
    ("usize", As("--universe-size")),
    ("wdir", As("--wdir")),
    ("wd", As("--wdir")),
    ("f", As("--hosts")),
    ("H", As("--hosts")),
    ("host", As("--hosts")),
    ("hosts", As("--hosts")),
    ("hostfile", As("--hosts")),
    ("machinefile", As("--hosts")),
    ("oversubscribe", Nothing(0, SHARED)),
    ("use-hwthread-cpus", Nothing(0, CORES)),
    ("bind-to", Binding),
    ("map-by", Numbering),
    ("rank-by", Numbering),
    ("distribution", Numbering),
    ("report-bindings", Nothing(0, CORES)),
    ("ppn", Nothing(1, "hosts have their numbers of ranks by --hosts n1:4,n2:4")),
    (
        "output-filename",
        Nothing(1, "all ranks write to the standard output; --label says which, and `>` puts it in a file"),
    ),
    (
        "outfile-pattern",
        Nothing(1, "all ranks write to the standard output; --label says which, and `>` puts it in a file"),
    ),
    ("mca", Nothing(2, "it is for parts of Open MPI, which is not in use here")),
    ("allow-run-as-root", Nothing(0, "Rankine does not mind; what a program may do does not depend on who you are")),
];

/// A command line in our own words.
#[derive(Default)]
pub(super) struct Translated {
    pub(super) arguments: Vec<OsString>,
    /// What was taken and does nothing.
    pub(super) notes: Vec<String>,
}

/// Translates the options of `rankine run`, up to the program's file; `Options` are those that it has.
pub(super) fn translate<Options: Args>(arguments: Vec<OsString>) -> Translated {
    let mut translated = Translated::default();
    if arguments.get(1).is_none_or(|command| command != "run") {
        return Translated { arguments, ..translated };
    }
    let own = Options::augment_args(clap::Command::new("run"));
    let mut words = arguments.into_iter();
    translated.arguments.extend(words.by_ref().take(2));
    while let Some(word) = words.next() {
        let is_option = word.as_encoded_bytes().starts_with(b"-") && word != "-" && word != "--";
        let text = word.to_str().filter(|_| is_option);
        match text.and_then(meaning) {
            Some((meaning, glued)) => {
                let glued = glued.map(OsString::from);
                translated.take(text.unwrap_or_default(), meaning, &mut glued.into_iter().chain(words.by_ref()));
            }
            // The parser takes `-n4` for an argument of the program.
            None if let Some((option, value)) = text.and_then(|text| glued_short(&own, text)) => {
                translated.arguments.extend([option.into(), value.into()]);
            }
            None => {
                let has_value = text.is_some_and(|text| takes_value(&own, text));
                translated.arguments.push(word);
                if !is_option {
                    break;
                }
                translated.arguments.extend(has_value.then(|| words.next()).flatten());
            }
        }
    }
    translated.arguments.extend(words);
    translated
}

/// What a word means that launchers know, and the value that it has after a `=`. Our own options are no such words.
fn meaning(word: &str) -> Option<(&'static Meaning, Option<&str>)> {
    let (option, value) = word.split_once('=').map_or((word, None), |(option, value)| (option, Some(value)));
    let name = option.trim_start_matches('-');
    let ours = option.starts_with("--") && matches!(name, "env" | "hosts" | "wdir");
    let found = KNOWN.iter().find(|(known, _)| *known == name && !ours)?;
    Some((&found.1, value))
}

/// How many words after an option are its values; nothing if neither `Options` nor a launcher has such an option.
pub(super) fn values<Options: Args>(word: &str) -> Option<usize> {
    let own = Options::augment_args(clap::Command::new("run"));
    let flags = own.get_arguments().filter(|argument| !argument.get_action().takes_values());
    let flags: String = flags.filter_map(clap::Arg::get_short).collect();
    if let Some((meaning, glued)) = meaning(word).filter(|_| word.starts_with('-')) {
        let values = match meaning {
            Flag(_) => 0,
            As(_) | Variables | Binding | Numbering => 1,
            Variable => 2,
            Nothing(values, _) => *values,
        };
        return Some(values.saturating_sub(usize::from(glued.is_some())));
    }
    let name = word.split('=').next().unwrap_or(word);
    let is_long = |argument: &clap::Arg| argument.get_long().is_some_and(|long| name.strip_prefix("--") == Some(long));
    match () {
        _ if takes_value(&own, word) => Some(1),
        _ if glued_short(&own, word).is_some() || own.get_arguments().any(is_long) => Some(0),
        // Several flags in one word.
        _ => word
            .strip_prefix('-')
            .filter(|letters| !letters.is_empty() && letters.chars().all(|c| flags.contains(c)))
            .map(|_| 0),
    }
}

/// Whether the word after one of our own options is its value.
fn takes_value(own: &clap::Command, option: &str) -> bool {
    let with_values = own
        .get_arguments()
        .filter(|argument| argument.get_action().takes_values() && !argument.is_require_equals_set());
    with_values.into_iter().any(|argument| {
        argument.get_long().is_some_and(|long| option.strip_prefix("--") == Some(long))
            || argument
                .get_short()
                .is_some_and(|short| option.strip_prefix('-') == Some(short.encode_utf8(&mut [0; 4])))
    })
}

/// A short option of ours and its value in one word: `-n4`, `-n=4`.
fn glued_short<'w>(own: &clap::Command, word: &'w str) -> Option<(&'w str, &'w str)> {
    let (option, value) =
        word.split_at_checked(2).filter(|(option, value)| !option.ends_with('-') && !value.is_empty())?;
    takes_value(own, option).then(|| (option, value.strip_prefix('=').unwrap_or(value)))
}

/// What a value of Open MPI's or Slurm's is to `--map-by`: what stands behind a colon or a comma is about cores.
fn numbering(value: &str) -> Option<&'static str> {
    match value.split([':', ',']).next().unwrap_or(value) {
        "slot" | "block" => Some("slot"),
        "node" | "cyclic" => Some("node"),
        _ => None,
    }
}

impl Translated {
    fn take(&mut self, written: &str, meaning: &Meaning, values: &mut dyn Iterator<Item = OsString>) {
        let mut option = |name: &str, value: Option<OsString>| {
            self.arguments.push(name.into());
            self.arguments.extend(value);
        };
        match meaning {
            As(name) => option(name, values.next()),
            Flag(name) => option(name, None),
            Variable => {
                let variable = [values.next(), values.next()].map(Option::unwrap_or_default);
                option("--env", Some(variable.join(OsStr::new("="))));
            }
            Variables => {
                let names = values.next().unwrap_or_default();
                for name in names.to_string_lossy().split(',') {
                    option("--env", Some(name.into()));
                }
            }
            Binding => match values.next() {
                Some(value) if value == "none" => option("--no-binding", None),
                _ => self.note(written, CORES),
            },
            Numbering => match values.next().as_ref().and_then(|value| numbering(value.to_str()?)) {
                Some(value) => option("--map-by", Some(value.into())),
                None => self.note(written, NUMBERS),
            },
            Nothing(count, why) => {
                values.take(*count).for_each(drop);
                self.note(written, why);
            }
        }
    }

    fn note(&mut self, written: &str, why: &str) {
        self.notes.push(format!("{} does nothing here: {why}", written.split('=').next().unwrap_or(written)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::options::Arguments;
    use super::*;

    fn translated(line: &str) -> (String, Vec<String>) {
        let words = line.split(' ').map(OsString::from).collect();
        let Translated { arguments, notes } = translate::<Arguments>(words);
        (arguments.join(OsStr::new(" ")).into_string().unwrap(), notes)
    }

    #[track_caller]
    fn becomes(theirs: &str, ours: &str) {
        assert_eq!(translated(theirs), (ours.to_owned(), vec![]));
    }

    #[test]
    fn what_means_something_becomes_ours() {
        becomes("rankine run -np 4 a.wasm", "rankine run --ranks 4 a.wasm");
        becomes("rankine run --np=4 a.wasm", "rankine run --ranks 4 a.wasm");
        becomes("rankine run -n4 a.wasm -n5", "rankine run -n 4 a.wasm -n5");
        becomes("rankine run -n=4 a.wasm", "rankine run -n 4 a.wasm");
        becomes("rankine run -x A -x B=1 a.wasm", "rankine run --env A --env B=1 a.wasm");
        becomes("rankine run -genv A 1 -envlist B,C a.wasm", "rankine run --env A=1 --env B --env C a.wasm");
        becomes("rankine run --tag -n 2 a.wasm", "rankine run --label -n 2 a.wasm");
        becomes("rankine run -prepend-rank -wdir d a.wasm", "rankine run --label --wdir d a.wasm");
        becomes("rankine run --bind-to none -bind-to=none a.wasm", "rankine run --no-binding --no-binding a.wasm");
        becomes("rankine run --map-by node -map-by=slot a.wasm", "rankine run --map-by node --map-by slot a.wasm");
        becomes(
            "rankine run --distribution=cyclic:block --rank-by node:PE=2 a",
            "rankine run --map-by node --map-by node a",
        );
        becomes("rankine run --distribution=cyclic --rank-by slot a", "rankine run --map-by node --map-by slot a");
        becomes("rankine run --hostfile h -H a:2 a.wasm", "rankine run --hosts h --hosts a:2 a.wasm");
    }

    #[test]
    fn our_own_options_and_the_programs_stay() {
        for line in [
            "rankine",
            "rankine cc -np 4",
            "rankine run --label -n 4 a.wasm -np 5",
            "rankine run --env -np a.wasm -np",
            "rankine run --env=A=1 --wdir d --hosts h -l a.wasm",
            "rankine run -- -np 4",
            "rankine run a.wasm --bind-to core",
            "rankine run --profile a.wasm --bind-to core",
        ] {
            becomes(line, line);
        }
    }

    #[test]
    fn what_can_mean_nothing_is_said() {
        let (line, notes) =
            translated("rankine run --bind-to core --mca btl self --map-by=core --oversubscribe -n 2 a.wasm x");
        assert_eq!(line, "rankine run -n 2 a.wasm x");
        assert_eq!(notes.len(), 4);
        assert!(
            notes[0].starts_with("--bind-to does nothing here: ") && notes[2].starts_with("--map-by does"),
            "{notes:?}"
        );
    }
}
