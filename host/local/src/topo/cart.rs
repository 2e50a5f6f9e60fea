//! Cartesian grids (§8.5.1, §8.5.5, §8.5.6). Ranks count row by row: the last coordinate varies fastest.

use std::rc::Rc;

use rankine_abi::{Comm, MPI_ERR_ARG, MPI_ERR_DIMS, MPI_ERR_RANK, MPI_ERR_TOPOLOGY, MPI_PROC_NULL, MPI_UNDEFINED};
use rankine_guest::dims;

use super::{Topology, room};
use crate::comm::{Communicator, Tag, name};
use crate::error::{Error, Result};
use crate::group::Members;
use crate::rank::Rank;

/// `MPI_Dims_create`: `dims` with its zeros replaced, in descending order.
pub fn dims_create(_: &Rank, nnodes: i32, ndims: i32, dims: &[i32]) -> Result<Vec<i32>> {
    match usize::try_from(ndims).ok().filter(|&length| length <= dims.len()) {
        Some(length) => dims::complete(nnodes, &dims[..length]),
        None => Err(Error::new(MPI_ERR_DIMS, format!("ndims is {ndims}, which is not a number of dimensions"))),
    }
}

/// One dimension of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Axis {
    length: i32,
    periodic: bool,
}

impl Axis {
    /// The coordinate `distance` steps away from another, if it is on the axis.
    fn step(self, from: i32, distance: i64) -> Option<i32> {
        let target = i64::from(from) + distance;
        let inside = self.periodic || (0..i64::from(self.length)).contains(&target);
        inside.then(|| target.rem_euclid(self.length.into()) as i32)
    }
}

/// Dimensions that a grid can have: no job has ranks for more than 31 that are longer than 1.
const MAX_DIMENSIONS: usize = 1 << 10;

/// A grid of ranks; without axes it is a single rank.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Grid {
    axes: Vec<Axis>,
}

impl Grid {
    /// The grid that a call describes, if it has at most `ranks` places.
    fn new(ndims: i32, dims: &[i32], periods: &[i32], ranks: i32) -> Result<Grid> {
        let length = usize::try_from(ndims).ok().filter(|&length| dims.len() >= length && periods.len() >= length);
        let length = length.ok_or_else(|| {
            Error::new(MPI_ERR_DIMS, format!("ndims is {ndims}, which is not a number of dimensions"))
        })?;
        if length > MAX_DIMENSIONS {
            let text = format!("ndims is {ndims}, but a grid has at most {MAX_DIMENSIONS} dimensions");
            return Err(Error::new(MPI_ERR_DIMS, text));
        }
        let dims = &dims[..length];
        if let Some(axis) = dims.iter().position(|&length| length < 0) {
            return Err(Error::new(MPI_ERR_DIMS, format!("dims[{axis}] is {}, which is negative", dims[axis])));
        }
        // A grid without places is one that no rank is in, as in other MPI libraries.
        if dims.contains(&0) {
            return Ok(Grid { axes: vec![Axis { length: 0, periodic: false }] });
        }
        let mut places = 1i64;
        for &length in dims {
            places *= i64::from(length);
            if places > i64::from(ranks) {
                let text = format!("the grid has {places} places or more, but the communicator has {ranks} ranks");
                return Err(Error::new(MPI_ERR_DIMS, text));
            }
        }
        let axes = dims.iter().zip(periods);
        Ok(Grid { axes: axes.map(|(&length, &periodic)| Axis { length, periodic: periodic != 0 }).collect() })
    }

    /// Bytes of host memory behind it.
    pub(super) fn heap_bytes(&self) -> usize {
        size_of_val(&*self.axes)
    }

    /// How many ranks it has.
    fn places(&self) -> i32 {
        self.axes.iter().map(|axis| axis.length).product()
    }

    fn coordinates(&self, mut rank: i32) -> Vec<i32> {
        let mut coordinates = vec![0; self.axes.len()];
        for (axis, coordinate) in self.axes.iter().zip(&mut coordinates).rev() {
            *coordinate = rank % axis.length;
            rank /= axis.length;
        }
        coordinates
    }

    /// The rank at coordinates that are inside the grid.
    fn rank(&self, coordinates: &[i32]) -> i32 {
        self.axes.iter().zip(coordinates).fold(0, |rank, (axis, coordinate)| rank * axis.length + coordinate)
    }

    /// The rank `distance` steps away along an axis, or `MPI_PROC_NULL`.
    fn step(&self, rank: i32, axis: usize, distance: i64) -> i32 {
        let apart = self.axes[axis + 1..].iter().map(|axis| axis.length).product();
        step_along(self.axes[axis], apart, rank, distance)
    }

    /// Along each axis the neighbours one step down and one step up.
    pub(super) fn neighbors(&self, rank: i32) -> Vec<i32> {
        let mut neighbors = vec![[MPI_PROC_NULL; 2]; self.axes.len()];
        let mut apart = 1;
        for (pair, &axis) in neighbors.iter_mut().zip(&self.axes).rev() {
            *pair = [-1, 1].map(|distance| step_along(axis, apart, rank, distance));
            apart *= axis.length;
        }
        neighbors.into_flattened()
    }

    /// The grid of the axes that remain, and the ranks of it that `rank` is in.
    fn part(&self, rank: i32, remains: &[bool]) -> (Grid, Vec<i32>) {
        let kept = |keep: bool| self.axes.iter().zip(remains).filter(move |&(_, &remains)| remains == keep);
        let part = Grid { axes: kept(true).map(|(&axis, _)| axis).collect() };
        let mine = self.coordinates(rank);
        let ranks = (0..part.places()).map(|place| {
            let mut inside = part.coordinates(place).into_iter();
            let coordinates = mine.iter().zip(remains);
            let coordinates: Vec<i32> = coordinates
                .map(|(&fixed, &remains)| if remains { inside.next().unwrap_or_default() } else { fixed })
                .collect();
            self.rank(&coordinates)
        });
        let ranks = ranks.collect();
        (part, ranks)
    }
}

/// The rank `distance` steps away along an axis, on which neighbours are `apart` ranks apart, or `MPI_PROC_NULL`.
fn step_along(axis: Axis, apart: i32, rank: i32, distance: i64) -> i32 {
    let coordinate = rank / apart % axis.length;
    axis.step(coordinate, distance).map_or(MPI_PROC_NULL, |target| rank + (target - coordinate) * apart)
}

/// `MPI_Cart_create`
pub async fn cart_create(
    r: &Rank,
    comm_old: Comm,
    ndims: i32,
    dims: &[i32],
    periods: &[i32],
    _reorder: bool,
) -> Result<Comm> {
    let communicator = r.intracommunicator(comm_old)?;
    let grid = Grid::new(ndims, dims, periods, communicator.size())?;
    match communicator.with_topology(r, grid.places(), Topology::Cart(grid)).await? {
        Some(cart) => r.add_comm(cart),
        None => Ok(Comm::NULL),
    }
}

/// `MPI_Cart_sub`
pub async fn cart_sub(r: &Rank, comm: Comm, remain_dims: &[i32]) -> Result<Comm> {
    let communicator = r.communicator(comm)?;
    let grid = communicator.grid()?;
    if remain_dims.len() < grid.axes.len() {
        return Err(Error::new(
            MPI_ERR_DIMS,
            format!("remain_dims has no value for each of {} dimensions", grid.axes.len()),
        ));
    }
    let remains: Vec<bool> = remain_dims.iter().map(|&remains| remains != 0).collect();
    let (part, ranks) = grid.part(communicator.rank, &remains);
    let rank = ranks.iter().position(|&rank| rank == communicator.rank).unwrap_or_default() as i32;
    let group = Members::list(ranks.iter().filter_map(|&rank| communicator.group.get(rank)).collect());
    let context = communicator.agree_on_parts(r, Tag::SUBGRIDS, Some(name(r, &group, &part))).await?;
    let mut sub = communicator.child(context, Rc::new(group), rank);
    sub.topology = Some(Topology::Cart(part).charged(r)?);
    r.add_comm(sub)
}

/// `MPI_Cart_map`
pub fn cart_map(r: &Rank, comm: Comm, ndims: i32, dims: &[i32], periods: &[i32]) -> Result<i32> {
    let communicator = r.intracommunicator(comm)?;
    let places = Grid::new(ndims, dims, periods, communicator.size())?.places();
    Ok(if communicator.rank < places { communicator.rank } else { MPI_UNDEFINED })
}

/// `MPI_Cartdim_get`
pub fn cartdim_get(r: &Rank, comm: Comm) -> Result<i32> {
    Ok(r.communicator(comm)?.grid()?.axes.len() as i32)
}

/// `MPI_Cart_get`: dimensions, periods and this rank's coordinates.
pub fn cart_get(r: &Rank, comm: Comm, maxdims: i32) -> Result<(Vec<i32>, Vec<bool>, Vec<i32>)> {
    let communicator = r.communicator(comm)?;
    let grid = communicator.grid()?;
    room(maxdims, grid.axes.len(), "maxdims")?;
    let (dims, periods) = grid.axes.iter().map(|axis| (axis.length, axis.periodic)).unzip();
    Ok((dims, periods, grid.coordinates(communicator.rank)))
}

/// `MPI_Cart_rank`
pub fn cart_rank(r: &Rank, comm: Comm, coords: &[i32]) -> Result<i32> {
    let communicator = r.communicator(comm)?;
    let grid = communicator.grid()?;
    if coords.len() < grid.axes.len() {
        return Err(Error::new(
            MPI_ERR_DIMS,
            format!("coords has no value for each of {} dimensions", grid.axes.len()),
        ));
    }
    let inside = |(axis, (&Axis { length, periodic }, &coordinate)): (usize, (&Axis, &i32))| {
        if periodic || (0..length).contains(&coordinate) {
            return Ok(coordinate.rem_euclid(length));
        }
        let text = format!(
            "coords[{axis}] is {coordinate}, but the dimension goes from 0 to {} and is not periodic",
            length - 1
        );
        Err(Error::new(MPI_ERR_ARG, text))
    };
    let coordinates = grid.axes.iter().zip(coords).enumerate().map(inside).collect::<Result<Vec<i32>>>()?;
    Ok(grid.rank(&coordinates))
}

/// `MPI_Cart_coords`
pub fn cart_coords(r: &Rank, comm: Comm, rank: i32, maxdims: i32) -> Result<Vec<i32>> {
    let communicator = r.communicator(comm)?;
    let grid = communicator.grid()?;
    check_rank(rank, &communicator)?;
    room(maxdims, grid.axes.len(), "maxdims")?;
    Ok(grid.coordinates(rank))
}

/// `MPI_Cart_shift`: the rank that sends here and the rank to send to.
pub fn cart_shift(r: &Rank, comm: Comm, direction: i32, disp: i32) -> Result<(i32, i32)> {
    let communicator = r.communicator(comm)?;
    let grid = communicator.grid()?;
    if grid.axes.is_empty() {
        return Err(Error::new(MPI_ERR_TOPOLOGY, "the grid has no dimension to shift along"));
    }
    let axis = usize::try_from(direction).ok().filter(|&axis| axis < grid.axes.len()).ok_or_else(|| {
        let text = format!("direction is {direction}, but the grid has dimensions 0 to {}", grid.axes.len() - 1);
        Error::new(MPI_ERR_DIMS, text)
    })?;
    let step = |distance| grid.step(communicator.rank, axis, distance);
    Ok((step(-i64::from(disp)), step(disp.into())))
}

/// An error unless the communicator has this rank.
pub(super) fn check_rank(rank: i32, communicator: &Communicator) -> Result<()> {
    if (0..communicator.size()).contains(&rank) {
        return Ok(());
    }
    let text = format!("rank is {rank}, but the communicator has ranks 0 to {}", communicator.size() - 1);
    Err(Error::new(MPI_ERR_RANK, text))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rankine_abi::{MPI_CART, MPI_IDENT, MPI_SIMILAR};

    use super::*;
    use crate::comm::{comm_compare, comm_dup, comm_rank, comm_size, comm_split};
    use crate::testing::both;
    use crate::topo::topo_test;

    proptest! {
        #[test]
        fn ranks_and_coordinates_are_inverses(dims in prop::collection::vec(1i32..5, 0..5), periodic: bool) {
            let periods = vec![i32::from(periodic); dims.len()];
            let grid = Grid::new(dims.len() as i32, &dims, &periods, 1000).unwrap();
            let mut all: Vec<Vec<i32>> = (0..grid.places()).map(|rank| grid.coordinates(rank)).collect();
            for (rank, coordinates) in all.iter().enumerate() {
                prop_assert_eq!(grid.rank(coordinates), rank as i32);
                for (coordinate, length) in coordinates.iter().zip(&dims) {
                    prop_assert!((0..*length).contains(coordinate));
                }
            }
            prop_assert!(all.is_sorted());
            all.dedup();
            prop_assert_eq!(all.len() as i32, dims.iter().product::<i32>());
        }

        #[test]
        fn steps_lead_back(dims in prop::collection::vec(1i32..5, 1..4), periodic: bool, distance in -9i64..9) {
            let periods = vec![i32::from(periodic); dims.len()];
            let grid = Grid::new(dims.len() as i32, &dims, &periods, 1000).unwrap();
            for rank in 0..grid.places() {
                for axis in 0..dims.len() {
                    match grid.step(rank, axis, distance) {
                        MPI_PROC_NULL => prop_assert!(!periodic),
                        there => prop_assert_eq!(grid.step(there, axis, -distance), rank),
                    }
                }
            }
        }

        #[test]
        fn neighbors_are_a_step_away(dims in prop::collection::vec(1i32..5, 0..5), periods in prop::collection::vec(0..2, 5)) {
            let grid = Grid::new(dims.len() as i32, &dims, &periods, 1000).unwrap();
            for rank in 0..grid.places() {
                let naive = |axis: usize, distance: i32| {
                    let mut coordinates = grid.coordinates(rank);
                    coordinates[axis] += distance;
                    let inside = (0..dims[axis]).contains(&coordinates[axis]);
                    coordinates[axis] = coordinates[axis].rem_euclid(dims[axis]);
                    if inside || periods[axis] != 0 { grid.rank(&coordinates) } else { MPI_PROC_NULL }
                };
                let all: Vec<i32> = (0..dims.len()).flat_map(|axis| [naive(axis, -1), naive(axis, 1)]).collect();
                prop_assert_eq!(grid.neighbors(rank), all);
            }
        }

        #[test]
        fn parts_cover_the_grid(axes in prop::collection::vec((1i32..5, any::<bool>()), 0..4)) {
            let (dims, remains): (Vec<i32>, Vec<bool>) = axes.into_iter().unzip();
            let grid = Grid::new(dims.len() as i32, &dims, &vec![0; dims.len()], 1000).unwrap();
            for rank in 0..grid.places() {
                let (part, ranks) = grid.part(rank, &remains);
                let mine = grid.coordinates(rank);
                let shares = |other: &i32| {
                    let other = grid.coordinates(*other);
                    (0..dims.len()).all(|axis| remains[axis] || mine[axis] == other[axis])
                };
                prop_assert_eq!(ranks, (0..grid.places()).filter(shares).collect::<Vec<_>>());
                prop_assert_eq!(part.axes.len(), remains.iter().filter(|remains| **remains).count());
            }
        }
    }

    #[test]
    fn a_grid_with_ranks_left_over() {
        both(8, async |r| {
            let cart = cart_create(r, Comm::WORLD, 2, &[2, 3], &[1, 0], true).await.unwrap();
            assert_eq!(cart == Comm::NULL, r.id() >= 6);
            if r.id() >= 6 {
                return;
            }
            let me = r.id() as i32;
            assert_eq!(topo_test(r, cart).unwrap(), MPI_CART);
            assert_eq!((comm_size(r, cart).unwrap(), comm_rank(r, cart).unwrap()), (6, me));
            let (dims, periods, coords) = cart_get(r, cart, 2).unwrap();
            assert_eq!((dims, periods), (vec![2, 3], vec![true, false]));
            assert_eq!(coords, [me / 3, me % 3]);
            assert_eq!(cart_rank(r, cart, &[coords[0] - 4, coords[1]]).unwrap(), me);
            assert_eq!(cart_shift(r, cart, 0, 1).unwrap(), ((me + 3) % 6, (me + 3) % 6));
            let (left, right) = cart_shift(r, cart, 1, 1).unwrap();
            assert_eq!(left, if coords[1] == 0 { MPI_PROC_NULL } else { me - 1 });
            assert_eq!(right, if coords[1] == 2 { MPI_PROC_NULL } else { me + 1 });
            let row = cart_sub(r, cart, &[0, 1]).await.unwrap();
            assert_eq!((comm_size(r, row).unwrap(), comm_rank(r, row).unwrap()), (3, coords[1]));
            assert_eq!(cartdim_get(r, row).unwrap(), 1);
            let split = comm_split(r, cart, coords[0], -coords[1]).await.unwrap();
            assert_eq!(comm_compare(r, row, split).unwrap(), MPI_SIMILAR);
            let point = cart_sub(r, row, &[0]).await.unwrap();
            assert_eq!((comm_size(r, point).unwrap(), cartdim_get(r, point).unwrap()), (1, 0));
            assert_eq!(cart_rank(r, point, &[]).unwrap(), 0);
            let copy = comm_dup(r, cart).await.unwrap();
            assert_eq!(cart_get(r, copy, 2).unwrap(), cart_get(r, cart, 2).unwrap());
            assert_eq!(comm_compare(r, cart, cart).unwrap(), MPI_IDENT);
        });
    }

    #[test]
    fn dimensions_are_limited() {
        let grid = |ndims: usize| Grid::new(ndims as i32, &vec![1; ndims], &vec![1; ndims], 1);
        assert_eq!(grid(MAX_DIMENSIONS).unwrap().neighbors(0), vec![0; 2 * MAX_DIMENSIONS]);
        let error = grid(40_000).unwrap_err();
        assert_eq!(
            (error.class, &*error.text),
            (MPI_ERR_DIMS, "ndims is 40000, but a grid has at most 1024 dimensions")
        );
    }

    #[test]
    fn mistakes_are_named() {
        both(4, async |r| {
            let create =
                async |dims: &[i32]| cart_create(r, Comm::WORLD, dims.len() as i32, dims, &[0; 4], false).await;
            let text = |error: Error| error.to_string();
            assert_eq!(text(create(&[2, -1]).await.unwrap_err()), "dims[1] is -1, which is negative");
            assert_eq!(
                text(create(&[i32::MAX, i32::MAX]).await.unwrap_err()),
                "the grid has 2147483647 places or more, but the communicator has 4 ranks"
            );
            let cart = create(&[2, 2]).await.unwrap();
            assert_eq!(
                text(cart_rank(r, cart, &[0, 2]).unwrap_err()),
                "coords[1] is 2, but the dimension goes from 0 to 1 and is not periodic"
            );
            assert_eq!(
                text(cart_coords(r, cart, 4, 2).unwrap_err()),
                "rank is 4, but the communicator has ranks 0 to 3"
            );
            assert_eq!(text(cart_coords(r, cart, 0, 1).unwrap_err()), "maxdims is 1, but there are 2");
            assert_eq!(
                text(cart_shift(r, cart, 2, 1).unwrap_err()),
                "direction is 2, but the grid has dimensions 0 to 1"
            );
            assert_eq!(cart_get(r, Comm::WORLD, 2).unwrap_err().class, MPI_ERR_TOPOLOGY);
            assert_eq!(cart_map(r, Comm::WORLD, 1, &[3], &[0]).unwrap(), [0, 1, 2, MPI_UNDEFINED][r.id()]);
            assert_eq!(cart_shift(r, cart, 0, i32::MIN).unwrap(), (MPI_PROC_NULL, MPI_PROC_NULL));
        });
    }
}
