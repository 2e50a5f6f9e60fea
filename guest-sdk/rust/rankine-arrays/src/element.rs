//! What arrays are made of.

use std::ops::{Add, Mul};

use mpi_sys::*;
pub use rankine::Plain;

/// Numbers that can be reduced and written to files.
pub trait Number: Plain + PartialOrd + Default + Add<Output = Self> + Mul<Output = Self> {
    /// 1.
    const ONE: Self;
    /// No number is less.
    const LEAST: Self;
    /// No number is greater.
    const GREATEST: Self;
    /// NumPy's name of the type.
    #[doc(hidden)]
    const NPY: &'static str;
    #[doc(hidden)]
    fn datatype() -> MPI_Datatype;
    /// Its distance from 0.
    fn magnitude(self) -> Self;
    /// As a float, for norms.
    fn to_f64(self) -> f64;
}

macro_rules! numbers {
    ($($number:ty: $datatype:ident $npy:literal $one:literal $least:expr, $greatest:expr, $magnitude:expr;)*) => {$(
        impl Number for $number {
            const ONE: Self = $one;
            const LEAST: Self = $least;
            const GREATEST: Self = $greatest;
            const NPY: &'static str = $npy;

            fn datatype() -> MPI_Datatype {
                $datatype
            }

            #[inline]
            fn magnitude(self) -> Self {
                let magnitude: fn($number) -> $number = $magnitude;
                magnitude(self)
            }

            #[inline]
            fn to_f64(self) -> f64 {
                self as f64
            }
        }
    )*};
}

numbers! {
    u8: MPI_UINT8_T "|u1" 1 u8::MIN, u8::MAX, |x| x;
    u16: MPI_UINT16_T "<u2" 1 u16::MIN, u16::MAX, |x| x;
    u32: MPI_UINT32_T "<u4" 1 u32::MIN, u32::MAX, |x| x;
    u64: MPI_UINT64_T "<u8" 1 u64::MIN, u64::MAX, |x| x;
    i8: MPI_INT8_T "|i1" 1 i8::MIN, i8::MAX, i8::wrapping_abs;
    i16: MPI_INT16_T "<i2" 1 i16::MIN, i16::MAX, i16::wrapping_abs;
    i32: MPI_INT32_T "<i4" 1 i32::MIN, i32::MAX, i32::wrapping_abs;
    i64: MPI_INT64_T "<i8" 1 i64::MIN, i64::MAX, i64::wrapping_abs;
    f32: MPI_FLOAT "<f4" 1.0 f32::NEG_INFINITY, f32::INFINITY, f32::abs;
    f64: MPI_DOUBLE "<f8" 1.0 f64::NEG_INFINITY, f64::INFINITY, f64::abs;
}

/// A value whose bytes are all 0.
pub(crate) fn zero<T: Plain>() -> T {
    // SAFETY: any bytes are a plain value.
    unsafe { std::mem::zeroed() }
}
