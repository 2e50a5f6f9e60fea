//! What came of all runs so far, kept in a file so that the ways can be run one after the other.

use super::list::Entry;
use super::run::{Outcome, Way};
use serde_json::{Map, Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The outcomes by way and entry.
pub struct Results {
    path: PathBuf,
    outcomes: Mutex<Map<String, Value>>,
}

impl Results {
    /// What a file has; nothing, if there is none yet.
    pub fn read(path: &Path) -> Result<Results, String> {
        let outcomes = match fs::read_to_string(path) {
            Ok(text) => serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?,
            Err(_) => Map::new(),
        };
        Ok(Results { path: path.to_path_buf(), outcomes: Mutex::new(outcomes) })
    }

    /// Notes an outcome.
    pub fn set(&self, entry: &Entry, way: Way, outcome: &Outcome) {
        let value = match outcome {
            Outcome::Pass => json!(["pass"]),
            Outcome::Fail(reason, _) => json!(["fail", reason]),
            Outcome::NotApplicable(reason) => json!(["n/a", reason]),
        };
        self.outcomes.lock().expect("nothing panics while it holds the lock").insert(key(entry, way), value);
    }

    /// The outcome of an entry, if it was run in that way.
    pub fn get(&self, entry: &Entry, way: Way) -> Option<Outcome> {
        let outcomes = self.outcomes.lock().expect("nothing panics while it holds the lock");
        let value = outcomes.get(&key(entry, way))?;
        let reason = || value[1].as_str().unwrap_or_default().to_string();
        Some(match value[0].as_str()? {
            "pass" => Outcome::Pass,
            "fail" => Outcome::Fail(reason(), String::new()),
            _ => Outcome::NotApplicable(reason()),
        })
    }

    /// Writes the file.
    pub fn write(&self) -> Result<(), String> {
        let outcomes = self.outcomes.lock().expect("nothing panics while it holds the lock");
        let folder = self.path.parent().expect("it lies in a folder");
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let text = serde_json::to_string_pretty(&*outcomes).map_err(|e| e.to_string())?;
        fs::write(&self.path, text).map_err(|e| format!("{}: {e}", self.path.display()))
    }
}

fn key(entry: &Entry, way: Way) -> String {
    format!("{} {}", way.name(), entry.name())
}
