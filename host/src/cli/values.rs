//! Values of options, as they are written.

use std::time::Duration;

use crate::grants::{Access, Folder};

/// How many ranks.
pub(super) fn parse_ranks(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("a number of ranks is 1 or more".into()),
        // Ranks are 32-bit in MPI, and addresses end long before that.
        Ok(ranks) if ranks > 1 << 20 => Err("that is more than a process can hold".into()),
        Ok(ranks) => Ok(ranks),
    }
}

/// How many threads a rank has.
pub(super) fn parse_threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=1024) => Ok(threads),
        _ => Err("a number of threads is 1 to 1024".into()),
    }
}

/// A folder that is granted, `HOST` or `HOST::GUEST`.
pub(super) fn parse_folder(text: &str) -> Result<Folder, String> {
    let (host, guest) = text.split_once("::").unwrap_or((text, text));
    if host.is_empty() || guest.is_empty() {
        return Err("give a folder, and after :: the name that the program sees".into());
    }
    Ok(Folder { host: host.into(), guest: guest.into(), access: Access::ReadWrite })
}

/// The same, to be read.
pub(super) fn parse_read_only_folder(text: &str) -> Result<Folder, String> {
    Ok(Folder { access: Access::ReadOnly, ..parse_folder(text)? })
}

/// A variable, `NAME=VALUE` or `NAME`, which is passed on.
pub(super) fn parse_variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some(("", _)) => Err("a variable needs a name".into()),
        Some((name, value)) => Ok((name.into(), value.into())),
        None => match std::env::var(text) {
            Ok(value) => Ok((text.into(), value)),
            Err(_) => Err(format!("{text} is not set here; give its value as {text}=VALUE")),
        },
    }
}

/// A number of bytes with a binary unit: 65536, 512M, 2GiB.
pub(super) fn parse_size(text: &str) -> Result<usize, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let shift = match text[digits..].to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        _ => return Err("a size is a number and K, M or G".into()),
    };
    let number: usize = text[..digits].parse().map_err(|_| "a size is a number and K, M or G")?;
    number.checked_mul(1 << shift).ok_or_else(|| "that is too large".into())
}

/// The size of a stack for calls.
pub(super) fn parse_stack(text: &str) -> Result<usize, String> {
    const LEAST: usize = 64 << 10;
    const MOST: usize = 4 << 30;
    let bytes = parse_size(text)?;
    if (LEAST..=MOST).contains(&bytes) { Ok(bytes) } else { Err("a call stack has from 64K to 4G".into()) }
}

/// A time limit.
pub(super) fn parse_seconds(text: &str) -> Result<Duration, String> {
    match text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()) {
        Some(time) if !time.is_zero() => Ok(time),
        _ => Err("a time limit is a number of seconds above 0".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_binary_units() {
        assert_eq!(parse_size("65536"), Ok(65536));
        assert_eq!(parse_size("512M"), Ok(512 << 20));
        assert_eq!(parse_size("2GiB"), Ok(2 << 30));
        assert!(parse_size("").is_err() && parse_size("M").is_err() && parse_size("1.5G").is_err());
        assert!(parse_size("99999999999999G").is_err());
    }

    #[test]
    fn folders_and_variables() {
        let folder = |guest: &str, access| Folder { host: "a".into(), guest: guest.into(), access };
        assert_eq!(parse_folder("a::/b").unwrap(), folder("/b", Access::ReadWrite));
        assert_eq!(parse_folder("a").unwrap(), folder("a", Access::ReadWrite));
        assert_eq!(parse_read_only_folder("a::/b").unwrap(), folder("/b", Access::ReadOnly));
        assert!(parse_folder("::b").is_err() && parse_read_only_folder("b::").is_err());
        assert_eq!(parse_variable("A=b=c"), Ok(("A".into(), "b=c".into())));
        assert!(parse_variable("=x").is_err());
    }
}
