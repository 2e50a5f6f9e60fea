//! The book and the other texts: every page is in the summary, every link leads somewhere, and every variable that the
//! program reads is in the list of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// The files beneath a folder that end in `extension`, as paths from the root.
fn files(folder: &str, extension: &str) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|is| is == extension) {
                found.insert(path.strip_prefix(root()).unwrap().to_path_buf());
            }
        }
    }
    found
}

/// The texts at the root of the repository.
fn texts_at_the_root() -> Vec<PathBuf> {
    let entries = fs::read_dir(root()).unwrap().map(|entry| PathBuf::from(entry.unwrap().file_name()));
    entries.filter(|path| path.extension().is_some_and(|is| is == "md")).collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The targets of a text's links, without those in code and those that lead out of the repository.
fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut in_code = false;
    for line in text.lines() {
        in_code ^= line.starts_with("```");
        if in_code {
            continue;
        }
        // What stands between backticks is no link.
        let prose: String = line.split('`').step_by(2).collect();
        for after in prose.split("](").skip(1) {
            let target = after.split([')', ' ']).next().unwrap();
            if !target.contains("://") && !target.starts_with("mailto:") {
                found.push(target.to_owned());
            }
        }
    }
    found
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                assert!(plain.pop(), "{} leaves the repository", path.display());
            }
            std::path::Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// The name that a heading is linked by.
fn anchor(heading: &str) -> String {
    let letters = heading.to_lowercase();
    letters
        .chars()
        .filter(|&c| c.is_alphanumeric() || " -_".contains(c))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

/// What is wrong with a link of a page, if anything.
fn broken(page: &Path, link: &str) -> Option<String> {
    let (target, part) = link.split_once('#').map_or((link, None), |(target, part)| (target, Some(part)));
    let target = match target {
        "" => page.to_path_buf(),
        target => plain(&page.parent().unwrap().join(target)),
    };
    if !root().join(&target).exists() {
        return Some("there is no such file".into());
    }
    let text = part.map(|_| read(&target)).unwrap_or_default();
    let has = |part| {
        text.lines()
            .filter(|line| line.starts_with('#'))
            .any(|line| anchor(line.trim_start_matches('#').trim()) == part)
    };
    part.is_some_and(|part| !has(part)).then(|| "there is no such heading".into())
}

/// The file that a page of the book consists of, where it is another.
fn included(page: &Path) -> Option<PathBuf> {
    let text = read(page);
    let path = text.strip_prefix("{{#include ")?.split("}}").next()?;
    Some(plain(&page.parent()?.join(path)))
}

#[test]
fn every_page_is_in_the_summary() {
    let summary = Path::new("docs/SUMMARY.md");
    let named: BTreeSet<_> = links(&read(summary)).iter().map(|link| Path::new("docs").join(link)).collect();
    let mut pages = files("docs", "md");
    pages.remove(summary);
    let only_one_has: Vec<_> = named.symmetric_difference(&pages).collect();
    assert!(only_one_has.is_empty(), "in docs/SUMMARY.md but no file, or the other way round: {only_one_has:?}");
}

#[test]
fn every_link_leads_somewhere() {
    let mut wrong = Vec::new();
    let folders = ["docs", "examples", "guest-sdk", "bench", "tests"].map(|folder| files(folder, "md"));
    for page in folders.into_iter().flatten().chain(texts_at_the_root()) {
        for link in links(&read(&page)) {
            wrong.extend(broken(&page, &link).map(|why| format!("{}: {link}: {why}", page.display())));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_book_does_not_link_out_of_itself() {
    let mut wrong = Vec::new();
    for page in files("docs", "md") {
        let text = included(&page).map_or_else(|| read(&page), |file| read(&file));
        for link in links(&text) {
            let target = link.split('#').next().unwrap();
            let leads = page.parent().unwrap().join(target);
            if !target.is_empty() && !(root().join(&leads).is_file() && plain(&leads).starts_with("docs")) {
                wrong.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "these are not pages of the book: {wrong:#?}");
}

#[test]
fn the_first_page_is_short() {
    let words = read(Path::new("README.md")).split_whitespace().count();
    assert!(words <= 1000, "README.md has {words} words");
}

/// Words of the sources that look like variables and are none of a user's.
const NO_VARIABLES: [(&str, &str); 9] = [
    ("CARGO_MANIFEST_DIR", "is read while Rankine is compiled"),
    ("CARGO_PKG_VERSION", "is read while Rankine is compiled"),
    ("LLVM_VERSION_STRING", "is a word of LLVM's own header"),
    ("ILP32_OFFBIG", "is a word of a header of musl"),
    ("LP64_OFF64", "is a word of a header of musl"),
    ("LLVM_PROFILE_FILE", "is set for what builds Python"),
    ("PKG_CONFIG", "is set for what builds Python's packages"),
    ("PROCESS_CLOCKS", "a part of WASI's emulations"),
    ("MPI_COMM_PARENT", "the name of a communicator"),
];

/// Whether a literal has the form of a variable's name. One that ends in `_` is only a beginning.
fn looks_like_a_variable(text: &str) -> bool {
    text.contains('_')
        && text.starts_with(|c: char| c.is_ascii_uppercase())
        && !text.ends_with('_')
        && text.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// The parts of the host's sources that it runs.
fn sources_of_the_host() -> impl Iterator<Item = String> {
    let is_run = |path: &PathBuf| {
        let name = path.file_name().unwrap();
        name != "tests.rs" && path.components().all(|part| part.as_os_str() != "tests")
    };
    let sources = files("host", "rs").into_iter().filter(is_run).map(|path| read(&path));
    sources.map(|text| text.split("#[cfg(test)]\nmod tests {").next().unwrap().to_owned())
}

#[test]
fn every_variable_is_listed() {
    let listed = read(Path::new("docs/environment.md"));
    let constants = read(Path::new("abi/constants.toml"));
    let constants: BTreeSet<&str> = constants.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
    let mut found = BTreeSet::new();
    for text in sources_of_the_host() {
        found.extend(text.split('"').filter(|text| looks_like_a_variable(text)).map(str::to_owned));
    }
    for (name, why) in NO_VARIABLES {
        assert!(found.remove(name), "{name}, which {why}, is an exception that nothing needs");
    }
    // CMake's own are settings of a build, and not of its environment.
    found.retain(|name| !constants.contains(name.as_str()) && !name.starts_with("CMAKE_"));
    assert!(found.contains("RANKINE_LOG") && found.contains("UCX_TLS"), "the sources are not read as they should be");
    found.retain(|name| !listed.contains(&format!("`{name}`")));
    assert!(found.is_empty(), "docs/environment.md does not say what these are: {found:?}");
}
