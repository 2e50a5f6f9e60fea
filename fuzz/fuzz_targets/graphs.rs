//! Memory in which anything may stand, walked by any description: the walk fails or makes an image, and a receiver with
//! the same description takes that.

#![no_main]

mod described;

use described::Described;
use libfuzzer_sys::{arbitrary, fuzz_target};
use rankine_guest::Memory;
use rankine_object::Objects;

#[derive(Debug, arbitrary::Arbitrary)]
struct Case {
    described: Described,
    roots: u8,
    count: u8,
    values: bool,
    memory: Vec<u8>,
}

/// In a handle: the array holds the objects themselves.
const VALUES: u32 = 0x4000_0000;

fuzz_target!(|case: Case| {
    let objects = Objects::new(&rankine_guest::Account::new(None));
    let Some(node) = case.described.define(&objects) else { return };
    // Words, so that what is aligned for the guest is so here.
    let mut words: Vec<u64> = case.memory.chunks(8).map(word).collect();
    let memory = Memory::new();
    // SAFETY: the words outlive the memory's last use, and nobody else touches them.
    unsafe { memory.set(words.as_mut_ptr().cast(), words.len() as u64 * 8) };
    let handle = if case.values { node | VALUES } else { node };
    let roots =
        objects.roots(i32::from(case.roots), i32::from(case.count), handle as i32).expect("the type is defined");
    let Ok(image) = objects.image(&memory, &roots) else { return };
    match objects.open(image.bytes, node) {
        Ok((_, count)) => assert_eq!(count, u32::from(case.count)),
        // References into other objects are not for programs that read images themselves.
        Err(error) if error.text.contains("references into other objects") => {}
        Err(error) => assert!(case.described.has_owners(), "an honest image was refused: {}", error.text),
    }
});

fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}
