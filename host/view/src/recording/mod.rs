//! Recordings: what a job has shown, in a file, and that file in a page.
//!
//! | module | what |
//! |---|---|
//! | `tape` | the file as it is written |
//! | `recorder` | what takes part in a view as a browser does, and writes |
//! | `reader` | the file as it is read; nothing in it is believed |
//! | `state` | what a page that has seen all up to some moment shows |
//! | `select`, `trace` | which frame is meant; all of it as a trace |
//! | `player` | one browser, and where in the recording it is |
//!
//! A file is a head and records, one after another. A record is whole or it is where the file ends: what a job that was
//! killed has left can be read. All numbers are in little-endian order.
//!
//! | bytes of a record | what |
//! |---|---|
//! | 4 | the length of its body |
//! | 4 | the length of what the body was compressed from |
//! | 8 | when, in microseconds since the job began |
//! | 4 | 0 for news, 1 + n for a frame of the nth figure: a field, or points |
//! | 4 | the CRC-32 of all of it but this |
//! | … | the body: LZ4, a block without a frame |
//!
//! News are messages to a page, each with its length before it in 4 bytes. A frame is one message, the bytes of whose words
//! stand apart: all first ones, then all second ones. What has changed since the round before has one time.

mod player;
mod reader;
mod recorder;
mod select;
mod state;
mod tape;
mod trace;

#[cfg(test)]
mod tests;

pub use reader::{Contents, Recording};
pub use recorder::{Outcome, Recorder};
pub use tape::Tape;

/// With what a file begins: bytes that no text has and that no transfer as text leaves alone, and the format's version.
const HEAD: [u8; 16] = *b"\x89RKV\r\n\x1a\n\x02\0\0\0\0\0\0\0";
/// The versions that are read. In the first one, samples of what the ranks do have only when they wait.
const VERSIONS: std::ops::RangeInclusive<u64> = 1..=2;
/// The part of the head that says that it is a recording, of whatever version.
const MAGIC: usize = 8;

/// Bytes of a record before its body.
const HEADER: usize = 24;

/// The most that a record's body was compressed from: a frame of as many cells as are ever shown, each a part of its own.
const LONGEST: u32 = 128 << 20;

/// What stands before a record's body.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Header {
    stored: u32,
    raw: u32,
    micros: u64,
    kind: u32,
    sum: u32,
}

impl Header {
    fn to_bytes(self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..4].copy_from_slice(&self.stored.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.raw.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.micros.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.kind.to_le_bytes());
        bytes[20..].copy_from_slice(&self.sum.to_le_bytes());
        bytes
    }

    fn read(bytes: &[u8; HEADER]) -> Header {
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|n| bytes[at + n]));
        let micros = u64::from_le_bytes(std::array::from_fn(|n| bytes[8 + n]));
        Header { stored: word(0), raw: word(4), micros, kind: word(16), sum: word(20) }
    }

    /// The sum of a record with this header and body.
    fn sum_with(self, body: &[u8]) -> u32 {
        let mut sum = crc32fast::Hasher::new();
        sum.update(&self.to_bytes()[..HEADER - 4]);
        sum.update(body);
        sum.finalize()
    }
}

/// The bytes of all words, apart: numbers of a field are alike in some of their bytes, and not in others.
fn apart(bytes: &[u8]) -> Vec<u8> {
    let (words, rest) = bytes.as_chunks::<4>();
    let mut apart = Vec::with_capacity(bytes.len());
    (0..4).for_each(|n| apart.extend(words.iter().map(|word| word[n])));
    apart.extend_from_slice(rest);
    apart
}

/// And together again.
fn together(apart: &[u8]) -> Vec<u8> {
    let words = apart.len() / 4;
    let mut bytes: Vec<u8> = (0..4 * words).map(|n| apart[n % 4 * words + n / 4]).collect();
    bytes.extend_from_slice(&apart[4 * words..]);
    bytes
}
