//! What a row says of what its shim on the engine `mpi` has to prove: keys of the table, which its head explains. A
//! function that needs a proof and has no key for it is an error, as is a key for what its parameters are not.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};

use crate::functions::{Class, Function};
use crate::parameters::{Area, Direction, Kind, Length, Parameter, parse_length, split};

/// The keys, those that a chapter may have for all its functions first.
pub const KEYS: [&str; 14] = [
    "hints", "takes", "traffic", "access", "array", "counts", "epoch", "external", "index", "makes", "members",
    "packs", "reach", "received",
];
/// How many of them a chapter may have.
const OF_CHAPTERS: usize = 3;

/// What the keys of a row say, its chapter's and its model's included.
pub type Said = BTreeMap<String, String>;

/// Takes the keys of proofs out of a row or a chapter.
pub fn said(keys: &mut toml::Table, of_chapter: bool) -> Result<Said> {
    let mut said = Said::new();
    for key in &KEYS[..if of_chapter { OF_CHAPTERS } else { KEYS.len() }] {
        if let Some(value) = keys.remove(*key) {
            let text = value.as_str().with_context(|| format!("the key {key} is not a string"))?;
            said.insert((*key).to_owned(), text.to_owned());
        }
    }
    Ok(said)
}

/// The proofs of a function.
#[derive(Clone, Debug, Default)]
pub struct Proofs {
    pub said: Said,
    pub hints: Option<Hints>,
    pub takes: Takes,
    pub traffic: Option<Traffic>,
    pub access: Option<Access>,
    pub array: Option<Call>,
    pub counts: Option<Counts>,
    pub epoch: Option<Epoch>,
    /// The string that names the representation.
    pub external: Option<String>,
    /// The function that counts what the first parameter is an index of.
    pub index: Option<String>,
    pub makes: Option<Makes>,
    pub members: Option<Members>,
    /// The parameter that says how much is packed already.
    pub packs: Option<String>,
    pub reach: Option<Reach>,
    /// How many elements a reduction receives, and how many it holds in place.
    pub received: Option<[Length; 2]>,
}

/// Declares an enumeration of words of the table.
macro_rules! words {
    ($(#[$about:meta])* $name:ident, $what:literal { $($word:literal => $variant:ident,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        pub enum $name { $($variant,)* }

        impl $name {
            fn of(word: &str) -> Result<Self> {
                Ok(match word {
                    $($word => Self::$variant,)*
                    other => bail!(concat!($what, " is called {}; one of {}"), other, [$($word),*].join(", ")),
                })
            }

            /// As the table has it.
            #[allow(dead_code, reason = "not every word is printed")]
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }
    };
}

words!(
    /// What hints are for.
    Hints, "nothing that hints are for" {
        "comm" => Comm, "file" => File, "fortran" => Fortran, "itself" => Itself, "nothing" => Nothing, "win" => Win,
    }
);
words!(
    /// What the first object of its class has to be.
    Takes, "no object that is taken" { "any" => Any, "inter" => Inter, "intra" => Intra, "made" => Made, "null" => Null, }
);
words!(
    /// Where data goes.
    Traffic, "no traffic" {
        "access" => Access, "collective" => Collective, "local" => Local, "messages" => Messages,
        "neighbors" => Neighbors,
    }
);
words!(
    /// What an access does to the window of its target.
    Access, "no access" {
        "combines" => Combines, "fetches" => Fetches, "gets" => Gets, "puts" => Puts, "swaps" => Swaps,
    }
);
words!(
    /// What is counted of a message.
    Counts, "nothing that is counted" { "basic" => Basic, "whole" => Whole, }
);
words!(
    /// What a call does to the epochs of a window.
    Epoch, "nothing that is done to epochs" {
        "complete" => Complete, "fence" => Fence, "flush" => Flush, "flush_all" => FlushAll, "free" => Free, "lock" => Lock,
        "lock_all" => LockAll, "post" => Post, "start" => Start, "unlock" => Unlock, "unlock_all" => UnlockAll, "wait" => Wait,
        "nothing" => Nothing,
    }
);
words!(
    /// What a new datatype is.
    Makes, "nothing that is made" { "datatype" => Datatype, "sequence" => Sequence, "struct" => Struct, }
);

#[allow(clippy::derivable_impls)] // The macro has no room for a default.
impl Default for Takes {
    fn default() -> Self {
        Self::Any
    }
}

impl Traffic {
    /// Whether processes send each other what its functions receive.
    pub fn is_sent(self) -> bool {
        matches!(self, Self::Messages | Self::Collective | Self::Neighbors)
    }
}

impl Access {
    /// Whether it combines data with that of the window.
    pub fn combines(self) -> bool {
        matches!(self, Self::Combines | Self::Fetches)
    }
}

/// Who has to be a member of what.
#[derive(Clone, Debug)]
pub enum Members {
    /// The library looks itself.
    Library,
    /// Two parameters.
    In { named: String, whole: String },
}

/// How far a new datatype reaches: elements of the old one, and bytes.
#[derive(Clone, Debug)]
pub struct Reach {
    pub elements: Vec<Term>,
    pub bytes: Vec<Term>,
}

/// A summand of a reach.
#[derive(Clone, Debug)]
pub enum Term {
    /// A number, perhaps times another.
    Area(String, Option<String>),
    /// Of elements of arrays.
    Of(Call),
}

/// `volume(array_of_sizes)`
#[derive(Clone, Debug)]
pub struct Call {
    pub name: &'static str,
    pub arguments: Vec<String>,
}

/// What terms may compute of arrays, with the number of these.
const OF_ARRAYS: [(&str, usize); 4] = [("dealt", 3), ("farthest", 1), ("total", 1), ("volume", 1)];
/// What may be proved of a part of an array.
const PARTS: [(&str, usize); 2] = [("dealt", 7), ("part", 4)];

impl Proofs {
    /// Of a function whose parameters are known, and the keys that its own row has.
    pub fn new(function: &Function, said: Said, own: &[String]) -> Result<Self> {
        if let Some(key) = own.first() {
            ensure!(is_made(function), "the key {key} is for a shim that is made by rule, and there is none on mpi");
        }
        let text = |key: &str| said.get(key).map(String::as_str);
        let has = |name: &str| function.parameter(name).map(|_| ()).with_context(|| format!("{name} is no parameter"));
        let named = |key: &str| -> Result<Option<String>> {
            let Some(name) = text(key) else { return Ok(None) };
            has(name).with_context(|| format!("in the key {key}"))?;
            Ok(Some(name.to_owned()))
        };
        let at = |key: &'static str| move || format!("in the key {key}");
        let proofs = Self {
            hints: text("hints").map(Hints::of).transpose().with_context(at("hints"))?,
            takes: text("takes").map(Takes::of).transpose().with_context(at("takes"))?.unwrap_or_default(),
            traffic: text("traffic").map(Traffic::of).transpose().with_context(at("traffic"))?,
            access: text("access").map(Access::of).transpose().with_context(at("access"))?,
            array: text("array").map(|text| call(text, &PARTS, &has)).transpose().with_context(at("array"))?,
            counts: text("counts").map(Counts::of).transpose().with_context(at("counts"))?,
            epoch: text("epoch").map(Epoch::of).transpose().with_context(at("epoch"))?,
            external: named("external")?,
            index: text("index").map(str::to_owned),
            makes: text("makes").map(Makes::of).transpose().with_context(at("makes"))?,
            members: text("members").map(|text| members(text, &has)).transpose().with_context(at("members"))?,
            packs: named("packs")?,
            reach: text("reach").map(|text| reach(text, &has)).transpose().with_context(at("reach"))?,
            received: text("received").map(|text| received(text, &has)).transpose().with_context(at("received"))?,
            said,
        };
        proofs.check(function)?;
        Ok(proofs)
    }

    /// Whether it has what its parameters ask for, and nothing else.
    fn check(&self, function: &Function) -> Result<()> {
        for (key, is_needed, why) in self.asked(function) {
            let is_there = self.said.contains_key(key);
            // The figures of every engine need to know where data goes.
            if is_needed && (is_made(function) || key == "traffic") {
                ensure!(is_there, "{} needs the key {key}, as {why}", function.name);
            }
            let of_all = KEYS[..OF_CHAPTERS].contains(&key);
            ensure!(is_needed || of_all || !is_there, "the key {key} is for a function of which is true: {why}");
        }
        if is_made(function) { self.agrees(function) } else { Ok(()) }
    }

    /// Which keys the parameters ask for, and why.
    fn asked(&self, function: &Function) -> [(&'static str, bool, &'static str); 13] {
        let has = |is: &dyn Fn(&Parameter) -> bool| function.parameters.iter().any(is);
        let takes = |class| takes(function, class);
        let makes = |class| has(&|p| p.kind == Kind::Handle(class) && p.direction == Direction::Out && !p.ignorable);
        let (typed, bytes) = (has(&is_typed), has(&|p| matches!(p.kind, Kind::Buffer(_, None))));
        let requests = is_made(function) && makes(Class::Request);
        let constructs = makes(Class::Datatype) && takes(Class::Datatype) && !function.marks.asks;
        let of_ranks = has(&|p| p.kind == Kind::Rank && p.direction == Direction::In && !p.lengths.is_empty());
        let names = takes(Class::Group) && (takes(Class::Comm) || takes(Class::Win) || of_ranks);
        let is_index = |p: &Parameter| p.name.ends_with("_index") && p.direction == Direction::In;
        let computed = |length: &Length| !matches!(length, Length::Parameter(_));
        let in_parts = has(&|p| matches!(&p.kind, Kind::Buffer(Area::Elements(length), _) if computed(length)));
        let of_array = |term: &Term| matches!(term, Term::Of(call) if ["dealt", "volume"].contains(&call.name));
        let is_part = self.reach.as_ref().is_some_and(|reach| reach.elements.iter().any(of_array));
        let string = has(&|p| p.kind == Kind::String(None));
        let of_status = has(&|p| p.kind == Kind::Status && p.direction == Direction::In);
        let is_count = |p: &Parameter| matches!(p.kind, Kind::Count | Kind::BigCount) && p.direction == Direction::Out;
        let counts = of_status && takes(Class::Datatype) && has(&is_count);
        let is_win = |p: &Parameter| p.kind == Kind::Handle(Class::Win);
        let ends =
            function.marks.asked_for.contains(&"frees") && has(&|p| is_win(p) && p.direction == Direction::InOut);
        let syncs = function.marks.asked_for.contains(&"syncs") && has(&|p| is_win(p) && p.direction == Direction::In);
        [
            ("hints", takes(Class::Info), "it takes an info"),
            ("traffic", typed || requests, "it has elements in a buffer, or makes a request"),
            ("access", takes(Class::Win) && has(&|p| p.kind == Kind::Dest), "it has a target in a window"),
            ("array", is_part, "what it makes is a part of an array"),
            ("counts", counts, "it counts what of a datatype a status has"),
            ("epoch", syncs || ends, "it synchronises a window, or frees one"),
            ("external", string && takes(Class::Datatype), "it names the representation of a datatype"),
            ("index", function.parameters.first().is_some_and(is_index), "its first parameter is an index"),
            ("makes", constructs, "it makes a datatype of others"),
            ("members", names, "it names members of a group"),
            ("packs", typed && bytes, "it packs elements into bytes"),
            ("reach", constructs, "it makes a datatype of others"),
            (
                "received",
                takes(Class::Op) && in_parts && has(&|p| p.in_place.is_some()),
                "each process receives a part of what it reduces",
            ),
        ]
    }

    /// Whether what it says agrees with the parameters.
    fn agrees(&self, function: &Function) -> Result<()> {
        let fits = match self.takes {
            Takes::Any | Takes::Null => true,
            Takes::Made => takes(function, Class::Info),
            Takes::Inter | Takes::Intra => takes(function, Class::Comm),
        };
        ensure!(fits, "the key takes is for an object that it does not take");
        if let Some(access) = self.access {
            let gets = function.parameters.iter().find(|p| is_typed(p)).is_some_and(|p| p.direction == Direction::Out);
            ensure!(access.combines() == takes(function, Class::Op), "an access combines if it takes an operation");
            ensure!((access == Access::Gets) == gets, "an access gets if its first buffer is `out`");
        }
        Ok(())
    }
}

/// Whether it is a buffer of elements.
fn is_typed(p: &Parameter) -> bool {
    matches!(p.kind, Kind::Buffer(_, Some(_)))
}

/// Whether handles of this class are passed in.
fn takes(function: &Function, class: Class) -> bool {
    function.parameters.iter().any(|p| p.kind == Kind::Handle(class) && p.direction == Direction::In)
}

/// Whether the engine `mpi` has a shim of it that is made by rule.
fn is_made(function: &Function) -> bool {
    function.engines.mpi && !function.by.mpi && function.returns.is_none()
}

/// `ranks in group`, or that the library looks.
fn members(text: &str, has: &dyn Fn(&str) -> Result<()>) -> Result<Members> {
    if text == "library" {
        return Ok(Members::Library);
    }
    let (named, whole) = text.split_once(" in ").context("members are `NAMED in WHOLE`, or `library`")?;
    has(named)?;
    has(whole)?;
    Ok(Members::In { named: named.to_owned(), whole: whole.to_owned() })
}

/// `elements count * blocklength, bytes farthest(array_of_displacements)`; `same` is neither.
fn reach(text: &str, has: &dyn Fn(&str) -> Result<()>) -> Result<Reach> {
    let mut reach = Reach { elements: Vec::new(), bytes: Vec::new() };
    if text == "same" {
        return Ok(reach);
    }
    for part in split(text, |c| c == ',')? {
        let (unit, sum) = part.split_once(' ').context("a reach is `elements SUM`, `bytes SUM` or both, or `same`")?;
        let terms = match unit {
            "elements" => &mut reach.elements,
            "bytes" => &mut reach.bytes,
            other => bail!("a reach is in elements or bytes, and not in {other}"),
        };
        for term in sum.split(" + ") {
            terms.push(if term.contains('(') {
                Term::Of(call(term, &OF_ARRAYS, has)?)
            } else {
                let (one, other) = term.split_once(" * ").map_or((term, None), |(one, other)| (one, Some(other)));
                has(one)?;
                other.map(has).transpose()?;
                Term::Area(one.to_owned(), other.map(str::to_owned))
            });
        }
    }
    Ok(reach)
}

/// `part(array_of_sizes, …)`: one of `known`, of as many parameters.
fn call(text: &str, known: &[(&'static str, usize)], has: &dyn Fn(&str) -> Result<()>) -> Result<Call> {
    let inner = text.split_once('(').and_then(|(name, rest)| Some((name, rest.strip_suffix(')')?)));
    let (name, inner) = inner.with_context(|| format!("{text} is not NAME(PARAMETERS)"))?;
    let (name, count) =
        known.iter().find(|(known, _)| *known == name).with_context(|| format!("nothing is computed by {name}"))?;
    let arguments: Vec<String> = inner.split(", ").map(str::to_owned).collect();
    ensure!(arguments.len() == *count, "{name} is of {count} parameters");
    arguments.iter().try_for_each(|argument| has(argument))?;
    Ok(Call { name, arguments })
}

/// `own(recvcounts), in place sum(recvcounts)`
fn received(text: &str, has: &dyn Fn(&str) -> Result<()>) -> Result<[Length; 2]> {
    let (own, all) = text.split_once(", in place ").context("what is received is `LENGTH, in place LENGTH`")?;
    let lengths = [parse_length(own)?, parse_length(all)?];
    lengths.iter().flat_map(Length::uses).try_for_each(has)?;
    Ok(lengths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::parse;

    const TEXT: &str = r#"
        [all]
        title = "All"
        hints = "nothing"
        traffic = "messages"
        [all.MPI_Type_row]
        makes = "datatype"
        reach = "elements count * blocklength, bytes count"
        params = "count, blocklength count, oldtype datatype, newtype out datatype"
        [all.MPI_Type_brick]
        makes = "datatype"
        array = "part(sizes, starts, starts, order)"
        reach = "elements volume(sizes)"
        params = "sizes int[3], starts int[3], order int, oldtype datatype, newtype out datatype"
        [all.MPI_Group_some]
        members = "ranks in group"
        params = "group, n int, ranks rank[n], newgroup out group"
        [all.MPI_Win_group]
        members = "library"
        params = "group, win"
        [all.MPI_Take]
        access = "gets"
        params = "buf out buffer(count, datatype), count, datatype, target_rank dest, win"
        [all.MPI_Rtake]
        like = "MPI_Take"
        params = "out request"
        [all.MPI_Wrap]
        packs = "position"
        params = "in buffer(size), size int, position inout int, out out buffer(count, datatype), count, datatype"
        [all.MPI_Describe]
        external = "datarep"
        params = "datarep string, datatype"
        [all.MPI_T_box_get_num]
        [all.MPI_T_box_get_name]
        index = "MPI_T_box_get_num"
        params = "box_index int"
        [all.MPI_Fold]
        received = "own(counts), in place sum(counts)"
        params = "buf buffer(sum(counts), datatype) @in_place, counts count[members(comm)], datatype, op, comm"
        [all.MPI_By_hand]
        by = "mpi"
        params = "info, group, win, oldtype datatype, newtype out datatype"
    "#;

    fn refused(text: &str, what: &str) -> String {
        format!("{:#}", parse(text).map(drop).expect_err(what))
    }

    #[test]
    fn a_row_without_its_proof_is_refused_by_name() {
        assert!(parse(TEXT).is_ok(), "{:#}", parse(TEXT).map(drop).unwrap_err());
        for (function, key, line) in [
            ("MPI_Type_row", "reach", "reach = \"elements count * blocklength, bytes count\""),
            ("MPI_Type_row", "makes", "makes = \"datatype\""),
            ("MPI_Type_brick", "array", "array = \"part(sizes, starts, starts, order)\""),
            ("MPI_Group_some", "members", "members = \"ranks in group\""),
            ("MPI_Win_group", "members", "members = \"library\""),
            ("MPI_Take", "access", "access = \"gets\""),
            ("MPI_Take", "traffic", "traffic = \"messages\""),
            ("MPI_Wrap", "packs", "packs = \"position\""),
            ("MPI_Describe", "external", "external = \"datarep\""),
            ("MPI_T_box_get_name", "index", "index = \"MPI_T_box_get_num\""),
            ("MPI_Fold", "received", "received = \"own(counts), in place sum(counts)\""),
        ] {
            assert!(TEXT.contains(line), "{line}");
            let error = refused(&TEXT.replacen(line, "", 1), key);
            assert!(error.contains(&format!("{function} needs the key {key}, as ")), "{error}");
        }
        let asks = format!("{TEXT}\n[all.MPI_Hint]\nparams = \"info\"").replace("hints = \"nothing\"", "");
        assert!(refused(&asks, "hints").contains("MPI_Hint needs the key hints, as it takes an info"));
    }

    #[test]
    fn mistakes_in_proofs_are_named() {
        for (right, wrong, says) in [
            ("reach = ", "reech = ", "MPI_Type_row, beside whose keys"),
            ("reach = ", "reech = ", "unknown field `reech`"),
            (
                "reach = \"elements count * blocklength",
                "reach = \"elements count * blocklenght",
                "blocklenght is no parameter",
            ),
            ("bytes count", "bits count", "in elements or bytes, and not in bits"),
            ("volume(sizes)", "volumes(sizes)", "nothing is computed by volumes"),
            ("part(sizes, starts, starts, order)", "part(sizes, starts, order)", "part is of 4 parameters"),
            ("makes = \"datatype\"", "makes = \"data\"", "nothing that is made is called data"),
            ("members = \"ranks in group\"", "members = \"ranks of group\"", "NAMED in WHOLE"),
            ("members = \"ranks in group\"", "members = \"rank in group\"", "rank is no parameter"),
            ("access = \"gets\"", "access = \"get\"", "no access is called get; one of"),
            ("access = \"gets\"", "access = \"puts\"", "gets if its first buffer is `out`"),
            ("access = \"gets\"", "access = \"combines\"", "combines if it takes an operation"),
            ("traffic = \"messages\"", "traffic = \"message\"", "no traffic is called message; one of"),
            ("hints = \"nothing\"", "hints = 5", "the key hints is not a string"),
            ("hints = \"nothing\"", "reach = \"same\"", "the chapter all has the unknown key reach"),
            ("packs = \"position\"", "packs = \"places\"", "places is no parameter"),
            ("index = \"MPI_T_box_get_num\"", "index = \"MPI_T_box_num\"", "MPI_T_box_num, which is not above it"),
            ("in place sum(counts)", "in place sums(counts)", "no property is called sums"),
            ("external = \"datarep\"", "external = \"datarep\"\ntakes = \"inter\"", "an object that it does not take"),
            ("external = \"datarep\"", "external = \"datarep\"\nreach = \"same\"", "the key reach is for a function"),
            ("by = \"mpi\"", "by = \"mpi\"\nreach = \"same\"", "there is none on mpi"),
        ] {
            assert!(TEXT.contains(right), "{right}");
            let error = refused(&TEXT.replacen(right, wrong, 1), wrong);
            assert!(error.contains(says), "{wrong}: {error}");
        }
    }

    #[test]
    fn what_is_like_another_proves_what_it_does() {
        let functions = parse(TEXT).unwrap().functions;
        let of = |name: &str| &functions.iter().find(|f| f.name == name).unwrap().proofs;
        assert_eq!(of("MPI_Rtake").access, Some(Access::Gets));
        assert_eq!((of("MPI_Rtake").hints, of("MPI_Rtake").takes), (Some(Hints::Nothing), Takes::Any));
        let reach = of("MPI_Type_row").reach.as_ref().unwrap();
        assert!(matches!(reach.elements.as_slice(), [Term::Area(a, Some(b))] if a == "count" && b == "blocklength"));
        assert!(matches!(reach.bytes.as_slice(), [Term::Area(a, None)] if a == "count"));
    }
}
