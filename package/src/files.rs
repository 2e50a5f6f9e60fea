//! Files and programs of the system; an error names what was done, and with which file.

use std::fs::{self, Permissions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use sha2::{Digest as _, Sha256};

/// Makes a folder, with those above it.
pub fn folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).with_context(|| format!("cannot make the folder {}", path.display()))
}

/// What a file has.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Writes a file that appears whole or not at all, also over one that runs; its folder is made if need be.
pub fn write(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    let within = path.parent().context("a file lies in a folder")?;
    folder(within)?;
    let written = || {
        let mut draft = tempfile::NamedTempFile::new_in(within)?;
        draft.write_all(bytes)?;
        draft.as_file().set_permissions(Permissions::from_mode(mode))?;
        draft.persist(path).map_err(|error| error.error)
    };
    written().map(drop).with_context(|| format!("cannot write {}", path.display()))
}

/// Copies a file, for everybody to read.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    write(to, &read(from)?, 0o644)
}

/// All files in a folder and beneath, in the order of their names.
pub fn beneath(top: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let entries = top.read_dir().with_context(|| format!("cannot look into {}", top.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() { found.extend(beneath(&path)?) } else { found.push(path) }
    }
    found.sort();
    Ok(found)
}

/// Whether there is a program of this name.
pub fn has(program: &str) -> bool {
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).any(|folder| folder.join(program).is_file())
}

/// Runs a program to its end; what it prints.
pub fn output(command: &mut Command) -> Result<Vec<u8>> {
    let name = command.get_program().display().to_string();
    match command.output() {
        Err(error) if error.kind() == ErrorKind::NotFound => bail!("{name} is missing"),
        Err(error) => Err(error).with_context(|| format!("cannot run {name}")),
        Ok(output) if output.status.success() => Ok(output.stdout),
        Ok(output) => {
            let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
            bail!("{name} {}: {}: {}", words.join(" "), output.status, String::from_utf8_lossy(&output.stderr).trim())
        }
    }
}

/// What gzip makes of a file, without name and time.
pub fn gzip(path: &Path) -> Result<Vec<u8>> {
    let file = fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    output(Command::new("gzip").arg("-9n").stdin(file))
}

/// The SHA-256 of bytes.
pub fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_what_and_where() {
        let top = tempfile::tempdir().unwrap();
        let file = top.path().join("file");
        write(&file, b"text", 0o600).unwrap();
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let said = |outcome: Result<()>| format!("{:#}", outcome.unwrap_err());
        let beneath_a_file = file.join("bin");
        let text = said(folder(&beneath_a_file));
        assert!(text.starts_with(&format!("cannot make the folder {}: ", beneath_a_file.display())), "{text}");
        let text = said(read(&top.path().join("none")).map(drop));
        assert!(text.contains("cannot read") && text.contains("/none: No such file"), "{text}");
        let text = said(output(Command::new("sh").args(["-c", "echo why >&2; exit 3"])).map(drop));
        assert!(text.starts_with("sh -c ") && text.ends_with("exit status: 3: why"), "{text}");
        assert_eq!(said(output(&mut Command::new("rankine-no-such")).map(drop)), "rankine-no-such is missing");
    }

    #[test]
    fn what_cannot_be_written_leaves_what_was_there() {
        let top = tempfile::tempdir().unwrap();
        let occupied = top.path().join("occupied");
        fs::create_dir_all(occupied.join("more")).unwrap();
        let text = format!("{:#}", write(&occupied, b"text", 0o644).unwrap_err());
        assert!(text.starts_with(&format!("cannot write {}: ", occupied.display())), "{text}");
        assert_eq!(beneath(top.path()).unwrap(), Vec::<PathBuf>::new());
        assert!(occupied.join("more").is_dir());
    }
}
