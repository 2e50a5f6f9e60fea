//! The null page: a program leaves the lowest 64 KiB of its memory alone, and says so, and the host makes a trap of any
//! access there.
//!
//! wasm-ld puts the stack first, from address 0 on. So the stack gets as much more as the page takes from its end, and what
//! the program was given stays its own. Where data may lie there, because the user says where things go, nothing is done.

use anyhow::{Context as _, Result};
use rankine_abi::NULL_PAGE;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

/// Bytes of the page.
const BYTES: u64 = 1 << 16;

/// Makes room below the stack of a program that is to be linked; says whether the null page is free then.
pub(super) fn leave(arguments: &mut Vec<OsString>) -> bool {
    let words: Vec<_> = arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let is_moved = |word: &String| {
        let word = word.trim_start_matches('-');
        word.starts_with("global-base") || matches!(word, "no-stack-first" | "pie" | "shared" | "Bshareable")
    };
    if !words.iter().any(|word| word == "--stack-first") || words.iter().any(is_moved) {
        return false;
    }
    // The last one counts.
    let mut size = None;
    for (at, word) in words.iter().enumerate() {
        let named = match word.strip_prefix("-z") {
            Some("") => words.get(at + 1).map(String::as_str),
            other => other,
        };
        size = named.and_then(|named| named.strip_prefix("stack-size=")).map(number).or(size);
    }
    let Some(size) = size.flatten().and_then(|size| size.checked_add(BYTES)) else { return false };
    arguments.extend(["-z".into(), format!("stack-size={size}").into()]);
    true
}

/// A number as wasm-ld reads it.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        // An octal one.
        None if text.len() > 1 && text.starts_with('0') => None,
        None => text.parse().ok(),
    }
}

/// Has a program say that it leaves the page alone: a section without content.
pub(super) fn mark(program: &Path) -> Result<()> {
    let failed = || format!("cannot write {}", program.display());
    OpenOptions::new().append(true).open(program).and_then(|mut file| file.write_all(&section())).with_context(failed)
}

fn section() -> Vec<u8> {
    const CUSTOM: u8 = 0;
    let name = NULL_PAGE.as_bytes();
    // Both lengths are below 128, and so a byte each.
    [&[CUSTOM, name.len() as u8 + 1, name.len() as u8], name].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    fn left(line: &str) -> Option<String> {
        let mut arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let before = arguments.len();
        leave(&mut arguments).then(|| arguments.split_off(before).join(OsStr::new(" ")).into_string().unwrap())
    }

    #[test]
    fn a_program_keeps_the_stack_that_it_was_given() {
        let line = "a.o -z stack-size=8388608 --stack-first -o a.wasm";
        assert_eq!(left(line).as_deref(), Some("-z stack-size=8454144"));
        let of_user = format!("{line} -z stack-size=0x10000");
        assert_eq!(left(&of_user).as_deref(), Some("-z stack-size=131072"));
        let joined = format!("{line} -zstack-size=32768");
        assert_eq!(left(&joined).as_deref(), Some("-z stack-size=98304"));
    }

    #[test]
    fn what_lies_elsewhere_stays_there() {
        let line = "a.o -z stack-size=8388608 --stack-first";
        for more in ["--global-base=1024", "--no-stack-first", "-z stack-size=a", "-z stack-size=010", "-shared"] {
            assert_eq!(left(&format!("{line} {more}")), None, "{more}");
        }
        assert_eq!(left("a.o -z stack-size=8388608"), None);
        assert_eq!(left("a.o --stack-first"), None);
    }

    #[test]
    fn a_marked_program_is_a_module() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("a.wasm");
        std::fs::write(&program, b"\0asm\x01\0\0\0").unwrap();
        mark(&program).unwrap();
        let bytes = std::fs::read(&program).unwrap();
        assert!(wasmparser::Validator::new().validate_all(&bytes).is_ok());
        assert!(bytes.ends_with(b"rankine.null-page"));
    }
}
