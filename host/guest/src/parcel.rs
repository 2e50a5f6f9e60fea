//! A message of the host's own: its bytes, and what its sender knows of them.

use std::any::Any;
use std::sync::Arc;

use crate::error::Result;
use crate::quota::{Account, Charge, Cost};

/// A message between ranks of a process, with what its maker has noted of it.
#[derive(Debug, Default)]
pub struct Parcel {
    /// The message.
    pub bytes: Vec<u8>,
    /// Only the host makes it, never a guest, so a receiver may believe it. It comes along where the bytes are handed
    /// over; where they are copied, it does not.
    pub knowledge: Option<Box<dyn Any + Send>>,
    /// The memory of both, charged to whoever made it, wherever it goes.
    pub charge: Charge,
}

impl Parcel {
    /// It as one that somebody keeps: what was too little to be charged when it was made is charged now, with what is
    /// known of it.
    pub fn kept(mut self, account: &Arc<Account>) -> Result<Parcel> {
        if self.charge.bytes() == 0 {
            self.charge = account.charge(4 * self.bytes.capacity(), Cost::Unreceived)?;
        }
        Ok(self)
    }
}

impl From<Vec<u8>> for Parcel {
    fn from(bytes: Vec<u8>) -> Parcel {
        Parcel { bytes, knowledge: None, charge: Charge::default() }
    }
}
