//! `rankine run`: a job from the command line, and its ending in words.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use anyhow::{Context as _, Result};
use rankine_toolchain::system;

use super::account::{report, tell_where};
use super::checking::Checking;
use super::loading::load;
use super::noted::Noted;
use super::options::Arguments;
use super::profiling::Profiling;
use super::programs;
use crate::confine::{self, Needs};
use crate::coredump::Dumps;
use crate::ending::Ending;
use crate::engine::local::Local;
use crate::engine::mpi::Mpi;
use crate::engine::{Engine, Name};
use crate::grid::store;
use crate::job::{Job, Settings};
use crate::math::library::Named;
use crate::module;
use crate::output::Output;
use crate::policy::{Network, Policy};
use crate::signals::{self, Watch};

/// Runs the job and ends the process with its status.
pub(super) fn run(arguments: Arguments) -> Result<ExitCode> {
    super::log(arguments.verbose);
    // Whatever follows the options may begin with a hyphen, as arguments of the program do.
    if arguments.program[0].starts_with('-') && !Path::new(&arguments.program[0]).exists() {
        usage(&super::suggest::unknown_option::<Arguments>(&arguments.program[0]));
    }
    if let Some(folder) = &arguments.wdir {
        std::env::set_current_dir(folder).with_context(|| format!("--wdir {}", folder.display()))?;
    }
    if arguments.launch.wanted() {
        system::only_on_unix("--hosts and --grid", "start jobs on several hosts from there")?;
        if programs::are_several(&arguments.program) {
            usage(
                "--hosts starts one program; several, with `:` between them, are started by the launcher itself: \
                 mpiexec -hosts n1,n2 -n 1 rankine run a.wasm : -n 1 rankine run b.wasm",
            );
        }
        Policy::of_machine()?.allow_network(Network::Hosts)?;
        return arguments.launch.run(arguments.for_ranks()?);
    }
    match arguments.engine() {
        Name::Local => run_on::<Local>(arguments),
        Name::Mpi => run_on::<Mpi>(arguments),
    }
}

/// Runs the job, or the process's part of it, on an engine.
fn run_on<E: Engine>(arguments: Arguments) -> Result<ExitCode> {
    E::admit(&arguments.asked()).unwrap_or_else(|refused| usage(&refused));
    let policy = Policy::of_machine()?;
    if arguments.shows.serves() {
        policy.allow_network(Network::Page)?;
    }
    E::prepare();
    signals::ignore_long_files();
    let held = signals::hold();
    if let Some(bytes) = arguments.call_stack {
        module::set_call_stack(bytes);
    }
    // While there is one thread.
    if arguments.blas()?.is_some() {
        Named::prepare();
    }
    let mut looks = Looks::default();
    looks.begin_dumps::<E>(&arguments)?;
    let (debug, breaks) = arguments.debugging.begin(arguments.ranks_of::<E>(), E::HAS_ALL_RANKS)?;
    let mut watch = signals::watch(held);
    let (library, digest, perf) = (arguments.mpi_lib.clone(), arguments.digest.clone(), arguments.perf);
    let mark = arguments.mark.clone();
    let mut shows = arguments.shows.begin::<E>()?;
    looks.begin::<E>(&arguments)?;
    let blas = arguments.blas()?;
    let mut settings = arguments.into_settings::<E>()?;
    settings.breaks = breaks;
    looks.settle(&mut settings);
    let audit = policy.apply(E::NAME, &mut settings)?;
    // It runs code of its own when it is opened, which it does not for a job that may not run.
    let blas = blas.map(|named| named.open()).transpose()?;
    settings.blas.clone_from(&blas);
    settings.view = shows.view::<E>(&settings);
    settings.suit_threads();
    let engine = E::new(&mut settings, library.as_deref())?;

    let (coredump, codegen) = (settings.dumps.is_some(), settings.codegen);
    let compiling = module::Settings { perf, coredump, debug, codegen, ..engine.compiling() };
    let programs = load(digest, compiling, &settings, &watch)?;
    mark.map(|file| store::mark(&file)).transpose()?;
    shows.make_file()?;
    confine(&mut watch, &settings, || engine.needs(&programs, &settings))?;
    let page = shows.open(settings.view.as_ref())?;
    let note = Noted::new::<E>(&programs, &settings);
    let job = Job::new(engine, &programs, settings)?;
    let ending = run_watched(&job, &watch);
    let status = looks.say(&job, &ending);
    page.close(&ending);
    note.write(audit, &ending);
    // Before the last words of the engine, in which ranks might begin to compute.
    let is_left = blas.is_none_or(|library| library.close());
    job.conclude(&ending);
    if !is_left {
        let _ = std::io::stdout().flush();
        signals::leave(status);
    }
    // Not a return: ranks that still compute must not outlive the job, nor is their memory worth giving back one by
    // one.
    std::process::exit(status)
}

/// Runs a job that hears of signals, and says how it ended.
fn run_watched<E: Engine>(job: &Job<E>, watch: &Watch) -> Ending {
    let remote = job.remote();
    watch.tell(move |signal| remote.signal(signal));
    let remote = job.remote();
    watch.answer(move || remote.ask(tell_where));
    let ending = job.run();
    write_out(job.output(), &ending);
    report(&ending);
    ending
}

/// What looks into a job for its user, and says at its end what it has seen.
#[derive(Default)]
struct Looks {
    dumps: Option<Arc<Dumps>>,
    profiling: Option<Profiling>,
    checking: Option<Checking>,
}

impl Looks {
    /// Begins to wait for traps. Call it while the process has one thread.
    fn begin_dumps<E: Engine>(&mut self, arguments: &Arguments) -> Result<()> {
        let Some(file) = arguments.coredump.as_deref() else { return Ok(()) };
        let is_alone = arguments.ranks_of::<E>().unwrap_or(1) == 1;
        self.dumps = Some(Arc::new(Dumps::begin(file, is_alone)?));
        Ok(())
    }

    /// Makes the files of the others.
    fn begin<E: Engine>(&mut self, arguments: &Arguments) -> Result<()> {
        self.profiling = arguments.profile.as_ref().map(|file| Profiling::begin::<E>(file.as_deref())).transpose()?;
        self.checking = arguments.check.as_ref().map(|file| Checking::begin(file.as_deref())).transpose()?;
        Ok(())
    }

    /// What the job has to know of them.
    fn settle(&self, settings: &mut Settings) {
        settings.dumps.clone_from(&self.dumps);
        settings.profile = self.profiling.as_ref().map(Profiling::profile);
        settings.check = self.checking.is_some();
    }

    /// Says what was seen of a job that has ended so; the status of the process.
    fn say<E: Engine>(self, job: &Job<E>, ending: &Ending) -> i32 {
        if let Some(dumps) = self.dumps {
            dumps.say();
        }
        if let Some(profiling) = self.profiling {
            profiling.say();
        }
        match self.checking.zip(job.found(ending)) {
            Some((checking, found)) => checking.say(&found, ending),
            None => ending.status(),
        }
    }
}

/// Puts the wall up, unless none is wanted: after this, threads may be started that a guest reaches. Until then this one is
/// alone.
fn confine(watch: &mut Watch, settings: &Settings, needs: impl FnOnce() -> Result<Needs>) -> Result<()> {
    if !settings.confine {
        tracing::info!("not confined (--no-confine)");
        return Ok(());
    }
    let standing = watch.paused(|| confine::up(&needs()?))?;
    tracing::info!("confined: {standing}");
    Ok(())
}

/// Ends the process because of how it was called.
pub(super) fn usage(text: &str) -> ! {
    eprintln!("rankine: {text}");
    std::process::exit(2);
}

/// Writes out what ranks have printed. After an early end its reader may be stuck as well, and is not waited for long.
fn write_out(output: &Arc<Output>, ending: &Ending) {
    if matches!(ending, Ending::Finished { .. }) {
        return output.finish();
    }
    let (done, is_done) = channel();
    let output = output.clone();
    crate::allocation::thread("output", move || {
        output.finish();
        let _ = done.send(());
    });
    let _ = is_done.recv_timeout(Duration::from_secs(1));
}
