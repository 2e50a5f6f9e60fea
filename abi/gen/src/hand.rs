//! Bodies that are written by hand, `by = "local mpi"` in the table: one convention for both engines.
//!
//! A body is a function of MPI's name in snake case, or of the row's `worker`: on the embedded engine in a file of
//! `host/src/engine/local/bodies`, on the other in any that `host/mpi/src/bodies.rs` names. It takes
//! - the rank, and what the row's `worker` has in brackets;
//! - `large: bool`, if the function has a variant for large counts: whether it was called;
//! - the guest's words in MPI's order, 0 for one that the variant doesn't have:
//!
//! | in the table | in a body |
//! |---|---|
//! | numbers: `int`, `rank`, `flag`, `count`, `enum` … | `i64` if either variant has an `i64`, else `i32` |
//! | `aint`, `displ`, `extent`, of functions that return an error code | `i64` |
//! | `address @kept`, of such functions | `Kept` |
//! | `buffer`, `address`, `string`, `status`, arrays, all that is `out` or `inout`, pointers of C's | `Addr` |
//! | handles, `tool`, `function` | `u32` |
//!
//! It returns a `Result` of nothing, or of the value where the row says `returns`. On the embedded engine it is `async` if
//! the row waits, polls or calls. So `MPI_Info_get_string(info, key string, buflen inout int, …)` is, on both,
//! `pub(crate) fn info_get_string(r: &Rank, info: u32, key: Addr, buflen: Addr, …) -> Result<()>`.
//!
//! What a body is made of:
//! - on the embedded engine, `host/src/engine/local/shim.rs` reads and writes the guest's words (`shim::handles`,
//!   `shim::put_int`), and the work is a function of the chapter's module in `host/local/src`, with arguments and results
//!   as they suit the body: no row calls it;
//! - on the other, the rank does: `r.ints` and `r.put_int` (`call/words.rs`), `r.buffer` (`call/buffer.rs`), `r.comm`,
//!   `r.datatype` and their kin, which turn a handle into the library's. `r.symbol::<symbols::MPI_Name>()?` is the
//!   library's function, and `r.check(code)?` makes an error of what it returns. `call/shim.rs` lists what the library
//!   takes on trust and a body has to prove.

use anyhow::{Error, Result, anyhow, bail};

use crate::functions::Function;
use crate::parameters::{Kind, Parameter};
use crate::wasm;

/// A function's rows, each with its names and the variant that it is for: one row for both variants, unless the guest's
/// words differ in number.
pub fn rows(function: &Function) -> Vec<(String, Option<bool>)> {
    if function.parameters.iter().any(|p| p.large_only) {
        return function.variants().map(|(name, large)| (name, Some(large))).collect();
    }
    vec![(names(function), None)]
}

/// The names of a function's variants, as a row has them.
pub fn names(function: &Function) -> String {
    function.variants().map(|(name, _)| name).collect::<Vec<_>>().join(" / ")
}

/// A failure to make a function's row by the rules, with what to do where none fits. The others just say where they are.
pub fn advised(row: Result<String>, function: &Function, engine: &str, by_hand: bool) -> Result<String> {
    let advise = |error: Error| match by_hand || function.collective.is_some() {
        true => error.context(format!("{} on the engine {engine}", function.name)),
        false => anyhow!(
            "{} on the engine {engine}: {error:#}\nWhere no rule fits, its row says by = \"{engine}\" (or \"local mpi\", for \
             both), and bodies::{} is written by hand: the head of abi/gen/src/hand.rs has where, and what it takes.",
            function.name,
            function.worker(engine)
        ),
    };
    row.map_err(advise)
}

/// The parameter that a function returns which has no body: a handle and its integer are the same word.
pub fn converted(function: &Function) -> Result<&Parameter> {
    match function.parameters.as_slice() {
        [one] => Ok(one),
        _ => bail!("it returns a value and has no body"),
    }
}

/// What a word of the guest's is.
#[derive(Debug)]
pub enum Word {
    /// A number that is an `i32` in both variants.
    Int,
    /// An `i64`.
    Long,
    /// An `i32` in one variant and an `i64` in the other, in a row for both.
    Wide,
    /// The `i32` of the two, in a row for its variant alone.
    Narrow,
    Address,
    /// A handle, or a pointer to a function.
    Handle,
}

impl Word {
    pub fn of(function: &Function, p: &Parameter, variant: Option<bool>) -> Self {
        match (wasm::parameter(p, false), wasm::parameter(p, function.marks.large), variant) {
            ("i64", ..) | (_, "i64", Some(true)) => Self::Long,
            (_, "i64", None) => Self::Wide,
            (_, "i64", Some(false)) => Self::Narrow,
            _ if p.by_pointer() => Self::Address,
            _ => match &p.kind {
                Kind::Buffer(..) | Kind::Address { .. } | Kind::String(_) | Kind::Status => Self::Address,
                Kind::Raw(c) if c == "..." || c.contains('*') => Self::Address,
                Kind::Handle(_) | Kind::Tool(_) | Kind::Function(..) | Kind::Raw(_) => Self::Handle,
                _ => Self::Int,
            },
        }
    }
}

/// The call of a body: `large` says which variant was called where a row is for both, `word` reads a word.
pub fn call(
    (function, engine): (&Function, &str),
    variant: Option<bool>,
    large: &str,
    word: impl Fn(&Parameter, Word) -> String,
) -> String {
    let mut arguments: Vec<String> = ["r"].into_iter().chain(function.given(engine)).map(str::to_owned).collect();
    if function.marks.large {
        arguments.push(variant.map_or(large.to_owned(), |large| large.to_string()));
    }
    arguments.extend(function.passed(engine).map(|p| match (variant, Word::of(function, p, variant)) {
        (Some(false), Word::Address) if p.large_only => "Addr::NULL".to_owned(),
        (Some(false), _) if p.large_only => "0".to_owned(),
        (_, kind) => word(p, kind),
    }));
    format!("bodies::{}({})", function.worker(engine), arguments.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::parse;

    const TEXT: &str = r#"
        [info]
        title = "Info"
        hints = "itself"
        [info.MPI_Shelf]
        is = "large"
        worker = "shelf(Kind::Book)"
        params = "info, key string, count, offset, found out flag"
        [info.MPI_Shelf_more]
        is = "large"
        params = "count, more count @large, inout info @large"
    "#;

    #[test]
    fn what_follows_no_rule_is_told_how_it_is_written() {
        let function = &parse(TEXT).unwrap().functions[1];
        let told = |by_hand| advised(Err(anyhow!("more: no rule")), function, "mpi", by_hand).unwrap_err();
        let advice = told(false).to_string();
        assert!(advice.starts_with("MPI_Shelf_more on the engine mpi: more: no rule\n"), "{advice}");
        assert!(advice.contains("by = \"mpi\"") && advice.contains("bodies::shelf_more"), "{advice}");
        assert_eq!(format!("{:#}", told(true)), "MPI_Shelf_more on the engine mpi: more: no rule");
    }

    #[test]
    fn words_have_their_types_in_every_variant() {
        let functions = parse(TEXT).unwrap().functions;
        let calls = |function: &Function| -> Vec<String> {
            let word = |p: &Parameter, word: Word| format!("{word:?} {}", p.name);
            rows(function).into_iter().map(|(_, variant)| call((function, "local"), variant, "LARGE", word)).collect()
        };
        let for_both =
            "bodies::shelf(r, Kind::Book, LARGE, Handle info, Address key, Wide count, Long offset, Address found)";
        assert_eq!(calls(&functions[0]), [for_both]);
        let [narrow, large] = [
            "bodies::shelf_more(r, false, Narrow count, 0, Addr::NULL)",
            "bodies::shelf_more(r, true, Long count, Long more, Address info)",
        ];
        assert_eq!(calls(&functions[1]), [narrow, large]);
    }
}
