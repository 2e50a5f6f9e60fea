//! Views of files that make no sense, and accesses through them: what is written changes no byte of the file before the view
//! begins, and none of the guest's memory.

#![no_main]

mod guarded;

use std::sync::{Arc, Mutex, MutexGuard};

use guarded::{FILL, Number, Step};
use libfuzzer_sys::{arbitrary, fuzz_target};
use rankine_abi::{
    Addr, Comm, Datatype, File, Info, MPI_ERR_NO_SPACE, MPI_MODE_CREATE, MPI_MODE_RDWR, MPI_SEEK_CUR, MPI_SEEK_END,
    MPI_SEEK_SET,
};
use rankine_guest::file::Opening;
use rankine_guest::{Error, copy};
use rankine_local::io::{self, Direction, Piece, Place, Storage, Stored};
use rankine_local::{Options, Rank, Result};

#[derive(Debug, arbitrary::Arbitrary)]
struct Case {
    element: u8,
    etype: Vec<Step>,
    filetype: Vec<Step>,
    memory: Vec<Step>,
    disp: Number,
    representation: u8,
    is_atomic: bool,
    accesses: Vec<Access>,
}

#[derive(Debug, arbitrary::Arbitrary)]
enum Access {
    Write { how: How, at: Number, from: Number, count: Number },
    Read { how: How, at: Number, to: Number, count: Number },
    Seek { at: Number, whence: u8 },
    SeekShared { at: Number, whence: u8 },
    Offset(Number),
    Resize(Number),
    Reserve(Number),
}

#[derive(Clone, Copy, Debug, arbitrary::Arbitrary)]
enum How {
    At,
    Here,
    Shared,
    AllAt,
    All,
    Ordered,
}

const ELEMENTS: [Datatype; 4] = [Datatype::BYTE, Datatype::INT, Datatype::DOUBLE, Datatype::LONG_DOUBLE];
const REPRESENTATIONS: [&str; 4] = ["native", "native", "external32", "internal"];
const WHENCES: [i32; 4] = [MPI_SEEK_SET, MPI_SEEK_CUR, MPI_SEEK_END, 77];

/// Bytes that the file can hold, and has at first.
const LARGEST: usize = 1 << 20;
const FIRST: usize = 1 << 12;
const OF_THE_FILE: u8 = 0x5a;

/// The only file.
#[derive(Clone, Debug)]
struct Disk(Arc<Mutex<Vec<u8>>>);

impl Disk {
    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().expect("nobody panics with it")
    }

    fn reach(bytes: u64) -> Result<usize> {
        let fits = usize::try_from(bytes).ok().filter(|&bytes| bytes <= LARGEST);
        fits.ok_or_else(|| Error::new(MPI_ERR_NO_SPACE, "the file is full"))
    }
}

impl Storage for Disk {
    fn open(&self, _: &str, _: Opening) -> Result<Arc<dyn Stored>> {
        Ok(Arc::new(self.clone()))
    }

    fn delete(&self, _: &str) -> Result<()> {
        Ok(())
    }

    fn run(&self, work: Box<dyn FnOnce() + Send>) {
        work();
    }
}

impl Stored for Disk {
    unsafe fn read(&self, offset: u64, pieces: &[Piece]) -> Result<u64> {
        let bytes = self.bytes();
        let from = bytes.get(offset.min(bytes.len() as u64) as usize..).unwrap_or_default();
        let mut read = 0;
        for piece in pieces {
            let length = piece.bytes.min(from.len() - read);
            // SAFETY: the piece is writable, and the file has so many bytes there.
            unsafe { copy::copy(piece.base, from[read..].as_ptr(), length) };
            read += length;
        }
        Ok(read as u64)
    }

    unsafe fn write(&self, offset: u64, pieces: &[Piece]) -> (u64, Result<()>) {
        let mut bytes = self.bytes();
        let mut written = 0;
        for piece in pieces {
            let start = offset.saturating_add(written);
            let end = match Disk::reach(start.saturating_add(piece.bytes as u64)) {
                Ok(end) => end,
                Err(error) => return (written, Err(error)),
            };
            let at = start as usize;
            if bytes.len() < end {
                bytes.resize(end, 0);
            }
            // SAFETY: the piece is readable, and the file has so many bytes there.
            unsafe { copy::copy(bytes[at..end].as_mut_ptr(), piece.base, piece.bytes) };
            written += piece.bytes as u64;
        }
        (written, Ok(()))
    }

    fn close(&self) -> Result<()> {
        Ok(())
    }

    fn size(&self) -> Result<u64> {
        Ok(self.bytes().len() as u64)
    }

    fn resize(&self, bytes: u64) -> Result<()> {
        self.bytes().resize(Disk::reach(bytes)?, 0);
        Ok(())
    }

    fn reserve(&self, bytes: u64) -> Result<()> {
        let (wanted, mut there) = (Disk::reach(bytes)?, self.bytes());
        let length = there.len().max(wanted);
        there.resize(length, 0);
        Ok(())
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn delete(&self) -> Result<()> {
        Ok(())
    }

    fn identity(&self) -> Result<(u64, u64)> {
        Ok((0, 0))
    }
}

/// Reads or writes in one of the ways.
async fn carry(
    r: &Rank,
    how: How,
    at: i64,
    direction: Direction,
    fh: File,
    (buf, count, datatype): (Addr, i64, Datatype),
) -> Result<()> {
    if guarded::are_many(r, count, datatype) {
        return Ok(());
    }
    let place = match how {
        How::At | How::AllAt => Place::At(at),
        How::Here | How::All | How::Ordered => Place::Own,
        How::Shared => Place::Shared,
    };
    match how {
        How::At | How::Here | How::Shared => io::access(r, place, direction, fh, buf, count, datatype).await,
        How::AllAt | How::All => io::access_all(r, place, direction, fh, buf, count, datatype).await,
        How::Ordered => io::access_ordered(r, direction, fh, buf, count, datatype).await,
    }
    .map(drop)
}

async fn access(r: &Rank, access: &Access, datatype: Datatype, fh: File) -> Result<()> {
    match *access {
        Access::Write { how, at, from, count } => {
            carry(r, how, at.value(), Direction::Write, fh, (from.address(), count.value(), datatype)).await
        }
        Access::Read { how, at, to, count } => {
            carry(r, how, at.value(), Direction::Read, fh, (to.address(), count.value(), datatype)).await
        }
        Access::Seek { at, whence } => io::file_seek(r, fh, at.value(), WHENCES[usize::from(whence) % 4]),
        Access::SeekShared { at, whence } => {
            io::file_seek_shared(r, fh, at.value(), WHENCES[usize::from(whence) % 4]).await
        }
        Access::Offset(at) => io::file_get_byte_offset(r, fh, at.value()).map(drop),
        Access::Resize(size) => io::file_set_size(r, fh, size.value()).await,
        Access::Reserve(size) => io::file_preallocate(r, fh, size.value()).await,
    }
}

fuzz_target!(|case: Case| {
    let disk = Disk(Arc::new(Mutex::new(vec![OF_THE_FILE; FIRST])));
    let options = Options { storage: Some(Arc::new(disk.clone())), ..Options::default() };
    let mut begins = 0;
    let memory = guarded::run(options, async |r| {
        let element = ELEMENTS[usize::from(case.element) % ELEMENTS.len()];
        let etype = guarded::made(r, element, &case.etype)?;
        let filetype = guarded::made(r, etype, &case.filetype)?;
        let datatype = guarded::made(r, etype, &case.memory)?;
        let fh = io::file_open(r, Comm::SELF, "file", MPI_MODE_RDWR | MPI_MODE_CREATE, Info::NULL).await?;
        let representation = REPRESENTATIONS[usize::from(case.representation) % 4];
        let disp = case.disp.value();
        io::file_set_view(r, fh, disp, etype, filetype, representation, Info::NULL).await?;
        begins = disp as usize;
        io::file_set_atomicity(r, fh, case.is_atomic).await?;
        for one in &case.accesses {
            let _ = access(r, one, datatype, fh).await;
        }
        io::file_close(r, fh).await.map(drop)
    });
    let cuts = |access: &Access| matches!(access, Access::Resize(_) | Access::Reserve(_));
    if !case.accesses.iter().any(cuts) {
        let file = disk.bytes();
        let kept = begins.min(FIRST).min(file.len());
        assert!(file[..kept].iter().all(|byte| *byte == OF_THE_FILE), "a byte before the view has changed");
    }
    if !case.accesses.iter().any(|access| matches!(access, Access::Read { .. })) {
        assert!(memory.iter().all(|byte| *byte == FILL), "a byte that was written to the file has changed");
    }
});
