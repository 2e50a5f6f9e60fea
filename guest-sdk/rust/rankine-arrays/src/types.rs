//! Datatypes of lists of places.

use std::ffi::c_int;

use mpi_sys::*;

use crate::error::{Result, check};
use crate::grid::finalized;

/// A datatype of our own, freed when dropped.
pub(crate) struct Datatype(MPI_Datatype);

impl Drop for Datatype {
    fn drop(&mut self) {
        if !finalized() {
            // SAFETY: it was made here, and is freed once; operations that still use it keep it.
            unsafe { MPI_Type_free(&mut self.0) };
        }
    }
}

type Make<'a> = &'a dyn Fn(*mut MPI_Datatype) -> c_int;

impl Datatype {
    fn make(make: Make<'_>) -> Result<Datatype> {
        let mut new = MPI_DATATYPE_NULL;
        check(make(&mut new))?;
        Ok(Datatype(new))
    }

    fn committed(mut self) -> Result<Datatype> {
        // SAFETY: it is a datatype of ours.
        check(unsafe { MPI_Type_commit(&mut self.0) })?;
        Ok(self)
    }

    pub fn raw(&self) -> MPI_Datatype {
        self.0
    }

    /// One element of so many bytes. MPI moves words faster than bytes.
    fn element(size: usize) -> Result<Datatype> {
        let (count, base) = match size {
            1 => (1, MPI_UINT8_T),
            2 => (1, MPI_UINT16_T),
            4 => (1, MPI_UINT32_T),
            _ if size.is_multiple_of(8) => (size / 8, MPI_UINT64_T),
            _ => (size, MPI_BYTE),
        };
        // SAFETY: the results of all these calls outlive them, as `make` sees to.
        Datatype::make(&|new| unsafe { MPI_Type_contiguous(count as c_int, base, new) })
    }

    /// The elements at all sums of one place of each list, the last list running fastest. Places are counted in
    /// elements of `size` bytes. Comes with the place of the first element: the datatype begins there.
    pub fn product<L: AsRef<[isize]>>(lists: &[L], size: usize) -> Result<(Datatype, isize)> {
        let mut datatype = Datatype::element(size)?;
        // Bytes of the inner type, as long as they have no gaps.
        let mut solid = Some(size as isize);
        let mut first = 0;
        for list in lists.iter().rev() {
            let list = list.as_ref();
            first += list[0];
            let places: Vec<isize> = list.iter().map(|place| (place - list[0]) * size as isize).collect();
            (datatype, solid) = layer(datatype, solid, &places)?;
        }
        Ok((datatype.committed()?, first))
    }

    /// Some datatypes together, each at a place in bytes.
    pub fn together(parts: &[(Datatype, isize)]) -> Result<Datatype> {
        let lengths = vec![1; parts.len()];
        let places: Vec<isize> = parts.iter().map(|(_, place)| *place).collect();
        let types: Vec<MPI_Datatype> = parts.iter().map(|(datatype, _)| datatype.0).collect();
        let count = parts.len() as c_int;
        // SAFETY: the lists are as long as they say.
        let new = |new: *mut _| unsafe {
            MPI_Type_create_struct(count, lengths.as_ptr(), places.as_ptr(), types.as_ptr(), new)
        };
        Datatype::make(&new)?.committed()
    }
}

/// `inner` at each of these places, the first of which is 0; `solid` is its length if it has no gaps.
fn layer(inner: Datatype, solid: Option<isize>, places: &[isize]) -> Result<(Datatype, Option<isize>)> {
    let (count, old) = (places.len() as c_int, inner.raw());
    if count == 1 {
        return Ok((inner, solid));
    }
    let runs = runs(places, solid);
    let (first, length) = runs[0];
    let alike = runs.iter().all(|run| run.1 == length);
    if let [(_, length)] = runs[..] {
        // SAFETY: the result outlives the call.
        let new = Datatype::make(&|new| unsafe { MPI_Type_contiguous(length, old, new) })?;
        return Ok((new, solid.map(|bytes| bytes * length as isize)));
    }
    let apart = runs[1].0 - first;
    let even = runs.windows(2).all(|pair| pair[1].0 - pair[0].0 == apart);
    let (blocks, starts): (c_int, Vec<isize>) = (runs.len() as c_int, runs.iter().map(|run| run.0).collect());
    let new = if alike && even {
        // SAFETY: the result outlives the call.
        Datatype::make(&|new| unsafe { MPI_Type_create_hvector(blocks, length, apart, old, new) })?
    } else if alike {
        // SAFETY: there are as many starts as blocks, and the result outlives the call.
        Datatype::make(&|new| unsafe { MPI_Type_create_hindexed_block(blocks, length, starts.as_ptr(), old, new) })?
    } else {
        let lengths: Vec<c_int> = runs.iter().map(|run| run.1).collect();
        // SAFETY: there are as many lengths and starts as blocks, and the result outlives the call.
        Datatype::make(&|new| unsafe { MPI_Type_create_hindexed(blocks, lengths.as_ptr(), starts.as_ptr(), old, new) })?
    };
    Ok((new, None))
}

/// Where runs of `solid` pieces without gaps begin, and how many pieces they have.
fn runs(places: &[isize], solid: Option<isize>) -> Vec<(isize, c_int)> {
    let mut runs: Vec<(isize, c_int)> = Vec::new();
    for &place in places {
        match (runs.last_mut(), solid) {
            (Some((start, length)), Some(bytes)) if *start + *length as isize * bytes == place => *length += 1,
            _ => runs.push((place, 1)),
        }
    }
    runs
}
