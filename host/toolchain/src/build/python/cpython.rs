//! CPython twice: for this machine as much of it as builds the other, and for guests.
//!
//! The guests' is optimised by a profile, as distributions' own are. The one for this machine counts how often each part of
//! CPython's source is run while it does some of CPython's tests; where the two differ by the width of addresses, a function has
//! no profile. Its files are compiled to one object in the end ([`Build::whole`]), with functions of one put into those of another.

use super::numpy::replace;
use super::work::command;
use super::{Build, LZMA};
use crate::embedded::{self, PYTHON};
use crate::find;
use crate::folder::write;
use crate::process::check;
use crate::python::{HOME, RELEASE};
use anyhow::{Context as _, Result};
use rankine_system::tell;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How both are configured.
const CONFIGURATION: [&str; 3] = ["-q", "--disable-test-modules", "--with-system-libmpdec=no"];

/// And that for this machine, which needs no module of another file.
const OF_NATIVE: [&str; 3] = ["--without-ensurepip", "--without-readline", "MODULE_BUILDTYPE=static"];

/// And that for guests. For WASI it would take the C library's allocator for every object.
const OF_GUESTS: [&str; 4] =
    ["--host=wasm32-unknown-wasip1", "--with-pymalloc", "PKG_CONFIG=false", "HOSTRUNNER=false"];

/// What scripts spend their time with: some of what CPython's own builds are trained by.
const TRAINING: &[&str] = &[
    "test_array",
    "test_base64",
    "test_binascii",
    "test_bisect",
    "test_bytes",
    "test_cmath",
    "test_collections",
    "test_complex",
    "test_dataclasses",
    "test_datetime",
    "test_difflib",
    "test_dict",
    "test_float",
    "test_fstring",
    "test_functools",
    "test_generators",
    "test_heapq",
    "test_int",
    "test_itertools",
    "test_json",
    "test_list",
    "test_long",
    "test_math",
    "test_memoryview",
    "test_operator",
    "test_pickle",
    "test_pprint",
    "test_re",
    "test_set",
    "test_statistics",
    "test_str",
    "test_string",
    "test_struct",
    "test_tuple",
];

/// Where a program that counts puts its counts.
pub(super) const COUNTS: &str = "LLVM_PROFILE_FILE";

const ALLOCATOR: &str = "Objects/obmalloc.c";

/// Allocations go through pointers that hooks may change. Nearly always they are those of the beginning, whose calls are made
/// without the pointer, and become a part of who calls.
const EDITS: [(&str, &str); 4] = [
    (
        "    return _PyObject.malloc(_PyObject.ctx, size);\n",
        "    if (_PyObject.malloc == _PyObject_Malloc)\n        return _PyObject_Malloc(NULL, size);\n    \
         return _PyObject.malloc(_PyObject.ctx, size);\n",
    ),
    (
        "    return _PyMem.malloc(_PyMem.ctx, size);\n",
        "    if (_PyMem.malloc == _PyObject_Malloc)\n        return _PyObject_Malloc(NULL, size);\n    \
         return _PyMem.malloc(_PyMem.ctx, size);\n",
    ),
    (
        "    _PyObject.free(_PyObject.ctx, ptr);\n",
        "    if (_PyObject.free == _PyObject_Free)\n        _PyObject_Free(NULL, ptr);\n    else\n        \
         _PyObject.free(_PyObject.ctx, ptr);\n",
    ),
    (
        "    _PyMem.free(_PyMem.ctx, ptr);\n",
        "    if (_PyMem.free == _PyObject_Free)\n        _PyObject_Free(NULL, ptr);\n    else\n        \
         _PyMem.free(_PyMem.ctx, ptr);\n",
    ),
];

impl Build<'_> {
    pub(super) fn cpython(&self) -> PathBuf {
        self.work.path("cpython")
    }

    /// Changes what has just been unpacked.
    pub(super) fn edit(&self) -> Result<()> {
        let file = self.cpython().join(ALLOCATOR);
        EDITS.iter().try_for_each(|(old, new)| replace(&file, old, new))
    }

    /// The Python that runs here.
    pub(super) fn native(&self) -> Result<()> {
        let folder = self.work.path("native");
        fs::create_dir_all(&folder)?;
        let clang = find::clang()?.path;
        let counts = can_count(&clang);
        self.work.once("native-configured", "configuring a Python for this machine, which builds the other", || {
            let mut configure = command(self.cpython().join("configure"));
            configure.args(CONFIGURATION).args(OF_NATIVE).current_dir(&folder);
            if counts {
                configure.env("CC", &clang).arg("OPT=-O1 -DNDEBUG -w -fprofile-instr-generate");
                configure.arg("LDFLAGS=-fprofile-instr-generate");
            } else {
                configure.arg("OPT=-O1 -DNDEBUG");
            }
            self.work.logged(&mut configure, "configuring", 0)
        })?;
        self.work.once("native", "compiling it (a minute or two)", || {
            self.work.make(&folder, &["python", "pybuilddir.txt"], "compiling Python for this machine")
        })?;
        if !counts {
            tell!(
                "rankine sdk: without a profile, by which Python would be an eighth faster: clang lacks its runtime library \
                 for profiles (Debian's package: libclang-rt-{}-dev)",
                find::TESTED_CLANG
            );
            return Ok(());
        }
        self.work.once("trained", "running some of its tests, for a profile", || self.train(&clang))
    }

    fn train(&self, clang: &Path) -> Result<()> {
        let counts = self.work.path("counts");
        let mut tests = command(self.native_python());
        tests.args(["-m", "test", "-q", "--tempdir"]).arg(self.work.path("native")).args(TRAINING);
        // A file for all processes, which tests start more of.
        tests.env(COUNTS, counts.join("%m")).current_dir(self.work.path("native"));
        // A test that fails on this machine has been run all the same.
        let ended = self.work.logged(&mut tests, "running tests", 0);
        let merge = find::llvm_tool(clang, "llvm-profdata")
            .context("llvm-profdata is missing, which belongs to LLVM's tools")?;
        let merged = check(command(merge).arg("merge").arg(&counts).arg("-o").arg(self.profile()), "merging a profile");
        merged.map(drop).or_else(|error| ended.and(Err(error)))
    }

    fn profile(&self) -> PathBuf {
        self.work.path("profile")
    }

    /// The interpreter as a library, and all that its build makes beside it.
    pub(super) fn guest(&self) -> Result<()> {
        let folder = self.work.path("guest");
        fs::create_dir_all(&folder)?;
        self.work.once("configured", "configuring Python for guests", || {
            // CPython leaves this one out for WASI, and asyncio looks for it.
            write(&folder.join("Modules/Setup.local"), "fcntl fcntlmodule.c\n")?;
            let site = self.work.path("config.site");
            write(&site, embedded::file(&PYTHON, "config.site"))?;
            let library = |name: &str, headers: &Path, archive: &Path, flag: &str| {
                [
                    (format!("{name}_CFLAGS"), format!("-I{}", headers.display())),
                    (format!("{name}_LIBS"), format!("-L{} {flag}", archive.display())),
                ]
            };
            let [zlib, bzip2, lzma] = ["zlib", "bzip2", LZMA].map(|name| self.work.path(name));
            let mut configure = command(self.cpython().join("configure"));
            configure.args(CONFIGURATION).args(OF_GUESTS);
            configure.arg(format!("--build={}", self.machine()?)).arg(format!("--prefix={HOME}"));
            configure.arg(format!("--with-build-python={}", self.native_python().display()));
            configure.arg("OPT=-O3 -DNDEBUG -w").current_dir(&folder).env("CONFIG_SITE", site);
            configure.env("CC", self.compiler()).env("CXX", self.sdk.bin().join("mpicxx"));
            configure.env("AR", &self.llvm_ar).env("RANLIB", "true");
            configure.envs(library("ZLIB", &zlib, &zlib, "-lz")).envs(library("BZIP2", &bzip2, &bzip2, "-lbz2"));
            configure.envs(library("LIBLZMA", &lzma.join("api"), &lzma.join(".libs"), "-llzma"));
            self.work.logged(&mut configure, "configuring", 0)
        })?;
        self.work.once("compiled", "compiling Python (some minutes)", || {
            // Not known to configure, which looks into objects, nor to modules that are built later.
            let mut flags = "CFLAGS_NODIST=-flto".to_owned();
            if self.profile().is_file() {
                flags += &format!(" -fprofile-instr-use={}", self.profile().display());
            }
            self.work.make(&folder, &[&flags, "python.wasm", "pybuilddir.txt"], "compiling Python")
        })
    }

    /// The library as one object.
    pub(super) fn whole(&self) -> Result<PathBuf> {
        let guest = self.work.path("guest");
        let object = guest.join("python.o");
        if object.exists() {
            fs::remove_file(&object)?;
        }
        let linker = find::wasm_ld(&find::clang()?.path).context("no wasm-ld found; install lld")?;
        let mut link = command(linker);
        link.args(["-r", "--lto-O3", "--lto-CGO3", "--whole-archive"]);
        link.arg(guest.join(format!("libpython{RELEASE}.a"))).arg("-o").arg(&object);
        self.work.logged(&mut link, "optimising Python as a whole", 0)?;
        Ok(object)
    }

    pub(super) fn native_python(&self) -> PathBuf {
        self.work.path("native").join("python")
    }

    /// What `sysconfig` answers with in a guest.
    pub(super) fn configuration_of_guests(&self) -> Result<PathBuf> {
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

/// Whether clang makes programs of this machine's that count: some packages of it lack the library.
fn can_count(clang: &Path) -> bool {
    let Ok(folder) = tempfile::tempdir() else { return false };
    let source = folder.path().join("a.c");
    let mut compile = Command::new(clang);
    compile.arg("-fprofile-instr-generate").arg(&source).arg("-o").arg(folder.path().join("a"));
    fs::write(&source, "int main(void) { return 0; }\n").is_ok()
        && compile.output().is_ok_and(|output| output.status.success())
}
