//! Sources of programs from Debian's archive, which stay in the cache once they are there.

use rankine_toolchain::apt::{Apt, source_in};
use std::fs::{self, File};
use std::path::Path;

/// Brings the original archives of these source packages to `cache`, from the archive that this machine's apt is set up
/// with.
pub fn fetch(names: &[String], cache: &Path) -> Result<(), String> {
    let said = |error: std::io::Error| format!("{}: {error}", cache.display());
    // Scripts run at the same time, apt does not.
    let lock = File::create(cache.join("apt.lock")).map_err(said)?;
    lock.lock().map_err(said)?;
    let missing: Vec<_> = names.iter().filter(|name| source_in(cache, name).is_none()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let work = cache.join("apt");
    fs::create_dir_all(&work).map_err(said)?;
    let apt = Apt::sources_of_this_machine(&work).map_err(|error| format!("{error:#}"))?;
    // One list of several may be out of reach: what counts is whether the sources can be had.
    let updated = apt.update();
    for name in missing {
        apt.source(name, cache).map_err(|error| match &updated {
            Ok(()) => format!("{error:#}"),
            Err(lists) => format!("{error:#}\n{lists:#}"),
        })?;
    }
    Ok(())
}
