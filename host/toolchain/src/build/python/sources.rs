//! What Python is built from: archives that are kept in the data folder.
//!
//! CPython, zlib, bzip2 and xz are source packages of a release of Debian that has a Python new enough, and come from the mirror
//! that this machine is set up with. mpi4py, numpy, Cython and ninja come by pip.

use super::work::{command, quiet};
use crate::apt::{self, Apt, Kind};
use crate::embedded::{self, PYTHON_PACKAGES};
use crate::find;
use crate::folder::write;
use crate::process::check;
use crate::python::RELEASE;
use crate::terminal::say;
use anyhow::{Context as _, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The release of Debian whose packages are taken.
const SUITE: &str = "trixie";

/// Cython, which makes C of mpi4py.
pub(super) const CYTHON: &str = "cython==3.3.1";

/// ninja, which numpy's build needs.
pub(super) const NINJA: &str = "ninja==1.13.2";

/// An archive that pip fetches, and what it has to be.
pub(super) struct Package {
    pub(super) requirement: &'static str,
    file: &'static str,
    sha256: &'static str,
}

pub(super) const MPI4PY: Package = Package {
    requirement: "mpi4py==4.1.2",
    file: "mpi4py-4.1.2.tar.gz",
    sha256: "56860286dc45f20e8821e93cb06669e30462348bf866f685553fa4b712d58d02",
};
pub(super) const NUMPY: Package = Package {
    requirement: "numpy==2.5.5",
    file: "numpy-2.5.5.tar.gz",
    sha256: "5cddc243c75114ba845f01b1f87aca1572dbf7b6c2d88636ed3e1d2bccd7f1bf",
};

/// The variable that names a folder with all of these archives, where they can't be fetched.
const VARIABLE: &str = "RANKINE_PYTHON_SOURCES";

/// The archives.
pub(super) struct Sources {
    folder: PathBuf,
}

impl Sources {
    /// Those of a folder that the user names, or of the data folder, fetched by apt and by this pip if they are not
    /// there yet.
    pub(super) fn fetched(pip: &Path) -> Result<Sources> {
        if let Some(folder) = find::env_path(VARIABLE) {
            return Ok(Sources { folder });
        }
        let sources = Sources { folder: find::data_dir()?.join("cache/python-sources") };
        let folder = &sources.folder;
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        sources.fetch_from_debian()?;
        [MPI4PY, NUMPY].iter().try_for_each(|package| package.fetch(pip, folder))?;
        Ok(sources)
    }

    fn fetch_from_debian(&self) -> Result<()> {
        let missing: Vec<String> =
            packages().into_iter().filter(|name| apt::source_in(&self.folder, name).is_none()).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let other_way = format!("let {VARIABLE} name a folder with its archives");
        apt::needs(&["apt-get", "apt-cache"], "Python's source", &other_way)?;
        say(&format!("reading the list of {SUITE}'s source packages (about 10 MB)"));
        let work = tempfile::tempdir_in(&self.folder)?;
        let apt = Apt::release(&work.path().join("apt"), Kind::Sources, SUITE).with_context(|| other_way.clone())?;
        apt.update().with_context(|| other_way.clone())?;
        for name in &missing {
            say(&format!("fetching the source of {name}"));
            let archive = apt.listed_source(name, work.path()).with_context(|| other_way.clone())?;
            move_here(&archive, &self.folder)?;
        }
        Ok(())
    }

    /// CPython's archive.
    pub(super) fn cpython(&self) -> Result<PathBuf> {
        self.archive(&format!("python{RELEASE}"))
    }

    /// The archive of a source package.
    pub(super) fn archive(&self, name: &str) -> Result<PathBuf> {
        let found = apt::source_in(&self.folder, name);
        found.with_context(|| format!("{} has no {name}_VERSION.orig.tar.xz or .gz", self.folder.display()))
    }

    /// The archive of a package.
    pub(super) fn package(&self, package: &Package) -> Result<PathBuf> {
        let file = self.folder.join(package.file);
        ensure!(file.is_file(), "{} has no {}", self.folder.display(), package.file);
        Ok(file)
    }
}

impl Package {
    /// Has pip fetch it to a folder, unless it is there.
    fn fetch(&self, pip: &Path, folder: &Path) -> Result<()> {
        let requirement = self.requirement;
        if folder.join(self.file).is_file() {
            return Ok(());
        }
        say(&format!("fetching {requirement}"));
        let work = tempfile::tempdir_in(folder)?;
        let wanted = work.path().join("wanted");
        fs::write(&wanted, format!("{requirement} --hash=sha256:{}\n", self.sha256))?;
        let mut download = command(pip);
        fetching(&mut download, work.path())?.arg("--require-hashes");
        download.arg("-r").arg(wanted).arg("-d").arg(work.path());
        quiet(&mut download, &format!("fetching {requirement} by pip"))?;
        move_here(&work.path().join(self.file), folder)
    }
}

/// Has pip download sources without starting their build systems, which would compile for minutes to learn a package's name.
pub(super) fn fetching<'a>(pip: &'a mut Command, work: &Path) -> Result<&'a mut Command> {
    let stands_in = work.join("fetching");
    write(&stands_in.join("sitecustomize.py"), embedded::file(&PYTHON_PACKAGES, "fetching/sitecustomize.py"))?;
    pip.args(["download", "-q", "--disable-pip-version-check", "--no-input", "--no-deps", "--no-binary=:all:"]);
    pip.args(["--no-build-isolation", "--use-pep517", "--ignore-requires-python"]);
    Ok(pip.env("PYTHONPATH", stands_in))
}

fn packages() -> [String; 4] {
    [format!("python{RELEASE}"), "zlib".into(), "bzip2".into(), "xz-utils".into()]
}

/// Whole or not at all.
fn move_here(file: &Path, folder: &Path) -> Result<()> {
    let name = file.file_name().context("an archive has a name")?;
    fs::rename(file, folder.join(name)).with_context(|| format!("{} was not fetched", file.display()))
}

/// Unpacks an archive to a folder, whole or not at all.
pub(super) fn unpack(archive: &Path, to: &Path) -> Result<()> {
    if to.is_dir() {
        return Ok(());
    }
    let draft = to.with_extension("draft");
    if draft.exists() {
        fs::remove_dir_all(&draft)?;
    }
    fs::create_dir_all(&draft)?;
    let mut tar = Command::new("tar");
    tar.arg("-xf").arg(archive).arg("-C").arg(&draft).arg("--strip-components=1");
    check(&mut tar, &format!("unpacking {}", archive.display()))?;
    fs::rename(&draft, to).with_context(|| format!("cannot create {}", to.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::python::LINKED;

    #[test]
    fn what_is_linked_is_what_is_fetched() {
        for (package, (name, words)) in [MPI4PY, NUMPY].iter().zip(LINKED) {
            assert_eq!(package.requirement, words.replace(' ', "=="));
            assert!(package.file.starts_with(&words.replace(' ', "-")) && words.starts_with(name));
        }
    }
}
