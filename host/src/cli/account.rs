//! What a user is told of a job's end.

use std::io::Write as _;

use rankine_guest::Who;

use crate::report::apart;
use crate::report::trap;
use crate::run::ending::{Deadlock, Ending};
use rankine_system::signals::INTERRUPT;
use rankine_system::{shown, tell};

/// Says why the job ended, unless it speaks for itself. In one piece: under a launcher several processes speak at once,
/// and the first to end may have the others ended in the middle of a line.
pub(super) fn report(ending: &Ending) {
    let text: String = account(ending).iter().map(|said| shown::report(said) + "\n").collect();
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Why the job ended, in lines.
pub(super) fn account(ending: &Ending) -> Vec<String> {
    let line = |text: std::fmt::Arguments| vec![format!("rankine: {text}")];
    match ending {
        Ending::Finished { unfinalized, unreceived, .. } => {
            let mut lines = Vec::from_iter(unfinalized_ranks(unfinalized));
            lines.extend(few(unreceived).map(|rank| format!("rankine: {rank}")));
            if !unreceived.is_empty() {
                lines.push("rankine: --check names the calls that sent them".into());
            }
            lines
        }
        Ending::OutputClosed | Ending::Elsewhere(_) => Vec::new(),
        Ending::Aborted { error: Some(error), .. } => line(format_args!("{error}")),
        Ending::Aborted { who, code, .. } => line(format_args!("{who} aborted the job with code {code}")),
        Ending::Quit { who, status } => {
            line(format_args!("{who} exited with status {status} and without MPI_Finalize, which ended the job"))
        }
        Ending::Trapped { who, report } => line(format_args!("{who} trapped: {report}")),
        Ending::Deadlocked(Deadlock { apart, ranks, finalized, unfinalized, uninitialized, .. }) => {
            let why = apart.as_deref().unwrap_or("every rank waits and no message is under way");
            let mut lines = line(format_args!("deadlock: {why}"));
            lines.extend(where_they_are(&ranks.iter().map(|(_, line)| line.clone()).collect::<Vec<_>>()));
            lines.extend(ended_ranks(finalized, "after MPI_Finalize"));
            lines.extend(ended_ranks(uninitialized, "without MPI_Init"));
            lines.extend(unfinalized_ranks(unfinalized));
            lines
        }
        Ending::TimedOut(limit, ranks) => {
            let mut lines = line(format_args!("the job was ended after {} s, its time limit", limit.as_secs_f64()));
            lines.extend(where_they_are(ranks));
            lines
        }
        Ending::Signalled(number, ranks) => {
            let mut lines = match *number {
                INTERRUPT => line(format_args!("interrupted")),
                number => line(format_args!("ended by signal {number}")),
            };
            lines.extend(where_they_are(ranks));
            lines
        }
        Ending::Failed(text) => line(format_args!("{text}")),
    }
}

/// Tells where the ranks of a job are that goes on.
pub(super) fn tell_where(ranks: &[String]) {
    tell!("rankine: where the ranks are:");
    where_they_are(ranks).for_each(|line| tell!("{}", shown::report(&line)));
}

/// Where ranks are, and what to do where lines are missing.
fn where_they_are(ranks: &[String]) -> impl Iterator<Item = String> {
    let advice = trap::advice(ranks.iter().map(String::as_str)).map(str::to_owned);
    few(ranks).chain(advice).map(|line| format!("  {line}"))
}

/// The first lines of a long list, and how many more there are.
fn few(lines: &[String]) -> impl Iterator<Item = String> {
    const SHOWN: usize = 32;
    let more = lines.len().saturating_sub(SHOWN);
    lines.iter().take(SHOWN).cloned().chain((more > 0).then(|| format!("... and {more} more")))
}

/// Ranks that others may wait for in vain.
fn ended_ranks(ranks: &[Who], how: &str) -> Option<String> {
    let have = if ranks.len() == 1 { "has" } else { "have" };
    (!ranks.is_empty()).then(|| format!("  {} {have} ended {how}", apart::ranks(ranks)))
}

fn unfinalized_ranks(ranks: &[Who]) -> Option<String> {
    let (first, others) = ranks.split_first()?;
    let others = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
    Some(format!("rankine: {first}{others} ended without MPI_Finalize"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut() {
        let lines: Vec<String> = (0..40).map(|n| n.to_string()).collect();
        assert_eq!(few(&lines).last().unwrap(), "... and 8 more");
        assert_eq!(few(&lines[..3]).count(), 3);
    }
}
