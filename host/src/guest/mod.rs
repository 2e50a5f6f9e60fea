//! Room of the guest: the program as the host sees it, in the store of its rank; its threads, its callbacks, where it is, who
//! hears of its calls.
//!
//! It may import `module` and `report`. Of an engine it knows what [`Rank`] says, and nothing of a job.

pub(crate) mod callback;
pub(crate) mod files;
pub(crate) mod heap;
pub(crate) mod null_page;
pub(crate) mod pages;
pub(crate) mod profile;
pub(crate) mod python;
mod rank;
pub(crate) mod stage;
mod store;
pub(crate) mod team;
pub(crate) mod thrown;
pub(crate) mod told;

#[cfg(unix)]
pub(crate) use rank::Nobody;
pub(crate) use rank::{Observes, Placement, Rank};
pub(crate) use store::*;
