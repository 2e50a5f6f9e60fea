//! From a file to code that is ready to run: engine settings, loading, compiling with a cache.
//!
//! What is refused here is refused with the file named and a next step: a truncated file, a component, a module
//! that is not a program. Which functions a module may import is decided where they are registered.

use std::ffi::OsString;
use std::io::{IsTerminal, Read};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use wasmparser::{Validator, WasmFeatures};
use wasmtime::{Collector, Config, Engine, ExternType, Module, OptLevel, ProfilingStrategy};

use crate::cache::Cache;
use crate::heap::instrument::instrument;
use crate::null_page::guard;
use crate::profile::sites::{self, Sites, Tell, Telling};
use crate::signature::Demands;
use crate::symbols::{Moved, Symbols};
use crate::{coredump, function_table, threads, vectors};

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

/// Bytes of the longest module that Wasmtime takes.
pub(crate) const LONGEST: u64 = 1 << 30;

/// Frames of a guest's stack that a report shows, innermost first.
pub const FRAMES: usize = 30;

/// What the code of a job is to be like, on every node alike.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Default, clap::Args)]
pub struct Codegen {
    /// Compile for `rankine run --reproducible`: the same bits on every architecture
    #[arg(long)]
    pub reproducible: bool,
    /// Compile for `rankine run --interpret`: to be interpreted, though this machine may have a compiler
    #[arg(long)]
    pub interpret: bool,
}

impl Codegen {
    /// The options of `rankine` that ask for it.
    pub fn words(self) -> impl Iterator<Item = OsString> {
        let options = [(self.reproducible, "--reproducible"), (self.interpret, "--interpret")];
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
    /// What it was before it was changed to tell of its calls of MPI, and how that changed it.
    told: Option<(Vec<u8>, Moved, Sites)>,
}

impl Source {
    /// A module as it is, or changed. It is guarded when it is compiled, if it says that it leaves the null page alone,
    /// which is said for it, or taken back.
    pub(crate) fn new(path: &Path, mut binary: Vec<u8>, changes: Changes) -> Result<Source> {
        let Changes { tell, heap, null_page } = changes;
        match null_page {
            true => guard::mark_rust(&mut binary),
            false => guard::unmark(&mut binary),
        }
        if heap {
            binary = instrument(&binary).with_context(|| path.display().to_string())?;
        }
        let Some(what) = tell else { return Ok(Source { binary, told: None }) };
        // What is changed has to be well-formed.
        Validator::new_with_features(WasmFeatures::all())
            .validate_all(&binary)
            .map_err(|error| anyhow!("{}: {error}", path.display()))?;
        let Telling { binary: telling, sites, moved } =
            sites::tell(&binary, what).with_context(|| path.display().to_string())?;
        Ok(Source { binary: telling, told: Some((binary, moved, sites)) })
    }
}

/// Loads a program: the one that is known by a digest, or whatever the file has. It can tell of its calls of MPI.
pub fn load(
    engine: &Engine,
    path: &Path,
    digest: Option<&str>,
    demands: &Demands,
    changes: Changes,
) -> Result<Program> {
    let bytes = match digest {
        Some(known) => known_contents(path, known)?,
        None => contents(path)?,
    };
    let signer = demands.check(&bytes, path)?;
    let origin = Origin { digest: self::digest(&bytes[..])?, signer };
    let source = Source::new(path, translate(path, bytes)?, changes)?;
    let code = compile(engine, path, &source.binary)?;
    Ok(Program { origin, ..Program::new(code, Cache::key(engine, &source.binary), path, source)? })
}

impl Program {
    /// The program in a module that was compiled, if it is one.
    pub(crate) fn new(code: Module, key: String, path: &Path, source: Source) -> Result<Program> {
        let Source { binary, told } = source;
        check_program(&code, path)?;
        threads::check(&binary, path)?;
        let is_guarded = is_guarded(code.engine(), &binary);
        let (symbols, sites) = match told {
            None if is_guarded => (Symbols::of_guarded(binary), None),
            None => (Symbols::of(binary), None),
            Some((before, moved, sites)) => {
                let mut symbols = Symbols::of(before).moved(moved);
                if is_guarded {
                    symbols = symbols.moved(guard::guard(&binary)?.moved);
                }
                (symbols, Some(Arc::new(sites)))
            }
        };
        Ok(Program { code, symbols: Arc::new(symbols), key, sites, is_guarded, origin: Origin::default() })
    }
}

/// The instructions of Wasmtime's interpreter, with the words of this machine.
const INTERPRETER: &str = match (cfg!(target_pointer_width = "64"), cfg!(target_endian = "big")) {
    (true, false) => "pulley64",
    (true, true) => "pulley64be",
    (false, false) => "pulley32",
    (false, true) => "pulley32be",
};

/// An engine for guests of this job.
pub fn engine(settings: Settings) -> Result<Engine> {
    let mut config = Config::new();
    let Codegen { reproducible, interpret } = settings.codegen;
    if interpret {
        config.target(INTERPRETER).map_err(|error| anyhow!("Wasmtime has no interpreter here: {error:#}"))?;
    }
    // Pending operations point into memories, so that these must never move; 4 GiB of addresses
    // each and a guard behind it let compiled code leave bounds checks to the hardware.
    config.memory_may_move(false).memory_reservation(4 << 30);
    // Those of programs with threads, which import them.
    config.shared_memory(true);
    config.memory_init_cow(settings.images);
    // What processors are free to do differently: the bits of a NaN, and relaxed instructions.
    config.cranelift_nan_canonicalization(reproducible).relaxed_simd_deterministic(reproducible);
    config.max_wasm_stack(call_stack()).async_stack_size(call_stack() + HOST_STACK);
    // Debug information is read by `symbols`, which doubts it.
    config.wasm_backtrace_details(wasmtime::WasmBacktraceDetails::Disable);
    let frames = if settings.coredump { coredump::FRAMES } else { FRAMES };
    config.wasm_backtrace_max_frames(NonZeroUsize::new(frames));
    if settings.debug {
        config.debug_info(true).cranelift_opt_level(OptLevel::None);
    }
    if settings.perf {
        config.profiler(ProfilingStrategy::PerfMap);
    }
    // Guests keep their objects in linear memory; those few that use references need no collection within a job.
    config.collector(Collector::Auto);
    let engine =
        Engine::new(&config).map_err(|error| anyhow!("Wasmtime can't be set up on this machine: {error:#}"))?;
    ensure!(
        !engine.is_pulley() || !(settings.perf || settings.debug),
        "--perf, --debug and --break-rank are for compiled programs, and this one is interpreted: run it where there is a compiler"
    );
    Ok(engine)
}

/// The option of `rankine run` that says what the module must be, for processes that a program starts.
pub const DIGEST_OPTION: &str = "--module-digest";

/// What a file with a module is known by.
pub fn digest(mut file: impl Read) -> std::io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    std::io::copy(&mut file, &mut hasher)?;
    Ok(hasher.finalize().to_hex().to_string())
}

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
    let failed = || format!("can't read {}", path.display());
    let length = std::fs::metadata(path).with_context(failed)?.len();
    ensure!(length <= LONGEST, "{} has {length} bytes, and a module has at most {LONGEST}", path.display());
    std::fs::read(path).with_context(failed)
}

/// The module in the bytes of a file, as [`read`] gives it.
pub fn translate(path: &Path, bytes: Vec<u8>) -> Result<Vec<u8>> {
    let bytes = without_first_line(bytes);
    let is_text = path.extension().is_some_and(|extension| extension == "wat");
    if !is_text && !bytes.starts_with(b"\0asm") {
        bail!("{} is not a WebAssembly module{}", path.display(), looks_like(&bytes));
    }
    let binary = wat::Parser::new().parse_bytes(Some(path), &bytes).map_err(|error| anyhow!("{error}"))?.into_owned();
    if wasmparser::Parser::is_component(&binary) {
        bail!(
            "{} is a WebAssembly component; Rankine runs core modules. Compile for wasm32-wasip1, not wasip2",
            path.display()
        );
    }
    function_table::exported(binary).map_err(|error| anyhow!("{}: {error}", path.display()))
}

/// A module that `rankine cc -runnable` made begins with a line that says what runs it.
fn without_first_line(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.iter().take(512).position(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    if bytes.starts_with(b"#!") && bytes[end..].starts_with(b"\0asm") {
        bytes.drain(..end);
    }
    bytes
}

/// What a file is that is no module, where its first bytes tell.
fn looks_like(bytes: &[u8]) -> &'static str {
    match bytes {
        [] => ": it is empty",
        [0x7f, b'E', b'L', b'F', ..] => {
            ": it is a native program or object. Compile it with `rankine cc` (or for the target wasm32-wasip1)"
        }
        [b'#', b'!', ..] => ": it is a script",
        _ => ": it does not begin with \"\\0asm\". Compile your program with `rankine cc -O3 -o prog.wasm prog.c`",
    }
}

/// Compiles a module, or takes the code from the cache.
pub fn compile(engine: &Engine, path: &Path, binary: &[u8]) -> Result<Module> {
    let cache = Cache::open();
    let key = Cache::key(engine, binary);
    if let Some(module) = cache.as_ref().and_then(|cache| cache.load(engine, &key)) {
        return Ok(module);
    }
    threads::check_interpreter(engine, binary, path)?;
    vectors::check(engine, binary, path)?;
    tracing::info!("compiling {}", path.display());
    let progress = Progress::start(path);
    let mut tuned = match is_guarded(engine, binary) {
        true => guard::guard(binary).with_context(|| path.display().to_string())?.binary,
        false => binary.to_vec(),
    };
    let tally = rankine_tune::tune(&mut tuned);
    tracing::debug!("{}: {tally:?}", path.display());
    let code = on_threads_that_end(|| engine.precompile_module(&tuned));
    progress.stop();
    let code = code?.map_err(|error| anyhow!("{}: {error:#}", path.display()))?;
    if let Some(cache) = cache {
        cache.store(&key, &code);
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
fn on_threads_that_end<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T> {
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
        Some(ExternType::Memory(memory)) if memory.is_64() => {
            bail!("{} has a 64-bit memory; Rankine runs 32-bit guests (wasm32-wasip1)", path.display())
        }
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
        let name = path.file_name().map_or_else(|| path.to_path_buf(), PathBuf::from);
        let (stop, stopped) = channel();
        let thread = crate::allocation::thread("progress", move || {
            if stopped.recv_timeout(Duration::from_secs(1)) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = indicatif::ProgressBar::new_spinner();
            bar.set_message(format!("compiling {} (once; then it is cached)", name.display()));
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
        let module = compile(&engine(Settings::default()).unwrap(), &path, &read(&path).unwrap()).unwrap();
        // MAXSD, with VEX and without.
        assert!(module.text().windows(3).any(|code| code[0] == 0xc5 && code[2] == 0x5f || code[..2] == [0x0f, 0x5f]));
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
        let wide = b"(module (memory (export \"memory\") i64 1) (func (export \"_start\")))";
        assert!(refusal("a.wat", wide).contains("64-bit"));
    }
}
