//! `--coredump`: what a rank that trapped leaves behind, read as debuggers read it.

mod command;

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use command::{ended, err, guest, rankine};
use wasmparser::{
    CoreDumpInstancesSection, CoreDumpModulesSection, CoreDumpSection, CoreDumpStackSection, DataKind, KnownCustom,
    Name, NameSectionReader, Operator, Parser, Payload, Validator, WasmFeatures,
};

/// What a dump says.
#[derive(Default)]
struct Dump {
    program: String,
    modules: usize,
    instances: usize,
    thread: String,
    /// Functions and offsets, innermost first.
    frames: Vec<(u32, u32)>,
    /// The pages of its memory, and what lies where.
    pages: u64,
    data: Vec<(u32, Vec<u8>)>,
}

impl Dump {
    fn read(path: &Path) -> Dump {
        let bytes = std::fs::read(path).unwrap();
        Validator::new_with_features(WasmFeatures::all()).validate_all(&bytes).unwrap();
        let mut dump = Dump::default();
        for payload in Parser::new(0).parse_all(&bytes) {
            match payload.unwrap() {
                Payload::MemorySection(memories) => dump.pages = memories.into_iter().next().unwrap().unwrap().initial,
                Payload::DataSection(parts) => {
                    for part in parts {
                        let part = part.unwrap();
                        let DataKind::Active { memory_index: 0, offset_expr } = part.kind else { panic!() };
                        let Ok(Operator::I32Const { value }) = offset_expr.get_operators_reader().read() else {
                            panic!()
                        };
                        dump.data.push((value as u32, part.data.to_vec()));
                    }
                }
                Payload::CustomSection(section) => match section.as_known() {
                    KnownCustom::CoreDump(CoreDumpSection { name }) => dump.program = name.into(),
                    KnownCustom::CoreDumpModules(CoreDumpModulesSection { modules }) => dump.modules = modules.len(),
                    KnownCustom::CoreDumpInstances(CoreDumpInstancesSection { instances }) => {
                        dump.instances = instances.len();
                    }
                    KnownCustom::CoreDumpStack(CoreDumpStackSection { name, frames }) => {
                        dump.thread = name.into();
                        dump.frames = frames.iter().map(|frame| (frame.funcidx, frame.codeoffset)).collect();
                    }
                    _ => panic!("{}", section.name()),
                },
                _ => {}
            }
        }
        dump
    }

    fn byte(&self, at: u32) -> u8 {
        let part = self.data.iter().find(|(start, data)| (*start..*start + data.len() as u32).contains(&at));
        part.map_or(0, |(start, data)| data[(at - start) as usize])
    }
}

/// The names of a module's functions.
fn names(module: &[u8]) -> HashMap<u32, String> {
    let sections = Parser::new(0).parse_all(module).filter_map(|payload| match payload.unwrap() {
        Payload::CustomSection(section) if section.name() == "name" => {
            Some(NameSectionReader::new(wasmparser::BinaryReader::new(section.data(), 0)))
        }
        _ => None,
    });
    let functions = sections.flatten().filter_map(|name| match name.unwrap() {
        Name::Function(names) => Some(names),
        _ => None,
    });
    functions.flatten().map(|naming| naming.unwrap()).map(|naming| (naming.index, naming.name.to_owned())).collect()
}

/// Rank 1 of two traps with something in its memory.
const PROGRAM: &str = r#"(module
    (import "mpi" "MPI_Init" (func $init (param i32 i32) (result i32)))
    (import "mpi" "MPI_Comm_rank" (func $rank (param i32 i32) (result i32)))
    (import "mpi" "MPI_Barrier" (func $barrier (param i32) (result i32)))
    (memory (export "memory") 20)
    (data (i32.const 1000) "from the start")
    (func $deep (drop (i32.load (i32.const -4))))
    (func $outer (memory.fill (i32.const 200000) (i32.const 1) (i32.const 100000)) (i32.store8 (i32.const 1200000) (i32.const 77)) (call $deep))
    (func $start (export "_start")
        (drop (call $init (i32.const 0) (i32.const 0)))
        (drop (call $rank (i32.const 0x101) (i32.const 64)))
        (if (i32.eq (i32.load (i32.const 64)) (i32.const 1)) (then (call $outer)))
        (drop (call $barrier (i32.const 0x101)))))"#;

#[test]
fn a_rank_that_traps_leaves_its_stack_and_its_memory() {
    let module = wat::parse_str(PROGRAM).unwrap();
    let names = names(&module);
    for placement in ["--threads", "--fibers"] {
        for profile in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("program.wasm"), &module).unwrap();
            let mut command = rankine();
            command.current_dir(&folder).args(["run", "-n", "2", placement, "--coredump", "core"]);
            command.args(profile.then_some("--profile")).arg("program.wasm");
            let output = command.output().unwrap();
            ended(&output, 134);
            let text = err(&output);
            assert!(
                text.contains("rankine: rank 1 trapped: ") && text.contains("rankine: core dump: core.1\n"),
                "{text}"
            );
            // Nothing else is left there.
            assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
            let dump = Dump::read(&folder.path().join("core.1"));
            let functions: Vec<&str> = dump.frames.iter().map(|(function, _)| names[function].as_str()).collect();
            assert_eq!(functions, ["deep", "outer", "start"]);
            assert!(dump.frames.iter().all(|&(_, offset)| (1..200).contains(&offset)), "{:?}", dump.frames);
            assert_eq!((dump.program.as_str(), dump.thread.as_str()), ("program.wasm", "rank 1"));
            assert_eq!((dump.modules, dump.instances, dump.pages), (1, 1, 20));
            let start: Vec<u8> = (1000..1014).map(|at| dump.byte(at)).collect();
            assert_eq!(start, b"from the start");
            assert_eq!([dump.byte(64), dump.byte(299_999), dump.byte(1_200_000), dump.byte(1_200_001)], [1, 1, 77, 0]);
        }
    }
}

#[test]
fn no_other_end_leaves_a_dump() {
    let folder = tempfile::tempdir().unwrap();
    for (name, status) in [("hello", 0), ("status", 1)] {
        let mut command = rankine();
        command.current_dir(&folder).args(["run", "--coredump", "core"]).arg(guest(name));
        ended(&command.output().unwrap(), status);
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn a_dump_that_can_not_be_written_is_an_error_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let run = |file: &str| {
        let mut command = rankine();
        command.current_dir(&folder).args(["run", "--coredump", file]).arg(guest("hello"));
        let output = command.output().unwrap();
        ended(&output, 1);
        err(&output)
    };
    let text = run("nowhere/core");
    assert!(text.contains("--coredump: nowhere/core can't be written: No such file or directory"), "{text}");
    std::fs::create_dir(folder.path().join("taken")).unwrap();
    assert!(run("taken").contains("--coredump: taken is a folder"));
}

/// A file that may grow no further, as on a full disk: the job ends as without a dump, and half of one is not left.
#[test]
fn half_a_dump_is_not_left() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("program.wat"), PROGRAM).unwrap();
    let run = |limit: &str| {
        let mut command = Command::new("sh");
        let rankine = rankine();
        command.envs(rankine.get_envs().filter_map(|(name, value)| Some((name, value?)))).current_dir(&folder);
        let script = format!("{limit} exec \"$0\" run -n 2 --coredump %r.core program.wat");
        command.args(["-c", &script]).arg(rankine.get_program());
        command.output().unwrap()
    };
    // Compiled code is in the cache from now on.
    ended(&run(""), 134);
    std::fs::remove_file(folder.path().join("1.core")).unwrap();
    let output = run("ulimit -f 8;");
    ended(&output, 134);
    let text = err(&output);
    assert!(text.contains("rankine: rank 1 trapped: "), "{text}");
    assert!(text.contains("rankine: --coredump: 1.core can't be written: File too large"), "{text}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
}

/// Moves the folder of its dump, puts a link to a folder of others in its place, and traps.
const MOVER: &str = r#"(module
    (import "wasi_snapshot_preview1" "path_rename" (func $rename (param i32 i32 i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "path_symlink" (func $link (param i32 i32 i32 i32 i32) (result i32)))
    (memory (export "memory") 1)
    (data (i32.const 0) "out")
    (data (i32.const 16) "moved")
    (data (i32.const 32) "../elsewhere")
    (func (export "_start")
        (if (call $rename (i32.const 3) (i32.const 0) (i32.const 3) (i32.const 3) (i32.const 16) (i32.const 5)) (then (return)))
        (if (call $link (i32.const 32) (i32.const 12) (i32.const 3) (i32.const 0) (i32.const 3)) (then (return)))
        unreachable))"#;

#[test]
fn a_dump_stays_in_the_folder_that_was_there() {
    let top = tempfile::tempdir().unwrap();
    let [granted, elsewhere] = ["granted", "elsewhere"].map(|name| top.path().join(name));
    std::fs::create_dir_all(granted.join("out")).unwrap();
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::write(top.path().join("mover.wat"), MOVER).unwrap();
    let mut command = rankine();
    command.current_dir(&granted).args(["run", "--dir", ".", "--coredump", "out/core", "../mover.wat"]);
    ended(&command.output().unwrap(), 134);
    assert!(granted.join("out").is_symlink());
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
    assert_eq!(Dump::read(&granted.join("moved/core")).pages, 1);
}
