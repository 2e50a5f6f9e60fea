//! The file of a recording, as it is read. Whoever wrote it is not believed: lengths are compared with what is there before
//! anything is allocated, and the first record that is none is where the recording ends.

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use rankine_view_wire::{Description, Frame, Said};

use super::state::State;
use super::{HEAD, HEADER, Header, LONGEST, MAGIC, VERSIONS, together};
use crate::{MOST_FIGURES, SIZES};

/// What LZ4 makes of a byte at most.
const MOST_EACH: u64 = 255;
/// The most records of a file: one that is full of the shortest ones has no end.
const MOST_RECORDS: usize = 1 << 24;

/// A recording that can be read.
pub struct Recording {
    file: File,
    entries: Vec<Entry>,
    figures: Vec<Option<Kept>>,
    /// How many entries come before the end of each moment.
    moments: Vec<usize>,
    /// What all news say in the end.
    last: State,
    /// Why it ends where it does, if not with the job.
    pub(super) cut: Option<String>,
}

/// A record, and where it is.
#[derive(Copy, Clone, Debug)]
struct Entry {
    at: u64,
    header: Header,
}

/// What is known of a figure before its frames are read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Kept {
    kind: &'static str,
    name: String,
    frames: usize,
}

/// What is in a recording, in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents {
    /// The program and its ranks.
    pub program: Option<(String, u32)>,
    /// Until when.
    pub length: Duration,
    /// Whether it is a field or points, the name, and how many frames there are.
    pub figures: Vec<(&'static str, String, usize)>,
    /// Names of curves, and how many points each has in the end.
    pub curves: Vec<(String, usize)>,
    /// Names of texts.
    pub texts: Vec<String>,
    /// Names of controls, and their values in the end.
    pub controls: Vec<(String, f64)>,
    /// How the job ended, if that is in it.
    pub ended: Option<String>,
    /// Why it ends where it does, if not with the job.
    pub cut: Option<String>,
}

impl fmt::Debug for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording").field("entries", &self.entries.len()).finish_non_exhaustive()
    }
}

impl Recording {
    /// Opens a recording: looks through all of it, and notes where what is.
    pub fn open(path: &Path) -> Result<Recording> {
        let file = File::open(path).with_context(|| format!("{} can't be read", path.display()))?;
        Recording::read(file).with_context(|| format!("{}", path.display()))
    }

    pub(super) fn read(file: File) -> Result<Recording> {
        let size = file.metadata()?.len();
        let mut head = Vec::new();
        (&file).take(HEAD.len() as u64).read_to_end(&mut head)?;
        ensure!(head.starts_with(&HEAD[..MAGIC]), "this is not a recording of rankine run --record");
        ensure!(head.len() == HEAD.len(), "this recording ends in its head: nothing is in it");
        let version = u64::from_le_bytes(std::array::from_fn(|n| head[MAGIC + n]));
        ensure!(
            VERSIONS.contains(&version),
            "this recording is in version {version} of the format, and this rankine reads versions {} to {}: show it with the \
             rankine that has recorded it, or a later one",
            VERSIONS.start(),
            VERSIONS.end()
        );
        let mut recording = Recording {
            file,
            entries: Vec::new(),
            figures: vec![None; MOST_FIGURES],
            moments: Vec::new(),
            last: State::default(),
            cut: None,
        };
        let mut at = HEAD.len() as u64;
        while at < size {
            match recording.take(at, size) {
                Ok(next) => at = next,
                Err(error) => {
                    recording.cut = Some(format!("{error} (byte {at} of {size}): the recording is shown up to there"));
                    break;
                }
            }
        }
        if recording.cut.is_none() && recording.last.ended.is_none() {
            recording.cut = Some("the job was killed before its end was recorded, or it still runs".into());
        }
        ensure!(!recording.entries.is_empty(), "nothing is in this recording: {}", recording.cut.unwrap_or_default());
        recording.find_moments();
        Ok(recording)
    }

    /// Takes over the record that begins there; where the next one does.
    fn take(&mut self, at: u64, size: u64) -> Result<u64> {
        ensure!(self.entries.len() < MOST_RECORDS, "there are more records than a recording has");
        let left = size - at;
        ensure!(left >= HEADER as u64, "the last record is incomplete");
        let mut header = [0; HEADER];
        system::read_exact(&self.file, &mut header, at)?;
        let header = Header::read(&header);
        let stored = u64::from(header.stored);
        ensure!(stored <= left - HEADER as u64, "the last record is incomplete");
        let is_possible = header.raw <= LONGEST
            && u64::from(header.raw) <= stored.saturating_mul(MOST_EACH)
            && header.stored as usize <= lz4_flex::block::get_maximum_output_size(LONGEST as usize);
        let figure = header.kind.checked_sub(1).map(|figure| figure as usize);
        ensure!(is_possible && figure.is_none_or(|figure| figure < MOST_FIGURES), "a record is damaged");
        let is_later = self.entries.last().is_none_or(|last| last.header.micros <= header.micros);
        let entry = Entry { at, header };
        let body = self.body(entry)?;
        ensure!(is_later, "a record is older than the one before");
        match figure {
            None => {
                let raw = self.raw(entry, &body)?;
                apply(&mut self.last, &raw)?;
            }
            Some(number) => match &mut self.figures[number] {
                Some(kept) => kept.frames += 1,
                None => {
                    let frame = self.frame_of(entry, &body)?;
                    let (kind, name) = (frame.kind(), frame.name().to_owned());
                    ensure!(self.figures.iter().flatten().all(|kept| kept.name != name), "a record is damaged");
                    self.figures[number] = Some(Kept { kind, name, frames: 1 });
                }
            },
        }
        self.entries.push(entry);
        Ok(at + HEADER as u64 + stored)
    }

    /// A record's body as it is in the file.
    fn body(&self, Entry { at, header }: Entry) -> Result<Vec<u8>> {
        let mut body = vec![0; header.stored as usize];
        system::read_exact(&self.file, &mut body, at + HEADER as u64)?;
        // A fuzzer does not find sums.
        ensure!(cfg!(fuzzing) || header.sum_with(&body) == header.sum, "a record is damaged");
        Ok(body)
    }

    /// What it was compressed from.
    fn raw(&self, Entry { header, .. }: Entry, body: &[u8]) -> Result<Vec<u8>> {
        match lz4_flex::block::decompress(body, header.raw as usize) {
            Ok(raw) if raw.len() == header.raw as usize => Ok(raw),
            _ => bail!("a record is damaged"),
        }
    }

    fn frame_of(&self, entry: Entry, body: &[u8]) -> Result<Frame> {
        let frame = Said::read(&together(&self.raw(entry, body)?)).and_then(Frame::of);
        let is_sound = |frame: &Frame| match frame {
            Frame::Field(field) => field.is_sound(*SIZES.end()),
            Frame::Points(points) => points.is_sound(),
        };
        frame.filter(is_sound).context("a frame is damaged")
    }

    /// A page is shown whole moments: a round that has frames, with all news before it. Without frames each news are one.
    fn find_moments(&mut self) {
        let has_frames = self.entries.iter().any(|entry| entry.header.kind != 0);
        for (n, entry) in self.entries.iter().enumerate() {
            let next = self.entries.get(n + 1);
            let goes_on = next.is_some_and(|next| next.header.kind != 0 && next.header.micros == entry.header.micros);
            if (!has_frames || entry.header.kind != 0) && !goes_on {
                self.moments.push(n + 1);
            }
        }
        // What comes after the last frame is shown with it.
        if let Some(last) = self.moments.last_mut() {
            *last = self.entries.len();
        }
    }

    /// How many records it has.
    pub(super) fn entries(&self) -> usize {
        self.entries.len()
    }

    /// When a record was written, in microseconds since the job began.
    pub(super) fn micros(&self, entry: usize) -> u64 {
        self.entries[entry].header.micros
    }

    /// The number of the figure of which a record is a frame.
    pub(super) fn number_of_figure(&self, entry: usize) -> Option<usize> {
        self.entries[entry].header.kind.checked_sub(1).map(|number| number as usize)
    }

    /// The number of a figure.
    pub(super) fn number_of(&self, name: &str) -> Option<usize> {
        self.figures.iter().position(|kept| kept.as_ref().is_some_and(|kept| kept.name == name))
    }

    /// How many moments can be shown: one at least.
    pub(super) fn moments(&self) -> usize {
        self.moments.len()
    }

    /// How many entries a moment and those before it have.
    pub(super) fn end_of(&self, moment: usize) -> usize {
        self.moments[moment]
    }

    /// When a moment was. Of the last one: when its frames were.
    pub(super) fn time_of(&self, moment: usize) -> Duration {
        let entries = &self.entries[..self.moments[moment]];
        let frame = entries.iter().rev().find(|entry| entry.header.kind != 0).or(entries.last());
        Duration::from_micros(frame.map_or(0, |entry| entry.header.micros))
    }

    /// Until when there is something.
    pub(super) fn length(&self) -> Duration {
        Duration::from_micros(self.entries.last().map_or(0, |entry| entry.header.micros))
    }

    /// The messages of news among these entries.
    pub(super) fn news(&self, entries: std::ops::Range<usize>) -> Result<Vec<Said>> {
        let mut news = Vec::new();
        for entry in self.entries[entries].iter().filter(|entry| entry.header.kind == 0) {
            let raw = self.raw(*entry, &self.body(*entry)?)?;
            each(&raw, |said| {
                news.push(said);
                Some(())
            })?;
        }
        Ok(news)
    }

    /// What the news of these entries add to what was said before.
    pub(super) fn add(&self, state: &mut State, entries: std::ops::Range<usize>) -> Result<()> {
        for entry in self.entries[entries].iter().filter(|entry| entry.header.kind == 0) {
            apply(state, &self.raw(*entry, &self.body(*entry)?)?)?;
        }
        Ok(())
    }

    /// The last frame of each figure among these entries, as numbers of entries.
    pub(super) fn frames(&self, entries: std::ops::Range<usize>) -> Vec<usize> {
        let mut latest = [None; MOST_FIGURES];
        for n in entries {
            if let Some(figure) = self.entries[n].header.kind.checked_sub(1) {
                latest[figure as usize] = Some(n);
            }
        }
        latest.into_iter().flatten().collect()
    }

    /// The frame that an entry is.
    pub(super) fn frame(&self, entry: usize) -> Result<Frame> {
        let entry = self.entries[entry];
        let frame = self.frame_of(entry, &self.body(entry)?)?;
        let kept = self.figures[(entry.header.kind as usize).saturating_sub(1)].as_ref();
        let is_its = kept.is_some_and(|kept| kept.name == frame.name() && kept.kind == frame.kind());
        ensure!(is_its, "a frame is damaged");
        Ok(frame)
    }

    /// What the program has said of a figure in the end.
    pub fn description(&self, name: &str) -> Description {
        self.last.descriptions.get(name).cloned().unwrap_or_default()
    }

    /// What is in it.
    pub fn contents(&self) -> Contents {
        let State { hello, curves, texts, controls, ended, .. } = &self.last;
        Contents {
            program: hello.clone(),
            length: self.length(),
            figures: self.figures.iter().flatten().map(|kept| (kept.kind, kept.name.clone(), kept.frames)).collect(),
            curves: curves.iter().map(|(name, points)| (name.clone(), points.len())).collect(),
            texts: texts.keys().cloned().collect(),
            controls: controls.values().map(|(name, _, value)| (name.clone(), *value)).collect(),
            ended: ended.clone(),
            cut: self.cut.clone(),
        }
    }
}

/// Hands over all messages of news.
fn each(mut raw: &[u8], mut take: impl FnMut(Said) -> Option<()>) -> Result<()> {
    let next = |raw: &mut &[u8]| {
        let (length, rest) = raw.split_first_chunk::<4>()?;
        let (message, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        *raw = rest;
        Said::read(message)
    };
    while !raw.is_empty() {
        next(&mut raw).and_then(&mut take).context("a record is damaged")?;
    }
    Ok(())
}

fn apply(state: &mut State, raw: &[u8]) -> Result<()> {
    each(raw, |said| state.apply(said))
}

#[cfg(unix)]
mod system {
    use std::fs::File;
    use std::io::Result;
    use std::os::unix::fs::FileExt as _;

    /// Fills `bytes` from this place of a file on.
    pub(super) fn read_exact(file: &File, bytes: &mut [u8], at: u64) -> Result<()> {
        file.read_exact_at(bytes, at)
    }
}

#[cfg(windows)]
mod system {
    use std::fs::File;
    use std::io::{ErrorKind, Result};
    use std::os::windows::fs::FileExt as _;

    /// Fills `bytes` from this place of a file on.
    pub(super) fn read_exact(file: &File, mut bytes: &mut [u8], mut at: u64) -> Result<()> {
        while !bytes.is_empty() {
            match file.seek_read(bytes, at)? {
                0 => return Err(ErrorKind::UnexpectedEof.into()),
                read => (bytes, at) = (&mut bytes[read..], at + read as u64),
            }
        }
        Ok(())
    }
}
