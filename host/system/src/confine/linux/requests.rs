//! Which requests (`ioctl`) are left to an MPI library. The embedded engine has fewer, `ASKS`.
//!
//! There are thousands, and what a number means depends on what the descriptor leads to. Devices are a list already, that of
//! [`library`](super::library): Landlock leaves requests to no others. So the requests are the same list once more, and what
//! libraries ask of sockets, pipes and terminals. The rest is refused: what types on a terminal, or takes it from those who
//! have it; what changes files, disks and folders past the rights of files; what makes interfaces, machines and meters.

use seccompiler::{BpfProgram, sock_filter};

use super::calls::{ASKS, step};

/// What is asked of any descriptor, beside `ASKS`: how much is still to be sent, and whether a stream has come to its mark.
const OF_STREAMS: [u32; 2] = [0x5411, 0x8905];

/// What is asked of a socket about interfaces: their list, names, flags, addresses, masks, sizes, numbers, hardware (`ethtool`), bonds,
/// and virtual networks. Whatever changes one takes an administrator's right, which is given up.
const OF_INTERFACES: [u32; 17] = [
    0x8910, 0x8912, 0x8913, 0x8915, 0x8917, 0x8919, 0x891b, 0x891d, 0x8921, 0x8927, 0x8933, 0x8938, 0x8942, 0x8946,
    0x8970, 0x8982, 0x8994,
];

/// What is asked of a file, and said of a new one: over how many servers Lustre spreads it.
const OF_FILES: [u32; 2] = [0x4008_669a, 0x4008_669b];

/// Drivers by their letters: InfiniBand and its like, `knem` and AMD's computing, AMD's and Intel's graphics and what is shared
/// of their memory, NVIDIA, `gdrdrv`. Their requests say how long they are, which those of consoles with the same letter
/// do not.
const OF_DEVICES: [u8; 6] = [0x1b, b'K', b'd', b'b', b'F', 0xda];

/// Drivers whose requests do not: `xpmem`; and NVIDIA's unified memory, which counts from 1, and two beside.
const PLAIN: [u8; 2] = [b'x', 0];
const OF_UNIFIED_MEMORY: [u32; 2] = [0x3000_0001, 0x3000_0002];

/// No requests but these.
pub(super) fn only_known() -> BpfProgram {
    const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
    const REFUSE: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
    const NUMBER: u32 = 0;
    // The low word of the second argument: the machines that have filters put it first, and the kernel looks at no other.
    const REQUEST: u32 = 16 + 8;
    let load = |at| step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, at);
    let keep = |bits| step(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, 0, 0, bits);
    let answer = |answer| step(libc::BPF_RET | libc::BPF_K, 0, 0, answer);
    let letter = |letter: u8| u32::from(letter) << 8;
    let lists = [&OF_STREAMS[..], &OF_INTERFACES, &OF_FILES, &OF_UNIFIED_MEMORY];
    let exact = ASKS.iter().map(|request| *request as u32).chain(lists.concat());

    let mut program = vec![load(NUMBER), equals(libc::SYS_ioctl as u32, 1, 0), answer(ALLOW), load(REQUEST)];
    // Each comparison is followed by its answer, so none has far to go.
    exact.for_each(|request| program.extend([equals(request, 0, 1), answer(ALLOW)]));
    program.push(keep(0xffff_ff00));
    PLAIN.iter().for_each(|plain| program.extend([equals(letter(*plain), 0, 1), answer(ALLOW)]));
    // Those of devices have something above the letter.
    program.extend([step(libc::BPF_JMP | libc::BPF_JGT | libc::BPF_K, 1, 0, 0xffff), answer(REFUSE), keep(0xff00)]);
    OF_DEVICES.iter().for_each(|device| program.extend([equals(letter(*device), 0, 1), answer(ALLOW)]));
    program.push(answer(REFUSE));
    program
}

fn equals(number: u32, jt: u8, jf: u8) -> sock_filter {
    step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, jt, jf, number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of a request, as the kernel runs the program.
    fn is_allowed(request: u32) -> bool {
        let program = only_known();
        let (mut at, mut word) = (0, 0);
        loop {
            let sock_filter { code, jt, jf, k } = program[at];
            let jump = |holds| if holds { jt } else { jf };
            let mut far = 0;
            match u32::from(code) & 7 {
                libc::BPF_LD => word = if k == 0 { libc::SYS_ioctl as u32 } else { request },
                libc::BPF_ALU => word &= k,
                libc::BPF_RET => return k == libc::SECCOMP_RET_ALLOW,
                _ if u32::from(code) & 0xf0 == libc::BPF_JGT => far = jump(word > k),
                _ => far = jump(word == k),
            }
            at += 1 + usize::from(far);
        }
    }

    #[test]
    fn what_libraries_ask_is_allowed() {
        // A terminal, streams, interfaces, a file's stripes, verbs, knem, AMD, a dma-buf, NVIDIA and its memory, gdrdrv, xpmem.
        for request in [
            0x5401,
            0x541b,
            0x5421,
            0x8912,
            0x8946,
            0x4008_669b,
            0xc018_1b01,
            0x8020_4b00,
            0xc010_6400,
            0x4008_6200,
            0xc020_462a,
            0x25,
            0x3000_0001,
            0xc018_da01,
            0x7801,
        ] {
            assert!(is_allowed(request), "{request:#x}");
        }
    }

    #[test]
    fn what_meddles_is_refused() {
        // Typing, the terminal's shell, its settings, a new tunnel, a console's keys, attributes and copies of files, folders of
        // btrfs, a disk, machines, signals, changes of interfaces, namespaces.
        for request in [
            0x5412,
            0x540e,
            0x5402,
            0x4004_54ca,
            0x4b49,
            0x4008_6602,
            0x4004_9409,
            0x5000_940f,
            0x1260,
            0xae01,
            0x5452,
            0x8901,
            0x8914,
            0xb701,
        ] {
            assert!(!is_allowed(request), "{request:#x}");
        }
    }
}
