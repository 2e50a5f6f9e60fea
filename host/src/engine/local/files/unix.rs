//! Files are descriptors, which several threads read and write at places of their own.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, IntoRawFd};
use std::os::unix::fs::MetadataExt;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use rankine_abi::MPI_ERR_IO;
use rankine_guest::file::Opening;
use rankine_guest::{Error, Result};
use rankine_local::io::{Piece, Storage, Stored};

use crate::run::job::cores;
use rankine_system::files::{self, Place, failed};
use rankine_system::grants::Grants;

/// The files of a job's ranks.
#[derive(Debug)]
pub(in crate::engine::local) struct Files {
    grants: Grants,
    threads: OnceLock<Sender<Work>>,
}

type Work = Box<dyn FnOnce() + Send>;

impl Files {
    pub(in crate::engine::local) fn beneath(grants: &Grants) -> Arc<dyn Storage> {
        Arc::new(Files { grants: grants.clone(), threads: OnceLock::new() })
    }
}

/// Threads that read and write, at most.
const MOST_THREADS: usize = 4;

/// Starts the threads. They end when nobody can give them work any more.
fn start() -> Sender<Work> {
    let (give, take) = channel::<Work>();
    let take = Arc::new(Mutex::new(take));
    for _ in 0..cores().clamp(1, MOST_THREADS) {
        let take = take.clone();
        let started = thread::Builder::new().name("rankine files".into()).spawn(move || work(&take));
        if let Err(error) = started {
            tracing::warn!("one thread fewer for files: {error}");
        }
    }
    give
}

fn work(take: &Mutex<Receiver<Work>>) {
    loop {
        let next = take.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match next {
            Ok(work) => work(),
            Err(_) => return,
        }
    }
}

impl Storage for Files {
    fn open(&self, name: &str, opening: Opening) -> Result<Arc<dyn Stored>> {
        let (file, place) = files::open(&self.grants, name, opening)?;
        Ok(Arc::new(OpenFile { file, place, name: name.to_owned() }))
    }

    fn delete(&self, name: &str) -> Result<()> {
        files::delete(&self.grants, name)
    }

    fn run(&self, work: Work) {
        // Without a single thread the rank does it by itself.
        if let Err(back) = self.threads.get_or_init(start).send(work) {
            back.0();
        }
    }
}

/// A file that is open.
#[derive(Debug)]
struct OpenFile {
    file: File,
    place: Place,
    /// As the program calls it.
    name: String,
}

/// Pieces that the system takes at once.
const MOST_PIECES: usize = 1024;

/// Pieces as the system takes them.
struct Pieces(Vec<libc::iovec>);

impl Pieces {
    fn new(pieces: &[Piece]) -> Pieces {
        let piece = |piece: &Piece| libc::iovec { iov_base: piece.base.cast(), iov_len: piece.bytes };
        Pieces(pieces.iter().filter(|piece| piece.bytes > 0).map(piece).collect())
    }

    /// Moves all bytes with calls of `call`, which says how many it has moved; how many there were before it moved none, or
    /// failed.
    fn each(mut self, mut call: impl FnMut(&[libc::iovec], u64) -> isize) -> (u64, io::Result<()>) {
        let (mut first, mut moved) = (0, 0);
        while first < self.0.len() {
            let end = self.0.len().min(first + MOST_PIECES);
            let mut now = match call(&self.0[first..end], moved) {
                0 => break,
                now @ 1.. => now as usize,
                _ => match io::Error::last_os_error() {
                    error if error.kind() == io::ErrorKind::Interrupted => continue,
                    error => return (moved, Err(error)),
                },
            };
            moved += now as u64;
            while first < end && now >= self.0[first].iov_len {
                now -= self.0[first].iov_len;
                first += 1;
            }
            if now > 0 {
                let piece = &mut self.0[first];
                piece.iov_base = piece.iov_base.wrapping_byte_add(now);
                piece.iov_len -= now;
            }
        }
        (moved, Ok(()))
    }
}

impl OpenFile {
    fn failed(&self, error: &io::Error) -> Error {
        failed(&self.name, error)
    }
}

impl Stored for OpenFile {
    unsafe fn read(&self, offset: u64, pieces: &[Piece]) -> Result<u64> {
        let file = self.file.as_raw_fd();
        let (got, outcome) = Pieces::new(pieces).each(|pieces, moved| {
            let at = (offset + moved) as libc::off_t;
            // SAFETY: the pieces are memory that may be written, as `read` demands.
            unsafe { libc::preadv(file, pieces.as_ptr(), pieces.len() as libc::c_int, at) }
        });
        outcome.map(|()| got).map_err(|error| self.failed(&error))
    }

    unsafe fn write(&self, offset: u64, pieces: &[Piece]) -> (u64, Result<()>) {
        let file = self.file.as_raw_fd();
        let wanted: u64 = pieces.iter().map(|piece| piece.bytes as u64).sum();
        let (done, outcome) = Pieces::new(pieces).each(|pieces, moved| {
            let at = (offset + moved) as libc::off_t;
            // SAFETY: the pieces are memory that may be read, as `write` demands.
            unsafe { libc::pwritev(file, pieces.as_ptr(), pieces.len() as libc::c_int, at) }
        });
        let outcome = match outcome {
            Ok(()) if done < wanted => {
                Err(Error::new(MPI_ERR_IO, format!("filename: \"{}\": the system takes no more bytes", self.name)))
            }
            outcome => outcome.map_err(|error| self.failed(&error)),
        };
        (done, outcome)
    }

    fn size(&self) -> Result<u64> {
        Ok(self.file.metadata().map_err(|error| self.failed(&error))?.len())
    }

    fn resize(&self, bytes: u64) -> Result<()> {
        self.file.set_len(bytes).map_err(|error| self.failed(&error))
    }

    fn reserve(&self, bytes: u64) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        allocate(&self.file, bytes).map_err(|error| self.failed(&error))
    }

    fn sync(&self) -> Result<()> {
        self.file.sync_data().map_err(|error| self.failed(&error))
    }

    /// File systems that write later (those of networks) tell each descriptor that is closed what they could not. It is a
    /// second one that is closed here: another thread may be using the first, whose number would become another file's.
    fn close(&self) -> Result<()> {
        loop {
            let second = self.file.try_clone().map_err(|error| self.failed(&error))?;
            // SAFETY: the descriptor is ours alone, and nobody has it any more.
            if unsafe { libc::close(second.into_raw_fd()) } == 0 {
                return Ok(());
            }
            match io::Error::last_os_error() {
                error if error.kind() == io::ErrorKind::Interrupted => {}
                error => return Err(self.failed(&error)),
            }
        }
    }

    fn delete(&self) -> Result<()> {
        self.place.remove().map_err(|error| self.failed(&error))
    }

    fn identity(&self) -> Result<(u64, u64)> {
        let metadata = self.file.metadata().map_err(|error| self.failed(&error))?;
        Ok((metadata.dev(), metadata.ino()))
    }
}

/// Sees to it that a file has its first bytes, and room for them.
#[cfg(not(target_os = "macos"))]
fn allocate(file: &File, bytes: u64) -> io::Result<()> {
    // SAFETY: a descriptor that is open.
    match unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, bytes as libc::off_t) } {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

/// Has a file take so much room, where it only grows by it and holes in it stay.
#[cfg(target_os = "macos")]
fn allocate(file: &File, bytes: u64) -> io::Result<()> {
    match bytes > file.metadata()?.len() {
        true => Ok(rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), 0, bytes)?),
        false => Ok(()),
    }
}
