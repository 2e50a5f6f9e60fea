//! Categories of variables and events (§15.3.9).

use rankine_abi::MPI_T_ERR_INVALID;

use super::control::CONTROLS;
use super::event::EVENTS;
use super::performance::VARIABLES;
use super::{named, numbered};
use crate::error::{Error, Result};
use crate::rank::Rank;

/// Variables and events that belong together, by name.
pub struct Category {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    controls: &'static [&'static str],
    variables: &'static [&'static str],
    events: &'static [&'static str],
    /// The categories that it has in itself.
    categories: &'static [&'static str],
}

/// All categories, by their numbers.
pub static CATEGORIES: [Category; 6] = [
    Category {
        name: "rankine",
        about: "everything that the embedded engine shows of itself",
        controls: &[],
        variables: &[],
        events: &[],
        categories: &["messages", "windows", "files", "waiting", "resources"],
    },
    Category {
        name: "messages",
        about: "how messages get from memory to memory",
        controls: &["rankine_eager_limit", "rankine_buffer_limit", "rankine_joint_copy"],
        variables: &[
            "rankine_short_messages",
            "rankine_short_bytes",
            "rankine_long_messages",
            "rankine_long_bytes",
            "rankine_copies",
            "rankine_copied_bytes",
            "rankine_matched",
            "rankine_unexpected",
            "rankine_unexpected_messages",
            "rankine_unexpected_bytes",
            "rankine_unexpected_most",
            "rankine_pending_operations",
        ],
        events: &["rankine_sent", "rankine_matched", "rankine_unexpected", "rankine_copied"],
        categories: &[],
    },
    Category {
        name: "windows",
        about: "one-sided communication",
        controls: &[],
        variables: &["rankine_accesses", "rankine_accessed_bytes"],
        events: &["rankine_accessed"],
        categories: &[],
    },
    Category {
        name: "files",
        about: "what is read and written",
        controls: &[],
        variables: &["rankine_file_accesses", "rankine_read_bytes", "rankine_written_bytes"],
        events: &["rankine_file_accessed"],
        categories: &[],
    },
    Category {
        name: "waiting",
        about: "what a rank does that finds nothing to do",
        controls: &["rankine_spin_polls", "rankine_deadlock_check"],
        variables: &["rankine_spins", "rankine_parks"],
        events: &["rankine_spun", "rankine_parked", "rankine_woken"],
        categories: &[],
    },
    Category {
        name: "resources",
        about: "what a rank and its job may have",
        controls: &["rankine_memory_limit", "rankine_max_ranks"],
        variables: &["rankine_memory"],
        events: &[],
        categories: &[],
    },
];

impl Category {
    /// The numbers of its control variables.
    pub fn controls(&self) -> Vec<i32> {
        numbers(self.controls, CONTROLS.iter().map(|control| control.name))
    }

    /// The numbers of its performance variables.
    pub fn variables(&self) -> Vec<i32> {
        numbers(self.variables, VARIABLES.iter().map(|variable| variable.name))
    }

    /// The numbers of its kinds of events.
    pub fn events(&self) -> Vec<i32> {
        numbers(self.events, EVENTS.iter().map(|kind| kind.name))
    }

    /// The numbers of the categories in it.
    pub fn categories(&self) -> Vec<i32> {
        numbers(self.categories, CATEGORIES.iter().map(|category| category.name))
    }
}

fn numbers(wanted: &[&str], all: impl Iterator<Item = &'static str>) -> Vec<i32> {
    (0..).zip(all).filter(|(_, name)| wanted.contains(name)).map(|(number, _)| number).collect()
}

/// `MPI_T_category_get_num`
pub fn t_category_get_num(r: &Rank) -> Result<i32> {
    r.check_tools()?;
    Ok(CATEGORIES.len() as i32)
}

/// `MPI_T_category_get_index`
pub fn t_category_get_index(r: &Rank, name: &str) -> Result<i32> {
    r.check_tools()?;
    named(&CATEGORIES, |category| category.name == name, || format!("category {name:?}"))
}

fn category(r: &Rank, index: i32) -> Result<&'static Category> {
    r.check_tools()?;
    numbered(&CATEGORIES, index, "categories")
}

/// `MPI_T_category_get_info`: name, description, and how many control variables, performance variables and categories.
pub fn t_category_get_info(r: &Rank, index: i32) -> Result<(&'static str, &'static str, i32, i32, i32)> {
    let category = category(r, index)?;
    let [controls, variables, categories] =
        [category.controls, category.variables, category.categories].map(|names| names.len() as i32);
    Ok((category.name, category.about, controls, variables, categories))
}

/// `MPI_T_category_get_num_events`
pub fn t_category_get_num_events(r: &Rank, index: i32) -> Result<i32> {
    Ok(category(r, index)?.events.len() as i32)
}

/// As many of a category's members as there is room for.
fn at_most(mut members: Vec<i32>, room: i32) -> Result<Vec<i32>> {
    let Ok(room) = usize::try_from(room) else {
        return Err(Error::new(MPI_T_ERR_INVALID, format!("len is {room}, which is negative")));
    };
    members.truncate(room);
    Ok(members)
}

/// `MPI_T_category_get_cvars`
pub fn t_category_get_cvars(r: &Rank, index: i32, room: i32) -> Result<Vec<i32>> {
    at_most(category(r, index)?.controls(), room)
}

/// `MPI_T_category_get_pvars`
pub fn t_category_get_pvars(r: &Rank, index: i32, room: i32) -> Result<Vec<i32>> {
    at_most(category(r, index)?.variables(), room)
}

/// `MPI_T_category_get_events`
pub fn t_category_get_events(r: &Rank, index: i32, room: i32) -> Result<Vec<i32>> {
    at_most(category(r, index)?.events(), room)
}

/// `MPI_T_category_get_categories`
pub fn t_category_get_categories(r: &Rank, index: i32, room: i32) -> Result<Vec<i32>> {
    at_most(category(r, index)?.categories(), room)
}

/// `MPI_T_category_changed`: what there is never changes.
pub fn t_category_changed(r: &Rank) -> Result<i32> {
    r.check_tools()?;
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variable_has_a_category_and_every_name_is_one() {
        let all = |of: fn(&Category) -> Vec<i32>| {
            let mut numbers: Vec<i32> = CATEGORIES.iter().flat_map(of).collect();
            numbers.sort_unstable();
            numbers
        };
        assert!(all(Category::controls).into_iter().eq(0..CONTROLS.len() as i32));
        assert!(all(Category::variables).into_iter().eq(0..VARIABLES.len() as i32));
        assert!(all(Category::events).into_iter().eq(0..EVENTS.len() as i32));
        assert!(all(Category::categories).into_iter().eq(1..CATEGORIES.len() as i32));
        for category in &CATEGORIES {
            assert_eq!(category.controls().len(), category.controls.len());
            assert_eq!(category.variables().len(), category.variables.len());
            assert_eq!(category.events().len(), category.events.len());
            assert_eq!(category.categories().len(), category.categories.len());
        }
    }
}
