//! The SDK's files for Rust guests: crates that stand in for those of crates.io which ask for a native MPI, and a cargo
//! configuration that puts them in their place. They travel in the binary and are laid out in the data folder when
//! asked for; they need neither clang nor the sysroot.

use crate::embedded::{self, CRATES};
use crate::find;
use crate::folder::{self, shell_quote};
use anyhow::{Context as _, Result};
use std::env;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

/// The cargo configuration, laid out with all it names if it is not there yet.
pub fn cargo_config() -> Result<PathBuf> {
    let exe = env::current_exe().context("where is this executable?")?;
    let data = find::data_dir()?;
    let texts = texts();
    let mut hasher = DefaultHasher::new();
    (&texts, &exe, &data).hash(&mut hasher);
    let root = data.join(format!("rust-{:016x}", hasher.finish()));
    let link = data.join("rust");
    folder::make_once(&root, |draft| {
        folder::write_all(draft, texts.iter().map(|(path, text)| (path.as_path(), *text)))?;
        let exe = shell_quote(&exe.to_string_lossy());
        let runner = format!("#!/bin/sh\nexec {exe} run -n \"${{RANKINE_RANKS:-1}}\" --dir . \"$@\"\n");
        folder::write_script(&draft.join("run-guest"), &runner)?;
        folder::write(&draft.join("cargo-config.toml"), &configuration(&link))
    })?;
    folder::stable_link(&root, &link)?;
    Ok(link.join("cargo-config.toml"))
}

/// The files of the crates, by their paths.
fn texts() -> Vec<(PathBuf, &'static str)> {
    let mut texts = Vec::new();
    for crate_ in &CRATES {
        let folder = Path::new(crate_.path);
        texts.push((folder.join("Cargo.toml"), crate_.manifest));
        let sources = embedded::files(&crate_.sources).into_iter();
        texts.extend(sources.map(|(path, text)| (folder.join("src").join(path), text)));
    }
    texts
}

/// It will lie in the folder `link`.
fn configuration(link: &Path) -> String {
    // A string of TOML is written as one of Rust, as far as paths go.
    let path = |name: &str| format!("{:?}", link.join(name).display().to_string());
    format!(
        "# For guests of Rankine: cargo --config \"$(rankine sdk cargo-config)\" build --target wasm32-wasip1\n\
         [patch.crates-io]\n\
         mpi-sys = {{ path = {} }}\n\
         libffi = {{ path = {} }}\n\n\
         # cargo run and cargo test; RANKINE_RANKS says how many ranks.\n\
         [target.'cfg(target_os = \"wasi\")']\n\
         runner = [{}]\n",
        path("patch/mpi-sys"),
        path("patch/libffi"),
        path("run-guest")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The configuration replaces crates by those that are laid out, and these depend on nothing else.
    #[test]
    fn every_path_leads_to_a_crate() {
        let texts = texts();
        let manifest = |folder: &Path| {
            let path = folder.join("Cargo.toml");
            let text = texts.iter().find_map(|(known, text)| (*known == path).then_some(text));
            text.unwrap_or_else(|| panic!("no {}", path.display())).parse::<toml::Table>().unwrap()
        };
        let configuration: toml::Table = configuration(Path::new("")).parse().unwrap();
        for (name, patch) in configuration["patch"]["crates-io"].as_table().unwrap() {
            let folder = Path::new(patch["path"].as_str().unwrap());
            let manifest = manifest(folder);
            assert_eq!(manifest["package"]["name"].as_str(), Some(name.as_str()));
            assert!(texts.iter().any(|(path, _)| *path == folder.join("src/lib.rs")), "{name}");
        }
        let raw = &manifest(Path::new("patch/mpi-sys"))["dependencies"]["raw"];
        assert_eq!(raw["path"].as_str(), Some("../../mpi-sys"));
        assert_eq!(manifest(Path::new("mpi-sys"))["package"]["name"], raw["package"]);
    }

    #[test]
    fn the_configuration_is_toml() {
        let text = configuration(Path::new("/home/o'hara \"x\"/data/rust"));
        let config: toml::Table = text.parse().unwrap();
        let patch = &config["patch"]["crates-io"]["mpi-sys"]["path"];
        assert_eq!(patch.as_str(), Some("/home/o'hara \"x\"/data/rust/patch/mpi-sys"));
    }
}
