//! Bodies of shims that follow no rule, `by = "mpi"` in the table: the head of `abi/gen/src/hand.rs` says what they take
//! and return. Each stands beside what it is about; a file that has some is named here.

pub(crate) use super::{
    attr::*, bcast::*, comm::agree::*, comm::group::*, comm::session::*, comm::topo::*, comm::*, datatype::contents::*,
    datatype::*, errhan::codes::*, errhan::*, info::*, init::*, io::together::*, io::writing::*, io::*, misc::*,
    mpit::*, op::*, pt2pt::buffered::*, pt2pt::part::*, request::complete::*, request::generalised::*, request::*,
    rma::dynamic::*, rma::*, spawn::ports::*, spawn::*,
};
