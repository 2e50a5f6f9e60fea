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
mod tag;

pub use between::{Between, Doing, RankCloud, RankPart, Wanted};
use bytes::{Bytes, Put};
pub use description::{Axis, Description, LONGEST_LABEL, is_label};
pub use field::{Arrows, Cut, Field, MOST_ARROWS, Part, Vectors};
pub use points::{Cloud, MOST_POINTS, Points};
pub use ranks::{Load, Memory, Ranks};
use tag::{AskedTag, KindTag, SaidTag};

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
            Said::Hello { program, ranks } => put.tag(SaidTag::Hello).text(program).word(*ranks),
            Said::Field(field) => {
                field.put(&mut put);
                &mut put
            }
            Said::Curve { name, from, points } => {
                put.tag(SaidTag::Curve).text(name).word(*from).word(points.len() as u32);
                for [x, y] in points {
                    put.double(*x).double(*y);
                }
                &mut put
            }
            Said::Text { name, text } => put.tag(SaidTag::Text).text(name).text(text),
            Said::Control { id, name, kind, value } => {
                put.tag(SaidTag::Control).word(*id).text(name).double(*value);
                match kind {
                    Kind::Number { least, greatest, step } => {
                        put.tag(KindTag::Number).double(*least).double(*greatest).double(*step)
                    }
                    Kind::Choice(labels) => {
                        put.tag(KindTag::Choice).word(labels.len() as u32);
                        for label in labels {
                            put.text(label);
                        }
                        &mut put
                    }
                    Kind::Button => put.tag(KindTag::Button),
                }
            }
            Said::Paused(paused) => put.tag(SaidTag::Paused).byte(u8::from(*paused)),
            Said::Notice(text) => put.tag(SaidTag::Notice).text(text),
            Said::Ended(text) => put.tag(SaidTag::Ended).text(text),
            Said::Ranks(ranks) => {
                ranks.put(&mut put);
                &mut put
            }
            Said::Traffic { rows, bytes } => {
                put.tag(SaidTag::Traffic).word(*rows);
                for bytes in bytes {
                    put.double(*bytes);
                }
                &mut put
            }
            Said::Recording { moments, length, note } => {
                put.tag(SaidTag::Recording).word(*moments).double(*length).text(note)
            }
            Said::Anew => put.tag(SaidTag::Anew),
            Said::At { moment, time, speed } => put.tag(SaidTag::At).word(*moment).double(*time).double(*speed),
            Said::Points(points) => {
                points.put(put.tag(SaidTag::Points));
                &mut put
            }
            Said::Description(description) => {
                description.put(put.tag(SaidTag::Description));
                &mut put
            }
            Said::Untold(text) => put.tag(SaidTag::Untold).text(text),
        };
        put.0
    }

    /// Whether bytes are a message of traffic, if they are one.
    pub fn is_traffic(bytes: &[u8]) -> bool {
        bytes.first().copied().and_then(SaidTag::of) == Some(SaidTag::Traffic)
    }

    /// The message that these bytes are.
    pub fn read(bytes: &[u8]) -> Option<Said> {
        let mut bytes = Bytes(bytes);
        let said = match SaidTag::of(bytes.byte()?)? {
            SaidTag::Hello => Said::Hello { program: bytes.text()?, ranks: bytes.word()? },
            tag @ (SaidTag::Field | SaidTag::Cut | SaidTag::Arrows) => Said::Field(Field::read(&mut bytes, tag)?),
            SaidTag::Curve => {
                let (name, from) = (bytes.text()?, bytes.word()?);
                let points = bytes.list(16, |bytes| Some([bytes.double()?, bytes.double()?]))?;
                Said::Curve { name, from, points }
            }
            SaidTag::Text => Said::Text { name: bytes.text()?, text: bytes.text()? },
            SaidTag::Control => {
                let (id, name, value) = (bytes.word()?, bytes.text()?, bytes.double()?);
                let kind = match KindTag::of(bytes.byte()?)? {
                    KindTag::Number => {
                        Kind::Number { least: bytes.double()?, greatest: bytes.double()?, step: bytes.double()? }
                    }
                    KindTag::Choice => Kind::Choice(bytes.list(4, Bytes::text)?),
                    KindTag::Button => Kind::Button,
                };
                Said::Control { id, name, kind, value }
            }
            SaidTag::Paused => Said::Paused(bytes.byte()? != 0),
            SaidTag::Notice => Said::Notice(bytes.text()?),
            SaidTag::Ended => Said::Ended(bytes.text()?),
            tag @ (SaidTag::Ranks | SaidTag::Load) => Said::Ranks(Ranks::read(&mut bytes, tag)?),
            SaidTag::Traffic => {
                let rows = bytes.word()?;
                let count = usize::try_from(u64::from(rows) * u64::from(rows))
                    .ok()
                    .filter(|count| *count <= bytes.0.len() / 8)?;
                let bytes = (0..count).map(|_| bytes.double()).collect::<Option<_>>()?;
                Said::Traffic { rows, bytes }
            }
            SaidTag::Recording => {
                Said::Recording { moments: bytes.word()?, length: bytes.double()?, note: bytes.text()? }
            }
            SaidTag::Anew => Said::Anew,
            SaidTag::At => Said::At { moment: bytes.word()?, time: bytes.double()?, speed: bytes.double()? },
            SaidTag::Points => Said::Points(Points::read(&mut bytes)?),
            SaidTag::Description => Said::Description(Description::read(&mut bytes)?),
            SaidTag::Untold => Said::Untold(bytes.text()?),
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
            Asked::Set { id, value } => put.tag(AskedTag::Set).word(id).double(value),
            Asked::Drawn => put.tag(AskedTag::Drawn),
            Asked::Size(pixels) => put.tag(AskedTag::Size).word(pixels),
            Asked::Pause(pause) => put.tag(AskedTag::Pause).byte(u8::from(pause)),
            Asked::Step => put.tag(AskedTag::Step),
            Asked::Show(moment) => put.tag(AskedTag::Show).word(moment),
            Asked::Play(speed) => put.tag(AskedTag::Play).double(speed),
            Asked::Cut { field, across, index } => put.tag(AskedTag::Cut).words(&[field, across, index]),
        };
        put.0
    }

    /// The message that these bytes are.
    pub fn read(bytes: &[u8]) -> Option<Asked> {
        let mut bytes = Bytes(bytes);
        let asked = match AskedTag::of(bytes.byte()?)? {
            AskedTag::Set => Asked::Set { id: bytes.word()?, value: bytes.double()? },
            AskedTag::Drawn => Asked::Drawn,
            AskedTag::Size => Asked::Size(bytes.word()?),
            AskedTag::Pause => Asked::Pause(bytes.byte()? != 0),
            AskedTag::Step => Asked::Step,
            AskedTag::Show => Asked::Show(bytes.word()?),
            AskedTag::Play => Asked::Play(bytes.double()?),
            AskedTag::Cut => Asked::Cut { field: bytes.word()?, across: bytes.word()?, index: bytes.word()? },
        };
        bytes.0.is_empty().then_some(asked)
    }
}

#[cfg(test)]
mod tests;
