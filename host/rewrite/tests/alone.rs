//! Modules with atomic operations beside those that have plain ones: whatever they are given, they give the same.

use std::fmt::Write;
use std::sync::LazyLock;

use proptest::prelude::*;
use rankine_rewrite::alone::alone;
use wasmparser::{Validator, WasmFeatures};
use wasmtime::{Engine, Instance, Memory, Module, Store, Val};

static ENGINE: LazyLock<Engine> = LazyLock::new(Engine::default);

/// An operation: its name, how many values it takes, whether these have 64 bits, and whether it gives one.
struct Operation {
    name: String,
    values: usize,
    is_long: bool,
    gives: bool,
    bytes: u32,
}

/// All that read or write.
fn operations() -> Vec<Operation> {
    let mut all = Vec::new();
    for (bits, bytes, narrow) in
        [(32, 4, ""), (64, 8, ""), (32, 1, "8"), (32, 2, "16"), (64, 1, "8"), (64, 2, "16"), (64, 4, "32")]
    {
        let unsigned = if narrow.is_empty() { "" } else { "_u" };
        let mut add = |name: String, values: usize, gives: bool| {
            all.push(Operation { name, values, is_long: bits == 64, gives, bytes });
        };
        add(format!("i{bits}.atomic.load{narrow}{unsigned}"), 0, true);
        add(format!("i{bits}.atomic.store{narrow}"), 1, false);
        for change in ["add", "sub", "and", "or", "xor", "xchg"] {
            add(format!("i{bits}.atomic.rmw{narrow}.{change}{unsigned}"), 1, true);
        }
        add(format!("i{bits}.atomic.rmw{narrow}.cmpxchg{unsigned}"), 2, true);
    }
    all
}

/// The module of an operation, at a displacement.
fn text(operation: &Operation, offset: u32) -> String {
    let kind = if operation.is_long { "i64" } else { "i32" };
    let mut text = String::from("(module (memory (export \"memory\") 1) (func (export \"run\") (param i32");
    (0..operation.values).for_each(|_| write!(text, " {kind}").unwrap());
    text += ")";
    if operation.gives {
        write!(text, " (result {kind})").unwrap();
    }
    write!(text, " atomic.fence ({} offset={offset} (local.get 0)", operation.name).unwrap();
    (1..=operation.values).for_each(|value| write!(text, " (local.get {value})").unwrap());
    text + ")))"
}

/// What a module gives and leaves in its memory; `None` is a trap.
fn outcome(binary: &[u8], operation: &Operation, before: &[u8], arguments: &[Val]) -> (Option<Vec<u64>>, Vec<u8>) {
    let mut store = Store::new(&ENGINE, ());
    let instance = Instance::new(&mut store, &Module::new(&ENGINE, binary).unwrap(), &[]).unwrap();
    let memory: Memory = instance.get_memory(&mut store, "memory").unwrap();
    memory.write(&mut store, 0, before).unwrap();
    let mut results = vec![Val::I32(0); usize::from(operation.gives)];
    let run = instance.get_func(&mut store, "run").unwrap();
    let given = run.call(&mut store, arguments, &mut results).ok().map(|()| {
        results
            .iter()
            .map(|value| value.i64().map_or_else(|| value.i32().unwrap() as u32 as u64, |long| long as u64))
            .collect()
    });
    (given, memory.data(&store)[..before.len()].to_vec())
}

/// Where no atomic instruction is left, and none has moved.
fn is_plain(binary: &[u8], changed: &[u8]) -> bool {
    let places = |binary: &[u8]| -> Vec<usize> {
        let payloads = wasmparser::Parser::new(0).parse_all(binary);
        payloads
            .filter_map(|payload| match payload.unwrap() {
                wasmparser::Payload::CodeSectionEntry(body) => {
                    Some(body.range().end as usize - body.range().start as usize)
                }
                _ => None,
            })
            .collect()
    };
    let features = WasmFeatures::all().difference(WasmFeatures::THREADS);
    Validator::new_with_features(features).validate_all(changed).is_ok() && places(changed).starts_with(&places(binary))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn plain_operations_do_what_atomic_ones_do(
        which in 0..operations().len(),
        before in proptest::collection::vec(any::<u8>(), 64),
        place in 0_u32..8,
        offset in prop::sample::select(vec![0_u32, 8, 16, 4096, 65536, !7]),
        values in any::<[u64; 2]>(),
        expects in any::<bool>(),
    ) {
        let operation = &operations()[which];
        let at = place * operation.bytes;
        let value = |bits: u64| if operation.is_long { Val::I64(bits as i64) } else { Val::I32(bits as i32) };
        let mut values = values;
        if expects && offset <= 16 && operation.values == 2 {
            // What is there, with anything above it.
            let start = ((at + offset) as usize).min(before.len() - operation.bytes as usize);
            let mut there = [0; 8];
            there[..operation.bytes as usize].copy_from_slice(&before[start..start + operation.bytes as usize]);
            let mask = if operation.bytes == 8 { u64::MAX } else { (1 << (operation.bytes * 8)) - 1 };
            values[0] = values[0] & !mask | u64::from_le_bytes(there);
        }
        let mut arguments = vec![Val::I32(at as i32)];
        arguments.extend(values[..operation.values].iter().map(|&bits| value(bits)));
        let binary = wat::parse_str(text(operation, offset)).unwrap();
        let changed = alone(&binary).unwrap().binary;
        prop_assert!(is_plain(&binary, &changed));
        let [atomic, plain] = [&binary, &changed].map(|module| outcome(module, operation, &before, &arguments));
        prop_assert_eq!(atomic, plain);
    }
}

#[test]
fn nobody_is_notified_and_waiting_is_a_trap() {
    let module = |body: &str| {
        wat::parse_str(format!(
            "(module (memory (export \"memory\") 1) (func (export \"run\") (param i32) (result i32) {body}))"
        ))
        .unwrap()
    };
    let operation = Operation { name: String::new(), values: 0, is_long: false, gives: true, bytes: 4 };
    let run = |body: &str, at: i32| {
        let binary = module(body);
        let changed = alone(&binary).unwrap().binary;
        assert!(is_plain(&binary, &changed));
        let [atomic, plain] = [&binary, &changed].map(|module| outcome(module, &operation, &[7; 8], &[Val::I32(at)]));
        assert_eq!(atomic, plain);
        plain.0
    };
    let notify = "(memory.atomic.notify (local.get 0) (i32.const 1))";
    assert_eq!(run(notify, 0), Some(vec![0]));
    assert_eq!(run(notify, 65536), None);
    assert_eq!(run("(memory.atomic.wait32 (local.get 0) (i32.const 7) (i64.const 0))", 0), None);
    assert_eq!(run("(memory.atomic.wait64 (local.get 0) (i64.const 7) (i64.const 0))", 0), None);
}

#[test]
fn a_module_without_atomics_keeps_its_code() {
    let binary =
        wat::parse_str("(module (memory 1) (func (export \"run\") (result i32) (i32.load (i32.const 4))))").unwrap();
    let changed = alone(&binary).unwrap().binary;
    assert_eq!(binary, changed);
}

/// The offsets of a module's instructions of functions that it had before.
fn instructions(binary: &[u8], functions: usize) -> Vec<u32> {
    let bodies = wasmparser::Parser::new(0).parse_all(binary).filter_map(|payload| match payload.unwrap() {
        wasmparser::Payload::CodeSectionEntry(body) => Some(body),
        _ => None,
    });
    let mut offsets = Vec::new();
    for body in bodies.take(functions) {
        let mut operators = body.get_operators_reader().unwrap();
        while !operators.eof() {
            offsets.push(operators.read_with_offset().unwrap().1 as u32);
        }
    }
    offsets
}

#[test]
fn instructions_are_found_where_they_were() {
    // With a helper more, the number of functions takes one byte, and then two.
    for functions in [2, 126, 127, 128] {
        let more = "(func nop)".repeat(functions - 1);
        let text = format!(
            "(module (memory 1) (func (param i32) (result i32) local.get 0 i32.const 1 i32.atomic.rmw.add) {more})"
        );
        let binary = wat::parse_str(text).unwrap();
        let changed = alone(&binary).unwrap();
        let (before, now) = (instructions(&binary, functions), instructions(&changed.binary, functions));
        let found: Vec<Option<u32>> = now.iter().map(|&at| changed.moved.before(at)).collect();
        assert_eq!(found, before.iter().copied().map(Some).collect::<Vec<_>>(), "{functions} functions");
        // Those of the helper are nowhere.
        let all = instructions(&changed.binary, functions + 1);
        assert!(all.len() > now.len() && all[now.len()..].iter().all(|&at| changed.moved.before(at).is_none()));
    }
}
