//! Object graphs on the embedded engine: the functions of `crate::imports::objects`, registered, and how images travel here.

use rankine_abi::{Comm, Status};
use rankine_guest::{Answer, Callback, Parcel, Result};
use rankine_local::{Rank, coll, pt2pt, request};
use rankine_object::MODULE;
use wasmtime::{Caller, Linker};

use super::Guest;
use super::call::{self, On};
use super::shim::{self, handle};
use crate::imports::objects::{self, Carrier, Landing};
use crate::run::job::Placement;

/// Registers a function: `now` is one that never waits, `anytime` one that may be called outside of MPI too, `waits`
/// one that may wait.
macro_rules! register {
    (now, $($rest:tt)*) => { register!(@ now, $($rest)*) };
    (anytime, $($rest:tt)*) => { register!(@ now_anytime, $($rest)*) };
    (@ $call:ident, $linker:ident, $placement:ident, $name:literal, $on:expr, $body:path, $($word:ident: $type:ty),*) => {
        $linker.func_wrap(MODULE, $name, |caller: Caller<'_, Guest>, $($word: $type),*| {
            let kept = caller.data().objects().clone();
            call::$call(caller, $name, $on, |r| $body(r, kept, $($word),*))
        })?
    };
    (waits, $linker:ident, $placement:ident, $name:literal, $on:expr, $body:path, $($word:ident: $type:ty),*) => {
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
                    call::fiber(caller, $name, $on, move |r| $body(r, kept, $($word),*))
                },
            )?,
        }
    };
}

/// Registers the function of a table that has the name that is asked for; each row says whether it waits, whose errors
/// its are, and its words.
macro_rules! table {
    ($linker:ident, $placement:ident, $asked:ident,
     $($how:ident $name:literal $on:expr, $body:path, ($($word:ident: $type:ty),*);)*) => {
        match $asked {
            $($name => register!($how, $linker, $placement, $name, $on, $body, $($word: $type),*),)*
            _ => return Ok(false),
        }
    };
}

/// Links the import `name`; false if this module has no such function.
pub(crate) fn define(linker: &mut Linker<Guest>, placement: Placement, name: &str) -> wasmtime::Result<bool> {
    table! { linker, placement, name,
        anytime "Rankine_Type_create" On::Myself, objects::type_create, (name: i32, size: i32, align: i32, ty: i32);
        anytime "Rankine_Type_define" On::Myself, objects::type_define, (ty: i32, count: i32, fields: i32);
        anytime "Rankine_Type_free" On::Myself, objects::type_free, (ty: i32);
        anytime "Rankine_Set_allocator" On::Myself, objects::set_allocator, (allocate: i32, release: i32);
        anytime "Rankine_Set_limits" On::Myself, objects::set_limits, (bytes: i64, objects: i64, depth: i64);
        now "Rankine_Get_count" On::Myself, objects::get_count, (status: i32, count: i32);
        now "Rankine_Get_objects" On::Myself, objects::get_objects, (status: i32, count: i32);
        waits "Rankine_Free" On::Myself, objects::free, (objects: i32, count: i32, ty: i32);
        waits "Rankine_Send" On::Comm(handle(comm)), objects::send,
            (objects: i32, count: i32, ty: i32, dest: i32, tag: i32, comm: i32);
        waits "Rankine_Recv" On::Comm(handle(comm)), objects::recv,
            (objects: i32, count: i32, ty: i32, source: i32, tag: i32, comm: i32, status: i32);
        waits "Rankine_Sendrecv" On::Comm(handle(comm)), objects::sendrecv,
            (sendobjects: i32, sendcount: i32, dest: i32, sendtag: i32, recvobjects: i32, recvcount: i32, source: i32,
             recvtag: i32, ty: i32, comm: i32, status: i32);
        now "Rankine_Isend" On::Comm(handle(comm)), objects::isend,
            (objects: i32, count: i32, ty: i32, dest: i32, tag: i32, comm: i32, request: i32);
        now "Rankine_Irecv" On::Comm(handle(comm)), objects::irecv,
            (objects: i32, count: i32, ty: i32, source: i32, tag: i32, comm: i32, request: i32);
        waits "Rankine_Probe" On::Comm(handle(comm)), objects::probe, (source: i32, tag: i32, comm: i32, status: i32);
        waits "Rankine_Iprobe" On::Comm(handle(comm)), objects::iprobe,
            (source: i32, tag: i32, comm: i32, flag: i32, status: i32);
        waits "Rankine_Bcast" On::Comm(handle(comm)), objects::bcast,
            (objects: i32, count: i32, ty: i32, root: i32, comm: i32);
        waits "Rankine_Scatter" On::Comm(handle(comm)), objects::scatter,
            (sendobjects: i32, sendcounts: i32, displs: i32, ty: i32, recvobjects: i32, recvcount: i32, received: i32,
             root: i32, comm: i32);
        waits "Rankine_Gather" On::Comm(handle(comm)), objects::gather,
            (sendobjects: i32, sendcount: i32, ty: i32, recvobjects: i32, recvcount: i32, recvcounts: i32, root: i32,
             comm: i32);
        waits "Rankine_Allgather" On::Comm(handle(comm)), objects::allgather,
            (sendobjects: i32, sendcount: i32, ty: i32, recvobjects: i32, recvcount: i32, recvcounts: i32, comm: i32);
        waits "Rankine_Alltoall" On::Comm(handle(comm)), objects::alltoall,
            (sendobjects: i32, sendcounts: i32, displs: i32, ty: i32, recvobjects: i32, recvcount: i32, recvcounts: i32,
             comm: i32);
        now "Rankine_Seal" On::Myself, objects::seal, (image: i32, bytes: i32, objects: i32, roots: i32, ty: i32);
        now "Rankine_Open" On::Myself, objects::open,
            (image: i32, bytes: i32, ty: i32, table: i32, capacity: i32, objects: i32, roots: i32);
    };
    Ok(true)
}

impl Carrier for Rank {
    async fn ask(&self, request: Callback) -> Answer {
        Rank::ask(self, request).await
    }

    async fn send(&self, image: Parcel, dest: i32, tag: i32, comm: u32) -> Result<()> {
        pt2pt::send_bytes(self, image, dest, tag, Comm(comm)).await
    }

    fn isend(&self, image: Parcel, dest: i32, tag: i32, comm: u32) -> Result<u32> {
        pt2pt::isend_bytes(self, image, dest, tag, Comm(comm)).map(|request| request.0)
    }

    async fn recv(&self, limit: u64, source: i32, tag: i32, comm: u32) -> Result<(Parcel, Status)> {
        pt2pt::recv_bytes(self, limit, source, tag, Comm(comm)).await
    }

    fn irecv(&self, limit: u64, source: i32, tag: i32, comm: u32, landing: Landing) -> Result<u32> {
        let then: request::Then = Box::new(move |r, message, status| {
            Box::pin(async move { objects::complete(r, &landing, message, status).await })
        });
        pt2pt::irecv_bytes(self, limit, source, tag, Comm(comm), then).map(|request| request.0)
    }

    async fn sendrecv(
        &self,
        image: Parcel,
        (dest, sendtag): (i32, i32),
        limit: u64,
        (source, recvtag): (i32, i32),
        comm: u32,
    ) -> Result<(Parcel, Status)> {
        pt2pt::sendrecv_bytes(self, image, dest, sendtag, limit, source, recvtag, Comm(comm)).await
    }

    async fn probe(&self, head: &mut [u8], source: i32, tag: i32, comm: u32) -> Result<(Option<usize>, Status)> {
        let (seen, status) = pt2pt::probe_bytes(self, head, source, tag, Comm(comm)).await?;
        Ok((Some(seen), status))
    }

    async fn iprobe(
        &self,
        head: &mut [u8],
        source: i32,
        tag: i32,
        comm: u32,
    ) -> Result<Option<(Option<usize>, Status)>> {
        let found = pt2pt::iprobe_bytes(self, head, source, tag, Comm(comm)).await?;
        Ok(found.map(|(seen, status)| (Some(seen), status)))
    }

    async fn bcast(&self, image: Vec<u8>, limit: u64, root: i32, comm: u32) -> Result<Vec<u8>> {
        coll::bcast_bytes(self, image, limit, root, Comm(comm)).await
    }

    async fn scatter(&self, parts: Vec<Vec<u8>>, limit: u64, root: i32, comm: u32) -> Result<Vec<u8>> {
        coll::scatter_bytes(self, parts, limit, root, Comm(comm)).await
    }

    async fn gather(&self, image: Vec<u8>, limit: u64, root: i32, comm: u32) -> Result<Vec<Parcel>> {
        coll::gather_bytes(self, image, limit, root, Comm(comm)).await
    }

    async fn allgather(&self, image: Vec<u8>, limit: u64, comm: u32) -> Result<Vec<Parcel>> {
        coll::allgather_bytes(self, image, limit, Comm(comm)).await
    }

    async fn alltoall(&self, parts: Vec<Vec<u8>>, limit: u64, comm: u32) -> Result<Vec<Parcel>> {
        coll::alltoall_bytes(self, parts, limit, Comm(comm)).await
    }

    fn is_root(&self, comm: u32, root: i32) -> Result<bool> {
        shim::is_root(self, Comm(comm), root)
    }

    fn peers(&self, comm: u32) -> Result<i64> {
        shim::peers(self, Comm(comm))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::objects::tests::declared;

    #[test]
    fn this_engine_has_the_functions_of_the_header() {
        let engine = wasmtime::Engine::default();
        for placement in [Placement::Threads, Placement::Fibers] {
            for name in declared().keys() {
                assert!(define(&mut Linker::new(&engine), placement, name).unwrap(), "{name}");
            }
            assert!(!define(&mut Linker::new(&engine), placement, "Rankine_Nothing").unwrap());
        }
    }
}
