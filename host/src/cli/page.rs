//! What a job shows while it runs, as `rankine run` has it: the page of `--view`, the file of `--record`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use anyhow::{Context as _, Result};
use rankine_view::{Address, Server, Source, Tape, View};

use super::account::account;
use super::recording::{self, Recording};
use super::values::parse_size;
use crate::engine::Engine;
use crate::run::ending::Ending;
use crate::run::job::{Job, Settings};
use rankine_system::launched::{launched_rank, launched_ranks};
use rankine_system::{shown, tell};

#[derive(clap::Args)]
#[command(next_help_heading = "Watching a job")]
pub(super) struct Options {
    /// Serve a page that shows the program's fields, to steer it
    ///
    /// Its address is printed, and is on this machine alone unless you name another.
    #[arg(long, value_name = "ADDR:PORT", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    view: Option<Address>,

    /// Write what the program shows to a file, for `rankine view`
    ///
    /// With or without --view. A program that is faster than pictures are taken is not held up; how many steps are not in the
    /// file is said at the end.
    #[arg(long, value_name = "FILE.rkv")]
    record: Option<PathBuf>,

    /// The largest size of the recording: 200M, 1.5G
    ///
    /// What comes after that is not recorded.
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "1G", requires = "record")]
    record_limit: usize,
}

impl Options {
    /// The option by which something is to be shown, if one was given.
    pub fn wanted(&self) -> Option<&'static str> {
        self.view.as_ref().map(|_| "--view").or(self.record.as_ref().map(|_| "--record"))
    }

    /// The file of the recording.
    pub fn file(&self) -> Option<&Path> {
        self.record.as_deref()
    }

    /// Whether a page is to be served.
    pub fn serves(&self) -> bool {
        self.view.is_some()
    }

    /// What is to be shown of a job, and where. Begins to listen, in the process of the first rank: behind the wall nobody can.
    pub fn begin<E: Engine>(&self) -> Result<Shows> {
        let me = (!E::HAS_ALL_RANKS).then(|| launched_rank().unwrap_or(0));
        let is_here = me.unwrap_or(0) == 0;
        let server = self.view.as_ref().filter(|_| is_here).map(Server::listen).transpose().context("--view")?;
        let file = self.record.clone().filter(|_| is_here);
        Ok(Shows { is_wanted: self.wanted().is_some(), me, server, file, limit: self.record_limit, tape: None })
    }
}

/// What is to be shown of a job that does not run yet.
pub(super) struct Shows {
    is_wanted: bool,
    /// The number of this process, where the job has several.
    me: Option<usize>,
    server: Option<Server>,
    file: Option<PathBuf>,
    limit: usize,
    tape: Option<Tape>,
}

impl Shows {
    /// The view of the job, if anything is to be shown.
    pub fn view<E: Engine>(&self, settings: &Settings) -> Option<Arc<View>> {
        let (title, is_served) = (title(settings.parts[0].file()), self.server.is_some());
        let ranks = settings.all_ranks::<E>().unwrap_or(1);
        self.is_wanted.then(|| match self.me {
            None => View::new(title, ranks, is_served),
            Some(me) if E::IS_BY_NODE => View::of_node(title, ranks, is_served, (me, launched_ranks().unwrap_or(1))),
            Some(me) => View::in_processes(title, ranks, is_served, me),
        })
    }

    /// Makes the file of the recording, once there is a program to be run.
    pub fn make_file(&mut self) -> Result<()> {
        self.tape = self.file.as_deref().map(|file| recording::tape(file, self.limit)).transpose()?;
        Ok(())
    }

    /// Answers browsers and records from now on, and says where.
    pub fn open(self, view: Option<&Arc<View>>) -> Result<Page> {
        let Some(view) = view else { return Ok(Page::default()) };
        if self.me.is_some_and(|me| me != 0) {
            return Ok(Page::default());
        }
        let recording = self.tape.map(|tape| Recording::begin(tape, view, self.server.is_none())).transpose()?;
        let server = self.server.map(|server| {
            let (url, is_loopback) = (server.url(), server.is_loopback());
            let server = server.start(Source::Job(view.clone()))?;
            say_where(&url, is_loopback, "sees the job and can steer it");
            anyhow::Ok(server)
        });
        Ok(Page { view: Some(view.clone()), server: server.transpose()?, recording })
    }
}

/// What the page of a program is called.
fn title(file: &Path) -> String {
    shown::line(&file.file_name().unwrap_or(file.as_os_str()).to_string_lossy())
}

/// Says where a page is, and what others can do there.
pub(super) fn say_where(url: &str, is_loopback: bool, what: &str) {
    tell!("rankine: view: {url}");
    if !is_loopback {
        tell!("rankine: warning: whoever knows this address, or listens on the way to it, {what}");
    }
}

/// What is shown of a job that runs.
#[derive(Default)]
pub(super) struct Page {
    view: Option<Arc<View>>,
    server: Option<JoinHandle<()>>,
    recording: Option<Recording>,
}

impl Page {
    /// Tells browsers and the recording how a job ended.
    pub fn close<E: Engine>(self, job: &Job<E>, ending: &Ending) {
        let Some(view) = self.view else { return };
        job.linger(ending);
        let how = match (account(ending).first(), ending.status()) {
            (Some(line), _) => line.trim_start_matches("rankine: ").to_owned(),
            (None, 0) => "finished".into(),
            (None, status) => format!("exited with status {status}"),
        };
        view.end(shown::line(&how));
        if let Some(recording) = self.recording {
            recording.end();
        }
        if let Some(server) = self.server {
            let _ = server.join();
        }
    }
}
