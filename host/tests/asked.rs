//! What the built command answers about itself, this machine and a program: help, pages, versions, completions, the doctor.

mod command;

use std::path::Path;
use std::process::{Command, Stdio};

use command::{ended, err, guest, out, rankine};

#[test]
fn the_cache_is_measured_and_emptied() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    let with_cache = |arguments: &[&str]| {
        let mut command = rankine();
        command.env("RANKINE_CACHE_DIR", &cache).args(arguments).output().unwrap()
    };
    let size = format!("{}: ", cache.display());
    assert_eq!(out(&with_cache(&["cache"])), format!("{size}0 compiled programs, 0.0 MB\n"));
    ended(&with_cache(&["compile", guest("hello").to_str().unwrap()]), 0);
    std::fs::write(cache.join("note"), "somebody's own").unwrap();
    let output = with_cache(&["cache", "size"]);
    assert!(out(&output).starts_with(&format!("{size}1 compiled program, ")), "{}", out(&output));
    let output = with_cache(&["cache", "clean"]);
    assert!(out(&output).starts_with(&format!("{size}removed 1 compiled program, ")), "{}", out(&output));
    assert_eq!(out(&with_cache(&["cache"])), format!("{size}0 compiled programs, 0.0 MB\n"));
    assert!(cache.join("note").exists());
}

#[test]
fn the_help_of_a_compiler_is_ours() {
    for (compiler, word) in [("cc", "clang"), ("c++", "clang"), ("fc", "flang")] {
        let output = rankine().args([compiler, "--help"]).output().unwrap();
        ended(&output, 0);
        assert!(out(&output).contains("-showme") && out(&output).contains(word), "{}", out(&output));
        assert!(out(&output).contains(&format!("rankine {compiler}")), "{}", out(&output));
    }
}

#[test]
fn info_lists_functions_and_engines() {
    let output = rankine().arg("info").arg("--json").arg(guest("missing")).output().unwrap();
    ended(&output, 0);
    let page: serde_json::Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(page["runs"], false);
    assert_eq!(page["mpi_functions"][0]["name"], "MPI_Init");
    assert_eq!(page["mpi_functions"][0]["engines"][0], "local");
    assert_eq!(page["mpi_functions"][1]["engines"], serde_json::json!([]));
    assert_eq!(page["other_imports"][0], "env.dgemm_");

    let text = out(&rankine().arg("info").arg(guest("hello")).output().unwrap());
    assert!(text.contains("64 KiB at the start") && text.contains("fd_write"), "{text}");

    let output = rankine().args(["info", "--functions", "--json"]).output().unwrap();
    let functions: Vec<serde_json::Value> = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(functions.len(), 662);
    assert!(functions.iter().any(|function| function["name"] == "MPI_Send" && function["engines"][0] == "local"));
}

#[test]
fn the_version_names_what_a_guest_meets() {
    let short = out(&rankine().arg("-V").output().unwrap());
    assert_eq!(short, concat!("rankine ", env!("CARGO_PKG_VERSION"), "\n"));
    let long = out(&rankine().arg("--version").output().unwrap());
    let lines: Vec<_> = long.strip_prefix(&short).unwrap().lines().collect();
    assert_eq!(lines[0], "MPI 5.0, ABI 1.0");
    let lock = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock")).unwrap();
    let wasmtime = lines[1].strip_prefix("Wasmtime ").unwrap();
    assert!(lock.contains(&format!("name = \"wasmtime\"\nversion = \"{wasmtime}\"\n")), "{wasmtime}");
    assert_eq!(lines.len(), 2);
}

/// Bash asks the script as it does when somebody presses the tabulator key.
#[test]
fn bash_completes() {
    let script = rankine().args(["completions", "bash"]).output().unwrap();
    ended(&script, 0);
    for (line, completed) in [
        (&["rankine", "doc"][..], "doctor "),
        (&["rankine", "run", "--no-dead"], "--no-deadlock-check "),
        (&["rankine", "sdk", "build", "fort"], "fortran "),
    ] {
        let mut bash = Command::new("bash");
        bash.args(["-c", "eval \"$1\"; shift; COMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1)); _rankine rankine \"${!#}\"; printf '%s ' \"${COMPREPLY[@]}\""]);
        let output = bash.arg("bash").arg(out(&script)).args(line).output().unwrap();
        assert_eq!(out(&output), completed, "{line:?}: {}", err(&output));
    }
}

#[test]
fn other_shells_get_scripts_of_their_own() {
    for (shell, words) in [
        ("zsh", ["#compdef rankine", "'--no-deadlock-check["]),
        ("fish", ["complete -c rankine", "-l no-deadlock-check"]),
    ] {
        let text = out(&rankine().args(["completions", shell]).output().unwrap());
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    }
    ended(&rankine().args(["completions", "dos"]).output().unwrap(), 2);
}

#[test]
fn every_subcommand_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("share/man/man1");
    ended(&rankine().arg("man").arg(&pages).output().unwrap(), 0);
    let help = out(&rankine().arg("--help").output().unwrap());
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let commands: Vec<_> = commands.map(|line| line.split_whitespace().next().unwrap()).collect();
    assert!(commands.contains(&"completions"), "{help}");
    for command in commands.into_iter().filter(|command| *command != "help") {
        let page = std::fs::read_to_string(pages.join(format!("rankine-{command}.1"))).unwrap();
        assert!(
            page.contains(&format!(".TH rankine-{command} 1  \"rankine {}\"", env!("CARGO_PKG_VERSION"))),
            "{page}"
        );
    }
    let run = std::fs::read_to_string(pages.join("rankine-run.1")).unwrap();
    assert!(run.contains(r"\-\-no\-deadlock\-check") && run.contains("Exit status:"), "{run}");
    assert!(std::fs::read_to_string(pages.join("rankine.1")).unwrap().contains(".SH SUBCOMMANDS"));
    // Where no folder can be.
    let output = rankine().args(["man", "/dev/null/man"]).output().unwrap();
    ended(&output, 1);
    assert!(err(&output).contains("/dev/null/man"), "{}", err(&output));
}

/// What `rankine doctor` says where nothing is installed but this machine's compilers.
#[test]
fn doctor_names_what_is_missing_and_the_next_step() {
    let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-data");
    let doctor = |options: &[&str]| {
        let mut command = rankine();
        command.arg("doctor").args(options).env("RANKINE_DATA_DIR", &data);
        for name in ["WASI_SDK_PATH", "RANKINE_SYSROOT", "RANKINE_CLANG"] {
            command.env_remove(name);
        }
        command
    };
    let output = doctor(&[]).output().unwrap();
    ended(&output, 1);
    let text = out(&output);
    assert!(text.contains("missing   WASI sysroot"), "{text}");
    assert!(text.contains("→ run `rankine sdk install`"), "{text}");

    // With any sysroot, the languages are next.
    let sysroot = data.with_file_name("a-sysroot");
    for file in ["include/wasm32-wasip1/setjmp.h", "lib/wasm32-wasip1/libc.a"] {
        std::fs::create_dir_all(sysroot.join(file).parent().unwrap()).unwrap();
        std::fs::write(sysroot.join(file), "").unwrap();
    }
    let output = doctor(&["--json"]).env("RANKINE_SYSROOT", &sysroot).output().unwrap();
    let findings: Vec<serde_json::Value> = serde_json::from_str(&out(&output)).unwrap();
    for (part, command, build) in
        [("C++ library", "`rankine c++`", "sdk build c++"), ("Fortran", "`rankine fc`", "sdk build fortran")]
    {
        let finding = findings.iter().find(|finding| finding["part"] == part).unwrap();
        assert_eq!((&finding["ok"], &finding["needed"]), (&false.into(), &false.into()), "{finding}");
        let next = finding["next"].as_str().unwrap();
        assert!(next.contains(command) && next.contains(build), "{next}");
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("data");
    for arguments in [&["doctor"][..], &["info", "--functions"], &["completions", "zsh"], &["sdk", "cargo-config"]] {
        let mut command = rankine();
        command.args(arguments).env("RANKINE_DATA_DIR", &data);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(err(&output), "", "{arguments:?}");
        assert!(matches!(output.status.code(), Some(0 | 1)), "{arguments:?} {}", output.status);
    }
}
