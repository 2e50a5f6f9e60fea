//! `docs/coverage.md`: every function of the ABI, the engines that have it, and the guests that call it. What a guest calls
//! is what its module imports, so it doesn't matter through which macros.

use super::Places;
use super::compile::Compiler;
use super::coverage::{functions_of, imports};
use super::guest::Guest;
use libtest_mimic::Failed;
use rankine_abi::{Chapter, FUNCTIONS, Function, Refusal};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::sync::Arc;

/// So many callers of a function are named.
const SHOWN: usize = 3;

/// The guests that call each function.
type Callers = BTreeMap<String, BTreeSet<String>>;

/// Compares the page with what the guests in `tests/guests` call. Where it differs, the right one is left in `target/`.
pub fn check(places: &Places, compiler: &Compiler, guests: &[Arc<Guest>]) -> Result<(), Failed> {
    let mut callers = Callers::new();
    for guest in guests {
        let Some(name) = guest.name.strip_prefix("guests/") else { continue };
        for variant in guest.variants() {
            for function in imports(&compiler.module(guest, variant)?)? {
                callers.entry(function).or_default().insert(format!("{name}{}", variant.suffix()));
            }
        }
    }
    let page = page(&functions_of(places, "local")?, &functions_of(places, "mpi")?, &callers);
    let path = places.root.join("docs/coverage.md");
    if fs::read_to_string(&path).is_ok_and(|old| old == page) {
        return Ok(());
    }
    let right = places.root.join("target/coverage.md");
    fs::write(&right, page).map_err(|e| format!("{}: {e}", right.display()))?;
    Err(format!("{} is not what the guests call: run `just coverage`, or take {}", path.display(), right.display())
        .into())
}

fn page(local: &BTreeSet<String>, mpi: &BTreeSet<String>, callers: &Callers) -> String {
    let mut out = String::from(
        "<!-- Written by `just coverage` from what the guest programs import. Do not edit. -->\n\n\
         # Coverage of MPI 5.0\n\n\
         Every function of the standard ABI with the engines that have it and the guest programs in `tests/guests` that \
         call it.\n`rankine info --functions` prints the same. What is marked * is an error of the call whatever it is \
         given: [the reasons](#always-an-error).\n\n\
         | chapter | functions | local | mpi | tested |\n|---|---:|---:|---:|---:|\n",
    );
    let mut row = |title: &str, functions: &[&Function]| {
        let count = |wanted: &dyn Fn(&str) -> bool| functions.iter().filter(|f| wanted(f.name)).count();
        let (all, tested) = (functions.len(), count(&|name| callers.contains_key(name)));
        let (local, mpi) = (count(&|name| local.contains(name)), count(&|name| mpi.contains(name)));
        writeln!(out, "| {title} | {all} | {local} | {mpi} | {tested} |").expect("a string takes all");
    };
    let of = |chapter: Chapter| FUNCTIONS.iter().filter(move |f| f.chapter == chapter).collect::<Vec<_>>();
    for chapter in Chapter::ALL {
        let anchor = chapter.title().to_lowercase().replace(',', "").replace(' ', "-");
        row(&format!("[{}](#{anchor})", chapter.title()), &of(chapter));
    }
    row("all", &FUNCTIONS.iter().collect::<Vec<_>>());
    for chapter in Chapter::ALL {
        out += &format!("\n## {}\n\n| function | local | mpi | tests |\n|---|---|---|---|\n", chapter.title());
        for function in of(chapter) {
            let has = |engine: &BTreeSet<String>, refuses: bool| match (engine.contains(function.name), refuses) {
                (true, true) => "yes*",
                (true, false) => "yes",
                (false, _) => "–",
            };
            let refuses = |of: fn(Refusal) -> bool| function.refuses.is_some_and(of);
            let old = function.deprecated.map_or(String::new(), |version| format!(" (deprecated in MPI-{version})"));
            let (local, mpi) = (has(local, refuses(|by| by.local)), has(mpi, refuses(|by| by.mpi)));
            let tests = shown(callers.get(function.name));
            out += &format!("| `{}`{old} | {local} | {mpi} | {tests} |\n", function.name);
        }
    }
    out + &always_an_error()
}

/// The functions that are marked.
fn always_an_error() -> String {
    let mut out = String::from("\n## Always an error\n\n| function | engine | why |\n|---|---|---|\n");
    for (function, refusal) in FUNCTIONS.iter().filter_map(|function| Some((function, function.refuses?))) {
        let engines = match refusal {
            Refusal { local: true, mpi: true, .. } => "both",
            Refusal { local: true, .. } => "local",
            Refusal { .. } => "mpi",
        };
        out += &format!("| `{}` | {engines} | {} |\n", function.name, refusal.why);
    }
    out
}

/// The first few callers.
fn shown(callers: Option<&BTreeSet<String>>) -> String {
    let Some(callers) = callers else { return "–".to_owned() };
    let mut text: String = callers.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if callers.len() > SHOWN {
        text += ", …";
    }
    text
}
