//! What people type by habit, or by mistake, and the messages that answer: the built command as a newcomer meets it.

mod command;
#[path = "command/script.rs"]
mod script;

use std::fs;
use std::path::Path;
use std::process::Output;

use command::{ended, err, guest, out, rankine};

/// Runs the command on a machine without an MPI library and its launcher.
fn alone(arguments: &[&str]) -> Output {
    let mut command = rankine();
    command.args(arguments).env("PATH", "/nowhere").env_remove("VIRTUAL_ENV").env_remove("CONDA_PREFIX");
    command.env("RANKINE_SSH", "/bin/true").env("RANKINE_MPI_LIB", "/nowhere/libmpi_abi.so.1").output().unwrap()
}

#[test]
fn names_with_dots_are_hosts_and_what_is_only_shown_needs_no_library() {
    let hello = guest("hello").display().to_string();
    for (hosts, processes) in [("127.0.0.1:2", 1), ("n1.cluster.org:2", 1), ("n1.cluster.org,n2.cluster.org", 2)] {
        let output = alone(&["run", "--hosts", hosts, "--dry-run", &hello]);
        ended(&output, 0);
        assert!(out(&output).starts_with(&format!("mpiexec -n {processes} -hosts ")), "{}", out(&output));
        assert!(err(&output).contains("no launcher was found"), "{}", err(&output));
    }
    let output = alone(&["run", "--hosts", "[::1]:2", "--dry-run", &hello]);
    ended(&output, 1);
    assert!(err(&output).contains("an address of IPv6"), "{}", err(&output));
    let output = alone(&["run", "--hosts", "my.hosts", "--dry-run", &hello]);
    ended(&output, 1);
    assert!(err(&output).contains("my.hosts: cannot be read"), "{}", err(&output));
    let folder = tempfile::tempdir().unwrap();
    let grid = folder.path().join("grid.toml");
    fs::write(&grid, "[nodes.n1]\naddress = \"n1.cluster.org\"\nslots = 2\n").unwrap();
    let output = alone(&["run", "--grid", grid.to_str().unwrap(), "--dry-run", &hello]);
    ended(&output, 0);
    assert!(out(&output).contains("mpiexec -n 1 -hosts n1.cluster.org:1 "), "{}", out(&output));
    let output = alone(&["submit", "-n", "2", "--scheduler", "slurm", "--dry-run", &hello]);
    ended(&output, 0);
    assert!(out(&output).contains("--hosts slurm"), "{}", out(&output));
}

#[test]
fn a_secret_key_given_by_mistake_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let [ada, program] = ["ada", "hello.wasm"].map(|name| folder.path().join(name).display().to_string());
    fs::write(&program, wat::parse_file(guest("hello")).unwrap()).unwrap();
    ended(&rankine().args(["sign", "--new", &ada]).output().unwrap(), 0);
    let secret = fs::read_to_string(&ada).unwrap().trim().to_owned();
    let digits = secret.rsplit(':').next().unwrap();
    let twice = format!("ada = \"{secret}\"");
    let both = folder.path().join("both").display().to_string();
    fs::write(&both, &twice).unwrap();
    for arguments in [
        vec!["run", "--require-signature", &ada, &program],
        vec!["run", "--require-signature", &both, &program],
        vec!["run", "--require-signature", &secret, &program],
        vec!["verify", &program, &ada],
        vec!["sign", &secret, &program],
        vec!["info", &ada],
        vec!["run", &ada],
        vec!["run", "--hosts", &ada, &program],
        vec!["grid", "list", "--grid", &ada],
    ] {
        let output = rankine().args(&arguments).output().unwrap();
        assert_ne!(output.status.code(), Some(0), "{arguments:?}");
        let said = out(&output) + &err(&output);
        assert!(!said.contains(&digits[..16]), "{arguments:?}: {said}");
    }
    let output = rankine().args(["run", "--require-signature", &ada, &program]).output().unwrap();
    assert!(err(&output).contains("has a secret key in it") && err(&output).contains("ada.pub"), "{}", err(&output));
}

#[test]
fn signatures_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let says = |arguments: &[&str], status: i32| {
        let output = rankine().args(arguments).output().unwrap();
        ended(&output, status);
        out(&output) + &err(&output)
    };
    let (ada, bob, program) = (path("ada"), path("bob"), path("hello.wasm"));
    let (ada_pub, bob_pub) = (path("ada.pub"), path("bob.pub"));
    fs::write(&program, wat::parse_file(guest("hello")).unwrap()).unwrap();
    says(&["sign", "--new", &ada], 0);
    says(&["sign", "--new", &bob], 0);
    assert!(says(&["verify", &program, &ada_pub], 1).contains("it is not signed"));
    assert!(says(&["info", &program], 0).contains("\nsigned        no\n"));
    // Swapped, and the wrong one of the pair.
    let swapped = says(&["sign", &program, &ada], 1);
    assert!(
        swapped.contains("is a program: the key comes first") && swapped.contains(&format!("sign {ada} ")),
        "{swapped}"
    );
    assert!(says(&["sign", &ada_pub, &program], 1).contains("has public keys"));
    says(&["sign", &ada, &program], 0);
    assert!(says(&["verify", &program, &ada_pub], 0).ends_with("signed by ada, and unchanged since\n"));
    assert!(says(&["verify", &program], 0).contains("signed by ed25519:"));
    assert!(says(&["info", &program], 0).contains("\nsigned by     ed25519:"));
    assert!(says(&["verify", &program, &bob_pub], 1).contains("signed by somebody else: ed25519:"));
    let refused = says(&["run", "--require-signature", &bob_pub, &program], 1);
    assert!(refused.contains("requires the signature of bob") && refused.contains("somebody else"), "{refused}");
    let mut bytes = fs::read(&program).unwrap();
    let at = bytes.windows(6).position(|text| text == b"hello\n").unwrap();
    bytes[at] = b'H';
    fs::write(&program, bytes).unwrap();
    assert!(says(&["verify", &program, &ada_pub], 1).contains("it was changed after ada had signed it"));
    assert!(says(&["verify", &program], 1).contains("and changed since"));
    assert!(says(&["run", "--require-signature", &ada_pub, &program], 1).contains("changed after ada"));
}

#[test]
fn words_of_other_tools_get_the_command_that_does_it() {
    for (arguments, command) in [
        (&["heat.wasm", "--steps", "4"][..], "`rankine run heat.wasm --steps 4`"),
        (&["-n", "4", "heat.wasm"], "`rankine run -n 4 heat.wasm`"),
        (&["mpiexec", "-n", "4", "heat.wasm"], "`rankine run -n 4 heat.wasm`"),
        (&["mpicc", "-O2", "heat.c"], "`rankine cc -O2 heat.c`"),
    ] {
        let output = rankine().args(arguments).output().unwrap();
        ended(&output, 2);
        assert!(err(&output).contains(command), "{arguments:?}: {}", err(&output));
    }
}

#[test]
fn submit_knows_slurms_words_and_names_what_it_does_not_know() {
    let hello = guest("hello").display().to_string();
    let submit = |options: &[&str]| {
        let whole = [&["submit", "-n", "8", "--scheduler", "slurm", "--dry-run"], options, &[&hello]].concat();
        rankine().args(whole).output().unwrap()
    };
    for options in [&["-N", "2", "--partition", "short"][..], &["--nodes", "2", "-p", "short"]] {
        let output = submit(options);
        ended(&output, 0);
        let script = out(&output);
        for line in ["#SBATCH --nodes=2\n", "#SBATCH --ntasks-per-node=4\n", "#SBATCH --partition=short\n"] {
            assert!(script.contains(line), "{options:?}: {script}");
        }
    }
    assert!(out(&submit(&["--time", "1.5h"])).contains("--time=01:30:00"));
    let output = submit(&["--nodez", "2"]);
    ended(&output, 2);
    assert!(err(&output).contains("there is no option --nodez; did you mean --nodes?"), "{}", err(&output));
    let output = submit(&["--nodes", "9"]);
    ended(&output, 2);
    assert!(err(&output).contains("only 8 ranks"), "{}", err(&output));
}

#[test]
fn values_are_taken_as_people_write_them() {
    let run = |options: &[&str]| rankine().arg("run").args(options).arg(guest("hello")).output().unwrap();
    for options in [&["--timeout", "10m"][..], &["--timeout", "0:10:00"], &["--memory-limit", "1.5G"], &["--tag"]] {
        ended(&run(options), 0);
    }
    let output = run(&["--memory-limit", "100"]);
    ended(&output, 2);
    assert!(err(&output).contains("100 bytes") && err(&output).contains("100M"), "{}", err(&output));
    for folder in ["res", "."] {
        let output = run(&["--dir", &format!("{folder}:/res")]);
        ended(&output, 2);
        assert!(err(&output).contains(&format!("{folder}::/res")), "{}", err(&output));
    }
}

#[test]
fn more_memory_than_the_limit_at_the_start_is_said_in_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("large.wat");
    fs::write(&file, "(module (memory (export \"memory\") 130) (func (export \"_start\")))").unwrap();
    let output = rankine().args(["run", "--memory-limit", "4M"]).arg(&file).output().unwrap();
    ended(&output, 1);
    let said = err(&output);
    assert!(said.contains("begins with 8.1 MiB of memory") && said.contains("--memory-limit"), "{said}");
    assert!(!said.contains("pages"), "{said}");
}

/// A grid's file, and what the command says of it.
fn with_grid(text: &str, folder: &Path, arguments: &[&str]) -> Output {
    let grid = folder.join("grid.toml");
    fs::write(&grid, text).unwrap();
    rankine().args(arguments).env("RANKINE_GRID", &grid).output().unwrap()
}

#[test]
fn a_grid_answers_in_its_own_words() {
    let folder = tempfile::tempdir().unwrap();
    let output = with_grid("[nodes.n1.cluster.org]\nslots = 2\n", folder.path(), &["grid", "list"]);
    ended(&output, 1);
    assert!(err(&output).contains("write [nodes.\"n1.cluster.org\"], with quotation marks"), "{}", err(&output));
    // The line that must work is the one that is used.
    let reach = folder.path().join("reach");
    script::script(&reach, "exit 255");
    let reach = reach.display().to_string();
    let text = format!("[nodes.n1]\naddress = \"n1.invalid\"\nuser = \"ada\"\nport = 2222\nssh = \"{reach}\"\n");
    let output = with_grid(&text, folder.path(), &["grid", "check"]);
    ended(&output, 1);
    let line = format!("`{reach} -p 2222 -l ada n1.invalid true` must just work");
    assert!(out(&output).contains(&line), "{}", out(&output));
    // A launcher that does not know this machine by an address of its own has it reached without ssh.
    let text = "[nodes.here]\naddress = \"127.0.0.1\"\nssh = \"/bin/false\"\n";
    let output = with_grid(text, folder.path(), &["grid", "ssh", "127.0.0.1", "echo", "\"a  b\""]);
    ended(&output, 0);
    assert_eq!(out(&output), "a  b\n");
}

#[test]
fn a_grid_is_named_by_its_file_alone() {
    let folder = tempfile::tempdir().unwrap();
    let grid = |words: &[&str]| {
        rankine().arg("grid").args(words).current_dir(folder.path()).env_remove("RANKINE_GRID").output().unwrap()
    };
    fs::write(folder.path().join("mine.toml"), "[nodes.alpha]\nslots = 2\n").unwrap();
    let listed = grid(&["list", "mine.toml"]);
    ended(&listed, 0);
    assert!(out(&listed).contains("alpha"), "{}", out(&listed));
    assert_eq!(out(&listed), out(&grid(&["list", "--grid", "mine.toml"])));
    let both = grid(&["check", "mine.toml", "--grid", "mine.toml"]);
    ended(&both, 2);
    assert!(err(&both).contains("cannot be used with"), "{}", err(&both));
    let node = grid(&["check", "alpha"]);
    ended(&node, 1);
    assert!(err(&node).contains("there is no file alpha; nodes are named by --group"), "{}", err(&node));
}

#[test]
fn a_program_without_lines_is_known_from_one_with_them() {
    let plain = rankine().arg("info").arg(guest("hello")).output().unwrap();
    assert!(out(&plain).contains("\nsource lines  no (compile with -g)\n"), "{}", out(&plain));
}

#[test]
fn what_to_load_in_gdb_is_said_once() {
    let folder = tempfile::tempdir().unwrap();
    let debug = |is_loaded: bool| {
        let mut command = rankine();
        command.args(["run", "--debug"]).arg(guest("hello")).env("RANKINE_DATA_DIR", folder.path());
        if is_loaded {
            command.env("RANKINE_GDB", "1");
        }
        let output = command.output().unwrap();
        ended(&output, 0);
        err(&output)
    };
    let said = debug(false);
    let script = folder.path().join("gdb/rankine.py").display().to_string();
    assert!(
        said.contains(&format!("gdb -x {script}"))
            && said.contains(&format!("source {script}; that line in ~/.gdbinit")),
        "{said}"
    );
    assert!(said.contains("was compiled without -g"), "{said}");
    assert!(!debug(true).contains("gdb -x"));
}

#[test]
fn what_was_installed_is_removed() {
    let home = tempfile::tempdir().unwrap();
    let path = |name: &str| home.path().join(name);
    for name in
        ["data/sysroot/lib/libc.a", "data/c++-0123/lib/libc++.a", "data/theirs/file", "cache/0.code", "state/key"]
    {
        fs::create_dir_all(path(name).parent().unwrap()).unwrap();
        fs::write(path(name), "bytes").unwrap();
    }
    let uninstall = |options: &[&str]| {
        let mut command = rankine();
        command.arg("uninstall").args(options).env("RANKINE_DATA_DIR", path("data"));
        let output =
            command.env("RANKINE_CACHE_DIR", path("cache")).env("RANKINE_STATE_DIR", path("state")).output().unwrap();
        ended(&output, 0);
        out(&output)
    };
    let listed = uninstall(&[]);
    assert!(listed.contains("c++-0123 (5 bytes)") && listed.contains("nothing is removed yet"), "{listed}");
    assert!(path("data/sysroot/lib/libc.a").exists() && !listed.contains("theirs"), "{listed}");
    let removed = uninstall(&["--yes"]);
    assert!(removed.contains("was not put there by ./x install, and stays"), "{removed}");
    assert!(!path("data/sysroot").exists() && !path("cache").exists() && !path("state").exists());
    assert!(path("data/theirs/file").exists());
    assert!(uninstall(&["--keep-program"]).contains("there is nothing to remove"));
}

#[test]
fn the_short_help_fits_two_screens_and_names_no_file_of_the_clone() {
    let help = |options: &[&str]| out(&rankine().args(["run"]).args(options).output().unwrap());
    let (short, long) = (help(&["-h"]), help(&["--help"]));
    assert!(short.lines().count() <= 90, "{} lines: {short}", short.lines().count());
    for heading in
        ["Limits:", "Ranks on cores:", "Watching a job:", "Looking into a job:", "Trust:", "On several hosts:"]
    {
        assert!(short.contains(heading) && long.contains(heading), "{short}");
    }
    assert!(long.contains("Exit status:") && long.contains("share/doc/rankine/book/check.md"), "{long}");
    for page in ["check.md", "reproducible.md", "security.md", "cookbook/debugging.md"] {
        assert!(long.contains(&format!("share/doc/rankine/book/{page}")), "{page}");
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(page).is_file(), "{page}");
    }
    assert!(!long.contains("see docs/") && !long.contains("see SECURITY.md"), "{long}");
}
