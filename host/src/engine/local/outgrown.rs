//! The end of a job whose process has more memory than all its ranks may have together.
//!
//! Each rank's account is charged for all that is known of; this is for what is not. Which rank has it nobody can say then, so
//! the one is named that has the most by its account.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use rankine_guest::Who;
use rankine_local::World;

use super::Local;
use crate::module::{HOST_STACK, call_stack};
use crate::run::crew::Crew;
use crate::run::ending::{End, Event};
use crate::run::watchdog::{Granted, Watchdog};

/// What a process may have that is no rank's, beyond what it had before they began.
const OF_ITS_OWN: u64 = 512 << 20;

/// What of that it usually has.
const USUAL: u64 = 32 << 20;

/// What a rank has that its account does not know: its ring, the reserve beyond the limit, what its store takes.
const OF_A_RANK: u64 = 4 << 20;

/// What so many ranks may have that have this limit each, their stacks included.
fn of_ranks(ranks: usize, limit: u64) -> u64 {
    let each = limit.saturating_add(OF_A_RANK + (call_stack() + 4 * HOST_STACK) as u64);
    each.saturating_mul(ranks as u64)
}

/// Watches over a job whose ranks have a limit; to be called before they start.
pub(super) fn begin(watchdog: Watchdog, crew: &Arc<Crew<Local>>, limit: u64) -> Result<()> {
    let Some(before) = watchdog.bytes() else { return Ok(()) };
    let (world, remote) = (crew.engine.world.clone(), crew.remote.clone());
    let carried = world.clone();
    let granted = move || {
        let of_ranks = of_ranks(carried.size(), limit).saturating_add(before);
        Granted { usual: of_ranks.saturating_add(USUAL), most: of_ranks.saturating_add(OF_ITS_OWN) }
    };
    let names = Arc::downgrade(crew);
    let outgrown = move |bytes: u64, granted: u64| {
        let rank = foremost(&world);
        let who = names.upgrade().map_or_else(|| Who::from(rank), |crew| crew.output.who(rank));
        let (ranks, used) = (world.size(), world.account(rank).used());
        remote.tell(Event::Ended { who, end: End::Failed(text(bytes, granted, limit, ranks, used)) });
    };
    watchdog.begin(granted, outgrown).context("can't start a thread that watches over the ranks' memory")
}

/// The rank that has the most by its account.
fn foremost(world: &World) -> usize {
    world.ranks().max_by_key(|&rank| world.account(rank).used()).unwrap_or(0)
}

fn text(bytes: u64, granted: u64, limit: u64, ranks: usize, used: u64) -> String {
    format!(
        "the process has taken {} MiB of memory, and --memory-limit leaves its {ranks} ranks {} MiB each, with what is not \
         theirs {} MiB. By what is known of them this rank has the most, {} MiB; please report what the program did",
        bytes >> 20,
        limit >> 20,
        granted >> 20,
        used >> 20
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_ranks_with_a_large_limit_are_no_overflow() {
        assert_eq!(of_ranks(usize::MAX, u64::MAX), u64::MAX);
        assert!(of_ranks(4, 64 << 20) > 256 << 20 && of_ranks(4, 64 << 20) < 320 << 20);
    }

    #[test]
    fn the_words_name_all_that_was_compared() {
        let text = text(3000 << 20, 800 << 20, 64 << 20, 4, 60 << 20);
        assert!(text.starts_with(
            "the process has taken 3000 MiB of memory, and --memory-limit leaves its 4 ranks 64 MiB each"
        ));
        assert!(text.contains("this rank has the most, 60 MiB"), "{text}");
    }
}
