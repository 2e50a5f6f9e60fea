//! One MPI call of a guest: registration, and between Wasmtime and the engine.

use std::mem::MaybeUninit;
use std::sync::Arc;

use rankine_abi::{MODULE, ValueType};
use rankine_mpi::Rank;
use rankine_mpi::call::{self, Raw, Way, Words, find};
use wasmtime::{Caller, FuncType, Linker, Result, ValRaw, ValType};

use super::process::rank::reason;
use super::{Guest, images};
use crate::guest::stage::Inside;

/// Registers one function of MPI or of object graphs, if there is one of that name; says whether there is.
pub(crate) fn define(linker: &mut Linker<Guest>, module: &str, name: &str) -> Result<bool> {
    if module == rankine_object::MODULE {
        return images::define(linker, name);
    }
    let Some((way, shim, charge)) = find(name) else { return Ok(false) };
    let words = way.function.words(way.is_lp64);
    let ty = FuncType::new(linker.engine(), words.map(wasm), [wasm(way.function.result)]);
    // SAFETY: the words are read and written with the types of the table, from which the signature comes.
    unsafe {
        match charge {
            None => {
                linker.func_new_unchecked(MODULE, name, ty, move |caller, words| carry(caller, &way, words, shim))?
            }
            Some(charge) => linker.func_new_unchecked(MODULE, name, ty, move |caller, words| {
                carry(caller, &way, words, |rank, words| {
                    charge(rank, words)?;
                    (shim)(rank, words)
                })
            })?,
        }
    };
    Ok(true)
}

fn wasm(value: ValueType) -> ValType {
    match value {
        ValueType::I32 => ValType::I32,
        ValueType::I64 => ValType::I64,
        ValueType::F64 => ValType::F64,
    }
}

/// Carries one call.
#[inline]
pub(crate) fn carry(
    mut caller: Caller<'_, Guest>,
    way: &Way,
    words: &mut [MaybeUninit<ValRaw>],
    shim: impl FnOnce(&Rank, &mut Words<'_>) -> rankine_mpi::Result<()>,
) -> Result<()> {
    let turn = Guest::begin(&mut caller, way.function.name, way.any_thread)?;
    // SAFETY: the store owns the rank and never replaces it, an `Arc`'s content doesn't move, and no `&mut Rank` is ever
    // made. Other threads of the rank have their turn before or after this call, or while it has lent its own.
    let rank = unsafe { &*Arc::as_ptr(caller.data().rank()) };
    let inside = Inside::new(way.function, way.is_lp64, words);
    const { assert!(size_of::<Raw>() == size_of::<ValRaw>() && align_of::<Raw>() <= align_of::<ValRaw>()) };
    // SAFETY: a word lies in both as Wasmtime lays it out, little-endian from the first byte on. They are those of this
    // call, by the signature it was registered with.
    let words = unsafe { Words::new(&mut *(std::ptr::from_mut(words) as *mut [MaybeUninit<Raw>]), way.is_lp64) };
    let during = |rank: &Rank, words: &mut Words<'_>| inside.during(|| shim(rank, words));
    call::carry(rank, (&raw mut caller).cast(), way, turn.thread(), words, during).map_err(reason)
}

/// Carries letters of the view between calls of MPI, by a call that has the turn.
pub(crate) fn carry_letters(caller: &mut Caller<'_, Guest>) -> Result<()> {
    // SAFETY: as long as the store is borrowed, its rank stays: it is never replaced, and an `Arc`'s content doesn't move.
    let rank = unsafe { &*Arc::as_ptr(caller.data().rank()) };
    call::carry_letters(rank, (&raw mut *caller).cast()).map_err(reason)
}
