//! What a file is that is to be loaded as a library, as far as its first bytes tell: the loader's own words do not say what
//! to do.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Says why a file is no library for this machine, in words that follow its name.
pub(super) fn check(path: &Path) -> Result<(), String> {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(20).read_to_end(&mut start));
    read.map_err(|error| format!("cannot be read: {error}"))?;
    // Elsewhere libraries have another format, and the loader has the last word.
    if cfg!(target_os = "linux") { check_start(&start) } else { Ok(()) }
}

const SHARED_OBJECT: u16 = 3;

fn check_start(start: &[u8]) -> Result<(), String> {
    let Some(header) = start.first_chunk::<20>().filter(|header| header.starts_with(b"\x7fELF")) else {
        return Err(match start {
            [b'!', b'<', ..] => {
                "is an archive for linkers, and no shared library: name the file that ends in .so".into()
            }
            [b'/', b'*', ..] => "is a script for linkers: name the library that it leads to".into(),
            [b'\0', b'a', b's', b'm', ..] => "is a WebAssembly module, and no native library".into(),
            _ => "is no shared library: it does not begin as one".into(),
        });
    };
    let word = |at: usize| {
        let bytes = [header[at], header[at + 1]];
        if header[5] == 2 { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) }
    };
    let (bits, is_little, machine) = (header[4], header[5] == 1, word(18));
    let is_this = [(62, "x86_64"), (183, "aarch64"), (243, "riscv64"), (21, "powerpc64"), (22, "s390x")]
        .contains(&(machine, std::env::consts::ARCH));
    if bits != 2 || is_little != cfg!(target_endian = "little") || !is_this {
        return Err(format!(
            "is a library for {}, and this machine is {}",
            name(machine, bits),
            std::env::consts::ARCH
        ));
    }
    if word(16) != SHARED_OBJECT {
        return Err("is no shared library, but a program or an object file: name the file that ends in .so".into());
    }
    Ok(())
}

/// What a machine is called.
fn name(machine: u16, bits: u8) -> String {
    match (machine, bits) {
        (3, _) => "x86 with 32 bits".into(),
        (62, 2) => "x86_64".into(),
        (62, _) => "x86_64 with short pointers".into(),
        (40, _) => "Arm with 32 bits".into(),
        (183, _) => "aarch64".into(),
        (243, _) => "RISC-V".into(),
        (20 | 21, _) => "PowerPC".into(),
        (22, _) => "s390x".into(),
        (other, _) => format!("another architecture (number {other})"),
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
            (header(here, SHARED_OBJECT)[..19].to_vec(), "is no shared library"),
            (Vec::new(), "is no shared library"),
        ] {
            let error = check_start(&bytes).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }
}
