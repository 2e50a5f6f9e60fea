//! Reads `abi/constants.toml`: the handles and numbers of the standard ABI.

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

/// The whole file, parsed.
pub struct Constants {
    pub handles: Vec<HandleClass>,
    /// Those that C has.
    pub groups: Vec<Group>,
    /// Those that only Fortran has.
    pub fortran_only: Vec<Group>,
}

/// A class of handles with its predefined values.
pub struct HandleClass {
    /// `MPI_Comm`
    pub c: String,
    /// `Comm`
    pub rust: String,
    /// `COMM_`, dropped from the Rust names of its constants.
    pub prefix: String,
    pub about: String,
    pub values: Vec<Handle>,
    /// Second names: (alias, name).
    pub aliases: Vec<(String, String)>,
}

/// A predefined handle.
pub struct Handle {
    pub name: String,
    pub value: u32,
    /// What an element of a predefined datatype is, and the language it belongs to.
    pub element: Option<(String, String)>,
}

/// Plain numbers that belong together.
pub struct Group {
    pub title: String,
    pub kind: GroupKind,
    /// The C type of an address, function, tool handle or enumeration.
    pub c: String,
    /// What they are in Fortran, if it has them.
    pub fortran: Option<Fortran>,
    pub values: Vec<(String, i64)>,
    /// The values in mpi_f08.
    pub f08_values: Vec<(String, i64)>,
}

/// What the constants of a [`Group`] are in Fortran, as the table's head explains it.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
pub enum Fortran {
    #[serde(rename = "integer")]
    Integer,
    #[serde(rename = "offset")]
    Offset,
    #[serde(rename = "logical")]
    Logical,
    #[serde(rename = "variable")]
    Variable,
    #[serde(rename = "procedure")]
    Procedure,
    #[serde(rename = "procedure of mpif.h and mpi")]
    OldProcedure,
    #[serde(rename = "procedure of mpi_f08")]
    F08Procedure,
}

/// What the constants of a [`Group`] are.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum GroupKind {
    Int,
    Offset,
    Address,
    Function,
    Tool,
    Enum,
    /// Nothing in C.
    Fortran,
}

impl HandleClass {
    /// The name of a constant as an associated constant: `MPI_COMM_WORLD` is `WORLD`, `MPI_2INT` is `TWO_INT`.
    pub fn associated(&self, name: &str) -> String {
        let name = name.strip_prefix("MPI_").unwrap_or(name);
        let name = name.strip_prefix(self.prefix.as_str()).unwrap_or(name);
        match name.strip_prefix('2') {
            Some(rest) => format!("TWO_{rest}"),
            None => name.to_owned(),
        }
    }
}

impl Constants {
    /// The groups that Fortran has, those that only Fortran has first, and what each is.
    pub fn in_fortran(&self) -> impl Iterator<Item = (&Group, Fortran)> {
        self.fortran_only.iter().chain(&self.groups).filter_map(|group| Some((group, group.fortran?)))
    }

    /// All names with their values as C would see them; aliases of handles included.
    #[cfg(test)]
    pub fn numbers(&self) -> Vec<(&str, i64)> {
        let mut all = Vec::new();
        for class in &self.handles {
            all.extend(class.values.iter().map(|h| (h.name.as_str(), i64::from(h.value))));
            for (alias, name) in &class.aliases {
                let value = class.values.iter().find(|h| h.name == *name).expect("checked when parsed").value;
                all.push((alias.as_str(), i64::from(value)));
            }
        }
        for group in &self.groups {
            all.extend(group.values.iter().map(|(name, value)| (name.as_str(), *value)));
        }
        all
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    handle: Vec<RawHandleClass>,
    group: Vec<RawGroup>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawHandleClass {
    c: String,
    rust: String,
    prefix: String,
    about: String,
    values: String,
    #[serde(default)]
    aliases: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawGroup {
    title: String,
    kind: GroupKind,
    #[serde(default)]
    c: String,
    fortran: Option<Fortran>,
    values: String,
}

/// Parses the text of `constants.toml`.
pub fn parse(text: &str) -> Result<Constants> {
    let file: File = toml::from_str(text)?;
    let groups: Vec<Group> = file.group.into_iter().map(group).collect::<Result<_>>()?;
    let (fortran_only, groups) = groups.into_iter().partition(|group| group.kind == GroupKind::Fortran);
    let handles = file.handle.into_iter().map(handle_class).collect::<Result<_>>()?;
    Ok(Constants { handles, groups, fortran_only })
}

fn handle_class(raw: RawHandleClass) -> Result<HandleClass> {
    let mut values = Vec::new();
    for line in raw.values.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (name, value, element) = match words[..] {
            [name, value] => (name, value, None),
            [name, value, element, language] => (name, value, Some((element.to_owned(), language.to_owned()))),
            _ => bail!("{}: a handle's line has 2 or 4 columns: {line}", raw.c),
        };
        let digits = value.strip_prefix("0x").with_context(|| format!("{name}: {value} is not hexadecimal"))?;
        let value = u32::from_str_radix(digits, 16).with_context(|| name.to_owned())?;
        values.push(Handle { name: name.to_owned(), value, element });
    }
    let mut aliases = Vec::new();
    for line in raw.aliases.lines() {
        let (alias, name) = line.split_once(' ').with_context(|| format!("not an alias and a name: {line}"))?;
        let name = name.trim();
        ensure!(values.iter().any(|h| h.name == name), "{alias} stands for {name}, which is not in the table");
        aliases.push((alias.to_owned(), name.to_owned()));
    }
    Ok(HandleClass { c: raw.c, rust: raw.rust, prefix: raw.prefix, about: raw.about, values, aliases })
}

fn group(raw: RawGroup) -> Result<Group> {
    let (mut values, mut f08_values) = (Vec::new(), Vec::new());
    for line in raw.values.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (name, value, f08) = match words[..] {
            [name, value] => (name, value, value),
            [name, value, f08] if raw.fortran == Some(Fortran::Logical) => (name, value, f08),
            _ => bail!("{}: not a name and a value: {line}", raw.title),
        };
        values.push((name.to_owned(), value.parse().with_context(|| name.to_owned())?));
        f08_values.push((name.to_owned(), f08.parse().with_context(|| name.to_owned())?));
    }
    let typed = !matches!(raw.kind, GroupKind::Int | GroupKind::Offset | GroupKind::Fortran);
    ensure!(typed != raw.c.is_empty(), "{}: `c` is needed exactly where the kind is not a plain number", raw.title);
    ensure!(raw.kind != GroupKind::Fortran || raw.fortran.is_some(), "{}: no language has it", raw.title);
    Ok(Group { title: raw.title, kind: raw.kind, c: raw.c, fortran: raw.fortran, values, f08_values })
}
