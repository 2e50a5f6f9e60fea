//! The host for another architecture beneath an emulator (`just emulated-on KIND`, which builds it), and which guests run there.

use super::emulator::{self, ARM, Kind};
use super::{Mode, Places};
use std::process::Command;

/// Guests have vectors, which the emulated RISC-V has when asked to.
const VECTORS: (&str, &str) = ("QEMU_CPU", "rv64,v=true,vlen=128,elen=64,vext_spec=v1.0");

/// Those whose host runs guests alone.
pub const KINDS: [Kind; 3] = [
    ARM,
    Kind { name: "riscv64", target: "riscv64gc-unknown-linux-gnu" },
    Kind { name: "s390x", target: "s390x-unknown-linux-gnu" },
];

/// The kind of that name.
pub fn kind(name: &str) -> Option<Kind> {
    KINDS.into_iter().find(|kind| kind.name == name)
}

/// `rankine run` on so many ranks, with these options, in the emulated host.
pub fn run(places: &Places, kind: Kind, ranks: u32, options: &[String]) -> Command {
    let [emulator, rest @ ..] = emulator::emulator(kind);
    let mut command = Command::new(emulator);
    if kind.name == "riscv64" {
        command.env(VECTORS.0, VECTORS.1);
    }
    command.args(rest).arg(emulator::rankine(places, kind));
    command.args(["run", "--threads", "-n", &ranks.to_string()]).args(options);
    command
}

/// The rank counts that a guest is run with, of those in its head: few, as each rank is slow.
pub fn ranks(mode: Mode, wanted: &[u32]) -> Vec<u32> {
    let of = |counts: &[u32]| wanted.iter().copied().filter(|ranks| counts.contains(ranks)).collect::<Vec<_>>();
    match mode {
        Mode::Interpreted | Mode::Emulated(_) | Mode::Wine if wanted.iter().any(|ranks| *ranks <= 2) => of(&[1, 2]),
        Mode::Interpreted | Mode::Emulated(_) | Mode::Wine => of(&[3, 4]),
        Mode::Wide | Mode::Large => wanted.iter().copied().filter(|ranks| *ranks <= 8).max().into_iter().collect(),
        _ => of(&[2, 4]),
    }
}

/// Whether a guest is run as a mixed job: what calls MPI, and what must give the same bits everywhere.
pub fn mixes(name: &str) -> bool {
    name.starts_with("guests/") || name.starts_with("cli/reproducible")
}
