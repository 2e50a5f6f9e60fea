//! How the ranks of a file agree: on what they do together, and how it ended.

use rankine_abi::{MPI_ERR_NOT_SAME, MPI_SUCCESS};

use super::Opened;
use crate::comm::{Communicator, Party, Tag};
use crate::error::{Error, Result};
use crate::rank::Rank;

impl Opened {
    /// All ranks come here; each brings a fingerprint of what has to be the same everywhere, or why it can't take part. If
    /// all is well the first of them acts for all. Everybody hears how it ended.
    pub(super) async fn together(&self, r: &Rank, mine: Result<u64>, act: impl FnOnce() -> Result<()>) -> Result<()> {
        together(r, &self.comm, mine, act).await
    }
}

/// As [`Opened::together`].
pub(super) async fn together(
    r: &Rank,
    comm: &Communicator,
    mine: Result<u64>,
    act: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let party = Party::all(r, comm, Tag::nonblocking(comm.next_sequence()));
    let words = match &mine {
        Ok(print) => [MPI_SUCCESS, *print as i32, (*print >> 32) as i32],
        Err(error) => [error.class, 0, 0],
    };
    let all = party.gather(words).await?;
    let (mut verdict, mut failed) = ([MPI_SUCCESS, 0], Ok(()));
    if party.is_first() {
        verdict = judge(&all);
        if verdict[0] == MPI_SUCCESS {
            failed = act();
            verdict[0] = failed.as_ref().err().map_or(MPI_SUCCESS, |error| error.class);
        }
    }
    let [class, rank] = party.broadcast(verdict).await?;
    mine?;
    failed?;
    if class == MPI_SUCCESS { Ok(()) } else { Err(elsewhere(comm, class, rank)) }
}

/// The first error, and whose it is.
fn judge(all: &[[i32; 3]]) -> [i32; 2] {
    let position = |wrong: &dyn Fn(&[i32; 3]) -> bool| all.iter().position(wrong);
    if let Some(rank) = position(&|words| words[0] != MPI_SUCCESS) {
        return [all[rank][0], rank as i32];
    }
    match position(&|words| *words != all[0]) {
        Some(rank) => [MPI_ERR_NOT_SAME, rank as i32],
        None => [MPI_SUCCESS, 0],
    }
}

/// The error of those who hear of another rank's.
#[cold]
pub(super) fn elsewhere(comm: &Communicator, class: i32, rank: i32) -> Error {
    let rank = comm.group.get(rank).map_or(rank, |rank| rank as i32);
    let text = match class {
        MPI_ERR_NOT_SAME => format!("rank {rank} calls it with other arguments"),
        _ => format!("it failed on rank {rank}"),
    };
    Error::new(class, text)
}
