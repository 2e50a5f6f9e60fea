//! What nodes tell each other, byte by byte.
//!
//! A *letter* is what the wire carries at once: a head of [`HEAD`] bytes, then frames. A *frame* begins with its kind and a
//! flag, and everything is little-endian, without gaps, and of one form only: what was read is written as the same bytes.
//! Whoever reads takes nothing on trust. That the bytes are frames is seen here; whether their numbers mean anything is for
//! [`Node`](crate::Node) to see.

/// Changes with every change of what is here, of greetings, of calls and of what is told at the end.
pub const VERSION: u8 = 6;
/// Bytes before the frames of a letter.
pub const HEAD: usize = 16;
/// Bytes of a [`Frame::Message`] and of a [`Frame::Piece`] before those that they carry.
pub const BEFORE_BYTES: usize = 24;

const MAGIC: u16 = u16::from_le_bytes(*b"Rn");

/// The head of a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Which one it is from this node to that.
    pub sequence: u32,
    /// Letters of the other side that were read since the last one: it may send as many more.
    pub returned: u16,
    /// It is one of those that the other side has allowed, and has more than a few bytes.
    pub costs: bool,
}

/// Where a message goes and what its receiver goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Envelope {
    /// The rank of the job that it is for.
    pub to: u32,
    /// The communicator's context, with its plane.
    pub context: u32,
    /// The sender's rank in the communicator.
    pub source: i32,
    /// The tag.
    pub tag: i32,
}

/// What a wave has counted of nodes (see [`crate::Node`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    /// All ranks sleep or have left, and nothing is under way inside of the nodes.
    pub quiet: bool,
    /// All ranks have left.
    pub left: bool,
    /// Frames that count, sent to other nodes.
    pub sent: u64,
    /// Frames that count, taken from other nodes and dealt with.
    pub received: u64,
}

/// How a job ends on all of its nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All ranks have left, and nothing is under way.
    Finished,
    /// All ranks that have not left wait, and nothing is under way.
    Deadlock,
    /// A rank has ended it, with this status.
    Aborted {
        /// The rank.
        rank: u32,
        /// The status.
        code: i32,
    },
    /// A node is silent.
    Gone {
        /// The node.
        node: u32,
    },
    /// A node has sent what makes no sense.
    Broken {
        /// The node.
        node: u32,
    },
}

/// One thing that a node tells another. Numbers are given out by whoever will be asked by them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame<'a> {
    /// A message with all its bytes.
    Message {
        /// Where it goes.
        envelope: Envelope,
        /// The message.
        bytes: &'a [u8],
    },
    /// A message whose bytes stay with its sender until they are asked for.
    Offer {
        /// Where it goes.
        envelope: Envelope,
        /// How long it is.
        length: u64,
        /// The sender's number for it.
        number: u64,
    },
    /// An offer has found its receive.
    Ask {
        /// The offer.
        number: u64,
        /// The receiver's number for what comes.
        arrival: u64,
        /// How many bytes it has room for, from the first on.
        wanted: u64,
    },
    /// Some bytes that were asked for. They come in order.
    Piece {
        /// The receiver's number.
        arrival: u64,
        /// Which byte of the message the first one is.
        at: u64,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// The sender wants an offer back.
    TakeBack {
        /// The offer.
        number: u64,
        /// It is gone, whether it was matched or not: nobody is to wait for its bytes.
        anyway: bool,
    },
    /// What came of that, unless it was to be taken anyway.
    TakenBack {
        /// The offer.
        number: u64,
        /// Nobody had matched it.
        taken: bool,
    },
    /// A rank asks for a group that this node keeps.
    Fetch {
        /// The ticket that this node has given out for it.
        ticket: u32,
        /// The other's number for the answer.
        number: u64,
    },
    /// Some ranks of the group, in order.
    Fetched {
        /// The number that was given.
        number: u64,
        /// Whether there is such a group.
        found: bool,
        /// Ranks that are still to come.
        left: u32,
        /// Four bytes for each.
        ranks: &'a [u8],
    },
    /// A rank wants something of a window of this node; what the bytes mean is for the windows to know.
    Call {
        /// The other's number for the answer; 0 if none is to come.
        number: u64,
        /// What it wants.
        bytes: &'a [u8],
    },
    /// What came of a call.
    Answer {
        /// The number that was given.
        number: u64,
        /// The answer.
        bytes: &'a [u8],
    },
    /// So much lies unreceived at a rank that messages to it should be offered; or no longer.
    Full {
        /// The rank of the job.
        rank: u32,
        /// Whether it is so.
        full: bool,
    },
    /// Asks a part of the tree of nodes for what it has counted.
    Count {
        /// Which wave it is.
        wave: u64,
    },
    /// The answer.
    Counted {
        /// Which wave it was.
        wave: u64,
        /// What was counted.
        tally: Tally,
    },
    /// All ranks of a part of the tree have left.
    Left,
    /// The job ends.
    End(End),
    /// Nothing was heard for a while.
    Ping {
        /// Whether it is the answer.
        answer: bool,
    },
}

/// What cannot be a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The byte from which on it makes no sense.
    pub at: usize,
    /// What should be there.
    pub wanted: &'static str,
}

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "byte {} of a letter does not begin {}", self.at, self.wanted)
    }
}

mod kind {
    pub(super) const MESSAGE: u8 = 1;
    pub(super) const OFFER: u8 = 2;
    pub(super) const ASK: u8 = 3;
    pub(super) const PIECE: u8 = 4;
    pub(super) const TAKE_BACK: u8 = 5;
    pub(super) const TAKEN_BACK: u8 = 6;
    pub(super) const FETCH: u8 = 7;
    pub(super) const FETCHED: u8 = 8;
    pub(super) const CALL: u8 = 9;
    pub(super) const ANSWER: u8 = 10;
    pub(super) const FULL: u8 = 16;
    pub(super) const COUNT: u8 = 17;
    pub(super) const COUNTED: u8 = 18;
    pub(super) const LEFT: u8 = 19;
    pub(super) const END: u8 = 20;
    pub(super) const PING: u8 = 21;
}

/// The bits of a [`Tally`].
const QUIET: u8 = 1;
const HAS_LEFT: u8 = 2;

impl Head {
    /// Writes it to the first bytes of a letter.
    pub fn write(&self, letter: &mut [u8]) {
        letter[..2].copy_from_slice(&MAGIC.to_le_bytes());
        letter[2] = VERSION;
        letter[3] = self.costs.into();
        letter[4..8].copy_from_slice(&self.sequence.to_le_bytes());
        letter[8..10].copy_from_slice(&self.returned.to_le_bytes());
        letter[10..HEAD].fill(0);
    }

    /// Reads it; what follows are frames.
    pub fn read(letter: &[u8]) -> Result<(Head, Frames<'_>), Malformed> {
        let mut reader = Reader { bytes: letter, at: 0 };
        let wanted = |at, wanted| Malformed { at, wanted };
        if reader.u16()? != MAGIC {
            return Err(wanted(0, "a letter"));
        }
        if reader.u8()? != VERSION {
            return Err(wanted(2, "one of this version"));
        }
        let costs = reader.truth()?;
        let (sequence, returned) = (reader.u32()?, reader.u16()?);
        if reader.take(HEAD - 10)?.iter().any(|&byte| byte != 0) {
            return Err(wanted(10, "zeroes"));
        }
        Ok((Head { sequence, returned, costs }, Frames(reader)))
    }
}

/// The frames of a letter, up to the first that is none.
#[derive(Clone, Debug)]
pub struct Frames<'a>(Reader<'a>);

impl<'a> Iterator for Frames<'a> {
    type Item = Result<Frame<'a>, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.at == self.0.bytes.len() {
            return None;
        }
        let frame = self.0.frame();
        if frame.is_err() {
            self.0.at = self.0.bytes.len();
        }
        Some(frame)
    }
}

impl Frame<'_> {
    /// Whether it may lead to anything at a rank: whoever looks for the end of all work counts it.
    pub fn counts(&self) -> bool {
        matches!(
            self,
            Frame::Message { .. }
                | Frame::Offer { .. }
                | Frame::Ask { .. }
                | Frame::Piece { .. }
                | Frame::TakeBack { .. }
                | Frame::TakenBack { .. }
                | Frame::Fetch { .. }
                | Frame::Fetched { .. }
                | Frame::Call { .. }
                | Frame::Answer { .. }
        )
    }

    /// Bytes that it takes.
    pub fn length(&self) -> usize {
        match self {
            Frame::Message { bytes, .. } | Frame::Piece { bytes, .. } => BEFORE_BYTES + bytes.len(),
            Frame::Offer { .. } => 4 + 16 + 16,
            Frame::Fetch { .. } => 4 + 4 + 8,
            Frame::Fetched { ranks, .. } => 4 + 8 + 4 + 4 + ranks.len(),
            Frame::Call { bytes, .. } | Frame::Answer { bytes, .. } => 4 + 8 + 4 + bytes.len(),
            Frame::Ask { .. } => 4 + 24,
            Frame::TakeBack { .. } | Frame::TakenBack { .. } | Frame::Count { .. } => 4 + 8,
            Frame::Full { .. } => 4 + 4,
            Frame::Counted { .. } => 4 + 24,
            Frame::Left | Frame::Ping { .. } => 4,
            Frame::End(_) => 4 + 8,
        }
    }

    /// Appends it to a letter.
    pub fn write(&self, letter: &mut Vec<u8>) {
        let begin = letter.len();
        let mut writer = Writer(letter);
        match *self {
            Frame::Message { envelope, bytes } => {
                writer.kind(kind::MESSAGE, 0);
                writer.envelope(&envelope);
                writer.counted(bytes);
            }
            Frame::Offer { envelope, length, number } => {
                writer.kind(kind::OFFER, 0);
                writer.envelope(&envelope);
                writer.u64s(&[length, number]);
            }
            Frame::Ask { number, arrival, wanted } => {
                writer.kind(kind::ASK, 0);
                writer.u64s(&[number, arrival, wanted]);
            }
            Frame::Piece { arrival, at, bytes } => {
                writer.kind(kind::PIECE, 0);
                writer.u64s(&[arrival, at]);
                writer.counted(bytes);
            }
            Frame::TakeBack { number, anyway } => {
                writer.kind(kind::TAKE_BACK, anyway.into());
                writer.u64s(&[number]);
            }
            Frame::TakenBack { number, taken } => {
                writer.kind(kind::TAKEN_BACK, taken.into());
                writer.u64s(&[number]);
            }
            Frame::Fetch { ticket, number } => {
                writer.kind(kind::FETCH, 0);
                writer.0.extend(ticket.to_le_bytes());
                writer.u64s(&[number]);
            }
            Frame::Fetched { number, found, left, ranks } => {
                writer.kind(kind::FETCHED, found.into());
                writer.u64s(&[number]);
                writer.0.extend(left.to_le_bytes());
                writer.counted(ranks);
            }
            Frame::Call { number, bytes } => {
                writer.kind(kind::CALL, 0);
                writer.u64s(&[number]);
                writer.counted(bytes);
            }
            Frame::Answer { number, bytes } => {
                writer.kind(kind::ANSWER, 0);
                writer.u64s(&[number]);
                writer.counted(bytes);
            }
            Frame::Full { rank, full } => {
                writer.kind(kind::FULL, full.into());
                writer.0.extend(rank.to_le_bytes());
            }
            Frame::Count { wave } => {
                writer.kind(kind::COUNT, 0);
                writer.u64s(&[wave]);
            }
            Frame::Counted { wave, tally } => {
                let Tally { quiet, left, sent, received } = tally;
                writer.kind(kind::COUNTED, (u8::from(quiet) * QUIET) | (u8::from(left) * HAS_LEFT));
                writer.u64s(&[wave, sent, received]);
            }
            Frame::Left => writer.kind(kind::LEFT, 0),
            Frame::End(end) => {
                let (flag, who, code) = match end {
                    End::Finished => (0, 0, 0),
                    End::Deadlock => (1, 0, 0),
                    End::Aborted { rank, code } => (2, rank, code),
                    End::Gone { node } => (3, node, 0),
                    End::Broken { node } => (4, node, 0),
                };
                writer.kind(kind::END, flag);
                writer.0.extend(who.to_le_bytes());
                writer.0.extend(code.to_le_bytes());
            }
            Frame::Ping { answer } => writer.kind(kind::PING, answer.into()),
        }
        debug_assert_eq!(letter.len() - begin, self.length());
    }
}

struct Writer<'a>(&'a mut Vec<u8>);

impl Writer<'_> {
    fn kind(&mut self, kind: u8, flag: u8) {
        self.0.extend([kind, flag, 0, 0]);
    }

    fn u64s(&mut self, words: &[u64]) {
        words.iter().for_each(|word| self.0.extend(word.to_le_bytes()));
    }

    fn envelope(&mut self, envelope: &Envelope) {
        let Envelope { to, context, source, tag } = envelope;
        self.0.extend(to.to_le_bytes());
        self.0.extend(context.to_le_bytes());
        self.0.extend(source.to_le_bytes());
        self.0.extend(tag.to_le_bytes());
    }

    fn counted(&mut self, bytes: &[u8]) {
        // A letter is far from having so many.
        self.0.extend((bytes.len() as u32).to_le_bytes());
        self.0.extend(bytes);
    }
}

/// Takes bytes apart that anybody may have sent.
#[derive(Clone, Debug)]
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let cut = Malformed { at: self.at, wanted: "what is long enough" };
        let end = self.at.checked_add(count).ok_or(cut)?;
        let taken = self.bytes.get(self.at..end).ok_or(cut)?;
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    fn u8(&mut self) -> Result<u8, Malformed> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    fn u16(&mut self) -> Result<u16, Malformed> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    fn u32(&mut self) -> Result<u32, Malformed> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn i32(&mut self) -> Result<i32, Malformed> {
        Ok(i32::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Result<u64, Malformed> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn truth(&mut self) -> Result<bool, Malformed> {
        let at = self.at;
        truth(self.u8()?, at)
    }

    fn envelope(&mut self) -> Result<Envelope, Malformed> {
        Ok(Envelope { to: self.u32()?, context: self.u32()?, source: self.i32()?, tag: self.i32()? })
    }

    fn counted(&mut self) -> Result<&'a [u8], Malformed> {
        let count = self.u32()?;
        self.take(usize::try_from(count).unwrap_or(usize::MAX))
    }

    fn frame(&mut self) -> Result<Frame<'a>, Malformed> {
        let at = self.at;
        let [kind, flag, rest @ ..] = self.array::<4>()?;
        let none = Malformed { at, wanted: "a frame" };
        if rest != [0; 2] {
            return Err(none);
        }
        let no_flag = if flag == 0 { Ok(()) } else { Err(none) };
        Ok(match kind {
            kind::MESSAGE => {
                no_flag?;
                Frame::Message { envelope: self.envelope()?, bytes: self.counted()? }
            }
            kind::OFFER => {
                no_flag?;
                Frame::Offer { envelope: self.envelope()?, length: self.u64()?, number: self.u64()? }
            }
            kind::ASK => {
                no_flag?;
                Frame::Ask { number: self.u64()?, arrival: self.u64()?, wanted: self.u64()? }
            }
            kind::PIECE => {
                no_flag?;
                Frame::Piece { arrival: self.u64()?, at: self.u64()?, bytes: self.counted()? }
            }
            kind::TAKE_BACK => Frame::TakeBack { anyway: truth(flag, at)?, number: self.u64()? },
            kind::TAKEN_BACK => Frame::TakenBack { taken: truth(flag, at)?, number: self.u64()? },
            kind::FETCH => {
                no_flag?;
                Frame::Fetch { ticket: self.u32()?, number: self.u64()? }
            }
            kind::FETCHED => Frame::Fetched {
                found: truth(flag, at)?,
                number: self.u64()?,
                left: self.u32()?,
                ranks: self.counted()?,
            },
            kind::CALL => {
                no_flag?;
                Frame::Call { number: self.u64()?, bytes: self.counted()? }
            }
            kind::ANSWER => {
                no_flag?;
                Frame::Answer { number: self.u64()?, bytes: self.counted()? }
            }
            kind::FULL => Frame::Full { full: truth(flag, at)?, rank: self.u32()? },
            kind::COUNT => {
                no_flag?;
                Frame::Count { wave: self.u64()? }
            }
            kind::COUNTED if flag & !(QUIET | HAS_LEFT) == 0 => {
                let wave = self.u64()?;
                let (quiet, left) = (flag & QUIET != 0, flag & HAS_LEFT != 0);
                Frame::Counted { wave, tally: Tally { quiet, left, sent: self.u64()?, received: self.u64()? } }
            }
            kind::LEFT => {
                no_flag?;
                Frame::Left
            }
            kind::END => Frame::End(match (flag, self.u32()?, self.i32()?) {
                (0, 0, 0) => End::Finished,
                (1, 0, 0) => End::Deadlock,
                (2, rank, code) => End::Aborted { rank, code },
                (3, node, 0) => End::Gone { node },
                (4, node, 0) => End::Broken { node },
                _ => return Err(none),
            }),
            kind::PING => Frame::Ping { answer: truth(flag, at)? },
            _ => return Err(none),
        })
    }
}

fn truth(byte: u8, at: usize) -> Result<bool, Malformed> {
    match byte {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Malformed { at, wanted: "a flag" }),
    }
}

/// Reads a letter whole, and writes it again: whether both are the same bytes. For those who feed it anything.
#[doc(hidden)]
pub fn reads_as_written(letter: &[u8]) -> Option<bool> {
    let (head, frames) = Head::read(letter).ok()?;
    let mut again = vec![0; HEAD];
    head.write(&mut again);
    for frame in frames {
        frame.ok()?.write(&mut again);
    }
    Some(again == letter)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Any frame with bytes from here.
    fn frame(kind: u8, words: [u64; 3], flag: bool, bytes: &[u8]) -> Frame<'_> {
        let [a, b, c] = words;
        let envelope = Envelope { to: a as u32, context: (a >> 32) as u32, source: b as i32, tag: (b >> 32) as i32 };
        match kind % 18 {
            0 => Frame::Message { envelope, bytes },
            1 => Frame::Offer { envelope, length: b, number: c },
            2 => Frame::Ask { number: a, arrival: b, wanted: c },
            3 => Frame::Piece { arrival: a, at: b, bytes },
            4 => Frame::TakeBack { number: a, anyway: flag },
            5 => Frame::TakenBack { number: a, taken: flag },
            6 => Frame::Full { rank: a as u32, full: flag },
            7 => Frame::Count { wave: a },
            8 => Frame::Counted { wave: a, tally: Tally { quiet: flag, left: b & 1 != 0, sent: b, received: c } },
            9 => Frame::Left,
            10 => Frame::End(if flag { End::Finished } else { End::Deadlock }),
            11 => Frame::End(End::Aborted { rank: a as u32, code: b as i32 }),
            14 => Frame::Fetch { ticket: a as u32, number: b },
            15 => Frame::Fetched { number: a, found: flag, left: b as u32, ranks: bytes },
            16 => Frame::Call { number: a, bytes },
            17 => Frame::Answer { number: a, bytes },
            12 => Frame::End(if flag { End::Gone { node: a as u32 } } else { End::Broken { node: a as u32 } }),
            _ => Frame::Ping { answer: flag },
        }
    }

    type Any = (u8, [u64; 3], bool, Vec<u8>);

    fn letter(head: Head, frames: &[Any]) -> Vec<u8> {
        let mut letter = vec![0; HEAD];
        head.write(&mut letter);
        frames.iter().for_each(|(kind, words, flag, bytes)| frame(*kind, *words, *flag, bytes).write(&mut letter));
        letter
    }

    fn any_frames() -> impl Strategy<Value = Vec<Any>> {
        prop::collection::vec(
            (any::<u8>(), any::<[u64; 3]>(), any::<bool>(), prop::collection::vec(any::<u8>(), 0..40)),
            0..8,
        )
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            (sequence, returned, costs) in any::<(u32, u16, bool)>(),
            frames in any_frames(),
        ) {
            let head = Head { sequence, returned, costs };
            let letter = letter(head, &frames);
            let (read, rest) = Head::read(&letter).unwrap();
            prop_assert_eq!(read, head);
            let rest: Vec<Frame<'_>> = rest.map(Result::unwrap).collect();
            let written: Vec<Frame<'_>> = frames.iter().map(|(k, w, f, b)| frame(*k, *w, *f, b)).collect();
            prop_assert_eq!(rest, written);
            prop_assert_eq!(reads_as_written(&letter), Some(true));
        }

        #[test]
        fn whatever_is_read_is_written_so(
            frames in any_frames(),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut letter = letter(Head { sequence: 7, returned: 1, costs: true }, &frames);
            for (at, byte) in changes {
                let at = at.index(letter.len());
                letter[at] = byte;
            }
            prop_assert_ne!(reads_as_written(&letter), Some(false));
            prop_assert_ne!(reads_as_written(&letter[..cut.index(letter.len())]), Some(false));
        }
    }

    #[test]
    fn another_version_is_told_apart() {
        let mut letter = letter(Head { sequence: 0, returned: 0, costs: false }, &[]);
        letter[2] = VERSION + 1;
        assert_eq!(
            Head::read(&letter).unwrap_err().to_string(),
            "byte 2 of a letter does not begin one of this version"
        );
        assert_eq!(Head::read(&letter[..3]).unwrap_err().at, 2);
    }

    #[test]
    fn lengths_beyond_the_letter_are_refused() {
        let mut letter = letter(Head { sequence: 0, returned: 0, costs: true }, &[(0, [0; 3], false, vec![1, 2, 3])]);
        let length = HEAD + 20;
        letter[length..length + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        let (_, mut frames) = Head::read(&letter).unwrap();
        assert!(frames.next().unwrap().is_err() && frames.next().is_none());
    }
}
