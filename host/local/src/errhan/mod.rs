//! Error handlers (MPI-5.0 chapter 9): who hears of an error, and what it is called.
//!
//! A function of the engine returns an [`Error`]; the host's shim hands it to [`Rank::raise`] with the object ([`On`])
//! that the call worked on, and does what [`Raised`] says. So an error is dispatched in one place, whatever raised it.

mod codes;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use rankine_abi::{
    Addr, Comm, Errhandler, File, FnPtr, MPI_ERR_COMM, MPI_ERR_ERRHANDLER, MPI_ERR_FILE, MPI_ERR_SESSION, MPI_ERR_WIN,
    Message, Request, Session, Win,
};
use smallvec::smallvec;

use crate::drive::Callback;
use crate::error::{Error, Result};
use crate::handle::{Class, Table};
use crate::quota::Account;
use crate::rank::Rank;

pub use codes::*;

/// Whose error handler hears of an error.
#[derive(Copy, Clone, Debug)]
pub enum On {
    /// The handler of this communicator.
    Comm(Comm),
    /// The handler of this window.
    Win(Win),
    /// The handler of this file.
    File(File),
    /// The handler of this session.
    Session(Session),
    /// The handler of the communicator that the request works on.
    Request(Request),
    /// The handler of the communicator that the message came over.
    Message(Message),
    /// The handler of `MPI_COMM_SELF`, or of `MPI_COMM_WORLD`: calls that work on no such object (§9.3).
    Myself,
    /// No handler: the code is returned.
    Nothing,
}

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

/// What an error handler is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Serves {
    Comm,
    Win,
    File,
    Session,
}

impl Serves {
    fn name(self) -> &'static str {
        match self {
            Serves::Comm => "communicators",
            Serves::Win => "windows",
            Serves::File => "files",
            Serves::Session => "sessions",
        }
    }
}

/// An error handler that the program made.
struct Handler {
    serves: Serves,
    function: FnPtr,
    /// Handles that the program holds: one from its creation and one from each `MPI_…_get_errhandler`.
    held: u32,
}

/// Error handlers and error codes of a rank.
pub(crate) struct State {
    handlers: RefCell<Table<Handler>>,
    /// The handlers of windows, files and sessions, by class and handle.
    of: RefCell<HashMap<(u32, u32), Errhandler>>,
    codes: RefCell<codes::Codes>,
    /// The last error that was raised, with its function and rank.
    last: RefCell<Option<(i32, String)>>,
}

impl State {
    pub(crate) fn new(account: &Arc<Account>) -> Self {
        let files = ((Class::File as u32, File::NULL.0), Errhandler::ERRORS_RETURN);
        State {
            handlers: RefCell::new(Table::new(Class::Errhandler, account, 64)),
            of: RefCell::new(HashMap::from([files])),
            codes: RefCell::default(),
            last: RefCell::default(),
        }
    }
}

/// Calls an error handler of the guest with pointers to the object's handle and to the code.
async fn call(r: &Rank, function: FnPtr, object: u32, code: i32) -> Raised {
    let write = |cell| r.memory().write_i32s(cell, &[object as i32, code], "the error handler's arguments");
    let Ok(cell) = r.take_cell().await.and_then(|cell| write(cell).map(|()| cell)) else {
        let text = "the guest has no memory left to call its error handler".into();
        return Raised::Fatal { code, text };
    };
    // The third stands for the further arguments of a variadic handler; the host drops it for a plain one.
    let arguments = smallvec![cell.0 as i32, cell.0 as i32 + 4, 0];
    r.ask(Callback::Call { function, arguments }).await;
    // What the call returns is what the handler leaves there, as in other libraries.
    let code = r.memory().read_i32(Addr(cell.0 + 4), "the error handler's code").unwrap_or(code);
    r.give_cell(cell);
    Raised::Code(code)
}

impl Rank {
    /// Hands an error to the handler it belongs to, which may be a function of the guest.
    pub async fn raise(&self, on: On, error: Error) -> Raised {
        let name = class_name(error_class(self, error.class).unwrap_or(error.class));
        let text = format!("{} on rank {}: {} ({name})", self.call(), self.id(), error.text);
        *self.errhandlers.last.borrow_mut() = Some((error.class, text.clone()));
        let (handler, object) = self.handler_of(error.on.map_or(on, On::Comm));
        match handler {
            Errhandler::ERRORS_RETURN => Raised::Code(error.class),
            Errhandler::ERRORS_ARE_FATAL | Errhandler::ERRORS_ABORT => Raised::Fatal { code: error.class, text },
            _ => match self.function_of(handler) {
                Some(function) => call(self, function, object, error.class).await,
                None => Raised::Fatal { code: error.class, text },
            },
        }
    }

    /// The handler that hears of an error, and the handle of the object that it is told of.
    fn handler_of(&self, on: On) -> (Errhandler, u32) {
        let comm = match on {
            On::Comm(comm) => comm,
            On::Request(request) => self.request_comm(request),
            On::Message(message) => self.message_comm(message),
            On::Win(win) => return self.object_handler(Class::Win, win.0),
            On::File(file) => return self.object_handler(Class::File, file.0),
            On::Session(session) => return self.object_handler(Class::Session, session.0),
            On::Myself => return self.own_handler(),
            On::Nothing => return (Errhandler::ERRORS_RETURN, 0),
        };
        // What is wrong with a handle is told to MPI_COMM_SELF (§9.3).
        match self.communicator(comm) {
            Ok(communicator) => (communicator.errhandler.get(), comm.0),
            Err(_) => self.own_handler(),
        }
    }

    /// The handler of MPI_COMM_SELF; as long as the program has given it none, that of MPI_COMM_WORLD, which such
    /// errors went to before MPI-4, and where programs put theirs.
    fn own_handler(&self) -> (Errhandler, u32) {
        let own = self.self_comm.errhandler.get();
        match self.communicator(Comm::WORLD) {
            Ok(world) if own == Errhandler::ERRORS_ARE_FATAL => (world.errhandler.get(), Comm::WORLD.0),
            _ => (own, Comm::SELF.0),
        }
    }

    fn object_handler(&self, class: Class, handle: u32) -> (Errhandler, u32) {
        let of = self.errhandlers.of.borrow();
        let found = of.get(&(class as u32, handle)).map(|handler| (*handler, handle));
        // Calls that work on no open file are told to the handler of MPI_FILE_NULL (§14.7).
        let default = if class == Class::File { of.get(&(class as u32, File::NULL.0)) } else { None };
        found.or(default.map(|handler| (*handler, File::NULL.0))).unwrap_or_else(|| self.own_handler())
    }

    fn function_of(&self, handler: Errhandler) -> Option<FnPtr> {
        Some(self.errhandlers.handlers.borrow().get(handler.0)?.function)
    }

    /// A window, file or session has been made; its errors go to `handler`.
    pub(crate) fn adopt_handler(&self, class: Class, handle: u32, handler: Errhandler) {
        self.errhandlers.of.borrow_mut().insert((class as u32, handle), handler);
    }

    /// A window, file or session has gone.
    pub(crate) fn forget_handler(&self, class: Class, handle: u32) {
        self.errhandlers.of.borrow_mut().remove(&(class as u32, handle));
    }

    fn new_handler(&self, serves: Serves, function: FnPtr) -> Result<Errhandler> {
        let handler = Handler { serves, function, held: 1 };
        self.errhandlers.handlers.borrow_mut().add(handler, "error handlers").map(Errhandler)
    }

    /// Forgets the handlers that nobody refers to any more.
    fn sweep_handlers(&self) {
        let mut handlers = self.errhandlers.handlers.borrow_mut();
        let idle: Vec<u32> =
            handlers.iter().filter(|(_, handler)| handler.held == 0).map(|(handle, _)| handle).collect();
        for handle in idle {
            let used = |handler: Errhandler| handler.0 == handle;
            let in_use = used(self.world_comm.errhandler.get())
                || used(self.self_comm.errhandler.get())
                || self.comms.any(|comm| used(comm.errhandler.get()))
                || self.errhandlers.of.borrow().values().any(|&handler| used(handler));
            if !in_use {
                handlers.remove(handle);
            }
        }
    }

    /// Refuses what is no error handler for such objects.
    fn check_handler(&self, handler: Errhandler, serves: Serves) -> Result<()> {
        if [Errhandler::ERRORS_ARE_FATAL, Errhandler::ERRORS_ABORT, Errhandler::ERRORS_RETURN].contains(&handler) {
            return Ok(());
        }
        match self.errhandlers.handlers.borrow().get(handler.0) {
            Some(found) if found.held > 0 && found.serves == serves => Ok(()),
            Some(found) if found.held > 0 => Err(Error::new(
                MPI_ERR_ERRHANDLER,
                format!("the error handler is one for {}, not for {}", found.serves.name(), serves.name()),
            )),
            _ => Err(no_handler(handler)),
        }
    }

    /// Refuses what `MPI_Comm_create_from_group` and its like cannot take as a handler.
    pub(crate) fn check_comm_handler(&self, handler: Errhandler) -> Result<()> {
        self.check_handler(handler, Serves::Comm)
    }

    /// Refuses what `MPI_Session_init` and its like cannot take as a handler.
    pub(crate) fn check_session_handler(&self, handler: Errhandler) -> Result<()> {
        self.check_handler(handler, Serves::Session)
    }

    /// A handle that the program has to free.
    fn hold(&self, handler: Errhandler) -> Errhandler {
        if let Some(found) = self.errhandlers.handlers.borrow_mut().get_mut(handler.0) {
            found.held += 1;
        }
        handler
    }

    fn set_handler(&self, class: Class, handle: u32, serves: Serves, handler: Errhandler) -> Result<()> {
        self.check_handler(handler, serves)?;
        match self.errhandlers.of.borrow_mut().get_mut(&(class as u32, handle)) {
            Some(slot) => *slot = handler,
            None => return Err(no_object(class, handle)),
        }
        Ok(())
    }

    fn check_object(&self, class: Class, handle: u32) -> Result<()> {
        let known = self.errhandlers.of.borrow().contains_key(&(class as u32, handle));
        if known { Ok(()) } else { Err(no_object(class, handle)) }
    }

    fn get_handler(&self, class: Class, handle: u32) -> Result<Errhandler> {
        let handler = self.errhandlers.of.borrow().get(&(class as u32, handle)).copied();
        handler.map(|handler| self.hold(handler)).ok_or_else(|| no_object(class, handle))
    }
}

#[cold]
fn no_handler(handler: Errhandler) -> Error {
    let text = match handler {
        Errhandler::NULL => "the error handler is MPI_ERRHANDLER_NULL".into(),
        Errhandler(handle) => format!("{handle:#x} is not an error handler of this rank (freed, or never made)"),
    };
    Error::new(MPI_ERR_ERRHANDLER, text)
}

#[cold]
fn no_object(class: Class, handle: u32) -> Error {
    let (class, name) = match class {
        Class::Win => (MPI_ERR_WIN, "window"),
        Class::File => (MPI_ERR_FILE, "file"),
        Class::Session => (MPI_ERR_SESSION, "session"),
        _ => (MPI_ERR_COMM, "communicator"),
    };
    Error::new(class, format!("{handle:#x} is not a {name} of this rank"))
}

/// `MPI_Comm_create_errhandler`
pub fn comm_create_errhandler(r: &Rank, function: FnPtr) -> Result<Errhandler> {
    r.new_handler(Serves::Comm, function)
}

/// `MPI_Win_create_errhandler`
pub fn win_create_errhandler(r: &Rank, function: FnPtr) -> Result<Errhandler> {
    r.new_handler(Serves::Win, function)
}

/// `MPI_File_create_errhandler`
pub fn file_create_errhandler(r: &Rank, function: FnPtr) -> Result<Errhandler> {
    r.new_handler(Serves::File, function)
}

/// `MPI_Session_create_errhandler`
pub fn session_create_errhandler(r: &Rank, function: FnPtr) -> Result<Errhandler> {
    r.new_handler(Serves::Session, function)
}

/// `MPI_Comm_set_errhandler`
pub fn comm_set_errhandler(r: &Rank, comm: Comm, errhandler: Errhandler) -> Result<()> {
    let communicator = r.communicator(comm)?;
    r.check_handler(errhandler, Serves::Comm)?;
    communicator.errhandler.set(errhandler);
    Ok(())
}

/// `MPI_Comm_get_errhandler`
pub fn comm_get_errhandler(r: &Rank, comm: Comm) -> Result<Errhandler> {
    Ok(r.hold(r.communicator(comm)?.errhandler.get()))
}

/// `MPI_Win_set_errhandler`
pub fn win_set_errhandler(r: &Rank, win: Win, errhandler: Errhandler) -> Result<()> {
    r.set_handler(Class::Win, win.0, Serves::Win, errhandler)
}

/// `MPI_Win_get_errhandler`
pub fn win_get_errhandler(r: &Rank, win: Win) -> Result<Errhandler> {
    r.get_handler(Class::Win, win.0)
}

/// `MPI_File_set_errhandler`. On `MPI_FILE_NULL` it sets the handler of files that are opened later.
pub fn file_set_errhandler(r: &Rank, file: File, errhandler: Errhandler) -> Result<()> {
    r.set_handler(Class::File, file.0, Serves::File, errhandler)
}

/// `MPI_File_get_errhandler`
pub fn file_get_errhandler(r: &Rank, file: File) -> Result<Errhandler> {
    r.get_handler(Class::File, file.0)
}

/// `MPI_Session_set_errhandler`
pub fn session_set_errhandler(r: &Rank, session: Session, errhandler: Errhandler) -> Result<()> {
    r.set_handler(Class::Session, session.0, Serves::Session, errhandler)
}

/// `MPI_Session_get_errhandler`
pub fn session_get_errhandler(r: &Rank, session: Session) -> Result<Errhandler> {
    r.get_handler(Class::Session, session.0)
}

/// `MPI_Comm_call_errhandler`
pub async fn comm_call_errhandler(r: &Rank, comm: Comm, errorcode: i32) -> Result<()> {
    r.communicator(comm)?;
    call_handler(r, On::Comm(comm), errorcode).await
}

/// `MPI_Win_call_errhandler`
pub async fn win_call_errhandler(r: &Rank, win: Win, errorcode: i32) -> Result<()> {
    r.check_object(Class::Win, win.0)?;
    call_handler(r, On::Win(win), errorcode).await
}

/// `MPI_File_call_errhandler`
pub async fn file_call_errhandler(r: &Rank, file: File, errorcode: i32) -> Result<()> {
    r.check_object(Class::File, file.0)?;
    call_handler(r, On::File(file), errorcode).await
}

/// `MPI_Session_call_errhandler`
pub async fn session_call_errhandler(r: &Rank, session: Session, errorcode: i32) -> Result<()> {
    r.check_object(Class::Session, session.0)?;
    call_handler(r, On::Session(session), errorcode).await
}

/// Hands an error of the program's own to a handler. It is an error of the call as well only if the handler is one that
/// ends the job.
async fn call_handler(r: &Rank, on: On, errorcode: i32) -> Result<()> {
    let error = Error::new(errorcode, error_string(r, errorcode)?);
    match r.raise(on, error.clone()).await {
        Raised::Code(_) => Ok(()),
        Raised::Fatal { .. } => Err(error),
    }
}

/// `MPI_Errhandler_free`: objects that use the handler keep it.
pub fn errhandler_free(r: &Rank, errhandler: Errhandler) -> Result<Errhandler> {
    if errhandler.name().is_some() && errhandler != Errhandler::NULL {
        // A handle of a predefined handler that MPI_Comm_get_errhandler gave (§9.3.5).
        return Ok(Errhandler::NULL);
    }
    match r.errhandlers.handlers.borrow_mut().get_mut(errhandler.0) {
        Some(handler) if handler.held > 0 => handler.held -= 1,
        _ => return Err(no_handler(errhandler)),
    }
    r.sweep_handlers();
    Ok(Errhandler::NULL)
}
