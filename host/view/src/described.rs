//! What a program says of the things it shows: units, the ends of the colours, axes. It may do so before they are published,
//! and again later.

use std::sync::Mutex;

use rankine_abi::MPI_ERR_ARG;
use rankine_guest::{Error, Result};
use rankine_view_wire::{Axis, Description, LONGEST_LABEL, Said, is_label};

use crate::lock;

/// What is said of one thing, and how often it was changed.
#[derive(Default)]
pub(crate) struct Described(Mutex<(u64, Description)>);

impl Described {
    /// What the values are: their unit, and what the ends of the colours stand for. Says whether that is new.
    pub fn scale(&self, unit: &str, ends: [f64; 2]) -> Result<bool> {
        check_label(unit, "its unit")?;
        let range = check_ends(ends)?;
        Ok(self.change(|description| (description.unit, description.range) = (unit.to_owned(), range)))
    }

    /// What an axis is. Says whether that is new.
    pub fn axis(&self, axis: usize, [label, unit]: [&str; 2], first: f64, spacing: f64) -> Result<bool> {
        check_label(label, "the label of an axis")?;
        check_label(unit, "the unit of an axis")?;
        if !(first.is_finite() && spacing.is_finite()) {
            let text = format!("coordinates of an axis from {first} on, {spacing} apart");
            return Err(Error::new(MPI_ERR_ARG, text));
        }
        let told = Axis { label: label.to_owned(), unit: unit.to_owned(), first, spacing };
        Ok(self.change(|description| description.axes[axis] = told))
    }

    fn change(&self, change: impl FnOnce(&mut Description)) -> bool {
        let (changes, description) = &mut *lock(&self.0);
        let before = description.clone();
        change(description);
        let is_new = *description != before;
        *changes += u64::from(is_new);
        is_new
    }

    /// What a viewer does not know yet.
    pub fn news(&self, name: &str, seen: &mut u64) -> Option<Said> {
        let (changes, description) = &*lock(&self.0);
        if std::mem::replace(seen, *changes) == *changes {
            return None;
        }
        Some(Said::Description(Description { name: name.to_owned(), ..description.clone() }))
    }
}

fn check_label(text: &str, what: &str) -> Result<()> {
    if is_label(text) {
        return Ok(());
    }
    let text = match text.len() {
        0..=LONGEST_LABEL => format!("{what} has control characters"),
        length => format!("{what} has {length} bytes; there can be {LONGEST_LABEL}"),
    };
    Err(Error::new(MPI_ERR_ARG, text))
}

/// The range of the colours: none if an end is no number, or both are the same.
fn check_ends([least, greatest]: [f64; 2]) -> Result<Option<[f64; 2]>> {
    if least.is_nan() || greatest.is_nan() || least == greatest {
        return Ok(None);
    }
    if !(least.is_finite() && greatest.is_finite() && least < greatest) {
        return Err(Error::new(MPI_ERR_ARG, format!("colours from {least} to {greatest}")));
    }
    Ok(Some([least, greatest]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn viewers_are_told_once() {
        let (described, mut seen) = (Described::default(), 0);
        assert!(described.news("u", &mut seen).is_none());
        assert_eq!(described.scale("Pa", [0.0, 1.0]), Ok(true));
        assert_eq!(described.scale("Pa", [0.0, 1.0]), Ok(false));
        assert_eq!(described.axis(1, ["radius", "m"], 0.5, -0.25), Ok(true));
        let Some(Said::Description(told)) = described.news("u", &mut seen) else { panic!("nothing is told") };
        assert!(told.is_sound() && told.name == "u" && told.unit == "Pa" && told.range == Some([0.0, 1.0]));
        assert_eq!((told.title(1), told.axes[1].at(2.0)), ("radius (m)".into(), 0.0));
        assert!(described.news("u", &mut seen).is_none());
        // The ends are found again.
        assert_eq!(described.scale("Pa", [f64::NAN, 1.0]), Ok(true));
        assert_eq!(described.scale("Pa", [2.0, 2.0]), Ok(false));
        assert!(described.news("u", &mut seen).is_some());
    }

    #[test]
    fn what_makes_no_sense_changes_nothing() {
        let (described, mut seen) = (Described::default(), 0);
        let (inf, long) = (f64::INFINITY, "m".repeat(LONGEST_LABEL + 1));
        for ends in [[1.0, 0.0], [0.0, inf], [-inf, 0.0], [inf, -inf]] {
            assert!(described.scale("m", ends).is_err(), "{ends:?}");
        }
        assert!(described.scale(&long, [0.0, 1.0]).is_err());
        assert!(described.scale("a\nb", [0.0, 1.0]).is_err());
        assert!(described.axis(0, [&long, "m"], 0.0, 1.0).is_err());
        assert!(described.axis(0, ["x", "\u{7f}"], 0.0, 1.0).is_err());
        assert!(described.axis(0, ["x", "m"], inf, 1.0).is_err());
        assert!(described.axis(0, ["x", "m"], 0.0, f64::NAN).is_err());
        assert!(described.news("u", &mut seen).is_none());
    }
}
