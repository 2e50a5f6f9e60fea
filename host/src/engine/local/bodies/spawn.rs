//! More processes: lists of strings, and arguments that only the root's count.

use rankine_abi::{Addr, Comm, Info, MPI_ERR_ARG};
use rankine_guest::{Error, Result};
use rankine_local::Rank;
use rankine_local::spawn::{self, Command};

use crate::engine::local::shim;

/// Arguments of one command, and their bytes; commands of one call.
const MOST_WORDS: u32 = 1 << 12;
const MOST_BYTES: usize = 1 << 18;
const MOST_COMMANDS: i32 = 256;

/// Reads an array of strings that ends with a null pointer; the null pointer is an empty one.
fn strings(r: &Rank, at: Addr, what: &str) -> Result<Vec<String>> {
    let too_many = || Error::new(MPI_ERR_ARG, format!("{what}: more than {MOST_WORDS} strings or {MOST_BYTES} bytes"));
    let (mut strings, mut room) = (Vec::new(), MOST_BYTES);
    if at.is_null() {
        return Ok(strings);
    }
    for index in 0..MOST_WORDS {
        let string = r.memory().read_address(at.plus(r.memory().word() * u64::from(index)), what)?;
        if string.is_null() {
            return Ok(strings);
        }
        let string = shim::string(r, string, what)?;
        // Many of them may be the same long one.
        room = room.checked_sub(string.len()).ok_or_else(too_many)?;
        strings.push(string);
    }
    Err(too_many())
}

/// Stores what came of a call that starts ranks.
fn put_children(r: &Rank, started: Result<(Comm, Vec<i32>)>, intercomm: Addr, codes_at: Addr) -> Result<()> {
    let (children, codes) = started.inspect_err(|_| shim::put_null(r, intercomm, Comm::NULL))?;
    if !codes_at.is_null() {
        shim::put_ints(r, codes_at, &codes, "array_of_errcodes")?;
    }
    shim::put_handle(r, intercomm, children, "intercomm")
}

/// `MPI_Comm_spawn`
pub(crate) async fn comm_spawn(
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
    let read = || {
        let (name, arguments) = (shim::string(r, command, "command")?, strings(r, argv, "argv")?);
        Ok(vec![Command { name, arguments, most: maxprocs, info: Info(info) }])
    };
    let started = spawn::comm_spawn(r, read, root, Comm(comm)).await;
    put_children(r, started, intercomm, array_of_errcodes)
}

/// `MPI_Comm_spawn_multiple`
pub(crate) async fn comm_spawn_multiple(
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
    let read = || {
        if count > MOST_COMMANDS {
            return Err(Error::new(MPI_ERR_ARG, format!("count is {count}: more than {MOST_COMMANDS} commands")));
        }
        let count = i64::from(count);
        let names = r.memory().read_addresses(array_of_commands, count, "array_of_commands")?;
        // MPI_ARGVS_NULL: no arguments for any of them.
        let lists = match array_of_argv {
            Addr::NULL => vec![Addr::NULL; names.len()],
            _ => r.memory().read_addresses(array_of_argv, count, "array_of_argv")?,
        };
        let numbers = shim::ints(r, array_of_maxprocs, count, "array_of_maxprocs")?;
        let infos = shim::handles(r, array_of_info, count, "array_of_info")?;
        let command = |index: usize| {
            let name = shim::string(r, names[index], "array_of_commands")?;
            let arguments = strings(r, lists[index], "array_of_argv")?;
            Ok(Command { name, arguments, most: numbers[index], info: infos[index] })
        };
        (0..names.len()).map(command).collect()
    };
    let started = spawn::comm_spawn(r, read, root, Comm(comm)).await;
    put_children(r, started, intercomm, array_of_errcodes)
}

/// `MPI_Comm_accept`
pub(crate) async fn comm_accept(
    r: &Rank,
    port_name: Addr,
    info: u32,
    root: i32,
    comm: u32,
    newcomm: Addr,
) -> Result<()> {
    let port = || shim::string(r, port_name, "port_name");
    shim::put_new(r, newcomm, "newcomm", spawn::comm_accept(r, port, Info(info), root, Comm(comm)).await)
}

/// `MPI_Comm_connect`
pub(crate) async fn comm_connect(
    r: &Rank,
    port_name: Addr,
    info: u32,
    root: i32,
    comm: u32,
    newcomm: Addr,
) -> Result<()> {
    let port = || shim::string(r, port_name, "port_name");
    shim::put_new(r, newcomm, "newcomm", spawn::comm_connect(r, port, Info(info), root, Comm(comm)).await)
}
