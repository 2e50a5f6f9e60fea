//! The SDK's files for Rust guests: crates that stand in for those of crates.io which ask for a native MPI, and a cargo
//! configuration that puts them in their place. They travel in the binary and are laid out in the data folder when
//! asked for; they need neither clang nor the sysroot.

use super::sdk_files::{embed, make_public, publish, shell_quote, stable_link, write};
use super::toolchain;
use anyhow::{Context as _, Result};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Every file, by its path below `guest-sdk/`.
const FILES: &[(&str, &str)] = embed![
    "rust/mpi-sys/Cargo.toml",
    "rust/mpi-sys/src/callbacks.rs",
    "rust/mpi-sys/src/constants.rs",
    "rust/mpi-sys/src/functions.rs",
    "rust/mpi-sys/src/lib.rs",
    "rust/mpi-sys/src/types.rs",
    "rust/patch/libffi/Cargo.toml",
    "rust/patch/libffi/src/lib.rs",
    "rust/patch/libffi/src/low.rs",
    "rust/patch/libffi/src/middle.rs",
    "rust/patch/libffi/src/raw.rs",
    "rust/patch/libffi/src/tests.rs",
    "rust/patch/libffi/src/trampoline.rs",
    "rust/patch/mpi-sys/Cargo.toml",
    "rust/patch/mpi-sys/src/lib.rs",
];

/// The cargo configuration, laid out with all it names if it is not there yet.
pub fn cargo_config() -> Result<PathBuf> {
    let exe = env::current_exe().context("where is this executable?")?;
    let data = toolchain::data_dir()?;
    let mut hasher = DefaultHasher::new();
    (FILES, &exe, &data).hash(&mut hasher);
    let root = data.join(format!("rust-{:016x}", hasher.finish()));
    let link = data.join("rust");
    if !root.is_dir() {
        fs::create_dir_all(&data).with_context(|| format!("cannot create the data folder {}", data.display()))?;
        let draft = tempfile::Builder::new()
            .prefix(".rust-")
            .tempdir_in(&data)
            .with_context(|| format!("cannot write to the data folder {}", data.display()))?;
        write_files(draft.path(), &exe, &link)?;
        publish(draft, &root)?;
    }
    stable_link(&root, &link)?;
    Ok(link.join("cargo-config.toml"))
}

/// Writes everything to `root`; it will be known as `link`.
fn write_files(root: &Path, exe: &Path, link: &Path) -> Result<()> {
    make_public(root)?;
    for (path, text) in FILES {
        write(&root.join(path.trim_start_matches("rust/")), text)?;
    }
    let runner = root.join("run-guest");
    let exe = shell_quote(&exe.to_string_lossy());
    write(&runner, &format!("#!/bin/sh\nexec {exe} run -n \"${{RANKINE_RANKS:-1}}\" --dir . \"$@\"\n"))?;
    make_public(&runner)?;
    write(&root.join("cargo-config.toml"), &configuration(link))
}

fn configuration(link: &Path) -> String {
    // A string of TOML is written as one of Rust, as far as paths go.
    let path = |name: &str| format!("{:?}", link.join(name).display().to_string());
    format!(
        "# For guests of Rankine: cargo --config \"$(rankine sdk cargo-config)\" build --target wasm32-wasip1\n\
         [patch.crates-io]\n\
         mpi-sys = {{ path = {} }}\n\
         libffi = {{ path = {} }}\n\n\
         # cargo run and cargo test; RANKINE_RANKS says how many ranks.\n\
         [target.wasm32-wasip1]\n\
         runner = [{}]\n",
        path("patch/mpi-sys"),
        path("patch/libffi"),
        path("run-guest")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that is added but not listed would be missing from an installed binary only.
    #[test]
    fn every_file_is_embedded() {
        let sdk = Path::new(env!("CARGO_MANIFEST_DIR")).join("../guest-sdk");
        let mut pending = vec![sdk.join("rust/mpi-sys"), sdk.join("rust/patch")];
        while let Some(folder) = pending.pop() {
            for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() && !path.ends_with("target") {
                    pending.push(path);
                } else if path.extension().is_some_and(|ext| ext == "rs" || ext == "toml") {
                    let name = path.strip_prefix(&sdk).unwrap().to_str().unwrap();
                    assert!(FILES.iter().any(|(known, _)| *known == name), "{name} is not in FILES");
                }
            }
        }
    }

    #[test]
    fn the_configuration_is_toml() {
        let text = configuration(Path::new("/home/o'hara \"x\"/data/rust"));
        let config: toml::Table = text.parse().unwrap();
        let patch = &config["patch"]["crates-io"]["mpi-sys"]["path"];
        assert_eq!(patch.as_str(), Some("/home/o'hara \"x\"/data/rust/patch/mpi-sys"));
    }
}
