//! The functions of the import module `rankine`: object graphs as messages.
//!
//! Functions are named and called as those of MPI are: a code comes back, errors go to the communicator's error
//! handler. An array of objects is an array of references to them. What they do is the same on both engines, which only
//! carry the images: [`Carrier`].

use std::sync::Arc;

use rankine_abi::{Addr, FnPtr, MPI_ERR_COUNT, MPI_PROC_NULL, MPI_ROOT, MPI_UNDEFINED, Request, Status};
use rankine_guest::{Answer, Callback, Charge, Error, Parcel, Result};
use rankine_object::{Allocator, FIELD_WORDS, HEADER, Header, Limits, OBJECTS, Objects, ROOTS, Roots, Site};

use crate::guest::Rank;

/// What the types of a rank are kept in.
pub(crate) type Shared = Arc<Objects>;

/// What an engine does for objects: it moves images, as messages like all others, and asks the guest. Handles are words
/// of the guest.
pub(crate) trait Carrier: Rank {
    async fn ask(&self, request: Callback) -> Answer;

    async fn send(&self, image: Parcel, dest: i32, tag: i32, comm: u32) -> Result<()>;
    /// Starts a send of an image that the request keeps.
    fn isend(&self, image: Parcel, dest: i32, tag: i32, comm: u32) -> Result<u32>;
    /// Receives a message of at most `limit` bytes.
    async fn recv(&self, limit: u64, source: i32, tag: i32, comm: u32) -> Result<(Parcel, Status)>;
    /// Starts a receive; completing the request does what [`complete`] does.
    fn irecv(&self, limit: u64, source: i32, tag: i32, comm: u32, landing: Landing) -> Result<u32>;
    async fn sendrecv(
        &self,
        image: Parcel,
        to: (i32, i32),
        limit: u64,
        from: (i32, i32),
        comm: u32,
    ) -> Result<(Parcel, Status)>;
    /// The status of the next message, and its first bytes, where the engine can see them: how many.
    async fn probe(&self, head: &mut [u8], source: i32, tag: i32, comm: u32) -> Result<(Option<usize>, Status)>;
    /// What `probe` tells, without waiting.
    async fn iprobe(
        &self,
        head: &mut [u8],
        source: i32,
        tag: i32,
        comm: u32,
    ) -> Result<Option<(Option<usize>, Status)>>;

    async fn bcast(&self, image: Vec<u8>, limit: u64, root: i32, comm: u32) -> Result<Vec<u8>>;
    async fn scatter(&self, parts: Vec<Vec<u8>>, limit: u64, root: i32, comm: u32) -> Result<Vec<u8>>;
    async fn gather(&self, image: Vec<u8>, limit: u64, root: i32, comm: u32) -> Result<Vec<Parcel>>;
    async fn allgather(&self, image: Vec<u8>, limit: u64, comm: u32) -> Result<Vec<Parcel>>;
    async fn alltoall(&self, parts: Vec<Vec<u8>>, limit: u64, comm: u32) -> Result<Vec<Parcel>>;
    /// Whether this rank is the root of a collective.
    fn is_root(&self, comm: u32, root: i32) -> Result<bool>;
    /// How many ranks a collective exchanges data with.
    fn peers(&self, comm: u32) -> Result<i64>;
}

/// Where the objects of a receive go that is not complete yet.
pub(crate) struct Landing {
    pub objects: Shared,
    pub roots: Roots,
}

/// Builds what a nonblocking receive has brought.
pub(crate) async fn complete<C: Carrier>(c: &C, landing: &Landing, message: Parcel, status: Status) -> Result<Status> {
    build(c, &landing.objects, message, &landing.roots, status).await
}

fn site<C: Carrier>(c: &C) -> Site<'_, impl AsyncFn(Callback) -> Answer> {
    Site { memory: c.memory(), ask: async |request| c.ask(request).await }
}

fn addr(word: i32) -> Addr {
    Addr((word as u32).into())
}

fn put_int<C: Carrier>(c: &C, at: i32, value: i32, what: &str) -> Result<()> {
    c.memory().write_i32(addr(at), value, what)
}

/// Stores a request's handle.
fn put_handle<C: Carrier>(c: &C, at: i32, request: u32) -> Result<()> {
    c.memory().write_handle(addr(at), request, "request")
}

/// Stores ints, unless the guest does not want them.
fn put_wanted<C: Carrier>(c: &C, at: i32, values: &[i32], what: &str) -> Result<()> {
    if addr(at).is_null() { Ok(()) } else { c.memory().write_i32s(addr(at), values, what) }
}

fn ints<C: Carrier>(c: &C, at: i32, count: i64, what: &str) -> Result<Vec<i32>> {
    c.memory().read_i32s(addr(at), usize::try_from(count).unwrap_or(0), what)
}

/// The longest name of a type.
const MAX_TYPE_NAME: usize = 1 << 12;

/// Declares a type.
pub(crate) fn type_create<C: Carrier>(c: &C, o: Shared, name: i32, size: i32, align: i32, ty: i32) -> Result<()> {
    let name = c.memory().read_string(addr(name), MAX_TYPE_NAME, "the name of a type")?;
    if c.memory().is_wide() {
        o.widen();
    }
    let declared = o.declare(&name, size, align)?;
    put_int(c, ty, declared as i32, "type")
}

/// The longest name of a field that an error shows.
const MAX_NAME: usize = 256;

/// Describes the fields of a declared type.
pub(crate) fn type_define<C: Carrier>(c: &C, o: Shared, ty: i32, count: i32, fields: i32) -> Result<()> {
    let Ok(length) = u16::try_from(count) else {
        return Err(Error::new(MPI_ERR_COUNT, format!("the number of fields is {count}")));
    };
    // Ints, and behind them an address.
    const INTS: usize = FIELD_WORDS - 1;
    let memory = c.memory();
    let bytes = 4 * INTS as u64 + memory.word();
    memory.check(addr(fields), u64::from(length) * bytes, "fields")?;
    let read = (0..u64::from(length)).map(|index| {
        let at = addr(fields).plus(index * bytes);
        let words = memory.read_i32s(at, INTS, "fields")?;
        let name = match memory.read_address(at.plus(4 * INTS as u64), "fields")? {
            Addr::NULL => format!("{index}"),
            at => memory.read_string(at, MAX_NAME, "the name of a field")?,
        };
        Ok((name.into_boxed_str(), words.try_into().unwrap_or([0; INTS])))
    });
    o.define(ty as u32, read.collect::<Result<_>>()?)
}

/// Forgets a type.
pub(crate) fn type_free<C: Carrier>(c: &C, o: Shared, ty: i32) -> Result<()> {
    o.free(c.memory().read_i32(addr(ty), "type")? as u32)?;
    put_int(c, ty, 0, "type")
}

/// In the number of the guest's second function: they are what its language offers, for programs that choose none.
const OFFERED: u32 = 1 << 31;

/// Says which functions of the guest find and give back memory.
pub(crate) fn set_allocator<C: Carrier>(_: &C, o: Shared, allocate: i32, release: i32) -> Result<()> {
    let release = release as u32;
    if release & OFFERED == 0 || o.allocator.get().is_none() {
        o.allocator.set(Some(Allocator { allocate: FnPtr(allocate as u32), release: FnPtr(release & !OFFERED) }));
    }
    Ok(())
}

/// Says what this rank accepts of others; a negative number stands for what is accepted without this call.
pub(crate) fn set_limits<C: Carrier>(_: &C, o: Shared, bytes: i64, objects: i64, depth: i64) -> Result<()> {
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
pub(crate) fn get_count<C: Carrier>(c: &C, _: Shared, status: i32, count: i32) -> Result<()> {
    put_int(c, count, c.memory().read_status(addr(status), "status")?.internal[ROOTS], "count")
}

/// How many objects a message holds.
pub(crate) fn get_objects<C: Carrier>(c: &C, _: Shared, status: i32, count: i32) -> Result<()> {
    put_int(c, count, c.memory().read_status(addr(status), "status")?.internal[OBJECTS], "count")
}

/// Gives the memory of whole graphs back.
pub(crate) async fn free<C: Carrier>(c: &C, o: Shared, objects: i32, count: i32, ty: i32) -> Result<()> {
    let roots = o.roots(objects, count, ty)?;
    o.release(&site(c), &roots).await
}

/// The longest message that the rank takes.
fn longest(o: &Objects) -> u64 {
    o.limits.get().bytes.saturating_add(HEADER as u64)
}

pub(crate) async fn send<C: Carrier>(
    c: &C,
    o: Shared,
    objects: i32,
    count: i32,
    ty: i32,
    dest: i32,
    tag: i32,
    comm: i32,
) -> Result<()> {
    let image = o.image(c.memory(), &o.roots(objects, count, ty)?)?;
    c.send(image, dest, tag, comm as u32).await
}

pub(crate) async fn recv<C: Carrier>(
    c: &C,
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
    c.memory().write_received(addr(status), receive(c, &o, &roots, source, tag, comm).await, "status")
}

async fn receive<C: Carrier>(c: &C, o: &Objects, roots: &Roots, source: i32, tag: i32, comm: i32) -> Result<Status> {
    let (message, status) = c.recv(longest(o), source, tag, comm as u32).await?;
    build(c, o, message, roots, status).await
}

/// Builds what came, unless it was from nobody.
async fn build<C: Carrier>(c: &C, o: &Objects, message: Parcel, roots: &Roots, status: Status) -> Result<Status> {
    if status.source == MPI_PROC_NULL { Ok(status) } else { o.build(&site(c), message, roots, status).await }
}

pub(crate) async fn sendrecv<C: Carrier>(
    c: &C,
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
    let image = o.image(c.memory(), &from)?;
    let (to_whom, from_whom) = ((dest, sendtag), (source, recvtag));
    let (message, came) = c.sendrecv(image, to_whom, longest(&o), from_whom, comm as u32).await?;
    c.memory().write_received(addr(status), build(c, &o, message, &to, came).await, "status")
}

pub(crate) fn isend<C: Carrier>(
    c: &C,
    o: Shared,
    objects: i32,
    count: i32,
    ty: i32,
    dest: i32,
    tag: i32,
    comm: i32,
    request: i32,
) -> Result<()> {
    let image = o.image(c.memory(), &o.roots(objects, count, ty)?)?;
    // Before anything is started: there has to be a place for its request.
    put_handle(c, request, Request::NULL.0)?;
    put_handle(c, request, c.isend(image, dest, tag, comm as u32)?)
}

pub(crate) fn irecv<C: Carrier>(
    c: &C,
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
    put_handle(c, request, Request::NULL.0)?;
    let landing = Landing { objects: o, roots };
    put_handle(c, request, c.irecv(limit, source, tag, comm as u32, landing)?)
}

/// Stores the status of a message that was only looked at.
fn put_looked<C: Carrier>(c: &C, at: i32, head: &[u8], (seen, mut status): (Option<usize>, Status)) -> Result<()> {
    let (objects, roots) = match seen.and_then(|seen| Header::read(&head[..seen])) {
        Some(header) => (header.objects as i32, header.roots as i32),
        None if status.source == MPI_PROC_NULL => (0, 0),
        None => (MPI_UNDEFINED, MPI_UNDEFINED),
    };
    status.internal[OBJECTS] = objects;
    status.internal[ROOTS] = roots;
    c.memory().write_status(addr(at), &status, "status")
}

pub(crate) async fn probe<C: Carrier>(c: &C, _: Shared, source: i32, tag: i32, comm: i32, status: i32) -> Result<()> {
    let mut head = [0; HEADER];
    let found = c.probe(&mut head, source, tag, comm as u32).await?;
    put_looked(c, status, &head, found)
}

pub(crate) async fn iprobe<C: Carrier>(
    c: &C,
    _: Shared,
    source: i32,
    tag: i32,
    comm: i32,
    flag: i32,
    status: i32,
) -> Result<()> {
    let mut head = [0; HEADER];
    let found = c.iprobe(&mut head, source, tag, comm as u32).await?;
    put_int(c, flag, i32::from(found.is_some()), "flag")?;
    found.map_or(Ok(()), |found| put_looked(c, status, &head, found))
}

/// What a rank gives to a collective. One that can't make its part takes part with nothing, so that nobody waits for
/// it, and fails then.
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

pub(crate) async fn bcast<C: Carrier>(
    c: &C,
    o: Shared,
    objects: i32,
    count: i32,
    ty: i32,
    root: i32,
    comm: i32,
) -> Result<()> {
    let roots = o.roots(objects, count, ty)?;
    let comm = comm as u32;
    let gives = c.is_root(comm, root)?;
    let part = Part::of(if gives { image_bytes(c, &o, &roots) } else { Ok(Vec::new()) });
    let result = c.bcast(part.image, longest(&o), root, comm).await;
    let message = after(part.failed, result)?;
    if gives || root == MPI_PROC_NULL {
        return Ok(());
    }
    o.build_counted(&site(c), message.into(), &roots).await.map(drop)
}

/// An image for a collective, which copies it.
fn image_bytes<C: Carrier>(c: &C, o: &Objects, roots: &Roots) -> Result<Vec<u8>> {
    Ok(o.image(c.memory(), roots)?.bytes)
}

/// Images for all ranks of a collective, and what is charged for them.
type Parts = (Vec<Vec<u8>>, Vec<Charge>);

/// An image for each of `peers` ranks: the references at these counts and displacements, or one part after another.
fn parts<C: Carrier>(c: &C, o: &Objects, objects: i32, counts: i32, displs: i32, ty: i32, peers: i64) -> Result<Parts> {
    let counts = ints(c, counts, peers, "sendcounts")?;
    let starts = if addr(displs).is_null() {
        let sums = counts.iter().scan(0i32, |sum, &count| Some(std::mem::replace(sum, sum.saturating_add(count))));
        sums.collect()
    } else {
        ints(c, displs, peers, "displs")?
    };
    let all = o.roots(objects, 0, ty)?;
    let image = |(&count, &start): (&i32, &i32)| match (u32::try_from(count), u32::try_from(start)) {
        (Ok(count), Ok(start)) => {
            let Parcel { bytes, charge, .. } = o.image(c.memory(), &all.part(start, count))?;
            Ok((bytes, charge))
        }
        _ => Err(Error::new(MPI_ERR_COUNT, format!("a part has {count} references and begins at {start}"))),
    };
    counts.iter().zip(&starts).map(image).collect()
}

/// Builds what every rank sent, one part after another, and stores how many references each had.
async fn build_all<C: Carrier>(c: &C, o: &Objects, messages: Vec<Parcel>, to: &Roots, counts: i32) -> Result<()> {
    let came = o.build_parts(&site(c), messages, to).await?;
    put_wanted(c, counts, &came, "recvcounts")
}

pub(crate) async fn scatter<C: Carrier>(
    c: &C,
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
    let comm = comm as u32;
    let gives = c.is_root(comm, root)?;
    let peers = c.peers(comm)?;
    let made = if gives { parts(c, &o, sendobjects, sendcounts, displs, ty, peers) } else { Ok(Parts::default()) };
    let Part { image: (images, _charges), failed } = Part::of(made);
    let message = after(failed, c.scatter(images, longest(&o), root, comm).await)?;
    if root == MPI_ROOT || root == MPI_PROC_NULL {
        return Ok(());
    }
    let (_, roots) = o.build_counted(&site(c), message.into(), &to).await?;
    put_wanted(c, received, &[roots as i32], "received")
}

pub(crate) async fn gather<C: Carrier>(
    c: &C,
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
    let comm = comm as u32;
    let takes = c.is_root(comm, root)?;
    let to = o.roots(recvobjects, if takes { recvcount } else { 0 }, ty)?;
    let gives = root != MPI_ROOT && root != MPI_PROC_NULL;
    let made = if gives {
        o.roots(sendobjects, sendcount, ty).and_then(|from| image_bytes(c, &o, &from))
    } else {
        Ok(Vec::new())
    };
    let part = Part::of(made);
    let messages = after(part.failed, c.gather(part.image, longest(&o), root, comm).await)?;
    if takes { build_all(c, &o, messages, &to, recvcounts).await } else { Ok(()) }
}

pub(crate) async fn allgather<C: Carrier>(
    c: &C,
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
    let part = Part::of(o.roots(sendobjects, sendcount, ty).and_then(|from| image_bytes(c, &o, &from)));
    let messages = after(part.failed, c.allgather(part.image, longest(&o), comm as u32).await)?;
    build_all(c, &o, messages, &to, recvcounts).await
}

pub(crate) async fn alltoall<C: Carrier>(
    c: &C,
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
    let comm = comm as u32;
    let to = o.roots(recvobjects, recvcount, ty)?;
    let Part { image: (images, _charges), failed } =
        Part::of(parts(c, &o, sendobjects, sendcounts, displs, ty, c.peers(comm)?));
    let messages = after(failed, c.alltoall(images, longest(&o), comm).await)?;
    build_all(c, &o, messages, &to, recvcounts).await
}

/// Writes the header of an image that the guest made itself, in the bytes which it left free for that.
pub(crate) fn seal<C: Carrier>(
    c: &C,
    o: Shared,
    image: i32,
    bytes: i32,
    objects: i32,
    roots: i32,
    ty: i32,
) -> Result<()> {
    let header = o.seal(bytes as u32, objects as u32, roots as u32, ty as u32)?;
    c.memory().write_bytes(addr(image), &header, "image")
}

/// Checks an image that lies in the guest's memory and says where its objects are: position, type and count of each.
pub(crate) fn open<C: Carrier>(
    c: &C,
    o: Shared,
    image: i32,
    bytes: i32,
    ty: i32,
    table: i32,
    capacity: i32,
    objects: i32,
    roots: i32,
) -> Result<()> {
    let message = c.memory().read_bytes(addr(image), u64::from(bytes as u32), "image")?;
    let (entries, count) = o.open(message, ty as u32)?;
    put_int(c, objects, (entries.len() / 3) as i32, "objects")?;
    put_int(c, roots, count as i32, "roots")?;
    if entries.len() / 3 > capacity as u32 as usize {
        return Ok(());
    }
    c.memory().write_i32s(addr(table), &entries, "table")
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;

    /// The functions that the C header declares, with how many parameters each has.
    pub(crate) fn declared() -> BTreeMap<String, usize> {
        let header = include_str!("../../../guest-sdk/c/include/rankine.h");
        let statements = header.split(';').filter_map(|statement| statement.split_once("RANKINE_FUNCTION("));
        let parameters = |(declaration, name): (&str, &str)| {
            let start = declaration.rfind("int Rankine_")?;
            let list = declaration[start..].split_once('(')?.1.rsplit_once(')')?.0;
            Some((name.split(')').next()?.to_owned(), list.split(',').count()))
        };
        statements.filter_map(parameters).collect()
    }
}
