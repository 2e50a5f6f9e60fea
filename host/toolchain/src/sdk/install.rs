//! `rankine sdk install`: puts the WASI sysroot into the user's data folder, and compiles the SDK library.
//!
//! The sysroot comes from Debian's own package of wasi-libc, fetched with private package lists so that neither root
//! rights nor a change of the machine's set-up are needed, or from a folder that the user names.

use super::Sdk;
use crate::apt::{self, Apt, Kind};
use crate::find::{self, TARGET};
use crate::folder;
use crate::process::check;
use crate::terminal::say;
use anyhow::{Context as _, Result, bail};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Installs what is not there yet: the sysroot, `from` a WASI SDK, sysroot folder or wasi-libc package if one is named,
/// and the SDK library. With `force` a sysroot that is there makes way.
pub fn install(from: Option<&Path>, force: bool) -> Result<()> {
    match find::sysroot() {
        Ok(found) if from.is_none() && !force => {
            say(&format!("the sysroot is there already: {} (from {})", found.path.display(), found.origin));
        }
        _ => install_sysroot(from)?,
    }
    match find::clang() {
        Ok(clang) => {
            say(&format!("compiling the SDK library with {}", clang.path.display()));
            let sdk = Sdk::of_this_machine()?.under_stable_name()?;
            say(&format!("ready: {}", sdk.root().display()));
        }
        Err(error) => say(&format!("the sysroot is ready, a compiler is not: {error:#}")),
    }
    Ok(())
}

fn install_sysroot(from: Option<&Path>) -> Result<()> {
    let place = find::data_dir()?.join("sysroot");
    let work = folder::work_beside(&place)?;
    let work = work.path();
    folder::remake(&place, |draft| {
        match from {
            Some(path) if path.is_dir() => copy_sysroot(&sysroot_inside(path)?, draft)?,
            Some(path) if path.extension() == Some(OsStr::new("deb")) => unpack_deb(path, work, draft)?,
            Some(path) => bail!("{} is neither a folder nor a .deb file", path.display()),
            None if find::is_sysroot(Path::new("/usr")) => {
                say("copying the sysroot of the installed wasi-libc package");
                copy_sysroot(Path::new("/usr"), draft)?;
            }
            None => unpack_deb(&download_wasi_libc(work)?, work, draft)?,
        }
        if !find::is_sysroot(draft) {
            bail!("what was unpacked is not a {TARGET} sysroot with setjmp.h; take wasi-libc of 2024 or newer");
        }
        Ok(())
    })?;
    remove_compiled(place.parent().unwrap_or(&place))?;
    say(&format!("installed {}", place.display()));
    Ok(())
}

/// Removes the SDK libraries of earlier versions and sysroots; the next compilation makes what it needs.
fn remove_compiled(data: &Path) -> Result<()> {
    for entry in fs::read_dir(data)?.flatten() {
        if entry.file_name().to_string_lossy().starts_with("sdk-") {
            fs::remove_dir_all(entry.path()).with_context(|| format!("cannot remove {}", entry.path().display()))?;
        }
    }
    Ok(())
}

/// The sysroot in a folder that is one itself, or a WASI SDK, or a prefix such as an unpacked package.
fn sysroot_inside(path: &Path) -> Result<PathBuf> {
    let places = [path.to_path_buf(), path.join("share/wasi-sysroot"), path.join("usr")];
    match places.into_iter().find(|place| find::is_sysroot(place)) {
        Some(place) => Ok(place),
        None => bail!("{} holds no {TARGET} sysroot with setjmp.h", path.display()),
    }
}

/// Copies the target's part of a sysroot, following links.
fn copy_sysroot(from: &Path, to: &Path) -> Result<()> {
    for part in ["include", "lib"] {
        folder::copy_tree(&from.join(part).join(TARGET), &to.join(part).join(TARGET))?;
    }
    Ok(())
}

fn unpack_deb(package: &Path, work: &Path, draft: &Path) -> Result<()> {
    let tree = work.join("tree");
    check(Command::new("dpkg-deb").arg("-x").arg(package).arg(&tree), "unpacking the package")?;
    copy_sysroot(&sysroot_inside(&tree)?, draft)
}

/// Fetches wasi-libc of Debian's development suite: the package is the same for every architecture and release.
fn download_wasi_libc(work: &Path) -> Result<PathBuf> {
    let other_way = "take a WASI SDK instead: set WASI_SDK_PATH, or `rankine sdk install --from FOLDER`";
    apt::needs(&["apt-get", "apt-cache", "dpkg-deb"], "wasi-libc", other_way)?;
    let apt = Apt::release(work, Kind::Packages, apt::DEVELOPMENT).with_context(|| other_way.to_string())?;
    say("reading the package lists of Debian's development suite (once, about 10 MB)");
    apt.update().with_context(|| other_way.to_string())?;
    let listing = check(apt.command("apt-cache").args(["madison", "wasi-libc"]), "looking wasi-libc up")?;
    let listing = String::from_utf8_lossy(&listing.stdout).into_owned();
    let version = listing.lines().next().and_then(|line| line.split('|').nth(1)).map(str::trim);
    let version = version.with_context(|| format!("the package lists name no wasi-libc; {other_way}"))?;
    say(&format!("fetching wasi-libc {version}"));
    apt.package(&format!("wasi-libc={version}"), work)
}
