//! From a graph in a guest's memory to an image of it.
//!
//! One pass, without recursion over the data: the list of the objects that were met is also the queue of those still to
//! be copied, as in Cheney's garbage collector. An object's bytes are copied out of the guest first and its references are read from the copy, so that
//! nothing the guest does meanwhile matters.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use rankine_abi::{Addr, MPI_ERR_BUFFER, MPI_ERR_TYPE};
use rankine_guest::quota::{Cost, exhausted};
use rankine_guest::{Account, Charge, Error, Memory, Parcel, Result};

use crate::decode::Outline;
use crate::descriptor::Pattern;
use crate::error;
use crate::image::{HEADER, Header, put_word, word};
use crate::interior::{ALIAS, Interior};
use crate::plan::{Action, Count, Plan, Shape, Step};
use crate::types::WIDE_REFERENCE;
use crate::visited::Visited;
use crate::{ARRAY, Hold, Roots};

/// An object that was met: where it lies, its type, how many lie in a row. Two scalars, so that it travels in
/// registers: a processor that loads as a whole what it has just stored in parts has to wait, and walks do this for
/// every object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Met {
    pub at: u32,
    /// The type in the upper half, how many in the lower one.
    row: u64,
}

impl Met {
    #[inline(always)]
    pub(crate) fn new(at: u32, shape: Shape, count: u32) -> Met {
        Met { at, row: u64::from(shape) << 32 | u64::from(count) }
    }

    #[inline(always)]
    pub(crate) fn shape(self) -> Shape {
        (self.row >> 32) as u32
    }

    #[inline(always)]
    pub(crate) fn count(self) -> u32 {
        self.row as u32
    }
}

/// What one walk needs, kept from one to the next.
pub(crate) struct Walk {
    account: Arc<Account>,
    /// For the tables of what was met.
    charge: Charge,
    pub(crate) visited: Visited,
    pub(crate) met: Vec<Met>,
    /// Objects that begin at the address of another one: its first element, or what lies inline at its beginning.
    others: HashMap<Met, u32>,
    /// Weak references: where they lie in the image, and what they refer to.
    weak: Vec<(usize, Met)>,
    /// Long texts whose end was looked for: where each begins and where its zero byte is. No two have bytes in common.
    texts: BTreeMap<u32, u32>,
    /// Where allocatables without elements lie: blocks of their own all the same.
    empty: Vec<u32>,
    /// Bytes, objects and references of the last image: the next one is likely to be like it.
    last: [usize; 3],
    /// What an image and its sizes and references lay in that is not needed any more. Of the last message that came:
    /// this core has it at hand, while its sender would have to take it back line by line.
    spare: (Vec<u8>, Vec<i32>, Vec<u32>),
}

/// Bytes that each object takes while it is walked over: itself, and its place among those that were visited, a table
/// of which an eighth may be in use.
const OBJECT: usize = size_of::<Met>() + 8 * size_of::<(u32, u32)>();
/// And where something may lie in something else: what was met in order, and who holds whom.
const INTERIOR: usize = 8 * size_of::<Met>();
/// And each long text.
const TEXT: usize = 8 * size_of::<(u32, u32)>();
/// Bytes of a text that are looked at before it counts as a long one. Any number of references may lead into a long one, so
/// its end is looked for once.
const SHORT: u64 = 256;
/// Objects that there is room for at first.
const FEW: usize = 1 << 10;
/// Objects whose tables are kept from one walk to the next.
const KEPT: usize = 1 << 20;
/// An image of up to this many bytes is charged only once somebody keeps it.
const SMALL: usize = 64 << 10;
/// What errors call a text.
const STRING: &str = "a string";
/// What errors call the images.
const WHAT: Cost = Cost::Images;

impl Walk {
    pub(crate) fn new(account: &Arc<Account>) -> Walk {
        Walk {
            account: account.clone(),
            charge: Charge::none(account),
            visited: Visited::default(),
            met: Vec::new(),
            others: HashMap::new(),
            weak: Vec::new(),
            texts: BTreeMap::new(),
            empty: Vec::new(),
            last: [0; 3],
            spare: Default::default(),
        }
    }

    /// Forgets what the last walk has met.
    fn clear(&mut self) {
        self.visited.clear();
        self.met.clear();
        self.weak.clear();
        self.empty.clear();
        self.others.clear();
        self.charge.shrink(self.texts.len() * TEXT);
        self.texts.clear();
        if self.met.capacity() > KEPT {
            self.met.shrink_to(KEPT);
            self.weak = Vec::new();
            self.others = HashMap::new();
            self.charge.shrink((self.charge.bytes() as usize).saturating_sub(self.met.capacity() * OBJECT));
        }
    }

    /// Makes room for more objects.
    #[cold]
    fn more_objects(&mut self) -> Result<()> {
        let more = self.met.len().max(FEW);
        self.charge.grow(more * OBJECT, WHAT)?;
        self.met.try_reserve_exact(more).map_err(|_| exhausted(more * OBJECT, WHAT))
    }

    #[inline(always)]
    fn meet(&mut self, met: Met) -> Result<()> {
        if self.met.len() == self.met.capacity() {
            self.more_objects()?;
        }
        self.met.push(met);
        Ok(())
    }

    /// Bytes before the zero byte that ends a text.
    #[inline]
    fn text_length(&mut self, memory: &Memory, at: u32) -> Result<u32> {
        match memory.text_length_within(Addr(at.into()), SHORT, STRING)? {
            Some(length) => Ok(length),
            None => self.long_text_length(memory, at),
        }
    }

    /// The length of a long text, of which another reference may have led to any part.
    #[cold]
    fn long_text_length(&mut self, memory: &Memory, at: u32) -> Result<u32> {
        if let Some((_, &end)) = self.texts.range(..=at).next_back()
            && at <= end
        {
            return Ok(end - at);
        }
        let next = self.texts.range(at..).next().map(|(&start, &end)| (start, end));
        let unknown = next.map_or(1 << 32, |(start, _)| u64::from(start - at));
        let end = match (memory.text_length_within(Addr(at.into()), unknown, STRING)?, next) {
            (None, Some((start, end))) => {
                self.texts.remove(&start);
                end
            }
            (length, _) => {
                self.charge.grow(TEXT, WHAT)?;
                at.saturating_add(length.unwrap_or(u32::MAX))
            }
        };
        self.texts.insert(at, end);
        Ok(end - at)
    }

    /// Takes what a message or an image was in for the next image.
    pub(crate) fn keep(&mut self, bytes: Vec<u8>, outline: Outline) {
        if bytes.capacity() <= EXPECTED {
            self.spare = (bytes, outline.sizes, outline.references);
        }
    }

    /// Room for the next image and what is noted of it.
    fn room(&mut self) -> (Vec<u8>, Outline) {
        let (mut image, mut sizes, mut references) = std::mem::take(&mut self.spare);
        let [bytes, objects, others] = self.last.map(|last| last.min(EXPECTED));
        image.clear();
        sizes.clear();
        references.clear();
        image.reserve(bytes);
        sizes.reserve(objects);
        references.reserve(others);
        (image, Outline { sizes, references, ..Outline::default() })
    }
}

/// What a walk knows of its image: a receiver in the same process need not find it out again.
pub(crate) struct Walked {
    pub(crate) plan: Arc<Plan>,
    pub(crate) outline: Outline,
}

/// Room that is made for an image before it is known how large it is, at most.
const EXPECTED: usize = 1 << 20;

/// Makes an image of the graphs that begin at these roots.
pub(crate) fn image(walk: &mut Walk, memory: &Memory, roots: &Roots) -> Result<Parcel> {
    let plan = &roots.plan;
    let mut copier = Copier::new(walk, memory, plan, Interior::default()).run(roots)?;
    if plan.has_interior {
        // Some references may point into other objects: see which, and walk again with that knowledge.
        copier.walk.account.check(copier.walk.met.len() * INTERIOR, WHAT)?;
        let interior = Interior::find(plan, &copier.walk.met)?;
        if interior.is_empty() {
            copier.interior = interior;
        } else {
            copier = Copier::new(copier.give_up(), memory, plan, interior).run(roots)?;
        }
    }
    let (bytes, outline, charge) = copier.finish(roots.count)?;
    // Where something is part of something else a receiver has to know more than a walk notes.
    let is_noted = outline.aliases.is_empty();
    Ok(Parcel { bytes, knowledge: is_noted.then(|| Box::new(Walked { plan: plan.clone(), outline }) as _), charge })
}

/// The addresses of all objects of the graphs that begin at these roots, but for roots that lie in their array.
pub(crate) fn addresses(walk: &mut Walk, memory: &Memory, roots: &Roots) -> Result<Vec<u32>> {
    let plan = &*roots.plan;
    let walk = Copier::new(walk, memory, plan, Interior::default()).run(roots)?.give_up();
    if plan.has_interior {
        walk.account.check(walk.met.len() * INTERIOR, WHAT)?;
    }
    let interior = if plan.has_interior { Interior::find(plan, &walk.met)? } else { Interior::default() };
    let end = roots.at.plus(u64::from(roots.count) * u64::from(roots.stride())).0;
    let is_root = |met: &Met| roots.hold == Hold::Values && (roots.at.0..end).contains(&met.at.into());
    let is_whole = |met: &Met| met.count() > 0 && interior.container(*met).is_none();
    let whole = walk.met.iter().filter(|met| is_whole(met) && !is_root(met));
    let mut addresses: Vec<u32> = whole.map(|met| met.at).collect();
    // This walk has seen what is part of something else twice.
    walk.empty.sort_unstable();
    walk.empty.dedup();
    addresses.extend(&walk.empty);
    Ok(addresses)
}

struct Copier<'a> {
    walk: &'a mut Walk,
    memory: &'a Memory,
    plan: &'a Plan,
    interior: Interior,
    image: Vec<u8>,
    outline: Outline,
    /// For the image and its outline.
    charge: Charge,
    /// Bytes that the image may have by what is charged.
    room: usize,
}

impl<'a> Copier<'a> {
    fn new(walk: &'a mut Walk, memory: &'a Memory, plan: &'a Plan, interior: Interior) -> Self {
        walk.clear();
        let (image, outline) = walk.room();
        let (charge, room) = (Charge::none(&walk.account), image.capacity().max(SMALL));
        Copier { walk, memory, plan, interior, image, outline, charge, room }
    }

    /// Copies all that references lead to, but for weak ones.
    fn run(mut self, roots: &Roots) -> Result<Self> {
        self.image.resize(HEADER, 0);
        let first = self.image.len();
        self.copy_roots(roots)?;
        for root in 0..roots.count as usize {
            let at = first + root * roots.plan.reference as usize;
            let met = Met::new(self.reference(at), 0, 1);
            let number = self.refer(met).map_err(|error| named(error, || format!("object {root} of the array")))?;
            self.point(at, number);
        }
        let mut next = 0;
        while let Some(&met) = self.walk.met.get(next) {
            if self.interior.is_empty() || !self.interior.is_alias(next as u32) {
                self.copy(met).map_err(|error| self.in_object(error, met))?;
            }
            next += 1;
        }
        Ok(self)
    }

    /// Ends a walk whose image is not wanted.
    fn give_up(self) -> &'a mut Walk {
        self.walk.keep(self.image, self.outline);
        self.walk
    }

    /// Copies the references of the array, or makes references to what lies in it.
    fn copy_roots(&mut self, roots: &Roots) -> Result<()> {
        match roots.hold {
            Hold::References | Hold::Together => {
                let bytes = u64::from(roots.count) * u64::from(roots.plan.reference);
                self.room_for(bytes, roots.at, ARRAY)?;
                self.memory.append(roots.at, bytes, &mut self.image, ARRAY)
            }
            Hold::Values => {
                roots.check(self.memory, roots.count)?;
                let reference = roots.plan.reference as usize;
                self.more_room(u64::from(roots.count) * reference as u64)?;
                for root in 0..roots.count {
                    self.image.extend(&roots.element(root).0.to_le_bytes()[..reference]);
                }
                Ok(())
            }
            Hold::Image => Err(error(MPI_ERR_TYPE, "an image can only be received")),
        }
    }

    /// Copies an object into the image and meets what it refers to.
    #[inline]
    fn copy(&mut self, met: Met) -> Result<()> {
        let layout = &self.plan.layouts[met.shape() as usize];
        let start = self.image.len();
        let bytes = u64::from(layout.size) * u64::from(met.count());
        self.room_for(bytes, Addr(met.at.into()), "an object")?;
        self.memory.append(Addr(met.at.into()), bytes, &mut self.image, "an object")?;
        self.outline.sizes.push(bytes as i32);
        // Objects do not overlap, so together they are not larger than the memory; and positions have to fit into a
        // word.
        if self.image.len() as u64 > 2 * self.memory.size() + HEADER as u64 {
            return Err(error(MPI_ERR_TYPE, "the objects overlap one another: the description does not fit the data"));
        }
        let elements = (0..met.count() as usize).map(|element| start + element * layout.size as usize);
        match &layout.plain {
            Some(_) if layout.is_text => {
                // Its end was looked for before it was copied, and somebody may have written meanwhile.
                self.image.pop();
                self.image.push(0);
                Ok(())
            }
            Some(references) if references.is_empty() => Ok(()),
            Some(references) => elements.into_iter().try_for_each(|start| self.follow_plain(references, start)),
            None => elements.into_iter().try_for_each(|start| self.follow(&layout.steps, start)),
        }
    }

    /// Makes room for bytes of the guest's, which have to be there before room is asked for.
    #[inline(always)]
    fn room_for(&mut self, bytes: u64, at: Addr, what: &str) -> Result<()> {
        if (self.image.len() as u64).saturating_add(bytes) <= self.room as u64 {
            return Ok(());
        }
        self.memory.check(at, bytes, what)?;
        self.more_room(bytes)
    }

    /// Makes room in the image for so many more bytes: twice as much as there is, or just that much.
    #[cold]
    fn more_room(&mut self, bytes: u64) -> Result<()> {
        let least = usize::try_from(bytes).map_or(usize::MAX, |bytes| self.image.len().saturating_add(bytes));
        let charged = self.charge.bytes() as usize;
        let room = if self.charge.try_grow((2 * self.room).max(least).saturating_sub(charged)) {
            (2 * self.room).max(least)
        } else {
            self.charge.grow(least.saturating_sub(charged), WHAT)?;
            least
        };
        self.image.try_reserve_exact(room - self.image.len()).map_err(|_| exhausted(room, WHAT))?;
        self.room = room;
        Ok(())
    }

    /// As [`Copier::follow`], where there are references alone.
    #[inline]
    fn follow_plain(&mut self, references: &[(u32, Shape)], start: usize) -> Result<()> {
        for &(offset, to) in references {
            let at = start + offset as usize;
            let address = self.reference(at);
            if address != 0 {
                let number = self.refer(Met::new(address, to, 1))?;
                self.point(at, number);
            }
        }
        Ok(())
    }

    /// Meets what the object refers to whose copy begins at `start`. The recursion is as deep as types lie inline in
    /// one another.
    fn follow(&mut self, steps: &'a [Step], start: usize) -> Result<()> {
        for step in steps {
            if let Some((tag_at, tag)) = step.when
                && word(&self.image, start + tag_at as usize) as i32 != tag
            {
                continue;
            }
            self.step(step, start).map_err(|error| named(error, || format!("field {}", step.name)))?;
        }
        Ok(())
    }

    #[inline]
    fn step(&mut self, step: &'a Step, start: usize) -> Result<()> {
        let (at, reference) = (start + step.offset as usize, self.plan.reference as usize);
        let places = |count: u32| (0..count as usize).map(move |index| at + index * reference);
        match step.action {
            Action::References { count, to } => {
                for at in places(count) {
                    let met = Met::new(self.reference(at), to, 1);
                    self.put(at, met, step)?;
                }
            }
            Action::Array { count, to } => {
                let count = self.count(count, start)?;
                let address = if count == 0 { 0 } else { self.reference(at) };
                if count == 0 {
                    self.leave(at);
                }
                self.put(at, Met::new(address, to, count), step)?;
            }
            Action::Text { to } => {
                let address = self.reference(at);
                let count = if address == 0 { 0 } else { self.walk.text_length(self.memory, address)? + 1 };
                self.put(at, Met::new(address, to, count), step)?;
            }
            Action::Weak { count, to } => {
                for at in places(count) {
                    self.walk.weak.push((at, Met::new(self.reference(at), to, 1)));
                    self.leave(at);
                }
            }
            Action::Descriptor { ref pattern, to, weak } => self.descriptor(pattern, to, weak, at)?,
            Action::Leave { count } => places(count).for_each(|at| self.leave(at)),
            Action::Inline { count, to } => {
                let layout = &self.plan.layouts[to as usize];
                if !layout.steps.is_empty() {
                    for element in 0..count as usize {
                        self.follow(&layout.steps, at + element * layout.size as usize)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Meets what a Fortran pointer or allocatable refers to.
    fn descriptor(&mut self, pattern: &Pattern, to: Option<Shape>, weak: bool, at: usize) -> Result<()> {
        let address = self.reference(at);
        let Some(to) = to.filter(|_| address != 0) else {
            put_word(&mut self.image, at, 0);
            pattern.restore(&mut self.image, at);
            return Ok(());
        };
        pattern.is_of_its_type(&self.image, at)?;
        let count = pattern.count(&self.image, at, self.plan.layouts[to as usize].size)?;
        pattern.restore(&mut self.image, at);
        let met = Met::new(address, to, count);
        let number = match count {
            _ if weak => {
                self.walk.weak.push((at, met));
                0
            }
            0 => {
                if pattern.is_allocatable() {
                    self.walk.empty.push(address);
                }
                self.meet_nothing(met)?
            }
            _ => self.refer(met)?,
        };
        self.point(at, number);
        Ok(())
    }

    /// Something without elements is there, but shares its place with nothing.
    fn meet_nothing(&mut self, met: Met) -> Result<u32> {
        self.walk.meet(met)?;
        Ok(self.walk.met.len() as u32)
    }

    /// How many objects lie in a row; the capacity is as large from now on.
    fn count(&mut self, count: Count, start: usize) -> Result<u32> {
        let (at, capacity_at) = match count {
            Count::Fixed(count) => return Ok(count),
            Count::At(at, capacity_at) => (at, capacity_at),
        };
        let count = word(&self.image, start + at as usize);
        if let Some(at) = capacity_at {
            put_word(&mut self.image, start + at as usize, count);
        }
        match i32::try_from(count) {
            Ok(_) => Ok(count),
            Err(_) => Err(error(MPI_ERR_TYPE, format!("the number of elements is {}", count as i32))),
        }
    }

    /// Replaces an address in the image by the number of the object that is there.
    #[inline]
    fn put(&mut self, at: usize, met: Met, step: &Step) -> Result<()> {
        let number = self.refer(met)?;
        if number == 0 && step.required {
            return Err(error(MPI_ERR_TYPE, "it is null, which the description does not allow"));
        }
        self.point(at, number);
        Ok(())
    }

    /// The address at a place of the image. One that has more than 32 bits leads nowhere.
    #[inline(always)]
    fn reference(&self, at: usize) -> u32 {
        let is_far = self.plan.reference == WIDE_REFERENCE && word(&self.image, at + 4) != 0;
        if is_far { u32::MAX } else { word(&self.image, at) }
    }

    /// Makes a reference null.
    fn leave(&mut self, at: usize) {
        put_word(&mut self.image, at, 0);
        if self.plan.reference == WIDE_REFERENCE {
            put_word(&mut self.image, at + 4, 0);
        }
    }

    /// Stores what a reference refers to.
    #[inline(always)]
    fn point(&mut self, at: usize, number: u32) {
        put_word(&mut self.image, at, number);
        if number != 0 {
            self.outline.references.push((at - HEADER) as u32);
        }
    }

    /// The number in the image for what is referred to, which is met if it is new.
    #[inline]
    fn refer(&mut self, met: Met) -> Result<u32> {
        if met.at == 0 {
            return Ok(0);
        }
        let new = self.walk.met.len() as u32;
        let mut number = self.walk.visited.enter(met.at, new);
        if number != new && self.walk.met[number as usize] != met {
            number = self.refer_otherwise(met, number)?;
        }
        if number == new {
            self.walk.meet(met)?;
            if !self.interior.is_empty() {
                self.meet_container(met, new)?;
            }
        }
        Ok(number + 1)
    }

    /// Another object begins at the same address: right where one may be part of the other.
    #[cold]
    fn refer_otherwise(&mut self, met: Met, number: u32) -> Result<u32> {
        let there = self.walk.met[number as usize];
        let is_text = |met: Met| self.plan.layouts[met.shape() as usize].is_text;
        if self.plan.has_interior || is_text(met) || is_text(there) {
            let new = self.walk.met.len() as u32;
            return Ok(*self.walk.others.entry(met).or_insert(new));
        }
        let text = format!(
            "it refers to {}, where another reference has {}",
            self.plan.in_words(met),
            self.plan.in_words(there)
        );
        Err(error(MPI_ERR_TYPE, text))
    }

    /// What was met may lie inside of another object: that one has to be met too, right after it.
    fn meet_container(&mut self, met: Met, number: u32) -> Result<()> {
        let Some(around) = self.interior.container(met) else { return Ok(()) };
        let container = self.refer(around)? - 1;
        self.interior.set(number, met, container, around);
        Ok(())
    }

    fn in_object(&self, error: Error, met: Met) -> Error {
        let name = &self.plan.layouts[met.shape() as usize].name;
        named(error, || format!("the {name} at address {:#x}", met.at))
    }

    /// Weak references to what was met, or is part of it, get its number, the others stay null.
    fn resolve_weak(&mut self) -> Result<()> {
        for index in 0..self.walk.weak.len() {
            let (at, met) = self.walk.weak[index];
            if met.at == 0 {
                continue;
            }
            let number = match self.number(met) {
                Some(number) => Some(number),
                None => self.meet_part(met)?,
            };
            if let Some(number) = number {
                put_word(&mut self.image, at, number + 1);
                self.outline.references.push((at - HEADER) as u32);
            }
        }
        Ok(())
    }

    /// The number of what was met.
    fn number(&self, met: Met) -> Option<u32> {
        let found = self.walk.visited.get(met.at);
        let same = found.filter(|&number| self.walk.met[number as usize] == met);
        same.or_else(|| self.walk.others.get(&met).copied())
    }

    /// Meets what lies inside of something that was met.
    fn meet_part(&mut self, met: Met) -> Result<Option<u32>> {
        let Some(around) = self.interior.around(self.plan, met) else { return Ok(None) };
        let Some(container) = self.number(around) else { return Ok(None) };
        let number = self.walk.met.len() as u32;
        self.walk.meet(met)?;
        self.walk.others.insert(met, number);
        self.interior.set(number, met, container, around);
        Ok(Some(number))
    }

    fn finish(mut self, roots: u32) -> Result<(Vec<u8>, Outline, Charge)> {
        self.resolve_weak()?;
        let aliases = self.interior.write(&mut self.image);
        let header = Header {
            fingerprint: self.plan.fingerprint,
            bytes: (self.image.len() - HEADER) as u64,
            objects: self.walk.met.len() as u32,
            roots,
            aliases: aliases.len() as u32,
            name: self.plan.name().into(),
        };
        if header.bytes > u64::from(u32::MAX) {
            return Err(error(
                MPI_ERR_BUFFER,
                format!("the graph has {} bytes; one message takes 4 GiB", header.bytes),
            ));
        }
        header.write(&mut self.image);
        let Outline { sizes, references, .. } = self.outline;
        self.walk.last = [self.image.len(), sizes.len(), references.len()];
        let body = HEADER + aliases.len() * ALIAS;
        let outline = Outline { count: header.objects, sizes, references, aliases, roots, body, ..Outline::default() };
        let noted = outline.sizes.capacity() * size_of::<i32>() + outline.references.capacity() * size_of::<u32>();
        let bytes = self.image.capacity() + noted;
        let mut charge = self.charge;
        if bytes > SMALL {
            charge.grow(bytes.saturating_sub(charge.bytes() as usize), WHAT)?;
        }
        Ok((self.image, outline, charge))
    }
}

#[cold]
fn named(mut error: Error, what: impl FnOnce() -> String) -> Error {
    error.text = format!("{}: {}", what(), error.text).into();
    error
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// However references lead into texts, each byte is looked at once: no two texts that are known have any in common, and each
        /// is as long as it is.
        #[test]
        fn the_end_of_a_long_text_is_found_once(
            ends in prop::collection::vec(0..9000_usize, 1..12),
            references in prop::collection::vec(1..9000_u32, 1..60),
        ) {
            let bytes = Box::leak(vec![b'x'; 9001].into_boxed_slice());
            ends.iter().for_each(|&end| bytes[end] = 0);
            bytes[9000] = 0;
            let memory = Memory::new();
            // SAFETY: leaked, so it stays.
            unsafe { memory.set(bytes.as_mut_ptr(), 9001) };
            let account = Account::new(None);
            let mut walk = Walk::new(&account);
            for at in references {
                let length = walk.text_length(&memory, at).unwrap();
                prop_assert_eq!(length, memory.text_length(Addr(at.into()), STRING).unwrap());
                let known: Vec<_> = walk.texts.iter().map(|(&start, &end)| (start, end)).collect();
                prop_assert!(known.windows(2).all(|two| two[0].1 < two[1].0), "{known:?}");
                prop_assert!(u64::from(length) < SHORT || known.iter().any(|&(start, end)| start <= at && end == at + length));
                prop_assert_eq!(walk.charge.bytes() as usize, known.len() * TEXT);
            }
            walk.clear();
            prop_assert_eq!(walk.charge.bytes(), 0);
        }
    }
}
