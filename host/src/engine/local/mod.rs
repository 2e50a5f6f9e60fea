//! The embedded engine's side of the host: its shims, and ranks as threads or fibers.
//!
//! The shims of most functions are rows of a generated file, named after the chapter; [`row`] says what a row becomes. A
//! body reads arrays and strings with [`shim`], calls the engine's function and writes results back. Bodies that follow no
//! rule of the table stand in [`bodies`]. Only what a module names is linked.
//!
//! All of them run through three functions of [`call`], which take the same arguments:
//!
//! ```text
//! call::now  (caller, "MPI_Comm_rank", On::Comm(comm), |r| body(r, …)) -> wasmtime::Result<i32>   never waits; threads and fibers
//! call::wait (caller, "MPI_Recv",      On::Comm(comm), |r| body(r, …)) -> wasmtime::Result<i32>   blocks the rank's thread
//! call::fiber(caller, "MPI_Recv",      On::Comm(comm), |r| body(r, …)) -> OnFiber                   for func_wrap_async
//! ```
//!
//! They refresh the size of the memory, refuse calls before `MPI_Init` and after `MPI_Finalize` (the `anytime` forms
//! `call::now_anytime` and so on do not), run callbacks into the guest, and hand errors to the error handler of what
//! `On` names: `On::Comm`, `On::Win`, `On::File`, `On::Session`, `On::Request`, `On::Myself` (`MPI_COMM_SELF`'s) or
//! `On::Nothing`.

#[macro_use]
pub(crate) mod row;

pub(crate) mod bodies;
pub(crate) mod call;
pub(super) mod check;
pub(super) mod compiler;
mod files;
mod generated;
mod images;
mod outgrown;
mod pages;
mod placed;
pub(crate) mod shim;
pub(super) mod spawn;
mod threads;
pub(crate) mod tools;
mod watch;

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::Thread;

use anyhow::Result;
use rankine_abi::{Comm, Datatype};
use rankine_guest::{Account, Memory, Phase, Who};
use rankine_local::away::Nodes;
use rankine_local::{End, Fibers, Options, Rank, Task, World, datatype};
use wasmtime::{Caller, Instance, Linker, Store};

use self::check::{Check, Observer};
use self::compiler::Compiler;
use self::spawn::{Embeds, Starter};
use super::{Asked, Engine};
use crate::engine;
use crate::module::symbols::Symbols;
use crate::module::{self, Program};
use crate::report::mistakes::Report;
use crate::run::crew::{Crew, Role, Seat};
use crate::run::job::{Part, Placement, Settings, cores};
use crate::run::watchdog::Watchdog;
use rankine_rewrite::sites::Sites;
use rankine_system::confine::{Needs, Network};
use rankine_system::{limits, tell};

/// What the store of a rank holds.
pub(crate) type Guest = crate::guest::Guest<Rank>;

/// The engine of one job.
pub(crate) struct Local {
    carriers: Carriers,
    /// What the ranks share.
    world: Arc<World>,
    /// Memories start from copy-on-write images.
    images: bool,
    /// Compiles modules while the process is confined, if the job may start ranks from them.
    compiler: OnceLock<Compiler>,
    /// What is known of its calls, if the job is checked.
    check: Option<Arc<Check>>,
    /// Until the ranks start, if there is a limit: who watches over their memory.
    watchdog: Mutex<Option<Watchdog>>,
}

impl Engine for Local {
    type Rank = Rank;

    const NAME: &'static str = "local";

    fn admit(asked: &Asked<'_>) -> Result<(), String> {
        if asked.options.contains(&"--ranks-by-node") {
            return Err("--ranks-by-node is for --engine nodes; all ranks are here, and -n says how many".into());
        }
        match engine::launcher() {
            None if asked.options.contains(&"--mpi-lib") => {
                Err("--mpi-lib is for the engine mpi: start it with a launcher, or with --engine mpi".into())
            }
            None => Ok(()),
            Some(variable) => {
                tell!(
                    "rankine: warning: a launcher started this process ({variable} is set), and with --engine local \
                     each of its processes runs a whole job by itself"
                );
                Ok(())
            }
        }
    }

    fn new(settings: &mut Settings, _library: Option<&Path>) -> Result<Local> {
        let images = limits::check_mappings(settings.ranks)?;
        limits::raise_open_files();
        tracing::info!("{} ranks as {:?}", settings.ranks, settings.placement);
        let (carriers, world) = Carriers::new(settings, spawn::most_ranks(settings, images));
        let check = settings.check.then(|| Check::new(&world));
        let watchdog = Mutex::new(settings.memory_limit.and_then(|_| Watchdog::new()));
        Ok(Local { carriers, world, images, compiler: OnceLock::new(), check, watchdog })
    }

    fn compiling(&self) -> module::Settings {
        module::Settings { images: self.images, ..module::Settings::default() }
    }

    fn needs(&self, programs: &[Program], settings: &Settings) -> Result<Needs> {
        // The page's server listens already, and is all that answers.
        let network = if settings.view.as_ref().is_some_and(|view| view.is_served()) {
            Network::Answers
        } else {
            Network::Closed
        };
        let needs = Needs::new(&settings.grants, None, network);
        self.with_needs_of_spawning(needs, programs, settings)
    }

    fn define(linker: &mut Linker<Guest>, placement: Placement, module: &str, name: &str) -> wasmtime::Result<bool> {
        if module == rankine_object::MODULE {
            return images::define(linker, placement, name);
        }
        for chapter in &generated::CHAPTERS {
            if (chapter.link)(linker, placement, name)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn start(&self, crew: &Arc<Crew<Local>>) -> Result<()> {
        self.world.start_by(Arc::new(Starter::new(crew)));
        let watchdog = self.watchdog.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((watchdog, limit)) = watchdog.zip(crew.settings.memory_limit) {
            outgrown::begin(watchdog, crew, limit as u64)?;
        }
        match &self.carriers {
            Carriers::Threads(threads) => threads.start(crew),
            Carriers::Fibers(fibers) => {
                // The crew's world keeps the fibers: they don't keep the crew.
                let (carried, told) = (crew.clone(), Arc::downgrade(crew));
                let task = move |index| -> Task {
                    let crew = carried.clone();
                    Box::pin(async move {
                        crew.run_on_fiber(role(&crew, index), seat(index), || Ok(rank(&crew, index))).await;
                    })
                };
                let panicked = move |index| {
                    if let Some(crew) = told.upgrade() {
                        crew.panicked(crew.output.who(index), "");
                    }
                };
                Ok(fibers.start(task, panicked)?)
            }
        }
    }

    fn waits(&self, index: usize, thread: Thread) {
        if let Carriers::Threads(threads) = &self.carriers {
            threads.waits(index, thread);
        }
    }

    fn stop(&self) {
        self.world.end(End::Host);
    }

    fn inquire(&self) {
        self.world.inquire();
    }

    fn observe(&self, who: Who, sites: &Arc<Sites>, symbols: &Arc<Symbols>) -> Option<Arc<Observer>> {
        self.check.as_ref().map(|check| check.observe(who, sites, symbols))
    }

    fn found(&self, has_finished: bool) -> Option<Report> {
        self.check.as_ref().map(|check| check.report(has_finished))
    }

    fn unreceived(&self) -> Vec<(usize, String)> {
        self.world.unreceived()
    }
}

impl Embeds for Local {
    fn carriers(&self) -> &Carriers {
        &self.carriers
    }

    fn world(&self) -> &Arc<World> {
        &self.world
    }

    fn compiler(&self) -> &OnceLock<Compiler> {
        &self.compiler
    }
}

/// One of the ranks that the job begins with.
fn seat(index: usize) -> Seat {
    Seat { index, who: index.into() }
}

/// What such a rank runs.
fn role(crew: &Crew<Local>, index: usize) -> &Role<Rank> {
    &crew.roles[crew.settings.part_of(index)]
}

/// Makes such a rank.
#[expect(clippy::arc_with_non_send_sync, reason = "threads of a rank look into it one at a time")]
fn rank(crew: &Crew<Local>, index: usize) -> Arc<Rank> {
    let number = crew.settings.part_of(index);
    let Part { ranks, arguments } = &crew.settings.parts[number];
    let rank = Rank::new(crew.engine.world.clone(), index).of_command(number);
    spawn::tell_environment(&rank, *ranks, arguments, None);
    Arc::new(rank)
}

impl engine::Rank for Rank {
    type Observer = Observer;

    fn who(&self) -> Who {
        Rank::who(self)
    }

    #[inline]
    fn memory(&self) -> &Memory {
        Rank::memory(self)
    }

    fn account(&self) -> &Arc<Account> {
        Rank::account(self)
    }

    fn type_size(&self, datatype: u32) -> Option<u64> {
        u64::try_from(datatype::type_size(self, Datatype(datatype)).ok()?).ok()
    }

    fn receivers(&self, comm: u32, neighbors: bool) -> Option<u64> {
        let count = if neighbors { shim::destinations(self, Comm(comm)) } else { shim::peers(self, Comm(comm)) };
        u64::try_from(count.ok()?).ok()
    }

    fn call(&self) -> &'static str {
        Rank::call(self)
    }

    fn carry_view(caller: &mut Caller<'_, Guest>) -> wasmtime::Result<()> {
        if let Some(publisher) = caller.data().publisher() {
            publisher.view().carry();
        }
        Ok(())
    }

    fn set_call(&self, call: &'static str) {
        self.enter(call);
    }

    fn phase(&self) -> Phase {
        Rank::phase(self)
    }

    fn thread_level(&self) -> i32 {
        Rank::thread_level(self)
    }

    fn set_thread(&self, is_main: bool) {
        Rank::set_thread(self, is_main);
    }

    fn leave(&self, ends_job: bool) {
        if ends_job {
            self.world().end(End::Host);
        }
        self.exit();
    }

    fn check(store: &mut Store<Guest>, instance: &Instance) -> wasmtime::Result<()> {
        check::install(store, instance)
    }
}

/// What carries the ranks of a job.
pub(in crate::engine) enum Carriers {
    Threads(Arc<threads::Threads>),
    Fibers(Arc<Fibers>),
}

impl Carriers {
    /// The carriers of a job and the world that its ranks share.
    fn new(settings: &Settings, most_ranks: usize) -> (Carriers, Arc<World>) {
        let spin =
            settings.placement == Placement::Threads && settings.ranks.saturating_mul(settings.threads) <= cores();
        Carriers::with(settings, Options { spin, most_ranks, ..Options::default() })
    }

    /// Carriers of the ranks of one node of a job.
    #[cfg(unix)]
    pub(super) fn of_nodes(settings: &Settings, nodes: Nodes, spin: bool, most_ranks: usize) -> (Carriers, Arc<World>) {
        Carriers::with(settings, Options { spin, most_ranks, nodes: Some(nodes), ..Options::default() })
    }

    fn with(settings: &Settings, options: Options) -> (Carriers, Arc<World>) {
        let (ranks, nodes) = (settings.ranks, options.nodes.as_ref().map_or(1, Nodes::count));
        let options = Options {
            deadlock_check: settings.deadlock_check,
            memory_limit: settings.memory_limit.map(|bytes| bytes as u64),
            share_pages: pages::share(),
            storage: Some(files::Files::beneath(&settings.grants)),
            universe: settings.universe.unwrap_or_else(|| cores().saturating_mul(nodes as usize)),
            ..options
        };
        let listener = watch::listener(settings);
        match settings.placement {
            Placement::Threads => {
                let threads = threads::Threads::new(ranks);
                (Carriers::Threads(threads.clone()), World::new(ranks, threads, listener, options))
            }
            Placement::Fibers => {
                let fibers = match settings.seed {
                    None => Fibers::new(ranks, cores()),
                    Some(seed) => Fibers::seeded(ranks, seed),
                };
                (Carriers::Fibers(fibers.clone()), World::new(ranks, fibers, listener, options))
            }
        }
    }
}

/// Whether this engine has a function of MPI.
pub(crate) fn has(name: &str) -> bool {
    generated::CHAPTERS.iter().any(|chapter| chapter.names.contains(&name))
}
