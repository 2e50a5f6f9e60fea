//! Points: particles, say, as they are at one step.

use crate::bytes::{Bytes, Put};

/// The most points of a frame; a rank that has more than its share shows every so manyth.
pub const MOST_POINTS: u32 = 1 << 18;

/// Points at one step, reduced to every `every`th of each rank.
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    /// What they are called.
    pub name: String,
    /// The program's step.
    pub step: i64,
    /// Coordinates of each: 2 or 3.
    pub dimensions: u32,
    /// Whether each has a number besides.
    pub has_values: bool,
    /// How many there are.
    pub total: u64,
    /// One of so many is here.
    pub every: u32,
    /// The least and the greatest of each coordinate that is shown; the first is larger than the second if there is none.
    pub bounds: [[f32; 2]; 3],
    /// The least and the greatest finite value here; the first is larger than the second if there is none.
    pub range: [f32; 2],
    /// The ranks' parts.
    pub parts: Vec<Cloud>,
}

/// What one rank has of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Cloud {
    /// How many.
    pub count: u32,
    /// All first coordinates, all second ones, all third ones if there are, and all values if there are.
    pub numbers: Vec<f32>,
}

impl Points {
    /// Numbers of each point.
    pub fn width(&self) -> u32 {
        self.dimensions.saturating_add(u32::from(self.has_values))
    }

    /// How many points are here.
    pub fn count(&self) -> u64 {
        self.parts.iter().map(|part| u64::from(part.count)).sum()
    }

    /// The coordinates and the values of all points, each one after another.
    pub fn columns(&self) -> Vec<Vec<f32>> {
        let column = |n: usize| {
            let of = |part: &Cloud| {
                let count = part.count as usize;
                part.numbers.get(n * count..(n + 1) * count).unwrap_or_default().to_vec()
            };
            self.parts.iter().flat_map(of).collect()
        };
        (0..self.width() as usize).map(column).collect()
    }

    /// Whether there are no more than can be, and as many numbers as that takes.
    pub fn is_sound(&self) -> bool {
        let has_all = |part: &Cloud| part.numbers.len() as u64 == u64::from(part.count) * u64::from(self.width());
        (2..=3).contains(&self.dimensions)
            && self.every > 0
            && self.count() <= u64::from(MOST_POINTS).min(self.total)
            && self.parts.iter().all(has_all)
            && self.bounds.as_flattened().iter().chain(&self.range).all(|number| !number.is_nan())
    }

    pub(crate) fn put(&self, put: &mut Put) {
        put.text(&self.name).long(self.step).word(self.dimensions).byte(u8::from(self.has_values));
        put.long(self.total as i64).word(self.every).singles(self.bounds.as_flattened()).singles(&self.range);
        put.word(self.parts.len() as u32);
        for part in &self.parts {
            put.word(part.count).singles(&part.numbers);
        }
    }

    pub(crate) fn read(bytes: &mut Bytes<'_>) -> Option<Points> {
        let (name, step) = (bytes.text()?, bytes.long()?);
        let dimensions = bytes.word().filter(|dimensions| (2..=3).contains(dimensions))?;
        let has_values = bytes.byte()? != 0;
        let (total, every) = (bytes.long()? as u64, bytes.word()?);
        let mut pair = || Some([bytes.single()?, bytes.single()?]);
        let (bounds, range) = ([pair()?, pair()?, pair()?], pair()?);
        let width = u64::from(dimensions) + u64::from(has_values);
        let parts = bytes.list(4, |bytes| {
            let count = bytes.word()?;
            Some(Cloud { count, numbers: bytes.singles(u64::from(count) * width)? })
        })?;
        Some(Points { name, step, dimensions, has_values, total, every, bounds, range, parts })
    }
}
