//! The physical floor of a latency: how long a cache line takes from core to core, now, on this machine.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

#[repr(align(128))]
struct Line(AtomicU64);

/// The most that a try takes: on a machine whose cores are all busy a line waits for its turn at each step.
const LONGEST: Duration = Duration::from_millis(200);
const ROUNDS: u64 = 50_000;
const LAST: u64 = u64::MAX;

/// Half a round trip of one cache line between two threads, in seconds: the smallest of several tries.
pub fn cache_line() -> f64 {
    (0..7).map(|_| bounce()).fold(f64::INFINITY, f64::min)
}

fn bounce() -> f64 {
    let (ping, pong) = (Line(AtomicU64::new(0)), Line(AtomicU64::new(0)));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut answered = 0;
            while answered != LAST {
                let asked = ping.0.load(Ordering::Acquire);
                if asked == answered {
                    spin_loop();
                    continue;
                }
                pong.0.store(asked, Ordering::Release);
                answered = asked;
            }
        });
        let start = Instant::now();
        let mut rounds = 0;
        while rounds < ROUNDS && (rounds % 64 != 0 || start.elapsed() < LONGEST) {
            rounds += 1;
            ping.0.store(rounds, Ordering::Release);
            while pong.0.load(Ordering::Acquire) != rounds {
                spin_loop();
            }
        }
        let seconds = start.elapsed().as_secs_f64() / rounds as f64 / 2.0;
        ping.0.store(LAST, Ordering::Release);
        seconds
    })
}
