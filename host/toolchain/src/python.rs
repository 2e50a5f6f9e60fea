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

/// In a folder of packages, the file that names the build of Python that it is of.
pub(crate) const PACKAGES_OF: &str = "python";

/// A built Python.
#[derive(Clone, Debug)]
pub struct Python {
    root: PathBuf,
    /// A folder of packages whose interpreter is run instead.
    packages: Option<PathBuf>,
}

impl Python {
    /// The one on this machine.
    pub fn find() -> Result<Python> {
        let built = find::data_dir().map(|folder| folder.join(NAME));
        let places = built.as_ref().ok().cloned().into_iter().chain(packaged());
        if let Some(root) = places.into_iter().find(|root| is_whole(root)) {
            // By its own name: a build that ends while this one runs puts the other name elsewhere.
            return Ok(Python { root: root.canonicalize()?, packages: None });
        }
        bail!("Python is not built yet (there is no {}); run `rankine sdk build python` once", built?.display())
    }

    /// That of a folder which `rankine python build` has made.
    pub fn with(folder: &Path) -> Result<Python> {
        let again = "build its packages again by `rankine python build`";
        let named = fs::read_to_string(folder.join(PACKAGES_OF)).ok();
        let Some(named) = named.filter(|_| module(folder).is_file() && image(folder).is_file()) else {
            bail!("{} is no folder that `rankine python build` has made", folder.display())
        };
        let name = named.trim();
        let is_plain = name.starts_with(NAME) && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let root = match name {
            NAME => {
                packaged().with_context(|| format!("{} is of a Python that came with Rankine", folder.display()))?
            }
            _ => find::data_dir()?.join(name),
        };
        if !is_plain || !is_whole(&root) {
            bail!("{} is of a build of Python that is not here: {again}", folder.display());
        }
        Ok(Python { root: root.canonicalize()?, packages: Some(folder.canonicalize()?) })
    }

    /// The part's own folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// What the part is called.
    pub(crate) fn name(&self) -> String {
        self.root.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Where the interpreter is.
    fn interpreter(&self) -> &Path {
        self.packages.as_deref().unwrap_or(&self.root)
    }

    /// The folder of the packages that are linked to it.
    pub fn site(&self) -> Option<PathBuf> {
        self.packages.as_deref().map(site)
    }

    /// The interpreter.
    pub fn module(&self) -> PathBuf {
        module(self.interpreter())
    }

    /// The interpreter as it is once it has started.
    pub fn image(&self) -> PathBuf {
        image(self.interpreter())
    }

    /// Modules that the image has imported beside those of a plain start, by name.
    pub fn image_modules(&self) -> Result<Vec<String>> {
        let file = image_modules(self.interpreter());
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

/// Files of packages, in a folder of these.
pub(crate) fn site(folder: &Path) -> PathBuf {
    folder.join("site")
}

/// The folder of the standard library in a part.
pub(crate) fn standard_library(root: &Path) -> PathBuf {
    root.join("lib").join(format!("python{RELEASE}"))
}

/// Where a package of Rankine has it: beside the program that runs.
fn packaged() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?.canonicalize().ok()?;
    Some(program.parent()?.parent()?.join("share/rankine").join(NAME))
}

fn is_whole(root: &Path) -> bool {
    module(root).is_file() && image(root).is_file() && standard_library(root).is_dir()
}
