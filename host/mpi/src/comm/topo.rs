//! Topologies: what a library takes for granted of their arguments.
//!
//! Some functions of MPICH write as many numbers as a topology has, however many the caller says that there is room
//! for; some read as many as the caller says. And what its grids are computed with is 32 bits wide, and an array of
//! sixteen. So here the library is told what is there, and is given nothing that it can't stand.

use std::ffi::c_int;

use rankine_abi::{Addr, MPI_ERR_ARG, MPI_ERR_DIMS, MPI_ERR_RANK, MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY};
use rankine_guest::Error;

use crate::Result;
use crate::call::words::Weights;
use crate::generated::symbols;
use crate::library::hints::Of;
use crate::rank::Rank;

/// Dimensions that a grid has at most.
const MOST_DIMENSIONS: i32 = 16;

/// Proves the shape of a grid; the library says whether the communicator is large enough for it.
fn prove_grid(ndims: c_int, dims: &[c_int]) -> Result<()> {
    if ndims > MOST_DIMENSIONS {
        let text = format!("ndims is {ndims}, but a grid has at most {MOST_DIMENSIONS} dimensions over an MPI library");
        return Err(Error::new(MPI_ERR_DIMS, text));
    }
    if let Some(axis) = dims.iter().position(|&dim| dim < 0) {
        return Err(Error::new(MPI_ERR_DIMS, format!("dims[{axis}] is {}, which is negative", dims[axis])));
    }
    let ranks = dims.iter().try_fold(1, |ranks: c_int, &dim| ranks.checked_mul(dim));
    match ranks {
        Some(_) => Ok(()),
        None => Err(Error::new(MPI_ERR_DIMS, "the grid has more places than any communicator has ranks")),
    }
}

/// Refuses an array that is shorter than what there is.
fn prove_room(most: c_int, there: i64, what: &str) -> Result<()> {
    if i64::from(most) < there {
        return Err(Error::new(MPI_ERR_ARG, format!("{what} is {most}, but there are {there}")));
    }
    Ok(())
}

/// Proves that these are ranks of a group of so many.
fn prove_ranks(ranks: &[c_int], size: i64, what: &str) -> Result<()> {
    match ranks.iter().find(|&&rank| !(0..size).contains(&i64::from(rank))) {
        Some(rank) => Err(Error::new(MPI_ERR_RANK, format!("{what}: rank {rank} is not one of {size}"))),
        None => Ok(()),
    }
}

/// The weights of so many edges, which a call reads.
fn weights_in(r: &Rank, at: Addr, count: i64, what: &str) -> Result<Weights> {
    if at == MPI_WEIGHTS_EMPTY && count > 0 {
        return Err(Error::new(MPI_ERR_ARG, format!("{what} is MPI_WEIGHTS_EMPTY, but there are {count} edges")));
    }
    r.weights(at, count, what)
}

/// Where a call writes the weights of so many edges.
fn weights_out(r: &Rank, at: Addr, count: i64, what: &str) -> Result<Weights> {
    r.weights(if at == MPI_WEIGHTS_EMPTY { MPI_UNWEIGHTED } else { at }, count, what)
}

/// `MPI_Dims_create`: by the embedded engine's rule, as a library takes its time, or dies, of many large factors.
pub(crate) fn dims_create(r: &Rank, nnodes: i32, ndims: i32, dims_at: Addr) -> Result<()> {
    let given = r.ints(dims_at, i64::from(ndims), "dims")?;
    let dims = rankine_guest::dims::complete(nnodes, &given)?;
    r.put_ints(dims_at, &dims, "dims")
}

/// `MPI_Cart_create`
pub(crate) fn cart_create(
    r: &Rank,
    comm_old_word: u32,
    ndims: i32,
    dims: Addr,
    periods: Addr,
    reorder: i32,
    comm_cart_at: Addr,
) -> Result<()> {
    let comm_old = r.intra(comm_old_word, "comm_old")?;
    let dims = r.ints(dims, i64::from(ndims), "dims")?;
    let periods = r.ints(periods, i64::from(ndims), "periods")?;
    prove_grid(ndims, &dims)?;
    r.room(comm_cart_at, r.word_bytes(), "comm_cart")?;
    let (call, mut comm_cart) = (r.symbol::<symbols::MPI_Cart_create>()?, 0);
    // SAFETY: an intracommunicator of the library's, arrays whose lengths and product were proved, and a result on the stack.
    r.check(unsafe { call(comm_old, ndims, dims.as_ptr(), periods.as_ptr(), reorder, &mut comm_cart) })?;
    r.put_comm(comm_cart_at, comm_cart, comm_old_word, "comm_cart")
}

/// `MPI_Cart_map`
pub(crate) fn cart_map(r: &Rank, comm: u32, ndims: i32, dims: Addr, periods: Addr, newrank_at: Addr) -> Result<()> {
    let comm = r.intra(comm, "comm")?;
    let dims = r.ints(dims, i64::from(ndims), "dims")?;
    let periods = r.ints(periods, i64::from(ndims), "periods")?;
    prove_grid(ndims, &dims)?;
    r.room(newrank_at, 4, "newrank")?;
    let (call, mut newrank) = (r.symbol::<symbols::MPI_Cart_map>()?, 0);
    // SAFETY: an intracommunicator of the library's, arrays whose lengths and product were proved, a result on the stack.
    r.check(unsafe { call(comm, ndims, dims.as_ptr(), periods.as_ptr(), &mut newrank) })?;
    r.put_int(newrank_at, newrank, "newrank")
}

/// `MPI_Cart_get`
pub(crate) fn cart_get(r: &Rank, comm: u32, most: i32, dims_at: Addr, periods_at: Addr, coords_at: Addr) -> Result<()> {
    let (comm, there) = (r.intra(comm, "comm")?, r.dimensions(comm)?);
    prove_room(most, there, "maxdims")?;
    let mut dims = r.ints(dims_at, there, "dims")?;
    let mut periods = r.ints(periods_at, there, "periods")?;
    let mut coords = r.ints(coords_at, there, "coords")?;
    let call = r.symbol::<symbols::MPI_Cart_get>()?;
    // SAFETY: there is room for as many as there are.
    r.check(unsafe { call(comm, there as c_int, dims.as_mut_ptr(), periods.as_mut_ptr(), coords.as_mut_ptr()) })?;
    r.put_ints(dims_at, &dims, "dims")?;
    r.put_ints(periods_at, &periods, "periods")?;
    r.put_ints(coords_at, &coords, "coords")
}

/// `MPI_Graph_neighbors`
pub(crate) fn graph_neighbors(r: &Rank, comm: u32, rank: i32, maxneighbors: i32, neighbors_at: Addr) -> Result<()> {
    let (comm, mut there) = (r.intra(comm, "comm")?, 0);
    let count = r.symbol::<symbols::MPI_Graph_neighbors_count>()?;
    // SAFETY: a result on the stack.
    r.check(unsafe { count(comm, rank, &mut there) })?;
    prove_room(maxneighbors, i64::from(there), "maxneighbors")?;
    let mut neighbors = r.ints(neighbors_at, i64::from(there), "neighbors")?;
    let call = r.symbol::<symbols::MPI_Graph_neighbors>()?;
    // SAFETY: there is room for as many as there are.
    r.check(unsafe { call(comm, rank, there, neighbors.as_mut_ptr()) })?;
    r.put_ints(neighbors_at, &neighbors, "neighbors")
}

/// `MPI_Dist_graph_neighbors`
pub(crate) fn dist_graph_neighbors(
    r: &Rank,
    comm: u32,
    maxindegree: i32,
    sources_at: Addr,
    sourceweights_at: Addr,
    maxoutdegree: i32,
    destinations_at: Addr,
    destweights_at: Addr,
) -> Result<()> {
    let (comm, count) = (r.intra(comm, "comm")?, r.symbol::<symbols::MPI_Dist_graph_neighbors_count>()?);
    let (mut ins, mut outs, mut is_weighted): (c_int, c_int, c_int) = (0, 0, 0);
    // SAFETY: results on the stack.
    r.check(unsafe { count(comm, &mut ins, &mut outs, &mut is_weighted) })?;
    prove_room(maxindegree, ins.into(), "maxindegree")?;
    prove_room(maxoutdegree, outs.into(), "maxoutdegree")?;
    let mut sources = r.ints(sources_at, ins.into(), "sources")?;
    let mut sourceweights = weights_out(r, sourceweights_at, ins.into(), "sourceweights")?;
    let mut destinations = r.ints(destinations_at, outs.into(), "destinations")?;
    let mut destweights = weights_out(r, destweights_at, outs.into(), "destweights")?;
    let call = r.symbol::<symbols::MPI_Dist_graph_neighbors>()?;
    let (from, to) = (sourceweights.as_mut_ptr(), destweights.as_mut_ptr());
    // SAFETY: there is room for as many as there are, and the library writes that many.
    r.check(unsafe { call(comm, ins, sources.as_mut_ptr(), from, outs, destinations.as_mut_ptr(), to) })?;
    r.put_ints(sources_at, &sources, "sources")?;
    r.put_weights(sourceweights_at, &sourceweights, "sourceweights")?;
    r.put_ints(destinations_at, &destinations, "destinations")?;
    r.put_weights(destweights_at, &destweights, "destweights")
}

/// `MPI_Dist_graph_create`
pub(crate) fn dist_graph_create(
    r: &Rank,
    comm_old: u32,
    n: i32,
    sources: Addr,
    degrees: Addr,
    destinations: Addr,
    weights: Addr,
    info: u32,
    reorder: i32,
    comm_dist_graph: Addr,
) -> Result<()> {
    let (comm, members) = (r.intra(comm_old, "comm_old")?, r.members(comm_old)?);
    let sources = r.ints(sources, i64::from(n), "sources")?;
    let degrees = r.ints(degrees, i64::from(n), "degrees")?;
    if let Some(degree) = degrees.iter().find(|&&degree| degree < 0) {
        return Err(Error::new(MPI_ERR_ARG, format!("degrees: {degree} is negative")));
    }
    let edges = degrees.iter().map(|&degree| i64::from(degree)).sum();
    let destinations = r.ints(destinations, edges, "destinations")?;
    let weights = weights_in(r, weights, edges, "weights")?;
    prove_ranks(&sources, members, "sources")?;
    prove_ranks(&destinations, members, "destinations")?;
    let info = r.hints(info, Of::Nothing, "info")?;
    r.room(comm_dist_graph, r.word_bytes(), "comm_dist_graph")?;
    let (call, mut made) = (r.symbol::<symbols::MPI_Dist_graph_create>()?, 0);
    r.prove_contexts(comm, 1)?;
    let (nodes, counts, ends) = (sources.as_ptr(), degrees.as_ptr(), destinations.as_ptr());
    // SAFETY: an intracommunicator of the library's, arrays whose ranks and lengths were proved, and a result on the stack.
    r.check(unsafe { call(comm, n, nodes, counts, ends, weights.as_ptr(), info.host, reorder, &mut made) })?;
    r.put_comm(comm_dist_graph, made, comm_old, "comm_dist_graph")
}

/// `MPI_Dist_graph_create_adjacent`
pub(crate) fn dist_graph_create_adjacent(
    r: &Rank,
    comm_old: u32,
    ins: i32,
    sources: Addr,
    sourceweights: Addr,
    outs: i32,
    destinations: Addr,
    destweights: Addr,
    info: u32,
    reorder: i32,
    comm_dist_graph: Addr,
) -> Result<()> {
    let (comm, members) = (r.intra(comm_old, "comm_old")?, r.members(comm_old)?);
    let sources = r.ints(sources, ins.into(), "sources")?;
    let sourceweights = weights_in(r, sourceweights, ins.into(), "sourceweights")?;
    let destinations = r.ints(destinations, outs.into(), "destinations")?;
    let destweights = weights_in(r, destweights, outs.into(), "destweights")?;
    prove_ranks(&sources, members, "sources")?;
    prove_ranks(&destinations, members, "destinations")?;
    let info = r.hints(info, Of::Nothing, "info")?;
    r.room(comm_dist_graph, r.word_bytes(), "comm_dist_graph")?;
    let (call, mut made) = (r.symbol::<symbols::MPI_Dist_graph_create_adjacent>()?, 0);
    let (from, to) = (sources.as_ptr(), destinations.as_ptr());
    let (in_weights, out_weights) = (sourceweights.as_ptr(), destweights.as_ptr());
    // SAFETY: an intracommunicator of the library's, arrays whose ranks and lengths were proved, a result on the stack.
    r.check(unsafe { call(comm, ins, from, in_weights, outs, to, out_weights, info.host, reorder, &mut made) })?;
    r.put_comm(comm_dist_graph, made, comm_old, "comm_dist_graph")
}
