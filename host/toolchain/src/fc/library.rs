//! The MPI bindings for Fortran: `mpif.h`, the modules `mpi` and `mpi_f08`, and the C functions behind them.
//!
//! They travel in the binary, as the C SDK does, and are compiled at first use into a folder `fortran-<key>` of the
//! data folder; the key covers the files, the compilers and the SDK. Programs with threads have theirs in another one, in
//! which OpenMP's module and header are those of its runtime. Those with 64-bit addresses have one in which `MPI_ADDRESS_KIND`
//! is 8.

use crate::build::Flang;
use crate::process::check;
use crate::sdk::{self, Sdk};
use crate::threads;
use crate::{embedded, find, folder, key, wide};
use anyhow::{Context as _, Result, ensure};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The modules, each after those that it uses.
const MODULES: &[&str] = &[
    "omp_lib",
    "mpi_f08_types",
    "mpi",
    "mpi_f08_callbacks",
    "mpi_f08",
    "rankine",
    "rankine_arrays",
    "rankine_view",
    "fftw3",
];

/// Every file, by its folder and its path in there.
fn files() -> impl Iterator<Item = (&'static str, &'static Path, &'static str)> {
    let folders = [
        ("include", &embedded::FORTRAN_INCLUDE),
        ("modules", &embedded::FORTRAN_MODULES),
        ("glue", &embedded::FORTRAN_GLUE),
    ];
    folders
        .into_iter()
        .flat_map(|(folder, files)| embedded::files(files).into_iter().map(move |(path, text)| (folder, path, text)))
}

/// The C functions, by their paths below `glue/`. With threads, those of OpenMP are its runtime's.
fn glue(has_threads: bool) -> impl Iterator<Item = &'static Path> {
    let paths = embedded::files(&embedded::FORTRAN_GLUE).into_iter().map(|(path, _)| path);
    let c_files = paths.filter(|path| path.extension() == Some(OsStr::new("c")));
    c_files.filter(move |path| !has_threads || *path != Path::new("omp.c"))
}

/// The compiled bindings.
pub struct Library {
    root: PathBuf,
}

impl Library {
    /// `mpif.h` and the compiled modules.
    pub fn include(&self) -> PathBuf {
        self.root.join("include")
    }

    /// The functions behind the modules: the linker takes those that are missing. It is an archive because CMake hands
    /// archives of Fortran's to the compiler of C, and no objects.
    pub fn archive(&self) -> PathBuf {
        self.root.join(ARCHIVE)
    }
}

/// Where [`Library::archive`] lies.
const ARCHIVE: &str = "lib/librankine_fortran.a";

fn module_object(name: &str) -> PathBuf {
    format!("modules-{name}.o").into()
}

/// `generated/coll.c` becomes `glue-generated-coll.o`.
fn glue_object(path: &Path) -> PathBuf {
    let name = path.display().to_string().replace('/', "-");
    Path::new(&format!("glue-{name}")).with_extension("o")
}

/// The bindings for this compiler, laid out and compiled if they are not there yet.
pub fn library(flang: &Flang, clang: &Path, sysroot: &Path, sdk: &Sdk) -> Result<Library> {
    let compilers = (flang.name(), key::compiler(clang), key::flags(sysroot));
    let texts = (files().collect::<Vec<_>>(), sdk::headers());
    let root = key::place("fortran", (texts, ARCHIVE, compilers, key::sysroot(sysroot)))?;
    folder::make_once(&root, |draft| {
        for (folder, path, text) in files() {
            folder::write(&draft.join(folder).join(path), text)?;
        }
        if threads::are_in(sysroot) {
            take_openmp(sysroot, draft)?;
        }
        if wide::is_in(sysroot) {
            widen_addresses(draft)?;
        }
        fs::create_dir(draft.join("lib"))?;
        compile_modules(draft, flang, clang, sysroot)?;
        compile_glue(draft, flang, clang, sysroot, sdk)?;
        archive(draft, clang, threads::are_in(sysroot))
    })?;
    Ok(Library { root })
}

/// The runtime's module and header in place of ours, which are for one thread.
fn take_openmp(sysroot: &Path, draft: &Path) -> Result<()> {
    let of_runtime = sysroot.join("include").join(threads::target_of(sysroot));
    for (from, to) in [("omp_lib.F90", "modules/omp_lib.f90"), ("omp_lib.h", "include/omp_lib.h")] {
        let from = of_runtime.join(from);
        fs::copy(&from, draft.join(to)).with_context(|| format!("cannot copy {}", from.display()))?;
    }
    Ok(())
}

/// What the modules have by a macro, `mpif.h` gets here: no preprocessor sees it.
fn widen_addresses(draft: &Path) -> Result<()> {
    let header = draft.join("include/mpif.h");
    let text = fs::read_to_string(&header).with_context(|| format!("cannot read {}", header.display()))?;
    let (narrow, wide) = ("(MPI_ADDRESS_KIND=4)", "(MPI_ADDRESS_KIND=8)");
    ensure!(text.contains(narrow), "mpif.h does not say {narrow}");
    folder::write(&header, &text.replace(narrow, wide))
}

fn compile_modules(root: &Path, flang: &Flang, clang: &Path, sysroot: &Path) -> Result<()> {
    for module in MODULES {
        let doing = format!("compiling the module {module}");
        let source = root.join("modules").join(module).with_extension("f90");
        let bitcode = source.with_extension("bc");
        let mut command = Command::new(flang.compiler());
        command.args(["-triple", &threads::triple_of(sysroot), "-cpp", "-O2", "-emit-llvm-bc"]);
        command.args(wide::is_in(sysroot).then_some("-DRANKINE_M64")).args(flang.module_flags()).arg("-module-dir");
        command.arg(root.join("include")).arg("-I").arg(root.join("include")).arg(source).arg("-o").arg(&bitcode);
        check(&mut command, &doing)?;
        let mut command = Command::new(clang);
        command.args(sdk::base_flags(sysroot)).args(["-O2", "-w", "-Qunused-arguments", "-c"]).arg(&bitcode);
        check(command.arg("-o").arg(root.join("lib").join(module_object(module))), &doing)?;
        fs::remove_file(&bitcode)?;
    }
    Ok(())
}

fn compile_glue(root: &Path, flang: &Flang, clang: &Path, sysroot: &Path, sdk: &Sdk) -> Result<()> {
    let (source, lib) = (root.join("glue"), root.join("lib"));
    for path in glue(threads::are_in(sysroot)) {
        let mut command = Command::new(clang);
        command.args(sdk::base_flags(sysroot)).args(["-O2", "-ffunction-sections", "-fdata-sections", "-c"]);
        command.arg("-isystem").arg(sdk.include()).arg("-isystem").arg(flang.include());
        command.arg("-I").arg(&source).arg(source.join(path)).arg("-o").arg(lib.join(glue_object(path)));
        check(&mut command, &format!("compiling {}", path.display()))?;
    }
    Ok(())
}

/// Makes one file of all objects.
fn archive(root: &Path, clang: &Path, has_threads: bool) -> Result<()> {
    let llvm_ar = find::llvm_tool(clang, "llvm-ar").context("llvm-ar is missing, which belongs to LLVM's tools")?;
    let of_modules = MODULES.iter().map(|name| module_object(name));
    let objects: Vec<PathBuf> = of_modules.chain(glue(has_threads).map(glue_object)).collect();
    let mut command = Command::new(llvm_ar);
    command.arg("rcs").arg(root.join(ARCHIVE)).args(&objects).current_dir(root.join("lib"));
    check(&mut command, "archiving the bindings for Fortran")?;
    objects.iter().try_for_each(|object| fs::remove_file(root.join("lib").join(object)))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_module_is_in_the_order_of_compilation() {
        let mut sources: Vec<_> = MODULES.iter().map(|name| Path::new(name).with_extension("f90")).collect();
        sources.sort();
        let mut there: Vec<_> = embedded::FORTRAN_MODULES.files().map(|file| file.path()).collect();
        there.sort();
        assert_eq!(sources, there);
    }

    #[test]
    fn objects_of_a_folder_have_names_of_their_own() {
        assert_eq!(glue_object(Path::new("generated/coll.c")), Path::new("glue-generated-coll.o"));
        assert_eq!(glue_object(Path::new("objects.c")), Path::new("glue-objects.o"));
    }
}
