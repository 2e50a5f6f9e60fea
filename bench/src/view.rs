//! `just bench view`: a job whose field is shown at every step, with nobody who may look, nobody who looks, one who takes
//! every frame, whole or as large as the page shows it, and one who takes none after the first two. Beside the time of a step it
//! says what the ranks and the other threads computed for one: where there are fewer cores than threads, the viewer's own work
//! slows the job too, and that is not the job's.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use rankine_view_wire::{Asked, Said};
use tungstenite::Message;

use crate::spent::Watch;
use crate::twins::{Competitor, Measurement};

const RANKS: u32 = 4;

/// How many steps the program makes: those of `bench/programs/view.c`.
const STEPS: f64 = 4000.0;

/// Rows and columns that the page asks for in a window of 1000 pixels.
const PAGE: u32 = 650;

/// What the others are compared with.
pub const WITHOUT: &str = "no --view";

/// Who looks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Looks {
    MayNot,
    Nobody,
    Takes { pixels: Option<u32> },
    Stalls,
}

/// A way to run the job.
pub struct Way {
    pub name: &'static str,
    looks: Looks,
    command: Vec<String>,
}

/// All of them.
pub fn ways() -> Result<Vec<Way>> {
    let command = Competitor::local().command("view", RANKS)?;
    let way = |(name, looks)| Way { name, looks, command: command.clone() };
    let ways = [
        (WITHOUT, Looks::MayNot),
        ("nobody", Looks::Nobody),
        ("a page", Looks::Takes { pixels: Some(PAGE) }),
        ("a viewer", Looks::Takes { pixels: None }),
        ("stalled", Looks::Stalls),
    ];
    Ok(ways.map(way).into())
}

impl Way {
    /// Runs the job once.
    pub fn run(&self) -> Result<Vec<Measurement>> {
        let mut command = Command::new(&self.command[0]);
        command.arg(&self.command[1]);
        command.args((self.looks != Looks::MayNot).then_some("--view")).args(&self.command[2..]);
        let mut job = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let watch = Watch::start(job.id());
        let mut seen = None;
        if self.looks != Looks::MayNot {
            let mut line = String::new();
            BufReader::new(job.stderr.take().context("it is piped")?).read_line(&mut line)?;
            let place = line.trim().split("http://").nth(1).context(line.clone())?.to_owned();
            let looks = self.looks;
            seen = (looks != Looks::Nobody).then(|| std::thread::spawn(move || look(&place, looks)));
        }
        let mut text = String::new();
        job.stdout.take().context("it is piped")?.read_to_string(&mut text)?;
        let spent = watch.end();
        ensure!(job.wait()?.success(), "the job failed");
        let mut measured: Vec<Measurement> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        for (what, seconds) in [("a step, ranks' own", spent.ranks), ("a step, other threads", spent.others)] {
            measured.push(Measurement { what: what.into(), bytes: 0, seconds: seconds / STEPS });
        }
        if let Some(seen) = seen {
            let frames = seen.join().expect("it does not panic")?;
            let steps = measured.first().map_or(0.0, |measured| measured.seconds) * STEPS;
            let seconds = if frames == 0 { 0.0 } else { steps / f64::from(frames) };
            measured.push(Measurement { what: "between frames".into(), bytes: 0, seconds });
        }
        Ok(measured)
    }
}

/// Looks at a page's field as a browser does, until the job ends; gives how many frames came.
fn look(place: &str, looks: Looks) -> Result<u32> {
    let (host, _) = place.split_once('/').context("there is a token")?;
    let (mut socket, _) = tungstenite::client(format!("ws://{place}socket"), TcpStream::connect(host)?)
        .map_err(|error| anyhow::anyhow!("{error}"))?;
    if let Looks::Takes { pixels: Some(pixels) } = looks {
        socket.send(Message::binary(Asked::Size(pixels).to_bytes()))?;
    }
    let mut frames = 0;
    while let Ok(message) = socket.read() {
        if let Some(Said::Field(_)) = Said::read(&message.into_data()) {
            frames += 1;
            if looks != Looks::Stalls {
                socket.send(Message::binary(Asked::Drawn.to_bytes()))?;
            }
        }
    }
    Ok(frames)
}
