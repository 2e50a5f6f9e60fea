//! The statements of one shim: proves and translates the arguments, calls the library, translates the results.

mod order;
mod proofs;
mod results;

use anyhow::{Result, bail};

use super::symbols::element;
use crate::functions::{Class, Function};
use crate::parameters::{Area, Direction, InPlace, Kind, Length, Parameter, Property};

/// The statements of a function's shim, which both variants share.
pub fn statements(function: &Function) -> Result<Vec<String>> {
    if function.returns.is_some() {
        bail!("no rule for what returns a value");
    }
    if let Some(p) = function.parameters.iter().find(|p| p.large_only) {
        bail!("{}: no rule for a parameter of the large variant alone", p.name);
    }
    let (before, after, kept, bytes, blocks) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), None);
    Shim { function, before, after, kept, bytes, blocks, has_own: false }.build()
}

/// A shim that is being written.
struct Shim<'a> {
    function: &'a Function,
    /// Statements before the call.
    before: Vec<String>,
    /// Statements after it.
    after: Vec<String>,
    /// Arrays that the operation may look into until it is complete.
    kept: Vec<String>,
    /// Counts and datatypes of which the library is told as bytes.
    bytes: Vec<String>,
    /// The statement that makes bytes of the blocks from each process, when all else is proved.
    blocks: Option<String>,
    /// Its request keeps what a message to the rank itself uses.
    has_own: bool,
}

impl Shim<'_> {
    fn build(mut self) -> Result<Vec<String>> {
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

    /// The statements with the call between them, whose code is checked before results are stored.
    fn with_call(self, arguments: &[String]) -> Vec<String> {
        // A failed receive has a status all the same.
        let (statuses, others): (Vec<String>, Vec<String>) =
            self.after.into_iter().partition(|text| text.starts_with("r.put_status"));
        let mut out = self.before;
        let arguments: String = arguments.iter().map(|argument| format!(", {argument}")).collect();
        let mut code = format!("library!(r{arguments})");
        if !statuses.is_empty() {
            out.push(format!("let code = {code};"));
            out.extend(statuses.into_iter().map(|status| format!("{status};")));
            code = "code".to_owned();
        }
        out.push(format!("r.check({code})"));
        for statement in others {
            out.last_mut().expect("it has the check").push_str("?;");
            out.push(statement);
        }
        out
    }

    /// The type of a number on the host; those of the large variant differ.
    fn number(&self, kind: &Kind) -> &'static str {
        match kind {
            Kind::Count if self.function.marks.large => "Count",
            Kind::Displ if self.function.marks.large => "Displ",
            Kind::Extent if self.function.marks.large => "Extent",
            kind => element(kind, false),
        }
    }

    /// A number that the guest passes, as the library takes it.
    fn word(&self, p: &Parameter) -> String {
        let at = self.at(&p.name);
        match self.number(&p.kind) {
            "c_int" => format!("w.int({at})"),
            "isize" => format!("w.aint({at})"),
            "i64" => format!("w.long({at})"),
            number => format!("w.number::<{number}>({at})"),
        }
    }

    /// The same as an expression of type `i64`.
    fn wide(&self, name: &str) -> String {
        let p = self.function.parameter(name).expect("checked when parsed");
        match self.word(p) {
            word if word.starts_with("w.long") => word,
            word if word.starts_with("w.int") => format!("i64::from({word})"),
            word => format!("{word}.wide()"),
        }
    }

    /// Where a parameter stands among the call's words.
    fn at(&self, name: &str) -> usize {
        self.function.parameters.iter().position(|p| p.name == name).expect("it is a parameter")
    }

    fn address(&self, name: &str) -> String {
        format!("w.addr({})", self.at(name))
    }

    /// Says which of a collective's buffers count for the caller.
    fn conditions(&mut self) {
        let function = self.function;
        let index = function.parameters.first().filter(|p| p.name.ends_with("_index") && p.direction == Direction::In);
        if let (Some(_), Some((of, _))) = (index, function.name.split_once("_get_")) {
            self.before.push(format!("r.check_index::<symbols::{of}_get_num>(w.int(0))?;"));
        }
        let needs_root = function.parameters.iter().any(|p| matches!(p.kind, Kind::Buffer(..)) || p.root_only);
        if let Some(root) = function.parameters.iter().find(|p| matches!(p.kind, Kind::Root)).filter(|_| needs_root) {
            let comm = self.at("comm");
            let root = self.at(&root.name);
            self.before.push(format!("let side = r.side(w.word({comm}), w.int({root}))?;"));
        } else if function.parameters.iter().any(|p| p.root_only) {
            // Intercomm_create: what only the leader has to know.
            let (comm, leader) = (self.at("local_comm"), self.at("local_leader"));
            self.before.push(format!("let side = r.led_by(w.word({comm}), w.int({leader}))?;"));
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
            if !terms.is_empty() {
                self.before.push(format!("let has_{} = {};", p.name, terms.join(" && ")));
            }
        }
    }

    fn is_conditional(&self, buffer: &Parameter) -> bool {
        buffer.in_place.is_some() || self.function.parameters.iter().any(|p| matches!(p.kind, Kind::Root))
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
        if !buffers.iter().all(|b| self.is_conditional(b)) {
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
                    false if self.accumulates() => {
                        format!("r.accumulated(w.word({at}), w.word({}), {name:?})?", self.at("op"))
                    }
                    false => format!("r.datatype(w.word({at}), {name:?})?"),
                };
                (found, format!("r.bystander(w.word({at}))"))
            }
            Kind::Handle(Class::Op) => return self.operation(p),
            Kind::Handle(Class::Info) if !self.reads_info() => {
                let of = self.hints();
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
        self.before.push(format!("let {name} = {value};"));
        Ok(())
    }

    /// Whether it is about info objects, and not about what they hint at.
    fn reads_info(&self) -> bool {
        self.function.chapter == "info"
    }

    /// What its hints are for.
    fn hints(&self) -> &'static str {
        match self.function.chapter.as_str() {
            "abi" => "Fortran",
            "comm" => "Comm",
            "io" => "File",
            "rma" => "Win",
            _ => "Nothing",
        }
    }

    /// How a handle is looked up: what a library takes for granted of it.
    fn lookup(&self, p: &Parameter, class: Class) -> String {
        let function = self.function.name.as_str();
        let plain = lower(class);
        // Null handles have names too.
        if function.ends_with("_get_name") {
            return format!("{plain}_or_null");
        }
        match class {
            Class::Info if ["MPI_Info_set", "MPI_Info_delete"].contains(&function) => "made_info".to_owned(),
            Class::Comm if INTER.contains(&function) => "inter".to_owned(),
            Class::Comm if p.name != "peer_comm" && self.needs_one_group() => "intra".to_owned(),
            _ => plain,
        }
    }

    /// Whether its communicators must not be intercommunicators.
    fn needs_one_group(&self) -> bool {
        let name = self.function.name.to_lowercase();
        let is_about_neighbours = ["topo", "neighbor"].contains(&self.function.chapter.as_str());
        (is_about_neighbours && name != "mpi_topo_test")
            || name.contains("scan")
            || ["mpi_intercomm_create", "mpi_comm_split_type", "mpi_comm_create_group"].contains(&name.as_str())
    }

    /// Whether it combines data with that of a window.
    fn accumulates(&self) -> bool {
        self.function.chapter == "rma" && self.function.parameter("op").is_some()
    }

    /// An operation, which decides how the library is told of the datatype.
    fn operation(&mut self, p: &Parameter) -> Result<()> {
        let at = self.at(&p.name);
        if self.accumulates() {
            let (origin, target) = (self.wide("origin_count"), self.wide("target_count"));
            self.before.push(format!(
                "let op = r.accumulation(w.word({at}), ({origin}, &origin_datatype), ({target}, &target_datatype))?;"
            ));
        } else if self.function.parameter("datatype").is_some() {
            self.before.push(format!("let (op, datatype_host) = r.reduction(w.word({at}), &datatype)?;"));
            self.kept.push("op.slot".to_owned());
        } else {
            self.before.push(format!("let op = r.op(w.word({at}))?;"));
        }
        Ok(())
    }

    fn input_array(&mut self, p: &Parameter) -> Result<()> {
        let name = p.variable();
        let length = self.array_length(p)?;
        let address = self.address(&p.name);
        let read = match &p.kind {
            Kind::Weight => {
                self.before.push(format!("let {name} = r.weights({address}, {length}, {name:?})?;"));
                return Ok(());
            }
            Kind::Handle(Class::Datatype) => format!("r.datatypes({address}, {length}, {name:?})?"),
            Kind::Handle(class) => bail!("{name}: no rule for an array of {}", class.rust()),
            kind => match self.number(kind) {
                "c_int" => format!("r.ints({address}, {length}, {name:?})?"),
                "isize" => format!("r.aints({address}, {length}, {name:?})?"),
                "i64" => format!("r.longs({address}, {length}, {name:?})?"),
                number => format!("r.numbers::<{number}>({address}, {length}, {name:?})?"),
            },
        };
        let read = match self.significant(p) {
            Some(condition) => format!("if {condition} {{ {read} }} else {{ Default::default() }}"),
            None => read,
        };
        let mutable = if p.direction == Direction::InOut { "mut " } else { "" };
        self.before.push(format!("let {mutable}{name} = {read};"));
        if p.direction == Direction::In {
            self.kept.push(name.to_owned());
        } else {
            self.after.push(format!("r.put_ints({address}, &{name}, {name:?})"));
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
                    Class::Datatype if self.function.name == "MPI_Type_free" => "mortal_",
                    _ => "",
                };
                let class = lower(*class);
                self.before.push(format!("let {name}_word = r.get_word({address}, {name:?})?;"));
                let host = if class == "datatype" { ".host" } else { "" };
                self.before.push(format!("let mut {name} = r.{made}{class}({name}_word, {name:?})?{host};"));
                self.after.push(format!("r.after_{class}({address}, {name}_word, {name}, {name:?})"));
            }
            Kind::Tool(c) => {
                self.before.push(format!("let {name}_word = r.get_word({address}, {name:?})?;"));
                self.before.push(format!("let mut {name} = r.tool({name}_word, {c:?})?;"));
                self.after.push(format!("r.after_tool({address}, {name}_word, {name}, {name:?})"));
            }
            Kind::Status => {
                self.before.push(format!("let mut {name} = r.status_in({address}, {name:?})?;"));
                self.after.push(format!("r.put_whole_status({address}, &{name}, {name:?})"));
            }
            kind => {
                let (get, put) = match self.number(kind) {
                    "c_int" => ("get_int".to_owned(), "put_int"),
                    "isize" => ("get_aint".to_owned(), "put_aint"),
                    "i64" => ("get_long".to_owned(), "put_long"),
                    number => (format!("get_number::<{number}>"), "put_number"),
                };
                self.before.push(format!("let mut {name} = r.{get}({address}, {name:?})?;"));
                self.after.push(format!("r.{put}({address}, {name}, {name:?})"));
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
                match self.accumulates() && self.function.parameter("result_addr").is_some() && name == "origin_addr" {
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
            format!("if has_{} {{ {proof} }} else {{ r.absent({address}) }}", p.name)
        } else {
            proof
        };
        self.before.push(format!("let {name} = {value};"));
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
        if self.bytes.contains(&p.name) {
            return Ok(format!("{}_host", p.name));
        }
        Ok(match &p.kind {
            Kind::Buffer(..) => format!("{name}.at"),
            Kind::Handle(Class::Datatype)
                if name == "datatype" && self.before.iter().any(|b| b.contains("datatype_host)")) =>
            {
                "datatype_host".to_owned()
            }
            Kind::Handle(Class::Datatype) => format!("{name}.host"),
            Kind::Handle(Class::Op) => "op.host".to_owned(),
            Kind::Handle(Class::Info) if !self.reads_info() => format!("{name}.host"),
            Kind::Handle(_) | Kind::Tool(_) => name.to_owned(),
            Kind::String(None) => format!("{name}.as_ptr()"),
            Kind::Status => format!("&{name}"),
            Kind::Address { .. } => format!("r.pointer(w.addr({at}))"),
            Kind::Function(..) | Kind::Raw(_) => bail!("{name}: no rule for {:?}", p.kind),
            _ if name == "target_disp" && self.function.chapter == "rma" => name.to_owned(),
            _ => self.word(p),
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
            Length::Parameter(name) => self.wide(name),
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
            },
        })
    }
}

/// Functions on intercommunicators alone.
const INTER: [&str; 3] = ["MPI_Comm_remote_size", "MPI_Comm_remote_group", "MPI_Intercomm_merge"];

/// A class as part of a function's name.
fn lower(class: Class) -> String {
    class.rust().to_lowercase()
}
