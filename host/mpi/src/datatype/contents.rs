//! What datatypes were made from, as the guest sees it.

use std::ffi::c_int;
use std::rc::Rc;

use rankine_abi::{Addr, MPI_COMBINER_NAMED, MPI_ERR_ARG, MPI_ERR_TYPE};
use rankine_guest::Error;

use super::Type;
use crate::Result;
use crate::call::handle::is_constant;
use crate::generated::symbols;
use crate::rank::Rank;

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
pub(crate) fn type_get_envelope(
    r: &Rank,
    large: bool,
    datatype: u32,
    num_integers: Addr,
    num_addresses: Addr,
    num_large_counts: Addr,
    num_datatypes: Addr,
    combiner: Addr,
) -> Result<()> {
    let ty = r.asked_datatype(datatype, "datatype")?;
    let found = envelope(r, &ty, large)?;
    let [ints, addresses, longs, types] = found.counts;
    r.put_count(large, num_integers, ints, "num_integers")?;
    r.put_count(large, num_addresses, addresses, "num_addresses")?;
    if large {
        r.put_long(num_large_counts, longs, "num_large_counts")?;
    }
    r.put_count(large, num_datatypes, types, "num_datatypes")?;
    r.put_int(combiner, found.combiner, "combiner")
}

/// `MPI_Type_get_contents`: the types are shown by the guest's own words.
pub(crate) fn type_get_contents(
    r: &Rank,
    large: bool,
    datatype: u32,
    max_integers: i64,
    max_addresses: i64,
    max_large_counts: i64,
    max_datatypes: i64,
    array_of_integers: Addr,
    array_of_addresses: Addr,
    array_of_large_counts: Addr,
    array_of_datatypes: Addr,
) -> Result<()> {
    let ty = r.asked_datatype(datatype, "datatype")?;
    let (found, host) = (envelope(r, &ty, large)?, r.origin_of_type(&ty));
    if found.combiner == MPI_COMBINER_NAMED {
        return Err(Error::new(MPI_ERR_TYPE, "datatype: a predefined type has no contents"));
    }
    let most = [
        (max_integers, "max_integers"),
        (max_addresses, "max_addresses"),
        (max_large_counts, "max_large_counts"),
        (max_datatypes, "max_datatypes"),
    ];
    for ((most, what), there) in most.into_iter().zip(found.counts) {
        if most < there {
            return Err(Error::new(MPI_ERR_ARG, format!("{what} is {most}, but there are {there}")));
        }
    }
    // A library makes room for as many as it is told: it is told how many there are.
    let [ni, na, nl, nd] = found.counts;
    let (mut ints, mut addresses) = (vec![0 as c_int; ni as usize], vec![0_isize; na as usize]);
    let (mut longs, mut hosts) = (vec![0_i64; nl as usize], vec![0_usize; nd as usize]);
    let (i, a, l, d) = (ints.as_mut_ptr(), addresses.as_mut_ptr(), longs.as_mut_ptr(), hosts.as_mut_ptr());
    let code = if large {
        let call = r.symbol::<symbols::MPI_Type_get_contents_c>()?;
        // SAFETY: each array has as many elements as there are.
        unsafe { call(host, ni, na, nl, nd, i, a, l, d) }
    } else {
        let call = r.symbol::<symbols::MPI_Type_get_contents>()?;
        // SAFETY: each array has as many elements as there are.
        unsafe { call(host, ni as c_int, na as c_int, nd as c_int, i, a, d) }
    };
    r.check(code)?;
    let words = contained(r, &ty, &hosts)?;
    r.put_ints(array_of_integers, &ints, "array_of_integers")?;
    let addresses: Vec<i64> = addresses.iter().map(|&address| address as i64).collect();
    r.memory().write_aints(array_of_addresses, &addresses, "array_of_addresses")?;
    if large {
        r.memory().write_i64s(array_of_large_counts, &longs, "array_of_large_counts")?;
    }
    r.put_handles(array_of_datatypes, &words, "array_of_datatypes")
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
