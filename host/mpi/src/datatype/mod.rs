//! Datatypes: the library's, with what a proof of a buffer needs to know of each.
//!
//! `long` and `MPI_Aint` have 32 bits in most guests: `MPI_LONG`, `MPI_UNSIGNED_LONG`, `MPI_AINT` and `MPI_LONG_INT` are
//! other types to the library there. The guest's own word stays beside the library's handle, so that it is never shown
//! another.

pub(crate) mod contents;
mod pieces;
pub(crate) mod quads;
pub(crate) mod reach;

use std::cell::{Cell, RefCell};
use std::ffi::CString;
use std::ops::Deref;
use std::rc::Rc;

use rankine_abi::{Addr, Datatype, MPI_ERR_TYPE, MPI_MAX_OBJECT_NAME, MPI_UNDEFINED, Op};
use rankine_guest::Error;
use rankine_guest::handle::Class;
use rankine_guest::op::Operand;

use super::Result;
use super::call::handle::{Handles, Hosted, is_constant};
use super::call::keeping::Keeping;
use super::call::shim::Number;
use super::call::words::Status;
use super::generated::symbols;
use super::rank::Rank;

/// A datatype as the shims use it. They share it: to copy it would cost a message more than to count who looks at it.
#[derive(Clone)]
pub(crate) struct Type {
    /// The guest's word.
    pub(crate) word: u32,
    /// The library's handle.
    pub(crate) host: usize,
    size: i64,
    /// Its lower bound, and how far from there to its upper one.
    lower: i64,
    extent: i64,
    /// Where its bytes begin and end, from the address of an element.
    low: i64,
    high: i64,
    /// What all of its elements are to the library; 0 if they differ.
    pub(crate) basic: usize,
    /// It contains a `long double`, which is not the host's.
    pub(crate) has_quads: bool,
    /// It may be used for messages.
    is_committed: Cell<bool>,
    /// Its bytes come in the order in which they lie in memory.
    in_order: bool,
    /// It contains a type for which a library may have no external representation.
    pub(crate) is_internal: bool,
    /// How many types lie within each other, it included.
    depth: u16,
}

impl Hosted for Made {
    fn host(&self) -> usize {
        self.ty.host
    }
}

impl Type {
    /// The bytes of an element, if any number of elements is one block.
    #[inline]
    pub(crate) fn block(&self) -> Option<u64> {
        (self.low == 0 && self.high == self.size && self.extent == self.size).then_some(self.size as u64)
    }

    /// Whether its elements lie at 0 or above, and one after another; of the order within each it says nothing.
    pub(crate) fn goes_on(&self) -> bool {
        self.size == 0 || self.low >= 0 && self.extent >= 0
    }

    /// Whether `count` elements leave no byte out from the first to the last.
    pub(super) fn is_dense(&self, count: i64) -> bool {
        self.high - self.low == self.size && (count == 1 || self.extent == self.size)
    }

    /// The largest of its numbers.
    pub(crate) fn reach(&self) -> u128 {
        let numbers = [self.size, self.extent, self.lower, self.low, self.high];
        let largest = numbers.into_iter().map(i64::unsigned_abs).max().unwrap_or(0);
        u128::from(largest) + u128::from(self.extent.unsigned_abs())
    }

    pub(crate) fn size(&self) -> i64 {
        self.size
    }

    /// So many elements as the library receives them: bytes, if they are one block of not too many, in order.
    #[inline]
    pub(crate) fn as_bytes<N: Number>(&self, count: N) -> (N, usize) {
        let bytes = self.plain_block().and_then(|size| count.times(size));
        match bytes.filter(|bytes| bytes.wide() > 0) {
            Some(bytes) => (bytes, Datatype::BYTE.0 as usize),
            None => (count, self.host),
        }
    }

    /// The bytes of an element, if any number of elements is a message of one block, in order.
    fn plain_block(&self) -> Option<i64> {
        self.block().filter(|_| self.in_order && self.is_committed.get()).map(|size| size as i64)
    }

    /// As [`Type::as_bytes`], for a block from each process, at displacements counted in elements.
    pub(crate) fn as_byte_blocks<N: Number, D: Number>(&self, counts: &mut [N], displs: &mut [D]) -> usize {
        let Some(size) = self.plain_block() else { return self.host };
        let is_possible = counts.iter().all(|count| count.times(size).is_some())
            && displs.iter().all(|displ| displ.times(size).is_some());
        if !is_possible {
            return self.host;
        }
        counts.iter_mut().for_each(|count| *count = count.times(size).unwrap_or(*count));
        displs.iter_mut().for_each(|displ| *displ = displ.times(size).unwrap_or(*displ));
        Datatype::BYTE.0 as usize
    }

    /// What its basic elements are to an operation; nothing if they differ.
    pub(crate) fn operand(&self) -> Option<Operand> {
        let basic = u32::try_from(self.basic).ok().and_then(|word| Datatype(word).element());
        basic.map(|element| Operand::of(&element))
    }

    /// The bytes of each of its basic elements; 0 if they differ.
    pub(crate) fn element_size(&self) -> i64 {
        let basic = u32::try_from(self.basic).ok().and_then(|word| Datatype(word).element());
        basic.map_or(0, |element| i64::from(element.size))
    }

    /// Refuses the external representation of elements for which a library may have none.
    pub(crate) fn external(&self) -> Result<()> {
        if !self.is_internal {
            return Ok(());
        }
        let text = "datatype: pairs, wide characters and Fortran's types by precision have no external representation on the \
                    engine mpi";
        Err(Error::new(MPI_ERR_TYPE, text))
    }

    pub(crate) fn extent(&self) -> i64 {
        self.extent
    }

    /// Where the bytes of `count` elements begin and end, from the address of the first; nothing if there are none.
    pub(crate) fn hull(&self, count: i64) -> Option<(i128, i128)> {
        if count <= 0 || self.size == 0 {
            return None;
        }
        let last = i128::from(count - 1) * i128::from(self.extent);
        Some((i128::from(self.low) + last.min(0), i128::from(self.high) + last.max(0)))
    }
}

/// A type that the program has made.
pub(crate) struct Made {
    pub(crate) ty: Rc<Type>,
    /// The guest's words for the types that it is made of.
    pub(crate) made_of: Box<[u32]>,
    /// The library's type as the program made it, if `ty` had to get another extent (see `quads`).
    plain: Option<usize>,
}

/// Predefined types have words from here on.
const FIRST: u32 = 0x200;

/// The datatypes of this rank.
pub(crate) struct State {
    predefined: Box<[Option<Rc<Type>>; 256]>,
    /// The type of a buffer that doesn't count.
    absent: Rc<Type>,
    pub(crate) made: Handles<Made>,
    /// What the library is given in the place of predefined types, by the guest's word: duplicates, with an operation
    /// of the guest's own, which tell the guest the right type; and what `quads` composes.
    stand_ins: RefCell<Vec<(u32, usize)>>,
    /// Predefined types without a name (§19.1.9), which the library makes when it is asked for them.
    unnamed: RefCell<Vec<usize>>,
}

impl State {
    pub(crate) fn new(keeping: &Keeping) -> State {
        let predefined: [_; 256] = std::array::from_fn(|index| predefined(Datatype(FIRST + index as u32)));
        State {
            absent: predefined[(Datatype::NULL.0 - FIRST) as usize].clone().expect("the null datatype has a word"),
            predefined: Box::new(predefined),
            made: Handles::new(keeping, (Class::Datatype, Datatype::NULL.0), MPI_ERR_TYPE, "datatype", |word| {
                Datatype(word).name()
            }),
            stand_ins: RefCell::default(),
            unnamed: RefCell::default(),
        }
    }
}

fn predefined(datatype: Datatype) -> Option<Rc<Type>> {
    if datatype == Datatype::NULL {
        let (word, host) = (datatype.0, datatype.0 as usize);
        let (size, lower, extent, low, high) = (0, 0, 0, 0, 0);
        return Some(Rc::new(Type {
            word,
            host,
            size,
            lower,
            extent,
            low,
            high,
            basic: host,
            has_quads: false,
            is_committed: Cell::new(false),
            in_order: true,
            is_internal: true,
            depth: 0,
        }));
    }
    // The library has none of their form: see `quads`.
    if quads::is_composed(datatype) {
        return None;
    }
    described(datatype, of_library(datatype).0 as usize).map(Rc::new)
}

/// The library's type that has the form of a guest's. In the library a `long` has 64 bits.
fn of_library(datatype: Datatype) -> Datatype {
    match datatype {
        Datatype::LONG | Datatype::AINT => Datatype::INT32_T,
        Datatype::UNSIGNED_LONG => Datatype::UINT32_T,
        Datatype::LONG_INT => Datatype::TWO_INT,
        Datatype::LONG_DOUBLE => quads::HALVES,
        same => same.shown(),
    }
}

/// A predefined type, with the library's handle that stands for it.
pub(crate) fn described(datatype: Datatype, host: usize) -> Option<Type> {
    let element = datatype.element()?;
    let high = match element.index {
        Some(index) => index.offset + index.size,
        None => element.size,
    };
    Some(Type {
        word: datatype.0,
        host,
        size: i64::from(element.size),
        lower: 0,
        extent: i64::from(element.extent),
        low: 0,
        high: i64::from(high),
        basic: quads::basic(datatype, host),
        has_quads: datatype == Datatype::LONG_DOUBLE || quads::is_composed(datatype),
        is_committed: Cell::new(true),
        in_order: true,
        is_internal: element.index.is_some() || NOT_EXTERNAL.contains(&datatype),
        depth: 0,
    })
}

/// Predefined types that are not pairs of a value and an index, and have no external representation in MPICH either.
const NOT_EXTERNAL: [Datatype; 5] =
    [Datatype::TWO_INT, Datatype::TWO_REAL, Datatype::TWO_DOUBLE_PRECISION, Datatype::TWO_INTEGER, Datatype::WCHAR];

/// An array of datatypes.
#[derive(Default)]
pub(crate) struct Types {
    types: Vec<Rc<Type>>,
    hosts: Vec<usize>,
}

impl Types {
    /// What the library is given.
    pub(crate) fn hosts(&self) -> *const usize {
        self.hosts.as_ptr()
    }

    /// See [`Type::as_bytes`].
    pub(crate) fn as_bytes<N: Number>(&mut self, counts: &mut [N]) {
        for ((ty, host), count) in self.types.iter().zip(&mut self.hosts).zip(counts) {
            if let Some(bytes) = ty.plain_block().and_then(|size| count.times(size)) {
                (*count, *host) = (bytes, Datatype::BYTE.0 as usize);
            }
        }
    }
}

impl Deref for Types {
    type Target = [Rc<Type>];

    fn deref(&self) -> &[Rc<Type>] {
        &self.types
    }
}

impl Rank {
    /// The datatype behind a word.
    #[inline]
    pub(crate) fn datatype(&self, word: u32, what: &str) -> Result<Rc<Type>> {
        let index = word.wrapping_sub(FIRST) as usize;
        match self.types.predefined.get(index) {
            Some(Some(ty)) if word != Datatype::NULL.0 => Ok(ty.clone()),
            _ => self.other_datatype(word, what),
        }
    }

    fn other_datatype(&self, word: u32, what: &str) -> Result<Rc<Type>> {
        let ty = self.asked_datatype(word, what)?;
        self.lasting(&ty, what)?;
        Ok(ty)
    }

    /// The datatype behind a word that is only asked about: it may be one that is being freed.
    pub(crate) fn asked_datatype(&self, word: u32, what: &str) -> Result<Rc<Type>> {
        let index = word.wrapping_sub(FIRST) as usize;
        match self.types.predefined.get(index) {
            _ if word == Datatype::NULL.0 => Err(self.types.made.unknown(word, what)),
            Some(Some(ty)) => Ok(ty.clone()),
            _ => self
                .known_datatype(word, what)
                .or_else(|unknown| self.composed_type(Datatype(word))?.map(Rc::new).ok_or(unknown)),
        }
    }

    /// A datatype of an accumulation, whose elements must be of one basic type (§12.3.4): a library may end the process
    /// for others.
    pub(crate) fn accumulated(&self, word: u32, what: &str) -> Result<Rc<Type>> {
        let ty = self.datatype(word, what)?;
        match (ty.basic, Datatype(word)) {
            (0, Datatype::LONG_DOUBLE_INT) => Ok(Rc::new(Type { host: self.pair_in_windows()?, ..Type::clone(&ty) })),
            (0, _) => {
                let text = match ty.has_quads {
                    true => "a datatype made of long doubles and ints can't be accumulated on the engine mpi",
                    false => "an accumulation is of elements of one predefined type, and this type's are of several",
                };
                Err(Error::new(MPI_ERR_TYPE, format!("{what}: {text}")))
            }
            _ => Ok(ty),
        }
    }

    /// The datatype of an accumulation's operands, of which `MPI_NO_OP` has none.
    pub(crate) fn of_operands(&self, word: u32, op: u32, what: &str) -> Result<Rc<Type>> {
        if op == Op::NO_OP.0 { Ok(self.types.absent.clone()) } else { self.accumulated(word, what) }
    }

    /// The datatype behind a word, unless it is a predefined one.
    pub(crate) fn made_datatype(&self, word: u32, what: &str) -> Result<Rc<Type>> {
        let ty = self.known_datatype(word, what)?;
        self.lasting(&ty, what)?;
        Ok(ty)
    }

    fn known_datatype(&self, word: u32, what: &str) -> Result<Rc<Type>> {
        self.types.made.with(word, |made| made.ty.clone()).ok_or_else(|| self.types.made.unknown(word, what))
    }

    /// Refuses a type that is being freed, while a function of its attributes runs.
    fn lasting(&self, ty: &Type, what: &str) -> Result<()> {
        if !self.is_ending(ty.host) {
            return Ok(());
        }
        let text = format!("{what}: the type is being freed, so it can only be inquired about");
        Err(Error::new(MPI_ERR_TYPE, text))
    }

    /// The datatype behind a word that is about to be freed: none that is predefined, which MPICH would free all the same.
    pub(crate) fn mortal_datatype(&self, word: u32, what: &str) -> Result<Rc<Type>> {
        let ty = self.made_datatype(word, what)?;
        if self.types.unnamed.borrow().contains(&ty.host) {
            return Err(Error::new(MPI_ERR_TYPE, format!("{what}: a predefined type can't be freed")));
        }
        Ok(ty)
    }

    /// Keeps a type that the library is given in the place of a predefined one.
    pub(crate) fn keep_stand_in(&self, datatype: Datatype, host: usize) -> Result<()> {
        let name = CString::new(datatype.name().unwrap_or_default()).expect("a standard name has no zero byte");
        let set_name = self.symbol::<symbols::MPI_Type_set_name>()?;
        // SAFETY: a type of the library's and a string that lives as long as the call.
        self.check(unsafe { set_name(host, name.as_ptr()) })?;
        self.types.stand_ins.borrow_mut().push((datatype.0, host));
        Ok(())
    }

    /// What stands in the library for a predefined type, if that was made already.
    pub(crate) fn stand_in(&self, word: u32) -> Option<usize> {
        self.types.stand_ins.borrow().iter().find(|(known, _)| *known == word).map(|(_, host)| *host)
    }

    /// The datatype of a buffer that doesn't count. Libraries look at it all the same, so they get what the guest
    /// gives, if it is one.
    pub(crate) fn bystander(&self, word: u32) -> Rc<Type> {
        self.datatype(word, "datatype").unwrap_or_else(|_| self.types.absent.clone())
    }

    /// What `MPI_Get_elements` answers for a type without bytes: nothing, if nothing came.
    #[cold]
    pub(crate) fn elements_of_nothing(&self, status: &Status) -> Result<i64> {
        let (call, mut bytes) = (self.symbol::<symbols::MPI_Get_count_c>()?, 0);
        let byte = self.datatype(Datatype::BYTE.0, "datatype")?;
        // SAFETY: a status of the guest's, which holds numbers, a predefined type, and a result on the stack.
        self.check(unsafe { call(status, byte.host, &mut bytes) })?;
        Ok(if bytes == 0 { 0 } else { MPI_UNDEFINED.into() })
    }

    /// Whether it is `MPI_DATATYPE_NULL` in an array, which a block without elements may have.
    pub(crate) fn is_null_type(&self, ty: &Rc<Type>) -> bool {
        Rc::ptr_eq(ty, &self.types.absent)
    }

    /// Reads an array of datatypes.
    pub(crate) fn datatypes(&self, at: Addr, count: i64, what: &str) -> Result<Types> {
        let words = self.handles(at, count, what)?;
        // That of a block without elements may be null.
        let datatype = |word| match word {
            _ if word == Datatype::NULL.0 => Ok(self.types.absent.clone()),
            word => self.datatype(word, what),
        };
        let types: Vec<Rc<Type>> = words.into_iter().map(datatype).collect::<Result<_>>()?;
        let hosts = types.iter().map(|ty| ty.host).collect();
        Ok(Types { types, hosts })
    }

    /// Makes a word for a type of the library's.
    pub(crate) fn adopt_datatype(&self, host: usize, made_of: &[Rc<Type>]) -> Result<u32> {
        if is_constant(host) {
            return Ok(host as u32);
        }
        let (mut size, mut lower, mut extent, mut low, mut true_extent) = (0_i64, 0_i64, 0_i64, 0_i64, 0_i64);
        let (get_size, get_extent, get_true_extent) = (
            self.symbol::<symbols::MPI_Type_size_c>()?,
            self.symbol::<symbols::MPI_Type_get_extent_c>()?,
            self.symbol::<symbols::MPI_Type_get_true_extent_c>()?,
        );
        // SAFETY: a datatype of the library's, and results on the stack.
        unsafe {
            self.check(get_size(host, &mut size))?;
            self.check(get_extent(host, &mut lower, &mut extent))?;
            self.check(get_true_extent(host, &mut low, &mut true_extent))?;
        }
        let has_quads = made_of.iter().any(|ty| ty.has_quads);
        // Those of Fortran that are chosen by their precision are made of none; MPICH has no form for them.
        let is_internal = made_of.is_empty() || made_of.iter().any(|ty| ty.is_internal);
        let basic = match made_of {
            [] => host,
            [first, others @ ..] if others.iter().all(|ty| ty.basic == first.basic) => first.basic,
            _ => 0,
        };
        let high = low.saturating_add(true_extent);
        let ty = Type {
            word: 0,
            host,
            size,
            lower,
            extent,
            low,
            high,
            basic,
            has_quads,
            is_committed: Cell::new(false),
            in_order: false,
            is_internal,
            depth: made_of.iter().map(|ty| ty.depth.saturating_add(1)).max().unwrap_or(0),
        };
        let made_of = made_of.iter().map(|ty| ty.word).collect();
        let word = self.types.made.insert(Made { ty: Rc::new(ty), made_of, plain: None })?;
        self.types.made.change(word, |made| Rc::make_mut(&mut made.ty).word = word);
        Ok(word)
    }

    /// Takes back a word that was made for a type of the library's, which goes on without it.
    pub(crate) fn forget_datatype(&self, word: u32) {
        self.types.made.remove(word);
    }

    /// Stores a new datatype.
    pub(crate) fn put_datatype(&self, at: Addr, host: usize, made_of: &[Rc<Type>], what: &str) -> Result<()> {
        self.put_handle(at, self.adopt_datatype(host, made_of)?, what)
    }

    /// Stores a datatype of the library's own, which it may return more than once: a predefined one, or one without a name
    /// (§19.1.9).
    pub(crate) fn put_predefined(&self, at: Addr, host: usize, what: &str) -> Result<()> {
        if let Some(known) = self.types.made.word_of(host) {
            return self.put_handle(at, known, what);
        }
        let word = self.adopt_datatype(host, &[])?;
        if self.types.made.word_of(host).is_some() {
            self.types.unnamed.borrow_mut().push(host);
        }
        self.put_handle(at, word, what)
    }

    /// Stores a new datatype that is another one, once or again and again.
    pub(crate) fn put_sequence(&self, at: Addr, host: usize, made_of: &[Rc<Type>], what: &str) -> Result<()> {
        self.put_datatype(at, host, made_of, what)?;
        let (word, in_order) = (self.get_handle(at, what)?, made_of.iter().all(|ty| ty.in_order));
        self.types.made.change(word, |made| Rc::make_mut(&mut made.ty).in_order = in_order);
        Ok(())
    }

    /// Stores a new structure.
    pub(crate) fn put_struct(&self, at: Addr, host: usize, made_of: &[Rc<Type>], what: &str) -> Result<()> {
        let Some(padded) = self.padded(host, made_of)? else { return self.put_datatype(at, host, made_of, what) };
        let word = self.adopt_datatype(padded, made_of)?;
        self.types.made.change(word, |made| made.plain = Some(host));
        self.put_handle(at, word, what)
    }

    /// Drops a datatype that the library has made null.
    pub(crate) fn after_datatype(&self, at: Addr, word: u32, host: usize, what: &str) -> Result<()> {
        if host != Datatype::NULL.0 as usize {
            return Ok(());
        }
        if let Some(mut plain) = self.types.made.remove(word).and_then(|made| made.plain) {
            let free = self.symbol::<symbols::MPI_Type_free>()?;
            // SAFETY: it was made with the type that is gone, and nobody else knows it.
            self.check(unsafe { free(&mut plain) })?;
        }
        self.put_handle(at, Datatype::NULL.0, what)
    }

    /// The library's type that tells how a type was made.
    pub(crate) fn origin_of_type(&self, ty: &Type) -> usize {
        self.types.made.with(ty.word, |made| made.plain).flatten().unwrap_or(ty.host)
    }

    /// The guest's word for a type that the library shows.
    pub(crate) fn datatype_word(&self, host: usize) -> Option<u32> {
        let stand_ins = self.types.stand_ins.borrow();
        let known = stand_ins.iter().find(|(_, stand_in)| *stand_in == host).map(|(word, _)| *word);
        known.or_else(|| self.types.made.word_of(host))
    }

    /// The handle that the library is given with an operation of the guest's own: one that tells the guest's type.
    pub(crate) fn telling_host(&self, ty: &Type) -> Result<usize> {
        if !is_constant(ty.host) || ty.host == ty.word as usize {
            return Ok(ty.host);
        }
        if let Some(host) = self.stand_in(ty.word) {
            return Ok(host);
        }
        let mut host = 0;
        let dup = self.symbol::<symbols::MPI_Type_dup>()?;
        // SAFETY: a constant of the ABI, and a result on the stack.
        self.check(unsafe { dup(ty.host, &mut host) })?;
        self.keep_stand_in(Datatype(ty.word), host)?;
        Ok(host)
    }

    /// Gives back to the library what was made of it here, before it is finalised.
    pub(crate) fn free_stand_ins(&self) {
        let stand_ins = std::mem::take(&mut *self.types.stand_ins.borrow_mut());
        if let Ok(free) = self.symbol::<symbols::MPI_Type_free>() {
            for (_, mut host) in stand_ins {
                // SAFETY: it was made here, and nothing refers to it any more.
                unsafe { free(&mut host) };
            }
        }
    }
}

/// `MPI_Type_commit`
pub(crate) fn type_commit(r: &Rank, datatype: Addr) -> Result<()> {
    let word = r.get_handle(datatype, "datatype")?;
    let ty = r.datatype(word, "datatype")?;
    let (call, mut host) = (r.symbol::<symbols::MPI_Type_commit>()?, ty.host);
    // SAFETY: a type of the library's, which is not freed here.
    r.check(unsafe { call(&mut host) })?;
    ty.is_committed.set(true);
    Ok(())
}

/// `MPI_Type_get_name`
pub(crate) fn type_get_name(r: &Rank, datatype: u32, type_name: Addr, resultlen: Addr) -> Result<()> {
    let ty =
        if datatype == Datatype::NULL.0 { r.types.absent.clone() } else { r.asked_datatype(datatype, "datatype")? };
    let mut name = r.text_room(type_name, i64::from(MPI_MAX_OBJECT_NAME), "type_name")?;
    let (host, mut length) = (r.telling_host(&ty)?, 0);
    let call = r.symbol::<symbols::MPI_Type_get_name>()?;
    // SAFETY: a type of the library's, and room for the longest name.
    r.check(unsafe { call(host, name.as_mut_ptr().cast(), &mut length) })?;
    r.put_text(type_name, &name, i64::from(MPI_MAX_OBJECT_NAME), "type_name")?;
    r.put_int(resultlen, length, "resultlen")
}

/// `MPI_Type_set_name`
pub(crate) fn type_set_name(r: &Rank, datatype: u32, type_name: Addr) -> Result<()> {
    let (ty, name) = (r.datatype(datatype, "datatype")?, r.string(type_name, "type_name")?);
    let (host, call) = (r.telling_host(&ty)?, r.symbol::<symbols::MPI_Type_set_name>()?);
    // SAFETY: a type of the library's, and a string that ends.
    r.check(unsafe { call(host, name.as_ptr()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_is_as_long_to_the_library() {
        for long in [Datatype::LONG, Datatype::UNSIGNED_LONG, Datatype::AINT, Datatype::LONG_INT] {
            let size = |datatype: Datatype| datatype.element().unwrap().size;
            assert_eq!((of_library(long.in_lp64()), size(of_library(long))), (long, size(long)));
        }
    }
}
