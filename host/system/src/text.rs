//! What a guest's strings may consist of when they go to an MPI library, or through it to the launcher.
//!
//! A library speaks with its launcher in lines of `key=value` and escapes nothing (PMI): a newline in a service's name
//! would begin a command of its own there, and that command may start any program. So there is one place that knows
//! which characters and lengths leave for the library, and both engines ask it.

use std::ffi::{CStr, CString};

use rankine_abi::{
    MPI_ERR_ARG, MPI_ERR_INFO_KEY, MPI_ERR_INFO_VALUE, MPI_ERR_PORT, MPI_MAX_DATAREP_STRING, MPI_MAX_ERROR_STRING,
    MPI_MAX_INFO_KEY, MPI_MAX_INFO_VAL, MPI_MAX_PORT_NAME, MPI_MAX_PSET_NAME_LEN, MPI_MAX_STRINGTAG_LEN,
};
use rankine_guest::{Error, Result};

/// What a string becomes on its way, and so what it must not contain.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Form {
    /// Text that the library keeps or compares: no control characters.
    Text,
    /// Text that the engine keeps, and that is escaped where it leaves: it may have lines.
    Lines,
    /// A line for the launcher, blanks included. A `\` escapes there, and `;` separates in PMI-2.
    Line,
    /// A word of such a line.
    Word,
    /// A word before `=`.
    Key,
    /// Numbers and ranges: `soft` of spawned processes.
    Ranges,
}

/// What holds for the strings of one parameter.
struct Rule {
    form: Form,
    /// So many bytes at most.
    longest: usize,
    /// The class of the error.
    class: i32,
}

/// The longest name of a service: it shares a line with a port.
const LONGEST_SERVICE: usize = 256;

/// The rule for a parameter of MPI, by its name. Names of files have none: they are resolved here, and never sent.
fn rule(what: &str) -> Option<Rule> {
    let rule = |form, longest: i32, class| Some(Rule { form, longest: longest as usize, class });
    match what {
        "filename" | "command" | "array_of_commands" => None,
        "service_name" => rule(Form::Key, LONGEST_SERVICE as i32, MPI_ERR_ARG),
        "port_name" => rule(Form::Word, MPI_MAX_PORT_NAME - 1, MPI_ERR_PORT),
        "pset_name" => rule(Form::Word, MPI_MAX_PSET_NAME_LEN - 1, MPI_ERR_ARG),
        "stringtag" => rule(Form::Text, MPI_MAX_STRINGTAG_LEN - 1, MPI_ERR_ARG),
        "argv" | "array_of_argv" => rule(Form::Line, i32::MAX, MPI_ERR_ARG),
        "soft" => rule(Form::Ranges, MPI_MAX_INFO_VAL, MPI_ERR_INFO_VALUE),
        "key" => rule(Form::Text, MPI_MAX_INFO_KEY, MPI_ERR_INFO_KEY),
        "value" => rule(Form::Text, MPI_MAX_INFO_VAL, MPI_ERR_INFO_VALUE),
        "datarep" => rule(Form::Text, MPI_MAX_DATAREP_STRING, MPI_ERR_ARG),
        "string" => rule(Form::Lines, MPI_MAX_ERROR_STRING - 1, MPI_ERR_ARG),
        // Names of objects are cut by the library (§7.8).
        _ => rule(Form::Text, i32::MAX, MPI_ERR_ARG),
    }
}

impl Form {
    /// Whether a character may stand in it.
    fn takes(self, character: char) -> bool {
        match self {
            Form::Lines if matches!(character, '\n' | '\t') => true,
            _ if character.is_control() => false,
            Form::Text | Form::Lines => true,
            Form::Line => !matches!(character, ';' | '\\'),
            Form::Word => !matches!(character, ';' | '\\' | ' '),
            Form::Key => !matches!(character, ';' | '\\' | ' ' | '='),
            Form::Ranges => character.is_ascii_digit() || matches!(character, ':' | ',' | '-' | ' '),
        }
    }

    /// Whether a launcher that reads it expects at least a character.
    fn may_be_empty(self) -> bool {
        matches!(self, Form::Text | Form::Lines | Form::Ranges)
    }

    fn reason(self) -> &'static str {
        match self {
            Form::Text | Form::Lines => "control characters are not passed to an MPI library",
            Form::Line | Form::Word | Form::Key => {
                "an MPI library's launcher would not take it for a part of the string"
            }
            Form::Ranges => "it is a list of numbers and ranges, such as 1,2:8:2",
        }
    }
}

/// Checks the string of a parameter of MPI, which `what` names.
pub fn check(what: &str, text: &str) -> Result<()> {
    rule(what).map_or(Ok(()), |rule| rule.check(what, text))
}

/// A text of several lines as one line for the library, if it has several.
pub fn as_line(text: &CStr) -> Option<CString> {
    let bytes = text.to_bytes();
    if !bytes.iter().any(u8::is_ascii_control) {
        return None;
    }
    let escaped = bytes.iter().flat_map(|&byte| match byte {
        b'\n' => vec![b'\\', b'n'],
        b'\t' => vec![b'\\', b't'],
        byte => vec![byte],
    });
    // It may be longer now than the library takes.
    let line: Vec<u8> = escaped.take(MPI_MAX_ERROR_STRING as usize - 1).collect();
    Some(CString::new(line).expect("none of these bytes is zero"))
}

/// A text as one word of a launcher's line: what a word can't have is written as `%` and two digits, byte by byte. So texts
/// that differ become words that differ.
pub fn as_word(text: &CStr) -> CString {
    let mut word = Vec::with_capacity(text.count_bytes() + 1);
    for &byte in text.to_bytes() {
        let stays = byte.is_ascii_graphic() && byte != b'%' && Form::Key.takes(char::from(byte));
        if stays { word.push(byte) } else { word.extend(format!("%{byte:02x}").into_bytes()) }
    }
    // A launcher expects at least a character.
    if word.is_empty() {
        word.push(b'%');
    }
    CString::new(word).expect("none of these bytes is zero")
}

/// Checks a line for the launcher that is no parameter: an option, a path. It is a module's, so `what` describes it.
pub fn check_line(what: &str, text: &str) -> Result<()> {
    Rule { form: Form::Line, longest: usize::MAX, class: MPI_ERR_ARG }.check(what, text)
}

impl Rule {
    fn check(&self, what: &str, text: &str) -> Result<()> {
        if cfg!(feature = "unvalidated") {
            return Ok(());
        }
        let wrong = text.chars().enumerate().find(|&(_, character)| !self.form.takes(character));
        let said = match wrong {
            Some((at, character)) => format!("character {} is {}: {}", at + 1, named(character), self.form.reason()),
            None if text.len() > self.longest => format!("{} bytes are more than {}", text.len(), self.longest),
            None if text.is_empty() && !self.form.may_be_empty() => {
                format!("it is empty: {}", self.form.reason())
            }
            None => return Ok(()),
        };
        Err(Error::new(self.class, format!("{what}: {said}")))
    }
}

/// A character in words.
fn named(character: char) -> String {
    match character {
        '\n' => "a newline".into(),
        ' ' => "a space".into(),
        control if control.is_control() => format!("the control character {:#04x}", u32::from(control)),
        other => format!("`{other}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(what: &str, text: &str, class: i32, parts: &[&str]) {
        let error = check(what, text).expect_err(text);
        assert_eq!(error.class, class, "{}", error.text);
        for part in [what].iter().chain(parts) {
            assert!(error.text.contains(part), "{}", error.text);
        }
    }

    #[test]
    fn no_control_character_leaves() {
        let parameters = ["service_name", "port_name", "pset_name", "stringtag", "argv", "array_of_argv", "soft"];
        let texts = ["key", "value", "datarep", "comm_name", "win_name", "type_name", "name"];
        for what in parameters.into_iter().chain(texts) {
            for (character, name) in [('\n', "a newline"), ('\r', "0x0d"), ('\t', "0x09"), ('\x1b', "0x1b")] {
                let error = check(what, &format!("1{character}2")).unwrap_err();
                assert!(error.text.contains("character 2 is") && error.text.contains(name), "{}", error.text);
            }
            assert!(check(what, "\u{85}").is_err(), "{what}: a newline of Unicode's");
        }
    }

    #[test]
    fn an_error_string_may_have_lines_which_the_library_gets_as_one() {
        check("string", "two\n\tlines").unwrap();
        for text in ["1\r2", "1\x1b2", "\u{85}"] {
            refused("string", text, MPI_ERR_ARG, &["control character"]);
        }
        assert_eq!(as_line(c"two\n\tlines").as_deref(), Some(c"two\\n\\tlines"));
        assert_eq!(as_line(c"one line"), None);
        let long = CString::new(vec![b'\n'; MPI_MAX_ERROR_STRING as usize - 1]).unwrap();
        assert_eq!(as_line(&long).unwrap().count_bytes(), MPI_MAX_ERROR_STRING as usize - 1);
    }

    #[test]
    fn what_separates_in_a_launchers_line_is_refused_there() {
        refused("service_name", "x port=y", MPI_ERR_ARG, &["character 2 is a space"]);
        refused("service_name", "x=y", MPI_ERR_ARG, &["`=`"]);
        refused("service_name", "", MPI_ERR_ARG, &["empty"]);
        refused("port_name", "a;cmd=abort", MPI_ERR_PORT, &["`;`"]);
        refused("argv", "a;b", MPI_ERR_ARG, &["character 2 is `;`"]);
        refused("argv", r"a\b", MPI_ERR_ARG, &[r"`\`"]);
        refused("soft", "1 execname=/bin/sh", MPI_ERR_INFO_VALUE, &["character 3 is `e`", "numbers"]);
    }

    #[test]
    fn any_text_is_a_word_of_its_own() {
        let words = [c"a tag of ours", c"a_tag", c"100%", c"100%25", c"x=y;z", c"", c"%", c"größe"];
        let words: Vec<_> = words.iter().map(|text| as_word(text)).collect();
        for (at, word) in words.iter().enumerate() {
            let word = word.to_str().unwrap();
            assert!(!word.is_empty() && word.chars().all(|character| Form::Key.takes(character)), "{word}");
            assert!(words[..at].iter().all(|other| other.to_str() != Ok(word)), "{word}");
        }
        assert_eq!(as_word(c"a tag of ours").to_str(), Ok("a%20tag%20of%20ours"));
    }

    #[test]
    fn lengths_have_limits() {
        refused("service_name", &"s".repeat(257), MPI_ERR_ARG, &["257 bytes"]);
        refused("port_name", &"p".repeat(1024), MPI_ERR_PORT, &["1024 bytes"]);
        refused("key", &"k".repeat(257), MPI_ERR_INFO_KEY, &["257"]);
        refused("value", &"v".repeat(1025), MPI_ERR_INFO_VALUE, &["1025"]);
        refused("string", &"x".repeat(512), MPI_ERR_ARG, &["512"]);
    }

    #[test]
    fn what_programs_pass_goes_through() {
        for (what, text) in [
            ("service_name", "rankine-service/2"),
            ("port_name", "tag#0$connentry#00C0A8=+/$"),
            ("argv", "--title=a run of two words"),
            ("argv", "größe"),
            ("key", "romio cb_write"),
            ("value", r"striping; a=b\c"),
            ("value", ""),
            ("soft", "0:8:2, 3,-1"),
            ("pset_name", "mpi://WORLD"),
            ("stringtag", "a tag of several words"),
            ("comm_name", "ocean; row=3 \u{fffd}"),
            ("filename", "a\nfile"),
        ] {
            assert!(check(what, text).is_ok(), "{what} {text:?}");
        }
    }
}
