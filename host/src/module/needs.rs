//! What a program says it needs: the call stack, in a section of its module (`rankine cc -Wl,-z,call-stack=BYTES`).
//!
//! It is read before anything else of the module, as engines are made for a size. So only the heads of sections are, and what
//! is wrong with a module is said when it is loaded.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::Path;

use anyhow::{Result, ensure};
use rankine_abi::{CALL_STACK, MOST_CALL_STACK};

/// How a module begins.
const MAGIC: [u8; 8] = *b"\0asm\x01\0\0\0";
/// Sections that are looked at: a module has some dozens.
const MOST_SECTIONS: usize = 4096;
/// The longest first line of a program that is started by its name.
const LONGEST_LINE: u64 = 512;

/// What the program in a file needs, if it says so.
pub(crate) fn call_stack(file: &Path) -> Result<Option<usize>> {
    // A pipe would give its bytes to whoever reads first.
    if !file.is_file() {
        return Ok(None);
    }
    let found = File::open(file).and_then(|file| read(BufReader::new(file)));
    let Some(bytes) = found.ok().flatten() else { return Ok(None) };
    ensure!(
        bytes <= MOST_CALL_STACK,
        "{} says that it needs a call stack of {bytes} bytes, and a program may ask for {MOST_CALL_STACK}; \
         --call-stack SIZE gives it what you say",
        file.display()
    );
    Ok(usize::try_from(bytes).ok())
}

/// The last such section counts, as the last one of a module was written last.
fn read(mut module: BufReader<impl Read + Seek>) -> io::Result<Option<u64>> {
    if module.fill_buf()?.starts_with(b"#!") {
        module.by_ref().take(LONGEST_LINE).skip_until(b'\n')?;
    }
    let mut magic = [0; MAGIC.len()];
    module.read_exact(&mut magic)?;
    if magic != MAGIC {
        return Ok(None);
    }
    let mut found = None;
    for _ in 0..MOST_SECTIONS {
        if module.fill_buf()?.is_empty() {
            break;
        }
        let (kind, length) = (byte(&mut module)?, number(&mut module)?);
        let mut left = length;
        if kind == 0 && length == (1 + CALL_STACK.len() + size_of::<u64>()) as u64 {
            found = named(&mut module)?.or(found);
            left = 0;
        }
        module.seek_relative(left as i64)?;
    }
    Ok(found)
}

/// What a section of that length says, if it is ours.
fn named(module: &mut impl Read) -> io::Result<Option<u64>> {
    let (mut name, mut number) = ([0; 1 + CALL_STACK.len()], [0; size_of::<u64>()]);
    module.read_exact(&mut name)?;
    module.read_exact(&mut number)?;
    let is_ours = usize::from(name[0]) == CALL_STACK.len() && &name[1..] == CALL_STACK.as_bytes();
    Ok(is_ours.then_some(u64::from_le_bytes(number)))
}

fn byte(module: &mut impl Read) -> io::Result<u8> {
    let mut byte = [0];
    module.read_exact(&mut byte)?;
    Ok(byte[0])
}

/// A number of at most 32 bits, in LEB128.
fn number(module: &mut impl Read) -> io::Result<u64> {
    let mut number = 0;
    for shift in (0..35).step_by(7) {
        let byte = byte(module)?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err(io::ErrorKind::InvalidData.into())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn section(name: &str, content: &[u8]) -> Vec<u8> {
        let length = u8::try_from(1 + name.len() + content.len()).unwrap();
        // The length in two bytes, as some tools write it.
        [&[0, length | 0x80, 0, name.len() as u8], name.as_bytes(), content].concat()
    }

    fn read_bytes(bytes: Vec<u8>) -> Option<u64> {
        read(BufReader::new(Cursor::new(bytes))).ok().flatten()
    }

    fn found(sections: &[Vec<u8>]) -> Option<u64> {
        read_bytes([&MAGIC[..], &sections.concat()].concat())
    }

    #[test]
    fn the_section_is_found_among_others() {
        let ours = |bytes: u64| section(CALL_STACK, &bytes.to_le_bytes());
        let other = section("rankine.null-page", &[]);
        assert_eq!(found(&[other.clone(), ours(1 << 24), other.clone()]), Some(1 << 24));
        assert_eq!(found(&[ours(7), ours(8)]), Some(8));
        assert_eq!(read_bytes([b"#!/bin/rankine run\n", &MAGIC[..], &ours(9)].concat()), Some(9));
        assert_eq!(found(&[other, section("rankine.call-stacc", &[1; 8])]), None);
    }

    #[test]
    fn what_is_no_module_says_nothing() {
        assert_eq!(found(&[section(CALL_STACK, &[1; 7])]), None);
        let cut = section(CALL_STACK, &[1; 8]);
        assert_eq!(found(&[cut[..cut.len() - 1].to_vec()]), None);
        assert_eq!(read_bytes(b"(module)".to_vec()), None);
        assert_eq!(read_bytes(b"#!/bin/sh".to_vec()), None);
        // Nobody looks at more sections than a module has.
        assert_eq!(found(&[vec![0; 2 * MOST_SECTIONS], section(CALL_STACK, &[1; 8])]), None);
        // A section longer than the file, and a length without end.
        assert_eq!(found(&[vec![1, 0xff, 0xff, 0xff, 0xff, 0x0f]]), None);
        assert_eq!(found(&[vec![1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]]), None);
    }

    #[test]
    fn a_module_that_asks_for_too_much_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let ask = |bytes: u64| {
            let section = section(CALL_STACK, &bytes.to_le_bytes());
            std::fs::write(file.path(), [&MAGIC[..], &section].concat()).unwrap();
            call_stack(file.path())
        };
        assert_eq!(ask(1 << 24).unwrap(), Some(1 << 24));
        assert!(ask(u64::MAX).unwrap_err().to_string().contains(&file.path().display().to_string()));
        assert_eq!(call_stack(Path::new("/no/such/file")).unwrap(), None);
    }
}
