//! The predefined types and the basic elements that every type is made of.
//!
//! [`rankine_abi::Element`] says what a predefined type is in a guest; this file says how it looks in external32.

use rankine_abi::{Datatype, Element, Kind};

use super::signature::Signature;
use super::{Bounds, Contents, Type};
use crate::error::Result;
use crate::layout::Layout;

/// A basic element: a scalar.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Basic {
    /// What its bits are.
    pub kind: Kind,
    /// Bytes in memory.
    pub size: u8,
    /// Bytes in external32 form (MPI-5.0, section 14.5.2).
    pub external: u8,
}

impl Basic {
    /// The element of `MPI_BYTE`.
    pub const BYTE: Basic = Basic::new(Kind::Byte, 1);

    const fn new(kind: Kind, size: u8) -> Basic {
        Basic { kind, size, external: size }
    }
}

/// The type behind a predefined handle.
pub(super) fn predefined(handle: Datatype) -> Option<Type> {
    let element = handle.element()?;
    Some(build(handle, &element).expect("the bounds of a predefined type are small"))
}

fn build(handle: Datatype, element: &Element) -> Result<Type> {
    let index = element.index.as_ref();
    let value_size = element.size - index.map_or(0, |index| index.size);
    let mut value = Basic::new(element.kind, value_size as u8);
    match handle.shown() {
        Datatype::AINT => value.external = 8,
        Datatype::LONG | Datatype::UNSIGNED_LONG | Datatype::LONG_INT => value.external = 4,
        Datatype::WCHAR => value.external = 2,
        _ => {}
    }
    let block = |offset: u32, size: u32| Layout::block(offset.into(), size.into());
    let signature = |basic| Ok(Signature::basic(basic));
    let (layout, signature) = match index {
        None => (block(0, value_size)?, Signature::basic(value)),
        Some(index) => (
            Layout::sequence([block(0, value_size), block(index.offset, index.size)])?,
            Signature::sequence([signature(value), signature(Basic::new(index.kind, index.size as u8))])?,
        ),
    };
    let bounds = Bounds { lb: 0, ub: element.extent.into(), marked: false };
    Type::new(layout, signature, bounds, element.align, Contents::named(handle))
}
