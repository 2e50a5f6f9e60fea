//! `rankine view`: a recording, in a browser or as files of other programs.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail, ensure};
use rankine_system::os;
use rankine_view::colours::{MAPS, Map};
use rankine_view::{Address, Contents, Description, Frame, Recording, Server, Source, file, png};

use super::page::say_where;
use super::written;
use rankine_system::confine::{Needs, Network};
use rankine_system::grants::Grants;
use rankine_system::{confine, shown, tell};

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Arguments {
    /// The recording, a file written by `rankine run --record`
    #[arg(value_name = "FILE.rkv")]
    file: PathBuf,

    /// The address to serve the page at [default: a free port of 127.0.0.1]
    #[arg(long, value_name = "ADDR:PORT")]
    at: Option<Address>,

    /// List what the recording contains instead of serving a page
    #[arg(long, conflicts_with = "at")]
    list: bool,

    /// Instead of serving a page, write a frame of a field as .npy (NumPy), .vti (ParaView) or .png, of points as .npy
    /// or .vtp (ParaView), the arrows over a field as .vtp, or the whole recording as .json (a trace, for Perfetto). With
    /// %s in the name every frame is written, and its step takes the place of %s
    #[arg(long = "export", value_name = "FILE", value_parser = parse_export, conflicts_with_all = ["at", "list"])]
    exports: Vec<Export>,

    /// The field, or the points, to write, if there are several
    #[arg(long, value_name = "NAME", requires = "exports")]
    field: Option<String>,

    /// The step whose frame to write [default: the last one]
    #[arg(long, value_name = "N", requires = "exports", allow_negative_numbers = true)]
    step: Option<i64>,

    /// The colours of a picture: viridis, inferno, magma, cividis, grey
    #[arg(long, value_name = "MAP", requires = "exports", value_parser = parse_colours, default_value = MAPS[0].name)]
    colours: usize,

    /// Use a logarithmic scale for the colours of a picture
    #[arg(long, requires = "exports")]
    log: bool,
}

/// A file that is to be written.
#[derive(Clone, Debug)]
struct Export {
    path: PathBuf,
    kind: Kind,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Kind {
    Npy,
    Vti,
    Vtp,
    Png,
    Trace,
}

fn parse_export(text: &str) -> Result<Export, String> {
    let path = PathBuf::from(text);
    let kind = match path.extension().and_then(|extension| extension.to_str()) {
        Some("npy") => Kind::Npy,
        Some("vti") => Kind::Vti,
        Some("vtp") => Kind::Vtp,
        Some("png") => Kind::Png,
        Some("json") => Kind::Trace,
        _ => return Err("the name must end in .npy, .vti, .vtp, .png or .json, which chooses what is written".into()),
    };
    Ok(Export { path, kind })
}

fn parse_colours(text: &str) -> Result<usize, String> {
    let names = || MAPS.iter().map(|map| map.name).collect::<Vec<_>>().join(", ");
    MAPS.iter().position(|map| map.name == text).ok_or_else(|| format!("there are {}", names()))
}

const HELP: &str = "\
The page has a slider for the time. The space bar plays and stops, the arrow keys go from frame to
frame, Home and End to the first and the last one. Ctrl-C ends the command. A recording of a job
that was killed is shown as far as it is whole.

Examples:
  rankine run -n 4 --record nozzle.rkv nozzle.wasm
  rankine view nozzle.rkv
  rankine view --list nozzle.rkv
  rankine view --export last.npy --export trace.json nozzle.rkv
  rankine view --field density --export density-%s.vti nozzle.rkv";

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let recording = Recording::open(&arguments.file)?;
    let contents = recording.contents();
    if arguments.list {
        let text = list(&contents);
        std::io::stdout().write_all(text.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    if !arguments.exports.is_empty() {
        let written = arguments.exports.iter().map(|export| export.write(&recording, arguments));
        written.collect::<Result<()>>()?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(why) = &contents.cut {
        tell!("{}", shown::line(&format!("rankine: note: {}: {why}", arguments.file.display())));
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

impl Export {
    fn write(&self, recording: &Recording, arguments: &Arguments) -> Result<()> {
        let (name, step) = (arguments.field.as_deref(), arguments.step);
        let map = &MAPS[arguments.colours];
        if self.kind == Kind::Trace {
            return keep(&self.path, |file| recording.trace(file));
        }
        let pattern = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !pattern.contains("%s") {
            let bytes = {
                let frame = recording.frame_at(name, step)?;
                self.bytes(&frame, &recording.description(frame.name()), map, arguments.log)?
            };
            return keep(&self.path, |file| Ok(file.write_all(&bytes)?));
        }
        ensure!(step.is_none(), "%s writes every step, but --step names one: leave out one of the two");
        let mut written = std::collections::BTreeSet::new();
        for frame in recording.frames_of(name)? {
            let frame = frame?;
            // Of several frames with one number, the last one comes first.
            if written.insert(frame.step()) {
                let path = self.path.with_file_name(pattern.replace("%s", &frame.step().to_string()));
                let bytes = self.bytes(&frame, &recording.description(frame.name()), map, arguments.log)?;
                keep(&path, |file| Ok(file.write_all(&bytes)?))?;
            }
        }
        Ok(())
    }

    fn bytes(&self, frame: &Frame, description: &Description, map: &Map, is_logarithmic: bool) -> Result<Vec<u8>> {
        Ok(match (self.kind, frame) {
            (Kind::Npy, Frame::Field(field)) => file::npy(field),
            (Kind::Vti, Frame::Field(field)) => file::vti(field, description),
            (Kind::Png, Frame::Field(field)) => png(field, map, is_logarithmic),
            (Kind::Npy, Frame::Points(points)) => file::npy_of_points(points),
            (Kind::Vtp, Frame::Points(points)) => file::vtp(points, description),
            (Kind::Vtp, Frame::Field(field)) => match file::vtp_of_arrows(field, description) {
                Some(bytes) => bytes,
                None => bail!("`{}` is a field without arrows, which is written as .npy, .vti or .png", field.name),
            },
            (_, Frame::Field(field)) => bail!("`{}` is a field, which is written as .npy, .vti or .png", field.name),
            (_, Frame::Points(points)) => bail!("`{}` are points, which are written as .npy or .vtp", points.name),
        })
    }
}

/// Writes a file, which appears whole or not at all.
fn keep(path: &Path, write: impl FnOnce(&mut BufWriter<&mut tempfile::NamedTempFile>) -> Result<()>) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // What lies there is exchanged, not written to; the folder is where it seems to be.
    written::refuse_planted("--export", folder)?;
    let keep = || {
        let mut new = tempfile::Builder::new();
        new.prefix(".rankine-");
        if let Some(rights) = os::rights(0o666) {
            new.permissions(rights);
        }
        let mut file = new.tempfile_in(folder)?;
        let mut to = BufWriter::new(&mut file);
        write(&mut to)?;
        to.flush()?;
        drop(to);
        file.persist(path)?;
        anyhow::Ok(())
    };
    keep().with_context(|| format!("{} can't be written", path.display()))
}

/// What is in a recording, in lines.
fn list(contents: &Contents) -> String {
    let mut lines = Vec::new();
    if let Some((program, ranks)) = &contents.program {
        lines.push(format!(
            "program  {}, {ranks} {}",
            shown::line(program),
            if *ranks == 1 { "rank" } else { "ranks" }
        ));
    }
    lines.push(format!("length   {:.1} s", contents.length.as_secs_f64()));
    let of = |kind: &str, name: &str, more: String| format!("{kind:8} {}{more}", shown::line(name));
    let count = |count: usize, what: &str| format!(", {count} {what}{}", if count == 1 { "" } else { "s" });
    lines.extend(contents.figures.iter().map(|(kind, name, frames)| of(kind, name, count(*frames, "frame"))));
    lines.extend(contents.curves.iter().map(|(name, points)| of("curve", name, count(*points, "point"))));
    lines.extend(contents.texts.iter().map(|name| of("text", name, String::new())));
    lines.extend(contents.controls.iter().map(|(name, value)| of("control", name, format!(", at last {value}"))));
    lines.extend(contents.ended.iter().map(|how| format!("ended    {}", shown::line(how))));
    lines.extend(contents.cut.iter().map(|why| format!("note     {}", shown::line(why))));
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever made the recording has chosen what is in it.
    #[test]
    fn what_is_listed_is_a_line_each() {
        let name = || "a\nended    finished\u{1b}[2J\u{2028}b".to_owned();
        let contents = Contents {
            program: Some((name(), 2)),
            length: std::time::Duration::from_secs(1),
            figures: vec![("field", name(), 3)],
            curves: vec![(name(), 4)],
            texts: vec![name()],
            controls: vec![(name(), 0.5)],
            ended: Some(name()),
            cut: Some(name()),
        };
        let text = list(&contents);
        let begins: Vec<&str> = text.lines().map(|line| line.split(' ').next().unwrap()).collect();
        assert_eq!(begins, ["program", "length", "field", "curve", "text", "control", "ended", "note"]);
        assert!(!text.contains(['\u{1b}', '\u{2028}']), "{text}");
    }
}
