//! What the page may change.

use std::sync::Mutex;

use rankine_abi::MPI_ERR_ARG;
use rankine_guest::{Error, Result};
use rankine_view_wire::{Kind, Said};

use crate::lock;

/// The most choices of a control.
pub const MOST_CHOICES: usize = 64;

pub(crate) struct Control {
    kind: Kind,
    state: Mutex<State>,
}

struct State {
    /// Its value; of a button: how often it was pressed and the program has not heard of it.
    value: f64,
    /// How often it was changed, its making included.
    changes: u64,
}

impl Control {
    pub fn new(kind: Kind, value: f64) -> Control {
        Control { kind, state: Mutex::new(State { value, changes: 1 }) }
    }

    /// Refuses a second description of another kind.
    pub fn check(&self, kind: &Kind) -> Result<()> {
        if self.kind == *kind {
            return Ok(());
        }
        Err(Error::new(MPI_ERR_ARG, format!("it is {:?} here, and was {:?}", kind, self.kind)))
    }

    /// Refuses what can't be a control.
    pub fn check_kind(kind: &Kind, value: f64) -> Result<()> {
        let wrong = |text: String| Err(Error::new(MPI_ERR_ARG, text));
        match kind {
            Kind::Number { least, greatest, step } => {
                let numbers = [*least, *greatest, *step, value];
                if !numbers.iter().all(|number| number.is_finite()) || least > greatest || *step < 0.0 {
                    return wrong(format!("a number from {least} to {greatest} in steps of {step}, which is {value}"));
                }
            }
            Kind::Choice(labels) if !(0.0..labels.len() as f64).contains(&value) => {
                return wrong(format!("choice {value} of {}", labels.len()));
            }
            Kind::Button if !value.is_finite() => return wrong(format!("a button that was pressed {value} times")),
            Kind::Choice(_) | Kind::Button => {}
        }
        Ok(())
    }

    /// A page changes it; whatever that says, the value is one that the program allows.
    pub fn set(&self, value: f64) {
        if value.is_nan() {
            return;
        }
        let state = &mut *lock(&self.state);
        match &self.kind {
            Kind::Number { least, greatest, step } => {
                let value = value.clamp(*least, *greatest);
                let stepped = if *step > 0.0 { least + ((value - least) / step).round() * step } else { value };
                let within = if stepped > *greatest { stepped - step } else { stepped };
                // The distance of two numbers need not be a number.
                state.value = if within.is_nan() { value } else { within.clamp(*least, *greatest) };
            }
            Kind::Choice(labels) => state.value = value.round().clamp(0.0, labels.len() as f64 - 1.0),
            Kind::Button => state.value += 1.0,
        }
        state.changes += 1;
    }

    /// The value for the program: of a button how often it was pressed since the last time.
    pub fn take(&self) -> f64 {
        let state = &mut *lock(&self.state);
        if self.kind == Kind::Button { std::mem::take(&mut state.value) } else { state.value }
    }

    /// What a viewer does not know yet.
    pub fn news(&self, id: usize, name: &str, seen: &mut u64) -> Option<Said> {
        let state = lock(&self.state);
        if std::mem::replace(seen, state.changes) == state.changes {
            return None;
        }
        Some(Said::Control { id: id as u32, name: name.to_owned(), kind: self.kind.clone(), value: state.value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_sets_only_what_is_allowed() {
        let number = Control::new(Kind::Number { least: 1.0, greatest: 2.1, step: 0.25 }, 1.5);
        let after = |value| {
            number.set(value);
            number.take()
        };
        assert_eq!([after(1.3), after(9.0), after(-9.0), after(f64::INFINITY)], [1.25, 2.0, 1.0, 2.0]);
        assert_eq!(after(f64::NAN), 2.0);
        let wide = Control::new(Kind::Number { least: -f64::MAX, greatest: f64::MAX, step: 1.0 }, 0.0);
        for value in [f64::INFINITY, f64::NEG_INFINITY, 3.0] {
            wide.set(value);
            assert!(wide.take().is_finite());
        }
        let choice = Control::new(Kind::Choice(vec!["a".into(), "b".into()]), 0.0);
        choice.set(7.0);
        assert_eq!(choice.take(), 1.0);
        choice.set(-1.0);
        assert_eq!(choice.take(), 0.0);
    }

    #[test]
    fn a_button_tells_of_each_press_once() {
        let button = Control::new(Kind::Button, 0.0);
        button.set(1.0);
        button.set(0.0);
        assert_eq!([button.take(), button.take()], [2.0, 0.0]);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let number = |least, greatest, step| Kind::Number { least, greatest, step };
        assert!(Control::check_kind(&number(0.0, 1.0, 0.1), 0.5).is_ok());
        assert!(Control::check_kind(&number(1.0, 0.0, 0.1), 0.5).is_err());
        assert!(Control::check_kind(&number(0.0, f64::NAN, 0.1), 0.5).is_err());
        assert!(Control::check_kind(&number(0.0, 1.0, -0.1), 0.5).is_err());
        assert!(Control::check_kind(&Kind::Choice(Vec::new()), 0.0).is_err());
        assert!(Control::check_kind(&Kind::Choice(vec!["a".into()]), f64::NAN).is_err());
        assert!(Control::check_kind(&Kind::Button, f64::INFINITY).is_err());
    }
}
