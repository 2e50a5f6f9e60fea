//! Ghost cells: copies of what the neighbours hold.

use std::ffi::{c_int, c_void};
use std::ops::{Deref, DerefMut};

use mpi_sys::*;
use rankine::Plain;

use crate::array::Array;
use crate::error::{Result, check};
use crate::grid::finalized;
use crate::range::Axis;
use crate::types::Datatype;

/// Which ghost cells are to be written. What a stencil does not read need not travel.
///
/// ```no_run
/// # use rankine_arrays::{Array, Halo, Result};
/// # fn example(mut u: Array<f64, 3>) -> Result<()> {
/// u.write_halo()?;                                          // the faces: what stencils along the axes read
/// u.write_halo_of(&Halo::faces().corners())?;               // edges and corners too, from diagonal neighbours
/// u.write_halo_of(&Halo::faces().width(0, 1, 0).skip(2))?;  // one cell below dimension 0, none along dimension 2
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Halo {
    corners: bool,
    widths: Vec<(usize, [usize; 2])>,
}

impl Halo {
    /// Everything but edges and corners.
    pub fn faces() -> Halo {
        Halo::default()
    }

    /// Edges and corners too: what diagonal neighbours hold.
    pub fn corners(self) -> Halo {
        Halo { corners: true, ..self }
    }

    /// Only so many cells below and above each block, in one dimension. Those next to the block are written.
    pub fn width(mut self, dim: usize, below: usize, above: usize) -> Halo {
        self.widths.retain(|(known, _)| *known != dim);
        self.widths.push((dim, [below, above]));
        self
    }

    /// None in one dimension.
    pub fn skip(self, dim: usize) -> Halo {
        self.width(dim, 0, 0)
    }
}

/// What an array has compiled.
#[derive(Default)]
pub(crate) struct Halos {
    faces: Option<Exchange>,
    others: Vec<(Halo, Exchange)>,
    /// Which of the others is under way, if any but the faces.
    started: Option<usize>,
}

/// Persistent requests: all receives, then all sends.
struct Exchange {
    requests: Vec<MPI_Request>,
    is_started: bool,
}

impl Exchange {
    #[inline]
    fn start(&mut self) -> Result<()> {
        self.is_started = true;
        let (count, requests) = (self.requests.len() as c_int, self.requests.as_mut_ptr());
        // SAFETY: they are persistent requests that are not under way, over memory that lives as long as they do.
        check(unsafe { MPI_Startall(count, requests) })
    }

    #[inline]
    fn wait(&mut self) -> Result<()> {
        self.is_started = false;
        let (count, requests) = (self.requests.len() as c_int, self.requests.as_mut_ptr());
        // SAFETY: they are requests that `start` has started, over memory that lives as long as they do.
        check(unsafe { MPI_Waitall(count, requests, MPI_STATUSES_IGNORE) })
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        if finalized() {
            return;
        }
        if self.is_started {
            // A guard was leaked: the memory must not go before what is under way.
            let _ = self.wait();
        }
        for request in &mut self.requests {
            // SAFETY: they are ours, and none is under way.
            unsafe { MPI_Request_free(request) };
        }
    }
}

/// A halo under way. The array can be used meanwhile, except that ghost cells hold old or new values and that what the
/// neighbours are to get must not be changed yet.
#[must_use = "ghost cells have their values after `finish`"]
pub struct Started<'a, T, const R: usize> {
    array: &'a mut Array<T, R>,
}

impl<T, const R: usize> Started<'_, T, R> {
    /// Waits until all ghost cells have come.
    pub fn finish(self) -> Result<()> {
        self.array.halos.wait()
    }
}

impl<T, const R: usize> Drop for Started<'_, T, R> {
    fn drop(&mut self) {
        let _ = self.array.halos.wait();
    }
}

impl<T, const R: usize> Deref for Started<'_, T, R> {
    type Target = Array<T, R>;

    fn deref(&self) -> &Array<T, R> {
        self.array
    }
}

impl<T, const R: usize> DerefMut for Started<'_, T, R> {
    fn deref_mut(&mut self) -> &mut Array<T, R> {
        self.array
    }
}

impl Halos {
    fn current(&mut self) -> Option<&mut Exchange> {
        match self.started {
            None => self.faces.as_mut(),
            Some(index) => self.others.get_mut(index).map(|(_, exchange)| exchange),
        }
    }

    /// Waits for what is under way, if anything is.
    #[inline]
    fn wait(&mut self) -> Result<()> {
        self.current().filter(|exchange| exchange.is_started).map_or(Ok(()), Exchange::wait)
    }
}

impl<T: Plain, const R: usize> Array<T, R> {
    /// Copies the neighbours' rims to the ghost cells of all faces. At the ends of a range that is not periodic there is
    /// no neighbour: those cells are left as they are. Collective.
    #[inline]
    pub fn write_halo(&mut self) -> Result<()> {
        self.faces()?.start()?;
        self.halos.wait()
    }

    /// Copies the neighbours' rims to the ghost cells that `halo` names. It is compiled when it first comes, and kept.
    pub fn write_halo_of(&mut self, halo: &Halo) -> Result<()> {
        self.exchange(halo)?.start()?;
        self.halos.wait()
    }

    /// Starts what [`write_halo`](Array::write_halo) does. What needs no ghost cells can be computed meanwhile.
    #[inline]
    pub fn start_halo(&mut self) -> Result<Started<'_, T, R>> {
        self.faces()?.start()?;
        Ok(Started { array: self })
    }

    /// Starts what [`write_halo_of`](Array::write_halo_of) does.
    pub fn start_halo_of(&mut self, halo: &Halo) -> Result<Started<'_, T, R>> {
        self.exchange(halo)?.start()?;
        Ok(Started { array: self })
    }

    #[inline]
    fn faces(&mut self) -> Result<&mut Exchange> {
        self.halos.wait()?;
        self.halos.started = None;
        if self.halos.faces.is_none() {
            self.halos.faces = Some(self.compile(&Halo::faces())?);
        }
        Ok(self.halos.faces.as_mut().expect("it was just made"))
    }

    fn exchange(&mut self, halo: &Halo) -> Result<&mut Exchange> {
        if *halo == Halo::default() {
            return self.faces();
        }
        self.halos.wait()?;
        let index = match self.halos.others.iter().position(|(known, _)| known == halo) {
            Some(index) => index,
            None => {
                let new = self.compile(halo)?;
                self.halos.others.push((halo.clone(), new));
                self.halos.others.len() - 1
            }
        };
        self.halos.started = Some(index);
        Ok(&mut self.halos.others[index].1)
    }

    /// How many cells of each dimension's ghosts are written.
    fn widths(&self, halo: &Halo) -> Result<[[usize; 2]; R]> {
        let mut widths = std::array::from_fn(|dim| self.axis(dim).ghosts);
        for &(dim, [below, above]) in &halo.widths {
            self.layout().dimension(dim)?;
            let ghosts = self.axis(dim).ghosts;
            if below > ghosts[0] || above > ghosts[1] {
                let what = format!("a halo of {below} and {above} cells was asked for, and it has {ghosts:?} ghosts");
                return Err(self.layout().misuse(Some(dim), what));
            }
            widths[dim] = [below, above];
        }
        Ok(widths)
    }

    fn compile(&self, halo: &Halo) -> Result<Exchange> {
        let widths = self.widths(halo)?;
        let mut exchange = Exchange { requests: Vec::new(), is_started: false };
        for receives in [true, false] {
            for direction in directions::<R>(halo.corners) {
                let Some(rank) = self.neighbour(direction) else { continue };
                let places: [Vec<isize>; R] = std::array::from_fn(|dim| {
                    let axis = self.axis(dim);
                    let stride = self.layout().dims[dim].stride;
                    let range = if receives {
                        ghosts(axis, direction[dim], widths[dim])
                    } else {
                        rim(axis, direction[dim], widths[dim])
                    };
                    range.map(|at| at * stride).collect()
                });
                if places.iter().all(|places| !places.is_empty()) {
                    // A message is named after the way that it goes: it comes from above if it goes down.
                    let way = if receives { direction.map(|step| -step) } else { direction };
                    exchange.requests.push(self.persistent(receives, &places, rank, tag(way))?);
                }
            }
        }
        Ok(exchange)
    }

    fn persistent(&self, receives: bool, places: &[Vec<isize>; R], rank: usize, tag: c_int) -> Result<MPI_Request> {
        let (datatype, first) = Datatype::product(places, size_of::<T>())?;
        let first = self.layout().offset + first;
        let mut request = MPI_REQUEST_NULL;
        // SAFETY: all places lie in the array's block, which lives as long as the request; the request keeps the type.
        check(unsafe {
            let at: *mut c_void = self.data().offset(first).as_ptr().cast();
            let (datatype, rank, comm) = (datatype.raw(), rank as c_int, self.grid().raw());
            match receives {
                true => MPI_Recv_init(at, 1, datatype, rank, tag, comm, &mut request),
                false => MPI_Send_init(at, 1, datatype, rank, tag, comm, &mut request),
            }
        })?;
        Ok(request)
    }

    /// The rank that lies in a direction.
    fn neighbour(&self, direction: [isize; R]) -> Option<usize> {
        let mut coords = self.grid().coords().to_vec();
        for (dim, step) in direction.into_iter().enumerate() {
            let axis = self.axis(dim);
            let next = axis.part as isize + step;
            let is_over = next < 0 || next >= axis.parts as isize;
            if is_over && !axis.periodic {
                return None;
            }
            if let Some(along) = axis.dim {
                coords[along] = next.rem_euclid(axis.parts as isize) as usize;
            }
        }
        Some(self.grid().rank_at(&coords))
    }
}

/// Which ghost cells lie in a direction, counted from the first element that is none.
fn ghosts(axis: &Axis, step: isize, [below, above]: [usize; 2]) -> std::ops::Range<isize> {
    let count = axis.count(axis.part) as isize;
    match step {
        -1 => -(below as isize)..0,
        0 => 0..count,
        _ => count..count + above as isize,
    }
}

/// Which elements the neighbour in a direction has as ghost cells.
fn rim(axis: &Axis, step: isize, [below, above]: [usize; 2]) -> std::ops::Range<isize> {
    let count = axis.count(axis.part) as isize;
    match step {
        -1 => 0..above as isize,
        0 => 0..count,
        _ => count - below as isize..count,
    }
}

/// All steps to neighbours, along one dimension or along several.
fn directions<const R: usize>(corners: bool) -> impl Iterator<Item = [isize; R]> {
    let all = (0..3usize.pow(R as u32))
        .map(|code| std::array::from_fn(|dim| (code / 3usize.pow(dim as u32) % 3) as isize - 1));
    all.filter(move |direction: &[isize; R]| {
        let steps = direction.iter().filter(|&&step| step != 0).count();
        steps == 1 || (corners && steps > 1)
    })
}

fn tag<const R: usize>(way: [isize; R]) -> c_int {
    way.iter().rev().fold(0, |code, &step| code * 3 + step as c_int + 1)
}
