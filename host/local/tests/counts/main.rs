//! What a call costs that no machine's mood changes: instructions and allocations, of both ranks of a pair that take turns on
//! one thread. `per-call.txt` has what they were; a call that costs more fails.
//!
//! Instructions are counted by callgrind. They depend on the compiler, which is pinned, and a little on the C library.

mod calls;
mod pair;

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, fs};

use calls::CALLS;
use pair::Pair;

/// How often each is called, the first time included, which may allocate what stays.
const TIMES: u64 = 200;
/// What another C library may change.
const SLACK: f64 = 0.03;
/// Set for the process that calls, which callgrind watches.
const CALLS_NOW: &str = "RANKINE_COUNTS_CALLS";
/// Set to `write` by `just counts --write`.
const WRITE: &str = "RANKINE_COUNTS";

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: the system's allocator does all of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: what the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: what the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// What one call costs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Cost {
    instructions: u64,
    allocations: u64,
}

#[test]
fn no_call_costs_more_than_it_did() {
    if env::var_os(CALLS_NOW).is_some() {
        return call_all();
    }
    // Elsewhere a call takes other instructions.
    if env::consts::ARCH != "x86_64" || env::consts::OS != "linux" {
        return;
    }
    let now = measured();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/counts/per-call.txt");
    if env::var_os(WRITE).is_some_and(|word| word == "write") {
        return fs::write(file, table(&now)).unwrap();
    }
    let noted = read(&fs::read_to_string(file).unwrap());
    let names: Vec<&String> = now.keys().collect();
    assert_eq!(names, noted.keys().collect::<Vec<_>>(), "per-call.txt has other calls: just counts --write");
    let more: String = now.iter().filter_map(|(name, now)| dearer(name, noted[name], *now)).collect();
    assert!(
        more.is_empty(),
        "calls cost more than per-call.txt says:\n{more}if that is right, `just counts --write` notes it"
    );
}

fn dearer(name: &str, noted: Cost, now: Cost) -> Option<String> {
    let most = (noted.instructions as f64 * (1.0 + SLACK)) as u64 + 10;
    let is_dearer = now.instructions > most || now.allocations > noted.allocations;
    let [was, is] =
        [noted, now].map(|cost| format!("{} instructions, {} allocations", cost.instructions, cost.allocations));
    is_dearer.then(|| format!("  {name}: {is}; they were {was}\n"))
}

/// Calls each, and prints how often it allocates.
#[expect(clippy::disallowed_macros, reason = "the process above reads it")]
fn call_all() {
    let pair = Pair::new();
    for (name, call) in CALLS {
        call(&pair);
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        (1..TIMES).for_each(|_| call(&pair));
        let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
        println!("\n{name} allocates {}", allocations / (TIMES - 1));
    }
}

/// Has this program call under callgrind.
fn measured() -> BTreeMap<String, Cost> {
    let folder = env::temp_dir().join(format!("rankine-counts-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let out = folder.join("callgrind");
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--compress-strings=no", "--compress-pos=no"]);
    valgrind.arg(format!("--callgrind-out-file={}", out.display())).arg(env::current_exe().unwrap());
    valgrind.args(["--exact", "no_call_costs_more_than_it_did", "--nocapture"]).env(CALLS_NOW, "1");
    let ran = valgrind.output().expect("valgrind is missing: ./x setup installs it (Debian's package valgrind)");
    let (printed, errors) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{printed}{errors}");
    let profile = fs::read_to_string(&out).unwrap();
    fs::remove_dir_all(&folder).unwrap();
    let allocations: BTreeMap<&str, u64> = printed
        .lines()
        .filter_map(|line| line.split_once(" allocates "))
        .map(|(name, count)| (name, count.parse().unwrap()))
        .collect();
    let cost = |name: &&str| Cost { instructions: instructions(&profile, name), allocations: allocations[name] };
    CALLS.iter().map(|(name, _)| ((*name).to_owned(), cost(name))).collect()
}

/// What one call of a function costs, with what it calls: a line of a call is followed by its cost.
fn instructions(profile: &str, name: &str) -> u64 {
    let ends = [format!("calls::{name}"), format!("5calls{}{name}", name.len())];
    let is_it =
        |function: &str| ends.iter().any(|end| function.contains(end.as_str()) && !function.contains("closure"));
    let (mut cost, mut calls, mut called) = (0, 0, false);
    let mut lines = profile.lines();
    while let Some(line) = lines.next() {
        if let Some(function) = line.strip_prefix("cfn=") {
            called = is_it(function);
        } else if let Some(rest) = line.strip_prefix("calls=") {
            let of_call = lines.next().unwrap_or_default();
            if std::mem::take(&mut called) {
                let number = |word: Option<&str>| word.and_then(|word| word.parse::<u64>().ok()).unwrap_or(0);
                calls += number(rest.split(' ').next());
                cost += number(of_call.split(' ').nth(1));
            }
        }
    }
    assert_eq!(calls, TIMES, "callgrind has not seen {name}");
    cost / calls
}

fn table(costs: &BTreeMap<String, Cost>) -> String {
    let mut text =
        "# Written by `just counts --write`: a call, instructions, allocations; of both ranks together.\n".to_owned();
    for (name, Cost { instructions, allocations }) in costs {
        writeln!(text, "{name} {instructions} {allocations}").unwrap();
    }
    text
}

fn read(text: &str) -> BTreeMap<String, Cost> {
    let cost = |line: &str| {
        let mut words = line.split(' ');
        let name = words.next()?.to_owned();
        let mut number = || words.next()?.parse().ok();
        Some((name, Cost { instructions: number()?, allocations: number()? }))
    };
    text.lines().filter(|line| !line.starts_with('#')).map(|line| cost(line).expect("a call and two numbers")).collect()
}
