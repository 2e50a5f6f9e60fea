//! Files and folders that the user's environment variables name.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

/// An environment variable that is set and not empty.
pub fn env_path(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// A program or folder that the environment names: a name to be looked up in `PATH`, or an absolute path. Another one would be
/// something else in every folder.
pub fn named(variable: &str) -> Result<Option<PathBuf>> {
    let Some(path) = env_path(variable) else { return Ok(None) };
    ensure!(
        path.is_absolute() || path.components().count() == 1,
        "{variable} is {}, which is a relative path: name it with its absolute path",
        path.display()
    );
    Ok(Some(path))
}

/// A folder of Rankine's: the one that `own` names, or `rankine` in the place where such things go.
fn folder(own: &str, standard: &str, in_home: &str) -> Option<PathBuf> {
    if let Some(folder) = env_path(own) {
        return std::path::absolute(folder).ok();
    }
    let places = env_path(standard).filter(|path| path.is_absolute());
    Some(places.or_else(|| Some(env_path("HOME")?.join(in_home)))?.join("rankine"))
}

/// Compiled code: `RANKINE_CACHE_DIR`, else in the user's cache folder.
pub fn cache() -> Option<PathBuf> {
    folder("RANKINE_CACHE_DIR", "XDG_CACHE_HOME", ".cache")
}

/// What must stay on this machine and is nobody else's: `RANKINE_STATE_DIR`, else in the user's state folder.
pub fn state() -> Option<PathBuf> {
    folder("RANKINE_STATE_DIR", "XDG_STATE_HOME", ".local/state")
}

/// What `rankine sdk` installs: `RANKINE_DATA_DIR`, else in the user's data folder.
pub fn data() -> Option<PathBuf> {
    folder("RANKINE_DATA_DIR", "XDG_DATA_HOME", ".local/share")
}

/// The environments that are active: a virtual one of Python's, one of Conda's.
pub fn environments() -> Vec<PathBuf> {
    let active = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(env_path);
    active.filter(|folder| folder.is_absolute()).collect()
}

/// The folders of `PATH`. Those that are not absolute paths mean the working folder: what lies there is not run.
pub fn path() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).filter(|folder| folder.is_absolute()).collect()
}

/// Takes the other entries out of `PATH`: nothing is started, here or by what is started here, because it lies beneath
/// the working folder. Call it before any thread is started.
pub fn leave_working_folder() {
    let Some(path) = env::var_os("PATH") else { return };
    let absolute = self::path();
    if absolute.len() == env::split_paths(&path).count() {
        return;
    }
    let path = env::join_paths(&absolute).expect("they come from such a list");
    // SAFETY: the process has one thread yet. An empty list would mean the working folder, and none the system's.
    unsafe { if absolute.is_empty() { env::remove_var("PATH") } else { env::set_var("PATH", path) } };
}

/// Looks a program up in `PATH`; a name with a slash is taken as it is.
pub fn find_program(name: impl AsRef<OsStr>) -> Option<PathBuf> {
    let name = Path::new(name.as_ref());
    if name.components().count() > 1 {
        return name.is_file().then(|| name.to_path_buf());
    }
    path().into_iter().map(|folder| folder.join(name)).find(|path| path.is_file())
}
