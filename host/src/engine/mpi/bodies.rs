//! Bodies of shims that follow no rule, `by = "mpi"` in the table: a function of MPI's name in snake case, or of the row's
//! `worker`, which takes the rank, the call's words, and `large: bool` if it serves two variants. Each stands beside what
//! it is about; a file that has some is named here.

pub(crate) use super::shim::identity;
pub(crate) use super::{
    attr::*, buffered::*, codes::*, comm::*, contents::*, datatype::*, dynamic::*, errhan::*, generalised::*, group::*,
    info::*, init::*, io::*, misc::*, mpit::*, op::*, part::*, ports::*, request::*, rma::*, session::*, spawn::*,
    topo::*,
};
