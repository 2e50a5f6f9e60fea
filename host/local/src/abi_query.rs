//! What a program asks about the binary interface, and what a Fortran program tells (MPI-5.0 chapter 20).

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use rankine_abi::{Addr, Info, MPI_ABI_SUBVERSION, MPI_ABI_VERSION, MPI_ERR_ABI, MPI_ERR_ARG};

use crate::error::{Error, Result};
use crate::info::{info_create, info_set};
use crate::rank::Rank;

/// What a program has told of its Fortran compiler.
#[derive(Default)]
pub(crate) struct State {
    /// The entries of the info object that it passed.
    info_was_set: Cell<bool>,
    /// The bytes of true and false, by size of a logical.
    booleans: RefCell<BTreeMap<i32, [Vec<u8>; 2]>>,
}

/// The sizes of Fortran's types in a guest, those that MPI_INTEGER and its like have here; and that each of its optional
/// datatypes is one of the engine's.
const FORTRAN: [(&str, &str); 23] = [
    ("mpi_logical_size", "4"),
    ("mpi_integer_size", "4"),
    ("mpi_real_size", "4"),
    ("mpi_double_precision_size", "8"),
    ("mpi_logical1_supported", "true"),
    ("mpi_logical2_supported", "true"),
    ("mpi_logical4_supported", "true"),
    ("mpi_logical8_supported", "true"),
    ("mpi_logical16_supported", "true"),
    ("mpi_integer1_supported", "true"),
    ("mpi_integer2_supported", "true"),
    ("mpi_integer4_supported", "true"),
    ("mpi_integer8_supported", "true"),
    ("mpi_integer16_supported", "true"),
    ("mpi_real2_supported", "true"),
    ("mpi_real4_supported", "true"),
    ("mpi_real8_supported", "true"),
    ("mpi_real16_supported", "true"),
    ("mpi_complex4_supported", "true"),
    ("mpi_complex8_supported", "true"),
    ("mpi_complex16_supported", "true"),
    ("mpi_complex32_supported", "true"),
    ("mpi_double_complex_supported", "true"),
];

/// `MPI_Abi_get_version`
pub fn abi_get_version(_: &Rank) -> Result<(i32, i32)> {
    Ok((MPI_ABI_VERSION, MPI_ABI_SUBVERSION))
}

fn new_info(r: &Rank, entries: &[(&str, &str)]) -> Result<Info> {
    let info = info_create(r)?;
    entries.iter().try_for_each(|(key, value)| info_set(r, info, key, value))?;
    Ok(info)
}

/// `MPI_Abi_get_info`: how wide MPI's integers are in the guest.
pub fn abi_get_info(r: &Rank) -> Result<Info> {
    let aint = if r.memory().is_wide() { "8" } else { "4" };
    new_info(r, &[("mpi_aint_size", aint), ("mpi_count_size", "8"), ("mpi_offset_size", "8")])
}

/// `MPI_Abi_get_fortran_info`
pub fn abi_get_fortran_info(r: &Rank) -> Result<Info> {
    new_info(r, &FORTRAN)
}

/// `MPI_Abi_set_fortran_info`: the sizes are what they are, so only what agrees with them can be set.
pub fn abi_set_fortran_info(r: &Rank, info: Info) -> Result<()> {
    let told = r.info(info)?;
    for (key, value) in FORTRAN {
        match told.get(key) {
            Some(other) if other.trim() != value => {
                return Err(Error::new(
                    MPI_ERR_ABI,
                    format!("{key} is {value} in this engine and cannot be set to {other}"),
                ));
            }
            _ => (),
        }
    }
    if r.init.fortran.info_was_set.replace(true) {
        return Err(Error::new(MPI_ERR_ABI, "what Fortran's types are was set before"));
    }
    Ok(())
}

fn check_logical(logical_size: i32) -> Result<u64> {
    match logical_size {
        1 | 2 | 4 | 8 | 16 => Ok(logical_size as u64),
        _ => {
            Err(Error::new(MPI_ERR_ARG, format!("logical_size is {logical_size}, which is not 1, 2, 4, 8 or 16 bytes")))
        }
    }
}

/// `MPI_Abi_set_fortran_booleans`
pub fn abi_set_fortran_booleans(r: &Rank, logical_size: i32, logical_true: Addr, logical_false: Addr) -> Result<()> {
    let bytes = check_logical(logical_size)?;
    let values = [
        r.memory().read_bytes(logical_true, bytes, "logical_true")?,
        r.memory().read_bytes(logical_false, bytes, "logical_false")?,
    ];
    let mut booleans = r.init.fortran.booleans.borrow_mut();
    if booleans.contains_key(&logical_size) {
        return Err(Error::new(MPI_ERR_ABI, format!("the logical values of {logical_size} bytes were set before")));
    }
    booleans.insert(logical_size, values);
    Ok(())
}

/// `MPI_Abi_get_fortran_booleans`: whether the values were set; they are stored only then.
pub fn abi_get_fortran_booleans(r: &Rank, logical_size: i32, logical_true: Addr, logical_false: Addr) -> Result<bool> {
    check_logical(logical_size)?;
    match r.init.fortran.booleans.borrow().get(&logical_size) {
        Some([yes, no]) => {
            r.memory().write_bytes(logical_true, yes, "logical_true")?;
            r.memory().write_bytes(logical_false, no, "logical_false")?;
            Ok(true)
        }
        None => Ok(false),
    }
}
