//! The SDK's own files for C guests: they travel in the binary and are laid out in the data folder at first use.
//!
//! A layout is a folder `sdk-<key>`, made by whichever compiler of a `make -j` comes first. The key covers the files, where
//! this executable and clang are, as scripts name them, clang's version and the sysroot's content: what changes one of them
//! makes a new layout.

mod gdb;
mod install;
mod meson;
#[cfg(test)]
mod powers;
mod rust;

use crate::embedded;
use crate::find;
use crate::folder::{self, shell_quote};
use crate::key;
use crate::process::check;
use crate::threads;
use crate::wide;
use anyhow::{Context as _, Result};
use rankine_system::places::AS_LAUNCHER;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub use gdb::gdb_script;
pub use install::install;
pub use meson::meson_cross_file;
pub use rust::{cargo_config, write_cargo_config};

/// What is laid out, by folder.
static FOLDERS: [(&str, &include_dir::Dir); 3] =
    [("c", &embedded::C), ("cpp", &embedded::CPP), ("cmake", &embedded::CMAKE)];

/// The scripts that stand for a subcommand. Build systems start what they have built.
const SCRIPTS: &[(&str, &str)] = &[
    ("mpicc", "cc -runnable"),
    ("mpicxx", "c++ -runnable"),
    ("mpic++", "c++ -runnable"),
    ("mpiCC", "c++ -runnable"),
    ("mpifort", "fc -runnable"),
    ("mpif90", "fc -runnable"),
    ("mpif77", "fc -runnable"),
    // As programs of `-runnable` do, those that a makefile starts may use the folder in which it starts them.
    ("mpiexec", AS_LAUNCHER),
    ("mpirun", AS_LAUNCHER),
];

/// Where [`Sdk::linker`] lies.
const LINKER: &str = "lib/wasm-ld";

/// Where [`Sdk::mpi_names`] lies.
const MPI_NAMES: &str = "lib/mpi.names";

/// Libraries that are asked for by name and lie in the SDK library: archives of nothing.
const EMPTY: [&str; 6] = ["fftw3", "fftw3f", "fftw3_threads", "fftw3f_threads", "fftw3_omp", "fftw3f_omp"];

/// The laid-out SDK.
#[derive(Clone, Debug)]
pub struct Sdk {
    root: PathBuf,
    /// What its library is made of.
    sources: Vec<&'static Path>,
}

impl Sdk {
    /// The SDK for this clang and sysroot, laid out and compiled if it is not there yet.
    pub fn with(clang: &Path, sysroot: &Path) -> Result<Sdk> {
        let exe = env::current_exe().context("where is this executable?")?;
        let (texts, scripts, linker) = (texts(), scripts(&exe), linker(&exe, clang));
        let compiled = (key::compiler(clang), key::sysroot(sysroot), key::flags(sysroot), for_either(sysroot));
        let root = key::place("sdk", (&texts, &scripts, &linker, EMPTY, compiled))?;
        folder::make_once(&root, |draft| {
            folder::write_all(draft, texts.iter().map(|(path, text)| (path.as_path(), text.as_str())))?;
            for (name, text) in &scripts {
                folder::write_script(&draft.join("bin").join(name), text)?;
            }
            folder::write_script(&draft.join(LINKER), &linker)?;
            for name in EMPTY {
                folder::write(&draft.join(format!("lib/lib{name}.a")), "!<arch>\n")?;
            }
            compile(draft, clang, sysroot)
        })?;
        Ok(Sdk { root, sources: sources() })
    }

    /// The SDK for the clang and the sysroot that are found on this machine.
    pub fn of_this_machine() -> Result<Sdk> {
        Sdk::with(&find::clang()?.path, &find::sysroot()?.path)
    }

    /// The same SDK under a name that stays when Rankine is upgraded: build folders keep it.
    pub fn under_stable_name(self) -> Result<Sdk> {
        let link = self.root.with_file_name("sdk");
        folder::stable_link(&self.root, &link)?;
        Ok(Sdk { root: link, ..self })
    }

    /// The folder that holds everything.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `mpi.h` and the headers that fill gaps of the sysroot's.
    pub fn include(&self) -> PathBuf {
        self.root.join("c/include")
    }

    /// Headers that stand before libc++'s own.
    pub fn include_of_cpp(&self) -> PathBuf {
        self.root.join("cpp/include")
    }

    /// C++'s new and delete, which are to be found before libc++'s.
    pub fn new_and_delete(&self) -> PathBuf {
        self.root.join("lib/new.o")
    }

    /// The CMake toolchain file.
    pub fn cmake_toolchain(&self) -> PathBuf {
        self.root.join("cmake/rankine-toolchain.cmake")
    }

    /// The scripts `mpicc`, `mpicxx` and `mpiexec`, for build systems that want a single word.
    pub fn bin(&self) -> PathBuf {
        self.root.join("bin")
    }

    /// The linker: a script that stands for this executable's (`crate::link`).
    pub fn linker(&self) -> PathBuf {
        self.root.join(LINKER)
    }

    /// Where libraries are that may be asked for by name.
    pub fn libraries(&self) -> PathBuf {
        self.root.join("lib")
    }

    /// The names of all MPI functions, which the linker may leave undefined: a configure script that looks for
    /// `MPI_Init` declares it without saying where it comes from.
    pub fn mpi_names(&self) -> PathBuf {
        self.root.join(MPI_NAMES)
    }

    /// The SDK library: objects rather than an archive, so that no `ar` for wasm is needed.
    pub fn objects(&self) -> Vec<PathBuf> {
        let names = self.sources.iter().filter_map(|path| path.file_stem());
        names.map(|name| self.root.join("lib").join(name).with_extension("o")).collect()
    }
}

/// The sources of the SDK library, by their paths below `c/`.
fn sources() -> Vec<&'static Path> {
    let paths = embedded::files(&embedded::C).into_iter().map(|(path, _)| path);
    paths.filter(|path| is_c(path) || is_cpp(path)).collect()
}

fn is_c(path: &Path) -> bool {
    path.extension() == Some(OsStr::new("c"))
}

/// Whether a source has functions that the C library has as well.
fn is_of_libc(path: &Path) -> bool {
    path.starts_with("src/libc")
}

fn is_cpp(path: &Path) -> bool {
    path.extension() == Some(OsStr::new("cpp"))
}

/// The headers for guests, by their paths below `c/`.
pub(crate) fn headers() -> Vec<(&'static Path, &'static str)> {
    embedded::files(&embedded::C).into_iter().filter(|(path, _)| path.starts_with("include")).collect()
}

/// The headers and sources of the SDK library, which a program that is built here has in it.
pub(crate) fn headers_and_sources() -> Vec<(&'static Path, &'static str)> {
    embedded::files(&embedded::C)
}

/// The headers, sources and configurations, by their paths.
fn texts() -> Vec<(PathBuf, String)> {
    let mut texts = Vec::new();
    for (folder, files) in FOLDERS {
        let files = embedded::files(files).into_iter();
        texts.extend(files.map(|(path, text)| (Path::new(folder).join(path), text.to_string())));
    }
    let names = rankine_abi::FUNCTIONS.iter().map(|function| function.name);
    texts.push((MPI_NAMES.into(), names.map(|name| format!("{name}\nP{name}\n")).collect()));
    texts
}

/// The scripts that stand for this executable's subcommands, by their names.
fn scripts(exe: &Path) -> Vec<(&'static str, String)> {
    let exe = shell_quote(&exe.to_string_lossy());
    SCRIPTS.iter().map(|(name, command)| (*name, format!("#!/bin/sh\nexec {exe} {command} \"$@\"\n"))).collect()
}

/// The script that links for a clang.
fn linker(exe: &Path, clang: &Path) -> String {
    let [exe, clang] = [exe, clang].map(|path| shell_quote(&path.to_string_lossy()));
    format!("#!/bin/sh\nexec {exe} link {clang} \"$@\"\n")
}

fn compile(root: &Path, clang: &Path, sysroot: &Path) -> Result<()> {
    let lib = root.join("lib");
    fs::create_dir_all(&lib)?;
    let mut of_cpp = vec!["-std=c++17", "-fwasm-exceptions", "-nostdinc++"];
    // What catches has to know where the C++ library keeps what a landing pad is told.
    of_cpp.extend(for_either(sysroot));
    // What takes the place of the C library's own must not be made into calls of itself.
    let of_libc: &[&str] = &["-fno-builtin"];
    type Kind<'f> = (fn(&Path) -> bool, &'f [&'f str]);
    let kinds: [Kind<'_>; 3] = [
        (|path| is_c(path) && !is_of_libc(path), &[]),
        (|path| is_c(path) && is_of_libc(path), of_libc),
        (is_cpp, &of_cpp),
    ];
    for (is_wanted, flags) in kinds {
        let mut command = Command::new(clang);
        command.args(base_flags(sysroot)).args(["-O2", "-ffunction-sections", "-fdata-sections", "-c"]).args(flags);
        command.arg("-isystem").arg(root.join("c/include"));
        let wanted: Vec<&Path> = sources().into_iter().filter(|path| is_wanted(path)).collect();
        if wanted.is_empty() {
            continue;
        }
        command.args(wanted.iter().map(|path| root.join("c").join(path))).current_dir(&lib);
        check(&mut command, &format!("compiling the SDK library with {}", clang.display()))?;
    }
    Ok(())
}

/// With atomic instructions an object can be linked to programs with threads, too, in which it may be used by several; to those
/// without they make no difference.
pub(crate) fn for_either(sysroot: &Path) -> Option<&'static str> {
    (!threads::are_in(sysroot) && !wide::is_in(sysroot)).then_some("-matomics")
}

/// The flags that every compilation for a guest starts with.
pub fn base_flags(sysroot: &Path) -> Vec<String> {
    let mut flags =
        vec![format!("--target={}", threads::target_of(sysroot)), format!("--sysroot={}", sysroot.display())];
    if threads::are_in(sysroot) {
        flags.push("-pthread".into());
    }
    // A wasm-opt on PATH would be run by clang's driver, and an old one breaks new modules.
    flags.push("--no-wasm-opt".into());
    flags.push("-msimd128".into());
    // setjmp and longjmp ride on WebAssembly exceptions, in their standard form.
    for option in ["-wasm-enable-sjlj", "-wasm-use-legacy-eh=false"] {
        flags.extend(["-mllvm".into(), option.into()]);
    }
    for part in ["SIGNAL", "PROCESS_CLOCKS", "MMAN", "GETPID"] {
        flags.push(format!("-D_WASI_EMULATED_{part}"));
    }
    if wide::is_in(sysroot) {
        flags.extend(wide::LONG_IS_INT64.map(String::from));
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_laid_out_where_they_are_looked_for() {
        let sdk = Sdk { root: "/data/sdk-1".into(), sources: sources() };
        let texts = texts();
        let hash = sdk.include_of_cpp().join("__functional/hash.h");
        let files = [sdk.include().join("mpi.h"), hash, sdk.cmake_toolchain(), sdk.mpi_names()];
        for file in files {
            let name = file.strip_prefix(sdk.root()).unwrap();
            let text = texts.iter().find_map(|(path, text)| (path == name).then_some(text));
            assert!(text.is_some_and(|text| !text.is_empty()), "{}", name.display());
        }
        assert!(sdk.objects().contains(&PathBuf::from("/data/sdk-1/lib/clusters.o")));
        assert!(sdk.objects().contains(&sdk.new_and_delete()));
    }

    #[test]
    fn scripts_stand_for_subcommands() {
        let scripts = scripts(Path::new("/opt/o'hara/rankine"));
        assert!(
            scripts.contains(&("mpicxx", "#!/bin/sh\nexec '/opt/o'\\''hara/rankine' c++ -runnable \"$@\"\n".into()))
        );
    }
}
