//! Graphs that every rank describes whole (§8.5.3, §8.5.5).

use rankine_abi::{Comm, MPI_ERR_ARG, MPI_UNDEFINED};

use super::cart::check_rank;
use super::{Topology, room};
use crate::error::{Error, Result};
use crate::rank::Rank;

/// The neighbours of all nodes.
#[derive(Debug, Hash)]
pub(crate) struct Graph {
    /// For each node, where its neighbours in `edges` end.
    ends: Vec<i32>,
    edges: Vec<i32>,
}

impl Graph {
    /// The graph that a call describes, if it has at most `ranks` nodes.
    fn new(nnodes: i32, index: &[i32], edges: &[i32], ranks: i32) -> Result<Graph> {
        if !(0..=ranks).contains(&nnodes) || index.len() < nnodes as usize {
            let text = format!("nnodes is {nnodes}, but the communicator has {ranks} ranks");
            return Err(Error::new(MPI_ERR_ARG, text));
        }
        let mut before = 0;
        for (node, &end) in index[..nnodes as usize].iter().enumerate() {
            if end < before {
                return Err(Error::new(MPI_ERR_ARG, format!("index[{node}] is {end}, less than {before} before it")));
            }
            before = end;
        }
        let edges = edges.get(..before as usize).ok_or_else(|| {
            Error::new(MPI_ERR_ARG, format!("edges has {} elements, but the index ends at {before}", edges.len()))
        })?;
        if let Some(edge) = edges.iter().position(|node| !(0..nnodes).contains(node)) {
            let text = format!("edges[{edge}] is {}, but the graph has nodes 0 to {}", edges[edge], nnodes - 1);
            return Err(Error::new(MPI_ERR_ARG, text));
        }
        Ok(Graph { ends: index[..nnodes as usize].to_vec(), edges: edges.to_vec() })
    }

    /// Bytes of host memory behind it.
    pub(super) fn heap_bytes(&self) -> usize {
        size_of_val(&*self.ends) + size_of_val(&*self.edges)
    }

    /// The neighbours of a node that it has.
    pub(super) fn neighbors(&self, node: i32) -> &[i32] {
        let node = node as usize;
        let start = if node == 0 { 0 } else { self.ends[node - 1] };
        &self.edges[start as usize..self.ends[node] as usize]
    }
}

/// `MPI_Graph_create`
pub async fn graph_create(
    r: &Rank,
    comm_old: Comm,
    nnodes: i32,
    index: &[i32],
    edges: &[i32],
    _reorder: bool,
) -> Result<Comm> {
    let communicator = r.intracommunicator(comm_old)?;
    let graph = Graph::new(nnodes, index, edges, communicator.size())?;
    if nnodes == 0 {
        return Ok(Comm::NULL);
    }
    match communicator.with_topology(r, nnodes, Topology::Graph(graph)).await? {
        Some(graph) => r.add_comm(graph),
        None => Ok(Comm::NULL),
    }
}

/// `MPI_Graph_map`
pub fn graph_map(r: &Rank, comm: Comm, nnodes: i32, index: &[i32], edges: &[i32]) -> Result<i32> {
    let communicator = r.intracommunicator(comm)?;
    Graph::new(nnodes, index, edges, communicator.size())?;
    Ok(if communicator.rank < nnodes { communicator.rank } else { MPI_UNDEFINED })
}

/// `MPI_Graphdims_get`: numbers of nodes and of edges.
pub fn graphdims_get(r: &Rank, comm: Comm) -> Result<(i32, i32)> {
    let communicator = r.communicator(comm)?;
    let graph = communicator.graph()?;
    Ok((graph.ends.len() as i32, graph.edges.len() as i32))
}

/// `MPI_Graph_get`
pub fn graph_get(r: &Rank, comm: Comm, maxindex: i32, maxedges: i32) -> Result<(Vec<i32>, Vec<i32>)> {
    let communicator = r.communicator(comm)?;
    let graph = communicator.graph()?;
    room(maxindex, graph.ends.len(), "maxindex")?;
    room(maxedges, graph.edges.len(), "maxedges")?;
    Ok((graph.ends.clone(), graph.edges.clone()))
}

/// `MPI_Graph_neighbors_count`
pub fn graph_neighbors_count(r: &Rank, comm: Comm, rank: i32) -> Result<i32> {
    let communicator = r.communicator(comm)?;
    let graph = communicator.graph()?;
    check_rank(rank, &communicator)?;
    Ok(graph.neighbors(rank).len() as i32)
}

/// `MPI_Graph_neighbors`
pub fn graph_neighbors(r: &Rank, comm: Comm, rank: i32, maxneighbors: i32) -> Result<Vec<i32>> {
    let communicator = r.communicator(comm)?;
    let graph = communicator.graph()?;
    check_rank(rank, &communicator)?;
    let neighbors = graph.neighbors(rank);
    room(maxneighbors, neighbors.len(), "maxneighbors")?;
    Ok(neighbors.to_vec())
}

#[cfg(test)]
mod tests {
    use rankine_abi::{MPI_ERR_DIMS, MPI_ERR_TOPOLOGY, MPI_GRAPH};

    use super::*;
    use crate::comm::{comm_dup, comm_free};
    use crate::testing::both;
    use crate::topo::{cart_get, degrees, topo_test};

    #[test]
    fn the_standards_example() {
        both(5, async |r| {
            let (index, edges) = ([2, 3, 4, 6], [1, 3, 0, 3, 0, 2]);
            let graph = graph_create(r, Comm::WORLD, 4, &index, &edges, false).await.unwrap();
            assert_eq!(graph == Comm::NULL, r.id() == 4);
            if r.id() == 4 {
                return;
            }
            let graph = comm_dup(r, graph).await.unwrap();
            assert_eq!(topo_test(r, graph).unwrap(), MPI_GRAPH);
            assert_eq!(graphdims_get(r, graph).unwrap(), (4, 6));
            assert_eq!(graph_get(r, graph, 4, 6).unwrap(), (index.to_vec(), edges.to_vec()));
            for (node, neighbors) in [&[1, 3][..], &[0], &[3], &[0, 2]].into_iter().enumerate() {
                assert_eq!(graph_neighbors_count(r, graph, node as i32).unwrap(), neighbors.len() as i32);
                assert_eq!(graph_neighbors(r, graph, node as i32, 2).unwrap(), neighbors);
            }
            assert_eq!(degrees(r, graph).unwrap(), [(2, 2), (1, 1), (1, 1), (2, 2)][r.id()]);
            assert_eq!(graph_neighbors(r, graph, 0, 1).unwrap_err().class, MPI_ERR_DIMS);
            assert_eq!(cart_get(r, graph, 1).unwrap_err().class, MPI_ERR_TOPOLOGY);
            assert_eq!(graph_map(r, graph, 3, &index, &edges).unwrap_err().class, MPI_ERR_ARG);
            assert_eq!(graph_map(r, graph, 1, &[0], &[]).unwrap(), if r.id() == 0 { 0 } else { MPI_UNDEFINED });
        });
    }

    #[test]
    fn a_graph_is_charged_as_long_as_a_communicator_has_it() {
        both(1, async |r| {
            let edges = vec![0; 1 << 20];
            let create = async || graph_create(r, Comm::SELF, 1, &[1 << 20], &edges, false).await.unwrap();
            let first = create().await;
            comm_free(r, first).await.unwrap();
            let before = r.account.used();
            let graph = create().await;
            let one = r.account.used() - before;
            assert!((4 << 20..5 << 20).contains(&one), "{one}");
            let copy = comm_dup(r, graph).await.unwrap();
            comm_free(r, graph).await.unwrap();
            let other = create().await;
            assert!((2 * one..2 * one + 4096).contains(&(r.account.used() - before)));
            comm_free(r, copy).await.unwrap();
            comm_free(r, other).await.unwrap();
            assert!(r.account.used() - before < 1 << 16);
        });
    }

    #[test]
    fn mistakes_are_named() {
        let text = |nnodes, index: &[i32], edges: &[i32]| Graph::new(nnodes, index, edges, 3).unwrap_err().to_string();
        assert_eq!(text(4, &[0; 4], &[]), "nnodes is 4, but the communicator has 3 ranks");
        assert_eq!(text(2, &[1, 0], &[0]), "index[1] is 0, less than 1 before it");
        assert_eq!(text(2, &[1, 2], &[0]), "edges has 1 elements, but the index ends at 2");
        assert_eq!(text(2, &[1, 2], &[0, 2]), "edges[1] is 2, but the graph has nodes 0 to 1");
        assert_eq!(text(1, &[-1], &[]), "index[0] is -1, less than 0 before it");
    }
}
