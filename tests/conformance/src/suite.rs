//! MPICH's own test suite, from Debian's source package of mpich: fetched once, unpacked beneath `target/`, never a
//! part of this repository.

use crate::process::{Ended, run_within};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A release of Debian that no longer changes, and the version that it has.
const RELEASE: &str = "bookworm";
const VERSION: &str = "4.0.2";

/// A mirror that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(300);

/// The unpacked suite.
pub struct Suite {
    /// The folder with the chapters.
    pub root: PathBuf,
}

impl Suite {
    /// The suite beneath `target`, fetched if this is the first time.
    pub fn at(target: &Path) -> Result<Suite, String> {
        let root = target.join(format!("mpich-{VERSION}-tests"));
        if !root.join("complete").exists() {
            eprintln!("fetching MPICH's test suite (the source package of mpich {VERSION} in Debian {RELEASE}, once)");
            fetch(target, &root).map_err(|reason| format!("MPICH's test suite could not be fetched: {reason}"))?;
        }
        configure(&root)?;
        Ok(Suite { root })
    }

    /// What it is, for the reader of a page.
    pub fn name() -> String {
        format!("mpich {VERSION}")
    }
}

fn fetch(target: &Path, root: &Path) -> Result<(), String> {
    let work = target.join("mpich-source");
    // Left behind by a fetch that was interrupted.
    for folder in [&work, &root.to_path_buf()] {
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
    }
    download(&work)?;
    fs::create_dir_all(root).map_err(|e| format!("{}: {e}", root.display()))?;
    let archive = files_of(&work)?
        .into_iter()
        .find(|path| path.to_string_lossy().contains(".orig.tar."))
        .ok_or("the source package has no .orig.tar file")?;
    let mut tar = Command::new("tar");
    tar.arg("-xf").arg(archive).arg("-C").arg(root).args(["--strip-components=3", "--wildcards", "*/test/mpi/*"]);
    check(tar)?;
    fs::remove_dir_all(&work).map_err(|e| e.to_string())?;
    fs::write(root.join("complete"), VERSION).map_err(|e| e.to_string())
}

/// Brings the source package to `work`, by apt with lists and cache of its own: neither root rights nor a change of the
/// machine's set-up are needed.
fn download(work: &Path) -> Result<(), String> {
    for folder in ["lists/partial", "cache/archives/partial"] {
        fs::create_dir_all(work.join(folder)).map_err(|e| e.to_string())?;
    }
    let sources = read_sources();
    let mirror = mirror(&sources).ok_or("this machine's apt sources name no Debian mirror")?;
    let key = "/usr/share/keyrings/debian-archive-keyring.gpg";
    let signed = if Path::new(key).is_file() { format!("[signed-by={key}] ") } else { String::new() };
    fs::write(work.join("source.list"), format!("deb-src {signed}{mirror} {RELEASE} main\n"))
        .map_err(|e| e.to_string())?;
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        let path = |name: &str| work.join(name).display().to_string();
        for (option, value) in [
            ("Dir::Etc::sourcelist", path("source.list")),
            ("Dir::Etc::sourceparts", "/dev/null".into()),
            ("Dir::State::lists", path("lists")),
            ("Dir::Cache", path("cache")),
            ("APT::Sandbox::User", "root".into()),
            ("Acquire::Languages", "none".into()),
            ("Acquire::Retries", "3".into()),
        ] {
            command.arg("-o").arg(format!("{option}={value}"));
        }
        command.arg("-qq").args(arguments).current_dir(work).env("LC_ALL", "C");
        check(command)
    };
    apt(&["update"])?;
    apt(&["source", "--download-only", "mpich"])
}

/// All of this machine's apt sources, in either format.
fn read_sources() -> String {
    let mut files = vec![PathBuf::from("/etc/apt/sources.list")];
    files.extend(files_of(Path::new("/etc/apt/sources.list.d")).unwrap_or_default());
    let texts: Vec<String> = files.iter().filter_map(|file| fs::read_to_string(file).ok()).collect();
    texts.join("\n")
}

/// The first Debian mirror among apt sources: an address that ends in `/debian`, as every mirror's does.
fn mirror(sources: &str) -> Option<&str> {
    let lines = sources.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let mut addresses = lines.flat_map(str::split_whitespace).filter(|word| word.contains("://"));
    addresses.find(|address| address.trim_end_matches('/').ends_with("/debian"))
}

/// What the suite's configure script would have found: the same for guests and for native programs of this machine.
fn configure(root: &Path) -> Result<(), String> {
    const PRESENT: [&str; 24] = [
        "HAVE_DOUBLE__COMPLEX",
        "HAVE_FLOAT__COMPLEX",
        "HAVE_LONG_DOUBLE__COMPLEX",
        "HAVE_LONG_DOUBLE",
        "HAVE_LONG_LONG",
        "HAVE__BOOL",
        "HAVE_INTTYPES_H",
        "HAVE_LIMITS_H",
        "HAVE_MEMORY_H",
        "HAVE_STDARG_H",
        "HAVE_STDINT_H",
        "HAVE_STDLIB_H",
        "HAVE_STRINGS_H",
        "HAVE_STRING_H",
        "HAVE_SYS_STAT_H",
        "HAVE_SYS_TIME_H",
        "HAVE_SYS_TYPES_H",
        "HAVE_UNISTD_H",
        "HAVE_MEMSET",
        "HAVE_STRDUP",
        "HAVE_USLEEP",
        "HAVE_MPI_IO",
        "HAVE_MPI_SPAWN",
        "HAVE_MPI_WIN_CREATE",
    ];
    const VALUES: [(&str, &str); 10] = [
        // What MPICH has beyond the standard is not asked of others.
        ("USE_STRICT_MPI", "1"),
        ("MPIO_USES_MPI_REQUEST", "1"),
        ("SIZEOF_SHORT", "__SIZEOF_SHORT__"),
        ("SIZEOF_INT", "__SIZEOF_INT__"),
        ("SIZEOF_LONG", "__SIZEOF_LONG__"),
        ("SIZEOF_LONG_LONG", "__SIZEOF_LONG_LONG__"),
        ("SIZEOF_VOID_P", "__SIZEOF_POINTER__"),
        ("SIZEOF_MPI_OFFSET", "8"),
        ("POINTERINT_t", "__INTPTR_TYPE__"),
        ("THREAD_PACKAGE_NAME", "THREAD_PACKAGE_NONE"),
    ];
    let lines = PRESENT.iter().map(|name| (*name, "1")).chain(VALUES);
    let text: String = lines.map(|(name, value)| format!("#define {name} {value}\n")).collect();
    for file in ["include/mpitestconf.h", "dtpools/dtpoolsconf.h"] {
        if fs::read_to_string(root.join(file)).is_ok_and(|there| there == text) {
            continue;
        }
        fs::write(root.join(file), &text).map_err(|e| format!("{file}: {e}"))?;
    }
    Ok(())
}

fn files_of(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let listing = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(listing.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect())
}

fn check(command: Command) -> Result<(), String> {
    let run = run_within(command, None, PATIENCE)?;
    if run.ended == Ended::Status(0) { Ok(()) } else { Err(run.to_string()) }
}
