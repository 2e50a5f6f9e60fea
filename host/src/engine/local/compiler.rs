//! Compiling the modules that a confined job starts ranks from.
//!
//! A confined process reaches neither the cache of compiled code nor its key. So a process of our own, started before the
//! wall goes up, compiles what it is sent as [`module::compile`] does, and answers with the code. It believes nothing
//! that it is sent: whatever that is, what it keeps is the code of those very bytes.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use wasmtime::{Engine, Module};

use crate::module;
use crate::module::Engines;
use crate::module::cache::Cache;
use crate::run::crew::bug;
use rankine_system::footprint::Footprint;
use rankine_system::helper::{has_hung_up, receive, send};
use rankine_system::{footprint, helper, shown, signals, tell};

/// The process that compiles, for one rank at a time.
pub(in crate::engine) struct Compiler(Mutex<File>);

/// The longest text that is sent: a name, an error.
const LONGEST_TEXT: u64 = 1 << 16;

impl Compiler {
    /// Starts it. Call it while this process has one thread.
    pub(in crate::engine) fn start(engines: &Engines, memory_limit: Option<usize>) -> Result<Compiler> {
        let connection = helper::start("that compiles the modules of ranks that programs start", &[], |mut other| {
            while let Some(name) = receive(&mut other, LONGEST_TEXT)? {
                let binary = receive(&mut other, module::LONGEST)?.unwrap_or_default();
                let name = String::from_utf8_lossy(&name).into_owned();
                let compiled = catch_unwind(AssertUnwindSafe(|| {
                    let engine = engines.of(&binary)?;
                    let key = Cache::key(engine, &binary);
                    let compile = || module::compile(engine, Path::new(&name), &binary, &key);
                    let code = watched(&other, &name, memory_limit, compile)?;
                    code.serialize().map_err(|error| anyhow!("{name}: {error:#}"))
                }));
                match compiled.unwrap_or_else(|_| Err(anyhow!("{name}: {}", bug("")))) {
                    Ok(code) => {
                        send(&mut other, b"")?;
                        send(&mut other, &code)?;
                    }
                    Err(error) => send(&mut other, format!("{error:#}").as_bytes())?,
                }
            }
            Ok(())
        })?;
        Ok(Compiler(Mutex::new(connection)))
    }

    /// Has a module compiled; `name` is its name in errors.
    pub(super) fn compile(&self, engine: &Engine, name: &str, binary: &[u8]) -> Result<Module> {
        let mut connection = self.0.lock().map_err(|_| anyhow!("a rank failed while it had a module compiled"))?;
        let code = ask(&mut connection, name, binary).context("the process that compiles modules has failed")??;
        // SAFETY: another process of this very program has compiled it, for this engine, and no guest reaches what lies
        // between the two.
        unsafe { Module::deserialize(engine, &code) }.map_err(|error| anyhow!("{name}: {error:#}"))
    }
}

/// How often it is asked whether the job is still there, and what the compiler has taken.
const EVERY: Duration = Duration::from_millis(100);

/// Compiles, and ends this process if the job's own ends meanwhile, or the compiler takes more memory than it may. The
/// kernel would not tell of the former: it sends the signal of a parent's death as if the parent did, whom its wall keeps
/// from sending any.
fn watched<T>(job: &File, name: &str, memory_limit: Option<usize>, compile: impl FnOnce() -> Result<T>) -> Result<T> {
    let (done, ends) = channel::<()>();
    std::thread::scope(|scope| {
        let watch = move || {
            let account = Footprint::open().zip(footprint::of_a_compiler(memory_limit));
            while ends.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                if has_hung_up(job) {
                    signals::leave(0);
                }
                if let Some((footprint, most)) = &account
                    && let Some(bytes) = footprint.bytes().filter(|bytes| bytes > most)
                {
                    tell!("rankine: {}", footprint::outgrown(&shown::line(name), bytes, *most, memory_limit));
                    signals::leave(1);
                }
            }
        };
        std::thread::Builder::new().name("watch".into()).spawn_scoped(scope, watch)?;
        let compiled = compile();
        drop(done);
        compiled
    })
}

/// The code of a module. The outer error is that of the connection.
fn ask(connection: &mut File, name: &str, binary: &[u8]) -> Result<Result<Vec<u8>>> {
    ensure!(name.len() as u64 <= LONGEST_TEXT, "a name of {} bytes", name.len());
    send(connection, name.as_bytes())?;
    send(connection, binary)?;
    let Some(error) = receive(connection, u64::MAX)? else { bail!("it has ended") };
    if !error.is_empty() {
        return Ok(Err(anyhow!("{}", String::from_utf8_lossy(&error))));
    }
    receive(connection, u64::MAX)?.context("it has ended").map(Ok)
}
