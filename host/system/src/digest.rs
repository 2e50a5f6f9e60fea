//! What a file is known by.

use std::io::{Read, Result, copy};

/// Bytes of the longest module that is read.
pub const LONGEST: u64 = 1 << 30;

/// The digest of what can be read.
pub fn digest(mut file: impl Read) -> Result<String> {
    let mut hasher = blake3::Hasher::new();
    copy(&mut file, &mut hasher)?;
    Ok(hasher.finalize().to_hex().to_string())
}
