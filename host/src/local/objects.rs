//! The import module `rankine` on the embedded engine: object graphs as messages.
//!
//! Functions are named and called as those of MPI are: a code comes back, errors go to the communicator's error handler. An array of objects is
//! an array of references to them.

#![allow(clippy::too_many_arguments)] // They are those of MPI.

use std::rc::Rc;

use rankine_abi::{FnPtr, MPI_ERR_COUNT, MPI_UNDEFINED, Status};
use rankine_local::{Error, Rank, Result, coll, pt2pt};
use rankine_object::{Allocator, FIELD_WORDS, HEADER, Header, Limits, MODULE, OBJECTS, Objects, ROOTS, Roots};
use wasmtime::{Caller, Linker};

use super::call::{self, On};
use super::shim::{self, addr, handle};
use crate::guest::Guest;
use crate::job::Placement;

type Shared = Rc<Objects>;

/// Registers a function that never waits; `call` says whether it may be called at any time.
macro_rules! at_once {
    ($linker:ident, $name:literal, $on:expr, $body:path, $($word:ident: $type:ty),*) => {
        at_once!($linker, now, $name, $on, $body, $($word: $type),*)
    };
    ($linker:ident, $call:ident, $name:literal, $on:expr, $body:path, $($word:ident: $type:ty),*) => {
        $linker.func_wrap(MODULE, $name, |caller: Caller<'_, Guest>, $($word: $type),*| {
            let kept = caller.data().objects().clone();
            call::$call(caller, $name, $on, |r| $body(r, kept, $($word),*))
        })?
    };
}

/// Registers a function that may wait.
macro_rules! waiting {
    ($linker:ident, $placement:ident, $name:literal, $on:expr, $body:path, $($word:ident: $type:ty),*) => {
        match $placement {
            Placement::Threads => $linker.func_wrap(MODULE, $name, |caller: Caller<'_, Guest>, $($word: $type),*| {
                let kept = caller.data().objects().clone();
                call::wait(caller, $name, $on, |r| $body(r, kept, $($word),*))
            })?,
            Placement::Fibers => $linker.func_wrap_async(
                MODULE,
                $name,
                |caller: Caller<'_, Guest>, ($($word,)*): ($($type,)*)| {
                    let kept = caller.data().objects().clone();
                    Box::new(call::fiber(caller, $name, $on, move |r| $body(r, kept, $($word),*)))
                },
            )?,
        }
    };
}

/// Links the import `name`; false if this module has no such function.
pub(crate) fn define(linker: &mut Linker<Guest>, placement: Placement, name: &str) -> wasmtime::Result<bool> {
    match name {
        "Rankine_Type_create" => {
            at_once!(linker, now_anytime, "Rankine_Type_create", On::Myself, type_create, name: i32, size: i32, align: i32, ty: i32)
        }
        "Rankine_Type_define" => {
            at_once!(linker, now_anytime, "Rankine_Type_define", On::Myself, type_define, ty: i32, count: i32, fields: i32)
        }
        "Rankine_Type_free" => at_once!(linker, now_anytime, "Rankine_Type_free", On::Myself, type_free, ty: i32),
        "Rankine_Set_allocator" => {
            at_once!(linker, now_anytime, "Rankine_Set_allocator", On::Myself, set_allocator, allocate: i32, release: i32)
        }
        "Rankine_Set_limits" => {
            at_once!(linker, now_anytime, "Rankine_Set_limits", On::Myself, set_limits, bytes: i64, objects: i64, depth: i64)
        }
        "Rankine_Get_count" => at_once!(linker, "Rankine_Get_count", On::Myself, get_count, status: i32, count: i32),
        "Rankine_Get_objects" => {
            at_once!(linker, "Rankine_Get_objects", On::Myself, get_objects, status: i32, count: i32)
        }
        "Rankine_Free" => {
            waiting!(linker, placement, "Rankine_Free", On::Myself, free, objects: i32, count: i32, ty: i32)
        }
        "Rankine_Send" => {
            waiting!(linker, placement, "Rankine_Send", On::Comm(handle(comm)), send, objects: i32, count: i32, ty: i32, dest: i32, tag: i32, comm: i32)
        }
        "Rankine_Recv" => {
            waiting!(linker, placement, "Rankine_Recv", On::Comm(handle(comm)), recv, objects: i32, count: i32, ty: i32, source: i32, tag: i32, comm: i32, status: i32)
        }
        "Rankine_Sendrecv" => {
            waiting!(linker, placement, "Rankine_Sendrecv", On::Comm(handle(comm)), sendrecv, sendobjects: i32, sendcount: i32, dest: i32, sendtag: i32, recvobjects: i32, recvcount: i32, source: i32, recvtag: i32, ty: i32, comm: i32, status: i32)
        }
        "Rankine_Isend" => {
            at_once!(linker, "Rankine_Isend", On::Comm(handle(comm)), isend, objects: i32, count: i32, ty: i32, dest: i32, tag: i32, comm: i32, request: i32)
        }
        "Rankine_Irecv" => {
            at_once!(linker, "Rankine_Irecv", On::Comm(handle(comm)), irecv, objects: i32, count: i32, ty: i32, source: i32, tag: i32, comm: i32, request: i32)
        }
        "Rankine_Probe" => {
            waiting!(linker, placement, "Rankine_Probe", On::Comm(handle(comm)), probe, source: i32, tag: i32, comm: i32, status: i32)
        }
        "Rankine_Iprobe" => {
            waiting!(linker, placement, "Rankine_Iprobe", On::Comm(handle(comm)), iprobe, source: i32, tag: i32, comm: i32, flag: i32, status: i32)
        }
        "Rankine_Bcast" => {
            waiting!(linker, placement, "Rankine_Bcast", On::Comm(handle(comm)), bcast, objects: i32, count: i32, ty: i32, root: i32, comm: i32)
        }
        "Rankine_Scatter" => {
            waiting!(linker, placement, "Rankine_Scatter", On::Comm(handle(comm)), scatter, sendobjects: i32, sendcounts: i32, displs: i32, ty: i32, recvobjects: i32, recvcount: i32, received: i32, root: i32, comm: i32)
        }
        "Rankine_Gather" => {
            waiting!(linker, placement, "Rankine_Gather", On::Comm(handle(comm)), gather, sendobjects: i32, sendcount: i32, ty: i32, recvobjects: i32, recvcount: i32, recvcounts: i32, root: i32, comm: i32)
        }
        "Rankine_Allgather" => {
            waiting!(linker, placement, "Rankine_Allgather", On::Comm(handle(comm)), allgather, sendobjects: i32, sendcount: i32, ty: i32, recvobjects: i32, recvcount: i32, recvcounts: i32, comm: i32)
        }
        "Rankine_Alltoall" => {
            waiting!(linker, placement, "Rankine_Alltoall", On::Comm(handle(comm)), alltoall, sendobjects: i32, sendcounts: i32, displs: i32, ty: i32, recvobjects: i32, recvcount: i32, recvcounts: i32, comm: i32)
        }
        "Rankine_Seal" => {
            at_once!(linker, "Rankine_Seal", On::Myself, seal, image: i32, bytes: i32, objects: i32, roots: i32, ty: i32)
        }
        "Rankine_Open" => {
            at_once!(linker, "Rankine_Open", On::Myself, open, image: i32, bytes: i32, ty: i32, table: i32, capacity: i32, objects: i32, roots: i32)
        }
        _ => return Ok(false),
    };
    Ok(true)
}

/// The functions that there are, with the types of their words.
#[cfg(test)]
const FUNCTIONS: &[(&str, &str)] = &[
    ("Rankine_Type_create", "iiii"),
    ("Rankine_Type_define", "iii"),
    ("Rankine_Type_free", "i"),
    ("Rankine_Set_allocator", "ii"),
    ("Rankine_Set_limits", "lll"),
    ("Rankine_Get_count", "ii"),
    ("Rankine_Get_objects", "ii"),
    ("Rankine_Free", "iii"),
    ("Rankine_Send", "iiiiii"),
    ("Rankine_Recv", "iiiiiii"),
    ("Rankine_Sendrecv", "iiiiiiiiiii"),
    ("Rankine_Isend", "iiiiiii"),
    ("Rankine_Irecv", "iiiiiii"),
    ("Rankine_Probe", "iiii"),
    ("Rankine_Iprobe", "iiiii"),
    ("Rankine_Bcast", "iiiii"),
    ("Rankine_Scatter", "iiiiiiiii"),
    ("Rankine_Gather", "iiiiiiii"),
    ("Rankine_Allgather", "iiiiiii"),
    ("Rankine_Alltoall", "iiiiiiii"),
    ("Rankine_Seal", "iiiii"),
    ("Rankine_Open", "iiiiiii"),
];

/// Declares a type.
fn type_create(r: &Rank, o: Shared, name: i32, size: i32, align: i32, ty: i32) -> Result<()> {
    let name = shim::string(r, name, "name")?;
    let declared = o.declare(&name, size, align)?;
    shim::put_int(r, ty, declared as i32, "type")
}

/// The longest name of a field that an error shows.
const MAX_NAME: usize = 256;

/// Describes the fields of a declared type.
fn type_define(r: &Rank, o: Shared, ty: i32, count: i32, fields: i32) -> Result<()> {
    let Ok(length) = u16::try_from(count) else {
        return Err(Error::new(MPI_ERR_COUNT, format!("the number of fields is {count}")));
    };
    let words = shim::ints(r, fields, i64::from(length) * FIELD_WORDS as i64, "fields")?;
    let read = words.as_chunks::<FIELD_WORDS>().0.iter().enumerate().map(|(index, field)| {
        let [words @ .., name] = *field;
        let name = match name {
            0 => format!("{index}"),
            at => r.memory().read_string(addr(at), MAX_NAME, "the name of a field")?,
        };
        Ok((name.into_boxed_str(), words))
    });
    o.define(ty as u32, read.collect::<Result<_>>()?)
}

/// Forgets a type.
fn type_free(r: &Rank, o: Shared, ty: i32) -> Result<()> {
    o.free(shim::get_int(r, ty, "type")? as u32)?;
    shim::put_int(r, ty, 0, "type")
}

/// Says which functions of the guest find and give back memory.
fn set_allocator(_: &Rank, o: Shared, allocate: i32, release: i32) -> Result<()> {
    o.allocator.set(Some(Allocator { allocate: FnPtr(allocate as u32), release: FnPtr(release as u32) }));
    Ok(())
}

/// Says what this rank accepts of others; a negative number stands for what is accepted without this call.
fn set_limits(_: &Rank, o: Shared, bytes: i64, objects: i64, depth: i64) -> Result<()> {
    let usual = Limits::default();
    let limit = |value: i64, usual: u64| u64::try_from(value).map_or(usual, |value| value.min(usual));
    o.limits.set(Limits {
        bytes: limit(bytes, usual.bytes),
        objects: limit(objects, usual.objects),
        depth: limit(depth, usual.depth),
    });
    Ok(())
}

/// How many references of the array a message holds.
fn get_count(r: &Rank, _: Shared, status: i32, count: i32) -> Result<()> {
    shim::put_int(r, count, shim::get_status(r, status, "status")?.internal[ROOTS], "count")
}

/// How many objects a message holds.
fn get_objects(r: &Rank, _: Shared, status: i32, count: i32) -> Result<()> {
    shim::put_int(r, count, shim::get_status(r, status, "status")?.internal[OBJECTS], "count")
}

/// Gives the memory of whole graphs back.
async fn free(r: &Rank, o: Shared, objects: i32, count: i32, ty: i32) -> Result<()> {
    let roots = o.roots(objects, count, ty)?;
    o.release(r, &roots).await
}

/// The longest message that the rank takes.
fn longest(o: &Objects) -> u64 {
    o.limits.get().bytes.saturating_add(HEADER as u64)
}

async fn send(r: &Rank, o: Shared, objects: i32, count: i32, ty: i32, dest: i32, tag: i32, comm: i32) -> Result<()> {
    let image = o.image(r.memory(), &o.roots(objects, count, ty)?)?;
    pt2pt::send_bytes(r, &image, dest, tag, handle(comm)).await
}

async fn recv(
    r: &Rank,
    o: Shared,
    objects: i32,
    count: i32,
    ty: i32,
    source: i32,
    tag: i32,
    comm: i32,
    status: i32,
) -> Result<()> {
    let roots = o.roots(objects, count, ty)?;
    let result = receive(r, &o, &roots, source, tag, comm).await;
    shim::put_status_of_failure(r, status, &result, "status")?;
    shim::put_status(r, status, &result?, "status")
}

async fn receive(r: &Rank, o: &Objects, roots: &Roots, source: i32, tag: i32, comm: i32) -> Result<Status> {
    let (message, status) = pt2pt::recv_bytes(r, longest(o), source, tag, handle(comm)).await?;
    build(r, o, message, roots, status).await
}

/// Builds what came, unless it was from nobody.
async fn build(r: &Rank, o: &Objects, message: Vec<u8>, roots: &Roots, status: Status) -> Result<Status> {
    if status == Status::PROC_NULL { Ok(status) } else { o.build(r, message, roots, status).await }
}

async fn sendrecv(
    r: &Rank,
    o: Shared,
    sendobjects: i32,
    sendcount: i32,
    dest: i32,
    sendtag: i32,
    recvobjects: i32,
    recvcount: i32,
    source: i32,
    recvtag: i32,
    ty: i32,
    comm: i32,
    status: i32,
) -> Result<()> {
    let (from, to) = (o.roots(sendobjects, sendcount, ty)?, o.roots(recvobjects, recvcount, ty)?);
    let image = o.image(r.memory(), &from)?;
    let comm = handle(comm);
    let (message, came) = pt2pt::sendrecv_bytes(r, &image, dest, sendtag, longest(&o), source, recvtag, comm).await?;
    drop(image);
    let result = build(r, &o, message, &to, came).await;
    shim::put_status_of_failure(r, status, &result, "status")?;
    shim::put_status(r, status, &result?, "status")
}

fn isend(
    r: &Rank,
    o: Shared,
    objects: i32,
    count: i32,
    ty: i32,
    dest: i32,
    tag: i32,
    comm: i32,
    request: i32,
) -> Result<()> {
    let image = o.image(r.memory(), &o.roots(objects, count, ty)?)?;
    let started = pt2pt::isend_bytes(r, image, dest, tag, handle(comm))?;
    shim::put_handle(r, request, started, "request")
}

fn irecv(
    r: &Rank,
    o: Shared,
    objects: i32,
    count: i32,
    ty: i32,
    source: i32,
    tag: i32,
    comm: i32,
    request: i32,
) -> Result<()> {
    let roots = o.roots(objects, count, ty)?;
    let limit = longest(&o);
    let then: rankine_local::request::Then =
        Box::new(move |r, message, status| Box::pin(async move { build(r, &o, message, &roots, status).await }));
    let started = pt2pt::irecv_bytes(r, limit, source, tag, handle(comm), then)?;
    shim::put_handle(r, request, started, "request")
}

/// Stores the status of a message that was only looked at.
fn put_looked(r: &Rank, status: i32, head: &[u8], mut found: Status) -> Result<()> {
    let (objects, roots) = match Header::read(head) {
        Some(header) => (header.objects as i32, header.roots as i32),
        None if found == Status::PROC_NULL => (0, 0),
        None => (MPI_UNDEFINED, MPI_UNDEFINED),
    };
    found.internal[OBJECTS] = objects;
    found.internal[ROOTS] = roots;
    shim::put_status(r, status, &found, "status")
}

async fn probe(r: &Rank, _: Shared, source: i32, tag: i32, comm: i32, status: i32) -> Result<()> {
    let mut head = [0; HEADER];
    let (length, found) = pt2pt::probe_bytes(r, &mut head, source, tag, handle(comm)).await?;
    put_looked(r, status, &head[..length], found)
}

async fn iprobe(r: &Rank, _: Shared, source: i32, tag: i32, comm: i32, flag: i32, status: i32) -> Result<()> {
    let mut head = [0; HEADER];
    let found = pt2pt::iprobe_bytes(r, &mut head, source, tag, handle(comm)).await?;
    shim::put_flag(r, flag, found.is_some(), "flag")?;
    match found {
        Some((length, found)) => put_looked(r, status, &head[..length], found),
        None => Ok(()),
    }
}

/// What a rank gives to a collective. One that can't make its part takes part with nothing, so that nobody waits for it, and fails then.
struct Part<T> {
    image: T,
    failed: Option<Error>,
}

impl<T: Default> Part<T> {
    fn of(made: Result<T>) -> Part<T> {
        match made {
            Ok(image) => Part { image, failed: None },
            Err(error) => Part { image: T::default(), failed: Some(error) },
        }
    }
}

/// The collective's own error counts only where this rank's part was good.
fn after<T>(failed: Option<Error>, result: Result<T>) -> Result<T> {
    failed.map_or(result, Err)
}

async fn bcast(r: &Rank, o: Shared, objects: i32, count: i32, ty: i32, root: i32, comm: i32) -> Result<()> {
    let roots = o.roots(objects, count, ty)?;
    let gives = shim::is_root(r, handle(comm), root)?;
    let part = Part::of(if gives { o.image(r.memory(), &roots) } else { Ok(Vec::new()) });
    let result = coll::bcast_bytes(r, part.image, longest(&o), root, handle(comm)).await;
    let message = after(part.failed, result)?;
    if gives || root == rankine_abi::MPI_PROC_NULL {
        return Ok(());
    }
    o.build_counted(r, message, &roots).await.map(drop)
}

/// An image for each of `peers` ranks: the references at these counts and displacements, or one part after another.
fn parts(r: &Rank, o: &Objects, objects: i32, counts: i32, displs: i32, ty: i32, peers: i64) -> Result<Vec<Vec<u8>>> {
    let counts = shim::ints(r, counts, peers, "sendcounts")?;
    let starts = if addr(displs).is_null() {
        let sums = counts.iter().scan(0i32, |sum, &count| Some(std::mem::replace(sum, sum.saturating_add(count))));
        sums.collect()
    } else {
        shim::ints(r, displs, peers, "displs")?
    };
    let all = o.roots(objects, 0, ty)?;
    let image = |(&count, &start): (&i32, &i32)| match (u32::try_from(count), u32::try_from(start)) {
        (Ok(count), Ok(start)) => o.image(r.memory(), &all.part(start, count)),
        _ => Err(Error::new(MPI_ERR_COUNT, format!("a part has {count} references and begins at {start}"))),
    };
    counts.iter().zip(&starts).map(image).collect()
}

/// Builds what every rank sent, one part after another, and stores how many references each had.
async fn build_all(r: &Rank, o: &Objects, messages: Vec<Vec<u8>>, to: &Roots, counts: i32) -> Result<()> {
    let mut came = Vec::with_capacity(messages.len());
    let mut used = 0;
    for message in messages {
        let (_, roots) = o.build_counted(r, message, &to.part(used, to.count - used)).await?;
        used += roots;
        came.push(roots as i32);
    }
    if addr(counts).is_null() { Ok(()) } else { shim::put_ints(r, counts, &came, "recvcounts") }
}

async fn scatter(
    r: &Rank,
    o: Shared,
    sendobjects: i32,
    sendcounts: i32,
    displs: i32,
    ty: i32,
    recvobjects: i32,
    recvcount: i32,
    received: i32,
    root: i32,
    comm: i32,
) -> Result<()> {
    let to = o.roots(recvobjects, recvcount, ty)?;
    let comm = handle(comm);
    let gives = shim::is_root(r, comm, root)?;
    let peers = shim::peers(r, comm)?;
    let part = Part::of(if gives { parts(r, &o, sendobjects, sendcounts, displs, ty, peers) } else { Ok(Vec::new()) });
    let message = after(part.failed, coll::scatter_bytes(r, part.image, longest(&o), root, comm).await)?;
    if root == rankine_abi::MPI_ROOT || root == rankine_abi::MPI_PROC_NULL {
        return Ok(());
    }
    let (_, roots) = o.build_counted(r, message, &to).await?;
    if addr(received).is_null() { Ok(()) } else { shim::put_int(r, received, roots as i32, "received") }
}

async fn gather(
    r: &Rank,
    o: Shared,
    sendobjects: i32,
    sendcount: i32,
    ty: i32,
    recvobjects: i32,
    recvcount: i32,
    recvcounts: i32,
    root: i32,
    comm: i32,
) -> Result<()> {
    let comm = handle(comm);
    let takes = shim::is_root(r, comm, root)?;
    let to = o.roots(recvobjects, if takes { recvcount } else { 0 }, ty)?;
    let gives = root != rankine_abi::MPI_ROOT && root != rankine_abi::MPI_PROC_NULL;
    let made = if gives {
        o.roots(sendobjects, sendcount, ty).and_then(|from| o.image(r.memory(), &from))
    } else {
        Ok(Vec::new())
    };
    let part = Part::of(made);
    let messages = after(part.failed, coll::gather_bytes(r, part.image, longest(&o), root, comm).await)?;
    if takes { build_all(r, &o, messages, &to, recvcounts).await } else { Ok(()) }
}

async fn allgather(
    r: &Rank,
    o: Shared,
    sendobjects: i32,
    sendcount: i32,
    ty: i32,
    recvobjects: i32,
    recvcount: i32,
    recvcounts: i32,
    comm: i32,
) -> Result<()> {
    let to = o.roots(recvobjects, recvcount, ty)?;
    let part = Part::of(o.roots(sendobjects, sendcount, ty).and_then(|from| o.image(r.memory(), &from)));
    let messages = after(part.failed, coll::allgather_bytes(r, part.image, longest(&o), handle(comm)).await)?;
    build_all(r, &o, messages, &to, recvcounts).await
}

async fn alltoall(
    r: &Rank,
    o: Shared,
    sendobjects: i32,
    sendcounts: i32,
    displs: i32,
    ty: i32,
    recvobjects: i32,
    recvcount: i32,
    recvcounts: i32,
    comm: i32,
) -> Result<()> {
    let comm = handle(comm);
    let to = o.roots(recvobjects, recvcount, ty)?;
    let part = Part::of(parts(r, &o, sendobjects, sendcounts, displs, ty, shim::peers(r, comm)?));
    let messages = after(part.failed, coll::alltoall_bytes(r, part.image, longest(&o), comm).await)?;
    build_all(r, &o, messages, &to, recvcounts).await
}

/// Writes the header of an image that the guest made itself, in the bytes which it left free for that.
fn seal(r: &Rank, o: Shared, image: i32, bytes: i32, objects: i32, roots: i32, ty: i32) -> Result<()> {
    let header = o.seal(bytes as u32, objects as u32, roots as u32, ty as u32)?;
    r.memory().write_bytes(addr(image), &header, "image")
}

/// Checks an image that lies in the guest's memory and says where its objects are: position, type and count of each.
fn open(
    r: &Rank,
    o: Shared,
    image: i32,
    bytes: i32,
    ty: i32,
    table: i32,
    capacity: i32,
    objects: i32,
    roots: i32,
) -> Result<()> {
    let message = r.memory().read_bytes(addr(image), u64::from(bytes as u32), "image")?;
    let (entries, count) = o.open(message, ty as u32)?;
    shim::put_int(r, objects, (entries.len() / 3) as i32, "objects")?;
    shim::put_int(r, roots, count as i32, "roots")?;
    if entries.len() / 3 > capacity as u32 as usize {
        return Ok(());
    }
    shim::put_ints(r, table, &entries, "table")
}
