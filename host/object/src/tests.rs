//! Graphs in a memory of the test's own: walked, damaged, decoded.

use proptest::prelude::*;

use super::*;

const SIZE: usize = 1 << 16;
/// A node: kind, count, a reference (or data), a weak one, an array of references, a text.
const NODE: u32 = 24;

/// A rank without a guest: a memory, and a type of nodes.
struct Lone {
    memory: Memory,
    objects: Objects,
    node: u32,
}

impl Lone {
    fn new() -> Lone {
        let bytes = Box::leak(vec![0u64; SIZE / 8].into_boxed_slice());
        let memory = Memory::new();
        // SAFETY: leaked, so it stays.
        unsafe { memory.set(bytes.as_mut_ptr().cast(), SIZE as u64) };
        let objects = Objects::default();
        let node = objects.declare("node", NODE as i32, 4).unwrap();
        let to = node as i32;
        let int = rankine_abi::Datatype::INT32_T.0 as i32;
        let field = |name: &str, words| (name.into(), words);
        let fields = vec![
            field("next", [1, 8, to, 1, -1, -1, 0, 1]),
            field("data", [2, 8, int, 0, 4, -1, 0, 2]),
            field("weak", [0x401, 12, to, 1, -1, -1, -1, 0]),
            field("many", [3, 16, to, 0, 4, -1, -1, 0]),
            field("text", [4, 20, 0, 0, -1, -1, -1, 0]),
        ];
        objects.define(node, fields).unwrap();
        Lone { memory, objects, node }
    }

    fn at(index: usize) -> u32 {
        4096 + index as u32 * 64
    }

    fn put(&self, at: u32, value: u32) {
        self.memory.write_i32(Addr(at), value as i32, "a word of the test").unwrap();
    }

    /// Makes a graph of as many nodes as there are entries: what each refers to.
    fn fill(&self, nodes: &[(u32, u8, u8, u8)]) -> Roots {
        let refer = |to: u8| if to.is_multiple_of(5) { 0 } else { Lone::at(to as usize % nodes.len()) };
        for (index, &(kind, next, weak, many)) in nodes.iter().enumerate() {
            let at = Lone::at(index);
            let (array, text) = (40_000 + u32::from(many) * 8, 60_000 + index as u32 * 8);
            let first = if kind == 2 { array } else { refer(next) };
            for (offset, value) in [(0, kind), (4, 2), (8, first), (12, refer(weak)), (16, array), (20, text)] {
                self.put(at + offset, value);
            }
            // Arrays of ints and of references may not share: so an int's array lies elsewhere.
            if kind == 2 {
                self.put(at + 8, 50_000 + u32::from(many) * 8);
            }
            self.put(array, refer(next));
            self.put(array + 4, refer(weak));
            self.put(text, 0x0041_4141 >> (8 * (index % 4)));
        }
        self.put(16, Lone::at(0));
        Roots { at: Addr(16), count: 1, plan: self.objects.plan(self.node).unwrap() }
    }
}

fn nodes() -> impl Strategy<Value = Vec<(u32, u8, u8, u8)>> {
    prop::collection::vec((0..3u32, any::<u8>(), any::<u8>(), any::<u8>()), 1..100)
}

proptest! {
    #[test]
    fn an_honest_image_is_accepted(nodes in nodes()) {
        let lone = Lone::new();
        let roots = lone.fill(&nodes);
        let image = lone.objects.image(&lone.memory, &roots).unwrap();
        let header = Header::read(&image).unwrap();
        let (entries, count) = lone.objects.open(image, lone.node).unwrap();
        prop_assert_eq!((entries.len() as u32 / 3, count), (header.objects, 1));
    }

    #[test]
    fn a_damaged_image_does_no_harm(
        nodes in nodes(),
        damage in prop::collection::vec((any::<u16>(), any::<u8>(), any::<bool>()), 1..6),
        cut in prop::option::of(any::<u16>()),
    ) {
        let lone = Lone::new();
        let roots = lone.fill(&nodes);
        let mut image = lone.objects.image(&lone.memory, &roots).unwrap();
        for (at, value, is_small) in damage {
            // Mostly behind the header, and mostly numbers that references and counts may be.
            let at = if is_small { HEADER + at as usize % (image.len() - HEADER) } else { at as usize % image.len() };
            image[at] = if is_small { value % 16 } else { value };
        }
        if let Some(cut) = cut {
            image.truncate(cut as usize % (image.len() + 1));
        }
        let length = image.len() as i64;
        if let Ok((entries, _)) = lone.objects.open(image, lone.node) {
            for entry in entries.as_chunks::<3>().0 {
                prop_assert!(i64::from(entry[0]) >= HEADER as i64 && i64::from(entry[0]) < length);
            }
        }
    }

    #[test]
    fn any_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..400), objects in 0..20u32, roots in 0..5u32) {
        let lone = Lone::new();
        let mut image = vec![0; HEADER];
        image.extend(bytes.iter().map(|byte| byte % 8));
        let head = lone.objects.seal(image.len() as u32, objects, roots, lone.node).unwrap();
        image[..HEADER].copy_from_slice(&head);
        let _ = lone.objects.open(image, lone.node);
    }
}
