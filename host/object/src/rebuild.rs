//! From an image that was checked to a graph in the receiver's memory.
//!
//! The guest's allocator is asked for all objects before any is written, in batches; if it has no memory left,
//! everything is given back.

use std::borrow::Cow;

use rankine_abi::{Addr, FnPtr, MPI_ERR_NO_MEM, MPI_ERR_OTHER, MPI_ERR_TRUNCATE, MPI_ERR_TYPE};
use rankine_guest::{Answer, Arguments, Callback, Error, Memory, Result};

use crate::decode::Outline;
use crate::image::{put_word, word};
use crate::types::MAX_ALIGN;
use crate::{ARRAY, Hold, Roots};

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

/// Builds the graphs of a message and stores their roots where there is room for them.
pub(crate) async fn rebuild<A: AsyncFn(Callback) -> Answer>(
    site: &Site<'_, A>,
    allocator: Option<Allocator>,
    message: &mut [u8],
    outline: &Outline,
    to: &Roots,
) -> Result<()> {
    if outline.roots > to.count {
        let text = format!("{} objects arrived, but there is room for {} in the array", outline.roots, to.count);
        return Err(Error::new(MPI_ERR_TRUNCATE, text));
    }
    if to.hold == Hold::Image {
        return leave(site, allocator, message, to.at).await;
    }
    let body = &mut message[outline.body..];
    let roots = outline.roots as usize * to.plan.reference as usize;
    // Before anything is taken: there has to be a place for the roots.
    let mut blocks = outline.places(site.memory, to, &body[..roots])?;
    match to.hold {
        Hold::Together => allocate_together(site, allocator, outline, &mut blocks).await?,
        _ => allocate(site, allocator, &outline.sizes[blocks.len()..], &mut blocks).await?,
    }
    let addresses = outline.addresses(&blocks);
    for &at in &outline.references {
        let number = word(body, at as usize) - 1;
        put_word(body, at as usize, addresses[number as usize]);
    }
    let (roots, mut rest) = body.split_at(roots);
    // Sizes are words of the guest: from 2 GiB on they look negative.
    for (&size, &block) in outline.sizes.iter().zip(&blocks) {
        let (object, behind) = rest.split_at(size as u32 as usize);
        site.memory.write_bytes(Addr(block.into()), object, "memory from the guest's allocator")?;
        rest = behind;
    }
    if to.hold == Hold::Values { Ok(()) } else { site.memory.write_bytes(to.at, roots, ARRAY) }
}

/// Leaves a message as it is, in one block, and stores where that lies and how many bytes it has.
async fn leave<A: AsyncFn(Callback) -> Answer>(
    site: &Site<'_, A>,
    allocator: Option<Allocator>,
    message: &[u8],
    at: Addr,
) -> Result<()> {
    site.memory.read_bytes(at, 2 * site.memory.word(), ARRAY)?;
    let Ok(bytes) = i32::try_from(message.len()) else {
        return Err(Error::new(
            MPI_ERR_NO_MEM,
            format!("an image of {} bytes arrived, which is too large", message.len()),
        ));
    };
    let mut blocks = Vec::new();
    allocate(site, allocator, &[bytes], &mut blocks).await?;
    site.memory.write_bytes(Addr(blocks[0].into()), message, "memory from the guest's allocator")?;
    write_addresses(site.memory, at, &[blocks[0], bytes as u32], ARRAY)
}

impl Outline {
    fn is_alias(&self, number: u32) -> bool {
        !self.aliases.is_empty() && self.aliases.binary_search_by_key(&number, |alias| alias.number).is_ok()
    }

    /// The places of objects that are not to be allocated: roots that lie in their array.
    fn places(&self, memory: &Memory, to: &Roots, roots: &[u8]) -> Result<Vec<u32>> {
        to.check(memory, self.roots)?;
        if to.hold != Hold::Values {
            return Ok(Vec::new());
        }
        let is_own = |root: u32| word(roots, (root * to.plan.reference) as usize) == root + 1 && !self.is_alias(root);
        if (0..self.roots).all(is_own) {
            return Ok((0..self.roots).map(|root| to.element(root).0 as u32).collect());
        }
        let text =
            "some of the objects that arrived are parts of others, or came twice: they can't be built in the array";
        Err(Error::new(MPI_ERR_TYPE, text))
    }

    /// An address for every object: that of its own block, or inside of what it is part of.
    fn addresses<'a>(&self, blocks: &'a [u32]) -> Cow<'a, [u32]> {
        if self.aliases.is_empty() {
            return Cow::Borrowed(blocks);
        }
        let mut addresses = vec![0; self.objects.len()];
        let whole = (0..addresses.len()).filter(|number| !self.is_alias(*number as u32));
        for (number, &block) in whole.zip(blocks) {
            addresses[number] = block;
        }
        for alias in &self.aliases {
            addresses[alias.number as usize] = addresses[alias.container as usize].wrapping_add(alias.offset);
        }
        Cow::Owned(addresses)
    }
}

/// Adds a place for each object in one block, which begins with the first object: whoever frees that frees all.
async fn allocate_together<A: AsyncFn(Callback) -> Answer>(
    site: &Site<'_, A>,
    allocator: Option<Allocator>,
    outline: &Outline,
    places: &mut Vec<u32>,
) -> Result<()> {
    if outline.is_alias(0) {
        let text = "the first object that arrived is part of another one: no block can begin with it \
            (RANKINE_TOGETHER)";
        return Err(Error::new(MPI_ERR_TYPE, text));
    }
    // Objects without bytes have an address of their own too.
    let room = |size: i32| u64::from(size as u32).max(1).next_multiple_of(MAX_ALIGN.into());
    let bytes: u64 = outline.sizes.iter().map(|&size| room(size)).sum();
    let Ok(whole) = u32::try_from(bytes) else {
        return Err(Error::new(MPI_ERR_NO_MEM, format!("{bytes} bytes arrived, more than a block can hold")));
    };
    if whole == 0 {
        return Ok(());
    }
    let mut block = Vec::new();
    allocate(site, allocator, &[whole as i32], &mut block).await?;
    let mut at = block[0];
    // A guest whose allocator lies may let this wrap; every write is checked.
    places.extend(outline.sizes.iter().map(|&size| {
        let next = at.wrapping_add(room(size) as u32);
        std::mem::replace(&mut at, next)
    }));
    Ok(())
}

/// Adds a block of each size to `blocks`; without memory for all, those that were added are given back.
async fn allocate<A: AsyncFn(Callback) -> Answer>(
    site: &Site<'_, A>,
    allocator: Option<Allocator>,
    sizes: &[i32],
    blocks: &mut Vec<u32>,
) -> Result<()> {
    if sizes.is_empty() {
        return Ok(());
    }
    let before = blocks.len();
    blocks.reserve(sizes.len());
    let Some(allocator) = allocator else {
        return Err(Error::new(
            MPI_ERR_OTHER,
            "the program has not said how its memory is allocated (Rankine_Set_allocator)",
        ));
    };
    for batch in sizes.chunks(BATCH) {
        match allocate_batch(site, allocator, batch).await {
            Ok(batch) => blocks.extend(batch),
            Err(mut error) => {
                release(site, allocator, &blocks[before..]).await?;
                let bytes: i64 = sizes.iter().map(|&size| i64::from(size as u32)).sum();
                let text = format!("{} objects with {bytes} bytes came: {}", sizes.len(), error.text);
                error.text = text.into();
                return Err(error);
            }
        }
    }
    Ok(())
}

async fn allocate_batch<A: AsyncFn(Callback) -> Answer>(
    site: &Site<'_, A>,
    allocator: Allocator,
    sizes: &[i32],
) -> Result<Vec<u32>> {
    let at = scratch(site, sizes.len()).await?;
    let results = at.plus(sizes.len() as u64 * site.memory.word());
    site.memory.write_i32s(at, sizes, "scratch memory")?;
    let arguments = Arguments::of(site.memory.is_wide()).int(sizes.len() as i32).address(at).address(results);
    let call = Callback::Call { function: allocator.allocate, arguments: arguments.words().into() };
    if (site.ask)(call).await != 0 {
        return Err(Error::new(MPI_ERR_NO_MEM, "the guest's allocator has no memory left for them"));
    }
    let addresses = site.memory.read_addresses(results, sizes.len() as i64, "scratch memory")?;
    // What lies above 4 GiB can't be written to.
    Ok(addresses.into_iter().map(|address| u32::try_from(address.0).unwrap_or(u32::MAX)).collect())
}

/// Gives memory back to the guest.
pub(crate) async fn release<A: AsyncFn(Callback) -> Answer>(
    site: &Site<'_, A>,
    allocator: Allocator,
    addresses: &[u32],
) -> Result<()> {
    for batch in addresses.chunks(BATCH) {
        let at = scratch(site, batch.len()).await?;
        write_addresses(site.memory, at, batch, "scratch memory")?;
        let arguments = Arguments::of(site.memory.is_wide()).int(batch.len() as i32).address(at);
        (site.ask)(Callback::Call { function: allocator.release, arguments: arguments.words().into() }).await;
    }
    Ok(())
}

/// Writes addresses of the lowest 4 GiB, as wide as the guest has them.
fn write_addresses(memory: &Memory, at: Addr, addresses: &[u32], what: &str) -> Result<()> {
    let word = memory.word() as usize;
    let bytes: Vec<u8> =
        addresses.iter().flat_map(|&address| u64::from(address).to_le_bytes().into_iter().take(word)).collect();
    memory.write_bytes(at, &bytes, what)
}

/// Memory in the guest for two words an object.
async fn scratch<A: AsyncFn(Callback) -> Answer>(site: &Site<'_, A>, objects: usize) -> Result<Addr> {
    match (site.ask)(Callback::Scratch { bytes: (objects * 2) as u64 * site.memory.word() }).await {
        0 => Err(Error::new(MPI_ERR_NO_MEM, "the guest has no memory left")),
        at => Ok(Addr(at as u64)),
    }
}
