//! Graphs of which a rank knows only a part (§8.5.4, §8.5.5).

use rankine_abi::{Comm, Info, MPI_ERR_ARG, MPI_ERR_RANK};

use super::Topology;
use crate::comm::{Communicator, Party, Tag};
use crate::context::disagreement;
use crate::error::{Error, Result};
use crate::rank::Rank;

/// The edges that end and begin at one rank.
#[derive(Debug, Default)]
pub(crate) struct DistGraph {
    pub(super) sources: Vec<i32>,
    pub(super) destinations: Vec<i32>,
    /// Weights of both, unless the graph is unweighted.
    weights: Option<(Vec<i32>, Vec<i32>)>,
}

impl DistGraph {
    /// Bytes of host memory behind it.
    pub(super) fn heap_bytes(&self) -> usize {
        let weights = self.weights.as_ref().map_or(0, |(to, from)| size_of_val(&**to) + size_of_val(&**from));
        size_of_val(&*self.sources) + size_of_val(&*self.destinations) + weights
    }
}

/// `MPI_Dist_graph_create_adjacent`; weights are `None` for `MPI_UNWEIGHTED`.
pub async fn dist_graph_create_adjacent(
    r: &Rank,
    comm_old: Comm,
    indegree: i32,
    sources: &[i32],
    sourceweights: Option<&[i32]>,
    outdegree: i32,
    destinations: &[i32],
    destweights: Option<&[i32]>,
    info: Info,
    _reorder: bool,
) -> Result<Comm> {
    let communicator = r.intracommunicator(comm_old)?;
    let (incoming, outgoing) = (length(indegree, sources, "indegree")?, length(outdegree, destinations, "outdegree")?);
    let sources = nodes(&sources[..incoming], &communicator, "sources")?;
    let destinations = nodes(&destinations[..outgoing], &communicator, "destinations")?;
    let weights = match (sourceweights, destweights) {
        (None, None) => None,
        (Some(of_sources), Some(of_destinations)) => {
            Some((weights(of_sources, incoming, "sourceweights")?, weights(of_destinations, outgoing, "destweights")?))
        }
        _ => {
            let text = "only one of sourceweights and destweights is MPI_UNWEIGHTED";
            return Err(Error::new(MPI_ERR_ARG, text));
        }
    };
    create(r, &communicator, DistGraph { sources, destinations, weights }, info).await
}

/// `MPI_Dist_graph_create`; weights are `None` for `MPI_UNWEIGHTED`.
pub async fn dist_graph_create(
    r: &Rank,
    comm_old: Comm,
    n: i32,
    sources: &[i32],
    degrees: &[i32],
    destinations: &[i32],
    weights: Option<&[i32]>,
    info: Info,
    _reorder: bool,
) -> Result<Comm> {
    let communicator = r.intracommunicator(comm_old)?;
    let edges = edges(n, sources, degrees, destinations, weights, &communicator)?;
    let graph = distribute(r, &communicator, edges, weights.is_some()).await?;
    create(r, &communicator, graph, info).await
}

async fn create(r: &Rank, communicator: &Communicator, graph: DistGraph, info: Info) -> Result<Comm> {
    let hints = r.hints(info)?;
    let graph = communicator.with_topology(r, communicator.size(), Topology::DistGraph(graph)).await?;
    let Some(graph) = graph else { return Ok(Comm::NULL) };
    *graph.info.borrow_mut() = hints;
    r.add_comm(graph)
}

/// The edges that one rank contributes: source, destination, weight.
fn edges(
    n: i32,
    sources: &[i32],
    degrees: &[i32],
    destinations: &[i32],
    weights: Option<&[i32]>,
    communicator: &Communicator,
) -> Result<Vec<i32>> {
    let n = length(n, sources, "n")?;
    let sources = nodes(&sources[..n], communicator, "sources")?;
    let degrees = degrees.get(..n).unwrap_or_default();
    if let Some(position) = degrees.iter().position(|&degree| degree < 0) {
        let text = format!("degrees[{position}] is {}, which is negative", degrees[position]);
        return Err(Error::new(MPI_ERR_ARG, text));
    }
    let total: i64 = degrees.iter().copied().map(i64::from).sum();
    let destinations = usize::try_from(total).ok().and_then(|total| destinations.get(..total)).ok_or_else(|| {
        Error::new(
            MPI_ERR_ARG,
            format!("destinations has {} elements, but the degrees add up to {total}", destinations.len()),
        )
    })?;
    let destinations = nodes(destinations, communicator, "destinations")?;
    let weights = match weights {
        Some(given) => self::weights(given, destinations.len(), "weights")?,
        None => vec![0; destinations.len()],
    };
    let sources =
        sources.iter().zip(degrees).flat_map(|(&source, &degree)| std::iter::repeat_n(source, degree as usize));
    let edges = sources.zip(destinations).zip(weights);
    Ok(edges.flat_map(|((source, destination), weight)| [source, destination, weight]).collect())
}

/// Brings each edge to both of its ends, in the order of the ranks that contributed them.
async fn distribute(r: &Rank, communicator: &Communicator, edges: Vec<i32>, weighted: bool) -> Result<DistGraph> {
    let party = Party::all(r, communicator, Tag::EDGES);
    let all = party.gather_lists(edges).await?;
    let mut lists = Vec::new();
    if communicator.rank == 0 {
        // Incoming edges have their source after a 0, outgoing ones their destination after a 1.
        lists.resize(communicator.group.len(), Vec::new());
        for &[source, destination, weight] in all.as_chunks::<3>().0 {
            for (end, [direction, other]) in [(destination, [0, source]), (source, [1, destination])] {
                let list = usize::try_from(end).ok().and_then(|end| lists.get_mut(end)).ok_or_else(disagreement)?;
                list.extend([direction, other, weight]);
            }
        }
    }
    let mut graph = DistGraph::default();
    let (mut incoming, mut outgoing) = (Vec::new(), Vec::new());
    for &[direction, node, weight] in party.scatter_lists(lists).await?.as_chunks::<3>().0 {
        let (nodes, weights) = match direction {
            0 => (&mut graph.sources, &mut incoming),
            _ => (&mut graph.destinations, &mut outgoing),
        };
        nodes.push(node);
        weights.push(weight);
    }
    graph.weights = weighted.then_some((incoming, outgoing));
    Ok(graph)
}

/// `MPI_Dist_graph_neighbors_count`: sources, destinations, and whether edges have weights.
pub fn dist_graph_neighbors_count(r: &Rank, comm: Comm) -> Result<(i32, i32, bool)> {
    let communicator = r.communicator(comm)?;
    let graph = communicator.dist_graph()?;
    Ok((graph.sources.len() as i32, graph.destinations.len() as i32, graph.weights.is_some()))
}

/// `MPI_Dist_graph_neighbors`: sources and their weights, destinations and their weights; as many as there is room for.
/// The weights of an unweighted graph are empty.
#[allow(clippy::type_complexity)] // four arrays, as in MPI
pub fn dist_graph_neighbors(
    r: &Rank,
    comm: Comm,
    maxindegree: i32,
    maxoutdegree: i32,
) -> Result<(Vec<i32>, Vec<i32>, Vec<i32>, Vec<i32>)> {
    let communicator = r.communicator(comm)?;
    let graph = communicator.dist_graph()?;
    let first = |values: &[i32], room: i32, what: &str| match usize::try_from(room) {
        Ok(room) => Ok(values[..room.min(values.len())].to_vec()),
        Err(_) => Err(Error::new(MPI_ERR_ARG, format!("{what} is {room}, which is negative"))),
    };
    let (incoming, outgoing) = graph.weights.as_ref().map(|(i, o)| (&i[..], &o[..])).unwrap_or_default();
    Ok((
        first(&graph.sources, maxindegree, "maxindegree")?,
        first(incoming, maxindegree, "maxindegree")?,
        first(&graph.destinations, maxoutdegree, "maxoutdegree")?,
        first(outgoing, maxoutdegree, "maxoutdegree")?,
    ))
}

fn length(length: i32, array: &[i32], what: &str) -> Result<usize> {
    usize::try_from(length)
        .ok()
        .filter(|&length| length <= array.len())
        .ok_or_else(|| Error::new(MPI_ERR_ARG, format!("{what} is {length}, which is not a number of ranks")))
}

fn nodes(nodes: &[i32], communicator: &Communicator, what: &str) -> Result<Vec<i32>> {
    match nodes.iter().position(|node| !(0..communicator.size()).contains(node)) {
        None => Ok(nodes.to_vec()),
        Some(position) => Err(Error::new(
            MPI_ERR_RANK,
            format!(
                "{what}[{position}] is {}, but the communicator has ranks 0 to {}",
                nodes[position],
                communicator.size() - 1
            ),
        )),
    }
}

fn weights(weights: &[i32], count: usize, what: &str) -> Result<Vec<i32>> {
    let weights = weights
        .get(..count)
        .ok_or_else(|| Error::new(MPI_ERR_ARG, format!("{what} has {} elements for {count} edges", weights.len())))?;
    match weights.iter().position(|&weight| weight < 0) {
        None => Ok(weights.to_vec()),
        Some(position) => {
            let text = format!("{what}[{position}] is {}, which is negative", weights[position]);
            Err(Error::new(MPI_ERR_ARG, text))
        }
    }
}

#[cfg(test)]
mod tests {
    use rankine_abi::MPI_DIST_GRAPH;

    use super::*;
    use crate::comm::comm_dup;
    use crate::testing::both;
    use crate::topo::{degrees, topo_test};

    #[test]
    fn a_ring_that_each_rank_knows_its_part_of() {
        both(4, async |r| {
            let me = r.id() as i32;
            let (left, right) = ((me + 3) % 4, (me + 1) % 4);
            let ring =
                dist_graph_create_adjacent(r, Comm::WORLD, 1, &[left], None, 1, &[right], None, Info::NULL, false)
                    .await;
            let ring = comm_dup(r, ring.unwrap()).await.unwrap();
            assert_eq!(topo_test(r, ring).unwrap(), MPI_DIST_GRAPH);
            assert_eq!(dist_graph_neighbors_count(r, ring).unwrap(), (1, 1, false));
            assert_eq!(dist_graph_neighbors(r, ring, 5, 0).unwrap(), (vec![left], vec![], vec![], vec![]));
            assert_eq!(degrees(r, ring).unwrap(), (1, 1));
        });
    }

    #[test]
    fn edges_reach_both_of_their_ends() {
        for size in [1, 2, 3, 5, 8] {
            both(size, async |r| {
                let (me, size) = (r.id() as i32, size as i32);
                // Each rank tells of the edges from its right neighbour to everybody, weighted by the target.
                let targets: Vec<i32> = (0..size).collect();
                let (source, degree) = ([(me + 1) % size], [size]);
                let weights = Some(&targets[..]);
                let graph = dist_graph_create(r, Comm::WORLD, 1, &source, &degree, &targets, weights, Info::NULL, true);
                let graph = graph.await.unwrap();
                assert_eq!(dist_graph_neighbors_count(r, graph).unwrap(), (size, size, true));
                let told: Vec<i32> = (0..size).map(|rank| (rank + 1) % size).collect();
                assert_eq!(
                    dist_graph_neighbors(r, graph, size, size).unwrap(),
                    (told, vec![me; size as usize], targets.clone(), targets)
                );
                let empty = dist_graph_create(r, Comm::WORLD, 0, &[], &[], &[], None, Info::NULL, false).await.unwrap();
                assert_eq!(dist_graph_neighbors_count(r, empty).unwrap(), (0, 0, false));
            });
        }
    }

    #[test]
    fn mistakes_are_named() {
        both(2, async |r| {
            let text = async |sources: &[i32], degrees: &[i32], weights: Option<&[i32]>| {
                let n = sources.len() as i32;
                let graph = dist_graph_create(r, Comm::WORLD, n, sources, degrees, &[0, 1], weights, Info::NULL, false);
                graph.await.unwrap_err().to_string()
            };
            assert_eq!(text(&[2], &[1], None).await, "sources[0] is 2, but the communicator has ranks 0 to 1");
            assert_eq!(text(&[0], &[-1], None).await, "degrees[0] is -1, which is negative");
            assert_eq!(text(&[0], &[3], None).await, "destinations has 2 elements, but the degrees add up to 3");
            assert_eq!(text(&[0], &[2], Some(&[1, -1])).await, "weights[1] is -1, which is negative");
        });
    }
}
