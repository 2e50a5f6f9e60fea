//! What records a job: it takes part in the view as a browser does, and writes what a browser would be sent.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::Result;
use bytes::Bytes;
use rankine_view_wire::Said;

use super::Tape;
use super::tape::Written;
use crate::viewer::Seen;
use crate::{View, activity};

/// Between rounds. A round writes what is new, all with one time.
const ROUND: Duration = Duration::from_millis(50);
/// Between records of who has sent how much to whom.
const TRAFFIC: Duration = Duration::from_secs(1);

/// A job's recorder, on a thread of its own.
pub struct Recorder {
    thread: JoinHandle<Outcome>,
}

/// What a recorder has written.
#[derive(Debug)]
pub struct Outcome {
    /// Bytes of the file.
    pub bytes: u64,
    /// Until when everything is in it, if that is not the job's end; and why not.
    pub cut: Option<(Duration, String)>,
    /// Of each figure its name, how many of its steps became frames, and how many there were, where these are counted.
    pub steps: Vec<(String, u64, u64)>,
}

impl Recorder {
    /// Records from now on until the job has ended. `alone` says that no page's server samples what the ranks do; `warn` is
    /// told at once when the recording can't go on.
    pub fn start(tape: Tape, view: Arc<View>, alone: bool, warn: fn(&str)) -> Result<Recorder> {
        view.is_recorded.store(true, Ordering::Relaxed);
        let rounds = Rounds { tape, view, samples: alone.then(Instant::now), traffic: None, warn, cut: None };
        let thread = std::thread::Builder::new().name("recorder".into()).spawn(move || rounds.run())?;
        Ok(Recorder { thread })
    }

    /// What was written, once the view knows how the job ended.
    pub fn finish(self) -> Result<Outcome> {
        self.thread.thread().unpark();
        self.thread.join().map_err(|_| anyhow::anyhow!("the thread that records has failed"))
    }
}

struct Rounds {
    tape: Tape,
    view: Arc<View>,
    /// When the last sample was taken, if they are taken here.
    samples: Option<Instant>,
    /// When who sends to whom was written last.
    traffic: Option<Instant>,
    warn: fn(&str),
    cut: Option<(Duration, String)>,
}

impl Rounds {
    fn run(mut self) -> Outcome {
        let mut seen = Seen::default();
        loop {
            let has_ended = self.view.ended.get().is_some();
            self.sample(has_ended);
            let at = self.view.activity.elapsed();
            if self.cut.is_none() {
                match self.round(&mut seen, at, has_ended) {
                    Ok(Written::Whole) => {}
                    Ok(Written::Full) => {
                        let limit = self.tape.limit();
                        self.stop(at, format!("its limit of {limit} bytes is reached (--record-limit)"));
                    }
                    Err(error) => self.stop(at, format!("{error:#}")),
                }
            }
            if let Some(how) = self.view.ended.get().filter(|_| has_ended) {
                let how = match &self.cut {
                    Some((at, why)) => format!("{how}; not recorded after {:.1} s: {why}", at.as_secs_f64()),
                    None => how.clone(),
                };
                if let Err(error) = self.tape.end(micros(at), &how)
                    && self.cut.is_none()
                {
                    self.stop(at, format!("{error:#}"));
                }
                let steps = self.view.steps_of_figures();
                return Outcome { bytes: self.tape.written(), cut: self.cut, steps };
            }
            std::thread::park_timeout(ROUND);
        }
    }

    /// Writes what is new.
    fn round(&mut self, seen: &mut Seen, at: Duration, is_last: bool) -> Result<Written> {
        let has_rested = self.traffic.is_none_or(|last| last.elapsed() >= TRAFFIC);
        let mut news = self.view.news(seen);
        news.retain(|message| has_rested || is_last || !is_traffic(message));
        if news.iter().any(is_traffic) {
            self.traffic = Some(Instant::now());
        }
        if self.tape.news(micros(at), &news)? == Written::Full {
            return Ok(Written::Full);
        }
        // Each figure once: more may come while these are written.
        for _ in 0..self.view.figures.all().len() {
            let Some((figure, frame)) = self.view.next_frame(seen) else { break };
            if self.tape.frame(micros(at), figure, &frame)? == Written::Full {
                return Ok(Written::Full);
            }
        }
        Ok(Written::Whole)
    }

    fn sample(&mut self, is_last: bool) {
        if let Some(last) = &mut self.samples
            && (is_last || last.elapsed() >= activity::INTERVAL)
        {
            *last = Instant::now();
            self.view.activity.sample();
        }
    }

    /// Nothing more is recorded, and nobody need make frames for it.
    fn stop(&mut self, at: Duration, why: String) {
        self.view.is_recorded.store(false, Ordering::Relaxed);
        (self.warn)(&format!(
            "{}: {why}; what comes after {:.1} s is not recorded",
            self.tape.path().display(),
            at.as_secs_f64()
        ));
        self.cut = Some((at, why));
    }
}

fn is_traffic(message: &Bytes) -> bool {
    Said::is_traffic(message)
}

fn micros(at: Duration) -> u64 {
    u64::try_from(at.as_micros()).unwrap_or(u64::MAX)
}
