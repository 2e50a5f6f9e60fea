//! Error handlers (MPI-5.0 chapter 9): who is told of an error, and what it is called.
//!
//! A function of the engine returns an [`Error`]; the host's shim hands it to [`Rank::raise`] with the object ([`On`])
//! that the call worked on, and does what [`Raised`] says. So an error is dispatched in one place, whatever raised it.

mod codes;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::sync::Arc;

use rankine_abi::{Addr, Comm, Errhandler, File, FnPtr, Message, Request, Session, Win};
use rankine_guest::Whose;
pub use rankine_guest::errhan::Raised;
use rankine_guest::errhan::{Handlers, Served, Serves, class_name};

use crate::error::{Error, Result};
use crate::quota::Account;
use crate::rank::Rank;

pub use codes::*;

/// Whose error handler hears of an error, as a call names it.
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
    /// The handler of `MPI_COMM_SELF`.
    Myself,
    /// The handler that the call was given for an object of this kind, which it makes.
    Given(Serves, Errhandler),
    /// No handler: the code is returned.
    Nothing,
}

/// Error handlers and error codes of a rank.
pub(crate) struct State {
    handlers: Handlers,
    codes: RefCell<codes::Codes>,
}

impl State {
    pub(crate) fn new(account: &Arc<Account>) -> Self {
        State { handlers: Handlers::new(account), codes: RefCell::default() }
    }
}

/// Calls an error handler of the guest with pointers to the object's handle and to the code.
async fn call(r: &Rank, function: FnPtr, object: u32, code: i32) -> Raised {
    let memory = r.memory();
    let behind = |cell: Addr| cell.plus(memory.word());
    let write = |cell| {
        memory.write_handle(cell, object, "the error handler's arguments")?;
        memory.write_i32(behind(cell), code, "the error handler's arguments")
    };
    let Ok(cell) = r.take_cell().await.and_then(|cell| write(cell).map(|()| cell)) else {
        let text = "the guest has no memory left to call its error handler".into();
        return Raised::Fatal { code, text };
    };
    // The third stands for the further arguments of a variadic handler; the host drops it for a plain one.
    let arguments = r.arguments().address(cell).address(behind(cell)).address(Addr::NULL);
    r.call_guest(function, arguments).await;
    // What the call returns is what the handler leaves there, as in other libraries.
    let code = memory.read_i32(behind(cell), "the error handler's code").unwrap_or(code);
    r.give_cell(cell);
    Raised::Code(code)
}

impl Rank {
    /// Hands an error to the handler it belongs to, which may be a function of the guest.
    pub async fn raise(&self, on: On, error: Error) -> Raised {
        let whose = error.on.unwrap_or_else(|| self.whose(on));
        self.raise_on(whose, error).await
    }

    async fn raise_on(&self, whose: Whose, error: Error) -> Raised {
        self.errhandlers.handlers.remember(error.class, self.error_in_words(&error));
        self.hand_to_handler(whose, &error).await
    }

    async fn hand_to_handler(&self, whose: Whose, error: &Error) -> Raised {
        let (handlers, code) = (&self.errhandlers.handlers, error.class);
        let (handler, object) = handlers.hears(whose, |comm| self.comm_handler(comm));
        let fatal = || Raised::Fatal { code, text: self.error_in_words(error) };
        match handler {
            Errhandler::ERRORS_RETURN => Raised::Code(code),
            Errhandler::ERRORS_ARE_FATAL | Errhandler::ERRORS_ABORT => fatal(),
            _ => match handlers.function(handler) {
                Some(function) => call(self, function, object, code).await,
                None => fatal(),
            },
        }
    }

    /// Function, rank, cause and class, for a person.
    fn error_in_words(&self, error: &Error) -> String {
        let name = class_name(error_class(self, error.class).unwrap_or(error.class));
        format!("{} on {}: {} ({name})", self.call(), self.who(), error.text)
    }

    fn whose(&self, on: On) -> Whose {
        match on {
            On::Comm(comm) => comm.into(),
            On::Request(request) => self.request_comm(request).into(),
            On::Message(message) => self.message_comm(message).into(),
            On::Win(win) => win.into(),
            On::File(file) => file.into(),
            On::Session(session) => session.into(),
            On::Myself => Whose::Myself,
            On::Given(serves, handler) => Whose::Given(serves, handler),
            On::Nothing => Whose::Nothing,
        }
    }

    fn comm_handler(&self, comm: Comm) -> Option<Errhandler> {
        match comm {
            Comm::SELF => Some(self.self_comm.errhandler.get()),
            comm => self.communicator(comm).ok().map(|communicator| communicator.errhandler.get()),
        }
    }

    /// The handler that files get when they are opened.
    pub(crate) fn handler_of_new_files(&self) -> Errhandler {
        self.errhandlers.handlers.of_new_files()
    }

    /// A window, file or session has been made; its errors go to `handler`.
    pub(crate) fn adopt_handler<O: Served>(&self, object: O, handler: Errhandler) {
        self.errhandlers.handlers.adopt(O::BY, object.word(), handler);
    }

    /// A window, file or session has gone.
    pub(crate) fn forget_handler<O: Served>(&self, object: O) {
        self.errhandlers.handlers.forget(O::BY, object.word());
    }

    /// Refuses what is no error handler for such objects.
    pub(crate) fn check_handler(&self, handler: Errhandler, serves: Serves) -> Result<()> {
        self.errhandlers.handlers.check(handler, serves)
    }
}

/// `MPI_Comm_create_errhandler` and its like
pub fn create_errhandler<O: Served>(r: &Rank, function: FnPtr) -> Result<Errhandler> {
    r.errhandlers.handlers.create(O::BY, function)
}

/// `MPI_Comm_set_errhandler` and its like. On `MPI_FILE_NULL` it sets the handler of files that are opened later.
pub fn set_errhandler<O: Served>(r: &Rank, object: O, errhandler: Errhandler) -> Result<()> {
    if O::BY == Serves::Comm {
        r.check_comm(Comm(object.word()))?;
        r.check_handler(errhandler, O::BY)?;
        return r.set_comm_handler(Comm(object.word()), errhandler);
    }
    handler_of(r, object)?;
    r.check_handler(errhandler, O::BY)?;
    r.adopt_handler(object, errhandler);
    Ok(())
}

/// `MPI_Comm_get_errhandler` and its like
pub fn get_errhandler<O: Served>(r: &Rank, object: O) -> Result<Errhandler> {
    Ok(r.errhandlers.handlers.hold(handler_of(r, object)?))
}

/// The handler that an object has.
fn handler_of<O: Served>(r: &Rank, object: O) -> Result<Errhandler> {
    if O::BY == Serves::Comm {
        // What is wrong with the handle is said in more words.
        return Ok(r.communicator(Comm(object.word()))?.errhandler.get());
    }
    r.errhandlers.handlers.of(O::BY, object.word(), |_| None)
}

/// `MPI_Comm_call_errhandler` and its like: hands an error of the program's own to a handler. It is an error of the call as
/// well only if the handler is one that ends the job.
pub async fn call_errhandler<O: Served>(r: &Rank, object: O, errorcode: i32) -> Result<()> {
    handler_of(r, object)?;
    let error = Error::new(errorcode, error_string(r, errorcode)?);
    // What is remembered is the error that this one may be about: its words are in those of this one already.
    match r.hand_to_handler(object.into(), &error).await {
        Raised::Code(_) => Ok(()),
        Raised::Fatal { .. } => Err(error),
    }
}

/// `MPI_Errhandler_free`: objects that use the handler keep it.
pub fn errhandler_free(r: &Rank, errhandler: Errhandler) -> Result<Errhandler> {
    r.errhandlers.handlers.free(errhandler, |visit| {
        visit(r.world_comm.errhandler.get());
        visit(r.self_comm.errhandler.get());
        r.comms.for_each(|comm| visit(comm.errhandler.get()));
    })?;
    Ok(Errhandler::NULL)
}
