//! Where the time of a run goes: how long the trials of each chapter took, and which trials took longest.

use super::kinds::chapter;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

/// So many chapters and trials are shown, those that took longest.
const SHOWN: usize = 20;

/// How long the trials of each chapter took, and how many they were; and how long each trial took.
#[derive(Default)]
pub struct Times(Mutex<Spent>);

#[derive(Default)]
struct Spent {
    of_chapters: BTreeMap<String, (Duration, usize)>,
    of_trials: Vec<(Duration, String)>,
}

impl Times {
    /// A trial is over.
    pub fn note(&self, way: &str, name: &str, spent: Duration) {
        let mut all = self.0.lock().expect("nothing panics while it holds the lock");
        all.of_trials.push((spent, format!("{name} ({way})")));
        let (sum, trials) = all.of_chapters.entry(format!("{} ({way})", chapter(name))).or_default();
        *sum += spent;
        *trials += 1;
    }

    /// A line for each chapter, and then for each trial, of more than a second. Trials run side by side, so the sum is more than
    /// the time that passed.
    pub fn table(&self) -> String {
        let mut all = self.0.lock().expect("nothing panics while it holds the lock");
        all.of_trials.sort_by(|one, other| other.cmp(one));
        let mut long: Vec<_> = all.of_chapters.iter().filter(|(_, (spent, _))| spent.as_secs() >= 1).collect();
        long.sort_by_key(|(_, (spent, _))| std::cmp::Reverse(*spent));
        let line = |(chapter, (spent, trials)): &(&String, &(Duration, usize))| {
            format!("{:6} s  {trials:5} trials  {chapter}\n", spent.as_secs())
        };
        let line_of_one = |(spent, name): &(Duration, String)| format!("{:6} s  {name}\n", spent.as_secs());
        let longest = all.of_trials.iter().take(SHOWN).filter(|(spent, _)| spent.as_secs() >= 1);
        long.iter().take(SHOWN).map(line).chain(longest.map(line_of_one)).collect()
    }
}
