//! Starting MPI, and functions whose results depend on each other: contents of datatypes, values of info objects.

use rankine_abi::{Addr, Datatype, Info, MPI_MAX_INFO_VAL, MPI_UNDEFINED};
use rankine_guest::Result;
use rankine_local::datatype::Envelope;
use rankine_local::{Rank, datatype, info, init};

use crate::engine::local::shim;

/// `MPI_Init`: a guest's arguments are its own.
pub(crate) async fn init(r: &Rank, _argc: Addr, _argv: Addr) -> Result<()> {
    init::init(r)
}

/// `MPI_Init_thread`
pub(crate) async fn init_thread(r: &Rank, _argc: Addr, _argv: Addr, required: i32, provided: Addr) -> Result<()> {
    shim::put_int(r, provided, init::init_thread(r, required)?, "provided")
}

/// `MPI_Pcontrol`
pub(crate) fn pcontrol(r: &Rank, level: i32, _arguments: Addr) -> Result<()> {
    init::pcontrol(r, level)
}

/// `MPI_Type_get_envelope`, `MPI_Type_get_envelope_c`
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
    let envelope = datatype::type_get_envelope(r, Datatype(datatype))?;
    shim::put_count(r, large, num_integers, envelope.integers, "num_integers")?;
    shim::put_count(r, large, num_addresses, envelope.addresses, "num_addresses")?;
    if large {
        shim::put_double(r, num_large_counts, envelope.large_counts, "num_large_counts")?;
    }
    shim::put_count(r, large, num_datatypes, envelope.datatypes, "num_datatypes")?;
    shim::put_int(r, combiner, envelope.combiner, "combiner")
}

/// `MPI_Type_get_contents`, `MPI_Type_get_contents_c`
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
    let limits = Envelope {
        integers: max_integers,
        addresses: max_addresses,
        large_counts: max_large_counts,
        datatypes: max_datatypes,
        combiner: MPI_UNDEFINED,
    };
    let values = datatype::type_get_contents(r, Datatype(datatype), limits)?;
    shim::put_ints(r, array_of_integers, &values.integers, "array_of_integers")?;
    r.memory().write_aints(array_of_addresses, &values.addresses, "array_of_addresses")?;
    if large {
        r.memory().write_i64s(array_of_large_counts, &values.large_counts, "array_of_large_counts")?;
    }
    shim::put_handles::<Datatype>(r, array_of_datatypes, &values.datatypes, "array_of_datatypes")
}

/// `MPI_Info_create_env`
pub(crate) fn info_create_env(r: &Rank, argc: i32, argv: Addr, info: Addr) -> Result<()> {
    let (mut arguments, mut bytes) = (Vec::new(), 0);
    // The address 0 is no array: the caller has no arguments to tell.
    if !argv.is_null() {
        for argument in r.memory().read_addresses(argv, i64::from(argc), "argv")? {
            let argument = shim::string(r, argument, "argv")?;
            bytes += if arguments.is_empty() { 0 } else { argument.len() };
            arguments.push(argument);
            // Together they are too long for a value by now, and will be left out.
            if bytes > MPI_MAX_INFO_VAL as usize {
                break;
            }
        }
    }
    shim::put_handle(r, info, info::info_create_env(r, &arguments)?, "info")
}

/// `MPI_Info_get`
pub(crate) fn info_get(r: &Rank, info: u32, key: Addr, valuelen: i32, value: Addr, flag: Addr) -> Result<()> {
    let key = shim::string(r, key, "key")?;
    let found = info::info_get(r, Info(info), &key, valuelen)?;
    shim::put_flag(r, flag, found.is_some(), "flag")?;
    match found {
        Some(text) => shim::put_string(r, value, &text, i64::from(valuelen) + 1, "value").map(drop),
        None => Ok(()),
    }
}

/// `MPI_Info_get_string`
pub(crate) fn info_get_string(r: &Rank, info: u32, key: Addr, buflen: Addr, value: Addr, flag: Addr) -> Result<()> {
    let key = shim::string(r, key, "key")?;
    let room = shim::get_int(r, buflen, "buflen")?;
    let found = info::info_get_string(r, Info(info), &key, room)?;
    shim::put_flag(r, flag, found.is_some(), "flag")?;
    let Some((needed, text)) = found else { return Ok(()) };
    shim::put_int(r, buflen, needed, "buflen")?;
    // Without room the caller only asks how much is needed.
    if room > 0 {
        shim::put_string(r, value, &text, i64::from(room), "value")?;
    }
    Ok(())
}
