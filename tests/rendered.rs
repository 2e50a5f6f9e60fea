//! The book as `mdbook build` makes it: every link of a page leads to a page, and nothing is wider than its column.
//!
//! It takes mdbook and, for the widths, Chromium; both are there after `./x setup`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// The book, built once for all tests.
fn book() -> &'static Path {
    static BOOK: OnceLock<PathBuf> = OnceLock::new();
    BOOK.get_or_init(|| {
        let book = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("book");
        let own = root().join(".venv/bin/mdbook");
        let mdbook = if own.is_file() { own } else { "mdbook".into() };
        let output = Command::new(mdbook).arg("build").arg("-d").arg(&book).current_dir(root()).output();
        let output = output.expect("mdbook is missing: ./x setup installs it");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        book
    })
}

/// The pages, by their paths beneath the book.
fn pages() -> BTreeMap<PathBuf, String> {
    let (mut pages, mut folders) = (BTreeMap::new(), vec![book().to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|is| is == "html") {
                let text = fs::read_to_string(&path).unwrap();
                pages.insert(path.strip_prefix(book()).unwrap().to_path_buf(), text);
            }
        }
    }
    pages
}

/// The values of an attribute in a page.
fn values<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
    let begin = format!("{attribute}=\"");
    page.split(&begin).skip(1).filter_map(|after| after.split('"').next()).collect()
}

/// The file that a link of a page leads to.
fn target(page: &Path, link: &str) -> PathBuf {
    let mut path = page.parent().unwrap().to_path_buf();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir => _ = path.pop(),
            Component::CurDir => {}
            // From the book's own beginning.
            Component::RootDir => path.clear(),
            part => path.push(part),
        }
    }
    if path.as_os_str().is_empty() { "index.html".into() } else { path }
}

#[test]
fn every_link_of_a_page_leads_somewhere() {
    let pages = pages();
    let names: BTreeMap<&PathBuf, BTreeSet<&str>> =
        pages.iter().map(|(page, text)| (page, values(text, "id").into_iter().collect())).collect();
    let mut wrong = Vec::new();
    let mut count = 0;
    for (page, text) in &pages {
        for link in [values(text, "href"), values(text, "src")].concat() {
            let link = link.replace("&amp;", "&").replace("&#x27;", "'");
            if link.contains("://") || link.starts_with("mailto:") || link.starts_with("data:") {
                continue;
            }
            count += 1;
            let (file, part) = link.split_once('#').unwrap_or((&link, ""));
            let leads = if file.is_empty() { page.clone() } else { target(page, file) };
            let is_there = book().join(&leads).is_file();
            let is_part = part.is_empty() || names.get(&leads).is_none_or(|names| names.contains(part));
            if !is_there || !is_part {
                wrong.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(count > 1000, "the pages are not read as they should be: {count} links");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Loads each page in a frame of each width and notes what is wider than it should be. Tables of many numbers may be moved sideways on a
/// telephone.
const LOOK: &str = r#"
async function look(page, width) {
    const frame = document.createElement("iframe");
    [frame.width, frame.height, frame.src] = [width, 800, page];
    document.body.append(frame);
    await new Promise(done => frame.onload = done);
    const shown = frame.contentDocument, wide = [];
    if (shown.documentElement.scrollWidth > width) wide.push("the page as a whole");
    const column = shown.querySelector("main").getBoundingClientRect();
    const tables = width > 1000 ? ", main .table-wrapper" : "";
    for (const block of shown.querySelectorAll("main pre > code, main p, main img, main li" + tables)) {
        const beyond = block.getBoundingClientRect().right > column.right + 1;
        const inline = getComputedStyle(block).display == "inline";
        if (beyond || !inline && block.scrollWidth > block.clientWidth + 1)
            wide.push(block.tagName + " " + block.textContent.trim().slice(0, 70).replaceAll("\n", " "));
    }
    // An apostrophe in a comment begins no text.
    for (const odd of shown.querySelectorAll("code.language-console :is(.bash, .hljs-string, .hljs-built_in)"))
        wide.push("coloured as a script: " + odd.textContent.slice(0, 70));
    frame.remove();
    return wide.map(what => page + ", " + width + " px: " + what);
}
(async () => {
    const found = [];
    for (const width of [1280, 400])
        for (const page of PAGES) found.push(...await look(page, width));
    const said = document.createElement("pre");
    said.textContent = ["looked at " + PAGES.length, ...found, "the end"].join("\n");
    document.body.append(said);
})();
"#;

#[test]
fn nothing_is_wider_than_its_column() {
    let of_book: Vec<String> = pages()
        .into_iter()
        // What only sends to another page has no column.
        .filter(|(_, text)| !text.contains("http-equiv=\"refresh\""))
        .map(|(page, _)| page.display().to_string())
        // Frames of the book's own.
        .filter(|page| !["toc.html", "404.html", "widths.html"].contains(&page.as_str()))
        .collect();
    let script = format!("const PAGES = {of_book:?};{LOOK}");
    let page = book().join("widths.html");
    fs::write(&page, format!("<!DOCTYPE html><meta charset=utf-8><body><script>{script}</script></body>")).unwrap();
    let browser = std::env::var("RANKINE_CHROMIUM").unwrap_or_else(|_| "chromium".into());
    let profile = tempfile::tempdir().unwrap();
    let mut command = Command::new(browser);
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"]);
    command.arg(format!("--user-data-dir={}", profile.path().display()));
    // Time that the page thinks has passed: it goes on as soon as nothing is left to load.
    command.args(["--virtual-time-budget=600000", "--dump-dom"]).arg(format!("file://{}", page.display()));
    let output = command.output().expect("chromium is missing: ./x setup installs it");
    let text = String::from_utf8_lossy(&output.stdout);
    let said = text.rsplit_once("<pre>looked at ").and_then(|(_, said)| said.split("</pre>").next());
    let said = said.unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let mut lines = said.lines();
    assert_eq!(lines.next(), Some(of_book.len().to_string().as_str()));
    let wide: Vec<&str> = lines.collect();
    assert_eq!(wide, ["the end"], "{wide:#?}");
}

#[test]
fn lines_of_code_fit_a_column() {
    const MOST: usize = 84;
    let mut wide = Vec::new();
    let mut folders = vec![root().join("docs")];
    let mut files = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => files.push(path),
            }
        }
    }
    for file in files.into_iter().filter(|file| file.extension().is_some_and(|is| is == "md")) {
        let text = fs::read_to_string(&file).unwrap();
        let mut language = None;
        for (number, line) in text.lines().enumerate() {
            match (line.strip_prefix("```"), language) {
                (Some(_), Some(_)) => language = None,
                (Some(name), None) => language = Some(name),
                // What is printed stands as it is printed, and goes on in the next line of the page.
                (None, Some("text")) => {}
                (None, Some(_)) if line.chars().count() > MOST => {
                    wide.push(format!("{}:{}: {line}", file.display(), number + 1));
                }
                _ => {}
            }
        }
    }
    assert!(wide.is_empty(), "longer than {MOST} characters: {wide:#?}");
}
