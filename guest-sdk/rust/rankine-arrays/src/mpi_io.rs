//! Arrays in files through MPI-IO: every rank moves its own part. The files are those of [`write_npy`](crate::write_npy)
//! and its relatives.

use std::ffi::{CString, c_int};
use std::io::Cursor;
use std::path::Path;

use mpi_sys::*;

use crate::element::Number;
use crate::error::{Error, Result};
use crate::header::{Format, Header};
use crate::layout::Layout;
use crate::types::Datatype;
use crate::view::{View, Viewable, ViewableMut};

/// See [`write_npy`](crate::write_npy). Collective.
pub fn write_npy<T: Number, const R: usize>(array: &impl Viewable<T, R>, path: impl AsRef<Path>) -> Result<()> {
    write(&array.view(), path.as_ref(), Format::Npy)
}

/// See [`write_raw`](crate::write_raw). Collective.
pub fn write_raw<T: Number, const R: usize>(array: &impl Viewable<T, R>, path: impl AsRef<Path>) -> Result<()> {
    write(&array.view(), path.as_ref(), Format::Raw)
}

/// See [`read_npy`](crate::read_npy). Collective.
pub fn read_npy<T: Number, const R: usize>(array: &mut impl ViewableMut<T, R>, path: impl AsRef<Path>) -> Result<()> {
    read(&array.view_mut().view(), path.as_ref(), Format::Npy)
}

/// See [`read_raw`](crate::read_raw). Collective.
pub fn read_raw<T: Number, const R: usize>(array: &mut impl ViewableMut<T, R>, path: impl AsRef<Path>) -> Result<()> {
    read(&array.view_mut().view(), path.as_ref(), Format::Raw)
}

/// An open file.
struct Open<'a> {
    handle: MPI_File,
    array: &'a str,
    path: &'a Path,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        // SAFETY: it was opened, and is closed once. Closing is collective: all ranks leave at the same place.
        unsafe { MPI_File_close(&mut self.handle) };
    }
}

fn failed(array: &str, path: &Path, code: c_int) -> Result<()> {
    match crate::error::check(code) {
        Err(Error::Mpi(error)) => {
            Err(Error::File { array: array.into(), what: format!("{}: {error}", path.display()) })
        }
        other => other,
    }
}

impl<'a> Open<'a> {
    fn new(comm: MPI_Comm, array: &'a str, path: &'a Path, mode: c_int) -> Result<Open<'a>> {
        let name = CString::new(path.as_os_str().as_encoded_bytes());
        let name = name.map_err(|_| Error::File { array: array.into(), what: "a path has no zero bytes".into() })?;
        let mut handle = MPI_FILE_NULL;
        // SAFETY: the name ends with a zero, and the result outlives the call.
        let code = unsafe { MPI_File_open(comm, name.as_ptr(), mode, MPI_INFO_NULL, &mut handle) };
        failed(array, path, code)?;
        Ok(Open { handle, array, path })
    }

    fn check(&self, code: c_int) -> Result<()> {
        failed(self.array, self.path, code)
    }

    /// Makes the elements at these places, behind `header` bytes, all that this rank sees of the file.
    fn show(&self, header: usize, places: Option<&Datatype>) -> Result<()> {
        let places = places.map_or(MPI_BYTE, Datatype::raw);
        // SAFETY: the type is committed, and the name of the representation ends with a zero.
        self.check(unsafe {
            let native = c"native".as_ptr();
            MPI_File_set_view(self.handle, header as MPI_Offset, MPI_BYTE, places, native, MPI_INFO_NULL)
        })
    }
}

/// Where this rank's elements lie in its memory and in the file: a type for each, and where it begins in memory.
struct Places {
    memory: Datatype,
    first: isize,
    file: Datatype,
}

impl Places {
    /// `None` where a rank has nothing, or another one sees to the same elements.
    fn new<const R: usize>(
        layout: &Layout<R>,
        whole: &Layout<R>,
        size: usize,
        takes_part: bool,
    ) -> Result<Option<Places>> {
        let held = layout.dims.each_ref().map(|dim| dim.held().collect::<Vec<_>>());
        if !takes_part || held.iter().any(Vec::is_empty) {
            return Ok(None);
        }
        let mut memory = held.each_ref().map(|held| held.iter().map(|&(_, at)| at).collect::<Vec<_>>());
        memory[0].iter_mut().for_each(|place| *place += layout.offset);
        let file: [Vec<isize>; R] =
            std::array::from_fn(|dim| held[dim].iter().map(|&(k, _)| k as isize * whole.dims[dim].stride).collect());
        let (memory, first) = Datatype::product(&memory, size)?;
        let (file, begin) = Datatype::product(&file, size)?;
        let file = Datatype::together(&[(file, begin * size as isize)])?;
        Ok(Some(Places { memory, first, file }))
    }
}

fn write<T: Number, const R: usize>(view: &View<'_, T, R>, path: &Path, format: Format) -> Result<()> {
    let layout = &view.layout;
    let header = Header { npy: T::NPY.into(), extents: view.extents().to_vec(), is_reversed: false }.bytes(format);
    let whole = Layout::whole(&layout.name, &layout.grid, view.extents(), None);
    let places = Places::new(layout, &whole, size_of::<T>(), layout.is_first_holder())?;
    let file = Open::new(layout.grid.raw(), &layout.name, path, MPI_MODE_CREATE | MPI_MODE_WRONLY)?;
    // SAFETY: the file is open.
    file.check(unsafe { MPI_File_set_size(file.handle, 0) })?;
    if layout.grid.rank() == 0 {
        let (at, length) = (header.as_ptr().cast(), header.len() as c_int);
        // SAFETY: the header has as many bytes.
        file.check(unsafe { MPI_File_write_at(file.handle, 0, at, length, MPI_BYTE, MPI_STATUS_IGNORE) })?;
    }
    file.show(header.len(), places.as_ref().map(|places| &places.file))?;
    let (at, count, datatype) = given(view, places.as_ref());
    // SAFETY: the places are those of the view's layout, and its array is borrowed.
    file.check(unsafe { MPI_File_write_all(file.handle, at.cast(), count, datatype, MPI_STATUS_IGNORE) })
}

/// A buffer for MPI: this rank's elements, or nothing.
fn given<T, const R: usize>(view: &View<'_, T, R>, places: Option<&Places>) -> (*mut T, c_int, MPI_Datatype) {
    match places {
        Some(places) => (view.data().as_ptr().wrapping_offset(places.first), 1, places.memory.raw()),
        None => (view.data().as_ptr(), 0, MPI_BYTE),
    }
}

/// The view's array must be borrowed exclusively.
fn read<T: Number, const R: usize>(view: &View<'_, T, R>, path: &Path, format: Format) -> Result<()> {
    let grid = view.layout.grid.clone();
    let file = Open::new(grid.raw(), &view.layout.name, path, MPI_MODE_RDONLY)?;
    let begin = header::<T>(&file, &view.extents(), format);
    let mut order: [usize; R] = std::array::from_fn(|dim| dim);
    let (begin, is_reversed) = begin?;
    if is_reversed {
        order.reverse();
    }
    let view = view.view().transposed(order)?;
    let whole = Layout::whole(&view.layout.name, &grid, view.extents(), None);
    let places = Places::new(&view.layout, &whole, size_of::<T>(), view.layout.may_hold(grid.rank()))?;
    file.show(begin, places.as_ref().map(|places| &places.file))?;
    let (at, count, datatype) = given(&view, places.as_ref());
    // SAFETY: the places are those of the view's layout, and nobody else uses its array.
    file.check(unsafe { MPI_File_read_all(file.handle, at.cast(), count, datatype, MPI_STATUS_IGNORE) })
}

/// Every rank reads the header: where the numbers begin, and whether they are in Fortran's order.
fn header<T: Number>(file: &Open<'_>, extents: &[usize], format: Format) -> Result<(usize, bool)> {
    let mut head = vec![0u8; 1 << 12];
    let (mut length, mut status) = (0, MPI_Status::default());
    // SAFETY: there is room for as many bytes, and results outlive the calls.
    file.check(unsafe {
        MPI_File_read_at_all(file.handle, 0, head.as_mut_ptr().cast(), head.len() as c_int, MPI_BYTE, &mut status)
    })?;
    // SAFETY: the status was written by the read, and the result outlives the call.
    file.check(unsafe { MPI_Get_count(&status, MPI_BYTE, &mut length) })?;
    head.truncate(usize::try_from(length).unwrap_or(0));
    let mut head = Cursor::new(head);
    let header = Header::read(&mut head, format).and_then(|header| header.check(T::NPY, extents).map(|()| header));
    match header {
        Ok(header) => Ok((head.position() as usize, header.is_reversed)),
        Err(what) => {
            let what = format!("{}: {what}", file.path.display());
            Err(Error::File { array: file.array.into(), what })
        }
    }
}
