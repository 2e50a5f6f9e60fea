//! Attributes (MPI-5.0 §7.7): values that a program hangs on communicators, datatypes and windows.
//!
//! A value is a word of the guest's. Its keyval's copy and delete functions are the guest's own and run on the rank's
//! stack, between two polls; nothing is borrowed meanwhile, because they may call back in.

mod object;
mod predefined;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use rankine_abi::{Addr, Comm, Datatype, FnPtr, MPI_COMM_DUP_FN, MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, Win};
use rankine_abi::{MPI_ERR_KEYVAL, MPI_KEYVAL_INVALID, MPI_SUCCESS};
use smallvec::SmallVec;

use crate::error::{Error, Result};
use crate::handle::{Class, Table};
use crate::quota::{Account, Charge};
use crate::rank::Rank;
use rankine_guest::Callback;

#[cfg(test)]
mod tests;

pub use object::{Carrier, Object, ObjectKind};

/// What a keyval stands for. As long as an attribute refers to it, its number works, even after it was freed (§7.7.2).
#[derive(Debug)]
struct Keyval {
    kind: ObjectKind,
    freed: Cell<bool>,
    copy: FnPtr,
    delete: FnPtr,
    extra_state: Addr,
}

impl Keyval {
    /// Whether it was not freed, or attributes refer to it; asked where only the table does so otherwise.
    fn is_usable(self: &Rc<Self>) -> bool {
        !self.freed.get() || Rc::strong_count(self) > 1
    }
}

#[derive(Clone, Debug)]
struct Attribute {
    keyval: Rc<Keyval>,
    /// The keyval's number, for its functions.
    number: i32,
    value: Addr,
}

/// The attributes of one object, in the order in which they were set, and what is charged for them.
#[derive(Default, Debug)]
pub(crate) struct Attributes(Vec<Attribute>, Charge);

/// Attributes that an object has room for at first.
const FEW: usize = 4;

impl Attributes {
    fn position(&self, keyval: &Rc<Keyval>) -> Option<usize> {
        // From the last one, with which deleting all of them begins.
        self.0.iter().rposition(|attribute| Rc::ptr_eq(&attribute.keyval, keyval))
    }

    fn get(&self, keyval: &Rc<Keyval>) -> Option<&Attribute> {
        self.position(keyval).map(|position| &self.0[position])
    }

    fn add(&mut self, attribute: Attribute, account: &Arc<Account>) -> Result<()> {
        if self.0.len() == self.0.capacity() {
            let more = self.0.len().max(FEW);
            let charge = account.charge((self.0.len() + more) * size_of::<Attribute>(), "attributes")?;
            self.0.reserve_exact(more);
            self.1 = charge;
        }
        self.0.push(attribute);
        Ok(())
    }

    fn remove(&mut self, keyval: &Rc<Keyval>) {
        if let Some(position) = self.position(keyval) {
            self.0.remove(position);
        }
    }
}

/// Keyvals, and the attributes of objects that do not hold them themselves.
pub(crate) struct State {
    keyvals: RefCell<Table<Rc<Keyval>>>,
    /// Keyvals that were freed while attributes referred to them.
    freed: RefCell<Vec<i32>>,
    types: RefCell<HashMap<Datatype, Attributes>>,
    windows: RefCell<HashMap<Win, Attributes>>,
    /// The ints in the guest's memory that predefined attributes point to.
    predefined: Cell<Option<Addr>>,
}

/// What a keyval has beside its handle.
const BESIDE: usize = size_of::<Keyval>() + 2 * size_of::<usize>() + size_of::<i32>();

impl State {
    pub(crate) fn new(account: &Arc<Account>) -> Self {
        State {
            keyvals: RefCell::new(Table::new(Class::Keyval, account, BESIDE)),
            freed: RefCell::default(),
            types: RefCell::default(),
            windows: RefCell::default(),
            predefined: Cell::new(None),
        }
    }
}

/// Keyvals are positive, unlike the handles of their table.
const SIGN: u32 = 1 << 31;

/// `MPI_Comm_create_keyval` and its like
pub fn create_keyval<O: Carrier>(r: &Rank, copy: FnPtr, delete: FnPtr, extra_state: Addr) -> Result<i32> {
    sweep_keyvals(r);
    let keyval = Rc::new(Keyval { kind: O::KIND, freed: Cell::new(false), copy, delete, extra_state });
    r.attrs.keyvals.borrow_mut().add(keyval, "keyvals").map(|handle| (handle & !SIGN) as i32)
}

fn find_keyval(r: &Rank, kind: ObjectKind, keyval: i32) -> Result<Rc<Keyval>> {
    let text = match r.attrs.keyvals.borrow().get(keyval as u32 | SIGN) {
        Some(found) if keyval > 0 && found.kind == kind && found.is_usable() => return Ok(found.clone()),
        Some(found) if keyval > 0 && found.is_usable() => {
            format!("keyval {keyval:#x} is for {}, not for {}", found.kind, kind)
        }
        _ if keyval == MPI_KEYVAL_INVALID => "the keyval is MPI_KEYVAL_INVALID".into(),
        _ => match predefined::name(keyval) {
            Some(name) => format!("the attribute {name} is predefined"),
            None => format!("{keyval:#x} is not a keyval of this rank (freed, or never made)"),
        },
    };
    Err(Error::new(MPI_ERR_KEYVAL, text))
}

/// `MPI_Comm_free_keyval` and its like
pub fn free_keyval<O: Carrier>(r: &Rank, keyval: i32) -> Result<i32> {
    let found = find_keyval(r, O::KIND, keyval)?;
    if found.freed.replace(true) {
        return Err(Error::new(MPI_ERR_KEYVAL, format!("keyval {keyval:#x} has been freed before")));
    }
    drop(found);
    r.attrs.freed.borrow_mut().push(keyval);
    sweep_keyvals(r);
    Ok(MPI_KEYVAL_INVALID)
}

/// Forgets the freed keyvals that no attribute refers to any more.
fn sweep_keyvals(r: &Rank) {
    let mut keyvals = r.attrs.keyvals.borrow_mut();
    r.attrs.freed.borrow_mut().retain(|&keyval| {
        let handle = keyval as u32 | SIGN;
        let in_use = keyvals.get(handle).is_some_and(|found| Rc::strong_count(found) > 1);
        if !in_use {
            keyvals.remove(handle);
        }
        in_use
    });
}

/// `MPI_Comm_set_attr` and its like
pub async fn set_attr<O: Carrier>(r: &Rank, object: O, keyval: i32, value: Addr) -> Result<()> {
    let object = object.into();
    let found = find_keyval(r, object.kind(), keyval)?;
    if found.freed.get() {
        return Err(Error::new(MPI_ERR_KEYVAL, format!("keyval {keyval:#x} has been freed")));
    }
    let old = r.attributes(object, |attributes| attributes.get(&found).cloned())?;
    if let Some(old) = old {
        call_delete(r, object, &old).await?;
    }
    r.attributes(object, |attributes| match attributes.position(&found) {
        Some(position) => {
            attributes.0[position].value = value;
            Ok(())
        }
        None => attributes.add(Attribute { keyval: found, number: keyval, value }, &r.account),
    })?
}

/// `MPI_Comm_get_attr`; predefined attributes are addresses of ints.
pub async fn comm_get_attr(r: &Rank, comm: Comm, keyval: i32) -> Result<(Addr, bool)> {
    r.communicator(comm)?;
    match predefined::address(r, keyval).await? {
        Some(address) => Ok((address, true)),
        None => get_attr(r, comm, keyval),
    }
}

/// `MPI_Type_get_attr`, and `MPI_Win_get_attr` of attributes that the program set: the value, and whether there is one
pub fn get_attr<O: Carrier>(r: &Rank, object: O, keyval: i32) -> Result<(Addr, bool)> {
    let object = object.into();
    let found = find_keyval(r, object.kind(), keyval)?;
    let value = r.attributes(object, |attributes| attributes.get(&found).map(|attribute| attribute.value))?;
    Ok((value.unwrap_or(Addr::NULL), value.is_some()))
}

/// `MPI_Comm_delete_attr` and its like
pub async fn delete_attr<O: Carrier>(r: &Rank, object: O, keyval: i32) -> Result<()> {
    let object = object.into();
    let found = find_keyval(r, object.kind(), keyval)?;
    let Some(attribute) = r.attributes(object, |attributes| attributes.get(&found).cloned())? else {
        let text = format!("keyval {keyval:#x} has no value on this {}", object.kind().one());
        return Err(Error::new(MPI_ERR_KEYVAL, text));
    };
    call_delete(r, object, &attribute).await?;
    r.attributes(object, |attributes| attributes.remove(&found))
}

/// Deletes all attributes of an object that is about to go, the last one first. An error of a delete function keeps the
/// rest.
pub(crate) async fn delete_all(r: &Rank, object: Object) -> Result<()> {
    while let Some(attribute) = r.attributes(object, |attributes| attributes.0.last().cloned())? {
        call_delete(r, object, &attribute).await?;
        r.attributes(object, |attributes| attributes.remove(&attribute.keyval))?;
    }
    r.forget_attributes(object);
    Ok(())
}

/// The attributes that a duplicate of an object gets, by the keyvals' copy functions.
pub(crate) async fn copy_all(r: &Rank, object: Object) -> Result<Attributes> {
    let mut copies = Attributes::default();
    for attribute in r.attributes(object, |attributes| attributes.0.clone())? {
        if let Some(value) = call_copy(r, object, &attribute).await? {
            copies.add(Attribute { value, ..attribute }, &r.account)?;
        }
    }
    Ok(copies)
}

async fn call_delete(r: &Rank, object: Object, attribute: &Attribute) -> Result<()> {
    let Attribute { keyval, number, value } = attribute;
    if keyval.delete == MPI_COMM_NULL_DELETE_FN {
        return Ok(());
    }
    let arguments: [u32; 4] = [object.handle(), *number as u32, value.0, keyval.extra_state.0];
    let code = call(r, keyval.delete, &arguments).await;
    succeeded(code, || format!("the delete function of keyval {number:#x}"))
}

async fn call_copy(r: &Rank, object: Object, attribute: &Attribute) -> Result<Option<Addr>> {
    let Attribute { keyval, number, value } = attribute;
    match keyval.copy {
        MPI_COMM_NULL_COPY_FN => return Ok(None),
        MPI_COMM_DUP_FN => return Ok(Some(*value)),
        _ => (),
    }
    let cell = r.take_cell().await?;
    let flag = Addr(cell.0 + 4);
    let memory = r.memory();
    memory.write_i32(cell, 0, "the copied value")?;
    memory.write_i32(flag, 0, "the copy function's flag")?;
    let arguments = [object.handle(), *number as u32, keyval.extra_state.0, value.0, cell.0, flag.0];
    let code = call(r, keyval.copy, &arguments).await;
    let copied = memory.read_i32(flag, "the copy function's flag")? != 0;
    let copy = Addr(memory.read_i32(cell, "the copied value")? as u32);
    r.give_cell(cell);
    succeeded(code, || format!("the copy function of keyval {number:#x}"))?;
    Ok(copied.then_some(copy))
}

async fn call(r: &Rank, function: FnPtr, arguments: &[u32]) -> i32 {
    let arguments: SmallVec<[i32; 8]> = arguments.iter().map(|&argument| argument as i32).collect();
    r.ask(Callback::Call { function, arguments }).await
}

fn succeeded(code: i32, what: impl FnOnce() -> String) -> Result<()> {
    if code == MPI_SUCCESS {
        return Ok(());
    }
    Err(Error::new(code, format!("{} returned error {code}", what())))
}

/// What `MPI_Finalize` does first (§11.2.4): the attributes of `MPI_COMM_SELF` are deleted, the last one first.
pub(crate) async fn delete_own(r: &Rank) -> Result<()> {
    delete_all(r, Comm::SELF.into()).await
}
