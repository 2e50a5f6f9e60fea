//! More processes: what a program starts is a module beneath a folder that it may use, run by this `rankine`.

pub(crate) mod ports;

use std::ffi::{CStr, CString, OsString, c_char, c_int};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use rankine_abi::{Addr, Comm, Datatype, Info, MPI_ERR_ARG, MPI_ERR_SPAWN, MPI_ERR_UNSUPPORTED_OPERATION};
use rankine_guest::Error;
use rustix::fs::OFlags;

use super::Result;
use super::generated::symbols;
use super::library::Symbol;
use super::rank::Rank;
use rankine_system::digest;
use rankine_system::files::find;
use rankine_system::text;

/// The command line of a new process, up to its module's digest: what this one may do, it may.
pub(crate) struct State(pub(crate) Vec<OsString>);

/// The words that a call may give a launcher, and the bytes that they may have together. MPICH's counts up to 1000 keys,
/// and writes on after that.
const MOST_WORDS: usize = 900;
const MOST_BYTES: usize = 48 << 10;
/// What each command takes of these beside its words.
const KEYS_OF_A_COMMAND: usize = 16;

/// Commands of one call.
const MOST_COMMANDS: usize = 256;
/// Processes that one call starts at most.
const MOST_PROCESSES: i64 = 1 << 20;

/// Processes to start from one module.
struct Command {
    /// This `rankine`.
    program: CString,
    arguments: Vec<CString>,
    processes: c_int,
    hints: Hints,
}

/// What a launcher is told of how to start processes: of the guest's info `soft` alone (§11.8.4). All other keys name
/// programs, folders and files of the host, or its neighbours.
struct Hints {
    host: usize,
    free: Option<<symbols::MPI_Info_free as Symbol>::Function>,
}

impl Hints {
    const SOFT: &CStr = c"soft";

    fn of(r: &Rank, info: u32) -> Result<Hints> {
        let none = Hints { host: Info::NULL.0 as usize, free: None };
        let guest = r.info_or_null(info, "info")?;
        if guest == none.host {
            return Ok(none);
        }
        let (get, set) = (r.symbol::<symbols::MPI_Info_get_string>()?, r.symbol::<symbols::MPI_Info_set>()?);
        let (create, free) = (r.symbol::<symbols::MPI_Info_create>()?, r.symbol::<symbols::MPI_Info_free>()?);
        let mut value: [c_char; 1024] = [0; 1024];
        let (mut length, mut flag) = (value.len() as c_int, 0);
        // SAFETY: the library writes at most as many bytes as the length says.
        r.check(unsafe { get(guest, Self::SOFT.as_ptr(), &mut length, value.as_mut_ptr(), &mut flag) })?;
        if flag == 0 {
            return Ok(none);
        }
        let mut host = 0;
        // SAFETY: a result on the stack.
        r.check(unsafe { create(&mut host) })?;
        let hints = Hints { host, free: Some(free) };
        // SAFETY: the library ends what it writes with a zero byte.
        let soft = unsafe { CStr::from_ptr(value.as_ptr()) };
        text::check("soft", &soft.to_string_lossy())?;
        // SAFETY: two strings that end with a zero byte.
        r.check(unsafe { set(host, Self::SOFT.as_ptr(), value.as_ptr()) })?;
        Ok(hints)
    }
}

impl Drop for Hints {
    fn drop(&mut self) {
        if let Some(free) = self.free {
            // SAFETY: the info was made for this object.
            unsafe { free(&mut self.host) };
        }
    }
}

impl Rank {
    /// Reads an array of strings that ends with a null pointer.
    fn strings(&self, at: Addr, what: &str) -> Result<Vec<CString>> {
        let (mut strings, mut room) = (Vec::new(), MOST_BYTES);
        if at.is_null() {
            return Ok(strings);
        }
        for index in 0..MOST_WORDS {
            let string = self.memory().read_address(at.plus(self.word_bytes() * index as u64), what)?;
            if string.is_null() {
                return Ok(strings);
            }
            let string = self.string(string, what)?;
            room = room.checked_sub(string.as_bytes().len()).ok_or_else(|| too_many(what))?;
            strings.push(string);
        }
        Err(too_many(what))
    }

    /// The command line of `rankine` that runs a module of the guest's.
    fn command(&self, name: &CString, arguments: Vec<CString>, processes: c_int, info: u32) -> Result<Command> {
        let name = name.to_string_lossy();
        let (path, digest) = self.module(&name)?;
        let rankine = std::env::current_exe();
        let rankine = rankine.map_err(|error| Error::new(MPI_ERR_SPAWN, format!("this rankine: {error}")))?;
        let mut words: Vec<OsString> = vec![rankine.into()];
        words.extend(self.spawn.0.iter().cloned());
        words.extend([digest.into(), "--".into(), path.into_os_string()]);
        for word in &words {
            text::check_line("command: what starts new processes", &word.to_string_lossy())?;
        }
        let mut words = words.into_iter().map(|word| CString::new(word.into_vec()).expect("no option has a zero byte"));
        let program = words.next().expect("the first is this program");
        let arguments = words.chain(arguments).collect();
        Ok(Command { program, arguments, processes, hints: Hints::of(self, info)? })
    }

    /// A module beneath a folder that the program may use: where it lies, and what it is known by. New processes open
    /// it themselves, and run it only if it is still the same.
    fn module(&self, name: &str) -> Result<(PathBuf, String)> {
        let failed = |error: io::Error| Error::new(MPI_ERR_SPAWN, format!("command: the module \"{name}\": {error}"));
        let (_, place) = find(&self.files.grants, name)?;
        let mut file = place.open(OFlags::RDONLY).map_err(failed)?;
        if file.metadata().map_err(failed)?.len() > digest::LONGEST {
            return Err(failed(io::ErrorKind::FileTooLarge.into()));
        }
        let digest = digest::digest(&mut file).map_err(failed)?;
        let path = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).map_err(failed)?;
        Ok((path, digest))
    }
}

#[cold]
fn too_many(what: &str) -> Error {
    let text = format!("{what}: more than a launcher takes, {MOST_WORDS} strings or {MOST_BYTES} bytes in one call");
    Error::new(MPI_ERR_ARG, text)
}

/// Whether a launcher takes so much at a time.
fn check_size(commands: &[Command]) -> Result<()> {
    let words = |command: &Command| command.arguments.len() + KEYS_OF_A_COMMAND;
    let bytes = |command: &Command| command.arguments.iter().map(|word| word.as_bytes().len()).sum::<usize>();
    let fits = commands.iter().map(words).sum::<usize>() <= MOST_WORDS
        && commands.iter().map(bytes).sum::<usize>() <= MOST_BYTES;
    if fits { Ok(()) } else { Err(too_many("argv and the options of the new processes")) }
}

/// Tells all ranks how many processes are to be started, or that the root can't: they would wait for it.
fn agree(r: &Rank, comm: u32, root: c_int, commands: &Result<Vec<Command>>) -> Result<usize> {
    let total = |commands: &Vec<Command>| commands.iter().map(|command| i64::from(command.processes.max(0))).sum();
    let mut processes: i64 = commands.as_ref().map_or(-1, total);
    if processes > MOST_PROCESSES {
        processes = -1;
    }
    let (host, call) = (r.comm(comm, "comm")?, r.symbol::<symbols::MPI_Bcast>()?);
    // SAFETY: one number on the stack.
    r.check(unsafe { call((&raw mut processes).cast(), 1, Datatype::INT64_T.0 as usize, root, host) })?;
    usize::try_from(processes)
        .map_err(|_| Error::new(MPI_ERR_SPAWN, "the root could not start the processes, or they are too many"))
}

/// Starts what the root has read, and gives all ranks the intercommunicator.
fn start(
    r: &Rank,
    (comm, root): (u32, c_int),
    commands: Result<Vec<Command>>,
    (intercomm_at, codes_at): (Addr, Addr),
) -> Result<()> {
    let commands = commands.and_then(|commands| check_size(&commands).map(|()| commands));
    let processes = agree(r, comm, root, &commands);
    let commands = commands?;
    let processes = processes?;
    let mut codes: Vec<c_int> = vec![0; processes.max(1)];
    let mut names: Vec<*mut c_char> = commands.iter().map(|command| command.program.as_ptr().cast_mut()).collect();
    let list = |command: &Command| {
        let strings = command.arguments.iter().map(|word| word.as_ptr().cast_mut());
        strings.chain([std::ptr::null_mut()]).collect::<Vec<*mut c_char>>()
    };
    let mut lists: Vec<Vec<*mut c_char>> = commands.iter().map(list).collect();
    let mut arguments: Vec<*mut *mut c_char> = lists.iter_mut().map(|list| list.as_mut_ptr()).collect();
    let numbers: Vec<c_int> = commands.iter().map(|command| command.processes).collect();
    let infos: Vec<usize> = commands.iter().map(|command| command.hints.host).collect();
    let (host, mut intercomm) = (r.comm(comm, "comm")?, 0);
    let call = r.symbol::<symbols::MPI_Comm_spawn_multiple>()?;
    // SAFETY: the arrays have an element for each command, the codes one for each process; the strings live as long as
    // the call.
    let code = unsafe {
        call(
            commands.len() as c_int,
            names.as_mut_ptr().cast(),
            arguments.as_mut_ptr().cast(),
            numbers.as_ptr(),
            infos.as_ptr(),
            root,
            host,
            &mut intercomm,
            codes.as_mut_ptr(),
        )
    };
    codes.iter().for_each(|&code| r.give_out_code(code));
    if !codes_at.is_null() {
        r.put_ints(codes_at, &codes[..processes], "array_of_errcodes")?;
    }
    r.check(code)?;
    r.put_comm(intercomm_at, intercomm, comm, "intercomm")
}

/// `MPI_Comm_spawn`
pub(crate) fn comm_spawn(
    r: &Rank,
    command: Addr,
    argv: Addr,
    maxprocs: i32,
    info: u32,
    root: i32,
    comm: u32,
    intercomm: Addr,
    array_of_errcodes: Addr,
) -> Result<()> {
    r.room(intercomm, r.word_bytes(), "intercomm")?;
    let read = || {
        let (name, arguments) = (r.string(command, "command")?, r.strings(argv, "argv")?);
        Ok(vec![r.command(&name, arguments, maxprocs, info)?])
    };
    let commands = if r.side(comm, root)?.root { read() } else { Ok(Vec::new()) };
    start(r, (comm, root), commands, (intercomm, array_of_errcodes))
}

/// `MPI_Comm_spawn_multiple`
pub(crate) fn comm_spawn_multiple(
    r: &Rank,
    count: i32,
    array_of_commands: Addr,
    array_of_argv: Addr,
    array_of_maxprocs: Addr,
    array_of_info: Addr,
    root: i32,
    comm: u32,
    intercomm: Addr,
    array_of_errcodes: Addr,
) -> Result<()> {
    r.room(intercomm, r.word_bytes(), "intercomm")?;
    let count = i64::from(count);
    let read = || {
        let names = r.memory().read_addresses(array_of_commands, count, "array_of_commands")?;
        // MPI_ARGVS_NULL: no arguments for any of them.
        let lists = if array_of_argv.is_null() {
            vec![Addr::NULL; names.len()]
        } else {
            r.memory().read_addresses(array_of_argv, count, "array_of_argv")?
        };
        let numbers = r.ints(array_of_maxprocs, count, "array_of_maxprocs")?;
        let infos = r.handles(array_of_info, count, "array_of_info")?;
        if names.len() > MOST_COMMANDS {
            return Err(Error::new(MPI_ERR_ARG, format!("count is {count}: more than {MOST_COMMANDS} commands")));
        }
        let command = |index: usize| {
            let arguments = r.strings(lists[index], "array_of_argv")?;
            r.command(&r.string(names[index], "array_of_commands")?, arguments, numbers[index], infos[index])
        };
        (0..names.len()).map(command).collect()
    };
    let commands = if r.side(comm, root)?.root { read() } else { Ok(Vec::new()) };
    start(r, (comm, root), commands, (intercomm, array_of_errcodes))
}

/// `MPI_Comm_get_parent`: always the same handle.
pub(crate) fn comm_get_parent(r: &Rank, parent_at: Addr) -> Result<()> {
    r.room(parent_at, r.word_bytes(), "parent")?;
    let (call, mut parent) = (r.symbol::<symbols::MPI_Comm_get_parent>()?, 0);
    // SAFETY: a result on the stack.
    r.check(unsafe { call(&mut parent) })?;
    match r.comm_word(parent) {
        known if known != Comm::NULL.0 => r.put_handle(parent_at, known, "parent"),
        _ => r.put_comm(parent_at, parent, Comm::WORLD.0, "parent"),
    }
}

/// `MPI_Comm_join`: its descriptor would be the host's.
pub(crate) fn comm_join(_: &Rank, fd: i32, _intercomm: Addr) -> Result<()> {
    let text = format!("fd {fd} is the guest's: a socket of WASI's, which the MPI library can't use");
    Err(Error::new(MPI_ERR_UNSUPPORTED_OPERATION, text))
}
