//! The folders that guests may use, and what guests must not come near.
//!
//! A folder is opened once, and what is granted is what was opened: every rank, and the engine `mpi`, goes on from
//! there. Code is taken from files (the cache, the MPI library, this program), so a folder in which a guest could
//! exchange one of them is refused.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail, ensure};

use crate::trust::{Notes, Step, Trail};

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

use system::{Identity, identity, identity_at, other_name};

/// What guests may do with a folder.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read what lies in it.
    ReadOnly,
    /// Change it too.
    ReadWrite,
}

/// A folder of the host that guests may use, as it was named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// Where it is.
    pub host: PathBuf,
    /// What guests call it.
    pub guest: String,
    /// What they may do with it.
    pub access: Access,
}

impl Folder {
    /// The option of `rankine run` that grants it.
    pub fn option(&self) -> &'static str {
        match self.access {
            Access::ReadOnly => "--dir-ro",
            Access::ReadWrite => "--dir",
        }
    }

    /// The option and its value.
    pub fn words(&self) -> [OsString; 2] {
        let mut value = self.host.clone().into_os_string();
        value.push("::");
        value.push(&self.guest);
        [self.option().into(), value]
    }
}

/// A folder that guests may use, open.
#[derive(Debug)]
pub struct Grant {
    folder: Folder,
    real: PathBuf,
    handle: File,
    identity: Identity,
}

impl Grant {
    fn open(folder: &Folder) -> Result<Grant> {
        let what = || format!("can't open the folder {}", folder.host.display());
        let handle = system::open(&folder.host).with_context(what)?;
        let metadata = handle.metadata().with_context(what)?;
        ensure!(metadata.is_dir(), "{}: it is not a folder", what());
        let real = folder.host.canonicalize().with_context(what)?;
        let identity = identity(&handle).with_context(what)?;
        let same = identity_at(&real).is_ok_and(|found| found == identity);
        ensure!(same, "{}: it was replaced while it was being opened", what());
        Ok(Grant { folder: folder.clone(), real, handle, identity })
    }

    /// Where it is, without links.
    pub fn real(&self) -> &Path {
        &self.real
    }

    /// What guests call it.
    pub fn guest(&self) -> &str {
        &self.folder.guest
    }

    /// What stands behind the option that grants it, as short as that can be.
    pub fn typed(&self) -> String {
        let (host, guest) = (self.folder.host.to_string_lossy(), &self.folder.guest);
        if host == **guest { host.into_owned() } else { format!("{host}::{guest}") }
    }

    /// What guests may do with it.
    pub fn access(&self) -> Access {
        self.folder.access
    }

    /// The option of another `rankine run` that grants it, wherever that is started.
    pub fn words(&self) -> [OsString; 2] {
        Folder { host: self.real.clone(), ..self.folder.clone() }.words()
    }

    /// Why a guest must not have it.
    fn conflict(&self, kept: &Kept, way: &Trail) -> Option<String> {
        let is_secret = kept.reach == Reach::Secret;
        if self.access() == Access::ReadOnly && !is_secret {
            return None;
        }
        let covers = way.steps.iter().any(|step| step_is(step, self.identity));
        let inside = match (kept.reach, &way.missing) {
            (Reach::Itself, _) | (_, Some(_)) => false,
            _ => identity_at(&kept.path).is_ok_and(|place| {
                let mut above = self.real.ancestors();
                above.any(|folder| identity_at(folder).is_ok_and(|folder| folder == place))
            }),
        };
        if !covers && !inside {
            return None;
        }
        let (option, folder) = (self.folder.option(), self.folder.host.display());
        let (place, what) = (kept.path.display(), kept.what);
        Some(match self.access() {
            Access::ReadWrite => format!(
                "{option} {folder}: a program that may write there could change {place} ({what}), and so run code of its own; \
                 grant a folder that holds nothing but data{}",
                if is_secret { "" } else { ", or let it only be read (--dir-ro)" }
            ),
            Access::ReadOnly => format!("{option} {folder}: it holds {place} ({what}), which no program may read"),
        })
    }
}

/// A path without the `..` that it begins with: the system finds the folders above the working one without looking for their names,
/// so nobody can exchange them there.
fn from_here(path: &Path) -> PathBuf {
    let is_above = |part: &Component<'_>| matches!(part, Component::ParentDir | Component::CurDir);
    let leading = path.components().take_while(is_above);
    let above = leading.clone().filter(|part| matches!(part, Component::ParentDir)).count();
    match std::env::current_dir() {
        Ok(mut here) if above > 0 => {
            for _ in 0..above {
                here.pop();
            }
            here.extend(path.components().skip(leading.count()));
            here
        }
        _ => path.into(),
    }
}

/// Whether a step on a way is this file. One that can't be told from it may be.
fn step_is(step: &Step, file: Identity) -> bool {
    system::identity_of(step).is_none_or(|identity| identity == file)
}

/// How far a place extends that guests must not come near.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Nobody may exchange it, or put something into it; folders in it are others' affair. To a file nobody may write by
    /// another name of it.
    Itself,
    /// All that lies beneath it too.
    Beneath,
    /// That too, and nobody may read it.
    Secret,
}

/// A place that guests must not come near: code is taken from there.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Where it is, or would be.
    pub path: PathBuf,
    /// What it is.
    pub what: &'static str,
    /// How far it extends.
    pub reach: Reach,
}

impl Kept {
    /// A place and all that lies beneath.
    pub fn new(path: impl Into<PathBuf>, what: &'static str) -> Kept {
        Kept { path: path.into(), what, reach: Reach::Beneath }
    }
}

/// All folders that guests may use.
#[derive(Clone, Debug, Default)]
pub struct Grants(Arc<[Arc<Grant>]>);

impl Grants {
    /// Opens the folders.
    pub fn open(folders: &[Folder]) -> Result<Grants> {
        Ok(Grants(folders.iter().map(|folder| Grant::open(folder).map(Arc::new)).collect::<Result<_>>()?))
    }

    /// Those of the folders that are here: a job on several hosts may name what only others have.
    pub fn here(folders: &[Folder]) -> Grants {
        Grants(folders.iter().filter_map(|folder| Grant::open(folder).ok().map(Arc::new)).collect())
    }

    /// Nothing is granted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One after the other, in the order of the command line.
    pub fn iter(&self) -> impl Iterator<Item = &Grant> {
        self.0.iter().map(|grant| &**grant)
    }

    /// These grants for a program that begins in a folder beneath `grant`: that one is what it calls `.`.
    pub fn begun_in(&self, grant: &Grant, folder: File) -> io::Result<Grants> {
        let metadata = folder.metadata()?;
        if !metadata.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let real = system::path_of(&folder)?;
        let its = Folder { host: real.clone(), guest: ".".into(), access: grant.access() };
        let begun = Grant { folder: its, real, identity: identity(&folder)?, handle: folder };
        let others = self.0.iter().filter(|other| other.guest() != ".").cloned();
        Ok(Grants(others.chain([Arc::new(begun)]).collect()))
    }

    /// Refuses a folder that a guest could exchange for another one, as it lies in a folder that the guest may write to:
    /// the other processes of a job open it by its name.
    pub fn keep_apart(&self) -> Result<()> {
        if cfg!(feature = "unvalidated") {
            return Ok(());
        }
        for grant in self.iter() {
            let way = Trail::to(&from_here(&grant.folder.host));
            let goes_through = |folder: &Grant| way.steps.iter().any(|step| step_is(step, folder.identity));
            let others = self.iter().filter(|other| other.identity != grant.identity);
            if let Some(above) =
                others.filter(|other| other.access() == Access::ReadWrite).find(|other| goes_through(other))
            {
                let (option, folder) = (grant.folder.option(), grant.folder.host.display());
                bail!(
                    "{option} {folder}: it lies in {}, which the program may write to, so it could put another folder there \
                     before all processes have opened it; grant the outer one with --dir-ro, or only one of the two",
                    above.folder.host.display()
                );
            }
        }
        Ok(())
    }

    /// Notes that programs may write there: what lies there is theirs from now on, and not believed any more.
    pub fn remember(&self) {
        let writable = self.iter().filter(|grant| grant.access() == Access::ReadWrite).map(Grant::real);
        if let Err(error) = Notes::of_user().remember(writable) {
            tracing::warn!("that programs may write to these folders is forgotten when the job ends: {error:#}");
        }
    }

    /// Refuses folders by which a guest could change one of these places.
    pub fn keep_from(&self, places: impl IntoIterator<Item = Kept>) -> Result<()> {
        if self.is_empty() || cfg!(feature = "unvalidated") {
            return Ok(());
        }
        for kept in places {
            let way = Trail::to(&kept.path);
            let conflict = |grant: &Grant| grant.conflict(&kept, &way).or_else(|| other_name(grant, &kept, &way));
            if let Some(why) = self.iter().find_map(conflict) {
                bail!(why);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::system::LOOKED_AT;
    use super::*;

    fn granted(host: &Path, access: Access) -> Grants {
        Grants::open(&[Folder { host: host.into(), guest: "/g".into(), access }]).unwrap()
    }

    #[test]
    fn a_grant_keeps_its_distance_from_code() {
        let top = tempfile::tempdir().unwrap();
        let cache = top.path().join("home/cache/rankine");
        fs::create_dir_all(cache.join("deep")).unwrap();
        fs::create_dir_all(top.path().join("home/data")).unwrap();
        symlink("home/cache", top.path().join("link")).unwrap();
        symlink(&cache, top.path().join("home/data/way")).unwrap();
        let check = |folder: &str, access: Access, path: PathBuf, reach: Reach| {
            granted(&top.path().join(folder), access).keep_from([Kept { path, what: "the cache", reach }])
        };
        let write = Access::ReadWrite;
        for folder in
            ["", "home", "home/cache", "home/cache/rankine", "home/cache/rankine/deep", "link", "home/../link"]
        {
            let error = check(folder, write, cache.clone(), Reach::Beneath).unwrap_err().to_string();
            assert!(error.contains("--dir ") && error.contains("(the cache)") && error.contains("--dir-ro"), "{error}");
            assert!(check(folder, Access::ReadOnly, cache.clone(), Reach::Beneath).is_ok(), "{folder}");
            let error = check(folder, Access::ReadOnly, cache.clone(), Reach::Secret).unwrap_err().to_string();
            assert!(error.contains("--dir-ro ") && error.contains("no program may read"), "{error}");
        }
        assert!(check("home/data", write, cache.clone(), Reach::Beneath).is_ok());
        assert!(check("home/cache/rankine/deep", write, cache.clone(), Reach::Itself).is_ok());
        // The link that leads there could be exchanged.
        assert!(check("home/data", write, top.path().join("home/data/way"), Reach::Beneath).is_err());
        // What is not there yet could be made.
        assert!(check("home", write, top.path().join("home/state/rankine/key"), Reach::Secret).is_err());
        assert!(check("home/data", write, top.path().join("home/state/rankine/key"), Reach::Secret).is_ok());
    }

    /// A file of a granted folder that has another name where code is taken from.
    #[test]
    fn a_library_is_not_written_by_another_name() {
        let top = tempfile::tempdir().unwrap();
        let place = |name: &str| top.path().join(name);
        fs::create_dir_all(place("lib")).unwrap();
        fs::create_dir_all(place("data/deep")).unwrap();
        fs::create_dir_all(place("other")).unwrap();
        fs::write(place("lib/file"), "code").unwrap();
        let check = |folder: &str, access: Access| {
            let kept = Kept { path: place("lib/file"), what: "the library", reach: Reach::Itself };
            granted(&place(folder), access).keep_from([kept])
        };
        let (read, write) = (Access::ReadOnly, Access::ReadWrite);
        check("data", write).unwrap();
        fs::hard_link(place("lib/file"), place("data/deep/name")).unwrap();
        for folder in ["data", "data/deep"] {
            let error = check(folder, write).unwrap_err().to_string();
            assert!(error.contains("name there is another name of") && error.contains("(the library)"), "{error}");
            check(folder, read).unwrap();
        }
        check("other", write).unwrap();
        for number in 0..=LOOKED_AT {
            symlink("x", place("other").join(number.to_string())).unwrap();
        }
        let error = check("other", write).unwrap_err().to_string();
        assert!(error.contains("has 2 names") && error.contains("(the library)"), "{error}");
        check("other", read).unwrap();
        fs::remove_file(place("data/deep/name")).unwrap();
        check("other", write).unwrap();
    }

    #[test]
    fn folders_of_several_processes_lie_apart() {
        let top = tempfile::tempdir().unwrap();
        let place = |name: &str| top.path().join(name);
        fs::create_dir_all(place("above/deep")).unwrap();
        fs::create_dir_all(place("beside")).unwrap();
        symlink("../beside", place("above/link")).unwrap();
        let check = |folders: [(&str, Access); 2]| {
            let folder = |(name, access): (&str, _)| Folder { host: place(name), guest: name.into(), access };
            Grants::open(&folders.map(folder)).unwrap().keep_apart()
        };
        let (read, write) = (Access::ReadOnly, Access::ReadWrite);
        for (inner, access) in [("above/deep", write), ("above/deep", read), ("above/link", write)] {
            let error = check([("above", write), (inner, access)]).unwrap_err().to_string();
            assert!(error.contains(inner) && error.contains("it lies in"), "{error}");
            assert!(check([(inner, access), ("above", write)]).is_err());
            assert!(check([("above", read), (inner, access)]).is_ok());
        }
        for (one, other) in [("above", "above"), ("above", "above/."), ("above", "beside"), ("beside", "above/deep")] {
            assert!(check([(one, write), (other, write)]).is_ok(), "{one} {other}");
        }
    }

    /// Above the working folder lies what no name in it leads to.
    #[test]
    fn folders_above_the_working_one_lie_apart() {
        let folder = |host: &str, access| Folder { host: host.into(), guest: host.into(), access };
        let check = |host: &str| {
            let folders = [folder(".", Access::ReadWrite), folder(host, Access::ReadOnly)];
            Grants::open(&folders).unwrap().keep_apart()
        };
        for host in ["..", "../guest", ".././guest/src"] {
            assert!(check(host).is_ok(), "{host}");
        }
        for host in ["src", "../system/src", "src/../../guest"] {
            assert!(check(host).unwrap_err().to_string().contains("it lies in"), "{host}");
        }
    }

    #[test]
    fn what_is_granted_is_what_was_opened() {
        let top = tempfile::tempdir().unwrap();
        let (folder, moved) = (top.path().join("folder"), top.path().join("moved"));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("file"), "granted").unwrap();
        let grants = granted(&folder, Access::ReadOnly);
        fs::rename(&folder, &moved).unwrap();
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("file"), "another").unwrap();
        let grant = grants.iter().next().unwrap();
        assert_eq!(fs::read_to_string(grant.path().join("file")).unwrap(), "granted");
        assert!(Grants::open(&[Folder { host: moved.join("file"), ..grant.folder.clone() }]).is_err());
    }
}
