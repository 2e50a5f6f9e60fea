//! What the callback of a closure sees.
#![allow(non_camel_case_types, non_upper_case_globals)]

use core::ffi::{c_uint, c_void};
use core::fmt;

/// A calling convention.
pub type ffi_abi = u32;
/// The only one there is: that of C.
pub const ffi_abi_FFI_DEFAULT_ABI: ffi_abi = 1;
/// An unsigned result that is smaller than a word is returned as one.
pub type ffi_arg = usize;
/// A signed result that is smaller than a word is returned as one.
pub type ffi_sarg = isize;

/// The signature of a C function.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ffi_cif {
    /// Its calling convention.
    pub abi: ffi_abi,
    /// How many parameters it has.
    pub nargs: c_uint,
    /// Whether it returns a word.
    pub(crate) returns: bool,
}

/// The function of a closure: the signature, where its result goes, pointers to its arguments, and the data it was
/// bound to.
pub type Callback<U, R> =
    unsafe extern "C" fn(cif: &ffi_cif, result: &mut R, args: *const *const c_void, userdata: &U);

/// The function of a closure, with data that it may change.
pub type CallbackMut<U, R> =
    unsafe extern "C" fn(cif: &ffi_cif, result: &mut R, args: *const *const c_void, userdata: &mut U);

/// A pointer to a C function.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct CodePtr(pub *mut c_void);

impl CodePtr {
    /// As a function without parameters, to be cast before it is called.
    ///
    /// # Safety
    /// Only a function of that type may be called through it.
    pub unsafe fn as_safe_fun(&self) -> &extern "C" fn() {
        // SAFETY: a function pointer is a pointer; what it may be called with is the caller's promise.
        unsafe { &*(&raw const self.0).cast() }
    }

    /// As a pointer to anything.
    pub fn as_ptr(self) -> *const c_void {
        self.0
    }

    /// As a pointer to anything.
    pub fn as_mut_ptr(self) -> *mut c_void {
        self.0
    }
}

/// Why there is no closure.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Error {
    /// A type that can't be had here.
    Typedef,
    /// A calling convention other than that of C.
    Abi,
    /// A parameter or result that is no word, or too many of them.
    ArgType,
    /// All functions of this signature are borrowed.
    Allocation,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Typedef => f.write_str("this type can't be passed to a closure in WebAssembly"),
            Error::Abi => f.write_str("WebAssembly has one calling convention, that of C"),
            Error::ArgType => write!(
                f,
                "in WebAssembly a closure takes up to {} pointers or integers of at most 32 bits, and returns one or nothing",
                crate::PARAMETERS
            ),
            Error::Allocation => {
                write!(f, "{} closures with this signature exist already, and there can't be more", crate::CLOSURES)
            }
        }
    }
}

impl std::error::Error for Error {}

/// What may fail here.
pub type Result<T> = core::result::Result<T, Error>;
