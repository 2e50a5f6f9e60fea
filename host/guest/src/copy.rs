//! The only way to copy bytes that another thread may be writing at the same moment.
//!
//! Two overlapping receives, or a rank that writes into a buffer it has sent, are a guest's mistakes; in Rust a plain
//! copy of such bytes would be undefined behaviour. So the copy is opaque to the compiler: inline assembly on x86-64
//! and AArch64, relaxed atomic bytes elsewhere and under Miri. Whatever races, the bytes that arrive are some mixture
//! of old and new, and nothing else happens. Callers prove that both ranges are mapped; nobody needs to prove that they
//! are quiet.
//!
//! A copy orders nothing: publish a message with a release store after it, as with any other plain store.

#[cfg(all(target_arch = "x86_64", not(miri)))]
#[path = "copy/x86_64.rs"]
mod arch;

#[cfg(all(target_arch = "aarch64", not(miri)))]
#[path = "copy/aarch64.rs"]
mod arch;

#[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
#[path = "copy/atomic.rs"]
mod arch;

/// Copies `len` bytes. If the ranges overlap, any mixture of their bytes results.
///
/// # Safety
/// Both ranges are mapped, `src` readable and `dst` writable, for the whole call. Any other thread may access them meanwhile.
#[inline]
pub unsafe fn copy(dst: *mut u8, src: *const u8, len: usize) {
    // SAFETY: both ranges are mapped for `len` bytes, as the function demands.
    unsafe {
        if len <= 128 {
            copy_small(dst, src, len);
        } else {
            arch::copy_large(dst, src, len);
        }
    }
}

/// Copies `len` ≤ 128 bytes, always inlined. The move at the end of the block overlaps the one before instead of
/// branching on the length: a byte may be written twice, with the same value unless somebody writes the source
/// meanwhile.
///
/// # Safety
/// As for [`copy`].
#[inline(always)]
pub unsafe fn copy_small(dst: *mut u8, src: *const u8, len: usize) {
    debug_assert!(len <= 128, "copy_small of {len} bytes");
    let (d, s) = (|n: usize| dst.wrapping_add(len - n), |n: usize| src.wrapping_add(len - n));
    // SAFETY: the caller's promise; in each arm every access lies inside the `len` bytes.
    unsafe {
        if len >= 16 {
            if len > 64 {
                arch::copy_64(dst, src);
                arch::copy_64(d(64), s(64));
            } else if len > 32 {
                arch::copy_32(dst, src);
                arch::copy_32(d(32), s(32));
            } else {
                arch::copy_16(dst, src);
                arch::copy_16(d(16), s(16));
            }
        } else if len >= 8 {
            arch::copy_8(dst, src);
            arch::copy_8(d(8), s(8));
        } else if len >= 4 {
            arch::copy_4(dst, src);
            arch::copy_4(d(4), s(4));
        } else if len >= 2 {
            arch::copy_2(dst, src);
            arch::copy_2(d(2), s(2));
        } else if len == 1 {
            arch::copy_1(dst, src);
        }
    }
}

/// Copies so many bytes, whose number the compiler knows: of usual ones in one move.
///
/// # Safety
/// As for [`copy`].
#[inline(always)]
pub unsafe fn copy_array<const N: usize>(dst: *mut u8, src: *const u8) {
    // SAFETY: the caller's promise, which is about as many bytes as each of these moves.
    unsafe {
        match N {
            1 => arch::copy_1(dst, src),
            2 => arch::copy_2(dst, src),
            4 => arch::copy_4(dst, src),
            8 => arch::copy_8(dst, src),
            16 => arch::copy_16(dst, src),
            _ => copy_small(dst, src, N),
        }
    }
}

/// Asks for the cache line of something that will be written soon.
#[inline(always)]
pub fn expect_write<T>(at: &T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a hint, which touches nothing.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) std::ptr::from_ref(at), options(nostack, readonly, preserves_flags));
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = at;
}

/// Copies `count` blocks of `len` bytes, `dst_stride` and `src_stride` bytes apart.
///
/// # Safety
/// As for [`copy`], for each block.
#[inline]
pub unsafe fn copy_blocks(
    dst: *mut u8,
    dst_stride: isize,
    src: *const u8,
    src_stride: isize,
    len: usize,
    count: usize,
) {
    // SAFETY: each block is mapped on both sides, as the function demands.
    unsafe {
        if count == 1 {
            return copy(dst, src, len);
        }
        // The usual sizes of an element get loops in which the length is a constant.
        match len {
            4 => each_block(dst, dst_stride, src, src_stride, count, |d, s| arch::copy_4(d, s)),
            8 => each_block(dst, dst_stride, src, src_stride, count, |d, s| arch::copy_8(d, s)),
            16 => each_block(dst, dst_stride, src, src_stride, count, |d, s| arch::copy_16(d, s)),
            1..=128 => each_block(dst, dst_stride, src, src_stride, count, |d, s| copy_small(d, s, len)),
            _ => each_block(dst, dst_stride, src, src_stride, count, |d, s| arch::copy_large(d, s, len)),
        }
    }
}

/// Calls `block` with the address of every block.
#[inline(always)]
fn each_block(
    mut dst: *mut u8,
    dst_stride: isize,
    mut src: *const u8,
    src_stride: isize,
    count: usize,
    block: impl Fn(*mut u8, *const u8),
) {
    for _ in 0..count {
        block(dst, src);
        (dst, src) = (dst.wrapping_offset(dst_stride), src.wrapping_offset(src_stride));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copies inside a larger buffer and compares every byte of it.
    fn check(len: usize, dst_at: usize, src_at: usize) {
        let source: Vec<u8> = (0..len + 64).map(|i| (i * 7 + 1) as u8).collect();
        let mut target = vec![0xee; len + 64];
        // SAFETY: both have `len` bytes beyond these offsets.
        unsafe { copy(target.as_mut_ptr().add(dst_at), source.as_ptr().add(src_at), len) };
        assert_eq!(&target[dst_at..dst_at + len], &source[src_at..src_at + len], "{len} {dst_at} {src_at}");
        let outside = target[..dst_at].iter().chain(&target[dst_at + len..]);
        assert!(outside.copied().all(|byte| byte == 0xee), "{len} {dst_at} {src_at}");
    }

    #[test]
    fn every_length_and_alignment() {
        let lengths = if cfg!(miri) { 0..70 } else { 0..700 };
        for len in lengths {
            for (dst_at, src_at) in [(0, 0), (1, 0), (0, 1), (7, 3), (31, 33), (63, 5)] {
                check(len, dst_at, src_at);
            }
        }
        for len in [4095, 4096, 4097, 65_537] {
            check(if cfg!(miri) { len % 1000 } else { len }, 3, 9);
        }
    }

    #[test]
    fn blocks_of_every_length() {
        for len in if cfg!(miri) { vec![4, 8, 16, 21, 300] } else { (1..301).collect() } {
            let source: Vec<u8> = (0..4000).map(|i| (i % 251) as u8).collect();
            let mut target = vec![0; 4000];
            // SAFETY: 3 blocks of at most 300 bytes, 400 and -350 bytes apart from the given offsets, fit.
            unsafe { copy_blocks(target.as_mut_ptr().add(5), 400, source.as_ptr().add(3000), -350, len, 3) };
            let mut expected = vec![0; 4000];
            for i in 0..3 {
                expected[5 + i * 400..][..len].copy_from_slice(&source[3000 - i * 350..][..len]);
            }
            assert_eq!(target, expected, "{len}");
        }
    }

    #[test]
    fn overlap_is_harmless() {
        for len in [5, 50, 100, 129, 1000, 5000] {
            let mut bytes = vec![1_u8; len + 20];
            let base = bytes.as_mut_ptr();
            // SAFETY: both ranges lie in `bytes`.
            unsafe {
                copy(base.add(7), base, len);
                copy(base, base.add(7), len);
            }
            assert!(bytes.iter().all(|byte| *byte == 1));
        }
    }

    #[test]
    fn racing_copies_are_defined() {
        let (mut source, mut target) = (vec![0_u8; 1000], vec![0_u8; 1000]);
        let (from, to) = (source.as_mut_ptr().expose_provenance(), target.as_mut_ptr().expose_provenance());
        std::thread::scope(|scope| {
            for byte in [1_u8, 2] {
                scope.spawn(move || {
                    let mine = [byte; 1000];
                    let from = std::ptr::with_exposed_provenance_mut::<u8>(from);
                    let to = std::ptr::with_exposed_provenance_mut::<u8>(to);
                    for _ in 0..if cfg!(miri) { 2 } else { 200 } {
                        // SAFETY: all have 1000 bytes until the threads are joined.
                        unsafe {
                            copy(from, mine.as_ptr(), 1000);
                            copy(to, from, 1000);
                        }
                    }
                });
            }
        });
        assert!(target.iter().all(|byte| *byte == 1 || *byte == 2));
    }
}
