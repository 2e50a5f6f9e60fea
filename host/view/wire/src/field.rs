//! Fields: grids of numbers, as they are at one step.

use crate::bytes::{Bytes, Put};

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

impl Field {
    pub(crate) fn put(&self, put: &mut Put) {
        put.text(&self.name).long(self.step).words(&self.shape).word(self.every);
        put.singles(&self.range).word(self.parts.len() as u32);
        for part in &self.parts {
            put.words(&part.start).words(&part.count).singles(&part.values);
        }
    }

    pub(crate) fn read(bytes: &mut Bytes<'_>, cut: Option<Cut>) -> Option<Field> {
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

    /// The axes along its rows from the top down, and along its columns: 0 is x, 1 is y, 2 is z.
    pub fn axes(&self) -> [usize; 2] {
        match self.cut.map(|cut| cut.across) {
            None | Some(0) => [1, 0],
            Some(1) => [2, 0],
            Some(_) => [2, 1],
        }
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
