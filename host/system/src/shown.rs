//! Text that comes from a guest or its module, on its way to a person's terminal.

use std::borrow::Cow;

/// Characters of a name or a path that are shown.
const MOST: usize = 1000;

/// What a terminal obeys: control characters, and those that turn text around.
fn is_obeyed(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A name or a path: of a length to read, in one line, and without characters that a terminal would obey.
pub fn line(text: &str) -> String {
    let mut shown: String = text.chars().take(MOST).map(|c| if is_obeyed(c) { '?' } else { c }).collect();
    if text.chars().nth(MOST).is_some() {
        shown.push_str("...");
    }
    shown
}

/// Lines that have such text in them: whatever it is, a terminal does not obey it, and no secret key is in it.
pub fn lines(text: &str) -> Cow<'_, str> {
    let is_replaced = |c: char| is_obeyed(c) && !matches!(c, '\n' | '\t');
    let text = without_secrets(text);
    if text.contains(is_replaced) { text.replace(is_replaced, "?").into() } else { text }
}

/// What is said of something, in a first line and perhaps more. Those begin with a blank, so that no name in them passes for the
/// first line of another report.
pub fn report(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for (number, line) in lines(text).split_inclusive('\n').enumerate() {
        if number > 0 && !line.starts_with([' ', '\t', '\n']) {
            shown.push_str("  ");
        }
        shown.push_str(line);
    }
    shown
}

/// How secret keys begin that modules are signed with.
pub const SECRET: &str = "ed25519:secret:";

/// A text in which secret keys are left out: one may have been given where something else was meant.
fn without_secrets(text: &str) -> Cow<'_, str> {
    if !text.contains(SECRET) {
        return text.into();
    }
    let mut parts = text.split(SECRET);
    let mut shown = parts.next().unwrap_or_default().to_string();
    for part in parts {
        shown += SECRET;
        shown += "(not shown)";
        shown += part.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
    }
    shown.into()
}

/// A number of bytes, for a reader.
pub fn bytes(count: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut scaled = count as f64;
    let mut unit = 0;
    while scaled >= 1024.0 && unit + 1 < units.len() {
        (scaled, unit) = (scaled / 1024.0, unit + 1);
    }
    if unit == 0 { format!("{count} bytes") } else { format!("{scaled:.1} {}", units[unit]) }
}

/// What is wrong with a text of TOML, and in which line: the line itself is not shown.
pub fn toml(error: &toml::de::Error, text: &str) -> String {
    let before = |at: usize| 1 + text.bytes().take(at).filter(|&byte| byte == b'\n').count();
    match error.span() {
        Some(span) => format!("line {}: {}", before(span.start), without_secrets(error.message())),
        None => without_secrets(error.message()).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_begins_a_report() {
        assert_eq!(report("rankine: a\n  b\nrankine: c\n\td\u{1b}\n"), "rankine: a\n  b\n  rankine: c\n\td?\n");
    }

    #[test]
    fn what_a_terminal_would_obey_is_not_shown() {
        assert_eq!(line("clear\u{1b}[2Jme\n"), "clear?[2Jme?");
        assert_eq!(lines("one\n\ttwo\r\u{9b}2J"), "one\n\ttwo??2J");
        assert!(matches!(lines("plain"), Cow::Borrowed(_)));
    }

    #[test]
    fn secrets_are_left_out() {
        let text = format!("can't read {SECRET}{} here, nor {SECRET}00: no\n", "ab".repeat(32));
        assert_eq!(lines(&text), format!("can't read {SECRET}(not shown) here, nor {SECRET}(not shown): no\n"));
        let wrong = "a = 1\nb = \"ed25519:secret:77\"\n";
        let error = toml::from_str::<std::collections::BTreeMap<String, u8>>(wrong).unwrap_err();
        let said = super::toml(&error, wrong);
        assert!(said.starts_with("line 2: ") && !said.contains("77"), "{said}");
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(line(&"ä".repeat(5000)).chars().count(), MOST + 3);
        assert_eq!(line(&"ä".repeat(MOST)).chars().count(), MOST);
    }
}
