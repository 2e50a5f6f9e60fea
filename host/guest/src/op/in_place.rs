//! Sums made straight in memory that another thread may be writing at the same moment.
//!
//! A [`Kernel`](super::Kernel) wants operands that nobody else touches, so elements of a window pass through copies on their
//! way there and back. What programs add up most, real and complex numbers of usual widths, needs none: as in
//! [`copy`](crate::copy) the loop is opaque to the compiler, so a race of guests has no more to it than a mixture of old
//! and new numbers. Other processors than those below copy.

use rankine_abi::{Kind, Op};

use super::Operand;

/// `to = from + to` for so many bytes, a whole number of elements.
///
/// # Safety
/// Both are mapped, `from` readable and `to` writable too, for the whole call. Any other thread may access them meanwhile.
pub type InPlace = unsafe fn(to: *mut u8, from: *const u8, bytes: usize);

/// How elements are combined in place, if that is possible.
pub fn in_place(op: Op, operand: Operand) -> Option<InPlace> {
    // The parts of a complex number are added like real ones.
    let real = match operand.value {
        (Kind::Float, size) => size,
        (Kind::Complex, size) => size / 2,
        _ => return None,
    };
    if op == Op::SUM && operand.index.is_none() { sum(real) } else { None }
}

#[cfg(any(miri, not(target_arch = "x86_64")))]
fn sum(_real: u32) -> Option<InPlace> {
    None
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
fn sum(real: u32) -> Option<InPlace> {
    match real {
        _ if !std::arch::is_x86_feature_detected!("avx") => None,
        4 => Some(avx::sum_f32),
        8 => Some(avx::sum_f64),
        _ => None,
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod avx {
    use std::arch::asm;

    /// Defines the sum of numbers of some bytes: 128 bytes at a time, then 16, then single numbers.
    macro_rules! sum {
        ($name:ident, $bytes:literal, $add:literal, $add_one:literal, $move_one:literal, $one:literal) => {
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
                        "vmovups ymm0, [{d}]",
                        "vmovups ymm1, [{d} + 32]",
                        "vmovups ymm2, [{d} + 64]",
                        "vmovups ymm3, [{d} + 96]",
                        concat!($add, " ymm0, ymm0, [{s}]"),
                        concat!($add, " ymm1, ymm1, [{s} + 32]"),
                        concat!($add, " ymm2, ymm2, [{s} + 64]"),
                        concat!($add, " ymm3, ymm3, [{s} + 96]"),
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
                        "vmovups xmm0, [{d}]",
                        concat!($add, " xmm0, xmm0, [{s}]"),
                        "vmovups [{d}], xmm0",
                        "add {d}, 16",
                        "add {s}, 16",
                        "sub {n}, 16",
                        "jge 4b",
                        "5:",
                        "add {n}, 16",
                        "jz 7f",
                        "6:",
                        concat!($move_one, " xmm0, ", $one, " ptr [{d}]"),
                        concat!($add_one, " xmm0, xmm0, ", $one, " ptr [{s}]"),
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

    sum!(sum_f32, 4, "vaddps", "vaddss", "vmovss", "dword");
    sum!(sum_f64, 8, "vaddpd", "vaddsd", "vmovsd", "qword");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::kernel;

    /// Numbers as they lie in memory, from this byte of a buffer on.
    fn numbers(real: usize, count: usize, at: usize, seed: usize) -> Vec<u8> {
        let mut bytes = vec![0xee; at];
        for index in 0..count {
            let value = ((index * 37 + seed * 101) % 1000) as f64 / 8. - 50.;
            match real {
                4 => bytes.extend((value as f32).to_le_bytes()),
                _ => bytes.extend(value.to_le_bytes()),
            }
        }
        bytes.extend([0xee; 40]);
        bytes
    }

    #[test]
    fn sums_are_those_of_the_kernels() {
        let mut compared = 0;
        for (kind, size) in [(Kind::Float, 4), (Kind::Float, 8), (Kind::Complex, 8), (Kind::Complex, 16)] {
            let operand = Operand { value: (kind, size), index: None };
            let (real, parts) = if kind == Kind::Float { (size as usize, 1) } else { (size as usize / 2, 2) };
            let Some(add) = in_place(Op::SUM, operand) else { continue };
            for count in 0..80 {
                for (to_at, from_at) in [(0, 0), (1, 0), (0, 3), (8, 16), (31, 5)] {
                    let from = numbers(real, parts * count, from_at, 1);
                    let mut to = numbers(real, parts * count, to_at, 2);
                    let length = size as usize * count;
                    let mut expected = to.clone();
                    kernel(Op::SUM, operand).unwrap()(&from[from_at..][..length], &mut expected[to_at..][..length]);
                    // SAFETY: both have so many bytes from there on.
                    unsafe { add(to.as_mut_ptr().add(to_at), from.as_ptr().add(from_at), length) };
                    assert_eq!(to, expected, "{kind:?} {size} {count} {to_at} {from_at}");
                    compared += 1;
                }
            }
        }
        assert!(
            compared == 4 * 80 * 5 || in_place(Op::SUM, Operand { value: (Kind::Float, 8), index: None }).is_none()
        );
    }

    #[test]
    fn what_is_no_sum_of_real_numbers_is_not_made_in_place() {
        let of = |op, value, index| in_place(op, Operand { value, index }).is_none();
        assert!(of(Op::PROD, (Kind::Float, 8), None) && of(Op::SUM, (Kind::Int, 8), None));
        assert!(of(Op::SUM, (Kind::Float, 16), None) && of(Op::SUM, (Kind::Float, 2), None));
        assert!(of(Op::SUM, (Kind::Float, 8), Some((Kind::Int, 4))));
    }
}
