//! Clusters of plain values: lists and rings that travel as they are.

use rankine::{Cluster, Communicator, Link, Plain, Result};

#[derive(Clone, Copy, Plain, Default, Debug, PartialEq)]
#[repr(C)]
struct Town {
    at: [f64; 2],
    roads: [Link<Road>; 3],
    number: u32,
}

#[derive(Clone, Copy, Plain, Default, Debug, PartialEq)]
#[repr(C)]
struct Road {
    from: Link<Town>,
    to: Link<Town>,
    length: f64,
}

/// Towns around a circle, each with a road to the next and the one from the last.
fn circle(cluster: &mut Cluster, count: u32) {
    let new = |number| Town { at: [f64::from(number), -1.0], number, ..Town::default() };
    let towns: Vec<_> = (0..count).map(|number| cluster.add(new(number))).collect();
    for (index, &from) in towns.iter().enumerate() {
        let to = towns[(index + 1) % towns.len()];
        let road = cluster.add(Road { from, to, length: index as f64 });
        cluster[from].roads[0] = road;
        cluster[to].roads[1] = road;
    }
    cluster.set_root(towns[0]);
}

fn check_circle(cluster: &Cluster, count: u32) {
    let first = cluster.root::<Town>();
    let mut at = first;
    for number in 0..count {
        let town = cluster[at];
        assert_eq!((town.number, town.at), (number, [f64::from(number), -1.0]));
        assert!(town.roads[2].is_nothing() && cluster.get(town.roads[2]).is_none());
        let road = cluster[town.roads[0]];
        assert_eq!((road.from, road.length), (at, f64::from(number)));
        assert_eq!(cluster[road.to].roads[1], town.roads[0]);
        at = road.to;
    }
    assert_eq!(at, first);
}

pub fn check(world: &Communicator) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
    let mut cluster = Cluster::with_capacity(1 << 16);
    for count in [1, 50, 2000] {
        cluster.reset();
        if rank == 0 {
            circle(&mut cluster, count);
            if size > 1 {
                cluster.send(world, next, 20)?;
                cluster.receive(world, before, 20)?;
            }
        } else {
            cluster.receive(world, before, 20)?;
            cluster.send(world, next, 20)?;
        }
        check_circle(&cluster, count);
        assert_eq!(cluster.size(), 8 + count as usize * (size_of::<Town>() + size_of::<Road>()));
    }
    if rank == 0 {
        cluster.reset();
        circle(&mut cluster, 7);
    }
    cluster.broadcast(world, 0)?;
    check_circle(&cluster, 7);

    // Links are checked where they are followed: of another cluster, or as a sender that lies may have them.
    let mut small = Cluster::new();
    assert!(small.root::<Town>().is_nothing() && small.get(cluster.root::<Town>()).is_none());
    let number = small.add(u32::MAX);
    small.set_root(number);
    assert!(small.get(small.root::<Town>()).is_none());
    assert_eq!(small.get(small.root::<u64>()), Some(&u64::from(u32::MAX)));
    Ok(())
}
