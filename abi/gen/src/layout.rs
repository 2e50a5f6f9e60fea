//! The layout of rows, which rustfmt leaves as they are: lines of 120 columns, broken where a list goes on.

const WIDTH: usize = 120;

/// The text in lines that fit.
pub fn wrapped(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        if line.len() > WIDTH
            && let Some(lines) = alternatives(line)
        {
            out += &wrapped(&lines);
            continue;
        }
        let first = line.len() - line.trim_start().len();
        let mut rest = line.to_owned();
        while rest.len() > WIDTH
            && let Some(at) = break_before(&rest, WIDTH)
        {
            out += rest[..at].trim_end();
            out.push('\n');
            rest = format!("{}{}", " ".repeat(first + 4), rest[at..].trim_start());
        }
        out += &rest;
        out.push('\n');
    }
    out
}

/// Where to break a line: behind the last comma that fits and has the fewest brackets around it, else at a blank.
fn break_before(line: &str, width: usize) -> Option<usize> {
    let (mut depth, mut in_string, mut best) = (0_i32, false, None::<(i32, usize)>);
    let text = line.len() - line.trim_start().len();
    for (at, c) in line.char_indices() {
        match c {
            '"' => in_string = !in_string,
            _ if in_string => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ' ' if at > text && at <= width => {
                let rank = if line[..at].ends_with(',') { depth } else { depth + 100 };
                // Far enough to the right that the next line is shorter.
                if at > width / 3 && best.is_none_or(|(found, _)| rank <= found) {
                    best = Some((rank, at + 1));
                }
            }
            _ => {}
        }
    }
    best.map(|(_, at)| at)
}

/// A row with what follows on it, on a line of its own if the row's last has no room for it.
pub fn joined(row: &str, then: &str) -> String {
    let then = then.trim_start();
    // And a semicolon.
    let has_room = row.lines().last().is_none_or(|last| last.len() + 1 + then.len() < WIDTH);
    let between = if has_room { " " } else { "\n        " };
    format!("{row}{between}{then}")
}

/// A row of four columns' indent: what stands before its braces, in parts that may go to lines of their own, and the
/// statements in them.
pub fn row(front: &[String], statements: &[String]) -> String {
    if let [statement] = statements {
        let line = format!("    {} {{ {statement} }}", front.concat());
        if line.len() < WIDTH && !statement.contains('\n') {
            return line;
        }
    }
    let mut out = String::new();
    let line = format!("    {} {{", front.concat());
    if line.len() <= WIDTH {
        out += &line;
        out.push('\n');
    } else if let [first, further @ ..] = front {
        out += &wrapped(&format!("    {first}"));
        out += &wrapped(&format!("        {} {{", further.concat()));
    }
    for statement in statements.iter().flat_map(|statement| statement.lines()) {
        out += &wrapped(&format!("        {statement}"));
    }
    out + "    }"
}

/// `let a = if b { c } else { d };` in five lines, if it is such a statement.
fn alternatives(line: &str) -> Option<String> {
    let indent = " ".repeat(line.len() - line.trim_start().len());
    let (condition, rest) = line.split_once(" { ")?;
    let (one, other) = rest.split_once(" } else { ")?;
    let (other, end) = other.rsplit_once(" }")?;
    condition
        .contains("if ")
        .then(|| format!("{condition} {{\n{indent}    {one}\n{indent}}} else {{\n{indent}    {other}\n{indent}}}{end}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_break_at_outer_commas() {
        let call =
            format!("    send({}, shim::peers(r, handle(comm))?, last)", "argument, ".repeat(9).trim_end_matches(", "));
        let lines = wrapped(&call);
        assert!(lines.lines().all(|line| line.len() <= WIDTH), "{lines}");
        assert_eq!(lines.lines().nth(1), Some("        shim::peers(r, handle(comm))?, last)"));
        assert_eq!(wrapped("    short(a, b)"), "    short(a, b)\n");
    }
}
