//! Attributes (MPI-5.0 §7.7): values that a program hangs on communicators, datatypes and windows.
//!
//! A value is a word of the guest's, as wide as its addresses. Its keyval's copy and delete functions are the guest's own and run on the rank's
//! stack, between two polls; nothing is borrowed meanwhile, because they may call back in.

mod object;
mod predefined;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use rankine_abi::{
    Addr, Comm, Datatype, FnPtr, Kept, MPI_COMM_DUP_FN, MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, Win,
};
use rankine_abi::{MPI_ERR_KEYVAL, MPI_KEYVAL_INVALID, MPI_SUCCESS};

use crate::error::{Error, Result};
use crate::handle::{Class, Table};
use crate::quota::{Account, Charge, Cost};
use crate::rank::Rank;

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
    extra_state: Kept,
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
    value: Kept,
}

/// The attributes of one object, and what is charged for them.
#[derive(Default, Debug)]
pub(crate) struct Attributes {
    /// In the order in which they were set, by a number that grows.
    list: BTreeMap<u64, Attribute>,
    /// That number, by the keyval's.
    places: BTreeMap<i32, u64>,
    /// How many are charged.
    charged: usize,
    charge: Charge,
}

/// Attributes that an object has room for at first.
const FEW: usize = 4;
/// Bytes of an attribute in both maps.
const ATTRIBUTE: usize = 2 * (size_of::<Attribute>() + 2 * size_of::<u64>() + size_of::<i32>());

impl Attributes {
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The attribute of a keyval, whose number is no other's as long as there is one.
    fn get(&self, keyval: i32) -> Option<&Attribute> {
        self.list.get(self.places.get(&keyval)?)
    }

    /// The one that was set last.
    fn last(&self) -> Option<&Attribute> {
        self.list.last_key_value().map(|(_, attribute)| attribute)
    }

    /// Sets a value, which is the last one if there was none.
    fn set(&mut self, attribute: Attribute, account: &Arc<Account>) -> Result<()> {
        if let Some(known) = self.places.get(&attribute.number).and_then(|place| self.list.get_mut(place)) {
            known.value = attribute.value;
            return Ok(());
        }
        if self.list.len() == self.charged {
            let all = self.charged + self.charged.max(FEW);
            self.charge = account.charge(all * ATTRIBUTE, Cost::Attributes)?;
            self.charged = all;
        }
        let place = self.list.last_key_value().map_or(0, |(last, _)| last + 1);
        self.places.insert(attribute.number, place);
        self.list.insert(place, attribute);
        Ok(())
    }

    fn remove(&mut self, keyval: i32) {
        if let Some(place) = self.places.remove(&keyval) {
            self.list.remove(&place);
        }
    }
}

/// Keyvals, and the attributes of objects that do not hold them themselves.
pub(crate) struct State {
    keyvals: RefCell<Table<Rc<Keyval>>>,
    /// Keyvals that were freed while attributes referred to them, those first that are to be looked at next.
    freed: RefCell<VecDeque<i32>>,
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

/// Freed keyvals that a call looks at which makes or frees one: more than come to them, so that all have their turn, and so few
/// that it does not matter how many there are.
const A_FEW: usize = 4;
/// And that one looks at for which there was no room.
const MANY: usize = 1 << 10;

/// Keyvals are positive, unlike the handles of their table.
const SIGN: u32 = 1 << 31;

/// `MPI_Comm_create_keyval` and its like
pub fn create_keyval<O: Carrier>(r: &Rank, copy: FnPtr, delete: FnPtr, extra_state: Kept) -> Result<i32> {
    sweep_keyvals(r, A_FEW);
    let keyval = Rc::new(Keyval { kind: O::KIND, freed: Cell::new(false), copy, delete, extra_state });
    let add = || r.attrs.keyvals.borrow_mut().add(keyval.clone(), "keyvals");
    let handle = add().or_else(|_| {
        sweep_keyvals(r, MANY);
        add()
    });
    handle.map(|handle| (handle & !SIGN) as i32)
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
    r.attrs.freed.borrow_mut().push_back(keyval);
    sweep_keyvals(r, A_FEW);
    Ok(MPI_KEYVAL_INVALID)
}

/// Looks at up to so many freed keyvals, and forgets those that no attribute refers to any more.
fn sweep_keyvals(r: &Rank, most: usize) {
    let (mut keyvals, mut freed) = (r.attrs.keyvals.borrow_mut(), r.attrs.freed.borrow_mut());
    for _ in 0..most.min(freed.len()) {
        let Some(keyval) = freed.pop_front() else { return };
        let handle = keyval as u32 | SIGN;
        if keyvals.get(handle).is_some_and(|found| Rc::strong_count(found) > 1) {
            freed.push_back(keyval);
        } else {
            keyvals.remove(handle);
        }
    }
}

/// `MPI_Comm_set_attr` and its like
pub async fn set_attr<O: Carrier>(r: &Rank, object: O, keyval: i32, value: Kept) -> Result<()> {
    let object = object.into();
    let found = find_keyval(r, object.kind(), keyval)?;
    if found.freed.get() {
        return Err(Error::new(MPI_ERR_KEYVAL, format!("keyval {keyval:#x} has been freed")));
    }
    let old = r.attributes(object, |attributes| attributes.get(keyval).cloned())?;
    if let Some(old) = old {
        call_delete(r, object, &old).await?;
    }
    let attribute = Attribute { keyval: found, number: keyval, value };
    r.attributes(object, |attributes| attributes.set(attribute, &r.account))?
}

/// `MPI_Comm_get_attr`; predefined attributes are addresses of ints.
pub async fn comm_get_attr(r: &Rank, comm: Comm, keyval: i32) -> Result<(Kept, bool)> {
    r.communicator(comm)?;
    match predefined::address(r, keyval).await? {
        Some(address) => Ok((Kept(address.0), true)),
        None => get_attr(r, comm, keyval),
    }
}

/// `MPI_Type_get_attr`, and `MPI_Win_get_attr` of attributes that the program set: the value, and whether there is one
pub fn get_attr<O: Carrier>(r: &Rank, object: O, keyval: i32) -> Result<(Kept, bool)> {
    let object = object.into();
    find_keyval(r, object.kind(), keyval)?;
    let value = r.attributes(object, |attributes| attributes.get(keyval).map(|attribute| attribute.value))?;
    Ok((value.unwrap_or(Kept::NULL), value.is_some()))
}

/// `MPI_Comm_delete_attr` and its like
pub async fn delete_attr<O: Carrier>(r: &Rank, object: O, keyval: i32) -> Result<()> {
    let object = object.into();
    find_keyval(r, object.kind(), keyval)?;
    let Some(attribute) = r.attributes(object, |attributes| attributes.get(keyval).cloned())? else {
        let text = format!("keyval {keyval:#x} has no value on this {}", object.kind().one());
        return Err(Error::new(MPI_ERR_KEYVAL, text));
    };
    call_delete(r, object, &attribute).await?;
    r.attributes(object, |attributes| attributes.remove(keyval))
}

/// Deletes all attributes of an object that is about to go, the last one first. An error of a delete function keeps the
/// rest.
pub(crate) async fn delete_all(r: &Rank, object: Object) -> Result<()> {
    while let Some(attribute) = r.attributes(object, |attributes| attributes.last().cloned())? {
        call_delete(r, object, &attribute).await?;
        r.attributes(object, |attributes| attributes.remove(attribute.number))?;
    }
    r.forget_attributes(object);
    Ok(())
}

/// The attributes that a duplicate of an object gets, by the keyvals' copy functions.
pub(crate) async fn copy_all(r: &Rank, object: Object) -> Result<Attributes> {
    let mut copies = Attributes::default();
    let all: Vec<Attribute> = r.attributes(object, |attributes| attributes.list.values().cloned().collect())?;
    for attribute in all {
        if let Some(value) = call_copy(r, object, &attribute).await? {
            copies.set(Attribute { value, ..attribute }, &r.account)?;
        }
    }
    Ok(copies)
}

async fn call_delete(r: &Rank, object: Object, attribute: &Attribute) -> Result<()> {
    let Attribute { keyval, number, value } = attribute;
    if keyval.delete == MPI_COMM_NULL_DELETE_FN {
        return Ok(());
    }
    let arguments = r.arguments().handle(object.handle()).int(*number).kept(*value).kept(keyval.extra_state);
    let code = r.call_guest(keyval.delete, arguments).await;
    succeeded(code, || format!("the delete function of keyval {number:#x}"))
}

async fn call_copy(r: &Rank, object: Object, attribute: &Attribute) -> Result<Option<Kept>> {
    let Attribute { keyval, number, value } = attribute;
    match keyval.copy {
        MPI_COMM_NULL_COPY_FN => return Ok(None),
        MPI_COMM_DUP_FN => return Ok(Some(*value)),
        _ => (),
    }
    let cell = r.take_cell().await?;
    let memory = r.memory();
    let flag = cell.plus(memory.word());
    memory.write_kept(cell, Kept::NULL, "the copied value")?;
    memory.write_i32(flag, 0, "the copy function's flag")?;
    let arguments = r.arguments().handle(object.handle()).int(*number).kept(keyval.extra_state).kept(*value);
    let code = r.call_guest(keyval.copy, arguments.address(cell).address(flag)).await;
    let copied = memory.read_i32(flag, "the copy function's flag")? != 0;
    let copy = memory.read_kept(cell, "the copied value")?;
    r.give_cell(cell);
    succeeded(code, || format!("the copy function of keyval {number:#x}"))?;
    Ok(copied.then_some(copy))
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
