//! Collectives on bytes of the host whose lengths only the senders know; object graphs travel in them.
//!
//! A part that its sender could not make is sent as no bytes at all, so that nobody waits for it in vain.

use rankine_abi::{Comm, MPI_ERR_TRUNCATE};

use super::buffers::Role;
use super::{Coll, Flight};
use rankine_guest::{Cost, Parcel};

use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::span::Span;
use crate::transport::Started;

impl<'a> Coll<'a> {
    /// Starts a receive of at most `limit` bytes from a peer.
    pub(super) fn irecv_bytes(&self, peer: usize, limit: u64) -> Result<Started<'a, 'static>> {
        self.r.post_recv_bytes(self.pattern(peer), limit)
    }
}

/// Waits for what comes.
pub(super) async fn landed(r: &Rank, receiving: Started<'_, 'static>, limit: u64) -> Result<Parcel> {
    receiving.done().await;
    let parcel = receiving.unload();
    let outcome = receiving.end();
    if outcome.length > outcome.bytes {
        let length = outcome.length;
        if length <= limit {
            return Err(r.account.refused(length as usize, Cost::Incoming));
        }
        let text = format!("{length} bytes came in a collective where this rank takes at most {limit}");
        return Err(Error::new(MPI_ERR_TRUNCATE, text));
    }
    Ok(parcel)
}

/// Brings the root's bytes to every rank. The root gives them; the others, and the root itself, get them.
pub async fn bcast_bytes(r: &Rank, mut bytes: Vec<u8>, limit: u64, root: i32, comm: Comm) -> Result<Vec<u8>> {
    let communicator = r.communicator(comm)?;
    let g = &communicator.coll(r, None);
    match Role::new(&communicator, root)? {
        Role::Root if g.is_inter() => {
            g.send(0, &Span::over(&mut bytes)).await?;
            Ok(bytes)
        }
        Role::Root => spread(g, g.rank, Some(bytes), limit).await,
        Role::Member(root) if !g.is_inter() => spread(g, root, None, limit).await,
        Role::Member(root) => {
            let first =
                if g.rank == 0 { Some(landed(g.r(), g.irecv_bytes(root, limit)?, limit).await?.bytes) } else { None };
            spread(&g.local(), 0, first, limit).await
        }
        Role::Idle => Ok(bytes),
    }
}

async fn spread(g: &Coll<'_>, root: usize, bytes: Option<Vec<u8>>, limit: u64) -> Result<Vec<u8>> {
    let tree = g.tree();
    let (there, back) = (|rank| (rank + g.size - root) % g.size, |rank| (rank + root) % g.size);
    let place = there(g.rank);
    let mut received = match (bytes, tree.parent(place)) {
        (None, Some(parent)) => {
            landed(g.r(), g.irecv_bytes(back(parent), limit)?, limit).await.map(|parcel| parcel.bytes)
        }
        (bytes, _) => Ok(bytes.unwrap_or_default()),
    };
    // Where it was too much for us, those below are not left waiting.
    let bytes = received.as_deref_mut().map_or(Span::EMPTY, Span::over);
    let mut flight = Flight::new();
    for child in tree.children(place) {
        flight.add(g.isend(back(child), &bytes)?).await?;
    }
    flight.land().await?;
    received
}

/// Gives every rank its part of the root's.
pub async fn scatter_bytes(r: &Rank, mut parts: Vec<Vec<u8>>, limit: u64, root: i32, comm: Comm) -> Result<Vec<u8>> {
    let communicator = r.communicator(comm)?;
    let g = &communicator.coll(r, None);
    match Role::new(&communicator, root)? {
        Role::Member(root) => landed(g.r(), g.irecv_bytes(root, limit)?, limit).await.map(|parcel| parcel.bytes),
        Role::Idle => Ok(Vec::new()),
        Role::Root => {
            let own = if g.is_inter() { None } else { parts.get_mut(g.rank).map(std::mem::take) };
            let spans = spans(&mut parts);
            let mut flight = Flight::new();
            for peer in (0..g.size).filter(|&peer| g.is_inter() || peer != g.rank) {
                flight.add(g.isend(peer, &part(&spans, peer))?).await?;
            }
            flight.land().await?;
            Ok(own.unwrap_or_default())
        }
    }
}

fn spans(parts: &mut [Vec<u8>]) -> Vec<Span<'_>> {
    parts.iter_mut().map(|part| Span::over(part)).collect()
}

fn part<'a>(spans: &[Span<'a>], peer: usize) -> Span<'a> {
    spans.get(peer).map_or(Span::EMPTY, Span::again)
}

/// Brings every rank's bytes to the root, in the order of ranks; nothing to the others.
pub async fn gather_bytes(r: &Rank, mut bytes: Vec<u8>, limit: u64, root: i32, comm: Comm) -> Result<Vec<Parcel>> {
    let communicator = r.communicator(comm)?;
    let g = &communicator.coll(r, None);
    match Role::new(&communicator, root)? {
        Role::Member(root) => {
            g.send(root, &Span::over(&mut bytes)).await?;
            Ok(Vec::new())
        }
        Role::Idle => Ok(Vec::new()),
        Role::Root => collect(g, bytes, limit).await,
    }
}

/// What every peer sends, with `own` in this rank's place.
async fn collect(g: &Coll<'_>, own: Vec<u8>, limit: u64) -> Result<Vec<Parcel>> {
    let mut own = (!g.is_inter()).then_some(own);
    let mut receiving = Vec::with_capacity(g.size);
    for peer in 0..g.size {
        let is_own = peer == g.rank && own.is_some();
        receiving.push(if is_own { None } else { Some(g.irecv_bytes(peer, limit)?) });
    }
    let mut all = Vec::with_capacity(g.size);
    for one in receiving {
        all.push(match one {
            Some(one) => landed(g.r(), one, limit).await?,
            None => own.take().unwrap_or_default().into(),
        });
    }
    Ok(all)
}

/// Brings every rank's bytes to every rank, in the order of ranks.
pub async fn allgather_bytes(r: &Rank, mut bytes: Vec<u8>, limit: u64, comm: Comm) -> Result<Vec<Parcel>> {
    let communicator = r.communicator(comm)?;
    let g = &communicator.coll(r, None);
    let own = if g.is_inter() { Vec::new() } else { bytes.clone() };
    let span = Span::over(&mut bytes);
    exchange(g, |_| span.again(), own, limit).await
}

/// Gives every rank its part of every rank's; what came, in the order of ranks.
pub async fn alltoall_bytes(r: &Rank, mut parts: Vec<Vec<u8>>, limit: u64, comm: Comm) -> Result<Vec<Parcel>> {
    let communicator = r.communicator(comm)?;
    let g = &communicator.coll(r, None);
    let own = if g.is_inter() { None } else { parts.get_mut(g.rank).map(std::mem::take) };
    let spans = spans(&mut parts);
    exchange(g, |peer| part(&spans, peer), own.unwrap_or_default(), limit).await
}

/// Sends every peer what is for it, and receives from every peer.
async fn exchange<'b>(g: &Coll<'_>, part: impl Fn(usize) -> Span<'b>, own: Vec<u8>, limit: u64) -> Result<Vec<Parcel>> {
    let mut sending = Vec::with_capacity(g.size);
    // Begin with different peers, so that not all send to the same one.
    for peer in (0..g.size).map(|step| (g.rank + 1 + step) % g.size) {
        if g.is_inter() || peer != g.rank {
            sending.push(g.isend(peer, &part(peer))?);
        }
    }
    let all = collect(g, own, limit).await?;
    for one in sending {
        one.finish().await?;
    }
    Ok(all)
}
