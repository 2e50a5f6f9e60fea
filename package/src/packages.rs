//! The packages: a tar, a .deb and a wheel of what runs programs on a machine without a compiler, and their checksums.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::{LLVM, binary, files, layout, say, wheel};

/// Makes them of a binary, and of a Python if there is to be one, in a folder.
pub fn make(clone: &Path, binary: &Path, folder: &Path, python: Option<&Path>) -> Result<()> {
    let kind = binary::kind(binary)?;
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("rankine-{version}-{kind}-linux");
    files::folder(folder).context("choose another place: ./x package --out DIR")?;
    let work = tempfile::tempdir().context("cannot make a folder for temporary files")?;
    let tree = work.path().join(&name);
    layout::lay_out(clone, binary, &tree)?;
    python.map_or(Ok(()), |python| layout::python(python, &tree))?;
    let program = tree.join("bin/rankine");
    if kind == std::env::consts::ARCH && files::has("strip") {
        files::output(Command::new("strip").arg("--strip-debug").arg(&program))?;
    }
    let doc = tree.join("share/doc/rankine");
    for (from, to) in [("README.md", "README.md"), ("CHANGELOG.md", "CHANGELOG.md"), ("LICENSE", "copyright")] {
        files::copy(&clone.join(from), &doc.join(to))?;
    }
    files::output(Command::new("gzip").arg("-9n").args(files::beneath(&tree.join("share/man/man1"))?))?;

    let (date, author) = last_change(clone)?;
    let packed = work.path().join("tar");
    let mut tar = Command::new("tar");
    tar.arg("-C").arg(work.path()).args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner"]);
    files::output(tar.arg(format!("--mtime=@{date}")).arg("-cf").arg(&packed).arg(&name))?;
    let mut made = vec![format!("{name}.tar.gz")];
    files::write(&folder.join(&made[0]), &files::gzip(&packed)?, 0o644)?;
    let glibc = binary::glibc(&files::read(&program)?)?;
    match files::has("dpkg-deb") {
        true => made.push(debian(clone, &tree, folder, kind, &glibc, &author)?),
        false => say("no .deb: dpkg-deb is missing"),
    }
    made.push(wheel::make(&tree, folder, kind, &glibc, date)?);
    let mut sums = String::new();
    for package in &made {
        let digest = files::digest(&files::read(&folder.join(package))?);
        sums.extend(digest.map(|byte| format!("{byte:02x}")));
        sums += &format!("  {package}\n");
    }
    files::write(&folder.join("SHA256SUMS"), sums.as_bytes(), 0o644)?;
    say(&format!("made in {}: {} SHA256SUMS", folder.display(), made.join(" ")));
    say(&format!(
        "to compile programs too, on Debian: apt install clang-{LLVM} lld-{LLVM} libclang-rt-{LLVM}-dev-wasm32, then rankine sdk \
         install"
    ));
    Ok(())
}

/// When the sources were changed last, in seconds since 1970, and by whom. `SOURCE_DATE_EPOCH` says otherwise when.
fn last_change(clone: &Path) -> Result<(u64, String)> {
    let said = files::output(Command::new("git").arg("-C").arg(clone).args(["log", "-1", "--format=%ct%n%an <%ae>"]))
        .context("packages are dated and signed as the last commit is")?;
    let said = String::from_utf8_lossy(&said);
    let (date, author) = said.trim_end().split_once('\n').context("git log says no date")?;
    let date = std::env::var("SOURCE_DATE_EPOCH").unwrap_or_else(|_| date.into());
    Ok((date.parse().with_context(|| format!("SOURCE_DATE_EPOCH is no number of seconds: {date}"))?, author.into()))
}

/// A package for dpkg; its name.
fn debian(clone: &Path, tree: &Path, folder: &Path, kind: &str, glibc: &str, author: &str) -> Result<String> {
    let work = tree.with_file_name("deb");
    files::folder(&work)?;
    files::output(Command::new("cp").arg("-r").arg(tree).arg(work.join("usr")))?;
    // gdb reads by itself what lies there beneath the path of the program that it runs.
    let script = "usr/share/gdb/auto-load/usr/bin/rankine-gdb.py";
    files::copy(&clone.join("guest-sdk/gdb/rankine.py"), &work.join(script))?;
    let version = env!("CARGO_PKG_VERSION");
    let machine = binary::debian(kind);
    let mut needs = format!("libc6 (>= {glibc})");
    const UNWINDER: &[u8] = b"libgcc_s.so.1";
    if files::read(&tree.join("bin/rankine"))?.windows(UNWINDER.len()).any(|name| name == UNWINDER) {
        needs += ", libgcc-s1";
    }
    let control = format!(
        "\
Package: rankine
Version: {version}
Architecture: {machine}
Maintainer: {author}
Section: science
Priority: optional
Depends: {needs}
Suggests: clang-{LLVM}, lld-{LLVM}, libclang-rt-{LLVM}-dev-wasm32
Description: runs MPI programs that were compiled once, to WebAssembly
 One file runs on every node: all ranks in one process, or a process for each
 over the MPI library that is installed.
"
    );
    files::write(&work.join("DEBIAN/control"), control.as_bytes(), 0o644)?;
    let name = format!("rankine_{version}_{machine}.deb");
    // What Ubuntu's dpkg-deb compresses with by itself, other systems' dpkg can't read.
    files::output(
        Command::new("dpkg-deb").args(["--root-owner-group", "-Zxz", "--build"]).arg(&work).arg(folder.join(&name)),
    )?;
    Ok(name)
}
