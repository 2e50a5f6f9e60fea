//! The physical floor of a latency: how long a cache line takes from core to core, now, on this machine.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

#[repr(align(128))]
struct Line(AtomicU64);

/// Half a round trip of one cache line between two threads, in seconds: the smallest of several tries.
pub fn cache_line() -> f64 {
    (0..7).map(|_| bounce(50_000)).fold(f64::INFINITY, f64::min)
}

fn bounce(rounds: u64) -> f64 {
    let (ping, pong) = (Line(AtomicU64::new(0)), Line(AtomicU64::new(0)));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 1..=rounds {
                while ping.0.load(Ordering::Acquire) != round {
                    spin_loop();
                }
                pong.0.store(round, Ordering::Release);
            }
        });
        let start = Instant::now();
        for round in 1..=rounds {
            ping.0.store(round, Ordering::Release);
            while pong.0.load(Ordering::Acquire) != round {
                spin_loop();
            }
        }
        start.elapsed().as_secs_f64() / rounds as f64 / 2.0
    })
}
