//! What gdb reads to know a guest's pointers: it travels in the binary and is laid out in the data folder when asked
//! for, without clang and the sysroot.

use crate::embedded::{self, GDB};
use crate::find;
use crate::folder;
use crate::key;
use anyhow::Result;
use std::path::PathBuf;

/// The script, laid out if it is not there yet.
pub fn gdb_script() -> Result<PathBuf> {
    const NAME: &str = "rankine.py";
    let data = find::data_dir()?;
    let text = embedded::file(&GDB, NAME);
    let (root, link) = (data.join(key::name("gdb", text)), data.join("gdb"));
    folder::make_once(&root, |draft| folder::write(&draft.join(NAME), text))?;
    folder::stable_link(&root, &link)?;
    Ok(link.join(NAME))
}
