//! What came of all runs so far, in a file for each way, so that ways, and parts of one, can be run one after the other
//! or beside each other. The whole suite takes hours: what a page was made of is kept with the sources (results/), and a
//! run of a part takes the place of what is known of that part.

use super::list::Entry;
use super::run::{Outcome, Way};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

/// The outcomes by way and entry.
pub struct Results {
    folder: PathBuf,
    outcomes: [Mutex<Map<String, Value>>; Way::ALL.len()],
}

impl Results {
    /// What the files of a folder have, and of all that they do not have, those that were kept; nothing, if there are
    /// none yet.
    pub fn read(folder: &Path, kept: &Path) -> Result<Results, String> {
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let both = |way| {
            let mut outcomes = read(kept, way)?;
            outcomes.extend(read(folder, way)?);
            Ok::<_, String>(outcomes)
        };
        let [native, local, mpi, nodes, wide] = Way::ALL.map(both);
        Ok(Results { folder: folder.to_path_buf(), outcomes: [native?, local?, mpi?, nodes?, wide?].map(Mutex::new) })
    }

    /// Keeps what is known of these entries, a line for each.
    pub fn keep(&self, kept: &Path, entries: &[Entry]) -> Result<(), String> {
        fs::create_dir_all(kept).map_err(|e| format!("{}: {e}", kept.display()))?;
        for way in Way::ALL {
            let outcomes = self.outcomes[way as usize].lock().expect("nothing panics while it holds the lock");
            let known = |entry: &Entry| Some((entry.name(), outcomes.get(&entry.name())?.clone()));
            let lines: BTreeMap<String, Value> = entries.iter().filter_map(known).collect();
            let lines: Vec<String> = lines.iter().map(|(name, value)| format!("{}: {value}", json!(name))).collect();
            let path = file(kept, way);
            fs::write(&path, format!("{{\n{}\n}}\n", lines.join(",\n")))
                .map_err(|e| format!("{}: {e}", path.display()))?;
        }
        Ok(())
    }

    /// Notes an outcome, and the time that the run took, also in the way's file: a run that is interrupted has not been
    /// for nothing.
    pub fn set(&self, entry: &Entry, way: Way, outcome: &Outcome, took: Duration) -> Result<(), String> {
        let (name, reason) = match outcome {
            Outcome::Pass => ("pass", ""),
            Outcome::Fail(reason, _) => ("fail", reason.as_str()),
            Outcome::NotApplicable(reason) => ("n/a", reason.as_str()),
        };
        let value = json!([name, reason, (took.as_secs_f64() * 1e3).round() / 1e3]);
        let mut outcomes = self.outcomes[way as usize].lock().expect("nothing panics while it holds the lock");
        let fail = |e: std::io::Error| format!("{}: {e}", self.folder.display());
        // Held until the function returns: another process may run another part of the suite.
        let beside = fs::File::create(self.folder.join(format!("{}.lock", way.name()))).map_err(fail)?;
        beside.lock().map_err(fail)?;
        outcomes.extend(read(&self.folder, way)?);
        outcomes.insert(entry.name(), value);
        let text = serde_json::to_string_pretty(&*outcomes).map_err(|e| e.to_string())?;
        let (draft, path) = (self.folder.join(format!("{}.new", way.name())), file(&self.folder, way));
        fs::write(&draft, text).and_then(|()| fs::rename(&draft, &path)).map_err(|e| format!("{}: {e}", path.display()))
    }

    /// The outcome of an entry, if it was run in that way.
    pub fn get(&self, entry: &Entry, way: Way) -> Option<Outcome> {
        let outcomes = self.outcomes[way as usize].lock().expect("nothing panics while it holds the lock");
        let value = outcomes.get(&entry.name())?;
        let reason = || value[1].as_str().unwrap_or_default().to_string();
        Some(match value[0].as_str()? {
            "pass" => Outcome::Pass,
            "fail" => Outcome::Fail(reason(), String::new()),
            _ => Outcome::NotApplicable(reason()),
        })
    }

    /// How long the run of an entry took, if it was run in that way.
    pub fn took(&self, entry: &Entry, way: Way) -> Option<Duration> {
        let outcomes = self.outcomes[way as usize].lock().expect("nothing panics while it holds the lock");
        Duration::try_from_secs_f64(outcomes.get(&entry.name())?[2].as_f64()?).ok()
    }
}

fn read(folder: &Path, way: Way) -> Result<Map<String, Value>, String> {
    match fs::read_to_string(file(folder, way)) {
        Ok(text) => serde_json::from_str(&text).map_err(|e| format!("{}: {e}", file(folder, way).display())),
        Err(_) => Ok(Map::new()),
    }
}

fn file(folder: &Path, way: Way) -> PathBuf {
    folder.join(format!("{}.json", way.name()))
}
