//! What the generated shims are made of, and why what they do is sound.
//!
//! A shim is `fn(r: &Rank, w: &mut Words) -> Result<()>`. It proves every address that the library will look through,
//! translates every handle, and calls the library's function through a pointer of its C type. The library may then
//! touch
//! - buffers, of which [`Rank::buffer`] and its kin have proved that every byte lies in the guest's memory, which never
//!   moves or shrinks;
//! - arrays that the shim has made, which live as long as the call or, for an operation that goes on, in its request;
//! - results on the shim's stack, and arrays of statuses, for which [`Rank::statuses_out`] has proved that there is room
//!   in the guest's memory, or made it in the host's.
//!
//! Handles were made by the library, or are constants of the ABI of the right class, and null only where that means
//! something. What a library is known to believe is proved as well: that a communicator has as many groups as the call is
//! for, that a request is of the right kind (`part`, [`Kind`](crate::request::Kind)), that a code, a port or a hint is one
//! (`codes`, `ports`, `hints`), that a list of ranks or a part of an array is one (`ranks`, `array`), that what comes fits,
//! that what is copied within the rank doesn't overlap ([`own`](crate::pt2pt::own)). So the unsafe call asks no more of the guest
//! than C asks of a correct program. What a guest gets wrong beyond that (a wrong rank, a type that was not committed) is
//! the library's to find; and what a library does that nobody knew of is confined ([`rankine_system::confine`]).
//!
//! A row of the generated files says which functions share a shim, whose error handler hears of its errors, which words
//! point to where a new handle goes, and what the shim does:
//!
//! ```text
//! MPI_Comm_dup: On::Comm(0), [1: Comm], |r, w| { … };
//! MPI_Op_create / MPI_Op_create_c: On::Myself, [2: Op], |r, w| {
//!     bodies::op_create(r, LARGE, w.word(0), w.int(1), w.addr(2))
//! };
//! ```
//!
//! The second is carried out by a body that is written by hand ([`bodies`](crate::bodies)). A row is compiled
//! for each variant, in which `Count`, `Displ` and `Extent` are what the library's function takes, and `LARGE` says which
//! it is.

use std::ffi::c_int;
use std::ops::Deref;

use rankine_abi::{Addr, Datatype};

use super::words::Words;
use crate::Result;
use crate::rank::Rank;

/// What shims are made of.
pub(crate) mod prelude {
    pub(crate) use std::ffi::c_int;
    pub(crate) use std::slice;

    pub(crate) use rankine_abi::*;
    pub(crate) use rankine_guest::errhan::Serves;
    pub(crate) use rankine_guest::{Whose, array, ranks, tag};

    pub(crate) use crate::Result;
    pub(crate) use crate::bodies;
    pub(crate) use crate::call::shim::{Number, last, nothing, sum, times, wide};
    pub(crate) use crate::call::words::Words;
    pub(crate) use crate::call::{Entry, On};
    pub(crate) use crate::datatype::reach::{area, dealt, farthest, total, volume};
    pub(crate) use crate::generated::symbols;
    pub(crate) use crate::library::hints::Of;
    pub(crate) use crate::library::symbol::Signature;
    pub(crate) use crate::mpit::{Text, Wanted};
    pub(crate) use crate::rank::Rank;
    pub(crate) use crate::request::{Kind, Pending};
}

/// Makes the shims of a chapter, and `find`, which gives the one of an import.
macro_rules! shims {
    ($(
        $name:ident $(/ $large:ident)?: $on:expr, [$($at:literal: $class:ident),*], |$r:ident, $w:ident| $body:block;
    )*) => {
        $(
            shims!(@shim $name false (c_int, c_int, isize) $r $w $body);
            $(shims!(@shim $large true (i64, isize, i64) $r $w $body);)?
        )*

        /// The shim of an import, if it is one of this file's.
        pub(crate) fn find(wanted: &str) -> Option<Entry> {
            $(shims!(@find wanted ($name $($large)?) ($on) [$(($at, $class::NULL.0)),*]);)*
            None
        }
    };

    (@shim $name:ident $is_large:literal ($count:ty, $displ:ty, $extent:ty) $r:ident $w:ident $body:block) => {
        // Not every function has all kinds of numbers.
        #[allow(non_snake_case, dead_code)]
        fn $name($r: &Rank, $w: &mut Words<'_>) -> Result<()> {
            type Function = symbols::$name;
            type Count = $count;
            type Displ = $displ;
            type Extent = $extent;
            const LARGE: bool = $is_large;
            $body
        }
    };

    (@find $wanted:ident ($($name:ident)+) ($on:expr) $nulls:tt) => {
        $(
            if $wanted == stringify!($name) {
                return Some(Entry { shim: $name, on: $on, nulls: &$nulls });
            }
        )+
    };
}

/// The library's answer to the call of a shim's own function. What makes it sound stands at the head of this file.
macro_rules! library {
    ($r:ident $(, $argument:expr)*) => {{
        let function = $r.symbol::<Function>()?;
        let arguments: <Function as Signature>::Arguments = ($($argument,)*);
        // SAFETY: the shim has proved or made every pointer above, and its handles are the library's.
        unsafe { <Function as Signature>::call(function, arguments) }
    }};
}

/// A number of the guest's: an int, an `MPI_Aint`, or an `MPI_Count`.
pub(crate) trait Number: Copy + TryFrom<i64> {
    /// As wide as any.
    fn wide(self) -> i64;
    /// How many bytes of the guest's memory it takes.
    fn bytes(r: &Rank) -> u64;
    /// One of a call's words.
    fn word(w: &Words<'_>, at: usize) -> Self;
    fn get(r: &Rank, at: Addr, what: &str) -> Result<Self>;
    fn put(self, r: &Rank, at: Addr, what: &str) -> Result<()>;
    fn array(r: &Rank, at: Addr, count: i64, what: &str) -> Result<Vec<Self>>;

    /// So many times as much, if it has room for that.
    fn times(self, factor: i64) -> Option<Self> {
        Self::try_from(self.wide().checked_mul(factor)?).ok()
    }
}

macro_rules! numbers {
    ($($number:ident: $bytes:expr, $word:ident, $get:ident, $put:ident, $array:ident;)*) => {$(
        impl Number for $number {
            #[inline]
            fn wide(self) -> i64 {
                self as i64
            }

            fn bytes(r: &Rank) -> u64 {
                let bytes: fn(&Rank) -> u64 = $bytes;
                bytes(r)
            }

            #[inline]
            fn word(w: &Words<'_>, at: usize) -> Self {
                w.$word(at)
            }

            fn get(r: &Rank, at: Addr, what: &str) -> Result<Self> {
                r.$get(at, what)
            }

            fn put(self, r: &Rank, at: Addr, what: &str) -> Result<()> {
                r.$put(at, self, what)
            }

            fn array(r: &Rank, at: Addr, count: i64, what: &str) -> Result<Vec<Self>> {
                r.$array(at, count, what)
            }
        }
    )*};
}

numbers! {
    c_int: |_| 4, int, get_int, put_int, ints;
    isize: Rank::word_bytes, aint, get_aint, put_aint, aints;
    i64: |_| 8, long, get_long, put_long, longs;
}

impl Words<'_> {
    /// A number of the kind that the library takes.
    #[inline]
    pub(crate) fn number<N: Number>(&self, at: usize) -> N {
        N::word(self, at)
    }
}

impl Rank {
    /// Reads the number that an `inout` parameter points to.
    pub(crate) fn get_number<N: Number>(&self, at: Addr, what: &str) -> Result<N> {
        N::get(self, at, what)
    }

    /// Stores a number.
    pub(crate) fn put_number<N: Number>(&self, at: Addr, value: N, what: &str) -> Result<()> {
        value.put(self, at, what)
    }

    /// Reads an array of numbers.
    pub(crate) fn numbers<N: Number>(&self, at: Addr, count: i64, what: &str) -> Result<Vec<N>> {
        N::array(self, at, count, what)
    }
}

/// A product of lengths: one that overflows is too long for any memory.
pub(crate) fn times(a: i64, b: i64) -> i64 {
    a.saturating_mul(b)
}

/// What a library is told of the message of a rank that has none, whatever the guest says of it: no bytes.
pub(crate) fn nothing<N: Number>(count: N) -> (N, usize) {
    (count.times(0).unwrap_or(count), Datatype::BYTE.0 as usize)
}

/// The sum of an array's elements.
pub(crate) fn sum<N: Number>(values: &impl Deref<Target = [N]>) -> i64 {
    values.iter().fold(0, |sum, value| sum.saturating_add(value.wide()))
}

/// The numbers of an array, as wide as any.
pub(crate) fn wide<N: Number>(values: &impl Deref<Target = [N]>) -> Vec<i64> {
    values.iter().map(|value| value.wide()).collect()
}

/// The last element of an array, 0 if it is empty.
pub(crate) fn last<N: Number>(values: &impl Deref<Target = [N]>) -> i64 {
    values.last().map_or(0, |value| value.wide())
}
