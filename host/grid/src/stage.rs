//! What a job brings along: its program and its files go to each node's store, by content, before the first rank starts,
//! and what it leaves comes back.
//!
//! A node that has it all is asked once, and nothing is copied. The program is compiled there too: code is run only where
//! it was made with the key that each of a user's state folders has.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::ask::{Asker, Refusal, each};
use crate::node::Node;
use crate::retries::Retries;
use crate::store::{self, Entry};
use rankine_system::shown::bytes;
use rankine_system::tell;

/// What a job brings along.
pub struct Baggage {
    /// The program.
    program: (PathBuf, Entry),
    /// Files that it reads.
    inputs: Vec<(PathBuf, Entry)>,
    /// Files that it writes: where they come to here.
    outputs: Vec<PathBuf>,
    /// What the job's folders are called, if it has any.
    pub job: Option<String>,
    /// How often it is tried again to bring it to a node.
    retries: Retries,
    /// What the files are called by which nodes know that ranks have started, if that is to be known.
    mark: Option<String>,
    /// What its code is to be like: options for the `rankine` that compiles it there.
    codegen: Vec<OsString>,
}

/// A node's answer to what a job is to find there.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Ready {
    /// What is not there yet.
    pub missing: Vec<Entry>,
    /// Where code was compiled to, and where the key is that seals it.
    pub cache: Option<PathBuf>,
    /// Where the key is that seals it.
    pub state: Option<PathBuf>,
    /// Devices of networks that are faster than TCP.
    #[serde(default)]
    pub fabrics: Vec<String>,
}

/// What a node has now.
pub struct Staged {
    /// Its answer.
    pub ready: Ready,
    /// What was copied to it.
    pub copied: (usize, u64),
}

impl Baggage {
    /// Reads what is to be brought along. Files with the same name would be one on the nodes.
    pub fn pack(program: &Path, inputs: &[PathBuf], outputs: &[PathBuf], codegen: Vec<OsString>) -> Result<Baggage> {
        let entry = |file: &PathBuf| Ok((file.clone(), Entry::of(file)?));
        let inputs = inputs.iter().map(entry).collect::<Result<Vec<_>>>().context("--input")?;
        let names: Vec<&str> = inputs.iter().map(|(_, entry)| entry.name.as_str()).collect();
        if let Some(at) = (1..names.len()).find(|&at| names[..at].contains(&names[at])) {
            bail!("--input: two files are called {}", names[at]);
        }
        let mut seen = Vec::new();
        for output in outputs {
            let name = file_name(output);
            ensure!(store::is_file_name(&name), "--output {}: this is not the name of a file", output.display());
            ensure!(!seen.contains(&name), "--output: two files are called {name}");
            let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
            ensure!(folder.is_none_or(Path::is_dir), "--output {}: there is no such folder", output.display());
            seen.push(name);
        }
        let job = (!inputs.is_empty() || !outputs.is_empty()).then(drawn);
        let program = entry(&program.into())?;
        let (outputs, retries) = (outputs.to_vec(), Retries::new(0));
        Ok(Baggage { program, inputs, outputs, job, retries, mark: None, codegen })
    }

    /// Starting is tried again so often.
    pub fn with_retries(mut self, count: u32) -> Baggage {
        self.retries = Retries::new(count);
        self.mark = (count > 0).then(|| format!("{}.started", drawn()));
        self
    }

    /// The file on a node that shows whether ranks have started there.
    pub fn mark_on(&self, node: &Node) -> Option<PathBuf> {
        Some(store::job_folder(&node.store(), self.mark.as_deref()?))
    }

    /// Tries that are left for the launcher.
    pub fn retries(&self) -> Retries {
        self.retries
    }

    /// Whether a rank of the job has started. Nodes that can't be asked are named.
    pub fn is_started(&self, asker: &Asker, nodes: &[&Node]) -> Result<bool, String> {
        let Some(mark) = &self.mark else { return Ok(true) };
        let answers = each(nodes, |node| {
            let mut question = words("started", node);
            question.extend(["--job".into(), mark.into()]);
            asker.ask_for::<bool>(node, &question)
        });
        let mut unknown = Vec::new();
        for (node, answer) in nodes.iter().zip(answers) {
            match answer {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(refusal) => unknown.push(format!("{}: {refusal}", node.name)),
            }
        }
        if unknown.is_empty() { Ok(false) } else { Err(unknown.join("; ")) }
    }

    /// What the program is known by.
    pub fn digest(&self) -> &str {
        &self.program.1.digest
    }

    /// Where the program lies on a node.
    pub fn program_on(&self, node: &Node) -> PathBuf {
        self.program.1.path(&node.store())
    }

    /// The job's folder on a node, if it has one.
    pub fn folder_on(&self, node: &Node) -> Option<PathBuf> {
        Some(store::job_folder(&node.store(), self.job.as_deref()?))
    }

    /// Whether something is to be done after the job.
    pub fn is_awaited(&self) -> bool {
        self.job.is_some() || self.mark.is_some()
    }

    /// The arguments of `rankine` that ask a node whether it has everything.
    pub fn question(&self, node: &Node) -> Vec<OsString> {
        let mut words = words("ready", node);
        words.extend(["--program".into(), String::from(self.program.1.clone()).into()]);
        words.extend_from_slice(&self.codegen);
        words.extend(self.job.iter().flat_map(|job| ["--job".into(), job.into()]));
        words.extend(self.inputs.iter().map(|(_, entry)| String::from(entry.clone()).into()));
        words
    }

    /// Sees to it that every node has everything. All that don't are named, with what they were to carry.
    pub fn send(&self, asker: &Asker, carriers: &[(&Node, String)]) -> Result<Vec<Staged>> {
        let nodes: Vec<&Node> = carriers.iter().map(|(node, _)| *node).collect();
        let outcomes = each(&nodes, |node| self.send_patiently(asker, node));
        let mut refusals = Vec::new();
        let mut staged = Vec::new();
        for ((node, ranks), outcome) in carriers.iter().zip(outcomes) {
            match outcome {
                Ok(done) => {
                    let (files, length) = done.copied;
                    tracing::info!("{}: {files} files copied, {}", node.name, bytes(length));
                    staged.push(done);
                }
                Err(refusal) => refusals.push(format!("{}, for {ranks}: {refusal}", node.name)),
            }
        }
        match refusals.is_empty() {
            true => Ok(staged),
            false => bail!(
                "nothing was started, since not every node is ready:\n  {}\n  → `rankine grid check` says more of each node",
                refusals.join("\n  ")
            ),
        }
    }

    fn send_patiently(&self, asker: &Asker, node: &Node) -> Result<Staged, Refusal> {
        let mut retries = self.retries;
        loop {
            match self.send_to(asker, node) {
                Err(refusal) if refusal.may_pass() => {
                    let again = retries.again(format_args!("{}: {refusal}", node.name));
                    again.ok_or(refusal)?;
                }
                outcome => return outcome,
            }
        }
    }

    fn send_to(&self, asker: &Asker, node: &Node) -> Result<Staged, Refusal> {
        let mut ready = self.ask(asker, node)?;
        let mut copied = (0, 0);
        if !ready.missing.is_empty() {
            for entry in &ready.missing {
                copied.1 += self.put(asker, node, entry)?;
                copied.0 += 1;
            }
            ready = self.ask(asker, node)?;
        }
        match ready.missing.first() {
            None => Ok(Staged { ready, copied }),
            Some(entry) => Err(Refusal::Failed(format!("{} was copied there, but is missing now", entry.name))),
        }
    }

    fn ask(&self, asker: &Asker, node: &Node) -> Result<Ready, Refusal> {
        asker.ask_for(node, &self.question(node))
    }

    fn put(&self, asker: &Asker, node: &Node, entry: &Entry) -> Result<u64, Refusal> {
        let failed = |error: std::io::Error| Refusal::Failed(format!("{}: {error}", entry.name));
        let files = std::iter::once(&self.program).chain(&self.inputs);
        let Some((path, _)) = files.into_iter().find(|(_, ours)| ours == entry) else {
            return Err(Refusal::Failed("it asks for a file that this job does not have".into()));
        };
        let file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let mut words = words("put", node);
        words.push(String::from(entry.clone()).into());
        asker.ask(node, &words, Some(file))?;
        Ok(length)
    }

    /// Brings back what the job has left, and removes its folders. Where nodes have different files of a name, each is
    /// kept, with the node's name behind its own. What can't be fetched stays where it is.
    pub fn fetch(&self, asker: &Asker, nodes: &[&Node]) -> Result<()> {
        let Some(job) = self.job.as_deref() else {
            self.clear(asker, nodes);
            return Ok(());
        };
        let names: Vec<OsString> = self.outputs.iter().map(|output| file_name(output).into()).collect();
        let found = each(nodes, |node| {
            let mut question = words("results", node);
            question.extend(["--job".into(), job.into()]);
            question.extend(names.iter().cloned());
            if names.is_empty() { Ok(Vec::new()) } else { asker.ask_for::<Vec<Entry>>(node, &question) }
        });
        let mut troubles = Vec::new();
        let mut results: Vec<(&Node, Entry)> = Vec::new();
        for (node, found) in nodes.iter().zip(found) {
            match found {
                Ok(entries) => results.extend(entries.into_iter().map(|entry| (*node, entry))),
                Err(refusal) => troubles.push(format!("{}: {refusal}", node.name)),
            }
        }
        for output in &self.outputs {
            let name = file_name(output);
            // The first node that has a file with these bytes: nodes may share the folder.
            let mut of_name: Vec<&(&Node, Entry)> = Vec::new();
            for result in results.iter().filter(|(_, entry)| entry.name == name) {
                if !of_name.iter().any(|(_, entry)| entry.digest == result.1.digest) {
                    of_name.push(result);
                }
            }
            let is_one = of_name.len() == 1;
            for (node, entry) in &of_name {
                let place = if is_one { output.clone() } else { with_node(output, &node.name) };
                if let Err(refusal) = bring(asker, node, job, entry, &place) {
                    troubles.push(format!("{}: {name}: {refusal}", node.name));
                }
            }
            match of_name.len() {
                0 if troubles.is_empty() => {
                    troubles.push(format!("no node has {name}: the program has not written it"))
                }
                0 | 1 => {}
                _ => tell!("rankine: warning: nodes have different files {name}: each came back with its node's name"),
            }
        }
        if troubles.is_empty() || results.is_empty() {
            self.clear(asker, nodes);
        }
        match troubles.is_empty() {
            true => Ok(()),
            false => bail!("--output: not everything came back:\n  {}", troubles.join("\n  ")),
        }
    }

    /// Removes the job's folders. A node that is gone keeps its own, until `rankine grid clean`.
    fn clear(&self, asker: &Asker, nodes: &[&Node]) {
        for job in self.job.iter().chain(&self.mark) {
            each(nodes, |node| {
                let mut question = words("end", node);
                question.extend(["--job".into(), job.into()]);
                if let Err(refusal) = asker.ask(node, &question, None) {
                    tracing::warn!("{}: {job} was not removed from its store: {refusal}", node.name);
                }
            });
        }
    }
}

/// Fetches a result: it appears whole or not at all.
fn bring(asker: &Asker, node: &Node, job: &str, entry: &Entry, place: &Path) -> Result<(), Refusal> {
    let failed = |error: anyhow::Error| Refusal::Failed(format!("{error:#}"));
    let mut question = words("get", node);
    question.extend(["--job".into(), job.into(), entry.name.clone().into()]);
    let mut arrived = tempfile::tempfile().map_err(|error| failed(error.into()))?;
    let into = arrived.try_clone().map_err(|error| failed(error.into()))?;
    asker.ask_into(node, &question, into)?;
    std::io::Seek::rewind(&mut arrived).map_err(|error| failed(error.into()))?;
    let place = std::path::absolute(place).map_err(|error| failed(error.into()))?;
    // As open as the user's new files are.
    store::write_checked(&place, &entry.digest, arrived, 0o666).map_err(failed)
}

/// The beginning of a question about a node's store.
fn words(what: &str, node: &Node) -> Vec<OsString> {
    vec!["grid".into(), "store".into(), what.into(), "--store".into(), node.store().into()]
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn with_node(path: &Path, node: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(node);
    name.into()
}

/// A name that no other job has.
fn drawn() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{:x}-{:x}", now.as_nanos(), std::process::id())
}
