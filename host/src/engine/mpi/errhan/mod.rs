//! Error handlers (MPI-5.0 chapter 9): the library returns its errors, and the guest's own handlers hear of them from
//! here.

pub(crate) mod codes;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_int;

use rankine_abi::{Addr, Comm, Errhandler, File, FnPtr, MPI_ERR_ERRHANDLER, MPI_MAX_ERROR_STRING, error_class_name};
use rankine_guest::Error;
use rankine_guest::errhan::{Handler, Served, Serves};
use rankine_guest::handle::Class;

use super::Result;
use super::call::handle::{Handles, Hosted};
use super::call::keeping::Keeping;
use super::call::words::Words;
use super::generated::symbols;
use super::process::rank::Rank;
use super::request::Origin;
use crate::guest::Abort;

/// What becomes of an error.
pub(crate) enum Raised {
    /// The call returns this code.
    Code(i32),
    /// The guest doesn't go on.
    Stopped,
}

impl Hosted for Handler {
    /// The library never sees the guest's handlers: its own objects return their errors.
    fn host(&self) -> usize {
        Errhandler::ERRORS_RETURN.0 as usize
    }
}

/// The error handlers of this rank, and which windows, files and sessions have which.
pub(crate) struct State {
    handlers: Handles<Handler>,
    /// By the word of the object.
    of: RefCell<HashMap<u32, Errhandler>>,
    /// The last error that was found here and not by the library: its class and what was wrong.
    last: RefCell<Option<(i32, String)>>,
}

impl State {
    pub(crate) fn new(keeping: &Keeping) -> State {
        let null = Errhandler::NULL.0;
        let name = |word| Errhandler(word).name();
        let handlers = Handles::new(keeping, (Class::Errhandler, null), MPI_ERR_ERRHANDLER, "error handler", name);
        State {
            handlers,
            of: RefCell::new(HashMap::from([(File::NULL.0, Errhandler::ERRORS_RETURN)])),
            last: RefCell::default(),
        }
    }
}

impl Rank {
    /// Hands an error to the handler it belongs to, which may be a function of the guest.
    pub(crate) fn raise(&self, origin: Origin, error: Error) -> Raised {
        let origin = self.requests.take_blame().unwrap_or(origin);
        let (handler, object) = self.handler_of(origin);
        self.give_out_code(error.class);
        if !error.text.is_empty() {
            *self.errhandlers.last.borrow_mut() = Some((error.class, self.in_words(&error)));
        }
        let function = match handler {
            // Each further try would have the library take more.
            _ if self.keeping.is_overdrawn() => None,
            Errhandler::ERRORS_RETURN => return Raised::Code(error.class),
            Errhandler::ERRORS_ARE_FATAL | Errhandler::ERRORS_ABORT => None,
            made => self.errhandlers.handlers.with(made.0, |handler| handler.function),
        };
        let Some(function) = function else {
            self.stop(Abort { code: self.class_of(error.class), error: Some(self.in_words(&error)) }.into());
            return Raised::Stopped;
        };
        match self.call_handler(function, object, error.class) {
            Some(code) => Raised::Code(code),
            None => {
                self.stop(
                    Abort {
                        code: error.class,
                        error: Some("the guest has no memory left to call its error handler".into()),
                    }
                    .into(),
                );
                Raised::Stopped
            }
        }
    }

    /// Calls a handler of the guest with pointers to the object's handle and to the code. What the call returns is what
    /// the handler leaves there, as in other libraries.
    fn call_handler(&self, function: FnPtr, object: u32, code: i32) -> Option<i32> {
        self.with_scratch(8, |at| {
            self.memory().write_i32s(at, &[object as i32, code], "the error handler's arguments").ok()?;
            // The third stands for the further arguments of a variadic handler; a plain one doesn't get it.
            self.call_guest(function.0, &[at.0 as i32, at.0 as i32 + 4, 0])?;
            self.get_int(Addr(at.0 + 4), "the error handler's code").ok()
        })
    }

    /// The last error that was found here: its class and what was wrong.
    pub(crate) fn last_error(&self) -> Option<(i32, String)> {
        self.errhandlers.last.borrow().clone()
    }

    /// Function, rank, cause and class, for a person.
    fn in_words(&self, error: &Error) -> String {
        let class = self.class_of(error.class);
        let name = error_class_name(class).unwrap_or("an error class of the program's own");
        let cause = if error.text.is_empty() { self.text_of(error.class) } else { error.text.to_string() };
        format!("{} on rank {}: {cause} ({name})", self.call.get(), self.me())
    }

    /// The class of a code of the library's or of ours.
    pub(crate) fn class_of(&self, code: i32) -> i32 {
        if error_class_name(code).is_some() {
            return code;
        }
        let mut class: c_int = code;
        if let Ok(call) = self.symbol::<symbols::MPI_Error_class>() {
            // SAFETY: the class is written to the stack.
            unsafe { call(code, &mut class) };
        }
        class
    }

    /// What the library says about a code.
    fn text_of(&self, code: i32) -> String {
        let mut text = vec![0u8; MPI_MAX_ERROR_STRING as usize + 1];
        let mut length: c_int = 0;
        let said = match self.symbol::<symbols::MPI_Error_string>() {
            // SAFETY: the buffer is as long as the ABI asks for.
            Ok(call) => unsafe { call(code, text.as_mut_ptr().cast(), &mut length) == 0 },
            Err(_) => false,
        };
        text.truncate(if said { usize::try_from(length).unwrap_or(0) } else { 0 });
        if text.is_empty() { format!("error {code}") } else { String::from_utf8_lossy(&text).into_owned() }
    }

    /// The handler that hears of an error, and the handle of the object that it is told of.
    fn handler_of(&self, origin: Origin) -> (Errhandler, u32) {
        let of = |word: u32| self.errhandlers.of.borrow().get(&word).copied();
        let found = match origin {
            Origin::Comm(word) => self.comm_handler(word).map(|handler| (handler, word)),
            // Calls that work on no open file are told to the handler of MPI_FILE_NULL (§14.7).
            Origin::File(word) => match of(word) {
                Some(handler) => Some((handler, word)),
                None => of(File::NULL.0).map(|handler| (handler, File::NULL.0)),
            },
            Origin::Win(word) | Origin::Session(word) => of(word).map(|handler| (handler, word)),
            Origin::Myself => None,
            Origin::Nothing => return (Errhandler::ERRORS_RETURN, 0),
        };
        // What is wrong with a handle is told to MPI_COMM_SELF (§9.3).
        found.unwrap_or_else(|| self.own_handler())
    }

    /// The handler of MPI_COMM_SELF; as long as the program has given it none, that of MPI_COMM_WORLD, as on the
    /// embedded engine.
    fn own_handler(&self) -> (Errhandler, u32) {
        let of = |comm: Comm| self.comm_handler(comm.0).unwrap_or(Errhandler::ERRORS_ARE_FATAL);
        match of(Comm::SELF) {
            Errhandler::ERRORS_ARE_FATAL => (of(Comm::WORLD), Comm::WORLD.0),
            handler => (handler, Comm::SELF.0),
        }
    }

    /// A window, file or session has been made; its errors go to `handler`.
    pub(crate) fn adopt_handler(&self, word: u32, handler: Errhandler) {
        self.errhandlers.of.borrow_mut().insert(word, handler);
    }

    /// The handler that files which are opened now get.
    pub(crate) fn file_default_handler(&self) -> Errhandler {
        self.errhandlers.of.borrow().get(&File::NULL.0).copied().unwrap_or(Errhandler::ERRORS_RETURN)
    }

    /// A window, file or session has gone.
    pub(crate) fn forget_handler(&self, word: u32) {
        self.errhandlers.of.borrow_mut().remove(&word);
    }

    /// Refuses what is no error handler for such objects.
    pub(crate) fn check_handler(&self, handler: Errhandler, serves: Serves) -> Result<Errhandler> {
        if [Errhandler::ERRORS_ARE_FATAL, Errhandler::ERRORS_ABORT, Errhandler::ERRORS_RETURN].contains(&handler) {
            return Ok(handler);
        }
        match self.errhandlers.handlers.with(handler.0, |found| (found.serves, found.held)) {
            Some((found, 1..)) if found == serves => Ok(handler),
            Some((found, 1..)) => Err(found.not_for(serves)),
            _ => Err(self.errhandlers.handlers.unknown(handler.0, "errhandler")),
        }
    }

    /// A handle that the program has to free.
    fn hold(&self, handler: Errhandler) -> u32 {
        self.errhandlers.handlers.change(handler.0, |found| found.held += 1);
        handler.0
    }
}

/// The handler that an object has.
fn handler_of<O: Served>(r: &Rank, word: u32) -> Result<Errhandler> {
    let found = match O::BY {
        Serves::Comm => r.comm_handler(word),
        _ => r.errhandlers.of.borrow().get(&word).copied(),
    };
    found.ok_or_else(|| O::BY.unknown(word))
}

/// `MPI_Comm_create_errhandler` and its like
pub(crate) fn create_errhandler<O: Served>(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    r.room(w.addr(1), 4, "errhandler")?;
    let word = r.errhandlers.handlers.insert(Handler { serves: O::BY, function: FnPtr(w.word(0)), held: 1 })?;
    r.put_word(w.addr(1), word, "errhandler")
}

/// `MPI_Comm_set_errhandler` and its like. On `MPI_FILE_NULL` it sets the handler of files that are opened later.
pub(crate) fn set_errhandler<O: Served>(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    handler_of::<O>(r, w.word(0))?;
    let handler = r.check_handler(Errhandler(w.word(1)), O::BY)?;
    match O::BY {
        Serves::Comm => r.set_comm_handler(w.word(0), handler),
        _ => r.adopt_handler(w.word(0), handler),
    }
    Ok(())
}

/// `MPI_Comm_get_errhandler` and its like
pub(crate) fn get_errhandler<O: Served>(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let handler = handler_of::<O>(r, w.word(0))?;
    r.room(w.addr(1), 4, "errhandler")?;
    r.put_word(w.addr(1), r.hold(handler), "errhandler")
}

/// `MPI_Comm_call_errhandler` and its like: hands an error of the program's own to a handler.
pub(crate) fn call_errhandler<O: Served>(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let word = w.word(0);
    handler_of::<O>(r, word)?;
    let origin = match O::BY {
        Serves::Comm => Origin::Comm(word),
        Serves::Win => Origin::Win(word),
        Serves::File => Origin::File(word),
        Serves::Session => Origin::Session(word),
    };
    let code = r.code(w.int(1), "errorcode")?;
    // A fatal one stops the guest; a returned code is no error of this call.
    r.raise(origin, Error::new(code, ""));
    Ok(())
}

/// `MPI_Errhandler_free`: objects that use the handler keep it.
pub(crate) fn errhandler_free(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    let word = r.get_word(w.addr(0), "errhandler")?;
    let handler = Errhandler(word);
    // A handle of a predefined handler that MPI_Comm_get_errhandler gave may be freed (§9.3.5).
    if handler == Errhandler::NULL || handler.name().is_none() {
        let release = |found: &mut Handler| {
            let was = found.held;
            found.held = was.saturating_sub(1);
            was > 0
        };
        if !r.errhandlers.handlers.change(word, release).unwrap_or(false) {
            return Err(r.errhandlers.handlers.unknown(word, "errhandler"));
        }
    }
    r.put_word(w.addr(0), Errhandler::NULL.0, "errhandler")
}
