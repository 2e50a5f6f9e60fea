//! Calls through pointers that forgive (`-fforgiving-calls`): what a pointer's type says and the function's doesn't, or the
//! other way round, is treated as in a direct call between objects that disagree ([`is_adaptable`]).
//!
//! An instruction that calls through a pointer of a type becomes a call of a function made for that type. It looks up the
//! type of the function that is pointed to, by the pointer's place in the table, and calls it as what it is. The table stays
//! as it is, so who calls through it from outside, as MPI does, meets the program's own functions. Every instruction stays
//! where it is, too: debug information is true. Types that nothing in the table could be adapted to keep their calls.

use super::agreement::{Signature, is_adaptable};
use super::encoding::{
    CALL, END, I32_CONST, I64_CONST, LOCAL_GET, adapted, body, leb, longer, named, padded, signed_leb,
};
use super::module::{Facts, signature};
use crate::FORGIVING_CALL;
use crate::casts::{self, Cast};
use anyhow::{Context as _, Result, ensure};
use std::collections::BTreeMap;
use wasmparser::{FuncType, Operator, Parser, Payload, ValType};

const BLOCK: [u8; 2] = [0x02, 0x40];
const BR_TABLE: u8 = 0x0e;
const RETURN: u8 = 0x0f;
const NOP: u8 = 0x01;
const CALL_INDIRECT: u8 = 0x11;
const RETURN_CALL: u8 = 0x12;
const SELECT: u8 = 0x1b;
const I64_LT_U: u8 = 0x54;
const I32_WRAP_I64: u8 = 0xa7;
/// The most places that a table of branches may have.
const MOST_PLACES: usize = 65_520;

/// The module with calls through pointers that forgive: all, or those that casts may lead to. The notes of casts are gone.
pub(super) fn forgive(module: &[u8], casts: Option<&[Cast]>) -> Result<Vec<u8>> {
    let facts = Facts::read(module)?;
    let Some((first, functions)) = &facts.elements else { return without_notes(module) };
    // Nobody has asked for it.
    if casts.is_some_and(|casts| casts.is_empty() || *first as usize + functions.len() > MOST_PLACES) {
        return without_notes(module);
    }
    let kinds = Kinds::of(&facts, *first, functions)?;
    let sites = sites(module)?;
    let callers = Callers::new(&facts, &kinds, &sites, casts)?;
    if callers.made.is_empty() {
        return without_notes(module);
    }
    let mut output = module[..8].to_vec();
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload?;
        let Some((id, range)) = payload.as_section() else { continue };
        let bytes = &module[range.start as usize..range.end as usize];
        let content = match payload {
            Payload::TypeSection(_) => longer(bytes, callers.types())?,
            Payload::FunctionSection(_) => longer(bytes, callers.type_numbers(&facts))?,
            Payload::CodeSectionStart { .. } => {
                let mut code = bytes.to_vec();
                callers.lead(&sites, &mut code, range.start as usize)?;
                longer(&code, callers.bodies(&facts, &kinds))?
            }
            Payload::CustomSection(section) if section.name() == "name" => named(bytes, &callers.names())?,
            Payload::CustomSection(section) if section.name() == casts::SECTION => continue,
            _ => bytes.to_vec(),
        };
        output.push(id);
        output.extend(leb(u32::try_from(content.len())?));
        output.extend(content);
    }
    Ok(output)
}

/// The module without the notes of casts.
fn without_notes(module: &[u8]) -> Result<Vec<u8>> {
    let mut output = module[..8].to_vec();
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload?;
        let is_note = matches!(&payload, Payload::CustomSection(section) if section.name() == casts::SECTION);
        let Some((id, range)) = payload.as_section().filter(|_| !is_note) else { continue };
        let content = &module[range.start as usize..range.end as usize];
        output.push(id);
        output.extend(leb(u32::try_from(content.len())?));
        output.extend(content);
    }
    Ok(output)
}

/// An instruction that calls through a pointer: its place, its length, the type, and whether its function ends with it.
struct Site {
    at: usize,
    length: usize,
    kind: u32,
    is_last: bool,
}

fn sites(module: &[u8]) -> Result<Vec<Site>> {
    let mut sites = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        let Payload::CodeSectionEntry(body) = payload? else { continue };
        let mut operators = body.get_operators_reader()?;
        while !operators.eof() {
            let (operator, start) = operators.read_with_offset()?;
            let (kind, is_last) = match operator {
                Operator::CallIndirect { type_index, table_index: 0 } => (type_index, false),
                Operator::ReturnCallIndirect { type_index, table_index: 0 } => (type_index, true),
                _ => continue,
            };
            let at = start as usize;
            sites.push(Site { at, length: operators.original_position() as usize - at, kind, is_last });
        }
    }
    Ok(sites)
}

/// The types by which a module calls pointers with arguments.
pub(crate) fn types_called(module: &[u8]) -> Result<Vec<Signature>> {
    let facts = Facts::read(module)?;
    let mut types: Vec<u32> = sites(module)?.iter().map(|site| site.kind).collect();
    types.sort_unstable();
    types.dedup();
    let signatures = types.iter().filter_map(|kind| facts.types.get(*kind as usize)).map(signature);
    Ok(signatures.filter(|signature| !signature.parameters.is_empty()).collect())
}

/// The types of the functions in the table.
struct Kinds<'f> {
    types: Vec<&'f FuncType>,
    /// By the place in the table; where nothing is, a number that no type has.
    of: Vec<u32>,
    /// The type of a place.
    place: ValType,
}

impl<'f> Kinds<'f> {
    fn of(facts: &'f Facts, first: u32, functions: &[u32]) -> Result<Kinds<'f>> {
        let places = first as usize + functions.len();
        ensure!(
            places <= MOST_PLACES,
            "the addresses of {places} functions are taken; -fforgiving-calls is for programs with up to {MOST_PLACES}"
        );
        let mut types: Vec<&FuncType> = Vec::new();
        let mut of = vec![u32::MAX; first as usize];
        for function in functions {
            let kind = facts.functions.get(*function as usize).and_then(|kind| facts.types.get(*kind as usize));
            let kind = kind.context("the table names a function that is not there")?;
            let known = types.iter().position(|known| *known == kind).unwrap_or_else(|| {
                types.push(kind);
                types.len() - 1
            });
            of.push(known as u32);
        }
        let place = if facts.is_table_wide { ValType::I64 } else { ValType::I32 };
        Ok(Kinds { types, of, place })
    }

    /// The code that pushes the first parameter, a place, in 32 bits. One that needs more becomes the last, where nothing is.
    fn first_parameter(&self) -> Vec<u8> {
        let place = [LOCAL_GET, 0];
        if self.place == ValType::I32 {
            return place.to_vec();
        }
        let last = [&[I64_CONST][..], &signed_leb(u32::MAX)].concat();
        [&place[..], &last, &place, &last, &[I64_LT_U, SELECT, I32_WRAP_I64]].concat()
    }

    /// The code that gives the type's number of the function at a place, which is its parameter.
    fn lookup(&self) -> Vec<u8> {
        let none = self.types.len() as u32;
        let mut code = BLOCK.repeat(self.types.len() + 1);
        code.extend(self.first_parameter());
        code.push(BR_TABLE);
        code.extend(leb(self.of.len() as u32));
        code.extend(self.of.iter().flat_map(|kind| leb((*kind).min(none))));
        code.extend(leb(none));
        for kind in 0..none {
            code.extend([END, I32_CONST]);
            code.extend(signed_leb(kind));
            code.push(RETURN);
        }
        code.extend([END, I32_CONST]);
        code.extend(signed_leb(none));
        body(&code)
    }
}

/// The functions that are made: one that looks up types, and then one for each of these types of pointers.
struct Callers<'f> {
    /// By the number of the pointer's type: the type, and the numbers of those that its calls are adapted to.
    made: BTreeMap<u32, (&'f FuncType, Vec<usize>)>,
    /// The number of the function that looks up types.
    lookup: u32,
    /// The type of a place in the table.
    place: ValType,
}

impl<'f> Callers<'f> {
    fn new(facts: &'f Facts, kinds: &Kinds<'_>, sites: &[Site], casts: Option<&[Cast]>) -> Result<Callers<'f>> {
        let mut made = BTreeMap::new();
        for site in sites {
            let kind = facts.types.get(site.kind as usize).context("a call has a type that is not there")?;
            let can_be_made = || kind.params().iter().chain(kind.results()).all(|kind| encoded(*kind).is_some());
            let adapts = |other: &FuncType| {
                let (pointer, function) = (signature(kind), signature(other));
                other != kind
                    && is_adaptable(&pointer, &function)
                    && casts.is_none_or(|casts| casts.iter().any(|cast| cast.is_of(&pointer, &function)))
            };
            if !made.contains_key(&site.kind) && can_be_made() {
                let others = (0..kinds.types.len()).filter(|other| adapts(kinds.types[*other])).collect();
                made.insert(site.kind, (kind, others));
            }
        }
        made.retain(|_, (_, others): &mut (_, Vec<usize>)| !others.is_empty());
        Ok(Callers { made, lookup: facts.functions.len() as u32, place: kinds.place })
    }

    /// The types that are added: of the function that looks up types, and of the others, which take a place in the table
    /// behind their arguments.
    fn types(&self) -> impl ExactSizeIterator<Item = Vec<u8>> {
        let lookup = FuncType::new([self.place], [ValType::I32]);
        let with_place = |kind: &FuncType| {
            FuncType::new(kind.params().iter().copied().chain([self.place]), kind.results().iter().copied())
        };
        let callers = self.made.values().map(|(kind, _)| with_place(kind));
        let types: Vec<_> = std::iter::once(lookup).chain(callers).map(|kind| written(&kind)).collect();
        types.into_iter()
    }

    /// The numbers of the types of the functions that are added.
    fn type_numbers(&self, facts: &Facts) -> impl ExactSizeIterator<Item = Vec<u8>> {
        let first = facts.types.len() as u32;
        (first..first + self.made.len() as u32 + 1).map(leb)
    }

    fn bodies(&self, facts: &Facts, kinds: &Kinds<'_>) -> impl ExactSizeIterator<Item = Vec<u8>> {
        let number = |kind: &FuncType| facts.types.iter().position(|known| known == kind).unwrap_or_default() as u32;
        let callers = self.made.values().map(|(kind, others)| self.caller(kind, others, kinds, number));
        let bodies: Vec<_> = std::iter::once(kinds.lookup()).chain(callers).collect();
        bodies.into_iter()
    }

    /// The code that calls what is at a place of the table, its last parameter, with the arguments before it.
    fn caller(
        &self,
        kind: &FuncType,
        others: &[usize],
        kinds: &Kinds<'_>,
        number: impl Fn(&FuncType) -> u32,
    ) -> Vec<u8> {
        let place = [&[LOCAL_GET][..], &leb(kind.params().len() as u32)].concat();
        let call = |callee: &FuncType| {
            let called = [&place[..], &[CALL_INDIRECT], &leb(number(callee)), &[0]].concat();
            adapted(kind, callee, &called)
        };
        let mut code = BLOCK.repeat(others.len() + 1);
        code.extend(&place);
        code.push(CALL);
        code.extend(leb(self.lookup));
        code.push(BR_TABLE);
        code.extend(leb(kinds.types.len() as u32));
        let as_it_is = others.len();
        for known in 0..kinds.types.len() {
            let arm = others.iter().position(|other| *other == known).unwrap_or(as_it_is);
            code.extend(leb(arm as u32));
        }
        code.extend(leb(as_it_is as u32));
        for other in others {
            code.push(END);
            code.extend(call(kinds.types[*other]));
            code.push(RETURN);
        }
        code.push(END);
        code.extend(call(kind));
        body(&code)
    }

    /// Makes calls of the functions that are added from the instructions at these places.
    fn lead(&self, sites: &[Site], code: &mut [u8], base: usize) -> Result<()> {
        let numbers: BTreeMap<u32, u32> = self.made.keys().copied().zip(self.lookup + 1..).collect();
        for site in sites {
            let Some(&number) = numbers.get(&site.kind) else { continue };
            let length = (site.length - 1).min(5);
            let number = padded(number, length)
                .context("a call has no room for the number of another function: link without -Wl,-O")?;
            let place = &mut code[site.at - base..site.at - base + site.length];
            place.fill(NOP);
            place[0] = if site.is_last { RETURN_CALL } else { CALL };
            place[1..1 + length].copy_from_slice(&number);
        }
        Ok(())
    }

    fn names(&self) -> Vec<(u32, String)> {
        let callers = self.made.values().map(|(kind, _)| {
            let shown = signature(kind);
            let result = shown.results.first().map_or("void", String::as_str);
            format!("{FORGIVING_CALL}({}) -> {result}", shown.parameters.join(", "))
        });
        (self.lookup..).zip(std::iter::once(format!("{FORGIVING_CALL}type")).chain(callers)).collect()
    }
}

/// A type, as the section of types has it.
fn written(kind: &FuncType) -> Vec<u8> {
    const FUNCTION: u8 = 0x60;
    let list = |types: &[ValType]| {
        let bytes: Vec<u8> = types.iter().filter_map(|kind| encoded(*kind)).collect();
        [leb(types.len() as u32), bytes].concat()
    };
    [vec![FUNCTION], list(kind.params()), list(kind.results())].concat()
}

fn encoded(kind: ValType) -> Option<u8> {
    Some(match kind {
        ValType::I32 => 0x7f,
        ValType::I64 => 0x7e,
        ValType::F32 => 0x7d,
        ValType::F64 => 0x7c,
        ValType::V128 => 0x7b,
        ValType::Ref(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasmparser::{Validator, WasmFeatures};

    /// A call through a pointer of a function that takes more than it is given and gives what nobody wants.
    fn program(place: &str) -> Vec<u8> {
        let text = r#"(module
            (type $called (func (param i64)))
            (table TYPE 3 funcref)
            (elem (PLACE.const 2) $function)
            (func $function (param i32 f64) (result i32) (i32.const 7))
            (func (export "_start") (call_indirect (type $called) (i64.const 5) (PLACE.const 2))))"#;
        let kind = if place == "i64" { place } else { "" };
        wat::parse_str(text.replace("TYPE", kind).replace("PLACE", place)).unwrap()
    }

    #[test]
    fn places_in_the_table_have_either_width() {
        for place in ["i32", "i64"] {
            let forgiving = forgive(&program(place), None).unwrap();
            Validator::new_with_features(WasmFeatures::all()).validate_all(&forgiving).unwrap();
            let facts = Facts::read(&forgiving).unwrap();
            let kinds: Vec<String> =
                facts.functions.iter().map(|kind| facts.types[*kind as usize].to_string()).collect();
            let [lookup, caller] =
                [format!("(func (param {place}) (result i32))"), format!("(func (param i64 {place}))")];
            assert_eq!(kinds[2..], [lookup, caller]);
        }
    }

    #[test]
    fn what_was_cast_alone_forgives() {
        let cast = |pointer: &str| Cast {
            function: Signature { parameters: vec!["i32".into(), "f64".into()], results: vec!["i32".into()] },
            pointer: Signature { parameters: vec![pointer.into()], results: Vec::new() },
        };
        let functions =
            |casts: &[Cast]| Facts::read(&forgive(&program("i64"), Some(casts)).unwrap()).unwrap().functions.len();
        assert_eq!([functions(&[cast("i64")]), functions(&[cast("i32")])], [4, 2]);
    }
}
