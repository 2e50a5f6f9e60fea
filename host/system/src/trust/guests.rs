//! What programs were allowed to write to, and what this user has confirmed nevertheless.
//!
//! A folder that a program may write to is that program's from then on: whatever lies beneath may be its work, and is not
//! believed for its name or its place. So the folder is remembered, and a file from there that decides what is run or
//! trusted has to be confirmed: `rankine trust FILE` keeps the digest of what it says. Both are notes in the state folder,
//! which no grant covers. A note is a file that is named by the digest of a path, so that many processes may make and
//! look for them at once.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, Result, bail, ensure};

use super::{Trail, distrust};
use crate::{os, places};

/// The folders of notes: what programs may write to, and what was confirmed.
const GRANTED: &str = "granted";
const CONFIRMED: &str = "trusted";

/// Notes of granted folders: with more, those of folders that are gone are removed.
const MANY: usize = if cfg!(test) { 8 } else { 1000 };

/// What the programs of this process may write to, whether or not that could be noted.
static HERE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// How one came by a file.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The user has named it.
    Named,
    /// It lies where such a file is looked for.
    ByPlace,
}

/// What is known of a file's contents.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Confirmed {
    Yes,
    /// They were others when the file was confirmed.
    Before,
    No,
}

/// The notes of a user.
pub struct Notes(Option<PathBuf>);

impl Notes {
    /// Those of the user that this process acts for.
    pub fn of_user() -> Notes {
        Notes(places::state())
    }

    fn path(&self, kind: &str, of: &Path) -> Result<PathBuf> {
        let folder = self.0.as_ref().context("no state folder: set RANKINE_STATE_DIR, XDG_STATE_HOME or HOME")?;
        Ok(folder.join(kind).join(blake3::hash(of.as_os_str().as_encoded_bytes()).to_hex().as_str()))
    }

    fn write(&self, kind: &str, of: &Path, text: &str) -> Result<()> {
        let path = self.path(kind, of)?;
        let folder = path.parent().expect("it lies in one");
        let write = || {
            os::make_private(folder)?;
            let mut note = tempfile::Builder::new().prefix(".new-").tempfile_in(folder)?;
            note.write_all(text.as_bytes())?;
            note.persist(&path)?;
            io::Result::Ok(())
        };
        write().with_context(|| format!("can't write to {}", folder.display()))
    }

    /// What notes of a kind say.
    fn all(&self, kind: &str) -> Vec<(PathBuf, String)> {
        let folder = self.0.iter().filter_map(|folder| fs::read_dir(folder.join(kind)).ok());
        let notes = folder.flatten().flatten().map(|entry| entry.path());
        let notes = notes.filter(|path| path.file_name().is_some_and(|name| name.len() == 2 * blake3::OUT_LEN));
        notes.filter_map(|path| Some((path.clone(), fs::read_to_string(path).ok()?))).collect()
    }

    /// Remembers that programs may write to these folders, which are named without links.
    pub fn remember<'a>(&self, folders: impl IntoIterator<Item = &'a Path>) -> Result<()> {
        for folder in folders {
            let is_known = self.granted_above(folder).is_some();
            HERE.lock().unwrap_or_else(PoisonError::into_inner).push(folder.to_path_buf());
            // This one, or one above.
            if is_known {
                continue;
            }
            self.write(GRANTED, folder, &folder.display().to_string())?;
            let notes = self.all(GRANTED);
            if notes.len() > MANY {
                let is_gone = |text: &str| !text.contains(char::REPLACEMENT_CHARACTER) && !Path::new(text).exists();
                notes.iter().filter(|(_, text)| is_gone(text)).for_each(|(note, _)| drop(fs::remove_file(note)));
            }
        }
        Ok(())
    }

    /// The folder that programs may or might write to, and in which a file lies or would lie.
    pub fn granted_around(&self, file: &Path) -> Option<PathBuf> {
        let steps = Trail::to(file).steps;
        steps.iter().find_map(|step| self.granted_above(&step.path)).map(Path::to_path_buf)
    }

    /// The folder that programs of this process may write to, and in which a file lies or would lie.
    pub fn granted_here(&self, file: &Path) -> Option<PathBuf> {
        let here = HERE.lock().unwrap_or_else(PoisonError::into_inner);
        let steps = Trail::to(file).steps;
        let mut above = steps.iter().flat_map(|step| step.path.ancestors());
        above.find(|folder| here.iter().any(|known| known == folder)).map(Path::to_path_buf)
    }

    /// The folder, or the one above it, that programs may or might write to.
    fn granted_above<'a>(&self, folder: &'a Path) -> Option<&'a Path> {
        let is_granted = |folder: &Path| {
            HERE.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|known| known == folder)
                || self.path(GRANTED, folder).is_ok_and(|note| note.exists())
        };
        folder.ancestors().find(|folder| is_granted(folder))
    }

    /// The first step on the way to a file that a program could have made, and the folder that was its to write to.
    fn steps_of_guests(&self, path: &Path) -> Vec<(super::Step, PathBuf)> {
        if cfg!(feature = "unvalidated") {
            return Vec::new();
        }
        let granted = |step: super::Step| {
            let folder = self.granted_above(step.path.parent()?)?.to_path_buf();
            Some((step, folder))
        };
        Trail::to(path).steps.into_iter().filter_map(granted).collect()
    }

    /// Why a program could have written what lies there, unless its user has confirmed it as it is.
    pub fn doubt(&self, path: &Path) -> Option<String> {
        let (_, folder) = self.steps_of_guests(path).into_iter().next()?;
        let digest = File::open(path).and_then(digest);
        match digest.map(|digest| self.confirmed(path, &digest)) {
            Ok(Confirmed::Yes) => None,
            _ => Some(format!(
                "a program was allowed to write to {} (look at it, then `rankine trust {}`, or use one from elsewhere)",
                folder.display(),
                path.display()
            )),
        }
    }

    /// The link on the way to a new file that a program could have made, to have another file written over.
    pub fn planted_link(&self, path: &Path) -> Option<PathBuf> {
        let steps = self.steps_of_guests(path).into_iter();
        steps.map(|(step, _)| step).find(|step| step.metadata.is_symlink()).map(|step| step.path)
    }

    fn confirmed(&self, path: &Path, digest: &str) -> Confirmed {
        let found = path.canonicalize().ok().and_then(|real| self.path(CONFIRMED, &real).ok());
        // Whoever else may write there could confirm what they like.
        let found = found.filter(|note| cfg!(windows) || distrust(note).is_none());
        match found.and_then(|note| fs::read_to_string(note).ok()) {
            Some(text) if text.split_once(' ').is_some_and(|(confirmed, _)| confirmed == digest) => Confirmed::Yes,
            Some(_) => Confirmed::Before,
            None => Confirmed::No,
        }
    }

    /// Whether the user has confirmed a file that says this.
    pub fn is_confirmed(&self, path: &Path, bytes: &[u8]) -> bool {
        digest(bytes).is_ok_and(|digest| self.confirmed(path, &digest) == Confirmed::Yes)
    }

    /// Confirms what a file says now; where it is.
    pub fn confirm(&self, path: &Path) -> Result<PathBuf> {
        let failed = || format!("can't read {}", path.display());
        let real = path.canonicalize().with_context(failed)?;
        ensure!(real.is_file(), "{} is not a file", path.display());
        if let Some(why) = distrust(&real).filter(|_| !cfg!(windows)) {
            bail!("{} can't be trusted, since {why}", path.display());
        }
        let digest = File::open(&real).and_then(digest).with_context(failed)?;
        self.write(CONFIRMED, &real, &format!("{digest} {}", real.display()))?;
        Ok(real)
    }

    /// Takes that back; whether there was something.
    pub fn forget(&self, path: &Path) -> Result<bool> {
        // It may be gone.
        let real = path.canonicalize().or_else(|_| std::path::absolute(path))?;
        match fs::remove_file(self.path(CONFIRMED, &real)?) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            removed => removed.map(|()| true).with_context(|| format!("can't forget {}", path.display())),
        }
    }

    /// The files that were confirmed, and whether they say the same still.
    pub fn confirmations(&self) -> Vec<(PathBuf, bool)> {
        let notes = self.all(CONFIRMED).into_iter();
        let file = |(_, text): (_, String)| {
            let path = PathBuf::from(text.split_once(' ')?.1);
            let digest = File::open(&path).and_then(digest);
            let holds = digest.is_ok_and(|digest| self.confirmed(&path, &digest) == Confirmed::Yes);
            Some((path, holds))
        };
        let mut files: Vec<_> = notes.filter_map(file).collect();
        files.sort();
        files
    }

    /// The folders that programs were allowed to write to.
    pub fn grants(&self) -> Vec<PathBuf> {
        let mut folders: Vec<_> = self.all(GRANTED).into_iter().map(|(_, text)| text.into()).collect();
        folders.sort();
        folders
    }

    /// Reads a file of up to so many bytes that decides what is run or trusted; `says` is what. One that nobody has named has to be
    /// confirmed, whoever wrote it; one that was named, if a program could have written it.
    pub fn read_deciding(&self, path: &Path, says: &str, found: Found, longest: u64) -> Result<String> {
        let failed = || format!("can't read {}", path.display());
        let mut file = File::open(path).with_context(failed)?;
        let is_file = file.metadata().is_ok_and(|metadata| metadata.is_file());
        if let Some(why) = distrust(path).filter(|_| is_file && !cfg!(windows)) {
            bail!("{} is not read, since {why}: it {says}", path.display());
        }
        let mut bytes = Vec::new();
        (&mut file).take(longest + 1).read_to_end(&mut bytes).with_context(failed)?;
        ensure!(bytes.len() as u64 <= longest, "{} has more than {longest} bytes", path.display());
        if !cfg!(feature = "unvalidated") {
            self.admit(path, &bytes, says, found)?;
        }
        String::from_utf8(bytes).ok().with_context(|| format!("{} is not text in UTF-8", path.display()))
    }

    fn admit(&self, path: &Path, bytes: &[u8], says: &str, found: Found) -> Result<()> {
        let confirmed = self.confirmed(path, &digest(bytes)?);
        let guests = || self.steps_of_guests(path).into_iter().next();
        let why = match (confirmed, found) {
            (Confirmed::Yes, _) => return Ok(()),
            (Confirmed::Before, Found::ByPlace) => "it has changed since you trusted it".to_owned(),
            (Confirmed::No, Found::ByPlace) => "nobody has named it, and anybody may have put it there".to_owned(),
            (_, Found::Named) => match guests() {
                None => return Ok(()),
                Some((_, folder)) => format!("a program was allowed to write to {}", folder.display()),
            },
        };
        bail!(
            "{0} is not read, since {why}: it {says}. Look at it, then run `rankine trust {0}`, or keep it where no program may \
             write and name it",
            path.display()
        )
    }
}

/// What contents are known by.
fn digest(mut file: impl io::Read) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    io::copy(&mut file, &mut hasher)?;
    Ok(hasher.finalize().to_hex().to_string())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    const SAYS: &str = "says which programs are run";

    struct Home {
        top: tempfile::TempDir,
        notes: Notes,
    }

    impl Home {
        fn new() -> Home {
            let top = tempfile::tempdir().unwrap();
            fs::create_dir_all(top.path().join("work/deep")).unwrap();
            fs::create_dir_all(top.path().join("own")).unwrap();
            let notes = Notes(Some(top.path().join("state/rankine")));
            Home { top, notes }
        }

        /// A file; links have no place in this folder's own name.
        fn file(&self, name: &str, text: &str) -> PathBuf {
            let path = self.at(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
            path
        }

        fn at(&self, name: &str) -> PathBuf {
            self.top.path().canonicalize().unwrap().join(name)
        }

        fn read(&self, path: &Path, found: Found) -> Result<String, String> {
            self.notes.read_deciding(path, SAYS, found, 100).map_err(|error| format!("{error:#}"))
        }
    }

    #[test]
    fn what_nobody_has_named_is_confirmed_first() {
        let home = Home::new();
        let file = home.file("own/grid.toml", "one");
        let error = home.read(&file, Found::ByPlace).unwrap_err();
        assert!(
            error.contains("nobody has named it") && error.contains(SAYS) && error.contains("rankine trust"),
            "{error}"
        );
        assert_eq!(home.read(&file, Found::Named).unwrap(), "one");
        assert_eq!(home.notes.confirm(&file).unwrap(), file);
        assert_eq!(home.read(&file, Found::ByPlace).unwrap(), "one");
        // What it says now, there.
        home.file("own/grid.toml", "two");
        assert!(home.read(&file, Found::ByPlace).unwrap_err().contains("has changed since"));
        home.file("own/grid.toml", "one");
        assert!(home.read(&file, Found::ByPlace).is_ok());
        let copy = home.file("own/copy", "one");
        assert!(home.read(&copy, Found::ByPlace).is_err());
        assert_eq!(home.notes.confirmations(), [(file.clone(), true)]);
        assert!(home.notes.forget(&file).unwrap() && !home.notes.forget(&file).unwrap());
        assert!(home.read(&file, Found::ByPlace).is_err());
        assert!(home.read(&home.file("own/long", &"x".repeat(101)), Found::Named).unwrap_err().contains("100 bytes"));
        assert!(home.notes.confirm(&home.at("own")).is_err() && home.notes.confirm(&home.at("none")).is_err());
    }

    #[test]
    fn a_granted_folder_is_the_guests_from_then_on() {
        let home = Home::new();
        let (inside, outside) = (home.file("work/deep/keys", "in"), home.file("own/keys", "out"));
        assert!(home.read(&inside, Found::Named).is_ok());
        home.notes.remember([home.at("work").as_path(), home.at("work/deep").as_path()]).unwrap();
        // The inner one goes without saying.
        assert_eq!(home.notes.grants(), [home.at("work")]);
        symlink(&outside, home.at("work/link")).unwrap();
        symlink("deep", home.at("work/other")).unwrap();
        symlink(&inside, home.at("own/way")).unwrap();
        symlink(home.at("work"), home.at("own/folder")).unwrap();
        for name in ["work/deep/keys", "work/link", "work/other/keys", "own/way", "own/folder/link", "own/../work/link"]
        {
            let error = home.read(&home.at(name), Found::Named).unwrap_err();
            assert!(error.contains("a program was allowed to write to") && error.contains("/work"), "{name}: {error}");
            assert!(home.notes.doubt(&home.at(name)).is_some(), "{name}");
        }
        assert_eq!(home.read(&outside, Found::Named).unwrap(), "out");
        assert_eq!(home.notes.doubt(&outside), None);
        // Whoever was told of it, and has looked.
        home.notes.confirm(&inside).unwrap();
        assert!(home.read(&inside, Found::Named).is_ok() && home.read(&home.at("own/way"), Found::Named).is_ok());
        assert_eq!(home.notes.doubt(&inside), None);
        home.file("work/deep/keys", "others");
        assert!(home.read(&inside, Found::Named).is_err() && home.notes.doubt(&inside).is_some());
    }

    #[test]
    fn links_that_a_program_could_have_made_are_not_written_through() {
        let home = Home::new();
        home.notes.remember([home.at("work").as_path()]).unwrap();
        symlink("../own/file", home.at("work/out.json")).unwrap();
        symlink("../own", home.at("work/up")).unwrap();
        symlink("../work", home.at("own/down")).unwrap();
        for (name, link) in [
            ("work/out.json", Some("work/out.json")),
            ("own/down/out.json", Some("work/out.json")),
            ("work/up/file", Some("work/up")),
            ("work/new.json", None),
            ("own/new.json", None),
            ("own/down/new.json", None),
        ] {
            assert_eq!(home.notes.planted_link(&home.at(name)), link.map(|link| home.at(link)), "{name}");
        }
    }

    #[test]
    fn notes_that_others_may_write_confirm_nothing() {
        let home = Home::new();
        let file = home.file("own/grid.toml", "one");
        home.notes.confirm(&file).unwrap();
        fs::set_permissions(home.at("state/rankine"), fs::Permissions::from_mode(0o777)).unwrap();
        assert!(home.read(&file, Found::ByPlace).is_err());
        fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(home.notes.confirm(&file).unwrap_err().to_string().contains("everybody"));
        assert!(home.read(&file, Found::Named).unwrap_err().contains("everybody"));
    }

    #[test]
    fn notes_of_folders_that_are_gone_go_too() {
        let home = Home::new();
        home.notes.remember([home.at("work").as_path()]).unwrap();
        for number in 0..3 * MANY {
            let folder = home.at(&format!("own/{number}"));
            fs::create_dir(&folder).unwrap();
            home.notes.remember([folder.as_path()]).unwrap();
            fs::remove_dir(folder).unwrap();
        }
        let grants = home.notes.grants();
        assert!(grants.len() <= MANY && grants.contains(&home.at("work")), "{grants:?}");
    }
}
