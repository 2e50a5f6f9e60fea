//! The MPI bindings for Fortran: `mpif.h`, the modules `mpi` and `mpi_f08`, and the C functions behind them.
//!
//! They travel in the binary, as the C SDK does, and are compiled at first use into a folder `fortran-<key>` of the
//! data folder; the key covers the files, the compilers and the SDK.

use super::super::apt::check;
use super::super::sdk_build::flang::Flang;
use super::super::sdk_build::publish;
use super::super::sdk_files::{self, Sdk};
use super::super::toolchain;
use anyhow::{Context as _, Result};
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;

macro_rules! embed {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../../../guest-sdk/fortran/", $path)))),*]
    };
}

/// Every file, by its path below `guest-sdk/fortran/`. Modules stand after those that they use.
const FILES: &[(&str, &str)] = embed![
    "include/mpif.h",
    "modules/mpi.f90",
    "modules/mpi_f08_types.f90",
    "modules/mpi_f08_callbacks.f90",
    "modules/mpi_f08.f90",
    "modules/rankine.f90",
    "glue/allocate.c",
    "glue/attributes.c",
    "glue/callbacks.c",
    "glue/closures.c",
    "glue/completion.c",
    "glue/describe.c",
    "glue/generated/abi.c",
    "glue/generated/attr.c",
    "glue/generated/coll.c",
    "glue/generated/comm.c",
    "glue/generated/datatype.c",
    "glue/generated/errhan.c",
    "glue/generated/group.c",
    "glue/generated/info.c",
    "glue/generated/init.c",
    "glue/generated/io.c",
    "glue/generated/misc.c",
    "glue/generated/neighbor.c",
    "glue/generated/op.c",
    "glue/generated/pack.c",
    "glue/generated/part.c",
    "glue/generated/pt2pt.c",
    "glue/generated/request.c",
    "glue/generated/rma.c",
    "glue/generated/session.c",
    "glue/generated/spawn.c",
    "glue/generated/topo.c",
    "glue/glue.h",
    "glue/irregular.c",
    "glue/objects.c",
    "glue/objects.h",
    "glue/scratch.c",
    "glue/section.c",
    "glue/section.h",
    "glue/sentinels.c",
    "glue/spawn.c",
    "glue/strings.c",
    "glue/type_info.h",
];

/// The compiled bindings.
pub struct Library {
    root: PathBuf,
}

impl Library {
    /// `mpif.h` and the compiled modules.
    pub fn include(&self) -> PathBuf {
        self.root.join("include")
    }

    /// The functions behind the modules, as objects: the linker takes those that are missing.
    pub fn objects(&self) -> Vec<PathBuf> {
        let sources = FILES.iter().filter(|(path, _)| path.ends_with(".c") || path.ends_with(".f90"));
        sources.map(|(path, _)| self.root.join("lib").join(object_name(path))).collect()
    }
}

/// `glue/generated/coll.c` becomes `glue-generated-coll.o`.
fn object_name(path: &str) -> PathBuf {
    Path::new(&path.replace('/', "-")).with_extension("o")
}

/// The bindings for this compiler, laid out and compiled if they are not there yet.
pub fn library(flang: &Flang, clang: &Path, sysroot: &Path, sdk: &Sdk) -> Result<Library> {
    let mut hasher = DefaultHasher::new();
    (FILES, flang.compiler(), clang, sysroot, sdk.root()).hash(&mut hasher);
    let root = toolchain::data_dir()?.join(format!("fortran-{:016x}", hasher.finish()));
    if !root.is_dir() {
        publish(&root, |draft| {
            for (path, text) in FILES {
                let path = draft.join(path);
                let wrote = fs::create_dir_all(path.parent().unwrap_or(draft)).and_then(|()| fs::write(&path, text));
                wrote.with_context(|| format!("cannot write {}", path.display()))?;
            }
            fs::create_dir_all(draft.join("lib"))?;
            compile_modules(draft, flang, clang, sysroot)?;
            compile_glue(draft, flang, clang, sysroot, sdk)
        })?;
    }
    Ok(Library { root })
}

fn compile_modules(root: &Path, flang: &Flang, clang: &Path, sysroot: &Path) -> Result<()> {
    for (path, _) in FILES.iter().filter(|(path, _)| path.ends_with(".f90")) {
        let bitcode = root.join(path).with_extension("bc");
        let mut command = Command::new(flang.compiler());
        command.args(["-triple", "wasm32-unknown-wasip1", "-O2", "-emit-llvm-bc", "-module-dir"]);
        command.arg(root.join("include")).arg(root.join(path)).arg("-o").arg(&bitcode);
        check(&mut command, &format!("compiling {path}"))?;
        let mut command = Command::new(clang);
        command.args(sdk_files::base_flags(sysroot)).args(["-O2", "-w", "-Qunused-arguments", "-c"]).arg(&bitcode);
        check(command.arg("-o").arg(root.join("lib").join(object_name(path))), &format!("compiling {path}"))?;
        fs::remove_file(&bitcode)?;
    }
    Ok(())
}

fn compile_glue(root: &Path, flang: &Flang, clang: &Path, sysroot: &Path, sdk: &Sdk) -> Result<()> {
    let lib = root.join("lib");
    for (path, _) in FILES.iter().filter(|(path, _)| path.ends_with(".c")) {
        let mut command = Command::new(clang);
        command.args(sdk_files::base_flags(sysroot)).args(["-O2", "-ffunction-sections", "-fdata-sections", "-c"]);
        command.arg("-isystem").arg(sdk.include()).arg("-isystem").arg(flang.include());
        command.arg("-I").arg(root.join("glue")).arg(root.join(path)).arg("-o").arg(lib.join(object_name(path)));
        check(&mut command, &format!("compiling {path}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that is added but not listed would be missing from an installed binary only.
    #[test]
    fn every_file_is_embedded() {
        let sdk = Path::new(env!("CARGO_MANIFEST_DIR")).join("../guest-sdk/fortran");
        for folder in ["include", "modules", "glue", "glue/generated"] {
            for entry in fs::read_dir(sdk.join(folder)).unwrap() {
                let path = entry.unwrap().path();
                if path.is_file() {
                    let name = path.strip_prefix(&sdk).unwrap().to_str().unwrap();
                    assert!(FILES.iter().any(|(known, _)| *known == name), "{name} is not in FILES");
                }
            }
        }
    }
}
