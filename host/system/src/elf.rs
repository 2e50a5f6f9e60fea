//! The head of a native program or library on Linux: what machine it is for, before anything is done with it.

/// What the first bytes say.
pub struct Head {
    /// 1 for 32 bits, 2 for 64.
    pub class: u8,
    /// Whether its numbers begin with the lowest byte.
    pub is_little: bool,
    /// What kind of file it is.
    pub kind: u16,
    /// The number of its machine.
    pub machine: u16,
}

impl Head {
    /// How many bytes it takes.
    pub const LENGTH: usize = 20;

    /// What the bytes that a file begins with say, if it is such a file.
    pub fn read(start: &[u8]) -> Option<Head> {
        let head = start.first_chunk::<{ Head::LENGTH }>().filter(|head| head.starts_with(b"\x7fELF"))?;
        let is_little = head[5] == 1;
        let word = |at: usize| {
            let bytes = [head[at], head[at + 1]];
            if is_little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) }
        };
        Some(Head { class: head[4], is_little, kind: word(16), machine: word(18) })
    }

    /// The machine of 64 bits that it is for, by Rust's name, if Rankine knows it.
    pub fn architecture(&self) -> Option<&'static str> {
        match (self.class, self.is_little, self.machine) {
            (2, true, 62) => Some("x86_64"),
            (2, true, 183) => Some("aarch64"),
            (2, true, 243) => Some("riscv64"),
            (2, _, 21) => Some("powerpc64"),
            (2, false, 22) => Some("s390x"),
            _ => None,
        }
    }
}
