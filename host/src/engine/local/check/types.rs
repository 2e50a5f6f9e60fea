//! Type signatures (MPI-5.0 §5.1.1): the basic elements of a message, and where two of them differ.

use std::sync::Arc;

use rankine_abi::{Datatype, Kind};
use rankine_local::Rank;
use rankine_local::datatype::Basic;
use serde::{Deserialize, Serialize};

/// Runs of basic elements that are looked at of one type.
const MOST_RUNS: usize = 4096;
/// Runs that are compared of two messages.
const COMPARED: usize = 1 << 16;

/// So many elements of a datatype.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(into = "Plain", try_from = "Plain")]
pub(super) struct Elements {
    runs: Runs,
    /// How often the runs follow one another.
    count: u64,
}

#[derive(Clone, Debug)]
enum Runs {
    One(Basic, u64),
    Many(Arc<[(Basic, u64)]>),
    /// `MPI_PACKED`, which fits every type, or a type of so many runs that they are not all known.
    Any,
}

/// Elements as they travel: runs of a kind, by its place in [`KINDS`], with two sizes, so often each; no list stands for any.
#[derive(Deserialize, Serialize)]
struct Plain {
    runs: Option<Vec<([u8; 3], u64)>>,
    count: u64,
}

const KINDS: [Kind; 7] = [Kind::Int, Kind::Uint, Kind::Float, Kind::Complex, Kind::Logical, Kind::Char, Kind::Byte];

impl From<Elements> for Plain {
    fn from(elements: Elements) -> Plain {
        let place = |kind| KINDS.iter().position(|other| *other == kind).unwrap_or(KINDS.len()) as u8;
        let plain = |&(Basic { kind, size, external }, times): &(Basic, u64)| ([place(kind), size, external], times);
        let runs = match &elements.runs {
            Runs::One(basic, times) => Some(vec![plain(&(*basic, *times))]),
            Runs::Many(runs) => Some(runs.iter().map(plain).collect()),
            Runs::Any => None,
        };
        Plain { runs, count: elements.count }
    }
}

impl TryFrom<Plain> for Elements {
    type Error = &'static str;

    fn try_from(Plain { runs, count }: Plain) -> Result<Elements, &'static str> {
        let Some(plain) = runs else { return Ok(Elements { runs: Runs::Any, count }) };
        let basic = |([kind, size, external], times): ([u8; 3], u64)| {
            Some((Basic { kind: *KINDS.get(usize::from(kind))?, size, external }, times))
        };
        let is_short = plain.len() <= MOST_RUNS;
        let runs: Option<Vec<_>> = plain.into_iter().filter(|(_, times)| *times > 0).map(basic).collect();
        let runs = runs.filter(|_| is_short).ok_or("elements of no datatype")?;
        let runs = match runs[..] {
            [(basic, times)] => Runs::One(basic, times),
            _ => Runs::Many(runs.into()),
        };
        Ok(Elements { runs, count })
    }
}

impl Elements {
    /// So many elements of a datatype of a rank; nothing if it is none, which the call will say.
    pub(super) fn of(rank: &Rank, count: i64, datatype: Datatype) -> Option<Elements> {
        let count = u64::try_from(count).ok()?;
        if datatype == Datatype::PACKED {
            return Some(Elements { runs: Runs::Any, count });
        }
        let runs = rank.runs_of(datatype, MOST_RUNS)?;
        let runs = match &runs.first[..] {
            _ if !runs.is_whole => Runs::Any,
            [] => Runs::Many(Arc::default()),
            &[(basic, times)] => Runs::One(basic, times),
            many => Runs::Many(many.into()),
        };
        Some(Elements { runs, count })
    }

    /// Its runs, those of the same basic type joined.
    fn runs(&self) -> impl Iterator<Item = (Basic, u64)> + '_ {
        let (one, many) = match &self.runs {
            &Runs::One(basic, times) => (Some((basic, times.saturating_mul(self.count))), &[][..]),
            Runs::Many(runs) => (None, &runs[..]),
            Runs::Any => (None, &[][..]),
        };
        let times = if many.is_empty() { 0 } else { self.count };
        let repeated = (0..times).flat_map(move |_| many.iter().copied());
        one.into_iter().chain(repeated).filter(|(_, times)| *times > 0)
    }

    /// How many basic elements there are.
    fn total(&self) -> u64 {
        match &self.runs {
            Runs::One(_, times) => times.saturating_mul(self.count),
            Runs::Many(runs) => {
                let of_one = runs.iter().fold(0_u64, |sum, (_, times)| sum.saturating_add(*times));
                of_one.saturating_mul(self.count)
            }
            Runs::Any => 0,
        }
    }
}

/// What may differ of two signatures besides their elements.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Lengths {
    /// The second may be longer: it is the room for a message.
    Room,
    /// Nothing.
    Same,
}

/// Where two signatures differ, in words; nothing if they don't.
pub(super) fn difference(one: &Elements, other: &Elements, lengths: Lengths) -> Option<String> {
    if matches!(one.runs, Runs::Any) || matches!(other.runs, Runs::Any) {
        return None;
    }
    let (mut ones, mut others) = (one.runs(), other.runs());
    let (mut a, mut b) = (ones.next(), others.next());
    let mut at = 0_u64;
    for _ in 0..COMPARED {
        match (&mut a, &mut b) {
            (Some((kind, left)), Some((other_kind, other_left))) => {
                // In files a `long` of 8 bytes is another number than an `MPI_INT64_T`, and in messages it is none.
                if (kind.kind, kind.size) != (other_kind.kind, other_kind.size) {
                    return Some(format!(
                        "element {at} is {} in the one and {} in the other",
                        in_words(*kind),
                        in_words(*other_kind)
                    ));
                }
                let same = (*left).min(*other_left);
                at = at.saturating_add(same);
                *left -= same;
                *other_left -= same;
                if *left == 0 {
                    a = ones.next();
                }
                if matches!(b, Some((_, 0))) {
                    b = others.next();
                }
            }
            (None, None) => return None,
            // What does not fit is an error of the receive, and told as such.
            _ if lengths == Lengths::Room => return None,
            _ => {
                return Some(format!("the one has {} basic elements, the other {}", one.total(), other.total()));
            }
        }
    }
    None
}

/// A basic element in words: `a 4-byte integer`.
fn in_words(basic: Basic) -> String {
    let what = match basic.kind {
        Kind::Int => "integer",
        Kind::Uint => "unsigned integer",
        Kind::Float => "floating-point number",
        Kind::Complex => "complex number",
        Kind::Logical => "truth value",
        Kind::Char => "character",
        Kind::Byte => return "a byte without meaning (MPI_BYTE)".into(),
    };
    // 8, and no size that begins like it.
    let article = if basic.size == 8 { "an" } else { "a" };
    format!("{article} {}-byte {what}", basic.size)
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: Basic = Basic { kind: Kind::Int, size: 4, external: 4 };
    const DOUBLE: Basic = Basic { kind: Kind::Float, size: 8, external: 8 };

    fn elements(count: u64, runs: &[(Basic, u64)]) -> Elements {
        let runs = match runs {
            &[(basic, times)] => Runs::One(basic, times),
            many => Runs::Many(many.into()),
        };
        Elements { runs, count }
    }

    #[test]
    fn signatures_are_compared_whatever_the_types() {
        let same = |one: &Elements, other: &Elements| difference(one, other, Lengths::Same).is_none();
        assert!(same(&elements(6, &[(INT, 1)]), &elements(2, &[(INT, 3)])));
        let pairs = elements(2, &[(INT, 1), (DOUBLE, 1)]);
        assert!(same(&pairs, &elements(1, &[(INT, 1), (DOUBLE, 1), (INT, 1), (DOUBLE, 1)])));
        assert!(same(&elements(0, &[(INT, 1)]), &elements(3, &[])));
        assert!(same(&Elements { runs: Runs::Any, count: 9 }, &pairs));
        let [long, wide] = [4, 8].map(|external| Basic { kind: Kind::Int, size: 8, external });
        assert!(same(&elements(2, &[(long, 1)]), &elements(1, &[(long, 1), (wide, 1)])));
        let found = difference(&pairs, &elements(4, &[(INT, 1)]), Lengths::Same).unwrap();
        assert!(found.starts_with("element 1 is an 8-byte floating-point number in the one"), "{found}");
    }

    #[test]
    fn elements_travel() {
        let there_and_back = |elements: Elements| Elements::try_from(Plain::from(elements)).unwrap();
        let pairs = elements(3, &[(INT, 1), (DOUBLE, 2)]);
        assert_eq!(difference(&pairs, &there_and_back(pairs.clone()), Lengths::Same), None);
        assert_eq!(there_and_back(elements(3, &[(INT, 4)])).total(), 12);
        assert!(matches!(there_and_back(Elements { runs: Runs::Any, count: 3 }).runs, Runs::Any));
        let basic = |kind| Elements::try_from(Plain { runs: Some(vec![([kind, 8, 8], 1)]), count: 1 });
        assert!((0..7).all(|kind| basic(kind).is_ok()) && basic(7).is_err());
        assert!(Elements::try_from(Plain { runs: Some(vec![([0, 4, 4], 1); MOST_RUNS + 1]), count: 1 }).is_err());
        // What occurs no time would be looked for without end.
        let nothing = Plain { runs: Some(vec![([0, 4, 4], 0), ([2, 8, 8], 0)]), count: u64::MAX };
        let (nothing, many) =
            (Elements::try_from(nothing).unwrap(), elements(u64::MAX, &[(INT, u64::MAX), (DOUBLE, 1)]));
        assert_eq!(difference(&nothing, &many, Lengths::Room), None);
        assert!(difference(&nothing, &many, Lengths::Same).unwrap().contains(&u64::MAX.to_string()));
    }

    #[test]
    fn a_receive_may_have_more_room() {
        let (short, long) = (elements(2, &[(INT, 1)]), elements(5, &[(INT, 1)]));
        assert_eq!(difference(&short, &long, Lengths::Room), None);
        let found = difference(&short, &long, Lengths::Same).unwrap();
        assert_eq!(found, "the one has 2 basic elements, the other 5");
    }
}
