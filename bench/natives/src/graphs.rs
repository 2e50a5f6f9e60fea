//! The graphs of `bench/programs/graphs.h`, as Rust programs hold them. Serialisers know no sharing, so roads name
//! towns by number.

use rkyv::{Archive, Deserialize as FromArchive, Serialize as ToArchive};
use serde::{Deserialize, Serialize};

pub const LISTS: [usize; 8] = [1, 8, 64, 512, 1024, 2048, 4096, 8192];
pub const MAPS: [usize; 3] = [10, 100, 500];
pub const TREES: [usize; 1] = [1000];
const LIST_BYTES: usize = 4096;

#[derive(Serialize, Deserialize, Archive, ToArchive, FromArchive)]
pub enum Graph {
    List(Vec<Vec<u8>>),
    Map(Vec<Town>),
    Tree(Option<Box<Leaf>>),
}

#[derive(Serialize, Deserialize, Archive, ToArchive, FromArchive)]
pub struct Town {
    id: i32,
    x: f64,
    y: f64,
    roads: Vec<Box<Road>>,
}

#[derive(Serialize, Deserialize, Archive, ToArchive, FromArchive)]
pub struct Road {
    length: i32,
    to: u32,
}

#[derive(Serialize, Deserialize, Archive, ToArchive, FromArchive)]
#[rkyv(serialize_bounds(__S: rkyv::ser::Writer + rkyv::ser::Allocator, __S::Error: rkyv::rancor::Source))]
#[rkyv(deserialize_bounds(__D::Error: rkyv::rancor::Source))]
#[rkyv(bytecheck(bounds(__C: rkyv::validation::ArchiveContext, __C::Error: rkyv::rancor::Source)))]
pub struct Leaf {
    value: f64,
    #[rkyv(omit_bounds)]
    left: Option<Box<Leaf>>,
    #[rkyv(omit_bounds)]
    right: Option<Box<Leaf>>,
}

/// A list of elements that own their data; a chain of boxes would be too deep for serialisers, which recurse.
pub fn list(elements: usize) -> Graph {
    let end = |element: usize| element * LIST_BYTES / elements;
    Graph::List((0..elements).map(|element| vec![element as u8; end(element + 1) - end(element)]).collect())
}

pub fn map(towns: usize) -> Graph {
    let all = match towns {
        10 => 19,
        100 => 255,
        _ => 1260,
    };
    let town = |i: usize| {
        let roads = (0..(i + 1) * all / towns - i * all / towns).map(|j| {
            let mixed = (i as u32).wrapping_mul(2_654_435_761).wrapping_add((j as u32).wrapping_mul(40503));
            Box::new(Road { length: (i + j) as i32, to: (mixed >> 8) % towns as u32 })
        });
        Town { id: i as i32, x: i as f64 * 0.5, y: i as f64 * 0.25, roads: roads.collect() }
    };
    Graph::Map((0..towns).map(town).collect())
}

pub fn tree(nodes: usize) -> Graph {
    fn leaf(first: usize, nodes: usize) -> Option<Box<Leaf>> {
        (first <= nodes).then(|| {
            let (left, right) = (leaf(2 * first, nodes), leaf(2 * first + 1, nodes));
            Box::new(Leaf { value: first as f64, left, right })
        })
    }
    Graph::Tree(leaf(1, nodes))
}

impl Graph {
    /// How many objects there are: what came is as much as was sent.
    pub fn objects(&self) -> usize {
        fn leaves(leaf: &Option<Box<Leaf>>) -> usize {
            leaf.as_ref().map_or(0, |leaf| 1 + leaves(&leaf.left) + leaves(&leaf.right))
        }
        match self {
            Graph::List(list) => list.iter().map(|data| 1 + data.len()).sum(),
            Graph::Map(towns) => towns.iter().map(|town| 1 + town.roads.len()).sum(),
            Graph::Tree(tree) => leaves(tree),
        }
    }
}
