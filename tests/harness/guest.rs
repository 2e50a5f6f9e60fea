//! The guests: which programs there are, in which variants and at which rank counts each runs.

use super::Mode;
use super::directive::Head;
use super::emulated;
use super::wine;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// One program to run.
#[derive(Clone)]
pub struct Guest {
    /// Its path beneath `tests/` or the repository, without the extension: `guests/pt2pt/send_modes`,
    /// `examples/02-ring`.
    pub name: String,
    /// What there is to compile.
    pub source: Source,
    /// How it is run.
    pub head: Head,
    /// The whole standard output, where a file gives it: for one rank count, or for all (under 0). Lines are compared
    /// as a set.
    pub expected: BTreeMap<u32, String>,
}

/// What a guest is compiled from.
#[derive(Clone)]
pub enum Source {
    /// One file of C or C++.
    C(PathBuf),
    /// A file of Fortran, perhaps with others (`with:`).
    Fortran(PathBuf),
    /// A module in WebAssembly's text form.
    Wat(PathBuf),
    /// A folder with a Cargo workspace of its own.
    Cargo(PathBuf),
}

/// The plain functions, or the `_c` ones.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Debug)]
pub enum Variant {
    /// The guest as written.
    Plain,
    /// Compiled with `-DLARGE`: `check.h` then maps every function to its `_c` variant.
    Large,
}

impl Variant {
    /// What the variant adds to the guest's name.
    pub fn suffix(self) -> &'static str {
        match self {
            Variant::Plain => "",
            Variant::Large => "_c",
        }
    }
}

/// Chapters whose calls are over at once. What their guests say of it is said on threads; `--full` says it on fibers too.
const NEVER_WAIT: [&str; 5] = ["attr", "datatype", "error", "group", "info"];

/// More ranks than this are only run as fibers.
const THREADS: u32 = 1000;

impl Guest {
    /// The variants that the guest is compiled in.
    pub fn variants(&self) -> Vec<Variant> {
        if self.head.large { vec![Variant::Plain, Variant::Large] } else { vec![Variant::Plain] }
    }

    /// The rank counts that a variant of the guest runs with in a mode; all that its head names if `is_full`.
    pub fn ranks(&self, variant: Variant, mode: Mode, is_full: bool) -> Vec<u32> {
        let on = |engine: &str| self.head.engines.iter().any(|name| name == engine);
        let on_threads = || self.head.ranks.iter().copied().filter(|&ranks| ranks <= THREADS).collect();
        match mode {
            Mode::Fibers if on("local") && is_full => self.head.ranks.clone(),
            Mode::Fibers if on("local") => {
                // What the check sees of more ranks it sees on threads.
                let is_like_threads = !self.waits() || self.is_checked();
                self.telling_ranks(self.head.ranks.clone(), variant, !is_like_threads)
            }
            Mode::Threads if on("local") && is_full => on_threads(),
            Mode::Threads if on("local") => self.telling_ranks(on_threads(), variant, true),
            Mode::Seeded(_) if on("local") => self.telling_seeded(),
            Mode::Mpi if on("mpi") || self.head.bounded => self.few_ranks(),
            Mode::Interpreted | Mode::Emulated(_) if on("local") => emulated::ranks(mode, &self.head.ranks),
            Mode::Mixed if on("mpi") && emulated::mixes(&self.name) => emulated::ranks(mode, &self.head.ranks),
            Mode::Wide | Mode::Large if on("local") && self.is_for_wide(mode) => {
                emulated::ranks(mode, &self.head.ranks)
            }
            Mode::Wine if on("local") && wine::runs(&self.name) => emulated::ranks(mode, &self.head.ranks),
            Mode::Nodes | Mode::NodesInTurn if on("local") => self.on_nodes(variant),
            Mode::WideNodes if on("local") && self.is_for_wide(mode) => self.on_nodes(variant),
            Mode::WideMpi | Mode::LargeMpi if on("mpi") && self.is_for_wide(mode) => {
                self.few_ranks().into_iter().max().into_iter().collect()
            }
            Mode::MixedNodes if on("local") && emulated::mixes(&self.name) => {
                self.on_nodes(variant).into_iter().filter(|&ranks| ranks <= 4).collect()
            }
            Mode::Native => self.head.native.clone().unwrap_or_else(|| self.few_ranks()),
            _ => Vec::new(),
        }
    }

    /// Of these counts, those that can tell something the others don't. The `_c` variant differs from the plain one in how words are
    /// taken from the guest, not in how ranks meet. Calls that never wait are the same code on threads and on fibers.
    fn telling_ranks(&self, counts: Vec<u32>, variant: Variant, waits: bool) -> Vec<u32> {
        let most = match (variant, waits) {
            (Variant::Plain, true) => return counts,
            (Variant::Plain, false) | (Variant::Large, true) => 1,
            (Variant::Large, false) => 0,
        };
        let mut largest = counts;
        largest.sort_unstable_by_key(|&ranks| std::cmp::Reverse(ranks));
        largest.truncate(most);
        largest
    }

    /// Whom a seed can tell something: the most ranks that are soon through, where they wait for each other and have one thread each.
    fn telling_seeded(&self) -> Vec<u32> {
        let has_threads = self.head.target.ends_with("-threads")
            || self.head.cc.iter().any(|word| word == "-pthread" || word == "-fopenmp");
        let is_ours = self.name.starts_with("guests/") && self.waits() && !has_threads;
        self.head.ranks.iter().copied().filter(|&ranks| is_ours && (2..=8).contains(&ranks)).max().into_iter().collect()
    }

    /// Whether it can be compiled with 64-bit addresses: it is in C, C++ or Fortran, and uses what there is for them.
    fn is_for_wide(&self, mode: Mode) -> bool {
        let (Source::C(_) | Source::Fortran(_)) = &self.source else { return false };
        let is_one_of = |beginnings: &[&str]| beginnings.iter().any(|beginning| self.name.starts_with(beginning));
        // Which have at most 4 GiB.
        let is_small = is_one_of(&["guests/object/", "fortran/objects/", "people/heap_", "sandbox/quota_check_heap"]);
        // What an exception says that nothing catches lies in memory.
        let is_ours =
            is_one_of(&["guests/", "fortran/", "check/", "people/forgiving"]) || self.name == "people/uncaught";
        if is_small { !matches!(mode, Mode::Large | Mode::LargeMpi) } else { is_ours }
    }

    /// Whether its chapter has calls that wait for other ranks.
    fn waits(&self) -> bool {
        let chapter = self.name.strip_prefix("guests/").and_then(|name| name.split('/').next());
        !chapter.is_some_and(|chapter| NEVER_WAIT.contains(&chapter))
    }

    /// Real MPI processes poll: more than a few on a small machine test only its patience.
    fn few_ranks(&self) -> Vec<u32> {
        let few: Vec<u32> = self.head.ranks.iter().copied().filter(|&n| n <= 4).collect();
        if few.is_empty() { self.head.ranks.iter().copied().take(1).collect() } else { few }
    }

    /// Two nodes of as many ranks each: of one, two and four, as far as the head has their sums. What is said of the variant `_c` is said
    /// of the calls of one rank.
    fn on_nodes(&self, variant: Variant) -> Vec<u32> {
        let is_ours = ["guests/", "examples/", "cli/", "check/"].iter().any(|folder| self.name.starts_with(folder));
        let counts = self.head.ranks.iter().copied().filter(|ranks| [2, 4, 8].contains(ranks)).collect();
        if is_ours { self.telling_ranks(counts, variant, true) } else { Vec::new() }
    }

    /// The same program under `--check`, which finds nothing.
    pub fn checked(&self) -> Guest {
        let mut guest = self.clone();
        guest.head.run.push("--check".into());
        guest.head.stderr.push("rankine: check: nothing found".into());
        guest
    }

    fn is_checked(&self) -> bool {
        self.head.run.last().is_some_and(|word| word == "--check")
    }

    /// The output that a run with so many ranks must print, if a file says.
    pub fn expected(&self, ranks: u32) -> Option<&str> {
        self.expected.get(&ranks).or_else(|| self.expected.get(&0)).map(String::as_str)
    }
}

/// The guests of a folder beneath `tests`, and of the folders in it.
pub fn find(tests: &Path, folder: &str) -> Result<Vec<Guest>, String> {
    let mut guests = Vec::new();
    let mut files = entries(&tests.join(folder))?;
    while let Some(path) = files.pop() {
        if path.join("Cargo.toml").exists() {
            guests.push(package(tests, &path)?);
        } else if path.is_dir() {
            files.extend(entries(&path)?);
        } else if let Some(guest) = read(tests, &path)? {
            guests.push(guest);
        }
    }
    guests.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(guests)
}

fn read(tests: &Path, path: &Path) -> Result<Option<Guest>, String> {
    let source = match path.extension().and_then(|e| e.to_str()) {
        Some("c" | "cpp") => Source::C(path.into()),
        Some("wat") => Source::Wat(path.into()),
        Some("f90" | "f") => Source::Fortran(path.into()),
        _ => return Ok(None),
    };
    let mut head = Head::read(&text(path)?).map_err(|e| format!("{}: {e}", path.display()))?;
    let name = path.strip_prefix(tests).expect("a file of this folder").with_extension("");
    if !name.starts_with("guests") && head.native.is_none() {
        head.native = Some(Vec::new());
    }
    if head.part {
        return Ok(None);
    }
    let mut expected = BTreeMap::new();
    let out = path.with_extension("out");
    if out.exists() {
        expected.insert(0, text(&out)?);
    }
    Ok(Some(Guest { name: name.display().to_string(), source, head, expected }))
}

/// A package of Rust, whose head stands in its `main.rs`.
fn package(tests: &Path, folder: &Path) -> Result<Guest, String> {
    let main = folder.join("src/main.rs");
    let mut head = Head::read(&text(&main)?).map_err(|e| format!("{}: {e}", main.display()))?;
    head.native = Some(Vec::new());
    let name = folder.strip_prefix(tests).expect("a folder of this one").display().to_string();
    Ok(Guest { name, source: Source::Cargo(folder.into()), head, expected: BTreeMap::new() })
}

/// The examples: `examples/NN-name/name.c`, perhaps `rust/`, and `expected/N.txt`, the output with N ranks.
pub fn find_examples(examples: &Path) -> Result<Vec<Guest>, String> {
    let mut guests = Vec::new();
    for folder in entries(examples)?.into_iter().filter(|path| path.join("expected").is_dir()) {
        let mut expected = BTreeMap::new();
        for path in entries(&folder.join("expected"))? {
            let ranks = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse().ok());
            expected.insert(
                ranks.ok_or_else(|| format!("{}: not named after a rank count", path.display()))?,
                text(&path)?,
            );
        }
        let name = format!("examples/{}", folder.file_name().expect("a folder has a name").to_string_lossy());
        let c = with_extension(&folder, "c");
        let mut head = match &c {
            Some(source) => Head::read(&text(source)?).map_err(|e| format!("{}: {e}", source.display()))?,
            None => Head::default(),
        };
        head.ranks = expected.keys().copied().collect();
        // Only C and C++ are compiled natively too.
        let elsewhere = Head { native: Some(Vec::new()), ..head.clone() };
        let mut add = |language: &str, source: Source, head: &Head| {
            let (name, expected) = (format!("{name}{language}"), expected.clone());
            guests.push(Guest { name, source, head: head.clone(), expected });
        };
        if let Some(source) = c {
            add("", Source::C(source), &head);
        }
        if let Some(source) = with_extension(&folder.join("cpp"), "cpp") {
            add("-cpp", Source::C(source), &head);
        }
        if let Some(source) = with_extension(&folder.join("fortran"), "f90") {
            add("-fortran", Source::Fortran(source), &elsewhere);
        }
        if folder.join("rust/Cargo.toml").exists() {
            add("-rust", Source::Cargo(folder.join("rust")), &elsewhere);
        }
    }
    Ok(guests)
}

/// The first file of a folder, if there is one, whose name ends like this.
fn with_extension(folder: &Path, extension: &str) -> Option<PathBuf> {
    entries(folder).ok()?.into_iter().find(|path| path.extension().is_some_and(|e| e == extension))
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let listing = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = listing.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    Ok(paths)
}

fn text(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}
