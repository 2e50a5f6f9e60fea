//! Sizes, strides and addresses that make no sense, passed to the routines and transforms of `rankine_math`: nothing outside of
//! the guest's memory is read or written, which is an allocation of its own here, so that the sanitizer sees it.

#![no_main]

use libfuzzer_sys::{arbitrary, fuzz_target};
use rankine::fuzzing;

/// Bytes of the memory.
const MEMORY: usize = 1 << 16;
/// Where what arguments point to is put, so many bytes for each.
const VALUES: usize = 256;
const ROOM: usize = 8 * 12;

#[derive(Debug, arbitrary::Arbitrary)]
struct Case {
    what: u8,
    numbers: u8,
    arguments: [Argument; 13],
}

#[derive(Debug, arbitrary::Arbitrary)]
enum Argument {
    /// The address of a letter that routines know.
    Letter(u8),
    /// That of a number, small or not.
    Small(u8),
    Number(i32),
    Factor(f64),
    /// That of dimensions.
    Axes([(u8, i8, i8); 3]),
    WildAxes([(i32, i32, i32); 8]),
    /// Somewhere in the memory, at an address that suits numbers.
    Place(u8),
    Address(u32),
    /// The word itself.
    Word(i8),
}

const MATRICES: [&str; 11] =
    ["gemm", "symm", "hemm", "syrk", "herk", "syr2k", "her2k", "trmm", "trsm", "getrf", "potrf"];
const TRANSFORMS: [&str; 6] = ["dft_c2c", "dft_z2z", "dft_s2c", "dft_d2z", "dft_c2s", "dft_z2d"];

impl Case {
    fn name(&self) -> String {
        match usize::from(self.what) % 17 {
            matrix @ 0..11 => format!("{}{}", ["s", "d", "c", "z"][usize::from(self.numbers) % 4], MATRICES[matrix]),
            transform => TRANSFORMS[transform - 11].into(),
        }
    }
}

impl Argument {
    /// The word that is passed, once what it points to lies at its place.
    fn word(&self, memory: &mut [u8], number: usize) -> i32 {
        let at = VALUES + ROOM * number;
        let triple = |(n, from, to): (i32, i32, i32)| [n, from, to].map(i32::to_le_bytes).concat();
        let bytes = match *self {
            Argument::Letter(letter) => vec![b"NTCLRU"[usize::from(letter) % 6]],
            Argument::Small(value) => i32::from(value % 32).to_le_bytes().to_vec(),
            Argument::Number(value) => value.to_le_bytes().to_vec(),
            Argument::Factor(value) => value.to_le_bytes().to_vec(),
            Argument::Axes(axes) => axes.iter().flat_map(|&(n, a, b)| triple((n.into(), a.into(), b.into()))).collect(),
            Argument::WildAxes(axes) => axes.iter().flat_map(|&axis| triple(axis)).collect(),
            Argument::Place(place) => return i32::from(place) * 256,
            Argument::Address(address) => return address as i32,
            Argument::Word(word) => return word.into(),
        };
        memory[at..at + bytes.len()].copy_from_slice(&bytes);
        at as i32
    }
}

fuzz_target!(|case: Case| {
    let mut memory = vec![0x3ff0_0000_3f80_0000_u64; MEMORY / 8];
    let mut bytes = vec![0; MEMORY];
    for (word, bytes) in memory.iter().zip(bytes.chunks_mut(8)) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    let words: Vec<i32> =
        case.arguments.iter().enumerate().map(|(number, argument)| argument.word(&mut bytes, number)).collect();
    for (word, bytes) in memory.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    fuzzing::mathematics(&case.name(), &words, &mut memory);
});
