//! Process topologies (MPI-5.0 chapter 8): who is whose neighbour.
//!
//! A topology belongs to a communicator and never changes. Ranks are never reordered: all of them are equally near.

mod cart;
mod dist_graph;
mod graph;

use std::rc::Rc;

use rankine_abi::{Comm, Info, MPI_CART, MPI_DIST_GRAPH, MPI_ERR_DIMS, MPI_ERR_TOPOLOGY, MPI_GRAPH, MPI_UNDEFINED};

use crate::comm::{Communicator, SHARED_MEMORY, Tag, name};
use crate::error::{Error, Result};
use crate::quota::{Charge, Cost};
use crate::rank::Rank;

pub use cart::*;
pub use dist_graph::*;
pub use graph::*;

/// The topology of a communicator.
#[derive(Debug)]
pub(crate) enum Topology {
    Cart(Grid),
    Graph(Graph),
    DistGraph(DistGraph),
}

impl Topology {
    /// Bytes of host memory that it takes.
    fn heap_bytes(&self) -> usize {
        size_of::<Charged>()
            + match self {
                Topology::Cart(grid) => grid.heap_bytes(),
                Topology::Graph(graph) => graph.heap_bytes(),
                Topology::DistGraph(graph) => graph.heap_bytes(),
            }
    }

    /// It as communicators share it, charged to a rank.
    fn charged(self, r: &Rank) -> Result<Rc<Charged>> {
        let charge = r.account.charge(self.heap_bytes(), Cost::Topologies)?;
        Ok(Rc::new(Charged { topology: self, _charge: charge }))
    }
}

/// A topology, and what is charged for it.
#[derive(Debug)]
pub(crate) struct Charged {
    topology: Topology,
    _charge: Charge,
}

impl Communicator {
    /// Its topology, if it has one.
    pub(crate) fn topology(&self) -> Option<&Topology> {
        self.topology.as_deref().map(|charged| &charged.topology)
    }

    fn grid(&self) -> Result<&Grid> {
        match self.topology() {
            Some(Topology::Cart(grid)) => Ok(grid),
            _ => Err(no_topology("Cartesian topology")),
        }
    }

    fn graph(&self) -> Result<&Graph> {
        match self.topology() {
            Some(Topology::Graph(graph)) => Ok(graph),
            _ => Err(no_topology("graph topology")),
        }
    }

    fn dist_graph(&self) -> Result<&DistGraph> {
        match self.topology() {
            Some(Topology::DistGraph(graph)) => Ok(graph),
            _ => Err(no_topology("distributed graph topology")),
        }
    }

    /// From whom and to whom this rank's neighbourhood collectives go, in the order of their blocks (§8.6).
    pub(crate) fn neighbors(&self) -> Result<(Vec<i32>, Vec<i32>)> {
        match self.topology() {
            None => Err(no_topology("topology")),
            Some(Topology::Cart(grid)) => {
                let both = grid.neighbors(self.rank);
                Ok((both.clone(), both))
            }
            Some(Topology::Graph(graph)) => {
                let both = graph.neighbors(self.rank).to_vec();
                Ok((both.clone(), both))
            }
            Some(Topology::DistGraph(graph)) => Ok((graph.sources.clone(), graph.destinations.clone())),
        }
    }

    /// A communicator of the first `size` ranks with a topology; `None` in the others.
    async fn with_topology(&self, r: &Rank, size: i32, topology: Topology) -> Result<Option<Communicator>> {
        let group = if size == self.size() { self.group.clone() } else { Rc::new(self.group.first(size as usize)) };
        let name = match &topology {
            Topology::Cart(grid) => Some(name(r, &group, grid)),
            Topology::Graph(graph) => Some(name(r, &group, graph)),
            Topology::DistGraph(_) => None,
        };
        let context = match name {
            Some(name) => self.agree_on_parts(r, Tag::TOPOLOGY, (self.rank < size).then_some(name)).await?,
            // Every rank knows another part of the graph, and all are in it.
            None => self.agree_on_context(r, Tag::GRAPH).await?,
        };
        if self.rank >= size {
            return Ok(None);
        }
        let mut communicator = self.child(context, group, self.rank);
        communicator.topology = Some(topology.charged(r)?);
        Ok(Some(communicator))
    }
}

fn no_topology(what: &str) -> Error {
    Error::new(MPI_ERR_TOPOLOGY, format!("the communicator has no {what}"))
}

/// How many sources and destinations this rank has in a communicator's topology: the lengths of the arrays of a
/// neighbourhood collective.
pub fn degrees(r: &Rank, comm: Comm) -> Result<(usize, usize)> {
    let (sources, destinations) = r.communicator(comm)?.neighbors()?;
    Ok((sources.len(), destinations.len()))
}

/// `MPI_Topo_test`
pub fn topo_test(r: &Rank, comm: Comm) -> Result<i32> {
    Ok(match r.communicator(comm)?.topology() {
        None => MPI_UNDEFINED,
        Some(Topology::Cart(_)) => MPI_CART,
        Some(Topology::Graph(_)) => MPI_GRAPH,
        Some(Topology::DistGraph(_)) => MPI_DIST_GRAPH,
    })
}

/// `MPI_Get_hw_resource_info` (§9.1.2). All ranks share one memory; nothing is known of hardware below that.
pub fn get_hw_resource_info(r: &Rank) -> Result<Info> {
    let info = crate::info::info_create(r)?;
    crate::info::info_set(r, info, SHARED_MEMORY, "true")?;
    Ok(info)
}

/// `length` as the length of an array argument that the caller gave.
fn room(length: i32, needed: usize, what: &str) -> Result<()> {
    match usize::try_from(length) {
        Ok(length) if length >= needed => Ok(()),
        _ => Err(Error::new(MPI_ERR_DIMS, format!("{what} is {length}, but there are {needed}"))),
    }
}
