//! The type constructors (§5.1.2, 5.1.7 and 5.1.8), from checked arguments to a type.

use std::rc::Rc;

use rankine_abi::{MPI_ERR_ARG, MPI_ERR_COUNT};

use super::{Bounds, Combiner, Contents, Signature, Type};
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::layout::too_large;

/// Consecutive copies of a type at a displacement in bytes.
struct Block<'a> {
    count: u64,
    displacement: i64,
    ty: &'a Type,
}

impl Type {
    /// `MPI_Type_dup`.
    pub fn dup(old: &Rc<Type>) -> Result<Type> {
        old.like(old.bounds, Contents::new(Combiner::Dup).of(old))
    }

    /// `MPI_Type_create_resized`.
    pub fn resized(old: &Rc<Type>, lb: i64, extent: i64) -> Result<Type> {
        let ub = lb.checked_add(extent).ok_or_else(too_large)?;
        let contents = Contents::new(Combiner::Resized).with_addresses(&[lb, extent]).of(old);
        old.like(Bounds { lb, ub, marked: true }, contents)
    }

    /// The same data under other bounds and another constructor.
    pub(super) fn like(&self, bounds: Bounds, contents: Contents) -> Result<Type> {
        Type::new(Layout::clone(&self.layout), self.signature.clone(), bounds, self.align, contents)
    }

    /// `MPI_Type_contiguous`.
    pub fn contiguous(count: i64, old: &Rc<Type>) -> Result<Type> {
        let n = length(count, "count")?;
        old.grid(1, n, 0, Contents::new(Combiner::Contiguous).with_counts(&[count]))
    }

    /// `MPI_Type_vector`.
    pub fn vector(count: i64, blocklength: i64, stride: i64, old: &Rc<Type>) -> Result<Type> {
        let (n, len) = (length(count, "count")?, length(blocklength, "blocklength")?);
        let bytes = i128::from(stride) * i128::from(old.extent);
        // The stride of a vector of at most one block is never used.
        let bytes = if n < 2 { 0 } else { fit(bytes)? };
        old.grid(n, len, bytes, Contents::new(Combiner::Vector).with_counts(&[count, blocklength, stride]))
    }

    /// `MPI_Type_create_hvector`.
    pub fn hvector(count: i64, blocklength: i64, stride: i64, old: &Rc<Type>) -> Result<Type> {
        let (n, len) = (length(count, "count")?, length(blocklength, "blocklength")?);
        let contents = Contents::new(Combiner::Hvector).with_counts(&[count, blocklength]).with_addresses(&[stride]);
        old.grid(n, len, stride, contents)
    }

    /// `count` blocks of `len` elements, `stride` bytes apart.
    fn grid(self: &Rc<Type>, count: u64, len: u64, stride: i64, contents: Contents) -> Result<Type> {
        // No blocks may be as long as they like.
        let row = self.message(if count == 0 { 0 } else { len })?;
        let layout = std::sync::Arc::new(row).repeated(count, stride)?;
        let elements = count.checked_mul(len).ok_or_else(too_large)?;
        let mut cover = Cover::default();
        if elements > 0 {
            cover.add(0, len, self)?;
            cover.add(i128::from(count - 1) * i128::from(stride), len, self)?;
        }
        Type::new(layout, self.signature.repeated(elements)?, cover.bounds()?, self.align, contents.of(self))
    }

    /// `MPI_Type_indexed`.
    pub fn indexed(blocklengths: &[i64], displacements: &[i64], old: &Rc<Type>) -> Result<Type> {
        let contents = Contents::new(Combiner::Indexed).with_counts(&[blocklengths.len() as i64]);
        let contents = contents.with_counts(blocklengths).with_counts(displacements).of(old);
        old.indexed_by(blocklengths, displacements, old.extent, contents)
    }

    /// `MPI_Type_create_hindexed`.
    pub fn hindexed(blocklengths: &[i64], displacements: &[i64], old: &Rc<Type>) -> Result<Type> {
        let contents = Contents::new(Combiner::Hindexed).with_counts(&[blocklengths.len() as i64]);
        let contents = contents.with_counts(blocklengths).with_addresses(displacements).of(old);
        old.indexed_by(blocklengths, displacements, 1, contents)
    }

    /// `MPI_Type_create_indexed_block`.
    pub fn indexed_block(blocklength: i64, displacements: &[i64], old: &Rc<Type>) -> Result<Type> {
        let contents = Contents::new(Combiner::IndexedBlock).with_counts(&[displacements.len() as i64, blocklength]);
        let lengths = std::iter::repeat_n(&blocklength, displacements.len());
        old.indexed_by(lengths, displacements, old.extent, contents.with_counts(displacements).of(old))
    }

    /// `MPI_Type_create_hindexed_block`.
    pub fn hindexed_block(blocklength: i64, displacements: &[i64], old: &Rc<Type>) -> Result<Type> {
        let contents = Contents::new(Combiner::HindexedBlock).with_counts(&[displacements.len() as i64, blocklength]);
        let lengths = std::iter::repeat_n(&blocklength, displacements.len());
        old.indexed_by(lengths, displacements, 1, contents.with_addresses(displacements).of(old))
    }

    /// Blocks of this type at displacements in multiples of `unit` bytes.
    fn indexed_by<'a>(
        &self,
        blocklengths: impl IntoIterator<Item = &'a i64>,
        displacements: &[i64],
        unit: i64,
        contents: Contents,
    ) -> Result<Type> {
        let block = |(len, at): (&i64, &i64)| -> Result<Block> {
            let count = length(*len, "blocklength")?;
            // The displacement of an empty block is never used.
            let displacement = if count == 0 { 0 } else { at.checked_mul(unit).ok_or_else(too_large)? };
            Ok(Block { count, displacement, ty: self })
        };
        let blocks = blocklengths.into_iter().zip(displacements).map(block).collect::<Result<Vec<_>>>()?;
        Type::placed(&blocks, self.align, 1, contents)
    }

    /// `MPI_Type_create_struct`. As in C, the extent is rounded up to the alignment of the members (§5.1.6).
    pub fn structure(blocklengths: &[i64], displacements: &[i64], types: &[Rc<Type>]) -> Result<Type> {
        let mut contents = Contents::new(Combiner::Struct).with_counts(&[types.len() as i64]);
        contents = contents.with_counts(blocklengths).with_addresses(displacements);
        contents.types = types.to_vec();
        let block = |((len, at), ty): ((&i64, &i64), _)| -> Result<Block> {
            Ok(Block { count: length(*len, "blocklength")?, displacement: *at, ty })
        };
        let members = blocklengths.iter().zip(displacements).zip(types.iter().map(|ty| &**ty));
        let blocks = members.map(block).collect::<Result<Vec<_>>>()?;
        let align = blocks.iter().filter(|b| b.count > 0 && b.ty.size() > 0).map(|b| b.ty.align).max().unwrap_or(1);
        Type::placed(&blocks, align, align, contents)
    }

    /// The blocks one after another; the extent becomes a multiple of `round`.
    fn placed(blocks: &[Block], align: u32, round: u32, contents: Contents) -> Result<Type> {
        // Blocks that are alike share their pieces: a description of many would take many times what is accounted for.
        let mut last: Option<(&Block, Layout)> = None;
        let layout = Layout::sequence(blocks.iter().map(|b| {
            let repeated = match last.take() {
                Some((like, layout)) if std::ptr::eq(like.ty, b.ty) && like.count == b.count => layout,
                _ => b.ty.message(b.count)?,
            };
            last = Some((b, repeated.clone()));
            repeated.moved(b.displacement)
        }))?;
        let signature = Signature::sequence(blocks.iter().map(|b| b.ty.signature.repeated(b.count)))?;
        let mut cover = Cover { round, ..Cover::default() };
        for block in blocks {
            cover.add(block.displacement.into(), block.count, block.ty)?;
        }
        Type::new(layout, signature, cover.bounds()?, align, contents)
    }
}

/// Gathers the bounds of a type from those of its parts.
#[derive(Default)]
struct Cover {
    /// Lowest lower and highest upper bound so far: of the marked parts once there is one, else of all.
    range: Option<(i128, i128)>,
    marked: bool,
    /// Alignment that the extent is rounded up to, if no bound was set by hand.
    round: u32,
}

impl Cover {
    /// Adds `count` consecutive elements that begin at `displacement`.
    fn add(&mut self, displacement: i128, count: u64, ty: &Type) -> Result<()> {
        if count == 0 || ty.is_empty() || self.marked && !ty.bounds.marked {
            return Ok(());
        }
        if ty.bounds.marked && !self.marked {
            (self.range, self.marked) = (None, true);
        }
        let last = i128::from(ty.extent).checked_mul(i128::from(count - 1)).ok_or_else(too_large)?;
        let lb = displacement + i128::from(ty.bounds.lb) + last.min(0);
        let ub = displacement + i128::from(ty.bounds.ub) + last.max(0);
        let (low, high) = self.range.unwrap_or((lb, ub));
        self.range = Some((low.min(lb), high.max(ub)));
        Ok(())
    }

    fn bounds(&self) -> Result<Bounds> {
        let (lb, mut ub) = self.range.unwrap_or((0, 0));
        if self.round > 1 && !self.marked {
            let round = i128::from(self.round);
            ub += (lb - ub).rem_euclid(round);
        }
        Ok(Bounds { lb: fit(lb)?, ub: fit(ub)?, marked: self.marked })
    }
}

pub(super) fn fit(value: i128) -> Result<i64> {
    value.try_into().map_err(|_| too_large())
}

/// A count that must not be negative.
pub(super) fn length(value: i64, name: &str) -> Result<u64> {
    let class = if name == "count" { MPI_ERR_COUNT } else { MPI_ERR_ARG };
    value.try_into().map_err(|_| Error::new(class, format!("{name} is {value}, which is negative")))
}

/// That an array has at least one dimension.
pub(super) fn dimensions(ndims: i32) -> Result<()> {
    if ndims > 0 {
        Ok(())
    } else {
        Err(Error::new(MPI_ERR_ARG, format!("ndims is {ndims}; an array has at least one dimension")))
    }
}
