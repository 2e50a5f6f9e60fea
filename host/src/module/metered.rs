//! Memories that threads share, which ask their rank's account before they grow.
//!
//! Of other memories the limits of their store are asked, and of shared ones nobody: they have no store. But Wasmtime takes
//! the memories of a module's instances from whoever makes them for its engine. So the engine of programs with threads has a
//! maker of ours, and a rank's memory is that of an instance of a module which has nothing else.

use std::cell::RefCell;
use std::sync::Arc;

use rankine_guest::Account;
use wasmtime::{
    Config, Engine, Error, Instance, LinearMemory, MemoryCreator, MemoryType, MemoryTypeBuilder, Module, Result,
    SharedMemory, Store, format_err,
};

/// A page of linear memory.
pub(crate) const PAGE: u64 = 1 << 16;

/// The name under which a maker's module has the memory.
const NAME: &str = "memory";

thread_local! {
    /// Whose the shared memory is that is being made.
    static PAYER: RefCell<Option<Arc<Account>>> = const { RefCell::new(None) };
}

/// Has an engine of this configuration ask before shared memories grow. The other one is as it, without a maker, and both reserve
/// so many addresses for a memory.
pub(crate) fn meter(config: &mut Config, plain: Config, reserved: u64) -> Result<()> {
    // Images of memories are for Wasmtime's own ones.
    config.memory_init_cow(false);
    config.with_host_memory(Arc::new(Maker { engine: Engine::new(&plain)?, reserved }));
    Ok(())
}

/// A module whose instances have a shared memory like this one.
pub(crate) fn module(engine: &Engine, ty: &MemoryType, least: u64, most: u64) -> Result<Module> {
    let index = if ty.is_64() { "i64 " } else { "" };
    let text = format!("(module (memory (export \"{NAME}\") {index}{least} {most} shared))");
    Module::new(engine, wat::parse_str(text)?)
}

/// Makes the memory of a rank, which is charged for it from the beginning.
pub(crate) fn memory(module: &Module, account: &Arc<Account>) -> Result<SharedMemory> {
    PAYER.set(Some(account.clone()));
    let mut store = Store::new(module.engine(), ());
    let instance = Instance::new(&mut store, module, &[]);
    let is_metered = PAYER.take().is_none();
    let memory = instance?.get_shared_memory(&mut store, NAME);
    memory.filter(|_| is_metered).ok_or_else(|| format_err!("the engine is none for programs with threads"))
}

/// Makes the memories of an engine, by another one's rules: they are reserved and guarded as those are.
struct Maker {
    engine: Engine,
    /// Addresses for a memory.
    reserved: u64,
}

impl Maker {
    fn make(&self, ty: &MemoryType, minimum: usize, maximum: Option<usize>, reserved: usize) -> Result<Metered> {
        let account = if ty.is_shared() { PAYER.take() } else { None };
        let pages = |bytes: usize| (bytes as u64).div_ceil(PAGE);
        let most = maximum.map_or(if ty.is_64() { 1 << 48 } else { 1 << 16 }, pages);
        let alike = MemoryTypeBuilder::default()
            .memory64(ty.is_64())
            .shared(true)
            .min(pages(minimum))
            .max(Some(most))
            .build()?;
        let charged = account.as_ref().map_or(0, |_| minimum as u64);
        if account.as_ref().is_some_and(|account| !account.grow_guest(charged)) {
            return Err(format_err!("the program begins with more memory than the memory limit allows"));
        }
        let mut metered = Metered { memory: None, size: minimum, capacity: reserved.max(minimum), account, charged };
        metered.memory = Some(SharedMemory::new(&self.engine, alike)?);
        Ok(metered)
    }
}

// SAFETY: the memories are those of Wasmtime's own maker, as another engine has them, which keeps to the contract: zeroes, and
// addresses reserved and guarded as its configuration says, of which those asked for are compared.
unsafe impl MemoryCreator for Maker {
    fn new_memory(
        &self,
        ty: MemoryType,
        minimum: usize,
        maximum: Option<usize>,
        reserved: Option<usize>,
        guard: usize,
    ) -> std::result::Result<Box<dyn LinearMemory>, String> {
        let in_words = |error: Error| format!("{error:#}");
        let reserved = reserved.unwrap_or(0);
        if reserved as u64 > self.reserved || guard > GUARD {
            return Err(format!("{reserved} bytes and {guard} to guard them are more than are reserved for a memory"));
        }
        Ok(Box::new(self.make(&ty, minimum, maximum, reserved).map_err(in_words)?))
    }
}

/// Addresses that engines reserve for a memory of 32-bit ones, and those behind it at which nothing is.
pub(crate) const RESERVED: u64 = 4 << 30;
pub(crate) const GUARD: usize = 32 << 20;

/// A memory of another engine, whose growth is charged.
struct Metered {
    /// Always, but while it is made.
    memory: Option<SharedMemory>,
    /// What it has by its type, of which a page may be a byte.
    size: usize,
    capacity: usize,
    account: Option<Arc<Account>>,
    charged: u64,
}

impl Metered {
    /// Grows what is beneath, by whole pages.
    fn reach(&self, size: usize) -> Result<()> {
        let Some(memory) = &self.memory else { return Err(format_err!("the memory is being made")) };
        let more = (size as u64).div_ceil(PAGE).saturating_sub(memory.size());
        if more > 0 { memory.grow(more).map(drop) } else { Ok(()) }
    }
}

// SAFETY: where it is never changes, and all of its bytes are there as long as it is, as those of the memory beneath are.
unsafe impl LinearMemory for Metered {
    fn byte_size(&self) -> usize {
        self.size
    }

    fn byte_capacity(&self) -> usize {
        self.capacity
    }

    fn grow_to(&mut self, size: usize) -> Result<()> {
        let more = size.saturating_sub(self.size) as u64;
        if self.account.as_ref().is_some_and(|account| !account.grow_guest(more)) {
            return Err(format_err!("the memory limit allows no more"));
        }
        if let Err(error) = self.reach(size) {
            self.account.iter().for_each(|account| account.shrink_guest(more));
            return Err(error);
        }
        self.charged += if self.account.is_some() { more } else { 0 };
        self.size = size;
        Ok(())
    }

    fn as_ptr(&self) -> *mut u8 {
        // The pointer of an `UnsafeCell` may be written through.
        self.memory.as_ref().map_or(std::ptr::null_mut(), |memory| memory.data().as_ptr().cast_mut().cast())
    }
}

impl Drop for Metered {
    fn drop(&mut self) {
        if let Some(account) = &self.account {
            account.shrink_guest(self.charged);
        }
    }
}
