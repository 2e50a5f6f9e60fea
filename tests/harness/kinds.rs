//! `docs/kinds.md`: which chapters of the guests passed on which kind of machine, engine and placement, as the runs have
//! kept it (`--keep`) in `tests/kinds.txt`. A run of one chapter takes the place of what is known of that one. The page has more,
//! which is written by hand and stays as it is.

use super::{Mode, Places};
use libtest_mimic::Failed;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;

/// Trials of a chapter in a mode: how many there are, and what came of those that ran.
#[derive(Copy, Clone, Default)]
struct Count {
    trials: usize,
    passed: usize,
    /// Failed, as `tests/known.txt` says that they do.
    known: usize,
    failed: usize,
}

/// What came of a trial.
#[derive(Copy, Clone)]
pub enum Outcome {
    Passed,
    Known,
    Failed,
}

/// The trials of this run, by mode and chapter.
#[derive(Default)]
pub struct Tally(Mutex<BTreeMap<(String, String), Count>>);

impl Tally {
    /// There is a trial of a guest.
    pub fn expect(&self, mode: Mode, guest: &str) {
        self.with(mode, guest, |count| count.trials += 1);
    }

    /// Something came of it.
    pub fn note(&self, mode: Mode, guest: &str, outcome: Outcome) {
        self.with(mode, guest, |count| match outcome {
            Outcome::Passed => count.passed += 1,
            Outcome::Known => count.known += 1,
            Outcome::Failed => count.failed += 1,
        });
    }

    fn with(&self, mode: Mode, guest: &str, change: impl FnOnce(&mut Count)) {
        let mut counts = self.0.lock().expect("nothing panics while it holds the lock");
        change(counts.entry((mode.name(), chapter(guest))).or_default());
    }

    /// Keeps the counts of the chapters that ran as a whole. Another run may do so at the same time.
    pub fn keep(&self, places: &Places) -> Result<(), String> {
        let said = |e: std::io::Error| format!("{}: {e}", places.target.display());
        // Held until the function returns.
        let beside = fs::File::create(places.target.join("kinds.lock")).map_err(said)?;
        beside.lock().map_err(said)?;
        let mut kept = read(places)?;
        for (key, count) in self.0.lock().expect("nothing panics while it holds the lock").iter() {
            if count.passed + count.known + count.failed == count.trials {
                kept.insert(key.clone(), (count.passed, count.known, count.trials));
            }
        }
        let line = |(mode, chapter): &(String, String), (passed, known, all): &(usize, usize, usize)| {
            format!("{mode} {chapter} {passed} {known} {all}\n")
        };
        let text: String = kept.iter().map(|(key, counts)| line(key, counts)).collect();
        let path = file(places);
        fs::write(&path, format!("{HEAD}{text}")).map_err(|e| format!("{}: {e}", path.display()))
    }
}

const HEAD: &str =
    "# Written by `guests --keep`: MODE CHAPTER PASSED KNOWN-TO-FAIL ALL. `just kinds` makes docs/kinds.md of it.\n";

/// What a guest belongs to: its folder, and for most of them the one within.
pub fn chapter(guest: &str) -> String {
    let mut parts = guest.split('/');
    match (parts.next(), parts.next()) {
        (Some(first @ ("guests" | "fortran")), Some(second)) => format!("{first}/{second}"),
        (first, _) => first.unwrap_or_default().into(),
    }
}

fn file(places: &Places) -> PathBuf {
    places.root.join("tests/kinds.txt")
}

/// Passed, known to fail, and all, by mode and chapter.
type Kept = BTreeMap<(String, String), (usize, usize, usize)>;

fn read(places: &Places) -> Result<Kept, String> {
    let path = file(places);
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let line = |line: &str| {
        let mut words = line.split(' ');
        let key = (words.next()?.to_string(), words.next()?.to_string());
        let mut number = || words.next()?.parse().ok();
        Some((key, (number()?, number()?, number()?)))
    };
    text.lines()
        .filter(|text| !text.starts_with('#'))
        .map(|text| line(text).ok_or_else(|| format!("{}: not MODE CHAPTER PASSED KNOWN ALL: {text}", path.display())))
        .collect()
}

/// The modes in the page's order, and what their columns are called.
const COLUMNS: [(&str, &str); 9] = [
    ("threads", "x86-64, threads"),
    ("fibers", "x86-64, fibers"),
    ("mpi", "x86-64, `mpi`"),
    ("interpreted", "interpreter"),
    ("emulated-aarch64", "AArch64"),
    ("mixed", "x86-64 and AArch64, `mpi`"),
    ("emulated-riscv64", "riscv64"),
    ("emulated-s390x", "s390x"),
    ("wine", "Windows"),
];

/// The lines of the page between which it is written here.
const BEGIN: &str = "<!-- Written by `just kinds` from what test runs have kept. Do not edit. -->\n";
const END: &str = "<!-- Here ends what `just kinds` has written. -->\n";

/// Compares the page with what was kept. Where it differs, the right one is left in `target/`.
pub fn check(places: &Places) -> Result<(), Failed> {
    let known = fs::read_to_string(places.root.join("tests/known.txt"))?;
    let kept = read(places)?;
    if let Some(((mode, chapter), _)) = kept.iter().find(|(_, (passed, known, all))| passed + known != *all) {
        return Err(
            format!("tests/kinds.txt: of {chapter} in {mode} some failed: mend them, or say why in known.txt").into()
        );
    }
    let path = places.root.join("docs/kinds.md");
    let old = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let page = with_counts(&old, &counts(&kept, &known))
        .ok_or_else(|| format!("{} should have these two lines:\n{BEGIN}{END}", path.display()))?;
    if old == page {
        return Ok(());
    }
    let right = places.target.join("kinds.md");
    fs::write(&right, page).map_err(|e| format!("{}: {e}", right.display()))?;
    Err(format!("{} is not what was kept: run `just kinds`, or take {}", path.display(), right.display()).into())
}

/// The page with these counts in the place of its own.
fn with_counts(page: &str, counts: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, behind) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{counts}\n{END}{behind}"))
}

fn counts(kept: &Kept, known: &str) -> String {
    let columns: Vec<_> = COLUMNS.into_iter().filter(|(mode, _)| kept.keys().any(|(of, _)| of == mode)).collect();
    let mut page = String::from(
        "How many runs of guest programs passed, by the chapter of the programs. Where some did not, `of` says how many there were. On \
         x86-64 programs run with each of their numbers of ranks; elsewhere with one and two, or what else they need, and in jobs of \
         two kinds with two and four. In the interpreter programs with threads pass by being refused. AArch64, riscv64 and s390x are \
         emulated by qemu's user mode, Windows by wine. [Which kinds are tested](#which-kinds-are-tested) says what else was tried \
         on each.\n\n",
    );
    page += &format!("| |{}\n|---|{}\n", row(&columns, |(_, title)| (*title).into()), row(&columns, |_| "---:".into()));
    let chapters: BTreeSet<&String> = kept.keys().map(|(_, chapter)| chapter).collect();
    for chapter in chapters {
        let cell = |(mode, _): &(&str, &str)| match kept.get(&((*mode).into(), chapter.clone())) {
            None => String::new(),
            Some((passed, _, all)) => of(*passed, *all),
        };
        page += &format!("| {chapter} |{}\n", row(&columns, cell));
    }
    let sum = |(mode, _): &(&str, &str)| {
        let counts = || kept.iter().filter(|((of, _), _)| of == mode).map(|(_, counts)| counts);
        of(counts().map(|(passed, ..)| passed).sum(), counts().map(|(.., all)| all).sum())
    };
    page += &format!("| **all** |{}\n\n## What is known to fail\n\n", row(&columns, sum));
    for line in known.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (what, why) = line.split_once(": ").unwrap_or((line, ""));
        let (mode, guest) = what.split_once(' ').unwrap_or((what, ""));
        let title = COLUMNS.into_iter().find(|(of, _)| *of == mode).map_or(mode, |(_, title)| title);
        page += &format!("- {title}: `{guest}`: {why}\n");
    }
    page
}

fn of(passed: usize, all: usize) -> String {
    if passed == all { passed.to_string() } else { format!("{passed} of {all}") }
}

fn row(columns: &[(&str, &str)], cell: impl Fn(&(&str, &str)) -> String) -> String {
    columns.iter().map(|column| format!(" {} |", cell(column))).collect()
}
