//! Memory that the library keeps for a rank, which nobody but the library can count: it is charged by what a call gave it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use rankine_abi::{Class, Function, Keeps, MPI_MAX_ERROR_STRING, MPI_MAX_INFO_KEY, MPI_MAX_INFO_VAL, Meaning};
use rankine_guest::{Account, Charge, Cost, Memory};

use super::words::Words;
use crate::Result;
use crate::rank::Rank;

/// What a library keeps of every object that it makes, about.
const OBJECT: usize = 512;
/// And of every byte of the arrays and strings of the call that made it: a copy, and what is made of it.
const SHARE: u64 = 3;
/// Of an attribute.
const ATTRIBUTE: usize = 64;
/// Of a pair of an info object: the longest that there may be.
const PAIR: usize = (MPI_MAX_INFO_KEY + MPI_MAX_INFO_VAL) as usize + 64;
/// Of an error class or code, with its text.
const CODE: usize = MPI_MAX_ERROR_STRING as usize + 64;

/// What is charged before a function runs by which the library keeps more, and makes no handle.
pub(crate) fn charge_of(function: &Function) -> Option<fn(&Rank, &Words<'_>) -> Result<()>> {
    let keeps = function.keeps?;
    Some(match (keeps, function.described()[0].meaning) {
        (Keeps::Pair, _) => |r, w| r.plain.infos.keeps(w.word(0), PAIR, usize::MAX),
        (Keeps::Attribute, Meaning::Handle(Class::Datatype)) => {
            |r, w| r.types.made.keeps(w.word(0), ATTRIBUTE, r.keeping.most())
        }
        (Keeps::Attribute, Meaning::Handle(Class::Win)) => {
            |r, w| r.windows.0.keeps(w.word(0), ATTRIBUTE, r.keeping.most())
        }
        (Keeps::Attribute, _) => |r, w| r.comms.made.keeps(w.word(0), ATTRIBUTE, r.keeping.most()),
        (Keeps::Keyval, _) => |r, _| {
            r.keeping.keyvals.set(r.keeping.keyvals.get() + 1);
            r.keeping.keep(OBJECT, Cost::Keyvals)
        },
        (Keeps::Code, _) => |r, _| r.keeping.keep(CODE, Cost::Codes),
    })
}

/// What the library keeps for a rank without a handle, as it is charged.
#[derive(Clone)]
pub(crate) struct Keeping {
    pub(crate) account: Arc<Account>,
    /// Bytes that the call under way has read.
    copied: Rc<Cell<u64>>,
    /// Attributes that an object may have.
    keyvals: Rc<Cell<usize>>,
    /// What is kept until the rank ends.
    forever: Rc<RefCell<Charge>>,
    /// The library has made something that could not be charged, and that nobody can give back.
    overdrawn: Rc<Cell<bool>>,
}

impl Keeping {
    pub(crate) fn new(account: &Arc<Account>, memory: &Memory) -> Keeping {
        Keeping {
            account: account.clone(),
            copied: memory.copied().clone(),
            keyvals: Rc::default(),
            forever: Rc::new(RefCell::new(Charge::none(account))),
            overdrawn: Rc::default(),
        }
    }

    /// Charges what the library gives back to nobody.
    fn keep(&self, bytes: usize, what: Cost) -> Result<()> {
        self.forever.borrow_mut().grow(bytes, what)
    }

    /// What an object is charged at most, however often its attributes are set.
    fn most(&self) -> usize {
        OBJECT + 2 * self.attributes()
    }

    /// A call begins, perhaps within another: what that one had read so far.
    #[inline]
    pub(crate) fn begin(&self) -> u64 {
        self.copied.replace(0)
    }

    /// A call ends.
    #[inline]
    pub(crate) fn end(&self, outer: u64) {
        self.copied.set(outer);
    }

    /// Charges what the library has made of the arguments of the call under way.
    pub(crate) fn charge(&self, noun: &str) -> Result<Charge> {
        // A duplicate may have every attribute from the start.
        let bytes = OBJECT + self.attributes() + self.copied.get().saturating_mul(SHARE) as usize;
        let mut charge = Charge::none(&self.account);
        if charge.try_grow(bytes) {
            return Ok(charge);
        }
        self.overdraw();
        Err(charge.refused(bytes, format!("{noun}s")))
    }

    /// What the attributes of an object may take.
    fn attributes(&self) -> usize {
        self.keyvals.get() * ATTRIBUTE
    }

    /// There is no room for what the library has made.
    pub(crate) fn overdraw(&self) {
        self.overdrawn.set(true);
    }

    /// Whether the rank can't go on, because each further try would take more.
    pub(crate) fn is_overdrawn(&self) -> bool {
        self.overdrawn.get()
    }
}
