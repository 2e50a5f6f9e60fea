//! Packing and unpacking (MPI-5.0, sections 5.2 and 5.3).
//!
//! What `MPI_Pack` writes is the bytes of the type map, one after another, and nothing else. The external32 form is
//! big-endian, with a fixed size for every basic type (§14.5.2). All arguments are checked here.

use rankine_abi::{Addr, Comm, Datatype, Kind, MPI_ERR_ARG, MPI_ERR_CONVERSION, MPI_ERR_COUNT, MPI_ERR_TRUNCATE};

use crate::datatype::{Basic, Signature};
use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::span::Span;

/// Bytes that are converted at a time.
const CHUNK: usize = 4096;

/// `MPI_Pack`: the position after the packed data
pub fn pack(
    r: &Rank,
    inbuf: Addr,
    incount: i64,
    datatype: Datatype,
    outbuf: Addr,
    outsize: i64,
    position: i64,
    comm: Comm,
) -> Result<i64> {
    r.communicator(comm)?;
    let data = r.span(inbuf, incount, datatype)?;
    let (packed, end) = window(r, outbuf, outsize, position, data.bytes() as u64)?;
    packed.copy_from(&data, data.bytes());
    Ok(end)
}

/// `MPI_Unpack`: the position after the packed data
pub fn unpack(
    r: &Rank,
    inbuf: Addr,
    insize: i64,
    position: i64,
    outbuf: Addr,
    outcount: i64,
    datatype: Datatype,
    comm: Comm,
) -> Result<i64> {
    r.communicator(comm)?;
    let data = r.span(outbuf, outcount, datatype)?;
    let (packed, end) = window(r, inbuf, insize, position, data.bytes() as u64)?;
    data.copy_from(&packed, data.bytes());
    Ok(end)
}

/// `MPI_Pack_size`
pub fn pack_size(r: &Rank, incount: i64, datatype: Datatype, comm: Comm) -> Result<i64> {
    r.communicator(comm)?;
    Ok(signature(r, incount, datatype)?.bytes() as i64)
}

/// `MPI_Pack_external`: the position after the packed data
pub fn pack_external(
    r: &Rank,
    datarep: &str,
    inbuf: Addr,
    incount: i64,
    datatype: Datatype,
    outbuf: Addr,
    outsize: i64,
    position: i64,
) -> Result<i64> {
    check_representation(datarep)?;
    let data = r.span(inbuf, incount, datatype)?;
    let signature = signature(r, incount, datatype)?;
    let (packed, end) = window(r, outbuf, outsize, position, signature.external_bytes())?;
    each_to_external(&data, &signature, |at, bytes| packed.unpack(at, bytes))?;
    Ok(end)
}

/// Calls `put` with the elements of a span in external form, some at a time, and where they belong.
fn each_to_external(data: &Span<'_>, signature: &Signature, mut put: impl FnMut(usize, &[u8])) -> Result<()> {
    let (mut from, mut to) = (0, 0);
    in_chunks(signature, |basic, bytes, external_bytes| {
        put(to, &convert(basic, read(data, from, bytes), Direction::ToExternal)?);
        (from, to) = (from + bytes, to + external_bytes);
        Ok(())
    })
}

/// The elements of a span in external form, for which there is room.
pub(crate) fn to_external(data: &Span<'_>, signature: &Signature, room: &mut [u8]) -> Result<()> {
    each_to_external(data, signature, |at, bytes| room[at..at + bytes.len()].copy_from_slice(bytes))
}

/// Stores elements in external form, of which the last may be missing; how many bytes of the span they are.
pub(crate) fn from_external(data: &Span<'_>, signature: &Signature, external: &[u8]) -> Result<u64> {
    let (mut from, mut to) = (0, 0);
    in_chunks(signature, |basic, _, external_bytes| {
        let there = &external[from..(from + external_bytes).min(external.len())];
        let whole = there.len() - there.len() % usize::from(basic.external);
        let elements = convert(basic, there[..whole].to_vec(), Direction::FromExternal)?;
        data.unpack(to, &elements);
        (from, to) = (from + there.len(), to + elements.len());
        Ok(())
    })?;
    Ok(to as u64)
}

/// `MPI_Unpack_external`: the position after the packed data
pub fn unpack_external(
    r: &Rank,
    datarep: &str,
    inbuf: Addr,
    insize: i64,
    position: i64,
    outbuf: Addr,
    outcount: i64,
    datatype: Datatype,
) -> Result<i64> {
    check_representation(datarep)?;
    let data = r.span(outbuf, outcount, datatype)?;
    let signature = signature(r, outcount, datatype)?;
    let (packed, end) = window(r, inbuf, insize, position, signature.external_bytes())?;
    let (mut from, mut to) = (0, 0);
    in_chunks(&signature, |basic, bytes, external_bytes| {
        data.unpack(to, &convert(basic, read(&packed, from, external_bytes), Direction::FromExternal)?);
        (from, to) = (from + external_bytes, to + bytes);
        Ok(())
    })?;
    Ok(end)
}

/// `MPI_Pack_external_size`
pub fn pack_external_size(r: &Rank, datarep: &str, incount: i64, datatype: Datatype) -> Result<i64> {
    check_representation(datarep)?;
    Ok(signature(r, incount, datatype)?.external_bytes() as i64)
}

fn check_representation(datarep: &str) -> Result<()> {
    match datarep {
        "external32" => Ok(()),
        _ => Err(Error::new(MPI_ERR_ARG, format!("datarep is \"{datarep}\"; the only one is \"external32\""))),
    }
}

/// The basic elements of `count` elements.
fn signature(r: &Rank, count: i64, datatype: Datatype) -> Result<Signature> {
    let ty = r.any_datatype(datatype)?;
    let count =
        count.try_into().map_err(|_| Error::new(MPI_ERR_COUNT, format!("count is {count}, which is negative")))?;
    ty.signature().repeated(count)
}

/// The `length` packed bytes at `position` of a buffer of `size` bytes, and the position after them.
fn window(r: &Rank, buffer: Addr, size: i64, position: i64, length: u64) -> Result<(Span<'static>, i64)> {
    if !(0..=size).contains(&position) {
        return Err(Error::new(MPI_ERR_ARG, format!("position {position} is outside of a buffer of {size} bytes")));
    }
    if length > (size - position) as u64 {
        let text = format!("{length} bytes do not fit into the buffer of {size} bytes at position {position}");
        return Err(Error::new(MPI_ERR_TRUNCATE, text));
    }
    let end = position + length as i64;
    if length == 0 {
        return Ok((Span::EMPTY, end));
    }
    let whole = r.span(buffer, end, Datatype::BYTE)?;
    Ok((whole.part(position as usize..end as usize), end))
}

/// Calls `convert` with the basic elements in order, some of one type at a time: how many bytes they are in memory and
/// in external form.
fn in_chunks(signature: &Signature, mut convert: impl FnMut(Basic, usize, usize) -> Result<()>) -> Result<()> {
    signature.for_each_run(&mut |basic, mut left| {
        let (size, external) = (usize::from(basic.size), usize::from(basic.external));
        while left > 0 {
            let n = left.min((CHUNK / size) as u64) as usize;
            convert(basic, n * size, n * external)?;
            left -= n as u64;
        }
        Ok(())
    })
}

/// Packed bytes of a span.
fn read(span: &Span<'_>, from: usize, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    span.read(from, &mut bytes);
    bytes
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    ToExternal,
    FromExternal,
}

/// Converts elements of one basic type between the guest's little-endian form and external32.
fn convert(basic: Basic, mut bytes: Vec<u8>, direction: Direction) -> Result<Vec<u8>> {
    if basic.size == basic.external {
        let parts = if basic.kind == Kind::Complex { 2 } else { 1 };
        bytes.chunks_exact_mut(usize::from(basic.size) / parts).for_each(<[u8]>::reverse);
        return Ok(bytes);
    }
    let (from, to) = match direction {
        Direction::ToExternal => (basic.size, basic.external),
        Direction::FromExternal => (basic.external, basic.size),
    };
    let mut converted = Vec::with_capacity(bytes.len() / usize::from(from) * usize::from(to));
    for number in bytes.chunks_exact_mut(from.into()) {
        if direction == Direction::FromExternal {
            number.reverse();
        }
        let at = converted.len();
        converted.extend(resized(number, basic.kind, to.into())?);
        if direction == Direction::ToExternal {
            converted[at..].reverse();
        }
    }
    Ok(converted)
}

/// A little-endian integer of at most 8 bytes in another number of bytes, if it fits.
fn resized(number: &[u8], kind: Kind, size: usize) -> Result<impl Iterator<Item = u8>> {
    let extended = |number: &[u8]| {
        let negative = kind == Kind::Int && number.last().is_some_and(|byte| *byte >= 0x80);
        let mut bytes = [if negative { 0xff } else { 0 }; 8];
        bytes[..number.len()].copy_from_slice(number);
        bytes
    };
    let bytes = extended(number);
    if extended(&bytes[..size]) != bytes {
        let value = i64::from_le_bytes(bytes);
        return Err(Error::new(MPI_ERR_CONVERSION, format!("the number {value} does not fit into {size} bytes")));
    }
    Ok(bytes.into_iter().take(size))
}

#[cfg(test)]
mod tests {
    use rankine_abi::{MPI_ERR_COMM, MPI_ERR_TYPE};

    use super::*;
    use crate::datatype::*;
    use crate::testing::turns;
    use crate::world::Options;

    /// Runs a program as the only rank of a job.
    fn alone(program: impl Fn(&Rank)) {
        let (results, _) = turns(1, Options::default(), async |r: &Rank| program(r));
        assert_eq!(results, [Some(())]);
    }

    const FROM: Addr = Addr(0x100);
    const PACKED: Addr = Addr(0x1000);
    const BACK: Addr = Addr(0x2000);

    #[test]
    fn packing_appends_and_unpacking_takes_it_apart() {
        alone(|r| {
            let column = type_vector(r, 3, 1, 4, Datatype::INT).unwrap();
            let column = type_commit(r, column).unwrap();
            r.memory().write_i32s(FROM, &(0..12).collect::<Vec<_>>(), "from").unwrap();
            let at = pack(r, FROM, 1, column, PACKED, 100, 0, Comm::WORLD).unwrap();
            let end = pack(r, FROM, 2, Datatype::INT, PACKED, 100, at, Comm::WORLD).unwrap();
            assert_eq!((at, end), (12, 20));
            assert_eq!(r.memory().read_i32s(PACKED, 5, "packed").unwrap(), [0, 4, 8, 0, 1]);
            assert_eq!(pack_size(r, 2, column, Comm::WORLD), Ok(24));

            let at = unpack(r, PACKED, 20, 0, BACK, 1, column, Comm::WORLD).unwrap();
            assert_eq!(r.memory().read_i32s(BACK, 9, "back").unwrap(), [0, 0, 0, 0, 4, 0, 0, 0, 8]);
            assert_eq!(unpack(r, PACKED, 20, at, BACK, 2, Datatype::INT, Comm::WORLD), Ok(20));
            assert_eq!(r.memory().read_i32s(BACK, 2, "back").unwrap(), [0, 1]);
        });
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        alone(|r| {
            let class = |result: Result<i64>| result.unwrap_err().class;
            let int = Datatype::INT;
            assert_eq!(class(pack(r, FROM, 3, int, PACKED, 11, 0, Comm::WORLD)), MPI_ERR_TRUNCATE);
            assert_eq!(class(unpack(r, PACKED, 11, 8, BACK, 1, int, Comm::WORLD)), MPI_ERR_TRUNCATE);
            assert_eq!(class(pack(r, FROM, 1, int, PACKED, 11, -1, Comm::WORLD)), MPI_ERR_ARG);
            assert_eq!(class(pack(r, FROM, 1, int, PACKED, 11, 12, Comm::WORLD)), MPI_ERR_ARG);
            assert_eq!(class(pack(r, FROM, -1, int, PACKED, 11, 0, Comm::WORLD)), MPI_ERR_COUNT);
            assert_eq!(class(pack(r, FROM, 1, int, PACKED, 11, 0, Comm::NULL)), MPI_ERR_COMM);
            assert_eq!(class(pack(r, FROM, 1, Datatype::NULL, PACKED, 11, 0, Comm::WORLD)), MPI_ERR_TYPE);
            assert_eq!(class(pack_size(r, i64::MAX, int, Comm::WORLD)), MPI_ERR_ARG);
            assert!(pack(r, FROM, 1, int, Addr(u32::MAX.into()), 100, 50, Comm::WORLD).is_err());
            let uncommitted = type_contiguous(r, 2, int).unwrap();
            assert_eq!(class(pack(r, FROM, 1, uncommitted, PACKED, 99, 0, Comm::WORLD)), MPI_ERR_TYPE);
        });
    }

    #[test]
    fn external32_is_big_endian_with_its_own_sizes() {
        alone(|r| {
            let types = [Datatype::SHORT, Datatype::AINT, Datatype::C_FLOAT_COMPLEX, Datatype::WCHAR];
            let ty = type_create_struct(r, 4, &[1, 2, 1, 1], &[0, 4, 12, 20], &types).unwrap();
            let ty = type_commit(r, ty).unwrap();
            r.memory().write_i32s(FROM, &[0x0102, -2, 7, 0x0304_0506, 0x0708_090a, 0x20ac], "from").unwrap();
            assert_eq!(pack_external_size(r, "external32", 3, ty), Ok(3 * 28));
            let end = pack_external(r, "external32", FROM, 1, ty, PACKED, 28, 0).unwrap();
            assert_eq!(end, 28);
            let expected =
                [&[1, 2][..], &(-2_i64).to_be_bytes(), &7_i64.to_be_bytes(), &[3, 4, 5, 6, 7, 8, 9, 10], &[0x20, 0xac]];
            assert_eq!(r.memory().read_bytes(PACKED, 28, "packed").unwrap(), expected.concat());
            assert_eq!(unpack_external(r, "external32", PACKED, 28, 0, BACK, 1, ty), Ok(28));
            assert_eq!(r.memory().read_bytes(BACK, 24, "").unwrap(), r.memory().read_bytes(FROM, 24, "").unwrap());

            r.memory().write_bytes(PACKED, &(1_i64 << 40).to_be_bytes(), "packed").unwrap();
            let error = unpack_external(r, "external32", PACKED, 8, 0, BACK, 1, Datatype::AINT).unwrap_err();
            assert_eq!(error.class, MPI_ERR_CONVERSION);
            assert!(pack_external(r, "native", FROM, 1, ty, PACKED, 28, 0).is_err());
        });
    }

    #[test]
    fn long_external_data_goes_in_chunks() {
        alone(|r| {
            let n = if cfg!(miri) { 1030 } else { 5000 };
            let values: Vec<i32> = (0..n as i32).map(|i| i * 77_777).collect();
            let (from, packed) = (Addr(0x1_0000), Addr(0x8_0000));
            r.memory().write_i32s(from, &values, "from").unwrap();
            assert_eq!(pack_external(r, "external32", from, n, Datatype::INT, packed, 4 * n, 0), Ok(4 * n));
            let bytes = r.memory().read_bytes(packed, 4 * n as u64, "packed").unwrap();
            let back: Vec<i32> = bytes.as_chunks::<4>().0.iter().map(|word| i32::from_be_bytes(*word)).collect();
            assert_eq!(back, values);
        });
    }
}
