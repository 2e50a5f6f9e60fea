//! Starting more ranks: a module beneath a folder that the program may use, on threads or fibers as the first ranks have.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use anyhow::Result;
use rankine_abi::{Function, MPI_ERR_SPAWN, Mark};
use rankine_guest::quota::{Account, Charge, Cost};
use rankine_guest::{Error, Who};
use rankine_local::io::Storage;
use rankine_local::spawn::{Birth, Order, Ready, Room, Set, Start};
use rankine_local::{Rank, World};

use super::compiler::Compiler;
use super::threads::Gate;
use super::{Carriers, Local, files::Files};
use crate::engine::Engine;
use crate::imports;
use crate::imports::threads::Linked;
use crate::module::cache::Cache;
use crate::module::symbols::Symbols;
use crate::module::width::Width;
use crate::module::{self, Program, Source};
use crate::run::crew::{Crew, Role, Seat};
use crate::run::ending::Event;
use crate::run::job::{Settings, cores};
use crate::run::width::mixed;
use rankine_rewrite::sites::Sites;
use rankine_system::confine::{self, Needs};
use rankine_system::files;
use rankine_system::grants::Grants;
use rankine_system::limits;

/// So many times its bytes a module takes while it is read and compiled, and afterwards: itself, its code, its names.
const BINARY: usize = 3;
/// So many times its bytes a module's text takes, which becomes words first.
const TEXT: usize = 64;
/// What errors call them.
const WHAT: Cost = Cost::Modules;

/// Whether a program can start ranks: it names a function that does, and there is a folder in which modules lie.
fn is_possible(program: &Program, settings: &Settings) -> bool {
    let starts = |name: &str| Function::of_import(name).is_some_and(|function| function.is(Mark::Spawns));
    let mut imports = program.code.imports();
    !settings.grants.is_empty() && imports.any(|import| import.module() == rankine_abi::MODULE && starts(import.name()))
}

/// An engine whose ranks are the embedded engine's, of which it can start more.
pub(in crate::engine) trait Embeds: Engine<Rank = Rank> {
    fn carriers(&self) -> &Carriers;

    fn world(&self) -> &Arc<World>;

    /// What compiles modules while the process is confined, if it may start ranks from them.
    fn compiler(&self) -> &OnceLock<Compiler>;

    /// What the process needs to start ranks beside what it needs anyway. The compiler is a process that begins here.
    fn with_needs_of_spawning(&self, needs: Needs, programs: &[Program], settings: &Settings) -> Result<Needs> {
        let Some(program) = programs.iter().find(|program| is_possible(program, settings)) else {
            return Ok(needs);
        };
        // Without a wall they are compiled by this process.
        if !confine::EXISTS {
            return Ok(needs);
        }
        let _ = self.compiler().set(Compiler::start(&program.engines, settings.memory_limit)?);
        // What is interpreted is never made executable.
        Ok(if program.code.engine().is_pulley() { needs } else { needs.with_code() })
    }
}

/// A program of which ranks can be made.
#[derive(Clone)]
struct Loaded {
    program: Linked<Rank>,
    symbols: Arc<Symbols>,
    sites: Option<Arc<Sites>>,
    is_guarded: bool,
    width: Width,
    instance: usize,
    /// What it takes, of the memory of the rank that wanted it first.
    _charge: Arc<Charge>,
}

/// Starts ranks of a job.
pub(in crate::engine) struct Starter<E: Embeds> {
    /// It is the crew's engine that keeps this.
    crew: Weak<Crew<E>>,
    /// What ranks run, by what it is known by.
    loaded: Mutex<HashMap<String, Loaded>>,
}

impl<E: Embeds> Starter<E> {
    pub(in crate::engine) fn new(crew: &Arc<Crew<E>>) -> Starter<E> {
        let loaded = |Role { program, symbols, sites, is_guarded, width, instance, key, .. }: &Role<Rank>| {
            let (program, symbols, sites) = (program.clone(), symbols.clone(), sites.clone());
            let (is_guarded, width, instance) = (*is_guarded, width.clone(), *instance);
            (key.clone(), Loaded { program, symbols, sites, is_guarded, width, instance, _charge: Arc::default() })
        };
        Starter { crew: Arc::downgrade(crew), loaded: Mutex::new(crew.roles.iter().map(loaded).collect()) }
    }

    /// What a command's ranks run.
    fn role(&self, crew: &Crew<E>, order: &Order, account: &Arc<Account>) -> rankine_guest::Result<Role<Rank>> {
        let Order { name, arguments, folder, .. } = order;
        let failed = |why: &str| Error::new(MPI_ERR_SPAWN, format!("command: the module \"{name}\": {why}"));
        let grants = begun_in(&crew.settings.grants, folder.as_deref())?;
        let file = self.open(crew, order)?;
        let length = file.metadata().map_err(|error| failed(&error.to_string()))?.len();
        if length > module::LONGEST {
            return Err(failed(&io::Error::from(io::ErrorKind::FileTooLarge).to_string()));
        }
        let times = if name.ends_with(".wat") { TEXT } else { BINARY };
        let charge = account.charge(length as usize * times, WHAT)?;
        let read = || -> io::Result<Vec<u8>> {
            let mut bytes = Vec::new();
            // What is written to it from now on is not charged.
            file.take(length).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let bytes = read().map_err(|error| failed(&error.to_string()))?;
        let (key, loaded) = self.load(crew, name, bytes, charge).map_err(|error| failed(&format!("{error:#}")))?;
        let arguments = [std::slice::from_ref(name), arguments].concat();
        let Loaded { program, symbols, sites, is_guarded, width, instance, .. } = loaded;
        if width.is_wide != crew.roles[0].width.is_wide {
            return Err(failed(&mixed(width.is_wide)));
        }
        let engines = crew.roles[0].engines.clone();
        Ok(Role { program, symbols, sites, is_guarded, width, instance, engines, arguments, key, grants })
    }

    /// The file of a command's module: the first that is there.
    fn open(&self, crew: &Crew<E>, order: &Order) -> rankine_guest::Result<File> {
        let open = |name: &String| {
            let failed = |error| Error::new(MPI_ERR_SPAWN, format!("command: the module \"{name}\": {error}"));
            files::to_read(&crew.settings.grants, name)?.map_err(failed)
        };
        let (itself, along_the_path) = order.places.split_last().expect("a command has a name");
        match along_the_path.iter().find_map(|name| open(name).ok()) {
            Some(file) => Ok(file),
            None => open(itself),
        }
    }

    /// The program in a file, which is compiled once in a job.
    fn load(&self, crew: &Crew<E>, name: &str, bytes: Vec<u8>, charge: Charge) -> Result<(String, Loaded)> {
        let path = Path::new(name);
        crew.settings.demands.check(&bytes, path)?;
        let engines = &crew.roles[0].engines;
        let source = Source::new(engines, path, module::translate(path, bytes)?, crew.settings.changes())?;
        let engine = engines.of(&source.binary)?;
        let key = Cache::key(engine, &source.binary);
        if let Some(loaded) = self.loaded.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok((key, loaded.clone()));
        }
        let code = match crew.engine.compiler().get() {
            Some(compiler) => compiler.compile(engine, name, &source.binary)?,
            None => module::compile(engine, path, &source.binary, &key)?,
        };
        let Program { code, symbols, key, sites, is_guarded, width, instance, .. } =
            Program::new(code, key, path, source, engines.clone())?;
        let placement = crew.settings.placement;
        let program =
            imports::resolve(&code, path, placement, &crew.settings.mathematics(), |linker, module, name| {
                Local::define(linker, placement, module, name)
            })?;
        let loaded = Loaded { program, symbols, sites, is_guarded, width, instance, _charge: Arc::new(charge) };
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone(), loaded.clone());
        Ok((key, loaded))
    }
}

impl<E: Embeds + 'static> Start for Starter<E> {
    fn prepare(&self, orders: &[&Order], account: &Arc<Account>) -> rankine_guest::Result<Box<dyn Ready>> {
        let Some(crew) = self.crew.upgrade() else { return Err(Error::new(MPI_ERR_SPAWN, "the job has ended")) };
        let cast = |order: &&Order| {
            let role = Arc::new(self.role(&crew, order, account)?);
            let beginning = order.folder.clone().map(|folder| (folder, Files::beneath(&role.grants)));
            Ok(Cast { role, beginning, command: order.number })
        };
        let casts = orders.iter().map(cast).collect::<rankine_guest::Result<_>>()?;
        Ok(Box::new(Company { crew, casts }))
    }
}

/// What may be used by ranks that begin in a folder, or where the first ranks have.
fn begun_in(grants: &Grants, folder: Option<&str>) -> rankine_guest::Result<Grants> {
    let Some(name) = folder else { return Ok(grants.clone()) };
    let failed = |error: &str| Error::new(MPI_ERR_SPAWN, format!("info: wdir is \"{name}\": {error}"));
    let (grant, folder) = files::folder(grants, name).map_err(|error| failed(&error.text))?;
    grants.begun_in(grant, folder).map_err(|error| failed(&error.to_string()))
}

/// What the ranks of a command are to be.
#[derive(Clone)]
struct Cast {
    role: Arc<Role<Rank>>,
    /// The folder in which they begin, and the files that they have there.
    beginning: Option<(String, Arc<dyn Storage>)>,
    /// Which command starts them.
    command: usize,
}

/// What the commands of a call are to run.
struct Company<E: Embeds> {
    crew: Arc<Crew<E>>,
    casts: Vec<Cast>,
}

/// Ranks without which the job does not end. If it is dropped before they begin, it does.
struct Expected<E: Embeds> {
    crew: Arc<Crew<E>>,
    ranks: usize,
}

impl<E: Embeds> Expected<E> {
    fn new(crew: &Arc<Crew<E>>, ranks: usize) -> Expected<E> {
        crew.remote.tell(Event::Expected(ranks));
        if let Carriers::Fibers(fibers) = crew.engine.carriers() {
            fibers.expect(ranks);
        }
        Expected { crew: crew.clone(), ranks }
    }

    /// These are they.
    fn begin(mut self, everybody: Vec<Who>) {
        self.ranks = 0;
        self.crew.remote.tell(Event::Started(everybody));
    }
}

impl<E: Embeds> Drop for Expected<E> {
    fn drop(&mut self) {
        if self.ranks > 0 {
            self.crew.remote.tell(Event::Forgone(self.ranks));
            if let Carriers::Fibers(fibers) = self.crew.engine.carriers() {
                fibers.forgo(self.ranks);
            }
        }
    }
}

/// A rank that is to be started.
struct Child<E: Embeds> {
    crew: Arc<Crew<E>>,
    cast: Cast,
    index: usize,
}

impl<E: Embeds> Child<E> {
    fn seat(&self, birth: &Birth) -> Seat {
        let number = self.crew.engine.world().number(self.index);
        Seat { index: self.index, who: birth.who(number as usize) }
    }

    #[expect(clippy::arc_with_non_send_sync, reason = "threads of a rank look into it one at a time")]
    fn make(&self, birth: &Birth) -> Result<Arc<Rank>> {
        let world = self.crew.engine.world().clone();
        let rank = Rank::spawned(world, self.index, birth, self.cast.command);
        let rank = rank.map_err(|error| anyhow::anyhow!("{}", error.text))?;
        let folder = self.cast.beginning.as_ref().map(|(folder, _)| folder.as_str());
        tell_environment(&rank, birth.size(), &self.cast.role.arguments, folder);
        if let Some((folder, files)) = self.cast.beginning.clone() {
            rank.begin_in(folder, files);
        }
        Ok(Arc::new(rank))
    }
}

/// Ranks that stand ready. They leave their room before the job hears that it need not wait for them.
struct Standing<E: Embeds> {
    gate: Option<Gate<Arc<Birth>>>,
    room: Room,
    expected: Expected<E>,
    casts: Vec<Cast>,
    /// The ranks of each cast.
    ranks: Vec<Range<usize>>,
}

/// Each cast's ranks behind those of the one before.
fn ranges(counts: &[usize], mut next: usize) -> Vec<Range<usize>> {
    let range = |&count: &usize| {
        next += count;
        next - count..next
    };
    counts.iter().map(range).collect()
}

/// The rank that has this place, one of these of the casts.
fn child<E: Embeds>(crew: &Arc<Crew<E>>, casts: &[Cast], ranks: &[Range<usize>], index: usize) -> Child<E> {
    let cast = ranks.iter().position(|range| range.contains(&index)).unwrap_or_default();
    Child { crew: crew.clone(), cast: casts[cast].clone(), index }
}

impl<E: Embeds + 'static> Ready for Company<E> {
    fn muster(
        self: Box<Self>,
        counts: &[usize],
        room: &mut dyn FnMut() -> rankine_guest::Result<Room>,
    ) -> rankine_guest::Result<Box<dyn Set>> {
        let Company { crew, casts } = *self;
        let total: usize = counts.iter().sum();
        let expected = Expected::new(&crew, total);
        let room = room()?;
        let all = room.first()..room.first() + total;
        let ranks = ranges(counts, all.start);
        if all.end > cores() {
            crew.engine.world().set_spin(false);
        }
        let gate = match crew.engine.carriers() {
            Carriers::Threads(threads) => {
                let run = |index| {
                    let child = child(&crew, &casts, &ranks, index);
                    move |birth: Arc<Birth>| {
                        child.crew.run_on_thread(&child.cast.role, child.seat(&birth), || child.make(&birth));
                    }
                };
                Some(threads.muster(all, run).map_err(|error| Error::new(MPI_ERR_SPAWN, format!("{error:#}")))?)
            }
            Carriers::Fibers(_) => None,
        };
        Ok(Box::new(Standing { gate, room, expected, casts, ranks }))
    }
}

impl<E: Embeds + 'static> Set for Standing<E> {
    fn begin(self: Box<Self>, birth: &Arc<Birth>) {
        let Standing { gate, room, expected, casts, ranks } = *self;
        let crew = expected.crew.clone();
        let all = room.first()..ranks.last().map_or(0, |range| range.end);
        let who = |index: usize| birth.who(crew.engine.world().number(index) as usize);
        crew.output.introduce(all.clone(), who);
        room.taken();
        expected.begin(all.clone().map(who).collect());
        match (gate, crew.engine.carriers()) {
            (Some(gate), _) => gate.open(birth.clone()),
            (None, Carriers::Fibers(fibers)) => {
                let task = |index| -> rankine_local::Task {
                    let (child, birth) = (child(&crew, &casts, &ranks, index), birth.clone());
                    Box::pin(async move {
                        let seat = child.seat(&birth);
                        child.crew.run_on_fiber(&child.cast.role, seat, || child.make(&birth)).await;
                    })
                };
                // The workers that are there run all the same.
                let _ = fibers.start_more(all, task);
            }
            (None, Carriers::Threads(_)) => {}
        }
    }
}

/// Tells a rank how its program was started (`MPI_INFO_ENV`).
pub(in crate::engine) fn tell_environment(rank: &Rank, ranks: usize, arguments: &[String], folder: Option<&str>) {
    let (command, arguments) = arguments.split_first().map_or(("", &[][..]), |(name, rest)| (name.as_str(), rest));
    let (arguments, ranks) = (arguments.join(" "), ranks.to_string());
    let pairs = [
        ("command", command),
        ("argv", &arguments),
        ("maxprocs", &ranks),
        ("arch", "wasm32"),
        ("thread_level", "MPI_THREAD_MULTIPLE"),
    ];
    rank.set_environment(pairs.into_iter().chain(folder.map(|folder| ("wdir", folder))));
}

/// Ranks that programs may start, unless the user says otherwise.
const MORE_RANKS: usize = 1024;

/// The ranks that a job may have here: as many as are wanted, and the machine can carry.
pub(in crate::engine) fn most_ranks(settings: &Settings, images: bool) -> usize {
    let wanted = settings.most_ranks.unwrap_or(settings.ranks.saturating_add(MORE_RANKS));
    wanted.min(limits::most_ranks(images)).max(settings.ranks)
}
