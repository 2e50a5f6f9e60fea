//! The tools interface: variables of the library, shown in the guest's memory.
//!
//! Events would call the guest at times of the library's choosing; their callbacks are refused. Control variables can be
//! read but not written.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void};

use rankine_abi::{
    Addr, Datatype, Kept, MPI_T_BIND_MPI_COMM, MPI_T_BIND_MPI_DATATYPE, MPI_T_BIND_MPI_FILE, MPI_T_BIND_MPI_GROUP,
    MPI_T_BIND_MPI_INFO, MPI_T_BIND_MPI_MESSAGE, MPI_T_BIND_MPI_OP, MPI_T_BIND_MPI_REQUEST, MPI_T_BIND_MPI_SESSION,
    MPI_T_BIND_MPI_WIN, MPI_T_BIND_NO_OBJECT, MPI_T_ERR_CVAR_SET_NEVER, MPI_T_ERR_INVALID_HANDLE,
    MPI_T_ERR_INVALID_INDEX, MPI_T_ERR_NOT_INITIALIZED, MPI_T_ERR_NOT_SUPPORTED, MPI_T_ERR_PVAR_NO_STARTSTOP,
    MPI_T_ERR_PVAR_NO_WRITE, MPI_T_PVAR_ALL_HANDLES, MPI_T_SCOPE_CONSTANT, MPI_T_SCOPE_READONLY,
};
use rankine_guest::Error;

use super::Result;
use super::generated::symbols;
use super::library::Symbol;
use super::library::hints::Of;
use super::rank::Rank;

/// What is known of a variable from the time when its handle was made.
#[derive(Clone, Copy)]
struct Variable {
    bytes: i64,
    /// The session that its handle goes with, of a performance variable.
    session: u32,
}

/// What is known of the guest's use of the interface.
#[derive(Default)]
pub(crate) struct State {
    /// The handles of variables, by the guest's word.
    variables: RefCell<HashMap<u32, Variable>>,
    /// How often the guest has begun and not yet ended it.
    begun: Cell<u32>,
    /// The level of threads that the library told when it began.
    provided: Cell<Option<c_int>>,
}

impl Rank {
    /// Whether the guest has begun the tools interface.
    pub(crate) fn has_tools(&self) -> bool {
        self.tools.begun.get() > 0
    }
}

/// `MPI_T_init_thread`: the library's interface begins once and stays. MPICH sets its control variables back when it begins
/// again, and those that messages under way rest on are among them.
pub(crate) fn t_init_thread(r: &Rank, required: i32, provided_at: Addr) -> Result<()> {
    r.room(provided_at, 4, "provided")?;
    if r.tools.provided.get().is_none() {
        let (call, mut provided) = (r.symbol::<symbols::MPI_T_init_thread>()?, 0);
        // SAFETY: the result is on the stack.
        r.check(unsafe { call(required, &mut provided) })?;
        r.tools.provided.set(Some(provided));
    }
    r.tools.begun.set(r.tools.begun.get() + 1);
    r.put_int(provided_at, r.tools.provided.get().unwrap_or_default(), "provided")
}

/// `MPI_T_finalize`
pub(crate) fn t_finalize(r: &Rank) -> Result<()> {
    let begun = r.tools.begun.get().checked_sub(1).ok_or_else(without_tools)?;
    r.tools.begun.set(begun);
    Ok(())
}

/// The error of a call of the interface that the guest has not begun, or has ended.
#[cold]
pub(crate) fn without_tools() -> Error {
    Error::new(MPI_T_ERR_NOT_INITIALIZED, "MPI_T_init_thread was not called, or MPI_T_finalize as often")
}

/// A string that the library writes, with its length; either may not be wanted.
pub(crate) struct Text {
    at: Addr,
    length_at: Addr,
    room: c_int,
    length: c_int,
    buffer: Vec<u8>,
}

impl Text {
    pub(crate) fn new(r: &Rank, at: Addr, length_at: Addr) -> Result<Text> {
        let room = if length_at.is_null() { 0 } else { r.get_int(length_at, "a string's length")? };
        let wanted = if at.is_null() { 0 } else { room.max(0) };
        let buffer = r.text_room(at, i64::from(wanted), "a string")?;
        Ok(Text {
            at,
            length_at,
            room: wanted.min(buffer.len() as c_int),
            length: wanted.min(buffer.len() as c_int),
            buffer,
        })
    }

    pub(crate) fn pointer(&mut self) -> *mut c_char {
        if self.at.is_null() || self.length_at.is_null() {
            std::ptr::null_mut()
        } else {
            self.buffer.as_mut_ptr().cast()
        }
    }

    pub(crate) fn length_pointer(&mut self) -> *mut c_int {
        if self.length_at.is_null() { std::ptr::null_mut() } else { &mut self.length }
    }

    pub(crate) fn put(&self, r: &Rank) -> Result<()> {
        if self.length_at.is_null() {
            return Ok(());
        }
        if self.room > 0 {
            r.put_text(self.at, &self.buffer, i64::from(self.room), "a string")?;
        }
        r.put_int(self.length_at, self.length, "a string's length")
    }
}

/// A result that may not be wanted.
pub(crate) struct Wanted<T> {
    at: Addr,
    value: T,
}

impl<T: Default> Wanted<T> {
    pub(crate) fn new(at: Addr) -> Wanted<T> {
        Wanted { at, value: T::default() }
    }

    pub(crate) fn pointer(&mut self) -> *mut T {
        if self.at.is_null() { std::ptr::null_mut() } else { &mut self.value }
    }

    /// Stores it if it is wanted.
    fn put(&self, put: impl FnOnce(Addr, &T) -> Result<()>) -> Result<()> {
        if self.at.is_null() { Ok(()) } else { put(self.at, &self.value) }
    }
}

impl Wanted<c_int> {
    pub(crate) fn put_int(&self, r: &Rank) -> Result<()> {
        self.put(|at, &value| r.put_int(at, value, "a result"))
    }
}

impl Wanted<i64> {
    pub(crate) fn put_long(&self, r: &Rank) -> Result<()> {
        self.put(|at, &value| r.put_long(at, value, "a result"))
    }
}

impl Wanted<usize> {
    /// A datatype of the library's numbers: its `long` is not the guest's.
    pub(crate) fn put_datatype(&self, r: &Rank) -> Result<()> {
        self.put(|at, &host| r.put_handle(at, shown(r, host).0, "datatype"))
    }

    pub(crate) fn put_tool(&self, r: &Rank, class: &'static str) -> Result<()> {
        self.put(|at, &host| r.put_tool(at, host, class))
    }

    pub(crate) fn put_info(&self, r: &Rank) -> Result<()> {
        self.put(|at, &host| r.put_info(at, host, "info"))
    }
}

/// What a type of the library's is to the guest.
fn shown(r: &Rank, host: usize) -> Datatype {
    match Datatype(host as u32) {
        same if r.memory().is_wide() => same.in_lp64(),
        Datatype::LONG => Datatype::INT64_T,
        Datatype::UNSIGNED_LONG => Datatype::UINT64_T,
        same => same,
    }
}

/// The type of the library's functions that count.
type Count = unsafe extern "C" fn(*mut c_int) -> c_int;

impl Rank {
    /// Refuses an index that is none: a library may not look.
    pub(crate) fn check_index<C: Symbol<Function = Count>>(&self, index: c_int) -> Result<()> {
        let (count, mut number) = (self.symbol::<C>()?, 0);
        // SAFETY: the result is on the stack.
        self.check(unsafe { count(&mut number) })?;
        match (0..number).contains(&index) {
            true => Ok(()),
            false => Err(Error::new(MPI_T_ERR_INVALID_INDEX, format!("the index is {index}, and there are {number}"))),
        }
    }
}

/// The object that a variable is bound to: a pointer to its handle, which has to be the library's.
fn bound(r: &Rank, bind: c_int, at: Addr) -> Result<usize> {
    if bind == MPI_T_BIND_NO_OBJECT || at.is_null() {
        return Ok(0);
    }
    let word = r.get_handle(at, "obj_handle")?;
    match bind {
        MPI_T_BIND_MPI_COMM => r.comm(word, "obj_handle"),
        MPI_T_BIND_MPI_DATATYPE => Ok(r.datatype(word, "obj_handle")?.host),
        MPI_T_BIND_MPI_FILE => r.file(word, "obj_handle"),
        MPI_T_BIND_MPI_GROUP => r.group(word, "obj_handle"),
        MPI_T_BIND_MPI_OP => Ok(r.op(word)?.host),
        MPI_T_BIND_MPI_REQUEST => r.request(word, "obj_handle"),
        MPI_T_BIND_MPI_WIN => r.win(word, "obj_handle"),
        MPI_T_BIND_MPI_MESSAGE => r.message_host(word, "obj_handle"),
        MPI_T_BIND_MPI_INFO => r.info(word, "obj_handle"),
        MPI_T_BIND_MPI_SESSION => r.session(word, "obj_handle"),
        other => Err(Error::new(MPI_T_ERR_NOT_SUPPORTED, format!("a variable bound to an object of kind {other}"))),
    }
}

/// A word for the handle of a variable, whose size is remembered with it.
fn remember(
    r: &Rank,
    host: usize,
    class: &'static str,
    (datatype, count): (usize, c_int),
    session: u32,
) -> Result<u32> {
    let ty = r.datatype(shown(r, datatype).0, "the variable's datatype")?;
    let word = r.tool_word(host, class)?;
    let variable = Variable { bytes: ty.size().saturating_mul(i64::from(count)), session };
    r.tools.variables.borrow_mut().insert(word, variable);
    Ok(word)
}

/// Proves the buffer for a variable's value.
fn value_buffer(r: &Rank, handle: u32, at: Addr) -> Result<*mut c_void> {
    let variable = r.tools.variables.borrow().get(&handle).copied();
    let no_handle = || Error::new(MPI_T_ERR_INVALID_HANDLE, format!("{handle:#x} is not the handle of a variable"));
    let variable = variable.ok_or_else(no_handle)?;
    Ok(r.bytes(at, variable.bytes, "buf")?.at)
}

/// `MPI_T_cvar_get_info`: no variable can be written here, so its scope says so, whatever it is to the library.
pub(crate) fn t_cvar_get_info(
    r: &Rank,
    index: i32,
    name_at: Addr,
    name_length_at: Addr,
    verbosity_at: Addr,
    datatype_at: Addr,
    enumeration_at: Addr,
    about_at: Addr,
    about_length_at: Addr,
    bind_at: Addr,
    scope_at: Addr,
) -> Result<()> {
    r.check_index::<symbols::MPI_T_cvar_get_num>(index)?;
    let (mut name, mut about) = (Text::new(r, name_at, name_length_at)?, Text::new(r, about_at, about_length_at)?);
    let (mut verbosity, mut bind, mut scope) = (Wanted::new(verbosity_at), Wanted::new(bind_at), Wanted::new(scope_at));
    let (mut datatype, mut enumeration) = (Wanted::new(datatype_at), Wanted::new(enumeration_at));
    let call = r.symbol::<symbols::MPI_T_cvar_get_info>()?;
    // SAFETY: `check_index` has found the variable; the strings have the room that their lengths say, and all other results
    // are on the stack, or null where they are not wanted.
    r.check(unsafe {
        call(
            index,
            name.pointer(),
            name.length_pointer(),
            verbosity.pointer(),
            datatype.pointer(),
            enumeration.pointer(),
            about.pointer(),
            about.length_pointer(),
            bind.pointer(),
            scope.pointer(),
        )
    })?;
    if scope.value != MPI_T_SCOPE_CONSTANT {
        scope.value = MPI_T_SCOPE_READONLY;
    }
    name.put(r)?;
    verbosity.put_int(r)?;
    datatype.put_datatype(r)?;
    enumeration.put_tool(r, "MPI_T_enum")?;
    about.put(r)?;
    bind.put_int(r)?;
    scope.put_int(r)
}

/// `MPI_T_cvar_handle_alloc`
pub(crate) fn t_cvar_handle_alloc(r: &Rank, index: i32, obj: Addr, handle_at: Addr, count_at: Addr) -> Result<()> {
    r.check_index::<symbols::MPI_T_cvar_get_num>(index)?;
    r.room(handle_at, r.word_bytes(), "handle")?;
    r.room(count_at, 4, "count")?;
    let (mut datatype, mut bind, none) = (0_usize, 0, std::ptr::null_mut());
    let info = r.symbol::<symbols::MPI_T_cvar_get_info>()?;
    let nothing = none as *mut c_int;
    // SAFETY: results that are not wanted may be null.
    r.check(unsafe {
        let text = std::ptr::null_mut();
        info(index, text, nothing, nothing, &mut datatype, std::ptr::null_mut(), text, nothing, &mut bind, nothing)
    })?;
    let mut object = bound(r, bind, obj)?;
    let (call, mut handle, mut count) = (r.symbol::<symbols::MPI_T_cvar_handle_alloc>()?, 0, 0);
    // SAFETY: the object's handle is on the stack.
    r.check(unsafe { call(index, (&raw mut object).cast(), &mut handle, &mut count) })?;
    let word = remember(r, handle, "MPI_T_cvar_handle", (datatype, count), 0)?;
    r.put_handle(handle_at, word, "handle")?;
    r.put_int(count_at, count, "count")
}

/// `MPI_T_cvar_read`
pub(crate) fn t_cvar_read(r: &Rank, handle_word: u32, buf: Addr) -> Result<()> {
    let handle = r.tool(handle_word, "MPI_T_cvar_handle")?;
    let buffer = value_buffer(r, handle_word, buf)?;
    let call = r.symbol::<symbols::MPI_T_cvar_read>()?;
    // SAFETY: `tool` has found the handle in the rank's table, whose entries the library has not freed; `value_buffer` has
    // proved as many elements, of the type that the library told, as it told when it made the handle.
    r.check(unsafe { call(handle, buffer) })
}

/// `MPI_T_cvar_write`: a library trusts its settings, some of which are sizes of its memory or names of files.
pub(crate) fn t_cvar_write(r: &Rank, handle: u32, _buf: Addr) -> Result<()> {
    r.tool(handle, "MPI_T_cvar_handle")?;
    Err(Error::new(MPI_T_ERR_CVAR_SET_NEVER, "a setting of the MPI library can't be changed by a guest"))
}

/// `MPI_T_pvar_handle_alloc`
pub(crate) fn t_pvar_handle_alloc(
    r: &Rank,
    session_word: u32,
    pvar_index: i32,
    obj_handle: Addr,
    handle_at: Addr,
    count_at: Addr,
) -> Result<()> {
    r.check_index::<symbols::MPI_T_pvar_get_num>(pvar_index)?;
    let session = r.tool(session_word, "MPI_T_pvar_session")?;
    r.room(handle_at, r.word_bytes(), "handle")?;
    r.room(count_at, 4, "count")?;
    let (mut datatype, mut bind) = (0_usize, 0);
    let info = r.symbol::<symbols::MPI_T_pvar_get_info>()?;
    let (text, nothing) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: results that are not wanted may be null.
    r.check(unsafe {
        info(
            pvar_index,
            text,
            nothing,
            nothing,
            nothing,
            &mut datatype,
            std::ptr::null_mut(),
            text,
            nothing,
            &mut bind,
            nothing,
            nothing,
            nothing,
        )
    })?;
    let mut object = bound(r, bind, obj_handle)?;
    let (call, mut handle, mut count) = (r.symbol::<symbols::MPI_T_pvar_handle_alloc>()?, 0, 0);
    // SAFETY: the object's handle is on the stack.
    r.check(unsafe { call(session, pvar_index, (&raw mut object).cast(), &mut handle, &mut count) })?;
    let word = remember(r, handle, "MPI_T_pvar_handle", (datatype, count), session_word)?;
    r.put_handle(handle_at, word, "handle")?;
    r.put_int(count_at, count, "count")
}

/// `MPI_T_pvar_session_free`: the handles of its variables end with it.
pub(crate) fn t_pvar_session_free(r: &Rank, session_at: Addr) -> Result<()> {
    let word = r.get_handle(session_at, "session")?;
    let (mut session, call) = (r.tool(word, "MPI_T_pvar_session")?, r.symbol::<symbols::MPI_T_pvar_session_free>()?);
    // SAFETY: a session of the library's.
    r.check(unsafe { call(&mut session) })?;
    let mut variables = r.tools.variables.borrow_mut();
    variables.retain(|&handle, variable| {
        let stays = word == 0 || variable.session != word;
        if !stays {
            r.forget_tool(handle);
        }
        stays
    });
    r.after_tool(session_at, word, session, "session")
}

/// The type of the library's functions that start, stop and reset performance variables.
type Control = unsafe extern "C" fn(usize, usize) -> c_int;

/// `MPI_T_pvar_start` and its like: controls a variable, or all of a session's, of which those are left alone that can't be
/// controlled. MPICH looks through the handle that stands for all of them.
fn control<C: Symbol<Function = Control>, const LEFT_ALONE: c_int>(r: &Rank, of: u32, handle: u32) -> Result<()> {
    let (session, call) = (r.tool(of, "MPI_T_pvar_session")?, r.symbol::<C>()?);
    if handle != MPI_T_PVAR_ALL_HANDLES {
        let handle = r.tool(handle, "MPI_T_pvar_handle")?;
        // SAFETY: `tool` has found both in the rank's table, whose entries the library has not freed.
        return r.check(unsafe { call(session, handle) });
    }
    let variables = r.tools.variables.borrow();
    let mut words: Vec<u32> =
        variables.iter().filter(|(_, variable)| variable.session == of).map(|(&word, _)| word).collect();
    drop(variables);
    words.sort_unstable();
    for word in words {
        // One that was freed has no word any more.
        let Ok(handle) = r.tool(word, "MPI_T_pvar_handle") else { continue };
        // SAFETY: `tool` has found both in the rank's table, whose entries the library has not freed.
        match unsafe { call(session, handle) } {
            code if code == LEFT_ALONE => {}
            code => r.check(code)?,
        }
    }
    Ok(())
}

/// The type of the library's functions that move the value of a performance variable.
type Move = unsafe extern "C" fn(usize, usize, *mut c_void) -> c_int;

/// `MPI_T_pvar_read` and its like
fn move_value<M: Symbol<Function = Move>>(r: &Rank, session: u32, handle_word: u32, buf: Addr) -> Result<()> {
    let (session, handle) = (r.tool(session, "MPI_T_pvar_session")?, r.tool(handle_word, "MPI_T_pvar_handle")?);
    let buffer = value_buffer(r, handle_word, buf)?;
    let call = r.symbol::<M>()?;
    // SAFETY: `tool` has found both handles in the rank's table, whose entries the library has not freed; `value_buffer` has
    // proved as many elements, of the type that the library told, as it told when it made the handle.
    r.check(unsafe { call(session, handle, buffer) })
}

/// `MPI_T_pvar_start`
pub(crate) fn t_pvar_start(r: &Rank, session: u32, handle: u32) -> Result<()> {
    control::<symbols::MPI_T_pvar_start, MPI_T_ERR_PVAR_NO_STARTSTOP>(r, session, handle)
}

/// `MPI_T_pvar_stop`
pub(crate) fn t_pvar_stop(r: &Rank, session: u32, handle: u32) -> Result<()> {
    control::<symbols::MPI_T_pvar_stop, MPI_T_ERR_PVAR_NO_STARTSTOP>(r, session, handle)
}

/// `MPI_T_pvar_reset`
pub(crate) fn t_pvar_reset(r: &Rank, session: u32, handle: u32) -> Result<()> {
    control::<symbols::MPI_T_pvar_reset, MPI_T_ERR_PVAR_NO_WRITE>(r, session, handle)
}

/// `MPI_T_pvar_read`
pub(crate) fn t_pvar_read(r: &Rank, session: u32, handle: u32, buf: Addr) -> Result<()> {
    move_value::<symbols::MPI_T_pvar_read>(r, session, handle, buf)
}

/// `MPI_T_pvar_readreset`
pub(crate) fn t_pvar_readreset(r: &Rank, session: u32, handle: u32, buf: Addr) -> Result<()> {
    move_value::<symbols::MPI_T_pvar_readreset>(r, session, handle, buf)
}

/// `MPI_T_pvar_write`
pub(crate) fn t_pvar_write(r: &Rank, session: u32, handle: u32, buf: Addr) -> Result<()> {
    move_value::<symbols::MPI_T_pvar_write>(r, session, handle, buf)
}

/// `MPI_T_event_get_info`
pub(crate) fn t_event_get_info(
    r: &Rank,
    event_index: i32,
    name: Addr,
    name_len: Addr,
    verbosity: Addr,
    types_at: Addr,
    displs_at: Addr,
    num_elements: Addr,
    enumtype: Addr,
    info: Addr,
    desc: Addr,
    desc_len: Addr,
    bind: Addr,
) -> Result<()> {
    r.check_index::<symbols::MPI_T_event_get_num>(event_index)?;
    let (mut name, mut description) = (Text::new(r, name, name_len)?, Text::new(r, desc, desc_len)?);
    let (mut verbosity, mut number) = (Wanted::new(verbosity), Wanted::<c_int>::new(num_elements));
    let (mut enumeration, mut info, mut bind) = (Wanted::new(enumtype), Wanted::new(info), Wanted::new(bind));
    let room = if number.at.is_null() { 0 } else { r.get_int(number.at, "num_elements")?.clamp(0, 1 << 16) };
    number.value = room;
    let (mut types, mut displs) = (vec![0_usize; room as usize + 1], vec![0_isize; room as usize + 1]);
    let call = r.symbol::<symbols::MPI_T_event_get_info>()?;
    // SAFETY: the arrays have as many elements as `number` says, and outlive the call.
    let code = unsafe {
        call(
            event_index,
            name.pointer(),
            name.length_pointer(),
            verbosity.pointer(),
            if types_at.is_null() { std::ptr::null_mut() } else { types.as_mut_ptr() },
            if displs_at.is_null() { std::ptr::null_mut() } else { displs.as_mut_ptr() },
            number.pointer(),
            enumeration.pointer(),
            info.pointer(),
            description.pointer(),
            description.length_pointer(),
            bind.pointer(),
        )
    };
    r.check(code)?;
    let written = number.value.clamp(0, room) as usize;
    if !types_at.is_null() {
        let words: Vec<u32> = types[..written].iter().map(|&host| shown(r, host).0).collect();
        r.put_handles(types_at, &words, "array_of_datatypes")?;
    }
    if !displs_at.is_null() {
        let displs: Vec<i64> = displs[..written].iter().map(|&displ| displ as i64).collect();
        r.memory().write_aints(displs_at, &displs, "array_of_displacements")?;
    }
    [verbosity, number, bind].iter().try_for_each(|value| value.put_int(r))?;
    enumeration.put_tool(r, "MPI_T_enum")?;
    info.put_info(r)?;
    name.put(r)?;
    description.put(r)
}

/// `MPI_T_event_handle_alloc`
pub(crate) fn t_event_handle_alloc(r: &Rank, index: i32, obj_handle: Addr, info: u32, at: Addr) -> Result<()> {
    r.check_index::<symbols::MPI_T_event_get_num>(index)?;
    r.room(at, r.word_bytes(), "event_registration")?;
    let info = r.hints(info, Of::Nothing, "info")?;
    let mut bind = 0;
    let get_info = r.symbol::<symbols::MPI_T_event_get_info>()?;
    let (text, nothing) = (std::ptr::null_mut(), std::ptr::null_mut());
    let (handles, displs) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: results that are not wanted may be null.
    r.check(unsafe {
        get_info(index, text, nothing, nothing, handles, displs, nothing, handles, handles, text, nothing, &mut bind)
    })?;
    let mut object = bound(r, bind, obj_handle)?;
    let (call, mut registration) = (r.symbol::<symbols::MPI_T_event_handle_alloc>()?, 0);
    // SAFETY: the object's handle is on the stack.
    r.check(unsafe { call(index, (&raw mut object).cast(), info.host, &mut registration) })?;
    r.put_tool(at, registration, "MPI_T_event_registration")
}

#[cold]
fn no_callbacks(what: &str) -> Error {
    let text = format!(
        "{what}: events would call the guest at times of the library's choosing, which the engine mpi does not let them"
    );
    Error::new(MPI_T_ERR_NOT_SUPPORTED, text)
}

/// `MPI_T_event_handle_free`: without a function to be called when it is done.
pub(crate) fn t_event_handle_free(r: &Rank, registration: u32, _user_data: Kept, free_cb_function: u32) -> Result<()> {
    let registration = r.tool(registration, "MPI_T_event_registration")?;
    if free_cb_function != 0 {
        return Err(no_callbacks("free_cb_function"));
    }
    let call = r.symbol::<symbols::MPI_T_event_handle_free>()?;
    // SAFETY: no function is to be called.
    r.check(unsafe { call(registration, std::ptr::null_mut(), std::ptr::null_mut()) })
}

/// `MPI_T_event_register_callback`
pub(crate) fn t_event_register_callback(
    r: &Rank,
    event_registration: u32,
    _cb_safety: i32,
    _info: u32,
    _user_data: Kept,
    _event_cb_function: u32,
) -> Result<()> {
    r.tool(event_registration, "MPI_T_event_registration")?;
    Err(no_callbacks("event_cb_function"))
}

/// `MPI_T_event_set_dropped_handler`
pub(crate) fn t_event_set_dropped_handler(r: &Rank, event_registration: u32, _dropped_cb_function: u32) -> Result<()> {
    r.tool(event_registration, "MPI_T_event_registration")?;
    Err(no_callbacks("dropped_cb_function"))
}

/// `MPI_T_event_read`: there are instances of events inside callbacks only.
pub(crate) fn t_event_read(_: &Rank, event_instance: u32, _element_index: i32, _buffer: Addr) -> Result<()> {
    Err(no_instance(event_instance))
}

/// `MPI_T_event_copy`
pub(crate) fn t_event_copy(_: &Rank, event_instance: u32, _buffer: Addr) -> Result<()> {
    Err(no_instance(event_instance))
}

#[cold]
fn no_instance(word: u32) -> Error {
    Error::new(MPI_T_ERR_INVALID_HANDLE, format!("{word:#x} is not an instance of an event"))
}
