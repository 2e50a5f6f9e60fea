//! What the hosts of nodes tell each other, of which ranks know nothing: it travels as what ranks want of other nodes does, in
//! order, and is waited for at the end of a job.

use std::sync::Arc;

use crate::world::World;

/// Who hears it.
pub trait Hear: Send + Sync {
    /// Another node has told this, on a thread that carries letters and waits for nobody. An error says why it makes no sense.
    fn hear(&self, from: u32, bytes: &[u8]) -> Result<(), String>;
}

/// What it begins with.
pub(crate) const KIND: u8 = 66;
/// Bytes that are told at once, at most.
pub const LONGEST_TOLD: usize = 20 << 10;

impl World {
    /// Before ranks run: who hears what other nodes tell this one. Without anybody it is not heard.
    pub fn hear_by(&self, hears: Arc<dyn Hear>) {
        let _ = self.away().hears.set(hears);
    }

    /// Tells another node.
    pub fn tell_host(&self, node: u32, parts: &[&[u8]]) {
        let bytes = [&[&[KIND][..]], parts].concat().concat();
        assert!(bytes.len() <= 1 + LONGEST_TOLD, "what is told is too long");
        self.tell_node(node, bytes);
    }

    /// Nothing comes from other nodes any more.
    pub fn has_heard_all(&self) -> bool {
        self.is_closed()
    }

    /// A node tells the host.
    pub(crate) fn serve_host(&self, from: u32, number: u64, bytes: &[u8]) -> Result<Option<Vec<u8>>, String> {
        if number != 0 {
            return Err("a host that wants an answer".into());
        }
        if let (Some(hears), [KIND, told @ ..]) = (self.away().hears.get(), bytes) {
            hears.hear(from, told)?;
        }
        Ok(None)
    }
}
