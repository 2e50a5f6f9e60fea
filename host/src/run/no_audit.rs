//! Windows has no policy that could ask for an audit (`policy`).

use std::convert::Infallible;
use std::fs::File;
use std::io;

use anyhow::{Result, bail};

use crate::module::Origin;

/// There is none.
pub(crate) struct Audit(Infallible);

/// What would be noted of a job.
pub(crate) struct Note<'a> {
    pub(crate) programs: &'a [(String, Origin)],
    pub(crate) engine: &'a str,
    pub(crate) ranks: usize,
}

impl Audit {
    pub(crate) fn begin(_: &File) -> Result<Audit> {
        bail!("an audit is written on Linux and macOS only")
    }

    pub(crate) fn describe(&mut self, _: &Note<'_>) -> Result<()> {
        match self.0 {}
    }

    pub(crate) fn write(self, _: i32) -> io::Result<()> {
        match self.0 {}
    }
}
