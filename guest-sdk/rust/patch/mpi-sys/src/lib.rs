//! Stands in for the crate `mpi-sys` of crates.io, so that `mpi` (rsmpi) compiles unchanged for `wasm32-wasip1`:
//!
//! ```toml
//! [patch.crates-io]
//! mpi-sys = { path = "<the folder of this crate>" }
//! libffi-sys = { path = "<its neighbour>" }
//! ```
//!
//! The original asks an MPI compiler wrapper and `bindgen` for the bindings of the machine's MPI library. Here they are
//! those of the standard ABI (`rankine-mpi-sys`), which needs neither, and beside them stand the names that the
//! original adds: constants and functions that are macros in some library's `mpi.h`, with the prefix `RS`.
#![no_std]
#![allow(non_camel_case_types, non_snake_case)]

use core::ffi::{c_double, c_int};

pub use raw::*;

/// A default `INTEGER` of Fortran.
pub type RSMPI_Fint = MPI_Fint;

macro_rules! constants {
    ($($type:ty: $($name:ident = $value:ident)*;)*) => {$($(
        #[doc = concat!("`", stringify!($value), "`")]
        pub const $name: $type = $value;
    )*)*};
}

constants! {
    MPI_Datatype:
        RSMPI_C_BOOL = MPI_C_BOOL
        RSMPI_FLOAT = MPI_FLOAT
        RSMPI_DOUBLE = MPI_DOUBLE
        RSMPI_INT8_T = MPI_INT8_T
        RSMPI_INT16_T = MPI_INT16_T
        RSMPI_INT32_T = MPI_INT32_T
        RSMPI_INT64_T = MPI_INT64_T
        RSMPI_UINT8_T = MPI_UINT8_T
        RSMPI_UINT16_T = MPI_UINT16_T
        RSMPI_UINT32_T = MPI_UINT32_T
        RSMPI_UINT64_T = MPI_UINT64_T
        RSMPI_FLOAT_COMPLEX = MPI_C_FLOAT_COMPLEX
        RSMPI_DOUBLE_COMPLEX = MPI_C_DOUBLE_COMPLEX
        RSMPI_DATATYPE_NULL = MPI_DATATYPE_NULL;
    MPI_Comm:
        RSMPI_COMM_WORLD = MPI_COMM_WORLD
        RSMPI_COMM_NULL = MPI_COMM_NULL
        RSMPI_COMM_SELF = MPI_COMM_SELF;
    c_int:
        RSMPI_COMM_TYPE_SHARED = MPI_COMM_TYPE_SHARED
        RSMPI_UNDEFINED = MPI_UNDEFINED
        RSMPI_PROC_NULL = MPI_PROC_NULL
        RSMPI_ANY_SOURCE = MPI_ANY_SOURCE
        RSMPI_ANY_TAG = MPI_ANY_TAG
        RSMPI_IDENT = MPI_IDENT
        RSMPI_CONGRUENT = MPI_CONGRUENT
        RSMPI_SIMILAR = MPI_SIMILAR
        RSMPI_UNEQUAL = MPI_UNEQUAL
        RSMPI_THREAD_SINGLE = MPI_THREAD_SINGLE
        RSMPI_THREAD_FUNNELED = MPI_THREAD_FUNNELED
        RSMPI_THREAD_SERIALIZED = MPI_THREAD_SERIALIZED
        RSMPI_THREAD_MULTIPLE = MPI_THREAD_MULTIPLE
        RSMPI_GRAPH = MPI_GRAPH
        RSMPI_CART = MPI_CART
        RSMPI_DIST_GRAPH = MPI_DIST_GRAPH
        RSMPI_MAX_LIBRARY_VERSION_STRING = MPI_MAX_LIBRARY_VERSION_STRING
        RSMPI_MAX_PROCESSOR_NAME = MPI_MAX_PROCESSOR_NAME;
    MPI_Group:
        RSMPI_GROUP_EMPTY = MPI_GROUP_EMPTY
        RSMPI_GROUP_NULL = MPI_GROUP_NULL;
    MPI_Message:
        RSMPI_MESSAGE_NULL = MPI_MESSAGE_NULL
        RSMPI_MESSAGE_NO_PROC = MPI_MESSAGE_NO_PROC;
    MPI_Request:
        RSMPI_REQUEST_NULL = MPI_REQUEST_NULL;
    *mut MPI_Status:
        RSMPI_STATUS_IGNORE = MPI_STATUS_IGNORE
        RSMPI_STATUSES_IGNORE = MPI_STATUSES_IGNORE;
    MPI_Op:
        RSMPI_MAX = MPI_MAX
        RSMPI_MIN = MPI_MIN
        RSMPI_SUM = MPI_SUM
        RSMPI_PROD = MPI_PROD
        RSMPI_LAND = MPI_LAND
        RSMPI_BAND = MPI_BAND
        RSMPI_LOR = MPI_LOR
        RSMPI_BOR = MPI_BOR
        RSMPI_LXOR = MPI_LXOR
        RSMPI_BXOR = MPI_BXOR;
    MPI_Errhandler:
        RSMPI_ERRORS_ARE_FATAL = MPI_ERRORS_ARE_FATAL
        RSMPI_ERRORS_RETURN = MPI_ERRORS_RETURN;
    MPI_File:
        RSMPI_FILE_NULL = MPI_FILE_NULL;
    MPI_Info:
        RSMPI_INFO_NULL = MPI_INFO_NULL;
    MPI_Win:
        RSMPI_WIN_NULL = MPI_WIN_NULL;
}

/// `MPI_UNWEIGHTED`
///
/// # Safety
/// It is always safe; the original is a C function.
pub unsafe extern "C" fn RSMPI_UNWEIGHTED() -> *mut c_int {
    MPI_UNWEIGHTED
}

/// `MPI_Wtime`
///
/// # Safety
/// As `MPI_Wtime`: between initialization and finalization.
pub unsafe extern "C" fn RSMPI_Wtime() -> c_double {
    // SAFETY: MPI is initialised and not finalised, as the function demands.
    unsafe { MPI_Wtime() }
}

/// `MPI_Wtick`
///
/// # Safety
/// As `MPI_Wtick`: between initialization and finalization.
pub unsafe extern "C" fn RSMPI_Wtick() -> c_double {
    // SAFETY: MPI is initialised and not finalised, as the function demands.
    unsafe { MPI_Wtick() }
}

macro_rules! conversions {
    ($($handle:ident: $c2f:ident = $toint:ident, $f2c:ident = $fromint:ident;)*) => {$(
        #[doc = concat!("The number that Fortran knows a `", stringify!($handle), "` by.")]
        ///
        /// # Safety
        /// The handle is one of MPI's.
        pub unsafe extern "C" fn $c2f(handle: $handle) -> MPI_Fint {
            // SAFETY: the handle is one of MPI's, as the function demands.
            unsafe { $toint(handle) }
        }

        #[doc = concat!("The `", stringify!($handle), "` that Fortran knows by this number.")]
        ///
        /// # Safety
        /// The number is that of a handle.
        pub unsafe extern "C" fn $f2c(number: MPI_Fint) -> $handle {
            // SAFETY: the number is that of a handle, as the function demands.
            unsafe { $fromint(number) }
        }
    )*};
}

conversions! {
    MPI_Comm: RSMPI_Comm_c2f = MPI_Comm_toint, RSMPI_Comm_f2c = MPI_Comm_fromint;
    MPI_Errhandler: RSMPI_Errhandler_c2f = MPI_Errhandler_toint, RSMPI_Errhandler_f2c = MPI_Errhandler_fromint;
    MPI_File: RSMPI_File_c2f = MPI_File_toint, RSMPI_File_f2c = MPI_File_fromint;
    MPI_Group: RSMPI_Group_c2f = MPI_Group_toint, RSMPI_Group_f2c = MPI_Group_fromint;
    MPI_Info: RSMPI_Info_c2f = MPI_Info_toint, RSMPI_Info_f2c = MPI_Info_fromint;
    MPI_Message: RSMPI_Message_c2f = MPI_Message_toint, RSMPI_Message_f2c = MPI_Message_fromint;
    MPI_Op: RSMPI_Op_c2f = MPI_Op_toint, RSMPI_Op_f2c = MPI_Op_fromint;
    MPI_Request: RSMPI_Request_c2f = MPI_Request_toint, RSMPI_Request_f2c = MPI_Request_fromint;
    MPI_Datatype: RSMPI_Type_c2f = MPI_Type_toint, RSMPI_Type_f2c = MPI_Type_fromint;
    MPI_Win: RSMPI_Win_c2f = MPI_Win_toint, RSMPI_Win_f2c = MPI_Win_fromint;
}
