//! What ranks publish together under a name, and pages are shown frame by frame.

use bytes::Bytes;
use rankine_abi::MPI_ERR_ARG;
use rankine_guest::{Error, Result};

use crate::field::{self, Field};
use crate::points::{self, Points};

pub(crate) enum Figure {
    Field(Field),
    Points(Points),
}

impl Figure {
    /// It, if it is a field.
    pub fn field(&self) -> Result<&Field> {
        match self {
            Figure::Field(field) => Ok(field),
            Figure::Points(_) => Err(Error::new(MPI_ERR_ARG, "points have been published under this name")),
        }
    }

    /// It, if it is points.
    pub fn points(&self) -> Result<&Points> {
        match self {
            Figure::Points(points) => Ok(points),
            Figure::Field(_) => Err(Error::new(MPI_ERR_ARG, "a field has been published under this name")),
        }
    }

    /// How many frames there are so far, and of how many steps.
    pub fn counts(&self) -> (u64, u64) {
        match self {
            Figure::Field(field) => field.counts(),
            Figure::Points(points) => points.counts(),
        }
    }

    /// Whether as many frames are under way as may be.
    pub fn is_full(&self) -> bool {
        match self {
            Figure::Field(field) => field.is_full(),
            Figure::Points(points) => points.is_full(),
        }
    }

    /// What is under way will never be complete.
    pub fn give_up(&self) {
        match self {
            Figure::Field(field) => field.give_up(),
            Figure::Points(points) => points.give_up(),
        }
    }

    /// The newest complete frame: its number, and its message unless that is the one which is known. `number` is the
    /// figure's own.
    pub fn news(&self, name: &str, number: usize, known: Option<u64>) -> Option<(u64, Bytes)> {
        match self {
            Figure::Field(field) => {
                let frame = field.latest().filter(|frame| known != Some(frame.number))?;
                Some((frame.number, frame.message(|frame| field::Assembly::message(frame, name, number).into())))
            }
            Figure::Points(points) => {
                let frame = points.latest().filter(|frame| known != Some(frame.number))?;
                Some((frame.number, frame.message(|frame| points::Assembly::message(frame, name).into())))
            }
        }
    }
}
