//! From a graph in a guest's memory to an image of it.
//!
//! One pass, without recursion over the data: the list of the objects that were met is also the queue of those still to be copied. An object's bytes
//! are copied out of the guest first and its references are read from the copy, so that nothing the guest does meanwhile matters.

use std::collections::HashMap;

use rankine_abi::{Addr, MPI_ERR_BUFFER, MPI_ERR_TYPE};
use rankine_local::{Error, Memory, Result};

use crate::error;
use crate::image::{HEADER, Header, put_word, word};
use crate::interior::Interior;
use crate::plan::{Action, Count, Plan, Shape, Step};
use crate::types::REFERENCE;
use crate::visited::Visited;

/// An object that was met: where it lies, its type, how many lie in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Met {
    pub at: u32,
    pub shape: Shape,
    pub count: u32,
}

/// What one walk needs, kept from one to the next.
#[derive(Default)]
pub(crate) struct Walk {
    pub(crate) visited: Visited,
    pub(crate) met: Vec<Met>,
    /// Objects that begin at the address of another one: its first element, or what lies inline at its beginning.
    others: HashMap<Met, u32>,
    /// Weak references: where they lie in the image, and what they refer to.
    weak: Vec<(usize, Met)>,
    /// Bytes of the last image: the next one is likely to be like it.
    last: usize,
}

/// Room that is made for an image before it is known how large it is, at most.
const EXPECTED: usize = 1 << 20;

/// Makes an image of the graphs behind `count` references that lie at `roots`.
pub(crate) fn image(walk: &mut Walk, memory: &Memory, plan: &Plan, roots: Addr, count: u32) -> Result<Vec<u8>> {
    let copier = Copier::new(walk, memory, plan, Interior::default());
    let (image, walk) = copier.run(roots, count)?;
    if !plan.has_interior {
        return Ok(image);
    }
    // Some references may point into other objects: see which, and walk again with that knowledge.
    let interior = Interior::find(plan, &walk.met)?;
    if interior.is_empty() {
        return Ok(image);
    }
    Copier::new(walk, memory, plan, interior).run(roots, count).map(|(image, _)| image)
}

/// The addresses of all objects of the graphs behind `count` references that lie at `roots`.
pub(crate) fn addresses(walk: &mut Walk, memory: &Memory, plan: &Plan, roots: Addr, count: u32) -> Result<Vec<u32>> {
    let (_, walk) = Copier::new(walk, memory, plan, Interior::default()).run(roots, count)?;
    let interior = if plan.has_interior { Interior::find(plan, &walk.met)? } else { Interior::default() };
    let whole = walk.met.iter().filter(|met| interior.container(**met).is_none());
    Ok(whole.map(|met| met.at).collect())
}

struct Copier<'a> {
    walk: &'a mut Walk,
    memory: &'a Memory,
    plan: &'a Plan,
    interior: Interior,
    image: Vec<u8>,
}

impl<'a> Copier<'a> {
    fn new(walk: &'a mut Walk, memory: &'a Memory, plan: &'a Plan, interior: Interior) -> Self {
        walk.visited.clear();
        walk.met.clear();
        walk.weak.clear();
        walk.others.clear();
        let image = Vec::with_capacity(walk.last.min(EXPECTED));
        Copier { walk, memory, plan, interior, image }
    }

    fn run(mut self, roots: Addr, count: u32) -> Result<(Vec<u8>, &'a mut Walk)> {
        self.image.resize(HEADER, 0);
        let first = self.image.len();
        self.memory.append(roots, u64::from(count) * u64::from(REFERENCE), &mut self.image, "the array of objects")?;
        for root in 0..count as usize {
            let at = first + root * REFERENCE as usize;
            let met = Met { at: word(&self.image, at), shape: 0, count: 1 };
            let number = self.refer(met).map_err(|error| named(error, || format!("object {root} of the array")))?;
            put_word(&mut self.image, at, number);
        }
        let mut next = 0;
        while let Some(&met) = self.walk.met.get(next) {
            if self.interior.is_empty() || !self.interior.is_alias(next as u32) {
                self.copy(met).map_err(|error| self.in_object(error, met))?;
            }
            next += 1;
        }
        self.resolve_weak();
        self.finish(count)
    }

    /// Copies an object into the image and meets what it refers to.
    #[inline]
    fn copy(&mut self, met: Met) -> Result<()> {
        let layout = &self.plan.layouts[met.shape as usize];
        let start = self.image.len();
        let bytes = u64::from(layout.size) * u64::from(met.count);
        self.memory.append(Addr(met.at), bytes, &mut self.image, "an object")?;
        // Objects do not overlap, so together they are not larger than the memory; and positions have to fit into a word.
        if self.image.len() as u64 > 2 * self.memory.size() + HEADER as u64 {
            return Err(error(MPI_ERR_TYPE, "the objects overlap one another: the description does not fit the data"));
        }
        let elements = (0..met.count as usize).map(|element| start + element * layout.size as usize);
        match &layout.plain {
            Some(references) if references.is_empty() => Ok(()),
            Some(references) => elements.into_iter().try_for_each(|start| self.follow_plain(references, start)),
            None => elements.into_iter().try_for_each(|start| self.follow(&layout.steps, start)),
        }
    }

    /// As [`Copier::follow`], where there are references alone.
    #[inline]
    fn follow_plain(&mut self, references: &[(u32, Shape)], start: usize) -> Result<()> {
        for &(offset, to) in references {
            let at = start + offset as usize;
            let address = word(&self.image, at);
            if address != 0 {
                let number = self.refer(Met { at: address, shape: to, count: 1 })?;
                put_word(&mut self.image, at, number);
            }
        }
        Ok(())
    }

    /// Meets what the object refers to whose copy begins at `start`. The recursion is as deep as types lie inline in one another.
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
        let at = start + step.offset as usize;
        let places = |count: u32| (0..count as usize).map(move |index| at + index * REFERENCE as usize);
        match step.action {
            Action::References { count, to } => {
                for at in places(count) {
                    let met = Met { at: word(&self.image, at), shape: to, count: 1 };
                    self.put(at, met, step)?;
                }
            }
            Action::Array { count, to } => {
                let count = self.count(count, start)?;
                let address = if count == 0 { 0 } else { word(&self.image, at) };
                self.put(at, Met { at: address, shape: to, count }, step)?;
            }
            Action::Text { to } => {
                let address = word(&self.image, at);
                let count = if address == 0 { 0 } else { self.memory.text_length(Addr(address), "a string")? + 1 };
                self.put(at, Met { at: address, shape: to, count }, step)?;
            }
            Action::Weak { count, to } => {
                for at in places(count) {
                    self.walk.weak.push((at, Met { at: word(&self.image, at), shape: to, count: 1 }));
                    put_word(&mut self.image, at, 0);
                }
            }
            Action::Leave { count } => places(count).for_each(|at| put_word(&mut self.image, at, 0)),
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
            return Err(error(MPI_ERR_TYPE, "it is null, which the description excludes"));
        }
        put_word(&mut self.image, at, number);
        Ok(())
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
            self.walk.met.push(met);
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
        let is_text = |met: Met| self.plan.layouts[met.shape as usize].is_text;
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
        let Some(container) = self.interior.container(met) else { return Ok(()) };
        let container = self.refer(container)? - 1;
        self.interior.set(number, met, container);
        Ok(())
    }

    fn in_object(&self, error: Error, met: Met) -> Error {
        let name = &self.plan.layouts[met.shape as usize].name;
        named(error, || format!("the {name} at address {:#x}", met.at))
    }

    /// Weak references to what was met get its number, the others stay null.
    fn resolve_weak(&mut self) {
        for &(at, met) in &self.walk.weak {
            let found = if met.at == 0 { None } else { self.walk.visited.get(met.at) };
            let same = found.filter(|&number| self.walk.met[number as usize] == met);
            if let Some(number) = same.or_else(|| self.walk.others.get(&met).copied()) {
                put_word(&mut self.image, at, number + 1);
            }
        }
    }

    fn finish(mut self, roots: u32) -> Result<(Vec<u8>, &'a mut Walk)> {
        let aliases = self.interior.write(&mut self.image);
        let header = Header {
            fingerprint: self.plan.fingerprint,
            bytes: (self.image.len() - HEADER) as u64,
            objects: self.walk.met.len() as u32,
            roots,
            aliases,
            name: self.plan.name().into(),
        };
        if header.bytes > u64::from(u32::MAX) {
            return Err(error(
                MPI_ERR_BUFFER,
                format!("the graph has {} bytes; one message takes 4 GiB", header.bytes),
            ));
        }
        header.write(&mut self.image);
        self.walk.last = self.image.len();
        Ok((self.image, self.walk))
    }
}

#[cold]
fn named(mut error: Error, what: impl FnOnce() -> String) -> Error {
    error.text = format!("{}: {}", what(), error.text).into();
    error
}
