//! The names of libffi's C interface that closures need.

pub use crate::low::{ffi_abi, ffi_abi_FFI_DEFAULT_ABI, ffi_arg, ffi_cif, ffi_sarg};
