//! What of point-to-point communication follows no rule of the table: buffers that are attached, and messages in parts.

pub(crate) mod buffered;
pub(crate) mod part;
