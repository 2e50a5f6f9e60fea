//! Guests that are known to fail in a mode, and why (`tests/known.txt`).

use super::emulated::KINDS;
use super::{Mode, Places};
use std::collections::BTreeMap;
use std::fs;

/// The lines of the file: `MODE GUEST: REASON`, where GUEST is the
/// beginning of a name, by whole parts.
pub struct Known(BTreeMap<(String, String), String>);

/// The modes that the list may name, beside those of emulators.
const NOTED: [Mode; 10] = [
    Mode::Interpreted,
    Mode::Mixed,
    Mode::Nodes,
    Mode::MixedNodes,
    Mode::Wine,
    Mode::Wide,
    Mode::WideNodes,
    Mode::WideMpi,
    Mode::Large,
    Mode::LargeMpi,
];

impl Known {
    /// Reads the list; says which line can't be understood.
    pub fn read(places: &Places) -> Result<Known, String> {
        let path = places.root.join("tests/known.txt");
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let mut known = BTreeMap::new();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let wrong = || format!("{}: not `MODE GUEST: REASON`: {line}", path.display());
            let (mode, rest) = line.split_once(' ').ok_or_else(wrong)?;
            let modes = NOTED.into_iter().chain(KINDS.map(Mode::Emulated));
            if !modes.map(Mode::name).any(|name| name == mode) {
                return Err(wrong());
            }
            let (guest, reason) = rest.split_once(": ").ok_or_else(wrong)?;
            known.insert((mode.to_string(), guest.to_string()), reason.to_string());
        }
        Ok(Known(known))
    }

    /// Why a guest fails, if it is known to. What fails on nodes of one kind does so on those of two, and what fails with 64-bit
    /// addresses above 4 GiB as well.
    pub fn reason(&self, mode: Mode, name: &str) -> Option<&str> {
        let also: &[Mode] = match mode {
            Mode::NodesInTurn | Mode::MixedNodes => &[Mode::Nodes],
            Mode::Large | Mode::WideMpi => &[Mode::Wide],
            Mode::LargeMpi => &[Mode::Large, Mode::WideMpi],
            Mode::WideNodes => &[Mode::Nodes, Mode::Wide],
            _ => &[],
        };
        if let Some(reason) = also.iter().find_map(|&also| self.reason(also, name)) {
            return Some(reason);
        }
        let parts = |end: &(usize, char)| end.1 == '/';
        let ends = name.char_indices().filter(parts).map(|(at, _)| at).chain([name.len()]);
        ends.filter_map(|end| self.0.get(&(mode.name(), name[..end].to_string()))).map(String::as_str).next()
    }
}
