//! What wasm-ld says of functions that two objects declare differently, and whether a native linker's programs would mind.

/// Types of values, as wasm-ld writes them.
pub(crate) type Types = Vec<String>;

/// A function's type: parameters and results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    pub(crate) parameters: Types,
    pub(crate) results: Types,
}

/// One function that two objects disagree about.
#[derive(Debug)]
pub(super) struct Mismatch {
    pub(super) function: String,
    /// Who calls it, then who defines it: the type, and the file.
    caller: (Signature, String),
    callee: (Signature, String),
    /// What wasm-ld said.
    pub(super) said: String,
}

/// What can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Agreement {
    /// An adapter makes one call of the other.
    Adapted,
    /// The caller knows no more than the name, as probes of configure scripts do: linking is all that it is about.
    InNameOnly,
    /// Nothing makes sense.
    None,
}

/// The mismatches that wasm-ld warns of, and what else it says.
pub(super) fn read(said: &str) -> (Vec<Mismatch>, String) {
    let (mut found, mut rest) = (Vec::new(), String::new());
    let mut lines = said.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let Some((_, function)) = line.split_once("warning: function signature mismatch: ") else {
            rest += line;
            continue;
        };
        let mut block = line.to_string();
        let mut sides = Vec::new();
        while let Some(line) = lines.next_if(|line| line.starts_with(">>> ")) {
            sides.extend(side(line));
            block += line;
        }
        // A blank line ends it.
        block.extend(lines.next_if(|line| line.trim().is_empty()));
        match <[_; 2]>::try_from(sides) {
            Ok([caller, callee]) => {
                found.push(Mismatch { function: function.trim().into(), caller, callee, said: block });
            }
            Err(_) => rest += &block,
        }
    }
    (found, rest)
}

/// One side: `>>> defined as (i32, f64) -> void in a.o`.
fn side(line: &str) -> Option<(Signature, String)> {
    let (parameters, rest) = line.trim_end().strip_prefix(">>> defined as (")?.split_once(") -> ")?;
    let (result, file) = rest.split_once(" in ")?;
    let types =
        |list: &str| list.split(", ").filter(|word| !word.is_empty() && *word != "void").map(String::from).collect();
    Some((Signature { parameters: types(parameters), results: types(result) }, file.into()))
}

impl Mismatch {
    /// What can be done about it.
    pub(super) fn agreement(&self) -> Agreement {
        let (caller, callee) = (&self.caller.0, &self.callee.0);
        match is_adaptable(caller, callee) {
            true => Agreement::Adapted,
            false if caller.parameters.is_empty() => Agreement::InNameOnly,
            false => Agreement::None,
        }
    }

    /// The type that the caller wants, and its file.
    pub(super) fn called_as(&self) -> &(Signature, String) {
        &self.caller
    }

    /// Whether all that the caller does not want is a result: it gets by what it passes.
    pub(super) fn leaves_a_result(&self) -> bool {
        self.caller.0.parameters == self.callee.0.parameters && self.caller.0.results.is_empty()
    }

    pub(super) fn in_words(&self) -> String {
        let shown = |(signature, file): &(Signature, String)| {
            let result = signature.results.first().map_or("void", String::as_str);
            format!("({}) -> {result} in {file}", signature.parameters.join(", "))
        };
        format!("the function {} is {}, and {}", self.function, shown(&self.caller), shown(&self.callee))
    }
}

/// Whether a call of one type can be made one of the other. Native conventions pass integers in registers, whatever their
/// width, and floating-point numbers in others: missing arguments and results are whatever is there, the surplus is never
/// looked at.
pub(crate) fn is_adaptable(caller: &Signature, callee: &Signature) -> bool {
    let alike = |(one, other): (&String, &String)| one == other || is_integer(one) && is_integer(other);
    let zero = |kind: &String| ["i32", "i64", "f32", "f64", "v128"].contains(&kind.as_str());
    let missing = callee.parameters.iter().skip(caller.parameters.len());
    caller.parameters.iter().zip(&callee.parameters).all(alike)
        && caller.results.iter().zip(&callee.results).all(alike)
        && missing.chain(&caller.results).all(zero)
        && caller.results.len().max(callee.results.len()) <= 1
}

fn is_integer(kind: &str) -> bool {
    matches!(kind, "i32" | "i64")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "\
wasm-ld-22: warning: function signature mismatch: f
>>> defined as (i32, i64) -> void in a.o
>>> defined as (i32) -> i32 in lib.a(b.o)

wasm-ld-22: warning: something else
wasm-ld-22: warning: function signature mismatch: sin
>>> defined as () -> i32 in conftest.o
>>> defined as (f64) -> f64 in libc.a(sin.o)
wasm-ld-22: warning: function signature mismatch: g
>>> defined as (f64) -> void in a.o
>>> defined as (i32) -> void in b.o
";

    #[test]
    fn what_the_linker_says_is_understood() {
        let (found, rest) = read(SAID);
        assert_eq!(rest, "wasm-ld-22: warning: something else\n");
        let kinds: Vec<_> = found.iter().map(|mismatch| (mismatch.function.as_str(), mismatch.agreement())).collect();
        assert_eq!(kinds, [("f", Agreement::Adapted), ("sin", Agreement::InNameOnly), ("g", Agreement::None)]);
        assert_eq!(found[2].in_words(), "the function g is (f64) -> void in a.o, and (i32) -> void in b.o");
        assert!(found[0].said.ends_with("(b.o)\n\n"), "{:?}", found[0].said);
    }
}
