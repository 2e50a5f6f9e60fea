//! The wire over an MPI library: one communicator, one tag, bytes. What it needs of the library are a few functions of the
//! standard ABI, which are called on one thread at a time; all else of MPI is ours, and knows nothing of this.

use std::collections::VecDeque;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::time::{Duration, Instant};

use rankine_abi::{Comm, Datatype, Errhandler, MPI_ANY_SOURCE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED};
use rankine_local::away::{Nodes, Numbering};

use crate::carry::Wire;
use crate::frame::VERSION;

const WORLD: usize = Comm::WORLD.0 as usize;
const BYTE: usize = Datatype::BYTE.0 as usize;
const LETTER: c_int = 1;
/// Bytes of the longest letter.
const LETTER_BYTES: usize = crate::node::LETTER;
/// Last words, to node 0.
const REPORT: c_int = 2;
/// Bytes of the longest message.
pub const LONGEST_REPORT: usize = 1 << 20;
/// How long they are waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// `MPI_Status` of the standard ABI: its first number is the source.
pub type Status = [c_int; 8];

/// Functions of an MPI library, with the types of the standard ABI.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "their names are MPI's")]
pub struct Functions {
    pub init_thread: unsafe extern "C" fn(*mut c_void, *mut c_void, c_int, *mut c_int) -> c_int,
    pub set_errhandler: unsafe extern "C" fn(usize, usize) -> c_int,
    pub rank: unsafe extern "C" fn(usize, *mut c_int) -> c_int,
    pub size: unsafe extern "C" fn(usize, *mut c_int) -> c_int,
    pub allgather: unsafe extern "C" fn(*const c_void, c_int, usize, *mut c_void, c_int, usize, usize) -> c_int,
    pub isend: unsafe extern "C" fn(*const c_void, c_int, usize, c_int, c_int, usize, *mut usize) -> c_int,
    pub test: unsafe extern "C" fn(*mut usize, *mut c_int, *mut Status) -> c_int,
    pub irecv: unsafe extern "C" fn(*mut c_void, c_int, usize, c_int, c_int, usize, *mut usize) -> c_int,
    pub cancel: unsafe extern "C" fn(*mut usize) -> c_int,
    pub wait: unsafe extern "C" fn(*mut usize, *mut Status) -> c_int,
    pub iprobe: unsafe extern "C" fn(c_int, c_int, usize, *mut c_int, *mut Status) -> c_int,
    pub get_count: unsafe extern "C" fn(*const Status, usize, *mut c_int) -> c_int,
    pub recv: unsafe extern "C" fn(*mut c_void, c_int, usize, c_int, c_int, usize, *mut Status) -> c_int,
    pub finalize: unsafe extern "C" fn() -> c_int,
    pub abort: unsafe extern "C" fn(usize, c_int) -> c_int,
}

/// The MPI library as a wire between nodes.
pub struct Library {
    functions: Functions,
    nodes: u32,
    /// It may be called on several threads, one at a time.
    changes_threads: bool,
    /// It is asked for letters, and none are received in advance.
    probes: bool,
    /// Letters that have not left, and the library's requests for them.
    under_way: VecDeque<(usize, Vec<u8>)>,
    /// Room for more.
    free: Vec<Vec<u8>>,
    /// Receives of letters, in the order in which the library fills them. To ask for a letter that is there before it is received
    /// costs the library twice as much.
    posted: VecDeque<(usize, Vec<u8>)>,
    /// Letters that were asked for and are being received, in the order in which they were found: whose they are, too.
    coming: VecDeque<(u32, usize, Vec<u8>)>,
}

/// Letters that have not left before it is asked whether they have, also while others come.
const MANY: usize = 32;
/// How many letters that have not left are passed over when it is asked for those that have.
const STAY: usize = 8;
/// How many receives of letters it has.
const POSTED: usize = 4;

/// Whether a library of this version, which is loaded, never completes some of the receives from anybody that were posted before
/// their messages came: MPICH 5.0 by UCX over TCP does not, also in native programs of a page.
pub fn forgets_receives(version: &str) -> bool {
    let named = std::env::var("MPIR_CVAR_CH4_NETMOD").unwrap_or_default();
    let by_ucx = match named.as_str() {
        "" => !version.contains("ch4:ofi"),
        named => named == "ucx",
    };
    let is_loaded = || std::fs::read_to_string("/proc/self/maps").is_ok_and(|maps| maps.contains("/libucp.so"));
    by_ucx && version.starts_with("MPICH") && is_loaded()
}

/// What a node says of itself before ranks begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Greeting {
    /// Its ranks.
    pub ranks: u32,
    /// How it takes ranks to be numbered.
    pub numbering: Numbering,
    /// Each of them has a core of its own.
    pub has_cores: bool,
    /// How many ranks all nodes may have together, if there is a limit: the same on all.
    pub most: Option<u32>,
    /// What its programs are called and told, in their order, and what they are known by.
    pub names: [u8; 16],
    /// See `names`.
    pub programs: [u8; 16],
    /// How many they are.
    pub commands: u16,
    /// Their addresses have 64 bits.
    pub is_wide: bool,
    /// Their calls are checked.
    pub is_checked: bool,
    /// Numbers that no guest knows. Node 0's are everybody's.
    pub secret: [u8; 16],
    /// What its host is called. A name that is too long to travel is cut.
    pub host: String,
}

/// Bytes of a greeting, of which a host's name has the last ones.
const LENGTH: usize = 70 + NAME;
const NAME: usize = 186;
const MAGIC: [u8; 7] = *b"rankine";

impl Greeting {
    fn to_bytes(&self) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        bytes[..7].copy_from_slice(&MAGIC);
        bytes[7] = VERSION;
        bytes[8..12].copy_from_slice(&self.ranks.to_le_bytes());
        bytes[12] = self.has_cores.into();
        bytes[13] = (self.numbering == Numbering::Turns).into();
        bytes[14] = self.is_wide.into();
        bytes[15] = self.is_checked.into();
        bytes[16..32].copy_from_slice(&self.names);
        bytes[32..48].copy_from_slice(&self.programs);
        bytes[48..64].copy_from_slice(&self.secret);
        let name = &self.host[..self.host.floor_char_boundary(NAME)];
        bytes[64..68].copy_from_slice(&self.most.unwrap_or(0).to_le_bytes());
        bytes[68..70].copy_from_slice(&self.commands.to_le_bytes());
        bytes[70..70 + name.len()].copy_from_slice(name.as_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; LENGTH], node: usize) -> Result<Greeting, String> {
        if bytes[..7] != MAGIC || bytes[7] != VERSION || bytes[12..16].iter().any(|&flag| flag > 1) {
            return Err(format!("node {node} is not a node of this version of Rankine"));
        }
        let length = bytes[70..].iter().position(|&byte| byte == 0).unwrap_or(NAME);
        let host = String::from_utf8_lossy(&bytes[70..70 + length]).into_owned();
        let numbering = if bytes[13] == 0 { Numbering::Blocks } else { Numbering::Turns };
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let (ranks, has_cores, most) = (word(8), bytes[12] != 0, Some(word(64)).filter(|&most| most > 0));
        let commands = u16::from_le_bytes([bytes[68], bytes[69]]);
        let (is_wide, is_checked) = (bytes[14] != 0, bytes[15] != 0);
        let part = |at: usize| std::array::from_fn(|index| bytes[at + index]);
        let (names, programs, secret) = (part(16), part(32), part(48));
        Ok(Greeting { ranks, numbering, has_cores, most, names, programs, commands, is_wide, is_checked, secret, host })
    }
}

/// An error of the library's in words.
fn checked(code: c_int, function: &str) -> Result<(), String> {
    if code == 0 { Ok(()) } else { Err(format!("the MPI library says {code} to {function}")) }
}

impl Library {
    /// Initialises the library, in all processes of the job at once.
    ///
    /// # Safety
    /// The functions are those of one library, MPI is not initialised, and nobody else calls it from now on.
    pub unsafe fn open(functions: Functions, nodes: &Nodes, probes: bool) -> Result<Library, String> {
        let (mut provided, mut rank, mut size) = (0, -1, -1);
        // SAFETY: the first two may be null, and the result is on the stack.
        let code = unsafe { (functions.init_thread)(null_mut(), null_mut(), MPI_THREAD_SERIALIZED, &mut provided) };
        checked(code, "MPI_Init_thread")?;
        if provided < MPI_THREAD_FUNNELED {
            return Err("the MPI library can't be used beside threads".into());
        }
        // SAFETY: constants of the ABI, and results on the stack.
        let codes = unsafe {
            [
                (functions.set_errhandler)(WORLD, Errhandler::ERRORS_RETURN.0 as usize),
                (functions.rank)(WORLD, &mut rank),
                (functions.size)(WORLD, &mut size),
            ]
        };
        codes.into_iter().try_for_each(|code| checked(code, "MPI_Comm_rank"))?;
        if (rank, size) != (nodes.node as c_int, nodes.count() as c_int) {
            return Err(format!(
                "the launcher says that this is process {} of {}, the MPI library that it is {rank} of {size}: they don't belong \
                 together",
                nodes.node,
                nodes.count()
            ));
        }
        let changes_threads = provided >= MPI_THREAD_SERIALIZED;
        let nodes = nodes.count();
        let [under_way, posted] = [VecDeque::new(), VecDeque::new()];
        let (free, coming) = (Vec::new(), VecDeque::new());
        Ok(Library { functions, nodes, changes_threads, probes, under_way, free, posted, coming })
    }

    /// Whether others than the thread that has opened it may call it, one at a time.
    pub fn changes_threads(&self) -> bool {
        self.changes_threads
    }

    /// Tells all nodes of this one; what each has told.
    pub fn greet(&self, own: &Greeting) -> Result<Vec<Greeting>, String> {
        let mine = own.to_bytes();
        let mut all = vec![0u8; LENGTH * self.nodes as usize];
        let (from, to, length) = (mine.as_ptr().cast(), all.as_mut_ptr().cast(), LENGTH as c_int);
        // SAFETY: as many bytes as are said are there, and room for those of each process.
        let code = unsafe { (self.functions.allgather)(from, length, BYTE, to, length, BYTE, WORLD) };
        checked(code, "MPI_Allgather")?;
        all.as_chunks().0.iter().enumerate().map(|(node, bytes)| Greeting::from_bytes(bytes, node)).collect()
    }

    /// Takes note of letters that have left. One to a node that does not take it holds up no other.
    fn reap(&mut self) -> Result<(), String> {
        let mut stay = 0;
        while stay < STAY.min(self.under_way.len()) {
            let Some((request, _)) = self.under_way.front_mut() else { break };
            let mut flag = 0;
            // SAFETY: the request is under way, and the result is on the stack.
            checked(unsafe { (self.functions.test)(request, &mut flag, null_mut()) }, "MPI_Test")?;
            if flag == 0 {
                stay += 1;
                self.under_way.rotate_left(1);
            } else if let Some((_, letter)) = self.under_way.pop_front()
                && self.free.len() < MANY
            {
                self.free.push(letter);
            }
        }
        Ok(())
    }

    /// After the last letter: tells node 0 what there is to say here, and waits until that has left.
    pub fn report(&mut self, words: &[u8]) -> Result<(), String> {
        let kept = words.get(..LONGEST_REPORT).unwrap_or(words).to_vec();
        self.begin(0, REPORT, kept)?;
        let since = Instant::now();
        while self.is_busy()? && since.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// At node 0, after the last letter: what the other nodes report, in their order. Who does not within some seconds has
    /// nothing to say.
    pub fn reports(&mut self) -> Result<Vec<Option<Vec<u8>>>, String> {
        let mut reports = vec![None; self.nodes as usize];
        let (mut report, since) = (Vec::new(), Instant::now());
        while reports.iter().skip(1).any(Option::is_none) && since.elapsed() < PATIENCE {
            match self.receive_tagged(REPORT, &mut report)? {
                Some(node) => {
                    if let Some(place) = reports.get_mut(node as usize) {
                        *place = Some(std::mem::take(&mut report));
                    }
                }
                None => std::thread::sleep(Duration::from_millis(1)),
            }
        }
        Ok(reports)
    }

    /// Has the library receive a letter into this room.
    fn post(&mut self, mut room: Vec<u8>) -> Result<(), String> {
        let (mut request, length) = (0, LETTER_BYTES as c_int);
        room.resize(LETTER_BYTES, 0);
        let to = room.as_mut_ptr().cast();
        // SAFETY: the room stays where it is, also when the vector moves, until the request is complete.
        let code = unsafe { (self.functions.irecv)(to, length, BYTE, MPI_ANY_SOURCE, LETTER, WORLD, &mut request) };
        self.posted.push_back((request, room));
        checked(code, "MPI_Irecv")
    }

    /// The next letter, if one has come, and whose it is.
    fn receive_letter(&mut self, letter: &mut Vec<u8>) -> Result<Option<u32>, String> {
        if self.probes {
            return self.receive_probed(letter);
        }
        while self.posted.len() < POSTED {
            self.post(Vec::new())?;
        }
        let Some((request, _)) = self.posted.front_mut() else { return Ok(None) };
        let (mut flag, mut status, mut length): (c_int, Status, c_int) = (0, [0; 8], 0);
        // SAFETY: the request is under way, and results are on the stack.
        checked(unsafe { (self.functions.test)(request, &mut flag, &mut status) }, "MPI_Test")?;
        if flag == 0 {
            return Ok(None);
        }
        // SAFETY: the receive has filled the status.
        checked(unsafe { (self.functions.get_count)(&status, BYTE, &mut length) }, "MPI_Get_count")?;
        let Some((_, mut room)) = self.posted.pop_front() else { return Ok(None) };
        let length = usize::try_from(length).unwrap_or(0);
        if length < LETTER_BYTES / 4 {
            letter.clear();
            letter.extend_from_slice(&room[..length]);
        } else {
            // Rather than to copy much; what is to be made room for again is little.
            std::mem::swap(letter, &mut room);
            letter.truncate(length);
        }
        self.post(room)?;
        Ok(Some(u32::try_from(status[0]).map_err(|_| "a message of nobody's")?))
    }

    /// The next letter, where they are asked for first. One whose bytes do not come yet is waited for by no more than its own node.
    fn receive_probed(&mut self, letter: &mut Vec<u8>) -> Result<Option<u32>, String> {
        let mut at = 0;
        while at < self.coming.len() {
            let from = self.coming[at].0;
            let (mut flag, is_first) = (0, !self.coming.iter().take(at).any(|(other, _, _)| *other == from));
            if is_first {
                // SAFETY: the request is under way, and the result is on the stack.
                checked(unsafe { (self.functions.test)(&mut self.coming[at].1, &mut flag, null_mut()) }, "MPI_Test")?;
            }
            if flag != 0
                && let Some((from, _, room)) = self.coming.remove(at)
            {
                *letter = room;
                return Ok(Some(from));
            }
            at += 1;
        }
        if self.coming.len() >= MANY {
            return Ok(None);
        }
        let Some((from, length)) = self.probe(LETTER)? else { return Ok(None) };
        let (mut request, mut room) = (0, std::mem::take(letter));
        room.clear();
        room.resize(length, 0);
        let to = room.as_mut_ptr().cast();
        // SAFETY: the room stays where it is, also when the vector moves, until the request is complete.
        let code =
            unsafe { (self.functions.irecv)(to, length as c_int, BYTE, from as c_int, LETTER, WORLD, &mut request) };
        let mut flag = 0;
        if code == 0 && !self.coming.iter().any(|(other, _, _)| *other == from) {
            // SAFETY: the request is under way, and the result is on the stack.
            checked(unsafe { (self.functions.test)(&mut request, &mut flag, null_mut()) }, "MPI_Test")?;
        }
        if flag != 0 {
            *letter = room;
            return Ok(Some(from));
        }
        self.coming.push_back((from, request, room));
        checked(code, "MPI_Irecv")?;
        Ok(None)
    }

    /// No letter will come any more.
    fn take_back(&mut self) {
        let coming = std::mem::take(&mut self.coming).into_iter().map(|(_, request, room)| (request, room));
        for (mut request, room) in std::mem::take(&mut self.posted).into_iter().chain(coming) {
            // SAFETY: the request is under way, and complete before the room goes.
            let codes =
                unsafe { [(self.functions.cancel)(&mut request), (self.functions.wait)(&mut request, null_mut())] };
            if codes != [0; 2] {
                room.leak();
            }
        }
    }

    /// Begins to send bytes.
    fn begin(&mut self, to: u32, tag: c_int, bytes: Vec<u8>) -> Result<(), String> {
        let (mut request, length) = (0, bytes.len() as c_int);
        let from = bytes.as_ptr().cast();
        // SAFETY: the bytes stay where they are, also when the vector moves, until the request is complete.
        let code = unsafe { (self.functions.isend)(from, length, BYTE, to as c_int, tag, WORLD, &mut request) };
        self.under_way.push_back((request, bytes));
        checked(code, "MPI_Isend")
    }

    /// Whose the next message with a tag is, and its length, if one has come.
    fn probe(&self, tag: c_int) -> Result<Option<(u32, usize)>, String> {
        let (mut flag, mut status, mut length): (c_int, Status, c_int) = (0, [0; 8], 0);
        // SAFETY: results on the stack.
        let code = unsafe { (self.functions.iprobe)(MPI_ANY_SOURCE, tag, WORLD, &mut flag, &mut status) };
        checked(code, "MPI_Iprobe")?;
        if flag == 0 {
            return Ok(None);
        }
        // SAFETY: the probe has filled the status.
        checked(unsafe { (self.functions.get_count)(&status, BYTE, &mut length) }, "MPI_Get_count")?;
        let from = u32::try_from(status[0]).map_err(|_| "a message of nobody's")?;
        let known = usize::try_from(length).ok().filter(|&length| length <= LONGEST_REPORT);
        Ok(Some((from, known.ok_or_else(|| format!("node {from} sends a message of {length} bytes"))?)))
    }

    /// The next message with a tag, if one has come, and whose it is.
    fn receive_tagged(&mut self, tag: c_int, bytes: &mut Vec<u8>) -> Result<Option<u32>, String> {
        let Some((from, length)) = self.probe(tag)? else { return Ok(None) };
        bytes.clear();
        bytes.resize(length, 0);
        let to = bytes.as_mut_ptr().cast();
        // SAFETY: there is room for the whole message, and it is received before this returns.
        let code = unsafe { (self.functions.recv)(to, length as c_int, BYTE, from as c_int, tag, WORLD, null_mut()) };
        checked(code, "MPI_Recv")?;
        Ok(Some(from))
    }

    /// `MPI_Finalize`, as all nodes do now.
    pub fn finalize(&mut self) {
        self.take_back();
        // SAFETY: MPI is initialised, and this thread is the one that calls it.
        unsafe { (self.functions.finalize)() };
    }

    /// Ends the processes of the job.
    pub fn abort(&mut self, status: i32) {
        // SAFETY: MPI is initialised, and this thread is the one that calls it.
        unsafe { (self.functions.abort)(WORLD, status) };
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        // What has not left, or not come, stays the library's.
        let coming = self.coming.drain(..).map(|(_, request, room)| (request, room));
        for (_, letter) in self.under_way.drain(..).chain(self.posted.drain(..)).chain(coming) {
            letter.leak();
        }
    }
}

impl Wire for Library {
    fn send(&mut self, to: u32, letter: &[u8]) -> Result<(), String> {
        if self.under_way.len() > MANY {
            self.reap()?;
        }
        let mut copy = self.free.pop().unwrap_or_default();
        copy.clear();
        copy.extend_from_slice(letter);
        self.begin(to, LETTER, copy)
    }

    fn receive(&mut self, letter: &mut Vec<u8>) -> Result<Option<u32>, String> {
        let from = self.receive_letter(letter)?;
        if from.is_none() {
            self.reap()?;
        }
        Ok(from)
    }

    fn is_busy(&mut self) -> Result<bool, String> {
        self.reap()?;
        Ok(!self.under_way.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_are_read_as_they_were_written() {
        let host = "n7.cluster".into();
        let numbering = Numbering::Turns;
        let (names, programs, secret) = ([3; 16], [4; 16], [9; 16]);
        let (commands, is_wide, is_checked, most) = (258, true, false, Some(9));
        let greeting = Greeting {
            ranks: 7,
            numbering,
            has_cores: true,
            most,
            names,
            programs,
            commands,
            is_wide,
            is_checked,
            secret,
            host,
        };
        let bytes = greeting.to_bytes();
        assert_eq!(Greeting::from_bytes(&bytes, 0), Ok(greeting));
        for at in [0, 7, 12, 13, 14, 15] {
            let mut other = bytes;
            other[at] ^= 2;
            assert!(Greeting::from_bytes(&other, 1).unwrap_err().starts_with("node 1 is not a node"), "{at}");
        }
    }
}
