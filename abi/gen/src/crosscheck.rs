//! Compares the tables with the `mpi_abi.h` of an MPI library: names and values of constants, names and
//! signatures of functions. The header is only read here, nothing is taken from it.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// The header's text, or a failed test that says what to install.
fn header() -> String {
    let path = match std::env::var_os("RANKINE_MPI_ABI_H") {
        Some(path) => PathBuf::from(path),
        None => crate::root().join(".venv/include/mpi_abi.h"),
    };
    std::fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!(
            "{}: {error}\nThe tables are compared with the header of an MPI library. Install MPICH 5 with \
             `python3 -m venv .venv && .venv/bin/pip install mpich`, or set RANKINE_MPI_ABI_H to an mpi_abi.h.",
            path.display()
        )
    })
}

/// The text with comments blanked.
fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("/*") {
        out.push_str(before);
        rest = after.split_once("*/").map_or("", |(_, rest)| rest);
    }
    out + rest
}

/// All `#define`d and enumerated constants: name, text of the value.
fn constants_of(header: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for line in header.lines().map(str::trim) {
        let define = line.strip_prefix("#define ").and_then(|rest| rest.trim().split_once(char::is_whitespace));
        let enumerator = line.split_once('=').filter(|(name, _)| !name.contains('('));
        if let Some((name, value)) = define.or(enumerator) {
            found.insert(name.trim().to_owned(), value.trim().trim_end_matches(',').trim().to_owned());
        }
    }
    found.retain(|name, _| name.starts_with("MPI_") && !name.starts_with("MPI_ABI_"));
    found
}

/// `((MPI_Comm)0x101)`, `MPI_LONG_LONG`, `-1` as numbers.
fn number(text: &str, all: &BTreeMap<String, String>) -> i64 {
    if let Some(text) = all.get(text) {
        return number(text, all);
    }
    let text = text.trim_matches(['(', ')']);
    let digits = text.rsplit(')').next().expect("a split has a first part").trim();
    let parsed = match digits.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    parsed.unwrap_or_else(|_| panic!("the header's value {text:?} is not a number"))
}

#[test]
fn constants_agree() {
    let theirs = constants_of(&without_comments(&header()));
    let constants = crate::tables(&crate::root()).unwrap().constants;
    let ours: BTreeMap<&str, i64> = constants.numbers().into_iter().collect();
    assert_eq!(ours.len(), constants.numbers().len(), "a constant is twice in the table");
    let mut differences = Vec::new();
    for (name, text) in &theirs {
        match ours.get(name.as_str()) {
            None => differences.push(format!("{name} is missing")),
            Some(&value) if value != number(text, &theirs) => {
                differences.push(format!("{name} is {value} here and {text} in the header"));
            }
            Some(_) => {}
        }
    }
    for name in ours.keys().filter(|name| !theirs.contains_key(**name) && !name.starts_with("MPI_ABI_")) {
        differences.push(format!("{name} is not in the header"));
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(theirs.len() > 350, "only {} constants found in the header", theirs.len());
}

/// A prototype with pointers spelled one way: result, and parameters as (type, name).
fn normalised(result: &str, parameters: &str) -> (String, Vec<(String, String)>) {
    let parameters = parameters.split(',').map(str::trim).filter(|p| !p.is_empty() && *p != "void");
    (result.trim().to_owned(), parameters.map(normalised_parameter).collect())
}

/// `const int dims[]` is (`const int*`, `dims`); a constant that is passed by value is just a value.
fn normalised_parameter(text: &str) -> (String, String) {
    let brackets: String = text.find('[').map_or("", |at| &text[at..]).replace("[]", "*");
    let text = text.split('[').next().expect("a split has a first part").trim();
    let at = text.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
    let (c, name) = if text == "..." { ("...", "") } else { text.split_at(at) };
    let mut c: String = format!("{}{brackets}", c.trim()).replace(" *", "*");
    if !c.contains('*') {
        c = c.trim_start_matches("const ").to_owned();
    }
    // MPICH's C avoids the name of a function of POSIX; the standard and its bindings for Fortran don't.
    (c, if name == "indx" { "index" } else { name }.to_owned())
}

#[test]
fn functions_agree() {
    let header = without_comments(&header());
    let mut theirs = BTreeMap::new();
    for line in header.lines().map(str::trim).filter(|line| line.ends_with(");") && !line.starts_with("typedef")) {
        let (front, rest) = line.split_once('(').expect("it ends with a bracket");
        let (result, name) = front.rsplit_once([' ', '*']).expect("a prototype has a result");
        theirs.insert(name.trim().to_owned(), normalised(result, rest.trim_end_matches(");")));
    }
    let profiling: Vec<String> = theirs.keys().filter(|name| name.starts_with("PMPI")).cloned().collect();
    for name in profiling {
        theirs.remove(&name);
    }
    theirs.retain(|name, _| name.starts_with("MPI_"));

    let tables = crate::tables(&crate::root()).unwrap();
    let mut differences = Vec::new();
    for function in &tables.table.functions {
        for (name, large) in function.variants() {
            let ours = normalised(crate::c_types::result(function), &crate::c_types::parameters(function, large));
            match theirs.remove(&name) {
                None => differences.push(format!("{name} is not in the header")),
                Some(theirs) if theirs != ours => {
                    differences.push(format!("{name}\n  here {ours:?}\n  there {theirs:?}"));
                }
                Some(_) => {}
            }
        }
    }
    differences.extend(theirs.keys().map(|name| format!("{name} is missing")));
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
