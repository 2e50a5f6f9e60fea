//! Proofs of what a library takes on trust, beyond addresses and handles: that what comes fits, that buffers are apart, that
//! places, types and their reach are within bounds.

use anyhow::Result;

use super::Shim;
use crate::functions::Class;
use crate::parameters::{Area, Direction, Kind, Length, Parameter};

impl Shim<'_> {
    /// Elements that come from elsewhere are so many bytes to the library: what ends within an element would be the end of
    /// some libraries.
    pub(super) fn received(&mut self, p: &Parameter) -> Result<()> {
        let is_message = ["pt2pt", "coll", "neighbor"].contains(&self.function.chapter.as_str());
        let Kind::Buffer(area, Some(datatype)) = &p.kind else { return Ok(()) };
        let is_taken = p.direction != Direction::In || self.is_counted_on_both_sides();
        if !is_message || !is_taken || self.function.parameter("op").is_some() {
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
        let word = self.word(self.function.parameter(count).expect("checked when parsed"));
        self.before.push(format!("let ({count}_host, {datatype}_host) = {datatype}.as_bytes({word});"));
        self.bytes.extend([count.clone(), datatype.clone()]);
        Ok(())
    }

    /// Whether what is sent is bytes as well: MPICH chooses how gathers and scatters between two groups go by the count on
    /// either side, whatever the types are, so both have to count the same.
    fn is_counted_on_both_sides(&self) -> bool {
        ["root", "sendcount", "recvcount"].iter().all(|name| self.function.parameter(name).is_some())
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
    pub(super) fn elements(&self, p: &Parameter, length: &Length) -> Result<String> {
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
    pub(super) fn guards(&mut self) -> Result<()> {
        let function = self.function;
        self.packing();
        for p in function.parameters.iter().filter(|p| function.chapter == "io" && is_offset(p)) {
            let (file, at) = (self.at("fh"), self.at(&p.name));
            self.before.push(format!("r.file_offset(w.word({file}), w.long({at}), {:?})?;", p.name));
        }
        if function.chapter == "rma" && function.parameter("target_rank").is_some() {
            self.target()?;
        }
        self.members();
        let sends = function.parameters.iter().find(|p| p.name == "sendbuf");
        let receives = function.parameters.iter().find(|p| p.name == "recvbuf");
        if let (Some(_), Some(_), "coll" | "neighbor" | "pt2pt") = (sends, receives, function.chapter.as_str()) {
            self.before.push("r.disjoint(&sendbuf, &recvbuf)?;".to_owned());
        }
        self.own_part();
        self.before.extend(self.blocks.take());
        for p in function.parameters.iter().filter(|_| function.chapter == "pt2pt") {
            match p.kind {
                Kind::Tag => self.before.push(format!("tag::of_send({})?;", self.word(p))),
                Kind::AnyTag => self.before.push(format!("tag::of_receive({})?;", self.word(p))),
                _ => {}
            }
        }
        self.own_message();
        if function.name == "MPI_Reduce_local" {
            self.before.push("r.disjoint(&inbuf, &inoutbuf)?;".to_owned());
        }
        self.reach();
        Ok(())
    }

    /// Packing stays within the buffer, and reads nothing that it writes.
    fn packing(&mut self) {
        let function = self.function;
        let has = |name: &str| function.parameter(name).is_some();
        if has("position") {
            let (room, count) = if has("outsize") { ("outsize", "incount") } else { ("insize", "outcount") };
            let (room, count) = (self.wide(room), self.wide(count));
            let position = function.parameter("position").map_or("", |p| match self.number(&p.kind) {
                "c_int" => "i64::from(position)",
                _ => "position.wide()",
            });
            self.before.push(format!("r.room_to_pack({position}, {room}, {count}, &datatype)?;"));
            self.before.push("r.disjoint(&inbuf, &outbuf)?;".to_owned());
        }
        if has("datarep") && function.chapter == "pack" {
            self.external();
        }
    }

    /// What an access reaches in the window of its target, which need not be this process's.
    fn target(&mut self) -> Result<()> {
        let function = self.function;
        let has = |name: &str| function.parameter(name).is_some();
        let at = |name: &str| self.at(name);
        let count = if has("target_count") { self.wide("target_count") } else { "1".to_owned() };
        let datatype = if has("target_datatype") { "target_datatype" } else { "datatype" };
        let (win, rank, displ) = (at("win"), at("target_rank"), at("target_disp"));
        self.before.push(format!("r.target_rank(w.word({win}), w.int({rank}))?;"));
        if let Some(p) = function.parameter("target_datatype") {
            self.input(p)?;
        }
        self.before.push(format!(
            "let target_disp = r.target(w.word({win}), w.int({rank}), w.aint({displ}), {count}, &{datatype})?;"
        ));
        self.transfer(&count);
        if !has("op") && has("origin_count") {
            self.before.push(format!(
                "r.apart((w.word({win}), w.int({rank})), w.aint({displ}), ({count}, &{datatype}), &origin_addr)?;"
            ));
        }
        Ok(())
    }

    /// Those who are named are members of what they are to come from.
    fn members(&mut self) {
        match self.function.name.as_str() {
            "MPI_Comm_create" | "MPI_Comm_create_group" => self.before.push("r.within_comm(group, comm)?;".to_owned()),
            "MPI_Group_incl" | "MPI_Group_excl" => {
                self.before.push("ranks::listed(r.members_of(group)?, w.int(1), &ranks)?;".to_owned());
            }
            "MPI_Group_range_incl" | "MPI_Group_range_excl" => {
                self.before.push("ranks::in_ranges(r.members_of(group)?, w.int(1), &ranges)?;".to_owned());
            }
            "MPI_Win_start" | "MPI_Win_post" => self.before.push("r.within_win(group, win)?;".to_owned()),
            _ => {}
        }
    }

    /// A message to the rank itself must not overlap another one. What is buffered is copied to memory of the host's.
    fn own_message(&mut self) {
        let function = self.function;
        let name = function.name.to_lowercase();
        if function.chapter != "pt2pt" || name.contains("bsend") {
            return;
        }
        let buffer = |direction| {
            function.parameters.iter().find(|p| matches!(p.kind, Kind::Buffer(_, Some(_))) && p.direction == direction)
        };
        // What is replaced is sent from a copy of the library's.
        let (sent, received) = (buffer(Direction::In), buffer(Direction::Out).or(buffer(Direction::InOut)));
        let side = |p: Option<&Parameter>, peer: &str| {
            p.map_or("None".to_owned(), |p| format!("Some((&{}, w.int({})))", p.name, self.at(peer)))
        };
        match (function.parameter("comm"), received) {
            (None, Some(received)) => self.before.push(format!("r.own_matched(&{})?;", received.name)),
            (Some(_), _) if sent.or(received).is_some() => {
                let goes_on = function.parameter("request").is_some();
                let (own, begin) = match goes_on {
                    true if name.ends_with("_init") => ("own", "own_message_later"),
                    true => ("own", "own_message"),
                    false => ("_own", "own_message"),
                };
                let comm = self.at("comm");
                self.before.push(format!(
                    "let {own} = r.{begin}(w.word({comm}), {}, {})?;",
                    side(sent, "dest"),
                    side(received, "source")
                ));
                self.has_own = goes_on;
            }
            _ => {}
        }
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
                let zero = format!("0 as {}", self.number(&p.kind));
                format!("r.put_number({}, {zero}, \"size\")", self.address("size"))
            }
            None => "Ok(())".to_owned(),
        };
        self.before.push(format!("if datatype.hull({count}).is_none() {{\n    return {nothing};\n}}"));
    }

    /// What is put or got has to fit, since a rank may be its own target. What is combined has to be as much on all sides.
    fn transfer(&mut self, target: &str) {
        let name = self.function.name.to_lowercase();
        let side = |p: &str| {
            let count = self.function.parameter(&format!("{p}_count"))?;
            let count = self.length(&Length::Parameter(count.name.clone())).ok()?;
            Some(format!("({count}, &{p}_datatype)"))
        };
        let there = format!("({target}, &target_datatype)");
        let (origin, result) = (side("origin"), side("result"));
        let Some(origin) = origin else { return };
        if self.accumulates() {
            let op = self.at("op");
            self.before.push(format!("r.combines(w.word({op}), {origin}, {there})?;"));
            self.before.extend(result.map(|result| format!("r.as_much({there}, {result})?;")));
            return;
        }
        let (from, to) = if name.ends_with("get") { (there, origin) } else { (origin, there) };
        self.before.push(format!("r.fits({from}, {to})?;"));
    }

    /// Of a collective in which every rank sends to itself too: that part has to fit.
    fn own_part(&mut self) {
        let function = self.function;
        let has = |name: &str| function.parameter(name).is_some();
        let types = |p: &Parameter| matches!(p.kind, Kind::Handle(Class::Datatype));
        let kinds: Vec<&Parameter> = function.parameters.iter().filter(|p| types(p)).collect();
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
            .parameters
            .iter()
            .filter(|p| matches!(p.kind, Kind::Buffer(..)) && self.is_conditional(p))
            .map(|p| format!("has_{}", p.name))
            .chain([format!("r.is_intra(w.word({comm}))?")])
            .collect();
        self.before.push(format!("if {} {{\n    r.fits({from}, {to})?;\n}}", counted.join(" && ")));
    }

    /// Of a new datatype: how many elements of the old one it can be long, and how many bytes. See
    /// `host/src/engine/mpi/datatype/reach.rs`.
    fn reach(&mut self) {
        let word = |name: &str| self.word(self.function.parameter(name).expect("all that make such types have it"));
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
            "MPI_Type_create_subarray" => {
                let order = word("order");
                self.before.push(format!(
                    "array::part(&wide(&array_of_sizes), &wide(&array_of_subsizes), &wide(&array_of_starts), {order})?;"
                ));
                ("volume(&array_of_sizes)".to_owned(), none())
            }
            "MPI_Type_create_darray" => {
                let (process, order) = (format!("({}, {})", word("size"), word("rank")), word("order"));
                self.before.push(format!(
                    "array::dealt({process}, &wide(&array_of_gsizes), &array_of_distribs, &array_of_dargs, &array_of_psizes, {order})?;"
                ));
                ("dealt(&array_of_gsizes, &array_of_dargs, &array_of_psizes)".to_owned(), none())
            }
            "MPI_Type_dup" => (none(), none()),
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
}

/// Whether it is a place in a file, or a file's size.
fn is_offset(p: &Parameter) -> bool {
    matches!(p.kind, Kind::Offset) && p.direction == Direction::In
}
