//! Error handlers (MPI-5.0 chapter 9): who hears of an error, and what it is called.
//!
//! A function of the engine returns an [`Error`]; the host's shim hands it to [`Rank::raise`] with the object ([`On`])
//! that the call worked on, and does what [`Raised`] says. So an error is dispatched in one place, whatever raised it.

mod codes;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rankine_abi::{Addr, Comm, Errhandler, File, FnPtr, MPI_ERR_ERRHANDLER, Message, Request, Session, Win};
use rankine_guest::errhan::{Handler, Served, Serves};
use rankine_guest::{Callback, Whose};
use smallvec::smallvec;

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

impl From<Whose> for On {
    fn from(whose: Whose) -> On {
        match whose {
            Whose::Comm(comm) => On::Comm(comm),
            Whose::Win(win) => On::Win(win),
            Whose::File(file) => On::File(file),
        }
    }
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

impl On {
    /// The handler of an object that may have one.
    fn of<O: Served>(object: O) -> On {
        let word = object.word();
        match O::BY {
            Serves::Comm => On::Comm(Comm(word)),
            Serves::Win => On::Win(Win(word)),
            Serves::File => On::File(File(word)),
            Serves::Session => On::Session(Session(word)),
        }
    }
}

/// Error handlers and error codes of a rank.
pub(crate) struct State {
    handlers: RefCell<Table<Handler>>,
    /// The handlers of windows, files and sessions, by handle.
    of: RefCell<HashMap<(Serves, u32), Errhandler>>,
    codes: RefCell<codes::Codes>,
    /// The last error that was raised, with its function and rank.
    last: RefCell<Option<(i32, String)>>,
}

impl State {
    pub(crate) fn new(account: &Arc<Account>) -> Self {
        let files = ((Serves::File, File::NULL.0), Errhandler::ERRORS_RETURN);
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
        let text = format!("{} on {}: {} ({name})", self.call(), self.who(), error.text);
        *self.errhandlers.last.borrow_mut() = Some((error.class, text.clone()));
        let (handler, object) = self.handler_of(error.on.map_or(on, On::from));
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
            On::Win(win) => return self.object_handler(win),
            On::File(file) => return self.object_handler(file),
            On::Session(session) => return self.object_handler(session),
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

    fn object_handler<O: Served>(&self, object: O) -> (Errhandler, u32) {
        let of = self.errhandlers.of.borrow();
        let found = of.get(&(O::BY, object.word())).map(|handler| (*handler, object.word()));
        // Calls that work on no open file are told to the handler of MPI_FILE_NULL (§14.7).
        let default = if O::BY == Serves::File { of.get(&(O::BY, File::NULL.0)) } else { None };
        found.or(default.map(|handler| (*handler, File::NULL.0))).unwrap_or_else(|| self.own_handler())
    }

    fn function_of(&self, handler: Errhandler) -> Option<FnPtr> {
        Some(self.errhandlers.handlers.borrow().get(handler.0)?.function)
    }

    /// The handler that files get when they are opened: that of `MPI_FILE_NULL`.
    pub(crate) fn handler_of_new_files(&self) -> Errhandler {
        let of = self.errhandlers.of.borrow();
        of.get(&(Serves::File, File::NULL.0)).copied().unwrap_or(Errhandler::ERRORS_RETURN)
    }

    /// A window, file or session has been made; its errors go to `handler`.
    pub(crate) fn adopt_handler<O: Served>(&self, object: O, handler: Errhandler) {
        self.errhandlers.of.borrow_mut().insert((O::BY, object.word()), handler);
    }

    /// A window, file or session has gone.
    pub(crate) fn forget_handler<O: Served>(&self, object: O) {
        self.errhandlers.of.borrow_mut().remove(&(O::BY, object.word()));
    }

    /// Forgets the handlers that nobody refers to any more.
    fn sweep_handlers(&self) {
        let mut handlers = self.errhandlers.handlers.borrow_mut();
        let idle: Vec<u32> =
            handlers.iter().filter(|(_, handler)| handler.held == 0).map(|(handle, _)| handle).collect();
        if idle.is_empty() {
            return;
        }
        let mut in_use: HashSet<Errhandler> = self.errhandlers.of.borrow().values().copied().collect();
        in_use.extend([self.world_comm.errhandler.get(), self.self_comm.errhandler.get()]);
        self.comms.for_each(|comm| {
            in_use.insert(comm.errhandler.get());
        });
        for handle in idle.into_iter().filter(|&handle| !in_use.contains(&Errhandler(handle))) {
            handlers.remove(handle);
        }
    }

    /// Refuses what is no error handler for such objects.
    pub(crate) fn check_handler(&self, handler: Errhandler, serves: Serves) -> Result<()> {
        if [Errhandler::ERRORS_ARE_FATAL, Errhandler::ERRORS_ABORT, Errhandler::ERRORS_RETURN].contains(&handler) {
            return Ok(());
        }
        match self.errhandlers.handlers.borrow().get(handler.0) {
            Some(found) if found.held > 0 && found.serves == serves => Ok(()),
            Some(found) if found.held > 0 => Err(found.serves.not_for(serves)),
            _ => Err(no_handler(handler)),
        }
    }

    /// A handle that the program has to free.
    fn hold(&self, handler: Errhandler) -> Errhandler {
        if let Some(found) = self.errhandlers.handlers.borrow_mut().get_mut(handler.0) {
            found.held += 1;
        }
        handler
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

/// `MPI_Comm_create_errhandler` and its like
pub fn create_errhandler<O: Served>(r: &Rank, function: FnPtr) -> Result<Errhandler> {
    let handler = Handler { serves: O::BY, function, held: 1 };
    r.errhandlers.handlers.borrow_mut().add(handler, "error handlers").map(Errhandler)
}

/// `MPI_Comm_set_errhandler` and its like. On `MPI_FILE_NULL` it sets the handler of files that are opened later.
pub fn set_errhandler<O: Served>(r: &Rank, object: O, errhandler: Errhandler) -> Result<()> {
    handler_of(r, object)?;
    r.check_handler(errhandler, O::BY)?;
    match On::of(object) {
        On::Comm(comm) => r.communicator(comm)?.errhandler.set(errhandler),
        _ => r.adopt_handler(object, errhandler),
    }
    Ok(())
}

/// `MPI_Comm_get_errhandler` and its like
pub fn get_errhandler<O: Served>(r: &Rank, object: O) -> Result<Errhandler> {
    Ok(r.hold(handler_of(r, object)?))
}

/// The handler that an object has.
fn handler_of<O: Served>(r: &Rank, object: O) -> Result<Errhandler> {
    if let On::Comm(comm) = On::of(object) {
        return Ok(r.communicator(comm)?.errhandler.get());
    }
    let handler = r.errhandlers.of.borrow().get(&(O::BY, object.word())).copied();
    handler.ok_or_else(|| O::BY.unknown(object.word()))
}

/// `MPI_Comm_call_errhandler` and its like: hands an error of the program's own to a handler. It is an error of the call as
/// well only if the handler is one that ends the job.
pub async fn call_errhandler<O: Served>(r: &Rank, object: O, errorcode: i32) -> Result<()> {
    handler_of(r, object)?;
    let error = Error::new(errorcode, error_string(r, errorcode)?);
    match r.raise(On::of(object), error.clone()).await {
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
