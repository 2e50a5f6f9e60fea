//! Pointers to functions of another type, as sources make them by casts. clang tells of these; the object that it makes gets a
//! note of the two types, in a section of its own, which the linker finds in the program: there calls through pointers of the one
//! type are made to forgive functions of the other (`link/forgiving.rs`), and no others.

use crate::link::agreement::{Signature, is_adaptable};
use anyhow::{Context as _, Result};
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use wasmparser::{Parser, Payload};

/// The section's name.
pub(crate) const SECTION: &str = "rankine.casts";

/// A cast that matters: the function's type, and that by which it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cast {
    pub(crate) function: Signature,
    pub(crate) pointer: Signature,
}

impl Cast {
    /// What a warning of clang's tells of; nothing if both are one type in WebAssembly, or one can't be made of the other.
    pub(crate) fn of_warning(text: &str) -> Option<Cast> {
        let (_, rest) = text.split_once("cast from ")?;
        let (rest, _) = rest.rsplit_once(" converts to incompatible function type")?;
        let (from, to) = rest.split_once(" to '")?;
        let (function, pointer) = (signature(last_quoted(from)?)?, signature(last_quoted(&format!("'{to}"))?)?);
        (function != pointer && is_adaptable(&pointer, &function)).then_some(Cast { function, pointer })
    }

    fn written(&self) -> String {
        let side = |signature: &Signature| signature.parameters.join(" ") + ">" + &signature.results.join(" ");
        format!("{}={}\n", side(&self.function), side(&self.pointer))
    }

    fn read(line: &str) -> Option<Cast> {
        let side = |text: &str| {
            let words = |list: &str| list.split_whitespace().map(String::from).collect();
            let (parameters, results) = text.split_once('>')?;
            Some(Signature { parameters: words(parameters), results: words(results) })
        };
        let (function, pointer) = line.split_once('=')?;
        Some(Cast { function: side(function)?, pointer: side(pointer)? })
    }
}

/// The text of a type: what it is otherwise known as, if that is said.
fn last_quoted(text: &str) -> Option<&str> {
    text.trim_end_matches(')').strip_suffix('\'')?.rsplit_once('\'').map(|(_, last)| last)
}

/// The type in WebAssembly of a pointer to a function, as C has it.
fn signature(text: &str) -> Option<Signature> {
    let (result, parameters) = text.split_once("(*)(")?;
    let parameters = parameters.strip_suffix(')').or_else(|| parameters.rsplit_once(") ").map(|(list, _)| list))?;
    let parameters = match parameters {
        "" | "void" => Vec::new(),
        list => split(list).into_iter().map(value).collect::<Option<Option<Vec<_>>>>()??,
    };
    let results = value(result)?.into_iter().collect();
    Some(Signature { parameters, results })
}

/// The parts of a list, whose commas inside brackets separate nothing.
fn split(list: &str) -> Vec<&str> {
    let mut depth = 0;
    let parts = list.split(|letter: char| {
        depth +=
            i32::from(matches!(letter, '(' | '<' | '[' | '{')) - i32::from(matches!(letter, ')' | '>' | ']' | '}'));
        letter == ',' && depth == 0
    });
    parts.map(str::trim).collect()
}

/// What a value of a type is in WebAssembly: nothing of `void`. Nothing is known of structures, whatever is longer than 64
/// bits, and names that are not C's own.
fn value(text: &str) -> Option<Option<String>> {
    const WORDS: [&str; 15] = [
        "const", "volatile", "signed", "unsigned", "char", "short", "int", "long", "float", "double", "_Bool", "bool",
        "void", "enum", "restrict",
    ];
    let known = |kind: &str| Some(Some(kind.to_owned()));
    if text.ends_with(['*', '&', ']'])
        || text.contains("(*)")
        || text.ends_with("*const")
        || text.ends_with("*restrict")
    {
        return known("i32");
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.first() == Some(&"enum") {
        return known("i32");
    }
    if words.is_empty() || words.iter().any(|word| !WORDS.contains(word)) {
        return None;
    }
    let longs = words.iter().filter(|word| **word == "long").count();
    match () {
        () if words.contains(&"void") => Some(None),
        () if words.contains(&"float") => known("f32"),
        () if words.contains(&"double") && longs == 0 => known("f64"),
        () if words.contains(&"double") => None,
        () if longs > 1 => known("i64"),
        () => known("i32"),
    }
}

/// Notes casts in an object.
pub(crate) fn note(object: &Path, casts: &[Cast]) -> Result<()> {
    let is_module = fs::read(object).is_ok_and(|bytes| bytes.starts_with(b"\0asm"));
    if !is_module || casts.is_empty() {
        return Ok(());
    }
    let text: String = casts.iter().map(Cast::written).collect();
    let content = [&[SECTION.len() as u8], SECTION.as_bytes(), text.as_bytes()].concat();
    let mut section = vec![0];
    leb128(&mut section, content.len());
    section.extend(content);
    let file = OpenOptions::new().append(true).open(object);
    file.and_then(|mut file| file.write_all(&section)).with_context(|| format!("cannot write {}", object.display()))
}

fn leb128(bytes: &mut Vec<u8>, mut number: usize) {
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// The casts that are noted in a program.
pub(crate) fn noted(module: &[u8]) -> Result<Vec<Cast>> {
    let mut casts: Vec<Cast> = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        let Payload::CustomSection(section) = payload? else { continue };
        if section.name() == SECTION {
            let text = String::from_utf8_lossy(section.data()).into_owned();
            for cast in text.lines().filter_map(Cast::read) {
                if !casts.contains(&cast) {
                    casts.push(cast);
                }
            }
        }
    }
    Ok(casts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(types: &str) -> Option<String> {
        let text = format!("a.c:5:42: warning: cast from {types} converts to incompatible function type [-W]");
        Cast::of_warning(&text).map(|cast| cast.written().trim_end().to_owned())
    }

    #[test]
    fn types_are_those_of_webassembly() {
        assert_eq!(shown("'int (*)(int *)' to 'void (*)(int *)'").as_deref(), Some("i32>i32=i32>"));
        let aka = "'cb' (aka 'int (*)(void *, long long, double)')";
        assert_eq!(shown(&format!("'int (*)(int *)' to {aka}")).as_deref(), Some("i32>i32=i32 i64 f64>i32"));
        let wide = "'void (*)(struct a *, hsize)' (aka 'void (*)(struct a *, unsigned long long)')";
        assert_eq!(shown(&format!("{wide} to 'int (*)(void *)'")).as_deref(), Some("i32 i64>=i32>i32"));
        assert_eq!(shown("'void (*)(void (*)(int, int), float)' to 'void (*)(void)'").as_deref(), Some("i32 f32>=>"));
    }

    #[test]
    fn what_matters_not_or_is_not_known_is_left_alone() {
        for types in [
            "'int (*)(int *)' to 'int (*)(void *)'",
            "'int (*)(double)' to 'int (*)(void *)'",
            "'void (*)(struct a)' to 'int (*)(void *)'",
            "'void (*)(off_t)' to 'int (*)(void *)'",
        ] {
            assert_eq!(shown(types), None, "{types}");
        }
    }

    #[test]
    fn notes_are_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let object = folder.path().join("a.o");
        fs::write(&object, b"\0asm\x01\0\0\0").unwrap();
        let cast = |types: &str| Cast::read(types).unwrap();
        let casts: Vec<Cast> = (0..40).map(|n| cast(&format!("{}>i32=i32>", "i32 ".repeat(n)))).collect();
        note(&object, &casts).unwrap();
        note(&object, &casts[..1]).unwrap();
        let bytes = fs::read(&object).unwrap();
        assert!(wasmparser::Validator::new().validate_all(&bytes).is_ok());
        assert_eq!(noted(&bytes).unwrap(), casts);
    }
}
