//! What lies where: the command, its manual pages, the book's pages, and what shells need to complete it.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use crate::{binary, files};

/// For each shell where its completions are looked for.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "bash-completion/completions/rankine"),
    ("zsh", "zsh/site-functions/_rankine"),
    ("fish", "fish/vendor_completions.d/rankine.fish"),
];

/// Lays everything out beneath a folder. The pages of a command for another kind of machine are written by the one that is built for
/// this.
pub fn lay_out(clone: &Path, binary: &Path, prefix: &Path) -> Result<()> {
    binary::kind(binary)?;
    let writer = if binary::runs(binary) { std::path::absolute(binary)? } else { binary::own(clone) };
    ensure!(writer.is_file(), "{} has to write the manual pages: cargo build --release", writer.display());
    let share = prefix.join("share");
    files::write(&prefix.join("bin/rankine"), &files::read(binary)?, 0o755)?;
    files::output(Command::new(&writer).arg("man").arg(share.join("man/man1")))?;
    pages(&clone.join("docs"), &share.join("doc/rankine/book"))?;
    for (shell, place) in COMPLETIONS {
        let script = files::output(Command::new(&writer).args(["completions", shell]))?;
        files::write(&share.join(place), &script, 0o644)?;
    }
    Ok(())
}

/// Copies a Python to where the command looks for it.
pub fn python(built: &Path, prefix: &Path) -> Result<()> {
    ensure!(built.join("image.wasm").is_file(), "there is no Python in {}: rankine sdk build python", built.display());
    let place = prefix.join("share/rankine/python");
    files::beneath(built)?.iter().try_for_each(|file| files::copy(file, &place.join(file.strip_prefix(built)?)))
}

/// The book's pages as texts, with their pictures.
fn pages(docs: &Path, to: &Path) -> Result<()> {
    for file in files::beneath(docs)? {
        let content = match file.extension().and_then(|extension| extension.to_str()) {
            Some("md") if !file.ends_with("SUMMARY.md") => page(&file)?,
            Some("svg") => files::read(&file)?,
            _ => continue,
        };
        files::write(&to.join(file.strip_prefix(docs)?), &content, 0o644)?;
    }
    Ok(())
}

/// A page with what it takes from other files of the clone.
fn page(page: &Path) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    for line in String::from_utf8(files::read(page)?)?.lines() {
        match line.strip_prefix("{{#include ").and_then(|rest| rest.rsplit_once("}}")) {
            Some((other, _)) => {
                let other = page.with_file_name(other);
                text.extend(files::read(&other).with_context(|| format!("{} includes it", page.display()))?);
            }
            None => text.extend([line.as_bytes(), b"\n"].concat()),
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn pages_have_what_they_include() {
        let top = tempfile::tempdir().unwrap();
        let (docs, book) = (top.path().join("docs"), top.path().join("book"));
        files::write(&docs.join("deep/page.md"), b"# Page\n{{#include ../../other.txt}}\nend", 0o644).unwrap();
        files::write(&docs.join("SUMMARY.md"), b"", 0o644).unwrap();
        files::write(&docs.join("figure.svg"), b"", 0o644).unwrap();
        let text = format!("{:#}", pages(&docs, &book).unwrap_err());
        assert!(text.contains("deep/page.md includes it: cannot read") && text.contains("other.txt"), "{text}");
        files::write(&top.path().join("other.txt"), b"other\n", 0o644).unwrap();
        pages(&docs, &book).unwrap();
        assert_eq!(files::beneath(&book).unwrap(), [book.join("deep/page.md"), book.join("figure.svg")]);
        assert_eq!(fs::read(book.join("deep/page.md")).unwrap(), b"# Page\nother\nend\n");
    }
}
