//! What the bytes of one element mean: the basic elements in type-map order, run-length coded.
//!
//! Layouts forget this; counting received elements, the external32 form and reductions need it. Like a layout, a
//! signature keeps repetition nested and costs nothing for huge counts.

use std::rc::Rc;

use super::predefined::Basic;
use crate::error::Result;
use crate::layout::too_large;

/// The basic elements of a type in order.
#[derive(Clone, Debug)]
pub struct Signature {
    bytes: u64,
    external: u64,
    elements: u64,
    shape: Shape,
}

#[derive(Clone, Debug)]
enum Shape {
    /// `elements` of one basic type; for none at all the basic type says nothing.
    Uniform(Basic),
    /// At least 2 copies.
    Repeat(Rc<Signature>),
    /// At least 2 signatures, none empty. Each begins at these sums of the ones before.
    Sequence(Rc<[Part]>),
}

#[derive(Clone, Debug)]
struct Part {
    bytes: u64,
    elements: u64,
    signature: Signature,
}

impl Signature {
    /// No element.
    pub const EMPTY: Signature = Signature { bytes: 0, external: 0, elements: 0, shape: Shape::Uniform(Basic::BYTE) };

    /// One element.
    pub const fn basic(basic: Basic) -> Signature {
        Signature {
            bytes: basic.size as u64,
            external: basic.external as u64,
            elements: 1,
            shape: Shape::Uniform(basic),
        }
    }

    /// Size of the elements in memory.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Size of the elements in external32 form.
    pub fn external_bytes(&self) -> u64 {
        self.external
    }

    /// Number of basic elements.
    pub fn elements(&self) -> u64 {
        self.elements
    }

    /// The basic type of all elements, if they have one in common and there are any.
    pub fn uniform(&self) -> Option<Basic> {
        match self.shape {
            Shape::Uniform(basic) if self.elements > 0 => Some(basic),
            _ => None,
        }
    }

    /// `count` copies.
    pub fn repeated(&self, count: u64) -> Result<Signature> {
        if count == 0 || self.elements == 0 {
            return Ok(Signature::EMPTY);
        }
        if count == 1 {
            return Ok(self.clone());
        }
        let times = |n: u64| n.checked_mul(count).filter(|n| *n <= i64::MAX as u64).ok_or_else(too_large);
        let shape = match &self.shape {
            Shape::Sequence(_) => Shape::Repeat(Rc::new(self.clone())),
            same => same.clone(),
        };
        Ok(Signature {
            bytes: times(self.bytes)?,
            external: times(self.external)?,
            elements: times(self.elements)?,
            shape,
        })
    }

    /// The signatures one after another.
    pub fn sequence(parts: impl IntoIterator<Item = Result<Signature>>) -> Result<Signature> {
        let mut joined: Vec<Signature> = Vec::new();
        for part in parts {
            let part = part?;
            match joined.last_mut() {
                _ if part.elements == 0 => {}
                Some(last) if last.same_kind(&part) => last.extend(&part)?,
                _ => joined.push(part),
            }
        }
        if joined.len() < 2 {
            return Ok(joined.pop().unwrap_or(Signature::EMPTY));
        }
        let mut total = Signature::EMPTY;
        let mut parts = Vec::with_capacity(joined.len());
        for signature in joined {
            parts.push(Part { bytes: total.bytes, elements: total.elements, signature: signature.clone() });
            total.extend(&signature)?;
        }
        Ok(Signature { shape: Shape::Sequence(parts.into()), ..total })
    }

    /// Whether a longer one of the same shape stands for both, one after the other.
    fn same_kind(&self, other: &Signature) -> bool {
        match (&self.shape, &other.shape) {
            (Shape::Uniform(a), Shape::Uniform(b)) => a == b,
            (Shape::Repeat(a), Shape::Repeat(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }

    fn extend(&mut self, other: &Signature) -> Result<()> {
        let plus = |a: u64, b: u64| a.checked_add(b).filter(|n| *n <= i64::MAX as u64).ok_or_else(too_large);
        self.bytes = plus(self.bytes, other.bytes)?;
        self.external = plus(self.external, other.external)?;
        self.elements = plus(self.elements, other.elements)?;
        Ok(())
    }

    /// How many basic elements the first `bytes` bytes hold, when the signature is repeated as often as needed; `None`
    /// if the bytes end inside one.
    pub fn elements_in(&self, bytes: u64) -> Option<u64> {
        if self.bytes == 0 {
            return (bytes == 0).then_some(0);
        }
        let (whole, rest) = (bytes / self.bytes, bytes % self.bytes);
        let before = whole.checked_mul(self.elements)?;
        if rest == 0 {
            return Some(before);
        }
        let inside = match &self.shape {
            Shape::Uniform(basic) => {
                let size = u64::from(basic.size);
                (rest % size == 0).then_some(rest / size)?
            }
            Shape::Repeat(inner) => inner.elements_in(rest)?,
            Shape::Sequence(parts) => {
                let part = &parts[parts.partition_point(|p| p.bytes <= rest) - 1];
                part.elements + part.signature.elements_in(rest - part.bytes)?
            }
        };
        before.checked_add(inside)
    }

    /// How many bytes the first `elements` basic elements take, when the signature is repeated as often as needed;
    /// `None` if there are none to repeat or they are too many.
    pub fn bytes_of(&self, elements: u64) -> Option<u64> {
        if self.elements == 0 {
            return (elements == 0).then_some(0);
        }
        let (whole, rest) = (elements / self.elements, elements % self.elements);
        let before = whole.checked_mul(self.bytes)?;
        if rest == 0 {
            return Some(before);
        }
        let inside = match &self.shape {
            Shape::Uniform(basic) => rest * u64::from(basic.size),
            Shape::Repeat(inner) => inner.bytes_of(rest)?,
            Shape::Sequence(parts) => {
                let part = &parts[parts.partition_point(|p| p.elements <= rest) - 1];
                part.bytes + part.signature.bytes_of(rest - part.elements)?
            }
        };
        before.checked_add(inside)
    }

    /// Whether all of its basic types pass a test.
    pub fn all(&self, test: fn(Basic) -> bool) -> bool {
        match &self.shape {
            Shape::Uniform(basic) => self.elements == 0 || test(*basic),
            Shape::Repeat(inner) => inner.all(test),
            Shape::Sequence(parts) => parts.iter().all(|part| part.signature.all(test)),
        }
    }

    /// Calls `run` with each basic type and how many of it follow, in order.
    pub fn for_each_run(&self, run: &mut impl FnMut(Basic, u64) -> Result<()>) -> Result<()> {
        match &self.shape {
            Shape::Uniform(_) if self.elements == 0 => Ok(()),
            Shape::Uniform(basic) => run(*basic, self.elements),
            Shape::Repeat(inner) => (0..self.elements / inner.elements).try_for_each(|_| inner.for_each_run(run)),
            Shape::Sequence(parts) => parts.iter().try_for_each(|part| part.signature.for_each_run(run)),
        }
    }

    /// Bytes of host memory behind this signature, one level deep.
    pub(super) fn heap_bytes(&self) -> u64 {
        match &self.shape {
            Shape::Uniform(_) => 0,
            Shape::Repeat(_) => size_of::<Signature>() as u64,
            Shape::Sequence(parts) => size_of_val(&**parts) as u64,
        }
    }
}
