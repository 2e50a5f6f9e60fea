//! A node: what it is called, how it is reached, what lies where on it.

use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Serialize;

use rankine_system::trust;

/// One machine of a grid.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Node {
    /// What it is called in the grid.
    pub name: String,
    /// What the network calls it.
    pub address: String,
    /// How many ranks it may carry: as many as come to it, if nothing was said.
    pub slots: Option<usize>,
    /// What it is one of.
    pub kind: Option<String>,
    /// What else it is known by.
    pub labels: Vec<String>,
    /// Who logs in, if that is not who does here.
    pub user: Option<String>,
    /// The port of its ssh server.
    pub port: Option<u16>,
    /// The hosts that are passed on the way to it.
    pub jump: Option<String>,
    /// The program that reaches it and its first arguments, in place of `ssh`.
    pub ssh: Vec<String>,
    /// Where `rankine` is on it: where it is here, if nothing was said.
    pub rankine: Option<PathBuf>,
    /// Its MPI library; what the launcher needs there lies in `bin` beside it.
    pub library: Option<PathBuf>,
    /// The folder with what programs read and write.
    pub data: Option<PathBuf>,
    /// A folder for what a job brings along.
    pub scratch: Option<PathBuf>,
}

impl Node {
    /// A node of which no more is known than its name.
    pub fn plain(name: &str, slots: Option<usize>) -> Node {
        Node { name: name.into(), address: name.into(), slots, ..Node::default() }
    }

    /// Whether it is this machine. Launchers start what runs there without ssh, and so do we.
    pub fn is_here(&self) -> bool {
        let is_plain = self.user.is_none() && self.port.is_none() && self.jump.is_none();
        // Only an address of its own is one that a machine can listen on.
        is_plain && UdpSocket::bind((self.address.as_str(), 0)).is_ok()
    }

    /// The program that reaches it, with the arguments that say how; what is to be run there follows.
    pub fn reach(&self, ssh: &Path) -> Command {
        let mut command = Command::new(ssh);
        command.args(self.ssh.iter().skip(1));
        if let Some(port) = self.port {
            command.arg("-p").arg(port.to_string());
        }
        if let Some(user) = &self.user {
            command.arg("-l").arg(user);
        }
        if let Some(jump) = &self.jump {
            command.arg("-J").arg(jump);
        }
        command.arg(&self.address);
        command
    }

    /// The folder on it for what jobs bring along: one of our own, in a place that others may use too.
    pub fn store(&self) -> PathBuf {
        let scratch = self.scratch.as_deref().unwrap_or("/tmp".as_ref());
        match &self.user {
            Some(user) => scratch.join(format!("rankine-{user}")),
            None => scratch.join(format!("rankine-{}", trust::effective_user())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_to_a_node() {
        let node = Node {
            address: "10.0.0.7".into(),
            user: Some("me".into()),
            port: Some(2222),
            jump: Some("gate".into()),
            ssh: vec!["ssh".into(), "-C".into()],
            ..Node::plain("n7", None)
        };
        let command = node.reach("/usr/bin/ssh".as_ref());
        let words: Vec<_> = command.get_args().map(|word| word.to_str().unwrap()).collect();
        assert_eq!(node.store(), Path::new("/tmp/rankine-me"));
        assert_eq!(words, ["-C", "-p", "2222", "-l", "me", "-J", "gate", "10.0.0.7"]);
    }

    #[test]
    fn this_machine_is_known() {
        assert!(Node::plain("127.0.0.1", None).is_here());
        // Of a block that is given to nobody.
        assert!(!Node::plain("255.255.255.254", None).is_here());
        assert!(!Node { port: Some(2222), ..Node::plain("127.0.0.1", None) }.is_here());
    }
}
