//! What kind of operation a request is for: a library takes for granted that it fits the call.

use rankine_abi::MPI_ERR_REQUEST;
use rankine_guest::Error;

use crate::Result;
use crate::pt2pt::part::Parts;
use crate::rank::Rank;

/// What a request is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A message, or an operation of the program's own.
    Message,
    PersistentMessage,
    Collective,
    PersistentCollective,
    Psend(Parts),
    Precv(Parts),
    /// To a window or a file.
    Access,
}

impl Kind {
    pub(crate) fn is_persistent(self) -> bool {
        !matches!(self, Kind::Message | Kind::Collective | Kind::Access)
    }

    /// Refuses to cancel what can't be (MPI-5.0 §3.8.4).
    pub(crate) fn can_be_cancelled(self) -> Result<()> {
        match self {
            Kind::Message | Kind::PersistentMessage => Ok(()),
            _ => Err(Error::new(MPI_ERR_REQUEST, "request: only messages can be cancelled")),
        }
    }
}

impl Rank {
    /// What kind of operation a request is for.
    pub(crate) fn kind_of(&self, word: u32, what: &str) -> Result<Kind> {
        let kind = self.requests.made.with(word, |pending| pending.kind);
        kind.ok_or_else(|| self.requests.made.unknown(word, what))
    }
}
