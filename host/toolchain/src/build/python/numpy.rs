//! numpy as a part of the interpreter: its own build, by the Meson in its archive, compiles it for guests; nothing is linked until
//! the interpreter is. What its source has to say otherwise is [`EDITS`], and each must find its place.

use super::Build;
use super::work::command;
use crate::embedded::{self, PYTHON};
use crate::folder::{write, write_script};
use crate::process::check;
use anyhow::{Context as _, Result, ensure};
use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The routines of BLAS and LAPACK that `blas.c` stands before: in which file of numpy's, for which kinds of numbers.
const SERVED: [(&str, &str, &str); 9] = [
    ("blas", "sdcz", "gemm"),
    ("blas", "sd", "syrk"),
    ("blas", "cz", "herk"),
    ("blas", "sd", "syr2k"),
    ("blas", "cz", "her2k"),
    ("blas", "sdcz", "trmm"),
    ("blas", "sdcz", "trsm"),
    ("_lapack", "sdcz", "getrf"),
    ("_lapack", "sdcz", "potrf"),
];

/// A text in a file of numpy's, and what stands there instead.
const EDITS: [(&str, &str, &str); 12] = [
    (
        "fft/_pocketfft_umath.cpp",
        "#include \"pocketfft/pocketfft_hdronly.h\"\n",
        "#include \"pocketfft/pocketfft_hdronly.h\"\n#include \"rankine_fft.h\"\n",
    ),
    (
        "fft/_pocketfft_umath.cpp",
        "    bool direction = *((bool *)func); /* pocketfft::FORWARD or BACKWARD */\n",
        "    bool direction = *((bool *)func);\n    \
         if (rankine::fft<T>(rankine::Kind::complex, args, dimensions, steps, nout, direction))\n        return;\n",
    ),
    (
        "fft/_pocketfft_umath.cpp",
        "    assert (nout > 0 && nout == npts / 2 + 1);\n",
        "    if (rankine::fft<T>(rankine::Kind::from_real, args, dimensions, steps, npts, true))\n        return;\n",
    ),
    (
        "fft/_pocketfft_umath.cpp",
        "    assert(nout > 0);\n",
        "    if (rankine::fft<T>(rankine::Kind::to_real, args, dimensions, steps, nout, false))\n        return;\n",
    ),
    // Two modules compile the same functions in different ways, and here they are in one program.
    ("random/meson.build", "['-DNP_RANDOM_LEGACY=1']", "['-DNP_RANDOM_LEGACY=1', '-include', 'rankine_names.h']"),
    // Functions that are called by another type than they have, which native machines tolerate.
    (
        "_core/src/multiarray/scalartypes.c.src",
        "gentype___copy__(PyObject *self)",
        "gentype___copy__(PyObject *self, PyObject *NPY_UNUSED(none))",
    ),
    (
        "_core/src/umath/_scaled_float_dtype.c",
        "sfloat___reduce__(PyArray_SFloatDescr *self)",
        "sfloat___reduce__(PyArray_SFloatDescr *self, PyObject *NPY_UNUSED(none))",
    ),
    (
        "_core/src/multiarray/array_converter.c",
        "array_converter_get_scalar_input(PyArrayArrayConverterObject *self)",
        "array_converter_get_scalar_input(PyArrayArrayConverterObject *self, void *NPY_UNUSED(none))",
    ),
    (
        "_core/src/multiarray/array_method.c",
        "boundarraymethod__supports_unaligned(PyBoundArrayMethodObject *self)",
        "boundarraymethod__supports_unaligned(PyBoundArrayMethodObject *self, void *NPY_UNUSED(none))",
    ),
    (
        "_core/src/multiarray/getset.c",
        "\narray_descr_set(PyArrayObject *self, PyObject *arg)",
        "\narray_descr_set(PyArrayObject *self, PyObject *arg, void *NPY_UNUSED(none))",
    ),
    (
        "_core/src/multiarray/_multiarray_tests.c.src",
        "(PyCFunction)printf_float_g,\n        METH_VARARGS ,",
        "(PyCFunction)printf_float_g,\n        METH_VARARGS | METH_KEYWORDS,",
    ),
    (
        "_core/src/multiarray/multiarraymodule.c",
        "(PyCFunction)_get_castingimpl,\n        METH_VARARGS | METH_KEYWORDS,",
        "(PyCFunction)_get_castingimpl,\n        METH_VARARGS,",
    ),
];

/// What these functions are called in the older of the two modules.
const RENAMED: &str = "random/src/rankine_names.h";
const DISTRIBUTIONS: &str = "random/src/distributions/distributions.c";

/// Modules that numpy has for itself only.
const NOT_THESE: [&str; 1] = ["numpy._core._simd"];

/// What stands in two of its files alike.
const TWICE: &str = "lapack_lite_python_xerbla.c.o";

/// Where the objects of a module lie: its name, and this.
const MODULE: &str = ".so.p/";

/// numpy in a work folder.
pub(super) struct Numpy<'a> {
    pub(super) build: &'a Build<'a>,
}

impl Numpy<'_> {
    /// numpy's package, of which this machine's part is elsewhere.
    fn source(&self) -> PathBuf {
        self.build.work.path("numpy/numpy")
    }

    fn folder(&self) -> PathBuf {
        self.build.work.path("numpy-guest")
    }

    /// Changes what has just been unpacked.
    pub(super) fn edit(&self) -> Result<()> {
        let source = self.source();
        for (file, kinds, name) in SERVED {
            for kind in kinds.chars() {
                let file = if file == "blas" { "f2c_blas.c".into() } else { format!("f2c_{kind}{file}.c") };
                let line = |name: &str| format!("\n/* Subroutine */ int {name}_(");
                let (old, new) = (line(&format!("{kind}{name}")), line(&format!("compiled_{kind}{name}")));
                replace(&source.join("linalg/lapack_lite").join(file), &old, &new)?;
            }
        }
        EDITS.iter().try_for_each(|(file, old, new)| replace(&source.join(file), old, new))?;
        let text = fs::read_to_string(source.join(DISTRIBUTIONS)).context(DISTRIBUTIONS)?;
        let renames: String = functions(&text).map(|name| format!("#define {name} legacy_module_{name}\n")).collect();
        write(&source.join(RENAMED), &renames)
    }

    /// Has Meson find out what it wants to know of guests.
    pub(super) fn configure(&self) -> Result<()> {
        let (work, folder) = (self.build.work, self.folder());
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        let data = self.build.configuration_of_guests()?;
        let stem = data.file_stem().context("a file has a name")?;
        let configuration = data.parent().context("a file is in a folder")?;
        let words = [
            ("@AR@", self.build.llvm_ar.clone()),
            ("@WORK@", work.path("").components().collect()),
            ("@DATA@", stem.into()),
            ("@CONFIGURATION@", configuration.to_path_buf()),
        ];
        let filled = |name: &str| {
            let text = embedded::file(&PYTHON, &format!("numpy/{name}")).to_owned();
            words.iter().fold(text, |text, (word, path)| text.replace(word, &path.display().to_string()))
        };
        let cross = work.path("cross.ini");
        write(&cross, &filled("cross.ini"))?;
        for (name, compiler) in [("numpy-cc", "mpicc"), ("numpy-c++", "mpicxx")] {
            let compiler = self.build.sdk.bin().join(compiler).display().to_string();
            write_script(&work.path(name), &filled("cc.sh").replace("@COMPILER@", &compiler))?;
        }
        write_script(&work.path("host-python"), &filled("host-python.sh"))?;
        write_script(&work.path("pkg-config"), &filled("pkg-config.sh"))?;
        let parts = work.path("numpy-parts");
        fs::create_dir_all(&parts)?;
        write(&parts.join("rankine_fft.h"), embedded::file(&PYTHON, "numpy/fft.h"))?;
        let mut meson = command(work.path("venv/bin/python"));
        meson.arg(work.path("numpy/vendored-meson/meson/meson.py")).arg("setup").arg(&folder).arg(work.path("numpy"));
        meson.arg("--cross-file").arg(cross).args(["-Dbuildtype=release", "-Dblas=rankine", "-Dlapack=none"]);
        // One instruction set, one thread.
        meson.args(["-Dcpu-baseline=none", "-Dcpu-dispatch=none", "-Ddisable-threading=true"]);
        meson.env("PATH", self.path()?);
        work.logged(&mut meson, "configuring numpy", 0)
    }

    /// Where Meson finds ninja and Cython.
    fn path(&self) -> Result<OsString> {
        let bin = self.build.work.path("venv/bin");
        let rest = std::env::var_os("PATH").unwrap_or_default();
        std::env::join_paths(std::iter::once(bin).chain(std::env::split_paths(&rest))).context("PATH")
    }

    /// Compiles what is to be linked.
    pub(super) fn compile(&self) -> Result<()> {
        let (work, objects) = (self.build.work, self.objects()?);
        let mut ninja = command(work.path("venv/bin/ninja"));
        // Less at a time than there are cores would be all the same; more would starve what else runs here.
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        ninja.arg("-v").arg(format!("-j{jobs}")).args(objects.iter().map(|object| &object.output));
        ninja.current_dir(self.folder()).env("PATH", self.path()?);
        work.logged(&mut ninja, "compiling numpy", objects.len() as u64)?;
        let source = work.path("blas.c");
        write(&source, embedded::file(&PYTHON, "numpy/blas.c"))?;
        let mut job = command(self.build.compiler());
        job.args(["-O3", "-w", "-c"]).arg(&source).arg("-o").arg(source.with_extension("o"));
        work.logged(&mut job, "compiling numpy's BLAS", 0)
    }

    /// What the interpreter is linked with.
    pub(super) fn linked(&self) -> Result<Vec<PathBuf>> {
        let folder = self.folder();
        let mut all: Vec<PathBuf> = self.objects()?.iter().map(|object| folder.join(&object.output)).collect();
        all.push(self.build.work.path("blas.o"));
        Ok(all)
    }

    /// Its modules, by their whole names.
    pub(super) fn modules(&self) -> Result<Vec<String>> {
        let mut modules: Vec<String> = self.objects()?.into_iter().filter_map(|object| object.module).collect();
        modules.sort();
        modules.dedup();
        ensure!(!modules.is_empty(), "numpy's build has no modules");
        Ok(modules)
    }

    /// All that is compiled for its modules, and linked.
    fn objects(&self) -> Result<Vec<Object>> {
        let mut outputs = String::new();
        for rule in ["c_COMPILER", "cpp_COMPILER"] {
            let mut ninja = command(self.build.work.path("venv/bin/ninja"));
            ninja.args(["-t", "targets", "rule", rule]).current_dir(self.folder());
            outputs += &String::from_utf8_lossy(&check(&mut ninja, "asking ninja what it compiles")?.stdout);
        }
        Ok(chosen(outputs.lines()))
    }

    /// Where Meson and numpy's build have put Python files that are not in its source.
    pub(super) fn made(&self) -> [PathBuf; 1] {
        [self.folder().join("numpy/__config__.py")]
    }

    /// Headers for modules of others: those of the source, and those that its build makes.
    pub(super) fn headers(&self) -> Result<Vec<PathBuf>> {
        let made = self.folder().join("numpy/_core");
        let entries = fs::read_dir(&made).with_context(|| format!("cannot read {}", made.display()))?;
        let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let made = files.filter(|file| file.extension().is_some_and(|ending| ending == "h"));
        Ok(std::iter::once(self.source().join("_core/include/numpy")).chain(made).collect())
    }

    /// The package as it was unpacked.
    pub(super) fn package(&self) -> PathBuf {
        self.source()
    }
}

/// What one compilation makes.
#[derive(Debug, PartialEq, Eq)]
struct Object {
    output: String,
    /// The module that it is of; others are of libraries.
    module: Option<String>,
}

/// What of these objects is linked. Of a source that several modules have it is one, but for those that are renamed in a module.
fn chosen<'a>(outputs: impl Iterator<Item = &'a str>) -> Vec<Object> {
    let mut objects: Vec<Object> = outputs.map(Object::of).filter(|object| object.is_wanted()).collect();
    // numpy's main module has more of what it shares than those that only test it.
    objects.sort_by_key(|object| object.module.as_deref().is_some_and(|name| name.ends_with("_tests")));
    let mut seen = HashSet::new();
    objects.retain(|object| object.module.as_deref() == Some("numpy.random.mtrand") || seen.insert(object.name()));
    objects
}

impl Object {
    fn of(output: &str) -> Object {
        let module = output.split_once(MODULE).and_then(|(path, _)| path.rsplit_once(".cpython-"));
        Object { output: output.to_owned(), module: module.map(|(path, _)| path.replace('/', ".")) }
    }

    /// Meson makes it of the source's path.
    fn name(&self) -> String {
        self.output.rsplit('/').next().unwrap_or_default().to_owned()
    }

    fn is_wanted(&self) -> bool {
        let is_left_out = self.module.as_deref().is_some_and(|module| NOT_THESE.contains(&module));
        !is_left_out && self.name() != TWICE
    }
}

/// Names of the functions that a file of C defines for others.
fn functions(text: &str) -> impl Iterator<Item = &str> {
    let is_definition =
        |line: &&str| line.starts_with(|first: char| first.is_alphabetic()) && !line.starts_with("static");
    let before = text.lines().filter(is_definition).filter_map(|line| line.split_once('('));
    before.filter_map(|(before, _)| before.split_whitespace().last()).map(|name| name.trim_start_matches('*'))
}

/// Replaces what stands in a file once.
pub(super) fn replace(file: &Path, old: &str, new: &str) -> Result<()> {
    let text = fs::read_to_string(file).with_context(|| format!("numpy's source has no {}", file.display()))?;
    ensure!(text.matches(old).count() == 1, "{} does not say once: {old}", file.display());
    write(file, &text.replacen(old, new, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_a_file_are_named() {
        let text = "#include <a.h>\n/* x(y) */\nstatic int own(int a) {\n  call(a);\n}\nuint64_t *next(bitgen_t *b,\n     int n) {\nDECL double f(void)\n";
        assert_eq!(functions(text).collect::<Vec<_>>(), ["next", "f"]);
    }

    #[test]
    fn what_modules_share_is_linked_once() {
        let object = |module: &str, name: &str| format!("numpy/{module}.cpython-313-wasm32-wasi.so.p/{name}.c.o");
        let all = [
            object("_core/_multiarray_tests", "src_mem"),
            object("_core/_multiarray_umath", "src_mem"),
            object("_core/_simd", "src_simd"),
            object("linalg/_umath_linalg", "lapack_lite_python_xerbla"),
            "numpy/random/libnpyrandom.a.p/src_distributions.c.o".into(),
            object("random/mtrand", "src_distributions"),
        ];
        let objects = chosen(all.iter().map(String::as_str));
        let found: Vec<_> = objects.iter().map(|object| object.module.as_deref().unwrap_or("-")).collect();
        assert_eq!(found, ["numpy._core._multiarray_umath", "-", "numpy.random.mtrand"]);
    }

    #[test]
    fn an_edit_finds_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.c");
        write(&file, "one two two").unwrap();
        replace(&file, "one", "three").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "three two two");
        for lacking in ["one", "two"] {
            assert!(replace(&file, lacking, "").unwrap_err().to_string().contains("does not say once"));
        }
    }
}
