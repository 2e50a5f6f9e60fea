//! What the ranks did for a while.

use crate::bytes::{Bytes, Put};
use crate::tag::SaidTag;

/// What the ranks did for a while; those that share a row count together.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranks {
    /// The number of this sample.
    pub number: u64,
    /// When it was taken, in seconds since the job began.
    pub at: f64,
    /// How long it is, in seconds.
    pub span: f64,
    /// Ranks in a row.
    pub each: u32,
    /// The part of the time that each row has waited; no number where the engine can't tell.
    pub waited: Vec<f32>,
    /// For how many seconds each row waits now: 0 if it computes, less if its ranks have ended.
    pub waits: Vec<f32>,
    /// What each row has moved and holds. Recordings of before version 2 have nothing of it.
    pub load: Option<Load>,
}

/// What rows of ranks have moved, hold, and wait for: as many of each as there are rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Load {
    /// Bytes that the row has sent since the sample before; no number where the engine can't tell.
    pub sent: Vec<f64>,
    /// Bytes that it was sent.
    pub received: Vec<f64>,
    /// What it has of memory.
    pub memory: Vec<Memory>,
    /// In which call and for whom it waits: of the rank that has waited for longest, which is named where several share the
    /// row. Empty if none has waited for as long as a sample.
    pub awaits: Vec<String>,
}

/// Bytes that ranks have.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// Of their guests: memories and tables.
    pub guest: f64,
    /// What the host holds for them.
    pub host: f64,
    /// The most of both at a time.
    pub most: f64,
}

impl Memory {
    /// Of guests and host together.
    pub fn all(self) -> f64 {
        self.guest + self.host
    }

    pub(crate) fn put(self, put: &mut Put) {
        put.double(self.guest).double(self.host).double(self.most);
    }

    pub(crate) fn read(bytes: &mut Bytes<'_>) -> Option<Memory> {
        Some(Memory { guest: bytes.double()?, host: bytes.double()?, most: bytes.double()? })
    }
}

impl Ranks {
    pub(crate) fn put(&self, put: &mut Put) {
        put.tag(if self.load.is_some() { SaidTag::Load } else { SaidTag::Ranks });
        put.long(self.number as i64).double(self.at).double(self.span).word(self.each);
        put.word(self.waited.len() as u32).singles(&self.waited).singles(&self.waits);
        let Some(Load { sent, received, memory, awaits }) = &self.load else { return };
        for bytes in sent.iter().chain(received) {
            put.double(*bytes);
        }
        memory.iter().for_each(|memory| memory.put(put));
        for words in awaits {
            put.text(words);
        }
    }

    pub(crate) fn read(bytes: &mut Bytes<'_>, tag: SaidTag) -> Option<Ranks> {
        let (number, at, span, each) = (bytes.long()? as u64, bytes.double()?, bytes.double()?, bytes.word()?);
        let rows = bytes.word()?;
        let (waited, waits) = (bytes.singles(rows.into())?, bytes.singles(rows.into())?);
        // There are so many rows: what follows takes no more than that many times what came.
        let load = match tag {
            SaidTag::Ranks => None,
            _ => Some(Load {
                sent: each_row(rows, || bytes.double())?,
                received: each_row(rows, || bytes.double())?,
                memory: each_row(rows, || Memory::read(bytes))?,
                awaits: each_row(rows, || bytes.text())?,
            }),
        };
        Some(Ranks { number, at, span, each, waited, waits, load })
    }

    /// What the ranks of a row are called: `3`, or `6-8` where three share each.
    pub fn name(&self, row: usize) -> String {
        let (row, each) = (row as u64, u64::from(self.each.max(1)));
        if each == 1 { row.to_string() } else { format!("{}-{}", row * each, (row + 1) * each - 1) }
    }
}

fn each_row<T>(rows: u32, mut read: impl FnMut() -> Option<T>) -> Option<Vec<T>> {
    (0..rows).map(|_| read()).collect()
}
