//! A node's store: files by their contents, for the jobs that bring them along.
//!
//! An entry is `DIGEST/NAME`, and its bytes have this digest: they are written to another name, digested on the way, and
//! renamed when they are right, so that half a file is never an entry. What the disk has made of one since is found out
//! before each job. A job that reads or writes files has a folder of its own, with copies: the store is never granted.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result, bail, ensure};
use rankine_system::os;
use serde::{Deserialize, Serialize};

use rankine_system::digest::digest;
use rankine_system::trust;

/// Hexadecimal digits of a digest.
const DIGITS: usize = 64;

/// How names begin that are being written.
const UNFINISHED: &str = ".new-";

/// Where the folders of jobs are.
const JOBS: &str = "jobs";

/// A file that is known by its contents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Entry {
    /// The digest of its bytes.
    pub digest: String,
    /// What it is called.
    pub name: String,
}

impl Entry {
    /// The entry that a file would be.
    pub fn of(file: &Path) -> Result<Entry> {
        let what = || format!("can't read {}", file.display());
        let opened = File::open(file).with_context(what)?;
        ensure!(opened.metadata().with_context(what)?.is_file(), "{} is not a file", file.display());
        let digest = digest(opened).with_context(what)?;
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        Entry { digest, name: name.into() }.checked().with_context(what)
    }

    fn checked(self) -> Result<Entry> {
        let is_digest = self.digest.len() == DIGITS && self.digest.bytes().all(|byte| byte.is_ascii_hexdigit());
        ensure!(is_digest, "`{}` is not a digest", self.digest);
        ensure!(
            is_file_name(&self.name),
            "`{}` can't be a file's name on other nodes",
            rankine_system::shown::line(&self.name)
        );
        Ok(self)
    }

    /// Where it lies in a store.
    pub fn path(&self, store: &Path) -> PathBuf {
        store.join(&self.digest).join(&self.name)
    }
}

/// Whether this names a file in a folder, and can stand in a line.
pub fn is_file_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 255
        && name != "."
        && name != ".."
        && !name.starts_with(UNFINISHED)
        && !name.contains(|c: char| c == '/' || c.is_control())
}

impl FromStr for Entry {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Entry> {
        let (digest, name) = text.split_once('/').context("an entry is DIGEST/NAME")?;
        Entry { digest: digest.into(), name: name.into() }.checked()
    }
}

impl TryFrom<String> for Entry {
    type Error = anyhow::Error;

    fn try_from(text: String) -> Result<Entry> {
        text.parse()
    }
}

impl From<Entry> for String {
    fn from(entry: Entry) -> String {
        format!("{}/{}", entry.digest, entry.name)
    }
}

/// The name of a job's folder: who started it has drawn it.
pub fn parse_job(text: &str) -> Result<String, String> {
    match text.len() <= 64 && crate::names::is_name(text) {
        true => Ok(text.into()),
        false => Err("a job has a short name".into()),
    }
}

/// A store of this machine's.
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// Opens it, and makes it if need be. Code is run from there: nobody else may be able to write to it.
    pub fn open(folder: &Path) -> Result<Store> {
        ensure!(folder.is_absolute(), "{} is not a path from the root on", folder.display());
        match os::make_one_private(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                bail!("the store {} can't be made: {error}", folder.display())
            }
            _ => {}
        }
        match trust::distrust(folder) {
            Some(why) => bail!("the store {} is not used, since {why}", folder.display()),
            None => Ok(Store { folder: folder.into() }),
        }
    }

    /// The entries that are not here. One whose bytes are not what they were is not, and goes.
    pub fn missing(&self, entries: &[Entry]) -> Result<Vec<Entry>> {
        let mut missing = Vec::new();
        for entry in entries {
            let path = entry.path(&self.folder);
            let digest = File::open(&path).and_then(digest);
            match digest {
                Ok(digest) if digest == entry.digest => {
                    // So that `clean` knows what is in use.
                    let now = fs::FileTimes::new().set_modified(SystemTime::now());
                    let _ = File::open(self.folder.join(&entry.digest)).and_then(|folder| folder.set_times(now));
                }
                Ok(_) => {
                    tracing::warn!("{} is not what it was, and is copied again", path.display());
                    remove(&path)?;
                    missing.push(entry.clone());
                }
                Err(_) => missing.push(entry.clone()),
            }
        }
        Ok(missing)
    }

    /// Takes an entry's bytes, which must be all of them and no others.
    pub fn put(&self, entry: &Entry, bytes: impl Read) -> Result<()> {
        let folder = self.folder.join(&entry.digest);
        make(&folder)?;
        write_checked(&folder.join(&entry.name), &entry.digest, bytes, 0o600)
    }

    /// The folder of a job, if it has one.
    pub fn job(&self, job: &str) -> PathBuf {
        job_folder(&self.folder, job)
    }

    /// Makes the folder of a job, with copies of these entries.
    pub fn begin(&self, job: &str, inputs: &[Entry]) -> Result<()> {
        make(&self.folder.join(JOBS))?;
        let folder = self.job(job);
        make(&folder)?;
        for entry in inputs {
            let path = entry.path(&self.folder);
            let from = File::open(&path).with_context(|| format!("can't read {}", path.display()))?;
            write_checked(&folder.join(&entry.name), &entry.digest, from, 0o600)?;
        }
        Ok(())
    }

    /// Those of these files that a job has left in its folder.
    pub fn results(&self, job: &str, names: &[String]) -> Result<Vec<Entry>> {
        let mut found = Vec::new();
        for name in names.iter().filter(|name| is_file_name(name)) {
            match self.open_result(job, name) {
                Ok(file) => found.push(Entry { digest: digest(file)?, name: name.clone() }),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => bail!("{}: {error}", self.job(job).join(name).display()),
            }
        }
        Ok(found)
    }

    /// A file that a job has left in its folder. A program could have put a link there: none is followed.
    pub fn open_result(&self, job: &str, name: &str) -> io::Result<File> {
        let file = os::open_itself(&self.job(job).join(name))?;
        match file.metadata()?.is_file() {
            true => Ok(file),
            false => Err(io::Error::other("it is not a file")),
        }
    }

    /// Removes the folder of a job. Nodes that share it each try.
    pub fn end(&self, job: &str) -> Result<()> {
        remove(&self.job(job))
    }

    /// Removes what no job has used for this long. How many entries and bytes.
    pub fn clean(&self, age: Duration) -> Result<(usize, u64)> {
        let (mut count, mut bytes) = (0, 0);
        let folders = [self.folder.clone(), self.folder.join(JOBS)];
        for entry in folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten() {
            let entry = entry?;
            let path = entry.path();
            if path == folders[1] || !is_old(&path, age) {
                continue;
            }
            bytes += size(&path);
            count += 1;
            remove(&path)?;
        }
        Ok((count, bytes))
    }
}

/// Leaves the file by which others know that ranks have started.
pub fn mark(file: &Path) -> Result<()> {
    let what = || format!("{} can't be made", file.display());
    make(file.parent().context("a file lies in a folder")?).with_context(what)?;
    File::create(file).map(drop).with_context(what)
}

/// The folder of a job in a store.
pub fn job_folder(store: &Path, job: &str) -> PathBuf {
    store.join(JOBS).join(job)
}

fn is_old(path: &Path, age: Duration) -> bool {
    let changed = fs::symlink_metadata(path).and_then(|metadata| metadata.modified());
    changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|elapsed| elapsed >= age))
}

fn size(path: &Path) -> u64 {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            fs::read_dir(path).into_iter().flatten().flatten().map(|entry| size(&entry.path())).sum()
        }
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    }
}

fn make(folder: &Path) -> Result<()> {
    match os::make_one_private(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            bail!("the folder {} can't be made: {error}", folder.display())
        }
        _ => Ok(()),
    }
}

fn remove(path: &Path) -> Result<()> {
    let is_folder = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir());
    let removed = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => bail!("{} can't be removed: {error}", path.display()),
        _ => Ok(()),
    }
}

/// Writes a file whose bytes have this digest. It appears whole or not at all.
pub fn write_checked(path: &Path, digest: &str, mut bytes: impl Read, mode: u32) -> Result<()> {
    let what = || format!("{} can't be written", path.display());
    let folder = path.parent().context("a file lies in a folder")?;
    let mut new = tempfile::Builder::new();
    new.prefix(UNFINISHED);
    if let Some(rights) = os::rights(mode) {
        new.permissions(rights);
    }
    let mut file = new.tempfile_in(folder).with_context(what)?;
    let mut hasher = blake3::Hasher::new();
    let mut some = vec![0; 1 << 16];
    loop {
        match bytes.read(&mut some) {
            Ok(0) => break,
            Ok(count) => {
                hasher.update(&some[..count]);
                file.write_all(&some[..count]).with_context(what)?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error).with_context(what),
        }
    }
    let arrived = hasher.finalize().to_hex();
    ensure!(arrived.as_str() == digest, "{}: what arrived is not what was sent", what());
    file.as_file().sync_data().with_context(what)?;
    file.persist(path).with_context(what)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::fs::symlink;

    fn store() -> (tempfile::TempDir, Store) {
        let top = tempfile::tempdir().unwrap();
        let store = Store::open(&top.path().join("store")).unwrap();
        (top, store)
    }

    fn entry(top: &Path, name: &str, bytes: &[u8]) -> Entry {
        fs::write(top.join(name), bytes).unwrap();
        Entry::of(&top.join(name)).unwrap()
    }

    #[test]
    fn what_is_torn_or_foreign_is_no_entry() {
        let (top, store) = store();
        let job = entry(top.path(), "it's a job.wasm", b"all of it");
        let all = [job.clone()];
        assert_eq!(store.missing(&all).unwrap(), all);
        for bytes in [&b"all of"[..], b"", b"all of it and more"] {
            let error = store.put(&job, bytes).unwrap_err().to_string();
            assert!(error.contains("not what was sent"), "{error}");
            assert_eq!(store.missing(&all).unwrap(), all);
            assert_eq!(fs::read_dir(store.folder.join(&job.digest)).unwrap().count(), 0);
        }
        store.put(&job, &b"all of it"[..]).unwrap();
        assert!(store.missing(&all).unwrap().is_empty());
        // The disk, or another program of this user.
        fs::write(job.path(&store.folder), "all 0f it").unwrap();
        assert_eq!(store.missing(&all).unwrap(), all);
        assert!(!job.path(&store.folder).exists());
    }

    #[test]
    fn a_job_has_copies_and_leaves_results() {
        let (top, store) = store();
        let data = entry(top.path(), "data.txt", b"data");
        store.put(&data, &b"data"[..]).unwrap();
        store.begin("j1", std::slice::from_ref(&data)).unwrap();
        let folder = store.job("j1");
        fs::write(folder.join("data.txt"), "changed by the program").unwrap();
        assert!(store.missing(std::slice::from_ref(&data)).unwrap().is_empty());
        fs::write(folder.join("out.txt"), "result").unwrap();
        let names = ["out.txt", "none.txt", "../../store", "a/b"].map(String::from);
        let found = store.results("j1", &names).unwrap();
        assert_eq!(found, [entry(top.path(), "out.txt", b"result")]);
        // A link to what the program may not read is no result.
        symlink("/etc/passwd", folder.join("link")).unwrap();
        assert!(store.results("j1", &["link".into()]).is_err());
        store.end("j1").unwrap();
        store.end("j1").unwrap();
        assert!(!folder.exists());
    }

    #[test]
    fn what_is_not_used_goes() {
        let (top, store) = store();
        let [old, new] = ["old", "new"].map(|name| entry(top.path(), name, name.as_bytes()));
        for entry in [&old, &new] {
            store.put(entry, entry.name.as_bytes()).unwrap();
        }
        store.begin("j1", &[]).unwrap();
        let before = SystemTime::now() - Duration::from_secs(1000);
        let folder = File::open(store.folder.join(&old.digest)).unwrap();
        folder.set_times(fs::FileTimes::new().set_modified(before)).unwrap();
        assert_eq!(store.clean(Duration::from_secs(500)).unwrap(), (1, 3));
        assert!(!old.path(&store.folder).exists() && store.job("j1").exists());
        assert!(store.missing(std::slice::from_ref(&new)).unwrap().is_empty());
        assert_eq!(store.clean(Duration::ZERO).unwrap(), (2, 3));
    }

    #[test]
    fn a_store_is_nobody_elses() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("store");
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, PermissionsExt::from_mode(0o777)).unwrap();
        let error = Store::open(&folder).err().unwrap().to_string();
        assert!(error.contains("can be written by everybody"), "{error}");
        assert!(Store::open(Path::new("store")).is_err() && Store::open(&top.path().join("a/b")).is_err());
    }

    #[test]
    fn entries_stay_in_their_folder() {
        let digest = "0".repeat(DIGITS);
        for name in ["", ".", "..", "a/b", "../x", "a\nb", ".new-x"] {
            assert!(format!("{digest}/{name}").parse::<Entry>().is_err(), "{name}");
        }
        assert!("../x".parse::<Entry>().is_err() && format!("{}/x", &digest[1..]).parse::<Entry>().is_err());
        assert_eq!(
            format!("{digest}/a b").parse::<Entry>().unwrap().path(Path::new("/s")),
            Path::new(&format!("/s/{digest}/a b"))
        );
        assert!(parse_job("j-1.x").is_ok() && parse_job("../x").is_err() && parse_job("a/b").is_err());
    }
}
