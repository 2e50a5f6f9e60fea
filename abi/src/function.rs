//! What a host knows about a function of the ABI: the row type of the generated list.

use crate::FUNCTIONS;

/// A function that a guest may import from the module [`MODULE`](crate::MODULE).
#[derive(Copy, Clone, Debug)]
pub struct Function {
    /// Its standard name, `MPI_Send_c`.
    pub name: &'static str,
    /// The chapter it belongs to.
    pub chapter: Chapter,
    /// The wasm types of its parameters.
    pub parameters: &'static [ValueType],
    /// The wasm type of its result.
    pub result: ValueType,
    /// The version of MPI that deprecated it.
    pub deprecated: Option<&'static str>,
    marks: u8,
}

/// A type of WebAssembly.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum ValueType {
    /// 32-bit integer.
    I32,
    /// 64-bit integer.
    I64,
    /// Double.
    F64,
}

/// The chapter of the standard that a function belongs to.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
#[allow(missing_docs)] // `title` says it.
pub enum Chapter {
    Init,
    Abi,
    Convert,
    Misc,
    Pt2pt,
    Request,
    Part,
    Datatype,
    Pack,
    Group,
    Comm,
    Coll,
    Op,
    Neighbor,
    Topo,
    Errhan,
    Attr,
    Info,
    Rma,
    Io,
    Spawn,
    Session,
    Mpit,
}

/// What may be true of a function.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Mark {
    Large = 1,
    Waits = 2,
    Anytime = 4,
}

/// A row of the list.
pub(crate) const fn row(
    name: &'static str,
    chapter: Chapter,
    parameters: &'static [ValueType],
    result: ValueType,
    list: &[Mark],
) -> Function {
    let (mut marks, mut at) = (0, 0);
    while at < list.len() {
        marks |= list[at] as u8;
        at += 1;
    }
    Function { name, chapter, parameters, result, deprecated: None, marks }
}

impl Function {
    /// The same row, of a function that this version of MPI deprecated.
    pub(crate) const fn deprecated(mut self, version: &'static str) -> Function {
        self.deprecated = Some(version);
        self
    }

    /// The function of that name.
    pub fn named(name: &str) -> Option<&'static Function> {
        FUNCTIONS.binary_search_by_key(&name, |function| function.name).ok().map(|at| &FUNCTIONS[at])
    }

    /// Whether it is the variant for large counts of another one.
    pub const fn is_large(&self) -> bool {
        self.marks & Mark::Large as u8 != 0
    }

    /// Whether it may have to wait for another process.
    pub const fn waits(&self) -> bool {
        self.marks & Mark::Waits as u8 != 0
    }

    /// Whether it may be called before `MPI_Init` and after `MPI_Finalize`.
    pub const fn is_anytime(&self) -> bool {
        self.marks & Mark::Anytime as u8 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_by_name() {
        assert!(FUNCTIONS.is_sorted_by_key(|function| function.name));
        for function in &FUNCTIONS {
            assert_eq!(Function::named(function.name).unwrap().name, function.name);
        }
        assert!(Function::named("MPI_Sendd").is_none());
        let send = Function::named("MPI_Send_c").unwrap();
        assert!(send.is_large() && send.waits() && !send.is_anytime());
        assert_eq!(send.parameters[1], ValueType::I64);
    }

    #[test]
    fn the_list_is_whole() {
        assert_eq!(FUNCTIONS.len(), 662);
    }
}
