//! apt with lists and a cache of its own: what Debian's archive has is fetched from the mirror that this machine is set
//! up with, without root rights and without a change of the machine's set-up.

use anyhow::{Context as _, Result, bail};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;
use std::{fs, thread};

/// A private apt, in a folder that goes when the work is done.
pub struct Apt {
    work: PathBuf,
}

impl Apt {
    /// Reads Debian's development suite: packages of the kind `deb` or sources of the kind `deb-src`.
    pub fn development(work: &Path, kind: &str) -> Result<Apt> {
        let sources = read_sources();
        let mirror = mirror(&sources).context("this machine's apt sources name no Debian mirror")?;
        let key = "/usr/share/keyrings/debian-archive-keyring.gpg";
        let signed = if Path::new(key).is_file() { format!(" signed-by={key}") } else { String::new() };
        let apt = Apt::empty(work)?;
        fs::write(work.join("private.list"), format!("{kind} [arch=amd64{signed}] {mirror} sid main\n"))?;
        Ok(apt)
    }

    /// Reads the sources of the suites whose packages this machine installs.
    pub fn sources_of_this_machine(work: &Path) -> Result<Apt> {
        let apt = Apt::empty(work)?;
        fs::write(work.join("private.list"), "")?;
        for path in source_files() {
            let text = fs::read_to_string(&path).unwrap_or_default();
            let name = path.file_name().unwrap_or_default();
            fs::write(work.join("private.d").join(name), as_sources(&text))?;
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
        ] {
            command.arg("-o").arg(format!("{option}={value}"));
        }
        command
    }

    /// Fetches the lists.
    pub fn update(&self) -> Result<()> {
        retry(|| check(self.command("apt-get").args(["update", "-qq"]), "reading the package lists")).map(drop)
    }
}

/// That the programs used here exist; the error says what else to do.
pub fn needs(programs: &[&str], wanted: &str, other_way: &str) -> Result<()> {
    for program in programs {
        if super::toolchain::find_program(program).is_none() {
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
pub fn retry<T>(mut action: impl FnMut() -> Result<T>) -> Result<T> {
    for pause in [2, 5] {
        match action() {
            Ok(value) => return Ok(value),
            Err(error) => eprintln!("rankine sdk: {error:#}; trying again in {pause} s"),
        }
        thread::sleep(Duration::from_secs(pause));
    }
    action()
}

/// Runs a program to its end; what it said is the error.
pub fn check(command: &mut Command, doing: &str) -> Result<Output> {
    let output = command.env("LC_ALL", "C").output().with_context(|| format!("{doing}: cannot start {command:?}"))?;
    if !output.status.success() {
        bail!("{doing} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(output)
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
}
