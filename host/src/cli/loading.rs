//! The programs of a job, loaded while signals and the job's time count already.

use std::io::IsTerminal as _;
use std::panic::catch_unwind;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};

use super::account::report;
use crate::module::signature::Demands;
use crate::module::{self, Changes, Program};
use crate::run::crew::bug;
use crate::run::ending::Ending;
use crate::run::job::{Part, Settings};
use rankine_system::footprint::{self, Footprint};
use rankine_system::signals::Watch;
use rankine_system::tell;

/// Stack of the thread that loads a program: as much as a process's first thread has.
const LOADING_STACK: usize = 8 << 20;

/// What a user is told where the compiler panicked over debug information, which it believes.
const UNTRANSLATED: &str = "the compiler has failed, perhaps on the program's debug information, which --debug \
    translates: run without --debug, or compile with -g only the files that you debug";

/// The programs of a job, compiled. That may take long, and ends as a job does: by a signal, or when its time is up.
pub(super) fn load(
    digest: Option<String>,
    settings: module::Settings,
    job: &Settings,
    watch: &Watch,
) -> Result<Vec<Program>> {
    let (sender, ends) = channel();
    let (interrupt, parts) = (sender.clone(), job.parts.clone());
    let (demands, changes) = (job.demands.clone(), job.changes());
    watch.tell(move |signal| drop(interrupt.send(Err(Ending::Signalled(signal, Vec::new())))));
    let loader = std::thread::Builder::new().name("loader".into()).stack_size(LOADING_STACK).spawn(move || {
        let loaded = catch_unwind(|| load_all(&parts, digest.as_deref(), &demands, settings, changes));
        let loaded =
            loaded.unwrap_or_else(|_| Err(anyhow!("{}", if settings.debug { UNTRANSLATED.into() } else { bug("") })));
        let _ = sender.send(Ok(loaded));
    })?;
    let end = wait(&ends, job);
    let ending = match (end, job.timeout) {
        (Ok(Ok(loaded)), _) => {
            let _ = loader.join();
            return loaded;
        }
        (Ok(Err(ending)), _) => ending,
        (Err(RecvTimeoutError::Timeout), Some(limit)) => Ending::TimedOut(limit, Vec::new()),
        (Err(_), _) => bail!("the thread that loads the program has disappeared"),
    };
    if std::io::stderr().is_terminal() {
        // There is a spinner on the line.
        tell::piece("\r\x1b[2K");
    }
    report(&ending);
    // Not a return: the compiler still works. What it makes is not kept, as entries of the cache appear whole or not at
    // all.
    std::process::exit(ending.status())
}

/// How often it is asked what the compiler has taken.
const EVERY: Duration = Duration::from_millis(100);

/// Waits for what comes first: the programs, a signal, the end of the job's time. A compiler that takes more memory than it may
/// ends the process.
fn wait<T>(ends: &Receiver<T>, job: &Settings) -> Result<T, RecvTimeoutError> {
    let left = || job.timeout.map(|limit| limit.saturating_sub(job.started.elapsed()));
    // Most programs are there before it is first asked.
    let mut watch = None;
    loop {
        let end = ends.recv_timeout(left().unwrap_or(EVERY).min(EVERY));
        if !matches!(end, Err(RecvTimeoutError::Timeout)) || left().is_some_and(|left| left.is_zero()) {
            return end;
        }
        let watch = watch.get_or_insert_with(|| Footprint::open().zip(footprint::of_a_compiler(job.memory_limit)));
        if let Some((footprint, most)) = watch
            && let Some(bytes) = footprint.bytes().filter(|bytes| bytes > most)
        {
            outgrown(bytes, *most, job);
        }
    }
}

fn outgrown(bytes: u64, most: u64, job: &Settings) -> ! {
    let files: Vec<String> = job.parts.iter().map(|part| part.file().display().to_string()).collect();
    tell!("rankine: {}", footprint::outgrown(&files.join(", "), bytes, most, job.memory_limit));
    std::process::exit(1)
}

/// Loads the program of each part, one that several have once.
fn load_all(
    parts: &[Part],
    digest: Option<&str>,
    demands: &Demands,
    settings: module::Settings,
    changes: Changes,
) -> Result<Vec<Program>> {
    let engines = Arc::new(module::Engines::new(settings)?);
    if engines.alone().is_pulley() && !settings.codegen.interpret {
        let processor = std::env::consts::ARCH;
        tell!(
            "rankine: note: Wasmtime has no compiler for {processor}: the program is interpreted, which is 20 to 40 times slower"
        );
    }
    if settings.debug {
        crate::run::pointers::lead_nowhere().context("--debug")?;
    }
    let mut programs: Vec<Program> = Vec::with_capacity(parts.len());
    for part in parts {
        let known = parts.iter().zip(&programs).find(|(other, _)| other.file() == part.file());
        programs.push(match known {
            Some((_, program)) => program.clone(),
            None => {
                let program = module::load(&engines, part.file(), digest, demands, changes)?;
                if settings.debug && !program.symbols.has_own_lines() {
                    tell!(
                        "rankine: note: {} was compiled without -g: a debugger sees neither its lines nor its variables",
                        part.file().display()
                    );
                }
                program
            }
        });
    }
    Ok(programs)
}
