//! Who may run what: signed modules, and a machine's policy, which is put in place for single commands (as root). The rules
//! are in `host/src/policy.rs` and `signature.rs`.

#[path = "../harness/places.rs"]
#[expect(dead_code, reason = "no MPI library is needed here")]
mod places;
#[path = "../harness/process.rs"]
mod process;

use libtest_mimic::{Arguments, Failed, Trial};
use places::Places;
use process::{Ended, Run, run_within};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Duration;

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
        ("each_job_is_noted", each_job_is_noted),
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

    /// The same, on a machine with this policy: for this command alone, another file lies over those of `/etc`.
    fn under(&self, policy: &str, folder: &Path, words: &[&str]) -> Result<Run, Failed> {
        let over = folder.join("etc");
        fs::create_dir_all(over.join("rankine"))?;
        fs::write(over.join("rankine/policy.toml"), policy)?;
        let mut command = Command::new("unshare");
        let script = "mount -t overlay -o lowerdir=\"$1\":/etc overlay /etc && shift && exec \"$@\"";
        command.args(["-m", "sh", "-c", script, "sh"]).arg(&over).arg(&self.places.rankine).args(words);
        command.current_dir(folder);
        Ok(run_within(command, None, LIMIT)?)
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
    ends(&run("ada.pub", "plain.wasm")?, 1, "requires the signature of one of ada")?;
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
    ends(&run("ada", "ada.wasm")?, 1, "--require-signature: the keys in ada")
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
    ends(&site.rankine(&folder, &["sign", "ada.pub", "plain.wasm"])?, 1, "not a secret key")
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
    ends(&offline(&["--engine", "mpi", "plain.wasm"])?, 1, "does not let jobs use the engine mpi")?;
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
    // A machine that can't note a job does not run it.
    let policy = format!("audit = {:?}\n", folder.join("none/audit"));
    ends(&site.under(&policy, &folder, &["run", "plain.wasm"])?, 1, "can't be recorded")
}
