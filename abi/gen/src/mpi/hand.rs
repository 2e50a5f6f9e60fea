//! Finds the shims of the `mpi` engine that are written by hand.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;

use crate::functions::Function;
use crate::local::engine::sources;

/// A shim that is written by hand.
pub struct Written {
    /// What the registration calls.
    pub path: String,
    /// It serves both variants, and takes `large: bool`.
    pub takes_large: bool,
}

/// All of them, by name in snake case.
pub struct Hand(BTreeMap<String, Written>);

impl Hand {
    /// Reads the files of the engine.
    pub fn read(root: &Path) -> Result<Self> {
        let mut found = BTreeMap::new();
        for (file, text) in sources(&root.join("host/src/mpi"), "rs")? {
            if file.starts_with("generated") {
                continue;
            }
            let module = file.trim_end_matches(".rs").trim_end_matches("/mod").replace('/', "::");
            for (at, _) in text.match_indices("\npub(in crate::mpi) fn ") {
                let rest = &text[at + "\npub(in crate::mpi) fn ".len()..];
                let Some((name, parameters)) = rest.split_once('(') else { continue };
                let Some((parameters, _)) = parameters.split_once(") -> ") else { continue };
                if parameters.contains(": &Rank, ") && parameters.contains(": &mut Words<'_>") {
                    let takes_large = parameters.ends_with("large: bool");
                    let path = format!("crate::mpi::{module}::{name}");
                    found.insert(name.to_owned(), Written { path, takes_large });
                }
            }
        }
        Ok(Self(found))
    }

    /// The shim of a function, if it is written by hand.
    pub fn function(&self, function: &Function) -> Option<&Written> {
        self.0.get(&function.snake()).or_else(|| self.0.get(&function.worker()))
    }
}
