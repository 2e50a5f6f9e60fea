//! The error handlers of a rank, and which objects have which.

use std::cell::{Cell, Ref, RefCell};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rankine_abi::{Comm, Errhandler, File, FnPtr, MPI_ERR_ERRHANDLER};

use super::Serves;
use crate::error::{Error, Result, Whose};
use crate::handle::{Class, Table};
use crate::quota::Account;

/// An error handler that the program made.
struct Handler {
    /// The objects that it is for.
    serves: Serves,
    function: FnPtr,
    /// Handles that the program holds: one from its creation and one from each `MPI_…_get_errhandler`.
    held: u32,
    /// Whether it may have been given to an object.
    given: Cell<bool>,
}

/// The error handlers of a rank. Communicators have theirs with them: functions that ask for an object's handler are told how
/// to find a communicator's.
pub struct Handlers {
    made: RefCell<Table<Handler>>,
    /// The handlers of windows, files and sessions, by handle.
    of: RefCell<HashMap<(Serves, u32), Errhandler>>,
    /// Handlers that the program has no handle of any more; objects may use them still. Some stand there twice.
    idle: RefCell<Vec<u32>>,
    /// How many there may be before it is looked which of them nobody uses: in proportion to what is looked at then.
    patience: Cell<usize>,
    /// The last error that was raised, with its function and rank.
    last: RefCell<Option<(i32, String)>>,
}

impl Handlers {
    /// None is made; files that are opened have `MPI_ERRORS_RETURN`.
    pub fn new(account: &Arc<Account>) -> Handlers {
        let files = ((Serves::File, File::NULL.0), Errhandler::ERRORS_RETURN);
        Handlers {
            made: RefCell::new(Table::new(Class::Errhandler, account, 64)),
            of: RefCell::new(HashMap::from([files])),
            idle: RefCell::default(),
            patience: Cell::new(0),
            last: RefCell::default(),
        }
    }

    /// A handler for such objects, which calls a function of the program's.
    pub fn create(&self, serves: Serves, function: FnPtr) -> Result<Errhandler> {
        self.made
            .borrow_mut()
            .add(Handler { serves, function, held: 1, given: Cell::new(false) }, "error handlers")
            .map(Errhandler)
    }

    /// Refuses what is no error handler for such objects.
    pub fn check(&self, handler: Errhandler, serves: Serves) -> Result<()> {
        if [Errhandler::ERRORS_ARE_FATAL, Errhandler::ERRORS_ABORT, Errhandler::ERRORS_RETURN].contains(&handler) {
            return Ok(());
        }
        match self.made.borrow().get(handler.0) {
            Some(found) if found.held > 0 && found.serves == serves => {
                found.given.set(true);
                Ok(())
            }
            Some(found) if found.held > 0 => Err(found.serves.not_for(serves)),
            _ => Err(no_handler(handler)),
        }
    }

    /// A handle that the program has to free.
    pub fn hold(&self, handler: Errhandler) -> Errhandler {
        if let Some(found) = self.made.borrow_mut().get_mut(handler.0) {
            found.held += 1;
        }
        handler
    }

    /// The program frees a handle; objects that use the handler keep it. `comms` calls what it is given with the handlers
    /// of all communicators.
    pub fn free(&self, handler: Errhandler, comms: impl FnOnce(&mut dyn FnMut(Errhandler))) -> Result<()> {
        if handler.name().is_some() && handler != Errhandler::NULL {
            // A handle of a predefined handler that MPI_Comm_get_errhandler gave (§9.3.5).
            return Ok(());
        }
        let mut made = self.made.borrow_mut();
        let is_given = match made.get_mut(handler.0) {
            Some(handler) if handler.held > 0 => {
                handler.held -= 1;
                if handler.held > 0 {
                    return Ok(());
                }
                handler.given.get()
            }
            _ => return Err(no_handler(handler)),
        };
        if !is_given {
            made.remove(handler.0);
            return Ok(());
        }
        drop(made);
        self.idle.borrow_mut().push(handler.0);
        if self.idle.borrow().len() > self.patience.get() {
            self.sweep(comms);
        }
        Ok(())
    }

    /// Forgets the handlers that nobody refers to any more.
    fn sweep(&self, comms: impl FnOnce(&mut dyn FnMut(Errhandler))) {
        let mut in_use: HashSet<Errhandler> = self.of.borrow().values().copied().collect();
        let mut objects = self.of.borrow().len();
        comms(&mut |handler| {
            in_use.insert(handler);
            objects += 1;
        });
        let (mut made, mut idle) = (self.made.borrow_mut(), self.idle.borrow_mut());
        idle.sort_unstable();
        idle.dedup();
        idle.retain(|&handle| {
            let is_idle = made.get(handle).is_some_and(|handler| handler.held == 0);
            let is_used = in_use.contains(&Errhandler(handle));
            if is_idle && !is_used {
                made.remove(handle);
            }
            is_idle && is_used
        });
        self.patience.set(idle.len() + objects / 8);
    }

    /// The program's function behind a handler, if it is one that was made.
    pub fn function(&self, handler: Errhandler) -> Option<FnPtr> {
        Some(self.made.borrow().get(handler.0)?.function)
    }

    /// How many there are that the program made.
    pub fn count(&self) -> usize {
        self.made.borrow().iter().count()
    }

    /// A window, file or session has been made, or is given another handler.
    pub fn adopt(&self, serves: Serves, word: u32, handler: Errhandler) {
        self.of.borrow_mut().insert((serves, word), handler);
    }

    /// A window, file or session has gone.
    pub fn forget(&self, serves: Serves, word: u32) {
        self.of.borrow_mut().remove(&(serves, word));
    }

    /// The handler that files get when they are opened: that of `MPI_FILE_NULL`.
    pub fn of_new_files(&self) -> Errhandler {
        let of = self.of.borrow();
        of.get(&(Serves::File, File::NULL.0)).copied().unwrap_or(Errhandler::ERRORS_RETURN)
    }

    /// The handler that an object has.
    pub fn of(&self, serves: Serves, word: u32, of_comm: impl Fn(Comm) -> Option<Errhandler>) -> Result<Errhandler> {
        self.find(serves, word, &of_comm).ok_or_else(|| serves.unknown(word))
    }

    fn find(&self, serves: Serves, word: u32, of_comm: &impl Fn(Comm) -> Option<Errhandler>) -> Option<Errhandler> {
        match serves {
            Serves::Comm => of_comm(Comm(word)),
            _ => self.of.borrow().get(&(serves, word)).copied(),
        }
    }

    /// The handler that hears of an error, and the handle of the object that it is told of.
    pub fn hears(&self, whose: Whose, of_comm: impl Fn(Comm) -> Option<Errhandler>) -> (Errhandler, u32) {
        let (serves, word) = match whose {
            Whose::Object(serves, word) => (serves, word),
            // There is no object yet that it could be told of.
            Whose::Given(serves, handler) if self.check(handler, serves).is_ok() => return (handler, serves.null()),
            Whose::Given(..) | Whose::Myself => return own(&of_comm),
            Whose::Nothing => return (Errhandler::ERRORS_RETURN, 0),
        };
        match self.find(serves, word, &of_comm) {
            Some(handler) => (handler, word),
            // Calls that work on no open file are told to the handler of MPI_FILE_NULL (§14.7).
            None if serves == Serves::File => (self.of_new_files(), File::NULL.0),
            // What is wrong with another handle is told to MPI_COMM_SELF (§9.3).
            None => own(&of_comm),
        }
    }

    /// An error was raised: its code, and what was wrong in which function and rank.
    pub fn remember(&self, code: i32, text: String) {
        *self.last.borrow_mut() = Some((code, text));
    }

    /// The error that was raised last.
    pub fn last(&self) -> Ref<'_, Option<(i32, String)>> {
        self.last.borrow()
    }
}

/// The handler of MPI_COMM_SELF; as long as the program has given it none, that of MPI_COMM_WORLD, which such errors went
/// to before MPI-4, and where programs put theirs.
fn own(of_comm: &impl Fn(Comm) -> Option<Errhandler>) -> (Errhandler, u32) {
    let of = |comm| of_comm(comm).unwrap_or(Errhandler::ERRORS_ARE_FATAL);
    match of(Comm::SELF) {
        Errhandler::ERRORS_ARE_FATAL => (of(Comm::WORLD), Comm::WORLD.0),
        handler => (handler, Comm::SELF.0),
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
