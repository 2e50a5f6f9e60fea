//! The room for a value that a launcher says it has, where that is more than its lines hold.
//!
//! Slurm's `pmi2` reads the requests of PMI-1 in lines of 1024 bytes, and says that a value alone may be as long. MPICH
//! cuts the addresses of its processes into pieces of that length: with UCX and some network devices the lines are too
//! long then, and every process ends in `MPI_Init`.

use std::env;

/// A line of Slurm's.
const LINE: usize = 1024;

/// What of a line is no value: `cmd=put kvsname=… key=… value=`, with names as Slurm and MPICH make them.
const REST: usize = 128;

/// What a launcher says, on its way to the library.
#[derive(Default)]
pub(super) struct Replies {
    /// The beginning of a line that is not whole yet.
    pending: Vec<u8>,
    /// The line that is looked for may still come.
    is_awaited: bool,
}

impl Replies {
    /// Those of the launcher that has started this process.
    pub(super) fn of_launcher() -> Replies {
        // A step of Slurm's: srun has started this, or a launcher that it has started.
        Replies { is_awaited: env::var_os("SLURM_STEP_ID").is_some(), ..Replies::default() }
    }

    /// What the library is to read of this.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut passed = Vec::with_capacity(self.pending.len() + bytes.len());
        self.pending.extend_from_slice(bytes);
        while self.is_awaited {
            let Some(end) = self.pending.iter().position(|byte| *byte == b'\n') else {
                // Answers of PMI-2 are no lines.
                self.is_awaited = self.pending.starts_with(&b"cmd="[..self.pending.len().min(4)]);
                break;
            };
            let line: Vec<u8> = self.pending.drain(..=end).collect();
            self.is_awaited = line.starts_with(b"cmd=") && !line.starts_with(b"cmd=maxes ");
            passed.extend(if line.starts_with(b"cmd=maxes ") { corrected(&line) } else { line });
        }
        if !self.is_awaited {
            passed.append(&mut self.pending);
        }
        passed
    }
}

/// The answer about the longest names and values, with values for which a line has room.
fn corrected(line: &[u8]) -> Vec<u8> {
    let word = |word: &[u8]| {
        let number = word.strip_prefix(b"vallen_max=").map(<[u8]>::trim_ascii_end);
        let number = number.and_then(|digits| str::from_utf8(digits).ok()?.parse::<usize>().ok());
        match number {
            Some(length) if (LINE - REST..=LINE).contains(&length) => {
                let end = if word.ends_with(b"\n") { "\n" } else { "" };
                format!("vallen_max={}{end}", LINE - REST).into_bytes()
            }
            _ => word.to_vec(),
        }
    };
    line.split(|byte| *byte == b' ').map(word).collect::<Vec<_>>().join(&b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the library reads of these words, that come in pieces of this length.
    fn read(text: &str, piece: usize) -> String {
        let mut replies = Replies { is_awaited: true, ..Replies::default() };
        let passed = text.as_bytes().chunks(piece).flat_map(|piece| replies.take(piece)).collect();
        String::from_utf8(passed).unwrap()
    }

    #[test]
    fn a_value_has_room_in_a_line() {
        let first = "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n";
        let rest = "cmd=my_kvsname kvsname=1.0 vallen_max=1024\n";
        for piece in [1, 7, 1000] {
            for (said, wanted) in [("1024", "896"), ("1023", "896"), ("512", "512"), ("65536", "65536"), ("x", "x")] {
                let answer = |value: &str| format!("{first}cmd=maxes rc=0 keylen_max=256 vallen_max={value}\n{rest}");
                assert_eq!(read(&answer(said), piece), answer(wanted));
            }
            let middle = "cmd=maxes kvsname_max=256 vallen_max=1024 keylen_max=64\n";
            assert_eq!(read(middle, piece), middle.replace("1024", "896"));
        }
    }

    #[test]
    fn answers_of_other_forms_are_not_held_back() {
        let framed = "cmd=response_to_init pmi_version=2 pmi_subversion=0 rc=0\n    25cmd=fullinit-response;rc=0";
        for piece in [1, 7, 1000] {
            assert_eq!(read(framed, piece), framed);
        }
        let mut of_others = Replies::default();
        assert_eq!(of_others.take(b"cmd=maxes vallen_max=1024\ncmd="), b"cmd=maxes vallen_max=1024\ncmd=");
    }
}
