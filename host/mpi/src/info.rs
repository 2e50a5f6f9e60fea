//! Info objects: the functions whose shims fit no rule of the table.

use rankine_abi::{Addr, MPI_ERR_ARG, MPI_MAX_INFO_VAL};
use rankine_guest::Error;

use super::Result;
use super::generated::symbols;
use super::rank::Rank;

/// `MPI_Info_create_env`: the library knows how it was started; the guest's arguments say no more.
pub(crate) fn info_create_env(r: &Rank, _argc: i32, _argv: Addr, info_at: Addr) -> Result<()> {
    r.room(info_at, r.word_bytes(), "info")?;
    let (call, mut info) = (r.symbol::<symbols::MPI_Info_create_env>()?, 0);
    // SAFETY: no arguments are given, and the result is on the stack.
    r.check(unsafe { call(0, std::ptr::null_mut(), &mut info) })?;
    r.put_info(info_at, info, "info")
}

/// `MPI_Abi_get_info`: the library's, but for the guest's own `MPI_Aint`.
pub(crate) fn abi_get_info(r: &Rank, info_at: Addr) -> Result<()> {
    r.room(info_at, r.word_bytes(), "info")?;
    let (call, set, mut info) = (r.symbol::<symbols::MPI_Abi_get_info>()?, r.symbol::<symbols::MPI_Info_set>()?, 0);
    let bytes = if r.memory().is_wide() { c"8" } else { c"4" };
    // SAFETY: the result is on the stack, and the strings end.
    unsafe {
        r.check(call(&mut info))?;
        r.check(set(info, c"mpi_aint_size".as_ptr(), bytes.as_ptr()))?;
    }
    r.put_info(info_at, info, "info")
}

/// `MPI_Info_get`
pub(crate) fn info_get(r: &Rank, info: u32, key: Addr, valuelen: i32, value_at: Addr, flag_at: Addr) -> Result<()> {
    let (info, key) = (r.info(info, "info")?, r.string(key, "key")?);
    if valuelen < 0 {
        return Err(Error::new(MPI_ERR_ARG, format!("valuelen is {valuelen}, which is negative")));
    }
    r.room(flag_at, 4, "flag")?;
    // Longer values than the longest there can be are not asked for.
    let length = valuelen.min(MPI_MAX_INFO_VAL);
    let mut value = vec![0u8; length as usize + 1];
    let (call, mut flag) = (r.symbol::<symbols::MPI_Info_get>()?, 0);
    // SAFETY: the buffer has room for so many characters and a zero byte.
    r.check(unsafe { call(info, key.as_ptr(), length, value.as_mut_ptr().cast(), &mut flag) })?;
    if flag != 0 {
        r.put_text(value_at, &value, i64::from(length) + 1, "value")?;
    }
    r.put_int(flag_at, flag, "flag")
}

/// `MPI_Info_get_string`
pub(crate) fn info_get_string(
    r: &Rank,
    info: u32,
    key: Addr,
    buflen: Addr,
    value_at: Addr,
    flag_at: Addr,
) -> Result<()> {
    let (info, key) = (r.info(info, "info")?, r.string(key, "key")?);
    let room = r.get_int(buflen, "buflen")?;
    if room < 0 {
        return Err(Error::new(MPI_ERR_ARG, format!("buflen is {room}, which is negative")));
    }
    r.room(flag_at, 4, "flag")?;
    let mut value = vec![0u8; room.clamp(1, MPI_MAX_INFO_VAL + 1) as usize];
    let mut length = room.min(MPI_MAX_INFO_VAL + 1);
    let (call, mut flag) = (r.symbol::<symbols::MPI_Info_get_string>()?, 0);
    // SAFETY: the buffer is as long as `length` says.
    r.check(unsafe { call(info, key.as_ptr(), &mut length, value.as_mut_ptr().cast(), &mut flag) })?;
    if flag != 0 {
        if room > 0 {
            r.put_text(value_at, &value, i64::from(room), "value")?;
        }
        r.put_int(buflen, length, "buflen")?;
    }
    r.put_int(flag_at, flag, "flag")
}
