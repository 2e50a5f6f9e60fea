//! How wide a program's addresses are, and the words that it has in its memory.

/// What is known of it when the program is loaded.
#[derive(Clone, Debug, Default)]
pub struct Width {
    /// They have 64 bits, and mostly were lowered to 32: an address, a handle and an `MPI_Aint` take 8 bytes in its memory.
    pub is_wide: bool,
    /// They were not: its memory may have more than 4 GiB.
    pub is_large: bool,
}
