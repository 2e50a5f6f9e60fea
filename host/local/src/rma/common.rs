//! What the ranks of a window share: where everybody's part lies, who waits for whom, and the locks.
//!
//! There is one [`Common`] for a window, which all its ranks keep. A part is written once, before anybody may access it,
//! and then only read: a guest's memory neither moves nor shrinks before the job has ended, so what was proved when the
//! window was made stays proved, also for the part of a rank that has trapped or returned.

use std::sync::{OnceLock, PoisonError};

use super::dynamic::Attached;
use super::far::Spread;
use super::lock::Lock;
use super::shared::Layout;
use super::stripes::Stripes;
use crate::group::Members;
use crate::sync::{AtomicU32, Mutex, MutexGuard, Ordering, crosswise};
use crate::world::World;

/// What the ranks of a window share.
#[derive(Debug)]
pub(crate) struct Common {
    members: Box<[Member]>,
    fence: Fence,
    /// One more than the first rank that could not make its part, or 0.
    failed: AtomicU32,
    /// Of a window whose memory is shared.
    layout: Option<Layout>,
    /// Ranks that are here.
    here: u32,
    /// Of a window that has ranks on several nodes.
    spread: Option<Box<Spread>>,
}

/// What belongs to one rank of a window; aligned so that ranks don't share cache lines.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Member {
    /// Its world rank.
    pub(super) rank: u32,
    /// The node that it is on, if that is another one.
    pub(super) elsewhere: Option<u32>,
    /// Without bytes, if they are elsewhere.
    part: OnceLock<Part>,
    /// How long its part is elsewhere.
    size_elsewhere: OnceLock<u64>,
    /// Memory that was attached to a dynamic window.
    attached: Mutex<Attached>,
    /// Those who access its part.
    pub(super) lock: Apart<Lock>,
    pub(super) stripes: Apart<Stripes>,
    /// What others change and this rank waits for.
    pub(super) news: Apart<News>,
}

/// On cache lines of its own.
#[derive(Debug)]
#[repr(align(64))]
pub(super) struct Apart<T>(T);

impl<T> std::ops::Deref for Apart<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// A rank's part of a window: bytes of its memory, all of them proved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// The first byte; of a dynamic window, the first byte of the memory.
    pub(super) base: *mut u8,
    /// Bytes; none of a dynamic window.
    pub(super) size: u64,
    /// Bytes that a displacement counts.
    pub(super) unit: i64,
}

// SAFETY: the pointer is to memory that all ranks may access through `copy` and atomics until the job has ended.
unsafe impl Send for Part {}
// SAFETY: a part never changes, and what it points to is only accessed through `copy` and atomics.
unsafe impl Sync for Part {}

/// What a rank of a window hears from others.
#[derive(Debug, Default)]
pub(super) struct News {
    /// 1: the rank is about to park, and has to be woken when there are news.
    listening: AtomicU32,
    /// How many fences it has come to.
    fences: AtomicU32,
    /// Ranks of the window, by their number in it, that let this one in and that it has not begun to access.
    posts: Mutex<Vec<i32>>,
    /// Origins that have ended their accesses in this exposure epoch of its part.
    completed: AtomicU32,
}

/// Where all ranks of a window meet.
#[derive(Debug, Default)]
struct Fence {
    arrived: AtomicU32,
    /// How many meetings are over.
    met: AtomicU32,
}

impl Common {
    /// For a window of these ranks, none of which has a part yet.
    pub(super) fn new(group: &Members, layout: Option<Layout>) -> Common {
        let members: Box<[Member]> = group.iter().map(|rank| Member::new(rank, None)).collect();
        let (fence, failed, here) = (Fence::default(), AtomicU32::new(0), members.len() as u32);
        Common { members, fence, failed, layout, here, spread: None }
    }

    /// For one of ranks of several nodes; `elsewhere` says where those are that are not here.
    pub(super) fn over_nodes(group: &Members, elsewhere: impl Fn(u32) -> Option<u32>, spread: Spread) -> Common {
        let members: Box<[Member]> = group.iter().map(|rank| Member::new(rank, elsewhere(rank))).collect();
        let here = members.iter().filter(|member| member.elsewhere.is_none()).count() as u32;
        let (fence, failed) = (Fence::default(), AtomicU32::new(0));
        Common { members, fence, failed, layout: None, here, spread: Some(Box::new(spread)) }
    }

    /// What it has more if some of its ranks are on other nodes.
    pub(super) fn spread(&self) -> Option<&Spread> {
        self.spread.as_deref()
    }

    /// How many of its ranks are here.
    pub(super) fn here(&self) -> usize {
        self.here as usize
    }

    /// Whether it is a window of these ranks.
    pub(super) fn is_of(&self, group: &Members) -> bool {
        self.members.iter().map(|member| member.rank).eq(group.iter())
    }

    /// Where the parts lie, if the window's memory is shared.
    pub(super) fn layout(&self) -> Option<&Layout> {
        self.layout.as_ref()
    }

    /// Ranks of the window.
    pub(super) fn size(&self) -> usize {
        self.members.len()
    }

    /// A rank of the window, which has it.
    #[inline]
    pub(super) fn member(&self, rank: usize) -> &Member {
        &self.members[rank]
    }

    /// A rank says where its part is.
    pub(super) fn set_part(&self, rank: usize, part: Part) {
        let _ = self.members[rank].part.set(part);
    }

    /// A rank has no part: the window can't be.
    pub(super) fn fail(&self, rank: usize) {
        let _ = self.failed.compare_exchange(0, rank as u32 + 1, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// The world rank that could not make its part, if there is one.
    pub(super) fn failed(&self) -> Option<u32> {
        let failed = self.failed.load(Ordering::SeqCst).checked_sub(1)?;
        Some(self.members[failed as usize].rank)
    }

    /// A rank comes to where all of them meet; the meeting that it waits for.
    pub(super) fn arrive(&self, world: &World, rank: usize) -> u32 {
        let met = self.fence.met.load(Ordering::SeqCst);
        self.members[rank].news.fences.fetch_add(1, Ordering::SeqCst);
        if self.fence.arrived.fetch_add(1, Ordering::SeqCst) + 1 == self.here {
            self.fence.arrived.store(0, Ordering::SeqCst);
            match self.spread() {
                None => {
                    self.fence.met.fetch_add(1, Ordering::SeqCst);
                    let others = self.members.iter().filter(|member| member.rank != self.members[rank].rank);
                    others.for_each(|member| member.tell(world));
                }
                Some(spread) => self.arrive_elsewhere(world, spread, met == 0),
            }
        }
        met
    }

    /// How many meetings are over.
    pub(super) fn meetings(&self) -> u32 {
        self.fence.met.load(Ordering::SeqCst)
    }

    /// All ranks of all nodes have come.
    pub(super) fn end_meeting(&self, world: &World) {
        self.fence.met.fetch_add(1, Ordering::SeqCst);
        self.members.iter().filter(|member| member.elsewhere.is_none()).for_each(|member| member.tell(world));
    }

    /// All ranks of another node have come to a meeting.
    pub(super) fn count_fences(&self, node: u32) {
        for member in self.members.iter().filter(|member| member.elsewhere == Some(node)) {
            member.news.fences.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Whether that meeting is over.
    #[inline]
    pub(super) fn have_met(&self, meeting: u32) -> bool {
        self.fence.met.load(Ordering::SeqCst) != meeting
    }

    /// The world ranks that have not come to the meeting at which `rank` waits.
    pub(super) fn missing(&self, rank: usize) -> impl Iterator<Item = u32> {
        let fences = |member: &Member| member.news.fences.load(Ordering::SeqCst);
        let mine = fences(&self.members[rank]);
        // Those of another node may be ahead.
        let is_behind = move |member: &&Member| fences(member).wrapping_sub(mine).cast_signed() < 0;
        self.members.iter().filter(is_behind).map(|member| member.rank)
    }
}

impl Member {
    fn new(rank: u32, elsewhere: Option<u32>) -> Member {
        Member {
            rank,
            elsewhere,
            part: OnceLock::new(),
            size_elsewhere: OnceLock::new(),
            attached: Mutex::default(),
            lock: Apart(Lock::new()),
            stripes: Apart(Stripes::default()),
            news: Apart(News::default()),
        }
    }

    /// Its part, if it is known already.
    pub(super) fn known_part(&self) -> Option<Part> {
        self.part.get().copied()
    }

    /// Its part on another node, from nowhere on.
    pub(super) fn part_elsewhere(&self) -> Part {
        Part { size: self.size_elsewhere.get().copied().unwrap_or(0), ..self.part() }
    }

    /// How long its part is on another node.
    pub(super) fn set_size_elsewhere(&self, size: u64) {
        let _ = self.size_elsewhere.set(size);
    }

    /// Its part; what all of them have once the window is made.
    #[inline]
    pub(super) fn part(&self) -> Part {
        *self.part.get().expect("a window is used when all have their parts")
    }

    /// There are news for this rank: it wakes if it waits for them.
    #[inline]
    pub(super) fn tell(&self, world: &World) {
        crosswise();
        if self.news.listening.load(Ordering::SeqCst) != 0 && self.news.listening.swap(0, Ordering::SeqCst) != 0 {
            world.wake(self.rank);
        }
    }

    /// This rank is about to park. What it then looks at it has to look at once more.
    pub(super) fn listen(&self) {
        self.news.listening.store(1, Ordering::SeqCst);
        crosswise();
    }

    /// Target `rank` of the window lets this rank in.
    pub(super) fn post(&self, world: &World, rank: i32) {
        self.posts().push(rank);
        self.tell(world);
    }

    /// Whether all of these targets, which are in order, have let this rank in; then that is forgotten.
    pub(super) fn take_posts(&self, targets: &[i32]) -> bool {
        let mut posts = self.posts();
        let is_one = |post: &i32| targets.binary_search(post).is_ok();
        let all = posts.iter().filter(|post| is_one(post)).count() == targets.len();
        if all {
            posts.retain(|post| !is_one(post));
        }
        all
    }

    /// Whether a target has let this rank in, and it has not begun to access it.
    pub(super) fn is_posted(&self, target: i32) -> bool {
        self.posts().contains(&target)
    }

    fn posts(&self) -> MutexGuard<'_, Vec<i32>> {
        self.news.posts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An origin has ended its accesses of this rank's part.
    pub(super) fn complete(&self, world: &World) {
        self.news.completed.fetch_add(1, Ordering::SeqCst);
        self.tell(world);
    }

    /// How many origins have, since it was set to 0.
    pub(super) fn completed(&self) -> u32 {
        self.news.completed.load(Ordering::SeqCst)
    }

    /// An exposure epoch begins.
    pub(super) fn reset_completed(&self) {
        self.news.completed.store(0, Ordering::SeqCst);
    }

    /// What is attached to it.
    pub(super) fn attached(&self) -> MutexGuard<'_, Attached> {
        self.attached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
