//! How a type was made: the constructor and its arguments, for `MPI_Type_get_envelope` and `MPI_Type_get_contents`
//! (§5.1.13).

use std::rc::Rc;

use rankine_abi::*;

use super::Type;
use crate::error::{Error, Result};

/// The constructor of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
#[allow(missing_docs)]
pub enum Combiner {
    Named = MPI_COMBINER_NAMED,
    Dup = MPI_COMBINER_DUP,
    Contiguous = MPI_COMBINER_CONTIGUOUS,
    Vector = MPI_COMBINER_VECTOR,
    Hvector = MPI_COMBINER_HVECTOR,
    Indexed = MPI_COMBINER_INDEXED,
    Hindexed = MPI_COMBINER_HINDEXED,
    IndexedBlock = MPI_COMBINER_INDEXED_BLOCK,
    HindexedBlock = MPI_COMBINER_HINDEXED_BLOCK,
    Struct = MPI_COMBINER_STRUCT,
    Subarray = MPI_COMBINER_SUBARRAY,
    Darray = MPI_COMBINER_DARRAY,
    F90Real = MPI_COMBINER_F90_REAL,
    F90Complex = MPI_COMBINER_F90_COMPLEX,
    F90Integer = MPI_COMBINER_F90_INTEGER,
    Resized = MPI_COMBINER_RESIZED,
}

/// What `MPI_Type_get_envelope` tells; also the limits that `MPI_Type_get_contents` is given, where the combiner means
/// nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Envelope {
    /// Number of ints.
    pub integers: i64,
    /// Number of addresses.
    pub addresses: i64,
    /// Number of large counts, which only a type made by a large-count constructor has.
    pub large_counts: i64,
    /// Number of datatypes.
    pub datatypes: i64,
    /// `MPI_COMBINER_…`
    pub combiner: i32,
}

impl Envelope {
    /// That arrays of these limits hold everything.
    pub(super) fn check_within(&self, limits: &Envelope) -> Result<()> {
        let kinds = [
            ("max_integers", self.integers, limits.integers),
            ("max_addresses", self.addresses, limits.addresses),
            ("max_large_counts", self.large_counts, limits.large_counts),
            ("max_datatypes", self.datatypes, limits.datatypes),
        ];
        match kinds.iter().find(|(_, number, limit)| number > limit) {
            None => Ok(()),
            Some((name, number, limit)) => {
                Err(Error::new(MPI_ERR_ARG, format!("{name} is {limit}, but the envelope says {number}")))
            }
        }
    }
}

/// What `MPI_Type_get_contents` tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Values {
    pub integers: Vec<i32>,
    pub addresses: Vec<i64>,
    pub large_counts: Vec<i64>,
    pub datatypes: Vec<Datatype>,
}

/// What a parameter of a constructor is, which says where `MPI_Type_get_contents` puts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Always an int.
    Int,
    /// An int, or a large count in a large-count constructor.
    Count,
    /// An address, or a large count in a large-count constructor.
    Address,
}

/// A constructor with its arguments.
#[derive(Debug)]
pub struct Contents {
    /// The constructor.
    pub combiner: Combiner,
    /// The handle, if the type is predefined.
    pub named: Option<Datatype>,
    /// Whether the large-count form (`_c`) was called.
    pub large: bool,
    /// The types it was made from, in order.
    pub(super) types: Vec<Rc<Type>>,
    /// The other arguments in order.
    pub(super) arguments: Vec<(Class, Box<[i64]>)>,
}

impl Contents {
    pub(super) fn new(combiner: Combiner) -> Contents {
        Contents { combiner, named: None, large: false, types: Vec::new(), arguments: Vec::new() }
    }

    pub(super) fn named(handle: Datatype) -> Contents {
        Contents { named: Some(handle), ..Contents::new(Combiner::Named) }
    }

    pub(super) fn of(mut self, ty: &Rc<Type>) -> Contents {
        self.types.push(ty.clone());
        self
    }

    pub(super) fn with_ints(self, values: &[i64]) -> Contents {
        self.with(Class::Int, values)
    }

    pub(super) fn with_counts(self, values: &[i64]) -> Contents {
        self.with(Class::Count, values)
    }

    pub(super) fn with_addresses(self, values: &[i64]) -> Contents {
        self.with(Class::Address, values)
    }

    fn with(mut self, class: Class, values: &[i64]) -> Contents {
        self.arguments.push((class, values.into()));
        self
    }

    /// The types it was made from.
    pub fn types(&self) -> &[Rc<Type>] {
        &self.types
    }

    /// How many arguments of each kind there are.
    pub fn envelope(&self) -> Envelope {
        Envelope {
            integers: self.integers().count() as i64,
            addresses: self.addresses().count() as i64,
            large_counts: self.large_counts().count() as i64,
            datatypes: self.types.len() as i64,
            combiner: self.combiner as i32,
        }
    }

    /// The arguments that `MPI_Type_get_contents` gives as ints.
    pub fn integers(&self) -> impl Iterator<Item = i64> {
        let large = self.large;
        self.filter(move |class| class == Class::Int || !large && class == Class::Count)
    }

    /// The arguments that `MPI_Type_get_contents` gives as addresses.
    pub fn addresses(&self) -> impl Iterator<Item = i64> {
        let large = self.large;
        self.filter(move |class| !large && class == Class::Address)
    }

    /// The arguments that `MPI_Type_get_contents_c` gives as large counts.
    pub fn large_counts(&self) -> impl Iterator<Item = i64> {
        let large = self.large;
        self.filter(move |class| large && class != Class::Int)
    }

    fn filter(&self, wanted: impl Fn(Class) -> bool) -> impl Iterator<Item = i64> {
        self.arguments.iter().filter(move |(class, _)| wanted(*class)).flat_map(|(_, values)| values.iter().copied())
    }

    pub(super) fn heap_bytes(&self) -> u64 {
        let arguments: usize = self.arguments.iter().map(|(_, values)| 32 + size_of_val(&**values)).sum();
        (arguments + size_of_val(&*self.types)) as u64
    }
}
