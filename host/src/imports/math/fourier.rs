//! Fourier transforms, described as by the guru interface of FFTW: dimensions of an array and dimensions along which arrays
//! lie, each a length and the strides of input and output. Behind them lies the guest's own transform
//! (`guest-sdk/c/src/fourier.h`).
//!
//! A call says all about its transform, so there are no handles of plans. What the host has worked out for a length it keeps.

use std::cmp::Ordering;

use rankine_guest::{Charge, Cost};
use rankine_math::fourier::{self, Axis, Complex, Kind, Part, Plan, Shape};

use super::{Call, Outcome, Refusal};

/// A transform, by the kinds of numbers that it takes and gives.
#[derive(Copy, Clone, Debug)]
pub(super) struct Transform {
    what: What,
    is_double: bool,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum What {
    Complex,
    FromReal,
    ToReal,
}

impl Transform {
    /// The transform of that name, and how many arguments it has.
    pub(super) fn named(name: &str) -> Option<(Transform, usize)> {
        let (what, is_double) = match name {
            "dft_c2c" => (What::Complex, false),
            "dft_z2z" => (What::Complex, true),
            "dft_s2c" => (What::FromReal, false),
            "dft_d2z" => (What::FromReal, true),
            "dft_c2s" => (What::ToReal, false),
            "dft_z2d" => (What::ToReal, true),
            _ => return None,
        };
        Some((Transform { what, is_double }, if what == What::Complex { 7 } else { 6 }))
    }

    pub(super) fn run(self, call: &Call, transforms: &mut Transforms) -> Outcome {
        match self.is_double {
            false => work(self.what, call, &mut transforms.single),
            true => work(self.what, call, &mut transforms.double),
        }
    }
}

/// What a rank keeps for its transforms.
#[derive(Default)]
pub(crate) struct Transforms {
    single: Kept<f32>,
    double: Kept<f64>,
}

/// Plans, the one that was used last at the end, with what they are charged.
struct Kept<T: Part>(Vec<(Kind, usize, Plan<T>, Charge)>);

impl<T: Part> Default for Kept<T> {
    fn default() -> Self {
        Kept(Vec::new())
    }
}

/// Plans that are kept.
const MOST_KEPT: usize = 16;

impl<T: Part> Kept<T> {
    fn plan(&mut self, call: &Call, kind: Kind, n: usize) -> Outcome<Plan<T>> {
        if let Some(at) = self.0.iter().position(|(of, length, ..)| (*of, *length) == (kind, n)) {
            self.0[at..].rotate_left(1);
        } else {
            if self.0.len() == MOST_KEPT {
                self.0.remove(0);
            }
            let charge = self.charge(call, Plan::<T>::bytes(n))?;
            self.0.push((kind, n, T::plan(kind, n), charge));
        }
        self.0.last().map(|(.., plan, _)| plan.clone()).ok_or(Refusal::Declined)
    }

    /// Takes memory of the rank's, for which plans are forgotten if they must.
    fn charge(&mut self, call: &Call, bytes: usize) -> Outcome<Charge> {
        loop {
            match call.account.charge(bytes, Cost::Transforms) {
                Ok(charge) => return Ok(charge),
                Err(_) if self.0.is_empty() => return Err(Refusal::Declined),
                Err(_) => drop(self.0.remove(0)),
            }
        }
    }
}

/// `RANK DIMS HOWMANY_RANK HOWMANY_DIMS IN OUT`, and for complex numbers `SIGN`.
fn work<T: Part>(what: What, call: &Call, kept: &mut Kept<T>) -> Outcome {
    let shape = Shape { dimensions: axes(call, 0)?, many: axes(call, 2)? };
    let kind = match what {
        What::Complex if call.word(6) == -1 => Kind::Forward,
        What::Complex if call.word(6) == 1 => Kind::Backward,
        What::Complex => return Err(Refusal::Declined),
        What::FromReal => Kind::FromReal,
        What::ToReal => Kind::ToReal,
    };
    // Numbers of one dimension at one place mean nothing, and could be more than the memory has.
    if shape.dimensions.iter().any(|axis| axis.n > 1 && (axis.from == 0 || axis.to == 0)) {
        return Err(Refusal::Declined);
    }
    let last = shape.dimensions.last().ok_or(Refusal::Declined)?.n;
    let (real, complex) = (size_of::<T>(), size_of::<Complex<T>>());
    let ((size_from, last_from), (size_to, last_to)) = match what {
        What::Complex => ((complex, last), (complex, last)),
        What::FromReal => ((real, last), (complex, last / 2 + 1)),
        What::ToReal => ((complex, last / 2 + 1), (real, last)),
    };
    let from = array(call, 4, &shape, |axis| axis.from, last_from, size_from)?;
    let to = array(call, 5, &shape, |axis| axis.to, last_to, size_to)?;
    // Nor do results that lie on each other, of which there could be so many that nobody would see the end.
    let lengths = shape.dimensions.iter().rev().skip(1).chain(&shape.many).map(|axis| axis.n);
    let results = lengths.chain([last_to, size_to]).try_fold(1, usize::checked_mul);
    if results.is_none_or(|bytes| bytes as u64 > call.memory.size) {
        return Err(Refusal::Declined);
    }
    if from.overlaps(&to) && !(from.first == to.first && is_in_place(what, &shape)) {
        return Err(Refusal::Declined);
    }
    if !from.first.cast::<T>().is_aligned() || !to.first.cast::<T>().is_aligned() {
        return Err(Refusal::Declined);
    }
    let plans: Vec<Plan<T>> = shape.plans(kind).map(|(kind, n)| kept.plan(call, kind, n)).collect::<Outcome<_>>()?;
    let _held = kept.charge(call, fourier::room(&plans, &shape, kind))?;
    // SAFETY: all elements of both are in the memory, which is mapped as long as the guest runs, and are aligned.
    unsafe { fourier::transform(&plans, &shape, kind, from.first, to.first) };
    Ok(())
}

/// Dimensions of one kind.
const MOST_AXES: i32 = 8;

/// The dimensions that an argument points to; the one before it says how many there are.
fn axes(call: &Call, argument: usize) -> Outcome<Vec<Axis>> {
    let count = call.word(argument);
    if !(0..=MOST_AXES).contains(&count) {
        return Err(Refusal::Declined);
    }
    let mut bytes = [0; 12 * MOST_AXES as usize];
    let bytes = &mut bytes[..12 * count as usize];
    call.read_into(argument + 1, bytes)?;
    let (words, _) = bytes.as_chunks::<4>();
    let (axes, _) = words.as_chunks::<3>();
    let axis = |axis: &[[u8; 4]; 3]| {
        let [n, from, to] = axis.map(i32::from_le_bytes);
        let n = usize::try_from(n).ok().filter(|&n| n > 0).ok_or(Refusal::Declined)?;
        Ok(Axis { n, from: from as isize, to: to as isize })
    };
    axes.iter().map(axis).collect()
}

/// An array of numbers that are all in the memory.
struct Array {
    /// Where the element without indices is.
    first: *mut u8,
    /// Addresses of the guest's: of the lowest element, and of the end of the highest.
    lowest: i128,
    end: i128,
}

impl Array {
    fn overlaps(&self, other: &Array) -> bool {
        self.lowest < other.end && other.lowest < self.end
    }
}

/// The array that an argument points to, with these strides; `last` elements of the last dimension count.
fn array(
    call: &Call,
    argument: usize,
    shape: &Shape,
    stride: fn(&Axis) -> isize,
    last: usize,
    size: usize,
) -> Outcome<Array> {
    let number_of_last = shape.dimensions.len() - 1;
    let (mut lowest, mut highest) = (0, 0);
    for (number, axis) in shape.dimensions.iter().chain(&shape.many).enumerate() {
        let n = if number == number_of_last { last } else { axis.n };
        // No overflow: 16 products of numbers below 2³².
        let reach = (n as i128 - 1) * stride(axis) as i128;
        match reach.cmp(&0) {
            Ordering::Less => lowest += reach,
            _ => highest += reach,
        }
    }
    let address = call.address(argument);
    let (lowest, end) =
        (i128::from(address) + lowest * size as i128, i128::from(address) + (highest + 1) * size as i128);
    if lowest < i128::from(call.memory.lowest) || end > i128::from(call.memory.size) {
        let which = if argument == 4 { "input" } else { "output" };
        return Err(Refusal::Outside(format!(
            "the {which} of a transform, bytes {lowest} to {end}, is not inside the memory of {} bytes",
            call.memory.size
        )));
    }
    Ok(Array { first: call.memory.base.wrapping_add(address as usize), lowest, end })
}

/// Whether each line of the input lies where that of the output is, if both begin at the same place.
fn is_in_place(what: What, shape: &Shape) -> bool {
    let (last, others) = shape.dimensions.split_last().expect("there is a dimension");
    let mut others = others.iter().chain(&shape.many);
    match what {
        What::Complex => last.from == last.to && others.all(|axis| axis.from == axis.to),
        What::FromReal => last.from == 1 && last.to == 1 && others.all(|axis| axis.from == 2 * axis.to),
        What::ToReal => last.from == 1 && last.to == 1 && others.all(|axis| 2 * axis.from == axis.to),
    }
}
