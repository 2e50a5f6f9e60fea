//! Proofs of what a library takes on trust, beyond addresses and handles: that what comes fits, that buffers are apart, that
//! places, types and their reach are within bounds. The keys of the row say which ([`Proofs`](crate::proofs::Proofs)).

use anyhow::{Context, Result};

use super::number::Number;
use super::statement::Statement;
use super::{Shim, lower};
use crate::functions::{Class, Function};
use crate::parameters::{Area, Direction, Kind, Length, Parameter};
use crate::proofs::{Access, Call, Counts, Epoch, Members, Term, Traffic};

/// The arrays that are rewritten when the library is told of blocks as bytes.
pub(super) fn rewritten(function: &Function) -> Vec<String> {
    let arrays = |p: &Parameter| match &p.kind {
        Kind::Buffer(Area::Blocks { counts, displs }, Some(datatype)) if comes_as_bytes(function, p) => {
            vec![counts.clone(), if is_array(function, datatype) { datatype.clone() } else { displs.clone() }]
        }
        _ => Vec::new(),
    };
    function.parameters.iter().flat_map(arrays).collect()
}

/// Whether the library is told of this buffer's elements as bytes: what ends within an element that comes from elsewhere
/// would be the end of some libraries.
fn comes_as_bytes(function: &Function, p: &Parameter) -> bool {
    let is_taken = p.direction != Direction::In || is_counted_on_both_sides(function);
    function.proofs.traffic.is_some_and(Traffic::is_sent) && is_taken && function.parameter("op").is_none()
}

/// Whether what is sent is bytes as well: MPICH chooses how gathers and scatters between two groups go by the count on
/// either side, whatever the types are, so both have to count the same.
fn is_counted_on_both_sides(function: &Function) -> bool {
    let has = |is: fn(&Parameter) -> bool| function.parameters.iter().any(is);
    has(|p| p.kind == Kind::Root) && !has(|p| matches!(p.kind, Kind::Buffer(Area::Blocks { .. }, _)))
}

fn is_array(function: &Function, name: &str) -> bool {
    function.parameter(name).is_some_and(|p| !p.lengths.is_empty())
}

fn is_passed_type(p: &&Parameter) -> bool {
    matches!(p.kind, Kind::Handle(Class::Datatype)) && p.direction == Direction::In
}

impl Shim<'_> {
    /// Tells the library of a buffer's elements as bytes, where it has to be.
    pub(super) fn received(&mut self, p: &Parameter) -> Result<()> {
        let Kind::Buffer(area, Some(datatype)) = &p.kind else { return Ok(()) };
        if !comes_as_bytes(self.function, p) {
            return Ok(());
        }
        let length = match area {
            Area::Elements(length) => length,
            Area::Blocks { counts, displs } => {
                self.blocks = Some(if is_array(self.function, datatype) {
                    Statement::Do(format!("{datatype}.as_bytes(&mut {counts})"))
                } else {
                    self.told(datatype);
                    let value = format!("{datatype}.as_byte_blocks(&mut {counts}, &mut {displs})");
                    Statement::bind(format!("{datatype}_host"), value)
                });
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
        let word = self.word(count)?;
        let mut told = format!("{datatype}.as_bytes({word})");
        // A library may look at both whether or not the caller takes part.
        if p.direction == Direction::InOut && self.function.parameters.iter().any(|p| p.kind == Kind::Root) {
            told = format!("if has_{} {{ {told} }} else {{ nothing({word}) }}", p.name);
        }
        self.bind(format!("({count}_host, {datatype}_host)"), told);
        self.told(count);
        self.told(datatype);
        Ok(())
    }

    /// How many elements a buffer has, where the table's word for it is not the whole truth.
    pub(super) fn elements(&self, p: &Parameter, length: &Length) -> Result<String> {
        let Some([own, all]) = self.function.proofs.received.as_ref().filter(|_| p.direction == Direction::Out) else {
            return self.length(length);
        };
        // In place it holds everybody's operands.
        Ok(format!("if has_sendbuf {{ {} }} else {{ {} }}", self.length(own)?, self.length(all)?))
    }

    /// Further proofs, of what the library would not check.
    pub(super) fn guards(&mut self) -> Result<()> {
        let function = self.function;
        self.room_to_pack()?;
        for p in function.parameters.iter().filter(|p| p.kind == Kind::Offset && p.direction == Direction::In) {
            let file = self.at(&self.first("fh", |p| p.is_passed_handle(&[Class::File]))?.name);
            self.check(format!("r.file_offset(w.word({file}), {}, {:?})", self.word(&p.name)?, p.name));
        }
        if let Some(access) = function.proofs.access {
            self.target(access)?;
        }
        self.members()?;
        self.epochs()?;
        self.apart();
        self.external()?;
        self.own_part()?;
        self.before.extend(self.blocks.take());
        for p in &function.parameters {
            match p.kind {
                Kind::Tag if function.parameters.iter().any(|p| p.kind == Kind::Dest) => {
                    self.check(format!("tag::of_send({})", self.word(&p.name)?));
                }
                Kind::AnyTag => self.check(format!("tag::of_receive({})", self.word(&p.name)?)),
                _ => {}
            }
        }
        self.own_message();
        self.counted()?;
        self.reach()
    }

    /// The first parameter that is such a thing.
    fn first(&self, what: &str, is: impl Fn(&Parameter) -> bool) -> Result<&Parameter> {
        self.function.parameters.iter().find(|p| is(p)).with_context(|| format!("it has no {what}"))
    }

    /// Packing stays within the buffer.
    fn room_to_pack(&mut self) -> Result<()> {
        let Some(position) = &self.function.proofs.packs else { return Ok(()) };
        let size = |typed: bool| {
            self.function.parameters.iter().find_map(|p| match &p.kind {
                Kind::Buffer(Area::Elements(length), datatype) if datatype.is_some() == typed => Some(length),
                _ => None,
            })
        };
        let room = self.length(size(false).context("it has no buffer of bytes")?)?;
        let count = self.length(size(true).context("it has no buffer of elements")?)?;
        let position = self.number_of(position)?.wide_of(position);
        self.check(format!("r.room_to_pack({position}, {room}, {count}, &datatype)"));
        Ok(())
    }

    /// Nothing is read that the call writes. What is in a window has its own rule.
    fn apart(&mut self) {
        let function = self.function;
        let buffers = |reads: bool| {
            let is =
                move |p: &&Parameter| matches!(p.kind, Kind::Buffer(..)) && (p.direction == Direction::In) == reads;
            function.parameters.iter().filter(is)
        };
        if function.proofs.access.is_some() {
            return;
        }
        for read in buffers(true) {
            for written in buffers(false) {
                self.check(format!("r.disjoint(&{}, &{})", read.variable(), written.variable()));
            }
        }
    }

    /// What an access reaches in the window of its target, which need not be this process's.
    fn target(&mut self, access: Access) -> Result<()> {
        let function = self.function;
        let has = |name: &str| function.parameter(name).is_some();
        let count = if has("target_count") { self.wide("target_count")? } else { "1".to_owned() };
        let datatype = if has("target_datatype") { "target_datatype" } else { "datatype" };
        let [win, rank, displ] = ["win", "target_rank", "target_disp"].map(|name| self.at(name));
        self.check(format!("r.target_rank(w.word({win}), w.int({rank}))"));
        if let Some(p) = function.parameter("target_datatype") {
            self.input(p)?;
        }
        let there = format!("w.word({win}), w.int({rank})");
        self.bind("target_disp", format!("r.target({there}, w.aint({displ}), {count}, &{datatype})?"));
        self.told.push(("target_disp".to_owned(), "target_disp".to_owned()));
        self.transfer(access)?;
        if matches!(access, Access::Puts | Access::Gets) {
            self.check(format!("r.apart(({there}), w.aint({displ}), ({count}, &{datatype}), &origin_addr)"));
        }
        Ok(())
    }

    /// What is put or got has to fit, since a rank may be its own target. What is combined has to be as much on all sides.
    fn transfer(&mut self, access: Access) -> Result<()> {
        let side = |p: &str| Ok::<_, anyhow::Error>(format!("({}, &{p}_datatype)", self.wide(&format!("{p}_count"))?));
        let mut checks = Vec::new();
        match access {
            Access::Puts => checks.push(format!("r.fits({}, {})", side("origin")?, side("target")?)),
            Access::Gets => checks.push(format!("r.fits({}, {})", side("target")?, side("origin")?)),
            Access::Combines | Access::Fetches => {
                let op = self.at("op");
                checks.push(format!("r.combines(w.word({op}), {}, {})", side("origin")?, side("target")?));
                if access == Access::Fetches {
                    checks.push(format!("r.as_much({}, {})", side("target")?, side("result")?));
                }
            }
            Access::Swaps => {}
        }
        checks.into_iter().for_each(|proof| self.check(proof));
        Ok(())
    }

    /// Those who are named are members of what they are to come from.
    fn members(&mut self) -> Result<()> {
        let Some(Members::In { named, whole }) = &self.function.proofs.members else { return Ok(()) };
        let (p, of) = (self.first(named, |p| p.name == *named)?, self.first(whole, |p| p.name == *whole)?);
        let listed = match p.lengths.as_slice() {
            [] => None,
            [length] => Some(("listed", length)),
            [length, ..] => Some(("in_ranges", length)),
        };
        let proof = match (listed, &of.kind) {
            (Some((prove, Length::Parameter(length))), Kind::Handle(Class::Group)) => {
                format!("ranks::{prove}(r.members_of({whole})?, {}, &{named})", self.word(length)?)
            }
            (None, Kind::Handle(class)) => format!("r.within_{}({named}, {whole})", lower(*class)),
            _ => anyhow::bail!("no rule for {named} as members of {whole}"),
        };
        match self.function.proofs.epoch {
            Some(Epoch::Start) => self.bind("members", format!("{proof}?")),
            _ => self.check(proof),
        }
        Ok(())
    }

    /// Epochs that begin and end are those that the rank knows of, as far as the library takes that on trust. See
    /// `host/mpi/src/rma/epochs.rs`.
    fn epochs(&mut self) -> Result<()> {
        let Some(epoch) = self.function.proofs.epoch.filter(|epoch| *epoch != Epoch::Nothing) else { return Ok(()) };
        if epoch == Epoch::Free {
            self.check("r.without_epochs(win_word)");
            return Ok(());
        }
        let mut arguments = vec![format!("w.word({})", self.at("win"))];
        if self.function.parameter("group").is_some() && epoch == Epoch::Start {
            arguments.push("members".to_owned());
        }
        let numbers = self.function.parameters.iter().filter(|p| p.direction == Direction::In);
        let numbers = numbers.filter(|p| matches!(p.kind, Kind::Int | Kind::Rank));
        arguments.extend(numbers.map(|p| format!("w.int({})", self.at(&p.name))));
        let proof = format!("r.epoch_{}({})", epoch.word(), arguments.join(", "));
        if matches!(epoch, Epoch::Flush | Epoch::FlushAll) {
            self.check(proof);
            return Ok(());
        }
        self.bind("epoch", format!("{proof}?"));
        self.stores.push(match self.function.parameter("flag") {
            Some(_) => "epoch.made_if(flag != 0)".to_owned(),
            None => "epoch.made()".to_owned(),
        });
        Ok(())
    }

    /// A message to the rank itself must not overlap another one. What is buffered is copied to memory of the host's.
    fn own_message(&mut self) {
        let function = self.function;
        if function.proofs.traffic != Some(Traffic::Messages) || function.marks.buffered {
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
            (None, Some(received)) => self.check(format!("r.own_matched(&{})", received.name)),
            (Some(_), _) if sent.or(received).is_some() => {
                let goes_on = function.parameter("request").is_some();
                let own = if goes_on { "own" } else { "_own" };
                let begin = if function.marks.persistent { "own_message_later" } else { "own_message" };
                let (comm, sent, received) = (self.at("comm"), side(sent, "dest"), side(received, "source"));
                self.bind(own, format!("r.{begin}(w.word({comm}), {sent}, {received})?"));
                self.has_own = goes_on;
            }
            _ => {}
        }
    }

    /// What a status counts of a type without bytes: a library divides by its size.
    fn counted(&mut self) -> Result<()> {
        if self.function.proofs.counts != Some(Counts::Basic) {
            return Ok(());
        }
        let count = &self.first("count", |p| p.name == "count" && p.direction == Direction::Out)?.name;
        let number = self.number_of(count)?;
        let found = match number {
            Number::Long => "r.elements_of_nothing(&status)?".to_owned(),
            _ => format!("r.elements_of_nothing(&status)? as {}", number.rust()),
        };
        let value = format!("r.put_number({}, {found}, {count:?})", self.address(count));
        self.before.push(Statement::ReturnIf { condition: "datatype.size() == 0".to_owned(), value });
        Ok(())
    }

    /// The external representation: the only one that there is, of types that have one, and of something.
    fn external(&mut self) -> Result<()> {
        let function = self.function;
        let Some(name) = &function.proofs.external else { return Ok(()) };
        let count = self.first("count", |p| p.kind == Kind::Count && p.direction == Direction::In)?;
        let count = self.wide(&count.name)?;
        self.check(format!("r.external32(&{name})"));
        self.check("datatype.external()");
        let value = match function.parameters.iter().find(|p| p.kind == Kind::Extent && p.direction == Direction::Out) {
            Some(p) => {
                let number = self.number_of(&p.name)?;
                format!("r.{}({}, {}, {:?})", number.put(), self.address(&p.name), number.zero(), p.name)
            }
            None => "Ok(())".to_owned(),
        };
        self.before.push(Statement::ReturnIf { condition: format!("datatype.hull({count}).is_none()"), value });
        Ok(())
    }

    /// Of a collective in which every rank sends to itself too: that part has to fit.
    fn own_part(&mut self) -> Result<()> {
        let function = self.function;
        let types: Vec<&Parameter> = function.parameters.iter().filter(is_passed_type).collect();
        let (Some(Traffic::Collective), [sent, into]) = (function.proofs.traffic, types.as_slice()) else {
            return Ok(());
        };
        let comm = self.at("comm");
        let side = |count: &str, ty: &Parameter| -> Result<String> {
            let count = match function.parameter(count) {
                Some(p) => self.wide(&p.name)?,
                None => format!("r.own(&{count}s, w.word({comm}))?"),
            };
            Ok(match ty.lengths.is_empty() {
                true => format!("({count}, &{})", ty.name),
                false => format!("({count}, r.own_type(&{}, w.word({comm}))?)", ty.name),
            })
        };
        let value = format!("r.fits({}, {})", side("sendcount", sent)?, side("recvcount", into)?);
        let counted: Vec<String> = function
            .parameters
            .iter()
            .filter(|p| matches!(p.kind, Kind::Buffer(..)) && self.is_conditional(p))
            .map(|p| format!("has_{}", p.name))
            .chain([format!("r.is_intra(w.word({comm}))?")])
            .collect();
        self.before.push(Statement::CheckIf { condition: counted.join(" && "), value });
        Ok(())
    }

    /// Of a new datatype: that it is a part of an array, if it is to be one; how many elements of the old one it can be
    /// long, and how many bytes. See `host/mpi/src/datatype/reach.rs`.
    fn reach(&mut self) -> Result<()> {
        let function = self.function;
        if let Some(part) = &function.proofs.array {
            self.part(part)?;
        }
        let Some(reach) = &function.proofs.reach else { return Ok(()) };
        let sum = |terms: &[Term]| -> Result<String> {
            let terms: Vec<String> = terms.iter().map(|term| self.term(term)).collect::<Result<_>>()?;
            Ok(if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") })
        };
        let (elements, bytes) = (sum(&reach.elements)?, sum(&reach.bytes)?);
        let old = self.first("datatype", |p| is_passed_type(&p))?;
        let old =
            if old.lengths.is_empty() { format!("slice::from_ref(&{})", old.name) } else { format!("&{}", old.name) };
        self.check(format!("r.within_reach({old}, {elements}, {bytes})"));
        Ok(())
    }

    /// `part(sizes, subsizes, starts, order)`; `dealt` has who it is for in one.
    fn part(&mut self, part: &Call) -> Result<()> {
        let argument = |name: &String| match self.function.parameter(name) {
            Some(p) if p.lengths.is_empty() => self.word(name),
            Some(p) if p.kind == Kind::Count => Ok(format!("&wide(&{name})")),
            _ => Ok(format!("&{name}")),
        };
        let mut arguments: Vec<String> = part.arguments.iter().map(argument).collect::<Result<_>>()?;
        if part.name == "dealt" {
            let process: Vec<String> = arguments.drain(..2).collect();
            arguments.insert(0, format!("({})", process.join(", ")));
        }
        self.check(format!("array::{}({})", part.name, arguments.join(", ")));
        Ok(())
    }

    /// A summand of a reach.
    fn term(&self, term: &Term) -> Result<String> {
        Ok(match term {
            Term::Area(one, None) => format!("area({}, 1)", self.word(one)?),
            Term::Area(one, Some(other)) => format!("area({}, {})", self.word(one)?, self.word(other)?),
            Term::Of(call) => {
                let arrays: Vec<String> = call.arguments.iter().map(|name| format!("&{name}")).collect();
                format!("{}({})", call.name, arrays.join(", "))
            }
        })
    }
}
