//! Files that users are sent, and what reads them: whatever is in them, they are read, or the error says why not. What holds of
//! anything that is read is asserted here; the fuzz target `files` and the tests below look for what breaks it.

use std::fmt::Write as _;
use std::io::{Seek as _, Write as _};
use std::path::Path;

use rankine_view::{Frame, Recording, colours, file, png};

use crate::cli::policy;
use crate::module::signature::{self, Signers};
use crate::module::{self, inspect};
use rankine_system::shown;

#[path = "../../guest-sdk/rust/rankine-arrays/src/header.rs"]
#[allow(dead_code, reason = "guests write these too, and raw ones")]
mod header;

/// What a file is, or says it is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `grid.toml`.
    Grid,
    /// `policy.toml`, and the public keys in it.
    Policy,
    /// What `--require-signature` names.
    Keys,
    /// A program, signed or not.
    Module,
    /// What `--coredump` has left, which is a module too.
    Coredump,
    /// What `--record` leaves.
    Recording,
    /// What `--record` left in the format's first version.
    EarlyRecording,
    /// The head of an array's file, which guests read.
    Npy,
}

/// All of them.
pub const KINDS: [Kind; 8] = [
    Kind::Grid,
    Kind::Policy,
    Kind::Keys,
    Kind::Module,
    Kind::Coredump,
    Kind::Recording,
    Kind::EarlyRecording,
    Kind::Npy,
];

/// Bytes that are exchanged for others.
#[derive(Clone, Debug)]
pub struct Edit {
    /// Where, in parts of the whole.
    pub at: u16,
    /// How many go.
    pub gone: u8,
    /// What comes there.
    pub new: Vec<u8>,
}

/// A file that is what it should be.
pub fn sound(kind: Kind) -> Vec<u8> {
    let signed = || {
        let module = wat::parse_str(include_str!("../tests/guests/hello.wat")).expect("it is a module");
        // As `cc -runnable` makes it: the first line is signed too.
        signature::sign(&[b"#!/usr/bin/rankine run\n", &module[..]].concat(), &key()).expect("it can be signed")
    };
    match kind {
        Kind::Grid => GRID.into(),
        Kind::Policy => format!("{POLICY}[signers]\n{}", keys()).into(),
        Kind::Keys => keys().into(),
        Kind::Module => signed(),
        Kind::Coredump => coredump(),
        Kind::Recording => include_bytes!("../view/src/recording/version2.rkv").into(),
        Kind::EarlyRecording => include_bytes!("../view/src/recording/version1.rkv").into(),
        Kind::Npy => {
            let text = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4, 5), }       \n";
            [b"\x93NUMPY\x01\0", &(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat()
        }
    }
}

/// Bytes with these changes.
pub fn changed(mut bytes: Vec<u8>, edits: &[Edit]) -> Vec<u8> {
    for Edit { at, gone, new } in edits {
        let at = bytes.len() * usize::from(*at) / usize::from(u16::MAX);
        let end = (at + usize::from(*gone)).min(bytes.len());
        bytes.splice(at..end, new.iter().copied());
    }
    bytes
}

/// Reads a file as a user has it read.
pub fn read(kind: Kind, bytes: &[u8]) {
    let text = || String::from_utf8_lossy(bytes).into_owned();
    let error = match kind {
        Kind::Grid => read_grid(&text()),
        Kind::Policy => policy::Policy::parse(&text()).map(drop).err(),
        Kind::Keys => read_keys(&text()),
        Kind::Module | Kind::Coredump => read_module(bytes),
        Kind::Recording | Kind::EarlyRecording => read_recording(bytes),
        Kind::Npy => read_npy(bytes).map(anyhow::Error::msg),
    };
    // It is printed, and each line but the first begins with a blank.
    let said = error.map(|error| shown::report(&format!("rankine: {error:#}"))).unwrap_or_default();
    let is_apart = |line: &str| line.is_empty() || line.starts_with([' ', '\t']);
    assert!(said.lines().skip(1).all(is_apart) && !said.contains('\u{1b}'), "{said}");
}

/// Nothing of a node is taken for an option, or for more than a word.
fn read_grid(text: &str) -> Option<anyhow::Error> {
    let grid = match rankine_grid::parse(Path::new("grid.toml"), text) {
        Ok(grid) => grid,
        Err(error) => return Some(error),
    };
    for node in &grid.nodes {
        let words = [Some(&node.name), Some(&node.address), node.user.as_ref(), node.jump.as_ref(), node.kind.as_ref()];
        for word in words.into_iter().flatten() {
            let is_word = !word.is_empty() && !word.starts_with('-');
            assert!(is_word && word.chars().all(|c| c.is_ascii_graphic()), "{word}");
        }
        assert!(grid.group(&node.name).is_ok(), "{}", node.name);
    }
    grid.groups.iter().for_each(|(name, _)| assert!(!grid.group(name).expect("it was checked").is_empty()));
    None
}

/// As a list for other processes they are the same.
fn read_keys(text: &str) -> Option<anyhow::Error> {
    match toml::from_str::<Signers>(text) {
        Err(error) => Some(error.into()),
        Ok(signers) if signers.words().is_empty() => None,
        Ok(signers) => {
            let again = Signers::read(&signers.words()).expect("they were keys");
            assert_eq!(again.words(), signers.words());
            None
        }
    }
}

/// What is signed is the module that is run, and with one more signature it is the same.
fn read_module(bytes: &[u8]) -> Option<anyhow::Error> {
    let signers = Signers::read(&keys().replace(" = ", "=").replace(['"', '\n'], "")).expect("they are keys");
    let translated = module::translate(Path::new("a.wasm"), bytes.to_vec());
    let signer = signers.signer(bytes).map(|signer| signer.map(str::to_owned));
    if let Ok(Some(_)) = signer {
        // Nobody else has the key: these are the bytes that were signed.
        let sound = sound(Kind::Module);
        assert!(bytes.starts_with(&sound[..sound.len() - SIGNATURE]));
    }
    if let Ok(signed) = signature::sign(bytes, &key()) {
        let its = signers.signer(&signed).expect("it was signed");
        assert_eq!(its, Some("ada"));
        assert_eq!(translated.is_ok(), module::translate(Path::new("a.wasm"), signed).is_ok());
    }
    match translated.and_then(|binary| inspect::inspect(&binary)) {
        Ok(_) => signer.err(),
        Err(error) => Some(error),
    }
}

/// All that is made of a recording.
fn read_recording(bytes: &[u8]) -> Option<anyhow::Error> {
    let mut kept = tempfile::NamedTempFile::new().expect("a file can be made");
    kept.write_all(bytes).and_then(|()| kept.rewind()).expect("it can be written");
    let recording = match Recording::open(kept.path()) {
        Ok(recording) => recording,
        Err(error) => return Some(error),
    };
    let contents = recording.contents();
    let mut text = String::new();
    let _ = write!(text, "{contents:?}");
    let mut trouble = recording.trace(&mut std::io::sink()).err();
    for (_, name, _) in &contents.figures {
        let description = recording.description(name);
        let frames = match recording.frames_of(Some(name)) {
            Ok(frames) => frames,
            Err(error) => return Some(error),
        };
        for frame in frames {
            match frame {
                Err(error) => trouble = Some(error),
                Ok(Frame::Points(points)) => drop((file::npy_of_points(&points), file::vtp(&points, &description))),
                Ok(Frame::Field(field)) => {
                    let [plain, logarithmic] = [false, true].map(|is| png(&field, &colours::MAPS[0], is));
                    drop((plain, logarithmic, file::npy(&field), file::vti(&field, &description)));
                    drop(file::vtp_of_arrows(&field, &description));
                }
            }
        }
    }
    trouble
}

/// What was read is written so that it is read again.
fn read_npy(bytes: &[u8]) -> Option<String> {
    let read = |mut bytes: &[u8]| header::Header::read(&mut bytes, header::Format::Npy);
    let header = match read(bytes) {
        Ok(header) => header,
        Err(error) => return Some(error),
    };
    let written = header.bytes(header::Format::Npy);
    if written.len() < usize::from(u16::MAX) {
        let again = read(&written).expect("it was written by the same program");
        assert_eq!((&again.npy, &again.extents), (&header.npy, &header.extents));
    }
    header.check("<f8", &[3, 4, 5]).err()
}

/// Bytes of the section with a signature.
const SIGNATURE: usize = 2 + 1 + 17 + 96;

fn key() -> ed25519_compact::KeyPair {
    ed25519_compact::KeyPair::from_seed(ed25519_compact::Seed::new([7; 32]))
}

fn keys() -> String {
    let digits: String = key().pk.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("ada = \"ed25519:{digits}\"\n")
}

const GRID: &str = r#"
[defaults]
user = "me"
labels = ["all"]
scratch = "/scratch"
[kinds.arm]
rankine = "/opt/arm/bin/rankine"
library = "/opt/arm/lib/libmpi_abi.so.1"
slots = 8
[nodes."n[09-11]"]
address = "10.0.0.[9-11]"
[nodes.a1]
kind = "arm"
port = 2222
jump = "you@gate:22,other"
ssh = ["/usr/bin/ssh", "-C"]
[groups]
mixed = "fast+arm"
fast = "n[09-10],n11"
"#;

const POLICY: &str = r#"
folders = ["/data"]
memory = 4096
engines = ["local"]
network = ["page", "mpi"]
confined = true
audit = "/var/log/rankine/jobs"
"#;

/// As `coredump` writes one, with a name for its program, a frame and a byte.
fn coredump() -> Vec<u8> {
    use wasm_encoder::{
        ConstExpr, CoreDumpInstancesSection, CoreDumpModulesSection, CoreDumpSection, CoreDumpStackSection,
        DataSection, MemorySection, MemoryType, Module,
    };
    let mut module = Module::new();
    module.section(&CoreDumpSection::new("a.wasm"));
    let mut modules = CoreDumpModulesSection::new();
    modules.module("a.wasm");
    module.section(&modules);
    let mut instances = CoreDumpInstancesSection::new();
    instances.instance(0, [0], []);
    module.section(&instances);
    let mut stack = CoreDumpStackSection::new("rank 0");
    stack.frame(0, 1, 2, [], []);
    module.section(&stack);
    let mut memories = MemorySection::new();
    memories.memory(MemoryType { minimum: 1, maximum: None, memory64: false, shared: false, page_size_log2: None });
    module.section(&memories);
    let mut data = DataSection::new();
    data.active(0, &ConstExpr::i32_const(8), [1]);
    module.section(&data);
    module.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_sound_is_read() {
        assert!(read_grid(GRID).is_none());
        assert!(read_keys(&keys()).is_none());
        assert!(policy::Policy::parse(&String::from_utf8(sound(Kind::Policy)).unwrap()).is_ok());
        for kind in [Kind::EarlyRecording, Kind::Recording] {
            assert!(read_recording(&sound(kind)).is_none(), "{kind:?}");
        }
        assert_eq!(read_npy(&sound(Kind::Npy)), None);
        assert!(inspect::inspect(&sound(Kind::Coredump)).is_ok());
        let signed = sound(Kind::Module);
        assert!(read_module(&signed).is_none());
        // The length of the section is what it is taken for.
        let (module, section) = signed.split_at(signed.len() - SIGNATURE);
        assert!(section[..20].ends_with(b"rankine.signature") && signature::sign(module, &key()).unwrap() == signed);
    }

    fn edits() -> impl Strategy<Value = Vec<Edit>> {
        let toml = "[-\\[\\]\"'=.,+a-z0-9(){}\n\u{1b}]{0,12}".prop_map(String::into_bytes);
        let new = prop_oneof![toml, proptest::collection::vec(any::<u8>(), 0..8)];
        let edit = (any::<u16>(), 0u8..40, new).prop_map(|(at, gone, new)| Edit { at, gone, new });
        proptest::collection::vec(edit, 1..5)
    }

    proptest! {
        #[test]
        fn whatever_is_in_them_they_end_well(kind in proptest::sample::select(&KINDS[..]), edits in edits()) {
            read(kind, &changed(sound(kind), &edits));
        }

        #[test]
        fn any_bytes_end_well(kind in proptest::sample::select(&KINDS[..]), bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            read(kind, &bytes);
        }
    }
}
