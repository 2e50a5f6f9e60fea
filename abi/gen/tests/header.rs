//! `mpi.h` in the hands of clang: every C and C++ standard takes it, and a guest may put itself before a function.

use std::path::PathBuf;
use std::process::Command;

use wasmparser::{Parser, Payload};

/// clang 22, or that of the WASI SDK.
fn clang() -> PathBuf {
    let sdk = std::env::var_os("WASI_SDK_PATH").map(|path| PathBuf::from(path).join("bin/clang"));
    let candidates = sdk.into_iter().chain(["clang-22".into(), "clang".into()]);
    candidates
        .into_iter()
        .find(|clang| Command::new(clang).arg("--version").output().is_ok())
        .expect("clang is needed: install clang-22 and lld-22, or set WASI_SDK_PATH")
}

/// Compiles the test program; without a C library, which the header doesn't need.
fn compile(arguments: &[&str]) {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(clang())
        .args(["--target=wasm32-wasip1", "-nostdlib", "-ffreestanding", "-Wall", "-Wextra", "-pedantic", "-Werror"])
        .arg("-I")
        .arg(here.join("../../guest-sdk/c/include"))
        .args(arguments)
        .arg(here.join("tests/header/profiling.c"))
        .output()
        .expect("clang was found");
    assert!(output.status.success(), "{arguments:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn every_standard_of_c_takes_it() {
    for standard in ["c89", "c99", "c11", "c17", "c23", "gnu89", "gnu23"] {
        compile(&["-fsyntax-only", &format!("-std={standard}")]);
    }
}

#[test]
fn every_standard_of_cpp_takes_it() {
    for standard in ["c++98", "c++11", "c++17", "c++23"] {
        compile(&["-fsyntax-only", "-x", "c++", &format!("-std={standard}")]);
    }
}

#[test]
fn a_guest_may_define_mpi_send_and_call_pmpi_send() {
    for optimise in ["-O0", "-O2"] {
        let folder = tempfile::tempdir().unwrap();
        let module = folder.path().join("profiling.wasm");
        let module = module.to_str().unwrap();
        compile(&[optimise, "-Wl,--no-entry", "-Wl,--export=program", "-Wl,--export=MPI_Send", "-o", module]);
        let bytes = std::fs::read(module).unwrap();
        let mut imports: Vec<String> = Vec::new();
        for payload in Parser::new(0).parse_all(&bytes) {
            if let Payload::ImportSection(section) = payload.unwrap() {
                for import in section.into_imports() {
                    let import = import.unwrap();
                    imports.push(format!("{}.{}", import.module, import.name));
                }
            }
        }
        imports.sort();
        let expected = [
            "Bcast_c",
            "Comm_create_keyval",
            "Comm_toint",
            "Group_range_incl",
            "Init",
            "Pcontrol",
            "Recv",
            "Send",
            "Type_create_struct",
            "Type_get_extent",
        ];
        let expected = expected.map(|name| format!("mpi.MPI_{name}"));
        assert_eq!(imports, expected, "{optimise}");
    }
}
