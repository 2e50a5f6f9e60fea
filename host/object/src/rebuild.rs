//! From an image that was checked to a graph in the receiver's memory.
//!
//! The guest's allocator is asked for all objects before any is written, in batches; if it has no memory left, everything is given back.

use rankine_abi::{Addr, FnPtr, MPI_ERR_NO_MEM, MPI_ERR_OTHER, MPI_ERR_TRUNCATE};
use rankine_local::{Callback, Error, Memory, Result};

use crate::decode::Outline;
use crate::image::{put_word, word};
use crate::plan::Plan;
use crate::types::REFERENCE;

/// The memory that a graph is built in, and a way to ask its guest.
pub struct Site<'a, A> {
    /// The memory.
    pub memory: &'a Memory,
    /// Asks the guest and gives its answer.
    pub ask: A,
}

/// Objects that one call of the guest's allocator is asked for: what a page of scratch memory has room for.
const BATCH: usize = 8192;

/// The guest's functions that find and give back memory.
#[derive(Clone, Copy, Debug)]
pub struct Allocator {
    /// `int allocate(int n, const unsigned sizes[], void *addresses[])`
    pub allocate: FnPtr,
    /// `void release(int n, void *addresses[])`
    pub release: FnPtr,
}

/// Builds the graphs of a message and stores their roots at `at`, where there is room for `capacity` of them.
pub(crate) async fn rebuild<A: AsyncFn(Callback) -> i32>(
    site: &Site<'_, A>,
    allocator: Option<Allocator>,
    plan: &Plan,
    message: &mut [u8],
    outline: &Outline,
    (at, capacity): (Addr, u32),
) -> Result<()> {
    if outline.roots > capacity {
        let text = format!("{} objects came, but there is room for {capacity} references", outline.roots);
        return Err(Error::new(MPI_ERR_TRUNCATE, text));
    }
    let body = &mut message[outline.body..];
    let roots = outline.roots as usize * REFERENCE as usize;
    // Before anything is taken: there has to be a place for the roots.
    site.memory.read_bytes(at, roots as u64, "the array of objects")?;
    let addresses = allocate_all(site, allocator, plan, outline).await?;
    for &at in &outline.references {
        let number = word(body, at as usize) - 1;
        put_word(body, at as usize, addresses[number as usize]);
    }
    for (number, (met, &address)) in outline.objects.iter().zip(&addresses).enumerate() {
        if !outline.is_alias(number as u32) {
            let start = met.at as usize;
            let bytes = &body[start..start + plan.bytes(*met) as usize];
            site.memory.write_bytes(Addr(address), bytes, "memory from the guest's allocator")?;
        }
    }
    site.memory.write_bytes(at, &body[..roots], "the array of objects")
}

impl Outline {
    fn is_alias(&self, number: u32) -> bool {
        !self.aliases.is_empty() && self.aliases.binary_search_by_key(&number, |alias| alias.number).is_ok()
    }
}

/// An address for every object.
async fn allocate_all<A: AsyncFn(Callback) -> i32>(
    site: &Site<'_, A>,
    allocator: Option<Allocator>,
    plan: &Plan,
    outline: &Outline,
) -> Result<Vec<u32>> {
    let own = |number: usize| !outline.is_alias(number as u32);
    let sizes: Vec<i32> = (outline.objects.iter().enumerate())
        .filter(|(number, _)| own(*number))
        .map(|(_, met)| plan.bytes(*met) as i32)
        .collect();
    let mut given = allocate(site, allocator, &sizes).await?;
    if outline.aliases.is_empty() {
        return Ok(given);
    }
    let mut blocks = std::mem::take(&mut given).into_iter();
    let mut addresses: Vec<u32> = (0..outline.objects.len())
        .map(|number| if own(number) { blocks.next().unwrap_or_default() } else { 0 })
        .collect();
    for alias in &outline.aliases {
        addresses[alias.number as usize] = addresses[alias.container as usize].wrapping_add(alias.offset);
    }
    Ok(addresses)
}

async fn allocate<A: AsyncFn(Callback) -> i32>(
    site: &Site<'_, A>,
    allocator: Option<Allocator>,
    sizes: &[i32],
) -> Result<Vec<u32>> {
    let mut addresses = Vec::with_capacity(sizes.len());
    if sizes.is_empty() {
        return Ok(addresses);
    }
    let Some(allocator) = allocator else {
        return Err(Error::new(
            MPI_ERR_OTHER,
            "the program has not said how its memory is allocated (Rankine_Set_allocator)",
        ));
    };
    for batch in sizes.chunks(BATCH) {
        match allocate_batch(site, allocator, batch).await {
            Ok(batch) => addresses.extend(batch),
            Err(mut error) => {
                release(site, allocator, &addresses).await?;
                let bytes: i64 = sizes.iter().map(|&size| i64::from(size as u32)).sum();
                let text = format!("{} objects with {bytes} bytes came: {}", sizes.len(), error.text);
                error.text = text.into();
                return Err(error);
            }
        }
    }
    Ok(addresses)
}

async fn allocate_batch<A: AsyncFn(Callback) -> i32>(
    site: &Site<'_, A>,
    allocator: Allocator,
    sizes: &[i32],
) -> Result<Vec<u32>> {
    let at = scratch(site, sizes.len()).await?;
    let results = Addr(at.0 + sizes.len() as u32 * REFERENCE);
    site.memory.write_i32s(at, sizes, "scratch memory")?;
    let arguments = [sizes.len() as i32, at.0 as i32, results.0 as i32];
    let call = Callback::Call { function: allocator.allocate, arguments: arguments.as_slice().into() };
    if (site.ask)(call).await != 0 {
        return Err(Error::new(MPI_ERR_NO_MEM, "the guest's allocator has no memory left for them"));
    }
    let addresses = site.memory.read_i32s(results, sizes.len(), "scratch memory")?;
    Ok(addresses.into_iter().map(|address| address as u32).collect())
}

/// Gives memory back to the guest.
pub(crate) async fn release<A: AsyncFn(Callback) -> i32>(
    site: &Site<'_, A>,
    allocator: Allocator,
    addresses: &[u32],
) -> Result<()> {
    for batch in addresses.chunks(BATCH) {
        let at = scratch(site, batch.len()).await?;
        let words: Vec<i32> = batch.iter().map(|&address| address as i32).collect();
        site.memory.write_i32s(at, &words, "scratch memory")?;
        let arguments = [batch.len() as i32, at.0 as i32];
        (site.ask)(Callback::Call { function: allocator.release, arguments: arguments.as_slice().into() }).await;
    }
    Ok(())
}

/// Memory in the guest for two words an object.
async fn scratch<A: AsyncFn(Callback) -> i32>(site: &Site<'_, A>, objects: usize) -> Result<Addr> {
    match (site.ask)(Callback::Scratch { bytes: (objects * 2) as u32 * REFERENCE }).await {
        0 => Err(Error::new(MPI_ERR_NO_MEM, "the guest has no memory left")),
        at => Ok(Addr(at as u32)),
    }
}
