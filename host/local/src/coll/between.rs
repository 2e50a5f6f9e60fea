//! All-to-alls between nodes: all blocks of two nodes' ranks for one another are two messages, one each way.
//!
//! For each other node one rank *speaks*: those of its node give it their blocks for the other one, it swaps them for those of
//! the speaker there, and hands out what came. Each other node has another speaker, so that all ranks have as much to do (Träff,
//! "Improved MPI all-to-all communication on a Giganet SMP cluster", EuroPVM/MPI 2002).

use std::ops::Range;

use rankine_guest::Parcel;

use super::Coll;
use super::buffers::Blocks;
use super::bundle::{ANY, LENGTH, Nodes, bundle, parts, settle};
use super::bytes::landed;
use super::flight::{Flight, Scratch};
use crate::error::Result;
use crate::rank::Rank;
use crate::span::Span;
use crate::transport::Started;

/// Blocks that are longer are messages of their own. On two nodes of 16 ranks, all-to-alls of up to 256 bytes took a quarter to
/// two thirds of the time from rank to rank; with 512 bytes the noise was more than the difference, and 8 KiB took several times
/// as long, since one rank copies all of them.
const LONGEST: usize = 256;

/// The longest message from a node to another.
const MESSAGE: usize = 4 << 20;

/// How the blocks of an all-to-all go to ranks of other nodes.
pub(super) struct Way {
    nodes: Nodes,
    /// Bytes of the longest block that travels with others.
    pub(super) longest: usize,
}

/// What is under way of a rank's.
pub(super) struct Speaking<'a> {
    sending: Flight<'a>,
    /// Nodes that this rank speaks to, and what they will say.
    hearing: Vec<(usize, Started<'a, 'static>)>,
}

impl Way {
    /// The way of blocks that all have as many bytes, or else of any. Where they differ most may be empty, so that no rank
    /// should have more messages of several blocks than its node has ranks.
    pub(super) fn new(g: &Coll<'_>, blocks: &Blocks) -> Option<Way> {
        let nodes = g.nodes()?;
        let longest = (MESSAGE / (nodes.near() * nodes.near())).saturating_sub(2 * LENGTH).min(LONGEST);
        let suits = match blocks.even_bytes() {
            Some(bytes) => (1..=longest).contains(&bytes),
            None => longest > 0 && nodes.count() <= nodes.near(),
        };
        suits.then_some(Way { nodes, longest })
    }

    /// The ranks of this rank's node.
    pub(super) fn home(&self, g: &Coll<'_>) -> Range<usize> {
        self.nodes.ranks(self.nodes.of(g.rank))
    }

    /// The other nodes, in an order in which any two come to each other in the same step: who waits for a message to be taken
    /// waits for nobody who waits for a later one.
    fn others(&self, own: usize) -> impl Iterator<Item = usize> + use<> {
        let count = self.nodes.count();
        (0..count).map(move |step| (step + count - own) % count).filter(move |&node| node != own)
    }

    /// A rank's blocks for another node.
    fn packed<'a>(&self, r: &'a Rank, blocks: &Blocks, node: usize) -> Result<Scratch<'a>> {
        let mut all = Vec::with_capacity(self.nodes.near());
        for peer in self.nodes.ranks(node) {
            let block = blocks.get(r, peer)?;
            all.push(if block.bytes() <= self.longest { block } else { Span::EMPTY });
        }
        bundle(r, all.len(), |index| all[index].bytes(), |index, to| all[index].read(0, to))
    }

    /// Gives the speakers this rank's blocks, and speaks.
    pub(super) async fn begin<'a>(&self, g: &Coll<'a>, blocks: &Blocks) -> Result<Speaking<'a>> {
        let own = self.nodes.of(g.rank);
        let (mut sending, mut hearing) = (Flight::new(), Vec::new());
        for node in self.others(own) {
            let speaker = self.nodes.speaker(own, node);
            sending.carry(g.isend_carried(speaker, self.packed(g.r(), blocks, node)?)?).await?;
            if speaker == g.rank {
                let message = self.message(g, own).await?;
                let there = self.nodes.speaker(node, own);
                hearing.push((node, g.irecv_bytes(there, ANY)?));
                sending.carry(g.isend_carried(there, message)?).await?;
            }
        }
        Ok(Speaking { sending, hearing })
    }

    /// What the ranks of a speaker's node have for another one: a bundle of their bundles.
    async fn message<'a>(&self, g: &Coll<'a>, own: usize) -> Result<Scratch<'a>> {
        let coming = self.nodes.ranks(own).map(|peer| g.irecv_bytes(peer, ANY)).collect::<Result<Vec<_>>>()?;
        let mut came: Vec<Parcel> = Vec::with_capacity(coming.len());
        for one in coming {
            came.push(landed(g.r(), one, ANY).await?);
        }
        let fill = |index: usize, to: &mut [u8]| to.copy_from_slice(&came[index].bytes);
        bundle(g.r(), came.len(), |index| came[index].bytes.len(), fill)
    }

    /// Hands out what other nodes have said, and puts what is for this rank to its place.
    pub(super) async fn end(&self, g: &Coll<'_>, speaking: Speaking<'_>, blocks: &Blocks) -> Result<()> {
        let own = self.nodes.of(g.rank);
        let Speaking { sending, hearing } = speaking;
        // However many there are, nobody takes one before all of its own are on their way.
        let mut handing = Vec::new();
        for (node, hearing) in hearing {
            let came = landed(g.r(), hearing, ANY).await?.bytes;
            let rows = self.rows(&came, node, own)?;
            for (place, peer) in self.nodes.ranks(own).enumerate() {
                let part = |row: usize| -> &[u8] { &came[rows[row][place].clone()] };
                let bundle = bundle(g.r(), rows.len(), |row| part(row).len(), |row, to| to.copy_from_slice(part(row)))?;
                handing.push(g.isend_carried(peer, bundle)?);
            }
        }
        let mut told = Ok(());
        for node in self.others(own) {
            let ranks = self.nodes.ranks(node);
            let came = landed(g.r(), g.irecv_bytes(self.nodes.speaker(own, node), ANY)?, ANY).await?.bytes;
            for (peer, part) in ranks.clone().zip(parts(&came, ranks.len())?) {
                let block = blocks.get(g.r(), peer)?;
                if block.bytes() <= self.longest {
                    told = told.and(settle(&block, &came[part], peer));
                }
            }
        }
        for one in handing {
            one.finish().await?;
        }
        sending.land().await.and(told)
    }

    /// Where the blocks lie in another node's message: for each rank there, those for each rank here.
    fn rows(&self, came: &[u8], node: usize, own: usize) -> Result<Vec<Vec<Range<usize>>>> {
        let here = self.nodes.ranks(own).len();
        let row = |row: Range<usize>| {
            let shifted = |part: Range<usize>| row.start + part.start..row.start + part.end;
            Ok(parts(&came[row.clone()], here)?.into_iter().map(shifted).collect())
        };
        parts(came, self.nodes.ranks(node).len())?.into_iter().map(row).collect()
    }
}
