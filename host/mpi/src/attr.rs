//! Attributes: the library keeps them, and calls the guest's copy and delete functions through ours.
//!
//! A value is a word of the guest's, which the library takes for a pointer. Predefined attributes are pointers to ints
//! of the library's: the guest gets the address of a copy in its own memory.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{c_int, c_void};

use rankine_abi::{
    Addr, Chapter, Comm, Datatype, Kept, MPI_APPNUM, MPI_COMM_DUP_FN, MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN,
    MPI_ERR_NO_MEM, MPI_ERR_OTHER, MPI_HOST, MPI_IO, MPI_LASTUSEDCODE, MPI_TAG_UB, MPI_UNIVERSE_SIZE, MPI_WIN_BASE,
    MPI_WIN_CREATE_FLAVOR, MPI_WIN_DISP_UNIT, MPI_WIN_MODEL, MPI_WIN_SIZE, MPI_WTIME_IS_GLOBAL, Mark, Win,
};
use rankine_guest::Error;

use super::Result;
use super::generated::symbols;
use super::library::Symbol;
use super::rank::Rank;

/// The type of the library's functions that create keyvals.
type Create = unsafe extern "C" fn(*const c_void, *const c_void, *mut c_int, *mut c_void) -> c_int;
/// The type of those that set attributes.
type Set = unsafe extern "C" fn(usize, c_int, *mut c_void) -> c_int;
/// The type of those that get them.
type Get = unsafe extern "C" fn(usize, c_int, *mut c_void, *mut c_int) -> c_int;
/// The type of those that delete them.
type Delete = unsafe extern "C" fn(usize, c_int) -> c_int;

/// What carries attributes, and the library's functions for that.
pub(crate) trait Carrier {
    type Create: Symbol<Function = Create>;
    type Set: Symbol<Function = Set>;
    type Get: Symbol<Function = Get>;
    type Delete: Symbol<Function = Delete>;

    /// The library's handle, for a word of the guest's.
    fn host(r: &Rank, word: u32) -> Result<usize>;
    /// The library's handle of an object that is only asked about.
    fn asked(r: &Rank, word: u32) -> Result<usize>;
    /// The guest's word, for a handle of the library's.
    fn word(r: &Rank, host: usize) -> u32;
    /// The guest's word for the value of an attribute.
    fn shown(r: &Rank, word: u32, keyval: c_int, value: *mut c_void) -> Result<Kept>;
}

macro_rules! carriers {
    ($($handle:ident: $create:ident, $set:ident, $get:ident, $delete:ident, $host:expr, $asked:expr, $word:expr, $shown:expr;)*) => {$(
        impl Carrier for $handle {
            type Create = symbols::$create;
            type Set = symbols::$set;
            type Get = symbols::$get;
            type Delete = symbols::$delete;

            fn host(r: &Rank, word: u32) -> Result<usize> {
                $host(r, word)
            }

            fn asked(r: &Rank, word: u32) -> Result<usize> {
                $asked(r, word)
            }

            fn word(r: &Rank, host: usize) -> u32 {
                $word(r, host)
            }

            fn shown(r: &Rank, word: u32, keyval: c_int, value: *mut c_void) -> Result<Kept> {
                $shown(r, word, keyval, value)
            }
        }
    )*};
}

carriers! {
    Comm: MPI_Comm_create_keyval, MPI_Comm_set_attr, MPI_Comm_get_attr, MPI_Comm_delete_attr,
        |r: &Rank, word| r.comm(word, "comm"),
        Comm::host,
        Rank::comm_word, of_comm;
    Datatype: MPI_Type_create_keyval, MPI_Type_set_attr, MPI_Type_get_attr, MPI_Type_delete_attr,
        |r: &Rank, word| r.telling_host(&*r.datatype(word, "datatype")?),
        |r: &Rank, word| r.telling_host(&*r.asked_datatype(word, "datatype")?),
        |r: &Rank, host| r.datatype_word(host).unwrap_or(Datatype::NULL.0),
        |_, _, _, value: *mut c_void| Ok(Kept(value.addr() as u64));
    Win: MPI_Win_create_keyval, MPI_Win_set_attr, MPI_Win_get_attr, MPI_Win_delete_attr,
        |r: &Rank, word| r.win(word, "win"),
        Win::host,
        Rank::win_word, of_win;
}

/// The guest's functions behind a keyval. The library has its address for as long as it likes.
struct Keyval {
    /// The guest's word for the object that a callback is about.
    word: fn(&Rank, usize) -> u32,
    copy: u32,
    delete: u32,
    extra_state: Kept,
}

/// The keyvals that a rank may make in its life: neither the library nor we can ever give their memory back.
const MOST_KEYVALS: u32 = 1 << 16;

/// The keyvals' number, and where the predefined attributes lie in the guest's memory.
#[derive(Default)]
pub(crate) struct State {
    keyvals: Cell<u32>,
    comm: Cell<Option<Addr>>,
    /// Objects whose attributes the library goes through right now, calling the guest's functions.
    visited: RefCell<Vec<usize>>,
    /// Those of them that end, or may, as their attributes are deleted one after the other.
    ending: RefCell<Vec<usize>>,
    /// By the window's word.
    wins: RefCell<HashMap<u32, Addr>>,
}

/// The predefined keyvals of communicators; each one's int is at its place here.
const OF_COMMS: [i32; 7] =
    [MPI_TAG_UB, MPI_IO, MPI_HOST, MPI_WTIME_IS_GLOBAL, MPI_APPNUM, MPI_LASTUSEDCODE, MPI_UNIVERSE_SIZE];
/// Those of windows, but for the base, which is an address itself.
const OF_WINS: [i32; 4] = [MPI_WIN_SIZE, MPI_WIN_DISP_UNIT, MPI_WIN_CREATE_FLAVOR, MPI_WIN_MODEL];

/// Room for any of them, in either kind of program.
const CELL: u64 = 8;

impl Rank {
    /// Where the guest finds a predefined attribute, of which the library has given the value.
    fn show(&self, block: Addr, known: &[i32], keyval: c_int, value: i64) -> Result<Addr> {
        let position = known.iter().position(|&one| one == keyval).expect("the caller has looked");
        let at = block.plus(CELL * position as u64);
        match keyval {
            MPI_WIN_SIZE => self.put_aint(at, value as isize, "a predefined attribute")?,
            _ => self.put_count(false, at, value, "a predefined attribute")?,
        }
        Ok(at)
    }

    /// Calls a function of the guest's for an attribute of an object. It must not change what the library goes through.
    fn visit<R>(&self, object: usize, call: impl FnOnce() -> R) -> R {
        self.attrs.visited.borrow_mut().push(object);
        let result = call();
        self.attrs.visited.borrow_mut().pop();
        result
    }

    /// Whether a function of an attribute runs because this object ends.
    #[inline]
    pub(crate) fn is_ending(&self, object: usize) -> bool {
        self.attrs.ending.borrow().contains(&object)
    }

    /// An object whose attributes are about to be changed.
    fn unvisited(&self, object: usize) -> Result<usize> {
        if self.attrs.visited.borrow().contains(&object) {
            let text = "a function of an attribute cannot change the attributes of the object that it is called for";
            return Err(Error::new(MPI_ERR_OTHER, text));
        }
        self.await_walks(object)?;
        Ok(object)
    }

    /// A window has gone.
    pub(crate) fn forget_attributes(&self, win: u32) {
        let block = self.attrs.wins.borrow_mut().remove(&win);
        if let Some(block) = block {
            self.give_back(block);
        }
    }

    fn cells(&self, known: &[i32]) -> Result<Addr> {
        let bytes = CELL * known.len() as u64;
        let block = self.allocate(bytes);
        block.ok_or_else(|| Error::new(MPI_ERR_NO_MEM, format!("the guest's allocator has no {bytes} bytes left")))
    }
}

/// The code that a callback hands to the library when the guest can't answer: it is on its way out.
const CANNOT: c_int = MPI_ERR_OTHER;

unsafe extern "C" fn copy(
    object: usize,
    keyval: c_int,
    state: *mut c_void,
    value: *mut c_void,
    copied: *mut *mut c_void,
    flag: *mut c_int,
) -> c_int {
    // SAFETY: the library calls it with room for the results, both of them its own, and with the state of the keyval, which
    // `create_keyval` has left to it for ever.
    let (functions, copied, flag) = unsafe { (&*state.cast::<Keyval>(), &mut *copied, &mut *flag) };
    *flag = 0;
    // SAFETY: it does so within a call of this thread's rank, if there is one.
    let Some(r) = (unsafe { Rank::current() }) else { return CANNOT };
    // A library also duplicates communicators for itself, such as those of files, and fails badly if a copy does.
    if !r.call.get().is(Mark::Dups) {
        return 0;
    }
    match functions.copy {
        word if word == MPI_COMM_NULL_COPY_FN.0 => return 0,
        word if word == MPI_COMM_DUP_FN.0 => {
            (*copied, *flag) = (value, 1);
            return 0;
        }
        _ => {}
    }
    let word = (functions.word)(&r, object);
    let answer = r.with_scratch(16, |at| {
        let flag_at = at.plus(8);
        r.put_ints(at, &[0; 4], "the copy's results").ok()?;
        let arguments = r.arguments().handle(word).int(keyval).kept(functions.extra_state);
        let arguments = arguments.kept(Kept(value.addr() as u64)).address(at).address(flag_at);
        let answer = r.visit(object, || r.call_guest(functions.copy, arguments))?;
        *copied = std::ptr::without_provenance_mut(r.memory().read_kept(at, "the copy").ok()?.0 as usize);
        *flag = r.get_int(flag_at, "flag").ok()?;
        Some(answer)
    });
    answer.map_or(CANNOT, |code| r.answered_code(code))
}

unsafe extern "C" fn delete(object: usize, keyval: c_int, value: *mut c_void, state: *mut c_void) -> c_int {
    // SAFETY: the library calls it with the state of the keyval, which `create_keyval` has left to it for ever, and within a
    // call of this thread's rank, if there is one.
    let (Some(r), functions) = (unsafe { (Rank::current(), &*state.cast::<Keyval>()) }) else { return CANNOT };
    if functions.delete == MPI_COMM_NULL_DELETE_FN.0 {
        return 0;
    }
    let arguments = r.arguments().handle((functions.word)(&r, object)).int(keyval);
    let arguments = arguments.kept(Kept(value.addr() as u64)).kept(functions.extra_state);
    // The functions for attributes delete one of an object that lives on.
    let ends = r.call.get().chapter != Chapter::Attr;
    if ends {
        r.attrs.ending.borrow_mut().push(object);
    }
    let answer = r.visit(object, || r.call_guest(functions.delete, arguments));
    if ends {
        r.attrs.ending.borrow_mut().pop();
    }
    answer.map_or(CANNOT, |code| r.answered_code(code))
}

/// `MPI_Comm_create_keyval` and its like
pub(crate) fn create_keyval<O: Carrier>(
    r: &Rank,
    copy_fn: u32,
    delete_fn: u32,
    keyval_at: Addr,
    extra_state: Kept,
) -> Result<()> {
    r.room(keyval_at, 4, "keyval")?;
    if r.attrs.keyvals.get() == MOST_KEYVALS {
        return Err(Error::new(MPI_ERR_NO_MEM, format!("a rank may make {MOST_KEYVALS} keyvals over an MPI library")));
    }
    r.attrs.keyvals.update(|made| made + 1);
    let functions = Keyval { word: O::word, copy: copy_fn, delete: delete_fn, extra_state };
    // It lives as long as the library may call its functions, which nobody says: until the process ends.
    let state: &'static Keyval = Box::leak(Box::new(functions));
    let (call, mut keyval) = (r.symbol::<O::Create>()?, 0);
    // SAFETY: functions of the types that the standard asks for, and a result on the stack.
    let code = unsafe {
        call(copy as *const c_void, delete as *const c_void, &mut keyval, std::ptr::from_ref(state).cast_mut().cast())
    };
    r.check(code)?;
    r.put_int(keyval_at, keyval, "keyval")
}

/// `MPI_Comm_set_attr` and its like
pub(crate) fn set_attr<O: Carrier>(r: &Rank, object: u32, keyval: i32, attribute_val: Kept) -> Result<()> {
    let (object, call) = (r.unvisited(O::host(r, object)?)?, r.symbol::<O::Set>()?);
    // SAFETY: an object of the library's, which does not look through an attribute's value.
    r.check(unsafe { call(object, keyval, std::ptr::without_provenance_mut(attribute_val.0 as usize)) })
}

/// `MPI_Type_get_attr` and its like
pub(crate) fn get_attr<O: Carrier>(r: &Rank, object: u32, keyval: i32, value_at: Addr, flag_at: Addr) -> Result<()> {
    let host = O::asked(r, object)?;
    r.room(value_at, r.word_bytes(), "attribute_val")?;
    r.room(flag_at, 4, "flag")?;
    let (call, mut value, mut flag) = (r.symbol::<O::Get>()?, std::ptr::null_mut::<c_void>(), 0);
    // SAFETY: an object of the library's; the value is a pointer on the stack, the flag an int.
    r.check(unsafe { call(host, keyval, (&raw mut value).cast(), &mut flag) })?;
    r.put_int(flag_at, flag, "flag")?;
    if flag == 0 {
        return Ok(());
    }
    r.memory().write_kept(value_at, O::shown(r, object, keyval, value)?, "attribute_val")
}

/// `MPI_Comm_get_attr`
pub(crate) fn comm_get_attr(r: &Rank, comm: u32, comm_keyval: i32, attribute_val: Addr, flag: Addr) -> Result<()> {
    get_attr::<Comm>(r, comm, comm_keyval, attribute_val, flag)
}

/// `MPI_Win_get_attr`
pub(crate) fn win_get_attr(r: &Rank, win: u32, win_keyval: i32, attribute_val: Addr, flag: Addr) -> Result<()> {
    get_attr::<Win>(r, win, win_keyval, attribute_val, flag)
}

/// An attribute of a communicator.
fn of_comm(r: &Rank, _: u32, keyval: c_int, value: *mut c_void) -> Result<Kept> {
    if !OF_COMMS.contains(&keyval) {
        return Ok(Kept(value.addr() as u64));
    }
    let block = match r.attrs.comm.get() {
        Some(block) => block,
        None => r.cells(&OF_COMMS)?,
    };
    r.attrs.comm.set(Some(block));
    // SAFETY: the library says where the int of a predefined attribute is.
    let value = unsafe { *value.cast::<c_int>() };
    Ok(Kept(r.show(block, &OF_COMMS, keyval, i64::from(value))?.0))
}

/// An attribute of a window.
fn of_win(r: &Rank, win: u32, keyval: c_int, value: *mut c_void) -> Result<Kept> {
    if keyval == MPI_WIN_BASE {
        return Ok(Kept(r.win_base(win).0));
    }
    if !OF_WINS.contains(&keyval) {
        return Ok(Kept(value.addr() as u64));
    }
    let known = r.attrs.wins.borrow().get(&win).copied();
    let block = match known {
        Some(block) => block,
        None => r.cells(&OF_WINS)?,
    };
    r.attrs.wins.borrow_mut().insert(win, block);
    // SAFETY: the library says where the value of a predefined attribute is; the size is an MPI_Aint, the others are
    // ints.
    let value =
        unsafe { if keyval == MPI_WIN_SIZE { *value.cast::<i64>() } else { i64::from(*value.cast::<c_int>()) } };
    let flavor = r.win_flavor(win).filter(|_| keyval == MPI_WIN_CREATE_FLAVOR);
    Ok(Kept(r.show(block, &OF_WINS, keyval, flavor.map_or(value, i64::from))?.0))
}

/// `MPI_Comm_delete_attr` and its like
pub(crate) fn delete_attr<O: Carrier>(r: &Rank, object: u32, keyval: i32) -> Result<()> {
    let (object, call) = (r.unvisited(O::host(r, object)?)?, r.symbol::<O::Delete>()?);
    // SAFETY: an object of the library's.
    r.check(unsafe { call(object, keyval) })
}
