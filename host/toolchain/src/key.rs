//! What built parts are named by: what they are made from, and never where that lies. So a data folder can be copied or
//! moved with all that was built, and an image of a container takes it along.

use crate::find::{self, TARGET};
use crate::sdk::base_flags;
use crate::threads;
use crate::wide;
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The name of a part: what it is called, and a key of all that it is made from.
pub fn name(part: &str, made_of: impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    made_of.hash(&mut hasher);
    format!("{part}-{:016x}", hasher.finish())
}

/// The place of a part in the data folder.
pub fn place(part: &str, made_of: impl Hash) -> anyhow::Result<PathBuf> {
    Ok(find::data_dir()?.join(name(part, made_of)))
}

/// What stands for a clang: its major version. It is read off the folder of its headers where there is one, as every
/// compilation asks, and starting it takes longer than compiling a short file.
pub fn compiler(clang: &Path) -> Option<u32> {
    let real = fs::canonicalize(clang).unwrap_or_else(|_| clang.to_path_buf());
    let folder = real.ancestors().nth(2).map(|prefix| prefix.join("lib/clang"));
    let entries = folder.and_then(|folder| fs::read_dir(folder).ok());
    let names = entries.into_iter().flatten().flatten().map(|entry| entry.file_name());
    let versions: Vec<u32> = names.filter_map(|name| name.to_str()?.parse().ok()).collect();
    match versions[..] {
        [version] => Some(version),
        _ => find::clang_version(clang),
    }
}

/// How much of the C library is read: the list of its members, which says where each begins, is shorter.
const INDEX: u64 = 256 << 10;

/// What stands for a sysroot: its libraries with their lengths, and the beginning of the C library. One that was built
/// here, for threads or for 64-bit addresses, has its own key in its name.
pub fn sysroot(sysroot: &Path) -> (Option<OsString>, Vec<(OsString, u64)>, Vec<u8>) {
    if threads::are_in(sysroot) || wide::is_in(sysroot) {
        return (sysroot.file_name().map(OsString::from), Vec::new(), Vec::new());
    }
    let folder = sysroot.join("lib").join(TARGET);
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut files: Vec<_> =
        entries.filter_map(|entry| Some((entry.file_name(), fs::metadata(entry.path()).ok()?.len()))).collect();
    files.sort();
    let mut index = Vec::new();
    // What can't be read stands for itself: the compiler will say why.
    let _ = fs::File::open(folder.join("libc.a")).and_then(|file| file.take(INDEX).read_to_end(&mut index));
    (None, files, index)
}

/// The flags of a compilation, without the sysroot's place.
pub fn flags(sysroot: &Path) -> Vec<String> {
    base_flags(sysroot).into_iter().filter(|flag| !flag.starts_with("--sysroot=")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::{copy_tree, write};

    /// A sysroot of this content.
    fn made_of(root: &Path, libc: &str) -> PathBuf {
        let folder = root.join("sysroot");
        write(&folder.join("lib").join(TARGET).join("libc.a"), libc).unwrap();
        write(&folder.join("lib").join(TARGET).join("libm.a"), "!<arch>\n").unwrap();
        folder
    }

    #[test]
    fn a_part_keeps_its_name_when_all_is_moved_and_gets_another_by_what_it_is_made_from() {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let here = made_of(one.path(), "!<arch>\n1");
        let there = other.path().join("elsewhere");
        copy_tree(&here, &there).unwrap();
        let name = |path: &Path| name("part", (sysroot(path), flags(path)));
        assert_eq!(name(&here), name(&there));
        // As long as before.
        write(&there.join("lib").join(TARGET).join("libc.a"), "!<arch>\n2").unwrap();
        assert_ne!(name(&here), name(&there));
        let again = made_of(other.path(), "!<arch>\n1");
        write(&again.join("lib").join(TARGET).join("libm.a"), "!<arch>\nmore").unwrap();
        assert_ne!(name(&here), name(&again));
    }

    #[test]
    fn a_compiler_is_its_major_version() {
        let prefix = tempfile::tempdir().unwrap();
        let clang = prefix.path().join("bin/clang");
        write(&clang, "").unwrap();
        write(&prefix.path().join("lib/clang/21/include/stddef.h"), "").unwrap();
        assert_eq!(compiler(&clang), Some(21));
        // Which of them, only the compiler knows, and this one can't be started.
        write(&prefix.path().join("lib/clang/22/include/stddef.h"), "").unwrap();
        assert_eq!(compiler(&clang), None);
    }
}
