//! x86-64: SSE2 moves up to 128 bytes, AVX moves above where the processor has them, `rep movsb` for what is large.

use std::arch::{asm, is_x86_feature_detected};
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// From here on the processor's own copy is the fastest, where it says so (ERMS).
const REP_MOVSB: usize = 4096;

const KNOWN: u8 = 1;
const AVX: u8 = 2;
const ERMS: u8 = 4;

/// What the processor has; 0 before anybody has looked. The library's own cache takes a quarter of the time of copying
/// 1 KB to ask.
static FEATURES: AtomicU8 = AtomicU8::new(0);

#[inline]
fn features() -> u8 {
    match FEATURES.load(Relaxed) {
        0 => detect(),
        known => known,
    }
}

#[cold]
fn detect() -> u8 {
    let avx = if is_x86_feature_detected!("avx") { AVX } else { 0 };
    let erms = if is_x86_feature_detected!("ermsb") { ERMS } else { 0 };
    FEATURES.store(KNOWN | avx | erms, Relaxed);
    KNOWN | avx | erms
}

/// # Safety
/// As for [`super::copy`], with `len` ≥ 128.
#[inline]
pub(super) unsafe fn copy_large(dst: *mut u8, src: *const u8, len: usize) {
    let features = features();
    // SAFETY: the caller's promise, and the processor has what each loop needs.
    unsafe {
        if len >= REP_MOVSB && features & ERMS != 0 {
            rep_movsb(dst, src, len);
        } else if features & AVX != 0 {
            loop_32(dst, src, len);
        } else {
            loop_16(dst, src, len);
        }
    }
}

/// Defines a function that moves some bytes through registers in one assembly block.
macro_rules! moves {
    ($name:ident, $($line:literal),+; $($reg:ident in $class:ident),+) => {
        /// # Safety
        /// As for [`super::copy`], with the number of bytes in the name.
        #[inline(always)]
        pub(super) unsafe fn $name(dst: *mut u8, src: *const u8) {
            // SAFETY: the caller's promise; nothing but the named registers and the destination changes.
            unsafe {
                asm!($($line),+, d = in(reg) dst, s = in(reg) src, $($reg = out($class) _),+, options(nostack, preserves_flags));
            }
        }
    };
}

moves!(copy_1, "movzx {a:e}, byte ptr [{s}]", "mov byte ptr [{d}], {a:l}"; a in reg);
moves!(copy_2, "movzx {a:e}, word ptr [{s}]", "mov word ptr [{d}], {a:x}"; a in reg);
moves!(copy_4, "mov {a:e}, dword ptr [{s}]", "mov dword ptr [{d}], {a:e}"; a in reg);
moves!(copy_8, "mov {a}, qword ptr [{s}]", "mov qword ptr [{d}], {a}"; a in reg);
moves!(copy_16, "movups {a}, [{s}]", "movups [{d}], {a}"; a in xmm_reg);
moves!(copy_32, "movups {a}, [{s}]", "movups {b}, [{s} + 16]", "movups [{d}], {a}", "movups [{d} + 16], {b}";
    a in xmm_reg, b in xmm_reg);
moves!(copy_64, "movups {a}, [{s}]", "movups {b}, [{s} + 16]", "movups {c}, [{s} + 32]", "movups {e}, [{s} + 48]",
    "movups [{d}], {a}", "movups [{d} + 16], {b}", "movups [{d} + 32], {c}", "movups [{d} + 48], {e}";
    a in xmm_reg, b in xmm_reg, c in xmm_reg, e in xmm_reg);

/// # Safety
/// As for [`super::copy`].
unsafe fn rep_movsb(dst: *mut u8, src: *const u8, len: usize) {
    // SAFETY: the caller's promise; the direction flag is clear, as the calling convention demands.
    unsafe {
        asm!("rep movsb", inout("rdi") dst => _, inout("rsi") src => _, inout("rcx") len => _, options(nostack, preserves_flags));
    }
}

/// # Safety
/// As for [`super::copy`], with `len` ≥ 128 and AVX.
#[inline(never)]
unsafe fn loop_32(dst: *mut u8, src: *const u8, len: usize) {
    // The last 128 bytes are loaded first and stored last, unaligned; before them go 128 at a time to aligned
    // addresses. SAFETY: the caller's promise; the loop ends before the last 128 bytes end, and the upper halves are
    // cleared again.
    unsafe {
        asm!(
            "vmovups ymm4, [{s}]",
            "vmovups ymm5, [{s} + {n} - 128]",
            "vmovups ymm6, [{s} + {n} - 96]",
            "vmovups ymm7, [{s} + {n} - 64]",
            "vmovups ymm8, [{s} + {n} - 32]",
            "lea {end}, [{d} + {n} - 128]",
            "mov {first}, {d}",
            // The first 32 bytes are stored last, so that `d` can go to the next aligned address.
            "sub {s}, {d}",
            "and {d}, -32",
            "add {d}, 32",
            "add {s}, {d}",
            "cmp {d}, {end}",
            "jae 3f",
            ".p2align 5",
            "2:",
            "vmovups ymm0, [{s}]",
            "vmovups ymm1, [{s} + 32]",
            "vmovups ymm2, [{s} + 64]",
            "vmovups ymm3, [{s} + 96]",
            "sub {s}, -128",
            "vmovaps [{d}], ymm0",
            "vmovaps [{d} + 32], ymm1",
            "vmovaps [{d} + 64], ymm2",
            "vmovaps [{d} + 96], ymm3",
            "sub {d}, -128",
            "cmp {d}, {end}",
            "jb 2b",
            "3:",
            "vmovups [{end}], ymm5",
            "vmovups [{end} + 32], ymm6",
            "vmovups [{end} + 64], ymm7",
            "vmovups [{end} + 96], ymm8",
            "vmovups [{first}], ymm4",
            "vzeroupper",
            d = inout(reg) dst => _, s = inout(reg) src => _, n = in(reg) len,
            end = out(reg) _, first = out(reg) _,
            // vzeroupper changes them all.
            out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _,
            out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
            out("xmm12") _, out("xmm13") _, out("xmm14") _, out("xmm15") _,
            options(nostack)
        );
    }
}

/// # Safety
/// As for [`super::copy`], with `len` ≥ 128.
unsafe fn loop_16(dst: *mut u8, src: *const u8, len: usize) {
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
