//! What transforms take of memory is within what is said of them beforehand.

use rankine_math::fourier::{self, Axis, Kind, Part, Plan, Shape};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static USED: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: the system's allocator does all of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let used = USED.fetch_add(layout.size(), Relaxed) + layout.size();
        MOST.fetch_max(used, Relaxed);
        // SAFETY: the layout is what the caller of `alloc` gave.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Relaxed);
        // SAFETY: `at` came from `System` with this layout, as all of this allocator's do.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The most memory in use at a time while something is done, beyond that of before.
fn most<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = USED.load(Relaxed);
    MOST.store(before, Relaxed);
    let result = work();
    (MOST.load(Relaxed) - before, result)
}

fn check<T: Part>(n: usize) {
    for kind in [Kind::Forward, Kind::Backward, Kind::FromReal, Kind::ToReal] {
        let (taken, plan) = most(|| T::plan(kind, n));
        assert!(taken <= Plan::<T>::bytes(n), "{kind:?} of {n}: {taken} bytes, not {}", Plan::<T>::bytes(n));
        let shape = Shape { dimensions: vec![Axis { n, from: 1, to: 1 }], many: vec![Axis { n: 9, from: 0, to: 0 }] };
        let mut memory = vec![rustfft::num_complex::Complex::new(T::zero(), T::zero()); n];
        let mut to = memory.clone();
        let (plans, from, to) = ([plan], memory.as_mut_ptr().cast(), to.as_mut_ptr().cast());
        // SAFETY: both are arrays of `n` complex numbers, which are enough for what is real too.
        let (taken, ()) = most(|| unsafe { fourier::transform(&plans, &shape, kind, from, to) });
        // What the axes take is neither the guest's choice nor much.
        let room = fourier::room(&plans, &shape, kind) + 1000;
        assert!(taken <= room, "{kind:?} of {n}: {taken} bytes, not {room}");
    }
}

/// One test, as others would be counted too.
#[test]
fn memory_is_bounded() {
    let primes = [2, 3, 7, 31, 37, 127, 257, 509, 1021, 4099, 65537, 99991, 262147];
    let others = [
        1,
        4,
        64,
        100,
        1000,
        1024,
        2 * 509,
        3 * 4099,
        36 * 257,
        59 * 61,
        31 * 37 * 41,
        7 * 11 * 13 * 8,
        16 * 13usize.pow(3),
        6 * 10007,
        1 << 17,
        3usize.pow(10),
        5usize.pow(7),
        11 * 13 * 17 * 19,
    ];
    for n in primes.into_iter().chain(others) {
        check::<f64>(n);
        check::<f32>(n);
    }
}
