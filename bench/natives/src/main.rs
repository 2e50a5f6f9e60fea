//! Object graphs between two native processes, by serialisers of Rust over an MPI library with the standard ABI: the
//! first argument names one. `just bench objects` builds and runs it: see `bench/src/twins.rs`.

mod graphs;
mod mpi;

use graphs::{Graph, LISTS, MAPS, TREES, list, map, tree};

/// How a serialiser writes and reads a graph.
struct Codec {
    write: fn(&Graph) -> Vec<u8>,
    read: fn(&[u8]) -> Graph,
}

fn codec(name: &str) -> Option<Codec> {
    Some(match name {
        "postcard" => Codec {
            write: |graph| postcard::to_stdvec(graph).expect("a graph can be written"),
            read: |bytes| postcard::from_bytes(bytes).expect("what came is a graph"),
        },
        "bincode" => Codec {
            write: |graph| {
                bincode::serde::encode_to_vec(graph, bincode::config::standard()).expect("a graph can be written")
            },
            read: |bytes| {
                bincode::serde::decode_from_slice(bytes, bincode::config::standard()).expect("what came is a graph").0
            },
        },
        "rkyv" => Codec {
            write: |graph| rkyv::to_bytes::<rkyv::rancor::Error>(graph).expect("a graph can be written").to_vec(),
            read: |bytes| {
                let mut aligned = rkyv::util::AlignedVec::<16>::with_capacity(bytes.len());
                aligned.extend_from_slice(bytes);
                rkyv::from_bytes::<Graph, rkyv::rancor::Error>(&aligned).expect("what came is a graph")
            },
        },
        _ => return None,
    })
}

/// Half a round trip: rank 1 sends back what it received.
fn measure(what: &str, size: usize, (rank, ranks): (i32, i32), codec: &Codec, make: impl Fn() -> Graph) {
    let rounds = if size < 100 {
        3000
    } else if size < 2000 {
        500
    } else {
        100
    };
    let mut best = f64::INFINITY;
    if ranks == 1 {
        // The work of both ends alone.
        let graph = make();
        for _ in 0..rounds {
            let start = mpi::time();
            drop((codec.read)(&(codec.write)(&graph)));
            best = best.min(mpi::time() - start);
        }
        println!("{{\"what\":\"{what}\",\"bytes\":{size},\"seconds\":{best:e}}}");
        return;
    }
    for _ in 0..5 {
        let mut graph = make();
        let start = mpi::time();
        for _ in 0..rounds {
            if rank == 0 {
                mpi::send(&(codec.write)(&graph), 1);
            }
            graph = (codec.read)(&mpi::receive(1 - rank));
            if rank == 1 {
                mpi::send(&(codec.write)(&graph), 0);
            }
        }
        best = best.min((mpi::time() - start) / f64::from(rounds) / 2.0);
        assert_eq!(graph.objects(), make().objects());
    }
    if rank == 0 {
        println!("{{\"what\":\"{what}\",\"bytes\":{size},\"seconds\":{best:e}}}");
    }
}

fn run() {
    let name = std::env::args().nth(1).unwrap_or_default();
    let Some(codec) = codec(&name) else {
        eprintln!("{name:?} is none of postcard, bincode, rkyv");
        std::process::exit(2);
    };
    let place = mpi::start();
    for size in LISTS {
        measure("list", size, place, &codec, || list(size));
    }
    for size in MAPS {
        measure("map", size, place, &codec, || map(size));
    }
    for size in TREES {
        measure("tree", size, place, &codec, || tree(size));
    }
    mpi::end();
}

fn main() {
    // A chain of 8192 boxes is read and dropped by recursion.
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(run).expect("a thread can be started");
    if thread.join().is_err() {
        std::process::exit(1);
    }
}
