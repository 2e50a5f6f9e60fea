//! What nodes tell each other of ranks that one has the other start, as bytes. Whatever comes is checked: lengths, numbers, and
//! whose ranks they are.

use std::ops::Range;

use rankine_abi::{MPI_ERR_LASTCODE, MPI_ERR_NO_MEM, MPI_ERR_SPAWN};

use super::muster::Wanted;
use super::place::Order;
use super::soft::Soft;
use super::{Birth, MOST_WANTED};
use crate::away::Nodes;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::group::Members;

/// Writes numbers and texts one behind the other.
#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn word(&mut self, word: u32) {
        self.0.extend(word.to_le_bytes());
    }

    fn words(&mut self, words: impl IntoIterator<Item = u32>) {
        words.into_iter().for_each(|word| self.word(word));
    }

    fn text(&mut self, text: &str) {
        self.word(text.len() as u32);
        self.0.extend(text.as_bytes());
    }

    fn texts(&mut self, texts: &[String]) {
        self.word(texts.len() as u32);
        texts.iter().for_each(|text| self.text(text));
    }

    fn members(&mut self, members: &Members) {
        match members {
            Members::Range { first, length, stride } => {
                self.word(0);
                self.words([*first, *length, stride.cast_unsigned()]);
            }
            Members::List(ranks) => {
                self.word(ranks.len() as u32);
                self.words(ranks.iter().copied());
            }
        }
    }
}

/// Reads what was written, as far as it goes.
struct Reader<'b>(&'b [u8]);

impl Reader<'_> {
    fn word(&mut self) -> Option<u32> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*word))
    }

    fn text(&mut self) -> Option<String> {
        let length = self.word()? as usize;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(std::str::from_utf8(text).ok()?.to_owned())
    }

    /// As many as are said to come. Each takes some bytes, so none is made room for before it is there.
    fn list<T>(&mut self, read: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.word()?;
        (0..count).map(|_| read(self)).collect()
    }

    fn texts(&mut self) -> Option<Vec<String>> {
        self.list(Reader::text)
    }

    /// Ranks of a job of these nodes.
    fn members(&mut self, nodes: &Nodes) -> Option<Members> {
        let length = self.word()?;
        if length > 0 {
            return nodes.listed((0..length).map(|_| self.word()).collect::<Option<_>>()?);
        }
        let [first, length, stride] = [self.word()?, self.word()?, self.word()?];
        nodes.ranged(first, length, stride.cast_signed())
    }

    /// It, if that was all.
    fn end<T>(self, read: T) -> Option<T> {
        self.0.is_empty().then_some(read)
    }
}

/// What another node is to make ready.
pub(super) fn write_orders(wanted: &[Wanted]) -> Vec<u8> {
    let mut to = Writer::default();
    to.word(wanted.len() as u32);
    for Wanted { order: Order { name, arguments, number, places, folder }, soft } in wanted {
        to.words([*number, soft.most, soft.ranges().len()].map(|number| number as u32));
        for &(first, last, step) in soft.ranges() {
            to.words([first, last, step].map(i32::cast_unsigned));
        }
        to.text(name);
        to.texts(arguments);
        to.texts(places);
        to.texts(folder.as_slice());
    }
    to.0
}

pub(super) fn read_orders(bytes: &[u8]) -> Option<Vec<Wanted>> {
    let mut from = Reader(bytes);
    let wanted = from.list(|from| {
        let (number, most) = (from.word()?, from.word()? as usize);
        let word = |from: &mut Reader<'_>| from.word().map(u32::cast_signed);
        let ranges = from.list(|from| Some((word(from)?, word(from)?, word(from)?)))?;
        let soft = Soft::new(most, ranges).filter(|_| most <= MOST_WANTED)?;
        let (name, arguments, places) = (from.text()?, from.texts()?, from.texts()?);
        let mut folders = from.texts()?;
        let folder = folders.pop();
        let makes_sense = folders.is_empty() && !places.is_empty() && number <= i32::MAX as u32;
        let order = Order { name, arguments, number: number as usize, places, folder };
        makes_sense.then_some(Wanted { order, soft })
    })?;
    let most: usize = wanted.iter().map(|wanted| wanted.soft.most).sum();
    from.end(wanted).filter(|wanted| !wanted.is_empty() && most <= MOST_WANTED)
}

/// Bytes of the longest text of an error that travels.
const TEXT: usize = 300;
/// Bytes of an answer beside its counts.
const FIXED: usize = 1 + 4 + 2 + TEXT;
const DONE: u8 = 0;
const REFUSED: u8 = 1;

/// How long the answer to so many orders is.
pub(super) const fn answer_length(orders: usize) -> usize {
    FIXED + 4 * orders
}

/// The first of the ranks that stand ready, and how many there are for each order; or why there are none.
pub(super) fn write_answer(orders: usize, answer: Result<(u32, &[usize])>) -> Vec<u8> {
    let (code, word, counts, text) = match answer {
        Ok((first, counts)) => (DONE, first, counts, String::new()),
        Err(error) => (REFUSED, error.class.cast_unsigned(), &[][..], error.text.to_string()),
    };
    let text = &text[..text.floor_char_boundary(TEXT)];
    let mut to = Writer(vec![code]);
    to.word(word);
    (0..orders).for_each(|index| to.word(counts.get(index).copied().unwrap_or_default() as u32));
    to.0.extend((text.len() as u16).to_le_bytes());
    to.0.extend(text.as_bytes());
    to.0.resize(answer_length(orders), 0);
    to.0
}

/// The answer to who orders more than there is memory for.
pub(super) fn write_no_memory() -> Vec<u8> {
    vec![REFUSED]
}

/// The answer to orders of which each may have so many ranks at most, or nothing if it makes no sense: ranks begin where those do that
/// may be started there.
pub(super) fn read_answer(bytes: &[u8], most: &[usize], starts: &Range<u32>) -> Option<Result<(u32, Vec<usize>)>> {
    let (&code, rest) = bytes.split_first()?;
    if code == REFUSED && rest.is_empty() {
        let text = "it has no memory for what it is told to start";
        return Some(Err(Error::new(MPI_ERR_NO_MEM, text)));
    }
    let mut from = Reader(rest);
    let word = from.word()?;
    let counts = most.iter().map(|_| from.word().map(|count| count as usize)).collect::<Option<Vec<_>>>()?;
    if code == REFUSED {
        let (length, rest) = from.0.split_first_chunk()?;
        let text = std::str::from_utf8(rest.get(..usize::from(u16::from_le_bytes(*length)))?).ok()?;
        let class = Some(word.cast_signed()).filter(|class| (1..=MPI_ERR_LASTCODE).contains(class));
        return Some(Err(Error::new(class.unwrap_or(MPI_ERR_SPAWN), text.to_owned())));
    }
    let fit = counts.iter().zip(most).all(|(count, most)| count <= most);
    let total = u32::try_from(counts.iter().sum::<usize>()).ok()?;
    let is_there = total == 0 || starts.contains(&word) && total <= starts.end - word;
    (code == DONE && fit && is_there).then_some(Ok((word, counts)))
}

pub(super) fn write_birth(birth: &Birth) -> Vec<u8> {
    let mut to = Writer::default();
    let (parent, parents) = &birth.parent;
    to.word(birth.number);
    to.words([birth.world, *parent].map(|context| Context::word(&Ok(context)).cast_unsigned()));
    to.members(&birth.members);
    to.members(parents);
    to.0
}

/// A birth of which these ranks are.
pub(super) fn read_birth(bytes: &[u8], nodes: &Nodes, here: Range<u32>) -> Option<Birth> {
    let mut from = Reader(bytes);
    let number = from.word()?;
    let mut context = || Context::from_word(from.word()?.cast_signed()).ok();
    let (world, parent) = (context()?, context()?);
    let (members, parents) = (from.members(nodes)?, from.members(nodes)?);
    let index = members.index();
    let are_members = here.into_iter().all(|rank| index.find(rank).is_some());
    drop(index);
    from.end(Birth { number, world, members, parent: (parent, parents) }).filter(|_| are_members)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn wanted() -> impl Strategy<Value = Wanted> {
        let texts = || proptest::collection::vec(any::<String>(), 0..4);
        let ranges = proptest::collection::vec((any::<i32>(), any::<i32>(), 1..9_i32), 0..3);
        (any::<String>(), texts(), 0..9_usize, texts(), any::<Option<String>>(), 1..9_i32, ranges).prop_map(
            |(name, arguments, number, mut places, folder, most, mut ranges)| {
                places.push(name.clone());
                ranges.push((0, most, 1));
                let soft = Soft::new(most as usize, ranges).unwrap();
                Wanted { order: Order { name, arguments, number, places, folder }, soft }
            },
        )
    }

    fn members() -> impl Strategy<Value = Vec<u32>> {
        let started = Nodes::even(0, 4, 2).starts_of(2).start;
        let rank = prop_oneof![0..8_u32, started..started + 4];
        proptest::collection::hash_set(rank, 1..8).prop_map(|ranks| ranks.into_iter().collect())
    }

    proptest! {
        #[test]
        fn orders_are_read(wanted in proptest::collection::vec(wanted(), 1..4), at in any::<usize>(), byte in any::<u8>()) {
            let mut written = write_orders(&wanted);
            prop_assert_eq!(read_orders(&written).unwrap(), wanted);
            prop_assert_eq!(read_orders(&written[..at % written.len()]), None);
            let at = at % written.len();
            written[at] = byte;
            if let Some(other) = read_orders(&written) {
                prop_assert_eq!(write_orders(&other), written);
            }
        }

        #[test]
        fn births_are_read(number in any::<u32>(), all in members(), parents in members(), at in any::<usize>(), byte in any::<u8>()) {
            let nodes = Nodes::even(0, 4, 2);
            let (world, between) = (Context::WORLD, Context::SELF);
            let here = all[0]..all[0] + 1;
            let birth = Birth { number, world, members: Members::list(all), parent: (between, Members::list(parents)) };
            let mut written = write_birth(&birth);
            let read = read_birth(&written, &nodes, here.clone()).unwrap();
            prop_assert_eq!(write_birth(&read), written.clone());
            prop_assert!(read_birth(&written, &nodes, 90..91).is_none());
            prop_assert!(read_birth(&written[..at % written.len()], &nodes, here.clone()).is_none());
            let at = at % written.len();
            written[at] = byte;
            if let Some(read) = read_birth(&written, &nodes, here.clone()) {
                let all: Vec<u32> = read.members.iter().chain(read.parent.1.iter()).collect();
                prop_assert!(all.iter().all(|&rank| nodes.node_of(rank).is_some()) && all.contains(&here.start));
                let distinct: std::collections::HashSet<u32> = read.members.iter().collect();
                prop_assert_eq!(distinct.len(), read.members.len());
            }
        }

        #[test]
        fn answers_are_read(first in 100..200_u32, counts in proptest::collection::vec(0..3_usize, 1..4), text in any::<String>(), class in 1..60) {
            let (orders, starts) = (counts.len(), 100..200);
            let most = vec![3; orders];
            let written = write_answer(orders, Ok((first, &counts)));
            prop_assert_eq!(written.len(), answer_length(orders));
            let read = read_answer(&written, &most, &starts).map(|answer| answer.unwrap());
            let total: usize = counts.iter().sum();
            prop_assert_eq!(read, (first as usize + total <= 200 || total == 0).then_some((first, counts.clone())));
            prop_assert!(counts.iter().all(|&count| count == 0) || read_answer(&written, &vec![0; orders], &starts).is_none());
            let written = write_answer(orders, Err(Error::new(class, text.clone())));
            prop_assert_eq!(written.len(), answer_length(orders));
            let error = read_answer(&written, &most, &starts).unwrap().unwrap_err();
            prop_assert!(error.class == class && text.starts_with(&*error.text));
            prop_assert!(read_answer(&[DONE], &most, &starts).is_none());
            prop_assert!(read_answer(&write_no_memory(), &most, &starts).unwrap().is_err());
        }
    }
}
