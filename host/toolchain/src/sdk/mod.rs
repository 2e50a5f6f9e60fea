//! The SDK's own files for C guests: they travel in the binary and are laid out in the data folder at first use.
//!
//! A layout is a folder `sdk-<key>`, made by whichever compiler of a `make -j` comes first. The key covers the files, this
//! executable, clang and the sysroot, so an upgrade of any of them makes a new layout.

mod gdb;
mod install;
mod rust;

use crate::embedded;
use crate::find;
use crate::folder::{self, shell_quote};
use crate::process::check;
use crate::threads;
use anyhow::{Context as _, Result};
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;

pub use gdb::gdb_script;
pub use install::install;
pub use rust::cargo_config;

/// What is laid out, by folder.
static FOLDERS: [(&str, &include_dir::Dir); 3] =
    [("c", &embedded::C), ("cmake", &embedded::CMAKE), ("meson", &embedded::MESON)];

/// The scripts that stand for a subcommand.
const SCRIPTS: &[(&str, &str)] = &[
    ("mpicc", "cc"),
    ("mpicxx", "c++"),
    ("mpic++", "c++"),
    ("mpiCC", "c++"),
    ("mpifort", "fc"),
    ("mpif90", "fc"),
    ("mpif77", "fc"),
    ("mpiexec", "run"),
    ("mpirun", "run"),
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
}

impl Sdk {
    /// The SDK for this clang and sysroot, laid out and compiled if it is not there yet.
    pub fn with(clang: &Path, sysroot: &Path) -> Result<Sdk> {
        let exe = env::current_exe().context("where is this executable?")?;
        let data = find::data_dir()?;
        let (texts, scripts, linker) = (texts(&data.join("sdk")), scripts(&exe), linker(&exe, clang));
        let mut hasher = DefaultHasher::new();
        (&texts, &scripts, &linker, EMPTY, clang, sysroot, base_flags(sysroot)).hash(&mut hasher);
        let root = data.join(format!("sdk-{:016x}", hasher.finish()));
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
        Ok(Sdk { root })
    }

    /// The SDK for the clang and the sysroot that are found on this machine.
    pub fn of_this_machine() -> Result<Sdk> {
        Sdk::with(&find::clang()?.path, &find::sysroot()?.path)
    }

    /// The same SDK under a name that stays when Rankine is upgraded: build folders keep it.
    pub fn under_stable_name(self) -> Result<Sdk> {
        let link = self.root.with_file_name("sdk");
        folder::stable_link(&self.root, &link)?;
        Ok(Sdk { root: link })
    }

    /// The folder that holds everything.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `mpi.h` and the headers that fill gaps of the sysroot's.
    pub fn include(&self) -> PathBuf {
        self.root.join("c/include")
    }

    /// The CMake toolchain file.
    pub fn cmake_toolchain(&self) -> PathBuf {
        self.root.join("cmake/rankine-toolchain.cmake")
    }

    /// The Meson cross file.
    pub fn meson_cross_file(&self) -> PathBuf {
        self.root.join("meson/rankine-cross.ini")
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
        let names = sources().filter_map(|path| path.file_stem());
        names.map(|name| self.root.join("lib").join(name).with_extension("o")).collect()
    }
}

/// The sources of the SDK library, by their paths below `c/`.
fn sources() -> impl Iterator<Item = &'static Path> {
    let paths = embedded::files(&embedded::C).into_iter().map(|(path, _)| path);
    paths.filter(|path| is_c(path) || is_cpp(path))
}

fn is_c(path: &Path) -> bool {
    path.extension() == Some(OsStr::new("c"))
}

fn is_cpp(path: &Path) -> bool {
    path.extension() == Some(OsStr::new("cpp"))
}

/// The headers, sources and configurations, by their paths; build folders know the place as `link`.
fn texts(link: &Path) -> Vec<(PathBuf, String)> {
    // A Meson cross file can't say where it lies.
    let placed = |text: &str| text.replace("@RANKINE_SDK@", &link.display().to_string());
    let mut texts = Vec::new();
    for (folder, files) in FOLDERS {
        let files = embedded::files(files).into_iter();
        texts.extend(files.map(|(path, text)| (Path::new(folder).join(path), placed(text))));
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
    let of_cpp: &[&str] = &["-std=c++17", "-fwasm-exceptions", "-nostdinc++"];
    for (is_wanted, flags) in [(is_c as fn(&Path) -> bool, &[][..]), (is_cpp, of_cpp)] {
        let mut command = Command::new(clang);
        command.args(base_flags(sysroot)).args(["-O2", "-ffunction-sections", "-fdata-sections", "-c"]).args(flags);
        command.arg("-isystem").arg(root.join("c/include"));
        command.args(sources().filter(|path| is_wanted(path)).map(|path| root.join("c").join(path))).current_dir(&lib);
        check(&mut command, &format!("compiling the SDK library with {}", clang.display()))?;
    }
    Ok(())
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
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_laid_out_where_they_are_looked_for() {
        let sdk = Sdk { root: "/data/sdk-1".into() };
        let texts = texts(Path::new("/data/sdk"));
        let files = [sdk.include().join("mpi.h"), sdk.cmake_toolchain(), sdk.meson_cross_file(), sdk.mpi_names()];
        for file in files {
            let name = file.strip_prefix(sdk.root()).unwrap();
            let text = texts.iter().find_map(|(path, text)| (path == name).then_some(text));
            assert!(text.is_some_and(|text| !text.is_empty()), "{}", name.display());
        }
        assert!(texts.iter().all(|(_, text)| !text.contains("@RANKINE_SDK@")));
        assert!(sdk.objects().contains(&PathBuf::from("/data/sdk-1/lib/clusters.o")));
    }

    #[test]
    fn scripts_stand_for_subcommands() {
        let scripts = scripts(Path::new("/opt/o'hara/rankine"));
        assert!(scripts.contains(&("mpicxx", "#!/bin/sh\nexec '/opt/o'\\''hara/rankine' c++ \"$@\"\n".into())));
    }
}
