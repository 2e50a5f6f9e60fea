//! The engine of several nodes: the ranks of this process are those of the embedded engine, and those of others are
//! reached over the MPI library, by one thread.
//!
//! The shims are the embedded engine's. What is here starts ranks, starts the thread that carries letters ([`carrier`]), has what
//! ranks show travel to node 0 ([`post`]), and ends all of it. The protocol is in `rankine-nodes`.

mod carrier;
mod post;
mod words;

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{JoinHandle, Thread};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, ensure};
use rankine_guest::Who;
use rankine_local::away::Nodes as Spread;
use rankine_local::{End, Rank, Task, World};
use wasmtime::Linker;

use super::choice::in_one_process;
use super::local::check::{Check, Observer};
use super::local::compiler::Compiler;
use super::local::spawn::{Embeds, Starter};
use super::local::{Carriers, Guest, Local, spawn};
use super::mpi;
use super::mpi::process::{confined, ends_within, prepare_for_library, quieten};
use super::{Asked, Engine};
use crate::module::symbols::Symbols;
use crate::module::{self, HOST_STACK, Program, call_stack};
use crate::report::mistakes::Report as Found;
use crate::run::crew::{Crew, Role, Seat};
use crate::run::ending::{Deadlock, Ending, Event};
use crate::run::job::{Part, Placement, Settings, cores};
use carrier::Brought;
use post::Post;
use rankine_mpi::end_by_signal;
use rankine_mpi::library::{self, Library};
use rankine_rewrite::sites::Sites;
use rankine_system::confine::Needs;
use rankine_system::inheritance::opened_by_library;
use rankine_system::launched::{launched_rank, launched_ranks};
use rankine_system::limits;
use rankine_system::placing::Cores;

/// The first rank of this process, once it is known.
static FIRST: OnceLock<usize> = OnceLock::new();

/// How long the library may take to end the job, once all has been said.
const TO_END: Duration = Duration::from_secs(5);

/// The last that the library is asked.
#[derive(Debug)]
enum Last {
    /// To bring what is known of a deadlock to node 0, where the answer is what all know.
    Report(Deadlock, Sender<Option<Deadlock>>),
    /// To bring what a check has found to node 0, where the answer is what all have found.
    Found(Found, Sender<Option<Found>>),
    /// To end the processes of the other nodes, with this status.
    Abort(i32),
    /// To leave, as all nodes do, after ranks here that came to this end.
    Finalize(Ending),
}

/// The engine of the ranks of one node.
pub(crate) struct Nodes {
    carriers: Carriers,
    world: Arc<World>,
    images: bool,
    /// What its ranks run.
    runs: OnceLock<Runs>,
    /// What that is of the whole job, once all nodes are there.
    command: OnceLock<Command>,
    /// Until the carrying thread takes it.
    library: Mutex<Option<Library>>,
    /// That thread, once it runs.
    thread: Mutex<Option<Carrying>>,
    /// Compiles modules while the process is confined, if the job may start ranks from them.
    compiler: OnceLock<Compiler>,
    /// What is known of its ranks' calls, if the job is checked.
    check: Option<Arc<Check>>,
}

/// The programs of a node's ranks: digests of their names and arguments and of themselves, in their order. Where the names are those
/// of another node, the programs are, whatever machine that is.
#[derive(Clone, Copy, Debug)]
struct Runs {
    names: [u8; 16],
    programs: [u8; 16],
    commands: u16,
    is_wide: bool,
}

/// What a node runs of a job.
#[derive(Clone, Copy, Debug)]
struct Command {
    /// Which of the job's commands is its first.
    first: usize,
    /// The ranks of all nodes that follow one another and run the same.
    ranks: usize,
}

impl Runs {
    fn new(programs: &[Program], parts: &[Part]) -> Runs {
        let digest = |words: &mut dyn Iterator<Item = &[u8]>| {
            let (mut hasher, mut digest) = (blake3::Hasher::new(), [0; 16]);
            words.for_each(|word| _ = hasher.update(&(word.len() as u64).to_le_bytes()).update(word));
            hasher.finalize_xof().fill(&mut digest);
            digest
        };
        let words_of = |part: &Part| {
            let name = part.file().file_name().unwrap_or_default().as_encoded_bytes().to_vec();
            let arguments = part.arguments.iter().skip(1).map(|word| word.as_bytes().to_vec());
            std::iter::once(name).chain(arguments).chain([Vec::new()]).collect::<Vec<_>>()
        };
        let names: Vec<_> = parts.iter().flat_map(words_of).collect();
        Runs {
            names: digest(&mut names.iter().map(Vec::as_slice)),
            programs: digest(&mut programs.iter().map(|program| program.origin.digest.as_bytes())),
            commands: u16::try_from(programs.len()).unwrap_or(u16::MAX),
            is_wide: programs.iter().any(|program| program.width.is_wide),
        }
    }
}

/// The carrying thread, and how it is told what is to be done last.
type Carrying = (JoinHandle<Option<Ending>>, Sender<Last>);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How the ranks of a job of so many nodes are spread over them.
fn spread(node: usize, count: usize, settings: &Settings) -> Result<Spread> {
    ensure!(
        node < count,
        "the launcher's variables say that this is process {node}, counted from 0, of {count}; start it by an MPI library's launcher"
    );
    let even = || vec![settings.ranks; count];
    let counts = settings.by_node.clone().unwrap_or_else(even);
    let fits = counts
        .iter()
        .try_fold(0usize, |all, ranks| all.checked_add(*ranks))
        .is_some_and(|all| all <= i32::MAX as usize);
    ensure!(fits, "too many ranks");
    Ok(Spread::new(u32::try_from(node)?, settings.numbering, counts.iter().map(|&ranks| ranks as u32)))
}

/// How many processes of the job are on this host, as far as its launcher says.
fn neighbours() -> usize {
    let counts = ["MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"];
    counts.iter().find_map(|name| std::env::var(name).ok()?.parse().ok()).unwrap_or(1)
}

impl Nodes {
    /// Starts the ranks of this node once the library says that all nodes are there.
    fn start_ranks(
        &self,
        crew: &Arc<Crew<Nodes>>,
        is_ready: &Receiver<Result<Command, String>>,
        post: Option<Arc<Post>>,
    ) -> Result<()> {
        let command =
            is_ready.recv().context("the thread of the MPI library has ended")?.map_err(|why| anyhow!(why))?;
        let _ = self.command.set(command);
        post.map(Post::begin).transpose().context("can't start a thread for the view")?;
        match &self.carriers {
            Carriers::Threads(threads) => threads.start_all(|index| {
                let crew = crew.clone();
                move || crew.run_on_thread(role(&crew, index), crew.engine.seat(index), || Ok(rank(&crew, index)))
            }),
            Carriers::Fibers(fibers) => {
                let (carried, told) = (crew.clone(), Arc::downgrade(crew));
                let task = move |index| -> Task {
                    let crew = carried.clone();
                    Box::pin(async move {
                        crew.run_on_fiber(role(&crew, index), crew.engine.seat(index), || Ok(rank(&crew, index))).await;
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

    /// A rank of this process, counted from the first.
    fn seat(&self, index: usize) -> Seat {
        Seat { index, who: self.rank(index).into() }
    }

    /// The job has ended as nobody could go on.
    fn is_stuck(&self) -> bool {
        matches!(self.world.ended(), Some(End::Deadlock))
    }
}

impl Engine for Nodes {
    type Rank = Rank;

    const NAME: &'static str = "nodes";
    const HAS_ALL_RANKS: bool = false;
    const IS_BY_NODE: bool = true;

    fn admit(asked: &Asked<'_>) -> Result<(), String> {
        let Asked { program, options, .. } = asked;
        if let Some(why) = mpi::unshown(std::env::consts::ARCH) {
            return Err(format!("{why}: rankine run --engine local -n N {program} has all ranks in one process"));
        }
        let has = [
            "--mpi-lib",
            "--ranks-by-node",
            "--map-by",
            "--max-ranks",
            "--universe-size",
            "--view",
            "--record",
            "--check",
        ];
        let refused = options.iter().find(|option| !has.contains(option));
        refused.map_or(Ok(()), |option| Err(in_one_process(option, program)))
    }

    fn first_rank() -> usize {
        FIRST.get().copied().or_else(launched_rank).unwrap_or(0)
    }

    fn rank(&self, index: usize) -> usize {
        self.world.number(index) as usize
    }

    fn ranks(of_command: usize) -> Option<usize> {
        Some(of_command * launched_ranks().unwrap_or(1))
    }

    fn prepare() {
        // No memory is cleared: letters show nothing that was not written into them.
        prepare_for_library();
    }

    fn new(settings: &mut Settings, named: Option<&Path>) -> Result<Nodes> {
        settings.grants.keep_apart()?;
        let library = opened_by_library(|| library::find(named))?;
        tracing::info!("MPI library: {} ({}, from {})", library.version, library.path.display(), library.origin);
        let images = limits::check_mappings(settings.ranks)?;
        limits::raise_open_files();
        let (node, count) = (launched_rank().unwrap_or(0), launched_ranks().unwrap_or(1));
        let nodes = spread(node, count, settings)?;
        // They were chosen for a process of one rank.
        let is_alone = neighbours() == 1;
        settings.cores = settings
            .cores
            .take()
            .filter(|_| is_alone)
            .and_then(|_| Cores::of_all_ranks(settings.threads, settings.ranks));
        let _ = FIRST.set(nodes.first() as usize);
        // The thread that carries letters sleeps while a rank does.
        let threads = settings.ranks.saturating_mul(settings.threads);
        let spins = settings.placement == Placement::Threads && threads.saturating_mul(neighbours()) <= cores();
        let most = match settings.most_ranks {
            // Of all together, which node 0 counts: ranks that did not begin keep their room here, and count no longer.
            Some(_) if count > 1 => limits::most_ranks(images).max(settings.ranks),
            _ => spawn::most_ranks(settings, images),
        };
        let (carriers, world) = Carriers::of_nodes(settings, nodes, spins, most);
        match (&carriers, world.helpers()) {
            (Carriers::Fibers(fibers), Some(helpers)) => fibers.help(helpers),
            _ => world.let_ranks_help(),
        }
        let (library, thread) = (Mutex::new(Some(library)), Mutex::default());
        let check = settings.check.then(|| Check::new(&world));
        let (runs, command, compiler) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Ok(Nodes { carriers, world, images, runs, command, library, thread, compiler, check })
    }

    fn compiling(&self) -> module::Settings {
        module::Settings { images: self.images, ..module::Settings::default() }
    }

    fn loaded(&self, programs: &[Program], settings: &Settings) {
        let _ = self.runs.set(Runs::new(programs, &settings.parts));
    }

    fn needs(&self, programs: &[Program], settings: &Settings) -> Result<Needs> {
        let codes = programs.iter().map(|program| &program.code);
        let needs = confined::prepare(lock(&self.library).as_ref().context(ONCE)?, codes, settings)?;
        self.with_needs_of_spawning(needs, programs, settings)
    }

    fn define(linker: &mut Linker<Guest>, placement: Placement, module: &str, name: &str) -> wasmtime::Result<bool> {
        <Local as Engine>::define(linker, placement, module, name)
    }

    fn start(&self, crew: &Arc<Crew<Nodes>>) -> Result<()> {
        let library = lock(&self.library).take().context(ONCE)?;
        let (tell, told) = channel();
        let (ready, is_ready) = channel();
        let (world, remote, spins) = (self.world.clone(), crew.remote.clone(), self.world.has_spin());
        let has_debugger = crew.settings.breaks.is_some();
        let post = crew.settings.view.as_ref().and_then(|view| Post::new(view, &self.world));
        let names = Arc::downgrade(crew);
        let who = move |index| Some(names.upgrade()?.output.who(index));
        let (most, is_checked) = (crew.settings.most_ranks, self.check.is_some());
        let runs = *self.runs.get().context("a job of no program")?;
        let carry = move || {
            let brought = Brought { runs, spins, most, is_checked };
            carrier::run(library, &world, &remote, (brought, has_debugger), &ready, (&told, &who))
        };
        let thread = std::thread::Builder::new()
            .name("carrier".into())
            // The library works on this stack.
            .stack_size(call_stack() + 16 * HOST_STACK)
            .spawn(carry)
            .context("can't start a thread for the MPI library")?;
        *lock(&self.thread) = Some((thread, tell));
        self.world.start_by(Arc::new(Starter::new(crew)));
        let crew = crew.clone();
        // The library waits for all nodes, for ever if need be, and the job has to hear of signals meanwhile.
        let start = move || {
            if let Err(error) = crew.engine.start_ranks(&crew, &is_ready, post) {
                crew.remote.tell(Event::Over(Ending::Failed(format!("{error:#}"))));
            }
        };
        std::thread::Builder::new().name("start".into()).spawn(start).context("can't start a thread")?;
        Ok(())
    }

    fn waits(&self, index: usize, thread: Thread) {
        if let Carriers::Threads(threads) = &self.carriers {
            threads.waits(index, thread);
        }
    }

    /// Other nodes hear of it, unless all ranks here have come to their end.
    fn stop(&self) {
        if self.world.ranks().any(|rank| !self.world.has_exited(rank)) {
            self.world.end(End::Host);
        }
    }

    fn inquire(&self) {
        self.world.inquire();
    }

    fn observe(&self, who: Who, sites: &Arc<Sites>, symbols: &Arc<Symbols>) -> Option<Arc<Observer>> {
        self.check.as_ref().map(|check| check.observe(who, sites, symbols))
    }

    /// Of a job that has finished one node tells what all have found; of another each what it knows.
    fn found(&self, has_finished: bool) -> Option<Found> {
        let check = self.check.as_ref()?;
        if has_finished {
            self.linger();
        }
        let has_finished = has_finished && self.world.ended().is_none();
        let own = check.report(has_finished);
        if !has_finished {
            return (own.has_findings() || self.world.nodes().is_none_or(|nodes| nodes.node == 0)).then_some(own);
        }
        let (answer, is_answered) = channel();
        if let Some((_, tell)) = &*lock(&self.thread) {
            let _ = tell.send(Last::Found(own, answer));
        }
        is_answered.recv().ok().flatten()
    }

    /// One node tells of a deadlock of all.
    fn gather(&self, ending: Ending) -> Ending {
        let Ending::Deadlocked(deadlock) = ending else { return ending };
        let (answer, is_answered) = channel();
        let own = deadlock.clone();
        if let Some((_, tell)) = &*lock(&self.thread) {
            let _ = tell.send(Last::Report(deadlock, answer));
        }
        match is_answered.recv() {
            Ok(Some(all)) => Ending::Deadlocked(all),
            Ok(None) => Ending::Elsewhere(Ending::Deadlocked(own).status()),
            Err(_) => Ending::Deadlocked(own),
        }
    }

    fn linger(&self) {
        while !self.world.has_heard_all() && self.world.ended().is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn conclude(&self, ending: &Ending) -> Option<Ending> {
        let (thread, tell) = lock(&self.thread).take()?;
        if let Ending::Elsewhere(_) = ending
            && !self.is_stuck()
        {
            // Whoever knows why has not said it yet, perhaps, and ends this process then.
            std::thread::sleep(TO_END);
        }
        let last = match ending {
            Ending::Finished { .. } | Ending::Deadlocked(_) => Last::Finalize(ending.clone()),
            Ending::Elsewhere(_) if self.is_stuck() => Last::Finalize(ending.clone()),
            _ => Last::Abort(ending.status()),
        };
        if let Last::Abort(_) = last {
            quieten();
        }
        let _ = tell.send(last);
        match ending {
            // Others may compute as long as they like; a signal ends this process meanwhile.
            Ending::Finished { .. } => thread.join().ok().flatten(),
            _ if ends_within(&thread, TO_END) => None,
            _ => end_by_signal(),
        }
    }

    fn abandon() {
        quieten();
        end_by_signal();
    }
}

/// A library serves one job.
const ONCE: &str = "a process runs once";

impl Embeds for Nodes {
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

/// What a rank of this process runs, counted from the first.
fn role(crew: &Crew<Nodes>, index: usize) -> &Role<Rank> {
    &crew.roles[crew.settings.part_of(index)]
}

/// Makes it.
#[expect(clippy::arc_with_non_send_sync, reason = "threads of a rank look into it one at a time")]
fn rank(crew: &Crew<Nodes>, index: usize) -> Arc<Rank> {
    let (number, parts) = (crew.settings.part_of(index), &crew.settings.parts);
    let Part { arguments, ranks } = &parts[number];
    let of_node = Command { first: 0, ranks: *ranks };
    let Command { first, ranks: of_all } = crew.engine.command.get().copied().unwrap_or(of_node);
    // Of several, a node knows its own ranks.
    let of_command = if parts.len() == 1 { of_all } else { *ranks };
    let rank = Rank::new(crew.engine.world.clone(), index).of_command(first + number);
    spawn::tell_environment(&rank, of_command, arguments, None);
    Arc::new(rank)
}
