//! Room of a run: a job, the crew of its ranks here, how they end; who watches meanwhile.
//!
//! It may import `imports` and what is below. Engines stand above: it knows the trait [`Engine`](engine::Engine) alone.

#[cfg(unix)]
pub(crate) mod audit;
#[cfg(windows)]
#[path = "no_audit.rs"]
pub(crate) mod audit;
pub(crate) mod coredump;
pub(crate) mod crew;
pub(crate) mod ending;
pub(crate) mod engine;
pub(crate) mod job;
pub(crate) mod pointers;
pub(crate) mod watchdog;
pub(crate) mod width;
