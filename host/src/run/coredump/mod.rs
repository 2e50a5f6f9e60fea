//! `--coredump`: what a rank that trapped leaves in a file, for debuggers of WebAssembly.
//!
//! Behind the wall nobody makes files, and which rank will trap is not known before it goes up. So a process of our own,
//! started before, is sent the dump piece by piece. A dump appears under its name once it is whole, or not at all.

mod image;

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, Result, ensure};
use rankine_guest::Who;
use tempfile::NamedTempFile;
use wasmtime::Store;

use self::image::Image;
use crate::guest::{Guest, Rank};
use crate::module::symbols::Symbols;
use rankine_system::helper::{self, receive, send};
use rankine_system::tell;

/// Bytes that are sent at a time, and those of a rank's name.
const PIECE: usize = 1 << 16;
const LONGEST_NAME: u64 = 64;

/// Where the dumps of a job's ranks go.
pub(crate) struct Dumps {
    names: Names,
    /// The process that writes them, for one rank at a time.
    writer: Mutex<File>,
    said: Mutex<Vec<String>>,
}

impl std::fmt::Debug for Dumps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Dumps")
    }
}

/// What the files are called.
#[derive(Clone)]
struct Names {
    pattern: PathBuf,
    /// The job has one rank, whose dump has the name as it was given.
    is_alone: bool,
}

impl Names {
    /// The folder that they lie in.
    fn folder(&self) -> &Path {
        self.pattern.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// The name, in the folder, of a rank's file. A rank is known by its label.
    fn of(&self, label: &str) -> OsString {
        let name = self.pattern.file_name().unwrap_or_default();
        let text = name.to_string_lossy();
        if text.contains("%r") {
            return text.replace("%r", label).into();
        }
        let mut name = name.to_owned();
        if !self.is_alone || label != "0" {
            name.push(format!(".{label}"));
        }
        name
    }

    fn path(&self, label: &str) -> PathBuf {
        self.pattern.with_file_name(self.of(label))
    }
}

/// A file in a folder, without a name that anybody looks for.
fn unnamed(folder: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(".rankine-core-").tempfile_in(folder)
}

impl Dumps {
    /// Starts the process that writes dumps. Call it while this one has one thread.
    pub(crate) fn begin(pattern: &Path, is_alone: bool) -> Result<Dumps> {
        let names = Names { pattern: pattern.into(), is_alone };
        let first = names.path("0");
        ensure!(!first.is_dir(), "--coredump: {} is a folder", first.display());
        unnamed(names.folder()).with_context(|| format!("--coredump: {} can't be written", first.display()))?;
        let its = names.clone();
        let writer = helper::start("that writes core dumps", &[], |mut other| {
            // The guest may be granted what lies above the folder, and put another in its place.
            env::set_current_dir(its.folder())?;
            while let Some(label) = receive(&mut other, LONGEST_NAME)? {
                let label = String::from_utf8(label)?;
                ensure!(label.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'), "a rank of that name");
                match keep(Path::new(&its.of(&label)), &mut other)? {
                    Ok(()) => send(&mut other, b"")?,
                    Err(error) => send(&mut other, error.to_string().as_bytes())?,
                }
            }
            Ok(())
        });
        let writer = writer.context("--coredump")?;
        Ok(Dumps { names, writer: Mutex::new(writer), said: Mutex::default() })
    }

    /// Dumps a rank whose program, in this file, has trapped with this error.
    pub(crate) fn write<R: Rank>(
        &self,
        program: &str,
        store: &Store<Guest<R>>,
        error: &wasmtime::Error,
        symbols: &Symbols,
    ) {
        let who = store.data().who();
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let path = self.names.path(&label(who));
        let image = Image::new(program, store, error, symbols);
        let said = match send_image(&mut writer, who, &image) {
            Ok(()) if image.is_cut() => {
                format!("core dump: {} (without the end of its memory, which no module has room for)", path.display())
            }
            Ok(()) => format!("core dump: {}", path.display()),
            Err(error) => format!("--coredump: {} can't be written: {error}", path.display()),
        };
        self.said.lock().unwrap_or_else(PoisonError::into_inner).push(said);
    }

    /// Says where the dumps are.
    pub(crate) fn say(&self) {
        for line in self.said.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            tell!("rankine: {}", rankine_system::shown::line(&line));
        }
    }
}

/// A rank as names of files have it.
fn label(who: Who) -> String {
    who.label().replace(':', ".")
}

fn send_image<R: Rank>(writer: &mut File, who: Who, image: &Image<'_, R>) -> Result<()> {
    send(writer, label(who).as_bytes())?;
    image.write(|piece| send(writer, piece))?;
    send(writer, b"")?;
    let answer = receive(writer, 1 << 16)?.context("the process that writes it has ended")?;
    ensure!(answer.is_empty(), "{}", String::from_utf8_lossy(&answer));
    Ok(())
}

/// Writes what is sent to a file in the working folder. What can't be written is read all the same: more may follow. The outer error is that of
/// the connection.
fn keep(path: &Path, connection: &mut File) -> Result<io::Result<()>> {
    let mut file = unnamed(Path::new("."));
    loop {
        let piece = receive(connection, PIECE as u64)?.context("the job has ended in the middle of a dump")?;
        if piece.is_empty() {
            break;
        }
        if let Ok(to) = &mut file
            && let Err(error) = to.write_all(&piece)
        {
            file = Err(error);
        }
    }
    Ok(file.and_then(|file| Ok(file.persist(path).map(drop)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_after_ranks() {
        let name = |pattern: &str, is_alone, label: &str| Names { pattern: pattern.into(), is_alone }.path(label);
        assert_eq!(name("a/core", true, "0"), Path::new("a/core"));
        assert_eq!(name("a/core", true, "1.0"), Path::new("a/core.1.0"));
        assert_eq!(name("a/core", false, "0"), Path::new("a/core.0"));
        assert_eq!(name("a/%r.core", false, "12"), Path::new("a/12.core"));
        assert_eq!(Names { pattern: "core".into(), is_alone: true }.folder(), Path::new("."));
    }
}
