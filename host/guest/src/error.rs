//! What goes wrong in an MPI call: the class a guest sees, and the sentence a person reads.

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};

use rankine_abi::{Errhandler, Status};

use crate::errhan::{Served, Serves};

/// An MPI error: class and text. Function name and rank are added where the error is raised.
///
/// It is one pointer: what nearly always succeeds should return in registers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.text)]
pub struct Error(Box<Details>);

/// What an [`Error`] says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details {
    /// The error class (or code, where a guest's own callback returned one): `MPI_ERR_RANK`, ….
    pub class: i32,
    /// What was wrong: the argument, its value and what would have been right.
    pub text: Cow<'static, str>,
    /// Whose error handler hears of it, where that is not the object which the call names: the call completed a request
    /// that works on another, or the handle lies in the guest's memory.
    pub on: Option<Whose>,
    /// What the call's status says although it failed: where a message came from that did not fit.
    pub status: Option<Status>,
}

/// Whose error handler hears of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// That of the object which a handle stands for.
    Object(Serves, u32),
    /// That of `MPI_COMM_SELF`, or of `MPI_COMM_WORLD`: calls that work on no such object (§9.3).
    Myself,
    /// The one that the call was given for an object of this kind, which it makes.
    Given(Serves, Errhandler),
    /// Nobody's: the code is returned.
    Nothing,
}

impl<O: Served> From<O> for Whose {
    fn from(object: O) -> Whose {
        Whose::Object(O::BY, object.word())
    }
}

impl Error {
    /// An error of `class`, explained by `text`.
    #[cold]
    pub fn new(class: i32, text: impl Into<Cow<'static, str>>) -> Self {
        Error(Box::new(Details { class, text: text.into(), on: None, status: None }))
    }

    /// The same error, for the error handler of this object.
    #[must_use]
    pub fn on(mut self, whose: impl Into<Whose>) -> Self {
        self.0.on = Some(whose.into());
        self
    }

    /// The same error, for the error handler of this object unless it is another's already.
    #[must_use]
    pub fn or_on(self, whose: impl Into<Whose>) -> Self {
        if self.on.is_some() { self } else { self.on(whose) }
    }

    /// The same error, of a call that gives a status all the same.
    #[must_use]
    pub fn with_status(mut self, status: Status) -> Self {
        self.0.status = Some(status);
        self
    }
}

impl Deref for Error {
    type Target = Details;

    fn deref(&self) -> &Details {
        &self.0
    }
}

impl DerefMut for Error {
    fn deref_mut(&mut self) -> &mut Details {
        &mut self.0
    }
}

/// The result of an MPI function.
pub type Result<T> = std::result::Result<T, Error>;
