//! Fields: grids of numbers, as they are at one step.

use crate::bytes::{Bytes, Put};
use crate::tag::SaidTag;

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
    /// Vectors of the same step, where there are any.
    pub arrows: Option<Arrows>,
}

/// Vectors over a field, of fewer of its elements than are shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrows {
    /// One of so many rows and columns of the whole has some; a multiple of the field's own.
    pub every: u32,
    /// What each rank has of them.
    pub parts: Vec<Vectors>,
}

/// What one rank has of the vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct Vectors {
    /// Their parts along the columns, to the right where coordinates ascend.
    pub right: Part,
    /// And along the rows, downwards where coordinates ascend.
    pub down: Part,
}

/// The most rows and columns of arrows.
pub const MOST_ARROWS: u32 = 32;

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
        match (self.cut, &self.arrows) {
            (None, None) => put.tag(SaidTag::Field),
            (Some(_), None) => put.tag(SaidTag::Cut),
            (cut, Some(_)) => put.tag(SaidTag::Arrows).byte(u8::from(cut.is_some())),
        };
        if let Some(cut) = self.cut {
            put.words(&[cut.field, cut.across, cut.index]).words(&cut.shape);
        }
        put.text(&self.name).long(self.step).words(&self.shape).word(self.every);
        put.singles(&self.range).word(self.parts.len() as u32);
        for part in &self.parts {
            put.words(&part.start).words(&part.count).singles(&part.values);
        }
        if let Some(Arrows { every, parts }) = &self.arrows {
            put.word(*every).word(parts.len() as u32);
            for Vectors { right, down } in parts {
                put.words(&right.start).words(&right.count).singles(&right.values).singles(&down.values);
            }
        }
    }

    /// What comes behind the tag of a field, which is one of three.
    pub(crate) fn read(bytes: &mut Bytes<'_>, tag: SaidTag) -> Option<Field> {
        let has_cut = match tag {
            SaidTag::Arrows => match bytes.byte()? {
                0 => false,
                1 => true,
                _ => return None,
            },
            tag => tag == SaidTag::Cut,
        };
        let cut = match has_cut {
            true => {
                let [field, across, index] = bytes.words()?;
                Some(Cut { field, across, index, shape: bytes.words()? })
            }
            false => None,
        };
        let (name, step, shape, every) = (bytes.text()?, bytes.long()?, bytes.words()?, bytes.word()?);
        let range = [bytes.single()?, bytes.single()?];
        let parts = bytes.list(16, |bytes| {
            let (start, count) = (bytes.words()?, bytes.words()?);
            Some(Part { start, count, values: bytes.singles(u64::from(count[0]) * u64::from(count[1]))? })
        })?;
        let arrows = if tag == SaidTag::Arrows { Some(Arrows::read(bytes)?) } else { None };
        Some(Field { name, step, shape, every, range, cut, parts, arrows })
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
        let is_within = |part: &Part| part.lies_within(size);
        let has_sound_arrows = |arrows: &Arrows| arrows.every.is_multiple_of(self.every) && arrows.is_sound(self.shape);
        let cells: u64 = self.parts.iter().map(|part| part.values.len() as u64).sum();
        let is_plane = |cut: Cut| cut.shape.get(cut.across as usize).is_some_and(|extent| cut.index < *extent);
        self.every > 0
            && self.cut.is_none_or(is_plane)
            && self.shape.iter().all(|extent| *extent > 0)
            && size.iter().all(|extent| *extent <= most)
            && cells <= u64::from(size[0]) * u64::from(size[1])
            && self.parts.iter().all(is_within)
            && self.arrows.as_ref().is_none_or(has_sound_arrows)
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

impl Part {
    /// Whether it lies within so many rows and columns, and has a number for each of its cells.
    fn lies_within(&self, size: [u32; 2]) -> bool {
        (0..2).all(|n| self.start[n].checked_add(self.count[n]).is_some_and(|end| end <= size[n]))
            && self.values.len() as u64 == u64::from(self.count[0]) * u64::from(self.count[1])
    }
}

impl Arrows {
    /// The arrows of one of so many rows and columns: as many as can be told from each other.
    pub fn every(shape: [u32; 2], every: u32) -> u32 {
        let shown = shape.map(|extent| extent.div_ceil(every.max(1)));
        every.saturating_mul(shown[0].max(shown[1]).div_ceil(MOST_ARROWS)).max(1)
    }

    fn read(bytes: &mut Bytes<'_>) -> Option<Arrows> {
        let every = bytes.word()?;
        let parts = bytes.list(16, |bytes| {
            let (start, count): ([u32; 2], [u32; 2]) = (bytes.words()?, bytes.words()?);
            let cells = u64::from(count[0]) * u64::from(count[1]);
            let (right, down) = (bytes.singles(cells)?, bytes.singles(cells)?);
            let part = |values| Part { start, count, values };
            Some(Vectors { right: part(right), down: part(down) })
        })?;
        Some(Arrows { every, parts })
    }

    /// Whether there are no more than are shown, within a field of this shape.
    fn is_sound(&self, shape: [u32; 2]) -> bool {
        let size = shape.map(|extent| extent.div_ceil(self.every.max(1)));
        let cells: u64 = self.parts.iter().map(|part| part.right.values.len() as u64).sum();
        let is_sound = |part: &Vectors| {
            let is_same = part.right.start == part.down.start && part.right.count == part.down.count;
            is_same && part.right.lies_within(size) && part.down.lies_within(size)
        };
        self.every > 0
            && size.iter().all(|extent| *extent <= MOST_ARROWS)
            && cells <= u64::from(size[0]) * u64::from(size[1])
            && self.parts.iter().all(is_sound)
    }
}
