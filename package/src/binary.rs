//! A binary of `rankine`: the kind of machine that it is for, and the C library that it asks for.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::files;

/// The kinds of machines that a binary is linked for here, with an old C library.
pub const PORTABLE: [&str; 3] = ["x86_64", "aarch64", "riscv64"];

/// The binary that is built for this machine.
pub fn own(clone: &Path) -> PathBuf {
    clone.join("target/release/rankine")
}

/// The binary that is linked for an old C library.
pub fn portable(clone: &Path, kind: &str) -> PathBuf {
    let machine = if kind == "riscv64" { "riscv64gc" } else { kind };
    clone.join(format!("target/{machine}-unknown-linux-gnu/release/rankine"))
}

/// Whether a binary runs here.
pub fn runs(binary: &Path) -> bool {
    // A path, and not a name to look for.
    let path = std::path::absolute(binary).unwrap_or_default();
    files::output(Command::new(path).arg("--version")).is_ok()
}

/// The kind of machine that a binary is for, as its systems call it.
pub fn kind(binary: &Path) -> Result<&'static str> {
    let bytes = files::read(binary).context("build it first: cargo build --release")?;
    match kind_in(&bytes) {
        Some(kind) => Ok(kind),
        None if runs(binary) => Ok(std::env::consts::ARCH),
        None => bail!("{} is not a binary of rankine for Linux", binary.display()),
    }
}

fn kind_in(bytes: &[u8]) -> Option<&'static str> {
    // ELF's class, the order of bytes, and the machine.
    match (bytes.get(4..6)?, bytes.get(18..20)?) {
        ([2, 1], [0x3e, 0]) => Some("x86_64"),
        ([2, 1], [0xb7, 0]) => Some("aarch64"),
        ([2, 1], [0xf3, 0]) => Some("riscv64"),
        ([2, 2], [0, 0x16]) => Some("s390x"),
        _ => None,
    }
}

/// What Debian calls a kind of machine.
pub fn debian(kind: &str) -> &str {
    match kind {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        kind => kind,
    }
}

/// The newest version of glibc that a binary asks for; not less than it is, whatever else the file says.
pub fn glibc(bytes: &[u8]) -> Result<String> {
    const NAME: &[u8] = b"GLIBC_2.";
    let versions = bytes.windows(NAME.len()).enumerate().filter(|(_, window)| *window == NAME);
    let newest = versions.filter_map(|(at, _)| numbers(&bytes[at + NAME.len()..])).max();
    let (minor, patch) =
        newest.context("the binary asks for no version of glibc: packages are for systems that have it")?;
    Ok(patch.map_or(format!("2.{minor}"), |patch| format!("2.{minor}.{patch}")))
}

/// One number, or two with a point between.
fn numbers(text: &[u8]) -> Option<(u32, Option<u32>)> {
    let number = |text: &[u8]| {
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        Some((std::str::from_utf8(&text[..digits]).ok()?.parse().ok()?, digits))
    };
    let (minor, digits) = number(text)?;
    let patch = text[digits..].strip_prefix(b".").and_then(number);
    Some((minor, patch.map(|(patch, _)| patch)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_c_library_counts() {
        let newest = |text: &str| glibc(text.as_bytes()).ok();
        assert_eq!(newest("GLIBC_2.4 GLIBC_2.28\0GLIBC_2.3.4\0GLIBC_PRIVATE").as_deref(), Some("2.28"));
        assert_eq!(newest("GLIBC_2.2.5\0GLIBC_2.2.").as_deref(), Some("2.2.5"));
        assert_eq!(newest("GLIBC_2. GLIBCXX_3.4 GLIBC_2.99999999999"), None);
    }

    #[test]
    fn kinds_are_told_by_the_head() {
        let head =
            |class, order, machine: [u8; 2]| [&[0x7f, b'E', b'L', b'F', class, order][..], &[0; 12], &machine].concat();
        assert_eq!(kind_in(&head(2, 1, [0x3e, 0])), Some("x86_64"));
        assert_eq!(kind_in(&head(2, 1, [0xf3, 0])).map(debian), Some("riscv64"));
        assert_eq!(kind_in(&head(2, 2, [0, 0x16])), Some("s390x"));
        assert_eq!(kind_in(&head(1, 1, [0x3e, 0])), None);
        assert_eq!(kind_in(b"#!/bin/sh"), None);
    }

    #[test]
    fn what_is_no_binary_is_named() {
        let text = format!("{:#}", kind(Path::new("/nowhere/rankine")).unwrap_err());
        assert!(
            text.contains("cargo build --release") && text.contains("cannot read /nowhere/rankine: No such file"),
            "{text}"
        );
        let text = format!("{:#}", kind(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))).unwrap_err());
        assert!(text.ends_with("Cargo.toml is not a binary of rankine for Linux"), "{text}");
    }
}
