//! Blocks of the guest's allocator in which windows have their memory. One that lies in another's would have its memory
//! replaced, or given back, with that one's; and an allocator is a guest's, who may answer anything.

use std::cell::RefCell;
use std::collections::BTreeMap;

use rankine_abi::{Addr, MPI_ERR_BUFFER};

use crate::error::{Error, Result};

/// Blocks of a guest's memory. No two of them have a byte in common.
#[derive(Debug, Default)]
pub struct Blocks(RefCell<BTreeMap<u64, u64>>);

impl Blocks {
    /// A window gets a block, which lies in the memory; an error if another window has some of it.
    pub fn claim(&self, block: Addr, bytes: u64) -> Result<()> {
        let mut blocks = self.0.borrow_mut();
        let bytes = bytes.max(1);
        let last = block.plus(bytes - 1).0;
        // Only the last of those that begin before its end can reach into it.
        if let Some((at, length)) = blocks.range(..=last).next_back()
            && at.saturating_add(*length) > block.0
        {
            let text = format!(
                "the guest's allocator has given {bytes} bytes at {:#x} for a window, in which another window has {length} \
                 bytes at {at:#x}",
                block.0
            );
            return Err(Error::new(MPI_ERR_BUFFER, text));
        }
        blocks.insert(block.0, bytes);
        Ok(())
    }

    /// No window has the block that begins there any more.
    pub fn release(&self, block: Addr) {
        self.0.borrow_mut().remove(&block.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_byte_is_in_two_blocks() {
        let blocks = Blocks::default();
        blocks.claim(Addr(100), 50).unwrap();
        blocks.claim(Addr(200), 50).unwrap();
        for (at, bytes) in
            [(100, 50), (100, 1), (149, 1), (120, 10), (90, 11), (0, 1000), (199, 2), (249, 0), (150, 51)]
        {
            let error = blocks.claim(Addr(at), bytes).unwrap_err();
            assert_eq!(error.class, MPI_ERR_BUFFER);
        }
        blocks.claim(Addr(150), 50).unwrap();
        blocks.claim(Addr(0), 100).unwrap();
        blocks.claim(Addr(5 << 32), 1).unwrap();
        blocks.claim(Addr(5 << 32), u64::MAX).unwrap_err();
        blocks.release(Addr(100));
        blocks.claim(Addr(101), 49).unwrap();
    }
}
