//! The three kinds of objects that carry attributes, and MPI's functions for each of them.

use std::fmt;

use rankine_abi::{Addr, Comm, Datatype, FnPtr, MPI_ERR_WIN, Win};

use super::{Attributes, create_keyval, delete, free_keyval, get, predefined, set};
use crate::error::{Error, Result};
use crate::rank::Rank;

/// What a keyval is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectKind {
    Comm,
    Type,
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
pub(crate) enum Object {
    Comm(Comm),
    Type(Datatype),
    Win(Win),
}

impl From<Comm> for Object {
    fn from(comm: Comm) -> Self {
        Object::Comm(comm)
    }
}

impl From<Datatype> for Object {
    fn from(datatype: Datatype) -> Self {
        Object::Type(datatype)
    }
}

impl From<Win> for Object {
    fn from(win: Win) -> Self {
        Object::Win(win)
    }
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
            Object::Win(win) => match self.attrs.windows.borrow_mut().get_mut(&win) {
                Some(attributes) => Ok(f(attributes)),
                None => Err(Error::new(MPI_ERR_WIN, format!("{:#x} is not a window of this rank", win.0))),
            },
        }
    }

    /// Gives a new datatype the attributes that it got from the one it duplicates.
    pub(crate) fn set_type_attributes(&self, datatype: Datatype, attributes: Attributes) {
        if !attributes.0.is_empty() {
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

/// `MPI_Comm_create_keyval`
pub fn comm_create_keyval(r: &Rank, copy: FnPtr, delete: FnPtr, extra_state: Addr) -> Result<i32> {
    create_keyval(r, ObjectKind::Comm, copy, delete, extra_state)
}

/// `MPI_Comm_free_keyval`
pub fn comm_free_keyval(r: &Rank, keyval: i32) -> Result<i32> {
    free_keyval(r, ObjectKind::Comm, keyval)
}

/// `MPI_Comm_set_attr`
pub async fn comm_set_attr(r: &Rank, comm: Comm, keyval: i32, value: Addr) -> Result<()> {
    set(r, comm.into(), keyval, value).await
}

/// `MPI_Comm_get_attr`; predefined attributes are addresses of ints.
pub async fn comm_get_attr(r: &Rank, comm: Comm, keyval: i32) -> Result<(Addr, bool)> {
    r.communicator(comm)?;
    match predefined::address(r, keyval).await? {
        Some(address) => Ok((address, true)),
        None => get(r, comm.into(), keyval),
    }
}

/// `MPI_Comm_delete_attr`
pub async fn comm_delete_attr(r: &Rank, comm: Comm, keyval: i32) -> Result<()> {
    delete(r, comm.into(), keyval).await
}

/// `MPI_Type_create_keyval`
pub fn type_create_keyval(r: &Rank, copy: FnPtr, delete: FnPtr, extra_state: Addr) -> Result<i32> {
    create_keyval(r, ObjectKind::Type, copy, delete, extra_state)
}

/// `MPI_Type_free_keyval`
pub fn type_free_keyval(r: &Rank, keyval: i32) -> Result<i32> {
    free_keyval(r, ObjectKind::Type, keyval)
}

/// `MPI_Type_set_attr`
pub async fn type_set_attr(r: &Rank, datatype: Datatype, keyval: i32, value: Addr) -> Result<()> {
    set(r, datatype.into(), keyval, value).await
}

/// `MPI_Type_get_attr`
pub fn type_get_attr(r: &Rank, datatype: Datatype, keyval: i32) -> Result<(Addr, bool)> {
    get(r, datatype.into(), keyval)
}

/// `MPI_Type_delete_attr`
pub async fn type_delete_attr(r: &Rank, datatype: Datatype, keyval: i32) -> Result<()> {
    delete(r, datatype.into(), keyval).await
}

/// `MPI_Win_create_keyval`
pub fn win_create_keyval(r: &Rank, copy: FnPtr, delete: FnPtr, extra_state: Addr) -> Result<i32> {
    create_keyval(r, ObjectKind::Win, copy, delete, extra_state)
}

/// `MPI_Win_free_keyval`
pub fn win_free_keyval(r: &Rank, keyval: i32) -> Result<i32> {
    free_keyval(r, ObjectKind::Win, keyval)
}

/// `MPI_Win_set_attr`
pub async fn win_set_attr(r: &Rank, win: Win, keyval: i32, value: Addr) -> Result<()> {
    set(r, win.into(), keyval, value).await
}

/// `MPI_Win_get_attr`, of attributes that the program set.
pub fn win_get_attr(r: &Rank, win: Win, keyval: i32) -> Result<(Addr, bool)> {
    get(r, win.into(), keyval)
}

/// `MPI_Win_delete_attr`
pub async fn win_delete_attr(r: &Rank, win: Win, keyval: i32) -> Result<()> {
    delete(r, win.into(), keyval).await
}

/// `MPI_Keyval_create`, deprecated
pub fn keyval_create(r: &Rank, copy: FnPtr, delete: FnPtr, extra_state: Addr) -> Result<i32> {
    comm_create_keyval(r, copy, delete, extra_state)
}

/// `MPI_Keyval_free`, deprecated
pub fn keyval_free(r: &Rank, keyval: i32) -> Result<i32> {
    comm_free_keyval(r, keyval)
}

/// `MPI_Attr_put`, deprecated
pub async fn attr_put(r: &Rank, comm: Comm, keyval: i32, value: Addr) -> Result<()> {
    comm_set_attr(r, comm, keyval, value).await
}

/// `MPI_Attr_get`, deprecated
pub async fn attr_get(r: &Rank, comm: Comm, keyval: i32) -> Result<(Addr, bool)> {
    comm_get_attr(r, comm, keyval).await
}

/// `MPI_Attr_delete`, deprecated
pub async fn attr_delete(r: &Rank, comm: Comm, keyval: i32) -> Result<()> {
    comm_delete_attr(r, comm, keyval).await
}
