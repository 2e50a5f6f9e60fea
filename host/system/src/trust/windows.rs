//! Windows keeps a list of rights with each file, which Rankine does not read: nothing is known of who could have written
//! it, and so nothing is trusted. What is not trusted is not used: no compiled code is kept, and no library is loaded.

use std::fs::Metadata;

/// Who else could change a file, or what lies in a folder: nobody says.
pub(super) fn doubt(_: &Metadata) -> Option<String> {
    Some("may have been written by others: Rankine does not read the rights that Windows keeps".into())
}

/// Users have no numbers here.
pub fn effective_user() -> u32 {
    0
}

/// Whether a file belongs to this user, and nobody else may write to it: not as far as is known.
pub fn is_written_by_us_alone(_: &Metadata) -> bool {
    false
}

/// Whether a file belongs to this user, and nobody else may do anything with it: not as far as is known.
pub fn is_ours_alone(_: &Metadata) -> bool {
    false
}

/// Whether it belongs to the machine's administrator: not as far as is known.
pub fn is_administrators(_: &Metadata) -> bool {
    false
}
