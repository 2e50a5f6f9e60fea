//! Distributed arrays over MPI: make a grid, write halos, gather. Programs use plain MPI and run on every engine.
//!
//! ```no_run
//! use rankine_arrays::{Array, Grid, Range, Result};
//!
//! fn main() -> Result<()> {
//!     let universe = rankine::Universe::new()?;
//!     let grid = Grid::new(&universe.world(), 2)?;
//!     let ranges = [Range::block(500).ghosts(1), Range::block(500).ghosts(1)];
//!     let mut now = Array::<f64, 2>::new("now", &grid, ranges.clone())?;
//!     let mut next = Array::<f64, 2>::new("next", &grid, ranges)?;
//!     for i in now.overall(0).within(..1) {
//!         now.row_mut([i.local]).fill(1.0);
//!         next.row_mut([i.local]).fill(1.0);
//!     }
//!     for _ in 0..1000 {
//!         now.write_halo()?;
//!         let columns = now.inner(1, 1).local();
//!         for i in now.inner(0, 1) {
//!             let (_, [[above, below], [left, right]]) = now.stencil([i.local], columns.clone());
//!             let new = &mut next.row_mut([i.local])[columns.clone()];
//!             for j in 0..new.len() {
//!                 new[j] = 0.25 * (above[j] + below[j] + left[j] + right[j]);
//!             }
//!         }
//!         std::mem::swap(&mut now, &mut next);
//!     }
//!     if let Some(all) = now.gather(0)? {
//!         println!("in the middle: {}", all[250 * 500 + 250]);
//!     }
//!     Ok(())
//! }
//! ```
//!
//! The ideas are HPJava's and Adlib's: a process [`Grid`], a [`Range`] for each dimension of an [`Array`], loops
//! ([`Array::overall`]) over what a rank owns, and collective operations on whole arrays and on [`View`]s of them.
//!
//! | | |
//! |---|---|
//! | ghost cells | [`Array::write_halo`], [`Array::start_halo`], [`Halo`] |
//! | to another distribution | [`copy`], [`shift`], [`cshift`], [`skew`]; compiled once: [`Remap`] |
//! | transposed, sections, rows, broadcast | [`View`] |
//! | named by indices | [`Lookup`] |
//! | to numbers and to lower rank | [`View::sum`] and others, [`Array::reduce_along`] |
//! | in one memory | [`Array::gather`], [`Array::gather_to_all`], [`Array::scatter`] |
//! | in the page of `--view` | [`Array::show`], [`View::show`], [`show_arrows`] |
//! | in files | [`write_npy`], [`read_npy`], [`write_raw`], [`read_raw`], [`mpi_io`] |
//! | whole objects as elements | [`copy_objects`], [`Array::gather_objects`] |
//!
//! Collective operations are called by all ranks of the grid in the same order. A wrong use is an [`Error`] that names
//! array, dimension and rank.
//!
//! Read `range.rs` and `layout.rs` first, which say where an element is, then `schedule.rs`: halos, remaps and look-ups are
//! lists of messages that it makes once.

mod array;
mod collect;
mod element;
mod error;
mod file;
mod grid;
mod halo;
mod header;
mod layout;
mod lookup;
pub mod mpi_io;
mod objects;
mod overall;
mod range;
mod reduce;
mod remap;
mod schedule;
mod show;
mod types;
mod view;

pub use array::{Around, Array};
pub use element::{Number, Plain};
pub use error::{Error, Misuse, Result};
pub use file::{read_npy, read_raw, write_npy, write_raw};
pub use grid::Grid;
pub use halo::{Halo, Started};
pub use lookup::Lookup;
pub use objects::copy_objects;
pub use overall::{At, Overall};
pub use range::Range;
pub use reduce::Reduction;
pub use remap::{Remap, copy, cshift, shift, skew};
pub use show::show_arrows;
pub use view::{View, ViewMut, Viewable, ViewableMut};
