//! Tests that every command shown in README and docs is one that the program accepts.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Parser as _;

use super::{Arguments, options, spellings};

/// The texts of the repository that show commands.
fn texts() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    let mut folders = vec![root.join("docs"), root.join("examples")];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|is| is == "md") {
                found.push(path);
            }
        }
    }
    found
}

/// The commands that a text shows behind `$`, without what comments say of them.
fn commands(text: &str) -> impl Iterator<Item = String> {
    let mut in_console = false;
    // A line may go on in the next one.
    let text = text.replace("\\\n", " ");
    let of_consoles = |line: &str| {
        if line.starts_with("```") {
            in_console = line == "```console";
        }
        let command = line.strip_prefix("$ ").filter(|_| in_console)?;
        command.split(" #").next().map(str::to_owned)
    };
    text.lines().filter_map(of_consoles).collect::<Vec<_>>().into_iter()
}

/// The words of a call of `rankine` within a command, if there is one: `mpiexec -n 4 rankine run …` has one too.
fn call(command: &str) -> Option<Vec<OsString>> {
    let ends = |word: &&str| !["|", ">", "<", "&&", ";"].contains(word);
    let words = command.split_whitespace().skip_while(|word| *word != "rankine").take_while(ends);
    let words: Vec<_> = words.map(|word| OsString::from(word.trim_matches(['"', '\'']))).collect();
    (words.len() > 1).then_some(words)
}

#[test]
fn every_command_that_is_shown_is_taken() {
    let mut calls = 0;
    for path in texts() {
        let text = std::fs::read_to_string(&path).unwrap();
        for words in commands(&text).filter_map(|command| call(&command)) {
            calls += 1;
            let ours = spellings::translate::<options::Arguments>(words.clone()).arguments;
            if let Err(error) = Arguments::try_parse_from(ours) {
                panic!("{}: {words:?}: {error}", path.display());
            }
        }
    }
    assert!(calls > 40, "only {calls} commands were found");
}

#[test]
fn calls_are_found_behind_launchers_and_before_pipes() {
    assert_eq!(call("mpiexec -n 4 rankine run ring.wasm").unwrap(), ["rankine", "run", "ring.wasm"]);
    assert_eq!(call("rankine run -n 9 hello.wasm | wc -l").unwrap(), ["rankine", "run", "-n", "9", "hello.wasm"]);
    assert_eq!(call("git clone … rankine && cd rankine"), None);
    assert_eq!(call("make CC=\"rankine cc\""), None);
}
