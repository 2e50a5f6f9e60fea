//! The built command as a user meets it: output, exit statuses and messages, with guests written by hand.

mod command;

use std::io::{Read, Write};
use std::process::{Output, Stdio};

use command::{ended, err, guest, out, rankine};

/// How ranks run; what holds for one holds for the other.
const PLACEMENTS: [&str; 2] = ["--threads", "--fibers"];

/// Runs a guest; `options` stand before the file.
fn run(options: &[&str], name: &str) -> Output {
    rankine().arg("run").args(options).arg(guest(name)).output().unwrap()
}

/// Runs a guest that never ends, with time limits that grow until it has come as far as `is_there` asks: a busy machine may
/// need long to start it.
fn timed_out(options: &[&str], name: &str, is_there: impl Fn(&Output) -> bool) -> Output {
    for seconds in ["0.5", "2.5", "20", "300"] {
        let output = run(&[options, &["--timeout", seconds]].concat(), name);
        ended(&output, 124);
        assert!(err(&output).contains(&format!("after {seconds} s, its time limit")), "{}", err(&output));
        if is_there(&output) {
            return output;
        }
    }
    panic!("{name} does not come so far");
}

#[test]
fn every_rank_prints() {
    for placement in PLACEMENTS {
        let output = run(&["-n", "4", placement], "hello");
        ended(&output, 0);
        assert_eq!(out(&output), "hello\n".repeat(4));
        assert_eq!(err(&output), "");
    }
    assert_eq!(out(&run(&[], "hello")), "hello\n");
    assert_eq!(out(&run(&["-np", "3"], "hello")), "hello\n".repeat(3));
}

#[test]
fn lines_are_labelled() {
    let output = run(&["-n", "3", "--label"], "hello");
    let text = out(&output);
    let mut lines: Vec<_> = text.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["[0] hello", "[1] hello", "[2] hello"]);
}

#[test]
fn the_highest_status_counts_and_arguments_arrive() {
    for placement in PLACEMENTS {
        let output = rankine()
            .args(["run", "-n", "3", placement])
            .arg(guest("status"))
            .args(["-n", "7", "--help"])
            .output()
            .unwrap();
        // Rank 2, its name, three arguments.
        ended(&output, 6);
        // Each unfinished line was ended.
        assert_eq!(out(&output), "half\n".repeat(3));
        assert_eq!(err(&output), "");
    }
}

#[test]
fn a_trap_ends_the_job_with_a_report() {
    for placement in PLACEMENTS {
        // The limit is for a job that goes on without its rank.
        let output = run(&["-n", "2", "--timeout", "600", placement], "trap");
        ended(&output, 134);
        let text = err(&output);
        assert!(
            text.starts_with("rankine: rank 1 trapped: an access outside the guest's memory\n    at deep"),
            "{text}"
        );
        assert!(text.contains("\n    at outer"), "{text}");
    }
}

#[test]
fn an_option_that_there_is_none_of_is_named_with_the_nearest() {
    let output = run(&["--lable"], "status");
    ended(&output, 2);
    assert!(err(&output).starts_with("rankine: there is no option --lable; did you mean --label?"), "{}", err(&output));
    let output = run(&["-n", "2", "--memory-limt=2G"], "status");
    ended(&output, 2);
    assert!(err(&output).contains("did you mean --memory-limit?"), "{}", err(&output));
    let output = run(&["--colour"], "status");
    ended(&output, 2);
    assert!(err(&output).starts_with("rankine: there is no option --colour"), "{}", err(&output));
}

#[test]
fn options_are_taken_as_launchers_spell_them() {
    for options in [&["-n3"][..], &["-n=3"], &["--np", "3"], &["-np=3"]] {
        let output = run(options, "hello");
        ended(&output, 0);
        assert_eq!((out(&output), err(&output)), ("hello\n".repeat(3), String::new()), "{options:?}");
    }
    let output = run(&["-l", "--bind-to", "core", "-np", "1"], "hello");
    assert_eq!(out(&output), "[0] hello\n");
    assert!(err(&output).starts_with("rankine: note: --bind-to does nothing here: "), "{}", err(&output));
    let mut command = rankine();
    command.args(["run", "-x", "PASSED", "-genv", "A", "1"]).env("PASSED", "on").arg(guest("environment"));
    let output = command.output().unwrap();
    assert_eq!(out(&output), "PASSED=on\0A=1\0");
    let version = rankine().args(["run", "--version"]).output().unwrap();
    ended(&version, 0);
    assert!(out(&version).contains(env!("CARGO_PKG_VERSION")), "{}", out(&version));
}

#[test]
fn several_programs_are_one_job() {
    for placement in PLACEMENTS {
        let mut command = rankine();
        command.args(["run", placement, "--label", "-n", "2", "--env", "A=1"]).arg(guest("hello"));
        command.args([":", "-np", "1"]).arg(guest("status")).args(["-n", "7"]).arg(":").arg(guest("environment"));
        let output = command.output().unwrap();
        // Rank 2, its name, two arguments.
        ended(&output, 5);
        let text = out(&output);
        let mut lines: Vec<_> = text.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, ["[0] hello", "[1] hello", "[2] half", "[3] A=1\0"]);
    }
    let refused = |options: &[&str], rest: &[&str]| {
        let mut command = rankine();
        command.arg("run").args(options).arg(guest("hello")).arg(":").args(rest).arg(guest("hello"));
        let output = command.output().unwrap();
        ended(&output, 2);
        err(&output)
    };
    let text = refused(&[], &["--dir", "out"]);
    assert!(text.starts_with("rankine: --dir comes after a `:`, where only -n may"), "{text}");
    assert!(refused(&[], &["-n", "none"]).contains("a number of ranks is 1 or more"));
    assert!(refused(&["-n", "1048576"], &["-n", "1"]).contains("1048577 ranks"));
    assert!(refused(&["--engine", "mpi"], &[]).contains("mpiexec -n 1 rankine run "));
    assert!(refused(&["--hosts", "a,b"], &[]).contains("mpiexec -hosts "));
}

#[test]
fn the_environment_says_how_many_ranks() {
    let with = |ranks: &str, options: &[&str]| {
        rankine().arg("run").args(options).arg(guest("hello")).env("RANKINE_RANKS", ranks).output().unwrap()
    };
    assert_eq!(out(&with("3", &[])), "hello\n".repeat(3));
    assert_eq!(out(&with("3", &["-n", "2"])), "hello\n".repeat(2));
    assert_eq!(out(&with("", &[])), "hello\n");
    let output = with("many", &[]);
    ended(&output, 2);
    assert_eq!(err(&output), "rankine: RANKINE_RANKS is `many`: a number of ranks is 1 or more\n");
}

#[test]
fn a_job_runs_in_the_folder_that_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(guest("hello"), folder.path().join("moved.wat")).unwrap();
    let output = rankine().args(["run", "-wdir"]).arg(folder.path()).arg("moved.wat").output().unwrap();
    ended(&output, 0);
    assert_eq!(out(&output), "hello\n");
    let output = rankine().args(["run", "--wdir", "/not/there", "moved.wat"]).output().unwrap();
    ended(&output, 1);
    assert!(err(&output).starts_with("rankine: --wdir /not/there: "), "{}", err(&output));
}

#[test]
fn endless_recursion_is_a_trap() {
    for placement in PLACEMENTS {
        let output = run(&[placement], "recurse");
        ended(&output, 134);
        assert!(err(&output).contains("the call stack is exhausted"), "{}", err(&output));
        assert!(err(&output).contains("(rankine run --call-stack SIZE gives it more)"), "{}", err(&output));
        assert!(err(&output).contains("\n    at ...\n"), "{}", err(&output));
    }
}

#[test]
fn abort_ends_everyone_with_its_code() {
    for placement in PLACEMENTS {
        let output = run(&["-n", "2", placement], "abort");
        ended(&output, 42);
        assert_eq!(err(&output), "rankine: rank 1 aborted the job with code 42\n");
    }
}

#[test]
fn a_fatal_error_names_call_argument_and_place() {
    for placement in PLACEMENTS {
        let output = run(&[placement], "fatal");
        ended(&output, 5);
        let text = err(&output);
        assert!(text.contains("MPI_Send") && text.contains("99") && text.contains("rank 0"), "{text}");
        assert!(text.contains("MPI_ERR_RANK") && text.contains("\n    at shout"), "{text}");
    }
}

#[test]
fn an_error_handler_runs_where_nothing_waits() {
    for placement in PLACEMENTS {
        ended(&run(&[placement], "handler"), 51);
    }
}

#[test]
fn an_error_handler_waits_where_it_can() {
    // On a thread it waits as any call does, here in vain.
    let output = run(&["-n", "2", "--threads"], "handler_waits");
    ended(&output, 3);
    assert!(err(&output).contains("rank 0 waits in MPI_Recv"), "{}", err(&output));
    // On a fiber it can't, which is no deadlock.
    let output = run(&["-n", "2", "--fibers"], "handler_waits");
    ended(&output, 134);
    assert!(
        err(&output).contains("an error handler or an event's callback waits in MPI_Recv for another rank"),
        "{}",
        err(&output)
    );
}

#[test]
fn a_deadlock_ends_at_once_and_is_explained() {
    for placement in PLACEMENTS {
        let output = run(&["-n", "2", placement], "deadlock");
        ended(&output, 3);
        let text = err(&output);
        for (rank, peer) in [(0, 1), (1, 0)] {
            let line = format!(
                "rank {rank} waits in MPI_Recv: a message from rank {peer} with tag 7 in MPI_COMM_WORLD, called by exchange"
            );
            assert!(text.contains(&line), "{text}");
        }
    }
    let all_wait = |output: &Output| err(output).matches("waits in MPI_Recv").count() == 2;
    let text = err(&timed_out(&["-n", "2", "--no-deadlock-check"], "deadlock", all_wait));
    assert!(text.contains("\n  rank 1 waits in MPI_Recv: a message from rank 0 with tag 7"), "{text}");
}

#[test]
fn leaving_without_finalize_is_reported() {
    for placement in PLACEMENTS {
        let output = run(&[placement], "leave");
        ended(&output, 0);
        assert_eq!(err(&output), "rankine: rank 0 ended without MPI_Finalize\n");
        // Who waits for such a rank does not hang.
        let output = run(&["-n", "2", placement], "leave");
        ended(&output, 3);
        assert!(err(&output).contains("rank 1 waits in MPI_Recv"), "{}", err(&output));
        assert!(err(&output).contains("rank 0 ended without MPI_Finalize"), "{}", err(&output));
    }
}

#[test]
fn a_rank_that_gives_up_ends_the_job() {
    for placement in PLACEMENTS {
        let output = run(&["-n", "2", placement], "quit");
        ended(&output, 9);
        assert!(err(&output).contains("rank 1 exited with status 9 and without MPI_Finalize"), "{}", err(&output));
    }
}

#[test]
fn a_time_limit_ends_the_job() {
    for placement in PLACEMENTS {
        let both_run = |output: &Output| out(output) == "here\n".repeat(2);
        let output = timed_out(&["-n", "2", placement], "forever", both_run);
        let places = ["\n  rank 0 computes", "\n  rank 1 computes"];
        assert!(places.iter().all(|place| err(&output).contains(place)), "{}", err(&output));
    }
}

#[test]
fn a_time_limit_says_where_a_rank_sleeps() {
    for placement in PLACEMENTS {
        let sleeps = |output: &Output| err(output).contains("\n  rank 0 sleeps in rest");
        timed_out(&[placement], "asleep", sleeps);
    }
}

#[test]
fn signals_end_the_job() {
    for (signal, status) in [(libc::SIGINT, 130), (libc::SIGTERM, 143)] {
        for placement in PLACEMENTS {
            let mut command = rankine();
            command.args(["run", "-n", "2", "--timeout", "60", placement]).arg(guest("forever"));
            let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            // The first line shows that the guest runs.
            let mut line = [0; 5];
            child.stdout.as_mut().unwrap().read_exact(&mut line).unwrap();
            assert_eq!(&line, b"here\n");
            // SAFETY: a signal to a child that has not been waited for.
            unsafe { libc::kill(child.id() as i32, signal) };
            ended(&child.wait_with_output().unwrap(), status);
        }
    }
}

#[test]
fn a_reader_that_leaves_ends_the_job_quietly() {
    let mut command = rankine();
    command.args(["run", "-n", "2", "--timeout", "600"]).arg(guest("cat"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    // Writing fails once the job has ended.
    while input.write_all(&[b'\n'; 4096]).is_ok() {}
    let output = child.wait_with_output().unwrap();
    ended(&output, 141);
    assert_eq!(err(&output), "");
}

#[test]
fn standard_input_goes_to_rank_0() {
    for placement in PLACEMENTS {
        let mut command = rankine();
        command.args(["run", "-n", "3", "--label", placement]).arg(guest("cat"));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"one\ntwo\n").unwrap();
        let output = child.wait_with_output().unwrap();
        let text = out(&output);
        let mut lines: Vec<_> = text.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, ["[0] .", "[0] one", "[0] two", "[1] .", "[2] ."]);
    }
}

#[test]
fn variables_are_passed_and_no_others() {
    let output = rankine()
        .args(["run", "--env", "A=1=2", "--env", "PASSED"])
        .env("PASSED", "on")
        .env("SECRET", "x")
        .arg(guest("environment"))
        .output()
        .unwrap();
    assert_eq!(out(&output), "A=1=2\0PASSED=on\0");
    ended(&run(&["--env", "SURELY_NOT_SET"], "environment"), 2);
}

#[test]
fn folders_are_granted_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("note"), "granted\n").unwrap();
    let grant = format!("{}::/data", folder.path().display());
    for placement in PLACEMENTS {
        for option in ["--dir", "--dir-ro"] {
            let output = run(&["-n", "2", placement, option, &grant], "file");
            ended(&output, 0);
            assert_eq!(out(&output), "granted\n".repeat(2));
        }
    }
    assert_ne!(run(&[], "file").status.code(), Some(0));
    let output = run(&["--dir", "/surely/not/there"], "file");
    ended(&output, 1);
    assert!(err(&output).contains("/surely/not/there"), "{}", err(&output));
}

#[test]
fn a_memory_limit_holds_and_is_named() {
    ended(&run(&[], "grow"), 0);
    ended(&run(&["--memory-limit", "17M"], "grow"), 0);
    let output = run(&["--memory-limit", "16M"], "grow");
    ended(&output, 134);
    assert!(err(&output).contains("memory limit refused"), "{}", err(&output));
    let output = run(&["--memory-limit", "1K"], "hello");
    ended(&output, 2);
}

#[test]
fn what_nobody_has_is_refused_by_name() {
    let output = run(&[], "missing");
    ended(&output, 1);
    let text = err(&output);
    assert!(text.contains("mpi.MPI_Teleport") && text.contains("env.dgemm_"), "{text}");
    assert!(!text.contains("MPI_Init") && text.contains("rankine info"), "{text}");
}

#[test]
fn damaged_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let whole = wat::parse_file(guest("hello")).unwrap();
    let path = folder.path().join("half.wasm");
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let output = rankine().arg("run").arg(&path).output().unwrap();
    ended(&output, 1);
    assert!(err(&output).contains("half.wasm") && err(&output).contains("offset"), "{}", err(&output));
    let output = rankine().arg("run").arg(folder.path().join("none.wasm")).output().unwrap();
    ended(&output, 1);
    assert!(err(&output).contains("none.wasm"), "{}", err(&output));
}

#[test]
fn many_ranks_meet_on_fibers() {
    let output = run(&["-n", "200"], "barrier");
    ended(&output, 0);
    assert_eq!(out(&output), "met\n".repeat(200));
}

#[test]
fn sleeping_fibers_sleep_together() {
    // One after another they would sleep for 500 s.
    ended(&run(&["-n", "1000", "--fibers", "--timeout", "300"], "sleep"), 0);
}

#[test]
#[expect(clippy::disallowed_macros, reason = "a test may end where nobody reads")]
fn too_many_ranks_name_the_limit() {
    let limit = std::fs::read_to_string("/proc/sys/vm/max_map_count").unwrap();
    let ranks = limit.trim().parse::<usize>().unwrap() / 4;
    if ranks > 1 << 20 {
        eprintln!("skipped: this machine's limit is above the most ranks that a job may have");
        return;
    }
    let output = run(&["-n", &ranks.to_string()], "hello");
    ended(&output, 1);
    assert!(err(&output).contains("sysctl vm.max_map_count="), "{}", err(&output));
}

#[test]
fn wrong_usage_is_2() {
    for wrong in [&["run"][..], &["run", "-n", "0", "x.wasm"], &["walk"], &["run", "--threads", "--fibers", "x.wasm"]] {
        ended(&rankine().args(wrong).output().unwrap(), 2);
    }
    let output = rankine().args(["run", "--help"]).output().unwrap();
    ended(&output, 0);
    assert!(out(&output).contains("Examples:") && out(&output).contains("Exit status:"));
}

/// Whoever runs the guest, and all of its threads: `NoNewPrivs` and `Seccomp` of each.
#[cfg(target_os = "linux")]
fn restrictions(process: u32) -> Vec<(bool, bool)> {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).unwrap();
    // One that ends meanwhile has no status any more.
    let statuses = threads.filter_map(|thread| std::fs::read_to_string(thread.ok()?.path().join("status")).ok());
    statuses.map(|status| (status.contains("NoNewPrivs:\t1"), status.contains("Seccomp:\t2"))).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn every_thread_is_confined_unless_told_otherwise() {
    for placement in PLACEMENTS {
        for (option, confined) in [(None, true), (Some("--no-confine"), false)] {
            let mut command = rankine();
            command.args(["run", "-n", "2", "--timeout", "600", placement]).args(option).arg(guest("forever"));
            let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            let mut line = [0; 5];
            child.stdout.as_mut().unwrap().read_exact(&mut line).unwrap();
            let found = restrictions(child.id());
            child.kill().unwrap();
            child.wait().unwrap();
            assert!(found.len() > 1, "{placement}: {found:?}");
            assert!(found.iter().all(|thread| *thread == (confined, confined)), "{placement} {option:?}: {found:?}");
        }
    }
}

#[test]
fn a_check_says_what_it_has_found() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("findings.json");
    let option = format!("--check={}", file.display());
    for placement in PLACEMENTS {
        let output = run(&["-n", "3", placement, &option], "leaves_type");
        ended(&output, 4);
        let text = err(&output);
        assert!(text.starts_with("rankine: check: 1 finding\n"), "{text}");
        assert!(text.contains("made by ranks 0, 1, 2 at ") && text.contains("freed by MPI_Type_free"), "{text}");
        let json: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        let finding = &json["findings"][0];
        assert_eq!((finding["class"].as_str(), finding["times"].as_u64()), (Some("leak"), Some(3)));
        assert_eq!(finding["calls"][0]["ranks"].as_array().unwrap().len(), 3);
        let call = finding["calls"][0]["call"].as_str().unwrap();
        assert_eq!(call, "MPI_Type_contiguous(count=3, oldtype=MPI_PACKED, newtype=0x40)");
    }
    let output = run(&["-n", "2", "--check"], "hello");
    ended(&output, 0);
    assert_eq!(err(&output), "rankine: check: nothing found\n");
}

#[test]
fn a_check_is_for_ranks_in_one_process() {
    let output = run(&["--engine", "mpi", "--check"], "hello");
    ended(&output, 2);
    assert!(err(&output).contains("rankine run --engine local -n N --check "), "{}", err(&output));
}

/// Room for a rank's addresses, and for some of what its graphs take in the host, which its own limit would allow; and hardly
/// any for the rank. Then a call fails or the job ends, with words.
#[test]
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn without_memory_the_job_ends_with_a_message() {
    for (kilobytes, has_room) in [(5_000_000, true), (3_000_000, false)] {
        let mut command = rankine();
        command.args(["run", "--threads"]).arg(guest("graphs"));
        let mut limited = std::process::Command::new("sh");
        limited.args(["-c", &format!(r#"ulimit -v {kilobytes}; exec "$@""#), "sh"]);
        limited.arg(command.get_program()).args(command.get_args());
        limited.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?)))).stdin(Stdio::null());
        for backtrace in ["0", "1"] {
            let output = limited.env("RUST_BACKTRACE", backtrace).output().unwrap();
            let text = err(&output);
            match output.status.code() {
                Some(40) if has_room => {}
                Some(1) => assert!(text.contains("rankine: ") && text.contains("fewer ranks"), "{text}"),
                _ => panic!("{}: {text}", output.status),
            }
            assert!(!text.contains("panicked"), "{text}");
        }
    }
}
