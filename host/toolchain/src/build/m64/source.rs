//! wasi-libc's source: where it comes from, what of it is compiled, and what is changed for 64-bit addresses.
//!
//! It comes from Debian's source package of the development suite, which is that of the sysroot that `rankine sdk install`
//! takes, or from a folder or tarball that `RANKINE_WASI_LIBC_SOURCE` names. Which files make the library stands in its
//! lists for CMake; they are read, as they differ from version to version.

use crate::apt::{self, Apt, Kind};
use crate::find;
use crate::folder::{self, copy_tree, write};
use crate::process::check;
use crate::terminal::say;
use anyhow::{Context as _, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file that is changed: what stands there, and what takes its place.
type Change = (&'static str, &'static [(&'static str, &'static str)]);

/// The architecture of musl's that is made from that of wasm32, and other places that say 32.
const CHANGES: [Change; 5] = [
    (
        "libc-top-half/musl/arch/wasm64/bits/alltypes.h.in",
        &[("#define _Int64 long long", "#define _Int64 long"), ("#define _Reg long long", "#define _Reg long")],
    ),
    (
        "libc-top-half/musl/arch/wasm64/bits/stdint.h",
        &[
            ("INTPTR_MIN      INT32_MIN", "INTPTR_MIN      INT64_MIN"),
            ("INTPTR_MAX      INT32_MAX", "INTPTR_MAX      INT64_MAX"),
            ("UINTPTR_MAX     UINT32_MAX", "UINTPTR_MAX     UINT64_MAX"),
            ("PTRDIFF_MIN     INT32_MIN", "PTRDIFF_MIN     INT64_MIN"),
            ("PTRDIFF_MAX     INT32_MAX", "PTRDIFF_MAX     INT64_MAX"),
            ("SIZE_MAX        UINT32_MAX", "SIZE_MAX        UINT64_MAX"),
        ],
    ),
    ("libc-top-half/musl/arch/wasm64/bits/posix.h", &[("ILP32_OFFBIG", "LP64_OFF64")]),
    (
        "libc-top-half/musl/src/env/__init_tls.c",
        &[(".globaltype __stack_pointer, i32", ".globaltype __stack_pointer, i64")],
    ),
    (
        "libc-bottom-half/headers/public/wasi/wasip1.h",
        &[
            ("#ifndef __wasm32__", "#ifndef __wasm64__"),
            ("_Static_assert(_Alignof(void *) == 4, \"non-wasi data layout\");", ""),
        ],
    ),
];

/// What that architecture lacks: an exchange of pointers.
const EXCHANGE: &str = "#define a_cas_p a_cas_p\n\
    static inline void *a_cas_p(volatile void *p, void *t, void *s) {\n\
    \treturn __sync_val_compare_and_swap((void *volatile *)p, t, s);\n}\n";

/// Structures whose layout `wasi.c` converts; the header would insist on the host's.
const CONVERTED: [&str; 5] =
    ["__wasi_size_t", "__wasi_iovec_t", "__wasi_ciovec_t", "__wasi_prestat_dir_t", "__wasi_prestat_t"];

/// Libraries beside the C library: what they are called, their folder below the bottom half's, and the macro that asks for them.
const BESIDE: [(&str, &str, &str); 4] = [
    ("wasi-emulated-getpid", "getpid", "GETPID"),
    ("wasi-emulated-process-clocks", "clocks", "PROCESS_CLOCKS"),
    ("wasi-emulated-mman", "mman", "MMAN"),
    ("wasi-emulated-signal", "signal", "SIGNAL"),
];

/// Files of musl's that belong to signals.
const OF_SIGNALS: [&str; 2] = ["musl/src/signal/psignal.c", "musl/src/string/strsignal.c"];

const TOP: &str = "libc-top-half";
const BOTTOM: &str = "libc-bottom-half";
/// Where musl's headers lie that only its own files see.
const OWN_HEADERS: [&str; 5] =
    ["musl/src/include", "musl/src/internal", "musl/arch/wasm64", "musl/arch/generic", "headers/private"];

/// A library's name, and its files with their flags.
pub(super) type Part = (String, Vec<(PathBuf, Vec<String>)>);

/// The source, as it is changed.
pub(super) struct Source {
    root: PathBuf,
}

impl Source {
    /// Lays it out in a folder.
    pub(super) fn prepare(work: &Path) -> Result<Source> {
        let root = work.join("wasi-libc");
        match find::env_path("RANKINE_WASI_LIBC_SOURCE") {
            Some(path) if path.is_dir() => copy_tree(&path, &root)?,
            Some(path) => unpack(&path, &root)?,
            None => unpack(&fetched(work)?, &root)?,
        }
        let source = Source { root };
        source.change()?;
        Ok(source)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    fn read(&self, name: &str) -> Result<String> {
        let path = self.path(name);
        fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}: is it wasi-libc of 2025 or newer?", path.display()))
    }

    fn change(&self) -> Result<()> {
        let arch = self.path("libc-top-half/musl/arch");
        copy_tree(&arch.join("wasm32"), &arch.join("wasm64"))?;
        for (name, changes) in CHANGES {
            let mut text = self.read(name)?;
            for (from, to) in changes {
                ensure!(text.contains(from), "wasi-libc's {name} has no \"{from}\" any more, which has to be changed");
                text = text.replace(from, to);
            }
            if name.ends_with("wasip1.h") {
                text = without_layouts(&text);
            }
            write(&self.path(name), &text)?;
        }
        let atomics = "libc-top-half/musl/arch/wasm64/atomic_arch.h";
        let text = self.read(atomics)?;
        if !text.contains("a_cas_p") {
            write(&self.path(atomics), &format!("{text}\n{EXCHANGE}"))?;
        }
        Ok(())
    }

    /// The headers of a sysroot.
    pub(super) fn lay_out_headers(&self, include: &Path) -> Result<()> {
        let lists = self.read("libc-top-half/CMakeLists.txt")?;
        let mut left_out = Vec::new();
        for list in lists.split("list(REMOVE_ITEM globbed_headers").skip(1) {
            left_out.extend(words(list));
        }
        let is_wanted =
            |name: &str| name.ends_with(".h") && !left_out.contains(&name) && !name.contains("__generated_wasip");
        let bottom = self.path("libc-bottom-half/headers/public");
        for file in files_below(&bottom)?.into_iter().filter(|file| is_wanted(file)) {
            copy(&bottom.join(&file), &include.join(&file))?;
        }
        write(&include.join("wasi/version.h"), "")?;
        let top = self.path(TOP);
        for (folder, part) in [("musl/include", ""), ("musl/arch/generic", "bits/"), ("musl/arch/wasm64", "bits/")] {
            for file in files_below(&top.join(folder))?.into_iter().filter(|file| file.starts_with(part)) {
                if is_wanted(&format!("{folder}/{file}")) {
                    copy(&top.join(folder).join(&file), &include.join(&file))?;
                }
            }
        }
        for file in files_below(include)?.into_iter().filter(|file| file.starts_with("__typedef_")) {
            let path = include.join(&file);
            let text = fs::read_to_string(&path)?;
            write(&path, &text.replace("long long", "long"))?;
        }
        let mut sed = Command::new("sed");
        sed.args([
            "-f",
            "musl/tools/mkalltypes.sed",
            "musl/arch/wasm64/bits/alltypes.h.in",
            "musl/include/alltypes.h.in",
        ]);
        let types = check(sed.current_dir(&top), "making a header of wasi-libc's")?;
        write(&include.join("bits/alltypes.h"), &widest_is_clangs(&String::from_utf8_lossy(&types.stdout)))
    }

    /// The libraries and their files. In the folder `ours` lie those that take the place of the C library's own: its calls of
    /// WASI, and what a thread begins with.
    pub(super) fn files(&self, ours: &Path, has_threads: bool) -> Result<Vec<Part>> {
        let (top, bottom) = (self.read("libc-top-half/CMakeLists.txt")?, self.read("libc-bottom-half/CMakeLists.txt")?);
        let own = self.own_headers();
        let with =
            |more: &[&str]| own.iter().cloned().chain(more.iter().map(|flag| flag.to_string())).collect::<Vec<_>>();
        let at = |folder: &str, name: &str| self.path(folder).join(name);
        let mut library = Vec::new();
        let mut below = list(&bottom, "set(bottom_half_sources")?;
        below.extend(list(after(&bottom, "if (WASI STREQUAL \"p1\")")?, "list(APPEND bottom_half_sources")?);
        let private = with(&[&self.including("libc-bottom-half/headers/private")]);
        for name in below {
            let file = if name.ends_with("__wasilibc_real.c") { ours.join("wasi.c") } else { at(BOTTOM, name) };
            library.push((file, private.clone()));
        }
        let printscan = list(&top, "set(MUSL_PRINTSCAN_SOURCES")?;
        let bulk = list(&top, "set(MUSL_BULK_MEMORY_SOURCES")?;
        let mut above = list(&top, "set(top_half_sources")?;
        let globbed = self.globbed(&top, &[&printscan[..], &bulk].concat())?;
        above.extend(globbed.iter().map(String::as_str));
        // Those of threads, or those that do nothing.
        let of_threads = after(&top, "if (THREADS)")?;
        let of_threads = if has_threads { of_threads } else { after(of_threads, "\nelse()")? };
        above.extend(list(of_threads, "list(APPEND top_half_sources")?);
        library.extend(above.into_iter().map(|name| {
            let is_start = name.ends_with("wasi_thread_start.s");
            (if is_start { ours.join("threads.S") } else { at(TOP, name) }, own.clone())
        }));
        let short = with(&[
            "-D__wasilibc_printscan_no_long_double",
            "-D__wasilibc_printscan_full_support_option=\"add -lc-printscan-long-double to the link command\"",
        ]);
        library.extend(printscan.iter().map(|name| (at(TOP, name), short.clone())));
        let blocks = with(&["-DBULK_MEMORY_THRESHOLD=32", "-mbulk-memory"]);
        library.extend(bulk.iter().map(|name| (at(TOP, name), blocks.clone())));
        library.push((self.path("dlmalloc/src/dlmalloc.c"), with(&[&self.including("dlmalloc/include")])));
        let fts = with(&[&self.including("fts"), &self.including("fts/musl-fts")]);
        library.extend(c_files(&self.path("fts/musl-fts"))?.into_iter().map(|file| (file, fts.clone())));
        let jumps = with(&["-mllvm", "-wasm-enable-sjlj", "-mllvm", "-wasm-use-legacy-eh=false"]);
        let mut parts = vec![
            ("c".to_owned(), library),
            ("c-printscan-long-double".into(), printscan.iter().map(|name| (at(TOP, name), own.clone())).collect()),
            ("setjmp".into(), vec![(at(TOP, "musl/src/setjmp/wasm32/rt.c"), jumps)]),
            ("dl".into(), vec![(at(TOP, "musl/src/misc/dl.c"), own.clone())]),
        ];
        for (name, folder, word) in BESIDE {
            let asks = [format!("-D_WASI_EMULATED_{word}"), self.including("libc-bottom-half/cloudlibc/src/include")];
            // That of signals is musl's in name only.
            let flags: Vec<String> = if word == "SIGNAL" { asks.to_vec() } else { [&own[..], &asks].concat() };
            let files = c_files(&self.path(BOTTOM).join(folder))?;
            let mut files: Vec<_> = files.into_iter().map(|file| (file, flags.clone())).collect();
            if word == "SIGNAL" {
                let flags = with(&[&asks[0]]);
                files.extend(OF_SIGNALS.iter().map(|name| (at(TOP, name), flags.clone())));
            }
            parts.push((name.into(), files));
        }
        Ok(parts)
    }

    /// Files that lists name by patterns, but for those that others name.
    fn globbed(&self, top: &str, others: &[&str]) -> Result<Vec<String>> {
        let patterns = list(top, "file(GLOB globbed_sources RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS")?;
        let left_out = list(top, "list(REMOVE_ITEM globbed_sources")?;
        let mut files = Vec::new();
        for pattern in patterns {
            let folder = pattern.strip_suffix("/*.c").with_context(|| format!("wasi-libc names files by {pattern}"))?;
            for file in c_files(&self.path(TOP).join(folder))? {
                let name = file.file_name().unwrap_or_default().to_string_lossy();
                files.push(format!("{folder}/{name}"));
            }
        }
        files.retain(|file| !left_out.contains(&file.as_str()) && !others.contains(&file.as_str()));
        Ok(files)
    }

    /// What a program begins with.
    pub(super) fn start(&self, name: &str) -> PathBuf {
        self.path(BOTTOM).join("crt").join(name).with_extension("c")
    }

    pub(super) fn start_flags(&self) -> Vec<String> {
        let mut flags = self.own_headers();
        flags.push("-fvisibility=default".into());
        flags
    }

    fn own_headers(&self) -> Vec<String> {
        let mut flags: Vec<String> =
            OWN_HEADERS.iter().map(|folder| self.including(&format!("{TOP}/{folder}"))).collect();
        flags.extend(
            ["libc-bottom-half/cloudlibc/src", "libc-bottom-half/cloudlibc/src/include"].map(|f| self.including(f)),
        );
        flags
    }

    fn including(&self, folder: &str) -> String {
        format!("-I{}", self.path(folder).display())
    }
}

/// The tarball of Debian's source package.
fn fetched(work: &Path) -> Result<PathBuf> {
    const OTHER_WAY: &str = "get wasi-libc's source and let RANKINE_WASI_LIBC_SOURCE name the folder or tarball";
    apt::needs(&["apt-get", "apt-cache", "tar", "xz"], "wasi-libc's source", OTHER_WAY)?;
    let lists = folder::work_beside(&work.join("lists"))?;
    let apt = Apt::release(lists.path(), Kind::Sources, apt::DEVELOPMENT).context(OTHER_WAY)?;
    say("reading lists of Debian's source packages (about 10 MB)");
    apt.update().context(OTHER_WAY)?;
    apt.listed_source("wasi-libc", work).context(OTHER_WAY)
}

/// Unpacks a tarball whose members all lie in one top folder.
fn unpack(tarball: &Path, root: &Path) -> Result<()> {
    fs::create_dir_all(root)?;
    let mut tar = Command::new("tar");
    tar.arg("-xf").arg(tarball).arg("-C").arg(root).arg("--strip-components=1");
    check(&mut tar, "unpacking wasi-libc's source").map(drop)
}

/// The words of a list, up to its bracket; comments end with their line.
fn words(text: &str) -> Vec<&str> {
    let lines = text.split(')').next().unwrap_or("").lines();
    lines.flat_map(|line| line.split('#').next().unwrap_or("").split_whitespace()).collect()
}

/// The words of the list that begins so.
fn list<'t>(text: &'t str, begins: &str) -> Result<Vec<&'t str>> {
    let found = words(after(text, begins)?);
    ensure!(!found.is_empty(), "wasi-libc's list `{begins}` is empty");
    Ok(found)
}

fn after<'t>(text: &'t str, what: &str) -> Result<&'t str> {
    let (_, rest) = text.split_once(what).with_context(|| format!("wasi-libc's lists have no `{what}` any more"))?;
    Ok(rest)
}

/// The types with `intmax_t` as clang has it, which compares the letters by which it is printed with that.
fn widest_is_clangs(types: &str) -> String {
    let is_widest = |line: &str| [" intmax_t;", " uintmax_t;"].iter().any(|name| line.ends_with(name));
    let line = |line: &str| if is_widest(line) { line.replace("_Int64", "long long") } else { line.to_owned() };
    types.lines().map(|own| line(own) + "\n").collect()
}

/// A header without what it asserts of layouts that are converted.
fn without_layouts(header: &str) -> String {
    let mut text = String::new();
    for statement in header.split_inclusive(';') {
        let asserted = ["sizeof(", "_Alignof(", "offsetof("].iter().find_map(|what| {
            let (before, rest) = statement.split_once(&format!("_Static_assert({what}"))?;
            let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
            CONVERTED.contains(&name).then_some(before)
        });
        text += asserted.unwrap_or(statement);
    }
    text
}

/// The paths of all files below a folder, with slashes.
fn files_below(folder: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            files.extend(files_below(&entry.path())?.into_iter().map(|file| format!("{name}/{file}")));
        } else {
            files.push(name);
        }
    }
    Ok(files)
}

/// The C files in a folder.
fn c_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let listing = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files: Vec<PathBuf> = listing.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "c"));
    files.sort();
    Ok(files)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to.parent().unwrap_or(to))?;
    fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_cmake_reads_them() {
        let text = "set(files\n  a.c # the first\n  # b.c\n  d/c.c\n)\nset(others x.c)\n";
        assert_eq!(list(text, "set(files").unwrap(), ["a.c", "d/c.c"]);
        assert_eq!(list(text, "set(others").unwrap(), ["x.c"]);
        let error = list(text, "set(no_such").unwrap_err().to_string();
        assert!(error.contains("set(no_such"), "{error}");
    }

    #[test]
    fn the_widest_type_is_clangs() {
        let types =
            "typedef signed _Int64   int64_t;\ntypedef signed _Int64   intmax_t;\ntypedef unsigned _Int64 uintmax_t;\n";
        let expected = "typedef signed _Int64   int64_t;\ntypedef signed long long   intmax_t;\ntypedef unsigned long long uintmax_t;\n";
        assert_eq!(widest_is_clangs(types), expected);
    }

    #[test]
    fn layouts_that_are_converted_are_not_asserted() {
        let header = "struct a {\n  int b;\n};\n_Static_assert(sizeof(__wasi_iovec_t) == 8, \"x\");\n\
            _Static_assert(offsetof(__wasi_iovec_t, buf_len) == 4, \"x\");\n_Static_assert(sizeof(__wasi_dirent_t) == 24, \"x\");\n";
        let rest = without_layouts(header);
        assert!(!rest.contains("iovec") && rest.contains("__wasi_dirent_t") && rest.contains("int b;"), "{rest}");
    }
}
