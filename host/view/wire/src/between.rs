//! What the processes of a job say to each other where each has one rank, or those of a node, and the first of them has the page.

use crate::bytes::{Bytes, Put};
use crate::tag::BetweenTag;
use crate::{Field, Memory, Points, Said};

/// A letter from process to process.
#[derive(Clone, Debug, PartialEq)]
pub enum Between {
    /// To the first: what a page would be told of what this rank has published.
    Said(Said),
    /// To the first: this rank's part of a field.
    Part(RankPart),
    /// To the first: this rank's points.
    Cloud(RankCloud),
    /// To the first: what memory this rank has.
    Memory(Memory),
    /// To the first: what it wanted was published before this rank knew of it.
    Late {
        /// The figure.
        name: String,
        /// Which of its publications was wanted.
        turn: u64,
        /// The one that this rank comes to next.
        next: u64,
    },
    /// To the first: nothing more comes of this rank.
    Left,
    /// From the first: it wants every rank's part of a publication.
    Wanted(Wanted),
    /// To the first: what the ranks of this node do, in their order.
    Doing(Vec<Doing>),
    /// To the first: bytes that ranks of this node have sent since it was told last.
    Moved {
        /// The first row of ranks that has sent them.
        row: u32,
        /// Of each of its rows, those to each row of all ranks.
        bytes: Vec<f64>,
    },
}

/// What a rank of another node does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Doing {
    /// What memory it has.
    pub memory: Memory,
    /// For how many seconds it had waited before.
    pub waited: f64,
    /// For how many it waits now: 0 if it computes.
    pub waits: f64,
    /// In which call and for whom, if it waits.
    pub awaits: String,
}

/// A publication that is wanted of all ranks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    /// The figure.
    pub name: String,
    /// Which of its publications, as each rank counts its own, from 0.
    pub turn: u64,
    /// Across which dimension of three, and where, if the page has chosen that.
    pub cut: Option<[u32; 2]>,
    /// Rows and columns that suffice.
    pub size: u32,
}

/// A rank's part of a field.
#[derive(Clone, Debug, PartialEq)]
pub struct RankPart {
    /// How often the rank's steps have begun again.
    pub round: u32,
    /// Which of its publications of the field it is.
    pub turn: u64,
    /// The whole field's extents.
    pub shape: Vec<u32>,
    /// The first row and column of the rank's part of the plane, and how many there are.
    pub area: [[u32; 2]; 2],
    /// The rest, as pages are told it: one part.
    pub field: Field,
}

/// A rank's points.
#[derive(Clone, Debug, PartialEq)]
pub struct RankCloud {
    /// How often the rank's steps have begun again.
    pub round: u32,
    /// Which of its publications of the points it is.
    pub turn: u64,
    /// Of how many ranks there are points.
    pub ranks: u32,
    /// What is to be shown, if the program has said it.
    pub within: Option<[[f32; 2]; 3]>,
    /// The rest, as pages are told it: one part.
    pub points: Points,
}

impl Between {
    /// The letter as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut put = Put::default();
        match self {
            Between::Said(said) => {
                put.tag(BetweenTag::Said);
                put.0.extend(said.to_bytes());
            }
            Between::Part(RankPart { round, turn, shape, area, field }) => {
                put.tag(BetweenTag::Part).word(*round).long(*turn as i64).word(shape.len() as u32).words(shape);
                put.words(&area[0]).words(&area[1]);
                put.0.extend(Said::Field(field.clone()).to_bytes());
            }
            Between::Cloud(RankCloud { round, turn, ranks, within, points }) => {
                put.tag(BetweenTag::Cloud)
                    .word(*round)
                    .long(*turn as i64)
                    .word(*ranks)
                    .byte(u8::from(within.is_some()));
                if let Some(within) = within {
                    put.singles(within.as_flattened());
                }
                put.0.extend(Said::Points(points.clone()).to_bytes());
            }
            Between::Memory(memory) => {
                put.tag(BetweenTag::Memory);
                memory.put(&mut put);
            }
            Between::Late { name, turn, next } => {
                put.tag(BetweenTag::Late).text(name).long(*turn as i64).long(*next as i64);
            }
            Between::Left => {
                put.tag(BetweenTag::Left);
            }
            Between::Wanted(Wanted { name, turn, cut, size }) => {
                put.tag(BetweenTag::Wanted).text(name).long(*turn as i64).word(*size).byte(u8::from(cut.is_some()));
                if let Some(cut) = cut {
                    put.words(cut);
                }
            }
            Between::Doing(ranks) => {
                put.tag(BetweenTag::Doing).word(ranks.len() as u32);
                ranks.iter().for_each(|rank| rank.put(&mut put));
            }
            Between::Moved { row, bytes } => {
                put.tag(BetweenTag::Moved).word(*row).word(bytes.len() as u32);
                for number in bytes {
                    put.double(*number);
                }
            }
        }
        put.0
    }

    /// The letter that these bytes are.
    pub fn read(bytes: &[u8]) -> Option<Between> {
        let mut bytes = Bytes(bytes);
        let between = match BetweenTag::of(bytes.byte()?)? {
            BetweenTag::Said => return Some(Between::Said(Said::read(bytes.0)?)),
            BetweenTag::Part => {
                let (round, turn) = (bytes.word()?, bytes.long()? as u64);
                let shape = bytes.list(4, Bytes::word)?;
                let area = [bytes.words()?, bytes.words()?];
                let Said::Field(field) = Said::read(bytes.0)? else { return None };
                return Some(Between::Part(RankPart { round, turn, shape, area, field }));
            }
            BetweenTag::Cloud => {
                let (round, turn, ranks) = (bytes.word()?, bytes.long()? as u64, bytes.word()?);
                let pair = |bytes: &mut Bytes<'_>| Some([bytes.single()?, bytes.single()?]);
                let within = match bytes.byte()? {
                    0 => None,
                    _ => Some([pair(&mut bytes)?, pair(&mut bytes)?, pair(&mut bytes)?]),
                };
                let Said::Points(points) = Said::read(bytes.0)? else { return None };
                return Some(Between::Cloud(RankCloud { round, turn, ranks, within, points }));
            }
            BetweenTag::Memory => Between::Memory(Memory::read(&mut bytes)?),
            BetweenTag::Late => {
                Between::Late { name: bytes.text()?, turn: bytes.long()? as u64, next: bytes.long()? as u64 }
            }
            BetweenTag::Left => Between::Left,
            BetweenTag::Wanted => {
                let (name, turn, size) = (bytes.text()?, bytes.long()? as u64, bytes.word()?);
                let cut = if bytes.byte()? == 0 { None } else { Some(bytes.words()?) };
                Between::Wanted(Wanted { name, turn, cut, size })
            }
            BetweenTag::Doing => Between::Doing(bytes.list(Doing::LEAST, Doing::read)?),
            BetweenTag::Moved => Between::Moved { row: bytes.word()?, bytes: bytes.list(8, Bytes::double)? },
        };
        bytes.0.is_empty().then_some(between)
    }
}

impl Doing {
    /// Bytes of one that has no words.
    const LEAST: usize = 5 * 8 + 4;

    fn put(&self, put: &mut Put) {
        self.memory.put(put);
        put.double(self.waited).double(self.waits).text(&self.awaits);
    }

    fn read(bytes: &mut Bytes<'_>) -> Option<Doing> {
        let memory = Memory::read(bytes)?;
        Some(Doing { memory, waited: bytes.double()?, waits: bytes.double()?, awaits: bytes.text()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cloud, Part};

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let part = Part { start: [0, 1], count: [1, 2], values: vec![1.0, 2.0] };
        let (name, range) = ("u".to_owned(), [1.0, 2.0]);
        let field = Field {
            name: name.clone(),
            step: -3,
            shape: [4, 5],
            every: 2,
            range,
            cut: None,
            parts: vec![part],
            arrows: None,
        };
        let cloud = Cloud { count: 1, numbers: vec![1.0, 2.0] };
        let points = Points {
            name: name.clone(),
            step: 2,
            dimensions: 2,
            has_values: false,
            total: 1,
            every: 1,
            bounds: [[0.0, 1.0]; 3],
            range,
            parts: vec![cloud],
        };
        let (round, turn, shape) = (1, 1 << 40, vec![4, 5]);
        let of_cloud = |within| Between::Cloud(RankCloud { round, turn, ranks: 3, within, points: points.clone() });
        let wanted = |cut| Between::Wanted(Wanted { name: name.clone(), turn, cut, size: 500 });
        let letters = [
            Between::Said(Said::Text { name: name.clone(), text: "a".into() }),
            Between::Part(RankPart { round, turn, shape, area: [[0, 2], [2, 4]], field }),
            of_cloud(None),
            of_cloud(Some([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])),
            Between::Memory(Memory { guest: 1.0, host: 2.0, most: 4.0 }),
            Between::Late { name: name.clone(), turn, next: turn + 3 },
            Between::Left,
            wanted(None),
            wanted(Some([1, 7])),
            Between::Doing(vec![Doing::default(), Doing { waits: 2.0, awaits: "MPI_Recv".into(), ..Doing::default() }]),
            Between::Moved { row: 3, bytes: vec![1.0, 2.0] },
        ];
        for letter in letters {
            let bytes = letter.to_bytes();
            assert_eq!(Between::read(&bytes).as_ref(), Some(&letter));
            assert!((0..bytes.len()).all(|length| Between::read(&bytes[..length]).is_none()), "{letter:?}");
            assert_eq!(Between::read(&[&bytes[..], &[0]].concat()), None);
        }
    }
}
