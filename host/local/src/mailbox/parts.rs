//! Parts of partitioned messages, which wait for each other in a place of their own.
//!
//! They come in whatever order their sender makes them ready, and each has a number and one receive. So they are found by
//! their number, and not by a walk over all that wait. Nobody else receives in their context, nor asks what is there.

use std::collections::{BTreeMap, HashMap};

use super::matching::{Arrived, Pattern};
use super::operation::OpRef;
use super::ring::Header;
use crate::context::Context;

/// Those of all messages whose parts have come without a receive, or the other way round.
#[derive(Default)]
pub(super) struct Parts {
    messages: HashMap<Context, Message>,
    /// Those that have come, of all messages.
    early: usize,
    /// How many have come early, ever: a message may be sent again before it is received.
    count: u64,
}

#[derive(Default)]
struct Message {
    /// The receive of each part, and how many there are.
    posted: Vec<Option<OpRef>>,
    waiting: usize,
    /// What has come, by the number of the part and in order.
    early: BTreeMap<(i32, u64), Arrived>,
}

impl Parts {
    /// How many have come without a receive.
    pub(super) fn early(&self) -> usize {
        self.early
    }

    /// What has come without a receive.
    pub(super) fn all_early(&self) -> impl Iterator<Item = &Arrived> {
        self.messages.values().flat_map(|message| message.early.values())
    }

    /// Keeps a receive until its part comes.
    pub(super) fn post(&mut self, pattern: &Pattern, receive: OpRef) {
        let (message, part) = (self.messages.entry(pattern.context).or_default(), pattern.tag as usize);
        if message.posted.len() <= part {
            message.posted.resize(part + 1, None);
        }
        debug_assert!(message.posted[part].is_none(), "a part has one receive");
        message.posted[part] = Some(receive);
        message.waiting += 1;
    }

    /// The receive of a part, if it is there.
    pub(super) fn receive_of(&self, header: &Header) -> Option<OpRef> {
        *self.messages.get(&header.context)?.posted.get(header.tag as usize)?
    }

    /// Takes the receive of a part away, if it is there.
    pub(super) fn take_receive(&mut self, header: &Header) -> Option<OpRef> {
        let message = self.messages.get_mut(&header.context)?;
        let receive = message.posted.get_mut(header.tag as usize)?.take()?;
        message.waiting -= 1;
        self.forget(header.context);
        Some(receive)
    }

    /// Keeps a part until it is received.
    pub(super) fn keep(&mut self, arrived: Arrived) {
        let Header { context, tag, .. } = arrived.header;
        self.count += 1;
        self.early += 1;
        self.messages.entry(context).or_default().early.insert((tag, self.count), arrived);
    }

    /// The part that a receive is for, if it has come.
    pub(super) fn take_early(&mut self, pattern: &Pattern) -> Option<Arrived> {
        let message = self.messages.get_mut(&pattern.context)?;
        let (&key, _) = message.early.range((pattern.tag, 0)..=(pattern.tag, u64::MAX)).next()?;
        self.remove(pattern.context, key)
    }

    /// Takes back a receive; false when it has been matched.
    pub(super) fn withdraw(&mut self, receive: OpRef) -> bool {
        let what = receive.what();
        let Some(message) = self.messages.get_mut(&what.context) else { return false };
        let Some(place) = message.posted.get_mut(what.tag as usize) else { return false };
        let is_there = place.take_if(|posted| *posted == receive).is_some();
        message.waiting -= usize::from(is_there);
        self.forget(what.context);
        is_there
    }

    /// Whether a receive waits for its part.
    pub(super) fn waits(&self, receive: OpRef) -> bool {
        let what = receive.what();
        let message = self.messages.get(&what.context);
        message.and_then(|message| message.posted.get(what.tag as usize)) == Some(&Some(receive))
    }

    /// Takes a part back that is still in its sender's memory.
    pub(super) fn withdraw_send(&mut self, send: OpRef) -> Option<Arrived> {
        let what = send.what();
        let message = self.messages.get(&what.context)?;
        // What was sent last is still there.
        let mut early = message.early.range((what.tag, 0)..=(what.tag, u64::MAX)).rev();
        let (&key, _) = early.find(|(_, arrived)| arrived.is_of(send))?;
        self.remove(what.context, key)
    }

    /// A part that is still in its sender's memory.
    pub(super) fn early_of(&mut self, send: OpRef) -> Option<&mut Arrived> {
        let what = send.what();
        let message = self.messages.get_mut(&what.context)?;
        let early = message.early.range_mut((what.tag, 0)..=(what.tag, u64::MAX)).rev();
        early.map(|(_, arrived)| arrived).find(|arrived| arrived.is_of(send))
    }

    fn remove(&mut self, context: Context, key: (i32, u64)) -> Option<Arrived> {
        let arrived = self.messages.get_mut(&context)?.early.remove(&key)?;
        self.early -= 1;
        self.forget(context);
        Some(arrived)
    }

    /// Forgets a message of which nothing waits.
    fn forget(&mut self, context: Context) {
        if self.messages.get(&context).is_some_and(|message| message.waiting == 0 && message.early.is_empty()) {
            self.messages.remove(&context);
        }
    }
}
