//! A call of MPI: its words, what they mean, and how they are shown.

use rankine_abi::{
    Addr, Chapter, Class, Comm, Datatype, Direction, Function, Length, MPI_IN_PLACE, Meaning, Parameter,
};
use rankine_local::{Place, Rank};

use serde::{Deserialize, Serialize};

use super::types::Elements;
use super::{Arc, Sites, Symbols};
use crate::report::call_words;
use rankine_rewrite::sites::MOST_WORDS;

/// A program, to look its places up in.
pub(super) struct Program {
    pub(super) sites: Arc<Sites>,
    pub(super) symbols: Arc<Symbols>,
}

/// A call that was made, to be remembered: by whom, of what, where, and with which words.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(super) struct Made {
    pub(super) rank: u32,
    /// What it is known by on all nodes.
    pub(super) program: u64,
    #[serde(with = "by_name")]
    pub(super) function: &'static Function,
    pub(super) site: u32,
    pub(super) words: [i64; MOST_WORDS],
}

/// A function as it travels.
mod by_name {
    use rankine_abi::Function;
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;

    pub(super) fn serialize<S: Serializer>(function: &&'static Function, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(function.name)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<&'static Function, D::Error> {
        let name = <&str>::deserialize(from)?;
        Function::named(name).ok_or_else(|| D::Error::custom("a function that MPI doesn't have"))
    }
}

impl Made {
    pub(super) fn address(&self, word: usize) -> Addr {
        Addr(self.words[word] as u64)
    }
}

/// Elements of an array that are read: no call names more requests, nor a job more ranks.
const MOST_ELEMENTS: i64 = 1 << 20;

pub(super) fn is_status(word: &Parameter) -> bool {
    word.meaning == Meaning::Status && word.direction == Direction::Out
}

/// The name of a function without the mark of large counts.
pub(super) fn plain(name: &str) -> &str {
    name.strip_suffix("_c").unwrap_or(name)
}

pub(super) const REQUEST: Meaning = Meaning::Handle(Class::Request);
pub(super) const MESSAGE: Meaning = Meaning::Handle(Class::Message);

/// When what a call starts is complete.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Form {
    /// When it comes back.
    Blocking,
    /// When its request is.
    Nonblocking,
    /// It only makes a request that can be started.
    Persistent,
}

/// A call that is being made, of a function of MPI.
pub(super) struct Call<'r> {
    pub(super) rank: &'r Rank,
    pub(super) made: Made,
    pub(super) function: &'static Function,
    pub(super) words: &'static [Parameter],
}

impl<'r> Call<'r> {
    pub(super) fn new(rank: &'r Rank, made: Made) -> Option<Call<'r>> {
        let (function, words) = (made.function, made.function.described());
        (words.len() <= MOST_WORDS).then_some(Call { rank, made, function, words })
    }

    /// The function's name, without the mark of large counts.
    pub(super) fn name(&self) -> &'static str {
        plain(self.function.name)
    }

    pub(super) fn form(&self) -> Form {
        let gives_request = self.words.iter().any(|word| word.meaning == REQUEST && word.direction == Direction::Out);
        match gives_request {
            false => Form::Blocking,
            true if self.name().ends_with("_init") => Form::Persistent,
            true => Form::Nonblocking,
        }
    }

    pub(super) fn chapter(&self) -> Chapter {
        self.function.chapter
    }

    /// The first parameter of which this is true.
    pub(super) fn find(&self, test: impl Fn(&Parameter) -> bool) -> Option<usize> {
        self.words.iter().position(test)
    }

    /// The first parameter that means this.
    pub(super) fn meaning(&self, meaning: Meaning) -> Option<usize> {
        self.find(|word| word.meaning == meaning)
    }

    pub(super) fn int(&self, word: usize) -> i32 {
        self.made.words[word] as i32
    }

    pub(super) fn address(&self, word: usize) -> Addr {
        self.made.address(word)
    }

    pub(super) fn is_in_place(&self, word: usize) -> bool {
        self.address(word) == MPI_IN_PLACE
    }

    /// The communicator that is passed in, by value.
    pub(super) fn comm(&self) -> Option<Place> {
        let word = self.find(|word| word.is_passed(Class::Comm))?;
        self.rank.place_in(Comm(self.made.words[word] as u32))
    }

    /// So many elements of the datatype that a parameter names.
    pub(super) fn elements(&self, count: i64, datatype: usize) -> Option<Elements> {
        Elements::of(self.rank, count, Datatype(self.made.words[datatype] as u32))
    }

    /// An int of the program's memory.
    pub(super) fn read(&self, address: Addr) -> Option<i32> {
        (!address.is_null()).then(|| self.rank.memory().read_i32(address, "").ok())?
    }

    /// An array of handles.
    pub(super) fn read_handles(&self, word: usize, length: i64) -> Option<Vec<u32>> {
        self.rank.memory().read_handles(self.address(word), length.min(MOST_ELEMENTS), "").ok()
    }

    /// An array of counts, which have 64 bits in functions for large ones.
    pub(super) fn read_counts(&self, word: usize, length: usize) -> Option<Vec<i64>> {
        let (memory, at) = (self.rank.memory(), self.address(word));
        if self.function.is_large() {
            return memory.read_i64s(at, length, "").ok();
        }
        Some(memory.read_i32s(at, length, "").ok()?.into_iter().map(i64::from).collect())
    }

    /// How long an array is whose length is a parameter, or 1.
    pub(super) fn length(&self, word: usize) -> Option<i64> {
        match self.words[word].length {
            Length::One => Some(1),
            Length::Parameter(length) => Some(self.made.words[usize::from(length)]),
            Length::Other => None,
        }
    }

    /// The parameter that says where statuses go, and how many there may be.
    pub(super) fn status(&self) -> Option<(usize, u32)> {
        let word = self.find(is_status)?;
        Some((word, u32::try_from(self.length(word)?.clamp(0, MOST_ELEMENTS)).ok()?))
    }

    /// Handles that the call may change, as they are now.
    pub(super) fn passed_handles(&self) -> Vec<(u8, Vec<u32>)> {
        let is_changed =
            |word: &Parameter| matches!(word.meaning, Meaning::Handle(_)) && word.direction == Direction::InOut;
        let changed = self.words.iter().enumerate().filter(|(_, word)| is_changed(word));
        let read = |(at, _): (usize, &Parameter)| Some((at as u8, self.handles(at)?));
        changed.filter_map(read).collect()
    }

    /// The handles that a parameter points to.
    pub(super) fn handles(&self, word: usize) -> Option<Vec<u32>> {
        self.read_handles(word, self.length(word)?)
    }
}

/// A call in words.
pub(super) fn in_words(made: &Made) -> String {
    call_words::in_words(made.function.name, Some(made.function), &made.words)
}
