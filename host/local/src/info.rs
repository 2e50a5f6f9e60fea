//! Info objects (MPI-5.0 chapter 10): ordered pairs of key and value, which carry hints.

mod entries;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rankine_abi::{
    Info, MPI_ERR_ARG, MPI_ERR_INFO, MPI_ERR_INFO_KEY, MPI_ERR_INFO_NOKEY, MPI_ERR_INFO_VALUE, MPI_MAX_INFO_KEY,
    MPI_MAX_INFO_VAL,
};

use crate::error::{Error, Result};
use crate::handle::{Class, Table};
use crate::quota::Account;
use crate::rank::Rank;

pub(crate) use entries::Entries;
use entries::{OVERHEAD, WHAT};

/// The hints that an object was given, shared with the info object as long as neither changes.
pub(crate) type Hints = Option<Rc<Entries>>;

/// The info objects that a rank made.
pub(crate) struct State {
    table: RefCell<Table<Rc<Entries>>>,
    /// What `MPI_INFO_ENV` holds.
    environment: RefCell<Rc<Entries>>,
}

impl State {
    pub(crate) fn new(account: &Arc<Account>) -> Self {
        let table = Table::new(Class::Info, account, size_of::<Entries>() + OVERHEAD);
        State { table: RefCell::new(table), environment: RefCell::new(Rc::new(Entries::new(account))) }
    }
}

impl Rank {
    /// Says how the program was started: what `MPI_INFO_ENV` holds (`command`, `argv`, `maxprocs`, `wdir`, …). Pairs
    /// that are too long for an info object are left out.
    pub fn set_environment<'a>(&self, pairs: impl IntoIterator<Item = (&'a str, &'a str)>) {
        let mut environment = Entries::new(&self.account);
        for (key, value) in pairs {
            if check_pair(key, value).is_ok() {
                let _ = environment.set(key, value);
            }
        }
        *self.infos.environment.borrow_mut() = Rc::new(environment);
    }

    /// The pairs of an info object.
    pub(crate) fn info(&self, info: Info) -> Result<Rc<Entries>> {
        match info {
            Info::ENV => Ok(self.infos.environment.borrow().clone()),
            _ => self.infos.table.borrow().get(info.0).cloned().ok_or_else(|| no_info(info)),
        }
    }

    /// The hints that a call is given, perhaps `MPI_INFO_NULL`.
    pub(crate) fn hints(&self, info: Info) -> Result<Hints> {
        if info == Info::NULL { Ok(None) } else { self.info(info).map(Some) }
    }

    /// Hints with others added.
    pub(crate) fn more_hints(&self, old: &Hints, new: &Hints) -> Result<Hints> {
        match (old, new) {
            (Some(old), Some(new)) => Ok(Some(Rc::new(old.with(&self.account, Some(new))?))),
            (old, new) => Ok(new.as_ref().or(old.as_ref()).cloned()),
        }
    }

    /// A new info object with an object's hints.
    pub(crate) fn add_info(&self, hints: &Hints) -> Result<Info> {
        let entries = hints.clone().unwrap_or_else(|| Rc::new(Entries::new(&self.account)));
        self.infos.table.borrow_mut().add(entries, WHAT).map(Info)
    }

    /// Changes an info object, apart from whoever shares its pairs.
    fn change_info<R>(&self, info: Info, change: impl FnOnce(&mut Entries) -> R) -> Result<R> {
        if info == Info::ENV {
            return Err(Error::new(MPI_ERR_INFO, "MPI_INFO_ENV cannot be changed"));
        }
        let mut table = self.infos.table.borrow_mut();
        let entries = table.get_mut(info.0).ok_or_else(|| no_info(info))?;
        if Rc::get_mut(entries).is_none() {
            *entries = Rc::new(entries.with(&self.account, None)?);
        }
        Ok(change(Rc::get_mut(entries).expect("nobody shares a new copy")))
    }
}

#[cold]
fn no_info(info: Info) -> Error {
    let text = match info {
        Info::NULL => "the info object is MPI_INFO_NULL".into(),
        Info(handle) => format!("{handle:#x} is not an info object of this rank (freed, or never made)"),
    };
    Error::new(MPI_ERR_INFO, text)
}

fn check_key(key: &str) -> Result<()> {
    if key.is_empty() {
        return Err(Error::new(MPI_ERR_INFO_KEY, "the key is empty"));
    }
    if key.len() >= MPI_MAX_INFO_KEY as usize {
        let text = format!("the key has {} bytes, more than {}", key.len(), MPI_MAX_INFO_KEY - 1);
        return Err(Error::new(MPI_ERR_INFO_KEY, text));
    }
    Ok(())
}

fn check_pair(key: &str, value: &str) -> Result<()> {
    check_key(key)?;
    if value.len() >= MPI_MAX_INFO_VAL as usize {
        let text = format!("the value of {key:?} has {} bytes, more than {}", value.len(), MPI_MAX_INFO_VAL - 1);
        return Err(Error::new(MPI_ERR_INFO_VALUE, text));
    }
    Ok(())
}

/// `MPI_Info_create`
pub fn info_create(r: &Rank) -> Result<Info> {
    r.add_info(&None)
}

/// `MPI_Info_create_env`, with the program's arguments (the first is its name) as far as the guest gave them.
pub fn info_create_env(r: &Rank, arguments: &[String]) -> Result<Info> {
    let environment = r.info(Info::ENV)?;
    let mut entries = environment.with(&r.account, None)?;
    if let Some((command, arguments)) = arguments.split_first() {
        for (key, value) in [("command", command), ("argv", &arguments.join(" "))] {
            if check_pair(key, value).is_ok() {
                entries.set(key, value)?;
            }
        }
    }
    r.add_info(&Some(Rc::new(entries)))
}

/// `MPI_Info_dup`
pub fn info_dup(r: &Rank, info: Info) -> Result<Info> {
    let copy = r.info(info)?;
    r.add_info(&Some(copy))
}

/// `MPI_Info_free`
pub fn info_free(r: &Rank, info: Info) -> Result<Info> {
    if info == Info::ENV {
        return Err(Error::new(MPI_ERR_INFO, "MPI_INFO_ENV cannot be freed"));
    }
    let removed = r.infos.table.borrow_mut().remove(info.0);
    removed.map(|_| Info::NULL).ok_or_else(|| no_info(info))
}

/// `MPI_Info_set`
pub fn info_set(r: &Rank, info: Info, key: &str, value: &str) -> Result<()> {
    check_pair(key, value)?;
    r.change_info(info, |entries| entries.set(key, value))?
}

/// `MPI_Info_delete`
pub fn info_delete(r: &Rank, info: Info, key: &str) -> Result<()> {
    check_key(key)?;
    match r.change_info(info, |entries| entries.remove(key))? {
        true => Ok(()),
        false => Err(Error::new(MPI_ERR_INFO_NOKEY, format!("the info object has no key {key:?}"))),
    }
}

fn value(r: &Rank, info: Info, key: &str) -> Result<Option<String>> {
    check_key(key)?;
    Ok(r.info(info)?.get(key).map(str::to_owned))
}

/// `MPI_Info_get`: at most `valuelen` bytes of the value, if there is one.
pub fn info_get(r: &Rank, info: Info, key: &str, valuelen: i32) -> Result<Option<String>> {
    let length = usize::try_from(valuelen)
        .map_err(|_| Error::new(MPI_ERR_ARG, format!("valuelen is {valuelen}, which is negative")))?;
    Ok(value(r, info, key)?.map(|mut value| {
        value.truncate(value.floor_char_boundary(length));
        value
    }))
}

/// `MPI_Info_get_string`: the room that the value needs with its terminating zero, and as much of it as fits into
/// `buflen` bytes with one.
pub fn info_get_string(r: &Rank, info: Info, key: &str, buflen: i32) -> Result<Option<(i32, String)>> {
    let room = usize::try_from(buflen)
        .map_err(|_| Error::new(MPI_ERR_ARG, format!("buflen is {buflen}, which is negative")))?;
    Ok(value(r, info, key)?.map(|mut value| {
        let needed = value.len() as i32 + 1;
        value.truncate(value.floor_char_boundary(room.saturating_sub(1)));
        (needed, value)
    }))
}

/// `MPI_Info_get_valuelen`
pub fn info_get_valuelen(r: &Rank, info: Info, key: &str) -> Result<(i32, bool)> {
    let value = value(r, info, key)?;
    Ok((value.as_ref().map_or(0, String::len) as i32, value.is_some()))
}

/// `MPI_Info_get_nkeys`
pub fn info_get_nkeys(r: &Rank, info: Info) -> Result<i32> {
    Ok(r.info(info)?.len() as i32)
}

/// `MPI_Info_get_nthkey`
pub fn info_get_nthkey(r: &Rank, info: Info, n: i32) -> Result<String> {
    let entries = r.info(info)?;
    let key = usize::try_from(n).ok().and_then(|n| entries.nth_key(n));
    key.map(str::to_owned)
        .ok_or_else(|| Error::new(MPI_ERR_ARG, format!("n is {n}, but the info object has {} keys", entries.len())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rankine_abi::MPI_ERR_NO_MEM;

    use crate::quota::Cost;
    use crate::testing::both;

    #[test]
    fn pairs_keep_their_order() {
        both(1, async |r| {
            let info = info_create(r).unwrap();
            for (key, value) in [("b", "1"), ("a", "2"), ("b", "three")] {
                info_set(r, info, key, value).unwrap();
            }
            let copy = info_dup(r, info).unwrap();
            info_delete(r, info, "b").unwrap();
            assert_eq!((info_get_nkeys(r, info).unwrap(), info_get_nkeys(r, copy).unwrap()), (1, 2));
            assert_eq!(info_get_nthkey(r, copy, 0).unwrap(), "b");
            assert_eq!(info_get_nthkey(r, info, 0).unwrap(), "a");
            assert_eq!(info_get_nthkey(r, info, 1).unwrap_err().class, MPI_ERR_ARG);
            assert_eq!(info_get(r, copy, "b", 2).unwrap().as_deref(), Some("th"));
            assert_eq!(info_get(r, info, "b", 2).unwrap(), None);
            assert_eq!(info_get_string(r, copy, "b", 0).unwrap(), Some((6, String::new())));
            assert_eq!(info_get_string(r, copy, "b", 6).unwrap(), Some((6, "three".into())));
            assert_eq!(info_get_valuelen(r, copy, "b").unwrap(), (5, true));
            assert_eq!(info_get_valuelen(r, copy, "c").unwrap(), (0, false));
            assert_eq!(info_delete(r, info, "b").unwrap_err().class, MPI_ERR_INFO_NOKEY);
            assert_eq!(info_free(r, info).unwrap(), Info::NULL);
            assert_eq!(info_free(r, info).unwrap_err().class, MPI_ERR_INFO);
            assert_eq!(info_get_nkeys(r, Info::NULL).unwrap_err().to_string(), "the info object is MPI_INFO_NULL");
        });
    }

    #[test]
    fn lengths_and_memory_are_limited() {
        both(1, async |r| {
            let info = info_create(r).unwrap();
            assert_eq!(info_set(r, info, "", "v").unwrap_err().class, MPI_ERR_INFO_KEY);
            assert_eq!(info_set(r, info, &"k".repeat(256), "v").unwrap_err().class, MPI_ERR_INFO_KEY);
            assert_eq!(info_set(r, info, "k", &"v".repeat(1024)).unwrap_err().class, MPI_ERR_INFO_VALUE);
            info_set(r, info, &"k".repeat(255), &"v".repeat(1023)).unwrap();
            let long = "v".repeat(1023);
            let before = r.account.used();
            let _rest = r.account.charge((r.account.free() - (8 << 20)) as usize, Cost::Datatypes).unwrap();
            let mut infos = vec![info];
            let error = loop {
                let copy = info_dup(r, info).unwrap();
                infos.push(copy);
                if let Err(error) = info_set(r, copy, "k", &long) {
                    break error;
                }
            };
            assert_eq!(error.class, MPI_ERR_NO_MEM);
            assert!(error.text.starts_with("info objects need "), "{error}");
            for info in infos {
                info_free(r, info).unwrap();
            }
            // What is left is the table of handles.
            drop(_rest);
            assert!(r.account.used() < before + (2 << 20), "{}", r.account.used());
        });
    }

    #[test]
    fn the_environment_is_read_only() {
        both(1, async |r| {
            r.set_environment([("command", "heat.wasm"), ("maxprocs", "4")]);
            assert_eq!(info_get(r, Info::ENV, "maxprocs", 9).unwrap().as_deref(), Some("4"));
            assert_eq!(info_set(r, Info::ENV, "k", "v").unwrap_err().class, MPI_ERR_INFO);
            assert_eq!(info_free(r, Info::ENV).unwrap_err().class, MPI_ERR_INFO);
            let info = info_create_env(r, &["a.wasm".into(), "-n".into(), "3".into()]).unwrap();
            assert_eq!(info_get(r, info, "argv", 9).unwrap().as_deref(), Some("-n 3"));
            assert_eq!(info_get(r, info, "command", 9).unwrap().as_deref(), Some("a.wasm"));
        });
    }
}
