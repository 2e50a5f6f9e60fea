//! The part of docs/conformance.md on what else is run: mpi4py's own tests, and drawn programs that both engines are given. What
//! is known to differ stands where those tests read it, and the last runs' own last lines lie in `results`.

use std::fmt::Write;

/// Whose a difference can be, as the files' remarks begin, and as the page has it.
const WHOSE: [(&str, &str); 3] = [("The test's", "the test"), ("Ours", "ours"), ("The library's", "the library")];

/// The sections behind those on MPICH's suite.
pub fn others() -> Result<String, String> {
    let mut text = String::from(
        "\n## mpi4py's own tests\n\n\
         mpi4py 4.1's test suite in Python, run as a guest by `rankine python`, all ranks together \
         (`./x just programs python_mpi4py`). What is skipped the suite itself leaves out, as some calls can't be made with so few \
         ranks or it is not told of a program to spawn.\n\n| how | tests | skipped | failed | passed |\n|---|--:|--:|--:|--:|\n",
    );
    for line in include_str!("../results/mpi4py.txt").lines() {
        let [how, numbers] = [line.split(": ").next(), line.split(": ").nth(1)].map(Option::unwrap_or_default);
        let [tests, skipped, failed] = numbers_of(numbers)?;
        let _ = writeln!(text, "| {how} | {tests} | {skipped} | {failed} | {} |", tests - skipped - failed);
    }
    text += "\n| what fails | whose the difference is | what it is |\n|---|---|---|\n";
    table(&mut text, include_str!("../../programs/python_mpi4py.txt"))?;
    let [cases, differences, bad] = numbers_of(include_str!("../results/calls.txt"))?;
    let _ = write!(
        text,
        "\n## Drawn programs\n\n\
         Programs of drawn calls, with null handles, counts of zero and arguments that are not significant in many places, are run on \
         both engines, and the classes of errors that each call returns are compared (`./x just calls-compare`). Of {cases} programs \
         of the last run {} were carried out alike, but for what this table names; in {differences} ways answers differed, mostly \
         since both engines refuse a call and each names another mistake in it. Beside them `./x just calls-insignificant` passes \
         anything in every place that the table of functions marks as not significant, to all functions that have such marks, on both engines.\n\n\
         | what differs: the call, the classes on `local` and `mpi` | whose the difference is | what it is |\n|---|---|---|\n",
        if bad == 0 { "all".to_owned() } else { format!("all but {bad}") },
    );
    table(&mut text, include_str!("../../calls/differences.txt"))?;
    let [cases, differences, bad] = numbers_of(include_str!("../results/calls-native.txt"))?;
    let _ = write!(
        text,
        "\nSuch programs are also run natively: a native twin calls the library without an engine, and what it is answered is compared \
         with what a guest is answered on `mpi`. Left out is what a library takes on trust and would crash at. Of {cases} programs of \
         the last run {} were carried out alike, but for what this table names; in {differences} ways answers differed.\n\n\
         | what differs: the call, the classes natively and on `mpi` | whose the difference is | what it is |\n|---|---|---|\n",
        if bad == 0 { "all".to_owned() } else { format!("all but {bad}") },
    );
    table(&mut text, include_str!("../../calls/native.txt"))?;
    Ok(text)
}

/// The first three numbers of a line.
fn numbers_of(line: &str) -> Result<[usize; 3], String> {
    let words = line.split(|letter: char| !letter.is_ascii_digit()).filter(|word| !word.is_empty());
    let numbers: Vec<usize> = words.take(3).filter_map(|word| word.parse().ok()).collect();
    numbers.try_into().map_err(|_| format!("three numbers should stand in: {line}"))
}

/// A row for each paragraph that a remark with whose the difference is begins.
fn table(text: &mut String, file: &str) -> Result<(), String> {
    for paragraph in file.split("\n\n").skip(1) {
        let (remarks, lines): (Vec<&str>, Vec<&str>) =
            paragraph.lines().filter(|line| !line.is_empty()).partition(|line| line.starts_with('#'));
        let remark = remarks.iter().map(|line| line.trim_start_matches('#').trim()).collect::<Vec<_>>().join(" ");
        let whose =
            WHOSE.iter().find_map(|(word, whose)| Some((*whose, remark.strip_prefix(word)?.strip_prefix(": ")?)));
        let (whose, reason) = whose.ok_or_else(|| format!("whose the difference is does not stand in: {remark}"))?;
        // A question mark stands for what does not always fail.
        let what = lines.iter().map(|line| format!("`{}`", line.replacen("? ", "", 1))).collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "| {what} | {whose} | {reason} |");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_them() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/conformance.md");
        let others = others().unwrap();
        let is_there = std::fs::read_to_string(page).unwrap().ends_with(&others);
        assert!(is_there, "docs/conformance.md should end with:\n{others}");
    }

    #[test]
    fn a_difference_is_somebodys() {
        assert!(table(&mut String::new(), "# head\n\n# Ours: so.\na b\n").is_ok());
        assert!(table(&mut String::new(), "# head\n\n# So it is.\na b\n").is_err());
        assert!(numbers_of("2 ranks: 7 tests").is_err());
    }
}
