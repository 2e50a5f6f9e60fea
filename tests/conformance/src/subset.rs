//! A selection that takes minutes: `subset.txt` beside this file names its folders and programs, for each way. `./x
//! test` runs it.

use super::list::Entry;
use super::run::Way;

/// The entries that the file names for a way, without those that it takes out; an error for a name that the suite hasn't.
pub fn of(entries: &[Entry], way: Way) -> Result<Vec<Entry>, String> {
    let lines = include_str!("subset.txt").lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = lines.filter_map(|line| line.strip_prefix(way.kind().name())?.strip_prefix(' ')).collect();
    let fits =
        |entry: &Entry, name: &str| entry.folder == name || format!("{}/{}", entry.folder, entry.program) == name;
    let out: Vec<&str> = names.iter().filter_map(|name| name.strip_prefix('!')).collect();
    let named: Vec<&str> = names.into_iter().filter(|name| !name.starts_with('!')).collect();
    if let Some(unknown) = named.iter().chain(&out).find(|name| !entries.iter().any(|entry| fits(entry, name))) {
        return Err(format!("the suite has no {unknown}, which subset.txt names"));
    }
    let is_in =
        |entry: &&Entry| named.iter().any(|name| fits(entry, name)) && !out.iter().any(|name| fits(entry, name));
    Ok(entries.iter().filter(is_in).cloned().collect())
}
