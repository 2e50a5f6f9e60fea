//! What the interpreter is linked from, in a folder of the part: so `rankine python build` links it again, with the modules of
//! packages, on a machine where nothing of the build is left.
//!
//! ```text
//! link/order      objects and archives by name, as the linker gets them
//!      modules    built-in modules of packages by their whole names; more of them are linked with others
//!      ...        these objects and archives, and the main program's source, which has the table of modules
//! include/python3.13/   CPython's headers, with what they are for guests
//!         numpy/        numpy's
//!         libraries/    those of zlib and bzip2
//! ```

use super::work::{Work, command, quiet};
use crate::embedded::{self, PYTHON};
use crate::folder::{copy_tree, shell_quote, write};
use crate::python::RELEASE;
use crate::sdk::Sdk;
use anyhow::{Context as _, Result};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The call stack that CPython counts on: its own limit on nested calls of C lies below.
const CALL_STACK: u32 = 16 << 20;

/// Names of headers' folders below `include`.
const HEADERS_OF_NUMPY: &str = "numpy";
const HEADERS_OF_LIBRARIES: &str = "libraries";

/// Where these folders are.
#[derive(Clone, Debug)]
pub(super) struct Linked {
    root: PathBuf,
}

/// A module that is built in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Module {
    /// Its whole name, with dots.
    pub(super) name: String,
    /// The function that makes it.
    pub(super) function: String,
}

/// Where headers come from.
pub(super) struct Headers {
    /// Folders and files that are copied to the folder of Python's.
    pub(super) python: Vec<PathBuf>,
    pub(super) numpy: Vec<PathBuf>,
    pub(super) libraries: Vec<PathBuf>,
}

impl Module {
    /// One whose function is named by the last part of its name, as Python looks for it.
    pub(super) fn named(name: &str) -> Module {
        let last = name.rsplit('.').next().unwrap_or_default();
        Module { name: name.to_owned(), function: format!("PyInit_{last}") }
    }
}

impl Linked {
    /// In a part, or where one is put together.
    pub(super) fn of(root: &Path) -> Linked {
        Linked { root: root.to_owned() }
    }

    pub(super) fn is_there(&self) -> bool {
        self.folder().join("order").is_file() && self.folder().join("modules").is_file() && self.include().is_dir()
    }

    fn folder(&self) -> PathBuf {
        self.root.join("link")
    }

    pub(super) fn include(&self) -> PathBuf {
        self.root.join("include")
    }

    /// Copies both folders.
    pub(super) fn copy_to(&self, root: &Path) -> Result<()> {
        copy_tree(&self.folder(), &root.join("link"))?;
        copy_tree(&self.include(), &root.join("include"))
    }

    /// Puts them together of objects, of archives behind them, and of what they have of modules.
    pub(super) fn gather(&self, files: &[PathBuf], modules: &[String], headers: &Headers) -> Result<()> {
        for folder in [self.folder(), self.include()] {
            if folder.exists() {
                fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
            }
            fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        }
        let mut order = String::new();
        for (number, file) in files.iter().enumerate() {
            let last = file.file_name().context("a file has a name")?.display();
            let name = format!("{number}-{last}");
            copy(file, &self.folder().join(&name))?;
            writeln!(order, "{name}")?;
        }
        write(&self.folder().join("order"), &order)?;
        write(&self.folder().join("modules"), &(modules.join("\n") + "\n"))?;
        for name in ["main.c", "image.h"] {
            write(&self.folder().join(name), embedded::file(&PYTHON, name))?;
        }
        let places =
            [(format!("python{RELEASE}"), &headers.python), (format!("{HEADERS_OF_NUMPY}/numpy"), &headers.numpy)];
        let libraries = (HEADERS_OF_LIBRARIES.to_owned(), &headers.libraries);
        for (place, sources) in places.into_iter().chain([libraries]) {
            let folder = self.include().join(place);
            fs::create_dir_all(&folder)?;
            for source in sources {
                let name = source.file_name().context("a file has a name")?;
                match source.is_dir() {
                    true => copy_tree(source, &folder)?,
                    false => copy(source, &folder.join(name))?,
                }
            }
        }
        Ok(())
    }

    /// Links the interpreter with more modules, which these objects have. What is made on the way is in `folder`.
    pub(super) fn link(
        &self,
        sdk: &Sdk,
        (modules, objects): (&[Module], &[PathBuf]),
        (work, folder): (&Work, &Path),
        to: &Path,
    ) -> Result<()> {
        let text = |name: &str| {
            let file = self.folder().join(name);
            fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))
        };
        let own: Vec<Module> = text("modules")?.lines().map(Module::named).collect();
        let mut table = String::new();
        for Module { name, function } in own.iter().chain(modules) {
            writeln!(table, "MODULE(\"{name}\", {function})")?;
        }
        write(&folder.join("modules.h"), &table)?;
        let main = folder.join("main.o");
        let mut compile = command(sdk.bin().join("mpicc"));
        compile.args(["-DNDEBUG", "-w", "-O2", "-fvisibility=hidden", "-I"]).arg(folder);
        compile.arg("-I").arg(self.include().join(format!("python{RELEASE}")));
        compile.arg("-c").arg(self.folder().join("main.c")).arg("-o").arg(&main);
        quiet(&mut compile, "compiling Python's main program")?;
        let order = text("order")?;
        let files = objects.iter().cloned().chain(order.lines().map(|name| self.folder().join(name)));
        let words: String = files.map(|file| format!("{}\n", shell_quote(&file.display().to_string()))).collect();
        let list = folder.join("list");
        write(&list, &words)?;
        let mut link = command(sdk.bin().join("mpicxx"));
        link.arg(main).arg(format!("@{}", list.display())).arg("-lm");
        // From an image it ends in another way.
        link.args(["-Wl,--wrap=Py_FinalizeEx", "-Wl,--wrap=Py_Exit"]);
        // Who looks at its memory finds Python's frames from there.
        link.args(["-Wl,--export=_PyRuntime", "-Wl,--export=rankine_pages"]);
        link.arg(format!("-Wl,-z,call-stack={CALL_STACK}")).arg("-o").arg(to);
        work.logged(&mut link, "linking", 0)
    }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display())).map(drop)
}
