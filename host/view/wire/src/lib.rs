//! What the page and its server say to each other: numbers in little-endian order, texts with their length before them.
//!
//! A message is the whole of one binary message of a WebSocket. Whoever reads it believes nothing: [`Said::read`] and
//! [`Asked::read`] give nothing for bytes that are no message. Read [`Said`] and [`Asked`] first; `bytes.rs` is how their
//! parts are written, [`mod@file`] what is exported, and [`Between`] what processes of one job say to each other.

mod between;
mod bytes;
pub mod colours;
mod description;
mod field;
pub mod file;
mod points;
mod ranks;

pub use between::{Between, RankCloud, RankPart, Wanted};
use bytes::{Bytes, Put};
pub use description::{Axis, Description, LONGEST_LABEL, is_label};
pub use field::{Arrows, Cut, Field, MOST_ARROWS, Part, Vectors};
pub use points::{Cloud, MOST_POINTS, Points};
pub use ranks::{Load, Memory, Ranks};

/// What the server says to a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// The first message: which program runs, and with how many ranks.
    Hello {
        /// The program.
        program: String,
        /// Its ranks.
        ranks: u32,
    },
    /// A field as it is at one step.
    Field(Field),
    /// Points of a curve from this index on; what the page has beyond it is no longer there.
    Curve {
        /// Its name.
        name: String,
        /// How many of its points come before.
        from: u32,
        /// x and y of each.
        points: Vec<[f64; 2]>,
    },
    /// A text in place of the one before.
    Text {
        /// Its name.
        name: String,
        /// What it says.
        text: String,
    },
    /// Something to steer by.
    Control {
        /// Its number among all controls.
        id: u32,
        /// Its name.
        name: String,
        /// What it is.
        kind: Kind,
        /// Its value, or the number of the choice.
        value: f64,
    },
    /// What the ranks did since the sample before.
    Ranks(Ranks),
    /// How many bytes each row of ranks has sent to each other one by now, row by row.
    Traffic {
        /// How many rows.
        rows: u32,
        /// Their square.
        bytes: Vec<f64>,
    },
    /// The program waits because a page asked for it, or goes on.
    Paused(bool),
    /// Something that was published wrongly.
    Notice(String),
    /// The job has ended.
    Ended(String),
    /// The first message of a recording.
    Recording {
        /// How many moments can be shown.
        moments: u32,
        /// How long the job was recorded, in seconds.
        length: f64,
        /// Why it ends where it does, if not with the job.
        note: String,
    },
    /// What follows is another moment of a recording, whole: all that was said before is past.
    Anew,
    /// The moment of a recording that is shown now; all of it has been said.
    At {
        /// Its number.
        moment: u32,
        /// Seconds since the job began.
        time: f64,
        /// How many times as fast as the job it goes on; 0 if it stands.
        speed: f64,
    },
    /// Points as they are at one step.
    Points(Points),
    /// What a program says of a field, points or a curve, in place of what it said before.
    Description(Description),
    /// What can't be told of the ranks of this job, and why.
    Untold(String),
}

/// What ranks publish together for a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Frame {
    /// A field.
    Field(Field),
    /// Points.
    Points(Points),
}

/// The first byte of a [`Said::Traffic`].
pub const TRAFFIC: u8 = 9;

/// What can be steered.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A number within bounds.
    Number {
        /// The least.
        least: f64,
        /// The greatest.
        greatest: f64,
        /// Between neighbouring values; 0 if any value will do.
        step: f64,
    },
    /// One of several.
    Choice(Vec<String>),
    /// Something to press.
    Button,
}

/// What a page asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Asked {
    /// A control is to have this value; of a button: it was pressed.
    Set {
        /// The control.
        id: u32,
        /// Its value.
        value: f64,
    },
    /// A field has been drawn: there is time for another.
    Drawn,
    /// So many rows and columns are enough.
    Size(u32),
    /// This plane of a field is to be shown.
    Cut {
        /// The field's number among all figures.
        field: u32,
        /// The dimension that it cuts across.
        across: u32,
        /// Where.
        index: u32,
    },
    /// The program shall wait, or go on.
    Pause(bool),
    /// It shall go on as far as the next point where it can wait.
    Step,
    /// This moment of a recording is to be shown.
    Show(u32),
    /// A recording is to go on so many times as fast as the job; 0: to stand.
    Play(f64),
}

impl Said {
    /// The message as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut put = Put::default();
        match self {
            Said::Hello { program, ranks } => put.byte(0).text(program).word(*ranks),
            Said::Field(field) => {
                field.put(&mut put);
                &mut put
            }
            Said::Curve { name, from, points } => {
                put.byte(2).text(name).word(*from).word(points.len() as u32);
                for [x, y] in points {
                    put.double(*x).double(*y);
                }
                &mut put
            }
            Said::Text { name, text } => put.byte(3).text(name).text(text),
            Said::Control { id, name, kind, value } => {
                put.byte(4).word(*id).text(name).double(*value);
                match kind {
                    Kind::Number { least, greatest, step } => {
                        put.byte(0).double(*least).double(*greatest).double(*step)
                    }
                    Kind::Choice(labels) => {
                        put.byte(1).word(labels.len() as u32);
                        for label in labels {
                            put.text(label);
                        }
                        &mut put
                    }
                    Kind::Button => put.byte(2),
                }
            }
            Said::Paused(paused) => put.byte(5).byte(u8::from(*paused)),
            Said::Notice(text) => put.byte(6).text(text),
            Said::Ended(text) => put.byte(7).text(text),
            Said::Ranks(ranks) => {
                ranks.put(&mut put);
                &mut put
            }
            Said::Traffic { rows, bytes } => {
                put.byte(TRAFFIC).word(*rows);
                for bytes in bytes {
                    put.double(*bytes);
                }
                &mut put
            }
            Said::Recording { moments, length, note } => put.byte(10).word(*moments).double(*length).text(note),
            Said::Anew => put.byte(11),
            Said::At { moment, time, speed } => put.byte(12).word(*moment).double(*time).double(*speed),
            Said::Points(points) => {
                points.put(put.byte(13));
                &mut put
            }
            Said::Description(description) => {
                description.put(put.byte(15));
                &mut put
            }
            Said::Untold(text) => put.byte(17).text(text),
        };
        put.0
    }

    /// The message that these bytes are.
    pub fn read(bytes: &[u8]) -> Option<Said> {
        let mut bytes = Bytes(bytes);
        let said = match bytes.byte()? {
            0 => Said::Hello { program: bytes.text()?, ranks: bytes.word()? },
            kind @ (field::PLAIN | field::CUT | field::WITH_ARROWS) => Said::Field(Field::read(&mut bytes, kind)?),
            2 => {
                let (name, from) = (bytes.text()?, bytes.word()?);
                let points = bytes.list(16, |bytes| Some([bytes.double()?, bytes.double()?]))?;
                Said::Curve { name, from, points }
            }
            3 => Said::Text { name: bytes.text()?, text: bytes.text()? },
            4 => {
                let (id, name, value) = (bytes.word()?, bytes.text()?, bytes.double()?);
                let kind = match bytes.byte()? {
                    0 => Kind::Number { least: bytes.double()?, greatest: bytes.double()?, step: bytes.double()? },
                    1 => Kind::Choice(bytes.list(4, Bytes::text)?),
                    2 => Kind::Button,
                    _ => return None,
                };
                Said::Control { id, name, kind, value }
            }
            5 => Said::Paused(bytes.byte()? != 0),
            6 => Said::Notice(bytes.text()?),
            7 => Said::Ended(bytes.text()?),
            kind @ (ranks::WITHOUT_LOAD | ranks::WITH_LOAD) => Said::Ranks(Ranks::read(&mut bytes, kind)?),
            TRAFFIC => {
                let rows = bytes.word()?;
                let count = usize::try_from(u64::from(rows) * u64::from(rows))
                    .ok()
                    .filter(|count| *count <= bytes.0.len() / 8)?;
                let bytes = (0..count).map(|_| bytes.double()).collect::<Option<_>>()?;
                Said::Traffic { rows, bytes }
            }
            10 => Said::Recording { moments: bytes.word()?, length: bytes.double()?, note: bytes.text()? },
            11 => Said::Anew,
            12 => Said::At { moment: bytes.word()?, time: bytes.double()?, speed: bytes.double()? },
            13 => Said::Points(Points::read(&mut bytes)?),
            15 => Said::Description(Description::read(&mut bytes)?),
            17 => Said::Untold(bytes.text()?),
            _ => return None,
        };
        bytes.0.is_empty().then_some(said)
    }
}

impl Frame {
    /// The frame that a message is.
    pub fn of(said: Said) -> Option<Frame> {
        match said {
            Said::Field(field) => Some(Frame::Field(field)),
            Said::Points(points) => Some(Frame::Points(points)),
            _ => None,
        }
    }

    /// The message that it is.
    pub fn said(self) -> Said {
        match self {
            Frame::Field(field) => Said::Field(field),
            Frame::Points(points) => Said::Points(points),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Frame::Field(field) => &field.name,
            Frame::Points(points) => &points.name,
        }
    }

    /// The program's step.
    pub fn step(&self) -> i64 {
        match self {
            Frame::Field(field) => field.step,
            Frame::Points(points) => points.step,
        }
    }

    /// What it is called where both are.
    pub fn kind(&self) -> &'static str {
        match self {
            Frame::Field(_) => "field",
            Frame::Points(_) => "points",
        }
    }
}

impl Asked {
    /// The message as bytes.
    pub fn to_bytes(self) -> Vec<u8> {
        let mut put = Put::default();
        match self {
            Asked::Set { id, value } => put.byte(0).word(id).double(value),
            Asked::Drawn => put.byte(1),
            Asked::Size(pixels) => put.byte(2).word(pixels),
            Asked::Pause(pause) => put.byte(3).byte(u8::from(pause)),
            Asked::Step => put.byte(4),
            Asked::Show(moment) => put.byte(5).word(moment),
            Asked::Play(speed) => put.byte(6).double(speed),
            Asked::Cut { field, across, index } => put.byte(7).words(&[field, across, index]),
        };
        put.0
    }

    /// The message that these bytes are.
    pub fn read(bytes: &[u8]) -> Option<Asked> {
        let mut bytes = Bytes(bytes);
        let asked = match bytes.byte()? {
            0 => Asked::Set { id: bytes.word()?, value: bytes.double()? },
            1 => Asked::Drawn,
            2 => Asked::Size(bytes.word()?),
            3 => Asked::Pause(bytes.byte()? != 0),
            4 => Asked::Step,
            5 => Asked::Show(bytes.word()?),
            6 => Asked::Play(bytes.double()?),
            7 => Asked::Cut { field: bytes.word()?, across: bytes.word()?, index: bytes.word()? },
            _ => return None,
        };
        bytes.0.is_empty().then_some(asked)
    }
}

#[cfg(test)]
mod tests;
