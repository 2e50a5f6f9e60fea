//! Reads `abi/functions.toml`: the functions of the standard ABI. The head of that file says what it may hold.

use std::collections::HashMap;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::parameters::{Direction, Kind, Length, Parameter, parse_parameters};
use crate::proofs::{self, Proofs, Said};

/// The whole table.
pub struct Table {
    pub chapters: Vec<Chapter>,
    pub functions: Vec<Function>,
}

/// A chapter of the standard.
pub struct Chapter {
    /// `pt2pt`
    pub key: String,
    pub title: String,
}

/// A function of the ABI, with its variant for large counts if it has one.
#[derive(Clone, Debug)]
pub struct Function {
    /// `MPI_Send`
    pub name: String,
    pub chapter: String,
    pub parameters: Vec<Parameter>,
    pub marks: Marks,
    /// The function whose parameters come first.
    pub like: Option<String>,
    /// The function that does its work, and what it gets before the call's arguments: `set_attr::<Comm>`,
    /// `send_as(Kind::Ssend)`.
    pub worker: Option<String>,
    /// The engines that have it.
    pub engines: Engines,
    /// The engines in which its body is written by hand.
    pub by: Engines,
    /// The module of the embedded engine that has it.
    pub module: String,
    /// `Gather::even`: what makes a collective of its arguments.
    pub collective: Option<String>,
    /// What it returns instead of an error code.
    pub returns: Option<Returned>,
    pub errors: Errors,
    /// What a library keeps for it that has no handle, a variant of `rankine_abi::Keeps`.
    pub keeps: Option<&'static str>,
    /// The version of MPI that deprecated it.
    pub deprecated: Option<String>,
    /// The engines on which it is always an error, and why.
    pub refuses: Option<(Engines, String)>,
    /// What its shim on the engine `mpi` has to prove.
    pub proofs: Proofs,
}

/// The marks of a function, as the table's head explains them.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    pub large: bool,
    pub waits: bool,
    pub polls: bool,
    pub calls: bool,
    pub anytime: bool,
    pub at_once: bool,
    pub asks: bool,
    pub persistent: bool,
    pub buffered: bool,
    /// Those of [`ASKED_FOR`].
    pub asked_for: Vec<&'static str>,
}

/// Marks that hosts ask for, as `rankine_abi::Mark`.
pub const ASKED_FOR: [&str; 11] =
    ["any_thread", "completes", "dups", "frees", "jobs", "lingers", "outside", "shows", "spawns", "starts", "syncs"];

/// Some of the engines.
#[derive(Clone, Copy, Debug, Default)]
pub struct Engines {
    pub local: bool,
    pub mpi: bool,
}

/// What a function without error code returns.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Returned {
    Double,
    Aint,
    Int,
    Handle(Class),
}

/// Whose error handler catches a function's errors.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Errors {
    /// That of the object passed as this parameter.
    Of(String),
    /// That of `MPI_COMM_SELF`.
    Myself,
    /// That of `MPI_FILE_NULL`.
    File,
    /// The one that is passed in as this parameter, for the object of this class that the call makes.
    Given { handler: String, class: Class },
    /// Nobody's.
    None,
}

/// A class of handles.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Class {
    Comm,
    Group,
    Datatype,
    Op,
    Request,
    Errhandler,
    Info,
    Message,
    Win,
    File,
    Session,
}

impl Class {
    pub const ALL: [Self; 11] = [
        Self::Comm,
        Self::Group,
        Self::Datatype,
        Self::Op,
        Self::Request,
        Self::Errhandler,
        Self::Info,
        Self::Message,
        Self::Win,
        Self::File,
        Self::Session,
    ];

    /// The class that the table calls `word`: `comm`.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.rust().to_lowercase() == word)
    }

    /// Its newtype in `rankine-abi`: `Comm`.
    pub fn rust(self) -> &'static str {
        match self {
            Self::Comm => "Comm",
            Self::Group => "Group",
            Self::Datatype => "Datatype",
            Self::Op => "Op",
            Self::Request => "Request",
            Self::Errhandler => "Errhandler",
            Self::Info => "Info",
            Self::Message => "Message",
            Self::Win => "Win",
            Self::File => "File",
            Self::Session => "Session",
        }
    }
}

impl Function {
    /// The function that does its work on an engine: `type_create_hvector`.
    pub fn worker(&self, engine: &str) -> String {
        match self.row_worker(engine) {
            Some(worker) => worker.split('(').next().unwrap_or_default().to_owned(),
            None => self.name.trim_start_matches("MPI_").to_lowercase(),
        }
    }

    /// What that function gets before the call's own arguments: `Kind::Ssend`.
    pub fn given(&self, engine: &str) -> Option<&str> {
        let (_, given) = self.row_worker(engine)?.split_once('(')?;
        given.strip_suffix(')')
    }

    /// The parameters that it gets beside that, as what is given names none of them.
    pub fn passed(&self, engine: &str) -> impl Iterator<Item = &Parameter> {
        let given = self.given(engine).unwrap_or_default();
        let words = given.split(|c: char| !c.is_alphanumeric() && c != '_');
        self.parameters.iter().filter(move |p| !words.clone().any(|word| word == p.variable()))
    }

    /// What the row says of it: `name(first, …)`, perhaps for one engine alone.
    fn row_worker(&self, engine: &str) -> Option<&str> {
        let worker = self.worker.as_deref()?;
        match worker.split_once(": ") {
            None => Some(worker),
            Some((only, worker)) => (only == engine).then_some(worker),
        }
    }

    /// The parameter of that name.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|p| p.name == name)
    }

    /// Whether a parameter is the length of a string on entry and on return, as those of the tools interface are.
    pub fn gives_length(&self, name: &str) -> bool {
        let is_length =
            |p: &Parameter| matches!(&p.kind, Kind::String(Some(Length::Parameter(length))) if length == name);
        self.parameter(name).is_some_and(|p| p.direction == Direction::InOut) && self.parameters.iter().any(is_length)
    }

    /// The parameters of one of the two variants.
    pub fn of_variant(&self, large: bool) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().filter(move |p| large || !p.large_only)
    }

    /// The names of its variants, each with whether it is the large one.
    pub fn variants(&self) -> impl Iterator<Item = (String, bool)> {
        let large = self.marks.large.then(|| (format!("{}_c", self.name), true));
        std::iter::once((self.name.clone(), false)).chain(large)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[serde(default)]
    params: String,
    like: Option<String>,
    worker: Option<String>,
    #[serde(default)]
    is: String,
    engines: Option<String>,
    by: Option<String>,
    module: Option<String>,
    collective: Option<String>,
    returns: Option<String>,
    errors: Option<String>,
    keeps: Option<String>,
    deprecated: Option<String>,
    refuses: Option<String>,
}

/// Parses the text of `functions.toml`; the functions keep the order of the file.
pub fn parse(text: &str) -> Result<Table> {
    let table: toml::Table = text.parse()?;
    let (mut chapters, mut functions) = (Vec::new(), Vec::<Function>::new());
    let mut places = HashMap::new();
    for (chapter, rows) in table {
        let mut rows = rows.as_table().with_context(|| format!("{chapter} is not a table"))?.clone();
        let proofs = proofs::said(&mut rows, true).with_context(|| format!("in the chapter {chapter}"))?;
        let defaults = Defaults::new(&chapter, &rows, proofs)?;
        let title = defaults.word("title").unwrap_or_default().to_owned();
        ensure!(!title.is_empty(), "the chapter {chapter} has no title");
        for (name, row) in rows.iter().filter(|(_, row)| row.is_table()) {
            let mut keys = row.as_table().context("a row is a table")?.clone();
            let said = proofs::said(&mut keys, false).with_context(|| format!("in the row of {name}"))?;
            let proofs = || format!("{name}, beside whose keys there are those of proofs, {}", proofs::KEYS.join(", "));
            let row: Row = keys.try_into().with_context(proofs)?;
            let above = |other: &Option<String>| -> Result<Option<&Function>> {
                let Some(other) = other else { return Ok(None) };
                let place =
                    places.get(other).with_context(|| format!("{name} names {other}, which is not above it"))?;
                Ok(Some(&functions[*place]))
            };
            let model = above(&row.like)?;
            let function =
                function(name, (row, said), model, &defaults).with_context(|| format!("in the row of {name}"))?;
            above(&function.proofs.index)?;
            ensure!(places.insert(name.clone(), functions.len()).is_none(), "{name} is twice in the table");
            functions.push(function);
        }
        chapters.push(Chapter { key: chapter, title });
    }
    Ok(Table { chapters, functions })
}

/// What a chapter says of all its functions.
struct Defaults<'a> {
    chapter: &'a str,
    keys: &'a toml::Table,
    proofs: Said,
}

impl<'a> Defaults<'a> {
    const KEYS: [&'static str; 5] = ["title", "is", "engines", "module", "errors"];

    fn new(chapter: &'a str, keys: &'a toml::Table, proofs: Said) -> Result<Self> {
        for (key, value) in keys.iter().filter(|(_, value)| !value.is_table()) {
            ensure!(Self::KEYS.contains(&key.as_str()), "the chapter {chapter} has the unknown key {key}");
            ensure!(value.is_str(), "the key {key} of the chapter {chapter} is not a string");
        }
        Ok(Self { chapter, keys, proofs })
    }

    fn word(&self, key: &str) -> Option<&'a str> {
        self.keys.get(key).and_then(toml::Value::as_str)
    }
}

/// Engines and a reason: `mpi: it would …`.
fn refused(text: &str) -> Result<(Engines, String)> {
    let (names, why) = text.split_once(": ").context("what refuses has no reason")?;
    let by = engines(names)?;
    ensure!((by.local || by.mpi) && !why.is_empty(), "what refuses names an engine and a reason");
    Ok((by, why.to_owned()))
}

fn function(name: &str, (row, said): (Row, Said), model: Option<&Function>, chapter: &Defaults) -> Result<Function> {
    ensure!(name.starts_with("MPI_"), "a function's name begins with MPI_: others are `define`d in host/src/imports");
    let mut parameters = model.map_or_else(Vec::new, |model| model.parameters.clone());
    parameters.extend(parse_parameters(&row.params)?);
    let mut marks = marks(&format!("{} {}", chapter.word("is").unwrap_or_default(), row.is))?;
    marks.large |= model.is_some_and(|model| model.marks.large);
    let errors = match row.errors.as_deref().or(chapter.word("errors")) {
        None => default_errors(&parameters),
        Some("file") => Errors::File,
        Some("given") => given_handler(&parameters)?,
        Some("none") => Errors::None,
        Some(other) => bail!("no error handler is called {other}"),
    };
    let mut function = Function {
        name: name.to_owned(),
        chapter: chapter.chapter.to_owned(),
        parameters,
        marks,
        like: row.like,
        worker: row.worker,
        engines: engines(row.engines.as_deref().or(chapter.word("engines")).unwrap_or("local mpi"))?,
        by: engines(row.by.as_deref().unwrap_or_default())?,
        module: row.module.as_deref().or(chapter.word("module")).unwrap_or(chapter.chapter).to_owned(),
        collective: row.collective,
        returns: row.returns.as_deref().map(returned).transpose()?,
        errors,
        keeps: row.keeps.as_deref().map(kept).transpose()?,
        deprecated: row.deprecated,
        refuses: row.refuses.as_deref().map(refused).transpose()?,
        proofs: Proofs::default(),
    };
    for parameter in &function.parameters {
        for used in parameter.uses() {
            ensure!(function.parameter(used).is_some(), "{} uses {used}, which is not a parameter", parameter.name);
        }
    }
    if let Some((only, _)) = function.worker.as_ref().and_then(|worker| worker.split_once(": ")) {
        ensure!(["local", "mpi"].contains(&only), "a worker for {only}, which is no engine");
    }
    let (has, by) = (function.engines, function.by);
    ensure!(has.local || !by.local, "a body for local, which does not have the function");
    ensure!(has.mpi || !by.mpi, "a body for mpi, which does not have the function");
    check_object(&function)?;
    let own: Vec<String> = said.keys().cloned().collect();
    let mut all = chapter.proofs.clone();
    all.extend(model.into_iter().flat_map(|model| model.proofs.said.clone()).chain(said));
    function.proofs = Proofs::new(&function, all, &own)?;
    Ok(function)
}

fn marks(words: &str) -> Result<Marks> {
    let mut marks = Marks::default();
    for word in words.split_whitespace() {
        match word {
            "large" => marks.large = true,
            "waits" => marks.waits = true,
            "polls" => marks.polls = true,
            "calls" => marks.calls = true,
            "anytime" => marks.anytime = true,
            "at_once" => marks.at_once = true,
            "asks" => marks.asks = true,
            "persistent" => marks.persistent = true,
            "buffered" => marks.buffered = true,
            other => match ASKED_FOR.iter().find(|mark| **mark == other) {
                Some(mark) => marks.asked_for.push(mark),
                None => bail!("no mark is called {other}"),
            },
        }
    }
    Ok(marks)
}

/// Hosts look at the first parameter of functions that end an object, or that make it longer.
fn check_object(function: &Function) -> Result<()> {
    let object = function.parameters.first();
    let is_ended =
        |p: &Parameter| p.direction == Direction::InOut && p.lengths.is_empty() && matches!(p.kind, Kind::Handle(_));
    let frees = function.marks.asked_for.contains(&"frees");
    ensure!(!frees || object.is_some_and(is_ended), "it frees, and its first parameter is not an `inout` handle");
    let classes: &[Class] = match function.keeps {
        Some("Pair") => &[Class::Info],
        Some("Attribute") => &[Class::Comm, Class::Datatype, Class::Win],
        _ => return Ok(()),
    };
    ensure!(
        object.is_some_and(|p| p.is_passed_handle(classes)),
        "its first parameter is nothing that keeps such a thing"
    );
    Ok(())
}

fn kept(word: &str) -> Result<&'static str> {
    Ok(match word {
        "pair" => "Pair",
        "attribute" => "Attribute",
        "keyval" => "Keyval",
        "code" => "Code",
        other => bail!("nothing is kept as {other}"),
    })
}

fn engines(words: &str) -> Result<Engines> {
    let mut engines = Engines::default();
    for word in words.split_whitespace() {
        match word {
            "local" => engines.local = true,
            "mpi" => engines.mpi = true,
            other => bail!("no engine is called {other}"),
        }
    }
    Ok(engines)
}

fn returned(word: &str) -> Result<Returned> {
    Ok(match word {
        "double" => Returned::Double,
        "aint" => Returned::Aint,
        "int" => Returned::Int,
        word => Returned::Handle(Class::of(word).with_context(|| format!("nothing is returned as {word}"))?),
    })
}

/// MPI-5.0, section 9.3: the object that the call is about, else `MPI_COMM_SELF`.
/// The handler that is passed in for an object that the call makes.
fn given_handler(parameters: &[Parameter]) -> Result<Errors> {
    let is = |p: &&Parameter, direction| p.direction == direction && p.lengths.is_empty();
    let handler = parameters.iter().find(|p| matches!(p.kind, Kind::Handle(Class::Errhandler)) && is(p, Direction::In));
    let made = parameters.iter().filter(|p| is(p, Direction::Out)).find_map(|p| match p.kind {
        Kind::Handle(class @ (Class::Comm | Class::Session)) => Some(class),
        _ => None,
    });
    let (Some(handler), Some(class)) = (handler, made) else {
        bail!("no error handler is passed in for what it makes")
    };
    Ok(Errors::Given { handler: handler.name.clone(), class })
}

fn default_errors(parameters: &[Parameter]) -> Errors {
    let first = |classes: &[Class]| {
        let found = parameters.iter().find(|p| p.is_passed_handle(classes));
        found.map(|p| Errors::Of(p.name.clone()))
    };
    first(&[Class::Comm, Class::Win, Class::File, Class::Session])
        .or_else(|| first(&[Class::Request, Class::Message]))
        .unwrap_or(Errors::Myself)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
        [files]
        title = "Files"
        engines = "mpi"
        module = "io"
        hints = "itself"
        [files.MPI_File_open]
        by = "mpi"
        [files.MPI_File_open_old]
        like = "MPI_File_open"
        worker = "open_as(Mode::Old)"
        [files.MPI_File_sync]
        worker = "local: sync(Kind::Of(flag))"
        engines = "local mpi"
        module = "sync"
        is = "calls at_once"
        [files.MPI_File_close]
        is = "frees"
        params = "inout file"
        [files.MPI_Info_set]
        keeps = "pair"
        params = "info"
    "#;

    #[test]
    fn chapters_give_what_rows_leave_out() {
        let functions = parse(TEXT).unwrap().functions;
        let [open, old, sync, close, set] = functions.as_slice() else { panic!("there are five") };
        assert!(open.engines.mpi && !open.engines.local && open.by.mpi && open.module == "io");
        assert!(open.worker("mpi") == "file_open" && open.given("mpi").is_none());
        assert!(!old.by.mpi && old.worker("local") == "open_as" && old.given("local") == Some("Mode::Old"));
        assert!(sync.worker("local") == "sync" && sync.given("local") == Some("Kind::Of(flag)"));
        assert!(sync.worker("mpi") == "file_sync" && sync.given("mpi").is_none());
        assert!(sync.engines.local && sync.engines.mpi && !sync.by.mpi && sync.module == "sync");
        assert!(sync.marks.calls && sync.marks.at_once && !sync.marks.waits);
        assert!(sync.marks.asked_for.is_empty() && close.marks.asked_for == ["frees"] && set.keeps == Some("Pair"));
    }

    #[test]
    fn mistakes_are_named() {
        for (right, wrong, says) in [
            ("by = \"mpi\"", "by = \"mip\"", "no engine is called mip"),
            ("like = \"MPI_File_open\"", "like = \"MPI_File_openn\"", "MPI_File_openn, which is not above it"),
            ("is = \"calls at_once\"", "is = \"call\"", "no mark is called call"),
            ("keeps = \"pair\"", "keeps = \"pears\"", "nothing is kept as pears"),
            ("keeps = \"pair\"", "keeps = \"attribute\"", "nothing that keeps such a thing"),
            ("inout file", "file", "its first parameter is not an `inout` handle"),
            ("inout file", "inout file[2]", "its first parameter is not an `inout` handle"),
            ("is = \"frees\"", "errors = \"given\"", "no error handler is passed in for what it makes"),
            ("module = \"io\"", "modul = \"io\"", "the chapter files has the unknown key modul"),
            ("title = \"Files\"", "title = 5", "the key title of the chapter files is not a string"),
            ("by = \"mpi\"", "by = \"local\"", "a body for local, which does not have the function"),
        ] {
            let error = parse(&TEXT.replace(right, wrong)).err().expect("it is wrong");
            assert!(format!("{error:#}").contains(says), "{error:#}");
        }
    }
}
