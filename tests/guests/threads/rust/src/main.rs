// Threads of Rust's standard library in a rank: locks, conditions, channels, scopes, data of a thread's own; and MPI from
// whichever thread has the lock.
// ranks: 1 2 4
// target: wasm32-wasip1-threads

use std::cell::Cell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Barrier, Condvar, Mutex, mpsc};
use std::thread;

use mpi_sys::*;

const THREADS: i32 = 4;
const ROUNDS: i32 = 20;

thread_local! {
    static NUMBER: Cell<i32> = const { Cell::new(-1) };
}

fn main() {
    let (mut level, mut rank, mut size) = (0, 0, 0);
    // SAFETY: MPI accepts null pointers here, and the results outlive the calls.
    unsafe {
        assert_eq!(MPI_Init_thread(null_mut(), null_mut(), MPI_THREAD_SERIALIZED, &mut level), MPI_SUCCESS);
        assert_eq!(MPI_Comm_rank(MPI_COMM_WORLD, &mut rank), MPI_SUCCESS);
        assert_eq!(MPI_Comm_size(MPI_COMM_WORLD, &mut size), MPI_SUCCESS);
    }
    assert!(level >= MPI_THREAD_SERIALIZED);
    assert!(thread::available_parallelism().is_ok_and(|count| count.get() >= 1));
    own_data();
    conditions();
    scopes();
    around(rank, size);
    // SAFETY: no thread is left that could call MPI.
    assert_eq!(unsafe { MPI_Finalize() }, MPI_SUCCESS);
    if rank == 0 {
        println!("OK");
    }
}

/// Each thread has its own `NUMBER`, and sends it through a channel.
fn own_data() {
    NUMBER.set(100);
    let (sender, receiver) = mpsc::channel();
    let threads: Vec<_> = (0..THREADS)
        .map(|number| {
            let sender = sender.clone();
            thread::Builder::new().name(format!("worker {number}")).spawn(move || {
                assert_eq!(NUMBER.get(), -1);
                NUMBER.set(number);
                sender.send((NUMBER.get(), thread::current().name().map(str::to_owned))).expect("main receives");
                number * number
            })
        })
        .collect::<Result<_, _>>()
        .expect("a rank may have threads");
    drop(sender);
    let mut received: Vec<_> = receiver.iter().collect();
    received.sort();
    let expected: Vec<_> = (0..THREADS).map(|number| (number, Some(format!("worker {number}")))).collect();
    assert_eq!(received, expected);
    let squares: i32 = threads.into_iter().map(|thread| thread.join().expect("no thread panics")).sum();
    assert_eq!(squares, (0..THREADS).map(|number| number * number).sum());
    assert_eq!(NUMBER.get(), 100);
}

/// A thread waits until another has counted far enough.
fn conditions() {
    let shared = Arc::new((Mutex::new(0), Condvar::new()));
    let counting = Arc::clone(&shared);
    let counter = thread::spawn(move || {
        for _ in 0..ROUNDS {
            *counting.0.lock().expect("no thread panics") += 1;
            counting.1.notify_one();
        }
    });
    let count = shared.0.lock().expect("no thread panics");
    let count = shared.1.wait_while(count, |count| *count < ROUNDS).expect("no thread panics");
    assert_eq!(*count, ROUNDS);
    drop(count);
    counter.join().expect("no thread panics");
}

/// Threads borrow from the function that started them, and meet.
fn scopes() {
    let (sum, meeting) = (AtomicU32::new(0), Barrier::new(THREADS as usize));
    let mut parts = [0_u32; THREADS as usize];
    thread::scope(|scope| {
        for (index, part) in (0..).zip(&mut parts) {
            let (sum, meeting) = (&sum, &meeting);
            scope.spawn(move || {
                sum.fetch_add(1 << index, Ordering::Relaxed);
                meeting.wait();
                *part = sum.load(Ordering::Relaxed);
            });
        }
    });
    assert_eq!(parts, [(1 << THREADS) - 1; THREADS as usize]);
}

/// A number goes around the ring of ranks, passed on by whichever thread has the lock.
fn around(rank: i32, size: i32) {
    let round = Mutex::new(0);
    let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let mut round = round.lock().expect("no thread panics");
                    if *round == ROUNDS {
                        break;
                    }
                    let (sent, mut got) = (*round, -1);
                    // SAFETY: both buffers have room for the number, and the lock keeps other threads out of MPI.
                    let code = unsafe {
                        MPI_Sendrecv(
                            (&raw const sent).cast(),
                            1,
                            MPI_INT,
                            next,
                            5,
                            (&raw mut got).cast(),
                            1,
                            MPI_INT,
                            before,
                            5,
                            MPI_COMM_WORLD,
                            MPI_STATUS_IGNORE,
                        )
                    };
                    assert_eq!((code, got), (MPI_SUCCESS, sent));
                    *round += 1;
                }
            });
        }
    });
}
