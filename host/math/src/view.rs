//! A matrix in somebody else's memory.

use crate::scalar::Scalar;

/// A matrix whose elements lie at fixed distances, perhaps read and written as their conjugates. A view is a pointer, not
/// a borrow: views may overlap.
#[derive(Copy, Clone, Debug)]
pub struct View<T> {
    first: *mut T,
    rows: usize,
    columns: usize,
    /// Elements from one row to the next, and from one column to the next.
    down: isize,
    across: isize,
    is_conjugated: bool,
}

impl<T: Scalar> View<T> {
    /// A matrix whose columns lie `leading` elements apart.
    ///
    /// # Safety
    /// While the view, or a part of it, is used, all elements can be read, and be written where it is the result of
    /// something; `first` is aligned. Nobody else in the host writes them meanwhile.
    ///
    /// They may lie in a guest's memory, whose other threads may write them all the same. Elements are read and written as they
    /// are, not by accesses that tolerate races (those would keep the compiler from using the machine's vectors), so the
    /// language promises nothing then. What makes it harmless is that no index, length or address is made of an element: a
    /// pivot is the number of a row, found among copies. So whatever is read, and however often, the numbers come out wrong
    /// and nothing else does. Keep it so.
    pub unsafe fn new(first: *mut T, rows: usize, columns: usize, leading: usize) -> View<T> {
        View { first, rows, columns, down: 1, across: leading as isize, is_conjugated: false }
    }

    /// The elements of a vector of vectors of `rows` elements.
    pub(crate) fn of(elements: &mut [T], rows: usize) -> View<T> {
        let columns = elements.len().checked_div(rows).unwrap_or(0);
        // SAFETY: so many elements are in the slice; nobody uses the slice while it is borrowed by a view that is in use.
        unsafe { View::new(elements.as_mut_ptr(), rows, columns, rows) }
    }

    /// How many rows it has.
    pub fn rows(self) -> usize {
        self.rows
    }

    /// How many columns it has.
    pub fn columns(self) -> usize {
        self.columns
    }

    pub(crate) fn is_conjugated(self) -> bool {
        self.is_conjugated
    }

    pub(crate) fn strides(self) -> (*mut T, isize, isize) {
        (self.first, self.down, self.across)
    }

    /// Rows and columns exchanged.
    pub fn transposed(self) -> View<T> {
        View { rows: self.columns, columns: self.rows, down: self.across, across: self.down, ..self }
    }

    /// The matrix of the conjugated numbers.
    pub fn conjugated(self) -> View<T> {
        View { is_conjugated: T::IS_COMPLEX && !self.is_conjugated, ..self }
    }

    /// Transposed and conjugated.
    pub fn adjoint(self) -> View<T> {
        self.transposed().conjugated()
    }

    /// The last row first.
    pub fn upside_down(self) -> View<T> {
        let first = self.first.wrapping_offset(self.down * self.rows.saturating_sub(1) as isize);
        View { first, down: -self.down, ..self }
    }

    /// The last row and the last column first: an upper triangle becomes a lower one.
    pub fn reversed(self) -> View<T> {
        self.upside_down().transposed().upside_down().transposed()
    }

    /// A part of it.
    pub fn part(self, row: usize, column: usize, rows: usize, columns: usize) -> View<T> {
        assert!(row + rows <= self.rows && column + columns <= self.columns, "a part lies inside");
        let first = self.first.wrapping_offset(self.offset(row, column));
        View { first, rows, columns, ..self }
    }

    /// Some of its rows.
    pub fn rows_from(self, row: usize, rows: usize) -> View<T> {
        self.part(row, 0, rows, self.columns)
    }

    /// Some of its columns.
    pub fn columns_from(self, column: usize, columns: usize) -> View<T> {
        self.part(0, column, self.rows, columns)
    }

    fn offset(self, row: usize, column: usize) -> isize {
        row as isize * self.down + column as isize * self.across
    }

    /// An element.
    #[inline(always)]
    pub fn get(self, row: usize, column: usize) -> T {
        assert!(row < self.rows && column < self.columns);
        // SAFETY: it is one of the matrix, whose elements can be read.
        let value = unsafe { self.first.wrapping_offset(self.offset(row, column)).read() };
        if self.is_conjugated { value.conj() } else { value }
    }

    /// Sets an element.
    #[inline(always)]
    pub fn set(self, row: usize, column: usize, value: T) {
        assert!(row < self.rows && column < self.columns);
        let value = if self.is_conjugated { value.conj() } else { value };
        // SAFETY: it is one of the matrix, and who writes to a matrix has promised that it may be.
        unsafe { self.first.wrapping_offset(self.offset(row, column)).write(value) }
    }

    /// Multiplies all elements; what is multiplied by 0 is not read.
    pub(crate) fn scale(self, factor: T) {
        if factor == T::ONE {
            return;
        }
        let by_rows = self.down.abs() > self.across.abs();
        let view = if by_rows { self.transposed() } else { self };
        for column in 0..view.columns {
            for row in 0..view.rows {
                view.set(row, column, if factor == T::ZERO { T::ZERO } else { factor * view.get(row, column) });
            }
        }
    }

    /// Its elements, column by column.
    pub fn to_vec(self) -> Vec<T> {
        let mut elements = Vec::with_capacity(self.rows * self.columns);
        elements.extend(self.elements());
        elements
    }

    /// Its elements, column by column, one after the other.
    pub fn elements(self) -> impl Iterator<Item = T> {
        (0..self.columns).flat_map(move |column| (0..self.rows).map(move |row| self.get(row, column)))
    }

    /// Sets its elements, column by column.
    pub fn set_all(self, elements: &[T]) {
        for (column, elements) in elements.chunks(self.rows.max(1)).enumerate() {
            elements.iter().enumerate().for_each(|(row, element)| self.set(row, column, *element));
        }
    }
}
