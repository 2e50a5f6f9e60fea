//! Debug information as compilers write it, and as only an enemy would.

use wasm_encoder::{CustomSection, Encode, Section};

use super::*;

/// A module with one function of a hundred bytes, and these sections.
fn module(sections: &[(&str, &[u8])]) -> Symbols {
    let code = "nop ".repeat(100);
    let mut module = wat::parse_str(format!("(module (func {code}))")).unwrap();
    for (name, data) in sections {
        CustomSection { name: (*name).into(), data: (*data).into() }.append_to(&mut module);
    }
    Symbols::of(module)
}

fn leb(number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    number.encode(&mut bytes);
    bytes
}

fn word(number: usize) -> [u8; 4] {
    (number as u32).to_le_bytes()
}

const UNIT: u8 = 1;
const FUNCTION: u8 = 2;
const INLINED: u8 = 3;
const DECLARED: u8 = 4;
const LISTED: u8 = 5;
const CIRCULAR: u8 = 6;
const SHARED_NAME: u8 = 7;

/// The forms of the entries below: (code, tag, has children, attributes with their forms).
fn abbreviations() -> Vec<u8> {
    type Form<'a> = (u8, u8, u8, &'a [(u8, u8)]);
    let forms: [Form; 7] = [
        // Low and high address, folder, lines.
        (UNIT, 0x11, 1, &[(0x11, 0x01), (0x12, 0x06), (0x1b, 0x08), (0x10, 0x17)]),
        // Name, low and high address.
        (FUNCTION, 0x2e, 1, &[(0x03, 0x08), (0x11, 0x01), (0x12, 0x06)]),
        // Origin, low and high address, file, line and column of the call.
        (INLINED, 0x1d, 1, &[(0x31, 0x13), (0x11, 0x01), (0x12, 0x06), (0x58, 0x0b), (0x59, 0x0b), (0x57, 0x0b)]),
        (DECLARED, 0x2e, 0, &[(0x03, 0x08)]),
        // A list of ranges.
        (LISTED, 0x2e, 0, &[(0x55, 0x17)]),
        // Origin, low and high address.
        (CIRCULAR, 0x2e, 0, &[(0x31, 0x13), (0x11, 0x01), (0x12, 0x06)]),
        // Name elsewhere, low and high address.
        (SHARED_NAME, 0x1d, 1, &[(0x03, 0x0e), (0x11, 0x01), (0x12, 0x06)]),
    ];
    let mut bytes = Vec::new();
    for (code, tag, children, attributes) in forms {
        bytes.extend([code, tag, children]);
        bytes.extend(attributes.iter().flat_map(|&(name, form)| [name, form]));
        bytes.extend([0, 0]);
    }
    bytes.push(0);
    bytes
}

/// Length of a unit's header in DWARF 4.
const HEADER: usize = 11;

fn unit(entries: &[u8]) -> Vec<u8> {
    let mut bytes = word(entries.len() + HEADER - 4).to_vec();
    bytes.extend([4, 0, 0, 0, 0, 0, 4]);
    bytes.extend(entries);
    bytes
}

/// The first entry of a unit, with addresses up to 100.
fn root() -> Vec<u8> {
    let mut entry = vec![UNIT];
    entry.extend(word(0));
    entry.extend(word(100));
    entry.extend(b"/proj\0");
    entry.extend(word(0));
    entry
}

fn function(name: &str, low: usize, length: usize) -> Vec<u8> {
    let mut entry = vec![FUNCTION];
    entry.extend(name.bytes().chain([0]));
    entry.extend(word(low));
    entry.extend(word(length));
    entry
}

fn inlined(origin: usize, low: usize, length: usize, [file, line, column]: [u8; 3]) -> Vec<u8> {
    let mut entry = vec![INLINED];
    entry.extend(word(origin));
    entry.extend(word(low));
    entry.extend(word(length));
    entry.extend([file, line, column]);
    entry
}

/// A line program of DWARF 4 with the files `a.c` and `lib/b.h`: line 10 from address 10, line 20 of the second file from
/// 30, its end at 90.
fn lines() -> Vec<u8> {
    let mut tables = vec![1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];
    tables.extend(b"lib\0\0a.c\0\0\0\0b.h\0\x01\0\0\0");
    let program = [
        [0, 5, 2, 10, 0, 0, 0].as_slice(), // address 10
        &[3, 9, 5, 7, 1],                  // line 10, column 7
        &[2, 20, 4, 2, 3, 10, 1],          // address 30, file 2, line 20
        &[2, 60, 0, 1, 1],                 // address 90, the end
    ]
    .concat();
    let mut bytes = word(2 + 4 + tables.len() + program.len()).to_vec();
    bytes.extend([4, 0]);
    bytes.extend(word(tables.len()));
    bytes.extend(tables);
    bytes.extend(program);
    bytes
}

/// `outer`, and in it from address 30 to 50 `inner`, which `a.c` calls at line 11.
fn plain_entries() -> Vec<u8> {
    let mut entries = root();
    let declared = HEADER + entries.len();
    entries.push(DECLARED);
    entries.extend(b"inner\0");
    entries.extend(function("outer", 10, 80));
    entries.extend(inlined(declared, 30, 20, [1, 11, 3]));
    entries.extend([0, 0, 0]);
    entries
}

fn plain() -> Symbols {
    module(&[(".debug_info", &unit(&plain_entries())), (".debug_abbrev", &abbreviations()), (".debug_line", &lines())])
}

fn at(symbols: &Symbols, addresses: &[u32]) -> Vec<String> {
    let offsets: Vec<u32> = addresses.iter().map(|address| address + symbols.code as u32).collect();
    let in_words = |place: &Place| {
        let number = |number: Option<u64>| number.map_or("-".into(), |number| number.to_string());
        let text = |text: &Option<String>| text.clone().unwrap_or("-".into());
        let (line, column) = (number(place.line), number(place.column));
        format!("{} {}:{line}:{column}", text(&place.function), text(&place.file))
    };
    symbols.places(&offsets).iter().map(|places| places.iter().map(in_words).collect::<Vec<_>>().join(" < ")).collect()
}

#[test]
fn functions_and_what_is_inlined_in_them_are_found() {
    let symbols = plain();
    let found = at(&symbols, &[10, 29, 30, 49, 50, 89, 90, 5]);
    let (first, inner) = ("outer /proj/a.c:10:7", "inner /proj/lib/b.h:20:7 < outer /proj/a.c:11:3");
    let second = "outer /proj/lib/b.h:20:7";
    assert_eq!(found, [first, first, inner, inner, second, second, "", ""]);
    // From memory, in another order.
    assert_eq!(at(&symbols, &[49, 10]), [inner, first]);
}

#[test]
fn without_debug_information_nothing_is_kept() {
    let symbols = module(&[("other", b"text")]);
    assert!(symbols.module.is_empty());
    assert_eq!(at(&symbols, &[10]), [""]);
}

#[test]
fn entries_nest_as_deep_as_they_like() {
    const DEEP: usize = 300_000;
    let mut entries = root();
    let declared = HEADER + entries.len();
    entries.push(DECLARED);
    entries.extend(b"inner\0");
    entries.extend(function("outer", 10, 80));
    for _ in 0..DEEP {
        entries.extend(inlined(declared, 30, 20, [1, 11, 3]));
    }
    entries.extend(vec![0; DEEP + 2]);
    let symbols = module(&[(".debug_info", &unit(&entries)), (".debug_abbrev", &abbreviations())]);
    let found = symbols.places(&[30 + symbols.code as u32]);
    assert_eq!(found[0].len(), MOST_INLINED);
    assert_eq!(found[0].last().unwrap().function.as_deref(), Some("outer"));
}

#[test]
fn a_long_name_is_left_out() {
    let name = [b"x".repeat(1 << 20), vec![0]].concat();
    let mut entries = root();
    entries.extend(function("outer", 10, 80));
    let mut shared = vec![SHARED_NAME];
    shared.extend([word(0), word(30), word(20)].concat());
    entries.extend(shared.repeat(50));
    entries.extend([0; 52]);
    let symbols =
        module(&[(".debug_info", &unit(&entries)), (".debug_abbrev", &abbreviations()), (".debug_str", &name)]);
    let found = symbols.places(&[30 + symbols.code as u32]);
    assert_eq!(found[0].len(), 51);
    assert_eq!((&found[0][0].function, found[0][50].function.as_deref()), (&None, Some("outer")));
}

#[test]
fn many_names_stay_within_the_steps() {
    // Each of 64 frames at each of 4000 instructions has a name of 8 KB.
    let name = [b"x".repeat(MOST_TEXT - 1), vec![0]].concat();
    let mut entries = root();
    entries.extend(function("outer", 0, 100_000));
    let mut shared = vec![SHARED_NAME];
    shared.extend([word(0), word(0), word(100_000)].concat());
    entries.extend(shared.repeat(63));
    entries.extend([0; 65]);
    entries[5..9].copy_from_slice(&word(100_000));
    let symbols =
        module(&[(".debug_info", &unit(&entries)), (".debug_abbrev", &abbreviations()), (".debug_str", &name)]);
    let code = symbols.code as u32;
    let found = symbols.places(&(0..4000).map(|at| code + at).collect::<Vec<_>>());
    let bytes = |places: &Arc<[Place]>| places.iter().flat_map(|place| &place.function).map(String::len).sum::<usize>();
    assert!(found.iter().map(bytes).sum::<usize>() <= STEPS as usize);
    assert_eq!(symbols.found.lock().unwrap().steps, 0);
}

#[test]
fn an_origin_may_lead_in_a_circle() {
    let mut entries = root();
    let circular = HEADER + entries.len();
    entries.push(CIRCULAR);
    entries.extend([word(circular), word(10), word(50)].concat());
    entries.push(0);
    let symbols = module(&[(".debug_info", &unit(&entries)), (".debug_abbrev", &abbreviations())]);
    assert_eq!(at(&symbols, &[20]), ["- -:-:-"]);
}

/// These sections give no place, and all the steps there are.
#[track_caller]
fn exhausts(sections: &[(&str, &[u8])]) {
    let symbols = module(sections);
    assert_eq!(at(&symbols, &[20]), [""]);
    assert_eq!(symbols.found.lock().unwrap().steps, 0);
    // It stays so, for all other ranks' reports.
    assert_eq!(at(&symbols, &[21]), [""]);
}

#[test]
fn units_that_share_a_table_of_abbreviations() {
    let mut table = abbreviations();
    table.pop();
    while table.len() < MOST_TABLE - 10 {
        let code = leb(1000 + table.len() as u64);
        table.extend(code);
        table.extend([0x11, 0, 0, 0]);
    }
    table.push(0);
    exhausts(&[(".debug_info", &unit(&[99]).repeat(20_000)), (".debug_abbrev", &table)]);
}

#[test]
fn a_table_that_is_too_long_is_not_read() {
    let table: Vec<u8> = (1u64..400_000).flat_map(|code| [leb(code), vec![0x11, 0, 0, 0]].concat()).collect();
    let symbols = module(&[(".debug_info", &unit(&root())), (".debug_abbrev", &table)]);
    assert_eq!(at(&symbols, &[20]), [""]);
}

#[test]
fn entries_that_share_a_list_of_ranges() {
    let mut entries = root();
    for _ in 0..10_000 {
        entries.push(LISTED);
        entries.extend(word(0));
    }
    // Ranges that belong to nothing, which an iterator may skip in silence.
    let list: Vec<u8> = (0..10_000).flat_map(|_| [word(0xffff_fffe), word(0xffff_fffe)].concat()).collect();
    exhausts(&[(".debug_info", &unit(&entries)), (".debug_abbrev", &abbreviations()), (".debug_ranges", &list)]);
}

#[test]
fn entries_without_bytes_of_their_own_count_by_their_attributes() {
    // A function with 10,000 flags, which take no bytes.
    let mut table = abbreviations();
    table.pop();
    table.extend([9, 0x24, 0]);
    table.extend([0x3c, 0x19].repeat(10_000));
    table.extend([0, 0, 0]);
    let mut entries = root();
    entries.extend([9; 10_000]);
    exhausts(&[(".debug_info", &unit(&entries)), (".debug_abbrev", &table)]);
}

#[test]
fn a_line_program_with_endless_tables() {
    // DWARF 5: a table of 2^40 directories, whose names take a byte each.
    let mut tables = vec![1, 1, 1, 0xfb, 14, 1, 1, 1, 0x08];
    tables.extend(leb(1 << 40));
    tables.extend(vec![0; 10 << 20]);
    let mut program = word(2 + 2 + 4 + tables.len()).to_vec();
    program.extend([5, 0, 4, 0]);
    program.extend(word(tables.len()));
    program.extend(tables);
    let symbols = module(&[
        (".debug_info", &unit(&plain_entries())),
        (".debug_abbrev", &abbreviations()),
        (".debug_line", &program),
    ]);
    // The function is known all the same.
    assert_eq!(at(&symbols, &[20]), ["outer -:-:-"]);
}

#[test]
fn damage_never_harms() {
    let sections: [(&str, Vec<u8>); 3] =
        [(".debug_info", unit(&plain_entries())), (".debug_abbrev", abbreviations()), (".debug_line", lines())];
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..20_000 {
        let mut damaged = sections.clone();
        for _ in 0..1 + random(4) {
            let bytes = &mut damaged[random(3)].1;
            match random(3) {
                0 => bytes.truncate(random(bytes.len() + 1)),
                _ if bytes.is_empty() => {}
                1 => {
                    let at = random(bytes.len());
                    bytes[at] = random(256) as u8;
                }
                _ => {
                    let at = random(bytes.len());
                    bytes[at] ^= 1 << random(8);
                }
            }
        }
        let sections = damaged.each_ref().map(|(name, bytes)| (*name, bytes.as_slice()));
        at(&module(&sections), &[10, 30, 60]);
    }
}
