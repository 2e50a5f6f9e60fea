//! `rankine view`: a recording, in a browser.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use rankine_view::{Address, Contents, Recording, Server, Source};

use super::page::say_where;
use crate::confine::{self, Needs, Network};
use crate::grants::Grants;
use crate::shown;

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Arguments {
    /// The recording: a file that `rankine run --record` has written
    #[arg(value_name = "FILE.rkv")]
    file: PathBuf,

    /// Where to serve the page [default: a free port of 127.0.0.1]
    #[arg(long, value_name = "ADDR:PORT")]
    at: Option<Address>,

    /// Say what is in the recording, and serve no page
    #[arg(long, conflicts_with = "at")]
    list: bool,
}

const HELP: &str = "\
The page has a slider for the time. The space bar plays and stops, the arrow keys go from frame to frame,
Home and End to the first and the last one. Ctrl-C ends the command. A recording of a job that was killed
is shown as far as it is whole.

Examples:
  rankine run -n 4 --record nozzle.rkv nozzle.wasm
  rankine view nozzle.rkv
  rankine view --list nozzle.rkv";

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let recording = Recording::open(&arguments.file)?;
    let contents = recording.contents();
    if arguments.list {
        let text = list(&contents);
        std::io::stdout().write_all(shown::lines(&text).as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(why) = &contents.cut {
        eprintln!("{}", shown::line(&format!("rankine: note: {}: {why}", arguments.file.display())));
    }
    let server = Server::listen(&arguments.at.clone().unwrap_or_default()).context("--at")?;
    // Nothing else is needed from here on, whoever wrote the recording.
    confine::up(&Needs::new(&Grants::default(), None, Network::Answers))?;
    let (url, is_loopback) = (server.url(), server.is_loopback());
    let serving = server.start(Source::Recording(Arc::new(recording)))?;
    say_where(&url, is_loopback, "sees the recording");
    serving.join().map_err(|_| anyhow::anyhow!("the page's server has failed"))?;
    Ok(ExitCode::SUCCESS)
}

/// What is in a recording, in lines.
fn list(contents: &Contents) -> String {
    let mut lines = Vec::new();
    if let Some((program, ranks)) = &contents.program {
        lines.push(format!("program  {program}, {ranks} {}", if *ranks == 1 { "rank" } else { "ranks" }));
    }
    lines.push(format!("length   {:.1} s", contents.length.as_secs_f64()));
    let of = |kind: &str, name: &str, more: String| format!("{kind:8} {}{more}", shown::line(name));
    let count = |count: usize, what: &str| format!(", {count} {what}{}", if count == 1 { "" } else { "s" });
    lines.extend(contents.fields.iter().map(|(name, frames)| of("field", name, count(*frames, "frame"))));
    lines.extend(contents.curves.iter().map(|(name, points)| of("curve", name, count(*points, "point"))));
    lines.extend(contents.texts.iter().map(|name| of("text", name, String::new())));
    lines.extend(contents.controls.iter().map(|(name, value)| of("control", name, format!(", at last {value}"))));
    lines.extend(contents.ended.iter().map(|how| format!("ended    {how}")));
    lines.extend(contents.cut.iter().map(|why| format!("note     {why}")));
    lines.join("\n") + "\n"
}
