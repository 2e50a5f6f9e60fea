//! Files and folders that the user's environment variables name.

use std::env;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
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

/// A folder of Rankine's: the one that `own` names with its absolute path, or `rankine` in the place where such things go.
fn folder(own: &str, standard: &str, in_home: &str) -> Option<PathBuf> {
    if let Some(folder) = env_path(own) {
        // Another one would be something else in every folder, and what a guest has left there.
        return folder.is_absolute().then_some(folder);
    }
    let places = env_path(standard).filter(|path| path.is_absolute());
    Some(places.or_else(|| Some(env_path("HOME").filter(|home| home.is_absolute())?.join(in_home)))?.join("rankine"))
}

/// Compiled code: `RANKINE_CACHE_DIR`, else in the user's cache folder.
pub fn cache() -> Option<PathBuf> {
    folder("RANKINE_CACHE_DIR", "XDG_CACHE_HOME", ".cache")
}

/// What must stay on this machine and is nobody else's: `RANKINE_STATE_DIR`, else in the user's state folder.
pub fn state() -> Option<PathBuf> {
    folder("RANKINE_STATE_DIR", "XDG_STATE_HOME", ".local/state")
}

/// What `rankine sdk` installs: `RANKINE_DATA_DIR`, else where `./x` has it for a program that was built in a clone, else in
/// the user's data folder.
pub fn data() -> Option<PathBuf> {
    let of_clone = || of_clone(&env::current_exe().ok()?);
    let is_named = env_path("RANKINE_DATA_DIR").is_some();
    let user = || folder("RANKINE_DATA_DIR", "XDG_DATA_HOME", ".local/share");
    if is_named { user() } else { of_clone().or_else(user) }
}

/// The data folder of the clone of Rankine's sources that a program lies in, where Cargo has put it, if there is one.
fn of_clone(program: &Path) -> Option<PathBuf> {
    let target = program.parent()?.parent().filter(|folder| folder.ends_with("target"))?;
    let data = target.parent()?.join(".tools/data");
    (data.is_dir() && target.with_file_name("x").is_file()).then_some(data)
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

/// How the SDK's scripts call us that are named as a launcher: they start the programs that it compiles as such a command would.
pub const AS_LAUNCHER: &str = "start --mpiexec --";

/// Looks an MPI library's launcher up in `PATH`, which the SDK's scripts are not: who builds with them has them first there.
pub fn find_launcher(name: &str) -> Option<PathBuf> {
    path().into_iter().map(|folder| folder.join(name)).find(|path| path.is_file() && !is_sdks(path))
}

fn is_sdks(path: &Path) -> bool {
    let mut start = String::new();
    // A program is no text.
    let read = File::open(path).and_then(|file| file.take(4096).read_to_string(&mut start));
    read.is_ok() && start.contains(AS_LAUNCHER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_of_the_sdk_are_no_launchers() {
        let folder = tempfile::tempdir().unwrap();
        let [ours, script, program] = ["ours", "script", "program"].map(|name| folder.path().join(name));
        std::fs::write(&ours, format!("#!/bin/sh\nexec '/opt/rankine' {AS_LAUNCHER} \"$@\"\n")).unwrap();
        std::fs::write(&script, "#!/bin/sh\nexec mpiexec.hydra \"$@\"\n").unwrap();
        std::fs::write(&program, b"\x7fELF\xff\xfe start --mpiexec --").unwrap();
        assert_eq!([ours, script, program].map(|path| is_sdks(&path)), [true, false, false]);
    }

    #[test]
    fn a_program_of_a_clone_finds_what_was_installed_there() {
        let clone = tempfile::tempdir().unwrap();
        let data = clone.path().join(".tools/data");
        let program = clone.path().join("target/release/rankine");
        assert_eq!(of_clone(&program), None);
        std::fs::create_dir_all(&data).unwrap();
        assert_eq!(of_clone(&program), None);
        std::fs::write(clone.path().join("x"), "").unwrap();
        assert_eq!(of_clone(&program), Some(data));
        assert_eq!(of_clone(&clone.path().join("bin/rankine")), None);
        assert_eq!(of_clone(&clone.path().join("target/release/deps/rankine")), None);
    }
}
