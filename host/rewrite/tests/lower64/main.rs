//! Modules with 64-bit addresses beside what they become: whatever they are given, they do the same.

mod programs;

use std::fmt::Write;
use std::sync::LazyLock;

use proptest::prelude::*;
use rankine_rewrite::lower64::{Lowered, is_wide, lower};
use wasmtime::{Config, Engine, Error, Instance, Module, Store, Trap, TypedFunc, WasmBacktrace, WasmParams};

fn engine() -> &'static Engine {
    static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
        let mut config = Config::new();
        config.wasm_function_references(true).wasm_exceptions(true);
        // Every access is looked at in code of its own, so traps have the places of their instructions.
        config.signals_based_traps(false);
        Engine::new(&config).unwrap()
    });
    &ENGINE
}

/// What a call ends with.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Gives(i64),
    /// Why, and where in the original module.
    Traps(Trap, u32),
}

/// A module as it was and as it became.
struct Twins {
    text: String,
    stores: [Store<()>; 2],
    instances: [Instance; 2],
    lowered: Lowered,
}

impl Twins {
    fn new(text: &str) -> Twins {
        let original = wat::parse_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert!(is_wide(&original));
        let lowered = lower(&original).unwrap_or_else(|error| panic!("{error:#}\n{text}"));
        assert!(!is_wide(&lowered.binary));
        let mut stores = [Store::new(engine(), ()), Store::new(engine(), ())];
        let modules = [&original, &lowered.binary].map(|bytes| Module::new(engine(), bytes).unwrap());
        let mut modules = modules.iter();
        let instances = stores.each_mut().map(|store| Instance::new(store, modules.next().unwrap(), &[]).unwrap());
        Twins { text: text.into(), stores, instances, lowered }
    }

    /// What both give for these parameters. Afterwards both have the same in their memories.
    fn call<P: WasmParams + Copy + std::fmt::Debug>(&mut self, name: &str, parameters: P) -> End {
        let mut instances = self.instances.iter();
        let results = self.stores.each_mut().map(|mut store| {
            let instance = instances.next().unwrap();
            let function: TypedFunc<P, i64> = instance.get_typed_func(&mut store, name).unwrap();
            function.call(store, parameters)
        });
        let [original, lowered] = results;
        let original = original.map_or_else(|error| trapped(&error), End::Gives);
        let lowered = lowered.map_or_else(|error| self.translated(&error, original), End::Gives);
        assert_eq!(original, lowered, "{name} of {parameters:x?}\n{}", self.text);
        let memories = [0, 1].map(|twin| self.instances[twin].get_memory(&mut self.stores[twin], "memory"));
        let contents = [0, 1].map(|twin| memories[twin].map(|memory| memory.data(&self.stores[twin])));
        assert!(contents[0] == contents[1], "memories after {name} of {parameters:x?}\n{}", self.text);
        original
    }

    /// Where the changed module's trap is in the original, and what it is there.
    fn translated(&self, error: &Error, original: End) -> End {
        let End::Traps(trap, at) = trapped(error) else { unreachable!() };
        let is_look = trap == Trap::UnreachableCodeReached && self.lowered.traps.binary_search(&at).is_ok();
        let trap = match original {
            End::Traps(original @ (Trap::MemoryOutOfBounds | Trap::TableOutOfBounds), _) if is_look => original,
            _ => trap,
        };
        End::Traps(trap, self.lowered.moved.before(at).unwrap())
    }
}

fn trapped(error: &Error) -> End {
    let trap = *error.downcast_ref::<Trap>().unwrap_or_else(|| panic!("{error:?}"));
    // Of an address that is neither aligned nor there, either may be said.
    let trap = if trap == Trap::HeapMisaligned { Trap::MemoryOutOfBounds } else { trap };
    let trace = error.downcast_ref::<WasmBacktrace>().unwrap();
    End::Traps(trap, trace.frames()[0].module_offset().unwrap() as u32)
}

/// Addresses around those where something changes, for a memory of two pages.
fn addresses() -> Vec<i64> {
    const EDGES: [u64; 9] = [0, 4096, 1 << 16, 2 << 16, 1 << 31, 1 << 32, 1 << 33, 1 << 63, u64::MAX];
    let around = |edge: u64| [-16i64, -8, -4, -1, 0, 1, 8].map(|by| edge.wrapping_add_signed(by) as i64);
    EDGES.into_iter().flat_map(around).collect()
}

const OFFSETS: [u64; 7] = [0, 8, 65535, 1 << 17, u32::MAX as u64, 1 << 32, u64::MAX];

/// Loads, with what makes 64 bits of what they give.
const LOADS: [(&str, &str); 28] = [
    ("i32.load", "i64.extend_i32_s"),
    ("i64.load", ""),
    ("f32.load", "i32.reinterpret_f32 i64.extend_i32_u"),
    ("f64.load", "i64.reinterpret_f64"),
    ("i32.load8_s", "i64.extend_i32_s"),
    ("i32.load8_u", "i64.extend_i32_u"),
    ("i32.load16_s", "i64.extend_i32_s"),
    ("i32.load16_u", "i64.extend_i32_u"),
    ("i64.load8_s", ""),
    ("i64.load8_u", ""),
    ("i64.load16_s", ""),
    ("i64.load16_u", ""),
    ("i64.load32_s", ""),
    ("i64.load32_u", ""),
    ("i32.atomic.load", "i64.extend_i32_s"),
    ("i64.atomic.load", ""),
    ("i32.atomic.load8_u", "i64.extend_i32_u"),
    ("i64.atomic.load16_u", ""),
    ("i64.atomic.load32_u", ""),
    ("v128.load", "call $folded"),
    ("v128.load8x8_s", "call $folded"),
    ("v128.load16x4_u", "call $folded"),
    ("v128.load32x2_s", "call $folded"),
    ("v128.load8_splat", "call $folded"),
    ("v128.load32_splat", "call $folded"),
    ("v128.load64_splat", "call $folded"),
    ("v128.load32_zero", "call $folded"),
    ("v128.load64_zero", "call $folded"),
];

/// Instructions with an address and a value, which is made of 64 bits, and what they give.
const STORES: [(&str, &str, &str); 31] = [
    ("i32.store", "i32.wrap_i64", "i64.const 0"),
    ("i64.store", "", "i64.const 0"),
    ("f32.store", "i32.wrap_i64 f32.reinterpret_i32", "i64.const 0"),
    ("f64.store", "f64.reinterpret_i64", "i64.const 0"),
    ("i32.store8", "i32.wrap_i64", "i64.const 0"),
    ("i32.store16", "i32.wrap_i64", "i64.const 0"),
    ("i64.store8", "", "i64.const 0"),
    ("i64.store16", "", "i64.const 0"),
    ("i64.store32", "", "i64.const 0"),
    ("i32.atomic.store", "i32.wrap_i64", "i64.const 0"),
    ("i64.atomic.store", "", "i64.const 0"),
    ("i64.atomic.store8", "", "i64.const 0"),
    ("v128.store", "i64x2.splat", "i64.const 0"),
    ("v128.store8_lane OFFSET 3", "i64x2.splat", "i64.const 0"),
    ("v128.store16_lane OFFSET 7", "i64x2.splat", "i64.const 0"),
    ("v128.store32_lane OFFSET 1", "i64x2.splat", "i64.const 0"),
    ("v128.store64_lane OFFSET 1", "i64x2.splat", "i64.const 0"),
    ("v128.load8_lane OFFSET 5", "i64x2.splat", "call $folded"),
    ("v128.load16_lane OFFSET 2", "i64x2.splat", "call $folded"),
    ("v128.load32_lane OFFSET 3", "i64x2.splat", "call $folded"),
    ("v128.load64_lane OFFSET 0", "i64x2.splat", "call $folded"),
    ("i32.atomic.rmw.add", "i32.wrap_i64", "i64.extend_i32_s"),
    ("i64.atomic.rmw.sub", "", ""),
    ("i32.atomic.rmw8.and_u", "i32.wrap_i64", "i64.extend_i32_s"),
    ("i64.atomic.rmw16.or_u", "", ""),
    ("i64.atomic.rmw32.xor_u", "", ""),
    ("i64.atomic.rmw.xchg", "", ""),
    ("memory.atomic.notify", "i32.wrap_i64", "i64.extend_i32_s"),
    ("i32.atomic.rmw.cmpxchg", "i32.wrap_i64 local.get $value i32.wrap_i64 i32.const 1 i32.add", "i64.extend_i32_s"),
    ("i64.atomic.rmw.cmpxchg", "local.get $value i64.const 1 i64.add", ""),
    ("i64.atomic.rmw32.cmpxchg_u", "local.get $value i64.const 1 i64.add", ""),
];

/// A function for each instruction, way to make its operands, and offset.
fn accesses() -> (String, Vec<String>) {
    let mut text = String::from(
        "(module (memory (export \"memory\") i64 2 4)
         (data (i64.const 4090) \"\\ff\\fe\\fd\\fc\\fb\\fa\\f9\\f8\\07\\06\\05\\04\\03\\02\\01\\80\")
         (data (i64.const 131064) \"\\01\\02\\03\\04\\05\\06\\07\\08\")
         (func $folded (param v128) (result i64)
           local.get 0 i64x2.extract_lane 0 i64.const 7 i64.mul local.get 0 i64x2.extract_lane 1 i64.xor)
         (func $same (param i64) (result i64) local.get 0)\n",
    );
    let mut names = Vec::new();
    let mut add = |instruction: &str, offset: u64, form: &str, before: &str, after: &str| {
        let name = format!("{instruction} {offset} {form}");
        let offset = format!("offset={offset}");
        let instruction = match instruction.contains("OFFSET") {
            true => instruction.replace("OFFSET", &offset),
            false => format!("{instruction} {offset}"),
        };
        writeln!(
            text,
            "(func (export \"{name}\") (param $at i64) (param $value i64) (result i64) {before} {instruction} {after})"
        )
        .unwrap();
        names.push(name);
    };
    for offset in OFFSETS {
        for (load, after) in LOADS {
            add(load, offset, "local", "local.get $at", after);
            add(load, offset, "computed", "local.get $at i64.const 1 i64.add i64.const 1 i64.sub", after);
        }
        for (store, make, after) in STORES {
            add(store, offset, "local", &format!("local.get $at local.get $value {make}"), after);
            add(
                store,
                offset,
                "called",
                &format!("local.get $at call $same local.get $value call $same {make}"),
                after,
            );
        }
    }
    (text + ")", names)
}

#[test]
fn instructions_at_all_addresses() {
    let (text, names) = accesses();
    let mut twins = Twins::new(&text);
    assert_eq!(twins.lowered.looks.needed, twins.lowered.looks.addresses);
    let (mut given, mut traps) = (0, 0);
    for name in &names {
        for at in addresses() {
            match twins.call(name, (at, 0x0102_0304_8586_8788_i64)) {
                End::Gives(_) => given += 1,
                End::Traps(..) => traps += 1,
            }
        }
    }
    assert!(given > 5000 && traps > 20_000, "{given} calls gave something, {traps} trapped");
}

#[test]
fn whole_blocks() {
    let mut twins = Twins::new(
        "(module (memory (export \"memory\") i64 2 4) (data (i64.const 4000) \"abcdefghijklmnopqrstuvwxyz\") (data $d \"0123456789\")
         (func (export \"copy\") (param i64 i64 i64) (result i64)
           local.get 0 local.get 1 local.get 2 memory.copy i64.const 0)
         (func (export \"fill\") (param i64 i64 i64) (result i64)
           local.get 0 local.get 1 i32.wrap_i64 local.get 2 memory.fill i64.const 0)
         (func (export \"init\") (param i64 i64 i64) (result i64)
           local.get 0 local.get 1 i32.wrap_i64 local.get 2 i32.wrap_i64 memory.init $d i64.const 0))",
    );
    let mut given = 0;
    for name in ["copy", "fill", "init"] {
        for first in addresses() {
            for second in [0_i64, 3, 4000, 131_071, 1 << 32, (1 << 32) + 4000, -1] {
                for third in [0_i64, 1, 10, 70_000, 1 << 32, (1 << 32) + 1, -1] {
                    given += usize::from(matches!(twins.call(name, (first, second, third)), End::Gives(_)));
                }
            }
        }
    }
    assert!(given > 500, "{given} calls gave something");
}

#[test]
fn sizes_and_growth() {
    const MOST: i64 = i64::MAX;
    let text =
        "(module (memory (export \"memory\") i64 1 3) (table (export \"t\") i64 2 9 funcref) (elem declare func $size)
        (func $size (export \"size\") (result i64) memory.size)
        (func (export \"grow\") (param i64) (result i64) local.get 0 memory.grow)
        (func (export \"places\") (result i64) table.size 0)
        (func (export \"more\") (param i64) (result i64) ref.func $size local.get 0 table.grow 0))";
    for by in [0_i64, 1, 2, 3, 8, 65_535, 65_536, 0xffff_ffff, 1 << 32, (1 << 32) + 1, -1, MOST, i64::MIN] {
        let mut twins = Twins::new(text);
        twins.call("grow", by);
        twins.call("size", ());
        twins.call("more", by);
        twins.call("places", ());
    }
    // Without limits of its own, a memory has 4 GiB at most, and a table what can be counted.
    let mut twins = Twins::new(
        "(module (memory (export \"memory\") i64 0) (table i64 0 funcref)
        (func (export \"grow\") (param i64) (result i64) local.get 0 memory.grow)
        (func (export \"more\") (param i64) (result i64) ref.null func local.get 0 table.grow 0))",
    );
    let instance = twins.instances[1];
    let mut store = &mut twins.stores[1];
    for (name, by, gives) in
        [("grow", 65_536, -1), ("grow", 65_535, 0), ("grow", 1, -1), ("more", 0xffff_ffff, -1), ("more", 1 << 32, -1)]
    {
        let function: TypedFunc<i64, i64> = instance.get_typed_func(&mut store, name).unwrap();
        assert_eq!(function.call(&mut store, by).unwrap(), gives, "{name} by {by}");
    }
}

#[test]
fn the_last_byte_that_there_can_be() {
    let mut twins = Twins::new(
        "(module (memory i64 65535 65535)
         (func (export \"f\") (param i64) (result i64) local.get 0 i32.const 7 i32.store8 local.get 0 i64.load8_u)
         (func (export \"far\") (param i64) (result i64) local.get 0 i64.load8_u offset=4294901759)
         (func (export \"before\") (param i64) (result i64)
           local.get 0 i64.load8_u local.get 0 i64.const 8 i64.sub i64.load8_u offset=4294967295 i64.add))",
    );
    assert_eq!(twins.call("f", 0xfffe_ffff_i64), End::Gives(7));
    assert!(matches!(twins.call("f", 1_i64 << 32), End::Traps(Trap::MemoryOutOfBounds, _)));
    assert!(matches!(twins.call("far", 0_i64), End::Gives(7)));
    assert!(matches!(twins.call("far", 1_i64), End::Traps(Trap::MemoryOutOfBounds, _)));
    assert!(matches!(twins.call("far", -1_i64), End::Traps(Trap::MemoryOutOfBounds, _)));
    for at in [0_i64, 7, 8, 9, 0xfffe_ffff, 0xffff_0000] {
        assert!(matches!(twins.call("before", at), End::Traps(Trap::MemoryOutOfBounds, _)));
    }
}

#[test]
fn tables() {
    let mut twins = Twins::new(
        "(module (memory (export \"memory\") i64 1) (type $f (func (result i64)))
         (table $t i64 10 20 funcref) (table $narrow 10 funcref) (table $u i64 5 funcref) (table $x i64 4 externref)
         (elem (table $t) (i64.const 2) func $one $two) (elem (table $narrow) (i32.const 1) func $two) (elem $e func $two $one)
         (func $one (result i64) i64.const 1) (func $two (result i64) i64.const 2)
         (func (export \"call\") (param i64) (result i64) local.get 0 call_indirect $t (type $f))
         (func (export \"last\") (param i64) (result i64) local.get 0 return_call_indirect $t (type $f))
         (func (export \"is null\") (param i64) (result i64) local.get 0 table.get $t ref.is_null i64.extend_i32_u)
         (func (export \"set\") (param i64) (result i64)
           local.get 0 ref.func $two table.set $t  i64.const 2 call_indirect $t (type $f))
         (func (export \"keep\") (param i64) (result i64)
           local.get 0 i64.const 3 table.get $t table.set $t  i64.const 2 call_indirect $t (type $f))
         (func (export \"foreign\") (param i64) (result i64) local.get 0 ref.null extern table.set $x i64.const 0)
         (func (export \"fill\") (param i64) (result i64)
           local.get 0 ref.func $one local.get 0 table.fill $t  i64.const 3 call_indirect $t (type $f))
         (func (export \"init\") (param i64) (result i64)
           local.get 0 i32.const 0 i32.const 2 table.init $t $e  i64.const 2 call_indirect $t (type $f))
         (func (export \"copy\") (param i64) (result i64)
           local.get 0 i64.const 2 i64.const 2 table.copy $t $t  i64.const 3 call_indirect $t (type $f))
         (func (export \"copy from\") (param i64) (result i64)
           local.get 0 i32.const 1 i32.const 1 table.copy $t $narrow  i64.const 2 call_indirect $t (type $f))
         (func (export \"copy to\") (param i64) (result i64)
           i32.const 4 local.get 0 i32.const 1 table.copy $narrow $t  i32.const 4 call_indirect $narrow (type $f)))",
    );
    let names = ["call", "last", "is null", "set", "keep", "foreign", "fill", "init", "copy", "copy from", "copy to"];
    for name in names {
        for at in [0_i64, 2, 3, 5, 9, 10, 11, 0xffff_ffff, 1 << 32, (1 << 32) + 2, -1] {
            twins.call(name, at);
        }
    }
    assert_eq!(twins.call("call", 2_i64), End::Gives(2));
}

#[test]
fn what_is_known_needs_no_look() {
    let looks = |body: &str| {
        let text = format!(
            "(module (memory i64 1) (func (param $p i64) (param $q i64) (param $n i32) (local $x i64) {body}))"
        );
        let looks = lower(&wat::parse_str(text).unwrap()).unwrap().looks;
        (looks.needed, looks.addresses)
    };
    let load = |address: &str| format!("{address} i64.load drop ");
    assert_eq!(looks(&load("i64.const 1000")), (0, 1));
    assert_eq!(looks(&load("i64.const -1")), (1, 1));
    assert_eq!(looks(&load("local.get $n i64.extend_i32_u")), (0, 1));
    assert_eq!(looks(&load("local.get $n i64.extend_i32_s")), (1, 1));
    assert_eq!(looks(&load("local.get $p i64.const 0xfff8 i64.and")), (0, 1));
    assert_eq!(looks(&load("local.get $p").repeat(3)), (1, 3));
    assert_eq!(looks(&format!("{0} local.get $q local.set $p {0}", load("local.get $p"))), (2, 2));
    // Of what is computed, the local in which it is kept is known.
    let tee = "local.get $p local.get $q i64.add local.tee $x i64.load drop ";
    assert_eq!(looks(&format!("{tee} local.get $x local.get $x i64.load i64.store")), (1, 3));
    // What is near what is known: the instruction adds the difference. Blocks have nothing that adds.
    let next = |by: &str| format!("{} local.get $p i64.const {by} i64.load drop", load("local.get $p"));
    assert_eq!(
        (looks(&next("8 i64.add")), looks(&next("8 i64.sub")), looks(&next("-8 i64.add"))),
        ((1, 2), (1, 2), (1, 2))
    );
    assert_eq!((looks(&next("65536 i64.add")), looks(&next("8 i64.mul"))), ((2, 2), (2, 2)));
    let walk = "local.get $p i64.const 4096 i64.add local.tee $p i64.load drop ";
    assert_eq!(looks(&format!("{}{}", load("local.get $p"), walk.repeat(20))), (1, 21));
    // What an arm has looked at is near again behind it.
    let near = "local.get $p i64.const 4096 i64.add local.set $x";
    let arm = "local.get $n if local.get $x i64.load drop end local.get $x i32.const 0 i64.const 1 memory.fill";
    assert_eq!(looks(&format!("{}{near} {arm}", load("local.get $p"))), (2, 4));
    let fill = "local.get $p i64.const 8 i64.add i32.const 0 i64.const 8 memory.fill";
    assert_eq!(looks(&format!("{}{fill}", load("local.get $p"))), (2, 3));
    // What one arm has looked at, the other has not.
    let arms = format!("local.get $n if {0} else {0} end {0}", load("local.get $p"));
    assert_eq!(looks(&arms), (3, 3));
    assert_eq!(looks(&format!("{} {arms}", load("local.get $p"))), (1, 4));
    // A loop may come back with another value of what it assigns.
    let repeat = |body: &str| format!("{} loop {body} local.get $n br_if 0 end", load("local.get $p"));
    assert_eq!(looks(&repeat(&load("local.get $p"))), (1, 2));
    assert_eq!(looks(&repeat(&format!("{} local.get $q local.set $p", load("local.get $p")))), (2, 2));
    let inner = "block local.get $n br_if 0 local.get $q local.set $p end";
    assert_eq!(looks(&repeat(&format!("{} {inner}", load("local.get $p")))), (2, 2));
    assert_eq!(looks(&format!("{0} {inner} {0}", load("local.get $p"))), (2, 2));
    // What was looked at before something was thrown need not have been, where it is caught.
    let caught = |body: &str| format!("block try_table (catch_all 0) {body} end end {}", load("local.get $p"));
    assert_eq!(looks(&caught(&load("local.get $p"))), (2, 2));
    assert_eq!(looks(&format!("{} {}", load("local.get $p"), caught(&load("local.get $p")))), (1, 3));
    assert_eq!(looks(&format!("{} {}", load("local.get $p"), caught("local.get $q local.set $p"))), (2, 2));
}

/// Adds what lies at `at + index * 8`, and puts something there, as an address and an index move.
fn walk(offset: u64, by: i64, of_index: i64) -> String {
    format!(
        "(module (memory (export \"memory\") i64 2) (data (i64.const 65530) \"0123456789abcdef\")
         (func (export \"f\") (param $at i64) (param $index i64) (param $turns i64) (result i64) (local $sum i64)
           loop
             local.get $sum
             local.get $at local.get $index i64.const 3 i64.shl i64.add i64.load offset={offset}
             i64.add local.set $sum
             local.get $at local.get $index i64.const 3 i64.shl i64.add i64.const 8 i64.add
             local.get $sum i64.store16 offset={offset}
             local.get $at i64.const {by} i64.add local.set $at
             local.get $index i64.const {of_index} i64.add local.set $index
             local.get $turns i64.const 1 i64.sub local.tee $turns i64.const 0 i64.gt_s br_if 0
           end
           local.get $sum))"
    )
}

#[test]
fn addresses_that_walk_are_looked_at_once() {
    let (mut given, mut traps) = (0, 0);
    for offset in [0, 8, 65_536, 0xffff_fff8, u64::from(u32::MAX)] {
        for (by, of_index) in [(0, 1), (0, -1), (8, 0), (-8, 1), (-24, 1), (4096, 3), (-32_768, 0), (32_760, 1)] {
            let mut twins = Twins::new(&walk(offset, by, of_index));
            let looks = twins.lowered.looks;
            assert_eq!((looks.walks, looks.needed), (1, 1), "{offset} {by} {of_index}");
            let bases = [0_i64, 8, 4096, 65_536, 131_056, 1 << 32, -8, -65_536, -4096];
            for (at, index, turns) in
                bases.into_iter().flat_map(|at| [(at, 0_i64, 1_i64), (at, 0, 40), (at, 3, 5), (at, -2, 20_000)])
            {
                match twins.call("f", (at, index, turns)) {
                    End::Gives(_) => given += 1,
                    End::Traps(..) => traps += 1,
                }
            }
        }
    }
    assert!(given > 100 && traps > 500, "{given} calls gave something, {traps} trapped");
}

#[test]
fn loops_that_have_no_twin() {
    let walks = |body: &str| {
        let text = format!(
            "(module (memory (export \"memory\") i64 2) (func $f (export \"f\") (param i64 i64 i64) (result i64) {body}))"
        );
        let mut twins = Twins::new(&text);
        for (a, b, c) in [(0_i64, 0_i64, 1_i64), (8, 1, 3), (131_064, 8, 2), (1 << 32, 8, 2), (-8, 1, 4)] {
            twins.call("f", (a, b, c));
        }
        twins.lowered.looks.walks
    };
    const LESS: &str = "local.get 2 i64.const 1 i64.sub local.tee 2 i64.const 0 i64.gt_s";
    let repeated = |body: &str| walks(&format!("loop {body} {LESS} br_if 0 end local.get 0"));
    let load = "local.get 0 i64.load drop";
    let next = "local.get 0 i64.const 8 i64.add local.set 0";
    assert_eq!(repeated(&format!("{load} {next}")), 1);
    assert_eq!(repeated(&format!("{load} block local.get 1 i64.eqz br_if 0 {load} end {next}")), 1);
    // It leaves in the middle, and goes on by an unconditional branch.
    assert_eq!(walks(&format!("block loop {load} {LESS} i32.eqz br_if 1 {next} br 0 end end local.get 0")), 1);
    // A table of labels that leads out, and one that leads inside.
    assert_eq!(
        walks(&format!("block loop {load} block {LESS} br_table 0 0 2 end {next} {LESS} br_if 0 end end local.get 0")),
        1
    );
    // The address is moved by what is not known, by too much, or in some turns.
    assert_eq!(repeated(&format!("{load} local.get 0 local.get 1 i64.add local.set 0")), 0);
    assert_eq!(repeated(&format!("{load} local.get 0 i64.const 40000 i64.add local.set 0")), 0);
    assert_eq!(repeated(&format!("{load} local.get 1 i64.eqz if {next} end")), 0);
    // The access is not in every turn.
    assert_eq!(repeated(&format!("local.get 1 i64.eqz if {load} end {next}")), 0);
    // It is repeated from two places.
    assert_eq!(repeated(&format!("{load} {next} {LESS} br_if 0")), 0);
    // What it does not move is looked at before it.
    assert_eq!(repeated(load), 1);
    assert_eq!(walks(&format!("{load} loop {load} {LESS} br_if 0 end local.get 0")), 0);
}

#[test]
fn what_nobody_has_put_on_the_stack_is_no_local() {
    for (kind, load) in [("f64", "i32.load drop"), ("v128", "i64.load drop"), ("i64", "f64.load drop")] {
        let loops = format!("loop local.get $x unreachable {load} br 0 end");
        let text = format!(
            "(module (memory (export \"memory\") i64 1) (func (export \"f\") (result i64) (local $x {kind}) {loops} i64.const 0))"
        );
        let End::Traps(trap, _) = Twins::new(&text).call("f", ()) else { panic!("{text}") };
        assert_eq!(trap, Trap::UnreachableCodeReached);
    }
}

/// What is not understood is refused, by its name.
#[test]
fn refusals() {
    let refusal = |text: &str| {
        let refused = wat::parse_str(text).unwrap();
        format!("{:#}", lower(&refused).err().unwrap_or_else(|| panic!("{text} is taken")))
    };
    for (text, says) in [
        ("(module (memory i64 1) (memory 1))", "several memories"),
        ("(module (import \"a\" \"m\" (memory i64 1)) (memory i64 1))", "several memories"),
        ("(module (table i64 0xffffffff funcref))", "4294967295 entries"),
        ("(module (memory i64 1) (data (i64.const 0x100000000) \"\"))", "0x100000000"),
        ("(module (import \"a\" \"b\" (global i64)) (memory i64 1) (data (global.get 0) \"\"))", "GlobalGet"),
        ("(module (memory i64 1) (data (i64.add (i64.const 1) (i64.const 2)) \"\"))", "more than a constant"),
        ("(module (table i64 2 funcref) (elem (i64.const -1) func))", "0xffffffffffffffff"),
        ("(module (memory i64 1 (pagesize 1)))", "pages of its own size"),
        ("(module (memory i64 1) (func i64.const 0 i64.const 0 memory.discard))", "MemoryDiscard"),
        ("(module (memory i64 1) (@custom \"dylink.0\" \"\"))", "dylink.0"),
        (
            "(module (type $f (func)) (table i64 1 (ref null $f)) (func i64.const 0 ref.null $f table.set 0))",
            "table 0 has entries",
        ),
    ] {
        let said = refusal(text);
        assert!(said.contains(says), "{text}: {said}");
    }
    assert!(lower(b"\0asm\x01\0\0\0\x01").is_err());
    assert!(
        !is_wide(b"\0asm\x01\0\0\0\x01") && !is_wide(b"") && !is_wide(&wat::parse_str("(module (memory 1))").unwrap())
    );
}

/// Functions of MPI get addresses and handles of 32 bits: those that fit, and else what is none.
#[test]
fn functions_of_mpi() {
    use wasmtime::{Caller, Linker};
    type Words = (i32, i32, i32, i32, i32, i32);
    let text = "(module
        (import \"mpi\" \"PMPI_Send\" (func $send (param i64 i32 i64 i32 i32 i64) (result i32)))
        (import \"mpi\" \"MPI_Wtime\" (func $time (result f64)))
        (memory (export \"memory\") i64 1) (table (export \"t\") i64 4 funcref)
        (type $send (func (param i64 i32 i64 i32 i32 i64) (result i32)))
        (elem (i64.const 1) $send)
        (func (export \"direct\") (param i64 i64 i64) (result i32)
          local.get 0 i32.const 7 local.get 1 i32.const -3 i32.const 4 local.get 2 call $send)
        (func (export \"last\") (param i64 i64 i64) (result i32)
          local.get 0 i32.const 7 local.get 1 i32.const -3 i32.const 4 local.get 2 return_call $send)
        (func (export \"pointed to\") (param i64 i64 i64) (result i32)
          local.get 0 i32.const 7 local.get 1 i32.const -3 i32.const 4 local.get 2 i64.const 1 call_indirect (type $send)))";
    let lowered = lower(&wat::parse_str(text).unwrap()).unwrap();
    let module = Module::new(engine(), &lowered.binary).unwrap();
    let mut linker: Linker<Option<Words>> = Linker::new(engine());
    let send = |mut caller: Caller<'_, Option<Words>>, a: i32, b: i32, c: i32, d: i32, e: i32, f: i32| {
        *caller.data_mut() = Some((a, b, c, d, e, f));
        5
    };
    linker.func_wrap("mpi", "PMPI_Send", send).unwrap();
    linker.func_wrap("mpi", "MPI_Wtime", || 1.5).unwrap();
    let mut store = Store::new(engine(), None);
    let instance = linker.instantiate(&mut store, &module).unwrap();
    let int = 0x209;
    for name in ["direct", "last", "pointed to"] {
        let function: TypedFunc<(i64, i64, i64), i32> = instance.get_typed_func(&mut store, name).unwrap();
        for (given, got) in [
            ((4096, int, 0x101), (4096, 7, 0x209, -3, 4, 0x101)),
            ((0xffff_fff0, int, 0xffff_ffff), (-16, 7, 0x209, -3, 4, -1)),
            ((1 << 32, int, (1 << 32) + 0x101), (-1, 7, 0x209, -3, 4, -1)),
            ((-8, int + (1 << 40), -1), (-1, 7, -1, -3, 4, -1)),
            // `MPI_AINT`, `MPI_LONG`, `MPI_UNSIGNED_LONG`, `MPI_LONG_INT` have other numbers for the host than in 32-bit programs.
            ((0, 0x201, 0x101), (0, 7, 0x281, -3, 4, 0x101)),
            ((0, 0x20a, 0x101), (0, 7, 0x28a, -3, 4, 0x101)),
            ((0, 0x20e, 0x101), (0, 7, 0x28e, -3, 4, 0x101)),
            ((0, 0x22a, 0x101), (0, 7, 0x2aa, -3, 4, 0x101)),
            ((0, 0x200, 0x101), (0, 7, 0x200, -3, 4, 0x101)),
            ((0, 0x241, 0x101), (0, 7, 0x241, -3, 4, 0x101)),
            ((0, 0x24a, 0x101), (0, 7, 0x24a, -3, 4, 0x101)),
            ((0, 0xffff_fe0a, 0x101), (0, 7, 0xffff_fe0a_u32 as i32, -3, 4, 0x101)),
            ((0, 0x20b, 0x101), (0, 7, 0x20b, -3, 4, 0x101)),
        ] {
            assert_eq!(function.call(&mut store, given).unwrap(), 5);
            assert_eq!(store.data().unwrap(), got, "{name} of {given:x?}");
        }
    }
    let importing = |module: &str, more: &str| {
        let text =
            format!("(module (import \"{module}\" \"f\" (func (param i64) (result i32))) (memory i64 1 {more}))");
        lower(&wat::parse_str(text).unwrap())
    };
    for module in ["rankine", "rankine_math", "rankine_view"] {
        assert!(importing(module, "").is_ok());
    }
    let said = format!("{:#}", importing("rankine", "100000").err().unwrap());
    assert!(said.contains("calls f") && said.contains("-m64=large"), "{said}");
    // A function of another type is refused when it is linked.
    let text = "(module (import \"mpi\" \"MPI_Isend\" (func (param i64))) (memory i64 1))";
    assert!(lower(&wat::parse_str(text).unwrap()).is_ok());
}

/// Words of which 64 bits count go to an import of their own, and a handle that a function gives is widened.
#[test]
fn whole_words_of_mpi() {
    use wasmtime::Linker;
    let text = "(module
        (import \"mpi\" \"MPI_Win_attach\" (func $attach (param i64 i64 i64) (result i32)))
        (import \"mpi\" \"MPI_Type_get_attr\" (func (param i64 i32 i64 i64) (result i32)))
        (import \"mpi\" \"MPI_Aint_add\" (func $add (param i64 i64) (result i64)))
        (import \"mpi\" \"MPI_Aint_diff\" (func $diff (param i64 i64) (result i64)))
        (import \"mpi\" \"MPI_Comm_fromint\" (func $from (param i32) (result i64)))
        (import \"mpi\" \"MPI_Type_toint\" (func $to (param i64) (result i32)))
        (memory i64 1)
        (func (export \"attach\") (param i64) (result i32) i64.const 1 i64.const 2 local.get 0 call $attach)
        (func (export \"add\") (param i64) (result i64) local.get 0 i64.const 5 call $add)
        (func (export \"diff\") (param i64) (result i64) local.get 0 i64.const 5 call $diff)
        (func (export \"from\") (param i32) (result i64) local.get 0 call $from)
        (func (export \"to\") (param i64) (result i32) local.get 0 call $to))";
    let lowered = lower(&wat::parse_str(text).unwrap()).unwrap();
    let module = Module::new(engine(), &lowered.binary).unwrap();
    let names: Vec<&str> = module.imports().map(|import| import.name()).collect();
    let same = ["MPI_Type_get_attr", "MPI_Aint_add", "MPI_Aint_diff", "MPI_Comm_fromint", "MPI_Type_toint"];
    assert_eq!(names, [&["MPI_Win_attach_64"], &same[..]].concat());
    let mut linker: Linker<i64> = Linker::new(engine());
    let attach = |mut caller: wasmtime::Caller<'_, i64>, win: i32, base: i64, size: i64| {
        *caller.data_mut() = size;
        win + base as i32
    };
    linker.func_wrap("mpi", "MPI_Win_attach_64", attach).unwrap();
    linker.func_wrap("mpi", "MPI_Type_get_attr", |_: i32, _: i32, _: i32, _: i32| 0).unwrap();
    linker.func_wrap("mpi", "MPI_Aint_add", |_: i32, _: i32| 0).unwrap();
    linker.func_wrap("mpi", "MPI_Aint_diff", |_: i32, _: i32| 0).unwrap();
    linker.func_wrap("mpi", "MPI_Comm_fromint", |handle: i32| handle).unwrap();
    linker.func_wrap("mpi", "MPI_Type_toint", |handle: i32| handle).unwrap();
    let mut store = Store::new(engine(), 0);
    let instance = linker.instantiate(&mut store, &module).unwrap();
    let attach: TypedFunc<i64, i32> = instance.get_typed_func(&mut store, "attach").unwrap();
    for size in [0, -1, 5 << 32] {
        assert_eq!((attach.call(&mut store, size).unwrap(), *store.data()), (3, size));
    }
    let [add, diff] = ["add", "diff"].map(|name| instance.get_typed_func::<i64, i64>(&mut store, name).unwrap());
    assert_eq!((add.call(&mut store, 5 << 40).unwrap(), diff.call(&mut store, 3).unwrap()), ((5 << 40) + 5, -2));
    let from: TypedFunc<i32, i64> = instance.get_typed_func(&mut store, "from").unwrap();
    assert_eq!(from.call(&mut store, -2).unwrap(), 0xffff_fffe);
    // The number that the program knows is given, and not the host's.
    let to: TypedFunc<i64, i32> = instance.get_typed_func(&mut store, "to").unwrap();
    assert_eq!(to.call(&mut store, 0x20a).unwrap(), 0x20a);
}

/// A program that says that it may have more than 4 GiB keeps its memory, and gives addresses whole to the imports for such.
#[test]
fn large_programs() {
    use rankine_rewrite::lower64::{Width, width};
    use wasmtime::Linker;
    let of = |memory: &str| width(&wat::parse_str(format!("(module (memory {memory}))")).unwrap());
    assert_eq!(
        ["1", "i64 1", "i64 1 65536", "i64 65535", "i64 1 65537", "i64 65536"].map(of),
        [Width::Narrow, Width::Wide, Width::Wide, Width::Wide, Width::Large, Width::Large]
    );
    let text = "(module
        (import \"mpi\" \"MPI_Send\" (func $send (param i64 i32 i64 i32 i32 i64) (result i32)))
        (import \"mpi\" \"MPI_Barrier\" (func (param i64) (result i32)))
        (memory (export \"memory\") i64 1 100000) (table (export \"t\") i64 4 funcref)
        (type $send (func (param i64 i32 i64 i32 i32 i64) (result i32)))
        (elem (i64.const 1) $send)
        (func (export \"send\") (param i64) (result i32)
          local.get 0 i32.const 7 i64.const 0x20a i32.const 1 i32.const 2 i64.const 0x101
          i64.const 1 call_indirect (type $send))
        (func (export \"load\") (param i64) (result i64) local.get 0 i64.load offset=0x100000000)
        (func (export \"grow\") (param i64) (result i64) local.get 0 memory.grow))";
    let lowered = lower(&wat::parse_str(text).unwrap()).unwrap();
    assert!(lowered.is_large && lowered.looks.addresses == 1);
    // How much it may have is not the program's to say.
    assert_eq!(width(&lowered.binary), Width::Wide);
    let module = Module::new(engine(), &lowered.binary).unwrap();
    let names: Vec<&str> = module.imports().map(|import| import.name()).collect();
    assert_eq!(names, ["MPI_Send_64", "MPI_Barrier"]);
    let mut linker: Linker<(i64, i32)> = Linker::new(engine());
    let send =
        |mut caller: wasmtime::Caller<'_, (i64, i32)>, at: i64, _: i32, datatype: i32, _: i32, _: i32, _: i32| {
            *caller.data_mut() = (at, datatype);
            5
        };
    linker.func_wrap("mpi", "MPI_Send_64", send).unwrap();
    linker.func_wrap("mpi", "MPI_Barrier", |_: i32| 0).unwrap();
    let mut store = Store::new(engine(), (0, 0));
    let instance = linker.instantiate(&mut store, &module).unwrap();
    let send: TypedFunc<i64, i32> = instance.get_typed_func(&mut store, "send").unwrap();
    for at in [4096, 5 << 32, -8] {
        assert_eq!((send.call(&mut store, at).unwrap(), *store.data()), (5, (at, 0x28a)));
    }
    let [load, grow] = ["load", "grow"].map(|name| instance.get_typed_func::<i64, i64>(&mut store, name).unwrap());
    assert!(load.call(&mut store, 0).is_err() && load.call(&mut store, -8).is_err());
    assert_eq!(grow.call(&mut store, 1 << 16).unwrap(), 1);
    assert_eq!(load.call(&mut store, 0).unwrap(), 0);
}

/// A large memory that threads share says how much it may have, as it has to: more than there is.
#[test]
fn a_large_memory_may_be_shared() {
    let text = "(module (import \"env\" \"memory\" (memory i64 3 100000 shared)))";
    let lowered = lower(&wat::parse_str(text).unwrap()).unwrap();
    assert!(lowered.is_large && is_wide(&lowered.binary));
    let mut config = Config::new();
    config.shared_memory(true);
    let module = Module::new(&Engine::new(&config).unwrap(), &lowered.binary).unwrap();
    let ty = module.imports().next().unwrap().ty().unwrap_memory().clone();
    assert!(ty.is_64() && ty.is_shared());
    assert_eq!((ty.minimum(), ty.maximum()), (3, Some(1 << 32)));
}

/// What a module imports and exports keeps its names and types, but for memories and tables.
#[test]
fn what_others_see() {
    let text = "(module
        (import \"env\" \"memory\" (memory i64 2 65536 shared)) (import \"env\" \"t\" (table i64 3 externref))
        (import \"mpi\" \"MPI_Send\" (func (param i64 i32 i64) (result i32)))
        (global (export \"__heap_base\") i64 (i64.const 66000))
        (table (export \"f\") i64 5 funcref)
        (export \"memory\" (memory 0)) (func (export \"malloc\") (param i64) (result i64) local.get 0 memory.grow))";
    let lowered = lower(&wat::parse_str(text).unwrap()).unwrap().binary;
    let types = |text: &str| {
        let mut config = Config::new();
        config.shared_memory(true);
        let module = Module::new(&Engine::new(&config).unwrap(), text.as_bytes()).unwrap();
        let imports: Vec<String> =
            module.imports().map(|i| format!("{} {} {:?}", i.module(), i.name(), i.ty())).collect();
        let exports: Vec<String> = module.exports().map(|e| format!("{} {:?}", e.name(), e.ty())).collect();
        (imports, exports)
    };
    let narrow = text.replace("memory i64 2 65536", "memory 2 65535").replace("table i64 3", "table 3 0xfffffffe");
    let narrow = narrow.replace("i64 5 funcref", "5 0xfffffffe funcref");
    let narrow = narrow.replace("local.get 0 memory.grow", "local.get 0");
    let mut config = Config::new();
    config.shared_memory(true);
    let module = Module::new(&Engine::new(&config).unwrap(), &lowered).unwrap();
    let imports: Vec<String> = module.imports().map(|i| format!("{} {} {:?}", i.module(), i.name(), i.ty())).collect();
    let exports: Vec<String> = module.exports().map(|e| format!("{} {:?}", e.name(), e.ty())).collect();
    assert_eq!((imports, exports), types(&narrow));
}

/// What stands in a file need not be a module.
#[test]
fn whatever_the_bytes_are() {
    let (text, _) = accesses();
    let whole = wat::parse_str(text).unwrap();
    proptest!(ProptestConfig::with_cases(300), |(at: prop::sample::Index, to: u8, cut: prop::sample::Index)| {
        let mut bytes = whole.clone();
        bytes[at.index(whole.len())] = to;
        bytes.truncate(cut.index(whole.len()) + 1);
        is_wide(&bytes);
        drop(lower(&bytes));
    });
}
