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
    image: Vec<u8>,
}

fuzz_target!(|case: Case| {
    let objects = Objects::default();
    let Some(node) = case.described.define(&objects) else { return };
    let mut image = case.image;
    if case.sealed {
        image.splice(0..0, [0; HEADER]);
        let (count, roots) = (u32::from(case.objects), u32::from(case.roots));
        let Ok(head) = objects.seal(image.len() as u32, count, roots, node) else { return };
        image[..HEADER].copy_from_slice(&head);
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
