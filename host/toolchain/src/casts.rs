//! Pointers to functions of another type, as sources make them by casts. clang tells of these; the object that it makes gets a
//! note of the two types, in a section of its own, which the linker finds in the program: there calls through pointers of the one
//! type are made to forgive functions of the other (`link/forgiving.rs`), and no others.
//!
//! A pointer that names no parameters (`int (*f)()`) takes any function without a cast, and says nothing of what it is called with.
//! clang tells of the calls, without types: an object that has some gets a note of all types that it calls pointers by.

use crate::link::agreement::{Signature, is_adaptable};
use crate::link::types_called;
use anyhow::{Context as _, Result};
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use wasmparser::{Parser, Payload};

/// Instead of parameters or results: whatever they are.
const ANY: &str = "*";

/// The section's name.
pub(crate) const SECTION: &str = "rankine.casts";

/// What pointers and `long` are in WebAssembly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Word {
    #[default]
    I32,
    /// In programs with 64-bit addresses.
    I64,
}

impl Word {
    fn name(self) -> &'static str {
        match self {
            Word::I32 => "i32",
            Word::I64 => "i64",
        }
    }
}

/// A cast that matters: the function's type, and that by which it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cast {
    pub(crate) function: Signature,
    pub(crate) pointer: Signature,
}

impl Cast {
    /// What a warning of clang's tells of; nothing if both are one type in WebAssembly, or one can't be made of the other.
    pub(crate) fn of_warning(text: &str, word: Word) -> Option<Cast> {
        let (from, to) = types(text)?;
        let (function, mut pointer) = (signature(from, word)?, signature(to, word)?);
        if to.ends_with("(*)()") {
            pointer.parameters = vec![ANY.to_owned()];
            return Some(Cast { function, pointer });
        }
        (function != pointer && is_adaptable(&pointer, &function)).then_some(Cast { function, pointer })
    }

    /// Any function is called, by any type.
    fn any() -> Cast {
        let any = || Signature { parameters: vec![ANY.into()], results: vec![ANY.into()] };
        Cast { function: any(), pointer: any() }
    }

    /// What another warning tells of: arguments are passed by a pointer that names no parameters.
    pub(crate) fn of_call(text: &str) -> Option<Cast> {
        text.contains("passing arguments to a function without a prototype").then(Cast::any)
    }

    /// Whether calls through a pointer of this type, of a function of that type, are meant.
    pub(crate) fn is_of(&self, pointer: &Signature, function: &Signature) -> bool {
        let has = |said: &[String], is: &[String]| said == [ANY] || said == is;
        let fits =
            |said: &Signature, is: &Signature| has(&said.parameters, &is.parameters) && has(&said.results, &is.results);
        fits(&self.pointer, pointer) && fits(&self.function, function)
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

/// What a warning says of a function and of a pointer to it.
fn types(text: &str) -> Option<(&str, &str)> {
    let (_, rest) = text.split_once("cast from ")?;
    let (rest, _) = rest.rsplit_once(" converts to incompatible function type")?;
    let at = rest.find(" to '")?;
    Some((last_quoted(&rest[..at])?, last_quoted(&rest[at + " to ".len()..])?))
}

/// Whether the types that a warning tells of differ by more than what pointers among them point to, as far as they are known.
pub(crate) fn is_mismatch(text: &str, word: Word) -> bool {
    let known =
        |(from, to): (&str, &str)| Some(!to.ends_with("(*)()") && signature(from, word)? != signature(to, word)?);
    types(text).and_then(known).unwrap_or(true)
}

/// The text of a type: what it is otherwise known as, if that is said.
fn last_quoted(text: &str) -> Option<&str> {
    text.trim_end_matches(')').strip_suffix('\'')?.rsplit_once('\'').map(|(_, last)| last)
}

/// The type in WebAssembly of a pointer to a function, as C has it.
fn signature(text: &str, word: Word) -> Option<Signature> {
    let (result, parameters) = text.split_once("(*)(")?;
    let parameters = parameters.strip_suffix(')').or_else(|| parameters.rsplit_once(") ").map(|(list, _)| list))?;
    let parameters = match parameters {
        "" | "void" => Vec::new(),
        list => split(list).into_iter().map(|text| value(text, word)).collect::<Option<Option<Vec<_>>>>()??,
    };
    let results = value(result, word)?.into_iter().collect();
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
fn value(text: &str, word: Word) -> Option<Option<String>> {
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
        return known(word.name());
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
        () if longs == 1 => known(word.name()),
        () => known("i32"),
    }
}

/// Notes casts in an object.
pub(crate) fn note(object: &Path, casts: &[Cast]) -> Result<()> {
    let bytes = fs::read(object).unwrap_or_default();
    if !bytes.starts_with(b"\0asm") || casts.is_empty() {
        return Ok(());
    }
    let mut casts = casts.to_vec();
    if casts.contains(&Cast::any()) {
        casts.retain(|cast| *cast != Cast::any());
        casts.extend(types_called(&bytes)?.into_iter().map(|pointer| Cast { pointer, ..Cast::any() }));
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
        shown_in(types, Word::I32)
    }

    fn shown_in(types: &str, word: Word) -> Option<String> {
        let text = format!("a.c:5:42: warning: cast from {types} converts to incompatible function type [-W]");
        Cast::of_warning(&text, word).map(|cast| cast.written().trim_end().to_owned())
    }

    #[test]
    fn types_are_those_of_webassembly() {
        assert_eq!(shown("'int (*)(int *)' to 'void (*)(int *)'").as_deref(), Some("i32>i32=i32>"));
        let aka = "'cb' (aka 'int (*)(void *, long long, double)')";
        assert_eq!(shown(&format!("'int (*)(int *)' to {aka}")).as_deref(), Some("i32>i32=i32 i64 f64>i32"));
        let wide = "'void (*)(struct a *, hsize)' (aka 'void (*)(struct a *, unsigned long long)')";
        assert_eq!(shown(&format!("{wide} to 'int (*)(void *)'")).as_deref(), Some("i32 i64>=i32>i32"));
        assert_eq!(shown("'void (*)(void (*)(int, int), float)' to 'void (*)(void)'").as_deref(), Some("i32 f32>=>"));
        assert_eq!(shown("'int (*)(int *)' to 'f' (aka 'int (*)()')").as_deref(), Some("i32>i32=*>i32"));
    }

    #[test]
    fn pointers_and_longs_are_as_wide_as_addresses() {
        let wide = |types: &str| shown_in(types, Word::I64);
        assert_eq!(wide("'int (*)(int *)' to 'void (*)(int *)'").as_deref(), Some("i64>i32=i64>"));
        let words = "'long (*)(void *, unsigned long, enum e, int)' to 'int (*)(void *)'";
        assert_eq!(wide(words).as_deref(), Some("i64 i64 i32 i32>i64=i64>i32"));
        assert_eq!(shown(words).as_deref(), Some("i32 i32 i32 i32>i32=i32>i32"));
        let same = "cast from 'int (*)(long)' to 'int (*)(int)' converts to incompatible function type";
        assert_eq!([Word::I32, Word::I64].map(|word| is_mismatch(same, word)), [false, true]);
    }

    #[test]
    fn a_pointer_without_parameters_is_called_with_any() {
        let side = |parameters: &[&str]| Signature {
            parameters: parameters.iter().map(|&kind| kind.into()).collect(),
            results: vec!["i32".into()],
        };
        let cast = Cast::read("i32>i32=*>i32").unwrap();
        assert!(cast.is_of(&side(&["i32", "i32"]), &side(&["i32"])));
        assert!(!cast.is_of(&side(&["i32", "i32"]), &side(&["i64"])));
        assert!(!Cast::read("i32>i32=i64>i32").unwrap().is_of(&side(&["i32", "i32"]), &side(&["i32"])));
        let call =
            "a.c:1:2: warning: passing arguments to a function without a prototype is deprecated in all versions of C";
        assert!(Cast::of_call(call).unwrap().is_of(&side(&["i32", "f64"]), &side(&[])));
        assert_eq!(Cast::of_call("a.c:1:2: warning: passing arguments to 'f' without a prototype is deprecated"), None);
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
