//! Which files are left: a Landlock domain.

use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context as _, Result};
use landlock::{
    ABI, Access as _, AccessFs, BitFlags, PathBeneath, PathFd, PathFdError, RestrictSelfAttr as _, Ruleset,
    RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, Scope, make_bitflags,
};

use super::super::{Needs, Network};
use super::library;
use crate::grants::Access;

/// The newest version whose rights are asked for; an older kernel has fewer of them.
const NEWEST: ABI = ABI::V9;

/// Reading files and listing folders.
pub(super) const READ: BitFlags<AccessFs> = make_bitflags!(AccessFs::{ReadFile | ReadDir});
/// What a guest may do in a folder of its own. Not: running what lies there, making devices, sockets or pipes.
const OWN: BitFlags<AccessFs> = make_bitflags!(AccessFs::{
    ReadFile | ReadDir | WriteFile | Truncate | RemoveFile | RemoveDir | MakeReg | MakeDir | MakeSym | Refer
});
/// Memory that processes share by its name.
pub(super) const SHARED: BitFlags<AccessFs> =
    make_bitflags!(AccessFs::{ReadFile | ReadDir | WriteFile | Truncate | RemoveFile | MakeReg});
/// Devices of networks and accelerators.
pub(super) const DEVICE: BitFlags<AccessFs> = make_bitflags!(AccessFs::{ReadFile | ReadDir | WriteFile | IoctlDev});
/// Of a file that is no folder, only these are rights.
const OF_FILES: BitFlags<AccessFs> = make_bitflags!(AccessFs::{ReadFile | WriteFile | Truncate | IoctlDev});

/// The version of Landlock that this kernel has.
pub(super) fn version() -> Option<i32> {
    const ASK_VERSION: u32 = 1;
    let nothing: *const libc::c_void = std::ptr::null();
    // SAFETY: with this flag the call has no other arguments.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0usize, ASK_VERSION) };
    i32::try_from(version).ok().filter(|version| *version > 0)
}

/// Leaves this thread, and all that it starts, the files that are needed. Says which version of Landlock does so, and
/// whether it does for threads that there are already.
pub(super) fn restrict(needs: &Needs) -> Result<(Option<i32>, bool)> {
    let Some(version) = version() else { return Ok((None, false)) };
    // Sockets of a name without a file are how some libraries wake each other.
    let scope = if needs.library.is_some() { Scope::Signal.into() } else { Scope::from_all(NEWEST) };
    let mut rules = Ruleset::default().handle_access(AccessFs::from_all(NEWEST))?.scope(scope)?;
    if needs.network != Network::Open {
        rules = rules.handle_access(landlock::AccessNet::from_all(NEWEST))?;
    }
    let mut rules = rules.create().context("Landlock")?;
    for grant in needs.grants.iter() {
        let rights = if grant.access() == Access::ReadOnly { READ } else { OWN };
        rules = rules.add_rule(PathBeneath::new(grant.handle(), rights))?;
    }
    if let Some(folder) = &needs.workshop {
        let there = PathFd::new(folder).with_context(|| format!("{}", folder.display()))?;
        rules = allow(rules, there, folder, OWN)?;
    }
    if let Some(file) = &needs.library {
        for (path, rights) in library::files(file) {
            match PathFd::new(&path) {
                Ok(there) => rules = allow(rules, there, &path, rights)?,
                // What this machine doesn't have, or no longer, the library doesn't need: other jobs' files come and go.
                Err(PathFdError::OpenCall { source, .. }) if source.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error).with_context(|| format!("{}", path.display())),
            }
        }
    }
    let status = rules.all_threads(true)?.restrict_self().context("Landlock")?;
    Ok((Some(version), status.all_threads))
}

fn allow(rules: RulesetCreated, there: PathFd, path: &Path, rights: BitFlags<AccessFs>) -> Result<RulesetCreated> {
    let rights = if path.is_dir() { rights } else { rights & OF_FILES };
    rules.add_rule(PathBeneath::new(there, rights)).with_context(|| format!("{}", path.display()))
}
