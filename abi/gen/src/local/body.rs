//! The body of a shim: reads arrays and strings, calls the engine, writes the results.

use std::fmt::Write;

use anyhow::{Result, bail, ensure};

use super::engine::Declared;
use crate::functions::Function;
use crate::parameters::{Area, Direction, InPlace, Kind, Length, Parameter, Property};
use crate::wasm;

/// The body of a shim, and what its registration needs to know.
pub struct Body {
    /// What the registration calls.
    pub path: String,
    pub is_async: bool,
    /// It takes `large: bool`.
    pub large: bool,
    /// There is a body `NAME_at_once`, to be tried first.
    pub at_once: bool,
    /// What is to be generated, unless the body is written by hand.
    code: Option<Code>,
}

/// A generated body.
struct Code {
    /// The names of the functions that share it.
    names: Vec<String>,
    /// Name and wasm type of each parameter, the wider one where variants differ.
    parameters: Vec<(String, &'static str)>,
    reads: Vec<String>,
    call: String,
    /// For each result of the engine: its name, and the statement that writes it.
    results: Vec<(String, String)>,
    /// New handles: the parameter, and the null handle that it gets if the call fails.
    nulls: Vec<(String, String)>,
    /// It receives into a buffer: a message that does not fit is an error with a status.
    receives: bool,
}

impl Body {
    /// The body for a function that the engine declares so.
    pub fn new(function: &Function, declared: &Declared) -> Result<Self> {
        Builder { function, reads: Vec::new() }.build(declared)
    }

    /// A body that is written by hand: it takes the guest's words, after `large` if it serves both variants.
    pub fn written(function: &Function, declared: &Declared) -> Result<Self> {
        let large = declared.parameters.first().is_some_and(|c| c == "bool");
        let words = function.of_variant(function.marks.large).map(|p| wasm::widest(p, function.marks.large));
        let expected: Vec<&str> = large.then_some("bool").into_iter().chain(words).collect();
        ensure!(declared.parameters == expected, "{} takes {:?}, not {expected:?}", declared.path, declared.parameters);
        Ok(Self { path: declared.path.clone(), is_async: declared.is_async, large, at_once: false, code: None })
    }

    /// Writes the function, if it is not written by hand.
    pub fn emit(&self, out: &mut String) -> Result<()> {
        match &self.code {
            Some(code) => {
                code.emit(out, self)?;
                if self.at_once { code.emit_at_once(out, self) } else { Ok(()) }
            }
            None => Ok(()),
        }
    }
}

impl Code {
    /// Whether it reads nothing and writes one result at most.
    fn is_plain(&self) -> bool {
        self.reads.is_empty() && self.results.len() <= 1
    }

    /// The body for the usual case: `None` when nothing was done.
    fn emit_at_once(&self, out: &mut String, body: &Body) -> Result<()> {
        let parameters: String = self.parameters.iter().map(|(name, c)| format!(", {name}: {c}")).collect();
        writeln!(out, "/// [`{}`] if it need not wait.\n#[inline(always)]", body.path)?;
        if self.parameters.len() + 1 > 7 {
            writeln!(out, "#[allow(clippy::too_many_arguments)] // They are those of MPI.")?;
        }
        writeln!(out, "fn {}_at_once(r: &Rank{parameters}) -> Option<Result<()>> {{", body.path)?;
        let call = self.call.replacen('(', "_at_once(", 1);
        match self.results.as_slice() {
            [(name, write)] => writeln!(out, "let {name} = {call}?;\nSome({write})")?,
            _ => writeln!(out, "{call}?;\nSome(Ok(()))")?,
        }
        writeln!(out, "}}\n")?;
        Ok(())
    }

    /// The call of a function that makes handles: where it fails, or what it reads is not there, they are null.
    fn making_call(&self, is_async: bool) -> String {
        let put = |(name, null): &(String, String)| format!("shim::put_null(r, {name}, {null})");
        let nulls = match self.nulls.as_slice() {
            [one] => put(one),
            several => format!("{{ {}; }}", several.iter().map(put).collect::<Vec<_>>().join("; ")),
        };
        let wait = if is_async { ".await" } else { "" };
        let making = match (self.reads.as_slice(), is_async) {
            ([], _) => format!("{}{wait}", self.call),
            (reads, true) => format!("async {{ {} {}.await }}.await", reads.join(" "), self.call),
            (reads, false) => format!("(|| {{ {} {} }})()", reads.join(" "), self.call),
        };
        format!("{making}.inspect_err(|_| {nulls})")
    }

    fn emit(&self, out: &mut String, body: &Body) -> Result<()> {
        let names: Vec<String> = self.names.iter().map(|name| format!("`{name}`")).collect();
        writeln!(out, "/// {}", names.join(", "))?;
        let keyword = if body.is_async { "async fn" } else { "fn" };
        let large = if body.large { ", large: bool" } else { "" };
        let parameters: String = self.parameters.iter().map(|(name, c)| format!(", {name}: {c}")).collect();
        if self.parameters.len() + usize::from(body.large) + 1 > 7 {
            writeln!(out, "#[allow(clippy::too_many_arguments)] // They are those of MPI.")?;
        }
        writeln!(out, "{keyword} {}(r: &Rank{large}{parameters}) -> Result<()> {{", body.path)?;
        for read in self.reads.iter().filter(|_| self.nulls.is_empty()) {
            writeln!(out, "{read}")?;
        }
        let wait = if body.is_async { ".await" } else { "" };
        match self.results.as_slice() {
            [] => writeln!(out, "{}{wait}", self.call)?,
            results => {
                let names: Vec<&str> = results.iter().map(|(name, _)| name.as_str()).collect();
                let pattern = if let [name] = names[..] { name.to_owned() } else { format!("({})", names.join(", ")) };
                if self.receives {
                    writeln!(out, "let received = {}{wait};", self.call)?;
                    writeln!(out, "shim::put_status_of_failure(r, status, &received, \"status\")?;")?;
                    writeln!(out, "let {pattern} = received?;")?;
                } else if self.nulls.is_empty() {
                    writeln!(out, "let {pattern} = {}{wait}?;", self.call)?;
                } else {
                    writeln!(out, "let {pattern} = {}?;", self.making_call(body.is_async))?;
                }
                for (at, (_, write)) in results.iter().enumerate() {
                    writeln!(out, "{write}{}", if at + 1 == results.len() { "" } else { "?;" })?;
                }
            }
        }
        writeln!(out, "}}\n")?;
        Ok(())
    }
}

struct Builder<'a> {
    function: &'a Function,
    reads: Vec<String>,
}

impl Builder<'_> {
    fn build(mut self, declared: &Declared) -> Result<Body> {
        let function = self.function;
        self.conditions();
        let mut passed: Vec<&Parameter> = function.parameters.iter().filter(|p| is_passed(p)).collect();
        if passed.len() != declared.parameters.len() {
            passed.retain(|p| !self.is_mere_length(p));
        }
        ensure!(
            passed.len() == declared.parameters.len(),
            "{} takes {:?}; by the table it takes {:?}",
            declared.path,
            declared.parameters,
            passed.iter().map(|p| p.name.as_str()).collect::<Vec<_>>()
        );
        let mut arguments = vec!["r".to_owned()];
        for (p, declared_type) in passed.iter().zip(&declared.parameters) {
            arguments.push(self.argument(p, declared_type)?);
        }
        let results = self.results(declared)?;
        let uses_large = |text: &String| text.contains("large,");
        let large = self.reads.iter().chain(results.iter().map(|(_, write)| write)).any(uses_large);
        let code = Code {
            names: function.variants().map(|(name, _)| name).collect(),
            parameters: function
                .of_variant(false)
                .map(|p| (p.variable().to_owned(), wasm::widest(p, function.marks.large)))
                .collect(),
            nulls: function.of_variant(false).filter_map(new_handle).collect(),
            receives: receives(function),
            reads: self.reads,
            call: format!("rankine_local::{}({})", declared.path, arguments.join(", ")),
            results,
        };
        ensure!(!declared.at_once || code.is_plain(), "{} has a rule for waiting only", declared.path);
        let Declared { is_async, at_once, .. } = *declared;
        Ok(Body { path: function.snake(), is_async, large, at_once, code: Some(code) })
    }

    /// Whether it says nothing but how long an array is, so that the engine may do without it.
    fn is_mere_length(&self, p: &Parameter) -> bool {
        let of = |array: &Parameter| array.lengths.iter().any(|length| *length == Length::Parameter(p.name.to_owned()));
        p.lengths.is_empty() && self.function.parameters.iter().any(of)
    }

    /// What must be known before arrays are read: whether the caller is the root, whether a buffer is in place.
    fn conditions(&mut self) {
        if self.function.parameters.iter().any(|p| p.root_only && !p.lengths.is_empty()) {
            self.reads.push("let at_root = shim::is_root(r, handle(comm), root)?;".to_owned());
        }
        for p in &self.function.parameters {
            if p.in_place == Some(InPlace::Everyone) && matches!(&p.kind, Kind::Buffer(Area::Blocks { .. }, _)) {
                self.reads.push(format!("let in_place = addr({}) == MPI_IN_PLACE;", p.name));
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
    fn argument(&mut self, p: &Parameter, declared: &str) -> Result<String> {
        let name = p.variable();
        if !p.lengths.is_empty() {
            return self.array(p, declared);
        }
        if p.direction == Direction::InOut && !matches!(p.kind, Kind::Buffer(..)) {
            let read = match &p.kind {
                Kind::Handle(_) => format!("shim::get_handle(r, {name}, {name:?})?"),
                Kind::Status => format!("shim::get_status(r, {name}, {name:?})?"),
                Kind::Count | Kind::Extent => {
                    format!("shim::get_count(r, {}, {name}, {name:?})?", self.large())
                }
                kind if is_int(kind) => format!("shim::get_int(r, {name}, {name:?})?"),
                kind => bail!("{name}: no rule for an inout {kind:?}"),
            };
            self.reads.push(format!("let {name}_before = {read};"));
            let expected = result_type(p)?;
            return fit(name, declared, &[(&expected, format!("{name}_before"))]);
        }
        match &p.kind {
            Kind::Flag => fit(name, declared, &[("i32", name.to_owned()), ("bool", format!("{name} != 0"))]),
            kind if is_int(kind) => fit(name, declared, &[("i32", name.to_owned())]),
            Kind::Count | Kind::Extent if wasm::widest(p, self.function.marks.large) == "i64" => {
                fit(name, declared, &[("i64", name.to_owned())])
            }
            Kind::Offset | Kind::BigCount => fit(name, declared, &[("i64", name.to_owned())]),
            Kind::Count | Kind::Extent | Kind::Displ | Kind::Aint => {
                fit(name, declared, &[("i64", format!("i64::from({name})"))])
            }
            Kind::Handle(class) => fit(name, declared, &[(class.rust(), format!("handle({name})"))]),
            Kind::Buffer(..) | Kind::Address { .. } => fit(name, declared, &[("Addr", format!("addr({name})"))]),
            Kind::Function(..) => fit(name, declared, &[("FnPtr", format!("FnPtr({name} as u32)"))]),
            Kind::String(None) => {
                self.reads.push(format!("let {name} = shim::string(r, {name}, {name:?})?;"));
                fit(name, declared, &[("&str", format!("&{name}"))])
            }
            Kind::Status => {
                self.reads.push(format!("let {name} = shim::get_status(r, {name}, {name:?})?;"));
                fit(name, declared, &[("&Status", format!("&{name}")), ("Status", name.to_owned())])
            }
            kind => bail!("{name}: no rule for {kind:?}"),
        }
    }

    /// Reads an array where it is significant.
    fn array(&mut self, p: &Parameter, declared: &str) -> Result<String> {
        let name = p.variable();
        let lengths: Vec<String> = p.lengths.iter().map(|length| self.length(length)).collect::<Result<_>>()?;
        let length = lengths.join(" * ");
        let (element, read) = match &p.kind {
            Kind::Weight => {
                self.reads.push(format!("let {name} = shim::weights(r, {name}, {length}, {name:?})?;"));
                return fit(name, declared, &[("Option<&[i32]>", format!("{name}.as_deref()"))]);
            }
            Kind::Handle(class) => (class.rust(), format!("shim::handles(r, {name}, {length}, {name:?})?")),
            Kind::Count | Kind::Extent => {
                ("i64", format!("shim::counts(r, {}, {name}, {length}, {name:?})?", self.large()))
            }
            Kind::Displ | Kind::Aint => ("i64", format!("shim::words(r, {name}, {length}, {name:?})?")),
            Kind::Offset | Kind::BigCount => ("i64", format!("shim::doubles(r, {name}, {length}, {name:?})?")),
            kind if is_int(kind) => ("i32", format!("shim::ints(r, {name}, {length}, {name:?})?")),
            kind => bail!("{name}: no rule for an array of {kind:?}"),
        };
        let bound = if p.direction == Direction::InOut { format!("{name}_before") } else { name.to_owned() };
        let read = match self.significant(p) {
            Some(condition) => format!("if {condition} {{ {read} }} else {{ Vec::new() }}"),
            None => read,
        };
        self.reads.push(format!("let {bound}: Vec<{element}> = {read};"));
        let mut forms =
            vec![(format!("&[{element}]"), format!("&{bound}")), (format!("Vec<{element}>"), bound.clone())];
        if let [_, Length::Number(inner)] = p.lengths.as_slice() {
            forms.push((format!("&[[{element}; {inner}]]"), format!("{bound}.as_chunks().0")));
        }
        let forms: Vec<(&str, String)> = forms.iter().map(|(c, text)| (c.as_str(), text.clone())).collect();
        fit(name, declared, &forms)
    }

    /// `large`, if the function has a large variant.
    fn large(&self) -> &'static str {
        if self.function.marks.large { "large" } else { "false" }
    }

    /// A length as an expression of type `i64`.
    fn length(&self, length: &Length) -> Result<String> {
        Ok(match length {
            Length::Number(number) => number.to_string(),
            Length::Constant(name) => format!("i64::from({name})"),
            Length::Parameter(name) => {
                let p = self.function.parameter(name).expect("checked when parsed");
                let wide = wasm::widest(p, self.function.marks.large) == "i64";
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
            },
        })
    }

    /// What the engine returns, part by part, and how each part is written.
    fn results(&self, declared: &Declared) -> Result<Vec<(String, String)>> {
        let all: Vec<&Parameter> = self.function.parameters.iter().filter(|p| is_returned(p)).collect();
        // A function may leave a handle as it is that C passes by pointer (MPI_Start).
        let changed: Vec<&Parameter> = all.iter().copied().filter(|p| p.direction == Direction::Out).collect();
        for candidates in [all.clone(), changed] {
            let types: Vec<String> = candidates.iter().map(|p| result_type(p)).collect::<Result<_>>()?;
            let same = |(ours, theirs): (&String, &String)| ours == theirs || is_text(ours) && is_text(theirs);
            if types.len() == declared.results.len() && types.iter().zip(&declared.results).all(same) {
                return candidates.into_iter().map(|p| self.write(p)).collect();
            }
        }
        let expected: Vec<String> = all.iter().map(|p| result_type(p)).collect::<Result<_>>()?;
        bail!("{} returns {:?}; by the table it returns {expected:?}", declared.path, declared.results)
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
            (Kind::Count | Kind::Extent, true) => {
                format!("shim::put_count(r, {}, {name}, {value}, {name:?})", self.large())
            }
            (Kind::Aint | Kind::Displ, true) => format!("shim::put_count(r, false, {name}, {value}, {name:?})"),
            (Kind::Offset | Kind::BigCount, true) => format!("shim::put_double(r, {name}, {value}, {name:?})"),
            // An attribute that there is not leaves the guest's pointer as it was.
            (Kind::Address { .. }, true) if self.function.parameter("flag").is_some() => {
                format!("if flag_after {{ shim::put_int(r, {name}, {value}.0 as i32, {name:?}) }} else {{ Ok(()) }}")
            }
            (Kind::Address { .. }, true) => format!("shim::put_int(r, {name}, {value}.0 as i32, {name:?})"),
            (Kind::String(Some(room)), true) => {
                let put = format!("shim::put_string(r, {name}, &{value}, {}, {name:?})", self.length(room)?);
                match self.function.parameter("resultlen") {
                    Some(_) => format!("let length = {put}?;\nshim::put_int(r, resultlen, length, \"resultlen\")"),
                    None => format!("{put}.map(drop)"),
                }
            }
            (kind, true) if is_int(kind) => format!("shim::put_int(r, {name}, {value}, {name:?})"),
            (kind, _) => bail!("{name}: no rule for an out {kind:?}"),
        };
        Ok((value, put))
    }
}

/// A parameter that gets a new handle, with the null handle of its class.
fn new_handle(p: &Parameter) -> Option<(String, String)> {
    match p.kind {
        Kind::Handle(class) if p.direction == Direction::Out && p.lengths.is_empty() => {
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
    function.chapter == "pt2pt" && function.parameters.iter().any(buffer) && function.parameters.iter().any(status)
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

/// The type of a value that the engine takes and returns.
fn result_type(p: &Parameter) -> Result<String> {
    let element = match &p.kind {
        Kind::Flag => "bool",
        kind if is_int(kind) => "i32",
        Kind::Count | Kind::Extent | Kind::Displ | Kind::Aint | Kind::Offset | Kind::BigCount => "i64",
        Kind::Handle(class) => class.rust(),
        Kind::Status => "Status",
        Kind::String(_) => "String",
        Kind::Address { .. } => "Addr",
        kind => bail!("{}: no rule to return {kind:?}", p.name),
    };
    Ok(if p.lengths.is_empty() { element.to_owned() } else { format!("Vec<{element}>") })
}

/// Types that dereference to `str`.
fn is_text(c: &str) -> bool {
    matches!(c, "String" | "&'static str" | "Cow<'static, str>" | "Rc<str>")
}

/// The form of an argument that has the declared type.
fn fit(name: &str, declared: &str, forms: &[(&str, String)]) -> Result<String> {
    match forms.iter().find(|(c, _)| *c == declared) {
        Some((_, text)) => Ok(text.clone()),
        None => bail!("{name} is declared as {declared}, by the table it is {}", forms[0].0),
    }
}

/// How a registration says whose error handler catches the errors of a call.
pub fn on(function: &Function) -> String {
    use crate::functions::Errors;
    match &function.errors {
        Errors::None => "On::Nothing".to_owned(),
        Errors::Myself => "On::Myself".to_owned(),
        Errors::File => "On::File(File::NULL)".to_owned(),
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
