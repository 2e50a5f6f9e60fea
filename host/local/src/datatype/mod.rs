//! Datatypes (MPI-5.0, chapter 5).
//!
//! A [`Type`] never changes once it is built, and belongs to one rank. What other ranks see of it is its
//! [`Layout`]: where the bytes lie, compiled once when the type is built, so that copying knows nothing
//! of constructors. `Type::message` gives the layout of `count` elements, whose bounds `lo..hi` are the hull that a
//! span is proved with.
//!
//! | file | subject |
//! |---|---|
//! | `layout` | where bytes lie, joined and nested |
//! | `walk`, `cursor` | the runs of a layout, all in order or from any packed position on |
//! | `in_file` | types whose elements have other sizes in a file |
//! | `order` | layouts as parts of a file |
//! | `transfer` | copying between two layouts: [`copy_typed`], `Layout::pack`, `Layout::unpack` |
//! | `signature` | which basic elements the bytes are |
//! | `predefined` | the types that exist from the start |
//! | `construct`, `array` | the type constructors |
//! | `contents` | envelopes and contents |
//! | `state` | a rank's types and their handles |
//! | `calls` | the MPI functions |
//!
//! Constructors validate their arguments; handles are validated in `state`; that the bytes are inside a guest's memory
//! proves [`crate::span`].

use std::sync::Arc;

use rankine_abi::MPI_ERR_NO_MEM;
use rankine_guest::op::Operand;

use crate::error::{Error, Result};
use crate::layout::{Layout, too_large};
use crate::quota::Charge;

mod array;
mod calls;
mod construct;
mod contents;
mod cursor;
mod in_file;
mod order;
mod predefined;
mod signature;
mod state;
#[cfg(test)]
mod tests;
mod transfer;
mod walk;

pub use calls::*;
pub use contents::{Combiner, Contents, Envelope, Values};
pub(crate) use order::Ascent;
pub use predefined::Basic;
pub use signature::Signature;
pub(crate) use state::State;
pub use transfer::copy_typed;

/// How deep types may nest: deeper ones would cost stack and time without end.
const MAX_DEPTH: u16 = 128;

/// A datatype.
#[derive(Debug)]
pub struct Type {
    layout: Arc<Layout>,
    signature: Signature,
    bounds: Bounds,
    extent: i64,
    align: u32,
    depth: u16,
    contents: Contents,
    /// What its elements are to an operation, if they are of one kind.
    operand: Option<Operand>,
    /// Of a type that a handle was made for.
    charge: Charge,
}

/// Lower and upper bound, which need not be those of any byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub lb: i64,
    pub ub: i64,
    /// Set by `MPI_Type_create_resized`: only bounds that were set count in a struct that has any (§5.1.6).
    pub marked: bool,
}

impl Type {
    fn new(layout: Layout, signature: Signature, bounds: Bounds, align: u32, contents: Contents) -> Result<Type> {
        let depth = contents.types.iter().map(|ty| ty.depth + 1).max().unwrap_or(0);
        if depth > MAX_DEPTH {
            return Err(Error::new(MPI_ERR_NO_MEM, format!("the datatype nests more than {MAX_DEPTH} levels deep")));
        }
        let extent = bounds.ub.checked_sub(bounds.lb).ok_or_else(too_large)?;
        let operand = operand(&contents, &signature);
        Ok(Type {
            layout: Arc::new(layout),
            signature,
            bounds,
            extent,
            align,
            depth,
            contents,
            operand,
            charge: Charge::default(),
        })
    }

    /// Where the bytes of one element lie.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Where the bytes of `count` elements lie, one `extent` after another.
    pub fn message(&self, count: u64) -> Result<Layout> {
        self.layout.repeated(count, self.extent)
    }

    /// Which basic elements one element is made of.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Bytes of data in one element.
    pub fn size(&self) -> u64 {
        self.layout.size()
    }

    /// The lower bound.
    pub fn lb(&self) -> i64 {
        self.bounds.lb
    }

    /// Upper bound minus lower bound: from one element to the next.
    pub fn extent(&self) -> i64 {
        self.extent
    }

    /// The offset of the lowest byte.
    pub fn true_lb(&self) -> i64 {
        self.layout.lo()
    }

    /// From the lowest byte to one past the highest.
    pub fn true_extent(&self) -> Result<i64> {
        self.layout.hi().checked_sub(self.layout.lo()).ok_or_else(too_large)
    }

    /// What its elements are to an operation, if they are of one kind.
    pub(crate) fn operand(&self) -> Option<Operand> {
        self.operand
    }

    /// How it was made.
    pub fn contents(&self) -> &Contents {
        &self.contents
    }

    /// Bytes of host memory that the type holds beside those of the types it was made from.
    fn heap_bytes(&self) -> u64 {
        let fixed = size_of::<Type>() + size_of::<Layout>();
        fixed as u64 + self.layout.heap_bytes() + self.signature.heap_bytes() + self.contents.heap_bytes()
    }

    /// Whether the type map is empty and no bounds were set either.
    fn is_empty(&self) -> bool {
        self.size() == 0 && !self.bounds.marked
    }
}

/// What the elements of a type that is made in this way are to an operation, if they are of one kind.
fn operand(contents: &Contents, signature: &Signature) -> Option<Operand> {
    match contents.combiner {
        Combiner::Named => contents.named?.element().as_ref().map(Operand::of),
        Combiner::F90Real | Combiner::F90Complex | Combiner::F90Integer => {
            let basic = signature.uniform()?;
            Some(Operand { value: (basic.kind, basic.size.into()), index: None })
        }
        _ => {
            let operand = contents.types().first()?.operand()?;
            contents.types().iter().all(|ty| ty.operand() == Some(operand)).then_some(operand)
        }
    }
}
