//! Text that comes from a guest or its module, on its way to a person's terminal.

use std::borrow::Cow;

/// Characters of a name or a path that are shown.
const MOST: usize = 1000;

/// What a terminal obeys: control characters, and those that turn text around.
fn is_obeyed(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A name or a path: of a length to read, in one line, and without characters that a terminal would obey.
pub(crate) fn line(text: &str) -> String {
    let mut shown: String = text.chars().take(MOST).map(|c| if is_obeyed(c) { '?' } else { c }).collect();
    if text.chars().nth(MOST).is_some() {
        shown.push_str("...");
    }
    shown
}

/// Lines that have such text in them: whatever it is, a terminal does not obey it.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    let is_replaced = |c: char| is_obeyed(c) && !matches!(c, '\n' | '\t');
    if text.contains(is_replaced) { text.replace(is_replaced, "?").into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_not_shown() {
        assert_eq!(line("clear\u{1b}[2Jme\n"), "clear?[2Jme?");
        assert_eq!(lines("one\n\ttwo\r\u{9b}2J"), "one\n\ttwo??2J");
        assert!(matches!(lines("plain"), Cow::Borrowed(_)));
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(line(&"ä".repeat(5000)).chars().count(), MOST + 3);
        assert_eq!(line(&"ä".repeat(MOST)).chars().count(), MOST);
    }
}
