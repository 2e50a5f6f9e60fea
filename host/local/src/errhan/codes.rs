//! Error classes, codes and their texts (MPI-5.0 §9.4 and §9.5).
//!
//! The engine's own codes are the classes of the standard ABI. Numbers beyond `MPI_ERR_LASTCODE` are the program's.

use std::collections::BTreeMap;
use std::sync::Arc;

use rankine_abi::{MPI_ERR_ARG, MPI_ERR_LASTCODE, MPI_ERR_NO_MEM, error_class_name};

use rankine_guest::errhan::explained;

use crate::error::{Error, Result};
use crate::quota::{Account, Charge, Cost};
use crate::rank::Rank;

/// How many classes and codes a program can add.
const QUOTA: usize = 1 << 16;
/// What errors call them.
const WHAT: Cost = Cost::Codes;

/// What the program has added.
#[derive(Default)]
pub(super) struct Codes {
    last: i32,
    /// Classes and codes by number; a class's class is itself.
    added: BTreeMap<i32, Added>,
}

struct Added {
    class: i32,
    text: String,
    charge: Charge,
}

impl Codes {
    fn add(&mut self, class: Option<i32>, account: &Arc<Account>) -> Result<i32> {
        if self.added.len() >= QUOTA {
            return Err(Error::new(MPI_ERR_NO_MEM, format!("this rank has added {QUOTA} error classes and codes")));
        }
        let charge = account.charge(2 * size_of::<Added>(), WHAT)?;
        self.last = self.last.max(MPI_ERR_LASTCODE) + 1;
        self.added.insert(self.last, Added { class: class.unwrap_or(self.last), text: String::new(), charge });
        Ok(self.last)
    }

    /// What may be removed: a text goes first.
    fn without_text(&self, code: i32, what: &str) -> Result<()> {
        match self.added.get(&code) {
            Some(added) if !added.text.is_empty() => {
                Err(Error::new(MPI_ERR_ARG, format!("the error {what} {code} still has a string")))
            }
            _ => Ok(()),
        }
    }

    fn get(&self, code: i32) -> Result<&Added> {
        self.added.get(&code).ok_or_else(|| unknown(code))
    }
}

#[cold]
fn unknown(code: i32) -> Error {
    Error::new(MPI_ERR_ARG, format!("{code} is neither an error class or code of MPI nor one that this rank has added"))
}

#[cold]
fn not_added(code: i32, what: &str) -> Error {
    Error::new(MPI_ERR_ARG, format!("{code} is not an error {what} that this rank has added"))
}

impl Rank {
    /// The value of the attribute `MPI_LASTUSEDCODE`.
    pub(crate) fn last_used_code(&self) -> i32 {
        self.errhandlers.codes.borrow().last.max(MPI_ERR_LASTCODE)
    }
}

/// `MPI_Error_class`
pub fn error_class(r: &Rank, errorcode: i32) -> Result<i32> {
    if error_class_name(errorcode).is_some() || errorcode == MPI_ERR_LASTCODE {
        return Ok(errorcode);
    }
    Ok(r.errhandlers.codes.borrow().get(errorcode)?.class)
}

/// `MPI_Error_string`: the sentence of the class, and what was wrong if the last error of this rank had this code.
pub fn error_string(r: &Rank, errorcode: i32) -> Result<String> {
    match explained(errorcode, r.errhandlers.handlers.last().as_ref()) {
        Some(text) => Ok(text),
        None => Ok(r.errhandlers.codes.borrow().get(errorcode)?.text.clone()),
    }
}

/// `MPI_Add_error_class`
pub fn add_error_class(r: &Rank) -> Result<i32> {
    r.errhandlers.codes.borrow_mut().add(None, &r.account)
}

/// `MPI_Add_error_code`
pub fn add_error_code(r: &Rank, errorclass: i32) -> Result<i32> {
    if error_class(r, errorclass)? != errorclass {
        return Err(Error::new(MPI_ERR_ARG, format!("{errorclass} is an error code, not a class")));
    }
    r.errhandlers.codes.borrow_mut().add(Some(errorclass), &r.account)
}

/// `MPI_Add_error_string`
pub fn add_error_string(r: &Rank, errorcode: i32, string: &str) -> Result<()> {
    match r.errhandlers.codes.borrow_mut().added.get_mut(&errorcode) {
        Some(added) => {
            added.charge.grow(string.len(), WHAT)?;
            added.charge.shrink(added.text.len());
            added.text = string.into();
        }
        None => return Err(not_added(errorcode, "class or code")),
    }
    Ok(())
}

/// `MPI_Remove_error_class`
pub fn remove_error_class(r: &Rank, errorclass: i32) -> Result<()> {
    let mut codes = r.errhandlers.codes.borrow_mut();
    match codes.added.get(&errorclass) {
        Some(added) if added.class == errorclass => (),
        _ => return Err(not_added(errorclass, "class")),
    }
    if let Some((code, _)) = codes.added.iter().find(|(code, added)| added.class == errorclass && **code != errorclass)
    {
        return Err(Error::new(MPI_ERR_ARG, format!("the class {errorclass} still has the error code {code}")));
    }
    codes.without_text(errorclass, "class")?;
    codes.added.remove(&errorclass);
    Ok(())
}

/// `MPI_Remove_error_code`
pub fn remove_error_code(r: &Rank, errorcode: i32) -> Result<()> {
    let mut codes = r.errhandlers.codes.borrow_mut();
    match codes.added.get(&errorcode) {
        Some(added) if added.class != errorcode => (),
        _ => return Err(not_added(errorcode, "code")),
    }
    codes.without_text(errorcode, "code")?;
    codes.added.remove(&errorcode);
    Ok(())
}

/// `MPI_Remove_error_string`
pub fn remove_error_string(r: &Rank, errorcode: i32) -> Result<()> {
    match r.errhandlers.codes.borrow_mut().added.get_mut(&errorcode) {
        Some(added) if !added.text.is_empty() => {
            added.charge.shrink(added.text.len());
            added.text = String::new();
        }
        _ => return Err(not_added(errorcode, "class or code with a text")),
    }
    Ok(())
}
