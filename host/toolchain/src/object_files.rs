//! Object files and archives on a linker's command line.

use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The file that a word of a linker's command line names: an object, an archive, or what `-l` finds in the folders that
/// `-L` names.
pub(crate) fn file(word: &OsString, folders: &[PathBuf]) -> Option<PathBuf> {
    let text = word.to_str()?;
    if let Some(name) = text.strip_prefix("-l") {
        let mut places = folders.iter().map(|folder| folder.join(format!("lib{name}.a")));
        return places.find(|path| path.is_file());
    }
    (text.ends_with(".o") || text.ends_with(".a")).then(|| PathBuf::from(text))
}

/// The folders that `-L` names.
pub(crate) fn folders(arguments: &[OsString]) -> Vec<PathBuf> {
    let texts = arguments.iter().filter_map(|argument| argument.to_str());
    texts.filter_map(|text| text.strip_prefix("-L")).map(|folder| Path::new(folder).to_owned()).collect()
}

/// Where the objects in a file are: itself, or the members of an archive.
pub(crate) fn members(bytes: &[u8]) -> Vec<Range<usize>> {
    const SIGNATURE: &[u8] = b"!<arch>\n";
    const HEADER: usize = 60;
    let wasm = |range: &Range<usize>| bytes[range.clone()].starts_with(b"\0asm");
    if !bytes.starts_with(SIGNATURE) {
        return Some(0..bytes.len()).into_iter().filter(wasm).collect();
    }
    let mut found = Vec::new();
    let mut at = SIGNATURE.len();
    while let Some(header) = bytes.get(at..at + HEADER) {
        let size = std::str::from_utf8(&header[48..58]).ok().and_then(|size| size.trim().parse::<usize>().ok());
        let start = at + HEADER;
        let Some(end) = size.and_then(|size| start.checked_add(size)).filter(|end| *end <= bytes.len()) else { break };
        found.push(start..end);
        // Members begin at even places.
        at = end + (end - start) % 2;
    }
    found.into_iter().filter(wasm).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_are_looked_into() {
        let member = |name: &str, bytes: &[u8]| {
            let mut entry = format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 644, bytes.len()).into_bytes();
            entry.extend(bytes);
            entry.resize(entry.len() + bytes.len() % 2, b'\n');
            entry
        };
        let archive = [b"!<arch>\n".to_vec(), member("text", b"abc"), member("one.o", b"\0asm1")].concat();
        let found: Vec<&[u8]> = members(&archive).into_iter().map(|range| &archive[range]).collect();
        assert_eq!(found, [b"\0asm1"]);
        assert_eq!(members(b"\0asm22").len(), 1);
        assert!(members(b"ELF").is_empty());
    }
}
