//! The SDK's files for Rust guests: crates that stand in for those of crates.io which ask for a native MPI, and a cargo
//! configuration that puts them in their place. They travel in the binary and are laid out in the data folder when
//! asked for; they need neither clang nor the sysroot.

use crate::embedded::{self, CRATES};
use crate::find;
use crate::folder::{self, shell_quote};
use crate::key;
use anyhow::{Context as _, Result, bail, ensure};
use rankine_system::tell;
use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The cargo configuration, laid out with all it names if it is not there yet.
pub fn cargo_config() -> Result<PathBuf> {
    let exe = env::current_exe().context("where is this executable?")?;
    let data = find::data_dir()?;
    let texts = texts();
    let link = data.join("rust");
    // The configuration names its own folder, and is laid out again when that has moved.
    let root = data.join(key::name("rust", (&texts, runner(&exe), &link)));
    folder::make_once(&root, |draft| {
        folder::write_all(draft, texts.iter().map(|(path, text)| (path.as_path(), *text)))?;
        folder::write_script(&draft.join("run-guest"), &runner(&exe))?;
        folder::write(&draft.join("cargo-config.toml"), &configuration(&link))
    })?;
    folder::stable_link(&root, &link)?;
    Ok(link.join("cargo-config.toml"))
}

/// What a package's own configuration has beside: it is a guest, whoever forgets to say so.
const TARGET: &str = "\n# What is built here unless --target says otherwise.\n[build]\ntarget = \"wasm32-wasip1\"\n";

/// Writes the configuration into a package, where cargo finds it without being told.
pub fn write_cargo_config(package: &Path) -> Result<PathBuf> {
    let file = write_into(package, &cargo_config()?)?;
    let lock = fs::read_to_string(package.join("Cargo.lock")).unwrap_or_default();
    let originals = originals(&lock);
    if !originals.is_empty() {
        tell!(
            "rankine: note: Cargo.lock names crates that are replaced, and cargo keeps to it: cargo update {}",
            originals.join(" ")
        );
    }
    Ok(file)
}

/// The crates that are replaced, where a lock file names those of a registry.
fn originals(lock: &str) -> Vec<&'static str> {
    let packages: Vec<&str> = lock.split("[[package]]").collect();
    let is_locked = |name: &&str| {
        let name = format!("name = \"{name}\"");
        packages.iter().any(|package| {
            package.lines().any(|line| line == name) && package.lines().any(|line| line.starts_with("source = "))
        })
    };
    REPLACED.into_iter().filter(is_locked).collect()
}

fn write_into(package: &Path, config: &Path) -> Result<PathBuf> {
    ensure!(
        package.join("Cargo.toml").is_file(),
        "there is no Cargo.toml in {}: --write puts a configuration beside one, for cargo to find",
        package.display()
    );
    let text = fs::read_to_string(config).with_context(|| format!("cannot read {}", config.display()))?;
    let file = package.join(".cargo/config.toml");
    match fs::read_to_string(&file) {
        Ok(there) if there.contains(&text) => {}
        Ok(_) => {
            bail!("{0} is there already: add to it what is in {1} (cat {1} >> {0})", file.display(), config.display())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => folder::write(&file, &(text + TARGET))?,
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", file.display())),
    }
    Ok(file)
}

/// What runs a program for `cargo run`. Cargo has native programs find libraries in its target folder, which lies beneath
/// the working folder that is granted; this one loads nothing from there.
fn runner(exe: &Path) -> String {
    let exe = shell_quote(&exe.to_string_lossy());
    format!(
        "#!/bin/sh\n\
         target=${{1%/wasm32-wasip1*/*}}\n\
         case $target in /*) ;; *) target=$PWD/$target ;; esac\n\
         kept=\n\
         set -f\n\
         IFS=:\n\
         for folder in $LD_LIBRARY_PATH; do\n    \
             case $folder in \"$target\"/*) ;; *) kept=$kept${{kept:+:}}$folder ;; esac\n\
         done\n\
         unset IFS LD_LIBRARY_PATH\n\
         [ -z \"$kept\" ] || export LD_LIBRARY_PATH=\"$kept\"\n\
         exec {exe} run -n \"${{RANKINE_RANKS:-1}}\" --dir . \"$@\"\n"
    )
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

/// The crates that ours take the places of.
const REPLACED: [&str; 2] = ["mpi-sys", "libffi"];

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

    /// Cargo's folders are left out of the loader's, and the user's own stay.
    #[test]
    #[cfg(unix)]
    fn the_runner_drops_cargos_folders() {
        let folder = tempfile::tempdir().unwrap();
        let (script, exe) = (folder.path().join("run-guest"), folder.path().join("it's rankine"));
        folder::write_script(&exe, "#!/bin/sh\necho \"$LD_LIBRARY_PATH|$*\"\n").unwrap();
        folder::write_script(&script, &runner(&exe)).unwrap();
        let target = folder.path().join("target");
        let path = format!("{0}/debug/deps:/opt/lib:{0}/wasm32-wasip1/debug", target.display());
        let says = |file: &str, path: &str| {
            let mut command = std::process::Command::new("sh");
            command.arg(&script).args([file, "a b"]).current_dir(folder.path());
            let output = command.env("LD_LIBRARY_PATH", path).env_remove("RANKINE_RANKS").output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        for file in ["target/wasm32-wasip1/debug/a.wasm", "target/wasm32-wasip1-threads/debug/examples/a.wasm"] {
            assert_eq!(says(file, &path), format!("/opt/lib|run -n 1 --dir . {file} a b\n"));
        }
        let whole = target.join("wasm32-wasip1/debug/a.wasm").display().to_string();
        assert_eq!(says(&whole, &target.join("x").display().to_string()), format!("|run -n 1 --dir . {whole} a b\n"));
    }

    #[test]
    fn a_package_is_given_the_configuration_once() {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("cargo-config.toml");
        fs::write(&config, configuration(Path::new("/data/rust"))).unwrap();
        let write = || write_into(folder.path(), &config).map_err(|error| error.to_string());
        let error = write().unwrap_err();
        assert!(error.contains("no Cargo.toml"), "{error}");
        fs::write(folder.path().join("Cargo.toml"), "").unwrap();
        let file = write().unwrap();
        assert_eq!(file, folder.path().join(".cargo/config.toml"));
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with(&configuration(Path::new("/data/rust"))));
        assert_eq!(text.parse::<toml::Table>().unwrap()["build"]["target"].as_str(), Some("wasm32-wasip1"));
        assert_eq!(write(), Ok(file.clone()));
        fs::write(&file, "[build]\njobs = 1\n").unwrap();
        let error = write().unwrap_err();
        assert!(error.contains("is there already") && error.contains(">>"), "{error}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "[build]\njobs = 1\n");
    }

    /// A lock file of an earlier build, as cargo writes it.
    #[test]
    fn crates_that_cargo_keeps_to_are_named() {
        let package = |name: &str, version: &str, source: &str| {
            format!(
                "[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n{source}dependencies = [\n \"libffi\",\n]\n\n"
            )
        };
        let registry = "source = \"registry+https://github.com/rust-lang/crates.io-index\"\n";
        let head = "version = 4\n\n";
        let lock = [head, &package("mpi", "0.8.2", registry), &package("mpi-sys", "0.2.4", registry)].concat();
        assert_eq!(originals(&lock), ["mpi-sys"]);
        assert_eq!(originals(&(lock + &package("libffi", "5.1.0", registry))), REPLACED);
        let ours = [head, &package("mpi-sys", "0.2.999", ""), &package("libffi", "5.999.0", "")].concat();
        assert!(originals(&ours).is_empty() && originals("").is_empty());
        let configuration: toml::Table = configuration(Path::new("")).parse().unwrap();
        let patched = configuration["patch"]["crates-io"].as_table().unwrap();
        assert!(patched.len() == REPLACED.len() && REPLACED.iter().all(|name| patched.contains_key(*name)));
    }

    #[test]
    fn the_configuration_is_toml() {
        let text = configuration(Path::new("/home/o'hara \"x\"/data/rust"));
        let config: toml::Table = text.parse().unwrap();
        let patch = &config["patch"]["crates-io"]["mpi-sys"]["path"];
        assert_eq!(patch.as_str(), Some("/home/o'hara \"x\"/data/rust/patch/mpi-sys"));
    }
}
