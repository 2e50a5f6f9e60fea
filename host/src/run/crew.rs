//! The ranks of a job that this process carries: a store for each, run until its program ends.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::Poll;
use std::thread::Thread;

use anyhow::{Context as _, Result, anyhow};
use rankine_guest::{Cost, Phase, Who};
use wasmtime::{Instance, InstancePre, Store, TypedFunc, format_err};
use wasmtime_wasi::p1::WasiP1Ctx;
use wasmtime_wasi::{FsPerms, WasiCtxBuilder};

use crate::guest::files::Files;
use crate::guest::heap;
use crate::guest::null_page;
use crate::guest::pages;
use crate::guest::python::Interpreter;
use crate::guest::stage::{Seen, Stage};
use crate::guest::team::{Carry, Ended, Parts, Team, Wakes};
use crate::guest::thrown::Thrown;
use crate::guest::told::{self, Ear};
use crate::guest::{Guest, Rank};
use crate::imports::threads::Linked;
use crate::module::Engines;
use crate::module::symbols::Symbols;
use crate::module::width::Width;
use crate::report::output::{Output, Stream};
use crate::run::ending::{End, Event, Remote, Watched, classify, is_trap};
use crate::run::engine::Engine;
use crate::run::job::{Placement, Settings};
use rankine_rewrite::sites::Sites;
use rankine_system::grants::{Access, Grants};

/// What ranks run: a program, and how it is called.
pub(crate) struct Role<R: Rank> {
    pub(crate) program: Linked<R>,
    pub(crate) symbols: Arc<Symbols>,
    /// Where it calls MPI, if that is measured.
    pub(crate) sites: Option<Arc<Sites>>,
    /// Whether its code is guarded: the null page is taken from the memories of its ranks.
    pub(crate) is_guarded: bool,
    /// Whether its addresses have 64 bits, and so the words that its ranks have in their memories.
    pub(crate) width: Width,
    /// What each of its instances takes of the host's memory.
    pub(crate) instance: usize,
    /// Those of its job.
    pub(crate) engines: Arc<Engines>,
    /// The guest's arguments, its own name first.
    pub(crate) arguments: Vec<String>,
    /// What the program is known by.
    pub(crate) key: String,
    /// The folders that its ranks may use.
    pub(crate) grants: Grants,
}

/// A rank that is to run.
#[derive(Copy, Clone)]
pub(crate) struct Seat {
    /// Its number among the ranks of this process, from 0.
    pub(crate) index: usize,
    /// Which rank it is, for those who watch.
    pub(crate) who: Who,
}

/// What all ranks of a job start from.
pub(crate) struct Crew<E: Engine> {
    pub(crate) engine: E,
    pub(crate) settings: Settings,
    /// What the ranks run that the job begins with: a role for each part of the settings.
    pub(crate) roles: Vec<Role<E::Rank>>,
    pub(crate) output: Arc<Output>,
    pub(crate) remote: Remote,
    /// Stores of ranks that have ended: peers, or an MPI library, may still copy from and to their memories.
    pub(crate) ended: Stores<E::Rank>,
    /// Where its ranks are that have not ended.
    pub(crate) stages: Mutex<BTreeMap<Who, Arc<Stage>>>,
}

type Stores<R> = Mutex<Vec<Store<Guest<R>>>>;

/// What the instances of a rank are made from, and its store.
type Ready<R> = (InstancePre<Guest<R>>, Store<Guest<R>>);

/// What came of a rank's program; nothing if the host panicked.
type Outcome = Option<wasmtime::Result<()>>;

/// The store of a rank. However the rank ends, also by a panic, the store is kept among those that have ended.
struct Kept<'a, R: Rank> {
    ended: &'a Stores<R>,
    store: Option<Store<Guest<R>>>,
}

impl<'a, R: Rank> Kept<'a, R> {
    fn new(ended: &'a Stores<R>, store: Store<Guest<R>>) -> Self {
        Kept { ended, store: Some(store) }
    }

    fn store(&mut self) -> &mut Store<Guest<R>> {
        self.store.as_mut().expect("it is taken when this is dropped")
    }

    fn stage(&mut self) -> Arc<Stage> {
        self.store().data().stage.clone()
    }
}

impl<R: Rank> Drop for Kept<'_, R> {
    fn drop(&mut self) {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).extend(self.store.take());
    }
}

impl<E: Engine> Crew<E> {
    /// Runs a rank that has a thread to itself: the one that `make` makes.
    pub(crate) fn run_on_thread(
        self: &Arc<Self>,
        role: &Role<E::Rank>,
        seat: Seat,
        make: impl FnOnce() -> Result<Arc<E::Rank>>,
    ) {
        let run = || {
            let outcome = self.start(role, seat, make).map(|(program, store)| {
                let mut kept = Kept::new(&self.ended, store);
                let stage = kept.stage();
                let run = || {
                    let instance = program.instantiate(kept.store())?;
                    let outcome = entry(kept.store(), &instance)?.call(kept.store(), ());
                    outcome.map_err(|error| match Thrown::take(&error, kept.store(), &instance) {
                        Some(thrown) => error.context(thrown.in_words(kept.store())),
                        None => null_page::explain(error, kept.store(), &instance),
                    })
                };
                let outcome = stage.run(|| catch_unwind(AssertUnwindSafe(run)).ok());
                (kept, outcome)
            });
            self.finish(role, seat, outcome);
        };
        if catch_unwind(AssertUnwindSafe(run)).is_err() {
            self.panicked(seat.who, "");
        }
    }

    /// Runs a rank as a fiber.
    pub(crate) async fn run_on_fiber(
        self: &Arc<Self>,
        role: &Role<E::Rank>,
        seat: Seat,
        make: impl FnOnce() -> Result<Arc<E::Rank>>,
    ) {
        let outcome = match self.start(role, seat, make) {
            Err(error) => Err(error),
            Ok((program, store)) => {
                let mut kept = Kept::new(&self.ended, store);
                let outcome = {
                    let stage = kept.stage();
                    let mut call = pin!(call(&program, kept.store()));
                    poll_fn(|cx| match stage.run(|| catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(cx)))) {
                        Ok(polled) => polled.map(Some),
                        Err(_) => Poll::Ready(None),
                    })
                    .await
                };
                Ok((kept, outcome))
            }
        };
        self.finish(role, seat, outcome);
    }

    /// Who listens to a rank of a job, if anybody does.
    fn ear(&self, role: &Role<E::Rank>, Seat { index, who }: Seat) -> Option<Ear<E::Rank>> {
        let (sites, symbols) = (role.sites.as_ref()?, &role.symbols);
        match &self.settings.profile {
            _ if self.settings.check => self.engine.observe(who, sites, symbols).map(Ear::Check),
            profile => profile.as_ref().map(|profile| Ear::Profile(profile.record(who, index, sites, symbols))),
        }
    }

    /// What a rank's instances are made from, and its store, before its module is instantiated.
    fn start(
        self: &Arc<Self>,
        role: &Role<E::Rank>,
        seat: Seat,
        make: impl FnOnce() -> Result<Arc<E::Rank>>,
    ) -> Result<Ready<E::Rank>> {
        if let Some(breaks) = &self.settings.breaks {
            breaks.wait(seat.who)?;
        }
        let rank = make()?;
        let charge = rank.account().charge(role.instance, Cost::Instances);
        let charge = charge.map_err(|error| anyhow!("the program can't be instantiated: {}", error.text))?;
        let memory = role.program.memory(rank.account())?;
        if let (Some(cores), Some(_)) = (&self.settings.cores, &memory) {
            cores.take(seat.index, seat.who);
        }
        let wasi = || wasi(&self.settings, role, memory.is_some(), seat.index, &self.output);
        let says_itself = Interpreter::is(role.program.module());
        let files = Files::new(&role.grants, &self.output, rank.account(), seat.who, says_itself);
        let Settings { placement, view, .. } = &self.settings;
        let ear = self.ear(role, seat);
        let (remote, who) = (self.remote.clone(), seat.who);
        let tell = move |waiting, place| remote.tell(Event::Waits { who, waiting, place });
        let stage = Stage::new(role.program.module(), &role.symbols, tell);
        let (shown, listens) = (view.as_ref(), ear.clone());
        let mut guest = Guest::new(rank.clone(), *placement, wasi()?, files.clone(), shown, listens, stage.clone());
        guest.keep_charged(charge);
        if role.is_guarded {
            guest.leave_null_page();
        }
        if role.width.is_wide {
            guest.widen();
        }
        if role.width.is_large {
            rank.account().enlarge(rankine_system::footprint::total().unwrap_or(0));
        }
        let lowest = guest.lowest();
        if self.settings.check_heap {
            guest.watch_heap();
        }
        let (objects, publisher) = (guest.objects().clone(), guest.publisher().cloned());
        let mut store = Store::new(role.program.module().engine(), guest);
        store.limiter(|guest| &mut guest.limits);
        self.stages().insert(seat.who, stage.clone());
        let program = role.program.for_rank(&mut store, memory.as_ref()).map_err(|error| anyhow!("{error:#}"))?;
        if let Some(memory) = &memory {
            let (symbols, file) = (role.symbols.clone(), role.arguments[0].clone());
            let carrier = Carrier { crew: Arc::downgrade(self), file, symbols, seat };
            store.data_mut().join(Team::new(Parts {
                who: seat.who,
                rank,
                objects,
                program: program.clone(),
                memory: memory.clone(),
                instance: role.instance,
                lowest,
                wasi: wasi()?,
                files,
                stage,
                ear,
                publisher,
                most: self.settings.most_threads(),
                carrier: Box::new(carrier),
            }));
        }
        Ok((program, store))
    }

    fn stages(&self) -> MutexGuard<'_, BTreeMap<Who, Arc<Stage>>> {
        self.stages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the job how the rank ended, and keeps its memory.
    fn finish(&self, role: &Role<E::Rank>, seat: Seat, outcome: Result<(Kept<'_, E::Rank>, Outcome)>) {
        let end = match outcome {
            Err(error) => End::Failed(format!("{error:#}")),
            // Its state in the engine may be half of one: nothing more is done with it.
            Ok((mut kept, None)) => {
                let guest = kept.store().data();
                let Some(member) = guest.member() else { return self.panicked(seat.who, guest.rank().call()) };
                member.team.break_off();
                return self.panicked(seat.who, "");
            }
            Ok((mut kept, Some(outcome))) => {
                if let Err(error) = &outcome {
                    self.dump(&role.arguments[0], &role.symbols, kept.store(), error);
                }
                let line = outcome.as_ref().err().and_then(|_| Guest::line_of_python(&*kept.store()));
                let guest = kept.store().data();
                if let Some(ear) = guest.ear() {
                    ear.finish();
                }
                // What it has published last leaves while others still wait for it.
                if let Some(publisher) = guest.publisher() {
                    publisher.leave();
                }
                let rank = match guest.member().map(|member| member.team.end(member.number)) {
                    None => Some(&**guest.rank()),
                    Some(Ended::Now(rank)) => Some(rank),
                    Some(Ended::Alone) => None,
                    Some(Ended::Before) => return,
                };
                leave(rank, outcome, guest.limits.refused, &role.symbols, line)
            }
        };
        // Ranks that programs have started are not shown.
        if let Some(view) = self.settings.view.as_ref().filter(|_| seat.who.world == 0) {
            view.left(seat.who.rank);
        }
        self.stages().remove(&seat.who);
        self.output.finish_rank(seat.index);
        if end.has_failed() {
            self.output.give_hint();
        }
        self.remote.tell(Event::Ended { who: seat.who, end });
    }

    /// Leaves what a debugger wants to know of a rank that trapped, if anybody wants to know it.
    fn dump(&self, file: &str, symbols: &Symbols, store: &Store<Guest<E::Rank>>, error: &wasmtime::Error) {
        if let Some(dumps) = &self.settings.dumps
            && is_trap(error)
        {
            dumps.write(file, store, error, symbols);
        }
    }

    /// The host itself failed while it ran the rank, in this call if in one.
    pub(crate) fn panicked(&self, who: Who, call: &str) {
        self.engine.stop();
        self.remote.tell(Event::Ended { who, end: End::Failed(bug(call)) });
    }
}

impl<E: Engine> Watched for Crew<E> {
    fn stop(&self) -> bool {
        self.engine.stop();
        E::WAITS_END
    }

    fn inquire(&self) {
        self.engine.inquire();
    }

    fn seen(&self, who: Who) -> Option<Seen> {
        let stage = self.stages().get(&who).cloned();
        stage?.seen()
    }
}

/// How a rank ended, in this line of what it interprets, if it interprets something; it leaves its engine, unless another of its
/// threads is still in there.
fn leave<R: Rank>(
    rank: Option<&R>,
    outcome: wasmtime::Result<()>,
    refused: Option<usize>,
    symbols: &Symbols,
    line: Option<String>,
) -> End {
    let mut end = classify(outcome, rank.map_or(Phase::Running, Rank::phase), refused, symbols);
    if let End::Stopped { place, .. } = &mut end {
        *place = line.or(place.take());
    }
    if let Some(rank) = rank {
        // Before the others miss it, and take its absence for a deadlock.
        rank.leave(end.ends_job());
    }
    end
}

/// Who carries a rank with threads.
struct Carrier<E: Engine> {
    crew: Weak<Crew<E>>,
    file: String,
    symbols: Arc<Symbols>,
    seat: Seat,
}

impl<E: Engine> Wakes for Carrier<E> {
    fn waits(&self, thread: Thread) {
        if let Some(crew) = self.crew.upgrade() {
            crew.engine.waits(self.seat.index, thread);
        }
    }
}

impl<E: Engine> Carry<E::Rank> for Carrier<E> {
    fn dump(&self, store: &Store<Guest<E::Rank>>, error: &wasmtime::Error) {
        if let Some(crew) = self.crew.upgrade() {
            crew.dump(&self.file, &self.symbols, store, error);
        }
    }

    fn ended(&self, rank: Option<&E::Rank>, outcome: wasmtime::Result<()>, refused: Option<usize>) {
        let end = leave(rank, outcome, refused, &self.symbols, None);
        if let Some(crew) = self.crew.upgrade() {
            crew.output.finish_rank(self.seat.index);
            crew.remote.tell(Event::Ended { who: self.seat.who, end });
        }
    }

    fn panicked(&self) {
        if let Some(crew) = self.crew.upgrade() {
            crew.panicked(self.seat.who, "");
        }
    }
}

/// Runs a program on a fiber.
async fn call<R: Rank>(program: &InstancePre<Guest<R>>, store: &mut Store<Guest<R>>) -> wasmtime::Result<()> {
    let instance = program.instantiate_async(&mut *store).await?;
    let Err(error) = entry(store, &instance)?.call_async(&mut *store, ()).await else { return Ok(()) };
    Err(match Thrown::take(&error, store, &instance) {
        Some(thrown) => error.context(thrown.in_words_async(store).await),
        None => null_page::explain(error, store, &instance),
    })
}

/// What a user is told when the host panicked.
pub(crate) fn bug(call: &str) -> String {
    let place = if call.is_empty() { String::new() } else { format!(" in or after {call}") };
    format!("this is a bug of Rankine{place}, not of the program: please report it, with what is said of it above")
}

/// The program's entry, with the memory made known to the store, and the null page taken from it.
fn entry<R: Rank>(store: &mut Store<Guest<R>>, instance: &Instance) -> wasmtime::Result<TypedFunc<(), ()>> {
    if let Some(memory) = instance.get_memory(&mut *store, "memory") {
        store.data_mut().set_memory(memory);
    }
    store.data_mut().interpreter = Interpreter::of(&mut *store, instance);
    if let (1.., Some(memory)) = (store.data().lowest(), store.data().known_memory()) {
        let (base, _) = memory.place(&*store);
        // SAFETY: the memory begins with more than two pages of its own and stays as long as the store does, which is kept.
        // The program's code is guarded, and the host has left the page alone since before it ran.
        unsafe { null_page::take(base) }.map_err(|error| {
            format_err!("the null page can't be taken from the memory: {error} (--no-null-page does without)")
        })?;
    }
    pages::copy(store, instance);
    told::install(store, instance)?;
    heap::install(store, instance)?;
    instance.get_typed_func(&mut *store, "_start")
}

/// A rank's WASI state.
fn wasi<R: Rank>(
    settings: &Settings,
    role: &Role<R>,
    has_threads: bool,
    index: usize,
    output: &Arc<Output>,
) -> Result<WasiP1Ctx> {
    let mut builder = WasiCtxBuilder::new();
    builder.args(&role.arguments).envs(&settings.environment);
    if has_threads {
        builder.envs(&settings.of_threads());
    }
    builder.stdout(output.stream(index, Stream::Out)).stderr(output.stream(index, Stream::Err));
    if index == 0 {
        builder.stdin(output.stdin(index));
    }
    // A rank with a thread to itself may block it; on a fiber, sleeping and file operations are handed to other
    // threads.
    builder.allow_blocking_current_thread(settings.placement == Placement::Threads);
    for grant in role.grants.iter() {
        let permissions = match grant.access() {
            Access::ReadOnly => FsPerms::ReadOnly,
            Access::ReadWrite => FsPerms::ReadWrite,
        };
        builder
            .preopened_dir(grant.path(), grant.guest(), permissions)
            .map_err(|error| anyhow!("{error:#}"))
            .with_context(|| format!("can't open the folder {}", grant.real().display()))?;
    }
    crate::imports::wasi::charged::build(&mut builder).map_err(|error| anyhow!("{error:#}"))
}
