//! Two hosts on one machine: network namespaces that a pair of virtual interfaces connects, and a stand-in for ssh
//! between them.

use crate::process::{Ended, Run, run_within};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The addresses of the hosts: in a block that is nobody's, and seen by the two namespaces only.
pub const HOSTS: [&str; 2] = ["198.18.77.1", "198.18.77.2"];

/// A second name for each.
pub const ALIASES: [&str; 2] = ["host-a", "host-b"];

/// The interface of each.
pub const INTERFACE: &str = "rk0";

/// The namespaces; they go when this is dropped.
pub struct Namespaces {
    names: [String; 2],
    /// A program that takes a host and a command, as ssh does.
    pub ssh: PathBuf,
}

impl Namespaces {
    /// Makes them and waits until their link is up. `folder` takes the stand-in for ssh.
    pub fn new(folder: &Path) -> Result<Namespaces, String> {
        let id = std::process::id();
        let names = ["a", "b"].map(|host| format!("rankine-{id}-{host}"));
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let made = Namespaces { ssh: folder.join(format!("ssh-{id}")), names };
        let [one, two] = &made.names;
        ip(&["netns", "add", one])?;
        ip(&["netns", "add", two])?;
        ip(&["link", "add", INTERFACE, "netns", one, "type", "veth", "peer", "name", INTERFACE, "netns", two])?;
        for (name, address) in made.names.iter().zip(HOSTS) {
            ip(&["-n", name, "addr", "add", &format!("{address}/24"), "dev", INTERFACE])?;
            ip(&["-n", name, "link", "set", INTERFACE, "up"])?;
            ip(&["-n", name, "link", "set", "lo", "up"])?;
        }
        made.write_ssh()?;
        made.await_link()?;
        Ok(made)
    }

    fn write_ssh(&self) -> Result<(), String> {
        let cases: String = self
            .names
            .iter()
            .zip(HOSTS.iter().zip(ALIASES))
            .map(|(name, (address, alias))| {
                format!("    {address}|{alias}) exec ip netns exec {name} sh -c \"$*\" ;;\n")
            })
            .collect();
        let text = format!(
            "# Runs a command on a host: `ssh [options] HOST COMMAND…`. What the caller has open stays behind: a launcher whose\n\
             # listening socket went along would be there for its helpers after it has ended.\n\
             exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-\n\
             while case $1 in -*) true ;; *) false ;; esac; do shift; done\nhost=$1\nshift\ncase $host in\n{cases}\
             \x20   *) echo \"no host is called $host\" >&2; exit 255 ;;\nesac"
        );
        script(&self.ssh, &text)
    }

    /// The kernel announces a link some time after it came up, and MPI libraries ask whether it did.
    pub fn await_link(&self) -> Result<(), String> {
        let end = Instant::now() + Duration::from_secs(300);
        for name in &self.names {
            let state = format!("/sys/class/net/{INTERFACE}/operstate");
            while ip(&["netns", "exec", name, "cat", &state])?.stdout.trim() != "up" {
                if Instant::now() > end {
                    return Err(format!("the link of {name} does not come up"));
                }
                sleep(Duration::from_millis(50));
            }
        }
        Ok(())
    }

    /// The name of the second host's namespace.
    pub fn second(&self) -> &str {
        &self.names[1]
    }

    /// The processes on both hosts.
    pub fn processes(&self) -> Result<Vec<i32>, String> {
        Ok([self.processes_on(0)?, self.processes_on(1)?].concat())
    }

    /// The processes on one of them.
    pub fn processes_on(&self, host: usize) -> Result<Vec<i32>, String> {
        let pids = ip(&["netns", "pids", &self.names[host]])?.stdout;
        Ok(pids.lines().filter_map(|line| line.trim().parse().ok()).collect())
    }

    /// A command that runs on the first host.
    pub fn on_first(&self, program: &Path) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.names[0]]).arg(program);
        command
    }
}

impl Drop for Namespaces {
    fn drop(&mut self) {
        for name in &self.names {
            // One that was never made can't be deleted.
            let _ = ip(&["netns", "del", name]);
        }
        let _ = fs::remove_file(&self.ssh);
    }
}

/// Why there can be no namespaces here.
pub fn missing() -> Option<&'static str> {
    // SAFETY: `geteuid` has no preconditions.
    if unsafe { libc::geteuid() } != 0 {
        return Some("needs root");
    }
    Command::new("ip").arg("-V").output().is_err().then_some("needs the program ip, from iproute2")
}

/// Writes a script that can be run at once. Another process does: what is open for writing here is so, for a moment, in every
/// process that another trial starts meanwhile, and then can't be run.
pub fn script(path: &Path, text: &str) -> Result<(), String> {
    let mut command = Command::new("sh");
    command.args(["-c", r#"printf '#!/bin/sh\n%s\n' "$1" > "$0" && chmod 755 "$0""#]).arg(path).arg(text);
    let run = run_within(command, None, Duration::from_secs(300))?;
    if run.ended == Ended::Status(0) { Ok(()) } else { Err(run.to_string()) }
}

/// Runs the program `ip`.
pub fn ip(arguments: &[&str]) -> Result<Run, String> {
    let mut command = Command::new("ip");
    command.args(arguments);
    let run = run_within(command, None, Duration::from_secs(300))?;
    if run.ended == Ended::Status(0) { Ok(run) } else { Err(run.to_string()) }
}
