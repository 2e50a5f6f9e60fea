//! Finds the pieces a C guest is compiled with: clang, the WASI sysroot and Rankine's own SDK files.
//!
//! Nothing here is linked to Rankine or shipped with it except the SDK files, which travel in the binary (see
//! [`crate::sdk`]). Every search is an ordered list, so `rankine doctor` can show what was chosen and why.

use anyhow::{Context as _, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub use rankine_system::places::{env_path, find_program};
use rankine_system::{places, trust};

/// The clang target of every guest.
pub const TARGET: &str = "wasm32-wasip1";

/// The oldest clang that has `--no-wasm-opt` and the standard form of WebAssembly exceptions.
pub const OLDEST_CLANG: u32 = 20;

/// The clang version that Rankine is tested with; tried first.
pub const TESTED_CLANG: u32 = 22;

/// The newest clang that is looked for.
pub const NEWEST_CLANG: u32 = TESTED_CLANG + 8;

/// A tool that was found, and by which rule.
#[derive(Clone, Debug)]
pub struct Found {
    /// The file or folder itself.
    pub path: PathBuf,
    /// The rule that led to it, in words.
    pub origin: String,
}

impl Found {
    fn new(path: impl Into<PathBuf>, origin: impl Into<String>) -> Self {
        Found { path: path.into(), origin: origin.into() }
    }
}

/// The user's data folder.
pub fn data_dir() -> Result<PathBuf> {
    places::data().context("no data folder: set RANKINE_DATA_DIR, XDG_DATA_HOME or HOME")
}

/// The clang that compiles guests: `RANKINE_CLANG`, the WASI SDK's, then versioned names on `PATH`, then plain `clang`.
pub fn clang() -> Result<Found> {
    if let Some(name) = places::named("RANKINE_CLANG")? {
        return match find_program(&name) {
            Some(path) => Ok(Found::new(path, "RANKINE_CLANG")),
            None => bail!("RANKINE_CLANG names {}, which is not a program", name.display()),
        };
    }
    if let Some(sdk) = places::named("WASI_SDK_PATH")? {
        let path = sdk.join("bin/clang");
        if path.is_file() {
            return Ok(Found::new(path, "WASI_SDK_PATH"));
        }
    }
    let newer = (OLDEST_CLANG..=NEWEST_CLANG).rev().filter(|version| *version != TESTED_CLANG);
    for version in std::iter::once(TESTED_CLANG).chain(newer) {
        if let Some(path) = find_trusted(&format!("clang-{version}")) {
            return Ok(Found::new(path, "PATH"));
        }
    }
    if let Some(path) = find_trusted("clang") {
        match clang_version(&path) {
            Some(version) if version >= OLDEST_CLANG => return Ok(Found::new(path, "PATH")),
            Some(version) => {
                bail!("clang {version} is too old, {OLDEST_CLANG} or newer is needed; {}", install_clang())
            }
            None => {}
        }
    }
    bail!("no clang found; {}", install_clang())
}

/// A program on `PATH`, unless others or a guest may have written it: one that is meant all the same has to be named.
fn find_trusted(name: &str) -> Option<PathBuf> {
    find_program(name).filter(|path| trust::distrust_code(path).is_none())
}

/// The Rust compiler, to be asked a question. Not in the working folder: a `rust-toolchain.toml` there could name another one.
pub fn rustc() -> Command {
    let mut command = Command::new("rustc");
    command.current_dir(Path::new(if cfg!(windows) { r"C:\" } else { "/" }));
    command
}

/// The sentence that says how to get a clang.
pub fn install_clang() -> String {
    format!(
        "install clang-{TESTED_CLANG}, lld-{TESTED_CLANG} and libclang-rt-{TESTED_CLANG}-dev-wasm32 (Debian's names), \
         or point WASI_SDK_PATH to a WASI SDK, or RANKINE_CLANG to a clang"
    )
}

/// The major version in the first line of `clang --version`.
pub fn clang_version(clang: &Path) -> Option<u32> {
    let output = Command::new(clang).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.split_once("clang version ")?.1;
    version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The WASI sysroot: `RANKINE_SYSROOT`, the WASI SDK's, then the one in the data folder.
pub fn sysroot() -> Result<Found> {
    if let Some(path) = env_path("RANKINE_SYSROOT") {
        return match is_sysroot(&path) {
            true => Ok(Found::new(path, "RANKINE_SYSROOT")),
            false => bail!("RANKINE_SYSROOT names {}, which holds no {TARGET} libc", path.display()),
        };
    }
    if let Some(sdk) = places::named("WASI_SDK_PATH")? {
        let path = sdk.join("share/wasi-sysroot");
        return match is_sysroot(&path) {
            true => Ok(Found::new(path, "WASI_SDK_PATH")),
            false => bail!("WASI_SDK_PATH is set, but {} holds no {TARGET} libc", path.display()),
        };
    }
    let path = data_dir()?.join("sysroot");
    match is_sysroot(&path) {
        true => Ok(Found::new(path, "rankine sdk install")),
        false => bail!("no WASI sysroot in {}; run `rankine sdk install` once, or set WASI_SDK_PATH", path.display()),
    }
}

/// Whether a folder is a sysroot with a libc that is new enough (the oldest ones lack `setjmp.h`).
pub fn is_sysroot(path: &Path) -> bool {
    path.join("include").join(TARGET).join("setjmp.h").is_file()
        && path.join("lib").join(TARGET).join("libc.a").is_file()
}

/// The linker that this clang calls.
pub fn wasm_ld(clang: &Path) -> Option<PathBuf> {
    // Where clang looks first itself; asking it takes as long as linking.
    let beside = fs::canonicalize(clang).ok().and_then(|real| Some(real.parent()?.join("wasm-ld")));
    beside.filter(|path| path.is_file()).or_else(|| ask_clang(clang, "-print-prog-name=wasm-ld").and_then(find_program))
}

/// Another program of the LLVM that this clang is of.
pub fn llvm_tool(clang: &Path, name: &str) -> Option<PathBuf> {
    ask_clang(clang, &format!("-print-prog-name={name}")).and_then(find_program)
}

/// The compiler's own support routines for wasm (128-bit and quad-precision arithmetic).
pub fn builtins(clang: &Path) -> Option<PathBuf> {
    ask_clang(clang, "-print-libgcc-file-name").filter(|path| path.is_file())
}

fn ask_clang(clang: &Path, question: &str) -> Option<PathBuf> {
    let output = Command::new(clang).arg(format!("--target={TARGET}")).arg(question).output().ok()?;
    let answer = String::from_utf8_lossy(&output.stdout);
    let answer = answer.trim();
    (!answer.is_empty()).then(|| PathBuf::from(answer))
}
