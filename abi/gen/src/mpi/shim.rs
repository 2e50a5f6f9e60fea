//! The statements of one shim: proves and translates the arguments, calls the library, translates the results.

mod number;
mod order;
mod proofs;
mod results;
mod statement;

use anyhow::{Context, Result, bail};

use crate::functions::{Class, Function};
use crate::parameters::{Area, Direction, InPlace, Kind, Length, Parameter, Property};
use crate::proofs::{Access, Hints, Takes};
use number::Number;
use statement::Statement;

/// The statements of a function's shim, which both variants share.
pub fn statements(function: &Function) -> Result<Vec<String>> {
    if function.returns.is_some() {
        bail!("no rule for what returns a value");
    }
    if let Some(p) = function.parameters.iter().find(|p| p.large_only) {
        bail!("{}: no rule for a parameter of the large variant alone", p.name);
    }
    let statements = Shim::new(function).build()?;
    Ok(statements.iter().map(Statement::to_string).collect())
}

/// A shim that is being written.
struct Shim<'a> {
    function: &'a Function,
    /// Statements before the call.
    before: Vec<Statement>,
    /// What stores statuses, which a failed receive has all the same.
    statuses: Vec<String>,
    /// What stores the other results.
    stores: Vec<String>,
    /// Arrays that the operation may look into until it is complete.
    kept: Vec<String>,
    /// Parameters of which the library is told something else: counts and datatypes as bytes, places.
    told: Vec<(String, String)>,
    /// Arrays that are rewritten for that.
    rewritten: Vec<String>,
    /// The statement that makes bytes of the blocks from each process, when all else is proved.
    blocks: Option<Statement>,
    /// It reduces by an operation that the guest may have made.
    reduces: bool,
    /// Its request keeps what a message to the rank itself uses.
    has_own: bool,
}

impl<'a> Shim<'a> {
    fn new(function: &'a Function) -> Self {
        let (before, statuses, stores) = (Vec::new(), Vec::new(), Vec::new());
        let (kept, told, blocks, reduces, has_own) = (Vec::new(), Vec::new(), None, false, false);
        let rewritten = proofs::rewritten(function);
        Self { function, before, statuses, stores, kept, told, rewritten, blocks, reduces, has_own }
    }

    fn build(mut self) -> Result<Vec<Statement>> {
        let function = self.function;
        self.conditions();
        let is_buffer = |p: &&Parameter| matches!(p.kind, Kind::Buffer(..));
        for p in order::before_buffers(function) {
            self.input(p)?;
        }
        for buffer in order::buffers(function) {
            for p in order::of_buffer(function, buffer) {
                self.input(p)?;
            }
            self.buffer(buffer)?;
            self.received(buffer)?;
        }
        self.guards()?;
        for p in order::behind_all(function) {
            self.input(p)?;
        }
        for p in function.parameters.iter().filter(|p| !is_buffer(p) && p.direction != Direction::In) {
            self.output(p)?;
        }
        let arguments: Vec<String> = function.parameters.iter().map(|p| self.argument(p)).collect::<Result<_>>()?;
        Ok(self.with_call(&arguments))
    }

    /// The statements with the call behind them, whose code is checked before results are stored.
    fn with_call(self, arguments: &[String]) -> Vec<Statement> {
        let mut out = self.before;
        let arguments: String = arguments.iter().map(|argument| format!(", {argument}")).collect();
        let mut code = format!("library!(r{arguments})");
        if !self.statuses.is_empty() {
            out.push(Statement::bind("code", code));
            out.extend(self.statuses.into_iter().map(Statement::Do));
            code = "code".to_owned();
        }
        let mut last = format!("r.check({code})");
        for store in self.stores {
            out.push(Statement::Check(std::mem::replace(&mut last, store)));
        }
        out.push(Statement::Give(last));
        out
    }

    /// The number that a kind is; those of the large variant differ.
    fn number(&self, kind: &Kind) -> Option<Number> {
        Number::of(kind, self.function.marks.large)
    }

    /// The number that a parameter is.
    fn number_of(&self, name: &str) -> Result<Number> {
        let number = self.function.parameter(name).and_then(|p| self.number(&p.kind));
        number.with_context(|| format!("{name} is not a number"))
    }

    /// A number that the guest passes, as the library takes it.
    fn word(&self, name: &str) -> Result<String> {
        Ok(self.number_of(name)?.word(self.at(name)))
    }

    /// A number that the guest passes, as an expression of type `i64`.
    fn wide(&self, name: &str) -> Result<String> {
        Ok(self.number_of(name)?.wide(self.at(name)))
    }

    fn bind(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.before.push(Statement::bind(name, value));
    }

    fn room(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.before.push(Statement::room(name, value));
    }

    fn check(&mut self, proof: impl Into<String>) {
        self.before.push(Statement::Check(proof.into()));
    }

    /// The library is told `name_host` instead of this parameter.
    fn told(&mut self, name: &str) {
        self.told.push((name.to_owned(), format!("{name}_host")));
    }

    /// Where a parameter stands among the call's words.
    fn at(&self, name: &str) -> usize {
        let found = self.function.parameters.iter().position(|p| p.name == name);
        found.unwrap_or_else(|| panic!("{} has no parameter {name}, which a proof needs", self.function.name))
    }

    fn address(&self, name: &str) -> String {
        format!("w.addr({})", self.at(name))
    }

    /// Says which of a collective's buffers count for the caller.
    fn conditions(&mut self) {
        let function = self.function;
        if let Some(count) = &function.proofs.index {
            self.check(format!("r.check_index::<symbols::{count}>(w.int(0))"));
        }
        // One with a request is for passive targets alone.
        if function.proofs.access.is_some() && function.parameter("request").is_some() {
            let (win, rank) = (self.at("win"), self.at("target_rank"));
            self.check(format!("r.passive(w.word({win}), w.int({rank}))"));
        }
        let needs_root = function.parameters.iter().any(|p| matches!(p.kind, Kind::Buffer(..)) || p.root_only);
        if let Some(root) = function.parameters.iter().find(|p| matches!(p.kind, Kind::Root)).filter(|_| needs_root) {
            let comm = self.at("comm");
            let root = self.at(&root.name);
            self.bind("side", format!("r.side(w.word({comm}), w.int({root}))?"));
        } else if function.parameters.iter().any(|p| p.root_only) {
            // Intercomm_create: what only the leader has to know.
            let (comm, leader) = (self.at("local_comm"), self.at("local_leader"));
            self.bind("side", format!("r.led_by(w.word({comm}), w.int({leader}))?"));
        }
        for p in function.parameters.iter().filter(|p| matches!(p.kind, Kind::Buffer(..))) {
            let mut terms = Vec::new();
            if function.parameters.iter().any(|p| matches!(p.kind, Kind::Root)) {
                terms.push(match (p.root_only, p.direction) {
                    (true, _) => "side.root".to_owned(),
                    (false, Direction::InOut) => "side.takes_part()".to_owned(),
                    (false, _) => "side.leaf".to_owned(),
                });
            }
            if let Some(who) = p.in_place {
                let in_place = format!("r.in_place({}, w.word({}))?", self.address(&p.name), self.at("comm"));
                terms.push(match who {
                    InPlace::Everyone => format!("!{in_place}"),
                    // Elsewhere it is an address, and a wrong one.
                    InPlace::Root => format!("!(side.root && {in_place})"),
                });
            }
            if let Some(operand) = function.parameters.iter().find(|of| p.behind && of.in_place.is_some()) {
                terms.push(format!("!has_{} || r.is_behind(w.word({}))?", operand.name, self.at("comm")));
            }
            if !terms.is_empty() {
                self.bind(format!("has_{}", p.name), terms.join(" && "));
            }
        }
    }

    fn is_conditional(&self, buffer: &Parameter) -> bool {
        buffer.in_place.is_some()
            || buffer.behind
            || self.function.parameters.iter().any(|p| matches!(p.kind, Kind::Root))
    }

    /// The condition under which an argument counts: that of the buffers that it describes.
    fn significant(&self, p: &Parameter) -> Option<String> {
        let buffers: Vec<&Parameter> = self
            .function
            .parameters
            .iter()
            .filter(|b| matches!(b.kind, Kind::Buffer(..)) && b.uses().contains(&p.name.as_str()))
            .collect();
        let describes = matches!(p.kind, Kind::Handle(Class::Datatype)) || !p.lengths.is_empty();
        if buffers.is_empty() || !describes {
            return p.root_only.then(|| "side.root".to_owned());
        }
        // What is known to rank 0 alone is described all the same.
        if !buffers.iter().all(|b| self.is_conditional(b)) || buffers.iter().any(|b| b.behind) {
            return None;
        }
        let names: Vec<String> = buffers.iter().map(|b| format!("has_{}", b.name)).collect();
        Some(names.join(" || "))
    }

    /// Reads what the caller passes in.
    fn input(&mut self, p: &Parameter) -> Result<()> {
        let (name, at) = (p.variable(), self.at(&p.name));
        if !p.lengths.is_empty() {
            return self.input_array(p);
        }
        if p.direction == Direction::InOut {
            return self.inout(p);
        }
        let (read, absent) = match &p.kind {
            Kind::Handle(Class::Datatype) => {
                let found = match self.function.marks.asks {
                    true => format!("r.asked_datatype(w.word({at}), {name:?})?"),
                    false if p.operand => format!("r.of_operands(w.word({at}), w.word({}), {name:?})?", self.at("op")),
                    false if self.accumulates() => format!("r.accumulated(w.word({at}), {name:?})?"),
                    false => format!("r.datatype(w.word({at}), {name:?})?"),
                };
                (found, format!("r.bystander(w.word({at}))"))
            }
            Kind::Handle(Class::Op) => return self.operation(p),
            Kind::Handle(Class::Info) if self.hints().is_some() => {
                let of = self.hints().expect("just seen");
                (format!("r.hints(w.word({at}), Of::{of}, {name:?})?"), "Default::default()".to_owned())
            }
            Kind::Handle(class) => {
                let find = self.lookup(p, *class);
                (format!("r.{find}(w.word({at}), {name:?})?"), "0".to_owned())
            }
            Kind::Tool(c) => (format!("r.tool(w.word({at}), {c:?})?"), "0".to_owned()),
            Kind::String(None) => {
                (format!("r.string({}, {name:?})?", self.address(&p.name)), "Default::default()".to_owned())
            }
            Kind::Status => (format!("r.status_in({}, {name:?})?", self.address(&p.name)), String::new()),
            _ => return Ok(()),
        };
        let value = match self.significant(p) {
            Some(condition) => format!("if {condition} {{ {read} }} else {{ {absent} }}"),
            None => read,
        };
        self.bind(name, value);
        Ok(())
    }

    /// What its hints are for; none if it is about the info itself.
    fn hints(&self) -> Option<&'static str> {
        match self.function.proofs.hints? {
            Hints::Itself => None,
            Hints::Comm => Some("Comm"),
            Hints::File => Some("File"),
            Hints::Fortran => Some("Fortran"),
            Hints::Nothing => Some("Nothing"),
            Hints::Win => Some("Win"),
        }
    }

    /// How a handle is looked up: what a library takes for granted of it.
    fn lookup(&self, p: &Parameter, class: Class) -> String {
        let plain = lower(class);
        let first = self.function.parameters.iter().find(|other| other.kind == p.kind);
        match (self.function.proofs.takes, class) {
            _ if first.is_some_and(|first| first.name != p.name) => plain,
            (Takes::Null, _) => format!("{plain}_or_null"),
            (Takes::Made, Class::Info) => "made_info".to_owned(),
            (Takes::Inter, Class::Comm) => "inter".to_owned(),
            (Takes::Intra, Class::Comm) => "intra".to_owned(),
            _ => plain,
        }
    }

    /// Whether it combines data with that of a window.
    fn accumulates(&self) -> bool {
        self.function.proofs.access.is_some_and(Access::combines)
    }

    /// An operation, which decides how the library is told of the datatype.
    fn operation(&mut self, p: &Parameter) -> Result<()> {
        let at = self.at(&p.name);
        if self.accumulates() {
            let (origin, target) = (self.wide("origin_count")?, self.wide("target_count")?);
            self.bind(
                "op",
                format!("r.accumulation(w.word({at}), ({origin}, &origin_datatype), ({target}, &target_datatype))?"),
            );
        } else if self.function.parameter("datatype").is_some() {
            let found = format!("r.reduction(w.word({at}), &datatype)?");
            // With a root, whoever takes no part is not asked for an operation.
            let is_rooted = self.function.parameters.iter().any(|p| matches!(p.kind, Kind::Root));
            self.bind(
                "(op, datatype_host)",
                match is_rooted {
                    true => format!("if side.takes_part() {{ {found} }} else {{ r.no_reduction()? }}"),
                    false => found,
                },
            );
            self.told("datatype");
            if is_rooted {
                let count = self.word("count")?;
                self.bind("count_host", format!("if side.takes_part() {{ {count} }} else {{ nothing({count}).0 }}"));
                self.told("count");
            }
            self.kept.push("op.slot".to_owned());
            self.reduces = true;
        } else {
            self.bind("op", format!("r.op(w.word({at}))?"));
        }
        Ok(())
    }

    fn input_array(&mut self, p: &Parameter) -> Result<()> {
        let name = p.variable();
        let length = self.array_length(p)?;
        let address = self.address(&p.name);
        let read = match &p.kind {
            Kind::Weight => {
                self.bind(name, format!("r.weights({address}, {length}, {name:?})?"));
                return Ok(());
            }
            Kind::Handle(Class::Datatype) => format!("r.datatypes({address}, {length}, {name:?})?"),
            Kind::Handle(class) => bail!("{name}: no rule for an array of {}", class.rust()),
            kind => {
                let number = self.number(kind).with_context(|| format!("{name}: no rule for an array of {kind:?}"))?;
                format!("r.{}({address}, {length}, {name:?})?", number.array())
            }
        };
        let read = match self.significant(p) {
            Some(condition) => format!("if {condition} {{ {read} }} else {{ Default::default() }}"),
            None => read,
        };
        let mutable = p.direction == Direction::InOut || self.rewritten.contains(&p.name);
        self.before.push(Statement::Let { name: name.to_owned(), mutable, value: read });
        if p.direction == Direction::In {
            self.kept.push(name.to_owned());
        } else {
            self.stores.push(format!("r.put_ints({address}, &{name}, {name:?})"));
        }
        Ok(())
    }

    /// What the caller passes in by pointer, and gets back.
    fn inout(&mut self, p: &Parameter) -> Result<()> {
        let (name, address) = (p.variable(), self.address(&p.name));
        match &p.kind {
            Kind::Handle(class) => {
                // What is predefined is not the guest's to free.
                let made = match class {
                    Class::Comm | Class::Info => "made_",
                    Class::Datatype if self.function.marks.asked_for.contains(&"frees") => "mortal_",
                    _ => "",
                };
                let class = lower(*class);
                self.bind(format!("{name}_word"), format!("r.get_handle({address}, {name:?})?"));
                let host = if class == "datatype" { ".host" } else { "" };
                self.room(name, format!("r.{made}{class}({name}_word, {name:?})?{host}"));
                self.stores.push(format!("r.after_{class}({address}, {name}_word, {name}, {name:?})"));
            }
            Kind::Tool(c) => {
                self.bind(format!("{name}_word"), format!("r.get_handle({address}, {name:?})?"));
                self.room(name, format!("r.tool({name}_word, {c:?})?"));
                self.stores.push(format!("r.after_tool({address}, {name}_word, {name}, {name:?})"));
            }
            Kind::Status => {
                self.room(name, format!("r.status_in({address}, {name:?})?"));
                self.stores.push(format!("r.put_whole_status({address}, &{name}, {name:?})"));
            }
            kind => {
                let number = self.number(kind).with_context(|| format!("{name}: no rule for an inout {kind:?}"))?;
                self.room(name, format!("r.{}({address}, {name:?})?", number.get()));
                self.stores.push(format!("r.{}({address}, {name}, {name:?})", number.put()));
            }
        }
        Ok(())
    }

    /// Proves a buffer.
    fn buffer(&mut self, p: &Parameter) -> Result<()> {
        let (name, address) = (p.variable(), self.address(&p.name));
        let Kind::Buffer(area, datatype) = &p.kind else { bail!("{name} is not a buffer") };
        let proof = match (area, datatype) {
            (Area::Elements(length), None) => {
                format!("r.bytes({address}, {}, {name:?})?", self.length(length)?)
            }
            (Area::Elements(length), Some(datatype)) => {
                let length = self.elements(p, length)?;
                match p.operand {
                    true => {
                        let op = self.at("op");
                        format!("r.operands(w.word({op}), {address}, {length}, &{datatype}, {name:?})?")
                    }
                    false => format!("r.buffer({address}, {length}, &{datatype}, {name:?})?"),
                }
            }
            (Area::Blocks { counts, displs }, Some(datatype)) => {
                let each = self.function.parameter(datatype).is_some_and(|d| !d.lengths.is_empty());
                let prove = if each { "blocks_of_types" } else { "blocks" };
                format!("r.{prove}({address}, &{counts}, &{displs}, &{datatype}, {name:?})?")
            }
            (Area::Blocks { .. }, None) => bail!("{name}: blocks of no datatype"),
        };
        let value = if self.is_conditional(p) {
            let absent = if p.behind { "r.nowhere()".to_owned() } else { format!("r.absent({address})") };
            format!("if has_{} {{ {proof} }} else {{ {absent} }}", p.name)
        } else {
            proof
        };
        self.bind(name, value);
        Ok(())
    }

    /// What the library is given for a parameter.
    fn argument(&self, p: &Parameter) -> Result<String> {
        let (name, at) = (p.variable(), self.at(&p.name));
        if !p.lengths.is_empty() {
            let is_types = matches!(p.kind, Kind::Handle(Class::Datatype));
            return Ok(match (&p.kind, p.direction) {
                (_, Direction::In) if is_types => format!("{name}.hosts()"),
                (_, Direction::In) => format!("{name}.as_ptr()"),
                _ => format!("{name}.as_mut_ptr()"),
            });
        }
        if p.ignorable {
            let text = self.text_of(p).map(|text| format!("{}.length_pointer()", text.variable()));
            return Ok(text.unwrap_or_else(|| format!("{name}.pointer()")));
        }
        if p.direction != Direction::In && !matches!(p.kind, Kind::Buffer(..)) {
            return Ok(match &p.kind {
                Kind::Status if p.direction == Direction::Out => format!("{name}.pointer()"),
                Kind::String(_) => format!("{name}.as_mut_ptr().cast()"),
                Kind::Address { .. } => format!("(&raw mut {name}).cast()"),
                _ => format!("&mut {name}"),
            });
        }
        if let Some((_, told)) = self.told.iter().find(|(of, _)| *of == p.name) {
            return Ok(told.clone());
        }
        Ok(match &p.kind {
            Kind::Buffer(..) => format!("{name}.at"),
            Kind::Handle(Class::Datatype) => format!("{name}.host"),
            Kind::Handle(Class::Op) => "op.host".to_owned(),
            Kind::Handle(Class::Info) if self.hints().is_some() => format!("{name}.host"),
            Kind::Handle(_) | Kind::Tool(_) => name.to_owned(),
            Kind::String(None) => format!("{name}.as_ptr()"),
            Kind::Status => format!("&{name}"),
            Kind::Address { .. } => format!("r.pointer(w.addr({at}))"),
            Kind::Function(..) | Kind::Raw(_) => bail!("{name}: no rule for {:?}", p.kind),
            _ if p.operand => format!("r.operands_told(w.word({}), {})", self.at("op"), self.word(&p.name)?),
            _ => self.word(&p.name)?,
        })
    }

    fn array_length(&self, p: &Parameter) -> Result<String> {
        let lengths: Vec<String> = p.lengths.iter().map(|length| self.length(length)).collect::<Result<_>>()?;
        Ok(match lengths.as_slice() {
            [one] => one.clone(),
            [outer, inner] => format!("times({outer}, {inner})"),
            _ => bail!("{}: more than two dimensions", p.name),
        })
    }

    /// A length as an expression of type `i64`.
    fn length(&self, length: &Length) -> Result<String> {
        Ok(match length {
            Length::Number(number) => number.to_string(),
            Length::Constant(name) => format!("i64::from({name})"),
            Length::Parameter(name) => self.wide(name)?,
            Length::Sum(a, b) => format!("{} + {}", self.length(a)?, self.length(b)?),
            Length::Product(a, b) => format!("times({}, {})", self.length(a)?, self.length(b)?),
            Length::Of(property, name) => match property {
                Property::Peers => format!("r.peers(w.word({}))?", self.at(name)),
                Property::Members => format!("r.members(w.word({}))?", self.at(name)),
                Property::Dimensions => format!("r.dimensions(w.word({}))?", self.at(name)),
                Property::Sources => format!("r.degrees(w.word({}))?.0", self.at(name)),
                Property::Destinations => format!("r.degrees(w.word({}))?.1", self.at(name)),
                Property::SumOfElements => format!("sum(&{name})"),
                Property::LastElement => format!("last(&{name})"),
                Property::OwnElement => format!("r.own(&{name}, w.word({}))?", self.at("comm")),
            },
        })
    }
}

/// A class as part of a function's name.
fn lower(class: Class) -> String {
    class.rust().to_lowercase()
}
