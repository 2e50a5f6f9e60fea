//! Arrays in files, in global order: NumPy's `.npy`, and raw numbers behind a small header.
//!
//! Rank 0 writes and reads, some MiB at a time, whatever the array's size: that works on both engines, and only rank 0
//! needs the file. [`mpi_io`](crate::mpi_io) has the same through MPI-IO, where every rank moves its own part.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use mpi_sys::*;

use crate::element::Number;
use crate::error::{Error, Result, check};
use crate::grid::Grid;
use crate::header::{Format, Header};
use crate::view::{View, ViewMut, Viewable, ViewableMut};

/// A slab has at most so many bytes, unless a single line of the last dimension has more.
const SLAB: usize = 4 << 20;

/// Writes an array or a part of one as NumPy does: `numpy.load(path)` reads it. Collective.
pub fn write_npy<T: Number, const R: usize>(array: &impl Viewable<T, R>, path: impl AsRef<Path>) -> Result<()> {
    write(&array.view(), path.as_ref(), Format::Npy)
}

/// Writes the bare numbers behind a header of 16 + 8·R bytes: `RKARRAY1`, NumPy's name of the type in 4 bytes, R in 4,
/// and the extents in 8 each, little-endian. Collective.
pub fn write_raw<T: Number, const R: usize>(array: &impl Viewable<T, R>, path: impl AsRef<Path>) -> Result<()> {
    write(&array.view(), path.as_ref(), Format::Raw)
}

/// Reads what NumPy saved; type and extents must be the array's. Collective.
pub fn read_npy<T: Number, const R: usize>(array: &mut impl ViewableMut<T, R>, path: impl AsRef<Path>) -> Result<()> {
    read(&mut array.view_mut(), path.as_ref(), Format::Npy)
}

/// Reads what [`write_raw`] wrote; type and extents must be the array's. Collective.
pub fn read_raw<T: Number, const R: usize>(array: &mut impl ViewableMut<T, R>, path: impl AsRef<Path>) -> Result<()> {
    read(&mut array.view_mut(), path.as_ref(), Format::Raw)
}

/// What rank 0 did, told to all: its error becomes everybody's.
fn told<V>(grid: &Grid, name: &str, done: Option<std::result::Result<V, String>>) -> Result<Option<V>> {
    let text = match &done {
        Some(Err(what)) => what.clone(),
        _ => String::new(),
    };
    let text = grid.communicator().broadcast(done.is_some().then_some(text), 0)?;
    match (text.is_empty(), done) {
        (true, Some(Ok(value))) => Ok(Some(value)),
        (true, _) => Ok(None),
        (false, _) => Err(Error::File { array: name.into(), what: text }),
    }
}

/// What rank 0 does.
fn at_first<V>(
    grid: &Grid,
    act: impl FnOnce() -> std::result::Result<V, String>,
) -> Option<std::result::Result<V, String>> {
    (grid.rank() == 0).then(act)
}

fn said(path: &Path) -> impl Fn(std::io::Error) -> String {
    move |error| format!("{}: {error}", path.display())
}

fn write<T: Number, const R: usize>(view: &View<'_, T, R>, path: &Path, format: Format) -> Result<()> {
    let (grid, name) = (view.layout.grid.clone(), view.layout.name.clone());
    let header = Header { npy: T::NPY.into(), extents: view.extents().to_vec(), is_reversed: false };
    let opened = at_first(&grid, || {
        let mut file = File::create(path).map_err(said(path))?;
        file.write_all(&header.bytes(format)).map_err(said(path))?;
        Ok(file)
    });
    let mut file = told(&grid, &name, opened)?;
    for slab in slabs(view.extents(), size_of::<T>()) {
        let part = slab.of(view.view())?.gather(0)?;
        let written = file.as_mut().zip(part).map(|(file, part)| {
            // SAFETY: numbers are their bytes.
            let bytes = unsafe { std::slice::from_raw_parts(part.as_ptr().cast(), size_of_val(&part[..])) };
            file.write_all(bytes).map_err(said(path))
        });
        told(&grid, &name, written)?;
    }
    Ok(())
}

fn read<T: Number, const R: usize>(view: &mut ViewMut<'_, T, R>, path: &Path, format: Format) -> Result<()> {
    let (grid, name, mut extents) = (view.layout.grid.clone(), view.layout.name.clone(), view.extents());
    let opened = at_first(&grid, || {
        let mut file = File::open(path).map_err(said(path))?;
        let header = Header::read(&mut file, format).map_err(|what| format!("{}: {what}", path.display()))?;
        header.check(T::NPY, &extents).map_err(|what| format!("{}: {what}", path.display()))?;
        Ok((file, header.is_reversed))
    });
    let file = told(&grid, &name, opened)?;
    // A file in Fortran's order is that of the transposed array.
    let mut is_reversed = i32::from(file.as_ref().is_some_and(|(_, is_reversed)| *is_reversed));
    // SAFETY: the number outlives the call.
    check(unsafe { MPI_Bcast((&raw mut is_reversed).cast(), 1, MPI_INT, 0, grid.raw()) })?;
    let mut order: [usize; R] = std::array::from_fn(|dim| dim);
    if is_reversed != 0 {
        order.reverse();
        extents.reverse();
    }
    let mut file = file.map(|(file, _)| file);
    for slab in slabs(extents, size_of::<T>()) {
        let mut part = slab.of(view.view_mut().transposed(order)?)?;
        let mut elements = vec![T::default(); if file.is_some() { part.extents().iter().product() } else { 0 }];
        let done = file.as_mut().map(|file| {
            let bytes = size_of_val(&elements[..]);
            // SAFETY: any bytes are a number.
            let bytes = unsafe { std::slice::from_raw_parts_mut(elements.as_mut_ptr().cast::<u8>(), bytes) };
            file.read_exact(bytes).map_err(said(path))
        });
        told(&grid, &name, done)?;
        part.scatter(0, &elements)?;
    }
    Ok(())
}

/// A part of an array that lies in a row in the file: one index of the first dimensions, a range of the next one.
struct Slab {
    outer: Vec<usize>,
    first: usize,
    count: usize,
}

trait Sectioned: Sized {
    fn section_of(self, dim: usize, first: usize, count: usize) -> Result<Self>;
}

impl<T, const R: usize> Sectioned for View<'_, T, R> {
    fn section_of(self, dim: usize, first: usize, count: usize) -> Result<Self> {
        self.section(dim, first, count, 1)
    }
}

impl<T, const R: usize> Sectioned for ViewMut<'_, T, R> {
    fn section_of(self, dim: usize, first: usize, count: usize) -> Result<Self> {
        self.section(dim, first, count, 1)
    }
}

impl Slab {
    fn of<V: Sectioned>(&self, mut view: V) -> Result<V> {
        for (dim, &index) in self.outer.iter().enumerate() {
            view = view.section_of(dim, index, 1)?;
        }
        view.section_of(self.outer.len(), self.first, self.count)
    }
}

/// All slabs, in the file's order.
fn slabs<const R: usize>(extents: [usize; R], size: usize) -> Vec<Slab> {
    if extents.contains(&0) {
        return Vec::new();
    }
    let line = |dim: usize| extents[dim + 1..].iter().fold(size, |bytes, &extent| bytes.saturating_mul(extent));
    let cut = (0..R).find(|&dim| line(dim) <= SLAB).unwrap_or(R - 1);
    let most = (SLAB / line(cut)).max(1);
    let mut slabs = Vec::new();
    let outers: usize = extents[..cut].iter().product();
    for mut number in 0..outers {
        let mut outer = vec![0; cut];
        for dim in (0..cut).rev() {
            outer[dim] = number % extents[dim];
            number /= extents[dim];
        }
        for first in (0..extents[cut]).step_by(most) {
            slabs.push(Slab { outer: outer.clone(), first, count: most.min(extents[cut] - first) });
        }
    }
    slabs
}
