//! The Meson cross file. It can't say where it lies, so it names the SDK's folder, and is laid out again when that has moved.

use super::Sdk;
use crate::embedded::{self, MESON};
use crate::{find, folder, key};
use anyhow::Result;
use std::path::{Path, PathBuf};

/// The cross file for the SDK under its stable name, laid out if it is not there yet.
pub fn meson_cross_file(sdk: &Sdk) -> Result<PathBuf> {
    const NAME: &str = "rankine-cross.ini";
    let text = text(sdk.root());
    let (root, link) = (key::place("meson", &text)?, find::data_dir()?.join("meson"));
    folder::make_once(&root, |draft| folder::write(&draft.join(NAME), &text))?;
    folder::stable_link(&root, &link)?;
    Ok(link.join(NAME))
}

fn text(sdk: &Path) -> String {
    embedded::file(&MESON, "rankine-cross.ini").replace("@RANKINE_SDK@", &sdk.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_named_by_where_the_sdk_lies() {
        let text = text(Path::new("/data/sdk"));
        assert!(text.contains("c = '/data/sdk/bin/mpicc'") && !text.contains("@RANKINE_SDK@"), "{text}");
    }
}
