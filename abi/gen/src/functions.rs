//! Reads `abi/functions.toml`: the functions of the standard ABI. The head of that file says what it may hold.

use std::collections::HashMap;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::parameters::{Parameter, parse_parameters};

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
    /// The function that it is under an older name.
    pub same: Option<String>,
    /// Its shims are written by hand.
    pub by_hand: bool,
    /// What it returns instead of an error code.
    pub returns: Option<Returned>,
    pub errors: Errors,
    /// The version of MPI that deprecated it.
    pub deprecated: Option<String>,
}

/// The marks of a function, as the table's head explains them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Marks {
    pub large: bool,
    pub waits: bool,
    pub polls: bool,
    pub anytime: bool,
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
    /// The name without `MPI_`, in snake case: `type_create_hvector`.
    pub fn snake(&self) -> String {
        self.name.trim_start_matches("MPI_").to_lowercase()
    }

    /// The name, in the same form, of the function that does its work.
    pub fn worker(&self) -> String {
        let name = self.same.as_ref().unwrap_or(&self.name);
        name.trim_start_matches("MPI_").to_lowercase()
    }

    /// The parameter of that name.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|p| p.name == name)
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
    same: Option<String>,
    #[serde(default)]
    is: String,
    by: Option<String>,
    returns: Option<String>,
    errors: Option<String>,
    deprecated: Option<String>,
}

/// Parses the text of `functions.toml`; the functions keep the order of the file.
pub fn parse(text: &str) -> Result<Table> {
    let table: toml::Table = text.parse()?;
    let (mut chapters, mut functions) = (Vec::new(), Vec::<Function>::new());
    let mut places = HashMap::new();
    for (chapter, rows) in table {
        let rows = rows.as_table().with_context(|| format!("{chapter} is no table"))?.clone();
        let chapter_key = |key| rows.get(key).and_then(toml::Value::as_str).unwrap_or_default().to_owned();
        let (title, chapter_is, chapter_errors) = (chapter_key("title"), chapter_key("is"), chapter_key("errors"));
        ensure!(!title.is_empty(), "the chapter {chapter} has no title");
        for (name, row) in rows.iter().filter(|(_, row)| row.is_table()) {
            let row: Row = row.clone().try_into().with_context(|| name.clone())?;
            let model = match &row.like {
                Some(like) => {
                    let &place =
                        places.get(like).with_context(|| format!("{name} is like {like}, which is not above it"))?;
                    Some(&functions[place])
                }
                None => None,
            };
            let function = function(name, &chapter, row, model, &chapter_is, &chapter_errors)
                .with_context(|| format!("in the row of {name}"))?;
            ensure!(places.insert(name.clone(), functions.len()).is_none(), "{name} is twice in the table");
            functions.push(function);
        }
        chapters.push(Chapter { key: chapter, title });
    }
    Ok(Table { chapters, functions })
}

fn function(
    name: &str,
    chapter: &str,
    row: Row,
    model: Option<&Function>,
    chapter_is: &str,
    chapter_errors: &str,
) -> Result<Function> {
    ensure!(name.starts_with("MPI_"), "a function's name begins with MPI_");
    let mut parameters = model.map_or_else(Vec::new, |model| model.parameters.clone());
    parameters.extend(parse_parameters(&row.params)?);
    let mut marks = marks(&format!("{chapter_is} {}", row.is))?;
    marks.large |= model.is_some_and(|model| model.marks.large);
    let errors = match row.errors.as_deref().unwrap_or(chapter_errors) {
        "" => default_errors(&parameters),
        "file" => Errors::File,
        "none" => Errors::None,
        other => bail!("no error handler is called {other}"),
    };
    let by_hand = match row.by.as_deref() {
        None => false,
        Some("hand") => true,
        Some(other) => bail!("by = \"{other}\""),
    };
    let function = Function {
        name: name.to_owned(),
        chapter: chapter.to_owned(),
        parameters,
        marks,
        same: row.same,
        by_hand,
        returns: row.returns.as_deref().map(returned).transpose()?,
        errors,
        deprecated: row.deprecated,
    };
    for parameter in &function.parameters {
        for used in parameter.uses() {
            ensure!(function.parameter(used).is_some(), "{} uses {used}, which is no parameter", parameter.name);
        }
    }
    Ok(function)
}

fn marks(words: &str) -> Result<Marks> {
    let mut marks = Marks::default();
    for word in words.split_whitespace() {
        match word {
            "large" => marks.large = true,
            "waits" => marks.waits = true,
            "polls" => marks.polls = true,
            "anytime" => marks.anytime = true,
            other => bail!("no mark is called {other}"),
        }
    }
    Ok(marks)
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
fn default_errors(parameters: &[Parameter]) -> Errors {
    let first = |classes: &[Class]| {
        let found = parameters.iter().find(|p| p.is_passed_handle(classes));
        found.map(|p| Errors::Of(p.name.clone()))
    };
    first(&[Class::Comm, Class::Win, Class::File, Class::Session])
        .or_else(|| first(&[Class::Request, Class::Message]))
        .unwrap_or(Errors::Myself)
}
