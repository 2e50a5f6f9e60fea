//! Checking an image that came, all of it, before the guest sees a byte of it.
//!
//! The decoder follows the plan as the walker does and meets the same objects in the same order. It believes nothing:
//! every reference is to an object that is there and of the right type, every length fits, no byte is left over. Its
//! cost is linear in objects and bytes whatever the image says.

use rankine_abi::{MPI_ERR_TRUNCATE, MPI_ERR_TYPE};
use rankine_guest::quota::{Cost, exhausted};
use rankine_guest::{Account, Error, Result};

use crate::descriptor::Pattern;
use crate::error;
use crate::image::{HEADER, Header, put_word, word};
use crate::interior::{ALIAS, Alias, is_part};
use crate::plan::{Action, Count, Layout, Plan, Shape, Step};
use crate::types::WIDE_REFERENCE;
use crate::walk::Met;

/// What a receiver accepts.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of one image.
    pub bytes: u64,
    /// Objects of one message.
    pub objects: u64,
    /// References from a root to the farthest object, at least.
    pub depth: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: u64::from(u32::MAX), objects: u64::from(u32::MAX), depth: u64::MAX }
    }
}

impl Limits {
    /// Whether what a walk has noted is accepted. It does not note how deep objects lie; its bytes were counted when
    /// they came.
    pub(crate) fn allow(&self, outline: &Outline) -> bool {
        u64::from(outline.count) <= self.objects && self.depth == u64::MAX
    }
}

/// What an image holds, as its checker has found, or its walk has noted.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// Objects, aliases among them.
    pub(crate) count: u32,
    /// Every object: `at` is its position in the body. A walk does not note it.
    pub(crate) objects: Vec<Met>,
    /// The bytes of each that is no part of another one. They lie in the body one after another, behind the roots.
    pub(crate) sizes: Vec<i32>,
    /// Where in the body references lie that are not null, those of the roots first.
    pub(crate) references: Vec<u32>,
    pub(crate) aliases: Vec<Alias>,
    pub(crate) roots: u32,
    /// Where the body begins in the message.
    pub(crate) body: usize,
}

/// Checks a message that shall be objects of this plan's type. What must not arrive (references that are left,
/// capacities) is put right.
pub(crate) fn decode(message: &mut [u8], plan: &Plan, limits: &Limits, account: &Account) -> Result<Outline> {
    let header = Header::expect(message, plan)?;
    for (what, value, limit) in
        [("bytes", header.bytes, limits.bytes), ("objects", u64::from(header.objects), limits.objects)]
    {
        if value > limit {
            let text = format!("the graph of the type {} has {value} {what}; this rank accepts {limit}", header.name);
            return Err(error(MPI_ERR_TRUNCATE, text));
        }
    }
    let (head, rest) = message.split_at_mut(HEADER);
    debug_assert_eq!(head.len(), HEADER);
    let table = u64::from(header.aliases) * ALIAS as u64;
    if table > rest.len() as u64 || header.bytes > u64::from(u32::MAX) {
        return Err(bad("the table of aliases is longer than the image"));
    }
    let (table, body) = rest.split_at_mut(table as usize);
    let aliases: Vec<Alias> = (0..header.aliases as usize).map(|index| Alias::read(table, index)).collect();
    // All that asks for an alias by its number relies on the order.
    if !aliases.is_sorted_by(|one, next| one.number < next.number) {
        return Err(bad("its aliases are not in the order of their numbers"));
    }
    let body_at = HEADER + table.len();
    let mut reader = Reader {
        plan,
        account,
        header: &header,
        body,
        aliases,
        next_alias: 0,
        tail: 0,
        weak: Vec::new(),
        outline: Outline::default(),
    };
    reader.run(limits).map_err(|mut error| {
        error.text = format!("the image that arrived is not valid: {}", error.text).into();
        error
    })?;
    let Reader { aliases, outline, .. } = reader;
    Ok(Outline { count: header.objects, aliases, roots: header.roots, body: body_at, ..outline })
}

/// Objects that room is made for because an image says that it has them; more once they are there.
const EXPECTED: usize = 1 << 16;

#[cold]
fn bad(text: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    error(MPI_ERR_TYPE, text)
}

struct Reader<'a> {
    plan: &'a Plan,
    account: &'a Account,
    header: &'a Header,
    body: &'a mut [u8],
    /// By rising number, each number once.
    aliases: Vec<Alias>,
    next_alias: usize,
    /// Where the next object that is met will lie.
    tail: u64,
    /// Weak references: where they lie, and what type they want.
    weak: Vec<(u32, Shape)>,
    outline: Outline,
}

impl<'a> Reader<'a> {
    fn run(&mut self, limits: &Limits) -> Result<()> {
        self.tail = u64::from(self.header.roots) * u64::from(self.plan.reference);
        if self.tail > self.body.len() as u64 {
            return Err(bad("the roots do not fit into it"));
        }
        // An honest image has at least a byte for each object, and an alias for each that has none.
        let most = self.body.len() + 2 * self.aliases.len();
        if self.header.objects as usize > most {
            return Err(bad("it has fewer bytes than objects"));
        }
        let expected = (self.header.objects as usize).min(EXPECTED);
        self.outline.objects.reserve(expected);
        self.outline.sizes.reserve(expected);
        self.outline.references.reserve(expected);
        for root in 0..self.header.roots as usize {
            self.refer(root * self.plan.reference as usize, 0, Some(1), false)?;
        }
        self.objects(limits)?;
        self.resolve_weak()?;
        if self.outline.objects.len() != self.header.objects as usize || self.tail != self.body.len() as u64 {
            return Err(bad("it holds bytes or objects that nothing refers to"));
        }
        self.check_aliases()
    }

    fn objects(&mut self, limits: &Limits) -> Result<()> {
        let (mut next, mut depth) = (0, 1);
        let mut level_end = self.outline.objects.len();
        while let Some(&met) = self.outline.objects.get(next) {
            if next == level_end {
                depth += 1;
                level_end = self.outline.objects.len();
            }
            if depth > limits.depth {
                let text = format!(
                    "its objects lie more than {} references deep, which is what this rank accepts",
                    limits.depth
                );
                return Err(error(MPI_ERR_TRUNCATE, text));
            }
            let layout = &self.plan.layouts[met.shape() as usize];
            if !self.is_alias(next as u32) {
                self.object(met, layout).map_err(|error| in_object(error, &layout.name, next))?;
            }
            next += 1;
        }
        Ok(())
    }

    /// Checks the references of one object.
    #[inline]
    fn object(&mut self, met: Met, layout: &'a Layout) -> Result<()> {
        let elements = (0..met.count() as usize).map(|element| met.at as usize + element * layout.size as usize);
        match &layout.plain {
            Some(references) if references.is_empty() => Ok(()),
            Some(references) => {
                for start in elements {
                    for &(offset, to) in references {
                        self.refer(start + offset as usize, to, Some(1), false)?;
                    }
                }
                Ok(())
            }
            None => elements.into_iter().try_for_each(|start| self.follow(&layout.steps, start)),
        }
    }

    fn follow(&mut self, steps: &'a [Step], start: usize) -> Result<()> {
        for step in steps {
            if let Some((tag_at, tag)) = step.when
                && word(self.body, start + tag_at as usize) as i32 != tag
            {
                continue;
            }
            self.step(step, start).map_err(|error| in_field(error, &step.name))?;
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
                    self.refer_by(step, at, to, Some(1))?;
                }
            }
            Action::Array { count, to } => {
                let count = self.count(count, start)?;
                if count == 0 && self.reference(at) != 0 {
                    return Err(bad("it refers to no elements"));
                }
                self.refer_by(step, at, to, Some(count))?;
            }
            Action::Text { to } => self.refer_by(step, at, to, None)?,
            Action::Weak { count, to } => self.weak.extend(places(count).map(|at| (at as u32, to))),
            Action::Descriptor { ref pattern, to, weak } => self.descriptor(pattern, to, weak, at)?,
            Action::Leave { count } => places(count).for_each(|at| {
                put_word(self.body, at, 0);
                self.reference(at);
            }),
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

    /// Checks a Fortran descriptor, of which only address, bounds and the length of strings are the sender's.
    fn descriptor(&mut self, pattern: &Pattern, to: Option<Shape>, weak: bool, at: usize) -> Result<()> {
        let Some(to) = to.filter(|_| self.reference(at) != 0) else {
            put_word(self.body, at, 0);
            pattern.restore(self.body, at);
            return Ok(());
        };
        let count = pattern.count(self.body, at, self.plan.layouts[to as usize].size)?;
        pattern.restore(self.body, at);
        if weak {
            self.weak.push((at as u32, to));
            return Ok(());
        }
        self.refer(at, to, Some(count), false)
    }

    fn count(&mut self, count: Count, start: usize) -> Result<u32> {
        let (at, capacity_at) = match count {
            Count::Fixed(count) => return Ok(count),
            Count::At(at, capacity_at) => (at, capacity_at),
        };
        let count = word(self.body, start + at as usize);
        if let Some(at) = capacity_at {
            put_word(self.body, start + at as usize, count);
        }
        if i32::try_from(count).is_err() {
            return Err(bad(format!("the number of elements is {}", count as i32)));
        }
        Ok(count)
    }

    #[inline]
    fn refer_by(&mut self, step: &Step, at: usize, shape: Shape, count: Option<u32>) -> Result<()> {
        if step.required && self.reference(at) == 0 {
            return Err(bad("it is null, which the description does not allow"));
        }
        self.refer(at, shape, count, step.owned)
    }

    /// The number at a position. Of 64 bits there, half are 0 from now on, whatever came.
    #[inline(always)]
    fn reference(&mut self, at: usize) -> u32 {
        if self.plan.reference == WIDE_REFERENCE {
            put_word(self.body, at + 4, 0);
        }
        word(self.body, at)
    }

    /// Checks the reference at a position, which may introduce an object. Without a count the object is a text.
    #[inline(always)]
    fn refer(&mut self, at: usize, shape: Shape, count: Option<u32>, owned: bool) -> Result<()> {
        let reference = self.reference(at);
        if reference == 0 {
            return Ok(());
        }
        let number = reference as usize - 1;
        if number == self.outline.objects.len() {
            let count = match count {
                Some(count) => count,
                None => self.text_length()?,
            };
            self.meet(shape, count, owned)?;
        } else {
            self.refer_again(number, shape, count, owned)?;
        }
        self.outline.references.push(at as u32);
        Ok(())
    }

    fn refer_again(&self, number: usize, shape: Shape, count: Option<u32>, owned: bool) -> Result<()> {
        let Some(&met) = self.outline.objects.get(number) else {
            return Err(bad(format!("it refers to object {number}, which is not the next one")));
        };
        if owned {
            return Err(bad(
                "it refers to an object that something else refers to, but the description says that it owns it",
            ));
        }
        if met.shape() != shape || count.is_some_and(|count| count != met.count()) {
            return Err(bad(format!("it refers to object {number}, which has another type or length")));
        }
        Ok(())
    }

    /// Adds the next object, which lies behind all that were met before.
    #[inline(always)]
    fn meet(&mut self, shape: Shape, count: u32, owned: bool) -> Result<()> {
        let number = self.outline.objects.len() as u32;
        if number >= self.header.objects {
            return Err(bad("it has more objects than it says"));
        }
        if self.aliases.get(self.next_alias).is_some_and(|alias| alias.number == number) {
            return self.meet_alias(Met::new(0, shape, count), owned);
        }
        let met = Met::new(self.tail as u32, shape, count);
        let bytes = self.plan.bytes(met);
        self.tail += bytes;
        if self.tail > self.body.len() as u64 {
            return Err(bad(format!("{count} {} do not fit into it", self.plan.layouts[shape as usize].name)));
        }
        self.add(met)?;
        self.outline.sizes.push(bytes as i32);
        Ok(())
    }

    #[inline(always)]
    fn add(&mut self, met: Met) -> Result<()> {
        if self.outline.objects.len() == self.outline.objects.capacity() {
            self.more_objects()?;
        }
        self.outline.objects.push(met);
        Ok(())
    }

    /// Makes room for more objects, if the rank has memory for what is noted of them.
    #[cold]
    fn more_objects(&mut self) -> Result<()> {
        const WHAT: Cost = Cost::Objects;
        let more = self.outline.objects.len().max(EXPECTED);
        let bytes = more * (size_of::<Met>() + size_of::<i32>() + size_of::<u32>());
        self.account.check(bytes, WHAT)?;
        self.outline.objects.try_reserve_exact(more).map_err(|_| exhausted(bytes, WHAT))
    }

    #[cold]
    fn meet_alias(&mut self, met: Met, owned: bool) -> Result<()> {
        let alias = self.next_alias(met)?;
        if owned {
            return Err(bad("what is owned is part of something else"));
        }
        self.add(met)?;
        if alias.container as usize == self.outline.objects.len() {
            // The next one is an object of its own: otherwise a chain of aliases would be followed by recursion.
            if self.is_alias(alias.container) {
                return Err(bad("an alias is part of an alias"));
            }
            self.meet(alias.shape, alias.count, false)?;
        }
        self.is_in_container(&alias)
    }

    /// The alias that an object which is met now has to be, and that may be one.
    fn next_alias(&mut self, met: Met) -> Result<Alias> {
        let alias = self.aliases[self.next_alias];
        self.next_alias += 1;
        let layouts = &self.plan.layouts;
        let Some(container) = layouts.get(alias.shape as usize) else {
            return Err(bad("an alias has a type that does not exist"));
        };
        // The end of a string is looked for where it lies; a part of something else has no end of its own.
        if container.is_text || layouts[met.shape() as usize].is_text {
            return Err(bad("a string is part of something else, or has parts"));
        }
        Ok(alias)
    }

    /// Checks that the object which an alias is part of has been met, and is of the type that the alias says.
    fn is_in_container(&self, alias: &Alias) -> Result<()> {
        match self.outline.objects.get(alias.container as usize) {
            Some(container) if (container.shape(), container.count()) == (alias.shape, alias.count) => Ok(()),
            _ => Err(bad("an alias is part of an object that is not there, or another one")),
        }
    }

    fn is_alias(&self, number: u32) -> bool {
        !self.aliases.is_empty() && self.aliases.binary_search_by_key(&number, |alias| alias.number).is_ok()
    }

    /// Bytes of the text that comes next, with its zero.
    fn text_length(&self) -> Result<u32> {
        let rest = self.body.get(self.tail as usize..).unwrap_or_default();
        match rest.iter().position(|&byte| byte == 0) {
            Some(end) => Ok(end as u32 + 1),
            None => Err(bad("a string does not end")),
        }
    }

    /// Checks weak references, in the order of objects. They introduce nothing but parts of what has been met.
    fn resolve_weak(&mut self) -> Result<()> {
        for (at, shape) in std::mem::take(&mut self.weak) {
            let reference = self.reference(at as usize);
            if reference == 0 {
                continue;
            }
            let number = reference - 1;
            let is_next = number as usize == self.outline.objects.len() && number < self.header.objects;
            if is_next && self.aliases.get(self.next_alias).is_some_and(|alias| alias.number == number) {
                let met = Met::new(0, shape, 1);
                let alias = self.next_alias(met)?;
                self.is_in_container(&alias)?;
                self.add(met)?;
            }
            match self.outline.objects.get(number as usize) {
                Some(met) if met.shape() == shape && met.count() == 1 => self.outline.references.push(at),
                _ => return Err(bad("a weak reference is to nothing, or to another type")),
            }
        }
        Ok(())
    }

    fn check_aliases(&self) -> Result<()> {
        if self.next_alias != self.aliases.len() {
            return Err(bad("it has aliases that nothing refers to"));
        }
        for alias in &self.aliases {
            let [met, container] = [alias.number, alias.container].map(|number| self.outline.objects[number as usize]);
            if self.is_alias(alias.container) || !is_part(&self.plan.layouts, container, alias.offset, met) {
                return Err(bad("an alias is not a part of what it says"));
            }
        }
        Ok(())
    }
}

#[cold]
fn in_object(mut error: Error, name: &str, number: usize) -> Error {
    error.text = format!("object {number}, a {name}: {}", error.text).into();
    error
}

#[cold]
fn in_field(mut error: Error, name: &str) -> Error {
    error.text = format!("field {name}: {}", error.text).into();
    error
}
