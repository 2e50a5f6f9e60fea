//! Irregular access: elements named by arrays of indices.

use std::ffi::c_int;
use std::marker::PhantomData;

use mpi_sys::*;
use rankine::Plain;

use crate::element::zero;
use crate::error::{Error, Result, check};
use crate::grid::Grid;
use crate::layout::Layout;
use crate::view::{Viewable, ViewableMut};

/// Elements of a table that are named by an array of indices: `values[i] = table[indices[i]]` and the reverse. Which rank
/// needs what from which other is found out once.
///
/// ```no_run
/// # use rankine_arrays::{Array, Lookup, Result};
/// # fn example(mut values: Array<f64, 1>, indices: Array<[usize; 2], 1>, mut table: Array<f64, 2>) -> Result<()> {
/// let lookup = Lookup::new(&values, &indices, &table)?;
/// lookup.take(&mut values, &table)?;                                 // values[i] = table[indices[i]]
/// lookup.put(&mut table, &values)?;                                  // table[indices[i]] = values[i]
/// lookup.put_with(&mut table, &values, |sum, value| *sum += value)?; // several values for one element add up
/// # Ok(())
/// # }
/// ```
pub struct Lookup<T, const R: usize, const Q: usize> {
    values: Layout<R>,
    table: Layout<Q>,
    /// Where the values lie that other ranks have or want, rank after rank.
    value_places: Places,
    /// Where the table's elements lie that other ranks want or give, rank after rank.
    table_places: Places,
    of: PhantomData<T>,
}

/// Places in memory for each rank, one rank after the other.
#[derive(Default)]
struct Places {
    all: Vec<isize>,
    counts: Vec<c_int>,
}

impl Places {
    /// Bytes for each rank, and where they begin.
    fn bytes(&self, size: usize) -> Option<(Vec<c_int>, Vec<c_int>)> {
        let mut end: c_int = 0;
        let bytes = self.counts.iter().map(|count| count.checked_mul(size as c_int)).collect::<Option<Vec<_>>>()?;
        let mut starts = Vec::with_capacity(bytes.len());
        for &bytes in &bytes {
            starts.push(end);
            end = end.checked_add(bytes)?;
        }
        Some((bytes, starts))
    }
}

impl<T: Plain, const R: usize, const Q: usize> Lookup<T, R, Q> {
    /// Finds out where the elements are. The values are distributed as the indices are. An index that nobody owns is an
    /// error at all ranks. Collective.
    pub fn new(
        values: &impl Viewable<T, R>,
        indices: &impl Viewable<[usize; Q], R>,
        table: &impl Viewable<T, Q>,
    ) -> Result<Lookup<T, R, Q>> {
        let (values, indices, table) = (values.view().layout, indices.view(), table.view().layout);
        if !values.is_aligned_with(&indices.layout) || values.extents() != indices.extents() {
            let what = format!("it is distributed in another way than its indices, array \"{}\"", indices.layout.name);
            return Err(values.misuse(None, what));
        }
        if !values.grid.same_ranks(&table.grid) {
            return Err(values.misuse(None, format!("it lies over another grid than array \"{}\"", table.name)));
        }
        let size = table.grid.size();
        let (mut wanted, mut places) = (vec![Vec::new(); size], vec![Vec::new(); size]);
        let mut wrong = None;
        indices.for_each(|at, index| match owner(&table, *index) {
            Ok(rank) => {
                wanted[rank].push(*index);
                places[rank].push(values.place(at).expect("values are aligned with indices"));
            }
            Err(dim) => wrong = wrong.take().or(Some((dim, *index))),
        });
        agree(&table, wrong)?;
        let value_places = together(places);
        let table_places = asked(&table, &wanted, &value_places)?;
        Ok(Lookup { values, table, value_places, table_places, of: PhantomData })
    }

    fn check(&self, values: &Layout<R>, table: &Layout<Q>) -> Result<()> {
        if *values != self.values || *table != self.table {
            let what = format!(
                "these indices were looked up for arrays that are distributed in another way than this one and \"{}\"",
                values.name
            );
            return Err(table.misuse(None, what));
        }
        Ok(())
    }

    /// `values[i] = table[indices[i]]`. Collective.
    pub fn take(&self, values: &mut impl ViewableMut<T, R>, table: &impl Viewable<T, Q>) -> Result<()> {
        let (values, table) = (values.view_mut(), table.view());
        self.check(&values.layout, &table.layout)?;
        // SAFETY: the places are those of the table's layout, and the table is borrowed.
        let give: Vec<T> = self.table_places.all.iter().map(|&at| unsafe { table.data().offset(at).read() }).collect();
        let come = exchange(&self.table, &give, &self.table_places, &self.value_places)?;
        for (&at, value) in self.value_places.all.iter().zip(come) {
            // SAFETY: the places are those of the values' layout, and the values are borrowed exclusively.
            unsafe { values.data().offset(at).write(value) };
        }
        Ok(())
    }

    /// `table[indices[i]] = values[i]`; of several values for one element the last one stays, by rank and index.
    /// Collective.
    pub fn put(&self, table: &mut impl ViewableMut<T, Q>, values: &impl Viewable<T, R>) -> Result<()> {
        self.put_with(table, values, |element, value| *element = value)
    }

    /// As [`put`](Lookup::put), but `combine` decides what becomes of an element and a value for it. Values come in the
    /// order of ranks and indices. Collective.
    pub fn put_with(
        &self,
        table: &mut impl ViewableMut<T, Q>,
        values: &impl Viewable<T, R>,
        combine: impl Fn(&mut T, T),
    ) -> Result<()> {
        let (table, values) = (table.view_mut(), values.view());
        self.check(&values.layout, &table.layout)?;
        for (name, determined) in
            [(&table.layout, is_held_once(&table.layout)), (&self.table, is_held_once(&self.values))]
        {
            if !determined {
                return Err(name
                    .misuse(None, "values can be put neither from nor to an array that several ranks hold copies of"));
            }
        }
        // SAFETY: the places are those of the values' layout, and the values are borrowed.
        let give: Vec<T> = self.value_places.all.iter().map(|&at| unsafe { values.data().offset(at).read() }).collect();
        let come = exchange(&self.table, &give, &self.value_places, &self.table_places)?;
        for (&at, value) in self.table_places.all.iter().zip(come) {
            // SAFETY: the places are those of the table's layout, the table is borrowed exclusively, and one element is
            // referred to at a time.
            combine(unsafe { table.data().offset(at).as_mut() }, value);
        }
        Ok(())
    }
}

fn is_held_once<const R: usize>(layout: &Layout<R>) -> bool {
    let shape = layout.grid.shape();
    (0..shape.len()).all(|dim| shape[dim] == 1 || layout.determined(dim))
}

/// The rank that has an element, as near as possible; or the dimension that doesn't have the index.
fn owner<const Q: usize>(table: &Layout<Q>, index: [usize; Q]) -> std::result::Result<usize, usize> {
    let mut coords = table.grid.coords().to_vec();
    for &(dim, coord) in &table.fixed {
        coords[dim] = coord;
    }
    for (dim, own) in table.dims.iter().enumerate() {
        if index[dim] >= own.count {
            return Err(dim);
        }
        if let Some(along) = own.axis.dim {
            coords[along] = own.place(index[dim]).0;
        }
    }
    Ok(table.only.unwrap_or_else(|| table.grid.rank_at(&coords)))
}

/// Makes an index that nobody owns an error at all ranks.
fn agree<const Q: usize>(table: &Layout<Q>, wrong: Option<(usize, [usize; Q])>) -> Result<()> {
    let (me, size) = (table.grid.rank(), table.grid.size());
    let mut first = if wrong.is_some() { me as c_int } else { size as c_int };
    // SAFETY: the number outlives the call.
    check(unsafe { MPI_Allreduce(MPI_IN_PLACE, (&raw mut first).cast(), 1, MPI_INT, MPI_MIN, table.grid.raw()) })?;
    match wrong {
        Some((dim, index)) => {
            let what = format!("nobody owns the index {index:?}: it has the extents {:?}", table.extents());
            Err(table.misuse(Some(dim), what))
        }
        None if (first as usize) < size => {
            Err(Error::Elsewhere { rank: first as usize, array: table.name.to_string() })
        }
        None => Ok(()),
    }
}

fn together(by_rank: Vec<Vec<isize>>) -> Places {
    Places { counts: by_rank.iter().map(|places| places.len() as c_int).collect(), all: by_rank.concat() }
}

/// Tells every rank which elements of the table this one wants; the places of those that others want of this one.
fn asked<const Q: usize>(table: &Layout<Q>, wanted: &[Vec<[usize; Q]>], mine: &Places) -> Result<Places> {
    let grid: &Grid = &table.grid;
    let mut counts = vec![0 as c_int; grid.size()];
    // SAFETY: there is a number for every rank on both sides.
    check(unsafe {
        let (from, to) = (mine.counts.as_ptr().cast(), counts.as_mut_ptr().cast());
        MPI_Alltoall(from, 1, MPI_INT, to, 1, MPI_INT, grid.raw())
    })?;
    let theirs = Places { all: Vec::new(), counts };
    let indices = exchange(table, &wanted.concat(), mine, &theirs)?;
    let all = indices.into_iter().map(|index: [usize; Q]| table.place(index).expect("the owner was asked")).collect();
    Ok(Places { all, ..theirs })
}

/// Gives every rank its part of `values`; `to` and `from` say how many they are.
fn exchange<V: Plain, const Q: usize>(table: &Layout<Q>, values: &[V], to: &Places, from: &Places) -> Result<Vec<V>> {
    let size = size_of::<V>();
    let (Some((bytes, starts)), Some((room, places))) = (to.bytes(size), from.bytes(size)) else {
        return Err(table.misuse(None, "more than 2 GiB of elements are wanted at a time"));
    };
    let mut come: Vec<V> = vec![zero(); from.counts.iter().map(|&count| count as usize).sum()];
    // SAFETY: every part lies in the values, and there is room for what every rank gives.
    check(unsafe {
        MPI_Alltoallv(
            values.as_ptr().cast(),
            bytes.as_ptr(),
            starts.as_ptr(),
            MPI_BYTE,
            come.as_mut_ptr().cast(),
            room.as_ptr(),
            places.as_ptr(),
            MPI_BYTE,
            table.grid.raw(),
        )
    })?;
    Ok(come)
}
