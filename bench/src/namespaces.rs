//! Nodes on one machine: network namespaces that a bridge joins, each with caches and a scratch folder of its own, and a
//! program in ssh's place that goes from one to another. For root.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Result, bail};

use crate::twins::output;

/// How their addresses begin: of a block that is nobody's.
const BLOCK: &str = "198.18.78";

/// The nodes; they go when this is dropped.
pub struct Nodes {
    hub: String,
    names: Vec<String>,
    folder: PathBuf,
}

impl Nodes {
    /// Makes so many of them; what they keep is beneath the folder.
    pub fn new(count: usize, folder: &Path) -> Result<Nodes> {
        let id = std::process::id();
        let names = (1..=count).map(|node| format!("rankine-bench-{id}-{node}")).collect();
        fs::create_dir_all(folder)?;
        let made = Nodes { hub: format!("rankine-bench-{id}"), names, folder: folder.into() };
        let hub = made.hub.as_str();
        ip(&["netns", "add", hub])?;
        ip(&["-n", hub, "link", "add", "hub", "type", "bridge"])?;
        ip(&["-n", hub, "link", "set", "hub", "up"])?;
        for (name, node) in made.names.iter().zip(1..) {
            let (port, address) = (format!("port{node}"), format!("{BLOCK}.{node}/24"));
            ip(&["netns", "add", name])?;
            ip(&["link", "add", "rk0", "netns", name, "type", "veth", "peer", "name", &port, "netns", hub])?;
            ip(&["-n", hub, "link", "set", &port, "master", "hub", "up"])?;
            ip(&["-n", name, "addr", "add", &address, "dev", "rk0"])?;
            ip(&["-n", name, "link", "set", "rk0", "up"])?;
            ip(&["-n", name, "link", "set", "lo", "up"])?;
        }
        made.write_ssh()?;
        made.await_links()?;
        Ok(made)
    }

    /// Their addresses.
    pub fn addresses(&self) -> Vec<String> {
        (1..=self.names.len()).map(|node| format!("{BLOCK}.{node}")).collect()
    }

    /// The program in ssh's place; under the name `ssh` it would be given options of OpenSSH.
    pub fn ssh(&self) -> PathBuf {
        self.folder.join("reach")
    }

    /// A folder of a node's own, by what is in it.
    pub fn place(&self, what: &str, node: usize) -> PathBuf {
        self.folder.join(format!("{what}-{node}"))
    }

    /// A command that runs on the first.
    pub fn on_first(&self, program: &Path) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.names[0]]).arg(program);
        command.env("RANKINE_CACHE_DIR", self.place("cache", 1)).env("RANKINE_STATE_DIR", self.place("state", 1));
        command
    }

    /// Takes what jobs have brought, and what was compiled; makes the scratch folders.
    pub fn empty(&self) -> Result<()> {
        for node in 1..=self.names.len() {
            for what in ["scratch", "cache"] {
                let place = self.place(what, node);
                if place.exists() {
                    fs::remove_dir_all(&place)?;
                }
            }
            fs::create_dir_all(self.place("scratch", node))?;
        }
        Ok(())
    }

    fn write_ssh(&self) -> Result<()> {
        use std::os::unix::fs::PermissionsExt as _;
        let mut text =
            "#!/bin/sh\nwhile case $1 in -*) true ;; *) false ;; esac; do shift; done\nhost=$1\nshift\ncase $host in\n"
                .to_string();
        for ((name, address), node) in self.names.iter().zip(self.addresses()).zip(1..) {
            let (cache, state) = (self.place("cache", node), self.place("state", node));
            text += &format!(
                "{address}) exec ip netns exec {name} env RANKINE_CACHE_DIR='{}' RANKINE_STATE_DIR='{}' sh -c \"$*\" ;;\n",
                cache.display(),
                state.display()
            );
        }
        text += "*) echo \"no host is called $host\" >&2; exit 255 ;;\nesac\n";
        fs::write(self.ssh(), text)?;
        fs::set_permissions(self.ssh(), fs::Permissions::from_mode(0o755))?;
        Ok(())
    }

    /// The kernel announces a link some time after it came up, and MPI libraries ask whether it did.
    fn await_links(&self) -> Result<()> {
        for name in &self.names {
            for tries in 0.. {
                if ip(&["netns", "exec", name, "cat", "/sys/class/net/rk0/operstate"])?.trim() == "up" {
                    break;
                }
                if tries > 200 {
                    bail!("the link of {name} does not come up");
                }
                sleep(Duration::from_millis(50));
            }
        }
        Ok(())
    }
}

impl Drop for Nodes {
    fn drop(&mut self) {
        for name in self.names.iter().chain([&self.hub]) {
            // One that was never made can't be deleted.
            let _ = ip(&["netns", "del", name]);
        }
    }
}

fn ip(arguments: &[&str]) -> Result<String> {
    output(Command::new("ip").args(arguments))
}
