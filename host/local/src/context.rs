//! Contexts: what keeps messages apart before source and tag are looked at.
//!
//! Every communicator has a number of its own, and its messages travel in one of the number's planes: what the program
//! sends, what its collectives send, what the engine sends. A plane follows from the function that sends, so nothing
//! that a program asks for leads from one to another. Numbers are never used twice; when they are used up, that is an
//! error of the call.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use rankine_abi::{MPI_ERR_NO_MEM, MPI_ERR_NOT_SAME};

use crate::error::{Error, Result};
use crate::sync::{AtomicU64, Ordering};

/// The largest tag (`MPI_TAG_UB`).
pub(crate) const TAG_UB: i32 = i32::MAX;

/// A communicator's number, and the plane of it that a message travels in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Context(u32);

/// What a communicator's messages are for.
#[derive(Clone, Copy)]
enum Plane {
    /// The program's own messages.
    Messages,
    /// Those of its collectives.
    Collectives,
    /// What partitioned sends tell their receivers.
    Greetings,
    /// What ranks say that make a new communicator.
    Agreements,
}

const PLANES: u32 = 3;
/// The planes inside of each group of an intercommunicator.
const LOCAL: u32 = 4;
const BITS: u32 = 3;
/// What a rank hears instead of a context where the others could not agree on one.
const REFUSED: i32 = -1;

impl Context {
    /// Of `MPI_COMM_WORLD`.
    pub(crate) const WORLD: Context = Context::numbered(1);
    /// Of `MPI_COMM_SELF`.
    pub(crate) const SELF: Context = Context::numbered(2);
    const FIRST: u32 = 3;
    const LAST: u32 = u32::MAX >> BITS;

    const fn numbered(number: u32) -> Context {
        Context(number << BITS | Plane::Messages as u32)
    }

    /// What another node calls so.
    pub(crate) fn from_number(number: u32) -> Context {
        Context(number)
    }

    /// The number that tells it from all others of the job.
    pub(crate) fn number(self) -> u32 {
        self.0
    }

    #[inline]
    fn plane(self, plane: Plane) -> Context {
        Context(self.0 & !PLANES | plane as u32)
    }

    /// Where the communicator's collectives send.
    #[inline]
    pub(crate) fn collectives(self) -> Context {
        self.plane(Plane::Collectives)
    }

    /// Where partitioned sends tell their receivers of themselves.
    pub(crate) fn greetings(self) -> Context {
        self.plane(Plane::Greetings)
    }

    /// Where the parts of a partitioned message travel, which has a number of its own: where the greetings inside of a group
    /// would, of which there are none.
    pub(crate) fn parts(self) -> Context {
        self.greetings().local()
    }

    /// Whether it is that of parts.
    #[inline]
    pub(crate) fn is_of_parts(self) -> bool {
        self.0 & (LOCAL | PLANES) == LOCAL | Plane::Greetings as u32
    }

    /// Where its ranks agree on a new communicator.
    pub(crate) fn agreements(self) -> Context {
        self.plane(Plane::Agreements)
    }

    /// The context of the collectives inside of each group of an intercommunicator.
    pub(crate) fn local(self) -> Context {
        Context(self.0 | LOCAL)
    }

    /// That of the communicator's own messages.
    pub(crate) fn of_communicator(self) -> Context {
        Context(self.0 & !(LOCAL | PLANES))
    }

    /// Whether collectives and agreements travel in it.
    pub(crate) fn is_collective(self) -> bool {
        let base = self.0 & !LOCAL;
        [self.collectives(), self.agreements()].iter().any(|plane| plane.0 & !LOCAL == base)
    }

    /// As ranks tell each other of a new context, or of why there is none.
    pub(crate) fn word(context: &Result<Context>) -> i32 {
        match context {
            Ok(context) => context.0 as i32,
            Err(error) if error.class == MPI_ERR_NO_MEM => 0,
            Err(_) => REFUSED,
        }
    }

    /// What a rank was told.
    pub(crate) fn from_word(word: i32) -> Result<Context> {
        match Context(word as u32) {
            Context(0) => Err(used_up()),
            context if context != context.of_communicator() => Err(disagreement()),
            context => Ok(context),
        }
    }
}

/// Gives out contexts: the number of the next one, which goes on to count when there are no more. Each node of a job has
/// every so-many-eth number, so that none has another's.
pub(crate) struct Contexts {
    next: AtomicU64,
    step: u64,
}

impl Contexts {
    /// Those of a node of so many.
    pub(crate) fn new(node: u32, nodes: u32) -> Self {
        Contexts { next: AtomicU64::new(u64::from(Context::FIRST) + u64::from(node)), step: nodes.into() }
    }

    /// One that nobody has had before.
    pub(crate) fn fresh(&self) -> Result<Context> {
        match u32::try_from(self.next.fetch_add(self.step, Ordering::Relaxed)) {
            Ok(number) if number <= Context::LAST => Ok(Context::numbered(number)),
            _ => Err(used_up()),
        }
    }

    /// Leaves `count` of them.
    #[cfg(test)]
    pub(crate) fn leave(&self, count: u32) {
        self.next.store((Context::LAST + 1 - count).into(), Ordering::Relaxed);
    }
}

#[cold]
fn used_up() -> Error {
    let text = format!("the job has made {} communicators and partitioned messages, the limit", Context::LAST);
    Error::new(MPI_ERR_NO_MEM, text)
}

/// The names of communicators in which there are messages that nobody received, by the contexts' numbers.
#[derive(Debug, Default)]
pub(crate) struct Names(Mutex<BTreeMap<u32, String>>);

impl Names {
    /// Says what a communicator is called.
    pub(crate) fn leave(&self, context: Context, name: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(context.number(), name);
    }

    /// What it is called.
    pub(crate) fn of(&self, context: Context) -> String {
        let names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match (names.get(&context.number()), context) {
            (Some(name), _) => name.clone(),
            (None, Context::WORLD) => "MPI_COMM_WORLD".into(),
            (None, Context::SELF) => "MPI_COMM_SELF".into(),
            (None, context) if context.is_of_parts() => "a partitioned message".into(),
            (None, _) => "a communicator that was freed".into(),
        }
    }
}

/// The error of a rank that hears what it did not ask for.
#[cold]
pub(crate) fn disagreement() -> Error {
    Error::new(MPI_ERR_NOT_SAME, "the ranks that make a communicator called different functions, or with other groups")
}

#[cfg(all(test, not(loom)))]
mod tests {
    use rankine_abi::MPI_ERR_NOT_SAME;

    use super::*;

    #[test]
    fn planes_never_meet() {
        let contexts = Contexts::new(0, 1);
        let mut seen = Vec::new();
        for context in [Context::WORLD, Context::SELF, contexts.fresh().unwrap(), contexts.fresh().unwrap()] {
            for plane in [context, context.local()] {
                seen.extend([plane, plane.collectives(), plane.greetings(), plane.agreements()]);
                assert!(seen.iter().rev().take(4).all(|plane| plane.of_communicator() == context));
            }
            let of_parts: Vec<_> = seen.iter().rev().take(8).filter(|plane| plane.is_of_parts()).collect();
            assert_eq!(of_parts, [&context.parts()]);
            // From one plane to another and back, never out of the communicator.
            assert_eq!(context.greetings().collectives(), context.collectives());
        }
        assert!((1..seen.len()).all(|index| !seen[..index].contains(&seen[index])));
        assert_eq!(seen.iter().filter(|context| context.is_collective()).count(), seen.len() / 2);
    }

    #[test]
    fn numbers_run_out_and_never_start_again() {
        let contexts = Contexts::new(0, 1);
        contexts.leave(2);
        let (one, two) = (contexts.fresh().unwrap(), contexts.fresh().unwrap());
        assert_ne!(one, two);
        assert_eq!(two.agreements().local().0, u32::MAX);
        for _ in 0..3 {
            assert_eq!(contexts.fresh().unwrap_err().class, MPI_ERR_NO_MEM);
        }
    }

    #[test]
    fn nodes_never_give_out_the_same() {
        let nodes = [0, 1, 2].map(|node| Contexts::new(node, 3));
        let mut all: Vec<u32> =
            nodes.iter().flat_map(|node| [(); 9].map(|()| node.fresh().unwrap().number())).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 27);
    }

    #[test]
    fn ranks_hear_of_a_context_or_of_its_lack() {
        let context = Contexts::new(0, 1).fresh();
        assert_eq!(Context::from_word(Context::word(&context)).unwrap(), context.unwrap());
        for error in [used_up(), disagreement()] {
            let class = error.class;
            assert_eq!(Context::from_word(Context::word(&Err(error))).unwrap_err().class, class);
        }
        let odd = Context::from_word(Context::WORLD.collectives().0 as i32);
        assert_eq!(odd.unwrap_err().class, MPI_ERR_NOT_SAME);
    }
}
