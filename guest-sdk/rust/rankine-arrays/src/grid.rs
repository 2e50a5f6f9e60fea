//! Grids of ranks.

use std::cell::RefCell;
use std::ffi::c_int;
use std::fmt;
use std::rc::Rc;

use mpi_sys::*;
use rankine::Communicator;

use crate::error::{Error, Result, check};

/// The ranks of a communicator, laid out in one to three dimensions. The last dimension runs fastest.
///
/// ```no_run
/// # use rankine_arrays::Grid;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let universe = rankine::Universe::new()?;
/// let grid = Grid::new(&universe.world(), 2)?; // with 12 ranks: 4 x 3
/// let strips = Grid::shaped(&universe.world(), &[0, 1])?; // one column; 0 is "as many as there are"
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Grid(Rc<Inner>);

struct Inner {
    comm: Rc<Comm>,
    shape: Vec<usize>,
    coords: Vec<usize>,
    rank: usize,
    size: usize,
    /// The ranks that differ from this one along one dimension only, for those dimensions that were asked for.
    lines: RefCell<Vec<(usize, Comm)>>,
}

/// A communicator of our own: no message of ours meets one of the user's.
struct Comm(MPI_Comm);

impl Drop for Comm {
    fn drop(&mut self) {
        if !finalized() {
            // SAFETY: it was made for this grid, and nobody uses it any more.
            unsafe { MPI_Comm_free(&mut self.0) };
        }
    }
}

/// Whether MPI has ended, and with it all that it made.
pub(crate) fn finalized() -> bool {
    let mut flag: c_int = 0;
    // SAFETY: this may be asked at any time, and the flag outlives the call.
    unsafe { MPI_Finalized(&mut flag) };
    flag != 0
}

impl Grid {
    /// A grid of so many dimensions over all ranks, as near to a square or cube as their number allows
    /// (`MPI_Dims_create`). Collective.
    pub fn new(comm: &Communicator, dimensions: usize) -> Result<Grid> {
        Grid::shaped(comm, &vec![0; dimensions])
    }

    /// A grid of this shape; where it says 0, the number is chosen. Collective.
    pub fn shaped(comm: &Communicator, shape: &[usize]) -> Result<Grid> {
        let shape = complete(shape, comm.size() as usize)?;
        let mut own = MPI_COMM_NULL;
        // SAFETY: the communicator is one, and the result outlives the call.
        check(unsafe { MPI_Comm_dup(comm.raw(), &mut own) })?;
        Ok(Grid::over(Rc::new(Comm(own)), shape, comm.rank() as usize, comm.size() as usize))
    }

    /// The same ranks in another shape. Arrays over both can be copied to each other.
    pub fn reshaped(&self, shape: &[usize]) -> Result<Grid> {
        let shape = complete(shape, self.size())?;
        Ok(Grid::over(self.0.comm.clone(), shape, self.rank(), self.size()))
    }

    fn over(comm: Rc<Comm>, shape: Vec<usize>, rank: usize, size: usize) -> Grid {
        let coords = (0..shape.len()).map(|dim| coordinate(&shape, rank, dim)).collect();
        Grid(Rc::new(Inner { comm, shape, coords, rank, size, lines: RefCell::default() }))
    }

    /// How many ranks there are along each dimension.
    pub fn shape(&self) -> &[usize] {
        &self.0.shape
    }

    /// Where this rank is.
    pub fn coords(&self) -> &[usize] {
        &self.0.coords
    }

    /// This rank, in the communicator that the grid was made of.
    pub fn rank(&self) -> usize {
        self.0.rank
    }

    /// The number of ranks.
    pub fn size(&self) -> usize {
        self.0.size
    }

    /// Where a rank is along a dimension.
    pub fn coordinate(&self, rank: usize, dim: usize) -> usize {
        coordinate(self.shape(), rank, dim)
    }

    /// The grid's own communicator.
    pub fn communicator(&self) -> Communicator {
        // SAFETY: the grid keeps it, and whoever uses the result keeps the grid, as all arrays do.
        unsafe { Communicator::from_raw(self.raw()) }
    }

    #[inline]
    pub(crate) fn raw(&self) -> MPI_Comm {
        self.0.comm.0
    }

    /// The communicator of the ranks along a dimension. Collective when it is first asked for.
    pub(crate) fn line(&self, dim: usize) -> Result<MPI_Comm> {
        let mut lines = self.0.lines.borrow_mut();
        if let Some((_, comm)) = lines.iter().find(|(known, _)| *known == dim) {
            return Ok(comm.0);
        }
        let mut first = self.coords().to_vec();
        first[dim] = 0;
        let (colour, key) = (self.rank_at(&first) as c_int, self.coords()[dim] as c_int);
        let mut own = MPI_COMM_NULL;
        // SAFETY: the grid's communicator is one, and the result outlives the call.
        check(unsafe { MPI_Comm_split(self.raw(), colour, key, &mut own) })?;
        lines.push((dim, Comm(own)));
        Ok(own)
    }

    /// The rank at these coordinates.
    pub(crate) fn rank_at(&self, coords: &[usize]) -> usize {
        self.shape().iter().zip(coords).fold(0, |rank, (&count, &coord)| rank * count + coord)
    }

    /// Whether the grids have the same ranks, and so can exchange messages.
    pub(crate) fn same_ranks(&self, other: &Grid) -> bool {
        Rc::ptr_eq(&self.0.comm, &other.0.comm)
    }
}

impl PartialEq for Grid {
    fn eq(&self, other: &Grid) -> bool {
        Rc::ptr_eq(&self.0, &other.0) || (self.same_ranks(other) && self.shape() == other.shape())
    }
}

impl fmt::Debug for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Grid({:?}, rank {} at {:?})", self.shape(), self.rank(), self.coords())
    }
}

fn coordinate(shape: &[usize], rank: usize, dim: usize) -> usize {
    rank / shape[dim + 1..].iter().product::<usize>() % shape[dim]
}

/// A shape for `size` ranks, with a number in place of every 0.
fn complete(shape: &[usize], size: usize) -> Result<Vec<usize>> {
    if !(1..=3).contains(&shape.len()) {
        return Err(Error::Grid(format!("a grid has 1 to 3 dimensions, not {}", shape.len())));
    }
    let given = shape.iter().filter(|&&count| count > 0).try_fold(1usize, |product, &count| product.checked_mul(count));
    let fits = given.is_some_and(|given| if shape.contains(&0) { size.is_multiple_of(given) } else { given == size });
    if !fits {
        return Err(Error::Grid(format!("{size} ranks can't be a grid of the shape {shape:?}")));
    }
    let mut dims: Vec<c_int> = shape.iter().map(|&count| count as c_int).collect();
    // SAFETY: there are as many numbers, and their product divides that of the ranks.
    check(unsafe { MPI_Dims_create(size as c_int, dims.len() as c_int, dims.as_mut_ptr()) })?;
    Ok(dims.into_iter().map(|count| count as usize).collect())
}
