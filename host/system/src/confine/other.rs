//! Systems without Landlock and seccomp: there is no second wall here, and `--verbose` and `rankine doctor` say so.

use anyhow::Result;

use super::{Needs, Standing};

pub(super) fn up(_: &Needs) -> Result<Standing> {
    Ok(Standing::default())
}

pub(super) fn other_threads() -> Vec<String> {
    Vec::new()
}

pub(super) fn available() -> Standing {
    Standing::default()
}
