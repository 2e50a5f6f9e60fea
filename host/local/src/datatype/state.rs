//! A rank's datatypes and what their handles mean.
//!
//! A handle has a name and may be committed; the type behind it has neither and is shared: by handles, and by the types
//! made from it, which keep it alive after its own handle was freed. What types hold in host memory is charged to their
//! rank.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use rankine_abi::{Datatype, MPI_ERR_TYPE, MPI_MAX_OBJECT_NAME};

use super::predefined::predefined;
use super::{Combiner, Type};
use crate::error::{Error, Result};
use crate::handle::{Class, Table};
use crate::quota::{Account, Cost};
use crate::rank::Rank;

/// Bytes that a handle has beside the type: its name, and its place among those that have names or attributes.
const BESIDE: usize = 3 * MPI_MAX_OBJECT_NAME as usize;

/// What errors call them.
const WHAT: Cost = Cost::Datatypes;

/// Constructor and arguments of a type made by `MPI_Type_create_f90_…`.
type F90 = (Combiner, Box<[i64]>);

/// What a handle that the program made stands for.
struct Entry {
    ty: Rc<Type>,
    committed: bool,
    /// Cannot be freed: made by `MPI_Type_create_f90_…`, of which equal calls give the same handle.
    permanent: bool,
}

/// The datatypes of a rank.
pub(crate) struct State {
    entries: RefCell<Table<Entry>>,
    /// The predefined types in use, by handle.
    predefined: RefCell<HashMap<Datatype, Rc<Type>>>,
    /// Names that were set.
    names: RefCell<HashMap<Datatype, String>>,
    /// Handles given out by `MPI_Type_create_f90_…`, by constructor and arguments.
    f90: RefCell<HashMap<F90, Datatype>>,
    account: Arc<Account>,
}

impl State {
    pub(crate) fn new(account: &Arc<Account>) -> State {
        State {
            entries: RefCell::new(Table::new(Class::Datatype, account, BESIDE)),
            predefined: RefCell::default(),
            names: RefCell::default(),
            f90: RefCell::default(),
            account: account.clone(),
        }
    }

    /// The type behind a handle, committed or not.
    pub(crate) fn get(&self, handle: Datatype) -> Result<Rc<Type>> {
        self.find(handle).map(|(ty, _)| ty)
    }

    /// The type behind a handle that can be communicated with.
    pub(crate) fn committed(&self, handle: Datatype) -> Result<Rc<Type>> {
        match self.find(handle)? {
            (ty, true) => Ok(ty),
            (_, false) => Err(Error::new(MPI_ERR_TYPE, "the datatype has not been committed")),
        }
    }

    /// The type, and whether it is committed.
    pub(super) fn find(&self, handle: Datatype) -> Result<(Rc<Type>, bool)> {
        if let Some(entry) = self.entries.borrow().get(handle.0) {
            return Ok((entry.ty.clone(), entry.committed));
        }
        if let Some(ty) = self.predefined.borrow().get(&handle) {
            return Ok((ty.clone(), true));
        }
        let ty = Rc::new(predefined(handle).ok_or_else(|| no_datatype(handle))?);
        self.predefined.borrow_mut().insert(handle, ty.clone());
        Ok((ty, true))
    }

    /// A handle for a new type.
    pub(super) fn add(&self, mut ty: Type) -> Result<Datatype> {
        ty.charge = self.account.charge(ty.heap_bytes() as usize, WHAT)?;
        self.add_handle(Rc::new(ty), false)
    }

    /// Another handle for a type.
    pub(super) fn add_handle(&self, ty: Rc<Type>, committed: bool) -> Result<Datatype> {
        let entry = Entry { ty, committed, permanent: false };
        self.entries.borrow_mut().add(entry, WHAT).map(Datatype)
    }

    /// Refuses a type that would need so much memory, before it is made.
    pub(super) fn room_for(&self, bytes: u64) -> Result<()> {
        self.account.check(bytes as usize, WHAT)
    }

    /// The handle of a type with these arguments of `MPI_Type_create_f90_…`, made by `make` at the first call.
    pub(super) fn f90(
        &self,
        combiner: Combiner,
        arguments: &[i64],
        make: impl FnOnce() -> Result<Type>,
    ) -> Result<Datatype> {
        let key = (combiner, arguments.into());
        if let Some(handle) = self.f90.borrow().get(&key) {
            return Ok(*handle);
        }
        let handle = self.add(make()?)?;
        if let Some(entry) = self.entries.borrow_mut().get_mut(handle.0) {
            (entry.committed, entry.permanent) = (true, true);
        }
        self.f90.borrow_mut().insert(key, handle);
        Ok(handle)
    }

    /// Allows communication with the type. Layouts are compiled when they are built, so there is nothing else to do.
    pub(super) fn commit(&self, handle: Datatype) -> Result<()> {
        if let Some(entry) = self.entries.borrow_mut().get_mut(handle.0) {
            entry.committed = true;
            return Ok(());
        }
        self.get(handle).map(drop)
    }

    /// Forgets a handle. Types and operations that use the type keep it.
    pub(super) fn free(&self, handle: Datatype) -> Result<()> {
        self.check_can_free(handle)?;
        self.entries.borrow_mut().remove(handle.0);
        self.names.borrow_mut().remove(&handle);
        Ok(())
    }

    /// Whether a handle may be freed, which `MPI_Type_free` has to know before it runs attribute callbacks.
    pub(crate) fn check_can_free(&self, handle: Datatype) -> Result<()> {
        match self.entries.borrow().get(handle.0) {
            Some(entry) if !entry.permanent => Ok(()),
            None if handle.element().is_none() => Err(no_datatype(handle)),
            _ => Err(Error::new(MPI_ERR_TYPE, format!("{} is predefined and cannot be freed", self.describe(handle)))),
        }
    }

    /// The name of a handle that exists; empty if it has none.
    pub(super) fn name(&self, handle: Datatype) -> String {
        let given = self.names.borrow().get(&handle).cloned();
        let own = match handle.shown() {
            // Two constants have a synonym that other libraries take for the name.
            Datatype::LONG_LONG => "MPI_LONG_LONG_INT",
            Datatype::C_FLOAT_COMPLEX => "MPI_C_COMPLEX",
            _ => handle.name().unwrap_or_default(),
        };
        given.unwrap_or_else(|| own.to_owned())
    }

    /// Names a handle that exists; a name that is too long is cut.
    pub(super) fn set_name(&self, handle: Datatype, name: &str) {
        let name = &name[..name.floor_char_boundary(MPI_MAX_OBJECT_NAME as usize - 1)];
        self.names.borrow_mut().insert(handle, name.to_owned());
    }

    fn describe(&self, handle: Datatype) -> String {
        let name = self.name(handle);
        if name.is_empty() { format!("datatype {:#x}", handle.0) } else { name }
    }
}

#[cold]
fn no_datatype(handle: Datatype) -> Error {
    let text = match handle {
        Datatype::NULL => "datatype is MPI_DATATYPE_NULL".to_owned(),
        _ => format!("datatype {:#x} is not a datatype of this rank: freed, or never made", handle.0),
    };
    Error::new(MPI_ERR_TYPE, text)
}

impl Rank {
    /// The type behind a handle, if it is committed: what communication wants.
    pub fn datatype(&self, handle: Datatype) -> Result<Rc<Type>> {
        self.types.committed(handle)
    }

    /// A handle for a type that the program is shown: its own if it is predefined, else a new one.
    pub(crate) fn handle_for(&self, ty: &Rc<Type>) -> Result<Datatype> {
        match ty.contents().named {
            Some(predefined) => Ok(predefined),
            None => self.types.add_handle(ty.clone(), true),
        }
    }

    /// The type behind a handle, committed or not: what constructors and inquiries want.
    pub fn any_datatype(&self, handle: Datatype) -> Result<Rc<Type>> {
        self.types.get(handle)
    }
}
