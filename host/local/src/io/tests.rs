//! Files in memory: what the chapter does, without a system.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use rankine_abi::*;
use rankine_guest::file::Opening;

use super::*;
use super::{Direction, Place, Split};
use crate::datatype::*;
use crate::request;
use crate::testing::{threads, turns};
use crate::world::{End, Options};

/// The bytes of a file; an access that fails, if one shall.
#[derive(Debug, Default)]
struct Bytes {
    bytes: Mutex<Vec<u8>>,
    /// Accesses that were made.
    writes: Mutex<usize>,
    /// Bytes that it can hold.
    full: Mutex<Option<usize>>,
    /// Whoever closes it hears that it could not be kept.
    lost: Mutex<bool>,
}

#[derive(Debug, Default)]
struct Memory {
    files: Mutex<HashMap<String, Arc<Bytes>>>,
}

#[derive(Debug)]
struct InMemory {
    name: String,
    number: u64,
    memory: Arc<Memory>,
    file: Arc<Bytes>,
}

#[derive(Debug)]
struct Disk(Arc<Memory>);

impl Memory {
    fn files(&self) -> MutexGuard<'_, HashMap<String, Arc<Bytes>>> {
        self.files.lock().unwrap()
    }
}

impl Storage for Disk {
    fn open(&self, name: &str, opening: Opening) -> Result<Arc<dyn Stored>> {
        let mut files = self.0.files();
        let file = match files.get(name) {
            Some(_) if opening.exclusive => return Err(Error::new(MPI_ERR_FILE_EXISTS, "it is there")),
            Some(file) => file.clone(),
            None if !opening.create => return Err(Error::new(MPI_ERR_NO_SUCH_FILE, "it is not there")),
            None => files.entry(name.to_owned()).or_default().clone(),
        };
        let number = Arc::as_ptr(&file) as u64;
        Ok(Arc::new(InMemory { name: name.to_owned(), number, memory: self.0.clone(), file }))
    }

    fn delete(&self, name: &str) -> Result<()> {
        let gone = self.0.files().remove(name);
        gone.map(drop).ok_or_else(|| Error::new(MPI_ERR_NO_SUCH_FILE, "it is not there"))
    }

    fn run(&self, work: Box<dyn FnOnce() + Send>) {
        std::thread::spawn(work);
    }
}

impl Stored for InMemory {
    unsafe fn read(&self, offset: u64, pieces: &[Piece]) -> Result<u64> {
        let (bytes, mut at) = (self.file.bytes.lock().unwrap(), offset as usize);
        for piece in pieces {
            let there = bytes.len().saturating_sub(at).min(piece.bytes);
            // SAFETY: the piece is memory that may be written, as `read` demands, and `there` bytes are in the file.
            unsafe { crate::copy::copy(piece.base, bytes.as_ptr().wrapping_add(at), there) };
            at += there;
        }
        Ok(at as u64 - offset)
    }

    unsafe fn write(&self, offset: u64, pieces: &[Piece]) -> (u64, Result<()>) {
        *self.file.writes.lock().unwrap() += 1;
        let (mut bytes, mut at) = (self.file.bytes.lock().unwrap(), offset as usize);
        for piece in pieces {
            let room = self.file.full.lock().unwrap().map_or(usize::MAX, |full| full.saturating_sub(at));
            let fits = piece.bytes.min(room);
            let length = if fits > 0 { bytes.len().max(at + fits) } else { bytes.len() };
            bytes.resize(length, 0);
            // SAFETY: the caller's promise; the file has as many bytes by now.
            unsafe { crate::copy::copy(bytes.as_mut_ptr().wrapping_add(at), piece.base, fits) };
            at += fits;
            if fits < piece.bytes {
                let error = Error::new(MPI_ERR_NO_SPACE, format!("\"{}\" is full", self.name));
                return (at as u64 - offset, Err(error));
            }
        }
        (at as u64 - offset, Ok(()))
    }

    fn size(&self) -> Result<u64> {
        Ok(self.file.bytes.lock().unwrap().len() as u64)
    }

    fn resize(&self, bytes: u64) -> Result<()> {
        self.file.bytes.lock().unwrap().resize(bytes as usize, 0);
        Ok(())
    }

    fn reserve(&self, bytes: u64) -> Result<()> {
        let mut there = self.file.bytes.lock().unwrap();
        let length = there.len().max(bytes as usize);
        there.resize(length, 0);
        Ok(())
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn close(&self) -> Result<()> {
        match *self.file.lost.lock().unwrap() {
            false => Ok(()),
            true => Err(Error::new(MPI_ERR_QUOTA, format!("\"{}\" is lost", self.name))),
        }
    }

    fn delete(&self) -> Result<()> {
        self.memory.files().remove(&self.name);
        Ok(())
    }

    fn identity(&self) -> Result<(u64, u64)> {
        Ok((0, self.number))
    }
}

const CREATE: i32 = MPI_MODE_RDWR | MPI_MODE_CREATE;
const OUT: Addr = Addr(0x1000);
const IN: Addr = Addr(0x2_0000);

/// Runs a program on threads and in turns, each with files of its own.
fn both<T: Send>(ranks: usize, program: impl AsyncFn(&Rank, &Memory) -> T + Sync) {
    let options = |memory: &Arc<Memory>| Options {
        storage: Some(Arc::new(Disk(memory.clone()))),
        spin: ranks <= 2,
        ..Options::default()
    };
    let memory = Arc::new(Memory::default());
    let (results, end) = threads(ranks, options(&memory), None, async |r| program(r, &memory).await);
    assert_eq!(end, None, "on threads");
    assert!(results.iter().all(Option::is_some));
    let memory = Arc::new(Memory::default());
    let (results, end) = turns(ranks, options(&memory), async |r| program(r, &memory).await);
    assert_eq!(end, None, "in turns");
    assert!(results.iter().all(Option::is_some));
}

async fn open(r: &Rank, comm: Comm, mode: i32) -> Result<File> {
    file_open(r, comm, "field", mode, Info::NULL).await
}

fn put(r: &Rank, at: Addr, values: &[i32]) {
    r.memory().write_i32s(at, values, "values").unwrap();
}

fn get(r: &Rank, at: Addr, count: usize) -> Vec<i32> {
    r.memory().read_i32s(at, count, "values").unwrap()
}

fn content(memory: &Memory) -> Vec<i32> {
    let file = memory.files()["field"].clone();
    let bytes = file.bytes.lock().unwrap();
    bytes.as_chunks::<4>().0.iter().map(|word| i32::from_le_bytes(*word)).collect()
}

#[test]
fn what_is_written_is_read() {
    both(1, async |r, memory| {
        let fh = open(r, Comm::SELF, CREATE).await.unwrap();
        put(r, OUT, &[1, 2, 3, 4]);
        let status = access(r, Place::At(8), Direction::Write, fh, OUT, 4, Datatype::INT).await.unwrap();
        assert_eq!(status.bytes(), 16);
        assert_eq!(content(memory), [0, 0, 1, 2, 3, 4]);
        // No more than there is.
        let status = access(r, Place::At(16), Direction::Read, fh, IN, 4, Datatype::INT).await.unwrap();
        assert_eq!((status.bytes(), get(r, IN, 3)), (8, vec![3, 4, 0]));
        assert_eq!(file_get_position(r, fh), Ok(0));
        file_seek(r, fh, -4, MPI_SEEK_END).unwrap();
        access(r, Place::Own, Direction::Read, fh, IN, 1, Datatype::INT).await.unwrap();
        assert_eq!((get(r, IN, 1), file_get_position(r, fh)), (vec![4], Ok(24)));
        assert_eq!(file_seek(r, fh, -25, MPI_SEEK_CUR).unwrap_err().class, MPI_ERR_ARG);
        assert_eq!(file_seek(r, fh, i64::MAX, MPI_SEEK_CUR).unwrap_err().class, MPI_ERR_ARG);
        file_set_size(r, fh, 12).await.unwrap();
        assert_eq!(file_get_size(r, fh), Ok(12));
        file_preallocate(r, fh, 100).await.unwrap();
        assert_eq!(file_get_size(r, fh), Ok(100));
        assert_eq!(file_close(r, fh).await, Ok(File::NULL));
        assert_eq!(file_get_size(r, fh).unwrap_err().class, MPI_ERR_FILE);
    });
}

#[test]
fn modes_say_what_may_be_done() {
    both(2, async |r, memory| {
        assert_eq!(open(r, Comm::WORLD, MPI_MODE_RDWR).await.unwrap_err().class, MPI_ERR_NO_SUCH_FILE);
        let fh = open(r, Comm::WORLD, CREATE | MPI_MODE_EXCL).await.unwrap();
        put(r, OUT, &[7, 8]);
        access_all(r, Place::At(4 * r.id() as i64), Direction::Write, fh, OUT, 1, Datatype::INT).await.unwrap();
        file_close(r, fh).await.unwrap();
        assert_eq!(open(r, Comm::WORLD, CREATE | MPI_MODE_EXCL).await.unwrap_err().class, MPI_ERR_FILE_EXISTS);
        let differs = open(r, Comm::WORLD, if r.id() == 0 { MPI_MODE_RDONLY } else { MPI_MODE_RDWR }).await;
        assert_eq!(differs.unwrap_err().class, MPI_ERR_NOT_SAME);
        let fh = open(r, Comm::WORLD, MPI_MODE_RDONLY).await.unwrap();
        let refused = access(r, Place::At(0), Direction::Write, fh, OUT, 1, Datatype::INT).await;
        assert_eq!(refused.unwrap_err().class, MPI_ERR_READ_ONLY);
        assert_eq!(file_set_size(r, fh, 1).await.unwrap_err().class, MPI_ERR_READ_ONLY);
        file_close(r, fh).await.unwrap();
        let fh = open(r, Comm::WORLD, MPI_MODE_WRONLY | MPI_MODE_APPEND | MPI_MODE_DELETE_ON_CLOSE).await.unwrap();
        assert_eq!((file_get_position(r, fh), file_get_position_shared(r, fh)), (Ok(8), Ok(8)));
        assert_eq!(
            access(r, Place::At(0), Direction::Read, fh, IN, 1, Datatype::INT).await.unwrap_err().class,
            MPI_ERR_ACCESS
        );
        file_close(r, fh).await.unwrap();
        assert!(!memory.files().contains_key("field"));
        let mode = MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL | MPI_MODE_CREATE;
        let fh = file_open(r, Comm::SELF, "other", mode, Info::NULL).await.unwrap();
        assert_eq!(file_seek(r, fh, 0, MPI_SEEK_SET).unwrap_err().class, MPI_ERR_UNSUPPORTED_OPERATION);
        access(r, Place::Shared, Direction::Write, fh, OUT, 1, Datatype::INT).await.unwrap();
        file_close(r, fh).await.unwrap();
    });
}

/// Sets a view of every `ranks`-th block of ints for each rank.
async fn deal(r: &Rank, fh: File, ranks: i64, block: i64) {
    let int = Datatype::INT;
    let blocks = type_contiguous(r, block, int).unwrap();
    let filetype = type_create_resized(r, blocks, 0, 4 * block * ranks).unwrap();
    let filetype = type_commit(r, filetype).unwrap();
    file_set_view(r, fh, r.id() as i64 * 4 * block, int, filetype, "native", Info::NULL).await.unwrap();
}

#[test]
fn pieces_of_all_ranks_become_few_writes() {
    for block in [1, 3, 200] {
        both(4, async |r, memory| {
            let fh = open(r, Comm::WORLD, CREATE).await.unwrap();
            deal(r, fh, 4, block).await;
            let n = 5 * block as i32;
            let values: Vec<i32> = (0..n).map(|i| 10_000 * r.id() as i32 + i).collect();
            put(r, OUT, &values);
            let status = access_all(r, Place::Own, Direction::Write, fh, OUT, n.into(), Datatype::INT).await.unwrap();
            assert_eq!(status.bytes(), 4 * n as u64);
            let all = content(memory);
            assert_eq!(all.len(), 4 * n as usize);
            let owner = |at: usize| (at / block as usize) % 4;
            for (at, value) in all.into_iter().enumerate() {
                let index = at / (4 * block as usize) * block as usize + at % block as usize;
                assert_eq!(value, 10_000 * owner(at) as i32 + index as i32);
            }
            assert_eq!(*memory.files()["field"].writes.lock().unwrap(), 1);
            file_seek(r, fh, 0, MPI_SEEK_SET).unwrap();
            // One more than there is.
            let status =
                access_all(r, Place::Own, Direction::Read, fh, IN, i64::from(n) + 1, Datatype::INT).await.unwrap();
            assert_eq!((status.bytes(), get(r, IN, n as usize)), (4 * n as u64, values));
            file_close(r, fh).await.unwrap();
        });
    }
}

#[test]
fn one_reads_where_another_writes() {
    both(2, async |r, memory| {
        let fh = open(r, Comm::WORLD, CREATE).await.unwrap();
        deal(r, fh, 2, 1).await;
        put(r, OUT, &[7; 4]);
        put(r, IN, &[8; 4]);
        let outcome = match r.id() {
            0 => access_all(r, Place::Own, Direction::Read, fh, IN, 4, Datatype::INT).await,
            _ => access_all(r, Place::Own, Direction::Write, fh, OUT, 4, Datatype::INT).await,
        };
        assert_eq!(outcome.unwrap_err().class, MPI_ERR_NOT_SAME);
        assert_eq!((get(r, OUT, 4), get(r, IN, 4)), (vec![7; 4], vec![8; 4]));
        file_close(r, fh).await.unwrap();
        assert!(content(memory).is_empty());
    });
}

#[test]
fn holes_are_left_alone() {
    both(1, async |r, memory| {
        let fh = open(r, Comm::SELF, CREATE).await.unwrap();
        put(r, OUT, &(100..164).collect::<Vec<_>>());
        access(r, Place::At(0), Direction::Write, fh, OUT, 64, Datatype::INT).await.unwrap();
        let filetype = type_vector(r, 3, 2, 5, Datatype::INT).unwrap();
        let filetype = type_commit(r, filetype).unwrap();
        file_set_view(r, fh, 4, Datatype::INT, filetype, "native", Info::NULL).await.unwrap();
        let memory_type = type_vector(r, 5, 1, 2, Datatype::INT).unwrap();
        let memory_type = type_commit(r, memory_type).unwrap();
        put(r, OUT, &(0..10).collect::<Vec<_>>());
        // Ints 0, 2, 4, 6, 8 from the second of the view on.
        access(r, Place::At(1), Direction::Write, fh, OUT, 1, memory_type).await.unwrap();
        let now = content(memory);
        assert_eq!(now[..15], [100, 101, 0, 103, 104, 105, 2, 4, 108, 109, 110, 6, 8, 113, 114]);
        put(r, IN, &[-1; 10]);
        access(r, Place::At(1), Direction::Read, fh, IN, 1, memory_type).await.unwrap();
        assert_eq!(get(r, IN, 10), [0, -1, 2, -1, 4, -1, 6, -1, 8, -1]);
        assert_eq!(file_get_byte_offset(r, fh, 3), Ok(4 + 4 * 6));
        assert_eq!(file_get_byte_offset(r, fh, 6), Ok(4 + 4 * 12));
        file_seek(r, fh, 0, MPI_SEEK_END).unwrap();
        assert_eq!(file_get_position(r, fh), Ok(32));
        let (disp, etype, shown, name) = file_get_view(r, fh).unwrap();
        assert_eq!((disp, etype, name.as_str()), (4, Datatype::INT, "native"));
        assert_eq!(r.datatype(shown).unwrap().extent(), 48);
        file_close(r, fh).await.unwrap();
    });
}

#[test]
fn views_that_can_not_be_are_refused() {
    both(1, async |r, _| {
        let fh = open(r, Comm::SELF, CREATE).await.unwrap();
        let int = Datatype::INT;
        let view = async |disp, filetype| {
            let committed = type_commit(r, filetype).unwrap();
            file_set_view(r, fh, disp, int, committed, "native", Info::NULL).await.unwrap_err().class
        };
        assert_eq!(view(-2, int).await, MPI_ERR_ARG);
        assert_eq!(view(1 << 61, int).await, MPI_ERR_ARG);
        assert_eq!(view(0, Datatype::SHORT).await, MPI_ERR_ARG);
        assert_eq!(view(0, type_create_hindexed(r, 2, &[1, 1], &[-4, 8], int).unwrap()).await, MPI_ERR_ARG);
        assert_eq!(view(0, type_indexed(r, 2, &[1, 1], &[5, 2], int).unwrap()).await, MPI_ERR_ARG);
        assert_eq!(view(0, type_create_hindexed(r, 2, &[1, 1], &[0, 2], int).unwrap()).await, MPI_ERR_TYPE);
        let unknown = file_set_view(r, fh, 0, int, int, "mine", Info::NULL).await;
        assert_eq!(unknown.unwrap_err().class, MPI_ERR_UNSUPPORTED_DATAREP);
        for offset in [i64::MAX, i64::MIN, -1, 1 << 62] {
            assert!(access(r, Place::At(offset), Direction::Write, fh, OUT, 1, int).await.is_err());
            assert!(access(r, Place::At(offset), Direction::Read, fh, IN, 1, int).await.is_err());
        }
        let long = type_create_resized(r, int, 0, i64::MAX / 2).unwrap();
        let long = type_commit(r, long).unwrap();
        file_set_view(r, fh, 0, int, long, "native", Info::NULL).await.unwrap();
        assert_eq!(access(r, Place::At(0), Direction::Write, fh, OUT, 3, int).await.unwrap_err().class, MPI_ERR_ARG);
        assert!(file_get_byte_offset(r, fh, 5).is_err());
        file_close(r, fh).await.unwrap();
    });
}

#[test]
fn external32_is_big_endian() {
    both(1, async |r, memory| {
        let fh = open(r, Comm::SELF, CREATE).await.unwrap();
        file_set_view(r, fh, 0, Datatype::INT, Datatype::INT, "external32", Info::NULL).await.unwrap();
        put(r, OUT, &[1, 2, 3]);
        access(r, Place::Own, Direction::Write, fh, OUT, 3, Datatype::INT).await.unwrap();
        assert_eq!(content(memory), [1, 2, 3].map(i32::swap_bytes));
        let status = access(r, Place::At(1), Direction::Read, fh, IN, 3, Datatype::INT).await.unwrap();
        assert_eq!((status.bytes(), get(r, IN, 3)), (8, vec![2, 3, 0]));
        assert_eq!(file_get_type_extent(r, fh, Datatype::AINT), Ok(8));
        file_set_view(r, fh, 0, Datatype::AINT, Datatype::AINT, "external32", Info::NULL).await.unwrap();
        put(r, OUT, &[-5, 6]);
        let status = access(r, Place::At(1), Direction::Write, fh, OUT, 2, Datatype::AINT).await.unwrap();
        assert_eq!((status.bytes(), file_get_size(r, fh)), (8, Ok(24)));
        access(r, Place::At(1), Direction::Read, fh, IN, 2, Datatype::AINT).await.unwrap();
        assert_eq!(get(r, IN, 2), [-5, 6]);
        file_close(r, fh).await.unwrap();
    });
}

#[test]
fn the_shared_pointer_serves_all() {
    both(3, async |r, memory| {
        let fh = open(r, Comm::WORLD, CREATE).await.unwrap();
        let me = r.id() as i32;
        put(r, OUT, &[me; 3]);
        access_ordered(r, Direction::Write, fh, OUT, i64::from(me) + 1, Datatype::INT).await.unwrap();
        file_sync(r, fh).await.unwrap();
        assert_eq!(content(memory), [0, 1, 1, 2, 2, 2]);
        file_sync(r, fh).await.unwrap();
        assert_eq!(file_get_position_shared(r, fh), Ok(24));
        file_seek_shared(r, fh, 0, MPI_SEEK_SET).await.unwrap();
        begin_ordered(r, Direction::Read, fh, IN, i64::from(me) + 1, Datatype::INT).await.unwrap();
        assert_eq!(file_close(r, fh).await.unwrap_err().class, MPI_ERR_PENDING);
        let wrong = end_split(r, Split::Ordered, Direction::Write, fh, OUT).await;
        assert_eq!(wrong.unwrap_err().class, MPI_ERR_OTHER);
        end_split(r, Split::Ordered, Direction::Read, fh, IN).await.unwrap();
        assert_eq!(get(r, IN, 1), [me]);
        file_seek_shared(r, fh, 4, MPI_SEEK_SET).await.unwrap();
        let request = iaccess(r, Place::Shared, Direction::Write, fh, OUT, 1, Datatype::INT).unwrap();
        request::wait(r, request).await.unwrap();
        file_sync(r, fh).await.unwrap();
        assert_eq!(file_get_position_shared(r, fh), Ok(16));
        let mut found = content(memory)[1..4].to_vec();
        found.sort_unstable();
        assert_eq!(found, [0, 1, 2]);
        file_sync(r, fh).await.unwrap();
        let differs = file_seek_shared(r, fh, me.into(), MPI_SEEK_SET).await;
        assert_eq!(differs.unwrap_err().class, MPI_ERR_NOT_SAME);
        file_close(r, fh).await.unwrap();
    });
}

#[test]
fn ranks_go_on_while_files_are_read() {
    let count = 100_000_i64;
    both(2, async |r, _| {
        let fh = open(r, Comm::WORLD, CREATE).await.unwrap();
        let here = r.id() as i64 * 4 * count;
        let values: Vec<i32> = (0..count as i32).map(|i| i ^ r.id() as i32).collect();
        put(r, OUT, &values);
        let request = iaccess(r, Place::At(here), Direction::Write, fh, OUT, count, Datatype::INT).unwrap();
        assert_eq!(request::wait(r, request).await.unwrap().status.bytes(), 4 * count as u64);
        let back = Addr(0x8_0000);
        let request = iaccess_all(r, Place::At(here), Direction::Read, fh, back, count, Datatype::INT).unwrap();
        request::wait(r, request).await.unwrap();
        assert_eq!(get(r, back, count as usize), values);
        // One that nobody waits for is over before its rank has gone.
        iaccess(r, Place::At(here), Direction::Read, fh, back, count, Datatype::INT).unwrap();
    });
}

#[test]
fn what_fails_is_told_to_all() {
    both(2, async |r, memory| {
        let fh = open(r, Comm::WORLD, CREATE).await.unwrap();
        *memory.files()["field"].full.lock().unwrap() = Some(100);
        deal(r, fh, 2, 1).await;
        let error = access_all(r, Place::Own, Direction::Write, fh, OUT, 100, Datatype::INT).await.unwrap_err();
        assert_eq!((error.class, error.text.contains("field")), (MPI_ERR_NO_SPACE, true));
        // A rank with nothing to bring helps the others.
        let count = if r.id() == 0 { -1 } else { 1 };
        let outcome = access_all(r, Place::At(0), Direction::Write, fh, OUT, count, Datatype::INT).await;
        assert_eq!(outcome.is_ok(), r.id() == 1);
        file_close(r, fh).await.unwrap();
    });
}

#[test]
fn an_error_says_how_much_was_written() {
    both(1, async |r, memory| {
        let fh = open(r, Comm::SELF, CREATE).await.unwrap();
        *memory.files()["field"].full.lock().unwrap() = Some(100);
        let int = Datatype::INT;
        let error = access(r, Place::Own, Direction::Write, fh, OUT, 64, int).await.unwrap_err();
        assert_eq!(error.text, "\"field\" is full, after 100 of 256 bytes were written");
        let error = access(r, Place::At(120), Direction::Write, fh, OUT, 64, int).await.unwrap_err();
        assert!(error.text.ends_with("after 0 of 256 bytes were written"), "{error:?}");
        // Seven pieces of 8 bytes, of which three and a half have room.
        let pieces = type_vector(r, 7, 2, 8, int).unwrap();
        let pieces = type_commit(r, pieces).unwrap();
        file_set_view(r, fh, 0, int, pieces, "native", Info::NULL).await.unwrap();
        let error = access(r, Place::At(0), Direction::Write, fh, OUT, 14, int).await.unwrap_err();
        assert!(error.text.ends_with("after 28 of 56 bytes were written"), "{error:?}");
        // What has found no room is no part of the file.
        assert_eq!(file_get_size(r, fh), Ok(100));
        file_close(r, fh).await.unwrap();
    });
    // Of what one rank writes for all.
    both(2, async |r, memory| {
        let fh = open(r, Comm::WORLD, CREATE).await.unwrap();
        *memory.files()["field"].full.lock().unwrap() = Some(100);
        deal(r, fh, 2, 1).await;
        let error = access_all(r, Place::Own, Direction::Write, fh, OUT, 100, Datatype::INT).await.unwrap_err();
        assert!(error.text.ends_with("after 100 of 800 bytes were written"), "{error:?}");
        file_close(r, fh).await.unwrap();
    });
}

#[test]
fn what_is_lost_is_told_when_it_is_closed() {
    for mode in [CREATE, CREATE | MPI_MODE_DELETE_ON_CLOSE] {
        both(2, async |r, memory| {
            let fh = open(r, Comm::WORLD, mode).await.unwrap();
            *memory.files()["field"].lost.lock().unwrap() = true;
            let error = file_close(r, fh).await.unwrap_err();
            assert_eq!((error.class, error.text.contains("field")), (MPI_ERR_QUOTA, r.id() == 0));
            // It is closed all the same, and deleted if it was to be.
            assert_eq!(file_get_size(r, fh).unwrap_err().class, MPI_ERR_FILE);
            assert_eq!(memory.files().contains_key("field"), mode == CREATE);
        });
    }
    // Whoever has only read has nothing to lose.
    both(1, async |r, memory| {
        memory.files().entry("field".into()).or_default();
        let fh = open(r, Comm::SELF, MPI_MODE_RDONLY).await.unwrap();
        *memory.files()["field"].lost.lock().unwrap() = true;
        assert_eq!(file_close(r, fh).await, Ok(File::NULL));
    });
}

#[test]
fn a_deadlock_names_the_file() {
    let options = Options { storage: Some(Arc::new(Disk(Arc::default()))), ..Options::default() };
    let (_, end) = threads(2, options, None, async |r| {
        let fh = open(r, Comm::WORLD, CREATE).await.unwrap();
        if r.id() == 0 {
            file_sync(r, fh).await.unwrap();
        }
    });
    assert_eq!(end, Some(End::Deadlock));
}
