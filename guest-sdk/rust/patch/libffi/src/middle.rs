//! Types, signatures and closures.

use core::ffi::c_void;
use core::marker::PhantomData;
use core::mem::transmute;

use crate::low::{self, Error, Result, ffi_cif};
pub use crate::low::{Callback, CallbackMut, CodePtr, ffi_abi as FfiAbi, ffi_abi_FFI_DEFAULT_ABI};
use crate::trampoline::{Borrowed, Bound};

/// The type of a parameter or a result.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Type(Class);

/// How a type is passed in WebAssembly.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Class {
    Void,
    Word,
    Other,
}

macro_rules! types {
    ($($name:ident $class:ident;)*) => {
        impl Type {$(
            #[doc = concat!("`", stringify!($name), "`")]
            pub fn $name() -> Type {
                Type(Class::$class)
            }
        )*}
    };
}

types! {
    void Void;
    u8 Word; i8 Word; u16 Word; i16 Word; u32 Word; i32 Word; usize Word; isize Word; pointer Word;
    c_schar Word; c_uchar Word; c_short Word; c_ushort Word; c_int Word; c_uint Word; c_long Word; c_ulong Word;
    u64 Other; i64 Other; f32 Other; f64 Other; c_longlong Other; c_ulonglong Other;
}

/// The signature of a C function.
#[derive(Clone, Debug)]
pub struct Cif {
    cif: ffi_cif,
    /// Whether all that is passed are words.
    plain: bool,
}

impl Cif {
    /// A function with these parameters and this result.
    pub fn new<I>(args: I, result: Type) -> Cif
    where
        I: IntoIterator<Item = Type>,
    {
        let (mut nargs, mut plain) = (0, result.0 != Class::Other);
        for arg in args {
            nargs += 1;
            plain &= arg.0 == Class::Word;
        }
        let cif = ffi_cif { abi: ffi_abi_FFI_DEFAULT_ABI, nargs, returns: result.0 == Class::Word };
        Cif { cif, plain }
    }

    /// Sets the calling convention, of which there is only one.
    pub fn set_abi(&mut self, abi: FfiAbi) {
        self.cif.abi = abi;
    }
}

/// A closure that is a C function, as long as it lives.
#[derive(Debug)]
pub struct Closure<'a> {
    borrowed: Borrowed,
    userdata: PhantomData<&'a ()>,
}

impl<'a> Closure<'a> {
    /// The function of this signature that calls `callback` with `userdata`.
    ///
    /// # Panics
    /// If there can be no such closure; [`Closure::try_new`] says why.
    pub fn new<U, R>(cif: Cif, callback: Callback<U, R>, userdata: &'a U) -> Closure<'a> {
        Closure::try_new(cif, callback, userdata).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The function of this signature that calls `callback` with `userdata`, or why it can't be.
    pub fn try_new<U, R>(cif: Cif, callback: Callback<U, R>, userdata: &'a U) -> Result<Closure<'a>> {
        // SAFETY: a reference and a pointer are the same to C, and so are these two function types.
        let callback = unsafe { transmute::<Callback<U, R>, RawCallback>(callback) };
        Closure::bind(cif, callback, (&raw const *userdata).cast_mut().cast())
    }

    /// As [`Closure::new`], with data that the callback may change.
    ///
    /// # Panics
    /// If there can be no such closure.
    pub fn new_mut<U, R>(cif: Cif, callback: CallbackMut<U, R>, userdata: &'a mut U) -> Closure<'a> {
        // SAFETY: a reference and a pointer are the same to C, and so are these two function types.
        let callback = unsafe { transmute::<CallbackMut<U, R>, RawCallback>(callback) };
        Closure::bind(cif, callback, (&raw mut *userdata).cast()).unwrap_or_else(|error| panic!("{error}"))
    }

    fn bind(cif: Cif, callback: RawCallback, userdata: *mut c_void) -> Result<Closure<'a>> {
        match () {
            _ if cif.cif.abi != ffi_abi_FFI_DEFAULT_ABI => Err(Error::Abi),
            _ if !cif.plain => Err(Error::ArgType),
            _ => Ok(Closure {
                borrowed: Borrowed::new(Bound { cif: cif.cif, callback, userdata })?,
                userdata: PhantomData,
            }),
        }
    }

    /// A pointer to the function.
    pub fn code_ptr(&self) -> &extern "C" fn() {
        // SAFETY: it is a function pointer; it has to be cast before it is called.
        unsafe { self.borrowed.code.as_safe_fun() }
    }

    /// The function, as a function pointer of type `T`.
    ///
    /// # Safety
    /// `T` is the function type of the closure's signature.
    pub unsafe fn instantiate_code_ptr<T>(&self) -> &T {
        // SAFETY: `T` is a function pointer, as the caller promises, and so is a `CodePtr`.
        unsafe { &*(&raw const self.borrowed.code).cast() }
    }
}

type RawCallback = unsafe extern "C" fn(*const low::ffi_cif, *mut c_void, *const *const c_void, *mut c_void);
