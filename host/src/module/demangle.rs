//! Names of functions as a person writes them. A module may have any names: some short ones would fill the memory with
//! what they stand for, so what goes in and what comes out is bounded.

use std::fmt::{self, Write};

/// Bytes of a name that is looked at: the longest that compilers make of real templates have some thousands.
const LONGEST: usize = 16 << 10;
/// Bytes of what is shown for a name.
const SHOWN: usize = 2 << 10;

/// Text that takes no more than [`SHOWN`] bytes, and then is an error for whoever writes it.
#[derive(Default)]
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        let room = SHOWN - self.0.len();
        self.0.push_str(&more[..more.floor_char_boundary(room)]);
        if more.len() > room { Err(fmt::Error) } else { Ok(()) }
    }
}

impl Bounded {
    /// What `write` writes, cut off where it is too long; nothing if it fails otherwise.
    fn text(write: impl FnOnce(&mut Bounded) -> fmt::Result) -> Option<String> {
        let mut text = Bounded::default();
        match write(&mut text) {
            Ok(()) => Some(text.0),
            // It was cut off between characters.
            Err(_) if text.0.len() + 4 > SHOWN => Some(text.0 + "..."),
            Err(_) => None,
        }
    }
}

/// A function's name as its language has it; a name that is not mangled, or can't be read, as it is.
pub(crate) fn demangle(name: &str) -> String {
    let known = if name.len() <= LONGEST { demangled(name) } else { None };
    known.unwrap_or_else(|| Bounded::text(|text| text.write_str(name)).unwrap_or_default())
}

fn demangled(name: &str) -> Option<String> {
    if let Ok(rust) = rustc_demangle::try_demangle(name) {
        return Bounded::text(|text| write!(text, "{rust:#}"));
    }
    if let Some(fortran) = name.strip_prefix("_Q").filter(|rest| !rest.is_empty()) {
        return Bounded::text(|text| text.write_str(&fortran_name(fortran)));
    }
    // Only names that are mangled at all: `cpp_demangle` takes a C function named `i` for the type int.
    let symbol = cpp_demangle::Symbol::new(name).ok().filter(|_| name.starts_with("_Z"))?;
    Bounded::text(|text| symbol.structured_demangle(text, &cpp_demangle::DemangleOptions::new()))
}

/// The name of a procedure of Fortran: in `MheatPstep`, capitals mark the module, the procedure and its hosts.
fn fortran_name(mangled: &str) -> String {
    match mangled {
        "Qmain" => "the main program".into(),
        _ => {
            let names = mangled.split(|c: char| c.is_ascii_uppercase()).filter(|name| !name.is_empty());
            names.collect::<Vec<_>>().join("::")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_demangled_only_where_mangled() {
        assert_eq!(demangle("_ZN4heat4stepEi"), "heat::step(int)");
        assert_eq!(demangle("_ZN4ring4main17h0123456789abcdefE"), "ring::main");
        assert_eq!(demangle("_QMheatPstep"), "heat::step");
        assert_eq!(demangle("_QMheatFstepPinner"), "heat::step::inner");
        assert_eq!(demangle("_QQmain"), "the main program");
        assert_eq!(demangle("i"), "i");
        assert_eq!(demangle("main"), "main");
        assert_eq!(demangle("_Z9short"), "_Z9short");
    }

    /// A C++ name whose every level has what the one before stands for as many times as `twice` says.
    fn laughing(levels: u32, twice: usize) -> String {
        let number = |n: u32| char::from_digit(n, 36).unwrap().to_ascii_uppercase();
        let substitution = |n: u32| if n == 0 { "S_".to_owned() } else { format!("S{}_", number(n - 1)) };
        let mut types = format!("1AIiiE1BI{}E", substitution(1).repeat(twice));
        for level in 3..3 + levels {
            types += &format!("{}I{}E", substitution(2), substitution(level).repeat(twice));
        }
        format!("_Z1f{types}")
    }

    #[test]
    fn what_a_name_stands_for_may_be_larger_than_any_memory() {
        let short = demangle(&laughing(1, 2));
        assert!(short.starts_with("f(A<int, int>, B<A<int, int>, A<int, int> >"), "{short}");
        let name = laughing(9, 16);
        assert!(name.len() < 1000);
        let text = demangle(&name);
        assert!(text.starts_with("f(A<int, int>, B<") && text.ends_with("..."), "{text}");
        assert_eq!(text.len(), SHOWN + 3);
    }

    #[test]
    fn long_names_are_cut_off() {
        for name in
            ["a".repeat(1 << 20), "é".repeat(1 << 20), format!("_Z{}", "1A".repeat(1 << 20)), "_QP".repeat(9999)]
        {
            let shown = demangle(&name);
            assert!(shown.len() <= SHOWN + 3 && shown.ends_with("..."), "{} bytes", shown.len());
        }
    }

    #[test]
    fn nested_names_end_somewhere() {
        let name = format!("_Z1f{}i", "P".repeat(10_000));
        assert!(demangle(&name).len() <= SHOWN + 3);
    }
}
