//! One rank: a store made from the job's settings, run until its program ends.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use anyhow::{Context as _, Result, anyhow};
use rankine_local::{Rank, World};
use wasmtime::{Engine, Instance, InstancePre, Store, ThrownException, TypedFunc};
use wasmtime_wasi::p1::WasiP1Ctx;
use wasmtime_wasi::{FsPerms, WasiCtxBuilder};

use crate::grants::Access;
use crate::guest::{Exit, Fatal, Guest, Seat, Stopped};
use crate::job::{End, Event, Placement, Remote, Settings};
use crate::output::{Output, Stream};
use crate::symbols::Symbols;
use crate::trap::Report;

/// What all ranks of a job start from.
pub(crate) struct Crew {
    pub(crate) settings: Settings,
    pub(crate) engine: Engine,
    pub(crate) program: InstancePre<Guest>,
    pub(crate) symbols: Arc<Symbols>,
    pub(crate) world: Arc<World>,
    pub(crate) output: Arc<Output>,
    pub(crate) remote: Remote,
    /// Stores of ranks that have ended: peers may still copy from and to their memories.
    pub(crate) ended: Mutex<Vec<Store<Guest>>>,
}

/// What came of a rank's program; nothing if the host panicked.
type Outcome = Option<wasmtime::Result<()>>;

/// The store of a rank. However the rank ends, also by a panic, the store is kept among those that have ended.
struct Kept<'a> {
    ended: &'a Mutex<Vec<Store<Guest>>>,
    store: Option<Store<Guest>>,
}

impl<'a> Kept<'a> {
    fn new(ended: &'a Mutex<Vec<Store<Guest>>>, store: Store<Guest>) -> Self {
        Kept { ended, store: Some(store) }
    }

    fn store(&mut self) -> &mut Store<Guest> {
        self.store.as_mut().expect("it is taken when this is dropped")
    }
}

impl Drop for Kept<'_> {
    fn drop(&mut self) {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).extend(self.store.take());
    }
}

impl Crew {
    /// Runs a rank that has a thread to itself.
    pub(crate) fn run_on_thread(&self, rank: usize) {
        let outcome = self.start(rank).map(|store| {
            let mut kept = Kept::new(&self.ended, store);
            let run = || {
                let instance = self.program.instantiate(kept.store())?;
                entry(kept.store(), &instance)?.call(kept.store(), ())
            };
            let outcome = catch_unwind(AssertUnwindSafe(run)).ok();
            (kept, outcome)
        });
        self.finish(rank, outcome);
    }

    /// Runs a rank as a fiber.
    pub(crate) async fn run_on_fiber(&self, rank: usize) {
        let outcome = match self.start(rank) {
            Err(error) => Err(error),
            Ok(store) => {
                let mut kept = Kept::new(&self.ended, store);
                let outcome = {
                    let mut call = pin!(self.call(kept.store()));
                    poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(cx))) {
                        Ok(polled) => polled.map(Some),
                        Err(_) => Poll::Ready(None),
                    })
                    .await
                };
                Ok((kept, outcome))
            }
        };
        self.finish(rank, outcome);
    }

    async fn call(&self, store: &mut Store<Guest>) -> wasmtime::Result<()> {
        let instance = self.program.instantiate_async(&mut *store).await?;
        entry(store, &instance)?.call_async(store, ()).await
    }

    /// A rank's store, before its module is instantiated.
    fn start(&self, rank: usize) -> Result<Store<Guest>> {
        let wasi = wasi(&self.settings, rank, &self.output)?;
        let engine_rank = Rank::new(self.world.clone(), rank);
        self.describe(&engine_rank);
        let account = engine_rank.account().clone();
        let guest = Guest::new(Seat::Embedded(Rc::new(engine_rank)), self.settings.placement, wasi, account);
        let mut store = Store::new(&self.engine, guest);
        store.limiter(|guest| &mut guest.limits);
        Ok(store)
    }

    /// Says how the program was started, for `MPI_INFO_ENV`.
    fn describe(&self, rank: &Rank) {
        let (ranks, arguments) = (self.settings.ranks.to_string(), &self.settings.arguments);
        let (command, arguments) = arguments.split_first().map_or(("", &[][..]), |(name, rest)| (name.as_str(), rest));
        let arguments = arguments.join(" ");
        rank.set_environment([
            ("command", command),
            ("argv", &arguments),
            ("maxprocs", &ranks),
            ("arch", "wasm32"),
            ("thread_level", "MPI_THREAD_MULTIPLE"),
        ]);
    }

    /// Tells the job how the rank ended, and keeps its memory.
    fn finish(&self, rank: usize, outcome: Result<(Kept<'_>, Outcome)>) {
        let end = match outcome {
            Err(error) => End::Failed(format!("{error:#}")),
            // Its state in the engine may be half of one: nothing more is done with it.
            Ok((mut kept, None)) => return self.panicked(rank, kept.store().data().call()),
            Ok((mut kept, Some(outcome))) => {
                let store = kept.store();
                let end = classify(store.data(), outcome, &self.symbols);
                let ends_job = match end {
                    End::Exited { status, unfinalized } => status > 0 && unfinalized,
                    End::Stopped { .. } => false,
                    End::Trapped(_) | End::Fatal(_) | End::Failed(_) => true,
                };
                if ends_job {
                    // Before the others miss it, and take its absence for a deadlock.
                    store.data().rank().world().end(rankine_local::End::Host);
                }
                store.data().rank().exit();
                end
            }
        };
        self.output.finish_rank(rank);
        let _ = self.remote.0.send(Event::Ended { rank, end });
    }

    /// The host itself failed while it ran the rank, in this call if in one.
    pub(crate) fn panicked(&self, rank: usize, call: &str) {
        self.world.end(rankine_local::End::Host);
        let _ = self.remote.0.send(Event::Ended { rank, end: End::Failed(bug(call)) });
    }
}

/// What a user is told when the host panicked.
pub(crate) fn bug(call: &str) -> String {
    let place = if call.is_empty() { String::new() } else { format!(" in or after {call}") };
    format!("this is a bug of Rankine{place}, not of the program: please report it, with what is said of it above")
}

/// The program's entry, with the memory made known to the store.
pub(crate) fn entry(store: &mut Store<Guest>, instance: &Instance) -> wasmtime::Result<TypedFunc<(), ()>> {
    if let Some(memory) = instance.get_memory(&mut *store, "memory") {
        store.data_mut().set_memory(memory);
    }
    instance.get_typed_func(&mut *store, "_start")
}

/// Whether a frame is of the program, and not of the functions behind Fortran's bindings, such as `pmpi_recv_`.
fn is_the_programs(frame: &str) -> bool {
    !frame.starts_with("pmpi_")
}

fn classify(guest: &Guest, outcome: wasmtime::Result<()>, symbols: &Symbols) -> End {
    let exited = |status| End::Exited { status, unfinalized: !guest.rank().is_finalized() };
    let error = match outcome {
        Ok(()) => return exited(0),
        Err(error) => error,
    };
    if let Some(Exit(status)) = error.downcast_ref() {
        return exited(*status);
    }
    let report = || Report::new(&error, guest.limits.refused, symbols);
    if let Some(Stopped { waiting }) = error.downcast_ref() {
        return End::Stopped {
            waiting: waiting.clone(),
            place: report().frames.into_iter().find(|frame| is_the_programs(frame)),
        };
    }
    if error.is::<Fatal>() {
        return End::Fatal(report());
    }
    if is_start_failure(&error) {
        return End::Failed(start_failure(&error, guest.limits.refused));
    }
    End::Trapped(report())
}

/// An error that no guest code raised: the instance could not be made.
pub(crate) fn is_start_failure(error: &wasmtime::Error) -> bool {
    !error.is::<wasmtime::WasmBacktrace>() && !error.is::<wasmtime::Trap>() && !error.is::<ThrownException>()
}

/// Why the instance could not be made.
pub(crate) fn start_failure(error: &wasmtime::Error, refused: Option<usize>) -> String {
    match refused {
        Some(bytes) => format!("{error:#} (the memory limit refused a growth to {} KiB)", bytes >> 10),
        None => format!("{error:#}"),
    }
}

/// A rank's WASI state.
pub(crate) fn wasi(settings: &Settings, rank: usize, output: &Arc<Output>) -> Result<WasiP1Ctx> {
    let mut builder = WasiCtxBuilder::new();
    builder.args(&settings.arguments).envs(&settings.environment);
    builder.stdout(output.stream(rank, Stream::Out)).stderr(output.stream(rank, Stream::Err));
    if rank == 0 {
        builder.stdin(output.stdin(rank));
    }
    // A rank with a thread to itself may block it; on a fiber, sleeping and file operations are handed to other
    // threads.
    builder.allow_blocking_current_thread(settings.placement == Placement::Threads);
    for grant in settings.grants.iter() {
        let permissions = match grant.access() {
            Access::ReadOnly => FsPerms::ReadOnly,
            Access::ReadWrite => FsPerms::ReadWrite,
        };
        builder
            .preopened_dir(grant.path(), grant.guest(), permissions)
            .map_err(|error| anyhow!("{error:#}"))
            .with_context(|| format!("can't open the folder {}", grant.real().display()))?;
    }
    Ok(builder.build_p1())
}
