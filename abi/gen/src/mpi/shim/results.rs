//! Results: room for them in the guest's memory before the call, and how they are stored after it.

use anyhow::{Context, Result, bail};

use super::number::Number;
use super::{Shim, lower};
use crate::functions::{Class, Errors};
use crate::parameters::{Direction, Kind, Length, Parameter};
use crate::proofs::{Makes, Traffic};

impl Shim<'_> {
    /// Makes room for a result.
    pub(super) fn output(&mut self, p: &Parameter) -> Result<()> {
        let (name, address) = (p.variable(), self.address(&p.name));
        if p.ignorable {
            return self.ignorable(p);
        }
        if p.direction == Direction::InOut {
            return Ok(());
        }
        if !p.lengths.is_empty() {
            return self.output_array(p);
        }
        let (start, put, bytes) = match &p.kind {
            Kind::Handle(class) => return self.output_handle(p, *class),
            Kind::Status => {
                self.room(name, format!("r.status_out({address}, {name:?})?"));
                self.statuses.push(format!("r.put_status(&{name})"));
                return Ok(());
            }
            Kind::String(Some(room)) => {
                let room = self.length(room)?;
                self.room(name, format!("r.text_room({address}, {room}, {name:?})?"));
                self.stores.push(format!("r.put_text({address}, &{name}, {room}, {name:?})"));
                return Ok(());
            }
            Kind::Address { .. } => {
                let put = format!("r.put_pointer({address}, {name}, {name:?})");
                ("std::ptr::null_mut::<c_void>()".to_owned(), put, "r.word_bytes()".to_owned())
            }
            Kind::Tool(c) => {
                let put = format!("r.put_tool({address}, {name}, {c:?})");
                ("0_usize".to_owned(), put, "r.word_bytes()".to_owned())
            }
            kind => {
                let number = self.number(kind).with_context(|| format!("{name}: no rule for an out {kind:?}"))?;
                (number.zero(), format!("r.{}({address}, {name}, {name:?})", number.put()), number.bytes())
            }
        };
        self.check(format!("r.room({address}, {bytes}, {name:?})"));
        self.room(name, start);
        self.stores.push(put);
        Ok(())
    }

    /// A result that the caller may not want.
    fn ignorable(&mut self, p: &Parameter) -> Result<()> {
        let (name, address) = (p.variable(), self.address(&p.name));
        if self.text_of(p).is_some() {
            return Ok(());
        }
        let (start, put) = match &p.kind {
            Kind::String(Some(Length::Parameter(length))) => {
                (format!("Text::new(r, {address}, {})?", self.address(length)), "put(r)".to_owned())
            }
            kind => {
                let put = match (kind, self.number(kind)) {
                    _ if !p.lengths.is_empty() => bail!("{name}: no rule for an array that may be ignored"),
                    (Kind::Handle(Class::Datatype), _) => "put_datatype(r)".to_owned(),
                    (Kind::Handle(Class::Info), _) => "put_info(r)".to_owned(),
                    (Kind::Tool(c), _) => format!("put_tool(r, {c:?})"),
                    (_, Some(number @ (Number::Int | Number::Long))) => format!("{}(r)", number.put()),
                    _ => bail!("{name}: no rule for a {kind:?} that may be ignored"),
                };
                (format!("Wanted::new({address})"), put)
            }
        };
        self.room(name, start);
        self.stores.push(format!("{name}.{put}"));
        Ok(())
    }

    /// The string of which this is the length.
    pub(super) fn text_of(&self, length: &Parameter) -> Option<&Parameter> {
        let is_its = |p: &&Parameter| match &p.kind {
            Kind::String(Some(Length::Parameter(name))) => p.ignorable && *name == length.name,
            _ => false,
        };
        self.function.parameters.iter().find(is_its)
    }

    fn output_array(&mut self, p: &Parameter) -> Result<()> {
        let (name, address) = (p.variable(), self.address(&p.name));
        let length = self.array_length(p)?;
        match &p.kind {
            Kind::Weight => {
                self.room(name, format!("r.weights({address}, {length}, {name:?})?"));
                self.stores.push(format!("r.put_weights({address}, &{name}, {name:?})"));
            }
            kind if self.number(kind) == Some(Number::Int) => {
                self.room(name, format!("r.ints({address}, {length}, {name:?})?"));
                self.stores.push(format!("r.put_ints({address}, &{name}, {name:?})"));
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
                let put = match self.function.proofs.makes {
                    Some(Makes::Struct) => "put_struct",
                    Some(Makes::Sequence) => "put_sequence",
                    Some(Makes::Datatype) | None => "put_datatype",
                };
                match types.is_empty() {
                    true => format!("r.put_predefined({address}, {name}, {name:?})"),
                    false => format!("r.{put}({address}, {name}, {made_of}, {name:?})"),
                }
            }
            Class::Request => {
                let persistent = if self.function.marks.persistent { "Persistent" } else { "" };
                let kind = match self.function.proofs.traffic {
                    Some(Traffic::Messages) => "Message",
                    Some(Traffic::Collective | Traffic::Neighbors) => {
                        self.charge_working_memory();
                        "Collective"
                    }
                    Some(Traffic::Access) if !self.function.marks.persistent => "Access",
                    other => bail!("{name}: no rule for a {persistent} request of {other:?}"),
                };
                let kept = match self.kept.as_slice() {
                    [one] => one.clone(),
                    several => format!("({})", several.join(", ")),
                };
                let own = if self.has_own { ".own(own)" } else { "" };
                format!(
                    "r.put_request({address}, {name}, Pending::new({}, Kind::{persistent}{kind}, {kept}){own}, {name:?})",
                    self.whose()
                )
            }
            Class::Group => {
                let classes = [Class::Group, Class::Comm, Class::Win, Class::File, Class::Session];
                let from = self.function.parameters.iter().find(|p| p.is_passed_handle(&classes));
                let from = from.map_or("0".to_owned(), |from| format!("w.word({})", self.at(&from.name)));
                format!("r.put_group({address}, {name}, {from}, {name:?})")
            }
            Class::Info | Class::Message => {
                format!("r.put_{}({address}, {name}, {name:?})", lower(class))
            }
            class => bail!("{name}: no rule for a new {}", class.rust()),
        };
        self.check(format!("r.room({address}, r.word_bytes(), {name:?})"));
        self.room(name, "0_usize");
        self.stores.push(put);
        Ok(())
    }

    /// What the library needs for a collective counts as long as its request is there.
    fn charge_working_memory(&mut self) {
        let is_buffer = |p: &&Parameter| matches!(p.kind, Kind::Buffer(..));
        let buffers: Vec<String> =
            self.function.parameters.iter().filter(is_buffer).map(|p| format!("&{}", p.variable())).collect();
        if buffers.is_empty() {
            return;
        }
        self.bind("memory", format!("r.working_memory(&[{}], {})?", buffers.join(", "), self.reduces));
        self.kept.push("memory".to_owned());
    }

    /// Whose error handler hears of what goes wrong with a request.
    fn whose(&self) -> String {
        match &self.function.errors {
            Errors::Of(name) => match self.function.parameter(name).map(|p| &p.kind) {
                Some(Kind::Handle(class @ (Class::Comm | Class::Win | Class::File))) => {
                    format!("{}(w.word({})).into()", class.rust(), self.at(name))
                }
                _ => "Whose::Myself".to_owned(),
            },
            _ => "Whose::Myself".to_owned(),
        }
    }
}
