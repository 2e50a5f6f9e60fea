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
        self.objects.roots(16, 1, self.node as i32).unwrap()
    }
}

fn nodes() -> impl Strategy<Value = Vec<(u32, u8, u8, u8)>> {
    prop::collection::vec((0..3u32, any::<u8>(), any::<u8>(), any::<u8>()), 1..100)
}

proptest! {
    #[test]
    fn an_image_has_nothing_of_what_lay_there_before(nodes in nodes(), junk in prop::collection::vec(any::<u8>(), 0..5000)) {
        let lone = Lone::new();
        let roots = lone.fill(&nodes);
        let noted = |image: Parcel| {
            let walked = image.knowledge.map(|known| known.downcast::<Walked>().expect("a walk has noted it").outline);
            (image.bytes, walked.map(|outline| (outline.sizes, outline.references)))
        };
        let first = noted(lone.objects.image(&lone.memory, &roots).unwrap());
        let outline = decode::Outline { sizes: vec![7; 9], references: vec![3; 11], ..decode::Outline::default() };
        lone.objects.walk.borrow_mut().keep(junk, outline);
        prop_assert_eq!(first, noted(lone.objects.image(&lone.memory, &roots).unwrap()));
    }

    #[test]
    fn an_honest_image_is_accepted(nodes in nodes()) {
        let lone = Lone::new();
        let roots = lone.fill(&nodes);
        let image = lone.objects.image(&lone.memory, &roots).unwrap().bytes;
        let header = Header::read(&image).unwrap();
        let (entries, count) = lone.objects.open(image, lone.node).unwrap();
        prop_assert_eq!((entries.len() as u32 / 3, count), (header.objects, 1));
    }

    #[test]
    fn a_walk_notes_what_a_check_finds(nodes in nodes()) {
        let lone = Lone::new();
        let roots = lone.fill(&nodes);
        let Parcel { mut bytes, knowledge } = lone.objects.image(&lone.memory, &roots).unwrap();
        let noted = knowledge.expect("no node is part of another").downcast::<Walked>().unwrap().outline;
        let found = decode::decode(&mut bytes, &roots.plan, &Limits::default()).unwrap();
        prop_assert_eq!((noted.count, noted.roots, noted.body), (found.count, found.roots, found.body));
        prop_assert_eq!(noted.sizes, found.sizes);
        prop_assert_eq!(noted.references, found.references);
    }

    #[test]
    fn a_damaged_image_does_no_harm(
        nodes in nodes(),
        damage in prop::collection::vec((any::<u16>(), any::<u8>(), any::<bool>()), 1..6),
        cut in prop::option::of(any::<u16>()),
    ) {
        let lone = Lone::new();
        let roots = lone.fill(&nodes);
        let mut image = lone.objects.image(&lone.memory, &roots).unwrap().bytes;
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

/// Descriptors, as a program in Fortran has them: where they lie in a node of theirs, rank, bytes of an element, and
/// whether there is a table of the type.
const FORTRAN: [(u32, u32, u32, bool); 6] = [
    (8, 0, SCRIPT, true),
    (48, 1, SCRIPT, true),
    (112, 2, 8, false),
    (184, 0, 0, false),
    (208, 0, SCRIPT, true),
    (248, 0, SCRIPT, true),
];
/// Bytes of such a node.
const SCRIPT: u32 = 288;

fn kind((_, rank, _, has_table): (u32, u32, u32, bool)) -> u32 {
    rank | 1 << 16 | if has_table { 1 << 24 } else { 0 }
}

impl Lone {
    fn of_fortran() -> Lone {
        let Lone { memory, objects, .. } = Lone::new();
        let node = objects.declare("script", SCRIPT as i32, 8).unwrap();
        let targets = [node, node, rankine_abi::Datatype::DOUBLE.0, rankine_abi::Datatype::CHAR.0, node, 0];
        let fields = FORTRAN.iter().zip(targets).enumerate().map(|(index, (&field, to))| {
            let weak = if index == 4 { 0x400 } else { 0 };
            let (offset, rank, length, _) = field;
            let words = [7 | weak, offset, to, rank, length, 7, kind(field), 0x99].map(|word| word as i32);
            (format!("f{index}").into(), words)
        });
        objects.define(node, fields.collect()).unwrap();
        Lone { memory, objects, node }
    }

    fn script(index: usize) -> u32 {
        4096 + index as u32 * SCRIPT
    }

    /// Nodes from what each of their descriptors refers to; strides and words that say nothing are left as anything.
    fn write(&self, nodes: &[[u8; 6]]) -> Roots {
        for (index, choices) in nodes.iter().enumerate() {
            for (&field, &choice) in FORTRAN.iter().zip(choices) {
                let (offset, rank, length, _) = field;
                let at = Lone::script(index) + offset;
                let target = match length {
                    SCRIPT => Lone::script(choice as usize % nodes.len()),
                    8 => 40_000 + u32::from(choice) * 64,
                    _ => 60_000 + u32::from(choice) * 8,
                };
                let length = if length == 0 { u32::from(choice % 6) } else { length };
                self.put(at, if choice % 4 == 0 { 0 } else { target });
                self.put(at + 4, 0x5555);
                for (offset, value) in [(8, length), (12, 0), (16, 7), (20, kind(field))] {
                    self.put(at + offset, value);
                }
                let mut stride = length;
                for dimension in 0..rank {
                    let extent = u32::from(choice >> (2 * dimension)) % 3;
                    let extent = if rank == 1 {
                        extent.min(nodes.len() as u32 - choice as u32 % nodes.len() as u32)
                    } else {
                        extent
                    };
                    let at = at + 24 + dimension * 24;
                    let words = [choice.into(), 0, extent, 0, if extent == 1 { 3 } else { stride }, 0];
                    words.iter().zip(0..).for_each(|(&word, index)| self.put(at + index * 4, word));
                    stride *= extent;
                }
                self.put(at + 24 + rank * 24, 0x99);
            }
        }
        self.put(16, Lone::script(0));
        self.objects.roots(16, 1, self.node as i32).unwrap()
    }
}

proptest! {
    #[test]
    fn descriptors_leave_a_walk_as_a_check_wants_them(nodes in prop::collection::vec(any::<[u8; 6]>(), 1..60)) {
        let lone = Lone::of_fortran();
        let roots = lone.write(&nodes);
        let Ok(Parcel { mut bytes, knowledge }) = lone.objects.image(&lone.memory, &roots) else {
            // Parts of arrays that overlap without an array around them.
            return Ok(());
        };
        let made = bytes.clone();
        let found = decode::decode(&mut bytes, &roots.plan, &Limits::default()).unwrap();
        prop_assert!(made == bytes, "a check changes nothing");
        if let Some(knowledge) = knowledge {
            let noted = knowledge.downcast::<Walked>().unwrap().outline;
            prop_assert_eq!((noted.sizes, noted.references), (found.sizes, found.references));
        }
    }
}
