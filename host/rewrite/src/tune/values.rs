//! What is known of the values on the operand stack and in locals, within a basic block.

use std::collections::HashMap;

use wasmparser::{BlockType, ContType, FrameKind, FuncType, ModuleArity, Operator, RefType, SubType};

/// What is known of a 64-bit integer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    Anything,
    /// Its highest bit is 0.
    NotNegative,
    Constant(i64),
}

use Value::{Anything, Constant, NotNegative};

impl Value {
    fn is_not_negative(self) -> bool {
        match self {
            Anything => false,
            NotNegative => true,
            Constant(number) => number >= 0,
        }
    }
}

/// The top of the stack, as far down as it is known, and those locals of which something is known.
#[derive(Default)]
pub(crate) struct Values {
    stack: Vec<Value>,
    locals: HashMap<u32, Value>,
}

impl Values {
    /// Whether the topmost value is a 64-bit integer that can't be negative.
    pub(crate) fn top_is_not_negative(&self) -> bool {
        self.stack.last().is_some_and(|value| value.is_not_negative())
    }

    /// Follows one instruction.
    pub(crate) fn step(&mut self, operator: &Operator<'_>) {
        match operator {
            Operator::LocalGet { local_index } => {
                self.stack.push(self.locals.get(local_index).copied().unwrap_or(Anything));
            }
            Operator::LocalSet { local_index } => {
                let value = self.pop();
                self.assign(*local_index, value);
            }
            Operator::LocalTee { local_index } => {
                let value = self.pop();
                self.assign(*local_index, value);
                self.stack.push(value);
            }
            Operator::I64Const { value } => self.stack.push(Constant(*value)),
            Operator::Select | Operator::TypedSelect { .. } => {
                self.pop();
                self.binary(|a, b| a.is_not_negative() && b.is_not_negative());
            }
            Operator::I64And => self.binary(|a, b| a.is_not_negative() || b.is_not_negative()),
            Operator::I64Or | Operator::I64Xor | Operator::I64DivS => {
                self.binary(|a, b| a.is_not_negative() && b.is_not_negative());
            }
            Operator::I64ShrU => {
                self.binary(|a, b| a.is_not_negative() || matches!(b, Constant(by) if by & 63 != 0));
            }
            Operator::I64ShrS | Operator::I64RemS => self.binary(|a, _| a.is_not_negative()),
            Operator::I64DivU => {
                self.binary(|a, b| a.is_not_negative() || matches!(b, Constant(by) if by != 0 && by != 1));
            }
            Operator::I64RemU => self.binary(|a, b| a.is_not_negative() || b.is_not_negative()),
            Operator::I64ExtendI32U
            | Operator::I64Load8U { .. }
            | Operator::I64Load16U { .. }
            | Operator::I64Load32U { .. }
            | Operator::I64Clz
            | Operator::I64Ctz
            | Operator::I64Popcnt => {
                self.pop();
                self.stack.push(NotNegative);
            }
            // Here other paths may join.
            Operator::Block { .. }
            | Operator::Loop { .. }
            | Operator::If { .. }
            | Operator::Else
            | Operator::End
            | Operator::TryTable { .. }
            | Operator::Try { .. }
            | Operator::Catch { .. }
            | Operator::CatchAll
            | Operator::Delegate { .. } => {
                self.stack.clear();
                self.locals.clear();
            }
            other => self.forget(other),
        }
    }

    /// Follows an instruction of whose results nothing is known.
    fn forget(&mut self, operator: &Operator<'_>) {
        match operator.operator_arity(&Nothing) {
            Some((operands, results)) => {
                let left = self.stack.len().saturating_sub(operands as usize);
                self.stack.truncate(left);
                self.stack.extend((0..results).map(|_| Anything));
            }
            None => self.stack.clear(),
        }
    }

    /// An instruction with two operands: whether its result can't be negative.
    fn binary(&mut self, is_not_negative: impl FnOnce(Value, Value) -> bool) {
        let second = self.pop();
        let first = self.pop();
        self.stack.push(if is_not_negative(first, second) { NotNegative } else { Anything });
    }

    /// The topmost value. Below what is known of the stack lies anything.
    fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or(Anything)
    }

    fn assign(&mut self, local: u32, value: Value) {
        match value {
            Anything => self.locals.remove(&local),
            known => self.locals.insert(local, known),
        };
    }
}

/// A module of which nothing is known: operands of calls and of blocks can't be counted.
struct Nothing;

impl ModuleArity for Nothing {
    fn sub_type_at(&self, _: u32) -> Option<&SubType> {
        None
    }

    fn tag_type_arity(&self, _: u32) -> Option<(u32, u32)> {
        None
    }

    fn type_index_of_function(&self, _: u32) -> Option<u32> {
        None
    }

    fn func_type_of_cont_type(&self, _: &ContType) -> Option<&FuncType> {
        None
    }

    fn sub_type_of_ref_type(&self, _: &RefType) -> Option<&SubType> {
        None
    }

    fn control_stack_height(&self) -> u32 {
        0
    }

    fn label_block(&self, _: u32) -> Option<(BlockType, FrameKind)> {
        None
    }
}
