//! From a file to code that is ready to run: engine settings, loading, compiling with a cache.
//!
//! What is refused here is refused with the file named and a next step: a truncated file, a component, a module
//! that is not a program. Which functions a module may import is decided where they are registered.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use wasmparser::{Validator, WasmFeatures};
use wasmtime::{Collector, Config, Engine, ExternType, Module, OptLevel, ProfilingStrategy, format_err};

pub use rankine_system::digest::{LONGEST, digest};

use crate::module::cache::Cache;
use crate::module::signature::Demands;
use crate::module::symbols::Symbols;
use crate::module::width::Width;
use crate::module::{instance, metered, threaded, vectors};
use rankine_rewrite::heap::instrument;
use rankine_rewrite::lower64::{self, Lowered};
use rankine_rewrite::sites::{Sites, Tell, Telling};
use rankine_rewrite::{Changed, Moved, alone, function_table, guard, sites};
use rankine_system::{footprint, shown};

/// Stack of a rank that its guest's code may use, unless the user gives it another size.
pub const GUEST_STACK: usize = 1 << 20;
/// Stack of a rank on top of that, for the host's own code. The sum stays below 2 MiB: a huge page never fits in.
pub const HOST_STACK: usize = 512 << 10;

/// The size that counts in this process. Every thread that carries a guest has to know it.
static CALL_STACK: AtomicUsize = AtomicUsize::new(GUEST_STACK);

/// Gives guests' code another stack than [`GUEST_STACK`]: before an engine is made for it.
pub(crate) fn set_call_stack(bytes: usize) {
    CALL_STACK.store(bytes, Ordering::Relaxed);
}

/// Stack of a rank that its guest's code may use.
pub(crate) fn call_stack() -> usize {
    CALL_STACK.load(Ordering::Relaxed)
}

/// Frames of a guest's stack that a report shows, innermost first.
pub const FRAMES: usize = 30;

/// Frames of a stack that a core dump has, innermost first.
const DUMPED_FRAMES: usize = 10_000;

/// What the code of a job is to be like, on every node alike.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Default, clap::Args)]
pub struct Codegen {
    /// Compile for `rankine run --reproducible`: the same bits on every architecture
    #[arg(long)]
    pub reproducible: bool,
    /// Compile for `rankine run --interpret`: to be interpreted, though this machine may have a compiler
    #[arg(long)]
    pub interpret: bool,
    /// Compile for `rankine run --trusted`: what may have more than 4 GiB does without the guard against speculative reads
    #[arg(long)]
    pub trusted: bool,
}

impl Codegen {
    /// The options of `rankine` that ask for it.
    pub fn words(self) -> impl Iterator<Item = OsString> {
        let Codegen { reproducible, interpret, trusted } = self;
        let options = [(reproducible, "--reproducible"), (interpret, "--interpret"), (trusted, "--trusted")];
        options.into_iter().filter(|(is_wanted, _)| *is_wanted).map(|(_, option)| option.into())
    }
}

/// How the code of a job is made and kept.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct Settings {
    /// Start memories from a copy-on-write image: faster, for two mappings more per rank.
    pub images: bool,
    /// Tell `perf` where each function's code is, in `/tmp/perf-PID.map`.
    pub perf: bool,
    /// Stacks at traps are kept as a core dump has them.
    pub coredump: bool,
    /// What the code is to be like.
    pub codegen: Codegen,
    /// For a native debugger: the program's debug information comes along, and its code does what the source says, line by
    /// line.
    pub debug: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { images: true, perf: false, coredump: false, codegen: Codegen::default(), debug: false }
    }
}

/// A program that is ready to run.
#[derive(Clone)]
pub struct Program {
    /// Its code.
    pub code: Module,
    /// Its debug information.
    pub symbols: Arc<Symbols>,
    /// What its code is known by.
    pub key: String,
    /// Where it calls MPI, if that is measured.
    pub(crate) sites: Option<Arc<Sites>>,
    /// Its code is guarded: the null page can be taken from its memory.
    pub(crate) is_guarded: bool,
    /// How wide its addresses are.
    pub width: Width,
    /// What each of its instances takes of the host's memory, beside memories and tables.
    pub(crate) instance: usize,
    /// Those of its job.
    pub(crate) engines: Arc<Engines>,
    /// Where it comes from.
    pub origin: Origin,
}

/// What is known of a program's file.
#[derive(Clone, Default)]
pub struct Origin {
    /// The digest of its bytes.
    pub digest: String,
    /// Who has signed it, of those whose signatures were wanted.
    pub signer: Option<String>,
}

/// How a module is changed before it is compiled.
#[derive(Copy, Clone, Debug)]
pub struct Changes {
    /// What it tells of its calls of MPI.
    pub tell: Option<Tell>,
    /// Its heap is watched.
    pub heap: bool,
    /// It is guarded, if it says that it leaves the null page alone.
    pub null_page: bool,
}

impl Default for Changes {
    fn default() -> Self {
        Changes { tell: None, heap: false, null_page: true }
    }
}

/// A module that is to be compiled.
pub(crate) struct Source {
    pub(crate) binary: Vec<u8>,
    /// What it was before it was changed, with the debug information; nothing if it is as it was.
    read: Option<Vec<u8>>,
    /// How each change has moved its instructions, in their order.
    moved: Vec<Moved>,
    /// What is known of its 64-bit addresses, if these were lowered: that comes first.
    lowered: Option<Wide>,
    /// Where it calls MPI, if it tells of that.
    sites: Option<Sites>,
}

/// What is known of a module whose 64-bit addresses were lowered: see [`Lowered`].
#[derive(Default)]
struct Wide {
    is_large: bool,
    traps: Vec<u32>,
}

/// A number that no two modules share.
fn known_by(binary: &[u8]) -> u64 {
    let mut number = [0; 8];
    blake3::Hasher::new().update(binary).finalize_xof().fill(&mut number);
    u64::from_le_bytes(number)
}

impl Source {
    /// A module as it is, or changed: also to what these engines can run. It is guarded when it is compiled, if it says that it
    /// leaves the null page alone, which is said for it, or taken back.
    pub(crate) fn new(engines: &Engines, path: &Path, mut binary: Vec<u8>, changes: Changes) -> Result<Source> {
        let Changes { tell, heap, null_page } = changes;
        match null_page {
            true => guard::mark_rust(&mut binary),
            false => guard::unmark(&mut binary),
        }
        // As it is on every machine, whatever has to be changed there.
        let program = tell.map_or(0, |_| known_by(&binary));
        let mut source = Source { binary, read: None, moved: Vec::new(), lowered: None, sites: None };
        if lower64::is_wide(&source.binary) {
            let lowered = lower64::lower(&source.binary).with_context(|| path.display().to_string())?;
            let Lowered { mut binary, is_large, moved, traps, .. } = lowered;
            if is_large {
                // Where it is accessed, compiled code compares each address.
                guard::unmark(&mut binary);
            }
            source.change(Changed { binary, moved });
            source.lowered = Some(Wide { is_large, traps });
        }
        if engines.alone.is_pulley() && !threaded::imports_shared_memory(&source.binary) {
            let changed = alone::alone(&source.binary).with_context(|| path.display().to_string())?;
            source.change(changed);
        }
        if heap {
            let changed = instrument(&source.binary).with_context(|| path.display().to_string())?;
            source.change(changed);
        }
        let Some(what) = tell else { return Ok(source) };
        // What is changed has to be well-formed.
        Validator::new_with_features(WasmFeatures::all())
            .validate_all(&source.binary)
            .map_err(|error| anyhow!("{}: {error}", path.display()))?;
        let Telling { binary, mut sites, moved } =
            sites::tell(&source.binary, what).with_context(|| path.display().to_string())?;
        sites.before(&source.moved);
        sites.program = program;
        source.sites = Some(sites);
        source.change(Changed { binary, moved });
        Ok(source)
    }

    fn change(&mut self, Changed { binary, moved }: Changed) {
        let before = std::mem::replace(&mut self.binary, binary);
        self.read.get_or_insert(before);
        self.moved.push(moved);
    }
}

/// Loads a program: the one that is known by a digest, or whatever the file has. It can tell of its calls of MPI.
pub fn load(
    engines: &Arc<Engines>,
    path: &Path,
    digest: Option<&str>,
    demands: &Demands,
    changes: Changes,
) -> Result<Program> {
    tracing::info!("loading {}", path.display());
    let bytes = match digest {
        Some(known) => known_contents(path, known)?,
        None => contents(path)?,
    };
    let signer = demands.check(&bytes, path)?;
    let origin = Origin { digest: self::digest(&bytes[..])?, signer };
    let source = Source::new(engines, path, translate(path, bytes)?, changes)?;
    let engine = engines.of(&source.binary)?;
    let key = Cache::key(engine, &source.binary);
    let code = compile(engine, path, &source.binary, &key)?;
    Ok(Program { origin, ..Program::new(code, key, path, source, engines.clone())? })
}

impl Program {
    /// The program in a module that was compiled, if it is one.
    pub(crate) fn new(
        code: Module,
        key: String,
        path: &Path,
        source: Source,
        engines: Arc<Engines>,
    ) -> Result<Program> {
        let Source { binary, read, mut moved, lowered, sites } = source;
        check_program(&code, path)?;
        threaded::check(&binary, path)?;
        let is_guarded = is_guarded(code.engine(), &binary);
        let instance = instance::bytes(&binary).with_context(|| path.display().to_string())?;
        let is_wide = lowered.is_some();
        let Wide { is_large, traps } = lowered.unwrap_or_default();
        let width = Width { is_wide, is_large };
        let symbols = match read {
            None if is_guarded => Symbols::of_guarded(binary),
            None => Symbols::of(binary),
            Some(read) => {
                if is_guarded {
                    moved.push(guard::guard(&binary)?.moved);
                }
                Symbols::of(read).moved(moved).beyond(traps).large(is_large)
            }
        };
        let sites = sites.map(Arc::new);
        let symbols = Arc::new(symbols);
        Ok(Program { code, symbols, key, sites, is_guarded, width, instance, engines, origin: Origin::default() })
    }
}

/// The instructions of Wasmtime's interpreter, with the words of this machine.
const INTERPRETER: &str = match (cfg!(target_pointer_width = "64"), cfg!(target_endian = "big")) {
    (true, false) => "pulley64",
    (true, true) => "pulley64be",
    (false, false) => "pulley32",
    (false, true) => "pulley32be",
};

/// The engines of a job: those for programs with threads, for large programs, and for large ones with threads are made where there
/// are such.
pub struct Engines {
    settings: Settings,
    alone: Engine,
    sharing: OnceLock<Engine>,
    large: OnceLock<Engine>,
    large_sharing: OnceLock<Engine>,
}

impl Engines {
    /// Engines for guests of this job.
    pub fn new(settings: Settings) -> Result<Engines> {
        let [sharing, large, large_sharing] = [const { OnceLock::new() }; 3];
        Ok(Engines { settings, alone: engine(settings)?, sharing, large, large_sharing })
    }

    /// That of a module.
    pub fn of(&self, binary: &[u8]) -> Result<&Engine> {
        // Whose 64-bit addresses were not lowered.
        let is_large = lower64::is_wide(binary);
        let shares = threaded::imports_shared_memory(binary) && !self.alone.is_pulley();
        let (place, what) = match (is_large, shares) {
            (false, false) => return Ok(&self.alone),
            (false, true) => (&self.sharing, "threads"),
            (true, false) => (&self.large, "memories of more than 4 GiB"),
            (true, true) => (&self.large_sharing, "threads and memories of more than 4 GiB"),
        };
        if let Some(engine) = place.get() {
            return Ok(engine);
        }
        let made = self.make(config(self.settings)?, is_large, shares);
        let engine = made.map_err(|error| anyhow!("Wasmtime can't be set up for {what} on this machine: {error:#}"))?;
        Ok(place.get_or_init(|| engine))
    }

    fn make(&self, mut config: Config, is_large: bool, shares: bool) -> wasmtime::Result<Engine> {
        let Settings { codegen, .. } = self.settings;
        let reserved = if is_large { large_reservation() } else { metered::RESERVED };
        config.memory_reservation(reserved);
        if is_large && codegen.trusted {
            // SAFETY: the flag leaves every check of an address where it is, and lets the processor guess its outcome.
            unsafe { config.cranelift_flag_set("enable_heap_access_spectre_mitigation", "false") };
        }
        if shares {
            let plain = self::config(Settings { codegen, ..Settings::default() });
            let mut plain = plain.map_err(|error| format_err!("{error:#}"))?;
            plain.memory_reservation(reserved);
            metered::meter(&mut config, plain, reserved)?;
        }
        Engine::new(&config)
    }

    /// That of programs without threads.
    pub fn alone(&self) -> &Engine {
        &self.alone
    }
}

/// An engine for guests of this job that have no threads.
pub fn engine(settings: Settings) -> Result<Engine> {
    let engine = Engine::new(&config(settings)?)
        .map_err(|error| anyhow!("Wasmtime can't be set up on this machine: {error:#}"))?;
    ensure!(
        !engine.is_pulley() || !(settings.perf || settings.debug),
        "--perf, --debug and --break-rank are for compiled programs, and this one is interpreted: run it where there is a compiler"
    );
    Ok(engine)
}

/// Addresses that are reserved for a memory that may have more than 4 GiB, which is all that it can grow to: as much as the machine
/// has, so that a thousand of them have room beside one another.
fn large_reservation() -> u64 {
    const LEAST: u64 = 8 << 30;
    const UNKNOWN: u64 = 1 << 36;
    footprint::total().unwrap_or(UNKNOWN).next_power_of_two().max(LEAST)
}

fn config(settings: Settings) -> Result<Config> {
    let mut config = Config::new();
    let Codegen { reproducible, interpret, trusted: _ } = settings.codegen;
    if interpret {
        config.target(INTERPRETER).map_err(|error| anyhow!("Wasmtime has no interpreter here: {error:#}"))?;
    }
    // Pending operations point into memories, so that these must never move; 4 GiB of addresses
    // each and a guard behind it let compiled code leave bounds checks to the hardware.
    config.memory_may_move(false).memory_reservation(metered::RESERVED);
    // Those of programs with threads, which import them.
    config.shared_memory(true);
    config.memory_init_cow(settings.images);
    // What processors are free to do differently: the bits of a NaN, and relaxed instructions.
    config.cranelift_nan_canonicalization(reproducible).relaxed_simd_deterministic(reproducible);
    config.max_wasm_stack(call_stack()).async_stack_size(call_stack() + HOST_STACK);
    // Debug information is read by `symbols`, which doubts it.
    config.wasm_backtrace_details(wasmtime::WasmBacktraceDetails::Disable);
    let frames = if settings.coredump { DUMPED_FRAMES } else { FRAMES };
    config.wasm_backtrace_max_frames(NonZeroUsize::new(frames));
    if settings.debug {
        config.debug_info(true).cranelift_opt_level(OptLevel::None);
    }
    if settings.perf {
        config.profiler(ProfilingStrategy::PerfMap);
    }
    // Guests keep their objects in linear memory; those few that use references need no collection within a job.
    config.collector(Collector::Auto);
    Ok(config)
}

/// The option of `rankine run` that says what the module must be, for processes that a program starts.
pub const DIGEST_OPTION: &str = "--module-digest";

/// The module in a file, as binary: `.wat` text is translated. Its function table is exported.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    translate(path, contents(path)?)
}

/// The module in a file, if that is the one that is known by the digest.
pub fn read_known(path: &Path, known: &str) -> Result<Vec<u8>> {
    translate(path, known_contents(path, known)?)
}

fn known_contents(path: &Path, known: &str) -> Result<Vec<u8>> {
    let bytes = contents(path)?;
    ensure!(digest(&bytes[..])? == known, "{} was replaced by another module meanwhile", path.display());
    Ok(bytes)
}

fn contents(path: &Path) -> Result<Vec<u8>> {
    let failed = || format!("can't read {}{}", path.display(), forgotten(path));
    let length = std::fs::metadata(path).with_context(failed)?.len();
    ensure!(length <= LONGEST, "{} has {length} bytes, and a module has at most {LONGEST}", path.display());
    std::fs::read(path).with_context(failed)
}

/// What was forgotten if cargo has built no such module: without the configuration it compiles for this machine, and the crate `mpi`
/// not at all.
fn forgotten(path: &Path) -> &'static str {
    let is_of_cargo = path.components().any(|part| part.as_os_str() == "target");
    if path.exists() || !is_of_cargo || !Path::new("Cargo.toml").is_file() || Path::new(".cargo/config.toml").is_file()
    {
        return "";
    }
    " (cargo builds for Rankine once `rankine sdk cargo-config --write` was typed here)"
}

/// The module in the bytes of a file, as [`read`] gives it.
pub fn translate(path: &Path, mut bytes: Vec<u8>) -> Result<Vec<u8>> {
    bytes.drain(..first_line(&bytes));
    let is_text = path.extension().is_some_and(|extension| extension == "wat");
    if !is_text && !bytes.starts_with(b"\0asm") {
        bail!("{} is not a WebAssembly module{}", path.display(), looks_like(path, &bytes));
    }
    let binary = match is_text {
        true => wat::Parser::new().parse_bytes(Some(path), &bytes).map_err(|error| anyhow!("{error}"))?.into_owned(),
        false => bytes,
    };
    if wasmparser::Parser::is_component(&binary) {
        bail!(
            "{} is a WebAssembly component; Rankine runs core modules. Compile for wasm32-wasip1, not wasip2",
            path.display()
        );
    }
    function_table::exported(binary).map_err(|error| anyhow!("{}: {error}", path.display()))
}

/// How long the line is that says what runs a module, in the bytes of its file: one that `rankine cc -runnable` made begins with
/// such a line. Signatures are looked for where the module is that is run.
pub(crate) fn first_line(bytes: &[u8]) -> usize {
    let end = bytes.iter().take(512).position(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    if bytes.starts_with(b"#!") && bytes[end..].starts_with(b"\0asm") { end } else { 0 }
}

/// What a file is that is no module, where its first bytes tell.
fn looks_like(path: &Path, bytes: &[u8]) -> &'static str {
    match (path.extension().and_then(|extension| extension.to_str()), bytes) {
        (_, []) => ": it is empty",
        (_, [0x7f, b'E', b'L', b'F', ..]) => {
            ": it is a native program or object. Compile it with `rankine cc` (or for the target wasm32-wasip1)"
        }
        (Some("py"), _) => ": programs in Python are run by `rankine python`",
        (_, [b'#', b'!', ..]) => ": it is a script",
        (Some("f" | "f90" | "F90" | "f95" | "f03" | "f08"), _) => {
            ": compile it with `rankine fc -O3 -o prog.wasm prog.f90`"
        }
        (Some("cpp" | "cc" | "cxx" | "C"), _) => ": compile it with `rankine c++ -O3 -o prog.wasm prog.cpp`",
        _ => ": it does not begin with \"\\0asm\". Compile your program with `rankine cc -O3 -o prog.wasm prog.c`",
    }
}

/// Compiles a module, or takes the code from the cache, where it has this key.
pub fn compile(engine: &Engine, path: &Path, binary: &[u8], key: &str) -> Result<Module> {
    let cache = Cache::open();
    if let Some(module) = cache.as_ref().and_then(|cache| cache.load(engine, key)) {
        return Ok(module);
    }
    threaded::check_interpreter(engine, binary, path)?;
    vectors::check(engine, binary, path)?;
    tracing::info!("compiling {}", path.display());
    let progress = Progress::start(path);
    let mut tuned = match is_guarded(engine, binary) {
        true => guard::guard(binary).with_context(|| path.display().to_string())?.binary,
        false => binary.to_vec(),
    };
    let tally = rankine_rewrite::tune::tune(&mut tuned);
    tracing::debug!("{}: {tally:?}", path.display());
    let code = on_threads_that_end(|| engine.precompile_module(&tuned));
    progress.stop();
    let code = code?.map_err(|error| anyhow!("{}: {error:#}", path.display()))?;
    if let Some(cache) = cache {
        cache.store(key, &code);
    }
    // SAFETY: `code` was compiled by this very engine a moment ago.
    unsafe { Module::deserialize(engine, &code) }.map_err(|error| anyhow!("{}: {error:#}", path.display()))
}

/// Whether a module is guarded. An interpreted access to the null page would be a fault of the host's own.
fn is_guarded(engine: &Engine, binary: &[u8]) -> bool {
    !engine.is_pulley() && guard::is_wanted(binary)
}

/// Runs a part of Wasmtime that works on several threads, and ends those: rayon would keep them, and a thread that is
/// there before the process is confined (see `confine`) keeps its rights.
pub(crate) fn on_threads_that_end<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T> {
    let mut threads = Vec::new();
    let pool = rayon::ThreadPoolBuilder::new().spawn_handler(|thread| {
        threads.push(std::thread::Builder::new().name("compiler".into()).spawn(|| thread.run())?);
        Ok(())
    });
    let pool = pool.build().context("can't start threads to compile on")?;
    let result = pool.install(work);
    drop(pool);
    threads.into_iter().for_each(|thread| drop(thread.join()));
    Ok(result)
}

/// Checks that a module is a program: it can be started, and has a memory to send from.
pub fn check_program(module: &Module, path: &Path) -> Result<()> {
    match module.get_export("_start") {
        Some(ExternType::Func(start)) if start.params().len() == 0 && start.results().len() == 0 => {}
        Some(_) => bail!("{}: its export _start is not a function without parameters and results", path.display()),
        None => bail!(
            "{} has no function _start: it is a library, not a program. Link it as a command (a `main`, and no -mexec-model=reactor)",
            path.display()
        ),
    }
    match module.get_export("memory") {
        Some(ExternType::Memory(_)) => Ok(()),
        _ => bail!("{} exports no memory named \"memory\": MPI has nothing to send from", path.display()),
    }
}

/// A spinner on the terminal while compiling takes long, shown by a thread that ends with it.
struct Progress(Option<(Sender<()>, JoinHandle<()>)>);

impl Progress {
    fn start(path: &Path) -> Progress {
        if !std::io::stderr().is_terminal() {
            return Progress(None);
        }
        let name = shown::line(&path.file_name().unwrap_or(path.as_os_str()).to_string_lossy());
        let (stop, stopped) = channel();
        let thread = rankine_system::allocation::thread("progress", move || {
            if stopped.recv_timeout(Duration::from_secs(1)) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = indicatif::ProgressBar::new_spinner();
            bar.set_message(format!("compiling {name} (once; then it is cached)"));
            while stopped.recv_timeout(Duration::from_millis(100)) == Err(RecvTimeoutError::Timeout) {
                bar.tick();
            }
            bar.finish_and_clear();
        });
        Progress(Some((stop, thread)))
    }

    fn stop(self) {
        if let Some((stop, thread)) = self.0 {
            drop(stop);
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn file(name: &str, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        (folder, path)
    }

    fn refusal(name: &str, bytes: &[u8]) -> String {
        let (_folder, path) = file(name, bytes);
        let engine = engine(Settings::default()).unwrap();
        let outcome = read(&path).and_then(|binary| {
            let module = Module::new(&engine, &binary).map_err(|error| anyhow!("{}: {error:#}", path.display()))?;
            check_program(&module, &path)
        });
        let text = format!("{:#}", outcome.unwrap_err());
        assert!(text.contains(name), "{text}");
        text
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn what_is_compiled_is_tuned() {
        let text = br#"(module (memory (export "memory") 1) (func (export "_start"))
            (func (export "max") (param f64 f64) (result f64)
                local.get 0 local.get 1 local.get 0 local.get 1 f64.gt select))"#;
        let (_folder, path) = file("max.wat", text);
        let (engine, binary) = (engine(Settings::default()).unwrap(), read(&path).unwrap());
        let module = compile(&engine, &path, &binary, &Cache::key(&engine, &binary)).unwrap();
        // MAXSD, with VEX and without.
        assert!(module.text().windows(3).any(|code| code[0] == 0xc5 && code[2] == 0x5f || code[..2] == [0x0f, 0x5f]));
    }

    /// The offsets of the instructions of this kind.
    fn offsets(binary: &[u8], is_wanted: impl Fn(&wasmparser::Operator<'_>) -> bool) -> Vec<u32> {
        let mut offsets = Vec::new();
        for payload in wasmparser::Parser::new(0).parse_all(binary) {
            let wasmparser::Payload::CodeSectionEntry(body) = payload.unwrap() else { continue };
            for operator in body.get_operators_reader().unwrap().into_iter_with_offsets() {
                let (operator, at) = operator.unwrap();
                if is_wanted(&operator) {
                    offsets.push(at as u32);
                }
            }
        }
        offsets
    }

    #[test]
    fn what_is_compiled_is_found_in_the_module_that_was_read() {
        use wasmparser::Operator::{Call, Unreachable};
        // One function more, and their number takes another byte.
        let more = "(func nop)".repeat(125);
        for (width, address) in [("", "i32"), ("i64", "i64")] {
            let text = format!(
                "(module (import \"mpi\" \"MPI_Finalize\" (func $finalize (result i32))) (memory (export \"memory\") {width} 4)
                (func (export \"_start\")
                    (drop (i32.atomic.rmw.add ({address}.const 65536) (i32.const 1)))
                    (memory.fill ({address}.const 65536) (i32.const 0) ({address}.const 8))
                    (drop (call $finalize)) unreachable)
                (func $other (drop (call $finalize))) {more})"
            );
            let path = Path::new("found.wat");
            let mut read = translate(path, text.into_bytes()).unwrap();
            guard::mark(&mut read);
            let is_unreachable = |operator: &wasmparser::Operator<'_>| matches!(operator, Unreachable);
            let [end] = offsets(&read, is_unreachable)[..] else { panic!("one is in the text") };
            let calls = offsets(&read, |operator| matches!(operator, Call { .. }));
            for (interpret, tell) in
                [(false, None), (true, None), (false, Some(Tell::Words)), (true, Some(Tell::Words))]
            {
                let codegen = Codegen { interpret, ..Codegen::default() };
                let engines = Arc::new(Engines::new(Settings { codegen, ..Settings::default() }).unwrap());
                let changes = Changes { tell, ..Changes::default() };
                let source = Source::new(&engines, path, read.clone(), changes).unwrap();
                let compiled = match is_guarded(&engines.alone, &source.binary) {
                    true => guard::guard(&source.binary).unwrap().binary,
                    false => source.binary.clone(),
                };
                let code = Module::new(&engines.alone, &compiled).unwrap();
                let program = Program::new(code, String::new(), path, source, engines).unwrap();
                let here = format!("{address}, {interpret}, {tell:?}");
                let found =
                    offsets(&compiled, is_unreachable).into_iter().filter_map(|at| program.symbols.in_module(at));
                assert_eq!(found.filter(|&at| at == end).count(), 1, "{here}");
                if let Some(sites) = program.sites {
                    assert_eq!(sites.places.iter().map(|site| site.offset).collect::<Vec<_>>(), calls, "{here}");
                }
            }
        }
    }

    #[test]
    fn refuses_what_is_no_program() {
        assert!(refusal("a.wasm", b"").contains("empty"));
        assert!(refusal("a.wasm", b"\x7fELF....").contains("rankine cc"));
        assert!(refusal("a.wasm", b"\0asm\x01\0\0\0\x01").contains("offset"));
        assert!(refusal("a.wat", b"(component)").contains("component"));
        assert!(refusal("a.wat", b"(module").contains("expected"));
        assert!(refusal("a.wat", b"(module (memory (export \"memory\") 1))").contains("_start"));
        assert!(refusal("a.wat", b"(module (func (export \"_start\")))").contains("memory"));
    }
}
