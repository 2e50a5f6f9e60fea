//! Ranks that start on another node than their root's.
//!
//! The root's rank says what it orders, in pieces, and calls the node, which makes that ready on a thread of its own, as modules
//! are compiled there, and answers with the numbers of the ranks: they stand ready. When those of all nodes do, the root says
//! who they are, and that they begin. What it has called, and not begun, it sends away, also if it goes itself.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use rankine_abi::{MPI_ERR_OTHER, MPI_ERR_SPAWN};

use super::Birth;
use super::muster::{Standing, Wanted};
use super::orders::{
    answer_length, read_answer, read_birth, read_orders, write_answer, write_birth, write_no_memory, write_orders,
};
use crate::error::{Error, Result};
use crate::quota::{Account, Charge, Cost};
use crate::rank::Rank;
use crate::sync::{Mutex, MutexGuard, lock};
use crate::waiting::Waited;
use crate::world::World;

/// What a call that is about starting ranks begins with.
pub(crate) const KIND: u8 = 67;
/// Bytes of what is said at once.
const PIECE: usize = 16 << 10;
/// Bytes that orders may have for one node.
const LONGEST_ORDERS: usize = 4 << 20;
/// Bytes that a birth may have: lists of its ranks and their parents.
const LONGEST_BIRTH: usize = 64 << 20;
/// Bytes of the stack of a thread that makes modules ready.
const STACK: usize = 8 << 20;

/// What a call says of the ranks that are known by a number of its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Step {
    /// More of what there is to say.
    Say,
    /// That were the orders: the ranks shall stand ready. The call's own number is theirs.
    Muster,
    /// That was their birth: they begin.
    Begin,
    /// They don't.
    Dismiss,
}

fn write(step: Step, number: u64, bytes: &[u8]) -> Vec<u8> {
    [&[KIND, step as u8, 0, 0][..], &number.to_le_bytes(), bytes].concat()
}

fn read(bytes: &[u8]) -> Option<(Step, u64, &[u8])> {
    let (&[KIND, step, 0, 0], rest) = bytes.split_first_chunk()? else { return None };
    let (number, said) = rest.split_first_chunk()?;
    let step = [Step::Say, Step::Muster, Step::Begin, Step::Dismiss].into_iter().find(|known| *known as u8 == step)?;
    let makes_sense = (step == Step::Say) != said.is_empty() && said.len() <= PIECE;
    makes_sense.then_some((step, u64::from_le_bytes(*number), said))
}

/// Ranks that a node was asked for.
struct Party {
    node: u32,
    number: u64,
    /// How many there are at most for each order.
    most: Vec<usize>,
    /// There is something there to be sent away.
    is_open: bool,
    /// The number of the first, and how many there are for each order.
    stands: (u32, Vec<usize>),
}

/// Ranks that a root starts on other nodes.
pub(super) struct Elsewhere<'r> {
    root: &'r Rank,
    parties: Vec<Party>,
}

impl<'r> Elsewhere<'r> {
    /// Has ranks stand ready on nodes.
    pub(super) async fn muster(root: &'r Rank, wanted: &BTreeMap<u32, Vec<Wanted>>) -> Result<Elsewhere<'r>> {
        let mut all = Elsewhere { root, parties: Vec::new() };
        for (&node, wanted) in wanted {
            all.order(node, wanted)?;
        }
        let mut failed = None;
        for party in &mut all.parties {
            // All are heard, whatever they say: their answers come anyway.
            let heard = party.hear(root).await;
            failed = failed.or(heard.err());
        }
        failed.map_or(Ok(all), Err)
    }

    fn order(&mut self, node: u32, wanted: &[Wanted]) -> Result<()> {
        let orders = write_orders(wanted);
        if orders.len() > LONGEST_ORDERS {
            let text = format!(
                "the commands for node {node} and their arguments have {} bytes, but another node can be told {LONGEST_ORDERS}",
                orders.len()
            );
            return Err(Error::new(MPI_ERR_SPAWN, text));
        }
        // They wait to be carried.
        self.root.account().check(2 * orders.len(), Cost::Modules.words())?;
        let world = self.root.world();
        let number = world.expect_answer(self.root.me(), node, answer_length(wanted.len()));
        say(world, node, number, &orders);
        world.call_node(node, number, write(Step::Muster, number, &[]));
        let most = wanted.iter().map(|wanted| wanted.soft.most).collect();
        self.parties.push(Party { node, number, most, is_open: true, stands: (0, Vec::new()) });
        Ok(())
    }

    /// For each node the number of the first rank there, and how many there are for each order.
    pub(super) fn standing(&self) -> impl Iterator<Item = (u32, (u32, Vec<usize>))> {
        self.parties.iter().map(|party| (party.node, party.stands.clone()))
    }

    /// All of them begin.
    pub(super) fn begin(mut self, birth: &Birth) {
        let birth = write_birth(birth);
        let world = self.root.world();
        for party in self.parties.iter_mut().filter(|party| party.is_open) {
            party.is_open = false;
            say(world, party.node, party.number, &birth);
            world.tell_node(party.node, write(Step::Begin, party.number, &[]));
        }
    }
}

impl Drop for Elsewhere<'_> {
    fn drop(&mut self) {
        for party in self.parties.iter().filter(|party| party.is_open) {
            self.root.world().tell_node(party.node, write(Step::Dismiss, party.number, &[]));
        }
    }
}

impl Party {
    /// What the node answers.
    async fn hear(&mut self, root: &Rank) -> Result<()> {
        let node = self.node;
        let answer = root.answer_to(self.number, || Waited::Starting(node)).await;
        let starts = root.world().nodes().map_or(0..0, |nodes| nodes.starts_of(node));
        let answer = read_answer(&answer, &self.most, &starts)
            .unwrap_or_else(|| Err(Error::new(MPI_ERR_OTHER, "its answer makes no sense")));
        // Who has none has sent them away, or has never had any.
        self.is_open = matches!(&answer, Ok((_, counts)) if counts.iter().any(|&count| count > 0));
        self.stands = answer.map_err(|error| {
            let hosts = root.world().hosts();
            let name = hosts.get(node as usize).map_or_else(String::new, |name| format!(" ({name})"));
            Error::new(error.class, format!("on node {node}{name}: {}", error.text))
        })?;
        Ok(())
    }
}

fn say(world: &World, node: u32, number: u64, bytes: &[u8]) {
    for piece in bytes.chunks(PIECE) {
        world.tell_node(node, write(Step::Say, number, piece));
    }
}

/// A node, and the number that it knows ranks by that it has asked for.
type Key = (u32, u64);

/// What ranks of other nodes start here.
#[derive(Default)]
pub(crate) struct Serving {
    state: Mutex<State>,
    /// Who pays for what they have made ready here: nobody's rank has it.
    account: OnceLock<Arc<Account>>,
}

#[derive(Default)]
struct State {
    talks: HashMap<Key, Talk>,
    /// What is to be made ready, one after the other.
    orders: VecDeque<(Key, Vec<Wanted>, Charge)>,
    /// A thread does.
    is_served: bool,
}

/// How far a node is with ranks that it starts here.
enum Talk {
    /// It says what it orders; nothing is kept of more than there is memory for.
    Orders(Option<(Vec<u8>, Charge)>),
    /// They are made ready, though it does not want them any more if they are `dismissed`.
    Prepares { dismissed: bool },
    /// They stand ready, and it says who they are.
    Stands(Standing, Vec<u8>),
}

impl Serving {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl World {
    /// A node calls because of ranks that it starts here.
    pub(crate) fn serve_start(
        self: &Arc<Self>,
        from: u32,
        number: u64,
        bytes: &[u8],
    ) -> std::result::Result<Option<Vec<u8>>, String> {
        let (step, ranks, said) = read(bytes).ok_or("a call that starts no ranks")?;
        if number != if step == Step::Muster { ranks } else { 0 } || ranks == 0 {
            return Err(format!("a call {number} for the ranks {ranks} that it starts"));
        }
        let key = (from, ranks);
        match step {
            Step::Say => self.hear_of_start(key, said).map(|()| None),
            Step::Muster => self.begin_to_prepare(key),
            Step::Begin => self.begin_started(key).map(|()| None),
            Step::Dismiss => {
                self.dismiss(key);
                Ok(None)
            }
        }
    }

    fn account_of_others(&self) -> &Arc<Account> {
        self.spawned.serving.account.get_or_init(|| Account::new(self.options.memory_limit))
    }

    fn hear_of_start(&self, key: Key, said: &[u8]) -> std::result::Result<(), String> {
        let mut state = self.spawned.serving.lock();
        let nothing = || Talk::Orders(Some((Vec::new(), Charge::none(self.account_of_others()))));
        let (bytes, longest) = match state.talks.entry(key).or_insert_with(nothing) {
            Talk::Orders(orders) => {
                *orders = orders
                    .take()
                    .and_then(|(bytes, mut charge)| charge.try_grow(said.len()).then_some((bytes, charge)));
                let Some((bytes, _)) = orders else { return Ok(()) };
                (bytes, LONGEST_ORDERS)
            }
            Talk::Stands(_, bytes) => (bytes, LONGEST_BIRTH),
            Talk::Prepares { .. } => return Err("it goes on to order ranks that are made ready".into()),
        };
        if bytes.len() + said.len() > longest {
            return Err(format!("more than {longest} bytes of ranks to start"));
        }
        bytes.extend(said);
        Ok(())
    }

    /// The orders are complete.
    fn begin_to_prepare(self: &Arc<Self>, key: Key) -> std::result::Result<Option<Vec<u8>>, String> {
        let mut state = self.spawned.serving.lock();
        let Some(Talk::Orders(orders)) = state.talks.remove(&key) else { return Err("it orders no ranks".into()) };
        let Some((bytes, charge)) = orders else { return Ok(Some(write_no_memory())) };
        let wanted = read_orders(&bytes).ok_or("orders of ranks that make no sense")?;
        state.talks.insert(key, Talk::Prepares { dismissed: false });
        // Until it is answered the job goes on.
        self.begin_errand();
        state.orders.push_back((key, wanted, charge));
        if state.is_served {
            return Ok(None);
        }
        let world = self.clone();
        let thread = std::thread::Builder::new().name("starts".into()).stack_size(STACK);
        match thread.spawn(move || world.serve_starts()) {
            Ok(_) => {
                state.is_served = true;
                Ok(None)
            }
            Err(error) => {
                state.talks.remove(&key);
                let wanted = state.orders.pop_back().map_or_else(Vec::new, |(_, wanted, _)| wanted);
                self.end_errand();
                let error = Error::new(MPI_ERR_SPAWN, format!("no thread makes modules ready: {error}"));
                Ok(Some(write_answer(wanted.len(), Err(error))))
            }
        }
    }

    /// Makes ready what is ordered, until that is all.
    fn serve_starts(self: &Arc<Self>) {
        loop {
            let mut state = self.spawned.serving.lock();
            let Some((key, wanted, charge)) = state.orders.pop_front() else {
                state.is_served = false;
                return;
            };
            drop(state);
            let muster = || self.prepare(&wanted, self.account_of_others()).and_then(|ready| ready.muster(self));
            let mustered = catch_unwind(AssertUnwindSafe(muster))
                .unwrap_or_else(|_| Err(Error::new(MPI_ERR_OTHER, "this is a bug of Rankine: please report it")));
            let answer = match &mustered {
                Ok(standing) => write_answer(wanted.len(), Ok((standing.first, &standing.counts))),
                Err(error) => write_answer(wanted.len(), Err(error.clone())),
            };
            let mut state = self.spawned.serving.lock();
            let is_wanted = matches!(state.talks.remove(&key), Some(Talk::Prepares { dismissed: false }));
            let left = match mustered {
                Ok(standing) if is_wanted && standing.len() > 0 => {
                    state.talks.insert(key, Talk::Stands(standing, Vec::new()));
                    None
                }
                mustered => mustered.ok(),
            };
            drop(state);
            drop((left, charge));
            self.answer_node(key.0, key.1, answer);
            self.end_errand();
        }
    }

    fn begin_started(&self, key: Key) -> std::result::Result<(), String> {
        let talk = self.spawned.serving.lock().talks.remove(&key);
        let (Some(Talk::Stands(standing, bytes)), Some(nodes)) = (talk, self.nodes()) else {
            return Err("it begins ranks that don't stand ready".into());
        };
        let here: Range<u32> = standing.first..standing.first + standing.len() as u32;
        let birth =
            read_birth(&bytes, nodes, here).ok_or("ranks that it starts are born in a way that makes no sense")?;
        standing.begin(&Arc::new(birth));
        Ok(())
    }

    /// The ranks are not wanted any more, if there are any.
    fn dismiss(&self, key: Key) {
        let mut state = self.spawned.serving.lock();
        let talk = match state.talks.get_mut(&key) {
            Some(Talk::Prepares { dismissed }) => {
                *dismissed = true;
                None
            }
            _ => state.talks.remove(&key),
        };
        drop(state);
        drop(talk);
    }
}
