//! What is known of single tests: why one does not apply, and which failures are known. `notes.txt` beside this file
//! has the lines.

use super::list::Entry;
use super::run::Way;

/// A line of the file.
struct Note {
    kind: Kind,
    way: Option<Way>,
    /// The beginning of the names that it is about.
    tests: String,
    /// Whose the difference is, of a failure.
    whose: Option<String>,
    reason: String,
}

/// Whose a difference can be: the test takes for granted what the standard does not say, or we or the library differ.
const WHOSE: [&str; 3] = ["the test", "ours", "the library"];

#[derive(PartialEq, Eq)]
enum Kind {
    NotApplicable,
    Fails,
}

/// All lines of the file.
pub struct Notes(Vec<Note>);

impl Notes {
    /// Reads lines of the form `n/a WAY TESTS: REASON` or `fails WAY TESTS: WHOSE: REASON`; WAY may be `any`.
    pub fn read(text: &str) -> Result<Notes, String> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.map(|line| note(line).ok_or_else(|| format!("not a note: {line}"))).collect::<Result<_, _>>().map(Notes)
    }

    /// Why an entry does not apply to a way.
    pub fn not_applicable(&self, entry: &Entry, way: Way) -> Option<&str> {
        self.find(Kind::NotApplicable, entry, way).map(|note| note.reason.as_str())
    }

    /// Why an entry is known to fail in a way.
    pub fn fails(&self, entry: &Entry, way: Way) -> Option<&str> {
        self.find(Kind::Fails, entry, way).map(|note| note.reason.as_str())
    }

    /// Whose its failure is.
    pub fn whose(&self, entry: &Entry, way: Way) -> Option<&str> {
        self.find(Kind::Fails, entry, way)?.whose.as_deref()
    }

    /// The way's own note, or that of the way that it is a variety of.
    fn find(&self, kind: Kind, entry: &Entry, way: Way) -> Option<&Note> {
        let name = entry.name();
        let fits = |note: &&Note, way: Way| {
            let rest = name.strip_prefix(&note.tests);
            note.kind == kind
                && note.way.is_none_or(|only| only == way)
                && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', ' ']))
        };
        let of = |way| self.0.iter().find(|note| fits(note, way));
        of(way).or_else(|| of(way.kind()))
    }
}

fn note(line: &str) -> Option<Note> {
    let (head, reason) = line.split_once(": ")?;
    let mut words = head.splitn(3, ' ');
    let kind = match words.next()? {
        "n/a" => Kind::NotApplicable,
        "fails" => Kind::Fails,
        _ => return None,
    };
    let way = match words.next()? {
        "any" => None,
        name => Some(Way::ALL.into_iter().chain([Way::Large, Way::Mixed]).find(|way| way.name() == name)?),
    };
    let (whose, reason) = match kind {
        Kind::NotApplicable => (None, reason),
        Kind::Fails => {
            let (whose, reason) = reason.split_once(": ")?;
            (Some(WHOSE.into_iter().find(|known| *known == whose)?.to_owned()), reason)
        }
    };
    Some(Note { kind, way, tests: words.next()?.trim().into(), whose, reason: reason.trim().into() })
}

#[cfg(test)]
mod tests {
    use super::super::list::Expected;
    use super::*;

    #[test]
    fn a_note_is_about_whole_names() {
        let notes = Notes::read("# a comment\nfails local coll/bcast: ours: too slow\nn/a any io: no files\n").unwrap();
        let entry = |folder: &str, program: &str| Entry {
            folder: folder.into(),
            program: program.into(),
            ranks: 2,
            arguments: Vec::new(),
            expected: Expected::NoErrors,
            seconds: None,
            off: None,
            gigabytes: None,
        };
        assert_eq!(notes.fails(&entry("coll", "bcast"), Way::Local), Some("too slow"));
        assert_eq!(notes.whose(&entry("coll", "bcast"), Way::Local), Some("ours"));
        assert_eq!(notes.fails(&entry("coll", "bcast"), Way::Mpi), None);
        assert_eq!(notes.fails(&entry("coll", "bcast2"), Way::Local), None);
        assert_eq!(notes.not_applicable(&entry("io", "async"), Way::Native), Some("no files"));
        assert!(Notes::read("maybe local x: y").is_err());
        assert!(Notes::read("fails local x: nobody knows why").is_err());
        assert!(Notes::read("fails local x: theirs: slow").is_err());
    }
}
