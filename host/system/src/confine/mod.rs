//! The second wall: what this process may still ask of the system while a guest runs.
//!
//! The first wall is validation: nothing that a guest says reaches the engine or the MPI library unchecked. This one
//! stands where that fails. A process whose engine or library was taken over reaches the files that were granted and
//! what the library itself needs, and no others; it starts no program, looks into no other process, and has no
//! administrator's calls.
//!
//! It goes up once, on the first thread, when everything is loaded and before a thread exists that could run what a
//! guest has planted: an older kernel confines only the thread that asks and those that it starts. A kernel that lacks
//! a part leaves that part out, which `--verbose` and `rankine doctor` say. Nothing takes the wall down again.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(not(target_os = "linux"))]
use other as system;

use crate::grants::Grants;

/// Whether there is such a wall on systems of this kind at all.
pub const EXISTS: bool = cfg!(target_os = "linux");

/// The version of Landlock that knows of all ways to change a file.
const LEAST: i32 = 3;

/// How far a process may reach over sockets.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Network {
    /// Not at all.
    Closed,
    /// It answers those who connect to a socket that was opened before the wall.
    Answers,
    /// It connects to other hosts.
    Open,
}

/// What a process needs while its guests run.
#[derive(Clone, Debug)]
pub struct Needs {
    /// The folders that guests may use.
    grants: Grants,
    /// A folder of the host's own, in which it makes what the library is to find.
    workshop: Option<PathBuf>,
    /// The MPI library, already loaded; none for the embedded engine.
    library: Option<PathBuf>,
    network: Network,
    /// Code that is compiled while guests run.
    code: bool,
}

impl Needs {
    /// The needs of guests that may use these folders, over an MPI library that was loaded from this file, if any.
    pub fn new(grants: &Grants, library: Option<&Path>, network: Network) -> Needs {
        Needs { grants: grants.clone(), workshop: None, library: library.map(Path::to_path_buf), network, code: false }
    }

    /// These needs, and this folder of the host's own.
    pub fn with(self, workshop: Option<PathBuf>) -> Needs {
        Needs { workshop, ..self }
    }

    /// These needs, and code that another process compiles while guests run.
    pub fn with_code(self) -> Needs {
        Needs { code: true, ..self }
    }
}

/// What of the wall stands, or could.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The version of Landlock that restricts files, if the kernel has it.
    pub landlock: Option<i32>,
    /// System calls are filtered.
    pub calls: bool,
    /// Threads that files are not restricted for, since they were there before.
    pub outside: Vec<String>,
}

impl Standing {
    /// What of the wall these needs leave to it and is not there. Files take both parts: without Landlock a filter lets none be
    /// opened, and that is enough where none has to be.
    pub fn lacks(&self, needs: &Needs) -> Option<String> {
        let mut lacking = Vec::new();
        if !self.calls {
            lacking.push("system calls are not filtered (no seccomp)".into());
        }
        let opens = needs.library.is_some() || needs.workshop.is_some() || !needs.grants.is_empty();
        match self.landlock {
            None if opens || !self.calls => lacking.push("files are not restricted (no Landlock)".into()),
            Some(version @ ..LEAST) if opens => {
                lacking.push(format!(
                    "files can be cut short (Landlock {version}, and {LEAST} is the first to prevent it)"
                ));
            }
            _ if !self.outside.is_empty() => {
                lacking.push(format!("all files are open to the threads {}", self.outside.join(", ")));
            }
            _ => {}
        }
        (!lacking.is_empty()).then(|| lacking.join(", "))
    }

    /// Nothing is left out for want of a kernel that has it.
    pub fn is_whole(&self) -> bool {
        self.landlock.is_some() && self.calls && self.outside.is_empty()
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.landlock {
            Some(version) => write!(f, "files (Landlock {version}), ")?,
            None => write!(f, "no restriction of files (this system has no Landlock), ")?,
        }
        f.write_str(if self.calls { "system calls (seccomp)" } else { "no filter of system calls" })?;
        if !self.outside.is_empty() {
            write!(f, "; all files are open to the threads {}", self.outside.join(", "))?;
        }
        Ok(())
    }
}

/// Puts the wall up around this process.
pub fn up(needs: &Needs) -> Result<Standing> {
    system::up(needs)
        .context("the process can't be confined to what its job needs (--no-confine runs it without that wall)")
}

/// The names of this process's threads, but for the one that calls. Empty where the system does not tell of them.
pub fn other_threads() -> Vec<String> {
    system::other_threads()
}

/// What this system has of the wall.
pub fn available() -> Standing {
    system::available()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grants::{Access, Folder};

    #[test]
    fn a_wall_is_whole_if_nothing_that_is_needed_lacks() {
        let stands = |landlock, calls| Standing { landlock, calls, outside: Vec::new() };
        let folder = tempfile::tempdir().unwrap();
        let grant = Folder { host: folder.path().into(), guest: "g".into(), access: Access::ReadOnly };
        let none = Needs::new(&Grants::default(), None, Network::Closed);
        let granted = Needs::new(&Grants::open(&[grant]).unwrap(), None, Network::Closed);
        let library = Needs::new(&Grants::default(), Some(Path::new("/lib/libmpi_abi.so.1")), Network::Closed);
        for needs in [&none, &granted, &library] {
            assert_eq!(stands(Some(3), true).lacks(needs), None);
            let without = stands(Some(7), false).lacks(needs).unwrap();
            assert!(without.contains("seccomp") && !without.contains("Landlock"), "{without}");
            let without = stands(None, false).lacks(needs).unwrap();
            assert!(without.contains("seccomp") && without.contains("Landlock"), "{without}");
        }
        // No call is left that opens one.
        assert_eq!(stands(None, true).lacks(&none), None);
        for needs in [&granted, &library] {
            assert!(stands(None, true).lacks(needs).unwrap().contains("no Landlock"));
            assert!(stands(Some(2), true).lacks(needs).unwrap().contains("Landlock 2"));
            let outside = Standing { landlock: Some(7), calls: true, outside: vec!["early".into()] };
            assert!(outside.lacks(needs).unwrap().contains("early"));
        }
    }
}
