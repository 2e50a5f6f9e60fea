//! What the hosts of nodes tell each other, of which ranks know nothing: it travels as what ranks want of other nodes does, in
//! order, and is waited for at the end of a job.

use std::sync::Arc;

use crate::world::World;

/// Who hears it.
pub trait Hear: Send + Sync {
    /// Another node has told this, on a thread that carries letters and waits for nobody. An error says why it makes no sense.
    fn hear(&self, from: u32, bytes: &[u8]) -> Result<(), String>;
}

/// What it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// What ranks show.
    View,
    /// What a check has to know of ranks.
    Check,
}

impl About {
    pub(super) const ALL: [About; 2] = [About::View, About::Check];
}

/// What it begins with.
pub(crate) const KIND: u8 = 66;
/// Bytes that are told at once, at most.
pub const LONGEST_TOLD: usize = 20 << 10;

impl World {
    /// Before ranks run: who hears what other nodes tell this one about something. Without anybody it is not heard.
    pub fn hear_by(&self, about: About, hears: Arc<dyn Hear>) {
        let _ = self.away().hears[about as usize].set(hears);
    }

    /// Tells another node.
    pub fn tell_host(&self, node: u32, about: About, parts: &[&[u8]]) {
        let bytes = [&[&[KIND, about as u8][..]], parts].concat().concat();
        assert!(bytes.len() <= 2 + LONGEST_TOLD, "what is told is too long");
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
        let [KIND, about, told @ ..] = bytes else { return Err("a host that says nothing".into()) };
        let hears = self.away().hears.get(usize::from(*about)).ok_or("a host that speaks of what there is not")?;
        hears.get().map_or(Ok(None), |hears| hears.hear(from, told).map(|()| None))
    }
}
