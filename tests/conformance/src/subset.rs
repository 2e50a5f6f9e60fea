//! The selection that continuous integration runs: `subset.txt` beside this file names its programs.

use super::list::Entry;

/// The entries of the programs that the file names; an error for a name that the suite hasn't.
pub fn of(entries: Vec<Entry>) -> Result<Vec<Entry>, String> {
    let programs: Vec<&str> = include_str!("subset.txt")
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let program = |entry: &Entry| format!("{}/{}", entry.folder, entry.program);
    if let Some(unknown) = programs.iter().find(|name| !entries.iter().any(|entry| program(entry) == **name)) {
        return Err(format!("the suite has no {unknown}, which subset.txt names"));
    }
    Ok(entries.into_iter().filter(|entry| programs.contains(&program(entry).as_str())).collect())
}
