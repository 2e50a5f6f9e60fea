//! AArch64: pairs of 16-byte registers.
//!
//! To the processor, `ldp` and `stp` of them are several accesses, each of 8 bytes where it is aligned and of single bytes
//! where it is not; others may see them in any order. That is allowed, since only bytes are promised, and a byte is never
//! torn. Arm's model knows accesses of different sizes to the same bytes: a release store after a copy (`stlr`) comes after
//! every byte of it, and what follows an acquire load (`ldar`) sees them all. The blocks may touch memory, as far as the
//! compiler knows (there is neither `nomem` nor `readonly`), so it keeps them on their side of such a store or load.
//! `docs/memory-order.md` has the whole argument.

use std::arch::asm;

/// # Safety
/// As for [`super::copy`], with `len` > 64.
pub(super) unsafe fn copy_large(dst: *mut u8, src: *const u8, len: usize) {
    let mut done = 0;
    // SAFETY: the caller's promise; every access lies inside the `len` bytes.
    unsafe {
        while len - done > 64 {
            copy_64(dst.wrapping_add(done), src.wrapping_add(done));
            done += 64;
        }
        copy_64(dst.wrapping_add(len - 64), src.wrapping_add(len - 64));
    }
}

/// Defines a function that moves some bytes through registers in one assembly block.
macro_rules! moves {
    ($name:ident, $($line:literal),+; $($register:ident in $class:ident),+) => {
        /// # Safety
        /// As for [`super::copy`], with the number of bytes in the name.
        #[inline(always)]
        pub(super) unsafe fn $name(dst: *mut u8, src: *const u8) {
            // SAFETY: the caller's promise; nothing but the named registers and the destination changes.
            unsafe {
                asm!($($line),+, d = in(reg) dst, s = in(reg) src, $($register = out($class) _),+,
                    options(nostack, preserves_flags));
            }
        }
    };
}

moves!(copy_1, "ldrb {a:w}, [{s}]", "strb {a:w}, [{d}]"; a in reg);
moves!(copy_2, "ldrh {a:w}, [{s}]", "strh {a:w}, [{d}]"; a in reg);
moves!(copy_4, "ldr {a:w}, [{s}]", "str {a:w}, [{d}]"; a in reg);
moves!(copy_8, "ldr {a}, [{s}]", "str {a}, [{d}]"; a in reg);
moves!(copy_16, "ldr {a:q}, [{s}]", "str {a:q}, [{d}]"; a in vreg);
moves!(copy_32, "ldp {a:q}, {b:q}, [{s}]", "stp {a:q}, {b:q}, [{d}]"; a in vreg, b in vreg);
moves!(copy_64, "ldp {a:q}, {b:q}, [{s}]", "ldp {c:q}, {e:q}, [{s}, #32]",
    "stp {a:q}, {b:q}, [{d}]", "stp {c:q}, {e:q}, [{d}, #32]"; a in vreg, b in vreg, c in vreg, e in vreg);
