//! What a library leaves behind on the machine when its job ends badly.
//!
//! MPICH's processes share memory by a name, and take the name back at an orderly end. After any other the memory would
//! stay in use until the machine starts anew.

use std::fs;
use std::path::Path;

/// How the names of its files begin.
const NAMED: &str = "/dev/shm/mpich_shm_";

/// Removes the names of the memory that this process shares. For a job that ends: nobody joins any more.
pub fn remove() {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    for path in named(&maps) {
        if let Err(error) = fs::remove_file(path) {
            tracing::debug!("{} is left behind: {error}", path.display());
        }
    }
}

/// The files among the mappings of a process, each once.
fn named(maps: &str) -> Vec<&Path> {
    let files = maps.lines().filter_map(|line| line.find(NAMED).map(|at| &line[at..]));
    let mut files: Vec<&Path> = files.filter(|file| !file.ends_with(" (deleted)")).map(Path::new).collect();
    files.sort_unstable();
    files.dedup();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_still_has_its_name_is_found_once() {
        let maps = "7f10-7f20 rw-s 00000000 00:19 7 /dev/shm/mpich_shm_20a35ec0_0\n\
            7f20-7f30 rw-s 00000000 00:19 7 /dev/shm/mpich_shm_20a35ec0_0\n\
            7f30-7f40 rw-s 00000000 00:19 8 /dev/shm/mpich_shm_9_0 (deleted)\n\
            7f40-7f50 rw-s 00000000 00:19 9 /dev/shm/other\n7f50-7f60 rw-p 00000000 00:00 0 [heap]\n";
        assert_eq!(named(maps), [Path::new("/dev/shm/mpich_shm_20a35ec0_0")]);
        assert_eq!(named(""), Vec::<&Path>::new());
    }
}
