//! Matrices and their arithmetic as the formulas have them.

use rankine_math::{Complex32, Complex64, Scalar, Triangle, View};

/// A generator of numbers: those of Steele, Lea and Flood's SplitMix.
pub struct Draw(pub u64);

impl Draw {
    /// Between -1 and 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

pub trait Random: Scalar {
    const PRECISION: f64;
    fn random(draw: &mut Draw) -> Self;
}

impl Random for f32 {
    const PRECISION: f64 = f32::EPSILON as f64;
    fn random(draw: &mut Draw) -> f32 {
        draw.next() as f32
    }
}

impl Random for f64 {
    const PRECISION: f64 = f64::EPSILON;
    fn random(draw: &mut Draw) -> f64 {
        draw.next()
    }
}

impl Random for Complex32 {
    const PRECISION: f64 = f32::EPSILON as f64;
    fn random(draw: &mut Draw) -> Complex32 {
        Complex32::new(draw.next() as f32, draw.next() as f32)
    }
}

impl Random for Complex64 {
    const PRECISION: f64 = f64::EPSILON;
    fn random(draw: &mut Draw) -> Complex64 {
        Complex64::new(draw.next(), draw.next())
    }
}

/// A matrix by columns, with room between them that nobody may touch.
#[derive(Clone, Debug)]
pub struct Matrix<T> {
    rows: usize,
    columns: usize,
    leading: usize,
    elements: Vec<T>,
}

/// What stands between the columns.
const GAP: f64 = 12345.0;

impl<T: Random> Matrix<T> {
    fn made(rows: usize, columns: usize, element: impl Fn(usize, usize) -> T) -> Matrix<T> {
        let leading = rows + 3;
        let mut elements = vec![T::real(GAP); leading * columns];
        for column in 0..columns {
            (0..rows).for_each(|row| elements[column * leading + row] = element(row, column));
        }
        Matrix { rows, columns, leading, elements }
    }

    pub fn random(seed: u64, (rows, columns): (usize, usize)) -> Matrix<T> {
        let draw = std::cell::RefCell::new(Draw(seed));
        Matrix::made(rows, columns, |_, _| T::random(&mut draw.borrow_mut()))
    }

    pub fn view(&mut self) -> View<T> {
        // SAFETY: the vector has these elements, and nobody else uses it meanwhile.
        unsafe { View::new(self.elements.as_mut_ptr(), self.rows, self.columns, self.leading) }
    }

    fn at(&self, row: usize, column: usize) -> T {
        self.elements[column * self.leading + row]
    }

    pub fn elements(&self) -> impl Iterator<Item = T> {
        (0..self.columns).flat_map(move |column| (0..self.rows).map(move |row| self.at(row, column)))
    }

    fn map(&self, element: impl Fn(usize, usize, T) -> T) -> Matrix<T> {
        Matrix::made(self.rows, self.columns, |i, j| element(i, j, self.at(i, j)))
    }

    pub fn part(&self, rows: usize, columns: usize) -> Matrix<T> {
        Matrix::made(rows, columns, |i, j| self.at(i, j))
    }

    pub fn times(&self, other: &Matrix<T>) -> Matrix<T> {
        assert_eq!(self.columns, other.rows);
        let sum = |i, j| (0..self.columns).fold(T::ZERO, |sum, k| sum + self.at(i, k) * other.at(k, j));
        Matrix::made(self.rows, other.columns, sum)
    }

    pub fn scaled(&self, factor: T) -> Matrix<T> {
        self.map(|_, _, element| factor * element)
    }

    pub fn plus(&self, other: &Matrix<T>) -> Matrix<T> {
        self.map(|i, j, element| element + other.at(i, j))
    }

    pub fn plus_identity(&self, factor: f64) -> Matrix<T> {
        self.map(|i, j, element| if i == j { element + T::real(factor) } else { element })
    }

    pub fn with_real_diagonal(&self) -> Matrix<T> {
        self.map(|i, j, element| if i == j { T::real(element.re()) } else { element })
    }

    /// The matrix of which this triangle is stored.
    pub fn mirrored(&self, triangle: Triangle, is_hermitian: bool) -> Matrix<T> {
        self.map(|i, j, element| match is_in(triangle, i, j) {
            true if i == j && is_hermitian => T::real(element.re()),
            true => element,
            false if is_hermitian => self.at(j, i).conj(),
            false => self.at(j, i),
        })
    }

    /// This triangle, and 0 elsewhere.
    pub fn only(&self, triangle: Triangle, has_ones: bool) -> Matrix<T> {
        self.map(|i, j, element| match is_in(triangle, i, j) {
            true if i == j && has_ones => T::ONE,
            true => element,
            false => T::ZERO,
        })
    }

    /// This one in the triangle, and `other` elsewhere.
    pub fn in_triangle(&self, triangle: Triangle, other: &Matrix<T>) -> Matrix<T> {
        self.map(|i, j, element| if is_in(triangle, i, j) { element } else { other.at(i, j) })
    }

    pub fn exchange(&mut self, one: usize, other: usize) {
        (0..self.columns)
            .for_each(|column| self.elements.swap(column * self.leading + one, column * self.leading + other));
    }

    pub fn set_column(&mut self, column: usize, value: f64) {
        (0..self.rows).for_each(|row| self.elements[column * self.leading + row] = T::real(value));
    }

    pub fn fill_with_nan(&mut self) {
        (0..self.columns).for_each(|column| self.set_column(column, f64::NAN));
    }

    /// Checks that the elements are those expected, after sums of so many terms, and that nothing else was touched.
    pub fn is_near(&self, expected: &Matrix<T>, terms: usize) {
        assert_eq!((self.rows, self.columns), (expected.rows, expected.columns));
        let most = 16.0 * T::PRECISION * (terms + 4) as f64;
        for (one, other) in self.elements().zip(expected.elements()) {
            assert!((one - other).size() <= most, "{one:?} instead of {other:?}");
        }
        for gap in self.elements.chunks(self.leading).flat_map(|column| &column[self.rows..]) {
            assert!(*gap == T::real(GAP), "a write between the columns");
        }
    }
}

fn is_in(triangle: Triangle, row: usize, column: usize) -> bool {
    match triangle {
        Triangle::Upper => row <= column,
        Triangle::Lower => row >= column,
    }
}

/// As BLAS takes it: as it is, transposed, or conjugated too.
pub fn op<T: Random>(matrix: &Matrix<T>, form: u8) -> Matrix<T> {
    match form % 3 {
        0 => matrix.clone(),
        1 => Matrix::made(matrix.columns, matrix.rows, |i, j| matrix.at(j, i)),
        _ => Matrix::made(matrix.columns, matrix.rows, |i, j| matrix.at(j, i).conj()),
    }
}
