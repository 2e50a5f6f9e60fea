//! The host for another architecture beneath an emulator, alone and beside this machine's own (`just emulated-on KIND`, `just
//! mixed`, which build it; `./x` fetches the MPI library that the latter wants).

use super::emulator::{self, ARM, Kind, NETWORK, TOLD};
use super::mpiexec::mpiexec;
use super::{Mode, Places};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Guests have vectors, which the emulated RISC-V has when asked to.
const VECTORS: (&str, &str) = ("QEMU_CPU", "rv64,v=true,vlen=128,elen=64,vext_spec=v1.0");

/// Processes on one machine talk as if they were on several.
const APART: (&str, &str) = ("MPIR_CVAR_NOLOCAL", "1");

/// Those whose host runs guests alone.
const KINDS: [Kind; 3] = [
    ARM,
    Kind { name: "riscv64", target: "riscv64gc-unknown-linux-gnu" },
    Kind { name: "s390x", target: "s390x-unknown-linux-gnu" },
];

/// The kind of that name.
pub fn kind(name: &str) -> Option<Kind> {
    KINDS.into_iter().find(|kind| kind.name == name)
}

/// The emulated host, as words of a command.
fn rankine(places: &Places, kind: Kind) -> [PathBuf; 4] {
    let [emulator, option, libraries] = emulator::emulator(kind).map(PathBuf::from);
    [emulator, option, libraries, emulator::rankine(places, kind)]
}

/// `rankine run` on so many ranks, with these options: all of them emulated, or the second half of them.
pub fn run(places: &Places, mode: Mode, ranks: u32, options: &[String]) -> Command {
    if let Mode::Emulated(kind) = mode {
        let [emulator, rest @ ..] = rankine(places, kind);
        let mut command = Command::new(emulator);
        if kind.name == "riscv64" {
            command.env(VECTORS.0, VECTORS.1);
        }
        command.args(rest).args(["run", "--threads", "-n", &ranks.to_string()]).args(options);
        return command;
    }
    let half = ranks / 2;
    let mut command = mpiexec(places, half);
    command.envs([APART]).envs(NETWORK).envs(TOLD).arg(&places.rankine).arg("run").args(options);
    command
}

/// What follows the program and its arguments: in a mixed job the other half, which runs the same.
pub fn other_half(places: &Places, ranks: u32, options: &[String]) -> Vec<PathBuf> {
    let mut words: Vec<PathBuf> = [":", "-n"].map(PathBuf::from).to_vec();
    words.push((ranks - ranks / 2).to_string().into());
    words.extend(rankine(places, ARM));
    words.extend(["run", "--mpi-lib"].map(PathBuf::from));
    words.push(emulator::mpi(places).join("lib/libmpi_abi.so.1"));
    words.extend(options.iter().map(PathBuf::from));
    words
}

/// The rank counts that a guest is run with, of those in its head: few, as each rank is slow.
pub fn ranks(mode: Mode, wanted: &[u32]) -> Vec<u32> {
    let of = |counts: &[u32]| wanted.iter().copied().filter(|ranks| counts.contains(ranks)).collect::<Vec<_>>();
    match mode {
        Mode::Interpreted | Mode::Emulated(_) | Mode::Wine if wanted.iter().any(|ranks| *ranks <= 2) => of(&[1, 2]),
        Mode::Interpreted | Mode::Emulated(_) | Mode::Wine => of(&[3, 4]),
        _ => of(&[2, 4]),
    }
}

/// Whether a guest is run as a mixed job: what calls MPI, and what must give the same bits everywhere.
pub fn mixes(name: &str) -> bool {
    name.starts_with("guests/") || name.starts_with("cli/reproducible")
}

/// Guests that are known to fail there, and why (`tests/emulated.txt`): `MODE GUEST: REASON`, where GUEST is the
/// beginning of a name, by whole parts.
pub struct Known(BTreeMap<(String, String), String>);

impl Known {
    /// Reads the list; says which line can't be understood.
    pub fn read(places: &Places) -> Result<Known, String> {
        let path = places.root.join("tests/emulated.txt");
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let mut known = BTreeMap::new();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let wrong = || format!("{}: not `MODE GUEST: REASON`: {line}", path.display());
            let (mode, rest) = line.split_once(' ').ok_or_else(wrong)?;
            let modes = [Mode::Interpreted, Mode::Mixed, Mode::Wine].into_iter().chain(KINDS.map(Mode::Emulated));
            if !modes.map(Mode::name).any(|name| name == mode) {
                return Err(wrong());
            }
            let (guest, reason) = rest.split_once(": ").ok_or_else(wrong)?;
            known.insert((mode.to_string(), guest.to_string()), reason.to_string());
        }
        Ok(Known(known))
    }

    /// Why a guest fails, if it is known to.
    pub fn reason(&self, mode: Mode, name: &str) -> Option<&str> {
        let parts = |end: &(usize, char)| end.1 == '/';
        let ends = name.char_indices().filter(parts).map(|(at, _)| at).chain([name.len()]);
        ends.filter_map(|end| self.0.get(&(mode.name(), name[..end].to_string()))).map(String::as_str).next()
    }
}
