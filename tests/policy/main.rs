//! Who may run what: signed modules, and a machine's policy, which is put in place for single commands (as root). The rules
//! are in `host/src/cli/policy.rs` and `module/signature.rs`.

#[path = "../harness/mpiexec.rs"]
#[expect(dead_code, reason = "of the launcher's only the library is asked for")]
mod mpiexec;
#[path = "../harness/places.rs"]
mod places;
#[path = "../harness/process.rs"]
mod process;
#[path = "../harness/taken_over.rs"]
mod taken_over;

use libtest_mimic::{Arguments, Failed, Trial};
use places::Places;
use process::{Ended, Run, run_within};
use serde_json::Value;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What takes longer hangs.
const LIMIT: Duration = Duration::from_secs(300);

/// A program that ends at once, whatever its ranks.
const PROGRAM: &str = r#"(module (memory (export "memory") 1) (func (export "_start")))"#;

fn main() -> ExitCode {
    let site = Arc::new(Site { places: Places::find() });
    let plain = [
        ("what_is_signed_runs", what_is_signed_runs as fn(&Site) -> Result<(), Failed>),
        ("a_key_is_made_once", a_key_is_made_once),
    ];
    let of_root = [
        ("a_policy_wants_signatures", a_policy_wants_signatures as fn(&Site) -> Result<(), Failed>),
        ("no_option_weakens_a_policy", no_option_weakens_a_policy),
        ("a_wall_that_is_not_whole_is_said", a_wall_that_is_not_whole_is_said),
        ("no_part_of_a_wall_may_be_missing", no_part_of_a_wall_may_be_missing),
        ("each_job_is_noted", each_job_is_noted),
        ("a_job_that_is_killed_is_noted", a_job_that_is_killed_is_noted),
        ("nobody_changes_the_audit", nobody_changes_the_audit),
        ("nobody_speaks_for_the_audit", nobody_speaks_for_the_audit),
    ];
    // SAFETY: `geteuid` has no preconditions.
    let is_root = unsafe { libc::geteuid() } == 0;
    let trials = plain.into_iter().map(|test| (test, true)).chain(of_root.into_iter().map(|test| (test, is_root)));
    let trials = trials.map(|((name, test), is_possible)| {
        let site = site.clone();
        let name = if is_possible { name.to_string() } else { format!("{name} (needs root)") };
        Trial::test(format!("policy/{name}"), move || test(&site)).with_ignored_flag(!is_possible)
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

/// Where the trials work.
struct Site {
    places: Places,
}

impl Site {
    /// An empty folder for a trial, with a program that has no signature.
    fn folder(&self, trial: &str) -> Result<PathBuf, Failed> {
        let folder = self.places.target.join("policy").join(trial);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("plain.wasm"), wat::parse_str(PROGRAM)?)?;
        Ok(folder)
    }

    fn rankine(&self, folder: &Path, words: &[&str]) -> Result<Run, Failed> {
        let mut command = Command::new(&self.places.rankine);
        command.args(words).current_dir(folder);
        Ok(run_within(command, None, LIMIT)?)
    }

    /// Runs `rankine` on a machine with this policy: for this command alone, another file lies over those of `/etc`.
    fn under(&self, policy: &str, folder: &Path, words: &[&str]) -> Result<Run, Failed> {
        Ok(run_within(self.command_under(policy, folder, words)?, None, LIMIT)?)
    }

    fn command_under(&self, policy: &str, folder: &Path, words: &[&str]) -> Result<Command, Failed> {
        let over = folder.join("etc");
        fs::create_dir_all(over.join("rankine"))?;
        fs::write(over.join("rankine/policy.toml"), policy)?;
        let mut command = Command::new("unshare");
        let script = "mount -t overlay -o lowerdir=\"$1\":/etc overlay /etc && shift && exec \"$@\"";
        command.args(["-m", "sh", "-c", script, "sh"]).arg(&over).arg(&self.places.rankine).args(words);
        command.current_dir(folder);
        Ok(command)
    }

    /// Makes a key of this name, and a signed program with the key's name before its own.
    fn sign(&self, folder: &Path, key: &str) -> Result<(), Failed> {
        ends(&self.rankine(folder, &["sign", "--new", key])?, 0, "")?;
        let output = format!("{key}.wasm");
        ends(&self.rankine(folder, &["sign", key, "plain.wasm", "-o", &output])?, 0, "")
    }
}

/// It ends with a status and says this.
fn ends(run: &Run, status: i32, says: &str) -> Result<(), Failed> {
    match run.ended == Ended::Status(status) && run.stderr.contains(says) {
        true => Ok(()),
        false => Err(format!("expected status {status} and {says:?}\n{run}").into()),
    }
}

fn what_is_signed_runs(site: &Site) -> Result<(), Failed> {
    let folder = site.folder("signed")?;
    site.sign(&folder, "ada")?;
    site.sign(&folder, "eve")?;
    let run =
        |keys: &str, module: &str| site.rankine(&folder, &["run", "-n", "2", "--require-signature", keys, module]);
    ends(&run("ada.pub", "ada.wasm")?, 0, "")?;
    // It is a program like any other where no signature is wanted.
    ends(&site.rankine(&folder, &["run", "-n", "2", "ada.wasm"])?, 0, "")?;
    ends(&run("ada.pub", "plain.wasm")?, 1, "requires the signature of ada")?;
    ends(&run("ada.pub", "eve.wasm")?, 1, "eve.wasm is not run")?;
    let keys = ["ada.pub", "eve.pub"].map(|file| fs::read_to_string(folder.join(file)).unwrap_or_default()).concat();
    fs::write(folder.join("both"), keys)?;
    ends(&run("both", "eve.wasm")?, 0, "")?;
    let mut bytes = fs::read(folder.join("ada.wasm"))?;
    // The memory's size: still a good module.
    let at = bytes.iter().position(|&byte| byte == 5).ok_or("there is no memory")? + 4;
    bytes[at] ^= 2;
    fs::write(folder.join("changed.wasm"), bytes)?;
    ends(&run("ada.pub", "changed.wasm")?, 1, "changed.wasm is not run")?;
    ends(&run("ada", "ada.wasm")?, 1, "--require-signature: ada has a secret key in it")
}

fn a_key_is_made_once(site: &Site) -> Result<(), Failed> {
    use std::os::unix::fs::PermissionsExt;
    let folder = site.folder("keys")?;
    ends(&site.rankine(&folder, &["sign", "--new", "ada"])?, 0, "keep ada secret")?;
    let mode = fs::metadata(folder.join("ada"))?.permissions().mode() & 0o777;
    if mode != 0o600 {
        return Err(format!("the secret has mode {mode:o}").into());
    }
    ends(&site.rankine(&folder, &["sign", "--new", "ada"])?, 1, "can't write ada")?;
    ends(&site.rankine(&folder, &["sign", "ada.pub", "plain.wasm"])?, 1, "has public keys")
}

fn a_policy_wants_signatures(site: &Site) -> Result<(), Failed> {
    let folder = site.folder("wanted")?;
    site.sign(&folder, "ada")?;
    site.sign(&folder, "eve")?;
    let policy = format!("[signers]\n{}", fs::read_to_string(folder.join("ada.pub"))?);
    ends(&site.under(&policy, &folder, &["run", "ada.wasm"])?, 0, "")?;
    ends(
        &site.under(&policy, &folder, &["run", "plain.wasm"])?,
        1,
        "the policy of this machine requires the signature",
    )?;
    // Whoever the user trusts: the machine does not.
    ends(
        &site.under(&policy, &folder, &["run", "--require-signature", "eve.pub", "eve.wasm"])?,
        1,
        "the policy of this machine",
    )
}

fn no_option_weakens_a_policy(site: &Site) -> Result<(), Failed> {
    let folder = site.folder("weaker")?;
    fs::create_dir_all(folder.join("data"))?;
    fs::create_dir_all(folder.join("other"))?;
    let policy =
        format!("folders = [{:?}]\nengines = [\"local\"]\nmemory = 16\nconfined = true\n", folder.join("data"));
    let run = |words: &[&str]| site.under(&policy, &folder, &[&["run"], words].concat());
    ends(&run(&["--dir", "data", "plain.wasm"])?, 0, "")?;
    ends(&run(&["--dir-ro", "other", "plain.wasm"])?, 1, "does not let programs use")?;
    ends(&run(&["--engine", "mpi", "plain.wasm"])?, 1, "does not allow the engine mpi")?;
    ends(&run(&["--no-confine", "plain.wasm"])?, 1, "does not allow --no-confine")?;
    fs::write(folder.join("large.wat"), PROGRAM.replace(") 1)", ") 1000)"))?;
    let large = run(&["--memory-limit", "1G", "large.wat"])?;
    if large.ended == Ended::Status(0) {
        return Err(format!("it has more memory than the machine allows\n{large}").into());
    }
    let offline = |words: &[&str]| site.under("network = []\n", &folder, &[&["run"], words].concat());
    ends(&offline(&["plain.wasm"])?, 0, "")?;
    ends(&offline(&["--view", "plain.wasm"])?, 1, "does not let jobs serve a page (--view)")?;
    ends(&offline(&["--hosts", "n1,n2", "plain.wasm"])?, 1, "does not let jobs use other machines")?;
    for engine in ["mpi", "nodes"] {
        ends(&offline(&["--engine", engine, "plain.wasm"])?, 1, "does not let jobs use the engines mpi and nodes")?;
    }
    ends(&site.under("folders = 4\n", &folder, &["run", "plain.wasm"])?, 1, "the policy of this machine")
}

fn each_job_is_noted(site: &Site) -> Result<(), Failed> {
    let folder = site.folder("noted")?;
    site.sign(&folder, "ada")?;
    let log = folder.join("audit");
    let signers = fs::read_to_string(folder.join("ada.pub"))?;
    let policy = format!("audit = {log:?}\n[signers]\n{signers}");
    ends(&site.under(&policy, &folder, &["run", "-n", "3", "ada.wasm"])?, 0, "")?;
    let lines = fs::read_to_string(&log)?;
    let note: Value = serde_json::from_str(lines.trim())?;
    let digest = note["programs"][0]["digest"].as_str().map_or(0, str::len);
    let is_right = note["ranks"] == 3
        && note["status"] == 0
        && note["engine"] == "local"
        && note["user"] == 0
        && note["programs"][0]["file"] == "ada.wasm"
        && note["programs"][0]["signer"] == "ada"
        && note["resources"]["cpu-seconds"].as_f64().is_some_and(|seconds| seconds > 0.0)
        && note["resources"]["peak-memory"].as_u64().is_some_and(|bytes| bytes > 1 << 20)
        && digest == 64;
    if !is_right {
        return Err(lines.into());
    }
    // What it has touched is its own.
    let fills = r#"(memory (export "memory") 2048) (func (export "_start")
        (memory.fill (i32.const 0) (i32.const 1) (i32.const 0x7ffffff))))"#;
    fs::write(folder.join("fills.wat"), format!("(module {fills}"))?;
    let policy = format!("audit = {log:?}\n");
    ends(&site.under(&policy, &folder, &["run", "-n", "2", "fills.wat"])?, 0, "")?;
    // One that is refused has no line.
    ends(&site.under(&policy, &folder, &["run", "none.wasm"])?, 1, "none.wasm")?;
    let notes = notes(&log)?;
    let peak = notes.last().and_then(|note| note["resources"]["peak-memory"].as_u64());
    if notes.len() != 2 || peak.is_none_or(|bytes| bytes < 256 << 20) {
        return Err(format!("{notes:?}").into());
    }
    // A machine that can't note a job does not run it.
    let policy = format!("audit = {:?}\n", folder.join("none/audit"));
    ends(&site.under(&policy, &folder, &["run", "plain.wasm"])?, 1, "can't be recorded")
}

/// The lines of an audit.
fn notes(log: &Path) -> Result<Vec<Value>, Failed> {
    Ok(fs::read_to_string(log)?.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

/// Has a command, and what it starts, run on a kernel that answers these calls with these errors, as it seems.
fn on_another_kernel(mut command: Command, answers: &[(libc::c_long, libc::c_int)]) -> Command {
    let step = |code: u32, jt, jf, k: u32| libc::sock_filter { code: code as u16, jt, jf, k };
    let answer = |answer| step(libc::BPF_RET | libc::BPF_K, 0, 0, answer);
    let mut filter = vec![step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0)];
    for (call, errno) in answers {
        filter.push(step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, *call as u32));
        filter.push(answer(libc::SECCOMP_RET_ERRNO | *errno as u32));
    }
    filter.push(answer(libc::SECCOMP_RET_ALLOW));
    // SAFETY: the calls between `fork` and `exec` concern the child alone, and read the filter, which the closure owns.
    unsafe {
        command.pre_exec(move || {
            let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
            let set = libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
                && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) == 0;
            if set { Ok(()) } else { Err(std::io::Error::last_os_error()) }
        })
    };
    command
}

/// A kernel that has neither Landlock nor filters of system calls.
const OLD: [(libc::c_long, libc::c_int); 2] =
    [(libc::SYS_landlock_create_ruleset, libc::ENOSYS), (libc::SYS_seccomp, libc::ENOSYS)];

/// Whichever part is missing, for whatever reason, and however the job is started: a policy that wants jobs confined lets none run that is
/// not, and where there is none the job says it.
fn no_part_of_a_wall_may_be_missing(site: &Site) -> Result<(), Failed> {
    use libc::{EACCES, EINVAL, ENOSYS, EOPNOTSUPP, EPERM, SYS_seccomp};
    use libc::{SYS_landlock_add_rule, SYS_landlock_create_ruleset, SYS_landlock_restrict_self};
    let folder = site.folder("parts")?;
    fs::create_dir_all(folder.join("data"))?;
    fs::write(folder.join("calls.wat"), CALLS)?;
    let library = mpiexec::library(&site.places);
    let plain: &[&str] = &["-n", "2", "plain.wasm"];
    let granted: &[&str] = &["-n", "2", "--dir", "data", "plain.wasm"];
    let over_mpi: &[&str] = &["--engine", "mpi", "calls.wat"];
    /// What the kernel answers to which calls, and how a job is started there.
    type Way<'w> = (&'w [(libc::c_long, libc::c_int)], &'w [&'w str]);
    let ways: &[Way<'_>] = &[
        (&[(SYS_seccomp, ENOSYS)], plain),
        (&[(SYS_seccomp, EINVAL)], plain),
        (&[(SYS_seccomp, EPERM)], granted),
        (&[(SYS_seccomp, EACCES)], &["-n", "2", "--fibers", "plain.wasm"]),
        (&[(SYS_landlock_create_ruleset, ENOSYS)], granted),
        (&[(SYS_landlock_create_ruleset, EOPNOTSUPP)], granted),
        (&[(SYS_landlock_create_ruleset, EPERM)], granted),
        (&[(SYS_landlock_create_ruleset, EINVAL)], &["--dir-ro", "data", "plain.wasm"]),
        (&[(SYS_landlock_add_rule, EPERM)], granted),
        (&[(SYS_landlock_restrict_self, EPERM)], granted),
        (&[(SYS_landlock_restrict_self, ENOSYS)], granted),
        (&[(SYS_landlock_create_ruleset, EOPNOTSUPP)], over_mpi),
        (&[(SYS_seccomp, EINVAL)], over_mpi),
        (&OLD, &["-n", "2", "--record", "shown.rkv", "plain.wasm"]),
        (&OLD, &["-n", "2", "--coredump", "core", "plain.wasm"]),
    ];
    for (answers, words) in ways {
        let run = |policy: &str| {
            let command = site.command_under(policy, &folder, &[&["run"], *words].concat())?;
            let mut command = on_another_kernel(command, answers);
            command.env("RANKINE_MPI_LIB", &library);
            Ok::<_, Failed>(run_within(command, None, LIMIT)?)
        };
        let wanted = run("confined = true\n")?;
        let is_refused = wanted.ended == Ended::Status(1) && wanted.stderr.contains("confine");
        let free = run("memory = 64\n")?;
        let is_said = free.ended != Ended::Status(0) || free.stderr.contains("the wall around this job is not whole");
        if !is_refused || !is_said {
            return Err(format!("{answers:?} {words:?}\n{wanted}\n{free}").into());
        }
    }
    Ok(())
}

fn a_wall_that_is_not_whole_is_said(site: &Site) -> Result<(), Failed> {
    const SAYS: &str =
        "the wall around this job is not whole: system calls are not filtered (no seccomp), files are not restricted";
    let folder = site.folder("old")?;
    let run = |policy: &str, words: &[&str]| {
        let words = [&["run", "-n", "2"], words].concat();
        let command = on_another_kernel(site.command_under(policy, &folder, &words)?, &OLD);
        Ok::<_, Failed>(run_within(command, None, LIMIT)?)
    };
    ends(&run("confined = true\n", &["plain.wasm"])?, 1, "this machine wants jobs confined (/etc/rankine/policy.toml")?;
    ends(&run("confined = true\n", &["plain.wasm"])?, 1, "no seccomp")?;
    let said = run("memory = 64\n", &["plain.wasm"])?;
    ends(&said, 0, SAYS)?;
    if said.stderr.matches("not whole").count() != 1 {
        return Err(format!("it is said more than once\n{said}").into());
    }
    // Who wants none is not told; nor is anybody where it is whole.
    for said in
        [run("", &["--no-confine", "plain.wasm"])?, site.under("confined = true\n", &folder, &["run", "plain.wasm"])?]
    {
        ends(&said, 0, "")?;
        if said.stderr.contains("not whole") {
            return Err(said.to_string().into());
        }
    }
    Ok(())
}

fn a_job_that_is_killed_is_noted(site: &Site) -> Result<(), Failed> {
    let folder = site.folder("killed")?;
    let log = folder.join("audit");
    let says = r#"(module (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
        (memory (export "memory") 1) (data (i32.const 0) "\10\00\00\00\05\00\00\00") (data (i32.const 16) "here\n")
        (func (export "_start")
            (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))) (loop $forever (br $forever))))"#;
    fs::write(folder.join("forever.wat"), says)?;
    let mut command = site.command_under(&format!("audit = {log:?}\n"), &folder, &["run", "forever.wat"])?;
    let mut child = command.stdout(Stdio::piped()).process_group(0).spawn()?;
    let mut line = String::new();
    BufReader::new(child.stdout.take().ok_or("it has no output")?).read_line(&mut line)?;
    // SAFETY: a signal to a group whose first process has not been waited for.
    unsafe { libc::kill(-(child.id() as libc::pid_t), libc::SIGKILL) };
    child.wait()?;
    let end = Instant::now() + LIMIT;
    while fs::metadata(&log)?.len() == 0 && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(5));
    }
    let notes = notes(&log)?;
    let is_right = |note: &Value| note["status"].is_null() && note["programs"][0]["file"] == "forever.wat";
    if line == "here\n" && notes.len() == 1 && is_right(&notes[0]) {
        Ok(())
    } else {
        Err(format!("{line}{notes:?}").into())
    }
}

/// Calls the library once the wall is up.
const CALLS: &str = r#"(module (import "mpi" "MPI_Init" (func $init (param i32 i32) (result i32)))
    (import "mpi" "MPI_Barrier" (func $barrier (param i32) (result i32)))
    (import "mpi" "MPI_Finalize" (func $finalize (result i32))) (memory (export "memory") 1)
    (func (export "_start") (drop (call $init (i32.const 0) (i32.const 0)))
        (drop (call $barrier (i32.const 0x101))) (drop (call $finalize))))"#;

/// A library that was taken over speaks to who writes the audit, in words of every kind, or would reach the file or that process itself.
/// Whatever it does, the job has a line, and one, which says what was run.
fn nobody_speaks_for_the_audit(site: &Site) -> Result<(), Failed> {
    let folder = site.folder("spoken")?;
    let log = folder.join("audit");
    let library = taken_over::linked(&site.places, &site.places.root.join("tests/wall/library/audit.c"), &folder)?;
    fs::write(folder.join("calls.wat"), CALLS)?;
    let policy = format!("confined = true\naudit = {log:?}\n");
    ends(&site.under(&policy, &folder, &["run", "plain.wasm"])?, 0, "")?;
    for way in 0..12 {
        let before = fs::read_to_string(&log)?;
        let mut command = site.command_under(&policy, &folder, &["run", "--engine", "mpi", "calls.wat"])?;
        command.env("RANKINE_MPI_LIB", &library).env("TAKEN_OVER_LOG", &log).env("TAKEN_OVER_WAY", way.to_string());
        let run = run_within(command, None, LIMIT)?;
        let end = Instant::now() + LIMIT;
        // Where it was told nothing, the process that writes has to see first that the job is over.
        while fs::metadata(&log)?.len() <= before.len() as u64 && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(5));
        }
        let after = fs::read_to_string(&log)?;
        let added = after.strip_prefix(&before).unwrap_or_default();
        let note = serde_json::from_str(added.trim()).unwrap_or(Value::Null);
        let is_ours = note["programs"][0]["file"] == "calls.wat" && note["engine"] == "mpi" && note["ranks"] == 1;
        // What it has used may not have been seen, where it is over in a moment and its last word means nothing.
        let said = format!("taken over: way {way}");
        if !is_ours || !run.stderr.contains(&said) {
            return Err(format!("{way}: {added}\n{run}").into());
        }
    }
    Ok(())
}

/// A library that was taken over writes to whatever the process has open, the way to who writes the audit included.
fn nobody_changes_the_audit(site: &Site) -> Result<(), Failed> {
    let folder = site.folder("changed")?;
    let log = folder.join("audit");
    let library = taken_over::taken_over(&site.places, &folder)?;
    fs::write(folder.join("calls.wat"), CALLS)?;
    let policy = format!("confined = true\naudit = {log:?}\n");
    for _ in 0..2 {
        ends(&site.under(&policy, &folder, &["run", "plain.wasm"])?, 0, "")?;
    }
    let before = fs::read_to_string(&log)?;
    let mut command = site.command_under(&policy, &folder, &["run", "--engine", "mpi", "calls.wat"])?;
    command.env("RANKINE_MPI_LIB", library).env("TAKEN_OVER_STARTS", folder.join("started"));
    let run = run_within(command, None, LIMIT)?;
    let after = fs::read_to_string(&log)?;
    let Some(added) = after.strip_prefix(&before).filter(|_| run.stderr.contains("a file outside: refused")) else {
        return Err(format!("{after}\n{run}").into());
    };
    let note: Value = serde_json::from_str(added.trim())?;
    let is_ours = note["programs"][0]["file"] == "calls.wat" && note["engine"] == "mpi" && note["user"] == 0;
    if is_ours && !run.stderr.contains("was changed") { Ok(()) } else { Err(format!("{after}\n{run}").into()) }
}
