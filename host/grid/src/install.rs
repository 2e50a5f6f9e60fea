//! Brings `rankine` to nodes. What is there is replaced as a whole, once the new one has arrived and has run there.
//!
//! A node need have no more than a shell and the usual tools (`sha256sum`, `mktemp`, `mv`).

use std::fs::File;
use std::io::{self, Read, Seek as _};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use sha2::{Digest as _, Sha256};

use crate::ask::{Asker, Refusal};
use crate::node::Node;
use rankine_system::elf::Head;

/// A `rankine` for nodes of one kind.
pub struct Program {
    file: File,
    /// As `sha256sum` prints it.
    digest: String,
    /// As `uname -m` calls it.
    machine: &'static str,
    length: u64,
}

/// What a node says of a program that its loader refuses for the versions of the C library's functions. In a word of a shell.
const TOO_NEW: &str = "its C library is older than the one that this rankine is linked for; ./x package makes one for older systems, \
                       which --file takes";

/// What has become of a node.
pub struct Installed {
    /// What its `rankine` says of its version.
    pub version: String,
    /// Bytes that were copied to it, if it did not have this very program.
    pub copied: Option<u64>,
}

impl Program {
    /// A binary, or that in a package of `./x package`; this program, if none is named.
    pub fn open(file: Option<&Path>) -> Result<Program> {
        let ours = std::env::current_exe().context("the path of this program is not known")?;
        let path = file.unwrap_or(&ours);
        let what = || format!("can't read {}", path.display());
        let mut file = match path.to_str().is_some_and(|name| name.ends_with(".tar.gz") || name.ends_with(".tgz")) {
            true => unpacked(path).with_context(what)?,
            false => File::open(path).with_context(what)?,
        };
        let mut head = [0; Head::LENGTH];
        file.read_exact(&mut head).with_context(what)?;
        let Some(machine) = machine(&head) else {
            bail!("{} is not a Linux program for a machine that is known here", path.display())
        };
        file.rewind().with_context(what)?;
        let (mut hasher, mut length, mut bytes) = (Sha256::new(), 0, vec![0; 1 << 16]);
        loop {
            match file.read(&mut bytes).with_context(what)? {
                0 => break,
                count => {
                    hasher.update(&bytes[..count]);
                    length += count as u64;
                }
            }
        }
        let digest = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Program { file, digest, machine, length })
    }

    /// Sees to it that a node has it, where the grid says that `rankine` is.
    pub fn install(&self, asker: &Asker, node: &Node) -> Result<Installed, Refusal> {
        let place = asker.rankine(node).to_str().filter(|place| place.starts_with('/'));
        let place = place.ok_or_else(|| Refusal::Failed("its rankine has no path in text from the root on".into()))?;
        let question = format!(
            "uname -m; sha256sum {0} 2>/dev/null | cut -d' ' -f1; {0} --version 2>/dev/null; true",
            word(place)
        );
        let answer = asker.shell(node, &question, None)?;
        let lines: Vec<&str> = answer.lines().collect();
        if !lines.contains(&self.machine) {
            let kind = rankine_system::shown::line(lines.first().unwrap_or(&"of no kind"));
            return Err(Refusal::Failed(format!(
                "it is {kind}, and this rankine is for {}; name a package for its kind with --file",
                self.machine
            )));
        }
        let version =
            |lines: &[&str]| lines.iter().rev().find(|line| line.starts_with("rankine ")).map(|line| line.to_string());
        if let Some(version) = version(&lines).filter(|_| lines.contains(&self.digest.as_str())) {
            return Ok(Installed { version, copied: None });
        }
        // A file of our own: places in the same file are shared by whoever reads it.
        let failed = |error: io::Error| Refusal::Failed(error.to_string());
        let input = once_more(&self.file).map_err(failed)?;
        let answer = asker.shell(node, &self.script(place), Some(input))?;
        let lines: Vec<&str> = answer.lines().collect();
        let version =
            version(&lines).ok_or_else(|| Refusal::Failed("the copy there does not report its version".into()))?;
        Ok(Installed { version, copied: Some(self.length) })
    }

    /// What a node does: it takes the program, looks whether it is right and runs, and puts it in its place.
    fn script(&self, place: &str) -> String {
        let folder = Path::new(place).parent().and_then(Path::to_str).unwrap_or("/");
        format!(
            "set -e; mkdir -p {folder}; new=$(mktemp {folder}/.rankine-XXXXXX); trap 'rm -f \"$new\"' EXIT; cat > \"$new\"; \
             if [ \"$(sha256sum \"$new\" | cut -d' ' -f1)\" != {digest} ]; then echo 'not all of it has arrived' >&2; exit 1; fi; \
             chmod 755 \"$new\"; if ! said=$(\"$new\" --version 2>&1); then case $said in \
             *GLIBC_*) echo '{TOO_NEW}' >&2;; *) printf '%s\\n' \"$said\" 'it does not run there' >&2;; esac; exit 1; fi; \
             printf '%s\\n' \"$said\"; mv -f \"$new\" {place}",
            folder = word(folder),
            digest = self.digest,
            place = word(place),
        )
    }
}

/// Opens a file once more.
#[cfg(unix)]
fn once_more(file: &File) -> io::Result<File> {
    File::open(format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(file)))
}

/// Nothing is copied from here.
#[cfg(windows)]
fn once_more(_: &File) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The program in a package.
fn unpacked(package: &Path) -> Result<File> {
    let file = tempfile::tempfile()?;
    let mut tar = Command::new("tar");
    // A colon in the name makes no other host of what is before it, which tar would run a program to reach.
    tar.args(["--force-local", "-xzOf"]).arg(package).args(["--wildcards", "*/bin/rankine"]);
    let status = tar.stdin(Stdio::null()).stdout(file.try_clone()?).status().context("tar can't be run")?;
    ensure!(status.success(), "it has no bin/rankine");
    let mut file = file;
    file.rewind()?;
    Ok(file)
}

/// The machine that a program is for, as `uname -m` calls it, by the head of its file. That has other names for PowerPC.
fn machine(head: &[u8]) -> Option<&'static str> {
    Head::read(head)?.architecture().filter(|&name| name != "powerpc64")
}

/// A text as one word of a shell.
fn word(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(folder: &Path, name: &str, text: &[u8]) -> std::path::PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    #[test]
    fn kinds_of_programs() {
        let head = |order: u8, machine: [u8; 2]| {
            let mut head = [0; 20];
            head[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, order]);
            head[18..].copy_from_slice(&machine);
            head
        };
        assert_eq!(machine(&head(1, [62, 0])), Some("x86_64"));
        assert_eq!(machine(&head(1, [183, 0])), Some("aarch64"));
        assert_eq!(machine(&head(2, [0, 22])), Some("s390x"));
        assert_eq!(machine(&head(1, [0, 22])), None);
        assert_eq!(machine(&[0; 20]), None);
        let folder = tempfile::tempdir().unwrap();
        assert!(Program::open(Some(&program(folder.path(), "short", b"\x7fELF"))).is_err());
        let script = program(folder.path(), "script", b"#!/bin/sh\necho rankine 1.0 and more\n");
        assert!(Program::open(Some(&script)).err().unwrap().to_string().contains("not a Linux program"));
        let ours = Program::open(None).unwrap();
        assert_eq!((ours.machine, ours.digest.len()), (std::env::consts::ARCH, 64));
    }

    /// What arrives torn, or does not run there, takes nobody's place.
    #[test]
    fn a_script_for_nodes() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("it's there/rankine");
        let text = b"#!/bin/sh\necho rankine 9.9\n";
        let file = File::open(program(folder.path(), "new", text)).unwrap();
        let digest = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
        let right = Program { file, digest, machine: "x86_64", length: text.len() as u64 };
        let run = |program: &Program, input: &[u8]| {
            let input = File::open(self::program(folder.path(), "input", input)).unwrap();
            let script = program.script(place.to_str().unwrap());
            Command::new("sh").args(["-c", &script]).stdin(input).output().unwrap()
        };
        let torn = run(&right, &text[..9]);
        assert!(!torn.status.success() && String::from_utf8_lossy(&torn.stderr).contains("not all of it"), "{torn:?}");
        let broken = b"#!/bin/sh\nexit 3\n";
        let digest = Sha256::digest(broken).iter().map(|byte| format!("{byte:02x}")).collect();
        let dead = Program { file: right.file.try_clone().unwrap(), digest, machine: "x86_64", length: 0 };
        assert!(!run(&dead, broken).status.success() && !place.exists());
        let newer = b"#!/bin/sh\necho \"$0: libc.so.6: version \\`GLIBC_2.34' not found\" >&2\nexit 1\n";
        let digest = Sha256::digest(newer).iter().map(|byte| format!("{byte:02x}")).collect();
        let newer_one = Program { file: right.file.try_clone().unwrap(), digest, machine: "x86_64", length: 0 };
        let refused = run(&newer_one, newer);
        assert_eq!(String::from_utf8_lossy(&refused.stderr).trim(), TOO_NEW);
        assert!(!refused.status.success() && !place.exists());
        let good = run(&right, text);
        assert_eq!((good.status.success(), good.stdout), (true, b"rankine 9.9\n".to_vec()));
        assert_eq!(std::fs::read(&place).unwrap(), text);
        // Nothing else is left.
        assert_eq!(std::fs::read_dir(place.parent().unwrap()).unwrap().count(), 1);
    }
}
