//! Writes one shim: proves and translates the arguments, calls the library, translates the results.

use std::fmt::Write;

use anyhow::{Result, bail};

use super::symbols::element;
use crate::functions::{Class, Errors, Function};
use crate::parameters::{Area, Direction, Kind, Length, Parameter, Property};
use crate::wasm;

/// The shim of one variant.
pub fn emit(function: &Function, name: &str, large: bool) -> Result<String> {
    if function.by_hand || function.returns.is_some() {
        bail!("it follows no rule and must be written by hand in host/src/mpi");
    }
    let (before, after, kept, bytes, blocks) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), None);
    Shim { function, name, large, before, after, kept, bytes, blocks }.build()
}

/// A shim that is being written.
struct Shim<'a> {
    function: &'a Function,
    name: &'a str,
    large: bool,
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
}

impl Shim<'_> {
    fn build(mut self) -> Result<String> {
        let function = self.function;
        let parameters: Vec<&Parameter> = function.of_variant(self.large).collect();
        self.conditions();
        let is_buffer = |p: &&&Parameter| matches!(p.kind, Kind::Buffer(..));
        for p in parameters.iter().filter(|p| !is_buffer(p) && p.direction != Direction::Out) {
            self.input(p)?;
        }
        for p in parameters.iter().filter(is_buffer) {
            self.buffer(p)?;
            self.received(p)?;
        }
        self.guards();
        for p in parameters.iter().filter(|p| !is_buffer(p) && p.direction != Direction::In) {
            self.output(p)?;
        }
        let arguments: Vec<String> = parameters.iter().map(|p| self.argument(p)).collect::<Result<_>>()?;
        self.text(&arguments)
    }

    fn text(&self, arguments: &[String]) -> Result<String> {
        let mut out = String::new();
        let large = if self.large { "_c" } else { "" };
        writeln!(out, "/// `{}`", self.name)?;
        writeln!(out, "fn {}{large}(r: &Rank, w: &mut Words<'_>) -> Result<()> {{", self.function.snake())?;
        if self.before.iter().chain(arguments).chain(&self.after).all(|text| !text.contains("w.")) {
            writeln!(out, "let _ = w;")?;
        }
        for statement in &self.before {
            writeln!(out, "{statement}")?;
        }
        writeln!(out, "let call = r.symbol::<symbols::{}>()?;", self.name)?;
        writeln!(
            out,
            "// SAFETY: see `mpi::shim`: pointers were proved or made above, and handles are the library's."
        )?;
        writeln!(out, "let code = unsafe {{ call({}) }};", arguments.join(", "))?;
        match self.after.split_last() {
            None => writeln!(out, "r.check(code)")?,
            Some((last, others)) => {
                // A failed receive has a status all the same.
                let (statuses, others): (Vec<&String>, Vec<&String>) =
                    others.iter().chain([last]).partition(|text| text.starts_with("r.put_status"));
                for statement in statuses {
                    writeln!(out, "{statement};")?;
                }
                match others.split_last() {
                    None => writeln!(out, "r.check(code)")?,
                    Some((last, others)) => {
                        writeln!(out, "r.check(code)?;")?;
                        for statement in others {
                            writeln!(out, "{statement}?;")?;
                        }
                        writeln!(out, "{last}")?;
                    }
                }
            }
        }
        writeln!(out, "}}\n")?;
        Ok(out)
    }

    /// Where a parameter stands among the call's words.
    fn at(&self, name: &str) -> usize {
        self.function.of_variant(self.large).position(|p| p.name == name).expect("it is a parameter")
    }

    fn address(&self, name: &str) -> String {
        format!("w.addr({})", self.at(name))
    }

    /// Says which of a collective's buffers count for the caller.
    fn conditions(&mut self) {
        let function = self.function;
        let needs_root = function.parameters.iter().any(|p| matches!(p.kind, Kind::Buffer(..)) || p.root_only);
        if let Some(root) = function.parameters.iter().find(|p| matches!(p.kind, Kind::Root)).filter(|_| needs_root) {
            let comm = self.at("comm");
            let root = self.at(&root.name);
            self.before.push(format!("let side = r.side(w.word({comm}), w.int({root}))?;"));
        } else if function.parameters.iter().any(|p| p.root_only) {
            // Intercomm_create: what only the leader has to know.
            let (comm, leader) = (self.at("local_comm"), self.at("local_leader"));
            self.before.push(format!("let side = r.side(w.word({comm}), w.int({leader}))?;"));
        }
        for p in function.of_variant(self.large).filter(|p| matches!(p.kind, Kind::Buffer(..))) {
            let mut terms = Vec::new();
            if function.parameters.iter().any(|p| matches!(p.kind, Kind::Root)) {
                terms.push(match (p.root_only, p.direction) {
                    (true, _) => "side.root".to_owned(),
                    (false, Direction::InOut) => "side.takes_part()".to_owned(),
                    (false, _) => "side.leaf".to_owned(),
                });
            }
            if p.in_place.is_some() {
                terms.push(format!("{} != MPI_IN_PLACE", self.address(&p.name)));
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
            .of_variant(self.large)
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
                let find = if self.accumulates() { "accumulated" } else { "datatype" };
                (format!("r.{find}(w.word({at}), {name:?})?"), format!("r.bystander(w.word({at}))"))
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
            let target =
                if self.function.parameter("target_datatype").is_some() { "target_datatype" } else { "datatype" };
            self.before.push(format!("let op = r.accumulation(w.word({at}), &{target})?;"));
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
            kind => match element(kind, self.large) {
                "c_int" => format!("r.ints({address}, {length}, {name:?})?"),
                "isize" => format!("r.aints({address}, {length}, {name:?})?"),
                _ => format!("r.longs({address}, {length}, {name:?})?"),
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
                let ends = matches!(class, Class::Comm | Class::Info) || self.function.name == "MPI_Type_free";
                let made = if ends { "made_" } else { "" };
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
                let (get, put) = match element(kind, self.large) {
                    "c_int" => ("get_int", "put_int"),
                    "isize" => ("get_aint", "put_aint"),
                    _ => ("get_long", "put_long"),
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
        let Kind::Buffer(area, datatype) = &p.kind else { bail!("{name} is no buffer") };
        let proof = match (area, datatype) {
            (Area::Elements(length), None) => {
                format!("r.bytes({address}, {}, {name:?})?", self.length(length)?)
            }
            (Area::Elements(length), Some(datatype)) => {
                let length = self.elements(p, length)?;
                format!("r.buffer({address}, {length}, &{datatype}, {name:?})?")
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

    /// Elements that come from elsewhere are so many bytes to the library: what ends within an element would be the end of
    /// some libraries.
    fn received(&mut self, p: &Parameter) -> Result<()> {
        let is_message = ["pt2pt", "coll", "neighbor"].contains(&self.function.chapter.as_str());
        let Kind::Buffer(area, Some(datatype)) = &p.kind else { return Ok(()) };
        if !is_message || p.direction == Direction::In || self.function.parameter("op").is_some() {
            return Ok(());
        }
        let length = match area {
            Area::Elements(length) => length,
            Area::Blocks { counts, displs } => {
                self.received_blocks(counts, displs, datatype);
                return Ok(());
            }
        };
        let count = match length {
            Length::Parameter(count) => count,
            Length::Product(a, b) => match (&**a, &**b) {
                (Length::Parameter(count), _) | (_, Length::Parameter(count)) => count,
                _ => return Ok(()),
            },
            _ => return Ok(()),
        };
        let at = self.at(count);
        let (find, word) = if self.large { ("as_many_bytes", "long") } else { ("as_bytes", "int") };
        self.before.push(format!("let ({count}_host, {datatype}_host) = {datatype}.{find}(w.{word}({at}));"));
        self.bytes.extend([count.clone(), datatype.clone()]);
        Ok(())
    }

    /// As [`Shim::received`], of a block from each process.
    fn received_blocks(&mut self, counts: &str, displs: &str, datatype: &str) {
        let each = self.function.parameter(datatype).is_some_and(|d| !d.lengths.is_empty());
        for array in if each { vec![counts, datatype] } else { vec![counts, displs] } {
            let (plain, changed) = (format!("let {array} = "), format!("let mut {array} = "));
            for statement in &mut self.before {
                if statement.starts_with(&plain) {
                    *statement = statement.replacen(&plain, &changed, 1);
                }
            }
        }
        self.blocks = Some(if each {
            format!("{datatype}.as_bytes(&mut {counts});")
        } else {
            self.bytes.push(datatype.to_owned());
            format!("let {datatype}_host = {datatype}.as_byte_blocks(&mut {counts}, &mut {displs});")
        });
    }

    /// How many elements a buffer has, where the table's word for it is not the whole truth.
    fn elements(&self, p: &Parameter, length: &Length) -> Result<String> {
        let plain = self.length(length)?;
        let name = self.function.name.to_lowercase();
        if p.name != "recvbuf" || !name.contains("reduce_scatter") {
            return Ok(plain);
        }
        let comm = self.at("comm");
        // What it receives; in place it holds everybody's operands.
        Ok(if name.contains("block") {
            let count = self.length(&Length::Parameter("recvcount".into()))?;
            format!("if has_sendbuf {{ {count} }} else {{ times({count}, r.peers(w.word({comm}))?) }}")
        } else {
            format!("if has_sendbuf {{ r.own(&recvcounts, w.word({comm}))? }} else {{ {plain} }}")
        })
    }

    /// Further proofs, of what the library would not check.
    fn guards(&mut self) {
        let function = self.function;
        let has = |name: &str| function.parameter(name).is_some();
        if has("position") {
            let (room, count) = if has("outsize") { ("outsize", "incount") } else { ("insize", "outcount") };
            let word = |name: &str| {
                let p = function.parameter(name).expect("looked for");
                let wide = wasm::parameter(p, self.large) == "i64";
                let at = self.at(name);
                if wide { format!("w.long({at})") } else { format!("i64::from(w.int({at}))") }
            };
            let (room, count) = (word(room), word(count));
            let position = function.parameter("position").map_or("", |p| match element(&p.kind, self.large) {
                "c_int" => "i64::from(position)",
                "isize" => "position as i64",
                _ => "position",
            });
            self.before.push(format!("r.room_to_pack({position}, {room}, {count}, &datatype)?;"));
            self.before.push("r.disjoint(&inbuf, &outbuf)?;".to_owned());
        }
        if has("datarep") && function.chapter == "pack" {
            self.external();
        }
        for p in function.of_variant(self.large).filter(|p| function.chapter == "io" && is_offset(p)) {
            let (file, at) = (self.at("fh"), self.at(&p.name));
            self.before.push(format!("r.file_offset(w.word({file}), w.long({at}), {:?})?;", p.name));
        }
        if function.chapter == "rma" && has("target_rank") {
            let at = |name: &str| self.at(name);
            let count = match function.parameter("target_count") {
                Some(_) if self.large => format!("w.long({})", at("target_count")),
                Some(_) => format!("i64::from(w.int({}))", at("target_count")),
                None => "1".to_owned(),
            };
            let datatype = if has("target_datatype") { "target_datatype" } else { "datatype" };
            self.before.push(format!(
                "let target_disp = r.target(w.word({}), w.int({}), w.aint({}), {count}, &{datatype})?;",
                at("win"),
                at("target_rank"),
                at("target_disp")
            ));
            self.transfer(&count);
        }
        match function.name.as_str() {
            "MPI_Comm_create" | "MPI_Comm_create_group" => self.before.push("r.within_comm(group, comm)?;".to_owned()),
            "MPI_Win_start" | "MPI_Win_post" => self.before.push("r.within_win(group, win)?;".to_owned()),
            _ => {}
        }
        let sends = function.parameters.iter().find(|p| p.name == "sendbuf");
        let receives = function.parameters.iter().find(|p| p.name == "recvbuf");
        if let (Some(_), Some(_), "coll" | "neighbor" | "pt2pt") = (sends, receives, function.chapter.as_str()) {
            self.before.push("r.disjoint(&sendbuf, &recvbuf)?;".to_owned());
        }
        self.own_part();
        self.before.extend(self.blocks.take());
        if function.name == "MPI_Reduce_local" {
            self.before.push("r.disjoint(&inbuf, &inoutbuf)?;".to_owned());
        }
        self.reach();
    }

    /// The external representation: the only one that there is, of types that have one, and of something.
    fn external(&mut self) {
        let function = self.function;
        let count = ["incount", "outcount"].into_iter().find(|name| function.parameter(name).is_some());
        let count = self.length(&Length::Parameter(count.expect("it has a count").into())).expect("it is a parameter");
        self.before.push("r.external32(&datarep)?;".to_owned());
        self.before.push("datatype.external()?;".to_owned());
        let nothing = match function.parameter("size") {
            Some(p) => {
                let put = if element(&p.kind, self.large) == "isize" { "put_aint" } else { "put_long" };
                format!("r.{put}({}, 0, \"size\")", self.address("size"))
            }
            None => "Ok(())".to_owned(),
        };
        self.before.push(format!("if datatype.hull({count}).is_none() {{ return {nothing}; }}"));
    }

    /// What is put or got has to fit, since a rank may be its own target.
    fn transfer(&mut self, target: &str) {
        let name = self.function.name.to_lowercase();
        let side = |p: &str| {
            let count = self.function.parameter(&format!("{p}_count"))?;
            let count = self.length(&Length::Parameter(count.name.clone())).ok()?;
            Some(format!("({count}, &{p}_datatype)"))
        };
        let there = format!("({target}, &target_datatype)");
        let (from, to) = match (side("origin"), side("result")) {
            (Some(_), Some(result)) => (there, result),
            (Some(origin), None) if name.ends_with("get") => (there, origin),
            (Some(origin), None) => (origin, there),
            (None, _) => return,
        };
        self.before.push(format!("r.fits({from}, {to})?;"));
    }

    /// Of a collective in which every rank sends to itself too: that part has to fit.
    fn own_part(&mut self) {
        let function = self.function;
        let has = |name: &str| function.parameter(name).is_some();
        let types = |p: &Parameter| matches!(p.kind, Kind::Handle(Class::Datatype));
        let kinds: Vec<&Parameter> = function.of_variant(self.large).filter(|p| types(p)).collect();
        let ([sent, into], true, "coll") =
            (kinds.as_slice(), has("sendbuf") && has("recvbuf"), function.chapter.as_str())
        else {
            return;
        };
        let comm = self.at("comm");
        let side = |count: &str, ty: &Parameter| {
            let count = if has(count) {
                self.length(&Length::Parameter(count.into())).expect("it is a parameter")
            } else {
                format!("r.own(&{count}s, w.word({comm}))?")
            };
            match ty.lengths.is_empty() {
                true => format!("({count}, &{})", ty.name),
                false => format!("({count}, r.own_type(&{}, w.word({comm}))?)", ty.name),
            }
        };
        let (from, to) = (side("sendcount", sent), side("recvcount", into));
        let counted: Vec<String> = function
            .of_variant(self.large)
            .filter(|p| matches!(p.kind, Kind::Buffer(..)) && self.is_conditional(p))
            .map(|p| format!("has_{}", p.name))
            .chain([format!("r.is_intra(w.word({comm}))?")])
            .collect();
        self.before.push(format!("if {} {{ r.fits({from}, {to})?; }}", counted.join(" && ")));
    }

    /// Of a new datatype: how many elements of the old one it can be long, and how many bytes. See
    /// `host/src/mpi/reach.rs`.
    fn reach(&mut self) {
        let word = |name: &str| match self.function.parameter(name) {
            Some(p) if wasm::parameter(p, self.large) == "i64" => format!("w.long({})", self.at(name)),
            _ => format!("w.int({})", self.at(name)),
        };
        let area = |a: &str, b: &str| format!("area({}, {})", word(a), word(b));
        let (blocks, displs) = ("total(&array_of_blocklengths)", "farthest(&array_of_displacements)");
        let none = || "0".to_owned();
        let (elements, bytes) = match self.function.name.as_str() {
            "MPI_Type_contiguous" => (format!("area({}, 1)", word("count")), none()),
            "MPI_Type_vector" => (format!("{} + {}", area("count", "blocklength"), area("count", "stride")), none()),
            "MPI_Type_create_hvector" => (area("count", "blocklength"), area("count", "stride")),
            "MPI_Type_indexed" => (format!("{blocks} + {displs}"), none()),
            "MPI_Type_create_hindexed" | "MPI_Type_create_struct" => (blocks.to_owned(), displs.to_owned()),
            "MPI_Type_create_indexed_block" => (format!("{} + {displs}", area("count", "blocklength")), none()),
            "MPI_Type_create_hindexed_block" => (area("count", "blocklength"), displs.to_owned()),
            "MPI_Type_create_subarray" => ("volume(&array_of_sizes)".to_owned(), none()),
            "MPI_Type_create_darray" => {
                ("dealt(&array_of_gsizes, &array_of_dargs, &array_of_psizes)".to_owned(), none())
            }
            "MPI_Type_create_resized" => (none(), format!("area({}, 1) + area({}, 1)", word("lb"), word("extent"))),
            _ => return,
        };
        let old = if self.function.parameter("array_of_types").is_some() {
            "&array_of_types"
        } else {
            "slice::from_ref(&oldtype)"
        };
        self.before.push(format!("r.within_reach({old}, {elements}, {bytes})?;"));
    }

    /// Makes room for a result.
    fn output(&mut self, p: &Parameter) -> Result<()> {
        let (name, address) = (p.variable(), self.address(&p.name));
        if p.direction == Direction::InOut {
            return Ok(());
        }
        if p.ignorable {
            bail!("{name}: no rule for a result that may be ignored");
        }
        if !p.lengths.is_empty() {
            return self.output_array(p);
        }
        let (start, put, bytes) = match &p.kind {
            Kind::Handle(class) => return self.output_handle(p, *class),
            Kind::Status => {
                self.before.push(format!("let mut {name} = r.status_out({address}, {name:?})?;"));
                self.after.push(format!("r.put_status(&{name})"));
                return Ok(());
            }
            Kind::String(Some(room)) => {
                let room = self.length(room)?;
                self.before.push(format!("let mut {name} = r.text_room({address}, {room}, {name:?})?;"));
                self.after.push(format!("r.put_text({address}, &{name}, {room}, {name:?})"));
                return Ok(());
            }
            Kind::Address { .. } => {
                ("std::ptr::null_mut::<c_void>()", format!("r.put_pointer({address}, {name}, {name:?})"), 4)
            }
            Kind::Tool(c) => ("0_usize", format!("r.put_tool({address}, {name}, {c:?})"), 4),
            kind => match element(kind, self.large) {
                "c_int" => ("0 as c_int", format!("r.put_int({address}, {name}, {name:?})"), 4),
                "isize" => ("0_isize", format!("r.put_aint({address}, {name}, {name:?})"), 4),
                _ => ("0_i64", format!("r.put_long({address}, {name}, {name:?})"), 8),
            },
        };
        self.before.push(format!("r.room({address}, {bytes}, {name:?})?;"));
        self.before.push(format!("let mut {name} = {start};"));
        self.after.push(put);
        Ok(())
    }

    fn output_array(&mut self, p: &Parameter) -> Result<()> {
        let (name, address) = (p.variable(), self.address(&p.name));
        let length = self.array_length(p)?;
        match &p.kind {
            Kind::Weight => {
                self.before.push(format!("let mut {name} = r.weights({address}, {length}, {name:?})?;"));
                self.after.push(format!("r.put_weights({address}, &{name}, {name:?})"));
            }
            kind if element(kind, self.large) == "c_int" => {
                self.before.push(format!("let mut {name} = r.ints({address}, {length}, {name:?})?;"));
                self.after.push(format!("r.put_ints({address}, &{name}, {name:?})"));
            }
            kind => bail!("{name}: no rule for an out array of {kind:?}"),
        }
        Ok(())
    }

    fn output_handle(&mut self, p: &Parameter, class: Class) -> Result<()> {
        let (name, address) = (p.variable(), self.address(&p.name));
        let put = match class {
            Class::Comm => {
                let parent = self.function.parameters.iter().find(|p| p.is_passed_handle(&[Class::Comm]));
                let parent = parent.map_or("0".to_owned(), |parent| format!("w.word({})", self.at(&parent.name)));
                format!("r.put_comm({address}, {name}, {parent}, {name:?})")
            }
            Class::Datatype => {
                let of =
                    |p: &&Parameter| matches!(p.kind, Kind::Handle(Class::Datatype)) && p.direction == Direction::In;
                let types: Vec<&Parameter> = self.function.parameters.iter().filter(of).collect();
                let made_of = match types.as_slice() {
                    [p] if !p.lengths.is_empty() => format!("&{}", p.name),
                    [p] => format!("slice::from_ref(&{})", p.name),
                    types => format!("&[{}]", types.iter().map(|p| p.name.clone()).collect::<Vec<_>>().join(", ")),
                };
                let put = match self.function.name.as_str() {
                    "MPI_Type_create_struct" => "put_struct",
                    "MPI_Type_contiguous" | "MPI_Type_dup" => "put_sequence",
                    _ => "put_datatype",
                };
                format!("r.{put}({address}, {name}, {made_of}, {name:?})")
            }
            Class::Request => {
                let persistent = self.function.name.ends_with("_init");
                let kind = match (self.function.chapter.as_str(), persistent) {
                    ("pt2pt", false) => "Message",
                    ("pt2pt", true) => "PersistentMessage",
                    ("rma" | "io", _) => "Access",
                    (_, false) => "Collective",
                    (_, true) => "PersistentCollective",
                };
                let kept = match self.kept.as_slice() {
                    [one] => one.clone(),
                    several => format!("({})", several.join(", ")),
                };
                format!(
                    "r.put_request({address}, {name}, Pending::new({}, Kind::{kind}, {kept}), {name:?})",
                    self.origin()
                )
            }
            Class::Group | Class::Info | Class::Message => {
                format!("r.put_{}({address}, {name}, {name:?})", lower(class))
            }
            class => bail!("{name}: no rule for a new {}", class.rust()),
        };
        self.before.push(format!("r.room({address}, 4, {name:?})?;"));
        self.before.push(format!("let mut {name} = 0_usize;"));
        self.after.push(put);
        Ok(())
    }

    /// Whose error handler hears of what goes wrong with a request.
    fn origin(&self) -> String {
        match &self.function.errors {
            Errors::Of(name) => match self.function.parameter(name).map(|p| &p.kind) {
                Some(Kind::Handle(class @ (Class::Comm | Class::Win | Class::File))) => {
                    format!("Origin::{}(w.word({}))", class.rust(), self.at(name))
                }
                _ => "Origin::Myself".to_owned(),
            },
            _ => "Origin::Myself".to_owned(),
        }
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
            kind => match element(kind, self.large) {
                "c_int" => format!("w.int({at})"),
                "isize" => format!("w.aint({at})"),
                _ => format!("w.long({at})"),
            },
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
            Length::Parameter(name) => {
                let p = self.function.parameter(name).expect("checked when parsed");
                let at = self.at(name);
                if wasm::parameter(p, self.large) == "i64" {
                    format!("w.long({at})")
                } else {
                    format!("i64::from(w.int({at}))")
                }
            }
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

/// Whether it is a place in a file, or a file's size.
fn is_offset(p: &Parameter) -> bool {
    matches!(p.kind, Kind::Offset) && p.direction == Direction::In
}

/// A class as part of a function's name.
fn lower(class: Class) -> String {
    class.rust().to_lowercase()
}
