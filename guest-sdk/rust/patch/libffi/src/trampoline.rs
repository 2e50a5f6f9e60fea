//! Functions for closures to borrow. Each knows its place in a table; there lies the closure that borrows it.

use core::ffi::c_void;
use core::ptr::null;
use std::sync::{Mutex, PoisonError};

use crate::low::{CodePtr, Error, Result, ffi_cif};

/// How many closures of one signature there can be at a time.
pub const CLOSURES: usize = 32;
/// How many parameters a closure can have.
pub const PARAMETERS: usize = 6;

/// What a borrowed function does.
#[derive(Clone, Copy)]
pub(crate) struct Bound {
    pub(crate) cif: ffi_cif,
    pub(crate) callback: unsafe extern "C" fn(*const ffi_cif, *mut c_void, *const *const c_void, *mut c_void),
    pub(crate) userdata: *mut c_void,
}

// SAFETY: it is plain data; that `userdata` may be used where the function is called is promised to `Closure::new`.
unsafe impl Send for Bound {}

/// By signature (see `row`), then by function.
static BOUND: Mutex<[[Option<Bound>; CLOSURES]; 2 * (PARAMETERS + 1)]> =
    Mutex::new([[None; CLOSURES]; 2 * (PARAMETERS + 1)]);

/// Functions of one signature lie in one row.
const fn row(parameters: usize, returns: bool) -> usize {
    2 * parameters + returns as usize
}

/// A function that is borrowed; dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Borrowed {
    row: usize,
    place: usize,
    pub(crate) code: CodePtr,
}

impl Borrowed {
    pub(crate) fn new(bound: Bound) -> Result<Borrowed> {
        let parameters = usize::try_from(bound.cif.nargs).ok().filter(|&n| n <= PARAMETERS).ok_or(Error::ArgType)?;
        let row = row(parameters, bound.cif.returns);
        let mut all = BOUND.lock().unwrap_or_else(PoisonError::into_inner);
        let place = all[row].iter().position(Option::is_none).ok_or(Error::Allocation)?;
        all[row][place] = Some(bound);
        let code = CodePtr(functions(row)[place].cast_mut().cast());
        Ok(Borrowed { row, place, code })
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        BOUND.lock().unwrap_or_else(PoisonError::into_inner)[self.row][self.place] = None;
    }
}

/// What every function does: find its closure, and call that with pointers to the arguments.
fn run<const COUNT: usize>(row: usize, place: usize, words: [usize; COUNT]) -> usize {
    let bound = BOUND.lock().unwrap_or_else(PoisonError::into_inner)[row][place];
    let Some(bound) = bound else {
        panic!("a closure was called after it was dropped");
    };
    let mut arguments = [null::<c_void>(); PARAMETERS];
    for (argument, word) in arguments.iter_mut().zip(&words) {
        *argument = (&raw const *word).cast();
    }
    let mut result = 0_usize;
    // SAFETY: the callback and its data belong together, and outlive the closure that borrows this function; the result
    // has the size of a word, as have the arguments, of which there are as many as the signature says.
    unsafe { (bound.callback)(&bound.cif, (&raw mut result).cast(), arguments.as_ptr(), bound.userdata) };
    result
}

macro_rules! family {
    ($void:ident $word:ident $count:literal: $($parameter:ident)*) => {
        extern "C" fn $void<const PLACE: usize>($($parameter: usize),*) {
            run(const { row($count, false) }, PLACE, [$($parameter),*]);
        }

        extern "C" fn $word<const PLACE: usize>($($parameter: usize),*) -> usize {
            run(const { row($count, true) }, PLACE, [$($parameter),*])
        }
    };
}

family!(void_0 word_0 0:);
family!(void_1 word_1 1: a);
family!(void_2 word_2 2: a b);
family!(void_3 word_3 3: a b c);
family!(void_4 word_4 4: a b c d);
family!(void_5 word_5 5: a b c d e);
family!(void_6 word_6 6: a b c d e f);

macro_rules! places {
    ($function:ident) => {
        places!($function: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31)
    };
    ($function:ident: $($place:literal)*) => {
        [$($function::<$place> as *const ()),*]
    };
}

fn functions(row: usize) -> [*const (); CLOSURES] {
    match row {
        0 => places!(void_0),
        1 => places!(word_0),
        2 => places!(void_1),
        3 => places!(word_1),
        4 => places!(void_2),
        5 => places!(word_2),
        6 => places!(void_3),
        7 => places!(word_3),
        8 => places!(void_4),
        9 => places!(word_4),
        10 => places!(void_5),
        11 => places!(word_5),
        12 => places!(void_6),
        _ => places!(word_6),
    }
}
