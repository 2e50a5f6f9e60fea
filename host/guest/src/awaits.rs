//! What a rank waits for, in so few words that it can be noted whenever a rank falls asleep.

use std::fmt;

/// A rank waits in a call. Ranks are numbers of the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Awaits {
    /// The function of MPI.
    pub call: &'static str,
    /// For whom.
    pub whom: Whom,
    /// How many other things would do as well, or are waited for too.
    pub more: u32,
}

/// For whom a rank waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whom {
    /// Nobody that could be named.
    Nobody,
    /// A rank that has to do its part.
    Rank(usize),
    /// A message: from any rank, with any tag, where none is named.
    Message {
        /// The sender.
        from: Option<usize>,
        /// The tag.
        tag: Option<i32>,
    },
    /// A rank that is to receive this rank's message.
    Receiver {
        /// The receiver.
        to: usize,
        /// The message's tag.
        tag: i32,
    },
}

impl fmt::Display for Awaits {
    /// `MPI_Recv from rank 2, tag 7`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.call)?;
        match self.whom {
            Whom::Nobody => {}
            Whom::Rank(rank) => write!(f, " for rank {rank}")?,
            Whom::Receiver { to, tag } => write!(f, " to rank {to}, tag {tag}")?,
            Whom::Message { from, tag } => {
                match from {
                    Some(rank) => write!(f, " from rank {rank}, ")?,
                    None => f.write_str(" from any rank, ")?,
                }
                match tag {
                    Some(tag) => write!(f, "tag {tag}")?,
                    None => f.write_str("any tag")?,
                }
            }
        }
        if self.more > 0 { write!(f, ", and {} more", self.more) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_name_call_rank_and_tag() {
        let words = |call, whom, more| Awaits { call, whom, more }.to_string();
        let message = |from, tag| Whom::Message { from, tag };
        assert_eq!(words("MPI_Recv", message(Some(2), Some(7)), 0), "MPI_Recv from rank 2, tag 7");
        assert_eq!(words("MPI_Recv", message(None, None), 0), "MPI_Recv from any rank, any tag");
        assert_eq!(words("MPI_Ssend", Whom::Receiver { to: 1, tag: 0 }, 0), "MPI_Ssend to rank 1, tag 0");
        assert_eq!(words("MPI_Barrier", Whom::Rank(3), 0), "MPI_Barrier for rank 3");
        assert_eq!(words("MPI_Waitall", message(Some(0), Some(1)), 2), "MPI_Waitall from rank 0, tag 1, and 2 more");
        assert_eq!(words("MPI_Comm_accept", Whom::Nobody, 0), "MPI_Comm_accept");
    }
}
