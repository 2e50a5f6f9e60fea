//! Handles: what a guest's 32-bit words mean to the library, whose handles are pointers.
//!
//! Constants of the ABI are the same numbers on both sides. What the library makes gets a word with class, generation
//! and index, so that a stale, foreign or made-up word is an error of its class and never reaches the library.

use std::cell::RefCell;

use rankine_abi::{
    Addr, Group, Info, MPI_ERR_GROUP, MPI_ERR_INFO, MPI_ERR_REQUEST, MPI_ERR_SESSION, MPI_T_ERR_INVALID_HANDLE,
    Message, Session,
};
use rankine_guest::handle::{Class, Table};
use rankine_guest::quota::exhausted;
use rankine_guest::{Charge, Error};
use smallvec::{Array, SmallVec};

use super::keeping::Keeping;
use crate::Result;
use crate::rank::Rank;

/// What a table holds for each word.
pub(crate) trait Hosted {
    /// The library's handle.
    fn host(&self) -> usize;
}

impl Hosted for usize {
    fn host(&self) -> usize {
        *self
    }
}

/// An object, and what is charged for what the library keeps of it.
struct Kept<T> {
    object: T,
    charge: Charge,
}

/// What the table holds of a request, or another object that few bytes stand behind, whatever made it.
const BESIDE: usize = 512;

/// The handles of one class.
pub(crate) struct Handles<T> {
    table: RefCell<Table<Kept<T>>>,
    keeping: Keeping,
    /// The class of errors about such handles.
    error: i32,
    /// What one is called: "communicator".
    noun: &'static str,
    /// The constant that stands for none.
    null: u32,
    /// The standard name of a constant.
    constant: fn(u32) -> Option<&'static str>,
    /// A bit for each number that is a constant.
    constants: [u64; FIRST_MADE as usize / 64],
}

/// Constants of the ABI are below this number.
const FIRST_MADE: u32 = 1024;

impl<T: Hosted> Handles<T> {
    pub(crate) fn new(
        keeping: &Keeping,
        (class, null): (Class, u32),
        error: i32,
        noun: &'static str,
        constant: fn(u32) -> Option<&'static str>,
    ) -> Self {
        let mut constants = [0; _];
        for word in (0..FIRST_MADE).filter(|&word| constant(word).is_some()) {
            constants[word as usize / 64] |= 1 << (word % 64);
        }
        let table = RefCell::new(Table::new(class, &keeping.account, BESIDE));
        Handles { table, keeping: keeping.clone(), error, noun, null, constant, constants }
    }

    #[inline]
    fn has_constant(&self, word: u32) -> bool {
        self.constants.get(word as usize / 64).is_some_and(|bits| bits >> (word % 64) & 1 != 0)
    }

    /// The library's handle for a word. Not the null handle, which not every library looks for.
    #[inline]
    pub(crate) fn host(&self, word: u32, what: &str) -> Result<usize> {
        match self.host_or_null(word, what) {
            Ok(host) if host == self.null as usize => Err(self.unknown(word, what)),
            found => found,
        }
    }

    /// As [`Handles::host`], where the null handle means something.
    #[inline]
    pub(crate) fn host_or_null(&self, word: u32, what: &str) -> Result<usize> {
        if self.has_constant(word) {
            return Ok(word as usize);
        }
        match self.table.borrow().get(word) {
            Some(kept) => Ok(kept.object.host()),
            None => Err(self.unknown(word, what)),
        }
    }

    /// As [`Handles::host`], of what the program has made.
    pub(crate) fn made(&self, word: u32, what: &str) -> Result<usize> {
        if self.has_constant(word) { Err(self.unknown(word, what)) } else { self.host(word, what) }
    }

    /// The library's handles for many words; `look` has a say about those that are no constants.
    #[inline]
    pub(crate) fn hosts<A: Array<Item = usize>>(
        &self,
        words: &[u32],
        what: &str,
        look: impl Fn(&T, u32) -> Result<()>,
    ) -> Result<SmallVec<A>> {
        let mut hosts = SmallVec::new();
        hosts.try_reserve_exact(words.len()).map_err(|_| exhausted(words.len(), what))?;
        let table = self.table.borrow();
        for &word in words {
            hosts.push(match table.get(word) {
                Some(kept) => {
                    look(&kept.object, word)?;
                    kept.object.host()
                }
                None if self.has_constant(word) => word as usize,
                None => return Err(self.unknown(word, what)),
            });
        }
        Ok(hosts)
    }

    /// All these words, each with its index, become stale. What some of them stood for is returned, and the rest dropped.
    pub(crate) fn remove_all(
        &self,
        words: impl Iterator<Item = (usize, u32)>,
        wanted: impl Fn(&T) -> bool,
    ) -> Vec<(usize, T)> {
        let (mut table, mut removed) = (self.table.borrow_mut(), Vec::new());
        for (index, word) in words {
            if table.get(word).is_some_and(|kept| wanted(&kept.object)) {
                removed.extend(table.remove(word).map(|kept| (index, kept.object)));
            } else {
                table.discard(word);
            }
        }
        removed
    }

    /// The error for a word that stands for nothing.
    #[cold]
    pub(crate) fn unknown(&self, word: u32, what: &str) -> Error {
        let noun = self.noun;
        let a = if noun.starts_with(['i', 'o']) { "an" } else { "a" };
        let text = match (self.constant)(word) {
            Some(name) => format!("{what}: {name} is not {a} {noun} that can be used here"),
            None => format!("{what}: {word:#x} is not {a} {noun} of this rank (freed, or never made)"),
        };
        Error::new(self.error, text)
    }

    /// What the table holds for a word.
    #[inline]
    pub(crate) fn with<R>(&self, word: u32, look: impl FnOnce(&T) -> R) -> Option<R> {
        self.table.borrow().get(word).map(|kept| look(&kept.object))
    }

    /// As [`Handles::with`], to change it.
    #[inline]
    pub(crate) fn change<R>(&self, word: u32, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.table.borrow_mut().get_mut(word).map(|kept| change(&mut kept.object))
    }

    /// A word for something that the library made.
    #[inline]
    pub(crate) fn insert(&self, object: T) -> Result<u32> {
        self.insert_or_give_back(object).map_err(|(error, _)| error)
    }

    /// The library keeps so much more for an object from now on, but not more than `most` in all.
    pub(crate) fn keeps(&self, word: u32, bytes: usize, most: usize) -> Result<()> {
        match self.table.borrow_mut().get_mut(word) {
            Some(Kept { charge, .. }) if charge.bytes() < most as u64 => match charge.try_grow(bytes) {
                true => Ok(()),
                false => Err(charge.refused(bytes, format!("{}s", self.noun))),
            },
            _ => Ok(()),
        }
    }

    /// As [`Handles::insert`]; what there is no word for comes back.
    pub(crate) fn insert_or_give_back(&self, object: T) -> std::result::Result<u32, (Error, T)> {
        let charge = match self.keeping.charge(self.noun) {
            Ok(charge) => charge,
            Err(error) => return Err((error, object)),
        };
        let inserted = self.table.borrow_mut().insert(Kept { object, charge });
        inserted.map_err(|kept| (self.full(), kept.object))
    }

    /// As [`Handles::insert`], for what is made where it is to lie.
    #[inline(always)]
    pub(crate) fn insert_with(&self, make: impl FnOnce() -> T) -> Result<u32> {
        let make = || Kept { object: make(), charge: Charge::default() };
        let inserted = self.table.borrow_mut().insert_with(make);
        inserted.ok_or_else(|| self.full())
    }

    #[cold]
    fn full(&self) -> Error {
        let table = self.table.borrow();
        if !table.has_all() {
            self.keeping.overdraw();
        }
        table.full(format!("{}s", self.noun))
    }

    /// The word becomes stale.
    #[inline]
    pub(crate) fn remove(&self, word: u32) -> Option<T> {
        self.table.borrow_mut().remove(word).map(|kept| kept.object)
    }

    /// Calls `visit` with everything in the table.
    pub(crate) fn each(&self, mut visit: impl FnMut(&T)) {
        self.table.borrow().iter().for_each(|(_, kept)| visit(&kept.object));
    }

    /// A word of a handle of the library's that is wanted.
    pub(crate) fn word_where(&self, host: usize, is_wanted: impl Fn(u32) -> bool) -> Option<u32> {
        let table = self.table.borrow();
        table.iter().find(|(word, kept)| kept.object.host() == host && is_wanted(*word)).map(|(word, _)| word)
    }

    /// The word of a handle of the library's, if it has one.
    pub(crate) fn word_of(&self, host: usize) -> Option<u32> {
        if host < FIRST_MADE as usize {
            return Some(host as u32);
        }
        self.table.borrow().iter().find(|(_, kept)| kept.object.host() == host).map(|(word, _)| word)
    }
}

impl Handles<usize> {
    /// The word for a handle that the library returned: a constant stays what it is.
    pub(crate) fn word_for(&self, host: usize) -> Result<u32> {
        if host < FIRST_MADE as usize { Ok(host as u32) } else { self.insert(host) }
    }
}

/// Whether a handle is a constant of the ABI.
pub(crate) fn is_constant(host: usize) -> bool {
    host < FIRST_MADE as usize
}

/// The tables of those classes that need nothing but the handle.
pub(crate) struct Plain {
    pub(crate) groups: Handles<usize>,
    pub(crate) infos: Handles<usize>,
    pub(crate) messages: Handles<usize>,
    pub(crate) sessions: Handles<usize>,
    /// Handles of the tools interface, with the C type of each.
    tools: RefCell<Table<(usize, &'static str)>>,
}

impl Plain {
    pub(crate) fn new(keeping: &Keeping) -> Plain {
        Plain {
            groups: Handles::new(keeping, (Class::Group, Group::NULL.0), MPI_ERR_GROUP, "group", |word| {
                Group(word).name()
            }),
            infos: Handles::new(keeping, (Class::Info, Info::NULL.0), MPI_ERR_INFO, "info object", |word| {
                Info(word).name()
            }),
            messages: Handles::new(keeping, (Class::Message, Message::NULL.0), MPI_ERR_REQUEST, "message", |word| {
                Message(word).name()
            }),
            sessions: Handles::new(keeping, (Class::Session, Session::NULL.0), MPI_ERR_SESSION, "session", |word| {
                Session(word).name()
            }),
            tools: RefCell::new(Table::new(Class::Keyval, &keeping.account, BESIDE)),
        }
    }
}

/// Declares, for a plain class, how a word is looked up, stored, and dropped once the library has made it null.
macro_rules! plain {
    ($($table:ident: $get:ident $put:ident $after:ident $null:expr;)*) => {
        impl Rank {
            $(
                #[inline]
                pub(crate) fn $get(&self, word: u32, what: &str) -> Result<usize> {
                    self.plain.$table.host(word, what)
                }

                #[allow(dead_code)] // Some classes are only made by functions written by hand.
                pub(crate) fn $put(&self, at: Addr, host: usize, what: &str) -> Result<()> {
                    self.put_handle(at, self.plain.$table.word_for(host)?, what)
                }

                pub(crate) fn $after(&self, at: Addr, word: u32, host: usize, what: &str) -> Result<()> {
                    if host == $null as usize {
                        self.plain.$table.remove(word);
                        self.put_handle(at, $null, what)?;
                    }
                    Ok(())
                }
            )*
        }
    };
}

plain! {
infos: info put_info after_info Info::NULL.0;
messages: message_host put_message after_message Message::NULL.0;
}

impl Rank {
    /// An info object, or none.
    pub(crate) fn info_or_null(&self, word: u32, what: &str) -> Result<usize> {
        self.plain.infos.host_or_null(word, what)
    }

    /// An info object that the program has made.
    pub(crate) fn made_info(&self, word: u32, what: &str) -> Result<usize> {
        self.plain.infos.made(word, what)
    }

    /// A matched message that the call under way is to receive.
    #[inline]
    pub(crate) fn message(&self, word: u32, what: &str) -> Result<usize> {
        let host = self.message_host(word, what)?;
        self.claim_message(word)?;
        Ok(host)
    }

    #[inline]
    pub(crate) fn session(&self, word: u32, what: &str) -> Result<usize> {
        self.plain.sessions.host(word, what)
    }

    /// A handle of the tools interface.
    pub(crate) fn tool(&self, word: u32, class: &'static str) -> Result<usize> {
        match self.plain.tools.borrow().get(word) {
            Some(&(host, found)) if found == class => Ok(host),
            _ => Err(Error::new(MPI_T_ERR_INVALID_HANDLE, format!("{word:#x} is not an {class} of this rank"))),
        }
    }

    /// A word for a handle of the library's. Null and the few constants are small numbers.
    pub(crate) fn tool_word(&self, host: usize, class: &'static str) -> Result<u32> {
        if host < 16 {
            return Ok(host as u32);
        }
        let mut tools = self.plain.tools.borrow_mut();
        tools.insert((host, class)).map_err(|_| tools.full("handles of tools"))
    }

    pub(crate) fn put_tool(&self, at: Addr, host: usize, class: &'static str) -> Result<()> {
        self.put_handle(at, self.tool_word(host, class)?, class)
    }

    /// The library has ended what this word stands for.
    pub(crate) fn forget_tool(&self, word: u32) {
        self.plain.tools.borrow_mut().remove(word);
    }

    pub(crate) fn after_tool(&self, at: Addr, word: u32, host: usize, what: &str) -> Result<()> {
        if host == 0 {
            self.plain.tools.borrow_mut().remove(word);
            self.put_handle(at, 0, what)?;
        }
        Ok(())
    }
}
