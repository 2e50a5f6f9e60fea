//! `rankine sdk build python`: CPython with mpi4py and numpy as one module, and its standard library.
//!
//! ```text
//! python-<key>/python.wasm       the interpreter: CPython, mpi4py, numpy, zlib, bzip2
//!              image.wasm        the same, started and with these imported
//!              image.modules     what else than a plain start has the image has imported, by name
//!              lib/python3.13/   the standard library and these packages', compiled: to be read only
//!              link/, include/   what `rankine python build` links and compiles packages with (`linked.rs`)
//! ```
//!
//! A Python that runs here is built first, from the same source: a part of what CPython is built from is made by a Python of
//! its own release. What can't be found out about guests by compiling is in `guest-sdk/python/config.site`.

mod isolate;
mod library;
mod linked;
mod numpy;
mod packages;
mod sources;
mod work;

use super::jobs::run_all;
use crate::embedded::{self, PYTHON};
use crate::find;
use crate::folder::{self, write};
use crate::key;
use crate::process::check;
use crate::python::{HOME, Image, NAME, RELEASE, image, image_modules, module};
use crate::sdk::{self, Sdk};
use crate::terminal::say;
use anyhow::{Context as _, Result, ensure};
use linked::{Headers, Linked};
use numpy::Numpy;
pub use packages::build as packages;
use rankine_system::os;
use sources::{CYTHON, MPI4PY, NINJA, NUMPY, Sources, unpack};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use work::{Work, command, quiet};

/// Goes up when what is built changes by these files.
const LAYOUT: u32 = 4;

/// Files of zlib and of bzip2 that make their libraries.
const ZLIB: &[&str] = &[
    "adler32", "compress", "crc32", "deflate", "gzclose", "gzlib", "gzread", "gzwrite", "infback", "inffast",
    "inflate", "inftrees", "trees", "uncompr", "zutil",
];
const BZIP2: &[&str] = &["blocksort", "huffman", "crctable", "randtable", "compress", "decompress", "bzlib"];

/// Libraries that CPython's build leaves for the last link, by their places in it.
const LIBRARIES: [&str; 3] =
    ["Modules/_decimal/libmpdec/libmpdec.a", "Modules/_hacl/libHacl_Hash_SHA2.a", "Modules/expat/libexpat.a"];

/// What mpi4py does when it is imported, for an image that has imported it before.
const MPI4PY_BEGINS: &str = "\n
def _rankine_begin() -> None:
    \"\"\"Initialize MPI.\"\"\"
    bootstrap()
    initialize()\n\n
def _rankine_end() -> None:
    \"\"\"Finalize MPI.\"\"\"
    atexit()\n";

/// How both Pythons are configured.
const CONFIGURATION: [&str; 3] = ["-q", "--disable-test-modules", "--with-system-libmpdec=no"];

/// Starts an interpreter that may read the folder of its library, and gives what it is then.
pub type Start<'a> = &'a dyn Fn(&Path, &Path) -> Result<Image>;

/// Builds it, unless it is there.
pub fn build(force: bool, start: Start<'_>) -> Result<()> {
    let clang = find::clang()?.path;
    let sysroot = find::sysroot()?.path;
    let sdk = Sdk::with(&clang, &sysroot)?;
    let made_of = (LAYOUT, key::compiler(&clang), key::sysroot(&sysroot), key::flags(&sysroot));
    let sources =
        (RELEASE, MPI4PY.requirement, NUMPY.requirement, CYTHON, embedded::files(&PYTHON), sdk::headers_and_sources());
    let place = key::place(NAME, (made_of, sources))?;
    let link = place.with_file_name(NAME);
    if place.is_dir() && !force {
        folder::stable_link(&place, &link)?;
        say(&format!("Python is there already: {}", place.display()));
        return Ok(());
    }
    for tool in ["cc", "make", "python3", "tar", "xz"] {
        ensure!(find::find_program(tool).is_some(), "{tool} is missing; it is needed to build Python");
    }
    // numpy has parts in C++.
    super::cxx::build(false)?;
    let name = place.file_name().context("a part has a name")?;
    let work = Work::begin(find::data_dir()?.join("cache").join(name))?;
    let llvm_ar = find::llvm_tool(&clang, "llvm-ar").context("llvm-ar is missing, which belongs to LLVM's tools")?;
    let build = Build { work: &work, sdk: &sdk, llvm_ar };
    build.all()?;
    folder::remake(&place, |draft| build.lay_out(draft, start))?;
    folder::stable_link(&place, &link)?;
    work.end()?;
    say(&format!("ready: {}", place.display()));
    Ok(())
}

/// Starts the interpreter of a folder, and keeps what it is then beside it.
fn make_image(folder: &Path, library: &Path, start: Start<'_>) -> Result<()> {
    let Image { binary, modules } = start(&module(folder), library).context("an image of Python")?;
    fs::write(image(folder), binary).context("an image of Python")?;
    write(&image_modules(folder), &modules)?;
    [module(folder), image(folder)].iter().try_for_each(|file| os::make_public(file)).context("chmod")
}

/// What is at work.
struct Build<'a> {
    work: &'a Work,
    sdk: &'a Sdk,
    llvm_ar: PathBuf,
}

impl Build<'_> {
    /// Everything up to the module.
    fn all(&self) -> Result<()> {
        let venv = self.work.path("venv");
        self.work.once("venv", "making a virtual environment for Cython and ninja", || {
            quiet(
                command("python3").args(["-m", "venv", "--clear"]).arg(&venv),
                "python3 -m venv (Debian's package: python3-venv)",
            )?;
            let mut install = command(venv.join("bin/pip"));
            quiet(install.args(["install", "-q", CYTHON, NINJA]), "installing Cython and ninja by pip")
        })?;
        let sources = Sources::fetched(&venv.join("bin/pip"))?;
        self.work.once("unpacked", "unpacking sources", || {
            unpack(&sources.cpython()?, &self.cpython())?;
            unpack(&sources.archive("zlib")?, &self.work.path("zlib"))?;
            unpack(&sources.archive("bzip2")?, &self.work.path("bzip2"))?;
            unpack(&sources.package(&MPI4PY)?, &self.work.path("mpi4py"))?;
            // What is changed is changed once.
            let numpy = self.work.path("numpy");
            if numpy.is_dir() {
                fs::remove_dir_all(&numpy)?;
            }
            unpack(&sources.package(&NUMPY)?, &numpy)?;
            self.numpy().edit()
        })?;
        self.native()?;
        self.work.once("archives", "compiling zlib and bzip2", || {
            self.archive("zlib", "libz.a", ZLIB, &["-DHAVE_UNISTD_H", "-DHAVE_STDARG_H"])?;
            self.archive("bzip2", "libbz2.a", BZIP2, &[])
        })?;
        self.guest()?;
        self.work.once("mpi4py", "compiling mpi4py", || self.mpi4py(&venv))?;
        self.work.once("numpy-configured", "configuring numpy", || self.numpy().configure())?;
        self.work.once("numpy", "compiling numpy (some minutes)", || self.numpy().compile())?;
        self.work.once("linked", "linking", || self.link())
    }

    fn numpy(&self) -> Numpy<'_> {
        Numpy { build: self }
    }

    fn cpython(&self) -> PathBuf {
        self.work.path("cpython")
    }

    /// The Python that runs here: as much of it as builds the other.
    fn native(&self) -> Result<()> {
        let folder = self.work.path("native");
        fs::create_dir_all(&folder)?;
        self.work.once("native-configured", "configuring a Python for this machine, which builds the other", || {
            let mut configure = command(self.cpython().join("configure"));
            configure.args(CONFIGURATION).args([
                "--without-ensurepip",
                "--without-readline",
                "MODULE_BUILDTYPE=static",
            ]);
            configure.arg("OPT=-O1 -DNDEBUG").current_dir(&folder);
            self.work.logged(&mut configure, "configuring", 0)
        })?;
        self.work.once("native", "compiling it (a minute or two)", || {
            self.work.make(&folder, &["python", "pybuilddir.txt"], "compiling Python for this machine")
        })
    }

    /// The interpreter as a library, and all that its build makes beside it.
    fn guest(&self) -> Result<()> {
        let folder = self.work.path("guest");
        fs::create_dir_all(&folder)?;
        self.work.once("configured", "configuring Python for guests", || {
            // CPython leaves this one out for WASI, and asyncio looks for it.
            write(&folder.join("Modules/Setup.local"), "fcntl fcntlmodule.c\n")?;
            let site = self.work.path("config.site");
            write(&site, embedded::file(&PYTHON, "config.site"))?;
            let library = |name: &str, flag: &str| {
                let folder = self.work.path(name);
                let upper = name.to_uppercase();
                [
                    (format!("{upper}_CFLAGS"), format!("-I{}", folder.display())),
                    (format!("{upper}_LIBS"), format!("-L{} {flag}", folder.display())),
                ]
            };
            let mut configure = command(self.cpython().join("configure"));
            configure.args(CONFIGURATION).args([
                "--host=wasm32-unknown-wasip1",
                "PKG_CONFIG=false",
                "HOSTRUNNER=false",
            ]);
            configure.arg(format!("--build={}", self.machine()?)).arg(format!("--prefix={HOME}"));
            configure.arg(format!("--with-build-python={}", self.native_python().display()));
            configure.arg("OPT=-O3 -DNDEBUG -w").current_dir(&folder).env("CONFIG_SITE", site);
            configure.env("CC", self.compiler()).env("CXX", self.sdk.bin().join("mpicxx"));
            configure.env("AR", &self.llvm_ar).env("RANLIB", "true");
            configure.envs(library("zlib", "-lz")).envs(library("bzip2", "-lbz2"));
            self.work.logged(&mut configure, "configuring", 0)
        })?;
        self.work.once("compiled", "compiling Python (some minutes)", || {
            self.work.make(&folder, &["python.wasm", "pybuilddir.txt"], "compiling Python")
        })
    }

    /// Compiles a library's files where they are.
    fn archive(&self, name: &str, library: &str, files: &[&str], flags: &[&str]) -> Result<()> {
        let folder = self.work.path(name);
        let job = |file: &&str| {
            let mut job = command(self.compiler());
            job.args(["-O3", "-w"]).args(flags).arg("-c").arg(format!("{file}.c")).current_dir(&folder);
            job
        };
        run_all(files.iter().map(job).collect(), "compiling libraries")?;
        let mut archive = command(&self.llvm_ar);
        archive.arg("rcs").arg(library).args(files.iter().map(|file| format!("{file}.o"))).current_dir(&folder);
        quiet(&mut archive, &format!("archiving {library}"))
    }

    /// C from Cython, an object from C.
    fn mpi4py(&self, venv: &Path) -> Result<()> {
        let folder = self.work.path("mpi4py");
        let main = folder.join("src/mpi4py/MPI.src/MPI.pyx");
        let source = fs::read_to_string(&main).with_context(|| main.display().to_string())?;
        if !source.ends_with(MPI4PY_BEGINS) {
            write(&main, &(source + MPI4PY_BEGINS))?;
        }
        let mut cython = command(venv.join("bin/cython"));
        cython.args(["-3", "-I", "src", "src/mpi4py/MPI.pyx", "-o", "MPI.c"]).current_dir(&folder);
        self.work.logged(&mut cython, "Cython", 0)?;
        let mut compile = self.c_job();
        compile.args(["-O2", "-fno-strict-overflow", "-Isrc", "-c", "MPI.c"]).current_dir(&folder);
        self.work.logged(&mut compile, "compiling mpi4py", 0)
    }

    fn link(&self) -> Result<()> {
        write(&self.work.path("image.h"), embedded::file(&PYTHON, "image.h"))?;
        let own = ["image", "view"].map(|name| self.work.path(name).with_extension("o"));
        for object in &own {
            let source = object.with_extension("c");
            let name = source.file_name().and_then(OsStr::to_str).context("a file has a name")?;
            write(&source, embedded::file(&PYTHON, name))?;
            let mut job = self.c_job();
            quiet(job.args(["-O2", "-c"]).arg(&source).arg("-o").arg(object), "compiling Python's main program")?;
        }
        let (numpy, guest) = (self.numpy(), self.work.path("guest"));
        let mut files = own.to_vec();
        files.push(self.work.path("mpi4py/MPI.o"));
        files.extend(numpy.linked()?);
        files.push(guest.join(format!("libpython{RELEASE}.a")));
        files.extend(LIBRARIES.map(|library| guest.join(library)));
        files.extend(["zlib/libz.a", "bzip2/libbz2.a"].map(|library| self.work.path(library)));
        let headers = Headers {
            python: vec![self.cpython().join("Include"), guest.join("pyconfig.h")],
            numpy: numpy.headers()?,
            libraries: ["zlib/zlib.h", "zlib/zconf.h", "bzip2/bzlib.h"].map(|name| self.work.path(name)).to_vec(),
        };
        let root = self.work.path("");
        let linked = Linked::of(&root);
        linked.gather(&files, &numpy.modules()?, &headers)?;
        linked.link(self.sdk, (&[], &[]), (self.work, &root), &module(&root))
    }

    /// A compilation that sees Python's headers.
    fn c_job(&self) -> Command {
        let mut job = command(self.compiler());
        job.args(["-DNDEBUG", "-w", "-fvisibility=hidden", "-I"]).arg(self.cpython().join("Include"));
        job.arg("-I").arg(self.work.path("guest"));
        job
    }

    /// The part.
    fn lay_out(&self, draft: &Path, start: Start<'_>) -> Result<()> {
        let from = module(&self.work.path(""));
        fs::copy(&from, module(draft)).with_context(|| format!("cannot copy {}", from.display()))?;
        say("compiling the standard library");
        let sources = library::Sources {
            cpython: self.cpython(),
            configuration: self.configuration_of_guests()?,
            packages: vec![("mpi4py", self.work.path("mpi4py/src/mpi4py")), ("numpy", self.numpy().package())],
            numpy: self.numpy().made(),
        };
        sources.lay_out(draft)?;
        library::compile(&self.native_python(), draft)?;
        Linked::of(&self.work.path("")).copy_to(draft)?;
        say("starting it, for an image");
        make_image(draft, &draft.join("lib"), start)
    }

    fn compiler(&self) -> PathBuf {
        self.sdk.bin().join("mpicc")
    }

    fn native_python(&self) -> PathBuf {
        self.work.path("native").join("python")
    }

    /// What `sysconfig` answers with in a guest.
    fn configuration_of_guests(&self) -> Result<PathBuf> {
        let guest = self.work.path("guest");
        let named = fs::read_to_string(guest.join("pybuilddir.txt")).context("CPython's build has no name")?;
        let folder = guest.join(named.trim());
        let entries = fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
        let mut files = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let is_it = |file: &PathBuf| {
            let name = file.file_name().and_then(OsStr::to_str).unwrap_or_default();
            name.starts_with("_sysconfigdata_") && name.ends_with(".py")
        };
        files.find(is_it).with_context(|| format!("{} has no _sysconfigdata_*.py", folder.display()))
    }

    /// What this machine is in configure's words.
    fn machine(&self) -> Result<String> {
        let output = check(&mut command(self.cpython().join("config.guess")), "config.guess")?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }
}
