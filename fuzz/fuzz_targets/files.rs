//! Files that users are sent, changed or made up: grids, policies, keys, modules and their signatures, core dumps, recordings, heads of
//! arrays. They are read, or refused with a reason; `rankine::sent` says what holds of those that are read.

#![no_main]

use libfuzzer_sys::{arbitrary, fuzz_target};
use rankine::sent::{Edit, KINDS, changed, read, sound};

#[derive(Debug, arbitrary::Arbitrary)]
struct Case {
    kind: u8,
    content: Content,
}

#[derive(Debug, arbitrary::Arbitrary)]
enum Content {
    /// A sound one with changes: where, how many bytes go, what comes there.
    Changed(Vec<(u16, u8, Vec<u8>)>),
    Bytes(Vec<u8>),
}

fuzz_target!(|case: Case| {
    let kind = KINDS[usize::from(case.kind) % KINDS.len()];
    match case.content {
        Content::Changed(edits) => {
            let edits: Vec<Edit> = edits.into_iter().map(|(at, gone, new)| Edit { at, gone, new }).collect();
            read(kind, &changed(sound(kind), &edits));
        }
        Content::Bytes(bytes) => read(kind, &bytes),
    }
});
