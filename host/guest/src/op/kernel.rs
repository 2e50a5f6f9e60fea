//! The predefined operations on packed elements in host memory.
//!
//! A kernel combines two operands element by element, the first one's values on the left: `second = first ∘ second`.
//! Elements are little-endian, packed without the padding of pairs, and need no alignment. Which operation goes with
//! which type says the table of MPI-5.0 §6.9.2; Fortran's integers are let through where only C's are listed, as every
//! library does.

use rankine_abi::{Element, Kind, Op};

use super::soft::{Half, Quad};

/// `second = first ∘ second`, element by element.
pub type Kernel = fn(&[u8], &mut [u8]);

/// A scalar, or a pair of them: kind and bytes of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The scalar, or the first of the pair.
    pub value: (Kind, u32),
    /// The second of the pair.
    pub index: Option<(Kind, u32)>,
}

impl Operand {
    /// What the packed bytes of an element are.
    pub fn of(element: &Element) -> Operand {
        let index = element.index.map(|index| (index.kind, index.size));
        Operand { value: (element.kind, element.size - index.map_or(0, |(_, size)| size)), index }
    }
}

/// The kernel of an operation on elements of a kind, if MPI defines it.
pub fn kernel(op: Op, operand: Operand) -> Option<Kernel> {
    match op {
        Op::REPLACE => return Some(|first, second| second.copy_from_slice(first)),
        Op::NO_OP => return Some(|_, _| ()),
        _ => {}
    }
    if let Some(index) = operand.index {
        return pair(op, operand.value, index);
    }
    match operand.value {
        (Kind::Int, 1) => integer::<i8>(op),
        (Kind::Int, 2) => integer::<i16>(op),
        (Kind::Int, 4) => integer::<i32>(op),
        (Kind::Int, 8) => integer::<i64>(op),
        (Kind::Int, 16) => integer::<i128>(op),
        (Kind::Uint, 1) => integer::<u8>(op),
        (Kind::Uint, 2) => integer::<u16>(op),
        (Kind::Uint, 4) => integer::<u32>(op),
        (Kind::Uint, 8) => integer::<u64>(op),
        (Kind::Float, 2) => float::<Half>(op),
        (Kind::Float, 4) => float::<f32>(op),
        (Kind::Float, 8) => float::<f64>(op),
        (Kind::Float, 16) => float::<Quad>(op),
        (Kind::Complex, 4) => arithmetic::<Complex<Half>>(op),
        (Kind::Complex, 8) => arithmetic::<Complex<f32>>(op),
        (Kind::Complex, 16) => arithmetic::<Complex<f64>>(op),
        (Kind::Complex, 32) => arithmetic::<Complex<Quad>>(op),
        (Kind::Logical, 1) => logical::<u8>(op),
        (Kind::Logical, 2) => logical::<u16>(op),
        (Kind::Logical, 4) => logical::<u32>(op),
        (Kind::Logical, 8) => logical::<u64>(op),
        (Kind::Logical, 16) => logical::<i128>(op),
        (Kind::Byte, 1) => bitwise::<u8>(op),
        _ => None,
    }
}

fn pair(op: Op, value: (Kind, u32), index: (Kind, u32)) -> Option<Kernel> {
    match (value, index) {
        ((Kind::Int, 2), (Kind::Int, 4)) => location::<i16, i32>(op),
        ((Kind::Int, 4), (Kind::Int, 4)) => location::<i32, i32>(op),
        ((Kind::Int, 8), (Kind::Int, 4)) => location::<i64, i32>(op),
        ((Kind::Float, 4), (Kind::Int, 4)) => location::<f32, i32>(op),
        ((Kind::Float, 8), (Kind::Int, 4)) => location::<f64, i32>(op),
        ((Kind::Float, 16), (Kind::Int, 4)) => location::<Quad, i32>(op),
        ((Kind::Float, 4), (Kind::Float, 4)) => location::<f32, f32>(op),
        ((Kind::Float, 8), (Kind::Float, 8)) => location::<f64, f64>(op),
        _ => None,
    }
}

/// A value in memory.
pub(super) trait Value: Copy {
    const SIZE: usize;
    fn load(bytes: &[u8]) -> Self;
    fn store(self, bytes: &mut [u8]);
}

/// Values in order. Comparing with a NaN is false, and then the second operand stays.
pub(super) trait Ordered: Value {
    fn less(self, other: Self) -> bool;
}

/// Values to compute with; integers wrap around.
pub(super) trait Number: Value {
    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
}

/// Real numbers, of which complex ones are made.
pub(super) trait Real: Number {
    fn neg(self) -> Self;
}

/// Values as bits, and as truth values: true is 1 when written, and anything but 0 when read.
trait Bits: Value {
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn is_true(self) -> bool;
    fn from_bool(truth: bool) -> Self;
}

/// What integers and floating-point numbers have in common.
macro_rules! values {
    ($($t:ty)*) => {$(
        impl Value for $t {
            const SIZE: usize = size_of::<$t>();
            #[inline(always)]
            fn load(bytes: &[u8]) -> Self {
                <$t>::from_le_bytes(bytes.try_into().expect("a chunk has the value's size"))
            }
            #[inline(always)]
            fn store(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_le_bytes());
            }
        }
        impl Ordered for $t {
            #[inline(always)]
            fn less(self, other: Self) -> bool {
                self < other
            }
        }
    )*};
}

macro_rules! integers {
    ($($t:ty)*) => {$(
        impl Number for $t {
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
        }
        impl Bits for $t {
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            #[inline(always)]
            fn is_true(self) -> bool {
                self != 0
            }
            #[inline(always)]
            fn from_bool(truth: bool) -> Self {
                Self::from(truth)
            }
        }
    )*};
}

macro_rules! floats {
    ($($t:ty)*) => {$(
        impl Number for $t {
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self * other
            }
        }
        impl Real for $t {
            #[inline(always)]
            fn neg(self) -> Self {
                -self
            }
        }
    )*};
}

values!(i8 i16 i32 i64 i128 u8 u16 u32 u64 f32 f64);
integers!(i8 i16 i32 i64 i128 u8 u16 u32 u64);
floats!(f32 f64);

#[derive(Clone, Copy)]
struct Complex<R> {
    re: R,
    im: R,
}

impl<R: Real> Value for Complex<R> {
    const SIZE: usize = 2 * R::SIZE;
    #[inline(always)]
    fn load(bytes: &[u8]) -> Self {
        Complex { re: R::load(&bytes[..R::SIZE]), im: R::load(&bytes[R::SIZE..]) }
    }
    #[inline(always)]
    fn store(self, bytes: &mut [u8]) {
        self.re.store(&mut bytes[..R::SIZE]);
        self.im.store(&mut bytes[R::SIZE..]);
    }
}

impl<R: Real> Number for Complex<R> {
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Complex { re: self.re.add(other.re), im: self.im.add(other.im) }
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Complex {
            re: self.re.mul(other.re).add(self.im.mul(other.im).neg()),
            im: self.re.mul(other.im).add(self.im.mul(other.re)),
        }
    }
}

/// A value and where it was found.
#[derive(Clone, Copy)]
struct Located<V, I> {
    value: V,
    index: I,
}

impl<V: Value, I: Value> Value for Located<V, I> {
    const SIZE: usize = V::SIZE + I::SIZE;
    #[inline(always)]
    fn load(bytes: &[u8]) -> Self {
        Located { value: V::load(&bytes[..V::SIZE]), index: I::load(&bytes[V::SIZE..]) }
    }
    #[inline(always)]
    fn store(self, bytes: &mut [u8]) {
        self.value.store(&mut bytes[..V::SIZE]);
        self.index.store(&mut bytes[V::SIZE..]);
    }
}

/// The better of two; of equal ones the one with the smaller index (§6.9.4).
#[inline(always)]
fn located<V: Ordered, I: Ordered>(
    first: Located<V, I>,
    second: Located<V, I>,
    better: impl Fn(V, V) -> bool,
) -> Located<V, I> {
    let tie = !better(second.value, first.value) && first.index.less(second.index);
    if better(first.value, second.value) || tie { first } else { second }
}

#[inline(always)]
fn zip<V: Value>(first: &[u8], second: &mut [u8], combine: impl Fn(V, V) -> V) {
    for (a, b) in first.chunks_exact(V::SIZE).zip(second.chunks_exact_mut(V::SIZE)) {
        combine(V::load(a), V::load(b)).store(b);
    }
}

fn order<V: Ordered>(op: Op) -> Option<Kernel> {
    match op {
        Op::MAX => Some(|a, b| zip::<V>(a, b, |a, b| if b.less(a) { a } else { b })),
        Op::MIN => Some(|a, b| zip::<V>(a, b, |a, b| if a.less(b) { a } else { b })),
        _ => None,
    }
}

fn arithmetic<V: Number>(op: Op) -> Option<Kernel> {
    match op {
        Op::SUM => Some(|a, b| zip::<V>(a, b, V::add)),
        Op::PROD => Some(|a, b| zip::<V>(a, b, V::mul)),
        _ => None,
    }
}

fn bitwise<V: Bits>(op: Op) -> Option<Kernel> {
    match op {
        Op::BAND => Some(|a, b| zip::<V>(a, b, V::and)),
        Op::BOR => Some(|a, b| zip::<V>(a, b, V::or)),
        Op::BXOR => Some(|a, b| zip::<V>(a, b, V::xor)),
        _ => None,
    }
}

fn logical<V: Bits>(op: Op) -> Option<Kernel> {
    match op {
        Op::LAND => Some(|a, b| zip::<V>(a, b, |a, b| V::from_bool(a.is_true() & b.is_true()))),
        Op::LOR => Some(|a, b| zip::<V>(a, b, |a, b| V::from_bool(a.is_true() | b.is_true()))),
        Op::LXOR => Some(|a, b| zip::<V>(a, b, |a, b| V::from_bool(a.is_true() ^ b.is_true()))),
        _ => None,
    }
}

fn integer<V: Ordered + Number + Bits>(op: Op) -> Option<Kernel> {
    order::<V>(op).or(arithmetic::<V>(op)).or(bitwise::<V>(op)).or(logical::<V>(op))
}

fn float<V: Ordered + Number>(op: Op) -> Option<Kernel> {
    order::<V>(op).or(arithmetic::<V>(op))
}

fn location<V: Ordered, I: Ordered>(op: Op) -> Option<Kernel> {
    match op {
        Op::MAXLOC => Some(|a, b| zip::<Located<V, I>>(a, b, |a, b| located(a, b, |x, y| y.less(x)))),
        Op::MINLOC => Some(|a, b| zip::<Located<V, I>>(a, b, |a, b| located(a, b, V::less))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply<const A: usize, const N: usize>(op: Op, kind: Kind, a: [[u8; A]; N], b: [[u8; A]; N]) -> Vec<[u8; A]> {
        let kernel = kernel(op, Operand { value: (kind, A as u32), index: None }).unwrap();
        let mut second = b.concat();
        kernel(&a.concat(), &mut second);
        second.chunks_exact(A).map(|bytes| bytes.try_into().unwrap()).collect()
    }

    #[test]
    fn integers() {
        let (a, b) = ([7i32, -3, i32::MAX].map(i32::to_le_bytes), [2i32, 5, 1].map(i32::to_le_bytes));
        let run = |op| apply(op, Kind::Int, a, b).into_iter().map(i32::from_le_bytes).collect::<Vec<_>>();
        assert_eq!(run(Op::SUM), [9, 2, i32::MIN]);
        assert_eq!(run(Op::PROD), [14, -15, i32::MAX]);
        assert_eq!(run(Op::MAX), [7, 5, i32::MAX]);
        assert_eq!(run(Op::MIN), [2, -3, 1]);
        assert_eq!(run(Op::BXOR), [5, -8, i32::MAX - 1]);
        assert_eq!(run(Op::LAND), [1, 1, 1]);
        assert_eq!(run(Op::LXOR), [0, 0, 0]);
    }

    #[test]
    fn complex_numbers_multiply() {
        let number =
            |re: f64, im: f64| -> [u8; 16] { [re.to_le_bytes(), im.to_le_bytes()].concat().try_into().unwrap() };
        let product = apply(Op::PROD, Kind::Complex, [number(1.0, 2.0)], [number(3.0, -1.0)]);
        assert_eq!(product, [number(5.0, 5.0)]);
    }

    #[test]
    fn equal_values_are_found_at_the_smaller_index() {
        let operand = Operand { value: (Kind::Int, 2), index: Some((Kind::Int, 4)) };
        let pack = |pairs: &[(i16, i32)]| -> Vec<u8> {
            pairs.iter().flat_map(|(v, i)| [&v.to_le_bytes()[..], &i.to_le_bytes()].concat()).collect()
        };
        let first = pack(&[(1, 4), (5, 2), (5, 9), (8, 1)]);
        let mut greatest = pack(&[(2, 3), (5, 7), (5, 3), (7, 0)]);
        let mut least = greatest.clone();
        kernel(Op::MAXLOC, operand).unwrap()(&first, &mut greatest);
        kernel(Op::MINLOC, operand).unwrap()(&first, &mut least);
        assert_eq!(greatest, pack(&[(2, 3), (5, 2), (5, 3), (8, 1)]));
        assert_eq!(least, pack(&[(1, 4), (5, 2), (5, 3), (7, 0)]));
        assert!(kernel(Op::SUM, operand).is_none());
    }

    #[test]
    fn every_predefined_type_has_the_operations_of_its_class() {
        use rankine_abi::Datatype;
        for datatype in Datatype::PREDEFINED.iter().flat_map(|datatype| [*datatype, datatype.in_lp64()]) {
            let operand = Operand::of(&datatype.element().unwrap());
            let has = |op| kernel(op, operand).is_some();
            let (sum, band, land, max, maxloc) =
                (has(Op::SUM), has(Op::BAND), has(Op::LAND), has(Op::MAX), has(Op::MAXLOC));
            let expected = match (operand.value.0, operand.index) {
                (_, Some(_)) => (false, false, false, false, true),
                (Kind::Int | Kind::Uint, _) => (true, true, true, true, false),
                (Kind::Float, _) => (true, false, false, true, false),
                (Kind::Complex, _) => (true, false, false, false, false),
                (Kind::Logical, _) => (false, false, true, false, false),
                (Kind::Byte, _) => (false, true, false, false, false),
                (Kind::Char, _) => (false, false, false, false, false),
            };
            assert_eq!((sum, band, land, max, maxloc), expected, "{:?}", datatype.name());
        }
    }
}
