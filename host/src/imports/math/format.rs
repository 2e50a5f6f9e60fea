//! What a file is that is to be loaded as a library, as far as its first bytes tell: the loader's own words do not say what
//! to do.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use rankine_system::elf::Head;

/// Says why a file is no library for this machine, in words that follow its name.
pub(super) fn check(path: &Path) -> Result<(), String> {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(Head::LENGTH as u64).read_to_end(&mut start));
    read.map_err(|error| format!("cannot be read: {error}"))?;
    // Elsewhere libraries have another format, and the loader has the last word.
    if cfg!(target_os = "linux") { check_start(&start) } else { Ok(()) }
}

const SHARED_OBJECT: u16 = 3;

fn check_start(start: &[u8]) -> Result<(), String> {
    let Some(head) = Head::read(start) else {
        return Err(match start {
            [b'!', b'<', ..] => {
                "is an archive for linkers, not a shared library: name the file that ends in .so".into()
            }
            [b'/', b'*', ..] => "is a script for linkers: name the library that it leads to".into(),
            [b'\0', b'a', b's', b'm', ..] => "is a WebAssembly module, not a native library".into(),
            _ => "is not a shared library: it does not begin as one".into(),
        });
    };
    let here = std::env::consts::ARCH;
    if head.is_little != cfg!(target_endian = "little") || head.architecture() != Some(here) {
        return Err(format!("is a library for {}, and this machine is {here}", name(&head)));
    }
    if head.kind != SHARED_OBJECT {
        return Err("is not a shared library, but a program or an object file: name the file that ends in .so".into());
    }
    Ok(())
}

/// What a machine is called.
fn name(head: &Head) -> String {
    match (head.architecture(), head.machine) {
        (Some(known), _) => known.into(),
        (_, 3) => "x86 with 32 bits".into(),
        (_, 62) => "x86_64 with short pointers".into(),
        (_, 40) => "Arm with 32 bits".into(),
        (_, 243) => "RISC-V with 32 bits".into(),
        (_, 20) => "PowerPC with 32 bits".into(),
        (_, other) => format!("another architecture (number {other})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(machine: u16, kind: u16) -> Vec<u8> {
        let mut header = b"\x7fELF\x02\x01\x01".to_vec();
        header.resize(16, 0);
        header.extend([kind.to_le_bytes(), machine.to_le_bytes()].concat());
        header
    }

    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[test]
    fn what_is_no_library_is_said_in_words() {
        let (here, elsewhere) = if cfg!(target_arch = "x86_64") { (62, 183) } else { (183, 62) };
        assert_eq!(check_start(&header(here, SHARED_OBJECT)), Ok(()));
        for (bytes, words) in [
            (header(elsewhere, SHARED_OBJECT), "and this machine is"),
            (header(3, SHARED_OBJECT), "x86 with 32 bits"),
            (header(here, 2), "a program or an object file"),
            (b"!<arch>\n".to_vec(), "an archive for linkers"),
            (b"/* GNU ld script */".to_vec(), "a script for linkers"),
            (b"\0asm\x01\0\0\0".to_vec(), "a WebAssembly module"),
            (header(here, SHARED_OBJECT)[..19].to_vec(), "is not a shared library"),
            (Vec::new(), "is not a shared library"),
        ] {
            let error = check_start(&bytes).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }
}
