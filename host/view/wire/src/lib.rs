//! What the page and its server say to each other: numbers in little-endian order, texts with their length before them.
//!
//! A message is the whole of one binary message of a WebSocket. Whoever reads it believes nothing: [`Said::read`] and
//! [`Asked::read`] give nothing for bytes that are no message. Read [`Said`] and [`Asked`] first; `bytes.rs` is how their
//! parts are written, and [`file`] what is exported.

mod bytes;
pub mod colours;
pub mod file;
mod points;

use bytes::{Bytes, Put};
pub use points::{Cloud, MOST_POINTS, Points};

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

/// A field, reduced to every `every`th row and column.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// The program's step.
    pub step: i64,
    /// Rows and columns of the whole.
    pub shape: [u32; 2],
    /// One of so many rows and columns is here.
    pub every: u32,
    /// The least and the greatest finite number here; the first is larger than the second if there is none.
    pub range: [f32; 2],
    /// Where this is a plane of a field with three dimensions.
    pub cut: Option<Cut>,
    /// The ranks' parts, which cover the whole.
    pub parts: Vec<Part>,
}

/// A plane of a field with three dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The field's number among all figures.
    pub field: u32,
    /// The dimension that it cuts across.
    pub across: u32,
    /// Where.
    pub index: u32,
    /// All three dimensions.
    pub shape: [u32; 3],
}

/// What one rank has of a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The first row and column, counted as they are here.
    pub start: [u32; 2],
    /// Rows and columns here.
    pub count: [u32; 2],
    /// Row by row.
    pub values: Vec<f32>,
}

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
    /// The part of the time that each row has waited.
    pub waited: Vec<f32>,
    /// For how many seconds each row waits now: 0 if it computes, less if its ranks have ended.
    pub waits: Vec<f32>,
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
                match field.cut {
                    None => put.byte(1),
                    Some(cut) => put.byte(14).words(&[cut.field, cut.across, cut.index]).words(&cut.shape),
                };
                put.text(&field.name).long(field.step).words(&field.shape).word(field.every);
                put.singles(&field.range).word(field.parts.len() as u32);
                for part in &field.parts {
                    put.words(&part.start).words(&part.count).singles(&part.values);
                }
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
                put.byte(8).long(ranks.number as i64).double(ranks.at).double(ranks.span).word(ranks.each);
                put.word(ranks.waited.len() as u32).singles(&ranks.waited).singles(&ranks.waits)
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
        };
        put.0
    }

    /// The message that these bytes are.
    pub fn read(bytes: &[u8]) -> Option<Said> {
        let mut bytes = Bytes(bytes);
        let said = match bytes.byte()? {
            0 => Said::Hello { program: bytes.text()?, ranks: bytes.word()? },
            1 => Said::Field(Field::read(&mut bytes, None)?),
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
            8 => {
                let (number, at, span, each) = (bytes.long()? as u64, bytes.double()?, bytes.double()?, bytes.word()?);
                let rows = bytes.word()?.into();
                let (waited, waits) = (bytes.singles(rows)?, bytes.singles(rows)?);
                Said::Ranks(Ranks { number, at, span, each, waited, waits })
            }
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
            14 => {
                let [field, across, index] = bytes.words()?;
                let cut = Cut { field, across, index, shape: bytes.words()? };
                Said::Field(Field::read(&mut bytes, Some(cut))?)
            }
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

impl Field {
    fn read(bytes: &mut Bytes<'_>, cut: Option<Cut>) -> Option<Field> {
        let (name, step, shape, every) = (bytes.text()?, bytes.long()?, bytes.words()?, bytes.word()?);
        let range = [bytes.single()?, bytes.single()?];
        let parts = bytes.list(16, |bytes| {
            let (start, count) = (bytes.words()?, bytes.words()?);
            Some(Part { start, count, values: bytes.singles(u64::from(count[0]) * u64::from(count[1]))? })
        })?;
        Some(Field { name, step, shape, every, range, cut, parts })
    }

    /// Rows and columns that are here.
    pub fn size(&self) -> [u32; 2] {
        self.shape.map(|extent| extent.div_ceil(self.every.max(1)))
    }

    /// Whether the parts lie within the whole, which has no more than so many rows and columns here, and have numbers for
    /// each of its cells at most.
    pub fn is_sound(&self, most: u32) -> bool {
        let size = self.size();
        let is_within = |part: &Part| {
            (0..2).all(|n| part.start[n].checked_add(part.count[n]).is_some_and(|end| end <= size[n]))
                && part.values.len() as u64 == u64::from(part.count[0]) * u64::from(part.count[1])
        };
        let cells: u64 = self.parts.iter().map(|part| part.values.len() as u64).sum();
        let is_plane = |cut: Cut| cut.shape.get(cut.across as usize).is_some_and(|extent| cut.index < *extent);
        self.every > 0
            && self.cut.is_none_or(is_plane)
            && self.shape.iter().all(|extent| *extent > 0)
            && size.iter().all(|extent| *extent <= most)
            && cells <= u64::from(size[0]) * u64::from(size[1])
            && self.parts.iter().all(is_within)
    }

    /// All numbers, row by row; NaN where there is none.
    pub fn numbers(&self) -> Vec<f32> {
        let [rows, columns] = self.size().map(|count| count as usize);
        let mut numbers = vec![f32::NAN; rows * columns];
        for part in &self.parts {
            let width = part.count[1] as usize;
            for (n, row) in part.values.chunks_exact(width.max(1)).enumerate() {
                let at = (part.start[0] as usize + n) * columns + part.start[1] as usize;
                if let Some(place) = numbers.get_mut(at..at + width) {
                    place.copy_from_slice(row);
                }
            }
        }
        numbers
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
mod tests {
    use super::*;

    fn points(dimensions: u32, has_values: bool) -> Points {
        let width = dimensions + u32::from(has_values);
        let part = |count: u32| Cloud { count, numbers: (0..count * width).map(|n| n as f32).collect() };
        let bounds = [[0.0, 1.0], [-1.0, 1.0], [f32::INFINITY, f32::NEG_INFINITY]];
        let (name, range, parts) = ("bodies".into(), [3.0, 7.0], vec![part(3), part(2)]);
        Points { name, step: 9, dimensions, has_values, total: 10, every: 2, bounds, range, parts }
    }

    #[test]
    fn points_are_as_many_as_they_say() {
        let sound = points(2, true);
        assert!(sound.is_sound() && points(3, false).is_sound());
        assert_eq!(sound.columns(), [[0.0, 1.0, 2.0, 0.0, 1.0], [3.0, 4.0, 5.0, 2.0, 3.0], [6.0, 7.0, 8.0, 4.0, 5.0]]);
        for wrong in [
            Points { dimensions: 4, ..sound.clone() },
            Points { dimensions: u32::MAX, ..sound.clone() },
            Points { has_values: false, ..sound.clone() },
            Points { every: 0, ..sound.clone() },
            Points { total: 4, ..sound.clone() },
            Points { bounds: [[f32::NAN; 2]; 3], ..sound.clone() },
            Points { parts: vec![Cloud { count: u32::MAX, numbers: vec![0.0; 3] }], ..sound.clone() },
        ] {
            assert!(!wrong.is_sound(), "{wrong:?}");
            // And nothing that asks for what is not there.
            assert!(wrong.dimensions > 4 || wrong.columns().iter().all(|column| column.len() <= 5));
        }
    }

    fn messages() -> Vec<Said> {
        let field = Field {
            name: "u".into(),
            step: -3,
            shape: [5, 3],
            every: 2,
            range: [-1.0, 2.5],
            cut: None,
            parts: vec![
                Part { start: [0, 0], count: [3, 1], values: vec![1.0, 2.0, f32::INFINITY] },
                Part { start: [0, 1], count: [3, 1], values: vec![-1.0, 0.5, 2.5] },
            ],
        };
        let number = Kind::Number { least: 0.0, greatest: 1.0, step: 0.25 };
        let control = |kind| Said::Control { id: 3, name: "ν".into(), kind, value: 0.5 };
        let cut = Cut { field: 3, across: 1, index: 4, shape: [5, 9, 3] };
        vec![
            Said::Field(Field { cut: Some(cut), ..field.clone() }),
            Said::Hello { program: "nozzle.wasm".into(), ranks: 4 },
            Said::Field(field),
            Said::Curve { name: "residual".into(), from: 7, points: vec![[1.0, 2.0], [3.0, 4.0]] },
            Said::Text { name: "what".into(), text: String::new() },
            control(number),
            control(Kind::Choice(vec!["one".into(), "two".into()])),
            control(Kind::Button),
            Said::Paused(true),
            Said::Notice("</script>".into()),
            Said::Ended("by rank 3".into()),
            Said::Ranks(Ranks {
                number: 7,
                at: 2.5,
                span: 0.25,
                each: 2,
                waited: vec![0.5, 1.0],
                waits: vec![0.0, -1.0],
            }),
            Said::Traffic { rows: 2, bytes: vec![0.0, 1e9, 3.0, 0.0] },
            Said::Recording { moments: 3, length: 1.5, note: "cut".into() },
            Said::Anew,
            Said::At { moment: 2, time: 0.5, speed: 4.0 },
            Said::Points(points(2, true)),
            Said::Points(points(3, false)),
        ]
    }

    #[test]
    fn what_is_written_is_read() {
        for said in messages() {
            assert_eq!(Said::read(&said.to_bytes()).as_ref(), Some(&said));
        }
        let asked = [
            Asked::Set { id: 9, value: -0.5 },
            Asked::Drawn,
            Asked::Size(800),
            Asked::Pause(true),
            Asked::Step,
            Asked::Cut { field: 1, across: 2, index: 3 },
        ];
        for asked in asked {
            assert_eq!(Asked::read(&asked.to_bytes()), Some(asked));
        }
    }

    #[test]
    fn what_is_cut_or_too_long_is_no_message() {
        for said in messages() {
            let bytes = said.to_bytes();
            assert!((0..bytes.len()).all(|length| Said::read(&bytes[..length]).is_none()), "{said:?}");
            assert_eq!(Said::read(&[&bytes[..], &[0]].concat()), None);
        }
    }

    #[test]
    fn a_plane_lies_within_its_field() {
        let Some(Said::Field(field)) = messages().into_iter().next() else { panic!("it comes first") };
        assert!(field.is_sound(8));
        let cut = field.cut.unwrap();
        for wrong in [Cut { across: 3, ..cut }, Cut { index: 9, ..cut }] {
            assert!(!Field { cut: Some(wrong), ..field.clone() }.is_sound(8), "{wrong:?}");
        }
    }

    #[test]
    fn what_promises_more_than_comes_takes_no_memory() {
        // A curve of four billion points, a part of 2^64 numbers.
        assert_eq!(Said::read(&[&[2, 0, 0, 0, 0, 0, 0, 0, 0][..], &[0xff; 4]].concat()), None);
        let mut field = vec![1, 0, 0, 0, 0];
        field.extend([0; 8 + 8 + 4 + 8]);
        field.extend([1, 0, 0, 0]);
        field.extend([0xff; 16]);
        assert_eq!(Said::read(&field), None);
    }
}
