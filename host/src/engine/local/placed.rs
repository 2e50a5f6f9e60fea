//! Where the futures of the engine's functions lie while calls on fibers wait: in memory that a worker uses for one call
//! after the other. So a call that completes at once allocates nothing.

use std::cell::RefCell;
use std::future::Future;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::ptr::NonNull;

use rankine_guest::Result;

/// What the engine's functions that may wait are, once their own types are forgotten: waiting is compiled once.
pub(super) type Body<'f> = dyn Future<Output = Result<()>> + 'f;

/// What blocks are made of, with the alignment of any future.
#[repr(align(16))]
struct Unit(#[expect(dead_code, reason = "it is only room")] [u8; 16]);

/// The smallest block: most futures fit in.
const LEAST: usize = 1024 / size_of::<Unit>();
/// How many idle ones a worker keeps.
const KEPT: usize = 64;

thread_local! {
    static IDLE: RefCell<Vec<Block>> = const { RefCell::new(Vec::new()) };
}

/// Memory for a future.
struct Block(NonNull<[MaybeUninit<Unit>]>);

impl Block {
    fn new(units: usize) -> Block {
        Block(NonNull::from(Box::leak(Box::new_uninit_slice(units))))
    }

    /// One that has at least so many units.
    fn take(units: usize) -> Block {
        let idle = IDLE.try_with(|idle| idle.borrow_mut().pop()).ok().flatten();
        idle.filter(|block| block.0.len() >= units).unwrap_or_else(|| Block::new(units.next_power_of_two().max(LEAST)))
    }

    /// Keeps it for this worker's next call.
    fn give_back(self) {
        let _ = IDLE.try_with(|idle| {
            let mut idle = idle.borrow_mut();
            if idle.len() < KEPT {
                idle.push(self);
            }
        });
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: it came from a box, and nothing is in it any more.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// A future in a block.
pub(super) struct Placed<'f> {
    future: NonNull<Body<'f>>,
    /// Taken when this is dropped.
    block: Option<Block>,
}

impl<'f> Placed<'f> {
    #[inline]
    pub(super) fn new<F: Future<Output = Result<()>> + 'f>(future: F) -> Placed<'f> {
        const { assert!(align_of::<F>() <= align_of::<Unit>()) };
        let block = Block::take(size_of::<F>().div_ceil(size_of::<Unit>()));
        let place = block.0.cast::<F>();
        // SAFETY: the block is large enough, aligned, and nobody else's.
        unsafe { place.write(future) };
        Placed { future: place, block: Some(block) }
    }

    pub(super) fn as_mut(&mut self) -> Pin<&mut Body<'f>> {
        // SAFETY: the future stays where it is until it is dropped, and is borrowed as long as this.
        unsafe { Pin::new_unchecked(self.future.as_mut()) }
    }
}

impl Drop for Placed<'_> {
    fn drop(&mut self) {
        // SAFETY: the future was written when this was made, and is dropped once.
        unsafe { self.future.drop_in_place() };
        if let Some(block) = self.block.take() {
            block.give_back();
        }
    }
}
