//! What a node keeps of another: letters that are not yet sent, and how many may be.

use std::collections::VecDeque;

use crate::frame::{BEFORE_BYTES, Frame, HEAD, Head, Malformed};
use crate::node::Limits;

/// Bytes of the next piece of a message that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stream {
    /// This node's number for the message.
    pub(crate) number: u64,
    /// The other's.
    pub(crate) arrival: u64,
    /// The first byte that was not sent.
    pub(crate) next: u64,
    /// Where it ends.
    pub(crate) end: u64,
}

/// What is on its way to another node.
#[derive(Debug)]
pub(crate) struct Peer {
    /// Frames in letters of their own, each without its head, in order.
    letters: VecDeque<Vec<u8>>,
    /// Bytes in `letters`.
    queued: usize,
    /// Frames that need no order among the others, and no permission.
    urgent: VecDeque<Vec<u8>>,
    /// Messages whose bytes go out a piece at a time, in turn.
    pub(crate) streams: VecDeque<Stream>,
    /// Whether it is a stream's turn.
    streams_turn: bool,
    /// Letters that may be sent.
    allowed: u16,
    /// Letters that were read and not yet allowed again.
    owed: u16,
    /// The number of the next letter to it, and of the next one from it.
    to: u32,
    from: u32,
    /// When it was last heard, and last asked whether it is there.
    pub(crate) heard: u64,
    pub(crate) asked: u64,
}

impl Peer {
    pub(crate) fn new(limits: &Limits) -> Peer {
        Peer {
            letters: VecDeque::new(),
            queued: 0,
            urgent: VecDeque::new(),
            streams: VecDeque::new(),
            streams_turn: false,
            allowed: limits.window,
            owed: 0,
            to: 0,
            from: 0,
            heard: 0,
            asked: 0,
        }
    }

    /// Bytes of frames that wait.
    pub(crate) fn queued(&self) -> usize {
        self.queued
    }

    /// Puts a frame into the last letter, or a new one.
    pub(crate) fn push(&mut self, frame: &Frame<'_>, limits: &Limits) {
        let length = frame.length();
        let letters = if frame.counts() {
            self.queued += length;
            &mut self.letters
        } else {
            &mut self.urgent
        };
        match letters.back_mut() {
            Some(letter) if letter.len() + length <= limits.room() => frame.write(letter),
            _ => {
                let mut letter = Vec::with_capacity(length);
                frame.write(&mut letter);
                letters.push_back(letter);
            }
        }
    }

    /// Whether a piece comes next, and not frames that wait.
    fn is_streams_turn(&self) -> bool {
        self.streams_turn && !self.streams.is_empty() || self.letters.is_empty()
    }

    /// Bytes of what comes next behind urgent frames.
    fn next_length(&self, limits: &Limits) -> usize {
        if !self.is_streams_turn() {
            return self.letters.front().map_or(0, Vec::len);
        }
        let left = self.streams.front().map_or(0, |stream| stream.end - stream.next);
        BEFORE_BYTES + left.min(limits.piece() as u64) as usize
    }

    /// Whether there is a letter to send.
    pub(crate) fn is_ready(&self, limits: &Limits) -> bool {
        let has_more = !self.letters.is_empty() || !self.streams.is_empty();
        !self.urgent.is_empty() || self.owed >= limits.enough() || has_more && self.allowed > 0
    }

    /// Whether something waits that may lead to something elsewhere.
    pub(crate) fn is_idle(&self) -> bool {
        self.streams.is_empty()
    }

    /// Writes the next letter, if there is one. A piece is made by `piece`, which fills the bytes that it is given.
    pub(crate) fn write(
        &mut self,
        limits: &Limits,
        letter: &mut Vec<u8>,
        piece: impl FnOnce(&Stream, &mut [u8]) -> bool,
    ) -> Option<Written> {
        if !self.is_ready(limits) {
            return None;
        }
        letter.clear();
        letter.resize(HEAD, 0);
        let urgent = self.urgent.pop_front().unwrap_or_default();
        letter.extend_from_slice(&urgent);
        let mut written = Written { ended: None, pieces: 0 };
        let has_more = !self.letters.is_empty() || !self.streams.is_empty();
        // What is urgent leaves at once, and what finds no room beside it follows in the next letter. A frame that is longer than
        // a letter is a letter by itself.
        let fits = urgent.is_empty() || urgent.len() + self.next_length(limits) <= limits.room();
        let costs = has_more && self.allowed > 0 && fits;
        if costs {
            self.allowed -= 1;
            if self.is_streams_turn() {
                written = self.write_piece(limits, letter, piece);
            } else if let Some(frames) = self.letters.pop_front() {
                self.queued -= frames.len();
                letter.extend(frames);
            }
            self.streams_turn = !self.streams_turn;
        }
        let head = Head { sequence: self.to, returned: std::mem::take(&mut self.owed), costs };
        head.write(letter);
        self.to = self.to.wrapping_add(1);
        Some(written)
    }

    fn write_piece(
        &mut self,
        limits: &Limits,
        letter: &mut Vec<u8>,
        piece: impl FnOnce(&Stream, &mut [u8]) -> bool,
    ) -> Written {
        const NOTHING: Written = Written { ended: None, pieces: 0 };
        let Some(mut stream) = self.streams.pop_front() else { return NOTHING };
        let begin = letter.len();
        let length = (stream.end - stream.next).min(limits.piece() as u64) as usize;
        let before = Frame::Piece { arrival: stream.arrival, at: stream.next, bytes: &[] };
        before.write(letter);
        let count = letter.len() - 4;
        letter[count..].copy_from_slice(&(length as u32).to_le_bytes());
        let start = letter.len();
        letter.resize(start + length, 0);
        if !piece(&stream, &mut letter[start..]) {
            letter.truncate(begin);
            return NOTHING;
        }
        stream.next += length as u64;
        let ended = (stream.next == stream.end).then_some(stream.number);
        if ended.is_none() {
            self.streams.push_back(stream);
        }
        Written { ended, pieces: 1 }
    }

    /// Takes note of the head of a letter that it has sent.
    pub(crate) fn hear(&mut self, head: Head, limits: &Limits, now: u64) -> Result<(), Malformed> {
        let wanted = |at, wanted| Malformed { at, wanted };
        if head.sequence != self.from {
            return Err(wanted(4, "the next letter"));
        }
        if head.costs && self.owed == limits.window {
            return Err(wanted(3, "a letter that was allowed"));
        }
        self.allowed = match self.allowed.checked_add(head.returned) {
            Some(allowed) if allowed <= limits.window => allowed,
            _ => return Err(wanted(8, "the number of letters that were read")),
        };
        self.from = self.from.wrapping_add(1);
        self.owed += u16::from(head.costs);
        self.heard = now;
        Ok(())
    }

    /// Forgets what a message that its sender has taken back would still send.
    pub(crate) fn forget(&mut self, number: u64) {
        self.streams.retain(|stream| stream.number != number);
    }
}

/// What has left with a letter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written {
    /// The message whose last byte is in it.
    pub(crate) ended: Option<u64>,
    /// Pieces in it.
    pub(crate) pieces: u64,
}
