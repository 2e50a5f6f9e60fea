//! The form of an access's bytes in the file: those of its buffer, or converted ones in a buffer of their own.

use std::rc::Rc;
use std::sync::Arc;

use rankine_abi::{Addr, FnPtr, MPI_ERR_CONVERSION, MPI_ERR_NO_MEM};
use rankine_guest::Callback;

use super::access::Access;
use super::carry::Direction;
use super::datarep::{Datarep, Representation};
use super::region::{Kept, Room};
use crate::error::{Error, Result};
use crate::pack::{from_external, to_external};
use crate::quota::{Cost, zeroed};
use crate::rank::Rank;

/// How the elements of an access come to lie in a file.
pub(super) enum Form {
    /// As they lie in the buffer.
    Same,
    /// In memory of the host.
    External(Arc<Kept>),
    /// In memory that the guest's allocator gave, where its own functions convert.
    User(Rc<Datarep>, Addr),
}

/// What errors call converted bytes.
const WHAT: Cost = Cost::Converted;

impl Form {
    /// What an access moves. What is written is converted first.
    pub(super) async fn of(r: &Rank, access: &Access) -> Result<Form> {
        let (direction, bytes) = (access.direction, access.bytes as usize);
        match &access.view.representation {
            Representation::Native | Representation::Internal => Ok(Form::Same),
            Representation::External => {
                let charge = r.account().charge(bytes, WHAT)?;
                let mut form = zeroed(bytes, WHAT)?;
                if direction == Direction::Write {
                    to_external(&access.span, &access.elements, &mut form)?;
                }
                Ok(Form::External(Kept::new(form, charge)))
            }
            Representation::User(datarep, _) => match datarep.conversion(direction) {
                _ if bytes == 0 => Ok(Form::Same),
                Some(function) => Form::converted(r, access, datarep, function).await,
                None if bytes == access.span.bytes() => Ok(Form::Same),
                None => {
                    let text = "MPI_CONVERSION_FN_NULL stands for bytes that are the same in file and memory, but the extents differ";
                    Err(Error::new(MPI_ERR_CONVERSION, text))
                }
            },
        }
    }

    async fn converted(r: &Rank, access: &Access, datarep: &Rc<Datarep>, function: FnPtr) -> Result<Form> {
        let at = r.allocated(access.bytes).await;
        // What the guest's allocator says is no more than a claim.
        if at.is_null() || r.memory().at(at, access.bytes).is_none() {
            let text = format!("the guest's allocator has no {} bytes left for a conversion", access.bytes);
            return Err(Error::new(MPI_ERR_NO_MEM, text));
        }
        if access.direction == Direction::Write
            && let Err(error) = datarep.convert(r, function, access.buffer, at).await
        {
            r.ask(Callback::Free { address: at }).await;
            return Err(error);
        }
        Ok(Form::User(datarep.clone(), at))
    }

    /// Where the bytes lie that are moved.
    pub(super) fn room(&self, r: &Rank, access: &Access) -> Result<Room> {
        match self {
            Form::Same => Ok(Room::of(&access.span)),
            Form::External(kept) => Ok(Room::keeping(kept)),
            Form::User(_, at) => {
                let none = || Error::new(MPI_ERR_NO_MEM, "the guest's allocator returned an invalid address");
                Ok(Room::of(&r.block_span(*at, access.bytes).ok_or_else(none)?))
            }
        }
    }

    /// Converts what was read, if all went well; how many bytes of the buffer were moved.
    pub(super) async fn end(self, r: &Rank, access: &Access, moved: Result<u64>) -> Result<u64> {
        match self {
            Form::Same => moved,
            Form::External(kept) => match (moved?, access.direction) {
                (_, Direction::Write) => Ok(access.span.bytes() as u64),
                (moved, Direction::Read) => from_external(&access.span, &access.elements, &kept.to_vec(moved as usize)),
            },
            Form::User(datarep, at) => {
                let outcome = match moved {
                    Ok(moved) => Form::convert_back(r, access, &datarep, at, moved).await,
                    Err(error) => Err(error),
                };
                r.ask(Callback::Free { address: at }).await;
                outcome
            }
        }
    }

    /// Converts the elements that were read whole.
    async fn convert_back(r: &Rank, access: &Access, datarep: &Datarep, at: Addr, moved: u64) -> Result<u64> {
        let (address, count, datatype) = access.buffer;
        let (each, size) = (access.bytes / count as u64, access.span.bytes() as u64 / count as u64);
        let whole = moved / each;
        match (access.direction, datarep.conversion(Direction::Read)) {
            (Direction::Read, Some(function)) if whole > 0 => {
                datarep.convert(r, function, (address, whole as i64, datatype), at).await?;
            }
            _ => {}
        }
        Ok(whole * size)
    }
}
