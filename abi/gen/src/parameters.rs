//! The parameters of a function: `buf out buffer(count, datatype) @in_place`.

use anyhow::{Context, Result, bail, ensure};

use crate::functions::Class;

/// A parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: String,
    pub direction: Direction,
    pub kind: Kind,
    /// The dimensions of an array, from the outermost.
    pub lengths: Vec<Length>,
    /// Significant at the root only.
    pub root_only: bool,
    pub in_place: Option<InPlace>,
    /// Not significant where the operation has no operands.
    pub operand: bool,
    /// Not significant on rank 0, unless the operand is in place.
    pub behind: bool,
    /// The null pointer says that the result is not wanted.
    pub ignorable: bool,
    /// Only the large variant has it.
    pub large_only: bool,
    /// A value that is kept and given back, and not looked at: all of its bits count.
    pub is_kept: bool,
}

/// Who reads and writes what a parameter stands for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Direction {
    In,
    Out,
    InOut,
}

/// Who may pass `MPI_IN_PLACE`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum InPlace {
    Everyone,
    Root,
}

/// What a parameter is. The head of `functions.toml` explains each.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Kind {
    Int,
    Flag,
    Rank,
    Root,
    Dest,
    Source,
    Tag,
    AnyTag,
    Index,
    Keyval,
    Weight,
    Count,
    Displ,
    Extent,
    Aint,
    Offset,
    BigCount,
    Handle(Class),
    Enum(String),
    Tool(String),
    Status,
    /// With the room there is for it, where MPI writes it.
    String(Option<Length>),
    Buffer(Area, Option<String>),
    Address {
        constant: bool,
    },
    /// C type, and that of the large variant.
    Function(String, String),
    Raw(String),
}

/// How much of a choice buffer a call may touch.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Area {
    Elements(Length),
    /// A block per process: names of the arrays of counts and displacements.
    Blocks {
        counts: String,
        displs: String,
    },
}

/// A number that is known when the call is made.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Length {
    Number(u32),
    Constant(String),
    Parameter(String),
    Sum(Box<Length>, Box<Length>),
    Product(Box<Length>, Box<Length>),
    /// A property of a communicator: which, and the communicator's parameter.
    Of(Property, String),
}

/// What a length may ask of a parameter.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Property {
    Peers,
    Members,
    Dimensions,
    Sources,
    Destinations,
    SumOfElements,
    LastElement,
    OwnElement,
}

impl Length {
    /// The parameters it is computed from.
    pub fn uses(&self) -> Vec<&str> {
        match self {
            Self::Number(_) | Self::Constant(_) => Vec::new(),
            Self::Parameter(name) | Self::Of(_, name) => vec![name],
            Self::Sum(a, b) | Self::Product(a, b) => [a.uses(), b.uses()].concat(),
        }
    }
}

impl Parameter {
    /// The other parameters that it needs to be understood.
    pub fn uses(&self) -> Vec<&str> {
        let mut uses: Vec<&str> = self.lengths.iter().flat_map(Length::uses).collect();
        match &self.kind {
            Kind::String(Some(length)) => uses.extend(length.uses()),
            Kind::Buffer(area, datatype) => {
                match area {
                    Area::Elements(length) => uses.extend(length.uses()),
                    Area::Blocks { counts, displs } => uses.extend([counts.as_str(), displs]),
                }
                uses.extend(datatype.as_deref());
            }
            _ => {}
        }
        uses
    }

    /// Its name as a variable of a shim, where `r` is the rank, and a pointer to them stands for variable arguments.
    pub fn variable(&self) -> &str {
        match self.name.as_str() {
            "r" => "range",
            "..." => "arguments",
            name => name,
        }
    }

    /// Whether it is one handle of these classes that the caller passes in.
    pub fn is_passed_handle(&self, classes: &[Class]) -> bool {
        matches!(self.kind, Kind::Handle(class) if classes.contains(&class))
            && self.direction != Direction::Out
            && self.lengths.is_empty()
    }

    /// Whether it is one handle of this class that is passed in and does not change.
    pub fn is_passed_by_value(&self, class: Class) -> bool {
        self.is_passed_handle(&[class]) && self.direction == Direction::In
    }

    /// How the word is said to be passed, if it has 32 bits in some programs and 64 in others, beside those of large counts.
    pub fn long(&self) -> Option<&'static str> {
        match &self.kind {
            _ if self.by_pointer() => None,
            Kind::Aint => Some("aint"),
            Kind::Displ => Some("displ"),
            Kind::Extent => Some("extent"),
            Kind::Address { .. } if self.is_kept => Some("kept"),
            _ => None,
        }
    }

    /// Whether it has 64 bits in programs with 64-bit addresses and 32 in others, in a variant of its function.
    pub fn is_long_in_lp64(&self, large: bool) -> bool {
        match self.long() {
            Some("displ") => large,
            Some("extent") => !large,
            long => long.is_some(),
        }
    }

    /// Whether C passes a pointer to it, because it is an array or because MPI writes it.
    pub fn by_pointer(&self) -> bool {
        !self.lengths.is_empty() || self.direction != Direction::In
    }
}

/// Parses a row's `params`.
pub fn parse_parameters(text: &str) -> Result<Vec<Parameter>> {
    let lines = split(text, |c| c == ',' || c == '\n')?;
    lines
        .into_iter()
        .filter(|line| !line.is_empty())
        .map(|line| parameter(line).with_context(|| line.to_owned()))
        .collect()
}

/// Splits at separators outside of brackets, and trims the pieces.
pub fn split(text: &str, separates: impl Fn(char) -> bool) -> Result<Vec<&str>> {
    let (mut pieces, mut start, mut depth) = (Vec::new(), 0, 0_u32);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.checked_sub(1).context("a bracket too many")?,
            c if depth == 0 && separates(c) => {
                pieces.push(text[start..at].trim());
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    ensure!(depth == 0, "a bracket is not closed: {text}");
    pieces.push(text[start..].trim());
    Ok(pieces)
}

fn parameter(text: &str) -> Result<Parameter> {
    let words: Vec<&str> = split(text, char::is_whitespace)?.into_iter().filter(|word| !word.is_empty()).collect();
    let (notes, words): (Vec<&str>, Vec<&str>) = words.into_iter().partition(|word| word.starts_with('@'));
    let (constant, words) = match words.as_slice() {
        [words @ .., "const"] => (true, words),
        words => (false, words),
    };
    let (name, direction, kind) = match words {
        ["raw(...)"] => ("...", Direction::In, "raw(...)"),
        [name] => (*name, Direction::In, *name),
        [word, name] if direction(word).is_some() => (*name, direction(word).expect("just seen"), *name),
        [name, kind] => (*name, Direction::In, *kind),
        [name, word, kind] => (*name, direction(word).with_context(|| format!("{word} is not a direction"))?, *kind),
        _ => bail!("a parameter is a name, a direction and a kind"),
    };
    let (kind, lengths) = match kind.find('[') {
        Some(at) if !kind[..at].contains('(') => (&kind[..at], array_lengths(&kind[at..])?),
        _ => (kind, Vec::new()),
    };
    let mut parameter = Parameter {
        name: name.to_owned(),
        direction,
        kind: parse_kind(kind, constant)?,
        lengths,
        root_only: false,
        in_place: None,
        operand: false,
        behind: false,
        ignorable: false,
        large_only: false,
        is_kept: false,
    };
    for note in notes {
        match note {
            "@root" => parameter.root_only = true,
            "@in_place" => parameter.in_place = Some(InPlace::Everyone),
            "@in_place_root" => parameter.in_place = Some(InPlace::Root),
            "@operand" => parameter.operand = true,
            "@behind" => parameter.behind = true,
            "@ignorable" => parameter.ignorable = true,
            "@large" => parameter.large_only = true,
            "@kept" => parameter.is_kept = true,
            other => bail!("no annotation is called {other}"),
        }
    }
    Ok(parameter)
}

fn direction(word: &str) -> Option<Direction> {
    match word {
        "in" => Some(Direction::In),
        "out" => Some(Direction::Out),
        "inout" => Some(Direction::InOut),
        _ => None,
    }
}

/// `[n][3]`
fn array_lengths(text: &str) -> Result<Vec<Length>> {
    text.split_inclusive(']')
        .map(|part| {
            let inner = part.strip_prefix('[').and_then(|part| part.strip_suffix(']'));
            parse_length(inner.with_context(|| format!("{part} is not an array length"))?)
        })
        .collect()
}

fn parse_kind(text: &str, constant: bool) -> Result<Kind> {
    ensure!(!constant || text == "address", "only an address can be const here");
    if let Some((word, inner)) = text.split_once('(') {
        let inner = inner.strip_suffix(')').context("text after a bracket")?;
        return kind_with_arguments(word, inner);
    }
    Ok(match text {
        "int" => Kind::Int,
        "flag" => Kind::Flag,
        "rank" => Kind::Rank,
        "root" => Kind::Root,
        "dest" => Kind::Dest,
        "source" => Kind::Source,
        "tag" => Kind::Tag,
        "anytag" => Kind::AnyTag,
        "index" => Kind::Index,
        "keyval" => Kind::Keyval,
        "weight" => Kind::Weight,
        "count" => Kind::Count,
        "displ" => Kind::Displ,
        "extent" => Kind::Extent,
        "aint" => Kind::Aint,
        "offset" => Kind::Offset,
        "bigcount" => Kind::BigCount,
        "status" => Kind::Status,
        "string" => Kind::String(None),
        "address" => Kind::Address { constant },
        word => Kind::Handle(Class::of(word).with_context(|| format!("no kind is called {word}"))?),
    })
}

fn kind_with_arguments(word: &str, inner: &str) -> Result<Kind> {
    let arguments = split(inner, |c| c == ',')?;
    Ok(match (word, arguments.as_slice()) {
        ("enum", [c]) => Kind::Enum((*c).to_owned()),
        ("tool", [c]) => Kind::Tool((*c).to_owned()),
        ("string", [room]) => Kind::String(Some(parse_length(room)?)),
        ("buffer", [size]) => Kind::Buffer(area(size)?, None),
        ("buffer", [size, datatype]) => Kind::Buffer(area(size)?, Some((*datatype).to_owned())),
        ("function", [c]) => Kind::Function((*c).to_owned(), (*c).to_owned()),
        ("function", [c, large]) => Kind::Function((*c).to_owned(), (*large).to_owned()),
        ("raw", _) => Kind::Raw(inner.to_owned()),
        _ => bail!("no kind is written {word}({inner})"),
    })
}

fn area(text: &str) -> Result<Area> {
    Ok(match text.split_once('@') {
        Some((counts, displs)) => Area::Blocks { counts: counts.trim().to_owned(), displs: displs.trim().to_owned() },
        None => Area::Elements(parse_length(text)?),
    })
}

/// `recvcount * peers(comm)`, `valuelen + 1`, `MPI_MAX_OBJECT_NAME`.
pub fn parse_length(text: &str) -> Result<Length> {
    let text = text.trim();
    for (sign, make) in [('+', Length::Sum as fn(_, _) -> _), ('*', Length::Product)] {
        if let Some((left, right)) = text.split_once(sign) {
            return Ok(make(Box::new(parse_length(left)?), Box::new(parse_length(right)?)));
        }
    }
    if let Some((property, inner)) = text.split_once('(') {
        let property = match property {
            "peers" => Property::Peers,
            "members" => Property::Members,
            "ndims" => Property::Dimensions,
            "sources" => Property::Sources,
            "destinations" => Property::Destinations,
            "sum" => Property::SumOfElements,
            "last" => Property::LastElement,
            "own" => Property::OwnElement,
            other => bail!("no property is called {other}"),
        };
        return Ok(Length::Of(property, inner.trim_end_matches(')').to_owned()));
    }
    if let Ok(number) = text.parse() {
        return Ok(Length::Number(number));
    }
    Ok(if text.starts_with("MPI_") { Length::Constant(text.to_owned()) } else { Length::Parameter(text.to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Parameter {
        parse_parameters(text).unwrap().remove(0)
    }

    #[test]
    fn a_word_may_be_name_and_kind() {
        let tag = one("tag");
        assert_eq!((tag.name.as_str(), tag.direction, &tag.kind), ("tag", Direction::In, &Kind::Tag));
        let request = one("out request");
        assert_eq!((request.name.as_str(), request.direction), ("request", Direction::Out));
    }

    #[test]
    fn lengths_and_annotations() {
        let counts = one("recvcounts count[peers(comm)] @root");
        assert_eq!(counts.lengths, [Length::Of(Property::Peers, "comm".to_owned())]);
        assert!(counts.root_only && counts.by_pointer());
        let buffer = one("recvbuf out buffer(recvcount * peers(comm), recvtype) @in_place_root");
        assert_eq!(buffer.in_place, Some(InPlace::Root));
        assert_eq!(buffer.uses(), ["recvcount", "comm", "recvtype"]);
        assert_eq!(one("ranges rank[n][3]").lengths.len(), 2);
    }

    #[test]
    fn mistakes_are_found() {
        for text in ["x between int", "x imt", "x int[n", "x int @sometimes", "x out int[m)"] {
            assert!(parse_parameters(text).is_err(), "{text}");
        }
    }
}
