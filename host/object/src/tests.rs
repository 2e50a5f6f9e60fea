//! Graphs in a memory of the test's own: walked, damaged, decoded.

use proptest::prelude::*;

use super::*;

const SIZE: usize = 1 << 16;

/// A rank without a guest: a memory, and a type of nodes: kind, count, a reference (or data), a weak one, an array of references, a
/// text.
struct Lone {
    memory: Memory,
    objects: Objects,
    node: u32,
    /// Bytes of a reference.
    reference: u32,
}

impl Lone {
    fn new() -> Lone {
        Lone::of(false)
    }

    /// One with references of 64 bits, or of 32.
    fn of(is_wide: bool) -> Lone {
        let bytes = Box::leak(vec![0u64; SIZE / 8].into_boxed_slice());
        let memory = Memory::new();
        // SAFETY: leaked, so it stays.
        unsafe { memory.set(bytes.as_mut_ptr().cast(), SIZE as u64) };
        let objects = Objects::new(&Account::new(None));
        if is_wide {
            objects.widen();
        }
        let reference = if is_wide { types::WIDE_REFERENCE } else { types::REFERENCE };
        let [next, weak, many, text] = [0, 1, 2, 3].map(|number| Lone::offset(reference, number) as i32);
        let node = objects.declare("node", text + reference as i32, reference as i32).unwrap();
        let to = node as i32;
        let int = rankine_abi::Datatype::INT32_T.0 as i32;
        let field = |name: &str, words| (name.into(), words);
        let fields = vec![
            field("next", [1, next, to, 1, -1, -1, 0, 1]),
            field("data", [2, next, int, 0, 4, -1, 0, 2]),
            field("weak", [0x401, weak, to, 1, -1, -1, -1, 0]),
            field("many", [3, many, to, 0, 4, -1, -1, 0]),
            field("text", [4, text, 0, 0, -1, -1, -1, 0]),
        ];
        objects.define(node, fields).unwrap();
        Lone { memory, objects, node, reference }
    }

    /// Where a reference of a node lies.
    fn offset(reference: u32, number: u32) -> u32 {
        8 + number * reference
    }

    fn at(index: usize) -> u32 {
        4096 + index as u32 * 64
    }

    fn put(&self, at: u32, value: u32) {
        self.memory.write_i32(Addr(at.into()), value as i32, "a word of the test").unwrap();
    }

    /// Makes a graph of as many nodes as there are entries: what each refers to.
    fn fill(&self, nodes: &[(u32, u8, u8, u8)]) -> Roots {
        let refer = |to: u8| if to.is_multiple_of(5) { 0 } else { Lone::at(to as usize % nodes.len()) };
        let place = |number| Lone::offset(self.reference, number);
        for (index, &(kind, next, weak, many)) in nodes.iter().enumerate() {
            let at = Lone::at(index);
            let (array, text) = (40_000 + u32::from(many) * 2 * self.reference, 60_000 + index as u32 * 8);
            let first = if kind == 2 { array } else { refer(next) };
            for (offset, value) in
                [(0, kind), (4, 2), (place(0), first), (place(1), refer(weak)), (place(2), array), (place(3), text)]
            {
                self.put(at + offset, value);
            }
            // Arrays of ints and of references may not share: so an int's array lies elsewhere.
            if kind == 2 {
                self.put(at + place(0), 50_000 + u32::from(many) * 8);
            }
            self.put(array, refer(next));
            self.put(array + self.reference, refer(weak));
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
    fn an_image_has_nothing_of_what_lay_there_before(wide in any::<bool>(), nodes in nodes(), junk in prop::collection::vec(any::<u8>(), 0..5000)) {
        let lone = Lone::of(wide);
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
    fn an_honest_image_is_accepted(wide in any::<bool>(), nodes in nodes()) {
        let lone = Lone::of(wide);
        let roots = lone.fill(&nodes);
        let image = lone.objects.image(&lone.memory, &roots).unwrap().bytes;
        let header = Header::read(&image).unwrap();
        let (entries, count) = lone.objects.open(image, lone.node).unwrap();
        prop_assert_eq!((entries.len() as u32 / 3, count), (header.objects, 1));
    }

    #[test]
    fn a_walk_notes_what_a_check_finds(wide in any::<bool>(), nodes in nodes()) {
        let lone = Lone::of(wide);
        let roots = lone.fill(&nodes);
        let Parcel { mut bytes, knowledge, .. } = lone.objects.image(&lone.memory, &roots).unwrap();
        let noted = knowledge.expect("no node is part of another").downcast::<Walked>().unwrap().outline;
        let found = decode::decode(&mut bytes, &roots.plan, &Limits::default(), &Account::new(None)).unwrap();
        prop_assert_eq!((noted.count, noted.roots, noted.body), (found.count, found.roots, found.body));
        prop_assert_eq!(noted.sizes, found.sizes);
        prop_assert_eq!(noted.references, found.references);
    }

    #[test]
    fn a_damaged_image_does_no_harm(
        wide in any::<bool>(),
        nodes in nodes(),
        damage in prop::collection::vec((any::<u16>(), any::<u8>(), any::<bool>()), 1..6),
        cut in prop::option::of(any::<u16>()),
    ) {
        let lone = Lone::of(wide);
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
        Lone { memory, objects, node, reference: types::REFERENCE }
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
        let Ok(Parcel { mut bytes, knowledge, .. }) = lone.objects.image(&lone.memory, &roots) else {
            // Parts of arrays that overlap without an array around them.
            return Ok(());
        };
        let made = bytes.clone();
        let found = decode::decode(&mut bytes, &roots.plan, &Limits::default(), &Account::new(None)).unwrap();
        prop_assert!(made == bytes, "a check changes nothing");
        if let Some(knowledge) = knowledge {
            let noted = knowledge.downcast::<Walked>().unwrap().outline;
            prop_assert_eq!((noted.sizes, noted.references), (found.sizes, found.references));
        }
    }
}

/// A forged image of a graph of the test's nodes: aliases, and the body as words.
fn forged(lone: &Lone, objects: u32, aliases: &[[u32; 5]], body: &[u32]) -> Vec<u8> {
    let mut image = vec![0; HEADER];
    image.extend(aliases.as_flattened().iter().chain(body).flat_map(|word| word.to_le_bytes()));
    let head = lone.objects.seal(image.len() as u32, objects, 1, lone.node).unwrap();
    image[..HEADER].copy_from_slice(&head);
    image[32..36].copy_from_slice(&(aliases.len() as u32).to_le_bytes());
    image
}

/// What is wrong with it.
fn flaw(lone: &Lone, mut image: Vec<u8>) -> String {
    let plan = lone.objects.plan(lone.node).unwrap();
    decode::decode(&mut image, &plan, &Limits::default(), &Account::new(None)).expect_err("it is refused").to_string()
}

/// The shape of nodes, ints, references and text in the plan of nodes.
const SHAPES: [u32; 4] = [0, 1, 2, 3];

#[test]
fn aliases_of_aliases_are_refused_and_not_followed() {
    let lone = Lone::new();
    const MANY: u32 = 1 << 18;
    let chain: Vec<_> = (0..MANY).map(|number| [number, number + 1, 0, SHAPES[0], 1]).collect();
    assert!(flaw(&lone, forged(&lone, MANY, &chain, &[1])).contains("part of an alias"));
    let ring = [[0, 1, 0, SHAPES[0], 1], [1, 0, 0, SHAPES[0], 1]];
    assert!(flaw(&lone, forged(&lone, 2, &ring, &[1])).contains("part of an alias"));
}

#[test]
fn aliases_come_in_their_order_each_once() {
    let lone = Lone::new();
    for numbers in [[1, 0], [0, 0]] {
        let aliases = numbers.map(|number| [number, 2, 0, SHAPES[0], 1]);
        assert!(flaw(&lone, forged(&lone, 3, &aliases, &[1, 1, 0, 2, 0, 0, 0])).contains("order of their numbers"));
    }
}

#[test]
fn a_string_is_no_part_of_anything() {
    let lone = Lone::new();
    // A node whose text is said to be the last byte of another text, which has no end.
    let node = [1, 0, 0, 0, 0, 2];
    let text = [1, 2, 0, SHAPES[3], 4];
    let body: Vec<u32> = [1].into_iter().chain(node).chain([0x4141_4141]).collect();
    assert!(flaw(&lone, forged(&lone, 3, &[text], &body)).contains("a string"));
    // The same as a part of the node itself.
    let part = [1, 0, 4, SHAPES[0], 1];
    assert!(flaw(&lone, forged(&lone, 2, &[part], &body)).contains("a string"));
}

#[test]
fn a_weak_reference_introduces_nothing_but_parts_of_what_is_there() {
    let lone = Lone::new();
    let body = |weak: u32| [1, 1, 0, 0, weak, 0, 0];
    let decode = |aliases: &[[u32; 5]], weak| flaw(&lone, forged(&lone, 2, aliases, &body(weak)));
    assert!(decode(&[], 2).contains("a weak reference is to nothing"));
    assert!(decode(&[[1, 0, 0, SHAPES[0], 1]], 3).contains("a weak reference is to nothing"));
    assert!(decode(&[[1, 1, 0, SHAPES[0], 1]], 2).contains("not there"));
    assert!(decode(&[[1, 0, 4, SHAPES[0], 1]], 2).contains("not a part of what it says"));
    // One that nobody would make, and that does no harm.
    let mut image = forged(&lone, 2, &[[1, 0, 0, SHAPES[0], 1]], &body(2));
    let plan = lone.objects.plan(lone.node).unwrap();
    let outline = decode::decode(&mut image, &plan, &Limits::default(), &Account::new(None)).unwrap();
    assert_eq!((outline.sizes, outline.references), (vec![24], vec![0, 16]));
}

#[test]
fn a_header_gets_no_more_room_than_its_image_fills() {
    let lone = Lone::new();
    let mut image = forged(&lone, 1 << 24, &[], &vec![0; 1 << 22]);
    let plan = lone.objects.plan(lone.node).unwrap();
    assert!(decode::decode(&mut image, &plan, &Limits::default(), &Account::new(None)).is_err());
}

proptest! {
    #[test]
    fn forged_aliases_do_no_harm(
        aliases in prop::collection::vec((0..8u32, 0..8u32, 0..32u32, 0..5u32, 0..4u32), 0..8),
        is_sorted in any::<bool>(),
        body in prop::collection::vec(0..9u32, 1..60),
        objects in 0..12u32,
    ) {
        let lone = Lone::new();
        let mut aliases: Vec<_> = aliases.into_iter().map(|(n, c, offset, s, k)| [n, c, offset, s, k]).collect();
        if is_sorted {
            aliases.sort();
            aliases.dedup_by_key(|alias| alias[0]);
        }
        let mut image = forged(&lone, objects, &aliases, &body);
        let plan = lone.objects.plan(lone.node).unwrap();
        if let Ok(outline) = decode::decode(&mut image, &plan, &Limits::default(), &Account::new(None)) {
            let whole: i64 = outline.sizes.iter().map(|&size| i64::from(size)).sum();
            prop_assert_eq!(whole + 4, body.len() as i64 * 4);
            for alias in &outline.aliases {
                let [part, around] = [alias.number, alias.container].map(|number| outline.objects[number as usize]);
                let end = u64::from(alias.offset) + plan.bytes(part);
                prop_assert!(end <= plan.bytes(around) && !plan.layouts[part.shape() as usize].is_text);
            }
        }
    }
}

/// A rank whose nodes lie in rows: `struct node { struct node *children; int n; struct node *parent; }`, where the
/// parent is weak.
fn of_rows() -> Lone {
    let Lone { memory, objects, .. } = Lone::new();
    let node = objects.declare("row", 12, 4).unwrap();
    let to = node as i32;
    let fields =
        vec![("children".into(), [2, 0, to, 0, 4, -1, -1, 0]), ("parent".into(), [0x401, 8, to, 1, -1, -1, -1, 0])];
    objects.define(node, fields).unwrap();
    Lone { memory, objects, node, reference: types::REFERENCE }
}

proptest! {
    /// Trees whose nodes lie in their parents' arrays: every parent arrives.
    #[test]
    fn weak_references_to_elements_find_them(counts in prop::collection::vec(0..4u32, 1..60), to_inside in any::<bool>()) {
        let lone = of_rows();
        // Rows of children one after another, in the order of nodes.
        let (mut nodes, mut row) = (vec![(4096u32, 0u32)], 4096 + 12);
        for (index, &count) in counts.iter().enumerate() {
            let Some(&(at, parent)) = nodes.get(index) else { break };
            for (offset, value) in [(0, if count == 0 { 0 } else { row }), (4, count), (8, parent)] {
                lone.put(at + offset, value);
            }
            nodes.extend((0..count).map(|child| (row + child * 12, at)));
            // The allocator leaves a gap.
            row += count * 12 + 4;
        }
        for &(at, parent) in nodes.iter().skip(counts.len()) {
            [0, 0, parent].iter().zip(0..).for_each(|(&value, word)| lone.put(at + word * 4, value));
        }
        // A reference into a row makes a second walk with other numbers.
        lone.put(16, 4096);
        lone.put(20, nodes[nodes.len() / 2].0);
        let roots = lone.objects.roots(16, if to_inside { 2 } else { 1 }, lone.node as i32).unwrap();
        let mut image = lone.objects.image(&lone.memory, &roots).unwrap().bytes;
        let outline = decode::decode(&mut image, &roots.plan, &Limits::default(), &Account::new(None)).unwrap();
        let rows = nodes.len() as u32 - 1;
        // Roots, rows that are not empty, and a parent for every node but the first.
        let full = nodes.iter().zip(&counts).filter(|(_, count)| **count > 0).count() as u32;
        let expected = roots.count + full + rows;
        prop_assert_eq!(outline.references.len() as u32, expected);
    }
}

#[test]
fn objects_of_two_gigabytes_are_told_apart() {
    let lone = Lone::new();
    let large = 1usize << 31;
    // Pages that nobody touches cost nothing.
    let mut message = vec![0; HEADER + 4 + large + 24];
    let outline = decode::Outline {
        count: 2,
        sizes: vec![large as u32 as i32, 24],
        roots: 1,
        body: HEADER,
        ..decode::Outline::default()
    };
    let allocator = Allocator { allocate: rankine_abi::FnPtr(1), release: rankine_abi::FnPtr(2) };
    let site =
        Site { memory: &lone.memory, ask: async |call| if let Callback::Scratch { .. } = call { 1024 } else { 0 } };
    // What the guest's allocator answers.
    lone.put(1024 + 8, 8192);
    let roots = lone.objects.roots(16, 1, lone.node as i32).unwrap();
    let result = now(rebuild::rebuild(&site, Some(allocator), &mut message, &outline, &roots));
    let text = result.unwrap_err().to_string();
    assert!(text.contains("2147483648"), "{text}");
}

/// The result of what never waits.
fn now<T>(future: impl Future<Output = T>) -> T {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).poll(&mut context) {
        std::task::Poll::Ready(result) => result,
        std::task::Poll::Pending => unreachable!("nobody waits"),
    }
}

#[test]
fn parts_that_were_built_are_given_back() {
    let lone = Lone::new();
    let roots = lone.fill(&[(1, 0, 0, 0)]);
    let image = lone.objects.image(&lone.memory, &roots).unwrap().bytes;
    let mut cut = image.clone();
    cut.truncate(image.len() - 1);
    lone.objects.allocator.set(Some(Allocator { allocate: rankine_abi::FnPtr(1), release: rankine_abi::FnPtr(2) }));
    let (next, given, taken) = (Cell::new(30_000), Cell::new(0), Cell::new(0));
    let ask = async |call| match call {
        Callback::Call { function: rankine_abi::FnPtr(1), arguments } => {
            for index in 0..arguments[0] {
                lone.memory.write_i32(Addr((arguments[2] + index * 4) as u64), next.get(), "an address").unwrap();
                next.set(next.get() + 64);
            }
            given.set(given.get() + arguments[0]);
            0
        }
        Callback::Call { arguments, .. } => {
            taken.set(taken.get() + arguments[0]);
            0
        }
        _ => 1024,
    };
    let site = Site { memory: &lone.memory, ask };
    let to = lone.objects.roots(32, 3, lone.node as i32).unwrap();
    [0x77; 3].iter().zip(0..).for_each(|(&value, index)| lone.put(32 + index * 4, value));
    let messages = [image.clone(), image.clone(), cut].map(Parcel::from).into();
    now(lone.objects.build_parts(&site, messages, &to)).unwrap_err();
    assert!(given.get() > 0 && given == taken);
    assert_eq!(lone.memory.read_i32s(Addr(32), 3, "the array"), Ok(vec![0x77; 3]));
    assert_eq!(
        now(lone.objects.build_parts(&site, vec![image.clone().into(), image.clone().into(), image.into()], &to)),
        Ok(vec![1; 3])
    );
}

#[test]
fn names_and_fields_have_quotas() {
    let objects = Objects::new(&Account::new(None));
    let long = "n".repeat(4096);
    let refused = (0..1 << 13).find_map(|_| objects.declare(&long, 4, 4).err());
    assert!(refused.unwrap().to_string().contains("16777216"));
    let objects = Objects::new(&Account::new(None));
    let fields = || (0..4096).map(|index| ("".into(), [6, index * 4, 0, 1, -1, -1, -1, 0])).collect();
    let mut first = None;
    let refused = (0..1 << 9).find_map(|_| {
        let ty = objects.declare("large", 4096 * 4, 4).unwrap();
        first = first.or(Some(ty));
        objects.define(ty, fields()).err()
    });
    assert!(refused.unwrap().to_string().contains("1048576 may be in use"));
    // What is forgotten makes room.
    objects.free(first.unwrap()).unwrap();
    let ty = objects.declare("large", 4096 * 4, 4).unwrap();
    objects.define(ty, fields()).unwrap();
}
