//! Compares what the three bindings of Fortran declare with MPI-5.0's Appendix A, name by name and kind by kind.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const BINDINGS: [&str; 3] = ["mpif.h", "mpi", "mpi_f08"];

/// A line of the appendix: what its names are, of which bindings, and the names.
struct Line<'t> {
    what: &'t str,
    of: Vec<&'t str>,
    names: Vec<&'t str>,
}

fn appendix() -> Vec<Line<'static>> {
    let lines = include_str!("appendix_a.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let line = |line: &'static str| {
        let (head, names) = line.split_once(": ").expect("a line says what its names are");
        let (what, of) = head.split_once(" of ").unwrap_or((head, "mpif.h mpi mpi_f08"));
        Line { what, of: of.split(' ').collect(), names: names.split(' ').collect() }
    };
    lines.map(line).collect()
}

/// The appendix's names that are no functions, by their upper case, each with what a binding has to declare it as.
fn expected(binding: &str) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for Line { what, of, names } in appendix() {
        let kind = match (what, binding) {
            ("only c" | "only c functions" | "functions" | "callback" | "type", _) => continue,
            ("integer" | "logical" | "offset" | "variable" | "procedure", _) => what,
            (_, "mpi_f08") => what,
            _ => "integer",
        };
        for name in names.into_iter().filter(|_| of.contains(&binding)) {
            assert!(all.insert(name.to_uppercase(), kind.to_owned()).is_none(), "{name} is in the appendix twice");
        }
    }
    all
}

/// The text of the files of a binding, with continued lines joined.
fn text(binding: &str) -> String {
    let files: &[&str] = match binding {
        "mpif.h" => &["include/mpif.h"],
        "mpi" => &["modules/mpi.f90"],
        _ => &["modules/mpi_f08_types.f90", "modules/mpi_f08_callbacks.f90", "modules/mpi_f08.f90"],
    };
    let read = |file: &&str| {
        let path = crate::root().join("guest-sdk/fortran").join(Path::new(file));
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let text: String = files.iter().map(read).collect();
    text.replace("&\n", " ")
}

/// What a declaration is called in the appendix.
fn kind(declared: &str) -> String {
    let declared = declared.trim().to_lowercase();
    match declared.as_str() {
        "integer" | "logical" => declared,
        "integer(kind=mpi_offset_kind)" => "offset".to_owned(),
        other => {
            let class = other.strip_prefix("type(").and_then(|rest| rest.strip_suffix(')'));
            let class = class.unwrap_or_else(|| panic!("no constant is {declared}"));
            // MPI_Comm
            format!("MPI_{}{}", class[4..5].to_uppercase(), &class[5..])
        }
    }
}

/// What a binding declares that is no function: name in upper case, what it is.
fn declared(binding: &str, text: &str) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let mut types = BTreeMap::new();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('!')) {
        let upper = line.to_uppercase();
        if let Some((ty, rest)) = line.split_once(", parameter :: ") {
            let name = rest.split('=').next().unwrap_or_default().trim();
            all.insert(name.to_uppercase(), kind(ty));
        } else if let Some(rest) = upper.strip_prefix("PARAMETER (") {
            let name = rest.split('=').next().unwrap_or_default().to_owned();
            let ty: &String = types.get(&name).unwrap_or_else(|| panic!("{name} has no type"));
            all.insert(name, kind(ty));
        } else if let Some((_, names)) = upper.strip_prefix("COMMON /").and_then(|rest| rest.split_once("/ ")) {
            all.extend(names.split(", ").map(|name| (name.to_owned(), "variable".to_owned())));
        } else if let Some((_, name)) = line.split_once("bind(C, name=").and_then(|(_, rest)| rest.split_once(":: ")) {
            let name = name.split('(').next().unwrap_or_default();
            all.insert(name.to_uppercase(), "variable".to_owned());
        } else if let Some((ty, name)) = line.split_once(" MPI_").filter(|_| binding == "mpif.h") {
            types.insert(format!("MPI_{}", name.to_uppercase()), ty.to_owned());
        }
        // Procedures to be passed have names that end like this.
        for word in upper.split(|c: char| !c.is_alphanumeric() && c != '_') {
            let is_passed = ["_FN", "_FN_NULL", "_FN_NULL_C"].iter().any(|end| word.ends_with(end));
            let declares = upper.starts_with("EXTERNAL") || upper.starts_with("SUBROUTINE");
            if is_passed && declares && word.starts_with("MPI_") && !word.contains("_ATTR_FN") {
                all.insert(word.to_owned(), "procedure".to_owned());
            }
        }
    }
    all
}

#[test]
fn each_binding_has_the_constants_of_the_appendix() {
    let mut differences = Vec::new();
    for binding in BINDINGS {
        let (expected, declared) = (expected(binding), declared(binding, &text(binding)));
        assert!(expected.len() > 300, "the appendix has only {} names for {binding}", expected.len());
        for (name, kind) in &expected {
            match declared.get(name) {
                None => differences.push(format!("{binding} does not have {name}")),
                Some(other) if other != kind => differences.push(format!("{name} is {other} in {binding}, not {kind}")),
                Some(_) => {}
            }
        }
        let added = declared.keys().filter(|name| !expected.contains_key(*name));
        differences.extend(added.map(|name| format!("{binding} has {name}, which is not in the appendix")));
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// The names of the generic interfaces of a module.
fn interfaces(text: &str) -> BTreeSet<String> {
    text.lines().filter_map(|line| line.trim().strip_prefix("interface ")).map(str::to_owned).collect()
}

#[test]
fn each_module_has_the_procedures_of_the_appendix() {
    let tables = crate::tables(&crate::root()).unwrap();
    let lines = appendix();
    let listed = |what: &str, binding: &str, name: &str| {
        let is_it = |pattern: &&str| match pattern.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => *pattern == name,
        };
        lines
            .iter()
            .filter(|line| line.what == what)
            .map(|line| (line.of.contains(&binding), &line.names))
            .fold(None, |found, (here, names)| if names.iter().any(is_it) { Some(here) } else { found })
    };
    let of_c = tables.table.functions.iter().map(|function| function.name.as_str());
    let own = ["MPI_F_sync_reg", "MPI_Sizeof", "MPI_Status_f2f08", "MPI_Status_f082f"];
    let mut differences = Vec::new();
    for binding in ["mpi", "mpi_f08"] {
        let interfaces = interfaces(&text(binding));
        let mut wanted = 0;
        for name in of_c.clone().chain(own) {
            let is_there = interfaces.contains(name);
            let profiled = interfaces.contains(&format!("P{name}"));
            let should_be = listed("only c functions", binding, name).is_none()
                && listed("functions", binding, name).unwrap_or(true);
            wanted += usize::from(should_be);
            if (is_there, profiled) != (should_be, should_be) {
                differences
                    .push(format!("{name} in {binding}: {is_there}, with P {profiled}, but it should be {should_be}"));
            }
        }
        assert!(wanted > 420, "only {wanted} procedures are wanted of {binding}");
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn the_modules_have_the_types_and_prototypes_of_the_appendix() {
    let (mpi, f08) = (text("mpi"), text("mpi_f08"));
    let uses = mpi.lines().find(|line| line.contains("use mpi_f08_types, only: ")).expect("mpi takes them from there");
    let used: Vec<&str> = uses.split([',', ' ']).collect();
    for Line { what, names, .. } in appendix() {
        for name in names {
            match what {
                "type" => {
                    assert!(f08.contains(&format!("type, bind(C) :: {name}\n")), "{name}");
                    assert!(used.contains(&name), "{name}");
                }
                "callback" => assert!(f08.contains(&format!("subroutine {name}(")), "{name}"),
                _ => {}
            }
        }
    }
}
