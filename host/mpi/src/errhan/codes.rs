//! Error codes: the library explains only those that the guest has from it.
//!
//! A code tells a library where it keeps the text, and not every library looks whether it can be true. So a code must be
//! a class of the standard, or one that the program has made, or one that a call has returned.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet, VecDeque};
use std::ffi::{CString, c_int};

use rankine_abi::{
    Addr, MPI_ERR_ARG, MPI_ERR_IN_STATUS, MPI_ERR_NO_MEM, MPI_MAX_ERROR_STRING, MPI_SUCCESS, error_class_name,
};
use rankine_guest::Error;
use rankine_guest::errhan::explained;

use crate::Result;
use crate::call::words::StatusesOut;
use crate::generated::symbols;
use crate::rank::Rank;
use rankine_system::text;

/// Codes of the library's that are remembered. It makes a new one for each error, and keeps the texts of some last ones.
const REMEMBERED: usize = 4096;
/// Classes and codes that a program can have made at a time, as many as MPICH has room for. Where it is asked for more it
/// refuses, and yet frees them in the end.
const MOST: [(usize, &str); 2] = [(127, "classes"), (8191, "codes")];
/// Which of the two.
const CLASS: usize = 0;
const CODE: usize = 1;

/// What the guest may ask about beside the classes of the standard.
#[derive(Default)]
pub(crate) struct State {
    /// Classes and codes that the program has made.
    made: RefCell<HashSet<c_int>>,
    /// Texts of several lines, by code: the library has them in one.
    lines: RefCell<HashMap<c_int, CString>>,
    /// How many classes and how many codes these are.
    count: [Cell<usize>; 2],
    returned: RefCell<Returned>,
}

impl State {
    /// Refuses one more than there is room for.
    fn check_room(&self, which: usize) -> Result<()> {
        let (most, what) = MOST[which];
        if self.count[which].get() < most {
            return Ok(());
        }
        Err(Error::new(MPI_ERR_NO_MEM, format!("the program has made {most} error {what}, and can't make more")))
    }

    /// The library has made one, or refused to; it is not asked again then.
    fn count(&self, which: usize, made: Result<()>, code: c_int) -> Result<()> {
        let count = &self.count[which];
        count.set(if made.is_ok() { count.get() + 1 } else { MOST[which].0 });
        made?;
        self.made.borrow_mut().insert(code);
        Ok(())
    }

    /// The library has removed one.
    fn forget(&self, which: usize, code: c_int) {
        self.lines.borrow_mut().remove(&code);
        if self.made.borrow_mut().remove(&code) {
            self.count[which].update(|count| count.saturating_sub(1));
        }
    }
}

/// The last codes that calls have returned.
#[derive(Default)]
struct Returned {
    known: HashSet<c_int>,
    order: VecDeque<c_int>,
}

impl Returned {
    fn remember(&mut self, code: c_int) {
        if self.known.insert(code) {
            self.order.push_back(code);
        }
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
    }
}

fn is_of_standard(code: c_int) -> bool {
    error_class_name(code).is_some()
}

impl Rank {
    /// A call returns this code of the library's, or of ours.
    pub(crate) fn give_out_code(&self, code: c_int) {
        if !is_of_standard(code) && !self.codes.made.borrow().contains(&code) {
            self.codes.returned.borrow_mut().remember(code);
        }
    }

    /// Whether the library has written the statuses of a call with this outcome.
    #[inline]
    pub(crate) fn has_statuses(&self, outcome: c_int) -> bool {
        outcome == MPI_SUCCESS || self.class_of(outcome) == MPI_ERR_IN_STATUS
    }

    /// The codes in the first `count` statuses that a call has written, if it says that there are some. Where a function of
    /// the guest's could write there meanwhile, a code may be its own, and none is believed.
    pub(crate) fn give_out_codes(&self, outcome: c_int, statuses: &StatusesOut, count: usize) {
        if outcome != MPI_SUCCESS && self.has_statuses(outcome) && statuses.are_the_librarys(self) {
            (0..count).for_each(|index| self.give_out_code(statuses.error(self, index)));
        }
    }

    pub(super) fn is_made(&self, code: c_int) -> bool {
        self.codes.made.borrow().contains(&code)
    }

    fn is_code(&self, code: c_int) -> bool {
        is_of_standard(code) || self.is_made(code) || self.codes.returned.borrow().known.contains(&code)
    }

    /// A code that the guest names: one that it can have.
    pub(crate) fn code(&self, code: c_int, what: &str) -> Result<c_int> {
        if self.is_code(code) {
            return Ok(code);
        }
        let text = format!("{what} is {code}, which no recent call has returned and the program has not made");
        Err(Error::new(MPI_ERR_ARG, text))
    }

    /// A class or code that the program itself has made.
    fn made_code(&self, code: c_int, what: &str) -> Result<c_int> {
        if self.is_made(code) {
            return Ok(code);
        }
        Err(Error::new(MPI_ERR_ARG, format!("{what} is {code}, which the program has not made")))
    }

    /// What a function of the guest's answers to the library, which may look for the text of it.
    pub(crate) fn answered_code(&self, code: c_int) -> c_int {
        if self.is_code(code) { code } else { rankine_abi::MPI_ERR_OTHER }
    }
}

/// `MPI_Error_string`: errors that are found here have the class as their code, which is the ABI's to explain.
pub(crate) fn error_string(r: &Rank, errorcode: i32, string: Addr, resultlen: Addr) -> Result<()> {
    let code = r.code(errorcode, "errorcode")?;
    let of_lines = || r.codes.lines.borrow().get(&code).map(|text| text.to_string_lossy().into_owned());
    let known = explained(code, r.errhandlers.last().as_ref()).or_else(of_lines);
    let room = i64::from(MPI_MAX_ERROR_STRING);
    let mut buffer = r.text_room(string, room, "string")?;
    let text = known.map_or_else(|| r.said_of(code), |text| Ok(text.into_bytes()))?;
    let text = &text[..text.len().min(buffer.len() - 1)];
    buffer[..text.len()].copy_from_slice(text);
    let length = text.len() as c_int;
    r.put_text(string, &buffer, room, "string")?;
    r.put_int(resultlen, length, "resultlen")
}

/// `MPI_Error_class`
pub(crate) fn error_class(r: &Rank, errorcode: i32, errorclass: Addr) -> Result<()> {
    let code = r.code(errorcode, "errorcode")?;
    r.put_int(errorclass, r.class_of(code), "errorclass")
}

/// `MPI_Add_error_class`
pub(crate) fn add_error_class(r: &Rank, errorclass: Addr) -> Result<()> {
    r.room(errorclass, 4, "errorclass")?;
    r.codes.check_room(CLASS)?;
    let (call, mut class) = (r.symbol::<symbols::MPI_Add_error_class>()?, 0);
    // SAFETY: a result on the stack.
    let made = r.check(unsafe { call(&mut class) });
    r.codes.count(CLASS, made, class)?;
    r.put_int(errorclass, class, "errorclass")
}

/// `MPI_Add_error_code`
pub(crate) fn add_error_code(r: &Rank, errorclass: i32, errorcode: Addr) -> Result<()> {
    let class = if is_of_standard(errorclass) { errorclass } else { r.made_code(errorclass, "errorclass")? };
    r.room(errorcode, 4, "errorcode")?;
    r.codes.check_room(CODE)?;
    let (call, mut code) = (r.symbol::<symbols::MPI_Add_error_code>()?, 0);
    // SAFETY: a class that there is, and a result on the stack.
    let made = r.check(unsafe { call(class, &mut code) });
    r.codes.count(CODE, made, code)?;
    r.put_int(errorcode, code, "errorcode")
}

/// `MPI_Add_error_string`
pub(crate) fn add_error_string(r: &Rank, errorcode: i32, string: Addr) -> Result<()> {
    let (code, string) = (r.made_code(errorcode, "errorcode")?, r.string(string, "string")?);
    let call = r.symbol::<symbols::MPI_Add_error_string>()?;
    let line = text::as_line(&string);
    // SAFETY: a code that the program has made.
    r.check(unsafe { call(code, line.as_ref().unwrap_or(&string).as_ptr()) })?;
    let mut lines = r.codes.lines.borrow_mut();
    if line.is_some() {
        lines.insert(code, string)
    } else {
        lines.remove(&code)
    };
    Ok(())
}

/// The type of the library's functions that remove classes, codes and their texts.
type Remove = unsafe extern "C" fn(c_int) -> c_int;

fn remove(r: &Rank, code: c_int, what: &str, call: Remove) -> Result<()> {
    // SAFETY: what the program has made.
    r.check(unsafe { call(r.made_code(code, what)?) })
}

/// `MPI_Remove_error_class`
pub(crate) fn remove_error_class(r: &Rank, errorclass: i32) -> Result<()> {
    remove(r, errorclass, "errorclass", r.symbol::<symbols::MPI_Remove_error_class>()?)?;
    r.codes.forget(CLASS, errorclass);
    Ok(())
}

/// `MPI_Remove_error_code`
pub(crate) fn remove_error_code(r: &Rank, errorcode: i32) -> Result<()> {
    remove(r, errorcode, "errorcode", r.symbol::<symbols::MPI_Remove_error_code>()?)?;
    r.codes.forget(CODE, errorcode);
    Ok(())
}

/// `MPI_Remove_error_string`
pub(crate) fn remove_error_string(r: &Rank, errorcode: i32) -> Result<()> {
    remove(r, errorcode, "errorcode", r.symbol::<symbols::MPI_Remove_error_string>()?)?;
    r.codes.lines.borrow_mut().remove(&errorcode);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_codes_are_forgotten() {
        let mut returned = Returned::default();
        (0..REMEMBERED as c_int + 3).for_each(|code| returned.remember(code));
        returned.remember(3);
        assert!(!returned.known.contains(&2) && returned.known.contains(&3));
        assert_eq!((returned.known.len(), returned.order.len()), (REMEMBERED, REMEMBERED));
    }
}
