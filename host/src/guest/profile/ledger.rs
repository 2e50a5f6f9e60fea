//! What has been counted, as it is passed on and added up.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::Recorder;
use crate::report::trap;
use rankine_rewrite::sites::Site;

/// What one rank has done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Ledger {
    pub(super) rank: String,
    /// Seconds that its program has run.
    pub(super) seconds: f64,
    pub(super) lines: Vec<Line>,
}

/// Calls of a function from a place.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Line {
    pub(super) function: String,
    pub(super) place: String,
    pub(super) calls: u64,
    pub(super) bytes: u64,
    pub(super) seconds: f64,
    /// How much of that it waited for others, where that is known.
    pub(super) waiting: Option<f64>,
}

/// A ledger for each rank, which has perhaps several instances.
pub(super) fn of(recorders: &[Arc<Recorder>], knows_waiting: bool) -> Vec<Ledger> {
    let places = places(recorders);
    let mut ledgers: BTreeMap<_, Ledger> = BTreeMap::new();
    for recorder in recorders {
        let now = Instant::now();
        let counted = recorder.counted();
        let seconds = counted.ended.unwrap_or(now).saturating_duration_since(recorder.began).as_secs_f64();
        let ledger = ledgers.entry(recorder.who).or_insert_with(|| Ledger {
            rank: recorder.who.label(),
            seconds: 0.0,
            lines: Vec::new(),
        });
        ledger.seconds = ledger.seconds.max(seconds);
        for (&key, entry) in &counted.entries {
            // Calls that go on count as far as they have gone.
            let open = counted.open.iter().filter(|open| open.key == key);
            let under_way = open.map(|open| now.saturating_duration_since(open.since).saturating_sub(open.inner));
            ledger.lines.push(Line {
                function: recorder.sites.functions[key as u32 as usize].name.clone(),
                place: places
                    .get(&(list_of(recorder), (key >> 32) as u32))
                    .map_or_else(|| POINTER.into(), String::clone),
                calls: entry.calls,
                bytes: entry.bytes,
                seconds: (entry.time + under_way.sum::<Duration>()).as_secs_f64(),
                waiting: knows_waiting.then_some(entry.waiting.as_secs_f64()),
            });
        }
    }
    ledgers.into_values().collect()
}

/// Places that were met, in words: by the address of their program's list, and their number in it.
type Places = HashMap<(usize, u32), String>;

fn list_of(recorder: &Recorder) -> usize {
    Arc::as_ptr(&recorder.sites).addr()
}

/// Those of each program are looked for on one way through its debug information.
fn places(recorders: &[Arc<Recorder>]) -> Places {
    let mut met: HashMap<usize, (&Recorder, BTreeSet<u32>)> = HashMap::new();
    for recorder in recorders {
        let (_, numbers) = met.entry(list_of(recorder)).or_insert((recorder, BTreeSet::new()));
        numbers.extend(recorder.counted().entries.keys().map(|key| (key >> 32) as u32));
    }
    let mut places = Places::new();
    for (list, (recorder, numbers)) in met {
        let lines = numbers.iter().filter_map(|&number| Some(((list, number), recorder.symbols.line(number)?)));
        places.extend(lines);
        let sites = numbers.iter().filter_map(|&number| Some((number, recorder.sites.places.get(number as usize)?)));
        let sites: Vec<(u32, &Site)> = sites.collect();
        let found = recorder.symbols.places(&sites.iter().map(|(_, site)| site.offset).collect::<Vec<_>>());
        places.extend(sites.iter().zip(found).map(|((number, site), found)| {
            let words = trap::place_in_words(site.function.as_deref(), site.offset, &found);
            ((list, *number), words)
        }));
    }
    places
}

/// The place of calls that are made through pointers.
const POINTER: &str = "through a pointer";
