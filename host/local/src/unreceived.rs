//! Messages that came to a rank and that no receive took, told when the job has come to its end.
//!
//! They are looked for in the mailboxes, where they lie anyway: nothing is counted while the job runs. The mailboxes know a
//! communicator by its context; its name is known to the ranks alone, so one that finds such messages in `MPI_Finalize`
//! leaves the names here.

use smallvec::SmallVec;

use crate::context::Context;
use crate::mailbox::matching::Leftovers;
use crate::rank::Rank;
use crate::waiting::name;
use crate::world::World;

impl Rank {
    /// The rank is about to leave MPI: it says what the communicators are called whose messages it leaves behind, or that come
    /// later from other nodes.
    pub(crate) fn name_leftovers(&self) {
        if self.world().nodes().is_some() {
            for communicator in self.comms.all().into_iter().chain([self.world_comm.clone()]) {
                self.world().names.leave(communicator.context, name(&communicator));
            }
        }
        let mut contexts: SmallVec<[Context; 4]> = self.matched(|matching| matching.leftovers().contexts().collect());
        contexts.dedup();
        for context in contexts {
            if let Some(communicator) = self.behind(context) {
                self.world().names.leave(context, name(&communicator));
            }
        }
    }
}

impl World {
    /// The ranks that have left messages behind, in order, counted from the first that is here, and what these are: `2 messages: from rank 0 with tag 7 in
    /// MPI_COMM_WORLD`. To be asked when all ranks have exited.
    pub fn unreceived(&self) -> Vec<(usize, String)> {
        (0..self.size())
            .zip(self.ranks())
            .filter_map(|(index, rank)| {
                Some((index, self.in_words(&self.mailbox(rank as u32).enter().take_leftovers())?))
            })
            .collect()
    }

    fn in_words(&self, left: &Leftovers) -> Option<String> {
        let messages = if left.messages == 1 { "message" } else { "messages" };
        let named = left.first.iter().map(|pattern| {
            format!("from rank {} with tag {} in {}", pattern.source, pattern.tag, self.names.of(pattern.context))
        });
        let named: Vec<String> = named.collect();
        let more = if left.has_more { ", and others" } else { "" };
        (left.messages > 0).then(|| format!("{} {messages}: {}{more}", left.messages, named.join(", ")))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use rankine_abi::{Addr, Comm, Datatype, MPI_ANY_SOURCE};

    use crate::comm::{comm_dup, comm_free, comm_set_name};
    use crate::init::{finalize, init};
    use crate::pt2pt::{irecv, recv, send};
    use crate::rank::Rank;
    use crate::testing::threads;
    use crate::world::Options;

    /// What is left behind by a job of two ranks.
    fn left(program: impl AsyncFn(&Rank) + Sync) -> Vec<(usize, String)> {
        let (worlds, end) = threads(2, Options::default(), None, async |r| {
            init(r).unwrap();
            program(r).await;
            finalize(r).await.unwrap();
            r.world().clone()
        });
        assert_eq!(end, None);
        worlds[0].as_ref().unwrap().unreceived()
    }

    async fn send_to(r: &Rank, to: i32, bytes: i64, tag: i32, comm: Comm) {
        send(r, Addr(64), bytes, Datatype::BYTE, to, tag, comm).await.unwrap();
    }

    #[test]
    fn nothing_is_left_where_all_was_received() {
        let nothing = left(async |r| {
            let other = 1 - r.id() as i32;
            for bytes in [1, 5000] {
                send_to(r, other, bytes, 3, Comm::WORLD).await;
                recv(r, Addr(8192), 5000, Datatype::BYTE, MPI_ANY_SOURCE, 3, Comm::WORLD).await.unwrap();
            }
        });
        assert_eq!(nothing, []);
    }

    #[test]
    fn what_is_left_is_told_by_rank() {
        let some = left(async |r| {
            let comm = comm_dup(r, Comm::WORLD).await.unwrap();
            comm_set_name(r, comm, "halo").unwrap();
            if r.id() == 0 {
                for tag in [7, 7, 8] {
                    send_to(r, 1, 1, tag, Comm::WORLD).await;
                }
                // It is buffered when its sender leaves.
                send_to(r, 1, 5000, 1, comm).await;
                send_to(r, 0, 1, 2, Comm::SELF).await;
                send_to(r, 1, 1, 9, Comm::WORLD).await;
            } else {
                recv(r, Addr(64), 1, Datatype::BYTE, 0, 9, Comm::WORLD).await.unwrap();
            }
        });
        assert_eq!(some[0], (0, "1 message: from rank 0 with tag 2 in MPI_COMM_SELF".into()));
        let words = "4 messages: from rank 0 with tag 7 in MPI_COMM_WORLD, from rank 0 with tag 8 in MPI_COMM_WORLD, \
                     from rank 0 with tag 1 in halo";
        assert_eq!(some[1..], [(1, words.into())]);
    }

    #[test]
    fn a_receive_that_waits_takes_what_comes_late() {
        let none = left(async |r| {
            if r.id() == 0 {
                irecv(r, Addr(64), 1, Datatype::BYTE, 1, 4, Comm::WORLD).unwrap();
            } else {
                send_to(r, 0, 1, 4, Comm::WORLD).await;
            }
        });
        assert_eq!(none, []);
        // Many, in a communicator that is gone.
        let many = left(async |r| {
            let mut comm = comm_dup(r, Comm::WORLD).await.unwrap();
            if r.id() == 0 {
                for tag in 0..5 {
                    send_to(r, 1, 1, tag, comm).await;
                }
            }
            comm = comm_free(r, comm).await.unwrap();
            assert_eq!(comm, Comm::NULL);
        });
        assert_eq!(many.len(), 1);
        let (rank, words) = &many[0];
        assert_eq!(
            (*rank, words.starts_with("5 messages: from rank 0 with tag 0 in a communicator")),
            (1, true),
            "{words}"
        );
        assert!(words.ends_with(", and others"), "{words}");
    }
}
