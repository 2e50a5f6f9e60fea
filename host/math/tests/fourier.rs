//! Fourier transforms against their definition, in any layout.

use num_complex::Complex64;
use proptest::prelude::*;
use rankine_math::fourier::{self, Axis, Kind, Part as _, Plan, Shape};
use std::f64::consts::TAU;

/// Arrays of up to three dimensions whose strides leave gaps, and several of them.
#[derive(Clone, Debug)]
struct Case {
    lengths: Vec<usize>,
    gaps: Vec<usize>,
    many: usize,
    /// The arrays lie interleaved, not one behind another.
    interleaved: bool,
    /// The dimensions lie in the other order in the output.
    turned: bool,
}

fn cases() -> impl Strategy<Value = Case> {
    let length = prop_oneof![1usize..12, Just(16), Just(17), Just(59)];
    (prop::collection::vec(length, 1..4), prop::collection::vec(1usize..3, 4), 1usize..12, any::<bool>(), any::<bool>())
        .prop_filter("not so many", |(lengths, ..)| lengths.iter().product::<usize>() < 3000)
        .prop_map(|(lengths, gaps, many, interleaved, turned)| Case { lengths, gaps, many, interleaved, turned })
}

/// Strides for dimensions of these lengths, then that of the arrays, and how many elements all that takes.
fn strides(case: &Case, lengths: &[usize], turned: bool) -> (Vec<isize>, isize, usize) {
    let mut order: Vec<usize> = (0..lengths.len()).rev().collect();
    if turned {
        order.reverse();
    }
    let mut strides = vec![0; lengths.len()];
    let mut next = if case.interleaved { case.many } else { 1 };
    for number in order {
        next *= case.gaps[number];
        strides[number] = next as isize;
        next *= lengths[number];
    }
    let (many, all) = if case.interleaved { (1, next) } else { (next as isize, next * case.many) };
    (strides, many, all)
}

fn shape(case: &Case, from: (&[isize], isize), to: (&[isize], isize)) -> Shape {
    let axis = |number: usize| Axis { n: case.lengths[number], from: from.0[number], to: to.0[number] };
    Shape {
        dimensions: (0..case.lengths.len()).map(axis).collect(),
        many: vec![Axis { n: case.many, from: from.1, to: to.1 }],
    }
}

/// All indices of an array of these lengths.
fn indices(lengths: &[usize]) -> Vec<Vec<usize>> {
    lengths.iter().fold(vec![vec![]], |all, &n| {
        all.iter().flat_map(|index| (0..n).map(move |i| [index.as_slice(), &[i]].concat())).collect()
    })
}

fn place(index: &[usize], strides: &[isize], array: usize, many: isize) -> usize {
    (index.iter().zip(strides).map(|(&i, &stride)| i as isize * stride).sum::<isize>() + array as isize * many) as usize
}

/// The definition, by the sums along one dimension after another.
fn plain(lengths: &[usize], values: &[Complex64], sign: f64) -> Vec<Complex64> {
    let mut values = values.to_vec();
    let mut stride = 1;
    for &n in lengths.iter().rev() {
        let before = values.clone();
        for (at, value) in values.iter_mut().enumerate() {
            let k = at / stride % n;
            let sum = (0..n).map(|j| {
                before[at + j * stride - k * stride] * Complex64::cis(sign * TAU * (j * k % n) as f64 / n as f64)
            });
            *value = sum.sum();
        }
        stride *= n;
    }
    values
}

fn close(one: Complex64, other: Complex64, n: usize) -> bool {
    (one - other).norm() <= 1e-12 * (n as f64).max(1.0) * 4.0
}

fn number(at: usize) -> Complex64 {
    Complex64::new((at * 37 % 101) as f64 / 50.0 - 1.0, (at * 53 % 97) as f64 / 48.0 - 1.0)
}

fn plans(shape: &Shape, kind: Kind) -> Vec<Plan<f64>> {
    shape.plans(kind).map(|(kind, n)| f64::plan(kind, n)).collect()
}

fn at<T>(elements: &mut [T]) -> *mut u8 {
    elements.as_mut_ptr().cast()
}

/// # Safety
/// That of the transform.
unsafe fn run(shape: &Shape, kind: Kind, from: *mut u8, to: *mut u8) {
    // SAFETY: both arrays have what the shape says, as the function demands.
    unsafe { fourier::transform(&plans(shape, kind), shape, kind, from, to) };
}

const UNTOUCHED: Complex64 = Complex64::new(777.0, -777.0);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn complex_arrays(case in cases(), backward in any::<bool>(), in_place in any::<bool>()) {
        let (from, many_from, size) = strides(&case, &case.lengths, false);
        let (to, many_to, size_to) = strides(&case, &case.lengths, case.turned && !in_place);
        let shape = shape(&case, (&from, many_from), (&to, many_to));
        let kind = if backward { Kind::Backward } else { Kind::Forward };
        let (plans, mut input) = (plans(&shape, kind), (0..size).map(number).collect::<Vec<_>>());
        let before = input.clone();
        let mut output = vec![UNTOUCHED; size_to];
        // SAFETY: the places of all elements are below the sizes.
        unsafe {
            match in_place {
                true => fourier::transform(&plans, &shape, kind, at(&mut input), at(&mut input)),
                false => fourier::transform(&plans, &shape, kind, at(&mut input), at(&mut output)),
            }
        }
        let (result, untouched): (_, &dyn Fn(usize) -> Complex64) =
            if in_place { (&input, &|at| before[at]) } else { (&output, &|_| UNTOUCHED) };
        let mut written = vec![false; result.len()];
        for array in 0..case.many {
            let indices = indices(&case.lengths);
            let values: Vec<_> = indices.iter().map(|index| before[place(index, &from, array, many_from)]).collect();
            let expected = plain(&case.lengths, &values, if backward { 1.0 } else { -1.0 });
            for (index, expected) in indices.iter().zip(expected) {
                let at = place(index, &to, array, many_to);
                written[at] = true;
                prop_assert!(close(result[at], expected, values.len()), "{index:?}: {} is not {expected}", result[at]);
            }
        }
        for (at, _) in written.iter().enumerate().filter(|(_, written)| !**written) {
            prop_assert_eq!(result[at], untouched(at));
        }
    }

    #[test]
    fn real_arrays_and_back(case in cases()) {
        let mut halved = case.lengths.clone();
        *halved.last_mut().unwrap() = halved.last().unwrap() / 2 + 1;
        let (from, many_from, size) = strides(&case, &case.lengths, false);
        let (to, many_to, size_to) = strides(&case, &halved, case.turned);
        let there = shape(&case, (&from, many_from), (&to, many_to));
        let back = shape(&case, (&to, many_to), (&from, many_from));
        let mut input: Vec<f64> = (0..size).map(|at| number(at).re).collect();
        let (mut spectrum, mut output) = (vec![UNTOUCHED; size_to], vec![777.0; size]);
        // SAFETY: the places of all elements are below the sizes.
        unsafe { run(&there, Kind::FromReal, at(&mut input), at(&mut spectrum)) };
        let n: usize = case.lengths.iter().product();
        for array in 0..case.many {
            let indices = indices(&case.lengths);
            let values: Vec<_> = indices.iter().map(|index| input[place(index, &from, array, many_from)].into()).collect();
            let expected = plain(&case.lengths, &values, -1.0);
            for (index, expected) in indices.iter().zip(expected) {
                if index.last() < halved.last() {
                    let at = place(index, &to, array, many_to);
                    prop_assert!(close(spectrum[at], expected, n), "{index:?}: {} is not {expected}", spectrum[at]);
                }
            }
        }
        // SAFETY: the same places.
        unsafe { run(&back, Kind::ToReal, at(&mut spectrum), at(&mut output)) };
        for array in 0..case.many {
            for index in indices(&case.lengths) {
                let at = place(&index, &from, array, many_from);
                prop_assert!(close((output[at] / n as f64).into(), input[at].into(), n));
            }
        }
    }
}

#[test]
fn rows_of_a_real_array_become_spectra_where_they_lie() {
    let (rows, n) = (6, 10);
    let row = 2 * (n / 2 + 1);
    let axis = |n, from, to| Axis { n, from, to };
    let there = Shape { dimensions: vec![axis(rows, row as isize, row as isize / 2), axis(n, 1, 1)], many: vec![] };
    let back = Shape { dimensions: vec![axis(rows, row as isize / 2, row as isize), axis(n, 1, 1)], many: vec![] };
    let mut memory: Vec<f64> = (0..rows * row).map(|at| number(at).re).collect();
    let before = memory.clone();
    let place = at(&mut memory);
    // SAFETY: each row has room for its spectrum.
    unsafe {
        run(&there, Kind::FromReal, place, place);
        run(&back, Kind::ToReal, place, place);
    }
    for (line, before) in memory.chunks(row).zip(before.chunks(row)) {
        for (one, other) in line.iter().zip(before).take(n) {
            assert!((one / (rows * n) as f64 - other).abs() < 1e-13);
        }
    }
}
