//! Images of object graphs that nobody honest has made: each is refused, or is what the receiver's own description
//! allows.

#![no_main]

mod described;

use described::Described;
use libfuzzer_sys::{arbitrary, fuzz_target};
use rankine_object::{HEADER, Objects};

#[derive(Debug, arbitrary::Arbitrary)]
struct Case {
    described: Described,
    objects: u8,
    roots: u8,
    /// With it the image is sealed; without it the header is arbitrary too.
    sealed: bool,
    /// Number, container, offset, type and count of what is said to be part of something else, if it is sealed.
    aliases: Vec<[u8; 5]>,
    /// The aliases are in the order of their numbers, as they have to be.
    sorted: bool,
    image: Vec<u8>,
}

/// Where a header says how many aliases there are.
const ALIASES: std::ops::Range<usize> = 32..36;

fuzz_target!(|case: Case| {
    let objects = Objects::new(&rankine_guest::Account::new(None));
    let Some(node) = case.described.define(&objects) else { return };
    let mut image = case.image;
    if case.sealed {
        let mut aliases = case.aliases;
        if case.sorted {
            aliases.sort();
            aliases.dedup_by_key(|alias| alias[0]);
        }
        let words = aliases.iter().flatten().flat_map(|&byte| u32::from(byte).to_le_bytes());
        image.splice(0..0, [0; HEADER].into_iter().chain(words));
        let (count, roots) = (u32::from(case.objects), u32::from(case.roots));
        let Ok(head) = objects.seal(image.len() as u32, count, roots, node) else { return };
        image[..HEADER].copy_from_slice(&head);
        image[ALIASES].copy_from_slice(&(aliases.len() as u32).to_le_bytes());
    }
    let length = image.len();
    if let Ok((entries, _)) = objects.open(image, node) {
        for entry in entries.as_chunks::<3>().0 {
            // What has no elements may lie at the end.
            let last = if entry[2] == 0 { length } else { length - 1 };
            assert!((HEADER..=last).contains(&(entry[0] as usize)), "an object outside of the image");
        }
    }
});
