//! `--debug` and `--break-rank` from the command line.

use std::ffi::OsString;
use std::sync::Arc;

use anyhow::Result;
use rankine_toolchain::sdk;

use super::options::LOOKING;
use super::run::usage;
use rankine_system::debugger::{self, Breaks, Ranks};
use rankine_system::tell;

/// The options of `rankine run` for native debuggers.
#[derive(clap::Args)]
pub(super) struct Options {
    /// Compile the program for a native debugger, gdb or lldb
    ///
    /// It then sees its source, line by line, and its variables; the module must have been compiled with -g (see
    /// share/doc/rankine/book/cookbook/debugging.md).
    #[arg(long, conflicts_with_all = ["profile", "check"], help_heading = LOOKING)]
    debug: bool,

    /// Like --debug; these ranks wait for a debugger: 0,2 4-7 all
    ///
    /// Each prints the command that attaches one.
    #[arg(long, value_name = "RANKS", conflicts_with_all = ["profile", "check", "fibers"], help_heading = LOOKING)]
    break_rank: Option<Ranks>,
}

impl Options {
    /// Whether the program is compiled for a debugger.
    pub fn are_wanted(&self) -> bool {
        self.debug || self.break_rank.is_some()
    }

    /// The options once more, for processes that are to have them too.
    pub fn words(&self) -> impl Iterator<Item = OsString> {
        let debug = self.debug.then(|| "--debug".into());
        debug.into_iter().chain(self.break_rank.as_ref().map(|ranks| format!("--break-rank={ranks}").into()))
    }

    /// Whether the program is compiled for a debugger, and the ranks that wait for one. Call it while the process has
    /// one thread.
    pub fn begin(&self, ranks: Option<usize>, has_all_ranks: bool) -> Result<(bool, Option<Arc<Breaks>>)> {
        let Some(named) = &self.break_rank else {
            if self.debug {
                say_what_to_load();
            }
            return Ok((self.debug, None));
        };
        if let Some(ranks) = ranks
            && let Some(rank) = named.beyond(ranks)
        {
            usage(&format!("--break-rank {rank}: the job has the ranks 0 to {}", ranks - 1));
        }
        debugger::allow();
        let script = sdk::gdb_script().inspect_err(|error| tracing::warn!("gdb can't follow pointers: {error:#}")).ok();
        Ok((true, Some(Arc::new(Breaks::begin(named.clone(), script, has_all_ranks)?))))
    }
}

/// Without the file, gdb knows a program's pointers as numbers, and what it calls to follow one ends the job.
fn say_what_to_load() {
    // Whoever has loaded it has this set for what gdb starts.
    if std::env::var_os("RANKINE_GDB").is_some() {
        return;
    }
    if let Ok(script) = sdk::gdb_script() {
        tell!(
            "rankine: note: gdb follows the program's pointers with gdb -x {0}, or, once it is started, with: source {0}; \
             that line in ~/.gdbinit loads it always",
            script.display()
        );
    }
}
