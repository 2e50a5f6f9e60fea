//! apt with lists and a cache of its own: what Debian's archive has is fetched from the mirror that this machine is set
//! up with, without root rights and without a change of the machine's set-up.

use crate::process::check;
use anyhow::{Context as _, Result, bail};
use rankine_system::tell;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{fs, thread};

/// The release of Debian that has the newest of everything.
pub const DEVELOPMENT: &str = "sid";

/// What is read of a release.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// Compiled packages.
    Packages,
    /// Sources.
    Sources,
}

/// A private apt: a folder with its lists and its cache.
pub struct Apt {
    work: PathBuf,
}

impl Apt {
    /// Reads one release of Debian, such as `sid`, from this machine's mirror.
    pub fn release(work: &Path, kind: Kind, release: &str) -> Result<Apt> {
        let sources = read_sources();
        let mirror = mirror(&sources).context("this machine's apt sources name no Debian mirror")?;
        let key = "/usr/share/keyrings/debian-archive-keyring.gpg";
        let signed = if Path::new(key).is_file() { format!(" signed-by={key}") } else { String::new() };
        let kind = match kind {
            Kind::Packages => "deb",
            Kind::Sources => "deb-src",
        };
        let apt = Apt::empty(work)?;
        fs::write(work.join("private.list"), format!("{kind} [arch=amd64{signed}] {mirror} {release} main\n"))?;
        Ok(apt)
    }

    /// Reads the sources of the suites whose packages this machine installs.
    pub fn sources_of_this_machine(work: &Path) -> Result<Apt> {
        Apt::of_this_machine(work, as_sources)
    }

    /// Reads the packages that this machine can install.
    pub fn packages_of_this_machine(work: &Path) -> Result<Apt> {
        Apt::of_this_machine(work, str::to_owned)
    }

    fn of_this_machine(work: &Path, listed: impl Fn(&str) -> String) -> Result<Apt> {
        let apt = Apt::empty(work)?;
        fs::write(work.join("private.list"), "")?;
        for path in source_files() {
            let text = fs::read_to_string(&path).unwrap_or_default();
            let name = path.file_name().unwrap_or_default();
            fs::write(work.join("private.d").join(name), listed(&text))?;
        }
        Ok(apt)
    }

    fn empty(work: &Path) -> Result<Apt> {
        for folder in ["lists/partial", "cache/archives/partial", "private.d"] {
            let folder = work.join(folder);
            fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        }
        Ok(Apt { work: work.to_path_buf() })
    }

    /// A program of apt's that reads these lists.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let path = |name: &str| self.work.join(name).display().to_string();
        for (option, value) in [
            ("Dir::Etc::sourcelist", path("private.list")),
            ("Dir::Etc::sourceparts", path("private.d")),
            ("Dir::State::lists", path("lists")),
            ("Dir::Cache", path("cache")),
            ("APT::Sandbox::User", "root".into()),
            ("Acquire::Languages", "none".into()),
            ("Acquire::Retries", "3".into()),
            ("Acquire::http::Timeout", "60".into()),
        ] {
            command.arg("-o").arg(format!("{option}={value}"));
        }
        command
    }

    /// Fetches the lists.
    pub fn update(&self) -> Result<()> {
        retry(|| check(self.command("apt-get").args(["update", "-qq"]), "reading the package lists")).map(drop)
    }

    /// Fetches the package `name`, or `name=version`, to a folder where no other is.
    pub fn package(&self, package: &str, folder: &Path) -> Result<PathBuf> {
        let doing = format!("fetching {package}");
        retry(|| check(self.command("apt-get").args(["download", "-qq", package]).current_dir(folder), &doing))?;
        let mut files = fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path()));
        let file = files.find(|path| path.extension() == Some(OsStr::new("deb")));
        file.with_context(|| format!("apt-get download left no {package} behind"))
    }

    /// Fetches the original archive of a source package in the version that the lists have; by its name alone apt would look
    /// for the one that this machine has installed.
    pub fn listed_source(&self, name: &str, folder: &Path) -> Result<PathBuf> {
        let shown =
            check(self.command("apt-cache").args(["showsrc", "--only-source", name]), &format!("looking {name} up"))?;
        let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
        let version = shown.lines().find_map(|line| line.strip_prefix("Version: "));
        let version = version.with_context(|| format!("the lists have no source of {name}"))?;
        let doing = format!("fetching the source of {name}");
        retry(|| check(&mut self.source_command(&format!("{name}={version}"), folder), &doing))?;
        source_in(folder, name).with_context(|| format!("apt-get left no source of {name} in {}", folder.display()))
    }

    /// The command that fetches the original archive of the source package `name`, or `name=version`, to a folder.
    pub fn source_command(&self, package: &str, folder: &Path) -> Command {
        let mut command = self.command("apt-get");
        command.args(["source", "-qq", "--download-only", "--tar-only", package]).current_dir(folder);
        command
    }

    /// Fetches the original archive of a source package to a folder.
    pub fn source(&self, name: &str, folder: &Path) -> Result<PathBuf> {
        retry(|| check(&mut self.source_command(name, folder), &format!("fetching the source of {name}")))?;
        source_in(folder, name).with_context(|| format!("apt-get left no source of {name} in {}", folder.display()))
    }
}

/// The original archive of a source package, if it lies in this folder: `NAME_VERSION.orig.tar.xz`.
pub fn source_in(folder: &Path, name: &str) -> Option<PathBuf> {
    let files = fs::read_dir(folder).ok()?.filter_map(|entry| entry.ok());
    let is_it = |file: &str| {
        let rest = file.strip_prefix(name).and_then(|rest| rest.strip_prefix('_'));
        rest.is_some_and(|rest| rest.contains(".orig.tar."))
    };
    let mut archives = files.filter(|file| file.file_name().to_str().is_some_and(is_it));
    archives.next().map(|file| file.path())
}

/// That the programs used here exist; the error says what else to do.
pub fn needs(programs: &[&str], wanted: &str, other_way: &str) -> Result<()> {
    for program in programs {
        if crate::find::find_program(program).is_none() {
            bail!("{program} is not here, so {wanted} cannot be fetched from Debian's archive; {other_way}");
        }
    }
    Ok(())
}

/// The files that list apt's sources, in either format.
fn source_files() -> Vec<PathBuf> {
    let parts = fs::read_dir("/etc/apt/sources.list.d").into_iter().flatten().flatten().map(|entry| entry.path());
    let known = parts.filter(|path| matches!(path.extension().and_then(OsStr::to_str), Some("list" | "sources")));
    std::iter::once(PathBuf::from("/etc/apt/sources.list")).chain(known).collect()
}

fn read_sources() -> String {
    let texts = source_files().into_iter().filter_map(|path| fs::read_to_string(path).ok());
    texts.collect::<Vec<_>>().join("\n")
}

/// A list of sources that names the same places for source packages.
fn as_sources(list: &str) -> String {
    let line = |line: &str| match line.split_once(char::is_whitespace) {
        Some(("deb", rest)) => format!("deb-src {rest}\n"),
        Some(("Types:", _)) => "Types: deb-src\n".into(),
        Some(("deb-src", _)) => String::new(),
        _ => format!("{line}\n"),
    };
    list.lines().map(line).collect()
}

/// The first Debian mirror among apt sources: an address that ends in `/debian`, as every mirror's does.
fn mirror(sources: &str) -> Option<&str> {
    let lines = sources.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let mut addresses = lines.flat_map(str::split_whitespace).filter(|word| word.contains("://"));
    addresses.find(|address| address.trim_end_matches('/').ends_with("/debian"))
}

/// Three tries, for mirrors that stumble.
fn retry<T>(mut action: impl FnMut() -> Result<T>) -> Result<T> {
    for pause in [2, 5] {
        match action() {
            Ok(value) => return Ok(value),
            Err(error) => tell!("{error:#}; trying again in {pause} s"),
        }
        thread::sleep(Duration::from_secs(pause));
    }
    action()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mirror_is_the_machines_own() {
        let one_line =
            "# deb http://old.test/debian x main\ndeb [signed-by=/k] https://mirror.test/debian/ bookworm main\n";
        assert_eq!(mirror(one_line), Some("https://mirror.test/debian/"));
        let fields = "Types: deb\nURIs: http://s.test/debian-security http://m.test/debian\nSuites: bookworm\n";
        assert_eq!(mirror(fields), Some("http://m.test/debian"));
        assert_eq!(mirror("deb http://a.test/ubuntu x main\n"), None);
    }

    #[test]
    fn sources_lie_beside_packages() {
        assert_eq!(
            as_sources("deb [a=b] http://m.test/debian x main\n"),
            "deb-src [a=b] http://m.test/debian x main\n"
        );
        assert_eq!(as_sources("Types: deb\nSuites: x\n"), "Types: deb-src\nSuites: x\n");
        assert_eq!(as_sources("deb-src http://m.test/debian x main\n"), "");
    }

    #[test]
    fn an_original_archive_is_known_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["fftw3_3.3.10.dsc", "fftw3-doc_1.orig.tar.xz", "fftw3_3.3.10.debian.tar.xz"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(source_in(folder.path(), "fftw3"), None);
        let archive = folder.path().join("fftw3_3.3.10.orig.tar.gz");
        fs::write(&archive, "").unwrap();
        assert_eq!(source_in(folder.path(), "fftw3"), Some(archive));
    }
}
