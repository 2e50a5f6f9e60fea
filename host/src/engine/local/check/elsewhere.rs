//! What is checked across nodes: each knows the calls of its own ranks.
//!
//! A message is looked at where its receiver is, and what the ranks of a communicator call together where the first of them is.
//! So a node tells others of the sends and collectives of its ranks that are theirs to look at. That travels in the order in which
//! messages do, before the message itself: whoever has received it has heard of its send.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

use rankine_guest::Who;
use rankine_local::World;
use rankine_local::away::{About, Hear, LONGEST_TOLD, Nodes};
use serde::{Deserialize, Serialize};

use super::checked_call::Made;
use super::collectives::Arrival;
use super::lock;
use super::messages::{Meeting, Sent};

/// What a node tells.
#[derive(Debug, Deserialize, Serialize)]
pub(super) enum What {
    /// A message is sent to a rank there.
    Sent { at: Meeting, source: i32, tag: i32, sent: Sent },
    /// It was not sent after all.
    TakenBack { at: Meeting, source: i32, tag: i32, number: u64 },
    /// A rank has called a collective of a communicator of so many.
    Called { comm: u64, ranks: usize, arrival: Arrival },
    /// One of them has failed.
    Failed { comm: u64 },
}

impl What {
    /// The call.
    pub(super) fn made(&self) -> Option<&Made> {
        match self {
            What::Sent { sent, .. } => Some(&sent.made),
            What::Called { arrival, .. } => Some(&arrival.made),
            What::TakenBack { .. } | What::Failed { .. } => None,
        }
    }

    /// Says nothing of the data any more, which nobody compares then.
    fn leave_data_out(&mut self) {
        match self {
            What::Sent { sent, .. } => sent.leave_data_out(),
            What::Called { arrival, .. } => arrival.leave_data_out(),
            What::TakenBack { .. } | What::Failed { .. } => {}
        }
    }
}

/// It, with what only the node knows on which it happened.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Told {
    /// The rank that has made the call, and its name.
    rank: u32,
    who: (u32, usize),
    /// Where an interpreter has made it.
    pub(super) line: Option<String>,
    pub(super) what: What,
}

impl Told {
    /// With the line of the call, if `line` knows one of its site.
    pub(super) fn new(rank: u32, who: Who, line: impl FnOnce(u32) -> Option<String>, what: What) -> Told {
        let mut line = what.made().and_then(|made| line(made.site));
        line.iter_mut().for_each(|line| line.truncate(line.floor_char_boundary(LINE)));
        Told { rank, who: (who.world, who.rank), line, what }
    }

    /// The rank, and its name.
    pub(super) fn caller(&self) -> (u32, Who) {
        (self.rank, Who { world: self.who.0, rank: self.who.1 })
    }
}

/// Bytes of a piece of what is told, of the longest, and of the line of a call.
const PIECE: usize = 16 << 10;
const LONGEST: usize = 16 << 20;
const LINE: usize = 1 << 10;
/// Bytes of what was heard and not looked at, because no rank here calls MPI.
const MOST_HEARD: usize = 512 << 20;
const _: () = assert!(PIECE < LONGEST_TOLD);

/// What has come, and how many bytes it came in.
#[derive(Default)]
struct Heard {
    told: Vec<Told>,
    bytes: usize,
}

/// The way to other nodes and from them.
pub(super) struct Elsewhere {
    /// Which keeps this.
    world: Weak<World>,
    nodes: Nodes,
    /// What has come and was not looked at yet. Who carries letters waits for nobody: a rank looks, or the end of the job.
    heard: Mutex<Heard>,
    /// The beginnings of what comes, by node.
    coming: Mutex<HashMap<u32, Vec<u8>>>,
}

impl Elsewhere {
    /// Of a job of several nodes. Call it before letters are carried.
    pub(super) fn new(world: &Arc<World>) -> Option<Arc<Elsewhere>> {
        let nodes = world.nodes()?.clone();
        let (heard, coming) = (Mutex::default(), Mutex::default());
        let elsewhere = Arc::new(Elsewhere { world: Arc::downgrade(world), nodes, heard, coming });
        world.hear_by(About::Check, elsewhere.clone());
        Some(elsewhere)
    }

    /// The node of a receiver, if it is another one.
    pub(super) fn of_meeting(&self, (_, receiver): Meeting) -> Option<u32> {
        self.nodes.node_of(receiver).filter(|&node| node != self.nodes.node)
    }

    /// The node of a communicator's first rank, if it is another one.
    pub(super) fn of_comm(&self, comm: u64) -> Option<u32> {
        self.nodes.node_of(comm as u32).filter(|&node| node != self.nodes.node)
    }

    /// Whether it is this node that has to hear it.
    fn is_ours(&self, what: &What) -> bool {
        let rank = match what {
            What::Sent { at: (_, receiver), .. } | What::TakenBack { at: (_, receiver), .. } => *receiver,
            What::Called { comm, .. } | What::Failed { comm } => *comm as u32,
        };
        self.nodes.node_of(rank) == Some(self.nodes.node)
    }

    /// What was heard since it was last asked for.
    pub(super) fn heard(&self) -> Vec<Told> {
        std::mem::take(&mut *lock(&self.heard)).told
    }

    /// Tells another node, one at a time.
    pub(super) fn tell(&self, node: u32, mut told: Told) {
        let (Some(world), Ok(mut bytes)) = (self.world.upgrade(), serde_json::to_vec(&told)) else { return };
        if bytes.len() > LONGEST {
            // Others have to know of the call all the same, to count.
            told.what.leave_data_out();
            bytes = serde_json::to_vec(&told).unwrap_or_default();
        }
        let mut pieces = bytes.chunks(PIECE).peekable();
        while let Some(piece) = pieces.next() {
            let is_last = pieces.peek().is_none();
            world.tell_host(node, About::Check, &[&[u8::from(is_last)], piece]);
        }
    }
}

impl Hear for Elsewhere {
    fn hear(&self, from: u32, bytes: &[u8]) -> Result<(), String> {
        let (is_last, piece) = bytes.split_first().ok_or("nothing of a check")?;
        let mut coming = lock(&self.coming);
        let whole = coming.entry(from).or_default();
        whole.extend_from_slice(piece);
        if whole.len() > LONGEST {
            return Err(format!("{} bytes of a call", whole.len()));
        }
        if *is_last == 0 {
            return Ok(());
        }
        let whole = std::mem::take(whole);
        drop(coming);
        let length = whole.len();
        let told: Told =
            serde_json::from_slice(&whole).map_err(|error| format!("a call that can't be read: {error}"))?;
        if !self.is_ours(&told.what) {
            return Err("a call that is another node's to look at".into());
        }
        let is_theirs = self.nodes.node_of(told.rank) == Some(from);
        if !is_theirs || told.what.made().is_some_and(|made| made.rank != told.rank) {
            return Err("a call that no rank there has made".into());
        }
        if told.line.as_ref().is_some_and(|line| line.len() > LINE) {
            return Err("a line without an end".into());
        }
        let mut heard = lock(&self.heard);
        heard.bytes += length;
        heard.told.push(told);
        let bytes = heard.bytes;
        let is_short = bytes <= MOST_HEARD;
        is_short.then_some(()).ok_or_else(|| format!("{bytes} bytes of calls, while no rank here has called MPI"))
    }
}

#[cfg(test)]
mod tests {
    use rankine_abi::Function;
    use rankine_rewrite::sites::MOST_WORDS;

    use super::*;

    /// Of node 1 of two with two ranks each.
    fn elsewhere() -> Elsewhere {
        let (world, nodes) = (Weak::new(), Nodes::even(1, 2, 2));
        Elsewhere { world, nodes, heard: Mutex::default(), coming: Mutex::default() }
    }

    fn told(receiver: u32) -> Told {
        let function = Function::named("MPI_Send").unwrap();
        let made = Made { rank: 0, program: u64::MAX, function, site: 7, words: [i64::MIN; MOST_WORDS] };
        let sent = Sent::new(3, made);
        let what = What::Sent { at: (5, receiver), source: 0, tag: 9, sent };
        Told::new(0, Who { world: 2, rank: 1 }, |site| (site == 7).then(|| "step (heat.py:3)".into()), what)
    }

    fn pieces(told: &Told, length: usize) -> Vec<Vec<u8>> {
        let bytes = serde_json::to_vec(told).unwrap();
        let last = bytes.len().div_ceil(length) - 1;
        let piece = |(at, piece): (usize, &[u8])| [&[u8::from(at == last)], piece].concat();
        bytes.chunks(length).enumerate().map(piece).collect()
    }

    #[test]
    fn what_is_told_in_pieces_is_heard() {
        let elsewhere = elsewhere();
        let (one, other) = (pieces(&told(2), 10), pieces(&told(3), 1000));
        one.iter().chain(&other).for_each(|piece| elsewhere.hear(0, piece).unwrap());
        let heard = elsewhere.heard();
        let of = |told: &Told| match &told.what {
            What::Sent { at, sent, .. } => (at.1, sent.made.function.name, sent.made.words[3]),
            what => panic!("{what:?}"),
        };
        let functions = heard.iter().map(of).collect::<Vec<_>>();
        assert_eq!(functions, [(2, "MPI_Send", i64::MIN), (3, "MPI_Send", i64::MIN)]);
        assert_eq!(heard[0].caller(), (0, Who { world: 2, rank: 1 }));
        assert_eq!(heard[1].line.as_deref(), Some("step (heat.py:3)"));
        assert!(elsewhere.heard().is_empty());
    }

    #[test]
    fn what_is_not_ours_or_makes_no_sense_is_refused() {
        let elsewhere = elsewhere();
        let refused = |bytes: &[u8]| elsewhere.hear(0, bytes).unwrap_err();
        assert!(refused(&pieces(&told(1), 10_000)[0]).contains("another node's"));
        let whole = pieces(&told(2), 10_000).concat();
        let text = std::str::from_utf8(&whole).unwrap();
        for odd in
            [text.replace("MPI_Send", "MPI_Sand"), text.replace("\"tag\":9", "\"tag\":99999999999"), text[..99].into()]
        {
            assert!(refused(odd.as_bytes()).contains("can't be read"), "{odd}");
        }
        assert!(elsewhere.hear(1, &whole).unwrap_err().contains("no rank there"));
        let mut long = told(2);
        long.line = Some("x".repeat(LINE + 1));
        assert!(refused(&pieces(&long, 10_000)[0]).contains("without an end"));
        assert!(refused(&[]).contains("nothing"));
        let long = [&[0][..], &vec![b' '; LONGEST + 1]].concat();
        assert!(refused(&long).contains("bytes of a call"));
    }
}
