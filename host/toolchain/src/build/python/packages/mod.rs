//! `rankine python build`: packages with parts in C, C++ or Cython become a part of an interpreter of their own, since a guest
//! loads no shared libraries.
//!
//! ```text
//! DIR/python.wasm, image.wasm, image.modules   the interpreter, as `rankine sdk build python` has it, with more modules
//!     site/       the packages' files in Python
//!     python      which build of Python it is of, whose library it runs with
//!     built/NAME/ of each package: its files, its modules as objects, and the libraries for guests that these want. More are
//!                 added by linking all of them again
//! ```
//!
//! A package is built by its own build system, as pip would do it, but with compilers for guests (`guest-sdk/python-packages`):
//! there the objects of a module are put to an archive instead of a shared library ([`super::isolate`]).

mod wheel;

use super::isolate::isolate;
use super::linked::{Linked, Module};
use super::sources::{fetching, unpack};
use super::work::{Work, command, quiet};
use super::{Start, make_image};
use crate::embedded::{self, PYTHON_PACKAGES};
use crate::find;
use crate::folder::{self, copy_tree, shell_quote, write, write_script};
use crate::python::{PACKAGES_OF, Python, RELEASE, module, site, standard_library};
use crate::sdk::Sdk;
use anyhow::{Context as _, Result, anyhow, bail, ensure};
use rankine_system::{tell, trust};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use wheel::Wheel;

/// Where a folder has each package for itself.
const BUILT: &str = "built";

/// Parts of [`BUILT`].
const SITE: &str = "site";
const OBJECTS: &str = "objects";
const LIBRARIES: &str = "libraries";

/// Where the stand-in for a linker notes which of those a package wants.
const WANTED: &str = "wanted";

/// The release of what starts build systems.
const BUILD: &str = "build==1.3.0";

/// Builds packages, and an interpreter that has them and those that the folder has already. Libraries for guests, which they may
/// want, are in these folders.
pub fn build(output: &Path, libraries: &[PathBuf], packages: &[String], start: Start<'_>) -> Result<()> {
    let python = Python::find()?;
    let linked = Linked::of(python.root());
    ensure!(linked.is_there(), "this Python was built by an older Rankine: run `rankine sdk build python` first");
    for tool in ["python3", "tar"] {
        ensure!(find::find_program(tool).is_some(), "{tool} is missing; it is needed to build packages");
    }
    let output = std::path::absolute(output)?;
    let earlier = earlier(&output, &python)?;
    let work = Work::begin_for(find::data_dir()?.join("cache/python-packages"), "rankine python")?;
    let clang = find::clang()?.path;
    let sdk = Sdk::with(&clang, &find::sysroot()?.path)?;
    let build = Build { work: &work, sdk: &sdk, clang: &clang, linked: &linked, python: &python };
    build.prepare(&absolute(libraries)?)?;
    let fresh = work.path(BUILT);
    let mut done: Vec<String> = Vec::new();
    for package in packages {
        let wheel = build.package(package, &fresh).with_context(|| format!("{package} is not built"))?;
        ensure!(!done.contains(&wheel.name), "{} is named twice", wheel.name);
        tell_needs(&wheel, &earlier, &done);
        done.push(wheel.name);
    }
    folder::remake(&output, |draft| build.lay_out(draft, &output, &earlier, &done, start))?;
    build.clean()?;
    Ok(())
}

/// Folders of libraries, as a build can name them wherever it works.
fn absolute(libraries: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let absolute = |folder: &PathBuf| {
        let has = |name: &str| folder.join(name).is_dir();
        let named = folder.display();
        ensure!(has("lib") && has("include"), "{named} is no folder of libraries: it has no lib, or no include");
        folder.canonicalize().with_context(|| named.to_string())
    };
    libraries.iter().map(absolute).collect()
}

/// Names of the packages that a folder has, which is to get more of them.
fn earlier(output: &Path, python: &Python) -> Result<Vec<String>> {
    let parent = output.parent().with_context(|| format!("{} can't be a folder of packages", output.display()))?;
    let there = if output.exists() { output } else { parent };
    if let Some(why) = trust::distrust_code(there) {
        bail!(
            "what is built in {} would not be run: {why}; name a folder elsewhere by --output, which no program \
             may write to",
            output.display()
        );
    }
    if !output.exists() {
        return Ok(Vec::new());
    }
    let made_for = fs::read_to_string(output.join(PACKAGES_OF)).ok();
    let made_for = made_for.with_context(|| {
        format!("{} is there, and `rankine python build` has not made it: name another folder", output.display())
    })?;
    ensure!(
        made_for.trim() == python.name(),
        "{} was built for another build of Python: remove it, and build all of its packages again",
        output.display()
    );
    names(&output.join(BUILT))
}

/// Says what of a package's needs pip is still to install.
fn tell_needs(wheel: &Wheel, earlier: &[String], done: &[String]) {
    let linked = crate::python::LINKED.iter().map(|(name, _)| *name);
    let known: Vec<&str> = earlier.iter().chain(done).map(String::as_str).chain(linked).collect();
    let needs: Vec<&str> = wheel.needs.iter().map(String::as_str).filter(|name| !known.contains(name)).collect();
    if !needs.is_empty() {
        let needs = needs.join(" ");
        tell!(
            "rankine python: note: {} needs {needs}: `rankine python build` them too, or if they are pure Python \
             `pip install --target DIR {needs}` and --site DIR",
            wheel.name
        );
    }
}

/// What is at work.
struct Build<'a> {
    work: &'a Work,
    sdk: &'a Sdk,
    clang: &'a Path,
    linked: &'a Linked,
    python: &'a Python,
}

impl Build<'_> {
    /// The virtual environment, and compilers as a build finds them.
    fn prepare(&self, libraries: &[PathBuf]) -> Result<()> {
        self.clean()?;
        let venv = self.work.path("venv");
        self.work.once("venv", "making a virtual environment for build systems", || {
            quiet(
                command("python3").args(["-m", "venv", "--clear"]).arg(&venv),
                "python3 -m venv (Debian's package: python3-venv)",
            )?;
            let mut install = command(venv.join("bin/pip"));
            quiet(install.args(["install", "-q", BUILD]), "installing what starts build systems by pip")
        })?;
        let archiver = self.archiver()?;
        let libraries: Vec<String> =
            libraries.iter().map(|folder| shell_quote(&folder.display().to_string())).collect();
        for (name, compiler) in [("cc", "mpicc"), ("c++", "mpicxx")] {
            let words = [
                ("@COMPILER@", self.sdk.bin().join(compiler)),
                ("@CXX@", self.sdk.bin().join("mpicxx")),
                ("@ARCHIVER@", archiver.clone()),
                ("@INCLUDE@", self.linked.include()),
                ("@RELEASE@", RELEASE.into()),
                ("@WANTED@", self.work.path(WANTED)),
                ("@LIBRARIES@", libraries.join(" ").into()),
            ];
            let text = embedded::file(&PYTHON_PACKAGES, "cc.sh").to_owned();
            let text = words.iter().fold(text, |text, (word, path)| text.replace(word, &path.display().to_string()));
            write_script(&self.work.path(name), &text)?;
        }
        write(&self.work.path("wheel.py"), embedded::file(&PYTHON_PACKAGES, "wheel.py"))
    }

    /// Removes what is of one run.
    fn clean(&self) -> Result<()> {
        for name in [BUILT, "sources", "link"] {
            let folder = self.work.path(name);
            if folder.exists() {
                fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
            }
        }
        for name in ["log", WANTED] {
            let file = self.work.path(name);
            if file.exists() {
                fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))?;
            }
        }
        Ok(())
    }

    /// Builds one package; its files and objects are then in the folder of its name.
    fn package(&self, package: &str, built: &Path) -> Result<Wheel> {
        tell!("rankine python: building {package}");
        let work = tempfile::tempdir_in(self.work.path(""))?;
        let source = self.source(package, work.path())?;
        let file = self.wheel(&source, work.path())?;
        let files = work.path().join("files");
        let python = self.work.path("venv/bin/python");
        quiet(command(python).args(["-m", "zipfile", "-e"]).arg(&file).arg(&files), "unpacking the wheel")?;
        let wheel = Wheel::read(&files)?;
        let place = built.join(&wheel.name);
        let modules = wheel.take_modules(&files)?;
        for (module, object) in &modules {
            let bytes = fs::read(object).with_context(|| object.display().to_string())?;
            let own = Module::named(&module.name).function;
            let isolated = isolate(&bytes, &module.name, &own, &module.function);
            let isolated = isolated.with_context(|| format!("the module {}", module.name))?;
            fs::remove_file(object)?;
            let folder = place.join(OBJECTS).join(&module.name);
            fs::create_dir_all(&folder)?;
            for (number, bytes) in isolated.iter().enumerate() {
                let to = folder.join(format!("{number}.o"));
                fs::write(&to, bytes).with_context(|| format!("cannot write {}", to.display()))?;
            }
        }
        wheel.lay_out(&files, &place.join(SITE))?;
        self.take_libraries(&place.join(LIBRARIES))?;
        let names: Vec<&str> = modules.iter().map(|(module, _)| &module.name[..]).collect();
        let compiled = if names.is_empty() { "pure Python".to_owned() } else { names.join(", ") };
        tell!("rankine python: {} {}: {compiled}", wheel.name, wheel.version);
        Ok(wheel)
    }

    /// Copies the libraries that its modules want.
    fn take_libraries(&self, place: &Path) -> Result<()> {
        let wanted = self.work.path(WANTED);
        if !wanted.exists() {
            return Ok(());
        }
        fs::create_dir_all(place)?;
        let files = fs::read_to_string(&wanted)?;
        for file in files.lines().map(Path::new).collect::<BTreeSet<_>>() {
            let to = place.join(file.file_name().context("a library has a name")?);
            fs::copy(file, to).with_context(|| format!("cannot copy {}", file.display()))?;
        }
        fs::remove_file(wanted).context("cannot remove what it wanted")
    }

    /// A package's source: a folder's copy, or an archive's content, which pip fetches if it is not here.
    fn source(&self, package: &str, work: &Path) -> Result<PathBuf> {
        let (source, local) = (work.join("source"), Path::new(package));
        if local.is_dir() {
            copy_tree(local, &source)?;
            return Ok(source);
        }
        let archive = match local.is_file() {
            true => local.to_path_buf(),
            false => {
                let fetched = work.join("fetched");
                fs::create_dir_all(&fetched)?;
                let mut pip = command(self.work.path("venv/bin/pip"));
                fetching(&mut pip, work)?.arg("-d").arg(&fetched).arg("--").arg(package);
                quiet(&mut pip, "fetching its source by pip")?;
                let entries = fs::read_dir(&fetched)?;
                entries.flatten().next().context("pip has fetched nothing")?.path()
            }
        };
        match archive.extension().and_then(OsStr::to_str) {
            Some("whl") => bail!("a wheel is built already, for another kind of machine: name its source"),
            Some("zip") => {
                let python = self.work.path("venv/bin/python");
                let unpacked = work.join("unpacked");
                quiet(command(python).args(["-m", "zipfile", "-e"]).arg(&archive).arg(&unpacked), "unpacking it")?;
                only_folder(&unpacked)
            }
            _ => unpack(&archive, &source).map(|()| source),
        }
    }

    /// Its wheel, by its own build system.
    fn wheel(&self, source: &Path, work: &Path) -> Result<PathBuf> {
        let wheels = work.join("wheel");
        let tool = |name: &str| self.work.path(name).display().to_string();
        let guest = [
            ("CC", tool("cc")),
            ("CXX", tool("c++")),
            ("LDSHARED", tool("cc") + " -shared"),
            ("LDCXXSHARED", tool("c++") + " -shared"),
            ("AR", self.archiver()?.display().to_string()),
            ("RANLIB", "true".into()),
            ("_PYTHON_HOST_PLATFORM", "wasi-wasm32".into()),
            ("PKG_CONFIG", "false".into()),
        ];
        let mut build = command(self.work.path("venv/bin/python"));
        let refusal = work.join("refusal");
        build.arg(self.work.path("wheel.py")).arg(source).arg(&wheels).arg(&refusal);
        build.arg(self.configuration_of_guests()?);
        build.envs(guest.into_iter().map(|(name, value)| (format!("GUEST_{name}"), value)));
        let built = self.work.logged(&mut build, "its build", 0);
        built.map_err(|error| fs::read_to_string(&refusal).map_or(error, |why| anyhow!(why)))?;
        let entries = fs::read_dir(&wheels).with_context(|| wheels.display().to_string())?;
        let mut files = entries.flatten().map(|entry| entry.path());
        files.find(|file| file.extension().is_some_and(|ending| ending == "whl")).context("its build made no wheel")
    }

    fn archiver(&self) -> Result<PathBuf> {
        find::llvm_tool(self.clang, "llvm-ar").context("llvm-ar is missing, which belongs to LLVM's tools")
    }

    /// What `sysconfig` answers with in a guest.
    fn configuration_of_guests(&self) -> Result<PathBuf> {
        let library = standard_library(self.python.root());
        let entries = fs::read_dir(&library).with_context(|| library.display().to_string())?;
        let is_it = |file: &PathBuf| {
            let name = file.file_name().and_then(OsStr::to_str).unwrap_or_default();
            name.starts_with("_sysconfigdata_") && name.ends_with(".py")
        };
        let found = entries.flatten().map(|entry| entry.path()).find(is_it);
        found.with_context(|| format!("{} has no _sysconfigdata_*.py", library.display()))
    }

    /// The folder.
    fn lay_out(
        &self,
        draft: &Path,
        output: &Path,
        earlier: &[String],
        fresh: &[String],
        start: Start<'_>,
    ) -> Result<()> {
        let place = |name: &String| draft.join(BUILT).join(name);
        for name in earlier.iter().filter(|name| !fresh.contains(name)) {
            copy_tree(&output.join(BUILT).join(name), &place(name))?;
        }
        fresh.iter().try_for_each(|name| copy_tree(&self.work.path(BUILT).join(name), &place(name)))?;
        let (mut modules, mut objects, mut libraries) = (Vec::new(), Vec::new(), BTreeMap::new());
        for name in names(&draft.join(BUILT))? {
            copy_tree(&place(&name).join(SITE), &site(draft))?;
            let folder = place(&name).join(OBJECTS);
            for module in if folder.is_dir() { names(&folder)? } else { Vec::new() } {
                let folder = folder.join(&module);
                objects.extend(names(&folder)?.into_iter().map(|object| folder.join(object)));
                modules.push(wheel::module(&module));
            }
            let folder = place(&name).join(LIBRARIES);
            for library in if folder.is_dir() { names(&folder)? } else { Vec::new() } {
                let file = folder.join(&library);
                let other = libraries.entry(library).or_insert_with(|| file.clone());
                ensure!(
                    fs::read(&file)? == fs::read(&other)?,
                    "{} wants another {} than a package before it: build both with the same --libraries",
                    name,
                    file.file_name().unwrap_or_default().display()
                );
            }
        }
        // All modules share one.
        objects.extend(libraries.into_values());
        tell!("rankine python: linking");
        let folder = self.work.path("link");
        fs::create_dir_all(&folder)?;
        objects.push(self.slots(&folder)?);
        let linking = self.linked.link(self.sdk, (&modules, &objects), (self.work, &folder), &module(draft));
        linking.map_err(|error| undefined(&objects, &format!("{error:#}")).unwrap_or(error))?;
        write(&draft.join(PACKAGES_OF), &format!("{}\n", self.python.name()))?;
        tell!("rankine python: starting it, for an image");
        make_image(draft, &self.python.library(), start)
    }

    /// Has calls of types' slots forgive functions that are put there through `void *`.
    fn slots(&self, folder: &Path) -> Result<PathBuf> {
        let [source, object] = ["slots.c", "slots.o"].map(|name| folder.join(name));
        write(&source, embedded::file(&PYTHON_PACKAGES, "slots.c"))?;
        let mut compile = command(self.sdk.bin().join("mpicc"));
        compile.arg("-I").arg(self.linked.include().join(format!("python{RELEASE}")));
        quiet(compile.arg("-c").arg(source).arg("-o").arg(&object), "compiling what is said of slots")?;
        Ok(object)
    }
}

/// What an error of the linker's says of functions that are nowhere, by packages.
fn undefined(objects: &[PathBuf], said: &str) -> Option<anyhow::Error> {
    let mut all: Vec<String> = Vec::new();
    for line in said.lines() {
        let Some((file, symbol)) = line.split_once(": undefined symbol: ") else { continue };
        let module = objects.iter().find(|object| file.ends_with(&object.display().to_string()));
        let module = module.and_then(|object| object.parent()?.file_name()).map(|name| name.display().to_string());
        all.push(format!("  {} calls {symbol}", module.as_deref().unwrap_or(file)));
    }
    all.sort();
    all.dedup();
    let words = "these functions are nowhere, neither in the packages nor in Python, its libraries or the C library:";
    (!all.is_empty()).then(|| anyhow!("{words}\n{}", all.join("\n")))
}

/// What a folder has, in order.
fn names(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry?.file_name().into_string().ok().context("a name is not UTF-8")?);
    }
    names.sort();
    Ok(names)
}

fn only_folder(folder: &Path) -> Result<PathBuf> {
    let names = names(folder)?;
    match &names[..] {
        [name] if folder.join(name).is_dir() => Ok(folder.join(name)),
        _ => Ok(folder.to_path_buf()),
    }
}
