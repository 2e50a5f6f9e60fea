//! The part of a field that one rank has: where it lies in the whole and in the rank's memory, and its numbers, read out.

use rankine_abi::{Addr, MPI_ERR_ARG, MPI_ERR_BUFFER, MPI_ERR_DIMS};
use rankine_guest::{Error, Memory, Result, copy};
use rankine_view_wire::{Arrows, Part, Vectors};

/// The most dimensions of a field.
pub const MOST_DIMENSIONS: usize = 3;

/// What a field's elements are.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Element {
    /// Four bytes each.
    Single,
    /// Eight bytes each.
    Double,
    /// A whole number of four bytes.
    Int,
    /// A whole number of eight bytes.
    Long,
}

impl Element {
    fn size(self) -> usize {
        match self {
            Element::Single | Element::Int => 4,
            Element::Double | Element::Long => 8,
        }
    }
}

/// Which part of a field a rank has, and how it is stored, in the guest's words: a number for each dimension.
#[derive(Copy, Clone, Debug)]
pub struct Block<'w> {
    /// The whole's extents.
    pub shape: &'w [i32],
    /// The first index of the part.
    pub start: &'w [i32],
    /// Elements of the part.
    pub count: &'w [i32],
    /// Elements between neighbours in memory; without them it is stored in C's order.
    pub strides: Option<&'w [i32]>,
}

/// One dimension of a field, as one rank sees it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Axis {
    /// Of the whole.
    extent: u32,
    /// The first index that this rank has, and how many.
    start: u32,
    count: u32,
    /// Elements between neighbours in memory.
    stride: i64,
}

/// A part of a field, every byte of which lies in the rank's memory.
pub struct Local<'a> {
    memory: &'a Memory,
    /// Where the first element lies.
    at: Addr,
    element: Element,
    axes: Vec<Axis>,
    vectors: Option<Components<'a>>,
}

/// The parts of vectors over a field.
struct Components<'a> {
    /// Along x, y and z: the last dimension comes first.
    along: Vec<Local<'a>>,
    /// What is shown as colours is how long they are.
    are_values: bool,
}

impl<'a> Local<'a> {
    /// A part with the guest's own words. Proves every byte of it.
    pub fn new(memory: &'a Memory, at: Addr, element: Element, block: Block<'_>) -> Result<Local<'a>> {
        let local = Local::shaped(memory, at, element, block)?;
        local.prove("its values")?;
        Ok(local)
    }

    /// A part whose values are how long vectors are. Their parts along x, y and z, as many as there are dimensions, lie
    /// at these addresses as values do.
    pub fn of_vectors(memory: &'a Memory, parts: &[Addr], element: Element, block: Block<'_>) -> Result<Local<'a>> {
        let local = Local::shaped(memory, Addr::NULL, element, block)?;
        let along = local.along(parts)?;
        Ok(Local { vectors: Some(Components { along, are_values: true }), ..local })
    }

    /// This part with vectors over its values.
    pub fn with_vectors(self, parts: &[Addr]) -> Result<Local<'a>> {
        let along = self.along(parts)?;
        Ok(Local { vectors: Some(Components { along, are_values: false }), ..self })
    }

    /// The parts of vectors, every byte of which is proved.
    fn along(&self, parts: &[Addr]) -> Result<Vec<Local<'a>>> {
        assert_eq!(parts.len(), self.axes.len(), "a vector has as many parts as there are dimensions");
        let names = ["its parts along x", "its parts along y", "its parts along z"];
        let prove = |(at, what): (&Addr, &str)| {
            let Local { memory, element, .. } = *self;
            let part = Local { memory, at: *at, element, axes: self.axes.clone(), vectors: None };
            part.prove(what).map(|()| part)
        };
        parts.iter().zip(names).map(prove).collect()
    }

    /// A part that is not proved.
    fn shaped(memory: &'a Memory, at: Addr, element: Element, block: Block<'_>) -> Result<Local<'a>> {
        let Block { shape, start, count, strides } = block;
        if !(2..=MOST_DIMENSIONS).contains(&shape.len()) {
            let text = format!("it has {} dimensions; 2 and {MOST_DIMENSIONS} are shown", shape.len());
            return Err(Error::new(MPI_ERR_DIMS, text));
        }
        let mut axes = Vec::with_capacity(shape.len());
        let mut dense = 1i64;
        for dimension in (0..shape.len()).rev() {
            let axis = Axis::new(dimension, shape[dimension], start[dimension], count[dimension])?;
            let stride = strides.map_or(dense, |strides| strides[dimension].into());
            // Without strides: one that overflows belongs to a part that is too large, which is seen below.
            dense = dense.saturating_mul(axis.count.into());
            axes.insert(0, Axis { stride, ..axis });
        }
        Ok(Local { memory, at, element, axes, vectors: None })
    }

    /// Whether the rank has nothing of the field.
    pub(crate) fn is_empty(&self) -> bool {
        self.axes.iter().any(|axis| axis.count == 0)
    }

    pub(crate) fn shape(&self) -> Vec<u32> {
        self.axes.iter().map(|axis| axis.extent).collect()
    }

    fn prove(&self, what: &str) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        if self.at == Addr::NULL {
            return Err(Error::new(MPI_ERR_ARG, format!("{what} are at the null pointer")));
        }
        let (mut low, mut high) = (0i128, 1i128);
        for axis in &self.axes {
            let reach = i128::from(axis.count - 1) * i128::from(axis.stride);
            low += reach.min(0);
            high += reach.max(0);
        }
        let (at, size) = (i128::from(self.at.0), self.element.size() as i128);
        if at + low * size < 0 {
            return Err(Error::new(MPI_ERR_BUFFER, format!("{what} begin before the memory does")));
        }
        self.memory.prove(self.at, (at + low * size, at + high * size), what)
    }

    /// The box of this part in the plane that is shown.
    pub(crate) fn area(&self, plane: &Plane) -> Area {
        let [rows, columns] = plane.axes.map(|axis| self.axes[axis]);
        let is_there = plane.across.is_none_or(|(axis, index)| {
            let axis = self.axes[axis];
            (axis.start..axis.start + axis.count).contains(&index)
        });
        let count = if is_there { [rows.count, columns.count] } else { [0, 0] };
        Area { start: [rows.start, columns.start], count }
    }

    /// Every `every`th row and column of the part in the plane, and the least and greatest finite number.
    pub(crate) fn read(&self, plane: &Plane, every: u32) -> (Part, [f32; 2]) {
        let part = match &self.vectors {
            Some(Components { along, are_values: true }) => lengths(along.iter().map(|part| part.part(plane, every))),
            _ => self.part(plane, every),
        };
        let finite = part.values.iter().filter(|value| value.is_finite());
        let range = finite.fold([f32::INFINITY, f32::NEG_INFINITY], |[least, greatest], value| {
            [least.min(*value), greatest.max(*value)]
        });
        (part, range)
    }

    /// The vectors of a part of which every `every`th row and column is read: fewer than that.
    pub(crate) fn arrows(&self, plane: &Plane, every: u32) -> Option<Vectors> {
        let along = &self.vectors.as_ref()?.along;
        let every = Arrows::every(plane.shape, every);
        let [down, right] = plane.axes.map(|axis| along[self.axes.len() - 1 - axis].part(plane, every));
        Some(Vectors { right, down })
    }

    /// Numbers that are kept of a part of which every `every`th row and column is read.
    pub(crate) fn numbers(&self, plane: &Plane, every: u32) -> usize {
        let area = self.area(plane);
        let arrows = self.vectors.as_ref().map_or(0, |_| area.every(Arrows::every(plane.shape, every)).cells());
        (area.every(every).cells() + 2 * arrows) as usize
    }

    fn part(&self, plane: &Plane, every: u32) -> Part {
        let area = self.area(plane).every(every);
        let [rows, columns] = plane.axes.map(|axis| self.axes[axis]);
        let mut values = Vec::with_capacity(area.cells() as usize);
        if area.cells() == 0 {
            return Part { start: area.start, count: area.count, values };
        }
        // Elements before the first of the plane.
        let across = plane.across.map_or(0, |(axis, index)| {
            let axis = self.axes[axis];
            i64::from(index.saturating_sub(axis.start)) * axis.stride
        });
        let place = |axis: Axis, n: u32| (i64::from(n) * i64::from(every) - i64::from(axis.start)) * axis.stride;
        for row in area.rows() {
            let first = across + place(rows, row) + place(columns, area.start[1]);
            let step = columns.stride * i64::from(every);
            self.append(first, step, area.count[1] as usize, &mut values);
        }
        Part { start: area.start, count: area.count, values }
    }

    /// Appends a column of a table, of every `every`th row.
    pub(crate) fn column(&self, column: u32, every: u32, values: &mut Vec<f32>) {
        let [rows, columns] = [self.axes[0], self.axes[1]];
        assert!(column < columns.count, "a table has the columns that it was made with");
        let (first, step) = (i64::from(column) * columns.stride, rows.stride * i64::from(every));
        self.append(first, step, rows.count.div_ceil(every) as usize, values);
    }

    /// Appends `count` elements, which are `step` elements apart, as singles.
    fn append(&self, first: i64, step: i64, count: usize, values: &mut Vec<f32>) {
        let size = self.element.size();
        let mut piece = [0u8; PIECE];
        let mut done = 0;
        while done < count {
            let now = (count - done).min(PIECE / size);
            let bytes = &mut piece[..now * size];
            let element = first + done as i64 * step;
            let from = self.memory.base().wrapping_offset(self.at.0 as isize + element as isize * size as isize);
            // SAFETY: `prove` has seen that all elements of the part lie in the memory, which only grows; these are
            // elements of the part, and the piece has room for them.
            unsafe {
                if step == 1 {
                    copy::copy(bytes.as_mut_ptr(), from, bytes.len());
                } else {
                    copy::copy_blocks(
                        bytes.as_mut_ptr(),
                        size as isize,
                        from,
                        step as isize * size as isize,
                        size,
                        now,
                    );
                }
            }
            match self.element {
                Element::Single => values.extend(bytes.as_chunks::<4>().0.iter().map(|x| f32::from_le_bytes(*x))),
                Element::Double => {
                    values.extend(bytes.as_chunks::<8>().0.iter().map(|x| f64::from_le_bytes(*x) as f32));
                }
                Element::Int => values.extend(bytes.as_chunks::<4>().0.iter().map(|x| i32::from_le_bytes(*x) as f32)),
                Element::Long => values.extend(bytes.as_chunks::<8>().0.iter().map(|x| i64::from_le_bytes(*x) as f32)),
            }
            done += now;
        }
    }
}

/// How long the vectors with these parts are.
fn lengths(parts: impl Iterator<Item = Part>) -> Part {
    let square = |number: f32| f64::from(number) * f64::from(number);
    let add = |mut sum: Part, part: Part| {
        let lengths = sum.values.iter_mut().zip(part.values);
        lengths.for_each(|(length, value)| *length = (square(*length) + square(value)).sqrt() as f32);
        sum
    };
    parts.reduce(add).expect("a vector has two parts or more")
}

/// Bytes that are read at once.
const PIECE: usize = 8192;

impl Axis {
    fn new(dimension: usize, extent: i32, start: i32, count: i32) -> Result<Axis> {
        let wrong = |text: String| Err(Error::new(MPI_ERR_ARG, format!("dimension {dimension}: {text}")));
        if extent < 1 {
            return wrong(format!("its extent is {extent}"));
        }
        match (u32::try_from(start), u32::try_from(count)) {
            (Ok(first), Ok(count)) if first as u64 + count as u64 <= extent as u64 => {
                Ok(Axis { extent: extent as u32, start: first, count, stride: 0 })
            }
            _ => wrong(format!("{count} indices from {start} on are not within the extent {extent}")),
        }
    }
}

/// The plane of a field that is shown: which dimensions are its rows and columns, and where it cuts the third.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plane {
    axes: [usize; 2],
    across: Option<(usize, u32)>,
    pub shape: [u32; 2],
}

impl Plane {
    /// The only one of a field with two dimensions; the middle one, across the first dimension, of one with three.
    pub fn of(shape: &[u32]) -> Plane {
        Plane::across(shape, None)
    }

    /// The only plane of a field with two dimensions; of three the one across this dimension, with this index or the last one.
    pub fn across(shape: &[u32], chosen: Option<(usize, u32)>) -> Plane {
        let [.., rows, columns] = *shape else { unreachable!("a field has two dimensions or more") };
        let &[first, ..] = shape else { unreachable!("a field has two dimensions or more") };
        if shape.len() < MOST_DIMENSIONS {
            return Plane { axes: [0, 1], across: None, shape: [rows, columns] };
        }
        let (across, index) = chosen.filter(|(across, _)| *across < MOST_DIMENSIONS).unwrap_or((0, first / 2));
        let axes = [[1, 2], [0, 2], [0, 1]][across];
        let index = index.min(shape[across] - 1);
        Plane { axes, across: Some((across, index)), shape: axes.map(|axis| shape[axis]) }
    }

    /// The dimension that it cuts across, and where, if there are three.
    pub fn cut(&self) -> Option<(usize, u32)> {
        self.across
    }

    pub fn cells(&self) -> u64 {
        u64::from(self.shape[0]) * u64::from(self.shape[1])
    }
}

/// A box of cells.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Area {
    pub start: [u32; 2],
    pub count: [u32; 2],
}

impl Area {
    pub fn cells(&self) -> u64 {
        u64::from(self.count[0]) * u64::from(self.count[1])
    }

    fn rows(&self) -> std::ops::Range<u32> {
        self.start[0]..self.start[0] + self.count[0]
    }

    pub fn overlaps(&self, other: &Area) -> bool {
        let meets = |n: usize| {
            u64::from(self.start[n]) < u64::from(other.start[n]) + u64::from(other.count[n])
                && u64::from(other.start[n]) < u64::from(self.start[n]) + u64::from(self.count[n])
        };
        self.cells() > 0 && other.cells() > 0 && meets(0) && meets(1)
    }

    /// What is left of it of every `every`th row and column of the whole.
    pub fn every(&self, every: u32) -> Area {
        let start = self.start.map(|start| start.div_ceil(every));
        let end = |n: usize| (self.start[n] + self.count[n]).div_ceil(every);
        Area { start, count: [end(0) - start[0], end(1) - start[1]] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A memory whose words from 64 on are 0.0, 1.0, 2.0 and so on.
    fn memory(bytes: &mut [u8]) -> Memory {
        for (n, word) in bytes[64..].as_chunks_mut::<8>().0.iter_mut().enumerate() {
            *word = (n as f64).to_le_bytes();
        }
        let memory = Memory::new();
        // SAFETY: the bytes outlive the memory in each test.
        unsafe { memory.set(bytes.as_mut_ptr(), bytes.len() as u64) };
        memory
    }

    fn read(local: &Local<'_>, every: u32) -> (Part, [f32; 2]) {
        local.read(&Plane::of(&local.shape()), every)
    }

    #[test]
    fn every_cell_that_is_shown_is_the_right_one() {
        let mut bytes = vec![0; 4096];
        let memory = memory(&mut bytes);
        let (shape, start, count) = ([9, 7], [2, 1], [5, 6]);
        // Dense, with a longer row, transposed, and from the end.
        for (first, strides) in [(0, [6, 1]), (3, [9, 2]), (1, [1, 8]), (200, [-20, -3])] {
            let at = Addr(64 + 8 * first as u64);
            let local = Local::new(
                &memory,
                at,
                Element::Double,
                Block { shape: &shape, start: &start, count: &count, strides: Some(&strides) },
            )
            .unwrap();
            for every in 1..12 {
                let (part, range) = read(&local, every);
                let mut expected = Vec::new();
                for i in (2..7u32).filter(|i| i % every == 0) {
                    for j in (1..7u32).filter(|j| j % every == 0) {
                        let element = first + (i as i32 - 2) * strides[0] + (j as i32 - 1) * strides[1];
                        expected.push(element as f32);
                    }
                }
                assert_eq!(part.values, expected, "{strides:?}, every {every}");
                if !expected.is_empty() {
                    assert_eq!(part.start, [2u32.div_ceil(every), 1u32.div_ceil(every)]);
                    assert_eq!(u64::from(part.count[0]) * u64::from(part.count[1]), expected.len() as u64);
                    assert_eq!(range[0], expected.iter().copied().fold(f32::INFINITY, f32::min));
                }
            }
        }
    }

    #[test]
    fn whole_numbers_are_shown_as_numbers() {
        let mut bytes = vec![0; 128];
        for (n, word) in bytes[64..].as_chunks_mut::<4>().0.iter_mut().enumerate() {
            *word = (-3 * n as i32).to_le_bytes();
        }
        let memory = Memory::new();
        // SAFETY: the bytes outlive the memory.
        unsafe { memory.set(bytes.as_mut_ptr(), bytes.len() as u64) };
        let values = |element, count: &[i32]| {
            let local =
                Local::new(&memory, Addr(64), element, Block { shape: count, start: &[0, 0], count, strides: None })
                    .unwrap();
            read(&local, 1).0.values
        };
        assert_eq!(values(Element::Int, &[2, 3]), [0.0, -3.0, -6.0, -9.0, -12.0, -15.0]);
        let pair = |n: i64| ((-3 * (2 * n + 1)) << 32 | i64::from((-6 * n) as u32)) as f32;
        assert_eq!(values(Element::Long, &[1, 2]), [pair(0), pair(1)]);
    }

    #[test]
    fn of_three_dimensions_the_middle_is_shown() {
        let mut bytes = vec![0; 4096];
        let memory = memory(&mut bytes);
        let whole = [6, 4, 5];
        let all = Local::new(
            &memory,
            Addr(64),
            Element::Double,
            Block { shape: &whole, start: &[0; 3], count: &whole, strides: None },
        )
        .unwrap();
        assert_eq!(read(&all, 1).0.values, (60..80).map(|n| n as f32).collect::<Vec<f32>>());
        for (across, index, expected) in [
            (0, 9, (100..120).collect::<Vec<i32>>()),
            (1, 2, (0..30).map(|n| 20 * (n / 5) + 10 + n % 5).collect()),
            (2, 1, (0..24).map(|n| 5 * n + 1).collect()),
        ] {
            let plane = Plane::across(&[6, 4, 5], Some((across, index)));
            let expected: Vec<f32> = expected.into_iter().map(|n| n as f32).collect();
            assert_eq!(all.read(&plane, 1).0.values, expected, "across {across}");
        }
        let below = Local::new(
            &memory,
            Addr(64),
            Element::Double,
            Block { shape: &whole, start: &[0; 3], count: &[3, 4, 5], strides: None },
        )
        .unwrap();
        assert!(read(&below, 1).0.values.is_empty());
    }

    #[test]
    fn what_is_not_in_memory_is_refused() {
        let mut bytes = vec![0; 4096];
        let memory = memory(&mut bytes);
        let (shape, whole) = ([32, 16], [32, 16]);
        let at = |at, strides: Option<&[i32]>| {
            Local::new(
                &memory,
                Addr(at),
                Element::Double,
                Block { shape: &shape, start: &[0, 0], count: &whole, strides },
            )
            .is_ok()
        };
        assert!(!at(64, None) && !at(0, None) && !at(u32::MAX.into(), None));
        assert!(at(64, Some(&[15, 1])) && !at(64, Some(&[16, 1])));
        assert!(!at(64, Some(&[-1, 1])) && !at(64, Some(&[i32::MIN, i32::MAX])) && !at(4088, Some(&[0, 1])));
        assert!(at(4088, Some(&[0, 0])));
        // A part of nothing lies nowhere.
        assert!(
            Local::new(
                &memory,
                Addr(0),
                Element::Double,
                Block { shape: &shape, start: &[0, 0], count: &[0, 16], strides: None }
            )
            .is_ok()
        );
    }

    #[test]
    fn vectors_are_as_long_and_point_as_their_parts_say() {
        let mut bytes = vec![0; 4096];
        let memory = memory(&mut bytes);
        let [one, other] = [64, 64 + 8 * 20].map(Addr);
        let local = || {
            Local::new(
                &memory,
                one,
                Element::Double,
                Block { shape: &[4, 5], start: &[0, 0], count: &[4, 5], strides: None },
            )
            .unwrap()
        };
        let plane = Plane::of(&[4, 5]);
        let over = local().with_vectors(&[other, one]).unwrap();
        assert_eq!(over.read(&plane, 1), local().read(&plane, 1));
        let Vectors { right, down } = over.arrows(&plane, 2).unwrap();
        assert_eq!((down.count, down.values), ([2, 3], vec![0.0, 2.0, 4.0, 10.0, 12.0, 14.0]));
        assert_eq!(right.values, [20.0, 22.0, 24.0, 30.0, 32.0, 34.0]);
        assert_eq!(over.numbers(&plane, 2), 6 + 2 * 6);
        let of = |parts: &[Addr]| {
            Local::of_vectors(
                &memory,
                parts,
                Element::Double,
                Block { shape: &[4, 5], start: &[0, 0], count: &[4, 5], strides: None },
            )
        };
        let alone = of(&[other, one]).unwrap();
        let (part, range) = alone.read(&plane, 1);
        let length = |n: f64| (n * n + (n + 20.0) * (n + 20.0)).sqrt() as f32;
        assert_eq!(part.values, (0..20).map(|n| length(n.into())).collect::<Vec<f32>>());
        assert_eq!(range, [20.0, length(19.0)]);
        // Of three dimensions those within the plane, and the length of all of it.
        let at = |n: u32| Addr(u64::from(64 + 8 * n));
        let parts = [at(0), at(10), at(20)];
        let cube = Local::of_vectors(
            &memory,
            &parts,
            Element::Double,
            Block { shape: &[2; 3], start: &[0; 3], count: &[2; 3], strides: None },
        )
        .unwrap();
        for (across, first) in [(0, [0.0, 10.0]), (1, [0.0, 20.0]), (2, [10.0, 20.0])] {
            let plane = Plane::across(&[2; 3], Some((across, 0)));
            let Vectors { right, down } = cube.arrows(&plane, 1).unwrap();
            assert_eq!([right.values[0], down.values[0]], first, "across {across}");
            assert_eq!(cube.read(&plane, 1).0.values[0], 500.0f32.sqrt());
        }
        for (at, expected) in
            [(Addr::NULL, "its parts along y are at the null pointer"), (Addr(4000), "its parts along y")]
        {
            let error = of(&[one, at]).err().unwrap().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
