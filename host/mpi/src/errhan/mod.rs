//! Error handlers (MPI-5.0 chapter 9): the library returns its errors, and the guest's own handlers hear of them from
//! here.

mod addresses;
pub(crate) mod codes;

use std::ffi::c_int;

use rankine_abi::{Addr, Errhandler, FnPtr, MPI_MAX_ERROR_STRING, error_class_name};
use rankine_guest::errhan::{Raised, Served, Serves, class_name};
use rankine_guest::{Error, Whose};

use super::Result;
use super::generated::symbols;
use super::rank::{Rank, Stop};

impl Rank {
    /// Hands an error to the handler it belongs to, which may be a function of the guest. The code that the call returns;
    /// nothing if the guest doesn't go on.
    pub(crate) fn raise(&self, whose: Whose, error: Error) -> Option<c_int> {
        match self.raised(self.requests.take_blame().unwrap_or(whose), error) {
            Raised::Code(code) => Some(code),
            Raised::Fatal { code, text } => {
                self.stop(Stop::Aborted { code, error: Some(text) });
                None
            }
        }
    }

    fn raised(&self, whose: Whose, error: Error) -> Raised {
        let (handler, object) = self.errhandlers.hears(whose, |comm| self.comm_handler(comm.0));
        self.give_out_code(error.class);
        if !error.text.is_empty() {
            self.errhandlers.remember(error.class, self.in_words(&error));
        }
        let function = match handler {
            // Each further try would have the library take more.
            _ if self.keeping.is_overdrawn() => None,
            Errhandler::ERRORS_RETURN => return Raised::Code(error.class),
            Errhandler::ERRORS_ARE_FATAL | Errhandler::ERRORS_ABORT => None,
            made => self.errhandlers.function(made),
        };
        let Some(function) = function else {
            return Raised::Fatal { code: self.class_of(error.class), text: self.in_words(&error) };
        };
        self.call_handler(function, object, error.class).map_or_else(
            || Raised::Fatal {
                code: error.class,
                text: "the guest has no memory left to call its error handler".into(),
            },
            Raised::Code,
        )
    }

    /// Calls a handler of the guest with pointers to the object's handle and to the code. What the call returns is what
    /// the handler leaves there, as in other libraries.
    fn call_handler(&self, function: FnPtr, object: u32, code: i32) -> Option<i32> {
        self.with_scratch(16, |at| {
            let code_at = at.plus(8);
            self.put_handle(at, object, "the error handler's object").ok()?;
            self.put_int(code_at, code, "the error handler's code").ok()?;
            // The third stands for the further arguments of a variadic handler; a plain one doesn't get it.
            let arguments = self.arguments().address(at).address(code_at).address(Addr::NULL);
            self.call_guest(function.0, arguments)?;
            self.get_int(code_at, "the error handler's code").ok()
        })
    }

    /// Function, rank, cause and class, for a person.
    fn in_words(&self, error: &Error) -> String {
        let class = self.class_of(error.class);
        let name = class_name(class);
        let cause = if error.text.is_empty() { self.text_of(error.class) } else { error.text.to_string() };
        format!("{} on rank {}: {cause} ({name})", self.call.get().name, self.me())
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

    /// What the library says about a code: a text of the program's own as it is, others without addresses of the host.
    fn said_of(&self, code: i32) -> Result<Vec<u8>> {
        let mut text = vec![0u8; MPI_MAX_ERROR_STRING as usize + 1];
        let mut length: c_int = 0;
        let call = self.symbol::<symbols::MPI_Error_string>()?;
        // SAFETY: the buffer is as long as the ABI asks for.
        self.check(unsafe { call(code, text.as_mut_ptr().cast(), &mut length) })?;
        text.truncate(usize::try_from(length).unwrap_or(0));
        if self.is_made(code) {
            return Ok(text);
        }
        let memory = self.memory();
        let start = memory.base().addr() as u64;
        Ok(addresses::told(&String::from_utf8_lossy(&text), start..start + memory.size()).into_bytes())
    }

    /// What the library says about a code, for a person.
    fn text_of(&self, code: i32) -> String {
        let text = self.said_of(code).ok().filter(|text| !text.is_empty());
        text.map_or_else(|| format!("error {code}"), |text| String::from_utf8_lossy(&text).into_owned())
    }
}

/// The handler that an object has.
fn handler_of<O: Served>(r: &Rank, word: u32) -> Result<Errhandler> {
    r.errhandlers.of(O::BY, word, |comm| r.comm_handler(comm.0))
}

/// `MPI_Comm_create_errhandler` and its like
pub(crate) fn create_errhandler<O: Served>(r: &Rank, function: u32, errhandler: Addr) -> Result<()> {
    r.room(errhandler, r.word_bytes(), "errhandler")?;
    let handler = r.errhandlers.create(O::BY, FnPtr(function))?;
    r.put_handle(errhandler, handler.0, "errhandler")
}

/// `MPI_Comm_set_errhandler` and its like. On `MPI_FILE_NULL` it sets the handler of files that are opened later.
pub(crate) fn set_errhandler<O: Served>(r: &Rank, object: u32, errhandler: u32) -> Result<()> {
    handler_of::<O>(r, object)?;
    let handler = Errhandler(errhandler);
    r.errhandlers.check(handler, O::BY)?;
    match O::BY {
        Serves::Comm => r.set_comm_handler(object, handler),
        by => r.errhandlers.adopt(by, object, handler),
    }
    Ok(())
}

/// `MPI_Comm_get_errhandler` and its like
pub(crate) fn get_errhandler<O: Served>(r: &Rank, object: u32, errhandler: Addr) -> Result<()> {
    let handler = handler_of::<O>(r, object)?;
    r.room(errhandler, r.word_bytes(), "errhandler")?;
    r.put_handle(errhandler, r.errhandlers.hold(handler).0, "errhandler")
}

/// `MPI_Comm_call_errhandler` and its like: hands an error of the program's own to a handler.
pub(crate) fn call_errhandler<O: Served>(r: &Rank, object: u32, errorcode: i32) -> Result<()> {
    handler_of::<O>(r, object)?;
    let code = r.code(errorcode, "errorcode")?;
    // A fatal one stops the guest; a returned code is no error of this call.
    r.raise(Whose::Object(O::BY, object), Error::new(code, ""));
    Ok(())
}

/// `MPI_Errhandler_free`: objects that use the handler keep it.
pub(crate) fn errhandler_free(r: &Rank, errhandler: Addr) -> Result<()> {
    let handler = Errhandler(r.get_handle(errhandler, "errhandler")?);
    r.errhandlers.free(handler, |visit| r.each_comm_handler(visit))?;
    r.put_handle(errhandler, Errhandler::NULL.0, "errhandler")
}
