//! Sources of programs, and compiled packages, from Debian's archive, which stay in the cache once they are there.

use rankine_toolchain::apt::{Apt, Kind, source_in};
use std::fs::{self, File};
use std::path::Path;

/// Brings the original archives of these source packages to `cache`, from the archive that this machine's apt is set up
/// with.
pub fn fetch(names: &[String], cache: &Path) -> Result<(), String> {
    let missing = |name: &str| source_in(cache, name).is_none();
    let apt = |work: &Path| Apt::sources_of_this_machine(work).map_err(|error| format!("{error:#}"));
    fetch_missing(names, cache, missing, apt, |apt, name| {
        apt.source(name, cache).map_err(|error| format!("{error:#}"))?;
        Ok(())
    })
}

/// Brings these packages to folders of their names in `packages` of `cache`, as [`fetch`] does. `bullseye/libc6` is that of
/// another release of Debian than this machine's.
pub fn fetch_packages(names: &[String], cache: &Path) -> Result<(), String> {
    let (ours, others): (Vec<_>, Vec<_>) = names.iter().cloned().partition(|name| !name.contains('/'));
    let folder = |name: &str| cache.join("packages").join(name);
    let missing = |name: &str| !folder(name).is_dir();
    let fetch = |apt: &Apt, name: &str, called: &str| {
        let draft = folder(&format!("{name}.part"));
        fs::create_dir_all(&draft).map_err(|error| format!("{}: {error}", draft.display()))?;
        apt.package(called, &draft).map_err(|error| format!("{error:#}"))?;
        fs::rename(&draft, folder(name)).map_err(|error| format!("{}: {error}", draft.display()))
    };
    let apt = |work: &Path| Apt::packages_of_this_machine(work).map_err(|error| format!("{error:#}"));
    fetch_missing(&ours, cache, missing, apt, |apt, name| fetch(apt, name, name))?;
    for group in others.chunk_by(|one, next| release_of(one) == release_of(next)) {
        let release = release_of(&group[0]);
        let apt = |work: &Path| {
            Apt::release(&work.join(release), Kind::Packages, release).map_err(|error| format!("{error:#}"))
        };
        fetch_missing(group, cache, missing, apt, |apt, name| {
            // By its release, or apt prefers what this machine has installed.
            fetch(apt, name, &format!("{}/{release}", &name[release.len() + 1..]))
        })?;
    }
    Ok(())
}

/// The release that a package of another one names.
fn release_of(name: &str) -> &str {
    name.split_once('/').map_or("", |(release, _)| release)
}

/// Fetches what is missing of these, by an apt whose lists lie in the cache.
fn fetch_missing(
    names: &[String],
    cache: &Path,
    is_missing: impl Fn(&str) -> bool,
    apt: impl Fn(&Path) -> Result<Apt, String>,
    fetch: impl Fn(&Apt, &str) -> Result<(), String>,
) -> Result<(), String> {
    let said = |error: std::io::Error| format!("{}: {error}", cache.display());
    // Scripts run at the same time, apt does not.
    let lock = File::create(cache.join("apt.lock")).map_err(said)?;
    lock.lock().map_err(said)?;
    let missing: Vec<_> = names.iter().filter(|name| is_missing(name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let work = cache.join("apt");
    fs::create_dir_all(&work).map_err(said)?;
    let apt = apt(&work)?;
    // One list of several may be out of reach: what counts is whether all can be had.
    let updated = apt.update();
    for name in missing {
        fetch(&apt, name).map_err(|error| match &updated {
            Ok(()) => error,
            Err(lists) => format!("{error}\n{lists:#}"),
        })?;
    }
    Ok(())
}
