//! Memory that lies in several guests' memories at once, for windows of `MPI_Win_allocate_shared`: a file without a name,
//! mapped into each (Linux). On other systems such windows are refused, with `MPI_ERR_RMA_SHARED`.

use std::sync::Arc;

use rankine_local::rma::SharePages;

/// How this system does it, if it can.
pub(super) fn share() -> Option<Arc<dyn SharePages>> {
    #[cfg(target_os = "linux")]
    return Some(Arc::new(linux::Share));
    #[cfg(not(target_os = "linux"))]
    return None;
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::{c_int, c_void};
    use std::io;
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
    use std::sync::Arc;

    use rankine_local::rma::{Pages, SharePages};

    #[derive(Debug)]
    pub(super) struct Share;

    impl SharePages for Share {
        fn page(&self) -> usize {
            // SAFETY: a question without conditions.
            unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize }
        }

        fn make(&self, bytes: usize) -> io::Result<Arc<dyn Pages>> {
            // SAFETY: a name that ends.
            let file = unsafe { libc::memfd_create(c"rankine window".as_ptr(), libc::MFD_CLOEXEC) };
            if file < 0 {
                return Err(io::Error::last_os_error());
            }
            // SAFETY: the file was just opened, and is nobody else's.
            let file = unsafe { OwnedFd::from_raw_fd(file) };
            // SAFETY: an open file.
            if unsafe { libc::ftruncate(file.as_raw_fd(), bytes as libc::off_t) } != 0 {
                return Err(io::Error::last_os_error());
            }
            Ok(Arc::new(File { file, bytes }))
        }
    }

    /// A file in memory. It goes with its last mapping.
    #[derive(Debug)]
    struct File {
        file: OwnedFd,
        bytes: usize,
    }

    impl File {
        /// # Safety
        /// What is mapped at `at`, as many bytes as the file has, may be replaced.
        unsafe fn put(&self, at: *mut u8, kind: c_int, file: c_int) -> io::Result<()> {
            let (at, rights): (*mut c_void, _) = (at.cast(), libc::PROT_READ | libc::PROT_WRITE);
            // SAFETY: the caller's: so many bytes at `at` may be replaced.
            let mapped = unsafe { libc::mmap(at, self.bytes, rights, kind | libc::MAP_FIXED, file, 0) };
            if mapped == at { Ok(()) } else { Err(io::Error::last_os_error()) }
        }
    }

    impl Pages for File {
        unsafe fn map(&self, at: *mut u8) -> io::Result<()> {
            // SAFETY: the promise of `Pages::map`: as many bytes are mapped there, and nobody minds that they change.
            unsafe { self.put(at, libc::MAP_SHARED, self.file.as_raw_fd()) }
        }

        unsafe fn take_back(&self, at: *mut u8) -> io::Result<()> {
            // SAFETY: the promise of `Pages::take_back`, which is the same.
            unsafe { self.put(at, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1) }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn pages_are_the_same_in_every_place() {
            let page = Share.page();
            let rights = libc::PROT_READ | libc::PROT_WRITE;
            let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            // SAFETY: new memory.
            let memory = unsafe { libc::mmap(std::ptr::null_mut(), 5 * page, rights, kind, -1, 0) };
            assert_ne!(memory, libc::MAP_FAILED);
            let cell = |index: usize| memory.cast::<u8>().wrapping_add(index);
            let shared = Share.make(2 * page).unwrap();
            // SAFETY: the memory was mapped above, and is this test's.
            unsafe {
                *cell(0) = 7;
                shared.map(cell(page)).unwrap();
                shared.map(cell(3 * page)).unwrap();
                *cell(page + 5) = 42;
                assert_eq!((*cell(3 * page + 5), *cell(0)), (42, 7));
                shared.take_back(cell(page)).unwrap();
                assert_eq!((*cell(page + 5), *cell(3 * page + 5)), (0, 42));
                libc::munmap(memory, 5 * page);
            }
        }
    }
}
