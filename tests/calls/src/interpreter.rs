//! The guest's own functions: the loop that makes a program's calls, and what it needs.

use wasm_encoder::{BlockType, Instruction, MemArg, ValType};

use crate::guest::{AT, Builder, DEPTH, LEFT, NEXT, RANK, TURN};

/// Indices of the functions that the guest itself has.
#[derive(Clone, Copy)]
pub(crate) struct Own {
    /// `(pointer) -> i64`: an argument's value.
    pub(crate) value: u32,
    /// `(pointer, calls) -> pointer`: interprets.
    pub(crate) run: u32,
    /// `()`: what a callback does.
    pub(crate) call_back: u32,
    /// `(from, to)`: hexadecimal to bytes, up to the zero byte.
    pub(crate) decode: u32,
}

/// Adds them.
pub(crate) fn own_functions(b: &mut Builder, wrapper: u32) -> Own {
    use Instruction as I;
    let value = b.function(
        &[ValType::I32],
        &[ValType::I64],
        0,
        &[
            I::LocalGet(0),
            I::I32Load8U(AT),
            I::I32Const(1),
            I::I32Eq,
            I::If(BlockType::Result(ValType::I64)),
            I::LocalGet(0),
            I::I64Load(MemArg { offset: 1, ..AT }),
            I::I32WrapI64,
            I::I64Load32S(AT),
            I::Else,
            I::LocalGet(0),
            I::I32Load8U(AT),
            I::I32Const(4),
            I::I32Eq,
            I::If(BlockType::Result(ValType::I64)),
            I::LocalGet(0),
            I::I32Load(MemArg { offset: 1, ..AT }),
            I::LocalGet(0),
            I::I32Load(MemArg { offset: 5, ..AT }),
            I::GlobalGet(TURN),
            I::I32Mul,
            I::I32Add,
            I::I64Load32S(AT),
            I::Else,
            I::LocalGet(0),
            I::I32Load8U(AT),
            I::I32Const(3),
            I::I32Eq,
            I::If(BlockType::Result(ValType::I64)),
            I::LocalGet(0),
            I::I64Load32S(MemArg { offset: 1, ..AT }),
            I::LocalGet(0),
            I::I64Load32S(MemArg { offset: 5, ..AT }),
            I::GlobalGet(TURN),
            I::I64ExtendI32U,
            I::I64Mul,
            I::I64Add,
            I::Else,
            I::LocalGet(0),
            I::I64Load(MemArg { offset: 1, ..AT }),
            I::GlobalGet(RANK),
            I::I64ExtendI32S,
            I::I64Const(0),
            I::LocalGet(0),
            I::I32Load8U(AT),
            I::Select,
            I::I64Add,
            I::End,
            I::End,
            I::End,
        ],
    );
    let run = b.function(
        &[ValType::I32, ValType::I32],
        &[ValType::I32],
        0,
        &[
            I::Block(BlockType::Empty),
            I::Loop(BlockType::Empty),
            I::LocalGet(1),
            I::I32Eqz,
            I::BrIf(1),
            I::LocalGet(0),
            I::I32Const(2),
            I::I32Add,
            I::LocalGet(0),
            I::I32Load16U(AT),
            I::I32Const(1),
            I::I32Add,
            I::CallIndirect { type_index: wrapper, table_index: 0 },
            I::LocalSet(0),
            I::LocalGet(1),
            I::I32Const(1),
            I::I32Sub,
            I::LocalSet(1),
            I::Br(0),
            I::End,
            I::End,
            I::LocalGet(0),
        ],
    );
    // One call of the list, unless it is used up or callbacks are nested deep already.
    let call_back = b.function(
        &[],
        &[],
        1,
        &[
            I::GlobalGet(LEFT),
            I::I32Eqz,
            I::GlobalGet(DEPTH),
            I::I32Const(8),
            I::I32GtU,
            I::I32Or,
            I::If(BlockType::Empty),
            I::Return,
            I::End,
            I::GlobalGet(LEFT),
            I::I32Const(1),
            I::I32Sub,
            I::GlobalSet(LEFT),
            I::GlobalGet(DEPTH),
            I::I32Const(1),
            I::I32Add,
            I::GlobalSet(DEPTH),
            I::GlobalGet(NEXT),
            I::I32Const(1),
            I::Call(run),
            I::LocalSet(0),
            I::LocalGet(0),
            I::GlobalGet(NEXT),
            I::I32GtU,
            I::If(BlockType::Empty),
            I::LocalGet(0),
            I::GlobalSet(NEXT),
            I::End,
            I::GlobalGet(DEPTH),
            I::I32Const(1),
            I::I32Sub,
            I::GlobalSet(DEPTH),
        ],
    );
    let decode = decode(b);
    Own { value, run, call_back, decode }
}

/// Hexadecimal text to bytes: each digit is its low four bits, and nine more where it is a letter.
fn decode(b: &mut Builder) -> u32 {
    use Instruction as I;
    let digit = |offset| {
        [
            I::LocalGet(0),
            I::I32Load8U(MemArg { offset, ..AT }),
            I::LocalTee(2),
            I::I32Const(15),
            I::I32And,
            I::LocalGet(2),
            I::I32Const(6),
            I::I32ShrU,
            I::I32Const(9),
            I::I32Mul,
            I::I32Add,
        ]
    };
    let mut body = vec![
        I::Block(BlockType::Empty),
        I::Loop(BlockType::Empty),
        I::LocalGet(0),
        I::I32Load8U(AT),
        I::I32Eqz,
        I::BrIf(1),
        I::LocalGet(1),
    ];
    body.extend(digit(0));
    body.extend([I::I32Const(4), I::I32Shl]);
    body.extend(digit(1));
    body.extend([
        I::I32Or,
        I::I32Store8(AT),
        I::LocalGet(0),
        I::I32Const(2),
        I::I32Add,
        I::LocalSet(0),
        I::LocalGet(1),
        I::I32Const(1),
        I::I32Add,
        I::LocalSet(1),
        I::Br(0),
        I::End,
        I::End,
    ]);
    b.function(&[ValType::I32, ValType::I32], &[], 1, &body)
}
