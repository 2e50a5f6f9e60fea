//! `rankine run`: a job from the command line, and its ending in words.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use rankine_system::os;

use super::account::{report, tell_where};
use super::checking::Checking;
use super::loading::load;
use super::noted::Noted;
use super::options::{Arguments, OMP_NUM_THREADS};
use super::profiling::Profiling;
use super::programs;
use super::written;
use crate::cli::policy::{self, Network, Policy};
use crate::engine::local::Local;
use crate::engine::mpi::Mpi;
#[cfg(unix)]
use crate::engine::nodes::Nodes;
use crate::engine::{Engine, Name};
use crate::imports::math::library::Named;
use crate::module;
use crate::module::threaded;
use crate::report::output::Output;
use crate::run::coredump::Dumps;
use crate::run::ending::Ending;
use crate::run::job::{Job, Placement, Settings};
use rankine_grid::store;
use rankine_system::confine::Needs;
use rankine_system::inheritance::opened_by_library;
use rankine_system::launched::launched_rank;
use rankine_system::signals::Watch;
use rankine_system::{confine, shown, signals, tell};

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
        os::only_on_unix("--hosts and --grid", "start jobs on several hosts from there")?;
        if programs::are_several(&arguments.program) {
            usage(
                "--hosts starts one program; several, with `:` between them, are started by the launcher itself: \
                 mpiexec -hosts n1,n2 -n 1 rankine run --engine nodes -n 4 a.wasm : -n 1 rankine run --engine nodes -n 4 b.wasm",
            );
        }
        Policy::of_machine()?.allow_network(Network::Hosts)?;
        return arguments.launch.run(arguments.for_ranks()?);
    }
    match arguments.engine() {
        Name::Local => run_on::<Local>(arguments),
        Name::Mpi => run_on::<Mpi>(arguments),
        #[cfg(unix)]
        Name::Nodes => run_on::<Nodes>(arguments),
    }
}

/// Runs the job, or the process's part of it, on an engine.
fn run_on<E: Engine>(arguments: Arguments) -> Result<ExitCode> {
    E::admit(&arguments.asked()).unwrap_or_else(|refused| usage(&refused));
    let policy = Policy::of_machine()?;
    if arguments.shows.serves() {
        policy.allow_network(Network::Page)?;
    }
    let files = if E::first_rank() == 0 { arguments.files() } else { Vec::new() };
    files.iter().try_for_each(|(option, file)| written::refuse_planted(option, file))?;
    E::prepare();
    signals::ignore_long_files();
    let held = signals::hold();
    if let Some(bytes) = arguments.call_stack()? {
        module::set_call_stack(bytes);
    }
    // While there is one thread.
    if arguments.blas()?.is_some() {
        Named::prepare();
    }
    let mut looks = Looks::default();
    looks.begin_dumps::<E>(&arguments)?;
    let (debug, breaks) = arguments.debugging.begin(arguments.ranks_of::<E>(), E::HAS_ALL_RANKS)?;
    let audit = policy.audit(E::first_rank() == 0)?;
    let wants_wall = policy.wants_wall();
    let mut watch = signals::watch(held);
    let (library, digest, perf) = (arguments.mpi_lib.clone(), arguments.digest.clone(), arguments.perf);
    let mark = arguments.mark.clone();
    let mut shows = arguments.shows.begin::<E>()?;
    looks.begin::<E>(&arguments)?;
    let blas = arguments.blas()?;
    let says_threads = arguments.says_threads();
    let mut settings = arguments.into_settings::<E>()?;
    if !says_threads {
        say_threads::<E>(&settings);
    }
    written::warn_of_guests(&files);
    settings.breaks = breaks;
    looks.settle(&mut settings);
    policy.apply(E::NAME, &mut settings)?;
    // It runs code of its own when it is opened, which it does not for a job that may not run.
    let blas = blas.map(|named| opened_by_library(|| named.open())).transpose()?;
    settings.blas.clone_from(&blas);
    settings.view = shows.view::<E>(&settings);
    settings.suit_threads();
    ensure!(
        settings.seed.is_none() || settings.placement == Placement::Fibers,
        "--seed says in which order fibers run, and this program has threads, whose order is the system's"
    );
    let engine = E::new(&mut settings, library.as_deref())?;

    let (coredump, codegen) = (settings.dumps.is_some(), settings.codegen);
    let compiling = module::Settings { perf, coredump, debug, codegen, ..engine.compiling() };
    let programs = load(digest, compiling, &settings, &watch)?;
    engine.loaded(&programs, &settings);
    mark.map(|file| store::mark(&file)).transpose()?;
    shows.make_file()?;
    if settings.confine {
        let lacking = confine(&mut watch, || engine.needs(&programs, &settings))?;
        lacking.map(|lacking| say_lacking::<E>(&lacking, wants_wall)).transpose()?;
    } else {
        tracing::info!("not confined (--no-confine)");
    }
    let page = shows.open(settings.view.as_ref())?;
    let noted = Noted::new::<E>(audit, &programs, &settings)?;
    let job = Job::new(engine, &programs, settings)?;
    let ending = run_watched(&job, &watch);
    let status = looks.say(&job, &ending);
    page.close(&job, &ending);
    noted.write(&ending);
    // Nobody else hears of signals any more, and the engine waits for other processes, perhaps.
    watch.end_by(matches!(ending, Ending::Signalled(..)), |signal| {
        tell!("rankine: ended by signal {signal}, after its ranks and before the job");
        E::abandon();
    });
    // Before the last words of the engine, in which ranks might begin to compute.
    let is_left = blas.is_none_or(|library| library.close());
    let status = match job.conclude(&ending) {
        None => status,
        Some(after_all) => {
            report(&after_all);
            after_all.status()
        }
    };
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
    let ending = write_out(job.output(), ending);
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
        self.checking = arguments.check.as_ref().map(|file| Checking::begin::<E>(file.as_deref())).transpose()?;
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

/// Puts the wall up: after this, threads may be started that a guest reaches. Until then this one is alone. What it lacks.
fn confine(watch: &mut Watch, needs: impl FnOnce() -> Result<Needs>) -> Result<Option<String>> {
    let (standing, lacking) = watch.paused(|| {
        let needs = needs()?;
        let standing = confine::up(&needs)?;
        let lacking = standing.lacks(&needs);
        anyhow::Ok((standing, lacking))
    })?;
    tracing::info!("confined: {standing}");
    Ok(lacking)
}

/// Says, once for a job, that its wall is not whole; on a machine that wants it whole the job does not run.
fn say_lacking<E: Engine>(lacking: &str, wants_wall: bool) -> Result<()> {
    ensure!(
        !wants_wall,
        "this machine wants jobs confined ({}: confined = true), and that wall would not be whole here: {lacking}",
        policy::FILE
    );
    if E::first_rank() == 0 {
        tell!(
            "rankine: warning: the wall around this job is not whole: {lacking}; SECURITY.md says what it is for \
             (--no-confine: no wall, and no warning)"
        );
    }
    Ok(())
}

/// Ends the process because of how it was called.
pub(super) fn usage(text: &str) -> ! {
    tell!("rankine: {}", shown::lines(text));
    std::process::exit(2);
}

/// Says once that a variable of the user's, by which native programs have threads, is not the program's.
fn say_threads<E: Engine>(settings: &Settings) {
    let Ok(wanted) = std::env::var(OMP_NUM_THREADS) else { return };
    let has_threads = settings.parts.iter().any(|part| threaded::are_in(part.file()));
    let is_first = E::HAS_ALL_RANKS || launched_rank().is_none_or(|rank| rank == 0);
    if has_threads && is_first && wanted != settings.threads.to_string() {
        tell!(
            "rankine: note: {OMP_NUM_THREADS}={} is not passed on to programs, and each rank runs {} at once; \
             --threads-per-rank {0} makes it so",
            shown::line(&wanted),
            if settings.threads == 1 { "1 thread".into() } else { format!("{} threads", settings.threads) }
        );
    }
}

/// Writes out what ranks have printed: a job that has succeeded fails if that can't be. After an early end its reader may be stuck
/// as well, and is not waited for long.
fn write_out(output: &Arc<Output>, ending: Ending) -> Ending {
    if let Ending::Finished { status, .. } = ending {
        return match output.finish() {
            Err(error) if status == 0 => Ending::Failed(format!("the standard output: {error}")),
            _ => ending,
        };
    }
    let (done, is_done) = channel();
    let output = output.clone();
    rankine_system::allocation::thread("output", move || {
        let _ = output.finish();
        let _ = done.send(());
    });
    let _ = is_done.recv_timeout(Duration::from_secs(1));
    ending
}
