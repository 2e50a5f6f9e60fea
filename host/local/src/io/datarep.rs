//! Data representations (MPI-5.0 §14.5): how elements lie in a file, and those that the program adds.

use std::collections::HashMap;
use std::rc::Rc;

use rankine_abi::{
    Addr, Datatype, FnPtr, Kept, MPI_ERR_ARG, MPI_ERR_CONVERSION, MPI_ERR_DUP_DATAREP, MPI_ERR_UNSUPPORTED_DATAREP,
    MPI_MAX_DATAREP_STRING, MPI_SUCCESS,
};

use super::carry::Direction;
use crate::datatype::Type;
use crate::error::{Error, Result};
use crate::quota::{Charge, Cost};
use crate::rank::Rank;

/// A representation that the program has registered.
#[derive(Debug)]
pub(crate) struct Datarep {
    name: String,
    read: FnPtr,
    write: FnPtr,
    extent: FnPtr,
    extra_state: Kept,
    /// Its functions take counts of 64 bits.
    large: bool,
    _charge: Charge,
}

/// How elements lie in a file.
#[derive(Clone, Debug)]
pub(super) enum Representation {
    /// As they lie in memory.
    Native,
    /// As they lie in memory, by another name: what only this engine reads.
    Internal,
    /// Big-endian, of fixed sizes.
    External,
    /// As the program says, and its extents of the predefined types.
    User(Rc<Datarep>, Rc<HashMap<Datatype, u64>>),
}

impl Representation {
    pub(super) fn name(&self) -> &str {
        match self {
            Representation::Native => "native",
            Representation::Internal => "internal",
            Representation::External => "external32",
            Representation::User(datarep, _) => &datarep.name,
        }
    }

    /// Whether bytes are the same in the file and in memory.
    pub(super) fn is_native(&self) -> bool {
        matches!(self, Representation::Native | Representation::Internal)
    }

    /// A type as it is in the file.
    pub(super) fn in_file(&self, ty: &Rc<Type>) -> Result<Rc<Type>> {
        match self {
            Representation::Native | Representation::Internal => Ok(ty.clone()),
            Representation::External if ty.signature().all(|basic| basic.size == basic.external) => Ok(ty.clone()),
            Representation::External => Type::with_sizes(ty, &|leaf| Ok(leaf.signature().external_bytes())),
            Representation::User(datarep, extents) => Type::with_sizes(ty, &|leaf| {
                let extent = leaf.contents().named.and_then(|named| extents.get(&named)).copied();
                extent.ok_or_else(|| {
                    let text = format!("the data representation \"{}\" gives no extent of a datatype", datarep.name);
                    Error::new(MPI_ERR_CONVERSION, text)
                })
            }),
        }
    }
}

/// The handles of predefined datatypes are below this.
const PREDEFINED: u32 = 1 << 10;
/// The largest extent of a predefined type that is believed.
const WIDEST: i64 = 1 << 16;

impl Datarep {
    /// Asks the program how long each predefined type is in a file. Those of which it says nothing can't be used.
    async fn extents(&self, r: &Rank) -> Result<HashMap<Datatype, u64>> {
        let mut extents = HashMap::new();
        let cell = r.take_cell().await?;
        let is_wide = r.memory().is_wide();
        for datatype in (0..PREDEFINED).map(Datatype).filter(|datatype| datatype.element().is_some()) {
            // One of another program, with addresses of another width.
            if datatype != if is_wide { datatype.in_lp64() } else { datatype.shown() } {
                continue;
            }
            r.memory().write_aint(cell, -1, "the extent of a datatype")?;
            let arguments = r.arguments().handle(datatype.0).address(cell).kept(self.extra_state);
            let code = r.call_guest(self.extent, arguments).await;
            let extent = r.memory().read_aint(cell, "the extent of a datatype")?;
            if code == MPI_SUCCESS && (0..=WIDEST).contains(&extent) {
                extents.insert(datatype, extent as u64);
            }
        }
        r.give_cell(cell);
        Ok(extents)
    }

    /// The function that converts, if bytes are not the same in file and memory.
    pub(super) fn conversion(&self, direction: Direction) -> Option<FnPtr> {
        let function = match direction {
            Direction::Read => self.read,
            Direction::Write => self.write,
        };
        (function.0 != 0).then_some(function)
    }

    /// Has the program convert elements between its buffer and one of the file's form.
    pub(super) async fn convert(
        &self,
        r: &Rank,
        function: FnPtr,
        (user, count, datatype): (Addr, i64, Datatype),
        file: Addr,
    ) -> Result<()> {
        let arguments = r.arguments().address(user).handle(datatype.0);
        let arguments = if self.large { arguments.long(count) } else { arguments.int(count as i32) };
        // The position, where the elements begin in the user's buffer, is 0.
        let arguments = arguments.address(file).long(0).kept(self.extra_state);
        match r.call_guest(function, arguments).await {
            MPI_SUCCESS => Ok(()),
            code => {
                let text =
                    format!("a conversion function of the data representation \"{}\" returned {code}", self.name);
                Err(Error::new(MPI_ERR_CONVERSION, text))
            }
        }
    }
}

impl Rank {
    /// What a data representation is called by.
    pub(super) async fn representation(&self, name: &str) -> Result<Representation> {
        match name {
            "native" => return Ok(Representation::Native),
            "internal" => return Ok(Representation::Internal),
            "external32" => return Ok(Representation::External),
            _ => {}
        }
        let found = self.files.datareps.borrow().get(name).cloned();
        let Some(datarep) = found else {
            let text = format!("datarep is \"{name}\", which is neither known nor registered");
            return Err(Error::new(MPI_ERR_UNSUPPORTED_DATAREP, text));
        };
        let extents = datarep.extents(self).await?;
        Ok(Representation::User(datarep, Rc::new(extents)))
    }
}

/// `MPI_Register_datarep` and its large-count form
pub fn register_datarep(
    r: &Rank,
    name: &str,
    [read, write, extent]: [FnPtr; 3],
    extra_state: Kept,
    large: bool,
) -> Result<()> {
    if name.is_empty() || name.len() >= MPI_MAX_DATAREP_STRING as usize {
        let text = format!("datarep has {} bytes, but has to have 1 to {}", name.len(), MPI_MAX_DATAREP_STRING - 1);
        return Err(Error::new(MPI_ERR_ARG, text));
    }
    if extent.0 == 0 {
        return Err(Error::new(MPI_ERR_ARG, "dtype_file_extent_fn is the null pointer"));
    }
    let mut datareps = r.files.datareps.borrow_mut();
    if ["native", "internal", "external32"].contains(&name) || datareps.contains_key(name) {
        return Err(Error::new(MPI_ERR_DUP_DATAREP, format!("the data representation \"{name}\" exists already")));
    }
    let _charge = r.account.charge(size_of::<Datarep>() + 2 * name.len() + 128, Cost::Representations)?;
    let datarep = Datarep { name: name.to_owned(), read, write, extent, extra_state, large, _charge };
    datareps.insert(name.to_owned(), Rc::new(datarep));
    Ok(())
}
