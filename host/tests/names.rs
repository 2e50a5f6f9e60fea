//! Names that strangers have chosen are one line wherever the command shows them: none passes for a line of its own.

mod command;

use command::{ended, err, out, rankine};

/// Imports, exports, producers and sections whose names end lines, clear the screen, and say what `info` would.
const MODULES: [&str; 3] = [
    r#"(module (import "env" "x\0asignatures    ada (valid)\0aMPI           2 functions, all in both engines" (func))
        (memory (export "memory") 1) (func (export "_start")))"#,
    r#"(module (import "mpi" "MPI_\1b[31mSend\0aengine          local: all" (func (param i32) (result i32)))
        (import "e\0anv" "x\1b[2J" (func)) (import "wasi_snapshot_preview1" "fd\e2\80\a8size 0 bytes" (func))
        (memory (export "memory") 1) (func (export "_start")) (func (export "\1b[31mred\0d\0afake"))
        (@custom "\1b[31mcust" "x") (@custom "rankine.\1bx" "y")
        (@custom "producers" "\01\08language\01\04\1b[3m\04\1b[4m")
        (@custom "target_features" "\02+\04\1b[5m+\06atomic"))"#,
    r#"(module (memory (export "memory") 1) (func (export "_start"))
        (@custom "producers" "\01\0asignatures\01\03ada\07(valid)"))"#,
];

/// How lines of `info` begin.
const BEGINNINGS: [&str; 17] = [
    "file ",
    "size ",
    "memory ",
    "features ",
    "source lines ",
    "language ",
    "processed-by ",
    "sdk ",
    "made by ",
    "compiled by ",
    "C library by ",
    "signed ",
    "WASI ",
    "threads ",
    "undefined ",
    "MPI ",
    "  ",
];

#[test]
fn info_has_its_own_lines_alone() {
    let folder = tempfile::tempdir().unwrap();
    for (number, text) in MODULES.iter().enumerate() {
        let file = folder.path().join(format!("a\nsize          0 bytes\u{1b}[2J{number}.wat"));
        std::fs::write(&file, text).unwrap();
        let output = rankine().arg("info").arg(&file).output().unwrap();
        ended(&output, 0);
        let page = out(&output);
        for line in page.lines() {
            assert!(BEGINNINGS.iter().any(|beginning| line.starts_with(beginning)), "{line}");
            assert!(!line.starts_with("size          0 bytes") && !line.contains(['\u{1b}', '\u{2028}']), "{line}");
        }
        for once in ["MPI ", "size ", "undefined ", "file "] {
            assert!(page.lines().filter(|line| line.starts_with(once)).count() <= 1, "{page}");
        }
        let json = rankine().args(["info", "--json"]).arg(&file).output().unwrap();
        serde_json::from_str::<serde_json::Value>(&out(&json)).unwrap();
    }
}

#[test]
fn errors_begin_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a\nrankine: all is well\r\u{1b}[1A.wat");
    let said = |arguments: &[&str]| {
        let output = rankine().args(arguments).arg(&file).output().unwrap();
        assert!(!output.status.success());
        let text = err(&output);
        let mut lines = text.lines();
        assert!(lines.next().is_some_and(|line| line.starts_with("rankine: ")), "{text}");
        assert!(lines.all(|line| line.starts_with("  ")) && !text.contains(['\u{1b}', '\r']), "{text}");
    };
    for arguments in [&["run"][..], &["info"], &["view", "--list"], &["compile"], &["trust"]] {
        said(arguments);
    }
    for text in MODULES {
        std::fs::write(&file, text).unwrap();
        if text.contains("env") {
            said(&["run"]);
        }
    }
    std::fs::write(&file, "(module (func (export \"_start\") unknown)").unwrap();
    for arguments in [&["run"][..], &["info"], &["view", "--list"], &["compile"]] {
        said(arguments);
    }
}
