//! Names of nodes and groups, addresses, users, and the short form of many names. All of them reach command lines of
//! ssh and of launchers: they are of few characters, and none begins with a hyphen.

use anyhow::{Context as _, Result, bail, ensure};

/// More nodes than any machine has: a range that was mistyped is an error, not a full memory.
const MOST_NAMES: usize = 1 << 14;

/// Brackets in a name: racks, chassis, nodes.
const MOST_BRACKETS: usize = 8;

/// Digits of a number in a range.
const MOST_DIGITS: usize = 18;

/// Characters of a name, as in the domain system.
const LONGEST: usize = 253;

/// Whether this can be the name of a node, a group, a kind or a label.
pub fn is_name(text: &str) -> bool {
    is_word(text, "._-")
}

/// Whether this can be an address: a name, or an address of IPv4. Launchers take a colon for the number of slots.
pub fn is_address(text: &str) -> bool {
    is_word(text, "._-")
}

/// Whether this can be the name of a user.
pub fn is_user(text: &str) -> bool {
    is_word(text, "._-") && text.len() <= 64
}

/// Whether this can be what ssh jumps over: `[user@]host[:port]`, several of them separated by commas.
pub fn is_jump(text: &str) -> bool {
    text.split(',').all(|hop| {
        let (user, rest) = hop.split_once('@').map_or((None, hop), |(user, rest)| (Some(user), rest));
        let (host, port) = rest.split_once(':').map_or((rest, None), |(host, port)| (host, Some(port)));
        user.is_none_or(is_user)
            && is_address(host)
            && port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0))
    })
}

fn is_word(text: &str, others: &str) -> bool {
    text.len() <= LONGEST
        && text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || others.contains(c))
}

/// The names that a list stands for: `n[01-03,07],login` is n01, n02, n03, n07 and login, as Slurm writes it.
pub fn expand(list: &str) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for item in split_outside_brackets(list, ',') {
        ensure!(item.matches('[').count() <= MOST_BRACKETS, "`{item}` has more than {MOST_BRACKETS} ranges");
        expand_item("", item, &mut names)?;
    }
    Ok(names)
}

/// Adds what `rest` stands for, each with `done` before it.
fn expand_item(done: &str, rest: &str, names: &mut Vec<String>) -> Result<()> {
    let Some((before, after)) = rest.split_once('[') else {
        ensure!(!rest.contains(']'), "a bracket is closed that was not opened");
        ensure!(names.len() < MOST_NAMES, "these are more than {MOST_NAMES} names");
        names.push(format!("{done}{rest}"));
        return Ok(());
    };
    ensure!(!before.contains(']'), "a bracket is closed that was not opened");
    let (ranges, after) = after.split_once(']').context("a bracket is not closed")?;
    for range in ranges.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        // Zeros in front are kept: 08-10 is 08, 09, 10.
        let width = first.len();
        let (Some(first), Some(last)) = (number(first), number(last)) else {
            bail!("`{range}` is not a range of numbers");
        };
        ensure!(first <= last, "the range `{range}` is empty");
        for number in first..=last {
            expand_item(&format!("{done}{before}{number:0width$}"), after, names)?;
        }
    }
    Ok(())
}

fn number(digits: &str) -> Option<u64> {
    let is_number = digits.len() <= MOST_DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_number)
}

/// The parts of a text between separators that stand in no bracket, without those that are empty.
pub fn split_outside_brackets(text: &str, separator: char) -> Vec<&str> {
    let mut is_inside = false;
    text.split(|c| {
        is_inside = (is_inside || c == '[') && c != ']';
        c == separator && !is_inside
    })
    .filter(|item| !item.is_empty())
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn short_forms() {
        let expanded = |text: &str| expand(text).unwrap().join(" ");
        assert_eq!(expanded("n[01-03,07],login"), "n01 n02 n03 n07 login");
        assert_eq!(expanded("n[8-11].rack"), "n8.rack n9.rack n10.rack n11.rack");
        assert_eq!(expanded("r[1-2]n[08-10]"), "r1n08 r1n09 r1n10 r2n08 r2n09 r2n10");
        assert_eq!(expanded(""), "");
        for (text, reason) in [
            ("n[1-", "not closed"),
            ("n]1[", "not opened"),
            ("n[1-2]]", "not opened"),
            ("n[b-c]", "`b-c` is not a range"),
            ("n[]", "`` is not a range"),
            ("n[+1-2]", "not a range"),
            ("n[3-1]", "empty"),
            ("n[0-99999999]", "more than 16384"),
            ("n[0-999][0-999]", "more than 16384"),
            ("n[1][1][1][1][1][1][1][1][1]", "more than 8"),
        ] {
            let error = format!("{:#}", expand(text).unwrap_err());
            assert!(error.contains(reason), "{text}: {error}");
        }
    }

    #[test]
    fn what_names_are_made_of() {
        assert!(is_name("n1") && is_name("rack-1.site_a") && is_user("me") && is_address("198.18.0.1"));
        for word in ["", "-oProxyCommand=x", "n1;id", "a b", "a\nb", "$x", "a/b", ".", "é", "a:b"] {
            assert!(!is_name(word) && !is_address(word) && !is_user(word), "{word}");
        }
        assert!(is_jump("gate") && is_jump("me@gate:2222,inner"));
        for word in ["", "-gate", "gate:0", "gate:x", "a,,b", "@gate", "me@", "a@b@c", "-l@gate"] {
            assert!(!is_jump(word), "{word}");
        }
    }

    proptest! {
        /// A range is what was meant: as many names as it has numbers, in order, each with its zeros.
        #[test]
        fn ranges_mean_their_numbers(first in 0u64..2000, count in 1u64..100, width in 1usize..6, racks in 1u64..4) {
            let last = first + count - 1;
            let names = expand(&format!("r[1-{racks}]n[{first:0width$}-{last}]x,login")).unwrap();
            let wanted = (1..=racks).flat_map(|rack| (first..=last).map(move |n| format!("r{rack}n{n:0width$}x")));
            let width_is_its_own = format!("{first:0width$}");
            prop_assert!(names[0].contains(&width_is_its_own));
            prop_assert_eq!(names, wanted.chain(["login".to_string()]).collect::<Vec<_>>());
        }

        /// Whatever is written there: an error or names, never a panic and never too many.
        #[test]
        fn any_text_ends_well(text in "[n0-9,\\[\\]\\-]{0,24}") {
            if let Ok(names) = expand(&text) {
                prop_assert!(names.len() <= MOST_NAMES);
                prop_assert!(names.iter().all(|name| !name.contains(['[', ']', ','])));
            }
        }

        #[test]
        fn any_unicode_ends_well(text in "\\PC{0,24}") {
            let _ = expand(&text);
            let _ = (is_jump(&text), is_name(&text));
        }
    }
}
