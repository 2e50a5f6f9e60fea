//! The call stack that a program needs, as whoever links it says: `-z call-stack=BYTES`. The host gives it that much, unless
//! its user says otherwise.

use anyhow::{Context as _, Result, bail};
use rankine_abi::{CALL_STACK, MOST_CALL_STACK};
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

/// Takes the words out that are for us; the last number counts.
pub(super) fn take(arguments: &mut Vec<OsString>) -> Result<Option<u64>> {
    let mut wanted = None;
    while let Some(at) = arguments.iter().position(|word| value(word).is_some()) {
        wanted = value(&arguments.remove(at)).map(|text| number(&text)).transpose()?;
        if at > 0 && arguments[at - 1] == "-z" {
            arguments.remove(at - 1);
        }
    }
    Ok(wanted)
}

fn value(word: &OsString) -> Option<String> {
    let word = word.to_str()?;
    word.strip_prefix("-z").unwrap_or(word).strip_prefix("call-stack=").map(str::to_owned)
}

fn number(text: &str) -> Result<u64> {
    match text.parse() {
        Ok(bytes) if (1..=MOST_CALL_STACK).contains(&bytes) => Ok(bytes),
        _ => bail!("-z call-stack={text}: a number of bytes, up to {MOST_CALL_STACK}"),
    }
}

/// Has a program say it: a section whose content is the number.
pub(super) fn mark(program: &Path, bytes: u64) -> Result<()> {
    let failed = || format!("cannot write {}", program.display());
    OpenOptions::new()
        .append(true)
        .open(program)
        .and_then(|mut file| file.write_all(&section(bytes)))
        .with_context(failed)
}

fn section(bytes: u64) -> Vec<u8> {
    const CUSTOM: u8 = 0;
    let (name, number) = (CALL_STACK.as_bytes(), bytes.to_le_bytes());
    // Both lengths are below 128, and so a byte each.
    let length = (1 + name.len() + number.len()) as u8;
    [&[CUSTOM, length, name.len() as u8], name, &number].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    fn taken(line: &str) -> (Option<u64>, String) {
        let mut arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let wanted = take(&mut arguments).unwrap();
        (wanted, arguments.join(OsStr::new(" ")).into_string().unwrap())
    }

    #[test]
    fn the_last_number_counts_and_the_linker_sees_none() {
        assert_eq!(taken("a.o -z stack-size=9 -o a"), (None, "a.o -z stack-size=9 -o a".into()));
        assert_eq!(taken("-z call-stack=7 a.o -zcall-stack=8 -o a"), (Some(8), "a.o -o a".into()));
        for wrong in ["call-stack=", "call-stack=16M", "call-stack=0", "call-stack=1099511627776"] {
            take(&mut vec!["-z".into(), wrong.into()]).unwrap_err();
        }
    }

    #[test]
    fn a_marked_program_is_a_module() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("a.wasm");
        std::fs::write(&program, b"\0asm\x01\0\0\0").unwrap();
        mark(&program, 1 << 24).unwrap();
        let bytes = std::fs::read(&program).unwrap();
        assert!(wasmparser::Validator::new().validate_all(&bytes).is_ok());
        assert!(bytes.ends_with(b"rankine.call-stack\0\0\0\x01\0\0\0\0"));
    }
}
