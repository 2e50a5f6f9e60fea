//! The body of a shim: reads arrays and strings, calls the engine's function, writes the results.
//!
//! The engine's function has MPI's name in snake case, unless the row names another (`worker`). After the rank it takes what goes in, in MPI's order:
//!
//! | in the table | in the engine |
//! |---|---|
//! | `int`, `rank`, `tag` and their like | `i32`; `flag` is a `bool` |
//! | `count`, `displ`, `extent`, `aint`, `offset`, `bigcount` | `i64`, for both variants of a function |
//! | handles | `Comm`, `Datatype`, …: their types in `rankine-abi` |
//! | buffers and addresses | `Addr`; the engine proves what it touches. `Kept`, where they are `@kept` |
//! | `string`, `status`, `function` | `&str`, `Status`, `FnPtr` |
//! | `tool`, `enum` | `u32`, `i32` |
//! | arrays | slices, of `i32` for flags; weights `Option<&[i32]>`, `None` for `MPI_UNWEIGHTED` |
//!
//! It returns a `Result` of what comes out, buffers aside, in the same types: nothing, a value, or a tuple; strings and
//! arrays owned, but `&'static str` where the guest passes the address of a length. An `inout` parameter goes in by its value and comes out again. So `MPI_Get_count(status, datatype, out
//! count)` is `pub fn get_count(r: &Rank, status: Status, datatype: Datatype) -> Result<i64>`.

use std::cell::Cell;

use anyhow::{Result, bail, ensure};

use crate::functions::Function;
use crate::parameters::{Area, Direction, InPlace, Kind, Length, Parameter, Property};
use crate::proofs::Traffic;
use crate::wasm;

/// The body of a shim, in its parts.
pub struct Body {
    /// What reads the arguments that lie in the guest's memory.
    reads: Vec<String>,
    module: String,
    name: String,
    /// What it is called with, the rank aside: the parameter, unless the row gives it, and its expression.
    arguments: Vec<(Option<String>, String)>,
    is_async: bool,
    /// For each result of the engine: its name, and the statement that writes it.
    results: Vec<(String, String)>,
    /// New handles: the parameter, and the null handle that it gets if the call fails.
    nulls: Vec<(String, String)>,
    /// It receives into a buffer: a message that does not fit is an error with a status.
    receives: bool,
    /// It asks which variant was called.
    pub asks_large: bool,
}

impl Body {
    /// The body of a function's shim; an error if its parameters follow no rule.
    pub fn new(function: &Function) -> Result<Self> {
        Builder { function, reads: Vec::new(), asks_large: Cell::new(false) }.build()
    }

    /// The statements of a shim that calls the engine's function of its name.
    pub fn statements(&self) -> Vec<String> {
        let wait = if self.is_async { ".await" } else { "" };
        let call = format!("{}{wait}", self.call());
        let mut out = if self.nulls.is_empty() { self.reads.clone() } else { Vec::new() };
        match self.results.as_slice() {
            [] => out.push(call),
            [(_, _)] if let [(name, _)] = self.nulls.as_slice() => {
                out.push(format!("shim::put_new(r, {name}, {name:?}, {})", self.making()));
            }
            [(_, _)] if self.receives => out.push(format!("shim::put_received(r, status, {call})")),
            results => {
                let names: Vec<&str> = results.iter().map(|(name, _)| name.as_str()).collect();
                let pattern = if let [name] = names[..] { name.to_owned() } else { format!("({})", names.join(", ")) };
                if self.receives {
                    out.push(format!("let received = {call};"));
                    out.push("shim::put_status_of_failure(r, status, &received, \"status\")?;".to_owned());
                    out.push(format!("let {pattern} = received?;"));
                } else if self.nulls.is_empty() {
                    out.push(format!("let {pattern} = {call}?;"));
                } else {
                    let put = |(name, null): &(String, String)| format!("shim::put_null(r, {name}, {null});");
                    let nulls: Vec<String> = self.nulls.iter().map(put).collect();
                    out.push(format!("let {pattern} = {}.inspect_err(|_| {{ {} }})?;", self.making(), nulls.join(" ")));
                }
                for (at, (_, write)) in results.iter().enumerate() {
                    out.push(format!("{write}{}", if at + 1 == results.len() { "" } else { "?;" }));
                }
            }
        }
        out
    }

    /// The call of the function that goes as far as it comes without waiting, and the statements that follow it, or the
    /// rest of it.
    pub fn at_once(&self) -> Result<[Vec<String>; 2]> {
        ensure!(self.reads.is_empty() && self.results.len() <= 1, "there is a rule for waiting only");
        let call = self.call_of("_at_once");
        let then = match self.results.as_slice() {
            [] => vec!["done".to_owned()],
            [_] if self.receives => vec!["shim::put_received(r, status, done)".to_owned()],
            [(name, write), ..] => vec![format!("let {name} = done?;"), write.clone()],
        };
        Ok([vec![call], then])
    }

    /// The statements that make a collective operation on the communicator `c`.
    pub fn constructing(&self, constructor: &str) -> Vec<String> {
        let others = self.arguments.iter().filter(|(of, _)| of.as_deref() != Some("comm"));
        let arguments: String = others.map(|(_, argument)| format!(", {argument}")).collect();
        let mut out = self.reads.clone();
        out.push(format!("{constructor}(r, c{arguments})"));
        out
    }

    /// The call of the engine's function.
    fn call(&self) -> String {
        self.call_of("")
    }

    /// The call of the function of its name and this ending.
    fn call_of(&self, ending: &str) -> String {
        let arguments: String = self.arguments.iter().map(|(_, argument)| format!(", {argument}")).collect();
        format!("{}::{}{ending}(r{arguments})", self.module, self.name)
    }

    /// The call of a function that makes handles: where what it reads is not there, they are null too.
    fn making(&self) -> String {
        match (self.reads.as_slice(), self.is_async) {
            ([], true) => format!("{}.await", self.call()),
            ([], false) => self.call(),
            (reads, true) => format!("async {{\n    {}\n    {}.await\n}}.await", reads.join("\n    "), self.call()),
            (reads, false) => format!("(|| {{\n    {}\n    {}\n}})()", reads.join("\n    "), self.call()),
        }
    }
}

/// Whether the engine's function is `async`: because it may wait, call the guest, or let others run.
pub fn is_async(function: &Function) -> bool {
    function.marks.waits || function.marks.polls || function.marks.calls
}

struct Builder<'a> {
    function: &'a Function,
    reads: Vec<String>,
    asks_large: Cell<bool>,
}

impl Builder<'_> {
    fn build(mut self) -> Result<Body> {
        let function = self.function;
        self.conditions();
        let mut arguments: Vec<_> = function.given("local").map(|given| (None, given.to_owned())).into_iter().collect();
        for p in function.passed("local").filter(|p| is_passed(p) && !function.gives_length(&p.name)) {
            arguments.push((Some(p.name.clone()), self.argument(p)?));
        }
        let returned = function.parameters.iter().filter(|p| is_returned(p) && !function.gives_length(&p.name));
        let results = returned.map(|p| self.write(p)).collect::<Result<_>>()?;
        Ok(Body {
            reads: self.reads,
            module: function.module.clone(),
            name: function.worker("local"),
            arguments,
            is_async: is_async(function),
            results,
            nulls: function.of_variant(false).filter_map(new_handle).collect(),
            receives: receives(function),
            asks_large: self.asks_large.get(),
        })
    }

    /// What must be known before arrays are read: whether the caller is the root, whether a buffer is in place.
    fn conditions(&mut self) {
        if self.function.parameters.iter().any(|p| p.root_only && !p.lengths.is_empty()) {
            self.reads.push("let at_root = shim::is_root(r, handle(comm), root)?;".to_owned());
        }
        for p in &self.function.parameters {
            if p.in_place == Some(InPlace::Everyone) && matches!(&p.kind, Kind::Buffer(Area::Blocks { .. }, _)) {
                self.reads.push(format!("let in_place = {} == MPI_IN_PLACE;", p.name));
            }
        }
    }

    /// The condition under which an array is significant.
    fn significant(&self, array: &Parameter) -> Option<&'static str> {
        if array.root_only {
            return Some("at_root");
        }
        let of_buffer_in_place = |p: &&Parameter| match &p.kind {
            Kind::Buffer(Area::Blocks { .. }, _) => {
                p.in_place == Some(InPlace::Everyone) && p.uses().contains(&array.name.as_str())
            }
            _ => false,
        };
        self.function.parameters.iter().find(of_buffer_in_place).map(|_| "!in_place")
    }

    /// What is passed to the engine for a parameter; reads it first where it lies in memory.
    fn argument(&mut self, p: &Parameter) -> Result<String> {
        let name = p.variable();
        if !p.lengths.is_empty() {
            return self.array(p);
        }
        if p.direction == Direction::InOut && !matches!(p.kind, Kind::Buffer(..)) {
            let read = match &p.kind {
                Kind::Handle(_) => format!("shim::get_handle(r, {name}, {name:?})?"),
                Kind::Status => format!("shim::get_status(r, {name}, {name:?})?"),
                Kind::Count => format!("shim::get_count(r, {}, {name}, {name:?})?", self.large()),
                Kind::Extent => format!("shim::get_extent(r, {}, {name}, {name:?})?", self.large()),
                Kind::Tool(_) => format!("shim::get_tool(r, {name}, {name:?})?"),
                kind if is_int(kind) => format!("shim::get_int(r, {name}, {name:?})?"),
                kind => bail!("{name}: no rule for an inout {kind:?}"),
            };
            self.reads.push(format!("let {name}_before = {read};"));
            return Ok(format!("{name}_before"));
        }
        Ok(match &p.kind {
            Kind::Flag => format!("{name} != 0"),
            Kind::Count if !self.function.marks.large => format!("i64::from({name})"),
            Kind::Count | Kind::Offset | Kind::BigCount | Kind::Extent | Kind::Displ | Kind::Aint => name.to_owned(),
            kind if is_int(kind) => name.to_owned(),
            Kind::Handle(_) => format!("handle({name})"),
            Kind::Tool(_) => format!("{name} as u32"),
            Kind::Enum(_) => name.to_owned(),
            Kind::Buffer(..) | Kind::Address { .. } => name.to_owned(),
            Kind::Function(..) => format!("FnPtr({name} as u32)"),
            Kind::String(None) => {
                self.reads.push(format!("let {name} = shim::string(r, {name}, {name:?})?;"));
                format!("&{name}")
            }
            Kind::Status => {
                self.reads.push(format!("let {name} = shim::get_status(r, {name}, {name:?})?;"));
                name.to_owned()
            }
            kind => bail!("{name}: no rule for {kind:?}"),
        })
    }

    /// Reads an array where it is significant.
    fn array(&mut self, p: &Parameter) -> Result<String> {
        let name = p.variable();
        let lengths: Vec<String> = p.lengths.iter().map(|length| self.length(length)).collect::<Result<_>>()?;
        let length = lengths.join(" * ");
        let read = match &p.kind {
            Kind::Weight => {
                self.reads.push(format!("let {name} = shim::weights(r, {name}, {length}, {name:?})?;"));
                return Ok(format!("{name}.as_deref()"));
            }
            Kind::Handle(_) => format!("shim::handles(r, {name}, {length}, {name:?})?"),
            Kind::Count => format!("shim::counts(r, {}, {name}, {length}, {name:?})?", self.large()),
            Kind::Extent => format!("shim::extents(r, {}, {name}, {length}, {name:?})?", self.large()),
            Kind::Displ => format!("shim::displs(r, {}, {name}, {length}, {name:?})?", self.large()),
            Kind::Aint => format!("shim::aints(r, {name}, {length}, {name:?})?"),
            Kind::Offset | Kind::BigCount => format!("shim::doubles(r, {name}, {length}, {name:?})?"),
            kind if is_int(kind) => format!("shim::ints(r, {name}, {length}, {name:?})?"),
            kind => bail!("{name}: no rule for an array of {kind:?}"),
        };
        let bound = if p.direction == Direction::InOut { format!("{name}_before") } else { name.to_owned() };
        let read = match self.significant(p) {
            Some(condition) => format!("if {condition} {{ {read} }} else {{ Vec::new() }}"),
            None => read,
        };
        self.reads.push(format!("let {bound} = {read};"));
        Ok(format!("&{bound}"))
    }

    /// `large`, if the function has a large variant.
    fn large(&self) -> &'static str {
        self.asks_large.set(self.asks_large.get() || self.function.marks.large);
        if self.function.marks.large { "large" } else { "false" }
    }

    /// A length as an expression of type `i64`.
    fn length(&self, length: &Length) -> Result<String> {
        Ok(match length {
            Length::Number(number) => number.to_string(),
            Length::Constant(name) => format!("i64::from({name})"),
            Length::Parameter(name) => {
                let p = self.function.parameter(name).expect("checked when parsed");
                let wide = p.long().is_some() || wasm::widest(p, self.function.marks.large) == "i64";
                if wide { name.to_owned() } else { format!("i64::from({name})") }
            }
            Length::Sum(a, b) => format!("{} + {}", self.length(a)?, self.length(b)?),
            Length::Product(a, b) => format!("{} * {}", self.length(a)?, self.length(b)?),
            Length::Of(property, name) => match property {
                Property::Peers => format!("shim::peers(r, handle({name}))?"),
                Property::Members => format!("shim::members(r, handle({name}))?"),
                Property::Dimensions => format!("shim::dimensions(r, handle({name}))?"),
                Property::Sources => format!("shim::sources(r, handle({name}))?"),
                Property::Destinations => format!("shim::destinations(r, handle({name}))?"),
                Property::SumOfElements => format!("shim::sum(&{name})"),
                Property::LastElement => format!("shim::last(&{name})"),
                Property::OwnElement => bail!("only proofs of the engine mpi have a rule for own({name})"),
            },
        })
    }

    /// The name of a result, and the statement that writes it, without its `?`.
    fn write(&self, p: &Parameter) -> Result<(String, String)> {
        let name = p.variable();
        let value = format!("{name}_after");
        let put = match (&p.kind, p.lengths.is_empty()) {
            (Kind::Handle(_), false) => format!("shim::put_handles(r, {name}, &{value}, {name:?})"),
            (Kind::Weight, false) => format!("shim::put_weights(r, {name}, &{value}, {name:?})"),
            (Kind::Flag, false) => format!("shim::put_flags(r, {name}, &{value}, {name:?})"),
            (kind, false) if is_int(kind) => format!("shim::put_ints(r, {name}, &{value}, {name:?})"),
            (Kind::Status, true) if p.direction == Direction::InOut => {
                format!("shim::put_whole_status(r, {name}, &{value}, {name:?})")
            }
            (Kind::Status, true) => format!("shim::put_status(r, {name}, &{value}, {name:?})"),
            (Kind::Handle(_), true) => format!("shim::put_handle(r, {name}, {value}, {name:?})"),
            (Kind::Flag, true) => format!("shim::put_flag(r, {name}, {value}, {name:?})"),
            (Kind::Count, true) => format!("shim::put_count(r, {}, {name}, {value}, {name:?})", self.large()),
            (Kind::Extent, true) => format!("shim::put_extent(r, {}, {name}, {value}, {name:?})", self.large()),
            (Kind::Displ, true) => format!("shim::put_displ(r, {}, {name}, {value}, {name:?})", self.large()),
            (Kind::Aint, true) => format!("shim::put_aint(r, {name}, {value}, {name:?})"),
            (Kind::Offset | Kind::BigCount, true) => format!("shim::put_double(r, {name}, {value}, {name:?})"),
            // An attribute that there is not leaves the guest's pointer as it was.
            (Kind::Address { .. }, true) if self.function.parameter("flag").is_some() => {
                format!("if flag_after {{ shim::put_kept(r, {name}, {value}, {name:?}) }} else {{ Ok(()) }}")
            }
            (Kind::Address { .. }, true) => format!("shim::put_address(r, {name}, {value}, {name:?})"),
            (Kind::String(Some(Length::Parameter(length))), true) if self.function.gives_length(length) => {
                return Ok((value.clone(), format!("shim::put_text(r, {name}, {length}, {value}, {name:?})")));
            }
            (Kind::String(Some(room)), true) => {
                let put = format!("shim::put_string(r, {name}, &{value}, {}, {name:?})", self.length(room)?);
                match self.function.parameter("resultlen") {
                    Some(_) => format!("let length = {put}?;\nshim::put_int(r, resultlen, length, \"resultlen\")"),
                    None => format!("{put}.map(drop)"),
                }
            }
            (Kind::Tool(_), true) => format!("shim::put_tool(r, {name}, {value}, {name:?})"),
            (Kind::Enum(_), true) => format!("shim::put_int(r, {name}, {value}, {name:?})"),
            (kind, true) if is_int(kind) => format!("shim::put_int(r, {name}, {value}, {name:?})"),
            (kind, _) => bail!("{name}: no rule for an out {kind:?}"),
        };
        let put = if p.ignorable { format!("shim::if_wanted({name}, || {put})") } else { put };
        Ok((value, put))
    }
}

/// A parameter that gets a new handle, with the null handle of its class.
fn new_handle(p: &Parameter) -> Option<(String, String)> {
    match p.kind {
        Kind::Handle(class) if p.direction == Direction::Out && p.lengths.is_empty() && !p.ignorable => {
            Some((p.variable().to_owned(), format!("{}::NULL", class.rust())))
        }
        _ => None,
    }
}

/// Whether it waits for a message and gives its status.
fn receives(function: &Function) -> bool {
    let buffer = |p: &Parameter| matches!(p.kind, Kind::Buffer(..)) && p.direction != Direction::In;
    let status =
        |p: &Parameter| matches!(p.kind, Kind::Status) && p.direction == Direction::Out && p.lengths.is_empty();
    let has = |is: &dyn Fn(&Parameter) -> bool| function.parameters.iter().any(is);
    function.proofs.traffic == Some(Traffic::Messages) && has(&buffer) && has(&status)
}

/// Whether the engine's function has a parameter for it.
fn is_passed(p: &Parameter) -> bool {
    p.direction != Direction::Out || matches!(p.kind, Kind::Buffer(..))
}

/// Whether the engine's function returns it.
fn is_returned(p: &Parameter) -> bool {
    p.direction != Direction::In && !matches!(p.kind, Kind::Buffer(..)) && p.name != "resultlen"
}

/// Kinds that are a C `int` and an `i32` of the engine.
fn is_int(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Int
            | Kind::Flag
            | Kind::Rank
            | Kind::Root
            | Kind::Dest
            | Kind::Source
            | Kind::Tag
            | Kind::AnyTag
            | Kind::Index
            | Kind::Keyval
            | Kind::Weight
    )
}

/// How a registration says whose error handler catches the errors of a call.
pub fn on(function: &Function) -> String {
    use crate::functions::Errors;
    match &function.errors {
        Errors::None => "On::Nothing".to_owned(),
        Errors::Myself => "On::Myself".to_owned(),
        Errors::File => "On::File(File::NULL)".to_owned(),
        Errors::Given { handler, class } => format!("On::Given(Serves::{}, handle({handler}))", class.rust()),
        Errors::Of(name) => {
            let p = function.parameter(name).expect("it was found there");
            match (&p.kind, p.direction) {
                (Kind::Handle(class), Direction::In) => format!("On::{}(handle({name}))", class.rust()),
                // It lies in the guest's memory, perhaps outside; the engine says whose error it is where that matters.
                _ => "On::Myself".to_owned(),
            }
        }
    }
}
