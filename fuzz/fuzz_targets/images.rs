//! Images of object graphs that nobody honest has made: each is refused, or is what the receiver's own description allows.

#![no_main]

use libfuzzer_sys::{arbitrary, fuzz_target};
use rankine_object::{HEADER, Objects};

/// Words of one field, most of them small, which are what good descriptions have.
#[derive(Debug, arbitrary::Arbitrary)]
struct Field {
    kind: u8,
    flags: u8,
    numbers: [i8; 6],
    own: bool,
}

#[derive(Debug, arbitrary::Arbitrary)]
struct Case {
    size: u8,
    fields: Vec<Field>,
    objects: u8,
    roots: u8,
    /// With it the image is sealed; without it the header is arbitrary too.
    sealed: bool,
    image: Vec<u8>,
}

fuzz_target!(|case: Case| {
    let objects = Objects::default();
    let Ok(node) = objects.declare("node", i32::from(case.size), 4) else { return };
    let fields = case.fields.iter().map(|field| {
        let [offset, count, count_at, capacity_at, when_at, when] = field.numbers.map(i32::from);
        let to = if field.own { node as i32 } else { rankine_abi::Datatype::INT32_T.0 as i32 };
        let kind = i32::from(field.kind % 8) | i32::from(field.flags & 7) << 8;
        ("field".into(), [kind, offset, to, count, count_at, capacity_at, when_at, when])
    });
    if objects.define(node, fields.collect()).is_err() {
        return;
    }
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
            assert!((HEADER..length).contains(&(entry[0] as usize)), "an object outside of the image");
        }
    }
});
