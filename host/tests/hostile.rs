//! The built command on modules that nobody should trust: it ends with a message of its own, whatever they are.

mod command;

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use command::{err, guest, out, rankine};
use tempfile::TempDir;
use wasm_encoder::Encode;

/// A folder with a module, and a cache of its own.
struct Hostile {
    folder: TempDir,
    file: PathBuf,
}

impl Hostile {
    fn new(name: &str, module: &[u8]) -> Hostile {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        std::fs::write(&file, module).unwrap();
        Hostile { folder, file }
    }

    fn command(&self, options: &[&str]) -> Command {
        let mut command = rankine();
        command.args(options).arg(&self.file).env("RANKINE_CACHE_DIR", self.cache());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    /// Runs it with a time limit against what hangs; its status, and what it said.
    fn run(&self, options: &[&str]) -> (Option<i32>, String) {
        said(&self.command(&[&["run", "--timeout", "600"], options].concat()).output().unwrap())
    }

    fn info(&self) -> (Option<i32>, String) {
        said(&self.command(&["info"]).output().unwrap())
    }
}

fn said(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), out(output) + &err(output))
}

fn leb(number: usize) -> Vec<u8> {
    encoded(&number)
}

fn counted(bytes: &[u8]) -> Vec<u8> {
    encoded(bytes)
}

fn encoded<T: Encode + ?Sized>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.encode(&mut bytes);
    bytes
}

fn section(id: u8, body: &[u8]) -> Vec<u8> {
    [vec![id], counted(body)].concat()
}

fn custom(name: &str, body: &[u8]) -> Vec<u8> {
    section(0, &[counted(name.as_bytes()), body.to_vec()].concat())
}

/// A program with this body of `_start`, which begins with its locals, and further sections at its end.
fn program(body: &[u8], more: &[Vec<u8>]) -> Vec<u8> {
    let exports = [&[2][..], &counted(b"memory"), &[2, 0], &counted(b"_start"), &[0, 0]].concat();
    let code = [vec![1], counted(&[body, &[0x0b]].concat())].concat();
    [
        b"\0asm\x01\0\0\0".to_vec(),
        section(1, &[1, 0x60, 0, 0]),
        section(3, &[1, 0]),
        section(5, &[1, 0, 1]),
        section(7, &exports),
        section(10, &code),
        more.concat(),
    ]
    .concat()
}

/// A program that traps at once.
fn trapping(more: &[Vec<u8>]) -> Vec<u8> {
    program(&[0, 0], more)
}

/// A program that does nothing and takes the compiler long: every value lives through every branch.
fn slow_to_compile() -> Vec<u8> {
    const LOCALS: usize = 1000;
    let mut body = [vec![1], leb(LOCALS), vec![0x7f]].concat();
    for at in 0..40_000 {
        let (one, other) = (leb(at * 7 % LOCALS), leb((at * 13 + 5) % LOCALS));
        // if (one) one = other + 1
        body.extend([&[0x20][..], &one, &[0x04, 0x40, 0x20], &other, &[0x41, 1, 0x6a, 0x21], &one, &[0x0b]].concat());
    }
    program(&body, &[])
}

/// An empty branch, of which a function may have many: if (1) {}
const LARGE: &[u8] = &[0x41, 1, 0x04, 0x40, 0x0b];

/// Whether compiled code was kept.
fn is_cached(hostile: &Hostile) -> bool {
    let files = std::fs::read_dir(hostile.cache()).map(|entries| entries.map(|entry| entry.unwrap().path()));
    files.into_iter().flatten().any(|path| path.extension().is_some_and(|extension| extension == "code"))
}

#[test]
fn a_time_limit_holds_while_compiling() {
    let slow = Hostile::new("slow.wasm", &slow_to_compile());
    for engine in ["--threads", "--fibers"] {
        let (status, text) = said(&slow.command(&["run", engine, "--timeout", "0.5"]).output().unwrap());
        assert_eq!(status, Some(124), "{text}");
        assert_eq!(text, "rankine: the job was ended after 0.5 s, its time limit\n");
        assert!(!is_cached(&slow));
    }
}

#[test]
fn a_compiler_takes_no_more_memory_than_it_may() {
    let body: Vec<u8> = std::iter::repeat_n(LARGE, 700_000).flatten().copied().collect();
    let large = Hostile::new("large.wasm", &program(&[&[0][..], &body].concat(), &[]));
    let (status, text) = large.run(&["--memory-limit", "64M"]);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("large.wasm has taken") && text.contains("--memory-limit leaves it 1024 MiB"), "{text}");
    assert!(!is_cached(&large));
    let long = Hostile::new("long.wasm", b"\0asm\x01\0\0\0");
    std::fs::File::options().append(true).open(&long.file).unwrap().set_len(3 << 30).unwrap();
    let (status, text) = long.run(&[]);
    assert_eq!(status, Some(1), "{text}");
    assert!(text.contains("long.wasm has 3221225472 bytes, and a module has at most 1073741824"), "{text}");
}

#[test]
fn signals_end_a_job_while_it_compiles() {
    // Who started the tests may have had it ignored (`nohup`), and what is started here inherits that.
    // SAFETY: no handler is given.
    unsafe { libc::signal(libc::SIGHUP, libc::SIG_DFL) };
    let (interrupted, ended, another) = (libc::SIGINT, libc::SIGTERM, guest("hello"));
    let second = [another.to_str().unwrap(), ":"];
    let jobs: [(i32, i32, &[&str]); 9] = [
        (interrupted, 130, &[]),
        (ended, 143, &[]),
        (libc::SIGHUP, 129, &[]),
        (libc::SIGQUIT, 131, &[]),
        (interrupted, 130, &["-n", "3", "--fibers"]),
        (ended, 143, &["-n", "3", "--threads"]),
        (ended, 143, &["--profile"]),
        (interrupted, 130, &["--check"]),
        (ended, 143, &second),
    ];
    for (signal, status, options) in jobs {
        let slow = Hostile::new("slow.wasm", &slow_to_compile());
        let mut child = slow.command(&[&["run", "--verbose"], options].concat()).spawn().unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while !(line.contains("compiling") && line.contains("slow.wasm")) {
            line.clear();
            assert_ne!(errors.read_line(&mut line).unwrap(), 0, "it never compiled: {options:?}");
        }
        // SAFETY: a signal to a child that has not been waited for.
        unsafe { libc::kill(child.id() as i32, signal) };
        assert_eq!(child.wait().unwrap().code(), Some(status), "{options:?}");
        let mut text = String::new();
        errors.read_to_string(&mut text).unwrap();
        assert!(text.contains("rankine: interrupted") || text.contains("rankine: ended by signal"), "{text}");
        assert!(!is_cached(&slow) || options.contains(&":"), "{options:?}");
    }
}

/// A program that says so and then starts a rank from `/d/slow.wasm`.
const STARTS_A_RANK: &str = r#"(module
    (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
    (import "mpi" "MPI_Init" (func $init (param i32 i32) (result i32)))
    (import "mpi" "MPI_Comm_spawn" (func $spawn (param i32 i32 i32 i32 i32 i32 i32 i32) (result i32)))
    (memory (export "memory") 1)
    (data (i32.const 16) "starts it\n")
    (data (i32.const 64) "/d/slow.wasm\00")
    (func (export "_start")
        (drop (call $init (i32.const 0) (i32.const 0)))
        (i32.store (i32.const 0) (i32.const 16))
        (i32.store (i32.const 4) (i32.const 10))
        (drop (call $write (i32.const 2) (i32.const 0) (i32.const 1) (i32.const 8)))
        (drop (call $spawn (i32.const 64) (i32.const 0) (i32.const 1) (i32.const 0x130) (i32.const 0) (i32.const 0x102)
            (i32.const 128) (i32.const 0)))))"#;

#[test]
fn what_compiles_for_a_job_takes_no_more_memory_than_it_may() {
    let body: Vec<u8> = std::iter::repeat_n(LARGE, 700_000).flatten().copied().collect();
    let large = Hostile::new("slow.wasm", &program(&[&[0][..], &body].concat(), &[]));
    let starts = large.folder.path().join("starts.wat");
    std::fs::write(&starts, STARTS_A_RANK).unwrap();
    let mut command = rankine();
    command.args(["run", "--memory-limit", "64M", "--dir-ro", &format!("{}::/d", large.folder.path().display())]);
    let (status, text) = said(&command.arg(&starts).env("RANKINE_CACHE_DIR", large.cache()).output().unwrap());
    assert_ne!(status, Some(0), "{text}");
    assert!(text.contains("slow.wasm has taken") && text.contains("--memory-limit leaves it 1024 MiB"), "{text}");
    assert!(text.contains("the process that compiles modules has failed"), "{text}");
}

#[test]
fn what_compiles_for_a_job_ends_with_it() {
    for options in [&["--threads"][..], &["--fibers"]] {
        let slow = Hostile::new("slow.wasm", &slow_to_compile());
        let starts = slow.folder.path().join("starts.wat");
        std::fs::write(&starts, STARTS_A_RANK).unwrap();
        let mut command = rankine();
        command.args(["run", "--dir-ro", &format!("{}::/d", slow.folder.path().display())]).args(options);
        command.arg(&starts).env("RANKINE_CACHE_DIR", slow.cache()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains("starts it") {
            line.clear();
            assert_ne!(errors.read_line(&mut line).unwrap(), 0, "it never started");
        }
        // Long enough for the compiler to have begun, if it gets a core.
        std::thread::sleep(std::time::Duration::from_secs(1));
        // SAFETY: a signal to a child that has not been waited for.
        unsafe { libc::kill(child.id() as i32, libc::SIGTERM) };
        assert_eq!(child.wait().unwrap().code(), Some(143));
        // Whoever still compiles has this pipe open, and keeps the code at the end.
        errors.read_to_string(&mut line).unwrap();
        let kept = std::fs::read_dir(slow.cache()).unwrap().map(|entry| entry.unwrap().path());
        assert_eq!(
            kept.filter(|path| path.extension().is_some_and(|extension| extension == "code")).count(),
            1,
            "{line}"
        );
    }
}

#[test]
fn a_time_limit_counts_what_loading_took() {
    // Without end, in the function that runs before the program's own.
    let exports = [&[2][..], &counted(b"memory"), &[2, 0], &counted(b"_start"), &[0, 1]].concat();
    let module = [
        b"\0asm\x01\0\0\0".to_vec(),
        section(1, &[1, 0x60, 0, 0]),
        section(3, &[2, 0, 0]),
        section(5, &[1, 0, 1]),
        section(7, &exports),
        section(8, &[0]),
        section(10, &[vec![2], counted(&[0, 0x03, 0x40, 0x0c, 0, 0x0b, 0x0b]), counted(&[0, 0x0b])].concat()),
    ]
    .concat();
    let endless = Hostile::new("start.wasm", &module);
    for placement in ["--threads", "--fibers"] {
        let (status, text) = said(&endless.command(&["run", "-n", "2", placement, "--timeout", "1"]).output().unwrap());
        assert_eq!(status, Some(124), "{text}");
    }
}

/// Debug information whose entries are nested as deep, one inlined in the other, about the program's first function.
fn nested(depth: usize) -> Vec<u8> {
    let forms: &[u8] = &[
        &[1, 0x11, 1, 0x11, 0x01, 0x12, 0x06, 0, 0][..], // a unit: its addresses
        &[2, 0x2e, 1, 0x03, 0x08, 0x11, 0x01, 0x12, 0x06, 0, 0, 3], // a function: its name and addresses
        &[0x1d, 1, 0, 0, 0],                             // what is inlined: nothing
    ]
    .concat();
    let addresses = [0, 0, 0, 0, 100, 0, 0, 0];
    let entries = [&[1][..], &addresses, &[2], b"f\0", &addresses, &vec![3; depth], &vec![0; depth + 2]].concat();
    let unit = [&(entries.len() as u32 + 7).to_le_bytes()[..], &[4, 0, 0, 0, 0, 0, 4], &entries].concat();
    trapping(&[
        custom(".debug_info", &unit),
        custom(".debug_abbrev", forms),
        custom(".debug_str", &[0]),
        custom(".debug_line", &[]),
    ])
}

#[test]
fn debug_information_may_nest_without_end() {
    for depth in [20_000, 2_000_000] {
        let nested = Hostile::new("nested.wasm", &nested(depth));
        for placement in ["--threads", "--fibers"] {
            let (status, text) = nested.run(&["-n", "2", placement]);
            assert_eq!(status, Some(134), "{text}");
            assert!(text.contains("trapped: `unreachable` was executed") && text.contains("\n    at f"), "{text}");
        }
    }
}

#[test]
fn names_are_cut_and_never_obeyed() {
    let named = |name: &[u8]| custom("name", &[vec![1], counted(&[&[1, 0][..], &counted(name)].concat())].concat());
    let long = Hostile::new("long.wasm", &trapping(&[named(&b"x".repeat(10 << 20))]));
    let (status, text) = long.run(&[]);
    assert_eq!(status, Some(134));
    assert!(text.contains("xxx... (offset") && text.len() < 2000, "{} characters", text.len());

    let obeyed = Hostile::new("obeyed.wasm", &trapping(&[named(b"\x1b[2J\nrankine: all is well\x07")]));
    let (status, text) = obeyed.run(&[]);
    assert_eq!(status, Some(134));
    assert!(text.contains("at ?[2J?rankine: all is well? (offset"), "{text:?}");
}

#[test]
fn imports_by_the_thousand_are_counted() {
    let names = (0..50_000).flat_map(|n| {
        let name = counted(format!("\x1b[31m{n}\n").as_bytes());
        [counted(b"env"), name, vec![0, 0]].concat()
    });
    let imports = [leb(50_000), names.collect()].concat();
    let exports = [&[2][..], &counted(b"memory"), &[2, 0], &counted(b"_start"), &[0], &leb(50_000)].concat();
    let module = [
        b"\0asm\x01\0\0\0".to_vec(),
        section(1, &[1, 0x60, 0, 0]),
        section(2, &imports),
        section(3, &[1, 0]),
        section(5, &[1, 0, 1]),
        section(7, &exports),
        section(10, &[1, 2, 0, 0x0b]),
    ]
    .concat();
    let hostile = Hostile::new("imports.wasm", &module);
    let (status, text) = hostile.run(&[]);
    assert_eq!(status, Some(1));
    assert!(text.contains("env.?[31m0?\n") && text.contains("and 49900 more") && text.len() < 10_000, "{text:?}");
    let (status, text) = hostile.info();
    assert_eq!(status, Some(0));
    assert!(text.contains("env.?[31m49999") && !text.contains('\x1b'));
}

#[test]
fn a_reader_of_messages_that_leaves_is_no_failure() {
    let file = Path::new("/surely/not/there.wasm");
    let mut child = rankine().args(["info"]).arg(file).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

/// A module as text, how its run ends, and what is said of it.
const REFUSED: [(&str, i32, &str); 13] = [
    // Exports of the wrong kind.
    (r#"(module (memory (export "_start") 1) (func (export "memory")))"#, 1, "_start is not a function"),
    (r#"(module (func (export "_start")) (table (export "memory") 1 funcref))"#, 1, "no memory named"),
    (r#"(module (func (export "_start") (param i32)) (memory (export "memory") 1))"#, 1, "without parameters"),
    (r#"(module (global (export "_start") i32 (i32.const 1)) (memory (export "memory") 1))"#, 1, "not a function"),
    // Memories that ranks can't have.
    (r#"(module (memory (export "memory") 1 2 shared) (func (export "_start")))"#, 1, "-pthread"),
    (
        r#"(module (import "env" "memory" (memory 1)) (export "memory" (memory 0)) (func (export "_start")))"#,
        1,
        "env.memory",
    ),
    // A table that no machine has.
    (r#"(module (memory (export "memory") 1) (table 4000000000 funcref) (func (export "_start")))"#, 1, "table"),
    // Imports that are not what they are called.
    (
        r#"(module (import "mpi" "MPI_Init" (func (param f64))) (memory (export "memory") 1) (func (export "_start")))"#,
        1,
        "MPI_Init",
    ),
    (
        r#"(module (import "mpi" "MPI_Init" (global i32)) (memory (export "memory") 1) (func (export "_start")))"#,
        1,
        "mpi.MPI_Init",
    ),
    (
        r#"(module (import "wasi_snapshot_preview1" "fd_write" (table 1 funcref)) (memory (export "memory") 1) (func (export "_start")))"#,
        1,
        "fd_write",
    ),
    // A function table that is none, where MPI calls a function.
    (
        r#"(module
            (import "mpi" "MPI_Init" (func $init (param i32 i32) (result i32)))
            (import "mpi" "MPI_Comm_create_errhandler" (func $create (param i32 i32) (result i32)))
            (import "mpi" "MPI_Comm_set_errhandler" (func $set (param i32 i32) (result i32)))
            (import "mpi" "MPI_Comm_call_errhandler" (func $call (param i32 i32) (result i32)))
            (memory (export "memory") 1)
            (table (export "__indirect_function_table") 4 externref)
            (func (export "_start")
                (drop (call $init (i32.const 0) (i32.const 0)))
                (drop (call $create (i32.const 1) (i32.const 64)))
                (drop (call $set (i32.const 0x101) (i32.load (i32.const 64))))
                (drop (call $call (i32.const 0x101) (i32.const 16)))))"#,
        134,
        "function pointer 1",
    ),
    // Functions of MPI as callbacks of MPI: the host alone on the stack.
    (
        r#"(module
            (import "mpi" "MPI_Init" (func $init (param i32 i32) (result i32)))
            (import "mpi" "MPI_Comm_create_errhandler" (func $create (param i32 i32) (result i32)))
            (import "mpi" "MPI_Comm_set_errhandler" (func $set (param i32 i32) (result i32)))
            (import "mpi" "MPI_Comm_call_errhandler" (func $call (param i32 i32) (result i32)))
            (memory (export "memory") 1)
            (table (export "__indirect_function_table") 2 funcref)
            (elem (i32.const 1) $call)
            (func (export "_start")
                (drop (call $init (i32.const 0) (i32.const 0)))
                (drop (call $create (i32.const 1) (i32.const 64)))
                (drop (call $set (i32.const 0x101) (i32.load (i32.const 64))))
                (drop (call $set (i32.const 0x102) (i32.load (i32.const 64))))
                (drop (call $call (i32.const 0x101) (i32.const 16)))))"#,
        134,
        "rank 0 trapped: MPI has to call a function",
    ),
    // A callback that takes what MPI does not give.
    (
        r#"(module
            (import "mpi" "MPI_Init" (func $init (param i32 i32) (result i32)))
            (import "mpi" "MPI_Comm_create_errhandler" (func $create (param i32 i32) (result i32)))
            (import "mpi" "MPI_Comm_set_errhandler" (func $set (param i32 i32) (result i32)))
            (import "mpi" "MPI_Comm_call_errhandler" (func $call (param i32 i32) (result i32)))
            (memory (export "memory") 1)
            (table (export "__indirect_function_table") 2 funcref)
            (elem (i32.const 1) $odd)
            (func $odd (param i64 v128 funcref))
            (func (export "_start")
                (drop (call $init (i32.const 0) (i32.const 0)))
                (drop (call $create (i32.const 1) (i32.const 64)))
                (drop (call $set (i32.const 0x101) (i32.load (i32.const 64))))
                (drop (call $call (i32.const 0x101) (i32.const 16)))))"#,
        134,
        "other than integers",
    ),
];

#[test]
fn what_is_no_program_is_refused_in_words() {
    for (text, status, words) in REFUSED {
        let hostile = Hostile::new("odd.wat", text.as_bytes());
        for placement in ["--threads", "--fibers"] {
            let (ended, said) = hostile.run(&[placement]);
            assert_eq!(ended, Some(status), "{text}\n{said}");
            assert!(said.contains(words) && !said.contains("panicked"), "{text}\n{said}");
        }
        let (ended, said) = hostile.info();
        assert_eq!(ended, Some(0), "{text}\n{said}");
    }
}

#[test]
fn instructions_and_sections_may_be_many() {
    let many = 200_000;
    let deep = [
        ("blocks", [vec![0], [0x02, 0x40].repeat(many), vec![0x0b; many]].concat()),
        ("loops", [vec![0], [0x03, 0x40].repeat(20_000), vec![0x0b; 20_000]].concat()),
        ("tries", [vec![0], [0x1f, 0x40, 0].repeat(20_000), vec![0x0b; 20_000]].concat()),
        ("a chain", [vec![0, 0x41, 1], vec![0x45; many], vec![0x1a]].concat()),
        ("a stack", [vec![1, 1, 0x7f], [0x20, 0].repeat(many), vec![0x6a; many - 1], vec![0x21, 0]].concat()),
        ("locals", [vec![1], leb(50_000), vec![0x7b]].concat()),
    ];
    for (what, body) in deep {
        let hostile = Hostile::new("many.wasm", &program(&body, &[]));
        assert_eq!(hostile.run(&[]), (Some(0), String::new()), "{what}");
        assert_eq!(hostile.info().0, Some(0), "{what}");
    }
    let text = format!(
        "(module (memory (export \"memory\") 1) (func (export \"_start\") {}{}))",
        "(block ".repeat(many),
        ")".repeat(many)
    );
    assert_eq!(Hostile::new("many.wat", text.as_bytes()).run(&[]), (Some(0), String::new()));
    let (status, text) = Hostile::new("paren.wat", &b"(".repeat(1 << 20)).run(&[]);
    assert_eq!(status, Some(1), "{text}");
}
