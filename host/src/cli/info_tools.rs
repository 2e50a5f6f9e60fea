//! `rankine info --tools`: what the embedded engine shows through MPI's tools interface.

use std::fmt::Write as _;

use anyhow::Result;
use rankine_local::tool::{CATEGORIES, CONTROLS, Category, Control, EVENTS, Kind, VARIABLES, Variable};
use serde::Serialize;

/// A variable, or a kind of event.
#[derive(Serialize)]
struct Shown {
    name: &'static str,
    description: &'static str,
    /// What sort of performance variable it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<&'static str>,
    /// A program can set it.
    #[serde(skip_serializing_if = "Option::is_none")]
    writable: Option<bool>,
    /// What the elements of an event are called.
    #[serde(skip_serializing_if = "Option::is_none")]
    elements: Option<&'static [&'static str]>,
}

impl From<&Control> for Shown {
    fn from(control: &Control) -> Shown {
        let writable = Some(control.is_writable());
        Shown { name: control.name, description: control.about, class: None, writable, elements: None }
    }
}

impl From<&Variable> for Shown {
    fn from(variable: &Variable) -> Shown {
        let (class, writable) = (Some(variable.kind()), Some(variable.is_writable()));
        Shown { name: variable.name, description: variable.about, class, writable, elements: None }
    }
}

impl From<&Kind> for Shown {
    fn from(kind: &Kind) -> Shown {
        let elements = Some(kind.elements);
        Shown { name: kind.name, description: kind.about, class: None, writable: None, elements }
    }
}

impl Shown {
    /// What is to be known in a word.
    fn note(&self) -> &'static str {
        match (self.class, self.writable) {
            (Some(class), _) => class,
            (None, Some(true)) => "can be written",
            (None, Some(false)) => "read-only",
            (None, None) => "",
        }
    }
}

/// What belongs together.
#[derive(Serialize)]
struct Group {
    name: &'static str,
    description: &'static str,
    control_variables: Vec<Shown>,
    performance_variables: Vec<Shown>,
    events: Vec<Shown>,
}

impl From<&Category> for Group {
    fn from(category: &Category) -> Group {
        fn of<T>(numbers: Vec<i32>, all: &'static [T]) -> Vec<Shown>
        where
            Shown: From<&'static T>,
        {
            numbers.into_iter().map(|number| Shown::from(&all[number as usize])).collect()
        }
        Group {
            name: category.name,
            description: category.about,
            control_variables: of(category.controls(), &CONTROLS),
            performance_variables: of(category.variables(), &VARIABLES),
            events: of(category.events(), &EVENTS),
        }
    }
}

/// The page.
pub(super) fn page(json: bool) -> Result<String> {
    let holds_any = |group: &Group| {
        !(group.control_variables.is_empty() && group.performance_variables.is_empty() && group.events.is_empty())
    };
    let groups: Vec<Group> = CATEGORIES.iter().map(Group::from).filter(holds_any).collect();
    if json {
        return Ok(serde_json::to_string_pretty(&groups)? + "\n");
    }
    let mut page = String::new();
    for Group { name, description, control_variables, performance_variables, events } in &groups {
        writeln!(page, "{name}: {description}")?;
        let lists = [
            ("control variables", control_variables),
            ("performance variables", performance_variables),
            ("events", events),
        ];
        for (title, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            writeln!(page, "  {title}")?;
            for shown in list {
                let line = format!("    {:<29}{:<17}{}", shown.name, shown.note(), shown.description);
                writeln!(page, "{}", line.trim_end())?;
            }
        }
        writeln!(page)?;
    }
    writeln!(page, "A control variable that can be written is set by MPI_T_cvar_write; counters count in a session.")?;
    Ok(page)
}
