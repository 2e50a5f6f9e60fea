//! Lines of the C library and of what the compiler calls, which Debian's have: 90 to 120 KB of a small program's file, and of use only
//! to who debugs it. They are left out of programs that have no lines of their own.

use crate::object_files;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use wasmparser::{Parser, Payload};

/// How the names of the compiler's own libraries begin.
const OF_COMPILER: &str = "libclang_rt.";

/// Has the linker leave lines out, where only what lies beneath these folders, or is the compiler's, has any.
pub(super) fn leave_out(arguments: &mut Vec<OsString>, not_own: &[PathBuf]) {
    let folders = object_files::folders(arguments);
    let of_option = |at: usize| at.checked_sub(1).is_some_and(|before| arguments[before] == "-o");
    // Whatever its name ends with.
    let named = |word: &OsString| Some(PathBuf::from(word)).filter(|path| path.is_file());
    let words = arguments.iter().enumerate().filter(|(at, _)| !of_option(*at));
    let mut files = words.filter_map(|(_, word)| object_files::file(word, &folders).or_else(|| named(word)));
    let is_of_compiler =
        |file: &Path| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(OF_COMPILER));
    let is_own = |file: &Path| !is_of_compiler(file) && !not_own.iter().any(|folder| file.starts_with(folder));
    if !files.any(|file| is_own(&file) && may_have_lines(&file)) {
        arguments.push("--strip-debug".into());
    }
}

/// Whether an object or an archive has lines; what can't be told may have some.
fn may_have_lines(file: &Path) -> bool {
    let Ok(bytes) = fs::read(file) else { return true };
    let members = object_files::members(&bytes);
    // LLVM's bitcode is not looked into; archives may be empty.
    if members.is_empty() {
        return !bytes.starts_with(b"!<arch>\n");
    }
    members.into_iter().any(|member| has_lines(&bytes[member]))
}

fn has_lines(object: &[u8]) -> bool {
    Parser::new(0).parse_all(object).any(|payload| match payload {
        Ok(Payload::CustomSection(section)) => section.name() == ".debug_info",
        Ok(_) => false,
        Err(_) => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module with one custom section.
    fn object(name: &str) -> Vec<u8> {
        let length = u8::try_from(name.len()).unwrap();
        [b"\0asm\x01\0\0\0\0".as_slice(), &[length + 1, length], name.as_bytes()].concat()
    }

    #[test]
    fn lines_are_kept_where_a_file_has_some() {
        let folder = tempfile::tempdir().unwrap();
        let (sysroot, own) = (folder.path().join("sysroot"), folder.path().join("own"));
        let write = |folder: &Path, name: &str, bytes: &[u8]| {
            fs::create_dir_all(folder).unwrap();
            fs::write(folder.join(name), bytes).unwrap();
            OsString::from(folder.join(name))
        };
        let libc = write(&sysroot, "libc.o", &object(".debug_info"));
        let builtins = write(&folder.path().join("clang"), "libclang_rt.builtins-wasm32.a", b"");
        let plain = write(&own, "plain.o", &object("name"));
        let lines = write(&own, "lines.o", &object(".debug_info"));
        let bitcode = write(&own, "bitcode.o", b"BC\xc0\xde");
        let empty = write(&own, "empty.a", b"!<arch>\n");
        let is_left_out = |files: &[&OsString]| {
            let mut arguments: Vec<OsString> = files.iter().map(|file| (*file).clone()).collect();
            leave_out(&mut arguments, std::slice::from_ref(&sysroot));
            arguments.last().is_some_and(|word| word == "--strip-debug")
        };
        assert!(is_left_out(&[&libc, &plain, &empty, &builtins]));
        assert!(!is_left_out(&[&libc, &plain, &lines]));
        assert!(!is_left_out(&[&libc, &bitcode]));
        let other = write(&own, "lines.lo", &object(".debug_info"));
        assert!(!is_left_out(&[&libc, &other]));
        assert!(is_left_out(&[&libc, &plain, &"-o".into(), &other]));
    }
}
