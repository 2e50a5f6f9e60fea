//! More processes: what a program starts is a module beneath a folder that it may use, run by this `rankine`.

use std::ffi::{CStr, CString, OsString, c_char, c_int};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use rankine_abi::{Addr, Comm, Datatype, Info, MPI_ERR_ARG, MPI_ERR_SPAWN, MPI_ERR_UNSUPPORTED_OPERATION};
use rankine_local::Error;

use super::Result;
use super::generated::symbols;
use super::library::{Library, Symbol};
use super::rank::Rank;
use super::words::Words;
use crate::job::{Folder, Settings};

/// Options of `rankine run` that started processes are given: what this one may do, they may.
pub(super) struct State(Vec<OsString>);

impl State {
    pub(super) fn new(library: &Library, settings: &Settings) -> State {
        // A name without a folder is looked for by the loader; a path must not depend on where a process is started.
        let path = &library.path;
        let is_name = path.components().count() == 1;
        let path = if is_name { path.clone() } else { path.canonicalize().unwrap_or_else(|_| path.clone()) };
        let mut options: Vec<OsString> = vec!["--mpi-lib".into(), path.into_os_string()];
        for Folder { host, guest } in &settings.folders {
            let mut folder = host.canonicalize().unwrap_or_else(|_| host.clone()).into_os_string();
            folder.push("::");
            folder.push(guest);
            options.extend(["--dir".into(), folder]);
        }
        for (name, value) in &settings.environment {
            options.extend(["--env".into(), format!("{name}={value}").into()]);
        }
        if let Some(bytes) = settings.memory_limit {
            options.extend(["--memory-limit".into(), bytes.to_string().into()]);
        }
        if settings.label {
            options.push("--label".into());
        }
        State(options)
    }
}

/// The longest array of strings that the host reads, and the bytes that they may have together: more than a system takes.
const MOST_STRINGS: u32 = 1 << 16;
const MOST_BYTES: usize = 2 << 20;

/// Commands of one call.
const MOST_COMMANDS: usize = 256;
/// Processes that one call starts at most.
const MOST_PROCESSES: i64 = 1 << 20;

/// Processes to start from one module.
struct Command {
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
        let (mut strings, mut bytes) = (Vec::new(), 0);
        if at.is_null() {
            return Ok(strings);
        }
        for index in 0..MOST_STRINGS {
            let string = self.get_word(Addr(at.0.saturating_add(4 * index)), what)?;
            if string == 0 {
                return Ok(strings);
            }
            let string = self.string(Addr(string), what)?;
            bytes += string.as_bytes().len() + size_of::<CString>();
            if bytes > MOST_BYTES {
                break;
            }
            strings.push(string);
        }
        Err(Error::new(MPI_ERR_ARG, format!("{what}: more than {MOST_STRINGS} strings, or {MOST_BYTES} bytes of them")))
    }

    /// The command line of `rankine` that runs a module of the guest's.
    fn command(&self, name: &CString, arguments: Vec<CString>, processes: c_int, info: u32) -> Result<Command> {
        let module = self.module_path(&name.to_string_lossy())?;
        if !module.is_file() {
            let text = format!("command: there is no module \"{}\"", name.to_string_lossy());
            return Err(Error::new(MPI_ERR_SPAWN, text));
        }
        let mut words: Vec<OsString> = vec!["run".into(), "--engine".into(), "mpi".into()];
        words.extend(self.spawn.0.iter().cloned());
        words.extend(["--".into(), module.into_os_string()]);
        let words = words.into_iter().map(|word| CString::new(word.into_vec()).expect("no option has a zero byte"));
        Ok(Command { arguments: words.chain(arguments).collect(), processes, hints: Hints::of(self, info)? })
    }
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
    let processes = agree(r, comm, root, &commands);
    let commands = commands?;
    let processes = processes?;
    let mut codes: Vec<c_int> = vec![0; processes.max(1)];
    let rankine =
        std::env::current_exe().map_err(|error| Error::new(MPI_ERR_SPAWN, format!("this rankine: {error}")))?;
    let rankine = CString::new(rankine.as_os_str().as_bytes()).expect("a path has no zero byte");
    let mut names: Vec<*mut c_char> = commands.iter().map(|_| rankine.as_ptr().cast_mut()).collect();
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
pub(in crate::mpi) fn comm_spawn(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    r.room(w.addr(6), 4, "intercomm")?;
    let read = || {
        let (name, arguments) = (r.string(w.addr(0), "command")?, r.strings(w.addr(1), "argv")?);
        Ok(vec![r.command(&name, arguments, w.int(2), w.word(3))?])
    };
    let (comm, root) = (w.word(5), w.int(4));
    let commands = if r.side(comm, root)?.root { read() } else { Ok(Vec::new()) };
    start(r, (comm, root), commands, (w.addr(6), w.addr(7)))
}

/// `MPI_Comm_spawn_multiple`
pub(in crate::mpi) fn comm_spawn_multiple(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    r.room(w.addr(7), 4, "intercomm")?;
    let count = i64::from(w.int(0));
    let read = || {
        let names = r.words(w.addr(1), count, "array_of_commands")?;
        // MPI_ARGVS_NULL: no arguments for any of them.
        let lists =
            if w.addr(2).is_null() { vec![0; names.len()] } else { r.words(w.addr(2), count, "array_of_argv")? };
        let numbers = r.ints(w.addr(3), count, "array_of_maxprocs")?;
        let infos = r.words(w.addr(4), count, "array_of_info")?;
        if names.len() > MOST_COMMANDS {
            return Err(Error::new(MPI_ERR_ARG, format!("count is {count}: more than {MOST_COMMANDS} commands")));
        }
        let command = |index: usize| {
            let arguments = r.strings(Addr(lists[index]), "array_of_argv")?;
            r.command(&r.string(Addr(names[index]), "array_of_commands")?, arguments, numbers[index], infos[index])
        };
        (0..names.len()).map(command).collect()
    };
    let (comm, root) = (w.word(6), w.int(5));
    let commands = if r.side(comm, root)?.root { read() } else { Ok(Vec::new()) };
    start(r, (comm, root), commands, (w.addr(7), w.addr(8)))
}

/// `MPI_Comm_get_parent`: always the same handle.
pub(in crate::mpi) fn comm_get_parent(r: &Rank, w: &mut Words<'_>) -> Result<()> {
    r.room(w.addr(0), 4, "parent")?;
    let (call, mut parent) = (r.symbol::<symbols::MPI_Comm_get_parent>()?, 0);
    // SAFETY: see `mpi::shim`.
    r.check(unsafe { call(&mut parent) })?;
    match r.comm_word(parent) {
        known if known != Comm::NULL.0 => r.put_word(w.addr(0), known, "parent"),
        _ => r.put_comm(w.addr(0), parent, Comm::WORLD.0, "parent"),
    }
}

/// `MPI_Comm_join`: its descriptor would be the host's.
pub(in crate::mpi) fn comm_join(_: &Rank, w: &mut Words<'_>) -> Result<()> {
    let text = format!("fd {} is the guest's: a socket of WASI's, which the MPI library can't use", w.int(0));
    Err(Error::new(MPI_ERR_UNSUPPORTED_OPERATION, text))
}
