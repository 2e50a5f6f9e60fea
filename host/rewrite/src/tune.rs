//! Replaces instructions that Cranelift compiles badly with equivalent ones that it compiles well, before a module is
//! compiled.
//!
//! - A maximum, `a > b ? a : b`, becomes one instruction of the machine when it is written `b < a ? a : b`. As it
//!   stands it becomes a jump, mispredicted every other time. The two are equal for all operands: both comparisons are
//!   false where one operand is not a number. `a >= b ? a : b` has no such twin, as -0 and 0 are equal but not the same.
//! - A 64-bit integer that can't be negative is converted to floating point like a signed number, in one instruction.
//!   LLVM prefers to call such a number unsigned, which x86-64 has no instruction for.
//!
//! A replacement is as long as what it replaces, so offsets in debug information stay right; what is not understood stays
//! as it is. Read [`tune`] first, then `values.rs`, which follows what an operand can
//! be.

mod values;

use std::ops::Range;

use wasmparser::{FunctionBody, Operator, Parser, Payload, Result};

use values::Values;

/// How much was replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Comparisons that a `select` depends on.
    pub comparisons: usize,
    /// Conversions of integers that can't be negative.
    pub conversions: usize,
}

/// Replaces what has a better twin. A module that is not well-formed stays as it is from the first mistake on; whoever
/// compiles it will say so.
pub fn tune(module: &mut [u8]) -> Tally {
    let mut edits = Vec::new();
    // An error ends the search, and no more than that.
    let _ = search(module, &mut edits);
    let mut tally = Tally::default();
    for edit in edits {
        match edit {
            Edit::Exchange { first, second, opcode } => {
                module[first.start..second.end].rotate_left(first.len());
                module[opcode] = match module[opcode] {
                    F32_GT => F32_LT,
                    _ => F64_LT,
                };
                tally.comparisons += 1;
            }
            Edit::Signed { opcode } => {
                module[opcode] = match module[opcode] {
                    F32_CONVERT_I64_U => F32_CONVERT_I64_S,
                    _ => F64_CONVERT_I64_S,
                };
                tally.conversions += 1;
            }
        }
    }
    tally
}

const F32_LT: u8 = 0x5d;
const F32_GT: u8 = 0x5e;
const F64_LT: u8 = 0x63;
const F32_CONVERT_I64_S: u8 = 0xb4;
const F32_CONVERT_I64_U: u8 = 0xb5;
const F64_CONVERT_I64_S: u8 = 0xb9;

/// A replacement, by positions in the module.
enum Edit {
    /// The two instructions that push a comparison's operands change places, and "greater" becomes "less".
    Exchange { first: Range<usize>, second: Range<usize>, opcode: usize },
    /// A conversion of an unsigned number becomes that of a signed one.
    Signed { opcode: usize },
}

fn search(module: &[u8], edits: &mut Vec<Edit>) -> Result<()> {
    for payload in Parser::new(0).parse_all(module) {
        if let Payload::CodeSectionEntry(body) = payload? {
            search_function(&body, edits)?;
        }
    }
    Ok(())
}

fn search_function(body: &FunctionBody<'_>, edits: &mut Vec<Edit>) -> Result<()> {
    let mut values = Values::default();
    let mut selects = Selects::default();
    let mut operators = body.get_operators_reader()?;
    while !operators.eof() {
        let (operator, start) = operators.read_with_offset()?;
        let at = start as usize..operators.original_position() as usize;
        edits.extend(selects.step(&operator, &at));
        let is_unsigned = matches!(operator, Operator::F32ConvertI64U | Operator::F64ConvertI64U);
        if is_unsigned && values.top_is_not_negative() {
            edits.push(Edit::Signed { opcode: at.start });
        }
        values.step(&operator);
    }
    Ok(())
}

/// Looks for comparisons that can be exchanged, and that a `select` follows.
#[derive(Default)]
struct Selects {
    /// Where the last instruction stands, and the one before, as long as they do nothing but push a value.
    pushes: (Option<Range<usize>>, Option<Range<usize>>),
    /// A comparison of two such values that has just been met.
    comparison: Option<Edit>,
}

impl Selects {
    fn step(&mut self, operator: &Operator<'_>, at: &Range<usize>) -> Option<Edit> {
        let comparison = self.comparison.take();
        let pushes = std::mem::take(&mut self.pushes);
        match operator {
            Operator::LocalGet { .. }
            | Operator::GlobalGet { .. }
            | Operator::F32Const { .. }
            | Operator::F64Const { .. } => self.pushes = (pushes.1, Some(at.clone())),
            Operator::F32Gt | Operator::F64Gt => {
                if let (Some(first), Some(second)) = pushes {
                    self.comparison = Some(Edit::Exchange { first, second, opcode: at.start });
                }
            }
            // Its result serves further on as well.
            Operator::LocalTee { .. } => self.comparison = comparison,
            Operator::Select | Operator::TypedSelect { .. } => return comparison,
            _ => {}
        }
        None
    }
}
