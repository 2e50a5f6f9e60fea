//! Files: they are opened here, beneath a folder that the program may use, and the library is given a name of what is
//! open (`opening`). What it can do only by a file's own name is done here too: creating and deleting. What it would wait
//! for in vain, or take for ever to do, is found out before it is asked (`together`, `writing`).

pub(crate) mod opening;
mod storage;
pub(crate) mod together;
pub(crate) mod writing;

use std::cell::Cell;
use std::ffi::c_int;

use rankine_abi::{
    Addr, Datatype, Errhandler, File, Kept, MPI_ERR_ARG, MPI_ERR_FILE, MPI_ERR_UNSUPPORTED_OPERATION,
    MPI_MAX_DATAREP_STRING, MPI_MODE_DELETE_ON_CLOSE,
};
use rankine_guest::Error;
use rankine_guest::errhan::Serves;
use rankine_guest::handle::Class;

use super::Result;
use super::call::handle::{Handles, Hosted, is_constant};
use super::call::keeping::Keeping;
use super::datatype::Type;
use super::generated::symbols;
use super::library::hints::Of;
use super::rank::Rank;
use opening::{Names, Opened};
use rankine_system::grants::Grants;

/// No byte of a file is farther away.
const FURTHEST: u128 = 1 << 61;

/// A file that is open.
struct Open {
    host: usize,
    /// The guest's words for the elementary type and the file type of its view.
    view: Cell<(u32, u32)>,
    /// Bytes of the file that one more of an offset can mean.
    step: Cell<u128>,
    /// The view leaves no byte out.
    is_dense: Cell<bool>,
    opened: Opened,
    /// The guest's mode.
    mode: c_int,
    /// A communicator of our own of those who have it open, if they are several.
    between: Option<usize>,
}

impl Hosted for Open {
    fn host(&self) -> usize {
        self.host
    }
}

/// The files of this rank, and where they may lie.
pub(crate) struct State {
    open: Handles<Open>,
    pub(crate) grants: Grants,
    pub(crate) names: Names,
}

impl State {
    pub(crate) fn new(grants: Grants, keeping: &Keeping) -> State {
        let open = Handles::new(keeping, (Class::File, File::NULL.0), MPI_ERR_FILE, "file", |word| File(word).name());
        State { open, grants, names: Names::default() }
    }

    /// A word of a handle of the library's that is wanted.
    pub(crate) fn word_where(&self, host: usize, is_wanted: impl Fn(u32) -> bool) -> Option<u32> {
        self.open.word_where(host, is_wanted)
    }

    /// The library's handle of a file that is open.
    pub(crate) fn made_host(&self, word: u32) -> Option<usize> {
        self.open.with(word, Hosted::host)
    }
}

impl Rank {
    /// The library's handle. Not `MPI_FILE_NULL`, which a library may look through.
    #[inline]
    pub(crate) fn file(&self, word: u32, what: &str) -> Result<usize> {
        self.files.open.with(word, Hosted::host).ok_or_else(|| self.files.open.unknown(word, what))
    }

    /// Refuses a place in a file, a distance or a size with which a library could not compute any more.
    pub(crate) fn file_offset(&self, word: u32, offset: i64, what: &str) -> Result<()> {
        let step = self.files.open.with(word, |open| open.step.get()).unwrap_or(1);
        if u128::from(offset.unsigned_abs()).saturating_mul(step) < FURTHEST {
            return Ok(());
        }
        Err(Error::new(MPI_ERR_ARG, format!("{what} is {offset}, which is beyond any possible file")))
    }
}

/// `MPI_File_open`
pub(crate) fn file_open(r: &Rank, comm_word: u32, filename: Addr, mode: i32, info: u32, fh: Addr) -> Result<()> {
    r.room(fh, r.word_bytes(), "fh")?;
    let (comm, info) = (r.intra(comm_word, "comm")?, r.hints(info, Of::File, "info")?);
    let is_alone = r.is_alone(comm_word)?;
    r.prove_contexts(comm, if is_alone { 1 } else { 2 })?;
    let opened = r.open_together(comm_word, filename, mode)?;
    let between = if is_alone { None } else { Some(r.between(comm)?) };
    let (call, mut host) = (r.symbol::<symbols::MPI_File_open>()?, 0);
    // SAFETY: a communicator of the library's, a name of the host's own making, hints that were checked, and a result on the stack.
    let code = unsafe { call(comm, opened.name().as_ptr(), Opened::mode(mode), info.host, &mut host) };
    if let Err(error) = r.check(code) {
        // It fails for all or for none.
        between.map_or(Ok(()), |comm| r.give_up(comm))?;
        return Err(error);
    }
    let set = r.symbol::<symbols::MPI_File_set_errhandler>()?;
    // SAFETY: the library has just opened the file.
    r.check(unsafe { set(host, Errhandler::ERRORS_RETURN.0 as usize) })?;
    let view = Cell::new((Datatype::BYTE.0, Datatype::BYTE.0));
    let (step, is_dense) = (Cell::new(1), Cell::new(true));
    let open = Open { host, view, step, is_dense, opened, mode, between };
    // Without a handle the rank could never close what the others have open with it.
    let word = r.files.open.insert(open).inspect_err(|_| r.keeping.overdraw())?;
    r.errhandlers.adopt(Serves::File, word, r.errhandlers.of_new_files());
    r.descends(word, comm_word);
    r.put_handle(fh, word, "fh")
}

/// `MPI_File_close`
pub(crate) fn file_close(r: &Rank, fh: Addr) -> Result<()> {
    let word = r.get_handle(fh, "fh")?;
    let mut host = r.file(word, "fh")?;
    let call = r.symbol::<symbols::MPI_File_close>()?;
    // SAFETY: a file of the library's, whose handle nobody has from here on.
    r.check(unsafe { call(&mut host) })?;
    r.errhandlers.forget(Serves::File, word);
    r.forget_session(word);
    r.put_handle(fh, File::NULL.0, "fh")?;
    let Some(Open { opened, mode, between, .. }) = r.files.open.remove(word) else { return Ok(()) };
    let deleted = match mode & MPI_MODE_DELETE_ON_CLOSE {
        0 => Ok(()),
        _ => r.delete_together(&opened, between),
    };
    between.map_or(Ok(()), |comm| r.give_up(comm)).and(deleted)
}

/// `MPI_File_get_amode`: what the guest has asked for.
pub(crate) fn file_get_amode(r: &Rank, fh: u32, amode: Addr) -> Result<()> {
    r.file(fh, "fh")?;
    let mode = r.files.open.with(fh, |open| open.mode).unwrap_or_default();
    r.put_int(amode, mode, "amode")
}

/// `MPI_File_delete`
pub(crate) fn file_delete(r: &Rank, filename: Addr, info: u32) -> Result<()> {
    r.hints(info, Of::File, "info")?;
    r.delete(filename)
}

/// Refuses a view that a library would divide by, or that leads before its beginning.
fn check_view(etype: &Type, filetype: &Type) -> Result<()> {
    let wrong = |text: &'static str| Err(Error::new(MPI_ERR_ARG, text));
    if etype.size() == 0 {
        return wrong("etype has no bytes");
    }
    if filetype.size() % etype.size() != 0 {
        return wrong("the bytes of filetype are not a whole number of etypes");
    }
    if !filetype.goes_on() {
        return wrong("the displacements of filetype have to begin at 0 or above and must not decrease");
    }
    Ok(())
}

/// `MPI_File_set_view`
pub(crate) fn file_set_view(
    r: &Rank,
    fh: u32,
    disp: i64,
    etype: u32,
    filetype: u32,
    datarep: Addr,
    info: u32,
) -> Result<()> {
    let file = r.file(fh, "fh")?;
    r.file_offset(fh, disp, "disp")?;
    let (etype, filetype) = (r.datatype(etype, "etype")?, r.datatype(filetype, "filetype")?);
    check_view(&etype, &filetype)?;
    r.check_ascending(&etype, "etype")?;
    r.check_ascending(&filetype, "filetype")?;
    let (datarep, info) = (r.string(datarep, "datarep")?, r.hints(info, Of::File, "info")?);
    let call = r.symbol::<symbols::MPI_File_set_view>()?;
    let step = etype.reach().max(filetype.reach()).max(1);
    // Until the call has returned, another thread's offsets may be counted in steps of either view.
    r.files.open.with(fh, |open| {
        open.step.set(open.step.get().max(step));
        open.is_dense.set(false);
    });
    // SAFETY: a file and types of the library's, and strings and hints that were checked.
    r.check(unsafe { call(file, disp, etype.host, filetype.host, datarep.as_ptr(), info.host) })?;
    r.files.open.with(fh, |open| {
        open.view.set((etype.word, filetype.word));
        open.step.set(step);
        open.is_dense.set(etype.block().is_some() && filetype.block().is_some());
    });
    Ok(())
}

/// `MPI_File_get_view`: predefined types are shown by the guest's own words.
pub(crate) fn file_get_view(
    r: &Rank,
    fh: u32,
    disp: Addr,
    etype_at: Addr,
    filetype_at: Addr,
    datarep_at: Addr,
) -> Result<()> {
    let file = r.file(fh, "fh")?;
    let mut datarep = r.text_room(datarep_at, i64::from(MPI_MAX_DATAREP_STRING), "datarep")?;
    let (mut displ, mut etype, mut filetype) = (0, 0, 0);
    let call = r.symbol::<symbols::MPI_File_get_view>()?;
    // SAFETY: a file of the library's, results on the stack, and room for the longest name.
    let code = unsafe { call(file, &mut displ, &mut etype, &mut filetype, datarep.as_mut_ptr().cast()) };
    r.check(code)?;
    let (of_elements, of_file) = r.files.open.with(fh, |open| open.view.get()).unwrap_or_default();
    let word = |host: usize, known: u32| if is_constant(host) { Ok(known) } else { r.adopt_datatype(host, &[]) };
    r.put_long(disp, displ, "disp")?;
    r.put_handle(etype_at, word(etype, of_elements)?, "etype")?;
    r.put_handle(filetype_at, word(filetype, of_file)?, "filetype")?;
    r.put_text(datarep_at, &datarep, i64::from(MPI_MAX_DATAREP_STRING), "datarep")
}

/// `MPI_Register_datarep`: its functions would convert buffers of the library's, which a guest can't address.
pub(crate) fn register_datarep(
    r: &Rank,
    _large: bool,
    datarep: Addr,
    _read_conversion_fn: u32,
    _write_conversion_fn: u32,
    _dtype_file_extent_fn: u32,
    _extra_state: Kept,
) -> Result<()> {
    let name = r.string(datarep, "datarep")?;
    let text = format!(
        "the data representation \"{}\" can't be registered: its functions would work on memory of the host",
        name.to_string_lossy()
    );
    Err(Error::new(MPI_ERR_UNSUPPORTED_OPERATION, text))
}
