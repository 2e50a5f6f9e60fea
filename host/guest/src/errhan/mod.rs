//! Error handlers as both engines have them (MPI-5.0 chapter 9): what they serve, which objects have which, and what
//! classes of errors mean. An engine calls them, each in its own way.

mod handlers;

use rankine_abi::{
    Comm, File, MPI_ERR_COMM, MPI_ERR_ERRHANDLER, MPI_ERR_FILE, MPI_ERR_SESSION, MPI_ERR_WIN, MPI_SUCCESS, Session,
    Win, error_class_name,
};

pub use handlers::Handlers;

use crate::error::Error;

/// What an error handler is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Serves {
    /// Communicators.
    Comm,
    /// Windows.
    Win,
    /// Files.
    File,
    /// Sessions.
    Session,
}

impl Serves {
    /// One of them, and the class of errors about such a handle.
    fn one(self) -> (&'static str, i32) {
        match self {
            Serves::Comm => ("communicator", MPI_ERR_COMM),
            Serves::Win => ("window", MPI_ERR_WIN),
            Serves::File => ("file", MPI_ERR_FILE),
            Serves::Session => ("session", MPI_ERR_SESSION),
        }
    }

    /// The handle of none of them.
    fn null(self) -> u32 {
        match self {
            Serves::Comm => Comm::NULL.0,
            Serves::Win => Win::NULL.0,
            Serves::File => File::NULL.0,
            Serves::Session => Session::NULL.0,
        }
    }

    /// A handle that stands for none.
    #[cold]
    pub fn unknown(self, word: u32) -> Error {
        let (name, class) = self.one();
        Error::new(class, format!("{word:#x} is not a {name} of this rank"))
    }

    /// A handler that serves these is not one for those others.
    #[cold]
    pub fn not_for(self, others: Serves) -> Error {
        let ((made, _), (wanted, _)) = (self.one(), others.one());
        Error::new(MPI_ERR_ERRHANDLER, format!("the error handler is one for {made}s, not for {wanted}s"))
    }
}

/// The handle of an object that has an error handler.
pub trait Served: Copy {
    /// The handlers that it may have.
    const BY: Serves;

    /// Its number.
    fn word(self) -> u32;
}

macro_rules! served {
    ($($handle:ident),*) => {$(
        impl Served for $handle {
            const BY: Serves = Serves::$handle;

            fn word(self) -> u32 {
                self.0
            }
        }
    )*};
}

served!(Comm, Win, File, Session);

/// What becomes of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Raised {
    /// The call returns this code.
    Code(i32),
    /// The job ends with this exit status, and the text says why.
    Fatal {
        /// The error's code.
        code: i32,
        /// Function, rank, class and cause, for a person.
        text: String,
    },
}

/// The standard name of a class, for reports.
pub fn class_name(class: i32) -> &'static str {
    error_class_name(class).unwrap_or("an error class of the program's own")
}

/// A code of the standard in words; nothing for other codes. `last` is the error that was raised last, of which it tells
/// the cause if it has this code.
pub fn explained(code: i32, last: Option<&(i32, String)>) -> Option<String> {
    let (name, sentence) = (error_class_name(code)?, sentence(code));
    Some(match last {
        Some((class, cause)) if *class == code && code != MPI_SUCCESS => {
            format!("{name}: {sentence}; most recently, {cause}")
        }
        _ => format!("{name}: {sentence}"),
    })
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
