//! Object graphs as messages: trees, lists and meshes of Rust values, sent as simply as an array of numbers.
//!
//! ```no_run
//! use rankine::{Transportable, Universe};
//!
//! #[derive(Transportable)]
//! struct Tree {
//!     #[transport]
//!     value: f64,
//!     #[transport]
//!     left: Option<Box<Tree>>,
//!     #[transport]
//!     right: Option<Box<Tree>>,
//!     /// Not marked, so it stays behind: the receiver gets the default.
//!     visits: u32,
//! }
//!
//! fn main() -> rankine::Result<()> {
//!     let universe = Universe::new()?;
//!     let world = universe.world();
//!     if world.rank() == 0 {
//!         let tree = Tree { value: 1.0, left: None, right: None, visits: 3 };
//!         world.send(&tree, 1, 0)?;
//!     } else {
//!         let tree: Tree = world.receive(0, 0)?.value;
//!     }
//!     Ok(())
//! }
//! ```
//!
//! What arrives is an ordinary owned value. `Box`, `Vec`, `String`, `Option`, arrays, tuples, `Cell` and `RefCell`
//! travel by value; what an `Rc` or `Arc` shares stays shared, and a `Weak` finds its target again if that travels too.
//!
//! The layout of such values is known to the compiler alone. So `#[derive(Transportable)]` writes code that lists a
//! value's parts as *records* of a known layout and makes values of records; the host knows the records' description,
//! moves them, and checks all that comes before this crate reads it. Read `types.rs` first, then `write.rs` and `read.rs`.

mod cluster;
mod comm;
mod error;
mod parts;
mod pending;
mod places;
mod read;
mod shared;
mod types;
pub mod view;
mod write;

pub use cluster::{Cluster, Link, Plain};
pub use comm::{ANY_SOURCE, ANY_TAG, Communicator, Probed, Received, Universe};
pub use error::{Error, Result};
pub use pending::{Receiving, Sending};
pub use rankine_derive::{Plain, Transportable};

/// For the code that the derive macro writes.
#[doc(hidden)]
pub mod derived {
    pub use crate::error::Invalid;
    pub use crate::places::{Place, after, largest};
    pub use crate::read::Reader;
    pub use crate::types::{Fields, Types};
    pub use crate::write::Writer;
}

use derived::{Fields, Invalid, Place, Reader, Types, Writer};

/// What can travel. Derive it: `#[derive(Transportable)]`, with `#[transport]` on the fields that travel, or on the
/// whole type.
///
/// # Safety
/// The four functions agree on one layout of the record, `SIZE` bytes of it, and `write` meets references in the order of their offsets.
pub unsafe trait Transportable: Sized + 'static {
    /// Bytes of its record.
    #[doc(hidden)]
    const SIZE: usize;
    /// Alignment of its record.
    #[doc(hidden)]
    const ALIGN: usize;
    /// Its record is its bytes in memory, and any bytes are a value.
    #[doc(hidden)]
    const PLAIN: bool = false;
    /// Its record is a reference that is never null, so that `None` can be.
    #[doc(hidden)]
    const REFERENCE: bool = false;

    /// The MPI datatype of a plain number; 0 for everything that is described.
    #[doc(hidden)]
    fn datatype() -> i32 {
        0
    }

    /// Describes its record as a type of its own.
    #[doc(hidden)]
    fn fields(types: &mut Types, fields: &mut Fields) {
        Self::place(types, fields, Place::START);
    }

    /// Describes its record as part of another one.
    #[doc(hidden)]
    fn place(types: &mut Types, fields: &mut Fields, place: Place);

    /// Writes its record.
    #[doc(hidden)]
    fn write(&self, image: &mut Writer, at: usize);

    /// Checks what the host cannot know about a record: that numbers are good enumerators, that text is UTF-8.
    #[doc(hidden)]
    fn check(image: &Reader<'_>, at: usize) -> std::result::Result<(), Invalid>;

    /// Makes a value of a record.
    ///
    /// # Safety
    /// The image was checked, by the host and by `check`, and nobody has read this record before.
    #[doc(hidden)]
    unsafe fn read(image: &mut Reader<'_>, at: usize) -> Self;
}
