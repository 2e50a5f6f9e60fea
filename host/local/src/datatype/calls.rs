//! The MPI functions of the chapter: handles in, handles out; the work is elsewhere.

use rankine_abi::*;

use super::{Combiner, Contents, Type, construct, contents};
use crate::attr;
use crate::error::{Error, Result};
use crate::rank::Rank;

impl Rank {
    /// Makes a type from the old ones with `entries` blocks, and gives it a handle.
    fn create(&self, entries: usize, make: impl FnOnce() -> Result<Type>) -> Result<Datatype> {
        // Blocks that cannot be joined take as much as this while the type is made.
        self.types.room_for(entries as u64 * 128)?;
        let mut ty = make()?;
        // Both forms of a function arrive here; which one was called matters to the envelope alone.
        ty.contents.large = self.call().ends_with("_c");
        self.types.add(ty)
    }
}

/// `MPI_Type_contiguous`
pub fn type_contiguous(r: &Rank, count: i64, oldtype: Datatype) -> Result<Datatype> {
    let old = r.any_datatype(oldtype)?;
    r.create(1, || Type::contiguous(count, &old))
}

/// `MPI_Type_vector`
pub fn type_vector(r: &Rank, count: i64, blocklength: i64, stride: i64, oldtype: Datatype) -> Result<Datatype> {
    let old = r.any_datatype(oldtype)?;
    r.create(1, || Type::vector(count, blocklength, stride, &old))
}

/// `MPI_Type_create_hvector`
pub fn type_create_hvector(r: &Rank, count: i64, blocklength: i64, stride: i64, oldtype: Datatype) -> Result<Datatype> {
    let old = r.any_datatype(oldtype)?;
    r.create(1, || Type::hvector(count, blocklength, stride, &old))
}

/// `MPI_Type_indexed`
pub fn type_indexed(
    r: &Rank,
    count: i64,
    blocklengths: &[i64],
    displacements: &[i64],
    oldtype: Datatype,
) -> Result<Datatype> {
    let old = r.any_datatype(oldtype)?;
    construct::length(count, "count")?;
    r.create(blocklengths.len(), || Type::indexed(blocklengths, displacements, &old))
}

/// `MPI_Type_create_hindexed`
pub fn type_create_hindexed(
    r: &Rank,
    count: i64,
    blocklengths: &[i64],
    displacements: &[i64],
    oldtype: Datatype,
) -> Result<Datatype> {
    let old = r.any_datatype(oldtype)?;
    construct::length(count, "count")?;
    r.create(blocklengths.len(), || Type::hindexed(blocklengths, displacements, &old))
}

/// `MPI_Type_create_indexed_block`
pub fn type_create_indexed_block(
    r: &Rank,
    count: i64,
    blocklength: i64,
    displacements: &[i64],
    oldtype: Datatype,
) -> Result<Datatype> {
    let old = r.any_datatype(oldtype)?;
    construct::length(count, "count")?;
    r.create(displacements.len(), || Type::indexed_block(blocklength, displacements, &old))
}

/// `MPI_Type_create_hindexed_block`
pub fn type_create_hindexed_block(
    r: &Rank,
    count: i64,
    blocklength: i64,
    displacements: &[i64],
    oldtype: Datatype,
) -> Result<Datatype> {
    let old = r.any_datatype(oldtype)?;
    construct::length(count, "count")?;
    r.create(displacements.len(), || Type::hindexed_block(blocklength, displacements, &old))
}

/// `MPI_Type_create_struct`
pub fn type_create_struct(
    r: &Rank,
    count: i64,
    blocklengths: &[i64],
    displacements: &[i64],
    types: &[Datatype],
) -> Result<Datatype> {
    construct::length(count, "count")?;
    let olds = types.iter().map(|ty| r.any_datatype(*ty)).collect::<Result<Vec<_>>>()?;
    r.create(olds.len(), || Type::structure(blocklengths, displacements, &olds))
}

/// `MPI_Type_create_subarray`
pub fn type_create_subarray(
    r: &Rank,
    ndims: i32,
    sizes: &[i64],
    subsizes: &[i64],
    starts: &[i64],
    order: i32,
    oldtype: Datatype,
) -> Result<Datatype> {
    let old = r.any_datatype(oldtype)?;
    construct::dimensions(ndims)?;
    r.create(sizes.len(), || Type::subarray(sizes, subsizes, starts, order, &old))
}

/// `MPI_Type_create_darray`
pub fn type_create_darray(
    r: &Rank,
    size: i32,
    rank: i32,
    ndims: i32,
    gsizes: &[i64],
    distribs: &[i32],
    dargs: &[i32],
    psizes: &[i32],
    order: i32,
    oldtype: Datatype,
) -> Result<Datatype> {
    let old = r.any_datatype(oldtype)?;
    construct::dimensions(ndims)?;
    r.create(gsizes.len(), || Type::darray(size, rank, gsizes, distribs, dargs, psizes, order, &old))
}

/// `MPI_Type_create_resized`
pub fn type_create_resized(r: &Rank, oldtype: Datatype, lb: i64, extent: i64) -> Result<Datatype> {
    let old = r.any_datatype(oldtype)?;
    r.create(1, || Type::resized(&old, lb, extent))
}

/// `MPI_Type_dup`. The duplicate is committed if the original is.
pub async fn type_dup(r: &Rank, oldtype: Datatype) -> Result<Datatype> {
    let (old, committed) = r.types.find(oldtype)?;
    let attributes = attr::copy_all(r, oldtype.into()).await?;
    let new = r.create(1, || Type::dup(&old))?;
    if committed {
        r.types.commit(new)?;
    }
    r.set_type_attributes(new, attributes);
    Ok(new)
}

/// `MPI_Type_commit`
pub fn type_commit(r: &Rank, datatype: Datatype) -> Result<Datatype> {
    r.types.commit(datatype)?;
    Ok(datatype)
}

/// `MPI_Type_free`
pub async fn type_free(r: &Rank, datatype: Datatype) -> Result<Datatype> {
    r.types.check_can_free(datatype)?;
    attr::delete_all(r, datatype.into()).await?;
    r.types.free(datatype)?;
    Ok(Datatype::NULL)
}

/// `MPI_Type_size`, `MPI_Type_size_x`
pub fn type_size(r: &Rank, datatype: Datatype) -> Result<i64> {
    Ok(r.any_datatype(datatype)?.size() as i64)
}

/// `MPI_Type_get_extent`, `MPI_Type_get_extent_x`: lower bound and extent
pub fn type_get_extent(r: &Rank, datatype: Datatype) -> Result<(i64, i64)> {
    let ty = r.any_datatype(datatype)?;
    Ok((ty.lb(), ty.extent()))
}

/// `MPI_Type_get_true_extent`, `MPI_Type_get_true_extent_x`: lower bound and extent of the bytes
pub fn type_get_true_extent(r: &Rank, datatype: Datatype) -> Result<(i64, i64)> {
    let ty = r.any_datatype(datatype)?;
    Ok((ty.true_lb(), ty.true_extent()?))
}

/// `MPI_Type_get_envelope`: how many values of each kind the constructor was called with, and which it was. Only the
/// large-count form can tell about large counts.
pub fn type_get_envelope(r: &Rank, datatype: Datatype) -> Result<contents::Envelope> {
    let ty = r.any_datatype(datatype)?;
    check_form(r, ty.contents())?;
    Ok(ty.contents().envelope())
}

/// `MPI_Type_get_contents`: the values that the constructor was called with. The limits, by kind, are those of the
/// caller's arrays. The derived types among the values get new handles, which the caller frees.
pub fn type_get_contents(r: &Rank, datatype: Datatype, limits: contents::Envelope) -> Result<contents::Values> {
    let ty = r.any_datatype(datatype)?;
    let contents = ty.contents();
    check_form(r, contents)?;
    if contents.combiner == Combiner::Named {
        return Err(Error::new(MPI_ERR_TYPE, "a predefined datatype has no contents"));
    }
    contents.envelope().check_within(&limits)?;
    let mut datatypes = Vec::with_capacity(contents.types().len());
    for ty in contents.types() {
        datatypes.push(r.handle_for(ty)?);
    }
    Ok(contents::Values {
        integers: contents.integers().map(|value| value as i32).collect(),
        addresses: contents.addresses().collect(),
        large_counts: contents.large_counts().collect(),
        datatypes,
    })
}

fn check_form(r: &Rank, contents: &Contents) -> Result<()> {
    if contents.large && !r.call().ends_with("_c") {
        let text = "the datatype was made by a large-count constructor: ask with the large-count form, too";
        return Err(Error::new(MPI_ERR_TYPE, text));
    }
    Ok(())
}

/// `MPI_Type_get_name`
pub fn type_get_name(r: &Rank, datatype: Datatype) -> Result<String> {
    if datatype == Datatype::NULL {
        return Ok("MPI_DATATYPE_NULL".into());
    }
    r.any_datatype(datatype)?;
    Ok(r.types.name(datatype))
}

/// `MPI_Type_set_name`
pub fn type_set_name(r: &Rank, datatype: Datatype, name: &str) -> Result<()> {
    r.any_datatype(datatype)?;
    r.types.set_name(datatype, name);
    Ok(())
}

/// `MPI_Type_match_size`
pub fn type_match_size(_: &Rank, typeclass: i32, size: i32) -> Result<Datatype> {
    Ok(match (typeclass, size) {
        (MPI_TYPECLASS_INTEGER, 1) => Datatype::INTEGER1,
        (MPI_TYPECLASS_INTEGER, 2) => Datatype::INTEGER2,
        (MPI_TYPECLASS_INTEGER, 4) => Datatype::INTEGER4,
        (MPI_TYPECLASS_INTEGER, 8) => Datatype::INTEGER8,
        (MPI_TYPECLASS_INTEGER, 16) => Datatype::INTEGER16,
        (MPI_TYPECLASS_REAL, 2) => Datatype::REAL2,
        (MPI_TYPECLASS_REAL, 4) => Datatype::REAL4,
        (MPI_TYPECLASS_REAL, 8) => Datatype::REAL8,
        (MPI_TYPECLASS_REAL, 16) => Datatype::REAL16,
        (MPI_TYPECLASS_COMPLEX, 4) => Datatype::COMPLEX4,
        (MPI_TYPECLASS_COMPLEX, 8) => Datatype::COMPLEX8,
        (MPI_TYPECLASS_COMPLEX, 16) => Datatype::COMPLEX16,
        (MPI_TYPECLASS_COMPLEX, 32) => Datatype::COMPLEX32,
        (MPI_TYPECLASS_INTEGER | MPI_TYPECLASS_REAL | MPI_TYPECLASS_COMPLEX, _) => {
            return Err(Error::new(MPI_ERR_ARG, format!("no Fortran type of this class has {size} bytes")));
        }
        _ => return Err(Error::new(MPI_ERR_ARG, format!("typeclass is {typeclass}, which is not one of MPI's"))),
    })
}

/// `MPI_Type_get_value_index`: the predefined pair of the two, or the null handle
pub fn type_get_value_index(r: &Rank, value_type: Datatype, index_type: Datatype) -> Result<Datatype> {
    r.any_datatype(value_type)?;
    r.any_datatype(index_type)?;
    Ok(match (value_type, index_type) {
        (Datatype::FLOAT, Datatype::INT) => Datatype::FLOAT_INT,
        (Datatype::DOUBLE, Datatype::INT) => Datatype::DOUBLE_INT,
        (Datatype::LONG, Datatype::INT) => Datatype::LONG_INT,
        (long, Datatype::INT) if long == Datatype::LONG.in_lp64() => Datatype::LONG_INT.in_lp64(),
        (Datatype::INT, Datatype::INT) => Datatype::TWO_INT,
        (Datatype::SHORT, Datatype::INT) => Datatype::SHORT_INT,
        (Datatype::LONG_DOUBLE, Datatype::INT) => Datatype::LONG_DOUBLE_INT,
        (Datatype::REAL, Datatype::REAL) => Datatype::TWO_REAL,
        (Datatype::DOUBLE_PRECISION, Datatype::DOUBLE_PRECISION) => Datatype::TWO_DOUBLE_PRECISION,
        (Datatype::INTEGER, Datatype::INTEGER) => Datatype::TWO_INTEGER,
        _ => Datatype::NULL,
    })
}

/// `MPI_Type_create_f90_integer`
pub fn type_create_f90_integer(r: &Rank, range: i32) -> Result<Datatype> {
    let old = match range {
        ..=2 => Datatype::INTEGER1,
        3..=4 => Datatype::INTEGER2,
        5..=9 => Datatype::INTEGER4,
        10..=18 => Datatype::INTEGER8,
        19..=38 => Datatype::INTEGER16,
        _ => return Err(Error::new(MPI_ERR_ARG, format!("no integer type has a decimal range of {range}"))),
    };
    f90(r, Combiner::F90Integer, old, &[range.into()])
}

/// `MPI_Type_create_f90_real`
pub fn type_create_f90_real(r: &Rank, precision: i32, range: i32) -> Result<Datatype> {
    let old = by_precision(precision, range, [Datatype::REAL4, Datatype::REAL8, Datatype::REAL16])?;
    f90(r, Combiner::F90Real, old, &[precision.into(), range.into()])
}

/// `MPI_Type_create_f90_complex`
pub fn type_create_f90_complex(r: &Rank, precision: i32, range: i32) -> Result<Datatype> {
    let old = by_precision(precision, range, [Datatype::COMPLEX8, Datatype::COMPLEX16, Datatype::COMPLEX32])?;
    f90(r, Combiner::F90Complex, old, &[precision.into(), range.into()])
}

/// The smallest of the IEEE types of 4, 8 and 16 bytes that has the decimal precision and range; `MPI_UNDEFINED` asks
/// for none.
fn by_precision(precision: i32, range: i32, types: [Datatype; 3]) -> Result<Datatype> {
    if (precision, range) == (MPI_UNDEFINED, MPI_UNDEFINED) {
        return Err(Error::new(MPI_ERR_ARG, "precision and range are both MPI_UNDEFINED"));
    }
    let limits = [(6, 37), (15, 307), (33, 4931)];
    let found = limits.iter().position(|limit| precision <= limit.0 && range <= limit.1);
    found.map(|i| types[i]).ok_or_else(|| {
        Error::new(MPI_ERR_ARG, format!("no type has {precision} decimal digits and a range of {range}"))
    })
}

/// The type that stands for `old` under the arguments of an f90 constructor: the same handle whenever they are the
/// same.
fn f90(r: &Rank, combiner: Combiner, old: Datatype, arguments: &[i64]) -> Result<Datatype> {
    let old = r.any_datatype(old)?;
    let contents = Contents::new(combiner).with_ints(arguments);
    r.types.f90(combiner, arguments, || old.like(old.bounds, contents))
}

/// `MPI_Get_count`: whole elements in what was received
pub fn get_count(r: &Rank, status: Status, datatype: Datatype) -> Result<i64> {
    let size = r.any_datatype(datatype)?.size();
    Ok(match status.bytes() {
        0 => 0,
        bytes if size > 0 && bytes % size == 0 => (bytes / size) as i64,
        _ => MPI_UNDEFINED.into(),
    })
}

/// `MPI_Get_elements`, `MPI_Get_elements_x`: basic elements in what was received
pub fn get_elements(r: &Rank, status: Status, datatype: Datatype) -> Result<i64> {
    let ty = r.any_datatype(datatype)?;
    let elements = ty.signature().elements_in(status.bytes());
    Ok(elements.and_then(|n| n.try_into().ok()).unwrap_or(MPI_UNDEFINED.into()))
}

/// `MPI_Status_set_elements`, `MPI_Status_set_elements_x`: makes `MPI_Get_elements` answer `count`
pub fn status_set_elements(r: &Rank, mut status: Status, datatype: Datatype, count: i64) -> Result<Status> {
    let ty = r.any_datatype(datatype)?;
    let elements = construct::length(count, "count")?;
    let bytes = ty.signature().bytes_of(elements).ok_or_else(|| {
        Error::new(MPI_ERR_COUNT, format!("no number of elements of the datatype makes {count} basic elements"))
    })?;
    status.set_bytes(bytes);
    Ok(status)
}

/// `MPI_Get_address`: addresses are those of the guest's memory, so that `MPI_BOTTOM` is 0
pub fn get_address(r: &Rank, location: Addr) -> Result<i64> {
    Ok(if r.memory().is_wide() { location.0 as i64 } else { (location.0 as i32).into() })
}

/// `MPI_Aint_add`, in the 32 bits of a guest's `MPI_Aint`
pub fn aint_add(_: &Rank, base: i64, displacement: i64) -> i64 {
    i64::from(base.wrapping_add(displacement) as i32)
}

/// `MPI_Aint_diff`, in the 32 bits of a guest's `MPI_Aint`
pub fn aint_diff(_: &Rank, address1: i64, address2: i64) -> i64 {
    i64::from(address1.wrapping_sub(address2) as i32)
}
