//! Error classes, codes and their texts (MPI-5.0 §9.4 and §9.5).
//!
//! The engine's own codes are the classes of the standard ABI. Numbers beyond `MPI_ERR_LASTCODE` are the program's.

use std::collections::BTreeMap;
use std::sync::Arc;

use rankine_abi::{MPI_ERR_ARG, MPI_ERR_LASTCODE, MPI_ERR_NO_MEM, MPI_SUCCESS, error_class_name};

use crate::error::{Error, Result};
use crate::quota::{Account, Charge};
use crate::rank::Rank;

/// How many classes and codes a program can add.
const QUOTA: usize = 1 << 16;
/// What errors call them.
const WHAT: &str = "error classes, codes and strings";

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

/// The standard name of a class, for reports.
pub(super) fn class_name(class: i32) -> &'static str {
    error_class_name(class).unwrap_or("an error class of the program's own")
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
    let Some(name) = error_class_name(errorcode) else {
        return Ok(r.errhandlers.codes.borrow().get(errorcode)?.text.clone());
    };
    let sentence = sentence(errorcode);
    match &*r.errhandlers.last.borrow() {
        Some((code, text)) if *code == errorcode && errorcode != MPI_SUCCESS => {
            Ok(format!("{name}: {sentence}; most recently, {text}"))
        }
        _ => Ok(format!("{name}: {sentence}")),
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

/// What a class means, for a person.
pub fn sentence(class: i32) -> &'static str {
    use rankine_abi as abi;
    match class {
        abi::MPI_SUCCESS => "no error",
        abi::MPI_ERR_BUFFER => "a buffer is not inside the program's memory, overlaps another, or has no room",
        abi::MPI_ERR_COUNT => "a count is negative or too large",
        abi::MPI_ERR_TYPE => "a datatype is not valid, or not committed",
        abi::MPI_ERR_TAG => "a tag is negative or larger than MPI_TAG_UB",
        abi::MPI_ERR_COMM => "a communicator is not valid, or not of the kind that is needed",
        abi::MPI_ERR_RANK => "a rank is not one of the communicator's or group's",
        abi::MPI_ERR_REQUEST => "a request or message is not valid, or not in a state for this call",
        abi::MPI_ERR_ROOT => "a root is not a rank of the communicator",
        abi::MPI_ERR_GROUP => "a group is not valid",
        abi::MPI_ERR_OP => "a reduction operation is not valid, or not defined for the datatype",
        abi::MPI_ERR_TOPOLOGY => "the communicator does not have the topology that is needed",
        abi::MPI_ERR_DIMS => "the dimensions of a grid are not valid",
        abi::MPI_ERR_ARG => "an argument is not valid",
        abi::MPI_ERR_UNKNOWN => "an error without a known cause",
        abi::MPI_ERR_TRUNCATE => "a message is longer than the buffer of its receive",
        abi::MPI_ERR_OTHER => "an error that has no class of its own",
        abi::MPI_ERR_INTERN => "an error inside the MPI library",
        abi::MPI_ERR_PENDING => "the request is neither complete nor failed",
        abi::MPI_ERR_IN_STATUS => "at least one request failed; its status holds the error",
        abi::MPI_ERR_ACCESS => "permission was denied",
        abi::MPI_ERR_AMODE => "the access mode is not valid for opening the file",
        abi::MPI_ERR_ASSERT => "an assertion of a one-sided call is not valid",
        abi::MPI_ERR_BAD_FILE => "the name is not that of a file",
        abi::MPI_ERR_BASE => "the base address is not one that MPI_Alloc_mem gave",
        abi::MPI_ERR_CONVERSION => "data could not be converted to another representation",
        abi::MPI_ERR_DISP => "a displacement is not valid",
        abi::MPI_ERR_DUP_DATAREP => "a data representation of this name is registered already",
        abi::MPI_ERR_FILE_EXISTS => "the file exists already",
        abi::MPI_ERR_FILE_IN_USE => "the file is open in some process",
        abi::MPI_ERR_FILE => "a file handle is not valid",
        abi::MPI_ERR_INFO_KEY => "an info key is empty or too long",
        abi::MPI_ERR_INFO_NOKEY => "the info object does not have this key",
        abi::MPI_ERR_INFO_VALUE => "an info value is too long or not valid",
        abi::MPI_ERR_INFO => "an info object is not valid",
        abi::MPI_ERR_IO => "input or output failed",
        abi::MPI_ERR_KEYVAL => "an attribute key is not valid, or not one that a program may set",
        abi::MPI_ERR_LOCKTYPE => "the type of a lock is not valid",
        abi::MPI_ERR_NAME => "no service is published under this name",
        abi::MPI_ERR_NO_MEM => "memory, or the number of objects that a process may have, is used up",
        abi::MPI_ERR_NOT_SAME => "processes of a collective call passed different arguments",
        abi::MPI_ERR_NO_SPACE => "there is no space left for the file",
        abi::MPI_ERR_NO_SUCH_FILE => "the file does not exist",
        abi::MPI_ERR_PORT => "the port name is not valid",
        abi::MPI_ERR_QUOTA => "a quota for files is used up",
        abi::MPI_ERR_READ_ONLY => "the file or file system can only be read",
        abi::MPI_ERR_RMA_ATTACH => "memory cannot be attached to the window",
        abi::MPI_ERR_RMA_CONFLICT => "accesses to a window conflict",
        abi::MPI_ERR_RMA_RANGE => "the target memory is not part of the window",
        abi::MPI_ERR_RMA_SHARED => "memory cannot be shared",
        abi::MPI_ERR_RMA_SYNC => "a one-sided call is not synchronised as it must be",
        abi::MPI_ERR_SERVICE => "the service name is published already, or cannot be unpublished",
        abi::MPI_ERR_SIZE => "a size is not valid",
        abi::MPI_ERR_SPAWN => "processes could not be spawned",
        abi::MPI_ERR_UNSUPPORTED_DATAREP => "the data representation is not supported",
        abi::MPI_ERR_UNSUPPORTED_OPERATION => "the operation is not supported",
        abi::MPI_ERR_WIN => "a window is not valid",
        abi::MPI_ERR_RMA_FLAVOR => "the window is not of the flavour that is needed",
        abi::MPI_ERR_PROC_ABORTED => "a process that takes part has aborted",
        abi::MPI_ERR_VALUE_TOO_LARGE => "a value does not fit into the result's type",
        abi::MPI_ERR_SESSION => "a session is not valid",
        abi::MPI_ERR_ERRHANDLER => "an error handler is not valid, or one for other objects",
        abi::MPI_ERR_ABI => "a function or value of the ABI is not supported",
        _ => "an error of the tools interface",
    }
}
