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

#[cfg(test)]
mod tests {
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::cell::Cell;
    use std::future::poll_fn;
    use std::sync::{Arc, Mutex};
    use std::task::Poll;

    use rankine_abi::{Comm, Datatype, Op};
    use wasmtime::{Caller, Linker};

    use crate::engine::Engine as _;
    use crate::engine::local::{Guest, Local};
    use crate::run::job::{Placement, tests::run};

    /// Counts what each thread allocates.
    struct Counting;

    #[global_allocator]
    static ALLOCATOR: Counting = Counting;

    thread_local! {
        static ALLOCATED: Cell<u64> = const { Cell::new(0) };
    }

    // SAFETY: it is the system's, which it only counts calls of.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            ALLOCATED.set(ALLOCATED.get() + 1);
            // SAFETY: the layout is what the caller of `alloc` gave.
            unsafe { System.alloc(layout) }
        }

        unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
            // SAFETY: `at` came from `System` with this layout, as all of this allocator's do.
            unsafe { System.dealloc(at, layout) }
        }

        unsafe fn realloc(&self, at: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
            ALLOCATED.set(ALLOCATED.get() + 1);
            // SAFETY: `at` came from `System` with this layout, as all of this allocator's do.
            unsafe { System.realloc(at, layout, bytes) }
        }
    }

    /// Rounds of calls that are counted.
    const ROUNDS: u64 = 100;

    /// What a round calls, and how many of its functions may wait. The one rank is its own peer.
    fn rounds() -> Vec<(&'static str, u64, String)> {
        let (world, int, sum) = (Comm::WORLD.0, Datatype::INT.0, Op::SUM.0);
        let call = |name: &str, words: &str| {
            format!("(if (call ${name} {}) (then (unreachable)))\n", {
                words.split_whitespace().map(|word| format!("(i32.const {word})")).collect::<String>()
            })
        };
        // A number to be sent at 1024, one that comes at 1032, requests from 1040 on, a flag at 1056, statuses from 1088 on.
        let message = |at: u32| format!("{at} 1 {int} 0 7 {world}");
        let (isend, irecv) = (call("isend", &(message(1024) + " 1040")), call("irecv", &(message(1032) + " 1044")));
        let (send, recv) = (call("send", &message(1024)), call("recv", &(message(1032) + " 1088")));
        let waitall = call("waitall", "2 1040 1088");
        vec![
            ("nothing", 1, call("nothing", "0 0")),
            ("MPI_Send, MPI_Recv", 2, send.clone() + &recv),
            (
                "MPI_Test, MPI_Wait",
                2,
                isend.clone() + &irecv + &call("test", "1040 1056 1088") + &call("wait", "1044 1088"),
            ),
            ("MPI_Waitall", 1, irecv.clone() + &isend + &waitall),
            ("MPI_Testall", 1, irecv.clone() + &isend + &call("testall", "2 1040 1056 1088")),
            ("MPI_Ssend", 2, irecv.clone() + &call("ssend", &message(1024)) + &call("wait", "1044 1088")),
            ("MPI_Iprobe", 3, send + &call("iprobe", &format!("0 7 {world} 1056 1088")) + &recv),
            ("MPI_Sendrecv", 1, { call("sendrecv", &format!("1024 1 {int} 0 7 1032 1 {int} 0 7 {world} 1088")) }),
            ("MPI_Barrier", 1, call("barrier", &world.to_string())),
            ("MPI_Allreduce", 1, call("allreduce", &format!("1024 1032 1 {int} {sum} {world}"))),
        ]
    }

    fn program() -> String {
        let import = |(name, function, words): &(&str, &str, usize)| {
            format!("(import \"mpi\" \"{function}\" (func ${name} (param {}) (result i32)))\n", "i32 ".repeat(*words))
        };
        let imports: String = [
            ("init", "MPI_Init", 2),
            ("finalize", "MPI_Finalize", 0),
            ("count", "MPI_Get_version", 2),
            ("nothing", "MPI_Get_library_version", 2),
            ("send", "MPI_Send", 6),
            ("ssend", "MPI_Ssend", 6),
            ("recv", "MPI_Recv", 7),
            ("isend", "MPI_Isend", 7),
            ("irecv", "MPI_Irecv", 7),
            ("sendrecv", "MPI_Sendrecv", 12),
            ("iprobe", "MPI_Iprobe", 5),
            ("test", "MPI_Test", 3),
            ("wait", "MPI_Wait", 2),
            ("testall", "MPI_Testall", 4),
            ("waitall", "MPI_Waitall", 3),
            ("barrier", "MPI_Barrier", 1),
            ("allreduce", "MPI_Allreduce", 6),
        ]
        .iter()
        .map(import)
        .collect();
        // The first rounds make what later ones use again.
        let loops: String = rounds()
            .iter()
            .enumerate()
            .flat_map(|(index, (_, _, calls))| [("warm", index, calls), ("counted", index, calls)])
            .map(|(name, index, calls)| {
                format!(
                    "(drop (call $count (i32.const {index}) (i32.const 0)))
                     (local.set $left (i32.const {ROUNDS}))
                     (loop ${name}{index} {calls}
                         (br_if ${name}{index} (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
                     (drop (call $count (i32.const {index}) (i32.const 1)))\n"
                )
            })
            .collect();
        format!(
            "(module {imports} (memory (export \"memory\") 1)
                 (func (export \"_start\") (local $left i32)
                     (drop (call $init (i32.const 0) (i32.const 0))) {loops} (drop (call $finalize))))"
        )
    }

    /// What each round's calls allocate on the rank's thread.
    fn allocated(placement: Placement) -> Vec<u64> {
        let counted = Arc::new(Mutex::new(vec![(0, 0); rounds().len()]));
        let ending = run(&program(), 1, placement, |linker: &mut Linker<Guest>, module, name| {
            match (name, placement) {
                ("MPI_Get_version", _) => {
                    let counted = counted.clone();
                    linker.func_wrap(module, name, move |index: i32, ends: i32| {
                        let (began, more) = &mut counted.lock().unwrap()[index as usize];
                        match ends {
                            0 => *began = ALLOCATED.get(),
                            _ => *more = ALLOCATED.get() - *began,
                        }
                        0
                    })?;
                }
                ("MPI_Get_library_version", Placement::Threads) => {
                    linker.func_wrap(module, name, |_: i32, _: i32| 0_i32)?;
                }
                ("MPI_Get_library_version", Placement::Fibers) => {
                    linker.func_wrap_async(module, name, |_: Caller<'_, Guest>, (_, _): (i32, i32)| {
                        Box::new(poll_fn(|_| Poll::Ready(0_i32)))
                    })?;
                }
                _ => return Local::define(linker, placement, module, name),
            }
            Ok(true)
        });
        assert_eq!(ending.status(), 0, "{ending:?}");
        let counted = counted.lock().unwrap();
        counted.iter().map(|(_, allocated)| *allocated).collect()
    }

    /// Wasmtime itself allocates for each call of a function that may wait, also of one that does nothing. Calls with
    /// arrays copy them, wherever they run.
    #[test]
    fn a_call_that_completes_at_once_allocates_nothing() {
        let (threads, fibers) = (allocated(Placement::Threads), allocated(Placement::Fibers));
        for ((what, calls, _), (thread, fiber)) in rounds().iter().zip(threads.iter().zip(&fibers)) {
            assert_eq!(*fiber, thread + calls * fibers[0], "{what}: allocations in {ROUNDS} rounds");
        }
        assert_eq!(threads[..3], [0; 3]);
    }
}
