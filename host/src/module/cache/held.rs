//! Code of some size, held so that nobody can change it any more and no page of it is copied twice: in a file in memory that is
//! sealed. Wasmtime maps it from there, and takes the first content of linear memories from it too.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _};
use std::ptr;

const SEALS: libc::c_int = libc::F_SEAL_WRITE | libc::F_SEAL_GROW | libc::F_SEAL_SHRINK | libc::F_SEAL_SEAL;

/// The rest of a file, from where it is read.
pub(super) fn rest_of(file: &mut File) -> io::Result<File> {
    let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
    // SAFETY: the name is a string, and a descriptor that is given is nobody else's.
    let mut held = unsafe {
        match libc::memfd_create(c"rankine code".as_ptr(), flags) {
            -1 => return Err(io::Error::last_os_error()),
            descriptor => File::from_raw_fd(descriptor),
        }
    };
    io::copy(file, &mut held)?;
    // SAFETY: the call takes numbers alone.
    match unsafe { libc::fcntl(held.as_raw_fd(), libc::F_ADD_SEALS, SEALS) } {
        0 => Ok(held),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Has a look at what is held.
pub(super) fn look<T>(held: &File, look: impl FnOnce(&[u8]) -> T) -> io::Result<T> {
    let length = usize::try_from(held.metadata()?.len()).map_err(io::Error::other)?;
    let (rights, kind) = (libc::PROT_READ, libc::MAP_SHARED | libc::MAP_POPULATE);
    // SAFETY: a new mapping, wherever there is room.
    let at = unsafe { libc::mmap(ptr::null_mut(), length, rights, kind, held.as_raw_fd(), 0) };
    if at == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the mapping has this length, stays as long as the slice, and shows a file that is sealed.
    let seen = look(unsafe { std::slice::from_raw_parts(at.cast(), length) });
    // SAFETY: nothing refers to the mapping any more.
    unsafe { libc::munmap(at, length) };
    Ok(seen)
}
