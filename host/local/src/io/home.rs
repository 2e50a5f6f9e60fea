//! What is one for all ranks of a file that several nodes have opened: the shared pointer, and the turn of who accesses it in
//! atomic mode. Both are at the node of its first rank, and ranks of others ask for them.
//!
//! Accesses never wait for other ranks, only for the file; so who asks waits at once, and the threads that carry letters wait
//! for nobody.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use rankine_abi::MPI_ERR_OTHER;

use super::common::{Common, too_far};
use crate::error::{Error, Result};
use crate::world::World;

/// The files of this node that ranks of others have opened, too, by their numbers.
#[derive(Default)]
pub(crate) struct OverNodes {
    last: AtomicU64,
    by_number: Mutex<HashMap<u64, Weak<Common>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl OverNodes {
    /// A number for a file that does not exist yet.
    pub(super) fn number(&self) -> u64 {
        self.last.fetch_add(1, Ordering::Relaxed)
    }

    /// From now on others may ask by this number.
    pub(super) fn enter(&self, number: u64, common: &Arc<Common>) {
        let mut all = lock(&self.by_number);
        all.retain(|_, common| common.strong_count() > 0);
        all.insert(number, Arc::downgrade(common));
    }
}

/// Where a file's pointer and turn are.
pub(super) struct Home {
    world: Arc<World>,
    /// Another node.
    pub(super) elsewhere: Option<u32>,
    number: u64,
    turnstile: Turnstile,
}

impl fmt::Debug for Home {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "file {} of node {:?}", self.number, self.elsewhere)
    }
}

/// Who may access the file, one after another.
#[derive(Default)]
struct Turnstile {
    turns: Mutex<Turns>,
    changed: Condvar,
}

#[derive(Default)]
struct Turns {
    taken: bool,
    /// The node that has it, if that is another one.
    holder: Option<u32>,
    waiting: VecDeque<Waiting>,
    /// The last number of one that waits here, and of one that waits no longer.
    last: u64,
    called: u64,
}

enum Waiting {
    Here(u64),
    There { node: u32, number: u64 },
}

/// What a node asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    Pointer,
    Advance(i64),
    Take,
    GiveBack,
}

/// What comes of a call: an answer, if there is one already. An error says what is wrong with it.
pub(crate) type Served = std::result::Result<Option<Vec<u8>>, String>;

/// What a call of a file begins with.
pub(crate) const KIND: u8 = 64;
const DONE: u8 = 0;
const REFUSED: u8 = 1;

impl Ask {
    fn write(self, number: u64) -> Vec<u8> {
        let (kind, by) = match self {
            Ask::Pointer => (0, 0),
            Ask::Advance(by) => (1, by),
            Ask::Take => (2, 0),
            Ask::GiveBack => (3, 0),
        };
        [&[KIND, kind, 0, 0][..], &number.to_le_bytes(), &by.to_le_bytes()].concat()
    }

    fn read(bytes: &[u8]) -> Option<(u64, Ask)> {
        let (&[KIND, kind, 0, 0], rest) = bytes.split_first_chunk()? else { return None };
        let (number, rest) = rest.split_first_chunk()?;
        let by = i64::from_le_bytes(rest.try_into().ok()?);
        let ask = match (kind, by) {
            (0, 0) => Ask::Pointer,
            (1, by) => Ask::Advance(by),
            (2, 0) => Ask::Take,
            (3, 0) => Ask::GiveBack,
            _ => return None,
        };
        Some((u64::from_le_bytes(*number), ask))
    }

    /// Bytes of the answer.
    fn answered(self) -> usize {
        match self {
            Ask::Pointer | Ask::Advance(_) => 9,
            Ask::Take | Ask::GiveBack => 1,
        }
    }
}

impl Home {
    pub(super) fn new(world: &Arc<World>, elsewhere: Option<u32>, number: u64) -> Home {
        Home { world: world.clone(), elsewhere, number, turnstile: Turnstile::default() }
    }

    /// Asks another node, and waits for what it says.
    fn ask(&self, node: u32, ask: Ask) -> Result<Vec<u8>> {
        // The answer wakes a rank that has no need of it, which is nothing to it.
        let number = self.world.expect_answer(self.world.number(0), node, ask.answered());
        self.world.call_node(node, number, ask.write(self.number));
        let mut answer = None;
        self.world.wait_for_carriers(|| {
            answer = answer.take().or_else(|| self.world.take_answer(number));
            answer.is_some()
        });
        answer.ok_or_else(|| Error::new(MPI_ERR_OTHER, "the job has ended"))
    }

    fn ask_number(&self, node: u32, ask: Ask) -> Result<i64> {
        match self.ask(node, ask)?.split_first_chunk() {
            Some((&[DONE], rest)) => rest.try_into().map(i64::from_le_bytes).map_err(|_| too_far()),
            _ => Err(too_far()),
        }
    }

    /// Where the pointer stands on another node.
    pub(super) fn pointer(&self, node: u32) -> Result<i64> {
        self.ask_number(node, Ask::Pointer)
    }

    /// Moves it on there; where it stood.
    pub(super) fn advance(&self, node: u32, by: i64) -> Result<i64> {
        self.ask_number(node, Ask::Advance(by))
    }

    /// Waits until it is the caller's turn; not if the job has ended.
    pub(super) fn take(&self) -> Held<'_> {
        match self.elsewhere {
            Some(node) => drop(self.ask(node, Ask::Take)),
            None => self.turnstile.take(&self.world),
        }
        Held(self)
    }

    fn hand_over(&self) {
        if let Some((node, number)) = self.turnstile.hand_over() {
            self.world.answer_node(node, number, vec![DONE]);
        }
    }
}

/// The turn, which is given up when this is dropped.
pub(super) struct Held<'a>(&'a Home);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        match self.0.elsewhere {
            Some(node) => self.0.world.tell_node(node, Ask::GiveBack.write(self.0.number)),
            None => self.0.hand_over(),
        }
    }
}

impl Turnstile {
    fn take(&self, world: &World) {
        let mut turns = lock(&self.turns);
        if !std::mem::replace(&mut turns.taken, true) {
            return;
        }
        turns.last += 1;
        let mine = turns.last;
        turns.waiting.push_back(Waiting::Here(mine));
        while turns.called < mine && world.ended().is_none() {
            let waited = self.changed.wait_timeout(turns, Duration::from_millis(50));
            turns = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Whether a node has the turn at once; otherwise it hears of it.
    fn take_for(&self, node: u32, number: u64) -> bool {
        let mut turns = lock(&self.turns);
        if std::mem::replace(&mut turns.taken, true) {
            turns.waiting.push_back(Waiting::There { node, number });
            return false;
        }
        turns.holder = Some(node);
        true
    }

    /// Gives it to the next; the node that is to hear of it.
    fn hand_over(&self) -> Option<(u32, u64)> {
        let mut turns = lock(&self.turns);
        turns.holder = None;
        match turns.waiting.pop_front() {
            None => turns.taken = false,
            Some(Waiting::Here(number)) => {
                turns.called = number;
                self.changed.notify_all();
            }
            Some(Waiting::There { node, number }) => {
                turns.holder = Some(node);
                return Some((node, number));
            }
        }
        None
    }

    fn is_held_by(&self, node: u32) -> bool {
        lock(&self.turns).holder == Some(node)
    }
}

impl World {
    /// A node calls a file, and wants to hear of it by this number, or not at all by 0.
    pub(crate) fn serve_file(&self, from: u32, number: u64, bytes: &[u8]) -> Served {
        serve(self, from, number, bytes)
    }
}

/// Serves what another node asks of a file. An error says why it makes no sense.
fn serve(world: &World, from: u32, number: u64, bytes: &[u8]) -> Served {
    let (file, ask) = Ask::read(bytes).ok_or("a call that no file knows")?;
    if (number == 0) != (ask == Ask::GiveBack) {
        return Err(format!("a call of a file by the number {number}"));
    }
    let common = lock(&world.files_over_nodes.by_number).get(&file).and_then(Weak::upgrade);
    let Some((common, home)) = common.as_ref().and_then(|common| Some((common, common.home()?))) else {
        return Ok((number != 0).then(|| vec![REFUSED]));
    };
    let answer = |place: i64| [&[DONE][..], &place.to_le_bytes()].concat();
    Ok(match ask {
        Ask::Pointer => Some(answer(common.pointer_here())),
        Ask::Advance(by) => Some(common.advance_here(by).map_or_else(|_| vec![REFUSED], answer)),
        Ask::Take => home.turnstile.take_for(from, number).then(|| vec![DONE]),
        Ask::GiveBack if home.turnstile.is_held_by(from) => {
            home.hand_over();
            None
        }
        Ask::GiveBack => return Err(format!("it gives back the turn of file {file}, which it has not")),
    })
}

#[cfg(all(test, not(loom)))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_asked_is_read(kind in 0..4_u8, number in any::<u64>(), by in any::<i64>(), at in 0..20_usize, byte in any::<u8>()) {
            let ask = [Ask::Pointer, Ask::Advance(by), Ask::Take, Ask::GiveBack][usize::from(kind)];
            let mut written = ask.write(number);
            prop_assert_eq!(Ask::read(&written), Some((number, ask)));
            written[at] = byte;
            if let Some((number, ask)) = Ask::read(&written) {
                prop_assert_eq!(ask.write(number), &written[..]);
            }
            prop_assert_eq!(Ask::read(&written[..at]), None);
        }
    }

    #[test]
    fn turns_are_taken_in_order() {
        let turnstile = Turnstile::default();
        assert!(turnstile.take_for(1, 7) && turnstile.is_held_by(1) && !turnstile.is_held_by(2));
        assert!(!turnstile.take_for(2, 8) && !turnstile.take_for(1, 9));
        assert_eq!(turnstile.hand_over(), Some((2, 8)));
        assert!(turnstile.is_held_by(2) && !turnstile.is_held_by(1));
        assert_eq!((turnstile.hand_over(), turnstile.hand_over()), (Some((1, 9)), None));
        assert!(!turnstile.is_held_by(1) && turnstile.take_for(3, 1));
    }
}
