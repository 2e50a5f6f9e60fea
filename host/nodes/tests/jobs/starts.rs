//! Ranks that programs start on other nodes.

use rankine_abi::{Addr, Comm, MPI_ERR_SPAWN, MPI_SUCCESS};
use rankine_local::Rank;
use rankine_local::away::Nodes;
use rankine_local::comm::comm_remote_size;
use rankine_local::info::{info_create, info_set};
use rankine_local::pt2pt::recv;
use rankine_local::spawn::{Command, comm_spawn};
use rankine_nodes::{End, Frame, HEAD, Head, Wire};

use crate::node::{meet, one_node};
use crate::wire::Memory;
use crate::{BYTE, SMALL, SOON, finishes};

fn command(r: &Rank, name: &str, most: i32, host: &str, bytes: usize) -> Command {
    let info = info_create(r).unwrap();
    info_set(r, info, "host", host).unwrap();
    Command { name: name.into(), arguments: vec!["x".repeat(bytes)], most, info }
}

#[test]
fn ranks_start_where_host_says() {
    for (nodes, each) in [(2, 1), (2, 2), (3, 1)] {
        finishes(nodes, each, async |r| {
            let (me, own) = (r.id() as i32, r.world().nodes().unwrap().node);
            let all = (nodes * each) as i32;
            for to in 0..nodes {
                // All of them: the last one says it.
                let commands = || Ok(vec![command(r, "slow", 3, &format!("n{to}"), 50_000)]);
                let (children, codes) = comm_spawn(r, commands, all - 1, Comm::WORLD).await.unwrap();
                assert_eq!(codes, [MPI_SUCCESS; 3]);
                assert_eq!(comm_remote_size(r, children).unwrap(), 3);
                assert_eq!(meet(r, children, false).await, each as i32 + if to == own { 3 } else { 0 });
                // Each by itself, all at once.
                let host = format!("#{}", (own + to) % nodes);
                let commands = || Ok(vec![command(r, "quick", 2, &host, 9)]);
                let (children, _) = comm_spawn(r, commands, 0, Comm::SELF).await.unwrap();
                assert_eq!(meet(r, children, false).await, if to == 0 { 3 } else { 1 });
                // Some on each.
                let commands = || Ok((0..3).map(|n| command(r, "quick", n + 1, &format!("#{}", n % 2), 9)).collect());
                let (children, codes) = comm_spawn(r, commands, 0, Comm::WORLD).await.unwrap();
                assert_eq!(codes, [MPI_SUCCESS; 6]);
                let more = [4, 2].get(own as usize).copied().unwrap_or(0);
                assert_eq!(meet(r, children, false).await, each as i32 + more, "{me}");
            }
        });
    }
}

#[test]
fn where_one_can_not_start_none_does() {
    finishes(3, 1, async |r| {
        for (name, host) in [("missing", "#1"), ("missing", "#2"), ("quick", "#3"), ("quick", "m1")] {
            for root in 0..3 {
                let others = || (0..3).map(|node| command(r, "slow", 2, &format!("#{node}"), 9));
                let commands = || Ok(others().chain([command(r, name, 1, host, 9)]).collect());
                let error = comm_spawn(r, commands, root, Comm::WORLD).await.unwrap_err();
                assert_eq!(error.class, MPI_ERR_SPAWN);
                let is_root = r.id() as i32 == root;
                let words = match (name, is_root) {
                    (_, false) => "could start nothing",
                    ("missing", _) => "there is no such module",
                    _ => "but the job's hosts are n0.test, n1.test, n2.test (#0 to #2)",
                };
                assert!(error.text.contains(words), "{}", error.text);
                let is_far = name == "missing" && is_root && host != format!("#{root}");
                assert!(!is_far || error.text.contains(&format!("on node {} (n", &host[1..])), "{}", error.text);
            }
        }
    });
}

/// What comes of the calls of a node that starts ranks in a way that makes no sense.
fn answers(calls: &[(u64, &[u8])]) -> (End, String) {
    let mut wires = Memory::all(2, SOON).into_iter();
    let (mine, mut theirs) = (wires.next().unwrap(), wires.next().unwrap());
    let mut letter = vec![0; HEAD];
    Head { sequence: 0, returned: 0, costs: true }.write(&mut letter);
    for &(number, bytes) in calls {
        Frame::Call { number, bytes }.write(&mut letter);
    }
    theirs.send(0, &letter).unwrap();
    let waits = async |r: &Rank| recv(r, Addr(64), 1, BYTE, 1, 0, Comm::WORLD).await.unwrap();
    let ((left, _), _) = one_node(Nodes::even(0, 2, 1), false, mine, SMALL, &waits);
    (left.end, left.why.unwrap_or_default())
}

#[test]
fn who_starts_ranks_in_a_way_that_makes_no_sense_is_named() {
    let call = |step: u8, ranks: u64, said: &[u8]| [&[67, step, 0, 0][..], &ranks.to_le_bytes(), said].concat();
    let odd = [
        vec![(0, call(4, 1, &[]))],
        vec![(0, call(0, 1, &[]))],
        vec![(0, call(0, 0, &[1]))],
        vec![(7, call(0, 1, &[1]))],
        vec![(0, call(0, 1, &[1; (16 << 10) + 1]))],
        // Orders that are none.
        vec![(1, call(1, 1, &[]))],
        vec![(2, call(1, 1, &[]))],
        vec![(0, call(0, 1, &[255; 40])), (1, call(1, 1, &[]))],
        vec![(0, call(0, 1, &[0; 4])), (1, call(1, 1, &[]))],
        // Nobody stands ready.
        vec![(0, call(2, 1, &[]))],
        vec![(0, call(0, 1, &[1])), (0, call(2, 1, &[]))],
    ];
    for calls in odd {
        let calls: Vec<(u64, &[u8])> = calls.iter().map(|(number, bytes)| (*number, &bytes[..])).collect();
        let (end, why) = answers(&calls);
        assert_eq!(end, End::Broken { node: 1 }, "{calls:?}");
        assert!(why.contains("node 1 has sent what makes no sense: "), "{why}");
    }
}
