//! A recording as a trace in the format of Chrome's events, which Perfetto and `chrome://tracing` open.
//!
//! Samples say how much of a time was waited, not when: so waiting is a counter with a value for each sample, and so are the
//! bytes that were moved and the memory. For whom a rank waits is a slice of the rank's own track. What is published is an
//! event at the time of its round.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use anyhow::Result;
use rankine_view_wire::{Kind, Load, Ranks, Said};
use serde_json::{Value, json};

use super::Recording;

impl Recording {
    /// Writes what the ranks did, and when what was published and changed.
    pub fn trace(&self, to: &mut impl Write) -> Result<()> {
        let mut trace = Trace { to, is_first: true, kinds: BTreeMap::new(), tracks: BTreeSet::new() };
        trace.to.write_all(b"{\"displayTimeUnit\":\"ms\",\"traceEvents\":[")?;
        let mut outcome = Ok(());
        self.walk(|micros, said| {
            if outcome.is_ok() {
                outcome = trace.add(micros, said);
            }
        })?;
        outcome?;
        trace.to.write_all(b"\n]}\n")?;
        Ok(())
    }
}

struct Trace<'a, W> {
    to: &'a mut W,
    is_first: bool,
    /// What the choices of controls are called.
    kinds: BTreeMap<u32, Kind>,
    /// Those that have a name.
    tracks: BTreeSet<u64>,
}

impl<W: Write> Trace<'_, W> {
    fn event(&mut self, event: &Value) -> io::Result<()> {
        let between: &[u8] = if std::mem::take(&mut self.is_first) { b"\n" } else { b",\n" };
        self.to.write_all(between)?;
        serde_json::to_writer(&mut *self.to, event).map_err(io::Error::from)
    }

    fn counter(&mut self, micros: f64, name: &str, values: Value) -> io::Result<()> {
        self.event(&json!({"ph": "C", "name": name, "pid": 0, "ts": micros, "args": values}))
    }

    fn instant(&mut self, micros: u64, name: &str, values: Value) -> io::Result<()> {
        self.event(&json!({"ph": "i", "s": "p", "name": name, "pid": 0, "tid": 0, "ts": micros, "args": values}))
    }

    fn add(&mut self, micros: u64, said: Said) -> io::Result<()> {
        match said {
            Said::Hello { program, ranks } => {
                let name = format!("{program}, {ranks} ranks");
                self.event(&json!({"ph": "M", "name": "process_name", "pid": 0, "args": {"name": name}}))
            }
            Said::Ranks(ranks) => self.sample(&ranks),
            Said::Traffic { rows, bytes } => {
                let sent: Vec<f64> = bytes.chunks(rows.max(1) as usize).map(|row| row.iter().sum()).collect();
                self.counter(micros as f64, "bytes sent", json!({"all": sent.iter().sum::<f64>()}))
            }
            Said::Field(field) => self.instant(micros, &format!("field {}", field.name), json!({"step": field.step})),
            Said::Points(points) => self.instant(
                micros,
                &format!("points {}", points.name),
                json!({"step": points.step, "all": points.total}),
            ),
            Said::Curve { name, points, .. } => match points.last() {
                Some([x, y]) if y.is_finite() => {
                    self.counter(micros as f64, &format!("curve {name}"), json!({"x": x, "y": y}))
                }
                _ => Ok(()),
            },
            Said::Text { name, text } => self.instant(micros, &format!("text {name}"), json!({"text": text})),
            Said::Control { id, name, kind, value } => {
                let value = match &kind {
                    Kind::Choice(labels) => labels.get(value as usize).map_or(json!(value), |label| json!(label)),
                    Kind::Number { .. } | Kind::Button => json!(value),
                };
                let is_new = self.kinds.insert(id, kind).is_none();
                let what = if is_new { "declared" } else { "changed" };
                self.instant(micros, &format!("control {name} {what}"), json!({"value": value}))
            }
            Said::Paused(paused) => self.instant(micros, if paused { "paused" } else { "goes on" }, json!({})),
            Said::Notice(text) => self.instant(micros, "notice", json!({"text": text})),
            Said::Ended(how) => self.instant(micros, "ended", json!({"how": how})),
            Said::Untold(text) => self.instant(micros, "not told", json!({"text": text})),
            Said::Description(_) | Said::Recording { .. } | Said::Anew | Said::At { .. } => Ok(()),
        }
    }

    fn sample(&mut self, ranks: &Ranks) -> io::Result<()> {
        let since = ((ranks.at - ranks.span) * 1e6).max(0.0);
        let shared = ranks.each > 1;
        let name = |row: usize| format!("rank{} {}", if shared { "s" } else { "" }, ranks.name(row));
        for (row, waited) in ranks.waited.iter().enumerate().filter(|(_, waited)| waited.is_finite()) {
            let part = (f64::from(*waited) * 100.0).clamp(0.0, 100.0);
            let waits = if shared { "wait" } else { "waits" };
            self.counter(since, &format!("{} {waits}, %", name(row)), json!({"waits": part}))?;
        }
        let Some(Load { sent, received, memory, awaits }) = &ranks.load else { return Ok(()) };
        for (row, (sent, received)) in sent.iter().zip(received).enumerate().filter(|(_, (sent, _))| sent.is_finite()) {
            let each_second = |bytes: &f64| bytes / ranks.span.max(1e-6);
            let values = json!({"sent": each_second(sent), "received": each_second(received)});
            self.counter(since, &format!("{} moved, bytes/s", name(row)), values)?;
        }
        for (row, memory) in memory.iter().enumerate() {
            let values = json!({"guest": memory.guest, "host": memory.host});
            self.counter(since, &format!("{} memory, bytes", name(row)), values)?;
        }
        for (row, words) in awaits.iter().enumerate().filter(|(_, words)| !words.is_empty()) {
            self.waits(row, &name(row), words, [since, ranks.at * 1e6])?;
        }
        Ok(())
    }

    /// A slice of a rank's track: it has waited in this call.
    fn waits(&mut self, row: usize, name: &str, words: &str, [from, to]: [f64; 2]) -> io::Result<()> {
        let track = row as u64 + 1;
        if self.tracks.insert(track) {
            self.event(
                &json!({"ph": "M", "name": "thread_name", "pid": 0, "tid": track, "args": {"name": format!("{name} waits in")}}),
            )?;
        }
        self.event(&json!({"ph": "X", "name": words, "pid": 0, "tid": track, "ts": from, "dur": (to - from).max(0.0)}))
    }
}
