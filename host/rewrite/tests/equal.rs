//! Tuned modules beside the originals: whatever they are given, they give the same bits.

use std::fmt::Write;
use std::sync::LazyLock;

use proptest::prelude::*;
use rankine_rewrite::tune::{Tally, tune};
use wasmtime::{Engine, Instance, Module, Store, TypedFunc, WasmParams};

/// A module as it was and as it became.
struct Twins {
    stores: [Store<()>; 2],
    instances: [Instance; 2],
    tally: Tally,
}

impl Twins {
    fn new(text: &str) -> Twins {
        let original = wat::parse_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut tuned = original.clone();
        let tally = tune(&mut tuned);
        static ENGINE: LazyLock<Engine> = LazyLock::new(Engine::default);
        let mut stores = [Store::new(&ENGINE, ()), Store::new(&ENGINE, ())];
        let modules = [original, tuned].map(|bytes| Module::new(&ENGINE, bytes).unwrap());
        let mut modules = modules.iter();
        let instances = stores.each_mut().map(|store| Instance::new(store, modules.next().unwrap(), &[]).unwrap());
        Twins { stores, instances, tally }
    }

    /// What both give for these parameters; `None` is a trap.
    fn call<P: WasmParams + Copy>(&mut self, name: &str, parameters: P) -> [Option<i64>; 2] {
        let mut instances = self.instances.iter();
        self.stores.each_mut().map(|mut store| {
            let instance = instances.next().unwrap();
            let function: TypedFunc<P, i64> = instance.get_typed_func(&mut store, name).unwrap();
            function.call(store, parameters).ok()
        })
    }
}

/// Numbers that compare in unusual ways, and such as differ in one bit.
const SPECIAL: [u64; 20] = [
    0,
    1 << 63,
    1,
    (1 << 63) | 1,
    0x3ff0_0000_0000_0000,
    0x3ff0_0000_0000_0001,
    0xbff0_0000_0000_0000,
    0x000f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x7fef_ffff_ffff_ffff,
    0xffef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0xfff8_0000_0000_0000,
    0x7ff8_0000_0000_0001,
    0x7ff0_0000_0000_0001,
    0xfff0_0000_0000_0001,
    0x7ff7_ffff_ffff_ffff,
    0xffff_ffff_ffff_ffff,
];

/// The like for 32 bits.
fn narrowed(bits: u64) -> u32 {
    let exponent = match bits >> 52 & 0x7ff {
        0 => 0,
        0x7ff => 0xff,
        other => (other as i32 - 1023 + 127).clamp(1, 254) as u32,
    };
    let fraction = (bits >> 29 & 0x7f_ffff | u64::from(bits & 0xf_ffff_ffff_ffff != 0)) as u32;
    ((bits >> 63) as u32) << 31 | exponent << 23 | fraction
}

/// Functions `TYPE_COMPARISON_ARMS_FORM` of two numbers' bits.
fn selections() -> (String, Vec<String>) {
    let mut text = String::from("(module\n");
    let mut names = Vec::new();
    for (float, bits) in [("f64", "i64"), ("f32", "i32")] {
        let widen = if float == "f32" { "i64.extend_i32_u" } else { "" };
        for comparison in ["gt", "lt", "ge", "le"] {
            for arms in ["$a $b", "$b $a", "$c $d"] {
                let (first, second) = arms.split_once(' ').unwrap();
                let compare = format!("local.get $a local.get $b {float}.{comparison}");
                // The operands of `select` and `select`; where a local has a long number; with a constant; where the
                // condition serves twice; and what is no pair of operands.
                let forms = [
                    ("gets", format!("local.get {first} local.get {second} {compare} select")),
                    ("typed", format!("local.get {first} local.get {second} {compare} select (result {float})")),
                    (
                        "tees",
                        format!(
                            "local.get {first} {float}.abs local.tee $far local.get {second} {float}.neg local.tee $y \
                             local.get $far local.get $y {float}.{comparison} select"
                        ),
                    ),
                    (
                        "constant",
                        format!(
                            "local.get {first} {float}.const 1 local.get {first} {float}.const 1 {float}.{comparison} select"
                        ),
                    ),
                    (
                        "shared",
                        format!(
                            "local.get {first} local.get {second} {compare} local.tee $condition select \
                             local.get {second} local.get $condition select"
                        ),
                    ),
                    (
                        "computed",
                        format!(
                            "local.get {first} local.get {second} local.get $a local.get $b {float}.neg \
                             {float}.{comparison} select"
                        ),
                    ),
                ];
                for (form, body) in forms {
                    let name = format!("{float}_{comparison}_{first}{second}_{form}");
                    writeln!(
                        text,
                        "(func (export \"{name}\") (param $p {bits}) (param $q {bits}) (result i64)
                           (local $a {float}) (local $b {float}) (local $c {float}) (local $d {float}) (local $y {float})
                           (local $condition i32) (local {padding}) (local $far {float})
                           local.get $p {float}.reinterpret_{bits} local.tee $a {float}.neg local.set $c
                           local.get $q {float}.reinterpret_{bits} local.tee $b {float}.abs local.set $d
                           {body} {bits}.reinterpret_{float} {widen})",
                        padding = "i32 ".repeat(200),
                    )
                    .unwrap();
                    names.push(name);
                }
            }
        }
    }
    (text + ")", names)
}

fn compare_selections(twins: &mut Twins, names: &[String], a: u64, b: u64) {
    for name in names {
        let [original, tuned] = if name.starts_with("f32") {
            twins.call(name, (narrowed(a) as i32, narrowed(b) as i32))
        } else {
            twins.call(name, (a as i64, b as i64))
        };
        assert_eq!(original, tuned, "{name} of {a:x} and {b:x}");
    }
}

#[test]
fn selections_of_special_and_of_any_numbers() {
    let (text, names) = selections();
    let mut twins = Twins::new(&text);
    // Of each type and arms: "greater" in all forms but the last.
    assert_eq!(twins.tally, Tally { comparisons: 2 * 3 * 5, conversions: 0 });
    for a in SPECIAL {
        for b in SPECIAL {
            compare_selections(&mut twins, &names, a, b);
        }
    }
    let twins = std::cell::RefCell::new(twins);
    proptest!(ProptestConfig::with_cases(2000), |(a: u64, b: u64, near in 0u64..3)| {
        let mut twins = twins.borrow_mut();
        compare_selections(&mut twins, &names, a, b);
        compare_selections(&mut twins, &names, a, a.wrapping_add(near));
    });
}

/// Once the original has the instruction too, there is nothing left to exchange.
#[cfg(target_arch = "x86_64")]
#[test]
fn a_maximum_becomes_one_instruction() {
    let text = "(module (func (export \"f\") (param f64 f64) (result f64)
        local.get 0 local.get 1 local.get 0 local.get 1 f64.gt select))";
    let original = wat::parse_str(text).unwrap();
    let mut tuned = original.clone();
    tune(&mut tuned);
    // MAXSD with and without VEX.
    let has_maximum = |module: &[u8]| {
        let module = Module::new(&Engine::default(), module).unwrap();
        let code = module.text();
        let vex = code.windows(3).any(|bytes| bytes[0] == 0xc5 && bytes[2] == 0x5f);
        vex || code.windows(2).any(|bytes| bytes == [0x0f, 0x5f])
    };
    assert!(!has_maximum(&original) && has_maximum(&tuned));
}

/// Operators of two operands, and of one.
const BINARY: [&str; 13] =
    ["and", "or", "xor", "add", "sub", "mul", "shl", "shr_u", "shr_s", "div_u", "div_s", "rem_u", "rem_s"];
const UNARY: [&str; 7] = [
    "i64.clz",
    "i64.popcnt",
    "i64.extend32_s",
    "i32.wrap_i64 i64.extend_i32_u",
    "i32.wrap_i64 i64.extend_i32_s",
    "i32.wrap_i64 i32.const 0xfff8 i32.and i64.load32_u",
    "i32.wrap_i64 i32.const 0xfff8 i32.and i64.load",
];
const LOCALS: usize = 4;

#[derive(Clone, Debug)]
enum Expression {
    Local(usize),
    Constant(i64),
    Tee(usize, Box<Expression>),
    Unary(usize, Box<Expression>),
    Binary(usize, Box<Expression>, Box<Expression>),
    Select(Box<Expression>, Box<Expression>, Box<Expression>),
    Call(Box<Expression>),
    Block(Box<Expression>, Box<Expression>),
}

#[derive(Clone, Debug)]
enum Statement {
    Set(usize, Expression),
    Convert(Expression),
    If(Expression, Vec<Statement>, Vec<Statement>),
    Repeat(Vec<Statement>),
}

impl Expression {
    fn write(&self, to: &mut String) {
        match self {
            Expression::Local(local) => write!(to, "local.get {local} ").unwrap(),
            Expression::Constant(number) => write!(to, "i64.const {number} ").unwrap(),
            Expression::Tee(local, value) => {
                value.write(to);
                write!(to, "local.tee {local} ").unwrap();
            }
            Expression::Unary(operator, value) => {
                value.write(to);
                write!(to, "{} ", UNARY[*operator]).unwrap();
            }
            Expression::Binary(operator, a, b) => {
                a.write(to);
                b.write(to);
                write!(to, "i64.{} ", BINARY[*operator]).unwrap();
            }
            Expression::Select(a, b, condition) => {
                a.write(to);
                b.write(to);
                condition.write(to);
                to.push_str("i64.eqz select ");
            }
            Expression::Call(value) => {
                value.write(to);
                to.push_str("call $negated ");
            }
            Expression::Block(value, condition) => {
                to.push_str("block (result i64) ");
                value.write(to);
                condition.write(to);
                to.push_str("i64.eqz br_if 0 i64.const -1 i64.xor end ");
            }
        }
    }
}

fn write(statements: &[Statement], to: &mut String) {
    for statement in statements {
        match statement {
            Statement::Set(local, value) => {
                value.write(to);
                writeln!(to, "local.set {local}").unwrap();
            }
            Statement::Convert(value) => {
                to.push_str("local.get $sum i64.const 7 i64.rotl ");
                value.write(to);
                to.push_str("local.tee $value f64.convert_i64_u i64.reinterpret_f64 ");
                writeln!(to, "local.get $value f32.convert_i64_u i32.reinterpret_f32 i64.extend_i32_u i64.add i64.xor local.set $sum")
                    .unwrap();
            }
            Statement::If(condition, then, otherwise) => {
                condition.write(to);
                to.push_str("i64.eqz if ");
                write(then, to);
                to.push_str("else ");
                write(otherwise, to);
                to.push_str("end\n");
            }
            Statement::Repeat(body) => {
                to.push_str("loop ");
                write(body, to);
                to.push_str("local.get $times i32.const 1 i32.add local.tee $times i32.const 9 i32.lt_u br_if 0 end\n");
            }
        }
    }
}

fn expressions() -> impl Strategy<Value = Expression> {
    let number = prop_oneof![any::<i64>(), -2i64..70, Just(i64::MAX), Just(i64::MIN), Just((1 << 46) - 1)];
    let leaf = prop_oneof![(0..LOCALS).prop_map(Expression::Local), number.prop_map(Expression::Constant)];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let boxed = inner.prop_map(Box::new).boxed();
        prop_oneof![
            2 => (0..LOCALS, boxed.clone()).prop_map(|(local, value)| Expression::Tee(local, value)),
            3 => (0..UNARY.len(), boxed.clone()).prop_map(|(operator, value)| Expression::Unary(operator, value)),
            6 => (0..BINARY.len(), boxed.clone(), boxed.clone()).prop_map(|(operator, a, b)| Expression::Binary(operator, a, b)),
            1 => (boxed.clone(), boxed.clone(), boxed.clone()).prop_map(|(a, b, c)| Expression::Select(a, b, c)),
            1 => boxed.clone().prop_map(Expression::Call),
            1 => (boxed.clone(), boxed).prop_map(|(a, b)| Expression::Block(a, b)),
        ]
    })
}

fn statements() -> impl Strategy<Value = Vec<Statement>> {
    let leaf = prop_oneof![
        (0..LOCALS, expressions()).prop_map(|(local, value)| Statement::Set(local, value)),
        expressions().prop_map(Statement::Convert),
    ];
    let statement = leaf.prop_recursive(2, 12, 4, |inner| {
        let some = prop::collection::vec(inner, 0..4);
        prop_oneof![
            (expressions(), some.clone(), some.clone()).prop_map(|(condition, a, b)| Statement::If(condition, a, b)),
            some.prop_map(Statement::Repeat),
        ]
    });
    prop::collection::vec(statement, 1..6)
}

#[test]
fn conversions_in_any_program() {
    let replaced = std::cell::Cell::new(0);
    proptest!(ProptestConfig::with_cases(600), |(body in statements(), inputs in prop::collection::vec(any::<[i64; LOCALS]>(), 4))| {
        let mut text = String::from(
            "(module (memory 2) (data (i32.const 0) \"\\ff\\fe\\fd\\fc\\fb\\fa\\f9\\f8\\07\\06\\05\\04\\03\\02\\01\\80\")
             (func $negated (param i64) (result i64) i64.const 0 local.get 0 i64.sub)
             (func (export \"f\") (param i64 i64 i64 i64) (result i64)
             (local $sum i64) (local $value i64) (local $times i32)\n",
        );
        write(&body, &mut text);
        text.push_str("local.get $sum))");
        let mut twins = Twins::new(&text);
        replaced.set(replaced.get() + twins.tally.conversions);
        let edges = [[0; LOCALS], [-1; LOCALS], [i64::MIN, i64::MAX, -1, 1]];
        for [a, b, c, d] in inputs.into_iter().chain(edges) {
            let [original, tuned] = twins.call("f", (a, b, c, d));
            prop_assert_eq!(original, tuned, "{}", text);
        }
    });
    assert!(replaced.get() > 100, "only {} conversions were replaced", replaced.get());
}

#[test]
fn conversions_that_compilers_write() {
    let conversions = |body: &str| {
        let text =
            format!("(module (memory 1) (func (param $a i64) (param $b i64) (result f64) {body} f64.convert_i64_u))");
        let mut module = wat::parse_str(text).unwrap();
        tune(&mut module).conversions
    };
    assert_eq!(conversions("local.get $a local.get $b i64.mul i64.const 0x3fffffffffff i64.and local.tee $a"), 1);
    assert_eq!(conversions("local.get $a i64.const 11 i64.shr_u"), 1);
    assert_eq!(conversions("local.get $a i64.const 5 i64.shr_u local.set $b local.get $b"), 1);
    assert_eq!(conversions("i32.const 0 i64.load32_u"), 1);
    assert_eq!(conversions("local.get $a"), 0);
    assert_eq!(conversions("local.get $a i64.const 64 i64.shr_u"), 0);
    assert_eq!(conversions("local.get $a i64.const -2 i64.and"), 0);
    assert_eq!(
        conversions(
            "i64.const 1 local.set $b block local.get $a i64.eqz br_if 0 i64.const -1 local.set $b end local.get $b"
        ),
        0
    );
}

/// What stands in a file need not be a module.
#[test]
fn whatever_the_bytes_are() {
    let (text, _) = selections();
    let whole = wat::parse_str(text).unwrap();
    proptest!(ProptestConfig::with_cases(500), |(at: prop::sample::Index, to: u8, cut: prop::sample::Index)| {
        let mut bytes = whole.clone();
        bytes[at.index(whole.len())] = to;
        bytes.truncate(cut.index(whole.len()) + 1);
        let length = bytes.len();
        tune(&mut bytes);
        prop_assert_eq!(bytes.len(), length);
    });
}
