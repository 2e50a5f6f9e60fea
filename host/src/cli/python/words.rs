//! The words of `rankine python`: options of `rankine run`, two of its own, those of Python's, and the program.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::super::options;
use super::super::spellings;
use super::super::suggest;

/// Letters of Python's options, those that have a value apart.
const FLAGS: &str = "bBdEiIOPqRsSu";
const WITH_VALUE: &str = "WX";

/// Where packages are built to, unless the user says it.
const BUILT: &str = "rankine-python";

/// What was typed.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// For `rankine run`.
    pub(super) options: Vec<OsString>,
    /// The folder of an interpreter that has more packages.
    pub(super) with: Option<PathBuf>,
    /// Folders of packages.
    pub(super) sites: Vec<Site>,
    pub(super) wanted: Wanted,
}

/// What is to be done.
#[derive(Debug)]
pub(super) enum Wanted {
    Help,
    /// Packages are to be built, to this folder, with libraries of these.
    Build {
        output: PathBuf,
        libraries: Vec<PathBuf>,
        packages: Vec<String>,
    },
    /// To be said which packages of this file can be imported.
    Check(PathBuf),
    Program(Program),
}

impl Default for Wanted {
    fn default() -> Self {
        Wanted::Program(Program::default())
    }
}

/// The words that the interpreter gets, and which of them names the script.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Program {
    pub(super) words: Vec<String>,
    pub(super) script: Option<usize>,
}

impl Program {
    /// There is nothing else to be run than what is typed or piped.
    pub(super) fn reads_standard_input(&self) -> bool {
        let ends = |word: &String| is_module(word) || is_code(word) || is_version(word);
        self.script.is_none() && !self.words.iter().any(ends)
    }
}

/// A folder of packages.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Site {
    Folder(PathBuf),
    Environment(PathBuf),
}

impl Site {
    pub(super) fn option(&self) -> &'static str {
        match self {
            Site::Folder(_) => "--site",
            Site::Environment(_) => "--venv",
        }
    }

    pub(super) fn path(&self) -> &Path {
        let (Site::Folder(path) | Site::Environment(path)) = self;
        path
    }
}

/// Whether a word of Python's is `-m`, perhaps behind other letters.
pub(super) fn is_module(word: &str) -> bool {
    letter_behind_flags(word) == Some('m')
}

pub(super) fn is_code(word: &str) -> bool {
    letter_behind_flags(word) == Some('c')
}

fn is_version(word: &str) -> bool {
    word == "--version" || letter_behind_flags(word) == Some('V')
}

/// The first letter of a word of options that is not a flag.
fn letter_behind_flags(word: &str) -> Option<char> {
    let letters = word.strip_prefix('-')?;
    letters.chars().find(|letter| !FLAGS.contains(*letter))
}

/// Reads them.
pub(super) fn read(words: Vec<OsString>) -> Result<Asked, String> {
    if words.first().is_some_and(|word| word == "build") {
        return Ok(Asked { wanted: build(words.into_iter().skip(1))?, ..Asked::default() });
    }
    let mut asked = Asked::default();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let text = word.to_str().ok_or_else(|| format!("{}: words are UTF-8", word.display()))?.to_owned();
        let (name, glued) = text.split_once('=').map_or((&text[..], None), |(name, value)| (name, Some(value)));
        if let "--venv" | "--site" = name {
            let value = glued.map(OsString::from).or_else(|| words.next());
            let path = value.filter(|path| !path.is_empty()).ok_or_else(|| format!("{name} names a folder"))?.into();
            asked.sites.push(if name == "--venv" { Site::Environment(path) } else { Site::Folder(path) });
        } else if name == "--with" {
            let value = glued.map(OsString::from).or_else(|| words.next()).filter(|path| !path.is_empty());
            let path = value.ok_or("--with names a folder that `rankine python build` has made")?.into();
            if asked.with.replace(path).is_some() {
                return Err("--with names one folder: `rankine python build` puts several packages there".into());
            }
        } else if name == "--pip-check" {
            let file = glued.map(OsString::from).or_else(|| words.next());
            let file =
                file.filter(|file| !file.is_empty()).ok_or("--pip-check names a file, such as requirements.txt")?;
            asked.wanted = Wanted::Check(file.into());
            return Ok(asked);
        } else if matches!(&text[..], "-h" | "--help") {
            asked.wanted = Wanted::Help;
            return Ok(asked);
        } else if let Some(values) = spellings::values::<options::Arguments>(&text).filter(|_| !is_version(&text)) {
            asked.options.push(word);
            asked.options.extend(words.by_ref().take(values));
        } else {
            asked.wanted = Wanted::Program(program(text, words)?);
            return Ok(asked);
        }
    }
    Ok(asked)
}

/// What is to be built, and where.
fn build(mut words: impl Iterator<Item = OsString>) -> Result<Wanted, String> {
    let (mut output, mut libraries, mut packages) = (None, Vec::new(), Vec::new());
    while let Some(word) = words.next() {
        let word = word.into_string().map_err(|word| format!("{}: words are UTF-8", word.display()))?;
        let (option, value) = match word.split_once('=') {
            _ if matches!(&word[..], "-h" | "--help") => return Ok(Wanted::Help),
            Some((option, value)) if option.starts_with('-') => (option.to_owned(), Some(PathBuf::from(value))),
            _ if word.starts_with('-') => (word, None),
            _ => {
                packages.push(word);
                continue;
            }
        };
        let mut folder = || {
            let folder = value.clone().or_else(|| words.next().map(PathBuf::from));
            folder.filter(|folder| !folder.as_os_str().is_empty()).ok_or_else(|| format!("{option} names a folder"))
        };
        match &option[..] {
            "--output" => output = Some(folder()?),
            "--libraries" => libraries.push(folder()?),
            _ => return Err(format!("`rankine python build` has no option {option}")),
        }
    }
    if packages.is_empty() {
        return Err("which packages are to be built? `rankine python build msgpack markupsafe`".into());
    }
    Ok(Wanted::Build { output: output.unwrap_or_else(|| BUILT.into()), libraries, packages })
}

/// Python's own options and what is to be run, from this word on.
fn program(first: String, rest: impl Iterator<Item = OsString>) -> Result<Program, String> {
    let all = std::iter::once(Ok(first)).chain(rest.map(|word| {
        word.into_string().map_err(|word| format!("{}: arguments of a program are UTF-8", word.display()))
    }));
    let words = all.collect::<Result<Vec<_>, _>>()?;
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let is_option = word.starts_with('-') && word != "-";
        match letter_behind_flags(word) {
            _ if !is_option => break,
            _ if is_version(word) => return Ok(Program { words, script: None }),
            _ if word == "--" => {
                at += 1;
                break;
            }
            None => at += 1,
            Some('c' | 'm') => return needs_value(words, at),
            Some(letter) if WITH_VALUE.contains(letter) => at += 1 + usize::from(word.ends_with(letter)),
            // A word of two hyphens has the second for a letter.
            Some(_) => return Err(suggest::unknown_option::<options::Arguments>(word)),
        }
    }
    let script = words.get(at).filter(|word| *word != "-").map(|_| at);
    Ok(Program { words, script })
}

/// A word that ends in `-c` or `-m` wants another.
fn needs_value(words: Vec<String>, at: usize) -> Result<Program, String> {
    let ends =
        words[at].ends_with(['c', 'm']) && words[at].chars().filter(|letter| "cm".contains(*letter)).count() == 1;
    match ends && at + 1 == words.len() {
        true => Err(format!("{} needs what is to be run", words[at])),
        false => Ok(Program { words, script: None }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> (String, String, Option<usize>) {
        let asked = read(line.split_whitespace().map(OsString::from).collect()).unwrap();
        let options: Vec<_> = asked.options.iter().map(|word| word.to_str().unwrap()).collect();
        let Wanted::Program(program) = asked.wanted else { panic!("{line}: help") };
        (options.join(" "), program.words.join(" "), program.script)
    }

    #[track_caller]
    fn is(line: &str, options: &str, words: &str, script: Option<usize>) {
        assert_eq!(asked(line), (options.into(), words.into(), script), "{line}");
    }

    #[test]
    fn options_of_a_job_come_before_pythons() {
        is("-n 4 heat.py -n 5", "-n 4", "heat.py -n 5", Some(0));
        is("-n4 --dir=out --label -l heat.py", "-n4 --dir=out --label -l", "heat.py", Some(0));
        is("-np 4 --bind-to core --dir out -u a.py", "-np 4 --bind-to core --dir out", "-u a.py", Some(1));
        is("--profile a.py x", "--profile", "a.py x", Some(0));
        is("--profile=p.json -vv a.py", "--profile=p.json -vv", "a.py", Some(0));
        is("-x A -genv B 1 a.py", "-x A -genv B 1", "a.py", Some(0));
    }

    #[test]
    fn pythons_options_come_before_its_program() {
        is("-W error -Xdev -OO a.py -c", "", "-W error -Xdev -OO a.py -c", Some(4));
        is("-n 2 -m mpi4py.bench -n 3", "-n 2", "-m mpi4py.bench -n 3", None);
        is("-Bsc print(1) --label", "", "-Bsc print(1) --label", None);
        is("-V", "", "-V", None);
        is("--version", "", "--version", None);
        is("-u", "", "-u", None);
        is("- a", "", "- a", None);
        is("-u -- a.py", "", "-u -- a.py", Some(2));
    }

    #[test]
    fn folders_of_packages_are_kept_apart() {
        let asked = read(["--venv=v", "-n", "2", "--site", "s", "a.py"].map(OsString::from).to_vec()).unwrap();
        assert_eq!(asked.sites, [Site::Environment("v".into()), Site::Folder("s".into())]);
        assert_eq!(asked.options, ["-n", "2"]);
        assert!(read(vec!["--site".into()]).unwrap_err().contains("--site"));
        assert!(read(vec!["--pip-check".into()]).unwrap_err().contains("--pip-check"));
        let asked = read(["--pip-check", "a.txt"].map(OsString::from).to_vec()).unwrap();
        assert!(matches!(asked.wanted, Wanted::Check(file) if file == Path::new("a.txt")));
    }

    #[test]
    fn what_is_built_is_said_in_words_of_its_own() {
        let read = |line: &str| super::read(line.split_whitespace().map(OsString::from).collect());
        let built = |line: &str| match read(line).unwrap().wanted {
            Wanted::Build { output, packages, libraries } => {
                let libraries = libraries.iter().map(|folder| format!(" with {}", folder.display()));
                (output.display().to_string(), packages.join(" ") + &libraries.collect::<String>())
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(built("build msgpack a>=1"), ("rankine-python".into(), "msgpack a>=1".into()));
        for line in ["build --output out a", "build a --output=out"] {
            assert_eq!(built(line), ("out".into(), "a".into()));
        }
        assert_eq!(built("build --libraries=l a --libraries m").1, "a with l with m");
        for wrong in ["build", "build --output", "build a --output=", "build --target x a", "build a --libraries"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert!(matches!(read("./build").unwrap().wanted, Wanted::Program(_)));
        assert_eq!(read("--with out a.py").unwrap().with, Some("out".into()));
        assert!(read("--with").is_err() && read("--with a --with=b a.py").is_err());
    }

    #[test]
    fn what_nobody_knows_is_named() {
        for wrong in ["--lable", "-Q", "-m", "-uc"] {
            let text = read(vec![wrong.into()]).unwrap_err();
            assert!(text.contains(wrong), "{text}");
        }
        assert!(matches!(read(vec!["-n".into(), "2".into(), "--help".into()]).unwrap().wanted, Wanted::Help));
    }

    #[test]
    fn a_prompt_is_what_is_left() {
        let reads = |line: &str| match read(line.split_whitespace().map(OsString::from).collect()).unwrap().wanted {
            Wanted::Program(program) => program.reads_standard_input(),
            Wanted::Help | Wanted::Check(_) | Wanted::Build { .. } => false,
        };
        assert!(reads("") && reads("-n 1") && reads("-q") && reads("-"));
        assert!(!reads("a.py") && !reads("-m x") && !reads("-c 1") && !reads("-V"));
    }
}
