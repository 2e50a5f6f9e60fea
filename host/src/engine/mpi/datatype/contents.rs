//! What datatypes were made from, as the guest sees it.

use std::ffi::c_int;
use std::rc::Rc;

use rankine_abi::{MPI_COMBINER_NAMED, MPI_ERR_ARG, MPI_ERR_TYPE};
use rankine_guest::Error;

use super::Type;
use crate::engine::mpi::Result;
use crate::engine::mpi::call::handle::is_constant;
use crate::engine::mpi::call::words::Words;
use crate::engine::mpi::generated::symbols;
use crate::engine::mpi::process::rank::Rank;

/// What a type was made from, as counts: integers, addresses, large counts, datatypes, and how.
#[derive(Default)]
struct Envelope {
    counts: [i64; 4],
    combiner: c_int,
}

fn envelope(r: &Rank, ty: &Type, large: bool) -> Result<Envelope> {
    let mut found = Envelope { combiner: MPI_COMBINER_NAMED, ..Envelope::default() };
    // Whatever stands for it in the library.
    if is_constant(ty.word as usize) {
        return Ok(found);
    }
    let host = r.origin_of_type(ty);
    if large {
        let call = r.symbol::<symbols::MPI_Type_get_envelope_c>()?;
        let [ints, addresses, longs, types] = &mut found.counts;
        // SAFETY: a datatype of the library's, and results on the stack.
        r.check(unsafe { call(host, ints, addresses, longs, types, &mut found.combiner) })?;
    } else {
        let call = r.symbol::<symbols::MPI_Type_get_envelope>()?;
        let mut counts: [c_int; 3] = [0; 3];
        let [ints, addresses, types] = &mut counts;
        // SAFETY: a datatype of the library's, and results on the stack.
        r.check(unsafe { call(host, ints, addresses, types, &mut found.combiner) })?;
        found.counts = [i64::from(counts[0]), i64::from(counts[1]), 0, i64::from(counts[2])];
    }
    Ok(found)
}

/// `MPI_Type_get_envelope`
pub(crate) fn type_get_envelope(r: &Rank, w: &mut Words<'_>, large: bool) -> Result<()> {
    let ty = r.asked_datatype(w.word(0), "datatype")?;
    let found = envelope(r, &ty, large)?;
    let [ints, addresses, longs, types] = found.counts;
    let counts = if large { vec![ints, addresses, longs, types] } else { vec![ints, addresses, types] };
    for (at, count) in counts.iter().enumerate() {
        r.put_count(large, w.addr(1 + at), *count, "the number of arguments")?;
    }
    r.put_int(w.addr(1 + counts.len()), found.combiner, "combiner")
}

/// The parameters that say how much room there is.
fn room_names(large: bool) -> &'static [&'static str] {
    if large {
        &["max_integers", "max_addresses", "max_large_counts", "max_datatypes"]
    } else {
        &["max_integers", "max_addresses", "max_datatypes"]
    }
}

/// `MPI_Type_get_contents`: the types are shown by the guest's own words.
pub(crate) fn type_get_contents(r: &Rank, w: &mut Words<'_>, large: bool) -> Result<()> {
    let ty = r.asked_datatype(w.word(0), "datatype")?;
    let numbers = if large { 4 } else { 3 };
    let most: Vec<i64> = (1..=numbers).map(|at| w.count(large, at)).collect();
    let (found, host) = (envelope(r, &ty, large)?, r.origin_of_type(&ty));
    if found.combiner == MPI_COMBINER_NAMED {
        return Err(Error::new(MPI_ERR_TYPE, "datatype: a predefined type is made of nothing"));
    }
    let there = if large { found.counts.to_vec() } else { vec![found.counts[0], found.counts[1], found.counts[3]] };
    for ((&most, &there), what) in most.iter().zip(&there).zip(room_names(large)) {
        if most < there {
            return Err(Error::new(MPI_ERR_ARG, format!("{what} is {most}, but there are {there}")));
        }
    }
    // A library makes room for as many as it is told.
    let most = there;
    let room = |index: usize| most[index];
    let (mut ints, mut hosts) = (vec![0 as c_int; room(0) as usize], vec![0_usize; room(numbers - 1) as usize]);
    let mut addresses = vec![0_isize; room(1) as usize];
    let mut longs = vec![0_i64; if large { room(2) as usize } else { 0 }];
    let code = if large {
        let call = r.symbol::<symbols::MPI_Type_get_contents_c>()?;
        let (i, a, l, d) = (ints.as_mut_ptr(), addresses.as_mut_ptr(), longs.as_mut_ptr(), hosts.as_mut_ptr());
        // SAFETY: each array has as many elements as there are.
        unsafe { call(host, most[0], most[1], most[2], most[3], i, a, l, d) }
    } else {
        let call = r.symbol::<symbols::MPI_Type_get_contents>()?;
        let most: Vec<c_int> = most.iter().map(|&count| count as c_int).collect();
        let (i, a, d) = (ints.as_mut_ptr(), addresses.as_mut_ptr(), hosts.as_mut_ptr());
        // SAFETY: each array has as many elements as there are.
        unsafe { call(host, most[0], most[1], most[2], i, a, d) }
    };
    r.check(code)?;
    let words = contained(r, &ty, &hosts)?;
    let first = 1 + numbers;
    r.put_ints(w.addr(first), &ints, "array_of_integers")?;
    let addresses: Vec<i32> = addresses.iter().map(|&address| address as i32).collect();
    r.put_ints(w.addr(first + 1), &addresses, "array_of_addresses")?;
    if large {
        r.memory().write_i64s(w.addr(first + 2), &longs, "array_of_large_counts")?;
    }
    r.put_words(w.addr(first + numbers - 1), &words, "array_of_datatypes")
}

/// The guest's words for the types that a type is made of: the constants that the program gave, and new words for the
/// others.
fn contained(r: &Rank, ty: &Type, hosts: &[usize]) -> Result<Vec<u32>> {
    let made_of = r.types.made.with(ty.word, |made| made.made_of.clone()).unwrap_or_default();
    let word = |(index, &host): (usize, &usize)| {
        let given = made_of.get(index).copied().filter(|_| made_of.len() == hosts.len());
        match given {
            Some(word) if is_constant(word as usize) => return Ok(word),
            _ if is_constant(host) => return Ok(given.unwrap_or(host as u32)),
            _ => {}
        }
        // The same type has the same contents under every word.
        let known = r.types.made.word_of(host);
        let made_of = known.and_then(|known| r.types.made.with(known, |made| made.made_of.clone())).unwrap_or_default();
        let elements = known
            .and_then(|known| r.types.made.with(known, |made| (made.ty.basic, made.ty.has_quads, made.ty.is_internal)));
        let new = r.adopt_datatype(host, &[])?;
        r.types.made.change(new, |made| {
            made.made_of = made_of;
            let ty = Rc::make_mut(&mut made.ty);
            (ty.basic, ty.has_quads, ty.is_internal) = elements.unwrap_or((host, false, true));
        });
        Ok(new)
    };
    hosts.iter().enumerate().map(word).collect()
}
