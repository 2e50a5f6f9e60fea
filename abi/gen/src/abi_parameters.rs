//! Writes `abi/src/parameters.rs`: what a host knows about the words of every call.

use std::fmt::Write;

use anyhow::Result;

use crate::functions::{Function, Table};
use crate::layout;
use crate::parameters::{Area, Kind, Length, Parameter, Property};

/// The text of the file.
pub fn emit(table: &Table) -> Result<String> {
    let mut rows: Vec<(String, bool, &Function)> = Vec::new();
    for function in &table.functions {
        rows.extend(function.variants().map(|(name, large)| (name, large, function)));
    }
    rows.sort_by(|a, b| a.0.cmp(&b.0));

    let mut out = String::new();
    writeln!(out, "{}", crate::NOTICE)?;
    writeln!(out, "//! The parameters of the functions of the MPI-5.0 standard ABI.")?;
    writeln!(out, "use crate::parameter::Class::*;")?;
    writeln!(out, "use crate::parameter::Direction::{{In, InOut, Out}};")?;
    writeln!(out, "use crate::parameter::Meaning::*;")?;
    writeln!(out, "use crate::parameter::Repeats::*;")?;
    writeln!(out, "use crate::parameter::{{Area, Length, Parameter, blocks, elements, p}};\n")?;
    writeln!(out, "/// The parameters of each function, in the order of [`FUNCTIONS`](crate::FUNCTIONS).")?;
    writeln!(out, "#[rustfmt::skip]\npub(crate) static PARAMETERS: [&[Parameter]; {}] = [", rows.len())?;
    for (name, large, function) in &rows {
        let parameters: Vec<&Parameter> = function.of_variant(*large).collect();
        let words: Vec<String> = parameters.iter().map(|p| parameter(p, &parameters)).collect();
        out += &layout::wrapped(&format!("    /* {name} */ &[{}],", words.join(", ")));
    }
    writeln!(out, "];")?;
    Ok(out)
}

/// `p("count", Count, In)`
fn parameter(parameter: &Parameter, all: &[&Parameter]) -> String {
    let direction = parameter.direction;
    let mut text = format!("p({:?}, {}, {direction:?})", parameter.name, meaning(parameter, all));
    if let Some(length) = parameter.lengths.first() {
        let length = match length {
            Length::Parameter(name) => word(name, all).map(|at| format!("Parameter({at})")),
            _ => None,
        };
        text += &format!(".array(Length::{})", length.as_deref().unwrap_or("Other"));
    }
    if parameter.root_only {
        text += ".at_root()";
    }
    if parameter.behind {
        text += ".behind()";
    }
    text
}

fn word(name: &str, all: &[&Parameter]) -> Option<usize> {
    all.iter().position(|parameter| parameter.name == name)
}

fn meaning(parameter: &Parameter, all: &[&Parameter]) -> String {
    match &parameter.kind {
        Kind::Enum(_) => "Int".into(),
        Kind::Handle(class) => format!("Handle({})", class.rust()),
        Kind::String(_) => "Text".into(),
        Kind::Buffer(area, datatype) => {
            let known = datatype.as_deref().and_then(|datatype| area_in_words(area, word(datatype, all)?, all));
            known.unwrap_or_else(|| "Buffer(Area::Other)".into())
        }
        Kind::Address { .. } if parameter.is_kept => "Kept".into(),
        Kind::Address { .. } => "Address".into(),
        Kind::Function(..) => "Function".into(),
        Kind::Raw(c) if c == "..." || c.contains('*') => "Address".into(),
        Kind::Tool(_) | Kind::Raw(_) => "Other".into(),
        // The others have the same names there.
        plain => format!("{plain:?}"),
    }
}

/// `elements(1, Once, 2)`, where that says all of it.
fn area_in_words(area: &Area, datatype: usize, all: &[&Parameter]) -> Option<String> {
    let (count, times) = match area {
        Area::Blocks { counts, displs } => {
            return Some(format!("blocks({}, {}, {datatype})", word(counts, all)?, word(displs, all)?));
        }
        Area::Elements(Length::Parameter(count)) => (count, "Once"),
        Area::Elements(Length::Of(Property::SumOfElements, counts)) => (counts, "Sum"),
        Area::Elements(Length::Product(count, times)) => match (&**count, &**times) {
            (Length::Parameter(count), Length::Of(property, _)) => (count, repeats(*property)?),
            _ => return None,
        },
        Area::Elements(_) => return None,
    };
    Some(format!("elements({}, {times}, {datatype})", word(count, all)?))
}

fn repeats(property: Property) -> Option<&'static str> {
    Some(match property {
        Property::Peers => "Peers",
        Property::Members => "Members",
        Property::Sources => "Sources",
        Property::Destinations => "Destinations",
        Property::Dimensions | Property::SumOfElements | Property::LastElement | Property::OwnElement => return None,
    })
}
