//! Operations made straight in memory that another thread may be writing at the same moment.
//!
//! A [`Kernel`](super::Kernel) wants operands that nobody else touches, so elements of a window pass through copies on their
//! way there and back. What programs do most needs none: arithmetic on real and complex numbers of usual widths, and moving
//! any. As in [`copy`](crate::copy) the loops are opaque to the compiler, so a race of guests has no more to it than a mixture
//! of old and new numbers. Other processors than those below copy what they compute with.

use rankine_abi::{Kind, Op};

use super::Operand;
use crate::copy::copy;

/// `to = from ∘ to` for so many bytes, a whole number of elements.
///
/// # Safety
/// Both are mapped, `from` readable and `to` writable too, for the whole call. Any other thread may access them meanwhile.
pub type InPlace = unsafe fn(to: *mut u8, from: *const u8, bytes: usize);

/// How elements are combined in place, if that is possible.
pub fn in_place(op: Op, operand: Operand) -> Option<InPlace> {
    let real = match (op, operand.value) {
        (Op::REPLACE, _) => return Some(copy),
        (Op::NO_OP, _) => return Some(nothing),
        (_, (Kind::Float, size)) => size,
        // The parts of a complex number are added like real ones.
        (Op::SUM, (Kind::Complex, size)) => size / 2,
        _ => return None,
    };
    if operand.index.is_none() { arithmetic(op, real) } else { None }
}

/// # Safety
/// Nothing is touched.
unsafe fn nothing(_to: *mut u8, _from: *const u8, _bytes: usize) {}

#[cfg(any(miri, not(target_arch = "x86_64")))]
fn arithmetic(_op: Op, _real: u32) -> Option<InPlace> {
    None
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
fn arithmetic(op: Op, real: u32) -> Option<InPlace> {
    match (op, real) {
        _ if !std::arch::is_x86_feature_detected!("avx") => None,
        (Op::SUM, 4) => Some(avx::sum_f32),
        (Op::SUM, 8) => Some(avx::sum_f64),
        (Op::PROD, 4) => Some(avx::product_f32),
        (Op::PROD, 8) => Some(avx::product_f64),
        (Op::MAX, 4) => Some(avx::greater_f32),
        (Op::MAX, 8) => Some(avx::greater_f64),
        (Op::MIN, 4) => Some(avx::less_f32),
        (Op::MIN, 8) => Some(avx::less_f64),
        _ => None,
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod avx {
    use std::arch::asm;

    /// Defines an operation on numbers of some bytes: 128 bytes at a time, then 16, then single numbers. The operand is the first
    /// source, as what does not compare leaves the second.
    macro_rules! combine {
        ($name:ident, $bytes:literal, $combine:literal, $combine_one:literal, $move_one:literal, $one:literal) => {
            /// # Safety
            /// As for [`InPlace`](super::InPlace), on a processor with AVX.
            pub(super) unsafe fn $name(to: *mut u8, from: *const u8, bytes: usize) {
                debug_assert!(bytes.is_multiple_of($bytes), "{bytes} bytes are no whole number of elements");
                // SAFETY: the caller's promise; each loop ends where fewer bytes are left than it takes, and the upper halves
                // of the registers are cleared again.
                unsafe {
                    asm!(
                        "sub {n}, 128",
                        "jb 3f",
                        ".p2align 5",
                        "2:",
                        "vmovups ymm0, [{s}]",
                        "vmovups ymm1, [{s} + 32]",
                        "vmovups ymm2, [{s} + 64]",
                        "vmovups ymm3, [{s} + 96]",
                        concat!($combine, " ymm0, ymm0, [{d}]"),
                        concat!($combine, " ymm1, ymm1, [{d} + 32]"),
                        concat!($combine, " ymm2, ymm2, [{d} + 64]"),
                        concat!($combine, " ymm3, ymm3, [{d} + 96]"),
                        "vmovups [{d}], ymm0",
                        "vmovups [{d} + 32], ymm1",
                        "vmovups [{d} + 64], ymm2",
                        "vmovups [{d} + 96], ymm3",
                        "sub {d}, -128",
                        "sub {s}, -128",
                        "sub {n}, 128",
                        "jae 2b",
                        "3:",
                        "add {n}, 128 - 16",
                        "jl 5f",
                        "4:",
                        "vmovups xmm0, [{s}]",
                        concat!($combine, " xmm0, xmm0, [{d}]"),
                        "vmovups [{d}], xmm0",
                        "add {d}, 16",
                        "add {s}, 16",
                        "sub {n}, 16",
                        "jge 4b",
                        "5:",
                        "add {n}, 16",
                        "jz 7f",
                        "6:",
                        concat!($move_one, " xmm0, ", $one, " ptr [{s}]"),
                        concat!($combine_one, " xmm0, xmm0, ", $one, " ptr [{d}]"),
                        concat!($move_one, " ", $one, " ptr [{d}], xmm0"),
                        concat!("add {d}, ", $bytes),
                        concat!("add {s}, ", $bytes),
                        concat!("sub {n}, ", $bytes),
                        "jnz 6b",
                        "7:",
                        "vzeroupper",
                        d = inout(reg) to => _, s = inout(reg) from => _, n = inout(reg) bytes => _,
                        // vzeroupper changes them all.
                        out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _,
                        out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                        out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
                        options(nostack)
                    );
                }
            }
        };
    }

    combine!(sum_f32, 4, "vaddps", "vaddss", "vmovss", "dword");
    combine!(sum_f64, 8, "vaddpd", "vaddsd", "vmovsd", "qword");
    combine!(product_f32, 4, "vmulps", "vmulss", "vmovss", "dword");
    combine!(product_f64, 8, "vmulpd", "vmulsd", "vmovsd", "qword");
    combine!(greater_f32, 4, "vmaxps", "vmaxss", "vmovss", "dword");
    combine!(greater_f64, 8, "vmaxpd", "vmaxsd", "vmovsd", "qword");
    combine!(less_f32, 4, "vminps", "vminss", "vmovss", "dword");
    combine!(less_f64, 8, "vminpd", "vminsd", "vmovsd", "qword");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::kernel;

    /// Numbers as they lie in memory, from this byte of a buffer on.
    fn numbers(real: usize, count: usize, at: usize, (seed, special): (usize, bool)) -> Vec<u8> {
        let specials = [f64::NAN, 0., -0., f64::INFINITY, f64::NEG_INFINITY];
        let mut bytes = vec![0xee; at];
        for index in 0..count {
            let value = match specials.get((index + seed) * 7 % 11) {
                Some(&value) if special => value,
                _ => ((index * 37 + seed * 101) % 1000) as f64 / 8. - 50.,
            };
            match real {
                4 => bytes.extend((value as f32).to_le_bytes()),
                _ => bytes.extend(value.to_le_bytes()),
            }
        }
        bytes.extend([0xee; 40]);
        bytes
    }

    #[test]
    fn results_are_those_of_the_kernels() {
        let of = |kind, size| Operand { value: (kind, size), index: None };
        let numbers_of = [of(Kind::Float, 4), of(Kind::Float, 8), of(Kind::Complex, 8), of(Kind::Complex, 16)];
        let ops = [Op::SUM, Op::PROD, Op::MAX, Op::MIN, Op::REPLACE, Op::NO_OP];
        let mut compared = 0;
        for (operand, op) in numbers_of.iter().flat_map(|operand| ops.map(|op| (*operand, op))) {
            let (kind, size) = operand.value;
            let (real, parts) = if kind == Kind::Float { (size as usize, 1) } else { (size as usize / 2, 2) };
            let Some(combine) = in_place(op, operand) else { continue };
            // Which of two operands a sum of things that are no numbers is like, nobody says.
            let special = matches!(op, Op::MAX | Op::MIN);
            for count in (0..80).step_by(if cfg!(miri) { 26 } else { 1 }) {
                for (to_at, from_at) in [(0, 0), (1, 0), (0, 3), (8, 16), (31, 5)] {
                    let from = numbers(real, parts * count, from_at, (1, special));
                    let mut to = numbers(real, parts * count, to_at, (2, special));
                    let length = size as usize * count;
                    let mut expected = to.clone();
                    kernel(op, operand).unwrap()(&from[from_at..][..length], &mut expected[to_at..][..length]);
                    // SAFETY: both have so many bytes from there on.
                    unsafe { combine(to.as_mut_ptr().add(to_at), from.as_ptr().add(from_at), length) };
                    assert_eq!(to, expected, "{op:?} {kind:?} {size} {count} {to_at} {from_at}");
                }
            }
            compared += 1;
        }
        // Real numbers have six, complex ones three, and other processors than these only move them.
        assert!(compared == 2 * 6 + 2 * 3 || in_place(Op::SUM, of(Kind::Float, 8)).is_none() && compared == 4 * 2);
    }

    #[test]
    fn what_hardware_can_not_compute_is_not_made_in_place() {
        let of = |op, value, index| in_place(op, Operand { value, index }).is_none();
        assert!(of(Op::PROD, (Kind::Complex, 16), None) && of(Op::SUM, (Kind::Int, 8), None));
        assert!(of(Op::SUM, (Kind::Float, 16), None) && of(Op::SUM, (Kind::Float, 2), None));
        assert!(of(Op::MAXLOC, (Kind::Float, 8), Some((Kind::Int, 4))));
    }
}
