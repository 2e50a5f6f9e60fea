//! The files that an MPI library needs, and the libraries beneath it.
//!
//! Found by tracing MPICH 5 over UCX and libfabric, and Open MPI 5, and by reading what they do where hardware is
//! present that was not there. Most files are optional: the library carries on if they are refused. Listed here are those
//! that change how, or whether, messages travel.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use landlock::{AccessFs, BitFlags};

use super::files::{DEVICE, READ, SHARED};
use crate::trust;

/// The system's libraries, which plug-ins are linked with, and what belongs to them.
const LIBRARIES: [&str; 7] =
    ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/libdrm", "/usr/share/hwdata"];

/// Settings: how to find hosts, and those of the libraries.
const SETTINGS: [&str; 20] = [
    "/etc/ld.so.cache",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/resolv.conf",
    "/etc/nsswitch.conf",
    "/etc/gai.conf",
    "/etc/services",
    "/etc/protocols",
    "/etc/localtime",
    "/etc/mpich.conf",
    "/etc/openmpi",
    "/etc/openmpi-mca-params.conf",
    "/etc/pmix",
    "/etc/pmix-mca-params.conf",
    "/etc/ucx",
    "/etc/libibverbs.d",
    "/etc/libnl",
    "/etc/libnl-3",
    "/etc/dat.conf",
    "/etc/romio-hints",
];

/// What the kernel tells of the machine and of processes. Libraries look into `/proc` whether their peers live; what is
/// private to a process there (its memory, environment and descriptors) Landlock keeps from others by itself.
const MACHINE: [&str; 2] = ["/sys", "/proc"];

/// Devices of networks, of accelerators, and for copies between processes.
const DEVICES: [&str; 11] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/infiniband",
    "/dev/knem",
    "/dev/xpmem",
    "/dev/gdrdrv",
    "/dev/kfd",
    "/dev/dri",
];

/// Where processes make memory that they share.
const MEMORY: [&str; 2] = ["/dev/shm", "/dev/hugepages"];

/// How the names of devices begin that are counted.
const COUNTED: [&str; 5] = ["cxi", "hfi", "nvidia", "ipath", "efa"];

/// Variables that name folders of the library's, or files that its launcher has left for it.
const FOLDERS: [&str; 9] = [
    "LD_LIBRARY_PATH",
    "OPAL_PREFIX",
    "PMIX_PREFIX",
    "UCX_MODULE_DIR",
    "UCX_CONFIG_DIR",
    "FI_PROVIDER_PATH",
    "HWLOC_PLUGINS_PATH",
    "HWLOC_XMLFILE",
    "ROMIO_HINTS",
];

/// The variable by which a user names what else the library may read.
const OTHERS: &str = "RANKINE_MPI_FILES";

/// Variables that name the folder of a session, in which launcher and processes meet.
const SESSIONS: [&str; 1] = ["PMIX_SERVER_TMPDIR"];

/// How the name of the file begins in which MPICH's launcher describes the machine, among temporary files.
const DESCRIPTION: &str = "hydra_hwloc_xmlfile_";

/// What the library in this file may open, and how.
pub(super) fn files(library: &Path) -> Vec<(PathBuf, BitFlags<AccessFs>)> {
    let reads = [&LIBRARIES[..], &SETTINGS, &MACHINE].concat().into_iter().map(PathBuf::from);
    let folders = named(&FOLDERS).into_iter().filter(|folder| !is_crowded(folder));
    // Anybody may put something there, under any name.
    let described = begin_with(&env::temp_dir(), &[DESCRIPTION]).filter(|path| is_file_of_ours(path));
    let reads = reads.chain(folders).chain(named(&[OTHERS])).chain(own(library)).chain(described);
    let reads = reads.map(|path| (path, READ));
    let devices = DEVICES.iter().map(PathBuf::from).chain(begin_with(Path::new("/dev"), &COUNTED));
    let devices = devices.map(|path| (path, DEVICE));
    let memory = MEMORY.iter().map(PathBuf::from).chain(named(&SESSIONS)).map(|path| (path, SHARED));
    reads.chain(devices).chain(memory).collect()
}

/// The paths that these variables hold.
fn named(variables: &[&str]) -> Vec<PathBuf> {
    let lists = variables.iter().filter_map(env::var_os);
    lists.flat_map(|list| env::split_paths(&list).collect::<Vec<_>>()).filter(|path| path.is_absolute()).collect()
}

/// What lies in a folder under a name that begins so.
fn begin_with(folder: &Path, starts: &'static [&'static str]) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let begins = move |name: &str| starts.iter().any(|start| name.starts_with(start));
    entries.filter(move |entry| entry.file_name().to_str().is_some_and(begins)).map(|entry| entry.path())
}

/// The folders of the library and of all that was loaded with it, where they keep plug-ins, and their settings.
fn own(library: &Path) -> BTreeSet<PathBuf> {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let loaded = maps.lines().filter_map(|line| line.find('/').map(|at| Path::new(&line[at..])));
    let objects = loaded.filter(|path| path.to_string_lossy().contains(".so")).map(Path::to_path_buf);
    let mut all = BTreeSet::new();
    for object in objects.chain(library.canonicalize()) {
        let Some(folder) = object.parent() else { continue };
        if is_crowded(folder) {
            all.insert(object);
            continue;
        }
        if let (Some("lib" | "lib64"), Some(above)) =
            (folder.file_name().and_then(|name| name.to_str()), folder.parent())
        {
            all.extend([above.join("etc"), above.join("share")]);
        }
        all.insert(folder.to_path_buf());
    }
    all
}

/// Whether a user's own files lie there: a library beside them must not open them all.
fn is_crowded(folder: &Path) -> bool {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    let mut users = env::current_dir().ok().into_iter().chain(env::var_os("HOME").map(PathBuf::from));
    users.any(|path| path.canonicalize().unwrap_or(path).starts_with(&folder))
}

fn is_file_of_ours(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|it| it.is_file() && it.uid() == trust::effective_user())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_have_put_there_opens_nothing() {
        let top = tempfile::tempdir().unwrap();
        let (file, link) = (top.path().join("hydra_hwloc_xmlfile_1"), top.path().join("hydra_hwloc_xmlfile_2"));
        fs::write(&file, "").unwrap();
        std::os::unix::fs::symlink("/etc", &link).unwrap();
        fs::create_dir(top.path().join("hydra_hwloc_xmlfile_3")).unwrap();
        let found = || begin_with(top.path(), &[DESCRIPTION]);
        assert_eq!(found().count(), 3);
        assert_eq!(found().filter(|path| is_file_of_ours(path)).collect::<Vec<_>>(), [file]);
    }

    #[test]
    fn a_folder_of_the_users_files_is_not_opened_for_a_library() {
        let here = env::current_dir().unwrap();
        let parts = here.ancestors().chain([Path::new("/proc/self/cwd"), Path::new("/proc/self/root")]);
        assert!(parts.into_iter().all(is_crowded));
        assert!(!is_crowded(Path::new("/usr/lib")));
    }
}
