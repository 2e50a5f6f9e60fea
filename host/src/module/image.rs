//! An image of a program that has started: its memory and globals as they are once it has prepared itself, as a module of its own.
//!
//! The interpreter of `rankine python` is made one when it is built: it is initialised and has imported what programs want, and
//! ranks go on from there, on memory that they share until they write to it. It prepares itself alone, with an environment that
//! is a constant and one folder to read; whatever of a job it would call ends the attempt by name, so nothing of one can be in it.

use std::future::Future;
use std::path::Path;
use std::pin::pin;
use std::task::{self, Poll, Waker};

use anyhow::{Context as _, Result, bail};
use rankine_abi::{MPI_SUBVERSION, MPI_VERSION};
use wasmtime::{Caller, Engine, Extern, Instance, Linker, Memory, Module, Store, Val};
use wasmtime_wasi::p1::{self, WasiP1Ctx};
use wasmtime_wasi::p2::pipe::{MemoryInputPipe, MemoryOutputPipe};
use wasmtime_wasi::{FsPerms, I32Exit, WasiCtxBuilder};
use wasmtime_wizer::{InstanceState, ModuleContext, SnapshotVal, ValType, Wizer};

use super::program::{Settings, engine};

/// What the interpreter exports: the function that prepares it, and where ranks begin afterwards.
const PREPARE: &str = "rankine_make_image";
const RESUME: &str = "rankine_resume";
const START: &str = "_start";

/// Bytes that it may say on its standard output.
const LONGEST: usize = 1 << 20;

/// What it exports of a list that is made here: their number, and runs of pages that a rank writes to when it begins, each with its
/// first page and how many they are. It has room for so many.
pub(crate) const PAGES: &str = "rankine_pages";
pub(crate) const RUNS: usize = 1024;
/// Bytes of such a page.
pub(crate) const PAGE: usize = 4096;

/// What is made.
pub struct Image {
    /// The module that begins where it was left.
    pub binary: Vec<u8>,
    /// What it said while it prepared itself.
    pub said: String,
}

/// What a program has while it prepares itself.
pub struct Surroundings<'a> {
    /// A folder that it may read, and what it calls it.
    pub folder: (&'a Path, &'a str),
    /// Its environment.
    pub environment: &'a [(&'a str, &'a str)],
    /// Arguments of a first run of the image.
    pub trial: &'a [&'a str],
}

impl Surroundings<'_> {
    fn builder(&self) -> Result<WasiCtxBuilder> {
        let mut wasi = WasiCtxBuilder::new();
        wasi.envs(self.environment).arg("python").stdin(MemoryInputPipe::new("")).inherit_stderr();
        wasi.preopened_dir(self.folder.0, self.folder.1, FsPerms::ReadOnly).map_err(plain)?;
        Ok(wasi)
    }
}

/// Starts the program, lets it prepare itself, and keeps it as it is then.
pub fn image(module: &[u8], surroundings: &Surroundings<'_>) -> Result<Image> {
    let mut wizer = Wizer::new();
    wizer.init_func(PREPARE).func_rename(START, RESUME);
    let (context, instrumented) = wizer.instrument(module).map_err(plain)?;
    let engine = engine(Settings::default())?;
    let code = Module::new(&engine, instrumented).map_err(plain)?;
    let said = MemoryOutputPipe::new(LONGEST);
    let mut store = Store::new(&engine, surroundings.builder()?.stdout(said.clone()).build_p1());
    let instance = linker(&code)?.instantiate(&mut store, &code).map_err(plain)?;
    let prepare = instance.get_typed_func::<(), ()>(&mut store, PREPARE).map_err(plain)?;
    prepare.call(&mut store, ()).map_err(plain).context("it does not start")?;
    let mut binary = snapshot(&wizer, &context, &mut store, instance)?;
    if let Some(Val::I32(list)) = instance.get_global(&mut store, PAGES).map(|global| global.get(&mut store)) {
        let pages = written(&engine, &binary, surroundings).context("its first run")?;
        let memory = memory_of(&instance, &mut store)?;
        memory.write(&mut store, list as u32 as usize, &pages).map_err(|error| plain(wasmtime::Error::from(error)))?;
        binary = snapshot(&wizer, &context, &mut store, instance)?;
    }
    drop(store);
    let said = String::from_utf8(said.contents().into()).context("it says what is no text")?;
    Ok(Image { binary, said })
}

fn snapshot(
    wizer: &Wizer,
    context: &ModuleContext<'_>,
    store: &mut Store<WasiP1Ctx>,
    instance: Instance,
) -> Result<Vec<u8>> {
    let mut prepared = Prepared { store, instance };
    at_once(wizer.snapshot(context, &mut prepared))?.map_err(plain)
}

fn memory_of(instance: &Instance, store: &mut Store<WasiP1Ctx>) -> Result<Memory> {
    instance.get_memory(store, "memory").context("it has no memory")
}

/// The list of pages that the image writes to in a run that does nothing.
fn written(engine: &Engine, image: &[u8], surroundings: &Surroundings<'_>) -> Result<Vec<u8>> {
    let code = Module::new(engine, image).map_err(plain)?;
    let wasi = surroundings.builder()?.args(surroundings.trial).build_p1();
    let mut store = Store::new(engine, wasi);
    let instance = linker(&code)?.instantiate(&mut store, &code).map_err(plain)?;
    let memory = memory_of(&instance, &mut store)?;
    let before = memory.data(&store).to_vec();
    let start = instance.get_typed_func::<(), ()>(&mut store, START).map_err(plain)?;
    if let Err(error) = start.call(&mut store, ())
        && !matches!(error.downcast_ref(), Some(I32Exit(0)))
    {
        return Err(plain(error));
    }
    let pages = before.chunks(PAGE).zip(memory.data(&store).chunks(PAGE)).map(|(before, after)| before != after);
    let mut runs: Vec<[u32; 2]> = Vec::new();
    for page in (0..).zip(pages).filter_map(|(page, is_written)| is_written.then_some(page)) {
        match runs.last_mut() {
            Some([first, count]) if *first + *count == page => *count += 1,
            _ => runs.push([page, 1]),
        }
    }
    runs.truncate(RUNS);
    let words = [runs.len() as u32].into_iter().chain(runs.into_iter().flatten());
    Ok(words.flat_map(u32::to_le_bytes).collect())
}

/// What it may call: WASI; MPI's functions that ask whether anything has begun, which nothing has. All others trap by their names.
fn linker(code: &Module) -> Result<Linker<WasiP1Ctx>> {
    let mut linker = Linker::new(code.engine());
    p1::add_to_linker_sync(&mut linker, |wasi| wasi).map_err(plain)?;
    let no = |mut caller: Caller<'_, WasiP1Ctx>, flag: u32| -> wasmtime::Result<i32> {
        put(&mut caller, flag, 0)?;
        Ok(0)
    };
    linker.func_wrap("mpi", "MPI_Initialized", no).map_err(plain)?;
    linker.func_wrap("mpi", "MPI_Finalized", no).map_err(plain)?;
    let version = |mut caller: Caller<'_, WasiP1Ctx>, version: u32, subversion: u32| -> wasmtime::Result<i32> {
        put(&mut caller, version, MPI_VERSION)?;
        put(&mut caller, subversion, MPI_SUBVERSION)?;
        Ok(0)
    };
    linker.func_wrap("mpi", "MPI_Get_version", version).map_err(plain)?;
    // A path that lies in no folder of the program's own.
    let nowhere = |_path: u32, _length: u32, _left_out: u32| -1;
    linker.func_wrap("rankine_files", "place", nowhere).map_err(plain)?;
    linker.define_unknown_imports_as_traps(code).map_err(plain)?;
    Ok(linker)
}

fn put(caller: &mut Caller<'_, WasiP1Ctx>, address: u32, value: i32) -> wasmtime::Result<()> {
    let memory = caller.get_export("memory").and_then(Extern::into_memory);
    let memory = memory.ok_or_else(|| wasmtime::Error::msg("it has no memory"))?;
    memory.write(caller, address as usize, &value.to_le_bytes())?;
    Ok(())
}

/// An instance whose state is read.
struct Prepared<'a> {
    store: &'a mut Store<WasiP1Ctx>,
    instance: Instance,
}

impl InstanceState for Prepared<'_> {
    async fn global_get(&mut self, name: &str, _: ValType) -> SnapshotVal {
        let global = self.instance.get_global(&mut *self.store, name).expect("it was exported for this");
        match global.get(&mut *self.store) {
            Val::I32(value) => SnapshotVal::I32(value),
            Val::I64(value) => SnapshotVal::I64(value),
            Val::F32(bits) => SnapshotVal::F32(bits),
            Val::F64(bits) => SnapshotVal::F64(bits),
            Val::V128(value) => SnapshotVal::V128(value.as_u128()),
            _ => unreachable!("globals that hold references were refused"),
        }
    }

    async fn memory_contents(&mut self, name: &str, look: impl FnOnce(&[u8]) + Send) {
        let memory = self.instance.get_memory(&mut *self.store, name).expect("it was exported for this");
        look(memory.data(&*self.store));
    }
}

/// The value of a future that waits for nothing.
fn at_once<T>(future: impl Future<Output = T>) -> Result<T> {
    match pin!(future).poll(&mut task::Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Ok(value),
        Poll::Pending => bail!("its state can't be read"),
    }
}

fn plain(error: impl Into<wasmtime::Error>) -> anyhow::Error {
    anyhow::anyhow!("{:#}", error.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that prepares itself by these instructions.
    fn image(prepare: &str) -> Result<Image> {
        let text = format!(
            r#"(module
                (import "mpi" "MPI_Initialized" (func $initialized (param i32) (result i32)))
                (import "mpi" "MPI_Barrier" (func $barrier (param i32) (result i32)))
                (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
                (import "wasi_snapshot_preview1" "environ_sizes_get" (func $environment (param i32 i32) (result i32)))
                (memory (export "memory") 1)
                (global $kept (mut i32) (i32.const 1))
                (global (export "rankine_pages") i32 (i32.const 40000))
                (data (i32.const 8) "\10\00\00\00\04\00\00\00said")
                (func (export "rankine_make_image") {prepare})
                (func (export "rankine_resume")
                    (i32.store8 (i32.const 8191) (i32.const 1))
                    (i32.store8 (i32.const 8192) (i32.const 1))
                    (i32.store8 (i32.const 50000) (i32.const 1))
                    (if (i32.ne (global.get $kept) (i32.const 7)) (then unreachable)))
                (func (export "_start") unreachable))"#
        );
        let folder = tempfile::tempdir().unwrap();
        let surroundings =
            Surroundings { folder: (folder.path(), "/folder"), environment: &[("A", "1")], trial: &["-c", "pass"] };
        super::image(&wat::parse_str(text).unwrap(), &surroundings)
    }

    #[test]
    fn what_a_program_has_prepared_is_there_when_it_begins() {
        let prepare = "(global.set $kept (i32.const 7))
            (drop (memory.grow (i32.const 2)))
            (i32.store (i32.const 100000) (i32.const 42))
            (i32.store (i32.const 24) (i32.const 9))
            (drop (call $initialized (i32.const 24)))
            (drop (call $environment (i32.const 28) (i32.const 32)))
            (drop (call $write (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 40)))";
        let Image { binary, said } = image(prepare).unwrap();
        assert_eq!(said, "said");
        let engine = engine(Settings::default()).unwrap();
        let code = Module::new(&engine, binary).unwrap();
        let mut store = Store::new(&engine, WasiCtxBuilder::new().build_p1());
        let instance = linker(&code).unwrap().instantiate(&mut store, &code).unwrap();
        let memory = instance.get_memory(&mut store, "memory").unwrap();
        let word = |store: &Store<_>, at: usize| memory.data(store)[at];
        assert_eq!(memory.size(&store), 3);
        assert_eq!([0, 4, 8, 12, 16].map(|at| word(&store, 40_000 + at)), [2, 1, 2, 12, 1]);
        assert_eq!([100_000, 24, 28].map(|at| word(&store, at)), [42, 0, 1]);
        instance.get_typed_func::<(), ()>(&mut store, START).unwrap().call(&mut store, ()).unwrap();
        assert!(code.get_export(PREPARE).is_none());
    }

    #[test]
    fn nothing_of_a_job_can_be_called() {
        let why = format!("{:#}", image("(drop (call $barrier (i32.const 0)))").err().unwrap());
        assert!(why.contains("it does not start") && why.contains("MPI_Barrier"), "{why}");
        let why = format!("{:#}", image("unreachable").err().unwrap());
        assert!(why.contains("it does not start"), "{why}");
    }
}
