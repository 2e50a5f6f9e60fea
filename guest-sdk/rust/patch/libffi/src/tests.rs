//! They run on any machine: nothing here is special to WebAssembly.

use core::ffi::c_void;

use crate::CLOSURES;
use crate::low::{Error, ffi_cif};
use crate::middle::{Cif, Closure, Type};

unsafe extern "C" fn add(_: &ffi_cif, result: &mut usize, args: *const *const c_void, more: &usize) {
    // SAFETY: the signatures below say that there are two words.
    let (a, b) = unsafe { (**args.cast::<*const usize>(), **args.add(1).cast::<*const usize>()) };
    *result = a + b + more;
}

unsafe extern "C" fn count(_: &ffi_cif, _: &mut (), args: *const *const c_void, calls: &mut usize) {
    // SAFETY: the signature below says that there is one word, a number.
    *calls += unsafe { **args.cast::<*const usize>() };
}

fn two_words() -> Cif {
    Cif::new([Type::pointer(), Type::usize()], Type::usize())
}

type Binary = extern "C" fn(usize, usize) -> usize;

#[test]
fn every_closure_is_a_function_of_its_own() {
    let data: Vec<usize> = (0..CLOSURES).map(|i| 100 * i).collect();
    let closures: Vec<_> = data.iter().map(|more| Closure::new(two_words(), add, more)).collect();
    for (closure, more) in closures.iter().zip(&data) {
        // SAFETY: it is the type of `two_words`.
        let function: &Binary = unsafe { closure.instantiate_code_ptr() };
        assert_eq!(function(1, 2), 3 + more);
    }
    assert_eq!(Closure::try_new(two_words(), add, &0).unwrap_err(), Error::Allocation);
    drop(closures);
    Closure::new(two_words(), add, &0);
}

#[test]
fn data_can_be_changed() {
    let mut calls = 0;
    let closure = Closure::new_mut(Cif::new([Type::usize()], Type::void()), count, &mut calls);
    // SAFETY: it is the type of the signature.
    let function: &extern "C" fn(usize) = unsafe { closure.instantiate_code_ptr() };
    function(40);
    function(2);
    drop(closure);
    assert_eq!(calls, 42);
}

#[test]
fn what_cannot_be_is_refused() {
    let wide = Cif::new([Type::f64(), Type::u64()], Type::usize());
    assert_eq!(Closure::try_new(wide, add, &0).unwrap_err(), Error::ArgType);
    let long = Cif::new([Type::pointer(); 7], Type::void());
    assert_eq!(Closure::try_new(long, add, &0).unwrap_err(), Error::ArgType);
    assert!(Error::ArgType.to_string().contains("32 bits"));
}
