//! The file of a recording, as it is written.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use rankine_view_wire::Said;

use super::{HEAD, HEADER, Header, LONGEST, MAGIC, apart};

/// What is kept free for the words on how the job ended.
const RESERVE: u64 = 8 << 10;
/// Records of news are about as long as this, before they are compressed.
const NEWS: usize = 1 << 20;

/// A recording that is being written. Each record goes to the file at once and in one piece.
pub struct Tape {
    path: PathBuf,
    file: File,
    written: u64,
    limit: u64,
}

/// What became of a record.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// It is in the file.
    Whole,
    /// There was no room for it.
    Full,
}

impl Tape {
    /// Begins a recording of at most so many bytes. What is there already is written over if it is a recording, and nothing
    /// else is.
    pub fn create(path: &Path, limit: u64) -> Result<Tape> {
        let cannot = || format!("{} can't be written", path.display());
        let least = HEAD.len() as u64 + 2 * RESERVE;
        ensure!(limit >= least, "a limit of {limit} bytes is too small for a recording, which needs at least {least}");
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).with_context(cannot)?;
        let mut found = Vec::new();
        (&file).take(MAGIC as u64).read_to_end(&mut found).with_context(cannot)?;
        ensure!(
            found.is_empty() || found == HEAD[..MAGIC],
            "{} is there already, and is not a recording: it is not written over",
            path.display()
        );
        file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(&HEAD)).with_context(cannot)?;
        Ok(Tape { path: path.into(), file, written: HEAD.len() as u64, limit })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes that it may have.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Bytes that it has.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Messages that came at a time.
    pub(super) fn news(&mut self, micros: u64, messages: &[impl AsRef<[u8]>]) -> Result<Written> {
        let mut body = Vec::new();
        for message in messages {
            let message = message.as_ref();
            if !body.is_empty() && body.len() + message.len() > NEWS {
                if self.record(micros, 0, &body, RESERVE)? == Written::Full {
                    return Ok(Written::Full);
                }
                body.clear();
            }
            body.extend((message.len() as u32).to_le_bytes());
            body.extend(message);
        }
        if body.is_empty() { Ok(Written::Whole) } else { self.record(micros, 0, &body, RESERVE) }
    }

    /// A frame of the field, or of the points, with this number.
    pub(super) fn frame(&mut self, micros: u64, figure: usize, message: &[u8]) -> Result<Written> {
        self.record(micros, 1 + figure as u32, &apart(message), RESERVE)
    }

    /// The last words, for which there is room.
    pub(super) fn end(&mut self, micros: u64, how: &str) -> Result<()> {
        let how = how[..how.floor_char_boundary(RESERVE as usize / 2)].to_owned();
        let message = Said::Ended(how).to_bytes();
        let body = [&(message.len() as u32).to_le_bytes()[..], &message].concat();
        self.record(micros, 0, &body, 0).map(drop)
    }

    fn record(&mut self, micros: u64, kind: u32, raw: &[u8], reserve: u64) -> Result<Written> {
        let Some(length) = u32::try_from(raw.len()).ok().filter(|length| *length <= LONGEST) else {
            return Ok(Written::Full);
        };
        let body = lz4_flex::block::compress(raw);
        let header = Header { stored: body.len() as u32, raw: length, micros, kind, sum: 0 };
        let header = Header { sum: header.sum_with(&body), ..header };
        let size = (HEADER + body.len()) as u64;
        if self.written + size + reserve > self.limit {
            return Ok(Written::Full);
        }
        // In one piece: a job that is killed leaves a whole record, or the beginning of one.
        let record = [&header.to_bytes()[..], &body].concat();
        self.file.write_all(&record).with_context(|| format!("{} can't be written", self.path.display()))?;
        self.written += size;
        Ok(Written::Whole)
    }
}
