//! Reads from the engine's source which MPI functions it has: `pub [async] fn name(r: &Rank, …) -> Result<…>` in the
//! file, or folder, of a chapter.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};

use crate::functions::Function;

/// The functions that the engine has.
pub struct Engine {
    /// By name; two modules may have functions of the same name.
    functions: BTreeMap<String, Vec<Declared>>,
    /// Bodies of shims that follow no rule, in `host/src/local/bodies`.
    bodies: BTreeMap<String, Declared>,
    /// The text of the shims that are altogether written by hand, in `host/src/local/hand*.rs`.
    hand: String,
}

/// A function as the engine declares it.
#[derive(Debug)]
pub struct Declared {
    /// `pt2pt`
    pub module: String,
    /// `pt2pt::send`
    pub path: String,
    pub is_async: bool,
    /// There is a function `NAME_at_once` too, which does the usual case if that takes no waiting, or nothing.
    pub at_once: bool,
    /// The types of its parameters after the rank.
    pub parameters: Vec<String>,
    /// The parts of what it returns on success.
    pub results: Vec<String>,
}

impl Engine {
    /// Reads `host/local/src` and what is written by hand in `host/src/local`.
    pub fn read(root: &Path) -> Result<Self> {
        let mut engine = Self { functions: BTreeMap::new(), bodies: BTreeMap::new(), hand: String::new() };
        for (path, text) in sources(&root.join("host/local/src"), "rs")? {
            let module = path.split(['/', '.']).next().expect("a path has a first part").to_owned();
            for (name, declared) in declarations(&module, &text)? {
                engine.functions.entry(name).or_default().push(declared);
            }
        }
        for (path, text) in sources(&root.join("host/src/local"), "rs")? {
            if path.starts_with("bodies") {
                engine.bodies.extend(declarations("bodies", &text)?);
            } else if path.starts_with("hand") {
                engine.hand += &text;
            }
        }
        Ok(engine)
    }

    /// The engine's function for one of MPI: that of its chapter's module, if several have its name.
    pub fn function(&self, function: &Function) -> Option<&Declared> {
        match self.functions.get(&function.worker())?.as_slice() {
            [declared] => Some(declared),
            several => several.iter().find(|declared| declared.module == function.chapter),
        }
    }

    /// The hand-written body of a shim.
    pub fn body(&self, snake: &str) -> Option<&Declared> {
        self.bodies.get(snake)
    }

    /// Whether a guest may call the function on the embedded engine.
    pub fn has(&self, function: &Function) -> bool {
        let snake = function.worker();
        function.chapter == "convert"
            || self.bodies.contains_key(&snake)
            || self.hand.contains(&format!("\"{}\"", function.name))
            || (!function.by_hand && self.function(function).is_some())
    }
}

/// All files with that extension in a folder and beneath it, sorted: path from the folder, text.
pub fn sources(folder: &Path, extension: &str) -> Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).with_context(|| format!("cannot read {}", next.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                let name = path.strip_prefix(folder)?.to_string_lossy().into_owned();
                found.insert(name, crate::read(&path)?);
            }
        }
    }
    Ok(found)
}

/// The functions that a file declares at its top level with a rank as first parameter.
fn declarations(module: &str, text: &str) -> Result<Vec<(String, Declared)>> {
    let mut found = Vec::new();
    let public = ["\npub ", "\npub(crate) ", "\npub(super) "];
    let starts = public.iter().flat_map(|word| text.match_indices(word).map(|(at, _)| &text[at + word.len()..]));
    for line in starts {
        let (is_async, rest) = match line.strip_prefix("async fn ") {
            Some(rest) => (true, rest),
            None => match line.strip_prefix("fn ") {
                Some(rest) => (false, rest),
                None => continue,
            },
        };
        let Some((signature, _)) = rest.split_once(" {\n").or_else(|| rest.split_once("\n}")) else { continue };
        let signature: String = signature.split_whitespace().collect::<Vec<_>>().join(" ");
        let Some((name, rest)) = signature.split_once('(') else { continue };
        let rest = rest.trim_start();
        let takes_rank = rest.split_once(": ").is_some_and(|(_, c)| c.starts_with("&Rank"));
        if !takes_rank || name.contains('<') {
            continue;
        }
        // Those that return a plain value have no error to raise, and shims of their own.
        let Some((parameters, result)) = rest.rsplit_once("-> Result<") else { continue };
        let parameters = split(parameters.trim().trim_end_matches(')'));
        let types = parameters.iter().skip(1).filter_map(|p| p.split_once(':')).map(|(_, c)| c.trim().to_owned());
        let result = result.trim().strip_suffix('>').context("Result is not closed")?;
        let results = match result.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
            Some(parts) => split(parts),
            None => vec![result.to_owned()],
        };
        let path = format!("{module}::{name}");
        let at_once = text.contains(&format!("\npub fn {name}_at_once("));
        found.push((
            name.to_owned(),
            Declared { module: module.to_owned(), path, is_async, at_once, parameters: types.collect(), results },
        ));
    }
    Ok(found)
}

/// Splits at commas outside of brackets.
fn split(text: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0_i32);
    for c in text.chars() {
        match c {
            '(' | '[' | '<' => depth += 1,
            ')' | ']' | '>' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().expect("it starts with one").push(c);
    }
    parts.iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_read() {
        let text = "\npub async fn test(\n    r: &Rank,\n    request: Request,\n    list: &[Datatype],\n) -> \
                    Result<(Request, bool, Status)> {\n    1\n}\n\npub fn helper(x: i32) -> i32 {\n    x\n}\n\
                    \npub fn barrier(r: &Rank) -> Result<()> {\n}\n";
        let found = declarations("request", text).unwrap();
        assert_eq!(found.len(), 2);
        let (name, test) = &found[0];
        assert_eq!((name.as_str(), test.path.as_str(), test.is_async), ("test", "request::test", true));
        assert_eq!(test.parameters, ["Request", "&[Datatype]"]);
        assert_eq!(test.results, ["Request", "bool", "Status"]);
        assert!(found[1].1.parameters.is_empty() && found[1].1.results.is_empty());
    }
}
