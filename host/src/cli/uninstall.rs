//! `rankine uninstall`: removes what `./x install` and `rankine sdk` have put on this machine, and what jobs have left.
//!
//! Only what has a name of ours goes: folders that are shared with others stay, and so does what somebody else put there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};

use super::print_page;
use rankine_system::places;

/// The command line of `rankine uninstall`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Arguments {
    /// Remove it; otherwise it is only listed
    #[arg(long)]
    yes: bool,

    /// Keep this program, its pages and completions; remove what `rankine sdk` has installed, and what jobs have left
    #[arg(long)]
    keep_program: bool,
}

const HELP: &str = "\
What a package has installed is removed by its manager: apt remove rankine, pip uninstall rankine.

Examples:
  rankine uninstall                    what there is of it, and where
  rankine uninstall --yes              removes it";

/// What `./x install` puts into a prefix, beside the program.
const PAGES: [&str; 4] = [
    "share/bash-completion/completions/rankine",
    "share/zsh/site-functions/_rankine",
    "share/fish/vendor_completions.d/rankine.fish",
    "share/doc/rankine",
];

/// What `rankine sdk` puts into the data folder: these, and what begins with one and a hyphen.
const PARTS: [&str; 15] = [
    "sdk",
    "sysroot",
    "cache",
    "c++",
    "threads",
    "m64",
    "flang",
    "flang-runtime",
    "fortran",
    "blas",
    "lapack",
    "gdb",
    "rust",
    "meson",
    "python",
];

/// Something that goes.
struct Thing {
    path: PathBuf,
    bytes: u64,
}

/// Lists it, or removes it.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut paths = Vec::new();
    let mut page = String::new();
    if !arguments.keep_program {
        match installed()? {
            Installed::Here(list) => paths.extend(list),
            Installed::Otherwise(how) => page += &format!("the program itself: {how}\n"),
        }
    }
    let folders = [places::data(), places::cache(), places::state()];
    let [data, cache, state] = &folders;
    paths.extend(data.iter().flat_map(|data| named(data, is_part)));
    paths.extend(
        cache.iter().flat_map(|cache| named(cache, |name| name.ends_with(".code") || name.starts_with(".new-"))),
    );
    paths.extend(state.iter().flat_map(|state| named(state, |name| name == "key")));
    let things: Vec<Thing> = paths.into_iter().map(|path| Thing { bytes: size(&path), path }).collect();
    if things.is_empty() {
        page += "there is nothing to remove\n";
    }
    for Thing { path, bytes } in &things {
        if arguments.yes {
            remove(path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
        let done = if arguments.yes { "removed " } else { "" };
        page += &format!("{done}{} ({})\n", path.display(), rankine_system::shown::bytes(*bytes));
    }
    match arguments.yes {
        // Others may have put something there.
        true => folders.iter().flatten().for_each(|folder| drop(fs::remove_dir(folder))),
        false if !things.is_empty() => page += "nothing is removed yet: rankine uninstall --yes\n",
        false => {}
    }
    print_page(&page)?;
    Ok(ExitCode::SUCCESS)
}

/// How this program came here.
enum Installed {
    /// By `./x install`: what lies where.
    Here(Vec<PathBuf>),
    /// In another way, which this text names.
    Otherwise(String),
}

fn installed() -> Result<Installed> {
    let program = std::env::current_exe().context("the path of this program is not known")?;
    let prefix = program.parent().filter(|folder| folder.ends_with("bin")).and_then(Path::parent);
    let Some(prefix) = prefix else {
        return Ok(Installed::Otherwise(format!("{} was not put there by ./x install, and stays", program.display())));
    };
    if prefix == Path::new("/usr") {
        return Ok(Installed::Otherwise("it belongs to a package: apt remove rankine".into()));
    }
    if !named(&prefix.join("lib"), |name| name.starts_with("python3")).is_empty() && prefix.join("pyvenv.cfg").exists()
    {
        return Ok(Installed::Otherwise("it was installed by pip: pip uninstall rankine".into()));
    }
    let is_page = |name: &str| {
        let stem = name.strip_suffix(".gz").unwrap_or(name).strip_suffix(".1");
        stem.is_some_and(|stem| stem == "rankine" || stem.starts_with("rankine-"))
    };
    let mut list: Vec<PathBuf> = PAGES.iter().map(|page| prefix.join(page)).filter(|page| page.exists()).collect();
    list.extend(named(&prefix.join("share/man/man1"), is_page));
    list.push(program);
    Ok(Installed::Here(list))
}

fn is_part(name: &str) -> bool {
    let is_draft = [".draft-", ".link-"].iter().any(|draft| name.starts_with(draft));
    is_draft
        || PARTS.iter().any(|part| name == *part || name.strip_prefix(part).is_some_and(|rest| rest.starts_with('-')))
}

/// What lies in a folder under such names.
fn named(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> =
        entries.filter(|entry| entry.file_name().to_str().is_some_and(&is_wanted)).map(|entry| entry.path()).collect();
    found.sort();
    found
}

/// The bytes of a file, or of all files in a folder; links are not followed.
fn size(path: &Path) -> u64 {
    let Ok(metadata) = fs::symlink_metadata(path) else { return 0 };
    match metadata.is_dir() {
        true => named(path, |_| true).iter().map(|path| size(path)).sum(),
        false => metadata.len(),
    }
}

fn remove(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}
