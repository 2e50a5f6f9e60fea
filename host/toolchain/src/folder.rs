//! Folders that appear whole or not at all, and the files in them.
//!
//! A folder is filled under a private name and then renamed. What many compilers of a `make -j` may need at the same
//! time is named by a key of all that it is made from and made by whoever comes first ([`make_once`]): no lock, and the
//! others use the first one's result. What is made again at the user's wish takes the place of the old one ([`remake`]).

use anyhow::{Context as _, Result};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

use rankine_system::os;

/// Makes a folder, unless it is there.
pub fn make_once(place: &Path, fill: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    if place.is_dir() {
        return Ok(());
    }
    let work = work_beside(place)?;
    let draft = work.path().join("draft");
    filled(&draft, fill)?;
    match fs::rename(&draft, place) {
        // Another process was faster.
        Err(_) if place.is_dir() => Ok(()),
        renamed => renamed.with_context(|| format!("cannot create {}", place.display())),
    }
}

/// Makes a folder in the place of an older one, which is out of the way for a moment only.
pub fn remake(place: &Path, fill: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let work = work_beside(place)?;
    let draft = work.path().join("draft");
    filled(&draft, fill)?;
    if place.exists() {
        fs::rename(place, work.path().join("old")).with_context(|| format!("cannot move {} away", place.display()))?;
    }
    fs::rename(&draft, place).with_context(|| format!("cannot create {}", place.display()))
}

fn filled(draft: &Path, fill: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    fs::create_dir(draft).with_context(|| format!("cannot create {}", draft.display()))?;
    make_public(draft)?;
    fill(draft)
}

/// A folder on the same file system, which goes when the work is done.
pub fn work_beside(place: &Path) -> Result<TempDir> {
    let data = place.parent().context("a part lies in the data folder")?;
    fs::create_dir_all(data).with_context(|| format!("cannot create the data folder {}", data.display()))?;
    let work = tempfile::Builder::new().prefix(".draft-").tempdir_in(data);
    work.with_context(|| format!("cannot write to the data folder {}", data.display()))
}

/// Makes `link` lead to `root`, whatever it was before. They lie side by side, and may be moved together.
pub fn stable_link(root: &Path, link: &Path) -> Result<()> {
    let name = Path::new(root.file_name().context("a part has a name")?);
    if fs::read_link(link).ok().as_deref() == Some(name) {
        return Ok(());
    }
    let draft = link.with_file_name(format!(".link-{}", std::process::id()));
    let linked = os::link_folder(name, &draft).and_then(|()| fs::rename(&draft, link));
    linked.with_context(|| format!("cannot create the link {}", link.display()))
}

/// Writes a file, and the folders that it lies in.
pub fn write(path: &Path, text: &str) -> Result<()> {
    let wrote = fs::create_dir_all(path.parent().unwrap_or(path)).and_then(|()| fs::write(path, text));
    wrote.with_context(|| format!("cannot write {}", path.display()))
}

/// Writes files by their paths below a folder.
pub fn write_all<'a>(folder: &Path, files: impl IntoIterator<Item = (&'a Path, &'a str)>) -> Result<()> {
    files.into_iter().try_for_each(|(path, text)| write(&folder.join(path), text))
}

/// Writes a script for everybody who may read the data folder.
pub fn write_script(path: &Path, text: &str) -> Result<()> {
    write(path, text)?;
    make_public(path)
}

fn make_public(path: &Path) -> Result<()> {
    os::make_public(path).with_context(|| format!("chmod {}", path.display()))
}

/// A word of a shell's.
pub fn shell_quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Copies a folder with everything in it, following links.
pub fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        match source.is_dir() {
            true => copy_tree(&source, &target)?,
            false => {
                fs::copy(&source, &target).with_context(|| format!("cannot copy {}", source.display()))?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;

    fn made_of(text: &'static str) -> impl FnOnce(&Path) -> Result<()> {
        move |draft| write(&draft.join("file"), text)
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn the_first_one_stays_unless_it_is_made_again() {
        let data = tempfile::tempdir().unwrap();
        let place = data.path().join("part");
        let content = || fs::read_to_string(place.join("file")).unwrap();
        make_once(&place, made_of("first")).unwrap();
        make_once(&place, made_of("second")).unwrap();
        assert_eq!(content(), "first");
        // Somebody else is done while this one is at it.
        fs::remove_dir_all(&place).unwrap();
        make_once(&place, |draft| {
            make_once(&place, made_of("third"))?;
            write(&draft.join("file"), "fourth")
        })
        .unwrap();
        assert_eq!(content(), "third");
        remake(&place, made_of("fifth")).unwrap();
        assert_eq!(content(), "fifth");
        assert_eq!(names(data.path()), ["part"]);
    }

    #[test]
    fn what_fails_leaves_nothing_behind() {
        let data = tempfile::tempdir().unwrap();
        let place = data.path().join("part");
        let half = |draft: &Path| {
            write(&draft.join("file"), "half")?;
            bail!("no more")
        };
        make_once(&place, half).unwrap_err();
        remake(&place, half).unwrap_err();
        assert_eq!(names(data.path()), [""; 0]);
    }

    #[test]
    fn a_link_is_moved_with_what_it_leads_to() {
        let top = tempfile::tempdir().unwrap();
        let (data, moved) = (top.path().join("data"), top.path().join("moved"));
        write(&data.join("part-1/file"), "first").unwrap();
        write(&data.join("part-2/file"), "second").unwrap();
        for name in ["part-1", "part-2", "part-2"] {
            stable_link(&data.join(name), &data.join("part")).unwrap();
        }
        fs::rename(&data, &moved).unwrap();
        assert_eq!(fs::read_to_string(moved.join("part/file")).unwrap(), "second");
        assert_eq!(names(&moved).len(), 3);
    }

    #[test]
    fn words_survive_the_shell() {
        assert_eq!(shell_quote("/a b/it's"), r"'/a b/it'\''s'");
    }
}
