//! Hints: the info objects that a guest passes to calls which make or open something.
//!
//! A library believes many hints: it divides by sizes, makes room for what was said to be there, and reads files that
//! are named. So it is given a copy, of the keys that are known here with values that are. Any other hint may be ignored,
//! says the standard (MPI-5.0 §10), and is.

use std::ffi::{CStr, c_int};
use std::ops::RangeInclusive;

use rankine_abi::Info;

use super::Symbol;
use crate::Result;
use crate::generated::symbols;
use crate::rank::Rank;

/// What a hint is for.
#[derive(Clone, Copy)]
pub(crate) enum Of {
    Comm,
    File,
    /// What a program says of its Fortran compiler.
    Fortran,
    Session,
    Win,
    /// Calls for which no hint is known.
    Nothing,
}

/// The values that a hint may have.
enum Values {
    Number(RangeInclusive<u32>),
    /// One of these, or several with commas between them.
    Words(&'static [&'static str]),
    /// A name of a few letters, digits and `_ - . : /`.
    Name,
}

const TRUTH: Values = Values::Words(&["true", "false"]);
const SWITCH: Values = Values::Words(&["enable", "disable", "automatic"]);
/// Bytes of a buffer or a stripe: whole pages, and not so many that they wouldn't fit.
const BYTES: Values = Values::Number(4096..=64 << 20);
/// Of one that is charged as soon as a file is open.
const BUFFER: Values = Values::Number(4096..=crate::io::opening::BUFFER as u32);
const PROCESSES: Values = Values::Number(1..=1 << 16);
const STRIPES: Values = Values::Number(1..=1 << 12);
const SIZE: Values = Values::Number(1..=32);

const ACCESS: Values = Values::Words(&[
    "read_once",
    "write_once",
    "read_mostly",
    "write_mostly",
    "sequential",
    "reverse_sequential",
    "random",
]);
const ORDERING: Values = Values::Words(&["none", "rar", "raw", "war", "waw"]);
const THREADS: Values =
    Values::Words(&["MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"]);

/// Those of the standard that promise nothing a library would rely on to stay in its memory, and those of ROMIO.
const COMM: &[(&CStr, Values)] = &[
    (c"mpi_assert_allow_overtaking", TRUTH),
    (c"mpi_assert_no_any_source", TRUTH),
    (c"mpi_assert_no_any_tag", TRUTH),
    (c"mpi_hw_resource_type", Values::Name),
    (c"mpi_pset_name", Values::Name),
    (c"mpi_shared_memory", TRUTH),
];
const FILE: &[(&CStr, Values)] = &[
    (c"access_style", ACCESS),
    (c"cb_block_size", BYTES),
    (c"cb_buffer_size", BUFFER),
    (c"cb_nodes", PROCESSES),
    (c"collective_buffering", TRUTH),
    (c"ind_rd_buffer_size", BYTES),
    (c"ind_wr_buffer_size", BYTES),
    (c"num_io_nodes", PROCESSES),
    (c"nb_proc", PROCESSES),
    (c"romio_cb_read", SWITCH),
    (c"romio_cb_write", SWITCH),
    (c"romio_ds_read", SWITCH),
    (c"romio_ds_write", SWITCH),
    (c"romio_no_indep_rw", TRUTH),
    (c"striping_factor", STRIPES),
    (c"striping_unit", BYTES),
];
const FORTRAN: &[(&CStr, Values)] = &[
    (c"mpi_logical_size", SIZE),
    (c"mpi_integer_size", SIZE),
    (c"mpi_real_size", SIZE),
    (c"mpi_double_precision_size", SIZE),
    (c"mpi_logical1_supported", TRUTH),
    (c"mpi_logical2_supported", TRUTH),
    (c"mpi_logical4_supported", TRUTH),
    (c"mpi_logical8_supported", TRUTH),
    (c"mpi_logical16_supported", TRUTH),
    (c"mpi_integer1_supported", TRUTH),
    (c"mpi_integer2_supported", TRUTH),
    (c"mpi_integer4_supported", TRUTH),
    (c"mpi_integer8_supported", TRUTH),
    (c"mpi_integer16_supported", TRUTH),
    (c"mpi_real2_supported", TRUTH),
    (c"mpi_real4_supported", TRUTH),
    (c"mpi_real8_supported", TRUTH),
    (c"mpi_real16_supported", TRUTH),
    (c"mpi_complex4_supported", TRUTH),
    (c"mpi_complex8_supported", TRUTH),
    (c"mpi_complex16_supported", TRUTH),
    (c"mpi_complex32_supported", TRUTH),
    (c"mpi_double_complex_supported", TRUTH),
];
const SESSION: &[(&CStr, Values)] = &[(c"thread_level", THREADS), (c"mpi_size", PROCESSES)];
const WIN: &[(&CStr, Values)] = &[(c"accumulate_ordering", ORDERING), (c"alloc_shared_noncontig", TRUTH)];

impl Of {
    fn known(self) -> &'static [(&'static CStr, Values)] {
        match self {
            Of::Comm => COMM,
            Of::File => FILE,
            Of::Fortran => FORTRAN,
            Of::Session => SESSION,
            Of::Win => WIN,
            Of::Nothing => &[],
        }
    }
}

impl Values {
    fn allow(&self, value: &str) -> bool {
        match self {
            Values::Number(range) => {
                let is_plain = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
                is_plain && value.parse().is_ok_and(|number| range.contains(&number))
            }
            Values::Words(words) => value.len() < 256 && value.split(',').all(|word| words.contains(&word)),
            Values::Name => {
                let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.:/".contains(&byte);
                (1..64).contains(&value.len()) && value.bytes().all(is_plain)
            }
        }
    }
}

/// The hints that the library is given. They last as long as the call.
pub(crate) struct Hints {
    pub(crate) host: usize,
    free: Option<<symbols::MPI_Info_free as Symbol>::Function>,
}

impl Default for Hints {
    /// No hints.
    fn default() -> Hints {
        Hints { host: Info::NULL.0 as usize, free: None }
    }
}

impl Drop for Hints {
    fn drop(&mut self) {
        if let Some(free) = self.free {
            // SAFETY: the copy was made for this object.
            unsafe { free(&mut self.host) };
        }
    }
}

impl Rank {
    /// What the library may know of the guest's hints.
    pub(crate) fn hints(&self, word: u32, of: Of, what: &str) -> Result<Hints> {
        let guest = self.info_or_null(word, what)?;
        let mut hints = Hints::default();
        if guest == hints.host || of.known().is_empty() {
            return Ok(hints);
        }
        // Also where none of them is known: calls that set hints refuse MPI_INFO_NULL.
        let create = self.symbol::<symbols::MPI_Info_create>()?;
        let free = self.symbol::<symbols::MPI_Info_free>()?;
        // SAFETY: a result on the stack.
        self.check(unsafe { create(&mut hints.host) })?;
        hints.free = Some(free);
        for (key, values) in of.known() {
            let Some(value) =
                self.hint(guest, key)?.filter(|value| value.to_str().is_ok_and(|value| values.allow(value)))
            else {
                continue;
            };
            let set = self.symbol::<symbols::MPI_Info_set>()?;
            // SAFETY: two strings that end with a zero byte.
            self.check(unsafe { set(hints.host, key.as_ptr(), value.as_ptr()) })?;
        }
        Ok(hints)
    }

    /// The value of a key, if there is one that is not too long for any that is known.
    pub(crate) fn hint(&self, info: usize, key: &CStr) -> Result<Option<std::ffi::CString>> {
        let get = self.symbol::<symbols::MPI_Info_get_string>()?;
        let mut value = [0_u8; 256];
        let (mut length, mut flag) = (value.len() as c_int, 0);
        // SAFETY: the library writes at most as many bytes as the length says.
        self.check(unsafe { get(info, key.as_ptr(), &mut length, value.as_mut_ptr().cast(), &mut flag) })?;
        if flag == 0 || length > value.len() as c_int {
            return Ok(None);
        }
        Ok(CStr::from_bytes_until_nul(&value).ok().map(CStr::to_owned))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_plain_and_bounded() {
        for value in ["4096", "16777216", "67108864"] {
            assert!(BYTES.allow(value), "{value}");
        }
        for value in ["", "0", "-1", "1", "4095", "67108865", "99999999999", "4096k", " 4096", "+4096"] {
            assert!(!BYTES.allow(value), "{value:?}");
        }
    }

    #[test]
    fn words_are_those_that_are_known() {
        assert!(ACCESS.allow("read_once,sequential") && TRUTH.allow("true") && Values::Name.allow("hwloc://Core"));
        for (values, value) in [(&ACCESS, "read_once,"), (&TRUTH, "maybe"), (&TRUTH, ""), (&Values::Name, "a b")] {
            assert!(!values.allow(value), "{value:?}");
        }
        assert!(!Values::Name.allow(&"x".repeat(64)));
    }
}
