//! Lines of what a program interprets: they are known by numbers, as places in the program itself are.

use std::collections::HashMap;
use std::sync::PoisonError;

use super::Symbols;

/// Numbers of lines begin there, far behind those of places.
const FIRST: u32 = 1 << 31;
/// Lines that are told apart.
const MOST: usize = 1 << 16;

#[derive(Default)]
pub(super) struct Lines {
    numbers: HashMap<String, u32>,
    texts: Vec<String>,
}

impl Symbols {
    /// The number of a line; nothing if there are too many.
    pub(crate) fn number_of_line(&self, line: String) -> Option<u32> {
        let lines = &mut *self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&number) = lines.numbers.get(&line) {
            return Some(number);
        }
        let number = FIRST + lines.texts.len() as u32;
        (lines.texts.len() < MOST).then(|| {
            lines.texts.push(line.clone());
            lines.numbers.insert(line, number);
            number
        })
    }

    /// The line that has this number.
    pub(crate) fn line(&self, number: u32) -> Option<String> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.texts.get(number.checked_sub(FIRST)? as usize).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_numbers() {
        let symbols = Symbols::default();
        let first = symbols.number_of_line("step (heat.py:3)".into()).unwrap();
        let second = symbols.number_of_line("step (heat.py:4)".into()).unwrap();
        assert_eq!(symbols.number_of_line("step (heat.py:3)".into()), Some(first));
        assert_eq!(symbols.line(second).as_deref(), Some("step (heat.py:4)"));
        assert_eq!((symbols.line(0), symbols.line(u32::MAX)), (None, None));
        (2..MOST).for_each(|line| assert!(symbols.number_of_line(line.to_string()).is_some()));
        assert_eq!(symbols.number_of_line("one more".into()), None);
    }
}
