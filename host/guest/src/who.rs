//! How a rank is named to its user.

use std::fmt;

/// A rank among all of a job: programs may start more of them, which have a world of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Who {
    /// The number of its world. That of the ranks that the user started is 0.
    pub world: u32,
    /// Its rank in the `MPI_COMM_WORLD` of that world.
    pub rank: usize,
}

impl From<usize> for Who {
    fn from(rank: usize) -> Who {
        Who { world: 0, rank }
    }
}

impl Who {
    /// As lines of output begin with it: `3`, or `1:3` in another world than the first.
    pub fn label(self) -> String {
        if self.world == 0 { self.rank.to_string() } else { format!("{}:{}", self.world, self.rank) }
    }
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {}", self.rank)?;
        if self.world == 0 { Ok(()) } else { write!(f, " of world {}", self.world) }
    }
}
