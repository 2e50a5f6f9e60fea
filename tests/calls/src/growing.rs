//! Whether what calls take grows in proportion to their arguments.
//!
//! The same case is run with ever longer arguments, until processors are at it for a while: then with a quarter of the length
//! it must have taken at least about an eighth, where a quarter is what is expected of work that is linear, and a sixteenth of
//! work that is quadratic. Time of processors is not time on the wall, so other processes make it longer by some, but never by
//! a factor of two; and what looks bad is measured again, of which the shortest counts.

use std::time::Duration;

use anyhow::Result;
use rankine_calls::program::Case;

use super::{Bad, Bench};

/// The lengths of arguments, each four times the one before.
const LENGTHS: [u32; 5] = [1 << 8, 1 << 10, 1 << 12, 1 << 14, 1 << 16];
/// What is long enough for a judgement, apart from the start.
const ENOUGH: Duration = Duration::from_millis(400);
/// What is so short that it may be chance.
const NOISE: Duration = Duration::from_millis(25);
/// How much more four times the arguments may take.
const MOST: f64 = 8.5;
/// How often what looks bad is measured again.
const TIMES: usize = 3;

impl Bench<'_> {
    /// Runs a case with ever longer arguments.
    pub(super) fn try_growth(&mut self, what: &str, case: &dyn Fn(u32) -> Result<Case>) -> Result<()> {
        let mut start = Duration::MAX;
        // The first may have to compile the guest.
        for _ in 0..2 {
            match self.time(&case(1)?)? {
                Ok(time) => start = start.min(time),
                Err(bad) => return self.tell_growth(bad, &case(1)?),
            }
        }
        let (mut before, mut last) = (Duration::ZERO, None);
        for length in LENGTHS {
            let time = match self.time(&case(length)?)? {
                Ok(time) => time.saturating_sub(start),
                Err(bad) => return self.tell_growth(bad, &case(length)?),
            };
            if self.arguments.verbose {
                println!("{length}: {time:.3?}  {what}");
            }
            if time > ENOUGH {
                last = Some((length, time));
                break;
            }
            before = time;
        }
        let Some((length, mut time)) = last else { return Ok(()) };
        for _ in 0..TIMES {
            if !grows(before, time) {
                return Ok(());
            }
            let again = |length| -> Result<Option<Duration>> {
                Ok(self.time(&case(length)?)?.ok().map(|time| time.saturating_sub(start)))
            };
            // The shorter one was perhaps lucky, the longer one perhaps not.
            before = before.max(again(length / 4)?.unwrap_or(before));
            time = time.min(again(length)?.unwrap_or(time));
        }
        if !grows(before, time) {
            return Ok(());
        }
        let text = format!("{length} elements take {time:.2?}, {} take {before:.2?}\n", length / 4);
        let case = case(length)?;
        self.tell_growth((Bad::Growth, text), &case)
    }

    /// What a case takes, or how it ended if that is bad.
    fn time(&self, case: &Case) -> Result<std::result::Result<Duration, (Bad, String)>> {
        let run = super::run_to_end(self.command(case))?;
        Ok(match run.status {
            None => Err((Bad::Hang, run.text)),
            Some(status) => match super::judge(self.arguments.engine, status, &run.text) {
                Some(bad) => Err((bad, run.text)),
                None => Ok(run.time),
            },
        })
    }

    fn tell_growth(&mut self, (bad, text): (Bad, String), case: &Case) -> Result<()> {
        // One of each kind is told, by the calls that it consists of.
        let names: Vec<&str> = case.programs[0]
            .calls
            .iter()
            .map(|call| self.catalogue.functions[usize::from(call.function)].name.as_str())
            .collect();
        let told = match bad {
            Bad::Growth => format!("Assertion of growth: {}\n{text}", names.join(" ")),
            _ => text,
        };
        self.tell(&bad, case, &told)
    }
}

/// Whether something has grown by more than its arguments.
fn grows(before: Duration, time: Duration) -> bool {
    time.as_secs_f64() > MOST * before.max(NOISE).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_told_from_lines() {
        let ms = Duration::from_millis;
        for (before, time) in [(100, 400), (110, 600), (60, 450), (2, 200), (1000, 8000)] {
            assert!(!grows(ms(before), ms(time)), "{before} {time}");
        }
        for (before, time) in [(25, 400), (40, 450), (2, 400), (1000, 16000)] {
            assert!(grows(ms(before), ms(time)), "{before} {time}");
        }
    }
}
