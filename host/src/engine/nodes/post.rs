//! Letters of the view between nodes (`--view`, `--record`): what ranks of other nodes show travels to node 0, which has the
//! page, and what that wants of them to all others.
//!
//! Letters to node 0 are as long as what is shown, so they go in pieces, and few of these are under way: the messages of ranks
//! share the way with them. Node 0 says of each piece that it has it. What it asks for is short and not often.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use rankine_guest::Charge;
use rankine_local::World;
use rankine_local::away::{About, Hear, LONGEST_TOLD};
use rankine_view::{Apart, Letter, Sender, View};

/// Bytes of a letter in a piece.
const PIECE: usize = 16 << 10;
/// Pieces that are under way at a time.
const MOST: usize = 32;
/// The longest letter.
const LONGEST: usize = 64 << 20;
/// How often a node that has no page tells what is new there, whatever its ranks do.
const NEWS: Duration = Duration::from_millis(100);

const _: () = assert!(Told::HEAD + PIECE <= LONGEST_TOLD);

/// What nodes tell each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told<'a> {
    /// To node 0: the next part of a letter of so many bytes.
    Piece { rank: u32, whole: u32, bytes: &'a [u8] },
    /// From node 0: a piece has come.
    Taken,
    /// From node 0: a letter.
    Letter(&'a [u8]),
}

impl<'a> Told<'a> {
    const HEAD: usize = 9;

    fn tell(self, world: &World, node: u32) {
        match self {
            Told::Piece { rank, whole, bytes } => {
                world.tell_host(node, About::View, &[&[0], &rank.to_le_bytes(), &whole.to_le_bytes(), bytes]);
            }
            Told::Taken => world.tell_host(node, About::View, &[&[1]]),
            Told::Letter(bytes) => world.tell_host(node, About::View, &[&[2], bytes]),
        }
    }

    fn read(bytes: &'a [u8]) -> Option<Told<'a>> {
        let (kind, rest) = bytes.split_first()?;
        match kind {
            0 => {
                let (rank, rest) = rest.split_first_chunk()?;
                let (whole, bytes) = rest.split_first_chunk()?;
                Some(Told::Piece { rank: u32::from_le_bytes(*rank), whole: u32::from_le_bytes(*whole), bytes })
            }
            1 => rest.is_empty().then_some(Told::Taken),
            2 => Some(Told::Letter(rest)),
            _ => None,
        }
    }
}

/// What carries the letters of a node's view.
pub(super) struct Post {
    view: Arc<View>,
    /// Which keeps this.
    world: Weak<World>,
    /// Which node this is, and the ranks of each.
    node: u32,
    ranks: Vec<Arc<[usize]>>,
    going: Mutex<Going>,
    /// Of node 0: letters of which pieces have come.
    coming: Mutex<HashMap<u32, Coming>>,
}

/// What is on its way to node 0.
#[derive(Default)]
struct Going {
    /// A letter, and how much of it has left.
    letter: Option<(Letter, usize)>,
    pieces: usize,
}

/// A letter that is coming.
struct Coming {
    rank: u32,
    whole: usize,
    come: usize,
    /// Nothing where there was no memory for it.
    bytes: Option<(Vec<u8>, Charge)>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Post {
    /// Of a view that is of one node of several. Call it before letters are carried.
    pub fn new(view: &Arc<View>, world: &Arc<World>) -> Option<Arc<Post>> {
        let (apart, nodes) = (view.apart()?, world.nodes()?);
        let ranks_of = |node| nodes.ranks_of(node).map(|rank| rank as usize).collect();
        let (node, ranks) = (nodes.node, (0..nodes.count()).map(ranks_of).collect());
        let (going, coming) = (Mutex::default(), Mutex::default());
        let post = Arc::new(Post { view: view.clone(), world: Arc::downgrade(world), node, ranks, going, coming });
        world.hear_by(About::View, post.clone());
        // The view is kept by the post.
        let carrying = Arc::downgrade(&post);
        let carry = move || {
            if let Some(post) = carrying.upgrade() {
                post.carry();
            }
        };
        apart.carry_by(post.ranks.get(node as usize)?.clone(), carry);
        Some(post)
    }

    /// Ranks are about to start: a node without the page tells what is new there from now on, until nobody hears it.
    pub fn begin(self: Arc<Post>) -> std::io::Result<()> {
        if self.node == 0 {
            return Ok(());
        }
        let post = Arc::downgrade(&self);
        let tell = move || {
            while let Some(post) = post.upgrade()
                && let Some(world) = post.world.upgrade()
                && world.ended().is_none()
                && !world.has_heard_all()
            {
                post.view.carry();
                drop((post, world));
                std::thread::sleep(NEWS);
            }
        };
        std::thread::Builder::new().name("view".into()).spawn(tell).map(drop)
    }

    fn apart(&self) -> Option<&Apart> {
        self.view.apart()
    }

    /// Has letters leave, as many as may be under way.
    fn carry(&self) {
        let Some((apart, world)) = self.apart().zip(self.world.upgrade()) else { return };
        let going = &mut *lock(&self.going);
        if apart.is_first() {
            while let Some(Letter { to, bytes, .. }) = apart.next_letter() {
                if bytes.len() < LONGEST_TOLD {
                    Told::Letter(&bytes).tell(&world, to as u32);
                }
            }
            return;
        }
        while going.pieces < MOST
            && let Some((letter, at)) = going.letter.take().or_else(|| apart.next_letter().map(|letter| (letter, 0)))
        {
            let whole = letter.bytes.len();
            let behind = whole.min(at + PIECE);
            Told::Piece { rank: letter.rank as u32, whole: whole as u32, bytes: &letter.bytes[at..behind] }
                .tell(&world, 0);
            going.pieces += 1;
            going.letter = (behind < whole).then_some((letter, behind));
        }
    }

    /// A piece of a letter has come to node 0.
    fn take(&self, from: u32, (rank, whole): (u32, usize), piece: &[u8]) -> Result<(), String> {
        if from == 0 || piece.is_empty() || piece.len() > PIECE || whole > LONGEST {
            return Err(format!("a piece of {} bytes of a letter of {whole}", piece.len()));
        }
        let mut all = lock(&self.coming);
        let coming = all.entry(from).or_insert_with(|| {
            let bytes = self.apart().and_then(|apart| apart.room(whole)).map(|charge| (Vec::new(), charge));
            Coming { rank, whole, come: 0, bytes }
        });
        coming.come += piece.len();
        if (coming.rank, coming.whole) != (rank, whole) || coming.come > whole {
            return Err(format!("a piece of another letter than that of rank {}", coming.rank));
        }
        if let Some((bytes, _)) = &mut coming.bytes {
            bytes.extend_from_slice(piece);
        }
        if coming.come < whole {
            return Ok(());
        }
        let come = all.remove(&from).and_then(|coming| coming.bytes);
        drop(all);
        match come {
            Some((bytes, _charge)) => self.view.receive_of(&self.sender(from, rank)?, &bytes),
            None => {
                self.view.notice(&format!("rank {rank}: there is no memory for {whole} bytes of what it shows"));
            }
        }
        Ok(())
    }

    fn sender(&self, node: u32, rank: u32) -> Result<Sender, String> {
        let ranks = self.ranks.get(node as usize).ok_or("no node of this job")?.clone();
        Ok(Sender { process: node as usize, ranks, rank: rank as usize })
    }

    /// Node 0 has a piece.
    fn taken(&self) -> Result<(), String> {
        let going = &mut *lock(&self.going);
        going.pieces = going.pieces.checked_sub(1).ok_or("it has what was not sent")?;
        Ok(())
    }
}

impl Hear for Post {
    fn hear(&self, from: u32, bytes: &[u8]) -> Result<(), String> {
        match Told::read(bytes).ok_or("what no view says")? {
            Told::Piece { rank, whole, bytes } if self.node == 0 => {
                self.take(from, (rank, whole as usize), bytes)?;
                if let Some(world) = self.world.upgrade() {
                    Told::Taken.tell(&world, from);
                }
            }
            Told::Taken if from == 0 => self.taken()?,
            Told::Letter(bytes) if from == 0 => self.view.receive_of(&self.sender(0, 0)?, bytes),
            _ => return Err("what its view has no business to say".into()),
        }
        self.view.carry();
        // What has left in part is no longer the view's.
        self.carry();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_read_and_nothing_else() {
        let piece = [&[0][..], &3_u32.to_le_bytes(), &20_000_u32.to_le_bytes(), b"abc"].concat();
        assert_eq!(Told::read(&piece), Some(Told::Piece { rank: 3, whole: 20_000, bytes: b"abc" }));
        assert_eq!(Told::read(&[1]), Some(Told::Taken));
        assert_eq!(Told::read(&[2, 7]), Some(Told::Letter(&[7])));
        for odd in [&[][..], &piece[..8], &[1, 0], &[3]] {
            assert_eq!(Told::read(odd), None);
        }
    }
}
