//! The SDK's own files for C guests: they travel in the binary and are laid out in the data folder at first use.
//!
//! A layout is a folder `sdk-<key>` that is written under a private name and then renamed, so any number of
//! compilers started by `make -j` agree without a lock: the first rename wins and the others use its result.
//! The key covers the files, this executable, clang and the sysroot, so an upgrade of any of them makes a new layout.

use super::toolchain::{self, TARGET};
use anyhow::{Context as _, Result, bail};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

macro_rules! embed {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../../guest-sdk/", $path)))),*]
    };
}
pub(super) use embed;

/// Every file, by its path below `guest-sdk/`.
const FILES: &[(&str, &str)] = embed![
    "c/README.md",
    "c/include/__struct_rusage.h",
    "c/include/__typedef_sigset_t.h",
    "c/include/dlfcn.h",
    "c/include/error.h",
    "c/include/execinfo.h",
    "c/include/fcntl.h",
    "c/include/fenv.h",
    "c/include/grp.h",
    "c/include/malloc.h",
    "c/include/mpi.h",
    "c/include/netdb.h",
    "c/include/pthread.h",
    "c/include/pwd.h",
    "c/include/rankine.h",
    "c/include/rankine/wait_status.h",
    "c/include/rankine/weak.h",
    "c/include/sched.h",
    "c/include/setjmp.h",
    "c/include/signal.h",
    "c/include/stdio.h",
    "c/include/stdlib.h",
    "c/include/sys/cdefs.h",
    "c/include/sys/ipc.h",
    "c/include/sys/resource.h",
    "c/include/sys/shm.h",
    "c/include/sys/socket.h",
    "c/include/sys/stat.h",
    "c/include/sys/statfs.h",
    "c/include/sys/time.h",
    "c/include/sys/vfs.h",
    "c/include/sys/wait.h",
    "c/include/syslog.h",
    "c/include/termios.h",
    "c/include/time.h",
    "c/include/unistd.h",
    "c/src/clusters.c",
    "c/src/error.c",
    "c/src/exit.c",
    "c/src/files.c",
    "c/src/host_name.c",
    "c/src/inspect.c",
    "c/src/limits.c",
    "c/src/locks.c",
    "c/src/log.c",
    "c/src/memory.c",
    "c/src/network.c",
    "c/src/objects.c",
    "c/src/processes.c",
    "c/src/scheduling.c",
    "c/src/semaphores.c",
    "c/src/shared_memory.c",
    "c/src/signals.c",
    "c/src/temporary.c",
    "c/src/terminal.c",
    "c/src/threads.c",
    "c/src/timers.c",
    "c/src/users.c",
    "c/src/zone.c",
    "cmake/rankine-toolchain.cmake",
    "meson/rankine-cross.ini",
];

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

/// Where [`Sdk::mpi_names`] lies.
const MPI_NAMES: &str = "lib/mpi.names";

/// The laid-out SDK.
#[derive(Clone, Debug)]
pub struct Sdk {
    root: PathBuf,
}

impl Sdk {
    /// The same SDK under a name that stays when Rankine is upgraded: build folders keep it.
    pub fn under_stable_name(self) -> Result<Sdk> {
        let link = self.root.with_file_name("sdk");
        stable_link(&self.root, &link)?;
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

    /// The names of all MPI functions, which the linker may leave undefined: a configure script that looks for
    /// `MPI_Init` declares it without saying where it comes from.
    pub fn mpi_names(&self) -> PathBuf {
        self.root.join(MPI_NAMES)
    }

    /// The SDK library: objects rather than an archive, so that no `ar` for wasm is needed.
    pub fn objects(&self) -> Vec<PathBuf> {
        let names = sources().filter_map(|(path, _)| Path::new(path).file_stem());
        names.map(|name| self.root.join("lib").join(name).with_extension("o")).collect()
    }
}

fn sources() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    FILES.iter().filter(|(path, _)| path.ends_with(".c"))
}

/// The SDK for this clang and sysroot, laid out and compiled if it is not there yet.
pub fn sdk(clang: &Path, sysroot: &Path) -> Result<Sdk> {
    let exe = env::current_exe().context("where is this executable?")?;
    let data = toolchain::data_dir()?;
    let texts = texts(&exe, &data.join("sdk"));
    let mut hasher = DefaultHasher::new();
    (&texts, clang, sysroot, base_flags(sysroot)).hash(&mut hasher);
    let root = data.join(format!("sdk-{:016x}", hasher.finish()));
    if root.is_dir() {
        return Ok(Sdk { root });
    }
    fs::create_dir_all(&data).with_context(|| format!("cannot create the data folder {}", data.display()))?;
    let draft = tempfile::Builder::new()
        .prefix(".sdk-")
        .tempdir_in(&data)
        .with_context(|| format!("cannot write to the data folder {}", data.display()))?;
    make_public(draft.path())?;
    for (path, text) in &texts {
        let place = draft.path().join(path);
        write(&place, text)?;
        if path.starts_with("bin/") {
            make_public(&place)?;
        }
    }
    compile(draft.path(), clang, sysroot)?;
    publish(draft, &root)?;
    Ok(Sdk { root })
}

/// Makes `link` lead to `root`, whatever it was before.
pub(super) fn stable_link(root: &Path, link: &Path) -> Result<()> {
    if fs::read_link(link).ok().as_deref() == Some(root) {
        return Ok(());
    }
    let draft = link.with_file_name(format!(".link-{}", std::process::id()));
    let linked = std::os::unix::fs::symlink(root, &draft).and_then(|()| fs::rename(&draft, link));
    linked.with_context(|| format!("cannot create the link {}", link.display()))
}

/// Renames a finished draft to its place; when another process was faster, its equal result stays.
pub(super) fn publish(draft: tempfile::TempDir, place: &Path) -> Result<()> {
    let draft = draft.keep();
    let renamed = fs::rename(&draft, place);
    if renamed.is_ok() {
        return Ok(());
    }
    fs::remove_dir_all(&draft).ok();
    match place.is_dir() {
        true => Ok(()),
        false => renamed.with_context(|| format!("cannot create {}", place.display())),
    }
}

/// Everything that is written, by its path; build folders know the place as `link`.
fn texts(exe: &Path, link: &Path) -> Vec<(String, String)> {
    // A Meson cross file can't say where it lies.
    let placed = |text: &str| text.replace("@RANKINE_SDK@", &link.display().to_string());
    let mut texts: Vec<_> = FILES.iter().map(|(path, text)| (path.to_string(), placed(text))).collect();
    let names = rankine_abi::FUNCTIONS.iter().map(|function| function.name);
    texts.push((MPI_NAMES.into(), names.map(|name| format!("{name}\nP{name}\n")).collect()));
    let exe = shell_quote(&exe.to_string_lossy());
    for (name, command) in SCRIPTS {
        texts.push((format!("bin/{name}"), format!("#!/bin/sh\nexec {exe} {command} \"$@\"\n")));
    }
    texts
}

pub(super) fn write(path: &Path, text: &str) -> Result<()> {
    let wrote = fs::create_dir_all(path.parent().unwrap_or(path)).and_then(|()| fs::write(path, text));
    wrote.with_context(|| format!("cannot write {}", path.display()))
}

/// A temporary folder is private to its owner; the finished one is for everybody who may read the data folder.
pub(super) fn make_public(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).with_context(|| format!("chmod {}", path.display()))
}

pub(super) fn shell_quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn compile(root: &Path, clang: &Path, sysroot: &Path) -> Result<()> {
    let lib = root.join("lib");
    fs::create_dir_all(&lib)?;
    let mut command = Command::new(clang);
    command.args(base_flags(sysroot)).args(["-O2", "-ffunction-sections", "-fdata-sections", "-c"]);
    command.arg("-isystem").arg(root.join("c/include"));
    command.args(sources().map(|(path, _)| root.join(path))).current_dir(&lib);
    let output = command.output().with_context(|| format!("cannot start {}", clang.display()))?;
    if !output.status.success() {
        bail!(
            "compiling the SDK library with {} failed:\n{}",
            clang.display(),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(())
}

/// The flags that every compilation for a guest starts with.
pub fn base_flags(sysroot: &Path) -> Vec<String> {
    let mut flags = vec![format!("--target={TARGET}"), format!("--sysroot={}", sysroot.display())];
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

    /// A file that is added to `guest-sdk/` but not to the list would be missing from an installed binary only.
    #[test]
    fn every_sdk_file_is_embedded() {
        let sdk = Path::new(env!("CARGO_MANIFEST_DIR")).join("../guest-sdk");
        let mut pending = vec![sdk.join("c"), sdk.join("cmake"), sdk.join("meson")];
        while let Some(folder) = pending.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    pending.push(path);
                } else if path
                    .extension()
                    .is_some_and(|ext| ["c", "h", "cmake", "ini"].iter().any(|known| ext == *known))
                {
                    let name = path.strip_prefix(&sdk).unwrap().to_str().unwrap();
                    assert!(FILES.iter().any(|(known, _)| *known == name), "{name} is not in FILES");
                }
            }
        }
    }

    #[test]
    fn words_survive_the_shell() {
        assert_eq!(shell_quote("/a b/it's"), r"'/a b/it'\''s'");
    }
}
