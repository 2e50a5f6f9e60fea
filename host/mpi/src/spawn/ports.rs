//! Names of ports (MPI-5.0 §11.9), by which strangers connect.
//!
//! To a library the name of a port is the address that it connects to, in a form of its own, with lengths and identifiers
//! that it believes. Names travel between jobs in whatever way programs like, so they carry a seal that only a
//! process of this user's can make: what was made up or changed is refused. Libraries look for their own words in a
//! name and skip ours, so native programs can use it as it is. The names that native programs open carry no seal; those a
//! guest gets by `MPI_Lookup_name`.

use std::cell::RefCell;
use std::collections::HashSet;
use std::ffi::{CString, c_char, c_int};
use std::fmt::Write as _;

use rankine_abi::{Addr, Datatype, MPI_ERR_PORT, MPI_MAX_PORT_NAME, MPI_SUCCESS};
use rankine_guest::Error;
use sha2::{Digest, Sha256};

use crate::Result;
use crate::generated::symbols;
use crate::library::hints::{Hints, Of};
use crate::rank::Rank;
use rankine_system::secret::Secret;

/// What stands before our part of a name, and what after it.
const MARK: &str = "rankine#";
const END: char = '$';
/// Names without a seal that a rank looks up.
const MOST_FOUND: usize = 1 << 12;

/// The ports of this rank.
#[derive(Default)]
pub(crate) struct State {
    /// Names of those that are open here.
    open: RefCell<HashSet<String>>,
    /// Names without a seal that others have published.
    found: RefCell<HashSet<String>>,
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The process that has opened a port: the machine since it was started, as seen in this container, and there the process
/// and its start. MPICH dies of the name of one that has ended.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Owner<'a> {
    system: &'a str,
    process: &'a str,
    start: &'a str,
}

/// A word for this machine, which another one or a later start of it does not have.
fn system() -> String {
    let boot = std::fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let container = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    hex(&Sha256::new().chain_update(boot).chain_update(container.as_os_str().as_encoded_bytes()).finalize()[..8])
}

/// When a process was started, in the kernel's ticks; nothing if there is none.
fn started(process: &str) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program, in brackets, may contain anything.
    let (_, after) = stat.rsplit_once(") ")?;
    after.split(' ').nth(19).map(str::to_owned)
}

impl Owner<'_> {
    /// Whether it is sure that the process has ended.
    fn has_ended(&self) -> bool {
        self.system == system() && started(self.process).is_none_or(|start| start != self.start)
    }
}

/// Code in the cache has no such name.
fn seal(key: &Secret, text: &str) -> blake3::Hash {
    key.seal("port", text.as_bytes())
}

/// A name with our seal.
fn sealed(key: &Secret, library: &str) -> String {
    let process = std::process::id().to_string();
    let start = started(&process).unwrap_or_default();
    let text = format!("{library}{MARK}{}.{process}.{start}", system());
    let seal = seal(key, &text);
    format!("{text}.{}{END}", seal.to_hex())
}

/// The library's name and the owner of a port, if the seal is right.
fn unseal<'a>(key: &Secret, name: &'a str) -> Option<(&'a str, Owner<'a>)> {
    let (text, seal) = name.strip_suffix(END)?.rsplit_once('.')?;
    let (library, owner) = text.rsplit_once(MARK)?;
    let mut parts = owner.split('.');
    let owner = Owner { system: parts.next()?, process: parts.next()?, start: parts.next()? };
    // Comparing hashes takes the same time wherever they differ. A name has one form: capital digits are of another.
    let is_right = seal.bytes().all(|byte| !byte.is_ascii_uppercase())
        && blake3::Hash::from_hex(seal).is_ok_and(|seal| seal == self::seal(key, text));
    (is_right && parts.next().is_none()).then_some((library, owner))
}

/// The library's part of a name that was sealed.
fn without_seal(name: &str) -> &str {
    match name.rsplit_once(MARK) {
        Some((library, seal)) if seal.ends_with(END) => library,
        _ => name,
    }
}

#[cold]
fn refused(why: &str) -> Error {
    Error::new(MPI_ERR_PORT, format!("port_name: {why}"))
}

fn c_string(name: &str) -> CString {
    CString::new(name).expect("it was read up to its zero byte")
}

impl Rank {
    /// The name of a port, as the guest gives it.
    fn port_name(&self, at: Addr) -> Result<String> {
        let name = self.string(at, "port_name")?;
        name.into_string().map_err(|_| refused("it is not text"))
    }

    /// What the library calls a port that is open here.
    fn own_port(&self, at: Addr) -> Result<(String, CString)> {
        let name = self.port_name(at)?;
        if !self.ports.open.borrow().contains(&name) {
            return Err(refused("no port of this name is open in this process"));
        }
        let library = c_string(without_seal(&name));
        Ok((name, library))
    }

    /// A name that the library may connect to, and what it calls the port.
    fn known_port(&self, at: Addr) -> Result<(String, CString)> {
        let name = self.port_name(at)?;
        if self.ports.open.borrow().contains(&name) || self.ports.found.borrow().contains(&name) {
            let library = c_string(without_seal(&name));
            return Ok((name, library));
        }
        let key = Secret::of_user().map_err(|why| {
            refused(&format!("this process can't tell whether another one has opened it, as it has no key: {why}"))
        })?;
        let Some((library, owner)) = unseal(key, &name) else {
            return Err(refused("no rank of this user has opened it, and MPI_Lookup_name has not found it"));
        };
        if owner.has_ended() {
            return Err(refused("the process that opened it has ended"));
        }
        let library = c_string(library);
        Ok((name, library))
    }
}

/// Room for a name, and the name in it.
fn written(r: &Rank, at: Addr, call: impl FnOnce(*mut c_char) -> Result<()>) -> Result<String> {
    let mut name = r.text_room(at, i64::from(MPI_MAX_PORT_NAME), "port_name")?;
    call(name.as_mut_ptr().cast())?;
    let end = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
    Ok(String::from_utf8_lossy(&name[..end]).into_owned())
}

fn put_name(r: &Rank, at: Addr, name: &str) -> Result<()> {
    r.put_text(at, c_string(name).as_bytes_with_nul(), i64::from(MPI_MAX_PORT_NAME), "port_name")
}

/// `MPI_Open_port`
pub(crate) fn open_port(r: &Rank, info: u32, port_name: Addr) -> Result<()> {
    let hints = r.hints(info, Of::Nothing, "info")?;
    let open = r.symbol::<symbols::MPI_Open_port>()?;
    // SAFETY: there is room for the longest name.
    let library = written(r, port_name, |name| r.check(unsafe { open(hints.host, name) }))?;
    let name =
        Secret::of_user().ok().map(|key| sealed(key, &library)).filter(|name| name.len() < MPI_MAX_PORT_NAME as usize);
    let name = name.unwrap_or(library);
    put_name(r, port_name, &name)?;
    r.ports.open.borrow_mut().insert(name);
    Ok(())
}

/// `MPI_Close_port`
pub(crate) fn close_port(r: &Rank, port_name: Addr) -> Result<()> {
    let (name, library) = r.own_port(port_name)?;
    let close = r.symbol::<symbols::MPI_Close_port>()?;
    // Before the call: two threads may close it at once.
    r.ports.open.borrow_mut().remove(&name);
    // SAFETY: the library's own name for the port.
    r.check(unsafe { close(library.as_ptr()) })
}

/// The type of `MPI_Comm_accept` and `MPI_Comm_connect`.
type Meet = unsafe extern "C" fn(*const c_char, usize, c_int, usize, *mut usize) -> c_int;

/// Meets the processes at the other end of a port, of which only the root has to know.
fn meet(
    r: &Rank,
    port: impl FnOnce() -> Result<CString>,
    info: u32,
    root: i32,
    comm_word: u32,
    newcomm: Addr,
    call: Meet,
) -> Result<()> {
    let comm = r.intra(comm_word, "comm")?;
    let is_root = r.side(comm_word, root)?.root;
    let hints = if is_root { r.hints(info, Of::Nothing, "info")? } else { Hints::default() };
    r.room(newcomm, r.word_bytes(), "newcomm")?;
    let port = if is_root { port() } else { Ok(CString::default()) };
    agree(r, comm, root, &port)?;
    let (port, mut host) = (port?, 0);
    // SAFETY: a port that was given out or sealed, a communicator of the library's, and a result on the stack.
    r.check(unsafe { call(port.as_ptr(), hints.host, root, comm, &mut host) })?;
    r.put_comm(newcomm, host, comm_word, "newcomm")
}

/// Tells all ranks whether the root has a port to meet at: they would wait for it.
fn agree(r: &Rank, comm: usize, root: c_int, port: &Result<CString>) -> Result<()> {
    let mut class = port.as_ref().err().map_or(MPI_SUCCESS, |error| error.class);
    let call = r.symbol::<symbols::MPI_Bcast>()?;
    // SAFETY: one int on the stack.
    r.check(unsafe { call((&raw mut class).cast(), 1, Datatype::INT.0 as usize, root, comm) })?;
    match port {
        Ok(_) if class != MPI_SUCCESS => Err(Error::new(class, "the root has no name of a port")),
        _ => Ok(()),
    }
}

/// `MPI_Comm_accept`
pub(crate) fn comm_accept(r: &Rank, port_name: Addr, info: u32, root: i32, comm: u32, newcomm: Addr) -> Result<()> {
    let call = r.symbol::<symbols::MPI_Comm_accept>()?;
    let port = || r.own_port(port_name).map(|(_, library)| library);
    meet(r, port, info, root, comm, newcomm, call)
}

/// `MPI_Comm_connect`
pub(crate) fn comm_connect(r: &Rank, port_name: Addr, info: u32, root: i32, comm: u32, newcomm: Addr) -> Result<()> {
    let call = r.symbol::<symbols::MPI_Comm_connect>()?;
    let port = || r.known_port(port_name).map(|(_, library)| library);
    meet(r, port, info, root, comm, newcomm, call)
}

/// The type of `MPI_Publish_name` and `MPI_Unpublish_name`.
type Publish = unsafe extern "C" fn(*const c_char, usize, *const c_char) -> c_int;

/// What is published is the name with its seal.
fn publish(r: &Rank, service_name: Addr, info: u32, port_name: Addr, call: Publish) -> Result<()> {
    let (service, hints) = (r.string(service_name, "service_name")?, r.hints(info, Of::Nothing, "info")?);
    let (name, _) = r.known_port(port_name)?;
    // SAFETY: two strings that end with a zero byte.
    r.check(unsafe { call(service.as_ptr(), hints.host, c_string(&name).as_ptr()) })
}

/// `MPI_Publish_name`
pub(crate) fn publish_name(r: &Rank, service_name: Addr, info: u32, port_name: Addr) -> Result<()> {
    publish(r, service_name, info, port_name, r.symbol::<symbols::MPI_Publish_name>()?)
}

/// `MPI_Unpublish_name`
pub(crate) fn unpublish_name(r: &Rank, service_name: Addr, info: u32, port_name: Addr) -> Result<()> {
    publish(r, service_name, info, port_name, r.symbol::<symbols::MPI_Unpublish_name>()?)
}

/// `MPI_Lookup_name`: what carries no seal was published by a native program, as guests can't.
pub(crate) fn lookup_name(r: &Rank, service_name: Addr, info: u32, port_name: Addr) -> Result<()> {
    let (service, hints) = (r.string(service_name, "service_name")?, r.hints(info, Of::Nothing, "info")?);
    let look_up = r.symbol::<symbols::MPI_Lookup_name>()?;
    // SAFETY: a string that ends with a zero byte, and room for the longest name.
    let name = written(r, port_name, |name| r.check(unsafe { look_up(service.as_ptr(), hints.host, name) }))?;
    put_name(r, port_name, &name)?;
    let mut found = r.ports.found.borrow_mut();
    if !name.contains(MARK) && found.len() < MOST_FOUND {
        found.insert(name);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_sealed_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let key = Secret::open_in(folder.path()).unwrap();
        let name = sealed(&key, "tag#0$entry#2058FA$");
        let (library, owner) = unseal(&Secret::open_in(folder.path()).unwrap(), &name).unwrap();
        assert_eq!((library, without_seal(&name)), ("tag#0$entry#2058FA$", library));
        assert!(!owner.has_ended());
        for index in 0..name.len() {
            let mut changed = name.clone().into_bytes();
            changed[index] ^= 1;
            assert!(unseal(&key, &String::from_utf8(changed).unwrap()).is_none(), "byte {index}");
            assert!(unseal(&key, &name[index + 1..]).is_none() && unseal(&key, &name[..index]).is_none());
        }
        let other = tempfile::tempdir().unwrap();
        assert!(unseal(&Secret::open_in(other.path()).unwrap(), &name).is_none());
    }

    #[test]
    fn a_process_that_has_ended_is_known_to_have() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let process = child.id().to_string();
        let (system, start) = (system(), started(&process).unwrap());
        let owner = Owner { system: &system, process: &process, start: &start };
        assert!(!owner.has_ended());
        assert!(!Owner { system: "another", process: "0", start: "" }.has_ended());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(owner.has_ended());
    }
}
