//! Programs that anybody could write, with addresses that are kept in locals, moved, looked at and assigned again.

use std::fmt::Write;

use proptest::prelude::*;

use super::{End, Twins};

const LOCALS: usize = 4;

#[derive(Clone, Debug)]
enum Expression {
    Local(usize),
    Constant(i64),
    Tee(usize, Box<Expression>),
    Load(Box<Expression>, u64),
    Narrowed(Box<Expression>, i64),
    Moved(Box<Expression>, i64),
    /// Of an array: where it begins, which one, as a power of two how large they are, and what lies between.
    Element(usize, usize, u32, i64),
    Binary(&'static str, Box<Expression>, Box<Expression>),
    Select(Box<Expression>, Box<Expression>, Box<Expression>),
    Block(Box<Expression>, Box<Expression>),
}

#[derive(Clone, Debug)]
enum Statement {
    Set(usize, Expression),
    Store(Expression, Expression, u64),
    Exchange(Expression, Expression, Expression),
    Fill(Expression, Expression),
    If(Expression, Vec<Statement>, Vec<Statement>),
    Leave(Expression, Vec<Statement>),
    Repeat(Vec<Statement>),
    /// So many turns, with locals that move in each, and perhaps a condition under which they end.
    Walk(u8, Vec<Statement>, Vec<(usize, i64)>, Option<Expression>),
    /// What is thrown here, or by a function, is in a local afterwards.
    Try(usize, Vec<Statement>, Expression, bool),
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
            Expression::Load(at, offset) => {
                at.write(to);
                write!(to, "i64.load offset={offset} ").unwrap();
            }
            Expression::Narrowed(value, mask) => {
                value.write(to);
                write!(to, "i64.const {mask} i64.and ").unwrap();
            }
            Expression::Moved(value, by) => {
                value.write(to);
                write!(to, "i64.const {by} i64.add ").unwrap();
            }
            Expression::Element(array, index, size, by) => {
                write!(to, "local.get {array} local.get {index} i64.const {size} i64.shl i64.add ").unwrap();
                write!(to, "i64.const {by} i64.add ").unwrap();
            }
            Expression::Binary(operator, a, b) => {
                a.write(to);
                b.write(to);
                write!(to, "i64.{operator} ").unwrap();
            }
            Expression::Select(a, b, condition) => {
                a.write(to);
                b.write(to);
                condition.write(to);
                to.push_str("i64.eqz select ");
            }
            Expression::Block(value, condition) => {
                to.push_str("block (result i64) ");
                value.write(to);
                condition.write(to);
                to.push_str("i64.eqz br_if 0 i64.const 8 i64.xor end ");
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
            Statement::Store(at, value, offset) => {
                at.write(to);
                value.write(to);
                writeln!(to, "i64.store offset={offset}").unwrap();
            }
            Statement::Exchange(at, expected, new) => {
                at.write(to);
                to.push_str("i64.const -8 i64.and ");
                expected.write(to);
                new.write(to);
                writeln!(to, "i64.atomic.rmw.cmpxchg local.set $sum").unwrap();
            }
            Statement::Fill(at, value) => {
                at.write(to);
                value.write(to);
                writeln!(to, "i32.wrap_i64 i64.const 24 memory.fill").unwrap();
            }
            Statement::If(condition, then, otherwise) => {
                condition.write(to);
                to.push_str("i64.eqz if ");
                write(then, to);
                to.push_str("else ");
                write(otherwise, to);
                to.push_str("end\n");
            }
            Statement::Leave(condition, body) => {
                to.push_str("block ");
                condition.write(to);
                to.push_str("i64.const 3 i64.and i64.eqz br_if 0 ");
                write(body, to);
                to.push_str("end\n");
            }
            Statement::Repeat(body) => {
                to.push_str("loop ");
                write(body, to);
                to.push_str("local.get $times i32.const 1 i32.add local.tee $times i32.const 9 i32.lt_u br_if 0 end\n");
            }
            Statement::Walk(turns, body, moved, left) => {
                writeln!(to, "i32.const {turns} local.set $turns block loop").unwrap();
                write(body, to);
                if let Some(left) = left {
                    left.write(to);
                    to.push_str("i64.const 7 i64.and i64.eqz br_if 1 ");
                }
                for (local, by) in moved {
                    write!(to, "local.get {local} i64.const {by} i64.add local.set {local} ").unwrap();
                }
                to.push_str("local.get $turns i32.const 1 i32.sub local.tee $turns i32.const 0 i32.gt_s ");
                // A loop inside may have left it more turns.
                to.push_str("local.get $all i32.const 1 i32.add local.tee $all i32.const 200 i32.lt_s i32.and br_if 0 end end\n");
            }
            Statement::Try(local, body, thrown, is_far) => {
                to.push_str("block (result i64) try_table (catch $thrown 0) ");
                write(body, to);
                thrown.write(to);
                let throws = if *is_far { "call $throws" } else { "throw $thrown" };
                write!(to, "local.tee $what i64.const 3 i64.and i64.eqz if local.get $what {throws} end ").unwrap();
                writeln!(to, "end i64.const 16 end local.set {local}").unwrap();
            }
        }
    }
}

/// Masks of which most make an address of the memory, and some let it lie above 4 GiB.
fn masks() -> impl Strategy<Value = i64> {
    prop_oneof![8 => Just(0xfff8), 2 => Just(0x1_fff8), 1 => Just(0x1_0000_fff8), 1 => Just(-1)]
}

/// Distances from one address to another.
fn distances() -> impl Strategy<Value = i64> {
    prop_oneof![6 => -64i64..64, 1 => Just(32_768), 1 => Just(-32_768), 1 => Just(32_769), 1 => Just(1_i64 << 32)]
}

/// How locals move in a turn.
fn moves() -> impl Strategy<Value = Vec<(usize, i64)>> {
    let by = prop_oneof![8 => -64i64..64, 1 => Just(4096), 1 => Just(-4096), 1 => Just(32_768), 1 => Just(40_000)];
    prop::collection::vec((0..LOCALS, by), 0..4)
}

fn expressions() -> BoxedStrategy<Expression> {
    let number = prop_oneof![any::<i64>(), 0i64..70_000, Just(1_i64 << 32), Just(-8), Just(0xffff_ffff)];
    let leaf = prop_oneof![2 => (0..LOCALS).prop_map(Expression::Local), 1 => number.prop_map(Expression::Constant)];
    let offset = prop_oneof![4 => 0u64..64, 1 => Just(65_530), 1 => Just(0xffff_fff0)];
    let operators = prop::sample::select(vec!["add", "sub", "mul", "and", "or", "xor", "shr_u", "div_u", "rem_u"]);
    leaf.prop_recursive(4, 20, 3, move |inner| {
        let boxed = inner.prop_map(Box::new).boxed();
        prop_oneof![
            2 => (0..LOCALS, boxed.clone()).prop_map(|(local, value)| Expression::Tee(local, value)),
            3 => (boxed.clone(), masks(), offset.clone()).prop_map(|(at, mask, offset)| {
                Expression::Load(Box::new(Expression::Narrowed(at, mask)), offset)
            }),
            2 => (boxed.clone(), masks()).prop_map(|(value, mask)| Expression::Narrowed(value, mask)),
            4 => (operators.clone(), boxed.clone(), boxed.clone()).prop_map(|(operator, a, b)| {
                // Nobody divides by 0.
                let b = match operator {
                    "div_u" | "rem_u" => Box::new(Expression::Binary("or", b, Box::new(Expression::Constant(1)))),
                    _ => b,
                };
                Expression::Binary(operator, a, b)
            }),
            1 => (boxed.clone(), boxed.clone(), boxed.clone()).prop_map(|(a, b, c)| Expression::Select(a, b, c)),
            1 => (boxed.clone(), boxed).prop_map(|(a, b)| Expression::Block(a, b)),
        ]
    })
    .boxed()
}

fn statements() -> impl Strategy<Value = Vec<Statement>> {
    // Addresses in locals, which are looked at once and then known, until they are assigned.
    let at = prop_oneof![
        3 => (0..LOCALS).prop_map(Expression::Local),
        2 => (0..LOCALS, expressions(), masks()).prop_map(|(local, value, mask)| {
            Expression::Tee(local, Box::new(Expression::Narrowed(Box::new(value), mask)))
        }),
        3 => (0..LOCALS, 0..LOCALS, distances()).prop_map(|(to, from, by)| {
            Expression::Tee(to, Box::new(Expression::Moved(Box::new(Expression::Local(from)), by)))
        }),
        2 => (0..LOCALS, distances()).prop_map(|(from, by)| Expression::Moved(Box::new(Expression::Local(from)), by)),
        4 => (0..LOCALS, 0..LOCALS, 0u32..4, -64i64..64).prop_map(|(array, index, size, by)| {
            Expression::Element(array, index, size, by)
        }),
    ]
    .boxed();
    let offset = prop_oneof![6 => 0u64..64, 1 => Just(65_530), 1 => Just(0xffff_fff0)];
    let narrowed = (0..LOCALS, expressions(), masks());
    let leaf = prop_oneof![
        2 => (0..LOCALS, 0..LOCALS, distances()).prop_map(|(to, from, by)| {
            Statement::Set(to, Expression::Moved(Box::new(Expression::Local(from)), by))
        }),
        3 => narrowed.prop_map(|(local, value, mask)| Statement::Set(local, Expression::Narrowed(Box::new(value), mask))),
        1 => (0..LOCALS, expressions()).prop_map(|(local, value)| Statement::Set(local, value)),
        4 => (at.clone(), expressions(), offset).prop_map(|(at, value, offset)| Statement::Store(at, value, offset)),
        1 => (at.clone(), expressions(), expressions()).prop_map(|(at, a, b)| Statement::Exchange(at, a, b)),
        1 => (at, expressions()).prop_map(|(at, value)| Statement::Fill(at, value)),
    ];
    let statement = leaf.prop_recursive(3, 14, 4, |inner| {
        let some = prop::collection::vec(inner, 0..4);
        prop_oneof![
            1 => (expressions(), some.clone(), some.clone()).prop_map(|(condition, a, b)| Statement::If(condition, a, b)),
            1 => (expressions(), some.clone()).prop_map(|(condition, body)| Statement::Leave(condition, body)),
            1 => some.clone().prop_map(Statement::Repeat),
            3 => (1u8..20, some.clone(), moves(), prop::option::of(expressions()))
                .prop_map(|(turns, body, moved, left)| Statement::Walk(turns, body, moved, left)),
            1 => (0..LOCALS, some, expressions(), any::<bool>())
                .prop_map(|(local, body, thrown, is_far)| Statement::Try(local, body, thrown, is_far)),
        ]
    });
    prop::collection::vec(statement, 1..7)
}

#[test]
fn any_program() {
    let [given, traps, spared, walks] = [const { std::cell::Cell::new(0) }; 4];
    let count = |of: &std::cell::Cell<usize>, by| of.set(of.get() + by);
    proptest!(ProptestConfig::with_cases(300), |(body in statements(), inputs in prop::collection::vec(any::<[u16; LOCALS]>(), 4))| {
        let mut text = String::from(
            "(module (memory (export \"memory\") i64 2) (data (i64.const 0) \"\\ff\\fe\\fd\\fc\\fb\\fa\\f9\\f8\\07\\06\\05\\04\\03\\02\\01\\80\")
             (tag $thrown (param i64))
             (func $throws (param i64)
               block (result exnref) try_table (catch_all_ref 0) local.get 0 throw $thrown end unreachable end throw_ref)
             (func (export \"f\") (param i64 i64 i64 i64) (result i64) (local $sum i64) (local $times i32) (local $turns i32) (local $all i32) (local $what i64)\n",
        );
        write(&body, &mut text);
        text.push_str("local.get $sum local.get 0 local.get 1 local.get 2 local.get 3 i64.xor i64.xor i64.xor i64.xor))");
        let mut twins = Twins::new(&text);
        count(&spared, twins.lowered.looks.addresses - twins.lowered.looks.needed);
        count(&walks, twins.lowered.looks.walks);
        let edges = [[0; LOCALS], [-1; LOCALS], [8, 1 << 32, (1 << 32) + 8, 131_064]];
        let inputs = inputs.into_iter().map(|four| four.map(i64::from));
        for [a, b, c, d] in inputs.chain(edges) {
            match twins.call("f", (a, b, c, d)) {
                End::Gives(_) => count(&given, 1),
                End::Traps(..) => count(&traps, 1),
            }
        }
    });
    let [given, traps, spared, walks] = [given, traps, spared, walks].map(|count| count.get());
    assert!(
        given > 300 && traps > 200 && spared > 300 && walks > 100,
        "{given} gave something, {traps} trapped, {spared} looks spared, {walks} walks"
    );
}
