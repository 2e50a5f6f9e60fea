//! LLVM's source, of the version that the compilers on this machine have.
//!
//! It comes from Debian's source package `llvm-toolchain-N` through this machine's apt configuration (its own suites
//! first, then the development suite), or from a folder or tarball that `RANKINE_LLVM_SOURCE` names. The tarball is
//! kept in the data folder; only the folders that were asked for are unpacked.

use crate::apt::{self, Apt, Kind};
use crate::find;
use crate::process::check;
use crate::terminal::{bar, say};
use anyhow::{Context as _, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{fs, thread};

/// Unpacked folders of LLVM's source.
pub struct LlvmSource {
    root: PathBuf,
}

impl LlvmSource {
    /// The source of LLVM `version`, such as 22.1.8, with at least these folders of it (`flang/include`, …).
    pub fn with(version: &str, folders: &[&str]) -> Result<LlvmSource> {
        let given = find::env_path("RANKINE_LLVM_SOURCE");
        if let Some(root) = given.as_ref().filter(|path| path.is_dir()) {
            let missing = folders.iter().find(|folder| !root.join(folder).is_dir());
            ensure!(missing.is_none(), "RANKINE_LLVM_SOURCE has no folder {}", missing.unwrap_or(&""));
            return Ok(LlvmSource { root: root.clone() });
        }
        let cache = find::data_dir()?.join("cache");
        fs::create_dir_all(&cache).with_context(|| format!("cannot create {}", cache.display()))?;
        let root = cache.join(format!("llvm-{version}"));
        let missing: Vec<&str> = folders.iter().copied().filter(|folder| !root.join(folder).exists()).collect();
        if !missing.is_empty() {
            let tarball = match given {
                Some(path) => path,
                None => fetched(&cache, version)?,
            };
            unpack(&tarball, &missing, &cache, &root)?;
        }
        Ok(LlvmSource { root })
    }

    /// A file or folder of it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }
}

/// The version in what `clang --version` or `flang --version` prints: 22.1.8.
pub fn version_of(compiler: &Path) -> Result<String> {
    let output = check(Command::new(compiler).arg("--version"), "asking the compiler for its version")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.split_once("version ").map(|(_, rest)| rest);
    let version = version.and_then(|rest| rest.split(|c: char| !c.is_ascii_digit() && c != '.').next());
    version
        .filter(|version| version.split('.').count() == 3)
        .map(str::to_owned)
        .with_context(|| format!("{} --version names no version: {text}", compiler.display()))
}

fn other_way(version: &str) -> String {
    format!("get the source of LLVM {version} (llvm-project-{version}.src.tar.xz) and let RANKINE_LLVM_SOURCE name it")
}

/// The tarball in the cache, fetched if it is not there yet.
fn fetched(cache: &Path, version: &str) -> Result<PathBuf> {
    let tarball = cache.join(format!("llvm-{version}.tar.xz"));
    if tarball.is_file() {
        return Ok(tarball);
    }
    let other_way = other_way(version);
    apt::needs(&["apt-get", "apt-cache", "tar", "xz"], "LLVM's source", &other_way)?;
    let mut failures = Vec::new();
    for name in ["this machine's suites", "Debian's development suite"] {
        let work = tempfile::Builder::new().prefix(".source-").tempdir_in(cache)?;
        let apt = match failures.is_empty() {
            true => Apt::sources_of_this_machine(work.path()),
            false => Apt::release(work.path(), Kind::Sources, apt::DEVELOPMENT),
        };
        match apt.and_then(|apt| fetch(&apt, work.path(), version)) {
            Ok(file) => {
                fs::rename(file, &tarball).with_context(|| format!("cannot create {}", tarball.display()))?;
                return Ok(tarball);
            }
            Err(error) => failures.push(format!("{name}: {error:#}")),
        }
    }
    bail!("cannot fetch the source of LLVM {version}:\n  {}\n{other_way}", failures.join("\n  "))
}

/// Fetches the upstream tarball of the source package with that version.
fn fetch(apt: &Apt, work: &Path, version: &str) -> Result<PathBuf> {
    let package = format!("llvm-toolchain-{}", version.split('.').next().unwrap_or(version));
    say("reading lists of Debian's source packages (about 10 MB)");
    apt.update()?;
    let known = check(apt.command("apt-cache").args(["showsrc", "--only-source", &package]), "looking LLVM up")?;
    let known = String::from_utf8_lossy(&known.stdout).into_owned();
    let versions = known.lines().filter_map(|line| line.strip_prefix("Version: "));
    let wanted = versions.into_iter().find(|full| upstream(full) == version);
    let wanted = wanted.with_context(|| format!("there is no {package} of version {version}"))?;
    let name = format!("{package}_{version}.orig.tar.xz");
    let size = known.lines().find_map(|line| size_of(line, &name)).unwrap_or(0);
    say(&format!("fetching {name} ({} MB, kept in the data folder)", size / 1_000_000));
    let file = work.join(name);
    watch(&mut apt.source_command(&format!("{package}={wanted}"), work), &file, size)?;
    ensure!(file.is_file(), "apt-get left no {} behind", file.display());
    Ok(file)
}

/// `1:22.1.8-1~deb12u1` is a package of 22.1.8.
fn upstream(version: &str) -> &str {
    let version = version.split_once(':').map_or(version, |(_, rest)| rest);
    version.rsplit_once('-').map_or(version, |(upstream, _)| upstream)
}

/// The size in a line `HASH SIZE NAME`.
fn size_of(line: &str, name: &str) -> Option<u64> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        [_, size, file] if *file == name => size.parse().ok(),
        _ => None,
    }
}

/// Runs a download, with a bar that follows the file's size.
fn watch(command: &mut Command, file: &Path, size: u64) -> Result<()> {
    let mut child = command.env("LC_ALL", "C").stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    let bar = bar(size, "fetching");
    while child.try_wait()?.is_none() {
        bar.set_position(fs::metadata(file).map_or(0, |file| file.len()));
        thread::sleep(Duration::from_millis(100));
    }
    bar.finish_and_clear();
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(())
}

/// Unpacks folders of a tarball whose members all lie in one top folder.
fn unpack(tarball: &Path, folders: &[&str], cache: &Path, root: &Path) -> Result<()> {
    say(&format!("unpacking {}", folders.join(", ")));
    let work = tempfile::Builder::new().prefix(".unpack-").tempdir_in(cache)?;
    let mut command = Command::new("tar");
    command.arg("-xf").arg(tarball).arg("-C").arg(work.path()).args(["--strip-components=1", "--wildcards"]);
    // A pattern's star would match slashes too, and so find folders of that name at any depth.
    command.args(["--anchored", "--no-wildcards-match-slash"]);
    command.args(folders.iter().map(|folder| format!("*/{folder}")));
    check(&mut command, "unpacking LLVM's source")?;
    for folder in folders {
        let (from, to) = (work.path().join(folder), root.join(folder));
        ensure!(from.is_dir(), "{} has no folder {folder}", tarball.display());
        fs::create_dir_all(to.parent().unwrap_or(root))?;
        fs::rename(&from, &to).with_context(|| format!("cannot create {}", to.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_source_packages() {
        assert_eq!(upstream("1:22.1.8-1~deb12u1"), "22.1.8");
        assert_eq!(upstream("22.1.8"), "22.1.8");
        assert_eq!(size_of(" b49b 196630560 llvm.tar.xz", "llvm.tar.xz"), Some(196_630_560));
        assert_eq!(size_of(" b49b 180736 llvm.debian.tar.xz", "llvm.tar.xz"), None);
    }
}
