//! What the walker and the decoder follow: everything that can be reached from one type, in an order that two ranks
//! agree on.
//!
//! Types get numbers in the order in which a walk over the descriptions meets them, so that two ranks which described
//! the same types, in whatever order, number them alike; the fingerprint is a hash over that walk.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use rankine_abi::{Datatype, MPI_ERR_TYPE};
use rankine_guest::{Charge, Error, Result};

use crate::descriptor::Pattern;
use crate::types::{Field, Form, Type, Types};
use crate::walk::Met;

/// The number of a shape in its plan.
pub(crate) type Shape = u32;

/// How many objects lie in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    Fixed(u32),
    /// An int at this offset says it, and maybe another one for how many there is room.
    At(u32, Option<u32>),
}

/// What is done for one field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    References {
        count: u32,
        to: Shape,
    },
    Weak {
        count: u32,
        to: Shape,
    },
    Leave {
        count: u32,
    },
    Array {
        count: Count,
        to: Shape,
    },
    Text {
        to: Shape,
    },
    Inline {
        count: u32,
        to: Shape,
    },
    /// A Fortran descriptor; without a target it arrives as one that refers to nothing.
    Descriptor {
        pattern: Pattern,
        to: Option<Shape>,
        weak: bool,
    },
}

/// A field, ready to be followed.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub offset: u32,
    pub when: Option<(u32, i32)>,
    pub action: Action,
    pub owned: bool,
    pub required: bool,
    /// For errors.
    pub name: Arc<str>,
}

/// A type, ready to be followed.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub name: Arc<str>,
    /// The guest's handle.
    pub handle: u32,
    pub size: u32,
    pub steps: Vec<Step>,
    /// Offsets and targets of the references, if these are all there is to follow and none of them has conditions: the
    /// usual case, and the fast one.
    pub plain: Option<Vec<(u32, Shape)>>,
    /// It is what strings are made of: linkers let one string be the end of another, so they are no parts of each
    /// other.
    pub is_text: bool,
    /// How deep in something else it may lie, in a plan that has references into objects.
    pub depth: u32,
}

/// How objects of a type are walked. The first layout is the root's.
#[derive(Debug)]
pub struct Plan {
    /// What two ranks compare.
    pub(crate) fingerprint: u64,
    pub(crate) layouts: Vec<Layout>,
    /// Bytes of a reference.
    pub(crate) reference: u32,
    /// References may point into objects: some type is both referred to and part of something larger.
    pub(crate) has_interior: bool,
    /// Something is never null, or referred to by nothing else: a receiver's own demands, which no sender looks after.
    has_demands: bool,
    /// Of a plan that is kept, as long as anybody has it.
    pub(crate) charge: Charge,
}

impl Plan {
    /// The name of the type that it is for.
    pub(crate) fn name(&self) -> &str {
        &self.layouts[0].name
    }

    /// Whether an image that a walk over `sender` made needs no check before it is built by this plan. Equal
    /// fingerprints are not enough: a guest could make two descriptions that have the same one.
    pub(crate) fn believes(&self, sender: &Plan) -> bool {
        let same_step = |(a, b): (&Step, &Step)| (a.offset, a.when, a.action) == (b.offset, b.when, b.action);
        let same_layout = |(a, b): (&Layout, &Layout)| {
            a.size == b.size && a.steps.len() == b.steps.len() && a.steps.iter().zip(&b.steps).all(same_step)
        };
        !self.has_demands
            && (self.fingerprint, self.reference) == (sender.fingerprint, sender.reference)
            && (std::ptr::eq(self, sender)
                || self.layouts.len() == sender.layouts.len()
                    && self.layouts.iter().zip(&sender.layouts).all(same_layout))
    }

    /// An object in words.
    pub(crate) fn in_words(&self, met: Met) -> String {
        let name = &self.layouts[met.shape() as usize].name;
        match met.count() {
            1 => format!("one {name} at address {:#x}", met.at),
            count => format!("{count} {name} in a row at address {:#x}", met.at),
        }
    }

    /// How many bytes an object has.
    #[inline]
    pub(crate) fn bytes(&self, met: Met) -> u64 {
        u64::from(self.layouts[met.shape() as usize].size) * u64::from(met.count())
    }

    /// How deep in something else objects of this type may lie: of two that have the same bytes, the outer one has the
    /// smaller number.
    pub(crate) fn depth(&self, met: Met) -> u32 {
        self.layouts[met.shape() as usize].depth
    }

    /// What it takes to keep it: layouts, and what is done for each.
    pub(crate) fn weight(&self) -> usize {
        self.layouts.iter().map(|layout| 1 + layout.steps.len() + layout.plain.as_ref().map_or(0, Vec::len)).sum()
    }

    /// Follows everything that can be reached from a type.
    pub(crate) fn new(types: &Types, root: u32) -> Result<Plan> {
        let mut build =
            Build { types, numbers: HashMap::new(), keys: Vec::new(), layouts: Vec::new(), hash: Hash::default() };
        build.number(Key::Described(root))?;
        let mut next = 0;
        while next < build.layouts.len() {
            build.fill(next)?;
            next += 1;
        }
        let Build { mut layouts, hash, .. } = build;
        let has_interior = has_interior(&layouts);
        if has_interior {
            find_depths(&mut layouts);
        } else {
            leave_numbers(&mut layouts);
        }
        for layout in &mut layouts {
            layout.plain = plain(&layout.steps, types.reference);
        }
        let mut steps = layouts.iter().flat_map(|layout| &layout.steps);
        let has_demands = steps.any(|step| step.owned || step.required);
        Ok(Plan {
            fingerprint: hash.0,
            layouts,
            reference: types.reference,
            has_interior,
            has_demands,
            charge: Charge::default(),
        })
    }
}

/// What a layout is made from.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    /// A type of the guest's, or a predefined datatype.
    Described(u32),
    /// A reference to objects of this type.
    Cell(u32, bool, bool),
    /// A character of a string.
    Text,
}

struct Build<'a> {
    types: &'a Types,
    numbers: HashMap<Key, Shape>,
    /// What each layout is made from.
    keys: Vec<Key>,
    layouts: Vec<Layout>,
    hash: Hash,
}

impl Build<'_> {
    /// The number of a layout; a new one is filled later.
    fn number(&mut self, key: Key) -> Result<Shape> {
        if let Some(&number) = self.numbers.get(&key) {
            return Ok(number);
        }
        let number = self.layouts.len() as Shape;
        let layout = |name: Arc<str>, handle, size| Layout {
            name,
            handle,
            size,
            steps: Vec::new(),
            plain: None,
            is_text: key == Key::Text,
            depth: 0,
        };
        let layout = match key {
            Key::Cell(to, ..) => layout("references".into(), to, self.types.reference),
            Key::Text => layout("characters".into(), Datatype::CHAR.0, 1),
            Key::Described(handle) => match basic(handle) {
                Some((name, size)) => layout(name.into(), handle, size),
                None => self.types.get(handle).map(|ty| layout(ty.name.clone(), handle, ty.size))?,
            },
        };
        self.numbers.insert(key, number);
        self.keys.push(key);
        self.layouts.push(layout);
        Ok(number)
    }

    fn fill(&mut self, number: usize) -> Result<()> {
        let (handle, size) = (self.layouts[number].handle, self.layouts[number].size);
        if let Key::Cell(to, owned, required) = self.keys[number] {
            let to = self.number(Key::Described(to))?;
            self.hash.add(&[4, to]);
            let action = Action::References { count: 1, to };
            self.layouts[number].steps.push(Step {
                offset: 0,
                when: None,
                action,
                owned,
                required,
                name: "element".into(),
            });
            return Ok(());
        }
        self.hash.add(&[1, size]);
        if basic(handle).is_some() {
            self.hash.add(&[2, handle]);
            return Ok(());
        }
        let ty: Rc<Type> = self.types.get(handle)?.clone();
        let Some(fields) = &ty.fields else {
            let text = format!("the type {} was declared, but its fields were never described", ty.name);
            return Err(Error::new(MPI_ERR_TYPE, text));
        };
        self.hash.add(&[3, ty.align]);
        for field in fields {
            let step = self.step(field)?;
            self.layouts[number].steps.push(step);
        }
        Ok(())
    }

    fn step(&mut self, field: &Field) -> Result<Step> {
        let count = field.count;
        let counted = field.count_at.map_or(Count::Fixed(count), |at| Count::At(at, field.capacity_at));
        let (mut owned, mut required) = (field.owned, field.required);
        let action = match field.form {
            Form::References if field.weak => Action::Weak { count, to: self.number(Key::Described(field.to))? },
            Form::References => Action::References { count, to: self.number(Key::Described(field.to))? },
            Form::Array => Action::Array { count: counted, to: self.number(Key::Described(field.to))? },
            Form::ReferenceArray => {
                let cell = Key::Cell(field.to, std::mem::take(&mut owned), std::mem::take(&mut required));
                // Who owns the references owns the array too.
                owned = field.owned;
                Action::Array { count: counted, to: self.number(cell)? }
            }
            Form::Text => Action::Text { to: self.number(Key::Text)? },
            Form::Inline => Action::Inline { count, to: self.number(Key::Described(field.to))? },
            Form::Left => Action::Leave { count },
            Form::Descriptor => {
                let Some(pattern) = field.pattern else { unreachable!("it was read with the field") };
                let to = if field.to == 0 { None } else { Some(self.number(Key::Described(field.to))?) };
                Action::Descriptor { pattern, to, weak: field.weak }
            }
        };
        self.hash.step(field, &action);
        Ok(Step { offset: field.offset, when: field.when, action, owned, required, name: field.name.clone() })
    }
}

/// The references of a layout that has nothing else, and not too many.
fn plain(steps: &[Step], reference: u32) -> Option<Vec<(u32, Shape)>> {
    const MOST: u32 = 16;
    let references = |step: &Step| match step.action {
        Action::References { count, to } if count <= MOST && step.when.is_none() && !step.owned && !step.required => {
            let offset = step.offset;
            Some((0..count).map(move |index| (offset + index * reference, to)))
        }
        _ => None,
    };
    let all: Option<Vec<_>> = steps.iter().map(references).collect();
    Some(all?.into_iter().flatten().collect())
}

/// Name and size of a predefined datatype.
fn basic(handle: u32) -> Option<(&'static str, u32)> {
    let datatype = Datatype(handle);
    datatype.element().map(|element| (datatype.name().unwrap_or("a predefined datatype"), element.extent))
}

/// Takes out what lies inline and refers to nothing: it matters only where references may point to it.
fn leave_numbers(layouts: &mut [Layout]) {
    let steps = |layouts: &[Layout]| layouts.iter().map(|layout| layout.steps.len()).sum::<usize>();
    let mut before = usize::MAX;
    while steps(layouts) < before {
        before = steps(layouts);
        let refers: Vec<bool> = layouts.iter().map(|layout| !layout.steps.is_empty()).collect();
        for layout in layouts.iter_mut() {
            layout.steps.retain(|step| !matches!(step.action, Action::Inline { to, .. } if !refers[to as usize]));
        }
    }
}

/// Finds how deep each layout may lie in others. They were defined one after another, so none lies in itself.
fn find_depths(layouts: &mut [Layout]) {
    let mut is_deeper = true;
    while std::mem::take(&mut is_deeper) {
        for holder in 0..layouts.len() {
            for step in 0..layouts[holder].steps.len() {
                let least = layouts[holder].depth + 1;
                if let Action::Inline { to, .. } = layouts[holder].steps[step].action
                    && layouts[to as usize].depth < least
                {
                    layouts[to as usize].depth = least;
                    is_deeper = true;
                }
            }
        }
    }
}

/// Whether a reference may point into an object: to an element of an array, or to what lies inline.
fn has_interior(layouts: &[Layout]) -> bool {
    let mut single = vec![false; layouts.len()];
    let mut part = vec![false; layouts.len()];
    let steps = layouts.iter().flat_map(|layout| &layout.steps);
    for step in steps.filter(|step| !step.owned) {
        match step.action {
            Action::References { to, .. } | Action::Weak { to, .. } => single[to as usize] = true,
            Action::Array { to, .. } => {
                part[to as usize] = true;
            }
            Action::Inline { to, .. } => part[to as usize] = true,
            // An allocatable array may be the target of pointers; a pointer may also be to a part of one.
            Action::Descriptor { pattern, to: Some(to), .. } => {
                single[to as usize] |= !pattern.is_allocatable();
                part[to as usize] |= pattern.rank > 0 || pattern.length == 0;
            }
            Action::Descriptor { .. } | Action::Text { .. } | Action::Leave { .. } => {}
        }
    }
    // The roots are references to the first type.
    single[0] = true;
    single.iter().zip(&part).any(|(single, part)| *single && *part)
}

/// A hash that is the same on every machine (FNV-1a of Fowler, Noll and Vo over words, finished by a mixer).
struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Hash(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    fn add(&mut self, words: &[u32]) {
        for &word in words {
            self.0 = (self.0 ^ u64::from(word)).wrapping_mul(0x0000_0100_0000_01b3);
            self.0 ^= self.0 >> 29;
        }
    }

    /// Ownership is not part of it: it is the receiver's affair who frees what.
    fn step(&mut self, field: &Field, action: &Action) {
        let (kind, count, to) = match *action {
            Action::References { count, to } => (10, count, to),
            Action::Weak { count, to } => (11, count, to),
            Action::Leave { count } => (12, count, 0),
            Action::Array { count: Count::Fixed(count), to } => (13, count, to),
            Action::Array { count: Count::At(..), to } => (14, 0, to),
            Action::Text { to } => (15, 0, to),
            Action::Inline { count, to } => (16, count, to),
            Action::Descriptor { pattern, to, weak } => {
                self.add(&[pattern.kind, pattern.length, weak.into()]);
                (17, pattern.rank, to.unwrap_or(u32::MAX))
            }
        };
        let (tag_at, tag) = field.when.map_or((u32::MAX, 0), |(at, tag)| (at, tag as u32));
        let [count_at, capacity_at] = [field.count_at, field.capacity_at].map(|at| at.unwrap_or(u32::MAX));
        self.add(&[kind, field.offset, count, to, count_at, capacity_at, tag_at, tag]);
    }
}

#[cfg(test)]
mod tests {
    use rankine_guest::Account;

    use super::*;

    const NONE: i32 = -1;

    /// A list of meshes: node → node, mesh; mesh → nodes.
    fn described(swap: bool, size: i32) -> u64 {
        let mut types = Types::new(&Account::new(None));
        let mut declare = |name, size| types.declare(name, size, 4).unwrap();
        let (node, mesh) = if swap {
            let mesh = declare("mesh", size);
            (declare("node", 8), mesh)
        } else {
            let node = declare("knoten", 8);
            (node, declare("netz", size))
        };
        let reference = |to: u32, at| [1, at, to as i32, 1, NONE, NONE, NONE, 0];
        let mut define = |ty, fields: Vec<[i32; 8]>| {
            types.define(ty, fields.into_iter().map(|words| ("".into(), words)).collect()).unwrap();
        };
        define(mesh, vec![[3, 0, node as i32, 0, 4, NONE, NONE, 0]]);
        let mut fields = vec![reference(node, 0), reference(mesh, 4)];
        if swap {
            fields.reverse();
        }
        define(node, fields);
        Plan::new(&types, node).unwrap().fingerprint
    }

    #[test]
    fn the_fingerprint_is_that_of_the_structure() {
        assert_eq!(described(false, 8), described(true, 8));
        assert_ne!(described(false, 8), described(false, 12));
    }

    #[test]
    fn a_walk_is_believed_where_the_plan_is_alike() {
        let plan = |flags: i32, fixed: i32, count: i32| {
            let mut types = Types::new(&Account::new(None));
            let node = types.declare("node", 16, 4).unwrap();
            let fields = vec![
                ("next".into(), [1 | flags, 0, node as i32, 1, NONE, NONE, NONE, 0]),
                ("row".into(), [2, 4, Datatype::DOUBLE.0 as i32, fixed, count, NONE, NONE, 0]),
            ];
            types.define(node, fields).unwrap();
            let mut plan = Plan::new(&types, node).unwrap();
            plan.fingerprint = 1; // A guest may find descriptions that have the same.
            plan
        };
        let [usual, owning, demanding] = [0, 0x100, 0x200].map(|flags| plan(flags, 0, 8));
        assert!(usual.believes(&usual) && usual.believes(&plan(0, 0, 8)) && usual.believes(&owning));
        assert!(!usual.believes(&plan(0, 0, 12)) && !usual.believes(&plan(0, 3, NONE)));
        assert!(!owning.believes(&owning) && !demanding.believes(&usual));
    }

    #[test]
    fn what_is_reached_has_to_be_defined() {
        let mut types = Types::new(&Account::new(None));
        let (node, other) = (types.declare("node", 4, 4).unwrap(), types.declare("other", 4, 4).unwrap());
        types.define(node, vec![("next".into(), [1, 0, other as i32, 1, NONE, NONE, NONE, 0])]).unwrap();
        assert!(Plan::new(&types, node).unwrap_err().to_string().contains("the type other was declared"));
        assert!(Plan::new(&types, 0).is_err());
    }
}
