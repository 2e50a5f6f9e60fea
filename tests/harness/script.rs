//! Programs that bring their own build systems: a script of bash each, which builds one, runs it and compares what it
//! prints.
//!
//! The script runs in a fresh folder of its own. `rankine` is on its path; `ROOT` is the repository, `CACHE` a folder
//! that stays, `MPI_BIN` the tools of a native MPI library. Its head may say `# full: why` (it is ignored without
//! `--include-ignored`), `# seconds: N`, and `# sources: a b`, names of Debian's source packages whose original archives it
//! then finds in the cache: `$CACHE/a_*.orig.tar.*`. `# packages: a b` has compiled ones lie there: `$CACHE/packages/a/*.deb`; those of
//! another release of Debian are `# packages: bullseye/a`. Both keys may have several lines.

use super::process::{Ended, run_within};
use super::{Places, sources};
use libtest_mimic::Failed;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, fs};

/// A script that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(300);

/// One script.
pub struct Script {
    /// `programs/` and its name without the extension.
    pub name: String,
    path: PathBuf,
    /// Whether it is one of the long ones.
    pub full: bool,
    limit: Duration,
    sources: Vec<String>,
    packages: Vec<String>,
}

/// The scripts in a folder.
pub fn find(folder: &Path) -> Result<Vec<Script>, String> {
    let listing = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = listing.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "sh"));
    paths.sort();
    paths.into_iter().map(Script::read).collect()
}

impl Script {
    fn read(path: PathBuf) -> Result<Script, String> {
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = format!("programs/{stem}");
        let (sources, packages) = (Vec::new(), Vec::new());
        let mut script = Script { name, full: false, limit: LIMIT, sources, packages, path: path.clone() };
        let words = |names: &str| names.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        for line in text.lines().map_while(|line| line.strip_prefix('#')) {
            match line.trim().split_once(": ") {
                Some(("full", _)) => script.full = true,
                Some(("seconds", number)) => {
                    let seconds = number.parse().map_err(|_| format!("{}: not a number: {number}", path.display()))?;
                    script.limit = Duration::from_secs(seconds);
                }
                Some(("sources", names)) => script.sources.extend(words(names)),
                Some(("packages", names)) => script.packages.extend(words(names)),
                _ => {}
            }
        }
        Ok(script)
    }

    /// Runs it.
    pub fn trial(&self, places: &Places) -> Result<(), Failed> {
        let programs = places.root.join("target/programs");
        let (work, cache, bin) = (programs.join(self.stem()), programs.join("cache"), programs.join("bin"));
        let said = |error: std::io::Error| format!("{}: {error}", programs.display());
        if work.exists() {
            fs::remove_dir_all(&work).map_err(said)?;
        }
        for folder in [&work, &cache, &bin] {
            fs::create_dir_all(folder).map_err(said)?;
        }
        sources::fetch(&self.sources, &cache)?;
        sources::fetch_packages(&self.packages, &cache)?;
        link(&places.rankine, &bin.join("rankine")).map_err(said)?;
        let path = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths(std::iter::once(bin).chain(env::split_paths(&path))).map_err(|e| e.to_string())?;
        let mut command = Command::new("nice");
        command.args(["-n", "10", "bash", "-euo", "pipefail"]).arg(&self.path).current_dir(&work);
        command.env("PATH", path).env("ROOT", &places.root).env("CACHE", cache).env("MPI_BIN", &places.mpi_bin);
        let run = run_within(command, None, self.limit)?;
        if run.ended == Ended::Status(0) { Ok(()) } else { Err(run.to_string().into()) }
    }

    fn stem(&self) -> &str {
        self.name.trim_start_matches("programs/")
    }
}

/// A link to `program`, made in one step because several scripts start at a time.
fn link(program: &Path, place: &Path) -> std::io::Result<()> {
    let program = fs::canonicalize(program)?;
    if fs::read_link(place).is_ok_and(|old| old == program) {
        return Ok(());
    }
    let draft = place.with_extension(format!("{:?}", std::thread::current().id()));
    std::os::unix::fs::symlink(&program, &draft)?;
    fs::rename(&draft, place)
}
