//! What a host knows about a function of the ABI: the row type of the generated list.

use crate::parameters::PARAMETERS;
use crate::{FUNCTIONS, Parameter};

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
    /// Where a call says how much data it moves, if it moves any.
    pub payload: Option<Payload>,
    /// What a library keeps for a call that has no handle, if it keeps anything.
    pub keeps: Option<Keeps>,
    /// Where it is an error whatever it is given.
    pub refuses: Option<Refusal>,
    marks: u16,
}

/// The engines on which a function is always an error.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct Refusal {
    /// The embedded engine.
    pub local: bool,
    /// The engine over an MPI library.
    pub mpi: bool,
    /// Why, in words.
    pub why: &'static str,
}

/// How much data a call moves, by the numbers of its words.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct Payload {
    /// The buffer, if `MPI_IN_PLACE` there means that the call moves none.
    pub buffer: Option<u8>,
    /// The number of elements, or the address of an array of such numbers.
    pub count: u8,
    /// Their datatype.
    pub datatype: u8,
    /// The communicator.
    pub comm: u8,
    /// How often so many are moved.
    pub times: Times,
}

/// How often a call moves as much data as it says.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Times {
    /// Once.
    Once,
    /// For each process of the communicator.
    Peers,
    /// For each neighbour that data is sent to.
    Destinations,
    /// A block for each process, which are counted in an array.
    BlockForPeers,
    /// A block for each neighbour, which are counted in an array.
    BlockForDestinations,
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

/// What may be true of a function, as the head of `abi/functions.toml` explains it.
#[derive(Copy, Clone, Debug)]
#[allow(missing_docs)]
#[repr(u16)]
pub enum Mark {
    Large = 1,
    Waits = 1 << 1,
    Anytime = 1 << 2,
    AnyThread = 1 << 3,
    Completes = 1 << 4,
    Dups = 1 << 5,
    Frees = 1 << 6,
    Jobs = 1 << 7,
    Lingers = 1 << 8,
    Outside = 1 << 9,
    Shows = 1 << 10,
    Spawns = 1 << 11,
    Starts = 1 << 12,
    Syncs = 1 << 13,
}

/// What a library keeps for a call, and gives no handle for.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Keeps {
    /// A pair of an info object, the call's first argument.
    Pair,
    /// An attribute of the object that is its first argument.
    Attribute,
    /// A keyval.
    Keyval,
    /// An error class or code, or its text.
    Code,
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
        marks |= list[at] as u16;
        at += 1;
    }
    Function { name, chapter, parameters, result, deprecated: None, payload: None, keeps: None, refuses: None, marks }
}

impl Function {
    /// The same row, of a function that this version of MPI deprecated.
    pub(crate) const fn deprecated(mut self, version: &'static str) -> Function {
        self.deprecated = Some(version);
        self
    }

    /// The same row, of a function for which a library keeps something without a handle.
    pub(crate) const fn keeps(mut self, what: Keeps) -> Function {
        self.keeps = Some(what);
        self
    }

    /// The same row, of a function that is always an error somewhere.
    pub(crate) const fn refuses(mut self, refusal: Refusal) -> Function {
        self.refuses = Some(refusal);
        self
    }

    /// The same row, of a function whose words say how much data a call moves.
    pub(crate) const fn moves(
        mut self,
        buffer: Option<u8>,
        count: u8,
        datatype: u8,
        comm: u8,
        times: Times,
    ) -> Function {
        self.payload = Some(Payload { buffer, count, datatype, comm, times });
        self
    }

    /// A function of another module than MPI's, of which no more is known than its name.
    pub const fn foreign(name: &'static str) -> Function {
        row(name, Chapter::Misc, &[], ValueType::I32, &[])
    }

    /// The function of that name.
    pub fn named(name: &str) -> Option<&'static Function> {
        Some(&FUNCTIONS[Function::number(name)?])
    }

    /// Its place in the list.
    fn number(name: &str) -> Option<usize> {
        FUNCTIONS.binary_search_by_key(&name, |function| function.name).ok()
    }

    /// What its words mean.
    pub fn described(&self) -> &'static [Parameter] {
        Function::number(self.name).map_or(&[], |at| PARAMETERS[at])
    }

    /// Whether it has a mark.
    #[inline]
    pub const fn is(&self, mark: Mark) -> bool {
        self.marks & mark as u16 != 0
    }

    /// Whether it is the variant for large counts of another one.
    pub const fn is_large(&self) -> bool {
        self.is(Mark::Large)
    }

    /// Whether it may have to wait for another process.
    pub const fn waits(&self) -> bool {
        self.is(Mark::Waits)
    }

    /// Whether it may be called before `MPI_Init` and after `MPI_Finalize`.
    pub const fn is_anytime(&self) -> bool {
        self.is(Mark::Anytime)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Area, Class, Direction, Length, Meaning, Repeats};

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
        // A variant has all marks of its function.
        assert!(Function::named("MPI_Bsend_c").unwrap().is(Mark::Lingers) && !send.is(Mark::Lingers));
    }

    #[test]
    fn what_moves_is_known_by_its_words() {
        let moves = |name: &str| {
            Function::named(name).unwrap().payload.map(|it| (it.buffer, it.count, it.datatype, it.comm, it.times))
        };
        assert_eq!(moves("MPI_Send"), Some((None, 1, 2, 5, Times::Once)));
        assert_eq!(moves("MPI_Alltoall_c"), Some((Some(0), 1, 2, 6, Times::Peers)));
        assert_eq!(moves("MPI_Allreduce"), Some((None, 2, 3, 5, Times::Once)));
        assert_eq!(moves("MPI_Alltoallv"), Some((Some(0), 1, 3, 8, Times::BlockForPeers)));
        // At the root alone the first buffer counts; what each rank gets is known to all.
        assert_eq!(moves("MPI_Scatter"), Some((Some(3), 4, 5, 7, Times::Once)));
        assert_eq!(moves("MPI_Recv"), None);
        assert_eq!(moves("MPI_Send_init"), None);
        assert_eq!(moves("MPI_Pack"), None);
    }

    #[test]
    fn words_are_described() {
        for function in &FUNCTIONS {
            assert_eq!(function.described().len(), function.parameters.len(), "{}", function.name);
        }
        let words = Function::named("MPI_Gatherv_c").unwrap().described();
        assert!(matches!(
            words[0].meaning,
            Meaning::Buffer(Area::Elements { count: 1, times: Repeats::Once, datatype: 2 })
        ));
        assert!(matches!(words[3].meaning, Meaning::Buffer(Area::Blocks { counts: 4, displs: 5, datatype: 6 })));
        assert!(words[3].at_root && words[3].direction == Direction::Out);
        let wait = Function::named("MPI_Waitall").unwrap().described();
        assert_eq!((wait[1].meaning, wait[1].length), (Meaning::Handle(Class::Request), Length::Parameter(0)));
    }

    #[test]
    fn the_list_is_whole() {
        assert_eq!(FUNCTIONS.len(), 662);
    }
}
