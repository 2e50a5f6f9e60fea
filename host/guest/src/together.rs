//! What ranks do together, compared when a deadlock is reported.

/// A blocking collective that a rank waits in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Together {
    /// Tells its communicator from all others of the job.
    pub communicator: u32,
    /// What the communicator is called.
    pub name: String,
    /// Which of the communicator's blocking collectives it is, of those that this rank has called.
    pub number: u32,
    /// Its function.
    pub call: &'static str,
    /// Its root, if it has one.
    pub root: Option<u32>,
}
