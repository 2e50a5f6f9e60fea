//! Two nodes of two ranks as two processes, over the MPI library that is beside `mpiexec`. Whoever is not started by a launcher starts
//! the job. With `RANKINE_FIGURES` set, node 0 prints how long things take.

#[path = "../jobs/node.rs"]
mod node;

use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Instant;

use libloading::Library as Opened;
use node::one_node;
use rankine_abi::{Addr, Comm, Datatype, MPI_ANY_SOURCE, MPI_ANY_TAG, Op};
use rankine_local::Rank;
use rankine_local::away::Nodes;
use rankine_local::coll::{self, Allreduce, Barrier};
use rankine_local::comm::{comm_size, comm_split};
use rankine_local::pt2pt::{irecv, isend, recv, send};
use rankine_local::request::{wait, waitall};
use rankine_nodes::library::{Functions, Greeting, Library};
use rankine_nodes::{End, Limits};

const BYTE: Datatype = Datatype::BYTE;
const OTHER: Addr = Addr(2_000_000);

fn main() -> ExitCode {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u32>().ok();
    match (number("PMI_RANK"), number("PMI_SIZE")) {
        (Some(node), Some(nodes)) => be_a_node(Nodes::even(node, nodes, number("RANKS").unwrap_or(2))),
        _ => {
            let mut command = Command::new(folder().join("mpiexec"));
            let status = command.args(["-n", "2"]).arg(std::env::current_exe().unwrap()).status().unwrap();
            assert!(status.success(), "{status}");
        }
    }
    ExitCode::SUCCESS
}

/// Where the library's programs are.
fn folder() -> PathBuf {
    let named = std::env::var_os("RANKINE_MPI_BIN").map(PathBuf::from);
    named.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin"))
}

fn functions() -> Functions {
    let path = folder().join("../lib/libmpi_abi.so.1");
    // SAFETY: an MPI library, which stays open.
    let library = Box::leak(Box::new(unsafe { Opened::new(&path) }.unwrap_or_else(|error| panic!("{error}"))));
    macro_rules! function {
        ($name:literal) => {
            // SAFETY: the standard ABI gives the function this type.
            *unsafe { library.get($name) }.unwrap()
        };
    }
    Functions {
        init_thread: function!(b"MPI_Init_thread"),
        set_errhandler: function!(b"MPI_Comm_set_errhandler"),
        rank: function!(b"MPI_Comm_rank"),
        size: function!(b"MPI_Comm_size"),
        allgather: function!(b"MPI_Allgather"),
        isend: function!(b"MPI_Isend"),
        test: function!(b"MPI_Test"),
        irecv: function!(b"MPI_Irecv"),
        cancel: function!(b"MPI_Cancel"),
        wait: function!(b"MPI_Wait"),
        iprobe: function!(b"MPI_Iprobe"),
        get_count: function!(b"MPI_Get_count"),
        recv: function!(b"MPI_Recv"),
        finalize: function!(b"MPI_Finalize"),
        abort: function!(b"MPI_Abort"),
    }
}

fn be_a_node(nodes: Nodes) {
    // SAFETY: nobody else calls the library.
    let library = unsafe { Library::open(functions(), &nodes, nodes.node.is_multiple_of(2)) }.unwrap();
    let ranks = nodes.ranks() / nodes.count();
    let host = format!("n{}.cluster", nodes.node);
    let numbering = nodes.numbering();
    let (names, programs, secret, commands) = ([0; 16], [0; 16], [0; 16], 1);
    let (has_cores, is_wide, is_checked, most) = (false, false, false, None);
    let mine =
        Greeting { ranks, numbering, has_cores, most, names, programs, commands, is_wide, is_checked, secret, host };
    let all = (0..nodes.count()).map(|node| Greeting { host: format!("n{node}.cluster"), ..mine.clone() });
    assert_eq!(library.greet(&mine).unwrap(), all.collect::<Vec<_>>());
    let has_figures = std::env::var_os("RANKINE_FIGURES").is_some();
    let ((left, results), mut library) =
        one_node(nodes.clone(), false, library, Limits::default(), &async |r: &Rank| {
            check(r, nodes.ranks() as i32).await;
            if has_figures {
                figures(r, &nodes).await;
            }
        });
    assert_eq!((left.end, left.why), (End::Finished, None));
    assert!(results.iter().all(Option::is_some));
    library.finalize();
}

fn fill(r: &Rank, bytes: usize) {
    let all: Vec<u8> = (0..bytes).map(|index| (index / 3 + r.id()) as u8).collect();
    r.memory().write_bytes(Addr(64), &all, "fill").unwrap();
}

fn holds(r: &Rank, bytes: usize, from: i32) {
    let all: Vec<u8> = (0..bytes).map(|index| (index / 3 + from as usize) as u8).collect();
    assert!(r.memory().read_bytes(OTHER, bytes as u64, "got").unwrap() == all);
}

/// Messages of every length to everybody from everybody, blocking, with wildcards, and in collectives.
async fn check(r: &Rank, ranks: i32) {
    let me = r.id() as i32;
    for bytes in [0, 1, 1024, 1025, 40_000, 1_000_000] {
        for step in 1..ranks {
            fill(r, bytes);
            let sent = isend(r, Addr(64), bytes as i64, BYTE, (me + step) % ranks, step, Comm::WORLD).unwrap();
            let status = recv(r, OTHER, bytes as i64, BYTE, MPI_ANY_SOURCE, step, Comm::WORLD).await.unwrap();
            wait(r, sent).await.unwrap();
            assert_eq!((status.source, status.bytes()), ((me + ranks - step) % ranks, bytes as u64));
            holds(r, bytes, status.source);
        }
    }
    let part = comm_split(r, Comm::WORLD, me % 2, 0).await.unwrap();
    assert_eq!(comm_size(r, part).unwrap(), (ranks + 1 - me % 2) / 2);
    for round in 0..50 {
        r.memory().write_i32(Addr(64), me + round, "mine").unwrap();
        coll::run(r, Comm::WORLD, |c| Allreduce::new(r, c, Addr(64), OTHER, 1, Datatype::INT, Op::SUM)).await.unwrap();
        assert_eq!(r.memory().read_i32(OTHER, "sum").unwrap(), ranks * (ranks - 1) / 2 + ranks * round);
    }
    let mut requests = Vec::new();
    for peer in (0..ranks).filter(|&peer| peer != me) {
        for tag in 0..100 {
            requests.push(irecv(r, Addr(OTHER.0 + tag * 8), 8, BYTE, peer, tag as i32, Comm::WORLD).unwrap());
            requests.push(isend(r, Addr(64), 8, BYTE, peer, tag as i32, Comm::WORLD).unwrap());
        }
    }
    waitall(r, &requests).await.unwrap();
    coll::run(r, Comm::WORLD, |c| Barrier::new(r, c)).await.unwrap();
}

async fn ping_pong(r: &Rank, other: i32, bytes: i64, rounds: u32) -> f64 {
    let first = (r.id() as i32) < other;
    let since = Instant::now();
    for _ in 0..rounds {
        if first {
            send(r, Addr(64), bytes, BYTE, other, 0, Comm::WORLD).await.unwrap();
        }
        recv(r, OTHER, bytes, BYTE, other, MPI_ANY_TAG, Comm::WORLD).await.unwrap();
        if !first {
            send(r, Addr(64), bytes, BYTE, other, 0, Comm::WORLD).await.unwrap();
        }
    }
    since.elapsed().as_secs_f64() * 5e5 / f64::from(rounds)
}

#[expect(clippy::disallowed_macros, reason = "a test may end where nobody reads")]
async fn figures(r: &Rank, nodes: &Nodes) {
    let each = (nodes.ranks() / nodes.count()) as i32;
    let me = r.id() as i32;
    let say = |what: &str, value: f64, unit: &str| {
        if me == 0 {
            println!("{what:<44} {value:>12.2} {unit}");
        }
    };
    for bytes in [8, 1024, 8192, 65536, 1 << 20] {
        let rounds = if bytes > 10_000 { 200 } else { 2000 };
        for (what, other) in [("inside a node", 1), ("between nodes", each)] {
            coll::run(r, Comm::WORLD, |c| Barrier::new(r, c)).await.unwrap();
            if me == 0 || me == other {
                let time = ping_pong(r, other - me, bytes, rounds).await;
                say(&format!("half a ping-pong of {bytes} bytes {what}"), time, "us");
            }
        }
    }
    const MANY: i32 = 20_000;
    coll::run(r, Comm::WORLD, |c| Barrier::new(r, c)).await.unwrap();
    let since = Instant::now();
    if me < each {
        for _ in 0..MANY {
            send(r, Addr(64), 8, BYTE, me + each, 0, Comm::WORLD).await.unwrap();
        }
        recv(r, OTHER, 8, BYTE, me + each, 1, Comm::WORLD).await.unwrap();
    } else if me < 2 * each {
        for _ in 0..MANY {
            recv(r, OTHER, 8, BYTE, me - each, 0, Comm::WORLD).await.unwrap();
        }
        send(r, Addr(64), 8, BYTE, me - each, 1, Comm::WORLD).await.unwrap();
    }
    let rate = f64::from(MANY) * f64::from(each) / since.elapsed().as_secs_f64() / 1e6;
    say(&format!("messages of 8 bytes from {each} ranks"), rate, "million a second");
    for (what, is_barrier) in [("a barrier", true), ("an allreduce of 8 bytes", false)] {
        let since = Instant::now();
        for _ in 0..2000 {
            if is_barrier {
                coll::run(r, Comm::WORLD, |c| Barrier::new(r, c)).await.unwrap();
            } else {
                coll::run(r, Comm::WORLD, |c| Allreduce::new(r, c, Addr(64), OTHER, 1, Datatype::INT64_T, Op::SUM))
                    .await
                    .unwrap();
            }
        }
        say(&format!("{what} of {} ranks", nodes.ranks()), since.elapsed().as_secs_f64() * 500.0, "us");
    }
}
