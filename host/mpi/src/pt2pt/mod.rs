//! What of point-to-point communication follows no rule of the table: buffers that are attached, messages in parts,
//! and those of a rank to itself.

pub(crate) mod buffered;
pub(crate) mod own;
pub(crate) mod part;
