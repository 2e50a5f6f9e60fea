//! `rankine python --pip-check requirements.txt`: which packages a guest can import. What pip knows decides: a wheel for any
//! machine is pure Python, one for a kind of machine has compiled parts. Nothing is installed.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Output};

use anyhow::{Context as _, Result, ensure};
use rankine_system::shown;
use rankine_toolchain::python::{LINKED, RELEASE};
use rankine_toolchain::terminal::print_page;

/// What is asked for where a wheel is to be of a kind of machine: the usual ones that packages are compiled for.
const MACHINES: [&str; 5] =
    ["manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64", "manylinux1_x86_64", "linux_x86_64"];

/// What is known of a package.
#[derive(Debug, PartialEq, Eq)]
enum Finding {
    Linked(&'static str),
    Pure,
    Compiled,
    /// There is no wheel.
    Source,
    /// pip can't say, and why.
    Unknown(String),
}

impl Finding {
    fn can_be_imported(&self) -> bool {
        matches!(self, Finding::Linked(_) | Finding::Pure)
    }

    fn in_words(&self, wanted: &str) -> String {
        match self {
            Finding::Linked(version) => format!("linked in: {version}"),
            Finding::Pure => "pure Python: pip install --target DIR, and rankine python --site DIR".into(),
            Finding::Compiled => format!("needs building: rankine python build {}", quoted(wanted)),
            Finding::Source => format!("has no wheel: rankine python build {}", quoted(wanted)),
            Finding::Unknown(why) => format!("unknown: {why}"),
        }
    }
}

/// Says it of each package that the file names; the status is 1 if not all of them can be imported.
pub(super) fn check(file: &Path) -> Result<ExitCode> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let wanted: Vec<&str> = requirements(&text).collect();
    ensure!(!wanted.is_empty(), "{} names no package", file.display());
    let width = wanted.iter().map(|wanted| wanted.len()).max().unwrap_or_default();
    let mut all = true;
    for wanted in wanted {
        let finding = find(wanted, pip);
        all &= finding.can_be_imported();
        print_page(&format!("{:width$}  {}\n", shown::line(wanted), finding.in_words(wanted)))?;
    }
    Ok(ExitCode::from(u8::from(!all)))
}

/// Lines that name a package. Options of pip's, other files among them, are not looked at.
fn requirements(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(|line| line.split(" #").next().unwrap_or_default().trim());
    lines.filter(|line| !line.is_empty() && !line.starts_with(['#', '-']))
}

/// A requirement as a shell's word.
fn quoted(wanted: &str) -> String {
    let wanted = shown::line(wanted);
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.=".contains(letter);
    if wanted.chars().all(is_plain) { wanted } else { format!("'{}'", wanted.replace('\'', "")) }
}

/// The name that a requirement begins with, as packages' names are compared.
fn name(requirement: &str) -> String {
    let end = requirement.find(|letter: char| !letter.is_ascii_alphanumeric() && !"-_.".contains(letter));
    requirement[..end.unwrap_or(requirement.len())].to_lowercase().replace(['_', '.'], "-")
}

/// What there is to know of a requirement, if pip answers in this way.
fn find(requirement: &str, pip: impl Fn(&[&str]) -> Result<Output>) -> Finding {
    let name = name(requirement);
    if let Some((_, version)) = LINKED.iter().find(|(linked, _)| *linked == name) {
        return Finding::Linked(version);
    }
    let wheel = |machines: &[&str], abis: &[&str]| {
        let mut words =
            vec!["install", "--dry-run", "--no-deps", "--ignore-installed", "--only-binary=:all:", "--target=."];
        words.extend(["--implementation=cp", "--python-version", RELEASE]);
        machines.iter().for_each(|machine| words.extend(["--platform", machine]));
        abis.iter().for_each(|abi| words.extend(["--abi", abi]));
        words.push(requirement);
        pip(&words)
    };
    let compiled = format!("cp{}", RELEASE.replace('.', ""));
    let answers = [
        wheel(&["any"], &["none"]),
        wheel(&MACHINES, &[&compiled, "abi3", "none"]),
        pip(&["index", "versions", &name]),
    ];
    let mut why = String::new();
    for (answer, finding) in answers.into_iter().zip([Finding::Pure, Finding::Compiled, Finding::Source]) {
        match answer {
            Ok(output) if output.status.success() => return finding,
            Ok(output) => why = last_words(&output),
            Err(error) => why = format!("{error:#}"),
        }
    }
    Finding::Unknown(why)
}

/// The last error that pip names.
fn last_words(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let last = text.lines().rev().find_map(|line| line.strip_prefix("ERROR: "));
    last.map_or_else(|| format!("pip ends with {}", output.status), shown::line)
}

/// Asks this machine's pip.
fn pip(words: &[&str]) -> Result<Output> {
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "--disable-pip-version-check", "--no-input", "--retries=1"]).args(words);
    pip.output().context("pip can't be asked: python3 does not start")
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::ExitStatus;

    use super::*;

    /// pip answers the call with this number.
    fn answer(right: usize) -> impl Fn(&[&str]) -> Result<Output> {
        move |words| {
            let call = match () {
                _ if words[0] == "index" => 2,
                _ if words.contains(&"any") => 0,
                _ => 1,
            };
            let status = ExitStatus::from_raw(if call == right { 0 } else { 256 });
            Ok(Output { status, stdout: vec![], stderr: b"WARNING: x\nERROR: nobody answers\n".to_vec() })
        }
    }

    #[test]
    fn packages_are_named_by_lines() {
        let text = "# all\nnetworkx>=3 # graphs\n\n--index-url x\n-r other.txt\nNumPy\n";
        assert_eq!(requirements(text).collect::<Vec<_>>(), ["networkx>=3", "NumPy"]);
        assert_eq!(name("Typing_Extensions[all]~=4; python_version < '4'"), "typing-extensions");
    }

    #[test]
    fn what_wheels_there_are_decides() {
        assert!(matches!(find("numpy>=2", answer(9)), Finding::Linked(version) if version.starts_with("numpy 2")));
        assert_eq!(find("networkx", answer(0)), Finding::Pure);
        assert_eq!(find("scipy", answer(1)), Finding::Compiled);
        assert_eq!(find("old", answer(2)), Finding::Source);
        assert_eq!(find("none", answer(9)), Finding::Unknown("nobody answers".into()));
    }
}
