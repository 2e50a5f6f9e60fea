//! `long` has 4 bytes in a guest, and 8 where most programs were written. clang knows the places where a number of 64 bits
//! becomes a shorter one, but calls all of them alike: an `int` and a `size_t` that are made of an `int64_t` are as short
//! on other machines, or fit. Here it is asked for all, and of what it says the first `long` of a file is passed on, with
//! what to do.

use super::flags::Request;
use crate::casts::{self, Cast, Word};
use anyhow::{Context as _, Result};
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// The names of clang's warnings.
const NAME: &str = "[-Wshorten-64-to-32]";
const CASTS: &str = "-Wcast-function-type-mismatch";
/// It tells of pointers without parameters as well, and of whatever differs in what is pointed to. Casts of which both warnings
/// tell have this one's name.
const MORE_CASTS: &str = "-Wcast-function-type-strict";
const CURE: &str = "a long has 32 bits in WebAssembly, and int64_t has 64 (said once per file: -Wshorten-64-to-32 tells all \
                    such places, -Wno-shorten-64-to-32 none)";

/// Whether clang is to be listened to: sources are compiled, and whoever calls has not decided about this warning, or about
/// the form of all of them.
pub(super) fn is_wanted(request: &Request) -> bool {
    const DECIDED: [&str; 8] =
        ["-w", "-E", "-M", "-MM", "-Weverything", "-Wconversion", "-Wimplicit-int-conversion", "-v"];
    const BEGINNINGS: [&str; 5] =
        ["-Wshorten-64", "-Wno-shorten-64", "-Wno-conversion", "-fdiagnostics-", "--serialize-diagnostics"];
    let decides = |word: &str| DECIDED.contains(&word) || BEGINNINGS.iter().any(|begin| word.starts_with(begin));
    let words = || request.arguments.iter().filter_map(|word| word.to_str());
    words().any(is_source) && !words().any(decides)
}

fn is_source(word: &str) -> bool {
    const ENDS: [&str; 8] = ["c", "cc", "cpp", "cxx", "c++", "C", "CC", "cp"];
    !word.starts_with('-') && Path::new(word).extension().and_then(OsStr::to_str).is_some_and(|end| ENDS.contains(&end))
}

/// Which casts the caller wants to hear of, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Casts {
    #[default]
    None,
    Mismatches,
    All,
}

impl Casts {
    fn wanted(request: &Request) -> Casts {
        let has = |wanted: &dyn Fn(&str) -> bool| request.arguments.iter().filter_map(|word| word.to_str()).any(wanted);
        match () {
            () if has(&|word| ["-Wcast-function-type", MORE_CASTS].contains(&word)) => Casts::All,
            () if has(&|word| matches!(word, "-Wextra" | "-W" | CASTS)) => Casts::Mismatches,
            () => Casts::None,
        }
    }

    /// Whether this warning is among them.
    fn have(self, text: &str, word: Word) -> bool {
        match self {
            Casts::None => false,
            Casts::Mismatches => casts::is_mismatch(text, word),
            Casts::All => true,
        }
    }
}

/// Runs clang, and passes on what it says; the casts of functions that it told of.
pub(super) fn compile(clang: &Path, line: Vec<OsString>, request: &Request) -> Result<(ExitStatus, Vec<Cast>)> {
    let mut command = Command::new(clang);
    command.args(["-Wshorten-64-to-32", "-Wno-error=shorten-64-to-32"]);
    command.args([CASTS, "-Wno-error=cast-function-type-mismatch", MORE_CASTS, "-Wno-error=cast-function-type-strict"]);
    if io::stderr().is_terminal() {
        command.arg("-fcolor-diagnostics");
    }
    let start = || format!("cannot start {}", clang.display());
    let mut child = command.args(line).stderr(Stdio::piped()).spawn().with_context(start)?;
    let mut told = BufReader::new(child.stderr.take().context("clang has no standard error stream")?);
    let word = if request.wide { Word::I64 } else { Word::I32 };
    let mut filter = Filter { word, told_casts: Casts::wanted(request), ..Filter::default() };
    let (mut text, mut out) = (Vec::new(), io::stderr());
    while told.read_until(b'\n', &mut text)? > 0 {
        // Where nobody reads any more, clang still compiles.
        let _ = filter.pass(&text, &mut out);
        text.clear();
    }
    let _ = filter.end(&mut out);
    Ok((child.wait()?, filter.casts))
}

/// What was seen of clang's words.
#[derive(Default)]
struct Filter {
    /// How a place was included, of which it is not known yet what is said of it.
    before: Vec<u8>,
    /// The warning that is looked at.
    state: State,
    /// Files of which a `long` was told.
    told: HashSet<String>,
    /// Warnings that were not passed on.
    dropped: u64,
    /// Casts of functions, and which of them are passed on.
    casts: Vec<Cast>,
    told_casts: Casts,
    word: Word,
}

#[derive(Default)]
enum State {
    #[default]
    Passes,
    Drops,
    /// It is passed on, and what to do is said behind it, at this place.
    Cures(String),
}

impl Filter {
    fn pass(&mut self, line: &[u8], out: &mut impl Write) -> io::Result<()> {
        let text = plain(line);
        let is_inclusion = text.starts_with("In file included from ") || text.starts_with("                 from ");
        let head = Head::read(&text);
        if is_inclusion || head.as_ref().is_some_and(|head| head.is_message) || !belongs(&text) {
            self.cure(out)?;
        }
        if is_inclusion {
            self.before.extend(line);
            return Ok(());
        }
        match head {
            // It explains what came before.
            Some(Head { is_message: false, .. }) => {}
            Some(Head { place, file, .. }) => {
                let is_cast = [CASTS, MORE_CASTS].iter().any(|name| text.trim_end().ends_with(&format!("[{name}]")));
                if is_cast {
                    self.casts.extend(Cast::of_warning(&text, self.word));
                } else {
                    self.casts.extend(Cast::of_call(&text));
                }
                self.state = match shortens_long(&text) {
                    None if is_cast && !self.told_casts.have(&text, self.word) => {
                        self.dropped += 1;
                        State::Drops
                    }
                    None => State::Passes,
                    Some(true) if self.told.insert(file.to_owned()) => State::Cures(place.to_owned()),
                    Some(_) => {
                        self.dropped += 1;
                        State::Drops
                    }
                };
            }
            None if belongs(&text) => {}
            None => self.state = State::Passes,
        }
        if matches!(self.state, State::Drops) {
            self.before.clear();
            return Ok(());
        }
        out.write_all(&std::mem::take(&mut self.before))?;
        match self.counted(&text) {
            Some(counted) => out.write_all(counted.as_bytes()),
            None => out.write_all(line),
        }
    }

    /// The line that counts warnings, without those that were dropped.
    fn counted(&mut self, text: &str) -> Option<String> {
        if self.dropped == 0 || !text.ends_with(" generated.") {
            return None;
        }
        let (number, rest) = text.split_once(' ')?;
        let rest = rest.strip_prefix("warnings").or_else(|| rest.strip_prefix("warning"))?;
        let left = number.parse::<u64>().ok()?.saturating_sub(std::mem::take(&mut self.dropped));
        Some(match (left, rest.strip_prefix(" and ")) {
            (0, None) => String::new(),
            (0, Some(errors)) => format!("{errors}\n"),
            (1, _) => format!("1 warning{rest}\n"),
            (left, _) => format!("{left} warnings{rest}\n"),
        })
    }

    /// What to do, behind a warning that was passed on.
    fn cure(&mut self, out: &mut impl Write) -> io::Result<()> {
        match std::mem::take(&mut self.state) {
            State::Cures(place) => writeln!(out, "{place}: note: {CURE}"),
            state => {
                self.state = state;
                Ok(())
            }
        }
    }

    fn end(&mut self, out: &mut impl Write) -> io::Result<()> {
        self.cure(out)
    }
}

/// The first line of something that clang says.
struct Head<'t> {
    /// File, line and column.
    place: &'t str,
    file: &'t str,
    /// It is no note to what came before.
    is_message: bool,
}

impl<'t> Head<'t> {
    fn read(text: &'t str) -> Option<Head<'t>> {
        const KINDS: [&str; 5] = [": warning: ", ": error: ", ": fatal error: ", ": remark: ", ": note: "];
        let (at, kind) = KINDS.iter().filter_map(|kind| Some((text.find(kind)?, *kind))).min()?;
        let place = &text[..at];
        if place.starts_with(' ') {
            return None;
        }
        let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let file = place.rsplitn(3, ':').skip_while(is_number).last().unwrap_or(place);
        Some(Head { place, file, is_message: kind != ": note: " })
    }
}

/// Whether a line goes on with what was said: it shows the source.
fn belongs(text: &str) -> bool {
    text.starts_with(' ') || text.contains(": note: ")
}

/// Whether the warning that begins so is of a number of 64 bits that becomes a `long`; nothing if it is another warning. What
/// has a name of its own (`size_t`, `ptrdiff_t`) was meant to be as long as an address, and times fit for some years.
fn shortens_long(text: &str) -> Option<bool> {
    let (_, words) = text.trim_end().strip_suffix(NAME)?.rsplit_once("loses integer precision: ")?;
    let (from, to) = words.trim_end().rsplit_once(" to ")?;
    Some(matches!(to, "'long'" | "'unsigned long'") && !from.starts_with("'time_t'"))
}

/// A line without its colours and its end.
fn plain(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let mut parts = text.trim_end_matches(['\n', '\r']).split('\x1b');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').map_or(part, |(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(text: &str) -> String {
        let (mut filter, mut out) = (Filter::default(), Vec::new());
        text.split_inclusive('\n').for_each(|line| filter.pass(line.as_bytes(), &mut out).unwrap());
        filter.end(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn warning(place: &str, types: &str) -> String {
        format!(
            "{place}: warning: implicit conversion loses integer precision: {types} {NAME}\n   12 |   x = n;\n      |       ^\n"
        )
    }

    #[test]
    fn the_first_long_of_a_file_is_told_with_the_cure() {
        let first = warning("a.c:12:7", "'long long' to 'long'");
        let text = first.clone()
            + &warning("a.c:13:7", "'int64_t' (aka 'long long') to 'unsigned long'")
            + "2 warnings generated.\n";
        assert_eq!(passed(&text), format!("{first}a.c:12:7: note: {CURE}\n1 warning generated.\n"));
    }

    #[test]
    fn what_is_as_short_elsewhere_is_not_told() {
        let others = [
            "'long long' to 'int'",
            "'long long' to 'size_t' (aka 'unsigned long')",
            "'time_t' (aka 'long long') to 'long'",
        ];
        let text: String = others.iter().map(|types| warning("a.c:1:2", types)).collect();
        assert_eq!(passed(&(text.clone() + "3 warnings generated.\n")), "");
        let inclusion = "In file included from a.c:1:\n                 from b.h:2:\n";
        let other = "a.c:4:5: error: use of undeclared identifier 'y'\n    4 |   y = 1;\n      |   ^\n";
        let note = "a.c:2:1: note: expanded from macro 'X'\n    2 | #define X\n";
        let all = format!("{inclusion}{text}{note}{inclusion}{other}3 warnings and 1 error generated.\n");
        assert_eq!(passed(&all), format!("{inclusion}{other}1 error generated.\n"));
    }

    #[test]
    fn casts_are_kept_and_told_to_who_asks() {
        let text = "a.c:5:42: warning: cast from 'int (*)(int *)' to 'void (*)(int *)' converts to incompatible function type \
                    [-Wcast-function-type-strict]\n    5 |   f();\n1 warning generated.\n";
        let run = |text: &str, told_casts| {
            let (mut filter, mut out) = (Filter { told_casts, ..Filter::default() }, Vec::new());
            text.split_inclusive('\n').for_each(|line| filter.pass(line.as_bytes(), &mut out).unwrap());
            (filter.casts.len(), String::from_utf8(out).unwrap())
        };
        assert_eq!(run(text, Casts::None), (1, String::new()));
        assert_eq!(run(text, Casts::Mismatches), (1, text.to_owned()));
        let without_parameters = text.replace("void (*)(int *)", "int (*)()");
        assert_eq!(run(&without_parameters, Casts::Mismatches), (1, String::new()));
        assert_eq!(run(&without_parameters, Casts::All), (1, without_parameters.clone()));
    }

    #[test]
    fn colours_and_other_words_pass() {
        let text = "\x1b[1ma.c:1:2: \x1b[0m\x1b[0;1;35mwarning: \x1b[0mother [-Wother]\x1b[0m\n";
        assert_eq!(passed(text), text);
        assert_eq!(plain(text.as_bytes()), "a.c:1:2: warning: other [-Wother]");
        assert_eq!(
            passed("wasm-ld: error: duplicate symbol: x\n>>> defined in a.o\n"),
            "wasm-ld: error: duplicate symbol: x\n>>> defined in a.o\n"
        );
    }
}
