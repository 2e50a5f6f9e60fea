//! A job: the user's choices, an engine, and the ranks that it carries in this process, from start to end.

use std::path::Path;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::Result;
use rankine_local::away::Numbering;
use rankine_view::View;
use wasmtime::Linker;

use crate::guest::Guest;
pub(crate) use crate::guest::Placement;
use crate::guest::profile::Profile;
use crate::imports;
use crate::imports::math::Mathematics;
use crate::imports::math::library::Library;
use crate::module::signature::Demands;
use crate::module::threaded;
use crate::module::{Changes, Codegen, Program};
use crate::report::mistakes::Report;
use crate::report::output::Output;
use crate::run::coredump::Dumps;
use crate::run::crew::{Crew, Role};
use crate::run::ending::{Ending, Event, Remote, await_end};
use crate::run::engine::Engine;
use crate::run::width;
use rankine_rewrite::sites::Tell;
use rankine_system::debugger::Breaks;
use rankine_system::grants::Grants;
use rankine_system::placing::Cores;
pub(crate) use rankine_system::placing::cores;

impl Placement {
    /// Threads while each rank has a core of its own, fibers beyond.
    pub(crate) fn suited(ranks: usize) -> Placement {
        if ranks <= cores() { Placement::Threads } else { Placement::Fibers }
    }
}

/// One of a job's programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// How many ranks run it.
    pub(crate) ranks: usize,
    /// Its arguments, its own name first.
    pub(crate) arguments: Vec<String>,
}

impl Part {
    /// The file that it is in.
    pub(crate) fn file(&self) -> &Path {
        Path::new(&self.arguments[0])
    }
}

/// The choices for a job.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// How many ranks, those of all parts.
    pub(crate) ranks: usize,
    /// How many ranks each node has, where they are not as many everywhere; those of this one are `ranks`.
    pub(crate) by_node: Option<Vec<usize>>,
    /// In which order the ranks of nodes are numbered.
    #[cfg_attr(not(unix), expect(dead_code, reason = "no job there has several nodes"))]
    pub(crate) numbering: Numbering,
    /// How they run.
    pub(crate) placement: Placement,
    /// What they run, in the order of the ranks.
    pub(crate) parts: Vec<Part>,
    /// The guests' environment.
    pub(crate) environment: Vec<(String, String)>,
    /// Ranks are fibers, and this says which of those that could go on does so next.
    pub(crate) seed: Option<u64>,
    /// Threads of a rank that are to run at once, if its program can have several.
    pub(crate) threads: usize,
    /// The cores that each rank has to itself, if its program can have several threads.
    pub(crate) cores: Option<Cores>,
    /// The folders it may use.
    pub(crate) grants: Grants,
    /// Bytes that a rank may have: its guest's memories and tables, and what the host holds for it.
    pub(crate) memory_limit: Option<usize>,
    /// Ranks that the job may have, on all its nodes, those that its programs start included, if the user says so.
    pub(crate) most_ranks: Option<usize>,
    /// How many ranks programs are told that there is room for, if the user says so.
    pub(crate) universe: Option<usize>,
    /// How long the job may take, since it was started.
    pub(crate) timeout: Option<Duration>,
    /// When it was started.
    pub(crate) started: Instant,
    /// Prefix every line of output with its rank.
    pub(crate) label: bool,
    /// Report deadlocks.
    pub(crate) deadlock_check: bool,
    /// The process is confined to what the job needs.
    pub(crate) confine: bool,
    /// Where programs show what they publish.
    pub(crate) view: Option<Arc<View>>,
    /// Where calls of MPI are counted.
    pub(crate) profile: Option<Arc<Profile>>,
    /// Calls of MPI are checked.
    pub(crate) check: bool,
    /// The heaps of programs are watched.
    pub(crate) check_heap: bool,
    /// Where ranks that trap leave their memory.
    pub(crate) dumps: Option<Arc<Dumps>>,
    /// The ranks that wait for a debugger before they begin.
    pub(crate) breaks: Option<Arc<Breaks>>,
    /// What the code of programs is to be like; where the same bits are wanted, the engine keeps orders too.
    pub(crate) codegen: Codegen,
    /// A library in place of the host's own products and factorisations.
    pub(crate) blas: Option<Arc<Library>>,
    /// Whose signatures programs must have.
    pub(crate) demands: Demands,
    /// Programs that leave the null page alone have none.
    pub(crate) null_page: bool,
}

impl Settings {
    /// How many ranks the job begins with, in all its processes, if that is known before its engine is made.
    pub(crate) fn all_ranks<E: Engine>(&self) -> Option<usize> {
        self.by_node.as_ref().map_or_else(|| E::ranks(self.ranks), |counts| Some(counts.iter().sum()))
    }

    /// How its programs are changed.
    pub(crate) fn changes(&self) -> Changes {
        Changes { tell: self.tell(), heap: self.check_heap, null_page: self.null_page }
    }

    /// What the programs of the job tell.
    fn tell(&self) -> Option<Tell> {
        match &self.profile {
            _ if self.check => Some(Tell::Words),
            profile => profile.as_ref().map(|_| Tell::Payloads),
        }
    }

    /// Who does mathematics for guests.
    pub(crate) fn mathematics(&self) -> Mathematics {
        match &self.blas {
            _ if self.codegen.reproducible => Mathematics::Guest,
            Some(library) => Mathematics::Library(library.clone()),
            None => Mathematics::Host,
        }
    }
}

impl Default for Settings {
    /// A job of no program that is granted nothing and may take what it likes.
    fn default() -> Settings {
        Settings {
            ranks: 0,
            by_node: None,
            numbering: Numbering::default(),
            placement: Placement::Threads,
            parts: Vec::new(),
            environment: Vec::new(),
            seed: None,
            threads: 1,
            cores: None,
            grants: Grants::default(),
            memory_limit: None,
            most_ranks: None,
            universe: None,
            timeout: None,
            started: Instant::now(),
            label: false,
            deadlock_check: true,
            confine: false,
            view: None,
            profile: None,
            check: false,
            check_heap: false,
            dumps: None,
            breaks: None,
            codegen: Codegen::default(),
            blas: None,
            demands: Demands::default(),
            null_page: false,
        }
    }
}

impl Settings {
    /// Which of the parts a rank belongs to.
    pub(crate) fn part_of(&self, rank: usize) -> usize {
        let mut end = 0;
        let ends = self.parts.iter().map(|part| {
            end += part.ranks;
            end
        });
        ends.take_while(|&end| end <= rank).count()
    }

    /// Gives each rank of a program with threads a thread of the system, however many ranks there are: fibers have one
    /// thread each.
    pub(crate) fn suit_threads(&mut self) {
        if self.placement == Placement::Fibers && self.parts.iter().any(|part| threaded::are_in(part.file())) {
            self.placement = Placement::Threads;
        }
    }

    /// Threads that a rank may have beside its main one: several for each core of its own, and enough for programs whose
    /// threads wait for one another.
    pub(crate) fn most_threads(&self) -> usize {
        self.threads.saturating_mul(4).clamp(64, 4096)
    }

    /// What a program with threads learns of the machine, unless the user says otherwise.
    pub(crate) fn of_threads(&self) -> Vec<(String, String)> {
        let names = ["OMP_NUM_THREADS", "RANKINE_PROCESSORS"];
        let unset = names.into_iter().filter(|name| self.environment.iter().all(|(known, _)| known != name));
        unset.map(|name| (name.into(), self.threads.to_string())).collect()
    }
}

/// A job that is ready to start.
pub(crate) struct Job<E: Engine> {
    crew: Arc<Crew<E>>,
    events: Receiver<Event>,
}

impl<E: Engine> Job<E> {
    /// Makes a job of programs, one for each part: refuses what could not work, and starts nothing yet.
    pub(crate) fn new(engine: E, programs: &[Program], settings: Settings) -> Result<Job<E>> {
        let placement = settings.placement;
        Job::with(engine, programs, settings, |linker, module, name| E::define(linker, placement, module, name))
    }

    /// Makes a job whose functions of MPI are those that `define` registers.
    fn with(
        engine: E,
        programs: &[Program],
        settings: Settings,
        define: impl Fn(&mut Linker<Guest<E::Rank>>, &str, &str) -> wasmtime::Result<bool>,
    ) -> Result<Job<E>> {
        for (program, part) in programs.iter().zip(&settings.parts) {
            width::check(&program.width, part.file(), &programs[0].width)?;
        }
        let role = |(Program { code, symbols, key, sites, is_guarded, width, instance, engines, .. }, part): (
            &Program,
            &Part,
        )| {
            let program = imports::resolve(code, part.file(), settings.placement, &settings.mathematics(), &define)?;
            let (symbols, arguments) = (symbols.clone(), part.arguments.clone());
            let (sites, key, grants) = (sites.clone(), key.clone(), settings.grants.clone());
            let (is_guarded, width, instance) = (*is_guarded, width.clone(), *instance);
            let engines = engines.clone();
            Ok(Role { program, symbols, sites, is_guarded, width, instance, engines, arguments, key, grants })
        };
        let roles = programs.iter().zip(&settings.parts).map(role).collect::<Result<_>>()?;
        let (remote, events) = Remote::new();
        let closed = remote.clone();
        let ranks = (0..settings.ranks).map(|index| engine.rank(index).into());
        let output = Output::inherit(ranks, settings.label, move || closed.tell(Event::OutputClosed));
        let crew = Crew { engine, settings, roles, output, remote, ended: Mutex::default(), stages: Mutex::default() };
        Ok(Job { crew: Arc::new(crew), events })
    }

    /// A way to tell the job about its surroundings while it runs.
    pub(crate) fn remote(&self) -> Remote {
        self.crew.remote.clone()
    }

    /// The output of its ranks.
    pub(crate) fn output(&self) -> &Arc<Output> {
        &self.crew.output
    }

    /// Runs it to its end. Ranks that compute when the job ends early stay behind on their threads (see the crate's
    /// head).
    pub(crate) fn run(&self) -> Ending {
        let engine = &self.crew.engine;
        if let Err(error) = engine.start(&self.crew) {
            return Ending::Failed(format!("{error:#}"));
        }
        let settings = &self.crew.settings;
        let ranks = (0..settings.ranks).map(|index| engine.rank(index).into());
        let mut ending = await_end(settings, ranks, &self.events, &*self.crew);
        // Who checks the program knows more of them, and says it.
        if let Ending::Finished { unfinalized, unreceived, .. } = &mut ending
            && unfinalized.is_empty()
            && !settings.check
        {
            let who = |rank| self.crew.output.who(rank);
            unreceived
                .extend(engine.unreceived().iter().map(|(rank, what)| format!("{} never received {what}", who(*rank))));
        }
        engine.gather(ending)
    }

    /// What a check of it has found until it ended so, if it is checked.
    pub(crate) fn found(&self, ending: &Ending) -> Option<Report> {
        self.crew.engine.found(matches!(ending, Ending::Finished { .. }))
    }

    /// Waits for what ranks of other processes show until a job that has ended so here is over there, too.
    pub(crate) fn linger(&self, ending: &Ending) {
        if let Ending::Finished { .. } = ending {
            self.crew.engine.linger();
        }
    }

    /// All has been said of the ending: processes that the job has elsewhere are told. What is to be said of their end.
    pub(crate) fn conclude(&self, ending: &Ending) -> Option<Ending> {
        self.crew.engine.conclude(ending)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::engine::Rank as _;
    use crate::engine::local::{Guest, Local};
    use crate::module;
    use crate::module::symbols::Symbols;
    use wasmtime::{Caller, Module};

    /// Rank 1 asks for the version; all others wait for it.
    const PROGRAM: &str = r#"(module
        (import "mpi" "MPI_Init" (func $init (param i32 i32) (result i32)))
        (import "mpi" "MPI_Comm_rank" (func $rank (param i32 i32) (result i32)))
        (import "mpi" "MPI_Barrier" (func $barrier (param i32) (result i32)))
        (import "mpi" "MPI_Get_version" (func $version (param i32 i32) (result i32)))
        (memory (export "memory") 1)
        (func (export "_start")
            (drop (call $init (i32.const 0) (i32.const 0)))
            (drop (call $rank (i32.const 0x101) (i32.const 64)))
            (if (i32.eq (i32.load (i32.const 64)) (i32.const 1))
                (then (drop (call $version (i32.const 64) (i32.const 68)))))
            (drop (call $barrier (i32.const 0x101)))))"#;

    /// Runs a program in the text format, with functions of MPI as `define` has them.
    pub(crate) fn run(
        program: &str,
        ranks: usize,
        placement: Placement,
        define: impl Fn(&mut Linker<Guest>, &str, &str) -> wasmtime::Result<bool>,
    ) -> Ending {
        let engine = module::engine(module::Settings::default()).unwrap();
        let code = Module::new(&engine, program).unwrap();
        let program = Program {
            code,
            symbols: Arc::new(Symbols::default()),
            key: String::new(),
            sites: None,
            is_guarded: false,
            width: module::width::Width::default(),
            instance: 0,
            engines: Arc::new(module::Engines::new(module::Settings::default()).unwrap()),
            origin: module::Origin::default(),
        };
        let mut settings = Settings {
            ranks,
            placement,
            parts: vec![Part { ranks, arguments: vec!["program".into()] }],
            most_ranks: Some(ranks),
            universe: Some(ranks),
            timeout: Some(Duration::from_secs(60)),
            ..Settings::default()
        };
        let engine = Local::new(&mut settings, None).unwrap();
        Job::with(engine, &[program], settings, define).unwrap().run()
    }

    #[test]
    fn a_panic_of_the_host_ends_the_job_in_words() {
        for placement in [Placement::Threads, Placement::Fibers] {
            let ending = run(PROGRAM, 4, placement, |linker, module, name| {
                if name != "MPI_Get_version" {
                    return Local::define(linker, placement, module, name);
                }
                linker.func_wrap(module, name, |caller: Caller<'_, Guest>, _: i32, _: i32| -> i32 {
                    caller.data().rank().set_call("MPI_Get_version");
                    panic!("this is what the test is about");
                })?;
                Ok(true)
            });
            assert_eq!(ending.status(), 1);
            let Ending::Failed(text) = ending else { panic!("{ending:?}") };
            assert!(text.starts_with("rank 1: this is a bug of Rankine in or after MPI_Get_version"), "{text}");
        }
    }
}
