//! `rankine sdk build python`: CPython with mpi4py and numpy as one module, and its standard library.
//!
//! ```text
//! python-<key>/python.wasm       the interpreter: CPython, mpi4py, numpy, zlib, bzip2, xz
//!              image.wasm        the same, started and with these imported
//!              image.modules     what else than a plain start has the image has imported, by name
//!              lib/python3.13/   the standard library and these packages', compiled: to be read only
//!              link/, include/   what `rankine python build` links and compiles packages with (`linked.rs`)
//! ```
//!
//! A Python that runs here is built first, from the same source: a part of what CPython is built from is made by a Python of
//! its own release. What can't be found out about guests by compiling is in `guest-sdk/python/config.site`.

mod cpython;
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
use crate::python::{Image, NAME, RELEASE, image, image_modules, module};
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
const LAYOUT: u32 = 8;

/// Files of zlib and of bzip2 that make their libraries.
const ZLIB: &[&str] = &[
    "adler32", "compress", "crc32", "deflate", "gzclose", "gzlib", "gzread", "gzwrite", "infback", "inffast",
    "inflate", "inftrees", "trees", "uncompr", "zutil",
];
const BZIP2: &[&str] = &["blocksort", "huffman", "crctable", "randtable", "compress", "decompress", "bzlib"];

/// How xz is configured: its library alone.
const XZ: [&str; 12] = [
    "-q",
    "--host=wasm32-unknown-wasi",
    "--disable-shared",
    "--disable-threads",
    "--disable-xz",
    "--disable-xzdec",
    "--disable-lzmadec",
    "--disable-lzmainfo",
    "--disable-scripts",
    "--disable-doc",
    "--disable-nls",
    "--disable-sandbox",
];

/// Where it is then.
const LZMA: &str = "xz/src/liblzma";

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
            let cpython = self.cpython();
            // What is changed is changed once.
            if cpython.is_dir() {
                fs::remove_dir_all(&cpython)?;
            }
            unpack(&sources.cpython()?, &cpython)?;
            self.edit()?;
            unpack(&sources.archive("zlib")?, &self.work.path("zlib"))?;
            unpack(&sources.archive("bzip2")?, &self.work.path("bzip2"))?;
            unpack(&sources.archive("xz-utils")?, &self.work.path("xz"))?;
            unpack(&sources.package(&MPI4PY)?, &self.work.path("mpi4py"))?;
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
        self.work.once("xz", "compiling xz", || self.xz())?;
        self.guest()?;
        self.work.once("mpi4py", "compiling mpi4py", || self.mpi4py(&venv))?;
        self.work.once("numpy-configured", "configuring numpy", || self.numpy().configure())?;
        self.work.once("numpy", "compiling numpy (some minutes)", || self.numpy().compile())?;
        self.work.once("linked", "linking", || self.link())
    }

    fn numpy(&self) -> Numpy<'_> {
        Numpy { build: self }
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

    /// The library of xz, by its own build.
    fn xz(&self) -> Result<()> {
        let folder = self.work.path("xz");
        let mut configure = command(folder.join("configure"));
        configure.args(XZ).current_dir(&folder).env("CFLAGS", "-O3 -w");
        configure.env("CC", self.compiler()).env("AR", &self.llvm_ar).env("RANLIB", "true");
        self.work.logged(&mut configure, "configuring xz", 0)?;
        self.work.make(&folder.join("src/liblzma"), &["all"], "compiling xz")
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
        for header in ["image.h", "arrays.h"] {
            write(&self.work.path(header), embedded::file(&PYTHON, header))?;
        }
        let own = ["image", "view", "arrays", "arrays_plans"].map(|name| self.work.path(name).with_extension("o"));
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
        files.push(self.whole()?);
        files.extend(LIBRARIES.map(|library| guest.join(library)));
        files.extend(["zlib/libz.a", "bzip2/libbz2.a"].map(|library| self.work.path(library)));
        files.push(self.work.path(LZMA).join(".libs/liblzma.a"));
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
}
