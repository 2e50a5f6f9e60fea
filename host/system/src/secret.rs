//! The key by which compiled code, and names of ports, are known to be this user's own.
//!
//! It lies in the user's state folder, away from the code: no guest is granted a folder from where it could be read.
//! Whoever can write to the cache, but not read the key, can't make an entry that is run.

use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::sync::OnceLock;

use anyhow::{Context as _, Result, bail, ensure};

use crate::{os, places, trust};

/// The name of the key's file.
const NAME: &str = "key";

/// A key of this user's.
#[derive(Clone)]
pub struct Secret([u8; 32]);

impl Secret {
    /// The user's key, made if need be, or why there is none. It is read once: a process that is confined can't open it.
    pub fn of_user() -> Result<&'static Secret, &'static str> {
        static KEY: OnceLock<Result<Secret, String>> = OnceLock::new();
        let open = || {
            let folder = places::state().context("no state folder: set RANKINE_STATE_DIR, XDG_STATE_HOME or HOME")?;
            Secret::open_in(&folder)
        };
        let key = KEY.get_or_init(|| open().map_err(|error| format!("{error:#}")));
        key.as_ref().map_err(String::as_str)
    }

    /// The key in a folder, made if need be.
    pub fn open_in(folder: &Path) -> Result<Secret> {
        let path = folder.join(NAME);
        let what = || format!("the key of compiled code, {}", path.display());
        os::make_private(folder).with_context(what)?;
        if let Some(why) = trust::distrust(folder) {
            bail!("{}: {why}", what());
        }
        let found = match read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                make(folder, &path).with_context(what)?;
                read(&path)
            }
            found => found,
        };
        let (bytes, metadata) = found.with_context(what)?;
        ensure!(
            trust::is_ours_alone(&metadata),
            "{}: others may read or write it; remove it, and a new one is made",
            what()
        );
        match bytes.try_into() {
            Ok(key) => Ok(Secret(key)),
            Err(_) => bail!("{}: it is damaged; remove it, and a new one is made", what()),
        }
    }

    /// What only who has the key can say of code, or another text, of this name.
    pub fn seal(&self, name: &str, code: &[u8]) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes()).update(code);
        hasher.finalize()
    }
}

/// The whole file, and what it is: of one and the same opening.
fn read(path: &Path) -> io::Result<(Vec<u8>, std::fs::Metadata)> {
    let file = os::open_itself(path)?;
    let metadata = file.metadata()?;
    let mut bytes = Vec::with_capacity(33);
    file.take(33).read_to_end(&mut bytes)?;
    Ok((bytes, metadata))
}

/// Makes a key. Of several processes that do so at a time, all get the key of the first.
fn make(folder: &Path, path: &Path) -> io::Result<()> {
    let mut key = [0; 32];
    getrandom::fill(&mut key)?;
    // Made with mode 0600, and there under its name only when it is whole.
    let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(folder)?;
    file.write_all(&key)?;
    match file.persist_noclobber(path) {
        Err(error) if error.error.kind() != ErrorKind::AlreadyExists => Err(error.error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::MetadataExt as _;
    use std::os::unix::fs::PermissionsExt;

    fn seal(folder: &Path) -> Result<blake3::Hash> {
        Ok(Secret::open_in(folder)?.seal("name", b"code"))
    }

    #[test]
    fn one_key_is_made_and_kept() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("state");
        let seals: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| seal(&folder).unwrap())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(seals.windows(2).all(|pair| pair[0] == pair[1]));
        assert_eq!(fs::metadata(folder.join(NAME)).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        assert_ne!(seal(&top.path().join("other")).unwrap(), seals[0]);
    }

    #[test]
    fn seals_tell_names_and_code_apart() {
        let secret = Secret([7; 32]);
        let seal = secret.seal("ab", b"c");
        for (name, code) in [("a", b"bc".as_slice()), ("ab", b"d"), ("abc", b""), ("ab", b"c ")] {
            assert_ne!(secret.seal(name, code), seal);
        }
        assert_ne!(Secret([8; 32]).seal("ab", b"c"), seal);
    }

    #[test]
    fn a_key_that_others_know_is_none() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("state");
        seal(&folder).unwrap();
        let key = folder.join(NAME);
        for mode in [0o640, 0o604, 0o620] {
            fs::set_permissions(&key, Permissions::from_mode(mode)).unwrap();
            assert!(seal(&folder).unwrap_err().to_string().contains("others may read"));
        }
        fs::set_permissions(&key, Permissions::from_mode(0o600)).unwrap();
        fs::write(&key, [1; 31]).unwrap();
        assert!(seal(&folder).unwrap_err().to_string().contains("damaged"));
        fs::write(&key, [1; 33]).unwrap();
        assert!(seal(&folder).is_err());
        fs::rename(&key, top.path().join("key")).unwrap();
        std::os::unix::fs::symlink("../key", &key).unwrap();
        assert!(seal(&folder).is_err());
        fs::set_permissions(&folder, Permissions::from_mode(0o777)).unwrap();
        assert!(seal(&folder).unwrap_err().to_string().contains("everybody"));
    }
}
