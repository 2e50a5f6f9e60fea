//! The form in which a graph travels: a header, then the objects' bytes, one after another, in the order in which a
//! walk from the roots meets them.
//!
//! ```text
//! header   64 bytes, see `Header`
//! aliases  20 bytes each, see `Alias`: references that point into other objects
//! body     the roots' references, then every object's bytes
//! ```
//!
//! A reference is 0, or one more than the number of the object it refers to. Objects are numbered in breadth-first
//! order from the roots, so a reference to the next number introduces that object, and its type and length follow from
//! the reference: nothing else has to be written about it.

use rankine_abi::MPI_ERR_TYPE;
use rankine_guest::{Error, Result};

use crate::plan::Plan;

/// Bytes of the header.
pub const HEADER: usize = 64;
/// The first eight bytes of every image.
const MAGIC: [u8; 8] = *b"\x8bRnkOb1\n";
const NAME: std::ops::Range<usize> = 36..64;

/// What an image says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// That of the roots' type.
    pub fingerprint: u64,
    /// Bytes behind the header.
    pub bytes: u64,
    /// Objects, aliases among them.
    pub objects: u32,
    /// References in the array that travels.
    pub roots: u32,
    /// Objects that are part of others.
    pub aliases: u32,
    /// The sender's name of the roots' type, cut off where it is long.
    pub name: String,
}

impl Header {
    pub(crate) fn write(&self, image: &mut [u8]) {
        image[..8].copy_from_slice(&MAGIC);
        image[8..16].copy_from_slice(&self.fingerprint.to_le_bytes());
        image[16..24].copy_from_slice(&self.bytes.to_le_bytes());
        image[24..28].copy_from_slice(&self.objects.to_le_bytes());
        image[28..32].copy_from_slice(&self.roots.to_le_bytes());
        image[32..36].copy_from_slice(&self.aliases.to_le_bytes());
        let end = self.name.floor_char_boundary(NAME.len());
        image[NAME].fill(0);
        image[NAME][..end].copy_from_slice(&self.name.as_bytes()[..end]);
    }

    /// Reads the beginning of a message; nothing if it is no image.
    pub fn read(message: &[u8]) -> Option<Header> {
        let head: &[u8; HEADER] = message.first_chunk()?;
        let word = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().expect("four bytes"));
        let double = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        let name = head[NAME].split(|&byte| byte == 0).next().unwrap_or_default();
        (head[..8] == MAGIC).then(|| Header {
            fingerprint: double(8),
            bytes: double(16),
            objects: word(24),
            roots: word(28),
            aliases: word(32),
            name: String::from_utf8_lossy(name).into_owned(),
        })
    }

    /// Reads the header of a whole message that shall be objects of this plan's type.
    pub(crate) fn expect(message: &[u8], plan: &Plan) -> Result<Header> {
        let Some(header) = Header::read(message) else {
            let text = format!(
                "the message is {} plain bytes, not objects; this rank expects objects of the type {}",
                message.len(),
                plan.name()
            );
            return Err(Error::new(MPI_ERR_TYPE, text));
        };
        if header.fingerprint != plan.fingerprint {
            let text = format!(
                "the message is a graph of the type {} (fingerprint {:016x}), but this rank expects {} ({:016x}): the two descriptions differ",
                header.name,
                header.fingerprint,
                plan.name(),
                plan.fingerprint
            );
            return Err(Error::new(MPI_ERR_TYPE, text));
        }
        if header.bytes != (message.len() - HEADER) as u64 {
            let text = format!("the image says it has {} bytes, but {} came", header.bytes, message.len() - HEADER);
            return Err(Error::new(MPI_ERR_TYPE, text));
        }
        Ok(header)
    }
}

/// Reads a word of an image.
#[inline]
pub(crate) fn word(bytes: &[u8], at: usize) -> u32 {
    match bytes.get(at..at + 4) {
        Some(word) => u32::from_le_bytes([word[0], word[1], word[2], word[3]]),
        None => unreachable!("fields lie inside of objects, and objects inside of images"),
    }
}

/// Writes a word of an image.
#[inline]
pub(crate) fn put_word(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}
