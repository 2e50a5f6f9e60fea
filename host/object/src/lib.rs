//! Object graphs as messages (import module `rankine`).
//!
//! A guest describes its types once; from then on trees, lists and meshes travel like arrays of numbers: the host walks
//! the graph in the sender's memory into an image, which is an ordinary message, and rebuilds it in the receiver's.
//!
//! | file | subject |
//! |---|---|
//! | `types` | what a guest says of its types; all of it is checked here |
//! | `plan` | types that belong together, in an order two ranks agree on; the fingerprint |
//! | `plans` | plans that are kept, and how many may be in use |
//! | `walk`, `visited`, `interior` | from a graph to an image |
//! | `image` | the form in which graphs travel |
//! | `descriptor` | pointers and allocatables of Fortran |
//! | `decode` | checking an image that came, before the guest sees a byte of it |
//! | `rebuild` | from an image to a graph |
//!
//! Nothing here knows of an engine: it reads and writes a guest's memory and asks the guest's allocator. The engines send
//! and receive images, each in its `images.rs`. A guest that describes its types wrongly sends
//! nonsense or gets errors; whoever receives believes nothing of an image but what `decode` has checked against its own
//! description. Read `image.rs` and `plan.rs` first, then `walk.rs` and `decode.rs`, which are the two ends of a message.

mod decode;
mod descriptor;
mod image;
mod interior;
mod plan;
mod plans;
mod rebuild;
#[cfg(test)]
mod tests;
mod types;
mod visited;
mod walk;

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use rankine_abi::{Addr, MPI_ERR_ARG, MPI_ERR_COUNT, MPI_ERR_OTHER, Status};
use rankine_guest::{Account, Answer, Callback, Error, Memory, Parcel, Result};

pub use decode::Limits;
pub use image::{HEADER, Header};
pub use plan::Plan;
pub use rebuild::{Allocator, Site};
pub use types::FIELD_WORDS;
use walk::Walked;

#[cold]
pub(crate) fn error(class: i32, text: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::new(class, text)
}

/// The import module.
pub const MODULE: &str = "rankine";

/// What one rank keeps for its objects.
pub struct Objects {
    account: Arc<Account>,
    types: RefCell<types::Types>,
    plans: RefCell<plans::Plans>,
    walk: RefCell<walk::Walk>,
    /// What the rank accepts.
    pub limits: Cell<Limits>,
    /// The guest's functions that find and give back memory, once it has named them.
    pub allocator: Cell<Option<Allocator>>,
}

/// An array of objects in a guest's memory: references to them, or the objects themselves.
#[derive(Clone)]
pub struct Roots {
    /// Where the first one lies.
    pub at: Addr,
    /// How many there are.
    pub count: u32,
    /// What they are, or refer to.
    pub plan: Arc<Plan>,
    /// What the array holds.
    pub hold: Hold,
}

/// What errors call the array.
pub(crate) const ARRAY: &str = "the array of objects";

/// What an array of objects holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// References to the objects.
    References,
    /// The objects themselves; what is received is built there.
    Values,
    /// References to objects that are received into one block of memory, which begins with the first of them.
    Together,
    /// Address and bytes of an image that was received, which the program reads itself.
    Image,
}

impl Roots {
    /// Some of the array.
    pub fn part(&self, start: u32, count: u32) -> Roots {
        Roots { at: self.element(start), count, ..self.clone() }
    }

    /// Where an element lies.
    pub(crate) fn element(&self, index: u32) -> Addr {
        self.at.plus(index.saturating_mul(self.stride()).into())
    }

    /// Checks that so many elements of the array are in the memory.
    pub(crate) fn check(&self, memory: &Memory, count: u32) -> Result<()> {
        let bytes = u64::from(count) * u64::from(self.stride());
        match memory.at(self.at, bytes) {
            Some(_) if !self.at.is_null() || bytes == 0 => Ok(()),
            _ => Err(memory.outside(MPI_ERR_ARG, i128::from(self.at.0), i128::from(bytes), ARRAY)),
        }
    }

    /// The block that objects share, which begins with the first of them, or that an image lies in; none if all
    /// references are null.
    fn block(&self, memory: &Memory) -> Result<Option<u32>> {
        let references = memory.read_addresses(self.at, self.count.into(), ARRAY)?;
        Ok(references.into_iter().find(|first| !first.is_null()).map(|first| first.0 as u32))
    }

    /// Bytes from one element to the next.
    pub(crate) fn stride(&self) -> u32 {
        if self.hold == Hold::Values { self.plan.layouts[0].size } else { self.plan.reference }
    }
}

impl Objects {
    /// The objects of a rank with this account.
    pub fn new(account: &Arc<Account>) -> Objects {
        Objects {
            account: account.clone(),
            types: RefCell::new(types::Types::new(account)),
            plans: RefCell::new(plans::Plans::new(account)),
            walk: RefCell::new(walk::Walk::new(account)),
            limits: Cell::default(),
            allocator: Cell::default(),
        }
    }

    /// From now on its references have 64 bits, as those of a program with such addresses.
    pub fn widen(&self) {
        self.types.borrow_mut().reference = types::WIDE_REFERENCE;
    }

    /// Declares a type and gives its handle.
    pub fn declare(&self, name: &str, size: i32, align: i32) -> Result<u32> {
        self.types.borrow_mut().declare(name, size, align)
    }

    /// Says what the fields of a declared type are: a name, and the words of `Rankine_Field` before it.
    pub fn define(&self, handle: u32, fields: Vec<(Box<str>, [i32; FIELD_WORDS - 1])>) -> Result<()> {
        self.types.borrow_mut().define(handle, fields)
    }

    /// Forgets a type.
    pub fn free(&self, handle: u32) -> Result<()> {
        self.plans.borrow_mut().forget(handle);
        self.types.borrow_mut().free(handle)
    }

    /// How objects of a type are walked.
    pub fn plan(&self, handle: u32) -> Result<Arc<Plan>> {
        if let Some(plan) = self.plans.borrow().get(handle) {
            return Ok(plan);
        }
        let types = self.types.borrow();
        let plan = Plan::new(&types, types.known(handle))?;
        self.plans.borrow_mut().keep(handle, plan)
    }

    /// The references that a call names.
    pub fn roots(&self, at: i32, count: i32, handle: i32) -> Result<Roots> {
        let flags = handle as u32 & (types::VALUES | types::TOGETHER | types::IMAGE);
        let hold = match flags {
            0 => Hold::References,
            types::VALUES => Hold::Values,
            types::TOGETHER => Hold::Together,
            types::IMAGE => Hold::Image,
            _ => {
                return Err(Error::new(
                    MPI_ERR_ARG,
                    "RANKINE_VALUES, RANKINE_TOGETHER and RANKINE_IMAGE exclude one another",
                ));
            }
        };
        match u32::try_from(count) {
            Ok(count) => {
                Ok(Roots { at: Addr((at as u32).into()), count, plan: self.plan(handle as u32 & !flags)?, hold })
            }
            Err(_) => Err(Error::new(MPI_ERR_COUNT, format!("count is {count}, which is negative"))),
        }
    }

    /// An image of graphs in the guest's memory.
    pub fn image(&self, memory: &Memory, roots: &Roots) -> Result<Parcel> {
        walk::image(&mut self.walk.borrow_mut(), memory, roots)
    }

    /// Builds the graphs of a message in the guest's memory; the status tells of them too.
    pub async fn build<A: AsyncFn(Callback) -> Answer>(
        &self,
        site: &Site<'_, A>,
        message: Parcel,
        roots: &Roots,
        mut status: Status,
    ) -> Result<Status> {
        let counts = self.build_counted(site, message, roots).await;
        let (objects, came) = counts.map_err(|error| error.with_status(status))?;
        status.internal[OBJECTS] = objects as i32;
        status.internal[ROOTS] = came as i32;
        Ok(status)
    }

    /// As [`Objects::build`]; how many objects and roots there were.
    pub async fn build_counted<A: AsyncFn(Callback) -> Answer>(
        &self,
        site: &Site<'_, A>,
        message: Parcel,
        roots: &Roots,
    ) -> Result<(u32, u32)> {
        let Parcel { bytes: mut message, knowledge, charge: _charge } = message;
        if message.is_empty() {
            let text = format!(
                "no bytes came where objects of the type {} should have: their sender failed",
                roots.plan.name()
            );
            return Err(Error::new(MPI_ERR_OTHER, text));
        }
        let limits = self.limits.get();
        let walked = knowledge.and_then(|knowledge| knowledge.downcast::<Walked>().ok());
        let outline = match walked {
            Some(walked) if limits.allow(&walked.outline) && roots.plan.believes(&walked.plan) => walked.outline,
            _ => decode::decode(&mut message, &roots.plan, &limits, &self.account)?,
        };
        rebuild::rebuild(site, self.allocator.get(), &mut message, &outline, roots).await?;
        let counts = (outline.count, outline.roots);
        self.walk.borrow_mut().keep(message, outline);
        Ok(counts)
    }

    /// Builds the graphs of some messages, one part of the array after another; how many roots each had. If one can't
    /// be built, what those before it have brought is given back, and the array is as it was.
    pub async fn build_parts<A: AsyncFn(Callback) -> Answer>(
        &self,
        site: &Site<'_, A>,
        messages: Vec<Parcel>,
        to: &Roots,
    ) -> Result<Vec<i32>> {
        let said = |message: &Parcel| Header::read(&message.bytes).map_or(0, |header| u64::from(header.roots));
        let most = messages.iter().map(said).sum::<u64>().min(to.count.into());
        let before = site.memory.read_bytes(to.at, most * u64::from(to.stride()), ARRAY)?;
        let mut came = Vec::with_capacity(messages.len());
        let mut used = 0;
        for message in messages {
            match self.build_counted(site, message, &to.part(used, to.count - used)).await {
                Ok((_, roots)) => {
                    came.push(roots as i32);
                    used += roots;
                }
                Err(error) => {
                    let mut start = 0;
                    for &roots in &came {
                        // The first error says what is wrong, whatever becomes of this.
                        let _ = self.release(site, &to.part(start, roots as u32)).await;
                        start += roots as u32;
                    }
                    site.memory.write_bytes(to.at, &before, ARRAY)?;
                    return Err(error);
                }
            }
        }
        Ok(came)
    }

    /// Gives the memory of all objects of these graphs back to the guest's allocator, each once, or the block that they
    /// share.
    pub async fn release<A: AsyncFn(Callback) -> Answer>(&self, site: &Site<'_, A>, roots: &Roots) -> Result<()> {
        let Some(allocator) = self.allocator.get() else {
            return Err(Error::new(
                MPI_ERR_ARG,
                "the program has not said how its memory is freed (Rankine_Set_allocator)",
            ));
        };
        // The guest's function may come back to us: nothing is borrowed while it runs.
        let addresses = match roots.hold {
            Hold::Together | Hold::Image => roots.block(site.memory)?.into_iter().collect(),
            _ => walk::addresses(&mut self.walk.borrow_mut(), site.memory, roots)?,
        };
        rebuild::release(site, allocator, &addresses).await
    }
}

/// Guests whose objects have no layout that the host could follow make images themselves, and read them themselves: the
/// host says what they are and checks them.
impl Objects {
    /// The header of an image of `bytes` bytes, header and all.
    pub fn seal(&self, bytes: u32, objects: u32, roots: u32, handle: u32) -> Result<[u8; HEADER]> {
        let plan = self.plan(handle)?;
        let Some(bytes) = u64::from(bytes).checked_sub(HEADER as u64) else {
            return Err(Error::new(MPI_ERR_ARG, format!("an image of {bytes} bytes has no room for its header")));
        };
        let name = plan.name().into();
        let mut head = [0; HEADER];
        Header { fingerprint: plan.fingerprint, bytes, objects, roots, aliases: 0, name }.write(&mut head);
        Ok(head)
    }

    /// Position, type and count of each object of an image, and how many roots it has.
    pub fn open(&self, mut image: Vec<u8>, handle: u32) -> Result<(Vec<i32>, u32)> {
        let plan = self.plan(handle)?;
        let outline = decode::decode(&mut image, &plan, &self.limits.get(), &self.account)?;
        if !outline.aliases.is_empty() {
            let text = "references into other objects came, which this program's objects do not have";
            return Err(Error::new(rankine_abi::MPI_ERR_TYPE, text));
        }
        let entry = |met: &walk::Met| {
            let position = (outline.body as u32 + met.at) as i32;
            [position, plan.layouts[met.shape() as usize].handle as i32, met.count() as i32]
        };
        Ok((outline.objects.iter().flat_map(entry).collect(), outline.roots))
    }
}

/// The words of a status that say how many objects came, and how many of them are roots.
pub const OBJECTS: usize = 3;
/// See [`OBJECTS`].
pub const ROOTS: usize = 4;
