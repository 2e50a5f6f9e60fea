//! Guarded modules, as they run.

use wasm_encoder::Encode as _;
use wasmparser::{Parser, Payload, Validator, WasmFeatures};
use wasmtime::{Instance, Linker, MemoryType, SharedMemory, Store, Trap, TypedFunc, WasmParams, WasmResults};

use rankine_rewrite::Changed;
use rankine_rewrite::guard::{STACK_POINTER, guard, is_wanted, mark, mark_rust, unmark};

use super::take;
use crate::module::symbols::Symbols;
use crate::module::{self, Settings};

const PROGRAM: &str = r#"(module
    (memory (export "memory") 3)
    (global $sp (mut i32) (i32.const 131072))
    (data $d "abcdefgh")
    (data (i32.const 65536) "x")
    (func (export "copy") (param i32 i32 i32) (local f64 i32)
        (memory.copy (local.get 0) (local.get 1) (local.get 2)))
    (func (export "copy_a_few") (param i32 i32)
        (memory.copy (local.get 0) (local.get 1) (i32.const 24)))
    (func (export "fill") (param i32 i32 i32)
        (block (br_if 0 (i32.eqz (i32.const 1)))
            (memory.fill (local.get 0) (local.get 1) (local.get 2)) (nop)))
    (func (export "init") (param i32 i32 i32)
        (memory.init $d (local.get 0) (local.get 1) (local.get 2)))
    (func (export "both") (param i32 i32 i32)
        (memory.fill (local.get 0) (i32.const 7) (local.get 2))
        (memory.copy (local.get 1) (local.get 0) (local.get 2)))
    (func (export "peek") (param i32) (result i32) (i32.load8_u (local.get 0))))"#;

const WAITS: &str = r#"(module
    (import "env" "memory" (memory 3 4 shared))
    (func (export "wait32") (param i32) (result i32)
        (memory.atomic.wait32 (local.get 0) (i32.const 1) (i64.const 0)))
    (func (export "wait64") (param i32) (result i32)
        (memory.atomic.wait64 offset=65528 (local.get 0) (i64.const 1) (i64.const 0)))
    (func (export "behind") (param i32) (result i32)
        (memory.atomic.wait32 offset=65536 (local.get 0) (i32.const 1) (i64.const 0)))
    (func (export "notify") (param i32) (result i32)
        (memory.atomic.notify (local.get 0) (i32.const 1))))"#;

fn marked(text: &str) -> Vec<u8> {
    let mut binary = wat::parse_str(text).unwrap();
    mark(&mut binary);
    binary
}

fn function<P: WasmParams, R: WasmResults>(store: &mut Store<()>, instance: &Instance, name: &str) -> TypedFunc<P, R> {
    instance.get_typed_func(store, name).unwrap()
}

fn is_trap<T>(outcome: wasmtime::Result<T>) -> bool {
    match outcome {
        Ok(_) => false,
        Err(error) => {
            assert_eq!(error.downcast_ref(), Some(&Trap::MemoryOutOfBounds), "{error:?}");
            true
        }
    }
}

/// Were one of the instructions not guarded, this process would end here.
#[test]
fn blocks_that_reach_the_null_page_are_traps() {
    let engine = module::engine(Settings::default()).unwrap();
    let code = wasmtime::Module::new(&engine, guard(&marked(PROGRAM)).unwrap().binary).unwrap();
    let mut store = Store::new(&engine, ());
    let instance = Instance::new(&mut store, &code, &[]).unwrap();
    let base = instance.get_memory(&mut store, "memory").unwrap().data_ptr(&store);
    // SAFETY: the memory has three pages, and nothing touches the first but the guarded code.
    unsafe { take(base) }.unwrap();
    let pointer = instance.get_global(&mut store, STACK_POINTER).unwrap();
    assert_eq!(pointer.get(&mut store).i32(), Some(131_072));
    for name in ["copy", "fill", "init", "both"] {
        let call = function::<(i32, i32, i32), ()>(&mut store, &instance, name);
        for first in [0, 1, 65535, 65536, 70000] {
            for second in [0, 8, 65535, 65536, 70000] {
                for bytes in [0, 1, 8] {
                    let outcome = match name {
                        "init" => call.call(&mut store, (first, 0, bytes)),
                        _ => call.call(&mut store, (first, second, bytes)),
                    };
                    let is_low = first < 65536 || second < 65536 && matches!(name, "copy" | "both");
                    assert_eq!(is_trap(outcome), is_low && bytes > 0, "{name} {first} {second} {bytes}");
                }
            }
        }
        assert!(is_trap(call.call(&mut store, (3 << 16, 0, 1))), "{name}");
        assert!(is_trap(call.call(&mut store, (-1, 70000, 1))), "{name}");
    }
    let few = function::<(i32, i32), ()>(&mut store, &instance, "copy_a_few");
    assert!(few.call(&mut store, (65536, 70000)).is_ok());
    assert!(is_trap(few.call(&mut store, (0, 70000))) && is_trap(few.call(&mut store, (70000, 65535))));
    let peek = function::<i32, i32>(&mut store, &instance, "peek");
    assert_eq!(peek.call(&mut store, 70000).unwrap(), 7);
    assert!(is_trap(peek.call(&mut store, 0)) && is_trap(peek.call(&mut store, 65535)));
}

#[test]
fn waits_that_look_at_the_null_page_are_traps() {
    let engine = module::engine(Settings::default()).unwrap();
    let code = wasmtime::Module::new(&engine, guard(&marked(WAITS)).unwrap().binary).unwrap();
    let memory = SharedMemory::new(&engine, MemoryType::shared(3, 4)).unwrap();
    let mut store = Store::new(&engine, ());
    let mut linker = Linker::new(&engine);
    linker.define(&mut store, "env", "memory", memory.clone()).unwrap();
    let instance = linker.instantiate(&mut store, &code).unwrap();
    // SAFETY: the memory has three pages, and nothing touches the first but the guarded code.
    unsafe { take(memory.data().as_ptr().cast_mut().cast()) }.unwrap();
    for (name, first) in [("wait32", 65536), ("wait64", 8), ("behind", 0)] {
        let call = function::<i32, i32>(&mut store, &instance, name);
        for at in [0, 8, 65528, 65536, 70000] {
            let expected = at < first;
            assert_eq!(is_trap(call.call(&mut store, at)), expected, "{name} {at}");
        }
    }
    let notify = function::<i32, i32>(&mut store, &instance, "notify");
    assert_eq!(notify.call(&mut store, 0).unwrap(), 0);
}

/// Every load and store there is, with the values that it takes beside the address.
fn accesses() -> Vec<String> {
    let mut all = Vec::new();
    let (words, wide) = (["i32", "i64"], [("i32", "i32"), ("i64", "i64"), ("f32", "f32"), ("f64", "f64")]);
    let parts = [("i32", "8"), ("i32", "16"), ("i64", "8"), ("i64", "16"), ("i64", "32")];
    for (ty, value) in wide {
        all.push(format!("(drop ({ty}.load (local.get 0)))"));
        all.push(format!("({ty}.store (local.get 0) ({value}.const 1))"));
    }
    for (ty, bits) in parts {
        all.extend(["s", "u"].map(|sign| format!("(drop ({ty}.load{bits}_{sign} (local.get 0)))")));
        all.push(format!("({ty}.store{bits} (local.get 0) ({ty}.const 1))"));
        all.push(format!("(drop ({ty}.atomic.load{bits}_u (local.get 0)))"));
        all.push(format!("({ty}.atomic.store{bits} (local.get 0) ({ty}.const 1))"));
        for operation in ["add", "sub", "and", "or", "xor", "xchg"] {
            all.push(format!("(drop ({ty}.atomic.rmw{bits}.{operation}_u (local.get 0) ({ty}.const 1)))"));
        }
        all.push(format!("(drop ({ty}.atomic.rmw{bits}.cmpxchg_u (local.get 0) ({ty}.const 1) ({ty}.const 2)))"));
    }
    for ty in words {
        all.push(format!("(drop ({ty}.atomic.load (local.get 0)))"));
        all.push(format!("({ty}.atomic.store (local.get 0) ({ty}.const 1))"));
        for operation in ["add", "sub", "and", "or", "xor", "xchg"] {
            all.push(format!("(drop ({ty}.atomic.rmw.{operation} (local.get 0) ({ty}.const 1)))"));
        }
        all.push(format!("(drop ({ty}.atomic.rmw.cmpxchg (local.get 0) ({ty}.const 1) ({ty}.const 2)))"));
    }
    let loads = ["", "8x8_s", "8x8_u", "16x4_s", "16x4_u", "32x2_s", "32x2_u"];
    let more = ["8_splat", "16_splat", "32_splat", "64_splat", "32_zero", "64_zero"];
    all.extend(loads.iter().chain(&more).map(|kind| format!("(drop (v128.load{kind} (local.get 0)))")));
    let zeros = "(v128.const i64x2 0 0)";
    all.push(format!("(v128.store (local.get 0) {zeros})"));
    for bits in [8, 16, 32, 64] {
        all.push(format!("(drop (v128.load{bits}_lane 1 (local.get 0) {zeros}))"));
        all.push(format!("(v128.store{bits}_lane 1 (local.get 0) {zeros})"));
    }
    all
}

/// Code that faults where the compiler does not expect it would end this process.
#[test]
fn every_load_and_store_there_is_a_trap() {
    let functions = accesses().into_iter().enumerate();
    let functions = functions.map(|(number, access)| {
        format!(r#"(func (export "{number}") (param i32) (result i32) {access} (i32.const 1))"#)
    });
    let functions: Vec<String> = functions.collect();
    let engine = module::engine(Settings::default()).unwrap();
    for memory in [r#"(memory (export "memory") 3)"#, r#"(import "env" "memory" (memory 3 4 shared))"#] {
        let text = format!("(module {memory} {})", functions.join(" "));
        let code = wasmtime::Module::new(&engine, guard(&marked(&text)).unwrap().binary).unwrap();
        let (mut store, mut linker) = (Store::new(&engine, ()), Linker::new(&engine));
        let shared = SharedMemory::new(&engine, MemoryType::shared(3, 4)).unwrap();
        linker.define(&mut store, "env", "memory", shared.clone()).unwrap();
        let instance = linker.instantiate(&mut store, &code).unwrap();
        let base = match instance.get_memory(&mut store, "memory") {
            Some(own) => own.data_ptr(&store),
            None => shared.data().as_ptr().cast_mut().cast(),
        };
        // SAFETY: the memory has three pages, and nothing touches the first but the guarded code.
        unsafe { take(base) }.unwrap();
        for (number, access) in accesses().iter().enumerate() {
            let call = function::<i32, i32>(&mut store, &instance, &number.to_string());
            for at in [0, 8, 65520, 65536] {
                assert_eq!(is_trap(call.call(&mut store, at)), at < 65536, "{access} at {at}");
            }
        }
    }
}

/// Only those that say so, and put nothing there.
#[test]
fn a_module_has_to_say_that_it_leaves_the_page_alone() {
    let wanted = |text: &str| is_wanted(&marked(text));
    assert!(wanted(PROGRAM) && wanted(WAITS));
    assert!(!is_wanted(&wat::parse_str(PROGRAM).unwrap()));
    let mut binary = marked(PROGRAM);
    unmark(&mut binary);
    assert!(!is_wanted(&binary));
    Validator::new_with_features(WasmFeatures::all()).validate_all(&binary).unwrap();
    assert!(wanted(r#"(module (memory 2) (data (i32.const 65536) "x"))"#));
    for text in [
        r#"(module (memory 2) (data (i32.const 65535) "x"))"#,
        r#"(module (memory 2) (data (i32.const 65536) "x") (data (i32.const 16) "x"))"#,
        r#"(module (import "a" "b" (global $at i32)) (memory 2) (data (global.get $at) "x"))"#,
        r#"(module (memory 2) (data (i32.add (i32.const 65536) (i32.const -8)) "x"))"#,
        "(module (memory 1))",
        "(module (memory i64 2))",
        "(module (memory 2) (memory 2))",
        "(module)",
    ] {
        assert!(!wanted(text), "{text}");
    }
    assert!(!is_wanted(b"\0asm\x01\0\0\0\x01"));
}

/// A program's languages, as its linker notes them.
fn of_language(text: &str, language: &str) -> Vec<u8> {
    let mut binary = wat::parse_str(text).unwrap();
    let mut languages = wasm_encoder::ProducersField::new();
    languages.value("C11", "").value(language, "");
    let mut producers = wasm_encoder::ProducersSection::new();
    producers.field("language", &languages);
    binary.push(wasm_encoder::SectionId::Custom as u8);
    producers.encode(&mut binary);
    binary
}

#[test]
fn programs_in_rust_have_stack_to_spare() {
    let wanted = |text, language| {
        let mut binary = of_language(text, language);
        mark_rust(&mut binary);
        let is_wanted = is_wanted(&binary);
        let length = binary.len();
        mark_rust(&mut binary);
        assert_eq!(binary.len(), length);
        is_wanted
    };
    let usual = r#"(module (memory 17) (global (mut i32) (i32.const 1048576)) (data (i32.const 1048576) "x"))"#;
    assert!(wanted(usual, "Rust") && !wanted(usual, "C++"));
    for text in [
        r#"(module (memory 17) (global (mut i32) (i32.const 1048575)) (data (i32.const 1048576) "x"))"#,
        r#"(module (memory 17) (global i32 (i32.const 1048576)) (data (i32.const 1048576) "x"))"#,
        r#"(module (memory 17) (global (mut i32) (i32.const 1048576)) (data (i32.const 1024) "x"))"#,
        "(module (memory 17))",
    ] {
        assert!(!wanted(text, "Rust"), "{text}");
    }
}

#[test]
fn no_second_stack_pointer_is_exported() {
    let text =
        format!(r#"(module (memory (export "memory") 2) (global (export "{STACK_POINTER}") (mut i32) (i32.const 1)))"#);
    let guarded = guard(&marked(&text)).unwrap().binary;
    Validator::new_with_features(WasmFeatures::all()).validate_all(&guarded).unwrap();
}

/// The instructions of a module, and where they are.
fn instructions(binary: &[u8]) -> Vec<(u32, String)> {
    let mut all = Vec::new();
    for payload in Parser::new(0).parse_all(binary) {
        let Payload::CodeSectionEntry(body) = payload.unwrap() else { continue };
        let mut reader = body.get_operators_reader().unwrap();
        while !reader.eof() {
            let at = reader.original_position() as u32;
            all.push((at, format!("{:?}", reader.read().unwrap())));
        }
    }
    all
}

#[test]
fn each_instruction_lies_where_it_is_said_to_lie() {
    let before = marked(PROGRAM);
    let Changed { binary, moved } = guard(&before).unwrap();
    let (known, symbols) = (instructions(&before), Symbols::default().moved(vec![moved]));
    let mut found = 0;
    for (at, text) in instructions(&binary) {
        let old = symbols.in_module(at).unwrap();
        match known.iter().find(|(offset, _)| *offset == old) {
            Some((_, old)) if *old == text => found += 1,
            // What traps stands for the instruction that is guarded.
            Some((_, old)) if text.contains("Load8U") || text.contains("Unreachable") => {
                assert!(old.starts_with("Memory"), "{text} was {old}");
            }
            _ => assert!(["Local", "Const", "I32", "If", "End", "Select", "Drop"].iter().any(|new| text.contains(new))),
        }
    }
    assert!(found >= known.len(), "{found} of {} instructions", known.len());
}
