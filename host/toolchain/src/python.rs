//! Python as it was built on this machine: the interpreter's module and the standard library beside it.
//!
//! Who runs it needs no compiler, so it is found by the name that `rankine sdk build python` leaves, not by what it is made
//! from.

use crate::find;
use anyhow::{Context as _, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// The release that is built: its source package, its library's folder.
pub const RELEASE: &str = "3.13";

/// Packages that are linked to the interpreter, and what they are called with their versions.
pub const LINKED: [(&str, &str); 2] = [("mpi4py", "mpi4py 4.1.2"), ("numpy", "numpy 2.5.5")];

/// What the interpreter calls the folder that its library is in.
pub const HOME: &str = "/python";

/// The part under the name that stays.
pub(crate) const NAME: &str = "python";

/// A built Python.
#[derive(Clone, Debug)]
pub struct Python {
    root: PathBuf,
}

impl Python {
    /// The one on this machine.
    pub fn find() -> Result<Python> {
        let root = find::data_dir()?.join(NAME);
        match is_whole(&root) {
            // By its own name: a build that ends while this one runs puts the other name elsewhere.
            true => Ok(Python { root: root.canonicalize()? }),
            false => {
                bail!("Python is not built yet (there is no {}); run `rankine sdk build python` once", root.display())
            }
        }
    }

    /// The interpreter.
    pub fn module(&self) -> PathBuf {
        module(&self.root)
    }

    /// The interpreter as it is once it has started.
    pub fn image(&self) -> PathBuf {
        image(&self.root)
    }

    /// Modules that the image has imported beside those of a plain start, by name.
    pub fn image_modules(&self) -> Result<Vec<String>> {
        let file = image_modules(&self.root);
        let names = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        Ok(names.lines().map(str::to_owned).collect())
    }

    /// The folder that the guest is to find as `lib` in [`HOME`].
    pub fn library(&self) -> PathBuf {
        self.root.join("lib")
    }
}

/// An interpreter that has started.
pub struct Image {
    /// Its module.
    pub binary: Vec<u8>,
    /// What it has imported, a name on each line.
    pub modules: String,
}

/// Where an interpreter that has started is in a part.
pub(crate) fn image(root: &Path) -> PathBuf {
    root.join("image.wasm")
}

pub(crate) fn image_modules(root: &Path) -> PathBuf {
    root.join("image.modules")
}

/// Where the interpreter is in a part.
pub(crate) fn module(root: &Path) -> PathBuf {
    root.join("python.wasm")
}

/// The folder of the standard library in a part.
pub(crate) fn standard_library(root: &Path) -> PathBuf {
    root.join("lib").join(format!("python{RELEASE}"))
}

fn is_whole(root: &Path) -> bool {
    module(root).is_file() && image(root).is_file() && standard_library(root).is_dir()
}
