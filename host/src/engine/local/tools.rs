//! What the engine shows through MPI's tools interface, for a page that lists it.

use rankine_local::tool::{CATEGORIES, CONTROLS, Category, Control, EVENTS, Kind, VARIABLES, Variable};
use serde::Serialize;

/// A variable, or a kind of event.
#[derive(Serialize)]
pub(crate) struct Shown {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
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
    pub(crate) fn note(&self) -> &'static str {
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
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) control_variables: Vec<Shown>,
    pub(crate) performance_variables: Vec<Shown>,
    pub(crate) events: Vec<Shown>,
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

/// All categories that hold anything.
pub(crate) fn groups() -> impl Iterator<Item = Group> {
    let holds_any = |group: &Group| {
        !(group.control_variables.is_empty() && group.performance_variables.is_empty() && group.events.is_empty())
    };
    CATEGORIES.iter().map(Group::from).filter(holds_any)
}
