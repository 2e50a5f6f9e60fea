//! The memory of the guest: where what lies, and what is there at first.

/// Pages of the memory at the start.
pub(crate) const PAGES: u64 = 9;
/// Pages it may have at most.
pub(crate) const MAX_PAGES: u64 = 64;
/// Pages of the memory where calls get long arguments.
pub(crate) const LONG_PAGES: u64 = 320;
/// Elements that a long argument has at most.
pub const LONGEST: u32 = 1 << 16;
/// Where the interpreter keeps words of its own: the first address of the guest, which leaves the null page alone.
pub(crate) const WORDS: u32 = 0x1_0000;
/// Where handles are kept: 16 words a class.
pub(crate) const HANDLES: u32 = WORDS + 0x1000;
/// Where arrays of numbers lie.
pub(crate) const NUMBERS: u32 = WORDS + 0x2000;
/// Where letters lie that routines know.
pub(crate) const LETTERS: u32 = NUMBERS + 0xb00;
/// Where factors lie.
pub(crate) const FACTORS: u32 = NUMBERS + 0xb80;
/// Where sizes of matrices lie.
pub(crate) const ORDERS: u32 = NUMBERS + 0xd00;
/// Where dimensions of transforms lie.
pub(crate) const AXES: u32 = NUMBERS + 0xd80;
/// Where numbers of processes lie.
pub(crate) const PROCESSES: u32 = NUMBERS + 0xe40;
/// Where addresses of the name of their program lie.
pub(crate) const COMMANDS: u32 = NUMBERS + 0xe80;
/// Where handles of no information lie.
pub(crate) const INFORMATIONS: u32 = NUMBERS + 0xec0;
/// Where messages lie.
pub(crate) const BUFFERS: u32 = WORDS + 0x4000;
/// Where strings lie.
pub(crate) const TEXTS: u32 = 0x2_0000;
/// Where the program lies, and that of a second thread.
pub(crate) const PROGRAM: u32 = 0x5_0000;
pub(crate) const SECOND: u32 = 0x7_0000;
/// Where the pointers to the guest's arguments lie, and then their text.
pub(crate) const ARGUMENTS: u32 = 0x3_8000;

/// Where long arguments lie, one behind the other: 64 Ki elements each, of so many bytes.
pub(crate) const LONG: u32 = 0x10_0000;
/// Their names, and the size of an element.
pub(crate) const AREAS: &[(&str, u32)] = &[
    ("zeros", 8),
    ("ones", 4),
    ("up", 4),
    ("down", 4),
    // Of 64 bits each.
    ("wide", 8),
    ("names", 16),
    // The addresses of the names, and of the one long text.
    ("named", 4),
    ("texts", 4),
    ("text", 16),
    // Handles: a datatype, and no request.
    ("types", 4),
    ("none", 4),
    // What calls make, and what is moved.
    ("made", 4),
    ("room", 32),
    ("more", 32),
];

/// Where an area of a name begins, and what one of its elements takes.
pub(crate) fn area(name: &str) -> Option<(u32, u32)> {
    let position = AREAS.iter().position(|(known, _)| *known == name)?;
    let before: u32 = AREAS[..position].iter().map(|(_, size)| size * LONGEST).sum();
    Some((LONG + before, AREAS[position].1))
}

/// What lies in the areas at first.
pub(crate) fn long_data() -> Vec<(u32, Vec<u8>)> {
    let at = |name: &str| area(name).expect("it has a place").0;
    let words = |name: &str, word: &dyn Fn(u32) -> u32| {
        (at(name), (0..LONGEST).flat_map(|n| word(n).to_le_bytes()).collect::<Vec<u8>>())
    };
    let (names, text) = (at("names"), at("text"));
    vec![
        words("ones", &|_| 1),
        words("up", &|n| n),
        words("down", &|n| LONGEST - 1 - n),
        (at("wide"), (0..LONGEST).flat_map(|n| u64::from(n).to_le_bytes()).collect()),
        (names, (0..LONGEST).flat_map(|n| format!("name{n:08}\0\0\0\0").into_bytes()).collect()),
        words("named", &|n| names + 16 * n),
        words("texts", &|_| text),
        (text, vec![b'x'; 16 * LONGEST as usize]),
        words("types", &|_| 0x209),
        words("none", &|_| 0x180),
    ]
}

/// The strings: their offset from [`TEXTS`] is where the one before ends.
pub(crate) const STRINGS: &[&[u8]] = &[
    b"\0",
    b"a name\0",
    b"mpi://WORLD\0",
    b"mpi_memory_alloc_kinds\0",
    b"two\nlines cmd=spawn\n\0",
    b"a;b=c \t$(d) `e` ../../f\0",
    b"\xff\xfe no utf-8\0",
    b"true\0",
    b"4294967296\0",
    b"native\0",
    b"files/one\0",
    b"/files/../one\0",
    b"external32\0",
    b"child/child.wasm\0",
];

/// Offset and length of each string.
pub(crate) fn strings() -> impl Iterator<Item = (u32, u32)> {
    STRINGS.iter().scan(TEXTS, |at, text| {
        let place = *at;
        *at += text.len() as u32;
        Some((place, text.len() as u32))
    })
}

/// Strings, and arrays of numbers: small ones, then some that are not; and where each lies.
pub(crate) fn data() -> Vec<(u32, Vec<u8>)> {
    let words = |words: &[i32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let small: Vec<i32> = (0..64).map(|n| n % 5).collect();
    let wild = [0, -1, i64::from(i32::MAX), i64::from(i32::MIN), 1 << 32, 1 << 62, i64::MIN, i64::MAX, 0x1_1000, -8];
    let wild = || wild.iter().cycle().take(64);
    let child = strings().last().map_or(0, |(at, _)| at as i32);
    // In either precision the first is 1.
    let factors = [1.0, -1.0, 0.5, 0.0, f64::NAN, f64::INFINITY, 1e-310, 1e300].map(|factor: f64| match factor {
        1.0 => 0x3ff0_0000_3f80_0000,
        other => other.to_bits(),
    });
    #[rustfmt::skip]
    let axes = [4, 1, 1,  3, 4, 4,  2, 12, 12,  8, 2, 2,  5, -1, 1,  4, 2, 1,  30, 1, 1,  64, 8, 8];
    vec![
        (TEXTS, STRINGS.concat()),
        // A string of 64 KiB without an end comes after the others' page.
        (TEXTS + 0x1000, vec![b'x'; 0x1_0000]),
        (NUMBERS, words(&small)),
        (NUMBERS + 0x200, small.iter().flat_map(|&n| i64::from(n).to_le_bytes()).collect()),
        (NUMBERS + 0x600, wild().flat_map(|n| n.to_le_bytes()).collect()),
        (NUMBERS + 0xa00, wild().flat_map(|n| (*n as i32).to_le_bytes()).collect()),
        (LETTERS, b"NTCLRUnx".to_vec()),
        (FACTORS, factors.iter().flat_map(|factor| factor.to_le_bytes()).collect()),
        (ORDERS, words(&[1, 2, 3, 8, 9, 17, 33, 64])),
        (AXES, words(&axes)),
        (PROCESSES, words(&[1, 2, 0, 1, 1, 0, 1, -1, 1, i32::MAX, i32::MIN])),
        (COMMANDS, words(&[child; 16])),
        (INFORMATIONS, words(&[0x130; 16])),
    ]
}
