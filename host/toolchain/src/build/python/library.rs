//! The standard library of a part, as guests find it: sources for tracebacks, and code that is not compared with them, since
//! nobody may write there.

use super::work::{command, quiet};
use crate::embedded::{self, PYTHON};
use crate::folder::{write, write_all};
use crate::python::{HOME, RELEASE, standard_library};
use anyhow::{Context as _, Result};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// What of CPython's library and of packages is of no use in a guest: tests, graphical interfaces, an installer, what builds
/// them.
const NOT_THESE: [&str; 12] = [
    "test",
    "tests",
    "idlelib",
    "tkinter",
    "turtledemo",
    "turtle.py",
    "ensurepip",
    "__pycache__",
    "src",
    "code_generators",
    "lapack_lite",
    "_build_utils",
];

/// Where everything is.
pub(super) struct Sources {
    /// CPython's source.
    pub(super) cpython: PathBuf,
    /// What `sysconfig` answers with in a guest.
    pub(super) configuration: PathBuf,
    /// Packages that are linked in, by their names.
    pub(super) packages: Vec<(&'static str, PathBuf)>,
    /// What numpy's build has made beside its source.
    pub(super) numpy: [PathBuf; 1],
}

impl Sources {
    /// Puts the library together.
    pub(super) fn lay_out(&self, draft: &Path) -> Result<()> {
        let library = standard_library(draft);
        copy(&self.cpython.join("Lib"), &library)?;
        let site = library.join("site-packages");
        self.packages.iter().try_for_each(|(name, source)| copy(source, &site.join(name)))?;
        write_all(&site, embedded::files(&PYTHON).into_iter().filter(|(path, _)| path.starts_with("rankine")))?;
        for name in ["_rankine_image.py", "_rankine_start.py", "_socket.py"] {
            write(&library.join(name), embedded::file(&PYTHON, name))?;
        }
        // Python looks for this folder to know that the library is whole.
        fs::create_dir_all(library.join("lib-dynload"))?;
        let into = |file: &Path, folder: &Path| {
            let name = file.file_name().context("a file has a name")?;
            fs::copy(file, folder.join(name)).with_context(|| format!("cannot copy {}", file.display())).map(drop)
        };
        self.numpy.iter().try_for_each(|file| into(file, &site.join("numpy")))?;
        into(&self.configuration, &library)
    }
}

/// Copies Python's files, and the few texts that modules read.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let (source, name) = {
            let entry = entry?;
            (entry.path(), entry.file_name())
        };
        let target = to.join(&name);
        match () {
            _ if NOT_THESE.iter().any(|not| name == *not) => {}
            _ if source.is_dir() => copy(&source, &target)?,
            _ if is_of_use(&source) => {
                fs::copy(&source, &target).with_context(|| format!("cannot copy {}", source.display()))?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Not what other languages' compilers read.
fn is_of_use(file: &Path) -> bool {
    !matches!(
        file.extension().and_then(OsStr::to_str),
        Some("c" | "h" | "cpp" | "hpp" | "src" | "build" | "pyx" | "pxd" | "pxi" | "in" | "pyi")
    )
}

/// Compiles all of it, for the place where guests find it.
pub(super) fn compile(python: &Path, draft: &Path) -> Result<()> {
    let mut compile = command(python);
    // The flags of the user's own interpreter mean nothing here; what Python 2 has left for tests doesn't compile.
    compile.args(["-I", "-m", "compileall", "-q", "-j0", "--invalidation-mode=unchecked-hash", "-s"]).arg(draft);
    compile.args(["-p", HOME]).arg(draft.join("lib").join(format!("python{RELEASE}")));
    quiet(&mut compile, "compiling the standard library")
}
