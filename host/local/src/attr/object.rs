//! The three kinds of objects that carry attributes.

use std::fmt;

use rankine_abi::{Comm, Datatype, Win};

use super::Attributes;
use crate::error::Result;
use crate::rank::Rank;

/// What a keyval is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// Communicators.
    Comm,
    /// Datatypes.
    Type,
    /// Windows.
    Win,
}

impl ObjectKind {
    pub(super) fn one(self) -> &'static str {
        match self {
            ObjectKind::Comm => "communicator",
            ObjectKind::Type => "datatype",
            ObjectKind::Win => "window",
        }
    }
}

impl fmt::Display for ObjectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}s", self.one())
    }
}

/// An object that carries attributes.
#[derive(Clone, Copy, Debug)]
pub enum Object {
    /// A communicator.
    Comm(Comm),
    /// A datatype.
    Type(Datatype),
    /// A window.
    Win(Win),
}

/// The handle of an object that carries attributes.
pub trait Carrier: Into<Object> {
    /// What its keyvals are for.
    const KIND: ObjectKind;
}

macro_rules! carriers {
    ($($handle:ident, $kind:ident;)*) => {$(
        impl From<$handle> for Object {
            fn from(handle: $handle) -> Self {
                Object::$kind(handle)
            }
        }

        impl Carrier for $handle {
            const KIND: ObjectKind = ObjectKind::$kind;
        }
    )*};
}

carriers! {
    Comm, Comm;
    Datatype, Type;
    Win, Win;
}

impl Object {
    pub(super) fn kind(self) -> ObjectKind {
        match self {
            Object::Comm(_) => ObjectKind::Comm,
            Object::Type(_) => ObjectKind::Type,
            Object::Win(_) => ObjectKind::Win,
        }
    }

    pub(super) fn handle(self) -> u32 {
        match self {
            Object::Comm(Comm(handle)) | Object::Type(Datatype(handle)) | Object::Win(Win(handle)) => handle,
        }
    }
}

impl Rank {
    /// Looks at or changes an object's attributes.
    pub(super) fn attributes<R>(&self, object: Object, f: impl FnOnce(&mut Attributes) -> R) -> Result<R> {
        match object {
            Object::Comm(comm) => Ok(f(&mut self.communicator(comm)?.attributes.borrow_mut())),
            Object::Type(datatype) => {
                self.types.get(datatype)?;
                Ok(f(self.attrs.types.borrow_mut().entry(datatype).or_default()))
            }
            Object::Win(win) => {
                self.window(win)?;
                Ok(f(self.attrs.windows.borrow_mut().entry(win).or_default()))
            }
        }
    }

    /// Gives a new datatype the attributes that it got from the one it duplicates.
    pub(crate) fn set_type_attributes(&self, datatype: Datatype, attributes: Attributes) {
        if !attributes.is_empty() {
            self.attrs.types.borrow_mut().insert(datatype, attributes);
        }
    }

    /// Drops the entry of an object without attributes.
    pub(super) fn forget_attributes(&self, object: Object) {
        match object {
            Object::Comm(_) => (),
            Object::Type(datatype) => drop(self.attrs.types.borrow_mut().remove(&datatype)),
            Object::Win(win) => drop(self.attrs.windows.borrow_mut().remove(&win)),
        }
    }
}
