//! Random graphs with sharing, cycles, weak references and owned parts go around a ring: what comes back is the same
//! graph.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use rankine::{Communicator, Result, Transportable};

#[derive(Transportable)]
#[transport]
enum Link {
    Nothing,
    To(Rc<Node>),
    Pair(Rc<Node>, Box<Link>),
    Many(Vec<Option<Rc<Node>>>),
    Data(Vec<f64>, String),
}

#[derive(Transportable)]
#[transport]
struct Node {
    id: u32,
    link: RefCell<Link>,
    parts: [RefCell<Option<Rc<Node>>>; 2],
    weak: RefCell<Weak<Node>>,
    shared: Arc<Vec<u16>>,
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn one<'a>(&mut self, nodes: &'a [Rc<Node>]) -> &'a Rc<Node> {
        &nodes[self.below(nodes.len())]
    }

    fn maybe(&mut self, nodes: &[Rc<Node>]) -> Option<Rc<Node>> {
        (self.below(3) > 0).then(|| self.one(nodes).clone())
    }

    fn link(&mut self, nodes: &[Rc<Node>], depth: usize) -> Link {
        match self.below(5) {
            1 => Link::To(self.one(nodes).clone()),
            2 if depth < 3 => Link::Pair(self.one(nodes).clone(), Box::new(self.link(nodes, depth + 1))),
            3 => Link::Many((0..self.below(6)).map(|_| self.maybe(nodes)).collect()),
            4 => {
                let data = (0..self.below(9)).map(|index| index as f64 / 3.0).collect();
                Link::Data(data, "ß".repeat(self.below(4)))
            }
            _ => Link::Nothing,
        }
    }

    /// A graph of which every node can be reached from the first.
    fn graph(&mut self, count: usize) -> Vec<Rc<Node>> {
        let shared: Vec<_> = (0..4).map(|n| Arc::new(vec![7; n])).collect();
        let new = |id: usize| {
            let shared = shared[id % 4].clone();
            let (link, weak) = (RefCell::new(Link::Nothing), RefCell::default());
            Rc::new(Node { id: id as u32, link, parts: Default::default(), weak, shared })
        };
        let nodes: Vec<_> = (0..count).map(new).collect();
        for (index, node) in nodes.iter().enumerate() {
            *node.link.borrow_mut() = self.link(&nodes, 0);
            *node.parts[0].borrow_mut() = nodes.get(index + 1).cloned();
            *node.parts[1].borrow_mut() = self.maybe(&nodes);
            if self.below(2) == 0 {
                *node.weak.borrow_mut() = Rc::downgrade(self.one(&nodes));
            }
        }
        nodes
    }
}

/// A description that does not depend on addresses: nodes and shared data by the order in which they are met.
#[derive(Default)]
struct Canon {
    met: Vec<Rc<Node>>,
    numbers: HashMap<*const Node, usize>,
    shared: Vec<*const Vec<u16>>,
    words: Vec<String>,
}

impl Canon {
    fn of(root: &Rc<Node>) -> Canon {
        let mut canon = Canon::default();
        canon.meet(root);
        let mut next = 0;
        while let Some(node) = canon.met.get(next).cloned() {
            let word = format!("{} {}", node.id, canon.shared(&node.shared));
            canon.words.push(word);
            canon.link(&node.link.borrow());
            for part in &node.parts {
                canon.maybe(part.borrow().as_ref());
            }
            next += 1;
        }
        for node in canon.met.clone() {
            let weak = node.weak.borrow().upgrade().map(|node| canon.numbers[&Rc::as_ptr(&node)]);
            canon.words.push(format!("weak {weak:?}"));
        }
        canon
    }

    fn meet(&mut self, node: &Rc<Node>) {
        let new = self.met.len();
        let number = *self.numbers.entry(Rc::as_ptr(node)).or_insert(new);
        if number == new {
            self.met.push(node.clone());
        }
        self.words.push(format!("node {number}"));
    }

    fn maybe(&mut self, node: Option<&Rc<Node>>) {
        match node {
            Some(node) => self.meet(node),
            None => self.words.push("none".into()),
        }
    }

    fn shared(&mut self, data: &Arc<Vec<u16>>) -> String {
        let at = Arc::as_ptr(data);
        let number = self.shared.iter().position(|&known| known == at).unwrap_or_else(|| {
            self.shared.push(at);
            self.shared.len() - 1
        });
        format!("data {number} {data:?}")
    }

    fn link(&mut self, link: &Link) {
        match link {
            Link::Nothing => self.words.push("nothing".into()),
            Link::To(node) => self.meet(node),
            Link::Pair(node, rest) => {
                self.meet(node);
                self.link(rest);
            }
            Link::Many(nodes) => nodes.iter().for_each(|node| self.maybe(node.as_ref())),
            Link::Data(numbers, text) => self.words.push(format!("{numbers:?} {text}")),
        }
    }
}

/// Cycles of `Rc` go only if somebody cuts them.
fn cut(nodes: &[Rc<Node>]) {
    for node in nodes {
        *node.link.borrow_mut() = Link::Nothing;
        node.parts.iter().for_each(|part| *part.borrow_mut() = None);
    }
}

pub fn around(world: &Communicator) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
    for round in 0..40 {
        let mut random = Random(round * 1000 + rank as u64);
        let count = 1 + random.below(80);
        let nodes = random.graph(count);
        let canon = Canon::of(&nodes[0]);
        let mut travelling = nodes[0].clone();
        for hop in 0..size {
            let came: Rc<Node> = world.exchange(&travelling, next, before, hop)?;
            let met = Canon::of(&came).met;
            if hop > 0 {
                cut(&Canon::of(&travelling).met);
            }
            assert!(met.iter().all(|node| Rc::strong_count(node) > 1));
            travelling = came;
        }
        let back = Canon::of(&travelling);
        assert_eq!(back.words, canon.words, "round {round}");
        let gone = Rc::downgrade(&back.met[back.met.len() - 1]);
        cut(&back.met);
        drop((back, travelling));
        assert!(gone.upgrade().is_none(), "what came is dropped as usual");
        cut(&nodes);
    }
    Ok(())
}
