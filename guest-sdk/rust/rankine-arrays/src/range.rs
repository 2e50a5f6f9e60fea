//! Ranges: how the indices of one dimension are dealt out.

use std::rc::Rc;

use crate::grid::Grid;

/// The indices 0 to n-1 of one dimension of an array, and which ranks hold them.
///
/// Ranges that are distributed take the dimensions of the grid in order, unless [`on`](Range::on) says which. Along
/// dimensions of the grid that no range takes, the array is held several times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    pub(crate) extent: usize,
    pub(crate) kind: Kind,
    pub(crate) ghosts: [usize; 2],
    pub(crate) periodic: bool,
    pub(crate) on: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Block,
    Dealt(usize),
    Irregular(Vec<usize>),
    Collapsed,
}

impl Range {
    fn new(extent: usize, kind: Kind) -> Range {
        Range { extent, kind, ghosts: [0; 2], periodic: false, on: None }
    }

    /// One block for each rank; the first ones are one longer where they don't divide.
    pub fn block(extent: usize) -> Range {
        Range::new(extent, Kind::Block)
    }

    /// Index i lies with rank i modulo the number of ranks.
    pub fn cyclic(extent: usize) -> Range {
        Range::new(extent, Kind::Dealt(1))
    }

    /// Blocks of a given length are dealt out in turn.
    pub fn block_cyclic(extent: usize, block: usize) -> Range {
        Range::new(extent, Kind::Dealt(block))
    }

    /// One block for each rank, of these lengths.
    pub fn irregular(blocks: &[usize]) -> Range {
        Range::new(blocks.iter().fold(0, |sum, &block| sum.saturating_add(block)), Kind::Irregular(blocks.to_vec()))
    }

    /// Not distributed.
    pub fn collapsed(extent: usize) -> Range {
        Range::new(extent, Kind::Collapsed)
    }

    /// With so many ghost cells at either end of each block: copies of what the neighbours hold.
    pub fn ghosts(self, width: usize) -> Range {
        self.ghosts_each(width, width)
    }

    /// With ghost cells below and above each block.
    pub fn ghosts_each(self, below: usize, above: usize) -> Range {
        Range { ghosts: [below, above], ..self }
    }

    /// The last index is the neighbour of the first.
    pub fn periodic(self) -> Range {
        Range { periodic: true, ..self }
    }

    /// Over this dimension of the grid.
    pub fn on(self, dimension: usize) -> Range {
        Range { on: Some(dimension), ..self }
    }
}

/// A range laid over a dimension of a grid.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    pub(crate) extent: usize,
    /// Along which the indices are dealt out; `None` if they are not.
    pub(crate) dim: Option<usize>,
    /// How many parts there are, and which one is this rank's.
    pub(crate) parts: usize,
    pub(crate) part: usize,
    places: Places,
    pub(crate) ghosts: [usize; 2],
    pub(crate) periodic: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Places {
    /// Where each part begins, and the end.
    Blocks(Vec<usize>),
    /// Blocks of this length, in turn.
    Dealt(usize),
}

impl Axis {
    /// Lays a range over a dimension of the grid, or over none. What is wrong comes back as text.
    pub(crate) fn new(range: &Range, grid: &Grid, dim: Option<usize>) -> Result<Axis, String> {
        let (parts, part) = dim.map_or((1, 0), |dim| (grid.shape()[dim], grid.coords()[dim]));
        let places = match &range.kind {
            Kind::Block | Kind::Collapsed => {
                let (each, rest) = (range.extent / parts, range.extent % parts);
                Places::Blocks((0..=parts).map(|part| part * each + part.min(rest)).collect())
            }
            Kind::Dealt(0) => return Err("blocks of no length can't be dealt out".into()),
            Kind::Dealt(block) => Places::Dealt(*block),
            Kind::Irregular(blocks) if blocks.len() != parts => {
                let count = blocks.len();
                return Err(format!("{count} block sizes are given for {parts} ranks along this dimension"));
            }
            Kind::Irregular(blocks) => {
                let ends = blocks.iter().scan(0usize, |end, block| {
                    *end = end.saturating_add(*block);
                    Some(*end)
                });
                Places::Blocks(std::iter::once(0).chain(ends).collect())
            }
        };
        let axis =
            Axis { extent: range.extent, dim, parts, part, places, ghosts: range.ghosts, periodic: range.periodic };
        axis.check_ghosts()?;
        Ok(axis)
    }

    /// A single index that all ranks have.
    pub(crate) fn single() -> Axis {
        let places = Places::Blocks(vec![0, 1]);
        Axis { extent: 1, dim: None, parts: 1, part: 0, places, ghosts: [0; 2], periodic: false }
    }

    fn check_ghosts(&self) -> Result<(), String> {
        let widest = self.ghosts[0].max(self.ghosts[1]);
        let has_neighbours = self.parts > 1 || self.periodic;
        if widest == 0 {
            return Ok(());
        }
        if matches!(self.places, Places::Dealt(_)) {
            return Err("a range that is dealt out in turn can't have ghost cells".into());
        }
        let (length, part) = (0..self.parts).map(|part| (self.count(part), part)).min().unwrap_or((0, 0));
        if has_neighbours && length < widest {
            return Err(format!("its ghosts are {widest} wide, but block {part} has only {length} elements"));
        }
        Ok(())
    }

    /// Whether the same indices lie in the same parts, ghost cells aside.
    pub(crate) fn has_places_of(&self, other: &Axis) -> bool {
        (self.dim, self.extent) == (other.dim, other.extent) && self.places == other.places
    }

    /// Which part an index lies in, and where there (without ghost cells).
    #[inline]
    pub(crate) fn place(&self, index: usize) -> (usize, usize) {
        match &self.places {
            Places::Blocks(starts) if self.parts == 1 => (0, index - starts[0]),
            Places::Blocks(starts) => {
                let part = starts.partition_point(|&start| start <= index) - 1;
                (part, index - starts[part])
            }
            Places::Dealt(block) => {
                let (turn, within) = (index / block, index % block);
                (turn % self.parts, turn / self.parts * block + within)
            }
        }
    }

    /// How many indices a part has.
    pub(crate) fn count(&self, part: usize) -> usize {
        match &self.places {
            Places::Blocks(starts) => starts[part + 1] - starts[part],
            Places::Dealt(block) => {
                let round = block * self.parts;
                self.extent / round * block + (self.extent % round).saturating_sub(part * block).min(*block)
            }
        }
    }

    /// The index at a place of this rank's part; ghost cells lie before 0 and behind the count.
    #[inline]
    pub(crate) fn global(&self, at: isize) -> isize {
        match &self.places {
            Places::Blocks(starts) => starts[self.part] as isize + at,
            Places::Dealt(block) => {
                let block = *block as isize;
                (at.div_euclid(block) * self.parts as isize + self.part as isize) * block + at.rem_euclid(block)
            }
        }
    }

    /// Where this rank stores an index, ghost cells included; `None` if it doesn't.
    #[inline]
    pub(crate) fn stored(&self, index: isize) -> Option<usize> {
        match &self.places {
            Places::Blocks(starts) => {
                let at = index - starts[self.part] as isize + self.ghosts[0] as isize;
                (at >= 0 && (at as usize) < self.room()).then_some(at as usize)
            }
            Places::Dealt(_) => {
                let (part, at) = self.place(usize::try_from(index).ok().filter(|&index| index < self.extent)?);
                (part == self.part).then_some(at)
            }
        }
    }

    /// How many indices of this rank's part are less than this one.
    pub(crate) fn before(&self, index: isize) -> usize {
        let count = self.count(self.part);
        match &self.places {
            Places::Blocks(starts) => (index - starts[self.part] as isize).clamp(0, count as isize) as usize,
            Places::Dealt(block) => {
                let index = index.clamp(0, self.extent as isize) as usize;
                let round = block * self.parts;
                index / round * block + (index % round).saturating_sub(self.part * block).min(*block)
            }
        }
    }

    /// How many places this rank's part takes, ghost cells included.
    pub(crate) fn room(&self) -> usize {
        self.count(self.part) + self.ghosts[0] + self.ghosts[1]
    }

    /// Whether all parts are blocks, those too that are dealt out in one turn.
    pub(crate) fn is_in_blocks(&self) -> bool {
        match &self.places {
            Places::Blocks(_) => true,
            Places::Dealt(block) => self.parts == 1 || block.saturating_mul(self.parts) >= self.extent,
        }
    }

    /// Whether the indices of a part follow each other.
    pub(crate) fn is_contiguous(&self) -> bool {
        matches!(self.places, Places::Blocks(_))
    }
}

/// Lays ranges over a grid: an axis for each, or which of them can't be laid and why.
pub(crate) fn lay<const R: usize>(ranges: &[Range; R], grid: &Grid) -> Result<[Rc<Axis>; R], (usize, String)> {
    let mut taken = vec![false; grid.shape().len()];
    let mut dims = [None; R];
    for (index, range) in ranges.iter().enumerate() {
        if let (Some(dim), false) = (range.on, range.kind == Kind::Collapsed) {
            match taken.get_mut(dim) {
                None => return Err((index, format!("the grid has no dimension {dim}"))),
                Some(true) => return Err((index, format!("dimension {dim} of the grid is taken by another range"))),
                Some(free) => *free = true,
            }
            dims[index] = Some(dim);
        }
    }
    for (index, range) in ranges.iter().enumerate() {
        if range.on.is_none() && range.kind != Kind::Collapsed {
            let free = taken.iter().position(|taken| !taken);
            let free = free.ok_or((index, "the grid has no dimension left for this range".to_string()))?;
            taken[free] = true;
            dims[index] = Some(free);
        }
    }
    let mut axes = Vec::with_capacity(R);
    for (index, range) in ranges.iter().enumerate() {
        axes.push(Rc::new(Axis::new(range, grid, dims[index]).map_err(|what| (index, what))?));
    }
    Ok(axes.try_into().expect("there is an axis for each range"))
}
