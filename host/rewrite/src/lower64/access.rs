//! Which instructions have addresses, and where these lie among their operands.

use anyhow::{Result, bail};
use wasm_encoder::ValType;
use wasmparser::{MemArg, Operator};

use super::declared::Declared;

/// An operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operand {
    /// A 64-bit address, or a length of the same width.
    Address,
    /// Something else, of this type.
    Other(ValType),
}

use Operand::{Address, Other};

/// An instruction that has to do with a memory or a table with 64-bit addresses.
pub(super) enum Access {
    /// It takes these from the stack, the topmost one last. With an argument, this says how far behind the address it reaches.
    Uses(Vec<Operand>, Option<MemArg>),
    /// It gives a size.
    Size,
    /// It asks for so much more, and gives what there was, or all ones. What else it takes lies below.
    Grow,
}

/// What an instruction does there.
pub(super) fn of(operator: &Operator<'_>, declared: &Declared) -> Result<Option<Access>> {
    let is_wide = declared.is_memory_wide();
    if let Some((argument, name)) = argument(operator) {
        return Ok(if is_wide { Some(Access::Uses(operands(operator, name)?, Some(argument))) } else { None });
    }
    let in_memory = |operands: &[Operand]| is_wide.then(|| Access::Uses(operands.to_vec(), None));
    let (word, wide) = (Other(ValType::I32), |is_wide| if is_wide { Address } else { Other(ValType::I32) });
    Ok(match *operator {
        Operator::MemorySize { .. } => is_wide.then_some(Access::Size),
        Operator::MemoryGrow { .. } => is_wide.then_some(Access::Grow),
        Operator::MemoryCopy { .. } => in_memory(&[Address, Address, Address]),
        Operator::MemoryFill { .. } => in_memory(&[Address, word, Address]),
        Operator::MemoryInit { .. } => in_memory(&[Address, word, word]),
        Operator::TableSize { table } => declared.is_table_wide(table).then_some(Access::Size),
        Operator::TableGrow { table } => declared.is_table_wide(table).then_some(Access::Grow),
        Operator::TableGet { table }
        | Operator::CallIndirect { table_index: table, .. }
        | Operator::ReturnCallIndirect { table_index: table, .. } => {
            declared.is_table_wide(table).then(|| Access::Uses(vec![Address], None))
        }
        Operator::TableSet { table } if declared.is_table_wide(table) => {
            Some(Access::Uses(vec![Address, entry(table, declared)?], None))
        }
        Operator::TableFill { table } if declared.is_table_wide(table) => {
            Some(Access::Uses(vec![Address, entry(table, declared)?, Address], None))
        }
        Operator::TableInit { table, .. } if declared.is_table_wide(table) => {
            Some(Access::Uses(vec![Address, word, word], None))
        }
        Operator::TableCopy { dst_table, src_table } => {
            let [to, from] = [dst_table, src_table].map(|table| declared.is_table_wide(table));
            (to || from).then(|| Access::Uses(vec![wide(to), wide(from), wide(to && from)], None))
        }
        Operator::MemoryDiscard { .. }
        | Operator::TableAtomicGet { .. }
        | Operator::TableAtomicSet { .. }
        | Operator::TableAtomicRmwXchg { .. }
        | Operator::TableAtomicRmwCmpxchg { .. } => {
            bail!("the instruction {operator:?} can't have its 64-bit addresses lowered")
        }
        _ => None,
    })
}

/// An entry of a table, which has to be one that a local can begin with.
fn entry(table: u32, declared: &Declared) -> Result<Operand> {
    let kind = declared.entry(table);
    let known = [wasmparser::RefType::FUNCREF, wasmparser::RefType::EXTERNREF];
    let names = [wasm_encoder::RefType::FUNCREF, wasm_encoder::RefType::EXTERNREF];
    match kind.and_then(|kind| known.iter().position(|known| *known == kind)) {
        Some(at) => Ok(Other(ValType::Ref(names[at]))),
        None => bail!("table {table} has entries whose 64-bit places can't be lowered: {kind:?}"),
    }
}

/// The argument of a load, a store, or of what is both, and the instruction's name.
fn argument(operator: &Operator<'_>) -> Option<(MemArg, &'static str)> {
    macro_rules! found {
        (memarg $value:ident) => {
            Some(*$value)
        };
        ($other:ident $value:ident) => {{
            let _ = $value;
            None
        }};
    }
    macro_rules! arguments {
        ($(@$proposal:ident $op:ident $({ $($field:ident: $kind:ty),* })? => $visit:ident ($($arity:tt)*))*) => {
            match operator {
                $(Operator::$op $({ $($field),* })? => {
                    let argument: Option<MemArg> = None;
                    $($(let argument = argument.or(found!($field $field));)*)?
                    argument.map(|argument| (argument, stringify!($op)))
                })*
                _ => None,
            }
        };
    }
    wasmparser::for_each_operator!(arguments)
}

/// What an instruction with an argument takes from the stack: an address, and what its name and number of operands imply.
fn operands(operator: &Operator<'_>, name: &str) -> Result<Vec<Operand>> {
    let Some((count, _)) = operator.operator_arity(&super::narrow::Nothing) else {
        bail!("nothing is known of what {name} takes, so its 64-bit addresses can't be lowered")
    };
    let kind = match name {
        "MemoryAtomicNotify" => ValType::I32,
        "MemoryAtomicWait32" => return Ok(vec![Address, Other(ValType::I32), Other(ValType::I64)]),
        "MemoryAtomicWait64" => return Ok(vec![Address, Other(ValType::I64), Other(ValType::I64)]),
        _ if name.starts_with("I32") => ValType::I32,
        _ if name.starts_with("I64") => ValType::I64,
        _ if name.starts_with("F32") => ValType::F32,
        _ if name.starts_with("F64") => ValType::F64,
        _ if name.starts_with("V128") => ValType::V128,
        _ => bail!("the instruction {name} is not known, so its 64-bit addresses can't be lowered"),
    };
    Ok(std::iter::once(Address).chain((1..count).map(|_| Other(kind))).collect())
}
