//! Everything a program of a case can call: the functions of MPI, those that Rankine adds ([`extensions`]),
//! and a few of the guest's own.

use anyhow::{Context, Result, ensure};
use rankine_abi::ValueType;
use rankine_gen::functions::{self, Class};
use rankine_gen::parameters::{Direction, Kind, Parameter};

use crate::extensions;

/// A function, as the guest's interpreter calls it.
#[derive(Debug)]
pub struct Callee {
    /// `MPI_Send_c`
    pub name: String,
    /// Where it comes from.
    pub origin: Origin,
    /// Its parameters, each with its wasm type.
    pub parameters: Vec<(ValueType, What)>,
    /// What it returns, which nobody looks at.
    pub result: Option<ValueType>,
    /// Whether it may wait for other ranks: most such calls end a case, so they are drawn less often.
    pub waits: bool,
    /// The embedded engine has it.
    pub in_local: bool,
    /// What it returns is an error code of MPI's.
    pub returns_code: bool,
    /// For each parameter: it points to what a native program has as wide as its addresses.
    pub as_wide_as_addresses: Vec<bool>,
}

impl Callee {
    /// Whether engines may answer as they like, or wait for a rank that there is not.
    pub fn may_differ(&self) -> bool {
        let is_mpi = self.origin == Origin::Module(rankine_abi::MODULE);
        !is_mpi && !matches!(self.origin, Origin::Guest(_)) || self.name.starts_with("MPI_T_") || self.waits
    }
}

/// Who provides a function.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Origin {
    /// The import module of that name.
    Module(&'static str),
    /// The guest itself.
    Guest(Helper),
}

/// The guest's own functions: what a program does between its calls.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Helper {
    /// Stores a word.
    Store32,
    /// Stores two words.
    Store64,
    /// Makes the memory larger.
    Grow,
    /// Makes the next calls, so many of them, so many times: once at least.
    Repeat,
}

/// What a parameter stands for, as far as drawing it is concerned.
#[derive(Clone, Debug)]
pub enum What {
    /// A handle that is passed.
    Handle(Class),
    /// A place where a handle lies or is written, or an array of such places.
    Handles(Class),
    /// A handle of the tools interface.
    Tool,
    /// A place for a handle of the tools interface.
    Tools,
    /// How many.
    Count,
    /// A rank, root, source or destination.
    Rank,
    /// A tag.
    Tag,
    /// A key of an attribute.
    Keyval,
    /// A small number with a meaning: a position, a flag, a mode.
    Int,
    /// A distance in bytes or elements.
    Displacement,
    /// An array of numbers, or room for them; how many bytes each has.
    Numbers(u32),
    /// The address of a choice buffer.
    Buffer,
    /// A string of the guest's.
    Text,
    /// A pointer to anything else.
    Pointer,
    /// A function of the guest, by its C type.
    Function(String),
    /// How many processes are to be started.
    Processes,
    /// An array of numbers of processes.
    ManyProcesses,
    /// An array of strings.
    Texts,
    /// One of these numbers, or one of those that arithmetic goes wrong with.
    Among(&'static [i64]),
    /// A number with a fraction, by its bits.
    Real,
    /// The address of a letter.
    Letter,
    /// The address of a number that says how large a matrix is.
    Order,
    /// The address of a factor.
    Factor,
    /// The address of dimensions of a transform, each a length and two strides.
    Axes,
    /// The address of a stored word: of the helpers alone.
    Place,
    /// The value of a stored word: of the helpers alone.
    Word,
}

/// All functions; a call names one by its position.
pub struct Catalogue {
    /// In the order of the table; the guest's own come last.
    pub functions: Vec<Callee>,
}

impl Catalogue {
    /// The functions of the table and the rest.
    pub fn new() -> Result<Catalogue> {
        let table = functions::parse(include_str!("../../../abi/functions.toml"))?;
        let mut functions = Vec::new();
        for function in &table.functions {
            for (name, large) in function.variants() {
                let row = rankine_abi::Function::named(&name).with_context(|| format!("{name} is not in the ABI"))?;
                let parameters: Vec<&Parameter> = function.of_variant(large).collect();
                ensure!(parameters.len() == row.parameters.len(), "{name}: {} parameters", parameters.len());
                let as_wide_as_addresses = parameters.iter().map(|p| is_as_wide_as_addresses(p, large)).collect();
                let parameters = row.parameters.iter().copied().zip(parameters.into_iter().map(|p| what(p, large)));
                functions.push(Callee {
                    origin: Origin::Module(rankine_abi::MODULE),
                    parameters: parameters.collect(),
                    result: Some(row.result),
                    waits: function.marks.waits,
                    in_local: function.engines.local,
                    // Those of tools have codes of their own.
                    returns_code: function.returns.is_none() && function.chapter != "mpit",
                    as_wide_as_addresses,
                    name,
                });
            }
        }
        functions.extend(extensions::all());
        functions.extend([
            helper(Helper::Store32, &[(ValueType::I32, What::Place), (ValueType::I32, What::Word)]),
            helper(Helper::Store64, &[(ValueType::I32, What::Place), (ValueType::I64, What::Word)]),
            helper(Helper::Grow, &[(ValueType::I32, What::Int)]),
            helper(Helper::Repeat, &[(ValueType::I32, What::Int), (ValueType::I32, What::Int)]),
        ]);
        Ok(Catalogue { functions })
    }

    /// The position of a function.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.functions.iter().position(|callee| callee.name == name)
    }
}

fn helper(helper: Helper, parameters: &[(ValueType, What)]) -> Callee {
    Callee {
        name: format!("{helper:?}"),
        origin: Origin::Guest(helper),
        parameters: parameters.to_vec(),
        result: None,
        waits: false,
        in_local: true,
        returns_code: false,
        as_wide_as_addresses: vec![false; parameters.len()],
    }
}

fn is_as_wide_as_addresses(parameter: &Parameter, large: bool) -> bool {
    let is_wide = match &parameter.kind {
        Kind::Handle(_) | Kind::Tool(_) | Kind::Aint => true,
        Kind::Extent => !large,
        _ => false,
    };
    is_wide && parameter.by_pointer()
}

fn what(parameter: &Parameter, large: bool) -> What {
    let pointed = parameter.by_pointer();
    let wide = if large { 8 } else { 4 };
    match &parameter.kind {
        Kind::Int if parameter.name == "maxprocs" => What::Processes,
        Kind::Int if parameter.name == "array_of_maxprocs" => What::ManyProcesses,
        Kind::Raw(_) if parameter.name == "array_of_commands" => What::Texts,
        Kind::Handle(class) if pointed => What::Handles(*class),
        Kind::Handle(class) => What::Handle(*class),
        Kind::Tool(_) if pointed => What::Tools,
        Kind::Tool(_) => What::Tool,
        Kind::Buffer(..) => What::Buffer,
        Kind::String(None) if parameter.direction == Direction::In => What::Text,
        Kind::String(_) | Kind::Status | Kind::Address { .. } => What::Pointer,
        Kind::Count | Kind::Displ | Kind::Extent if pointed => What::Numbers(wide),
        Kind::Offset | Kind::BigCount if pointed => What::Numbers(8),
        _ if pointed => What::Numbers(4),
        Kind::Function(small, wide) => What::Function(if large { wide } else { small }.clone()),
        Kind::Raw(text) if text.ends_with("_function") => What::Function(text.clone()),
        Kind::Raw(_) => What::Pointer,
        Kind::Rank | Kind::Root | Kind::Dest | Kind::Source => What::Rank,
        Kind::Tag | Kind::AnyTag => What::Tag,
        Kind::Keyval => What::Keyval,
        Kind::Count | Kind::BigCount => What::Count,
        Kind::Displ | Kind::Extent | Kind::Aint | Kind::Offset => What::Displacement,
        Kind::Int => What::Count,
        Kind::Flag | Kind::Index | Kind::Weight | Kind::Enum(_) => What::Int,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        let catalogue = Catalogue::new().unwrap();
        assert!(catalogue.functions.len() > rankine_abi::FUNCTIONS.len());
        let send = &catalogue.functions[catalogue.position("MPI_Send_c").unwrap()];
        assert_eq!(send.parameters[1].0, ValueType::I64);
        assert!(matches!(send.parameters[0].1, What::Buffer) && send.waits);
        let spawn = &catalogue.functions[catalogue.position("MPI_Comm_spawn").unwrap()];
        assert!(matches!(spawn.parameters[2].1, What::Processes));
    }
}
