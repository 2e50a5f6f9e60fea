//! `rankine sdk`: puts the WASI sysroot into the user's data folder, and says where things are.
//!
//! The sysroot comes from Debian's own package of wasi-libc, fetched with private package lists so that neither root
//! rights nor a change of the machine's set-up are needed, or from a folder that the user names.

use super::apt::{self, Apt, check, retry};
use super::{rust_files, sdk_build, sdk_files, toolchain};
use anyhow::{Context as _, Result, bail};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use toolchain::TARGET;

/// The command line of `rankine sdk`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Put the WASI sysroot into the data folder and compile the SDK library.
    Install {
        /// Take the sysroot from this WASI SDK, sysroot folder or wasi-libc .deb file instead of Debian's archive.
        #[arg(long, value_name = "PATH")]
        from: Option<PathBuf>,
        /// Install again even if a sysroot is there.
        #[arg(long)]
        force: bool,
    },
    /// Compile what Debian's packages lack from LLVM's source, once per machine.
    Build(sdk_build::Args),
    /// Print the folder of the SDK: headers, library objects, scripts.
    Path,
    /// Print the folder with the scripts mpicc and mpiexec.
    Bin,
    /// Print the CMake toolchain file.
    CmakeToolchain,
    /// Print the Meson cross file.
    MesonCrossFile,
    /// Print the cargo configuration for Rust guests: `cargo --config "$(rankine sdk cargo-config)" …`.
    CargoConfig,
}

/// Runs the subcommand.
pub fn run(args: Args) -> Result<ExitCode> {
    match args.action {
        Action::Install { from, force } => install(from.as_deref(), force)?,
        Action::Build(args) => sdk_build::run(&args)?,
        Action::Path => println!("{}", sdk()?.root().display()),
        Action::Bin => println!("{}", sdk()?.bin().display()),
        Action::CmakeToolchain => println!("{}", sdk()?.cmake_toolchain().display()),
        Action::MesonCrossFile => println!("{}", sdk()?.meson_cross_file().display()),
        Action::CargoConfig => println!("{}", rust_files::cargo_config()?.display()),
    }
    Ok(ExitCode::SUCCESS)
}

fn sdk() -> Result<sdk_files::Sdk> {
    sdk_files::sdk(&toolchain::clang()?.path, &toolchain::sysroot()?.path)?.under_stable_name()
}

pub(super) fn say(text: &str) {
    eprintln!("rankine sdk: {text}");
}

fn install(from: Option<&Path>, force: bool) -> Result<()> {
    match toolchain::sysroot() {
        Ok(found) if from.is_none() && !force => {
            say(&format!("the sysroot is there already: {} (from {})", found.path.display(), found.origin));
        }
        _ => install_sysroot(from)?,
    }
    match toolchain::clang() {
        Ok(clang) => {
            say(&format!("compiling the SDK library with {}", clang.path.display()));
            let sdk = sdk()?;
            say(&format!("ready: {}", sdk.root().display()));
        }
        Err(error) => say(&format!("the sysroot is ready, a compiler is not: {error:#}")),
    }
    Ok(())
}

fn install_sysroot(from: Option<&Path>) -> Result<()> {
    let data = toolchain::data_dir()?;
    fs::create_dir_all(&data).with_context(|| format!("cannot create the data folder {}", data.display()))?;
    let work = tempfile::Builder::new().prefix(".install-").tempdir_in(&data)?;
    let draft = work.path().join("sysroot");
    match from {
        Some(path) if path.is_dir() => copy_sysroot(&sysroot_inside(path)?, &draft)?,
        Some(path) if path.extension() == Some(OsStr::new("deb")) => unpack_deb(path, work.path(), &draft)?,
        Some(path) => bail!("{} is neither a folder nor a .deb file", path.display()),
        None if toolchain::is_sysroot(Path::new("/usr")) => {
            say("copying the sysroot of the installed wasi-libc package");
            copy_sysroot(Path::new("/usr"), &draft)?;
        }
        None => {
            let package = download_wasi_libc(work.path())?;
            unpack_deb(&package, work.path(), &draft)?;
        }
    }
    if !toolchain::is_sysroot(&draft) {
        bail!("what was unpacked is no {TARGET} sysroot with setjmp.h; take wasi-libc of 2024 or newer");
    }
    replace(&draft, &data.join("sysroot"), work.path())?;
    remove_compiled(&data)?;
    say(&format!("installed {}", data.join("sysroot").display()));
    Ok(())
}

/// Removes the SDK libraries of earlier versions and sysroots; the next compilation makes what it needs.
fn remove_compiled(data: &Path) -> Result<()> {
    for entry in fs::read_dir(data)?.flatten() {
        if entry.file_name().to_string_lossy().starts_with("sdk-") {
            fs::remove_dir_all(entry.path()).with_context(|| format!("cannot remove {}", entry.path().display()))?;
        }
    }
    Ok(())
}

/// Moves a finished folder to its place; an older one is out of the way for a moment only.
fn replace(draft: &Path, place: &Path, work: &Path) -> Result<()> {
    if place.exists() {
        fs::rename(place, work.join("old")).with_context(|| format!("cannot move {} away", place.display()))?;
    }
    fs::rename(draft, place).with_context(|| format!("cannot create {}", place.display()))
}

/// The sysroot in a folder that is one itself, or a WASI SDK, or a prefix such as an unpacked package.
fn sysroot_inside(path: &Path) -> Result<PathBuf> {
    let places = [path.to_path_buf(), path.join("share/wasi-sysroot"), path.join("usr")];
    match places.into_iter().find(|place| toolchain::is_sysroot(place)) {
        Some(place) => Ok(place),
        None => bail!("{} holds no {TARGET} sysroot with setjmp.h", path.display()),
    }
}

/// Copies the target's part of a sysroot, following links.
fn copy_sysroot(from: &Path, to: &Path) -> Result<()> {
    for part in ["include", "lib"] {
        copy_tree(&from.join(part).join(TARGET), &to.join(part).join(TARGET))?;
    }
    Ok(())
}

/// Copies a folder with everything in it, following links.
pub fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let (source, target) = {
            let entry = entry?;
            (entry.path(), to.join(entry.file_name()))
        };
        match source.is_dir() {
            true => copy_tree(&source, &target)?,
            false => {
                fs::copy(&source, &target).with_context(|| format!("cannot copy {}", source.display()))?;
            }
        }
    }
    Ok(())
}

fn unpack_deb(package: &Path, work: &Path, draft: &Path) -> Result<()> {
    let tree = work.join("tree");
    check(Command::new("dpkg-deb").arg("-x").arg(package).arg(&tree), "unpacking the package")?;
    copy_sysroot(&sysroot_inside(&tree)?, draft)
}

/// Fetches wasi-libc of Debian's development suite: the package is the same for every architecture and release.
fn download_wasi_libc(work: &Path) -> Result<PathBuf> {
    let other_way = "take a WASI SDK instead: set WASI_SDK_PATH, or `rankine sdk install --from FOLDER`";
    apt::needs(&["apt-get", "apt-cache", "dpkg-deb"], "wasi-libc", other_way)?;
    let apt = Apt::development(work, "deb").with_context(|| other_way.to_string())?;
    say("reading the package lists of Debian's development suite (once, about 10 MB)");
    apt.update().with_context(|| other_way.to_string())?;
    let listing = check(apt.command("apt-cache").args(["madison", "wasi-libc"]), "looking wasi-libc up")?;
    let listing = String::from_utf8_lossy(&listing.stdout).into_owned();
    let version = listing.lines().next().and_then(|line| line.split('|').nth(1)).map(str::trim);
    let version = version.with_context(|| format!("the package lists name no wasi-libc; {other_way}"))?;
    say(&format!("fetching wasi-libc {version}"));
    let wanted = format!("wasi-libc={version}");
    retry(|| check(apt.command("apt-get").args(["download", "-qq", &wanted]).current_dir(work), "fetching wasi-libc"))?;
    let files = fs::read_dir(work)?.filter_map(|entry| Some(entry.ok()?.path()));
    let mut packages = files.filter(|path| path.extension() == Some(OsStr::new("deb")));
    packages.next().context("apt-get download left no package behind")
}
