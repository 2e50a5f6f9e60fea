//! Names of files, before WASI sees them.
//!
//! A C library finds the folder of a path among those that were granted. Where there are none, it would fail by itself and
//! nobody could say why. So a program without folders is shown one, `/`, in which there is nothing: a name that is looked
//! for in it arrives here, and the user is told what is missing.

use wasmtime::{Caller, Result};
use wiggle::GuestPtr;

use crate::engine::Rank;
use crate::guest::Guest;
use crate::shown;

/// The number of the error for a file that is not there.
pub(super) const NO_ENTRY: i32 = 44;

/// The descriptor of the folder in which there is nothing: the first behind the standard streams.
const NOTHING: i32 = 3;
/// Its name.
const NAME: &[u8] = b"/";

/// Whether a descriptor is that folder.
fn is_nothing<R: Rank>(caller: &Caller<'_, Guest<R>>, fd: i32) -> bool {
    fd == NOTHING && caller.data().no_folder().is_some()
}

/// The length of a path that a function of WASI is to go by; nothing if it looks where there is nothing.
pub(super) fn path<R: Rank>(
    caller: &mut Caller<'_, Guest<R>>,
    function: &str,
    fd: i32,
    path: i32,
    length: i32,
) -> Result<Option<i32>> {
    if is_nothing(caller, fd) {
        hint(caller, path, length)?;
        return Ok(None);
    }
    // To remove `folder/` is to remove `folder`, as it is elsewhere.
    if function == "path_remove_directory" { without_slashes(caller, path, length).map(Some) } else { Ok(Some(length)) }
}

/// Tells the user, once in a job, that a file was looked for.
#[cold]
fn hint<R: Rank>(caller: &mut Caller<'_, Guest<R>>, path: i32, length: i32) -> Result<()> {
    /// The longest path that systems take.
    const LONGEST: u32 = 4096;
    let memory = Guest::wasi_memory(caller)?;
    let name = memory.to_vec(GuestPtr::<[u8]>::new((path as u32, (length as u32).min(LONGEST))))?;
    let name = shown::line(&String::from_utf8_lossy(&name));
    let who = caller.data().who();
    if let Some(output) = caller.data().no_folder() {
        output.hint(&format!(
            "{who} looks for the file {name}, and no folder is granted: add --dir . to let the program use this one"
        ));
    }
    Ok(())
}

fn without_slashes<R: Rank>(caller: &mut Caller<'_, Guest<R>>, path: i32, length: i32) -> Result<i32> {
    let memory = Guest::wasi_memory(caller)?;
    let mut length = length as u32;
    while length > 1 && memory.read(GuestPtr::<u8>::new((path as u32).saturating_add(length - 1)))? == b'/' {
        length -= 1;
    }
    Ok(length as i32)
}

/// `fd_prestat_get` of the folder in which there is nothing: what it is, and how long its name is.
pub(super) fn prestat_get<R: Rank>(caller: &mut Caller<'_, Guest<R>>, fd: i32, out: i32) -> Result<Option<i32>> {
    // A folder has the number 0.
    let mut prestat = [0; 8];
    prestat[4] = NAME.len() as u8;
    answer(caller, fd, out, &prestat)
}

/// `fd_prestat_dir_name`: its name.
pub(super) fn prestat_dir_name<R: Rank>(
    caller: &mut Caller<'_, Guest<R>>,
    fd: i32,
    path: i32,
    length: i32,
) -> Result<Option<i32>> {
    answer(caller, fd, path, &NAME[..NAME.len().min(length as u32 as usize)])
}

/// `fd_fdstat_get`: a folder in which everything may be tried.
pub(super) fn fdstat_get<R: Rank>(caller: &mut Caller<'_, Guest<R>>, fd: i32, out: i32) -> Result<Option<i32>> {
    const DIRECTORY: u8 = 3;
    let mut status = [0; 24];
    status[0] = DIRECTORY;
    // Its rights, and those of what is opened in it.
    status[8..].fill(0xff);
    answer(caller, fd, out, &status)
}

/// Answers for that folder, and for no other.
fn answer<R: Rank>(caller: &mut Caller<'_, Guest<R>>, fd: i32, out: i32, bytes: &[u8]) -> Result<Option<i32>> {
    if !is_nothing(caller, fd) {
        return Ok(None);
    }
    let mut memory = Guest::wasi_memory(caller)?;
    memory.copy_from_slice(bytes, GuestPtr::<[u8]>::new((out as u32, bytes.len() as u32)))?;
    Ok(Some(0))
}
