//! The order in which a shim looks at its arguments, so that of several wrong ones each engine names the same: the object
//! and the root; arrays of counts and displacements; for each buffer its datatype, its count and where it lies; what is
//! said of the message or the target; hints. A datatype comes before count and buffer, as without it no byte can be proved.

use crate::functions::{Class, Function};
use crate::parameters::{Direction, Kind, Parameter};

/// What is looked at before the buffers.
pub(super) fn before_buffers(function: &Function) -> Vec<&Parameter> {
    let has_buffers = buffers(function).next().is_some();
    let is_early = |p: &&Parameter| !has_buffers || !is_late(function, p);
    let inputs = || inputs(function).filter(is_early);
    let is_counts = |p: &&Parameter| has_buffers && !p.lengths.is_empty() && !is_datatype(p);
    let objects = inputs().filter(is_object);
    let counts = inputs().filter(|p| !is_object(p) && is_counts(p));
    let others = inputs().filter(|p| !is_object(p) && !is_counts(p));
    objects.chain(counts).chain(others).collect()
}

/// The buffers, those of bytes last.
pub(super) fn buffers(function: &Function) -> impl Iterator<Item = &Parameter> {
    let of = |typed: bool| {
        let is = move |p: &&Parameter| matches!(&p.kind, Kind::Buffer(_, datatype) if datatype.is_some() == typed);
        function.parameters.iter().filter(is)
    };
    of(true).chain(of(false))
}

/// The datatypes of a buffer that were not looked at with one before it.
pub(super) fn of_buffer<'f>(function: &'f Function, buffer: &Parameter) -> Vec<&'f Parameter> {
    let uses = |buffer: &Parameter, p: &Parameter| buffer.uses().contains(&p.name.as_str());
    let is_known = |p: &Parameter| buffers(function).take_while(|b| b.name != buffer.name).any(|b| uses(b, p));
    let is_its = |p: &&Parameter| is_datatype(p) && uses(buffer, p) && !is_known(p) && is_late(function, p);
    inputs(function).filter(is_its).collect()
}

/// What is looked at last: hints, and what is done with the elements of a window.
pub(super) fn behind_all(function: &Function) -> impl Iterator<Item = &Parameter> {
    inputs(function).filter(|p| is_late(function, p) && !is_datatype(p) && buffers(function).next().is_some())
}

/// What the caller passes in, buffers aside.
fn inputs(function: &Function) -> impl Iterator<Item = &Parameter> {
    let is_input =
        |p: &&Parameter| !matches!(p.kind, Kind::Buffer(..)) && p.direction != Direction::Out && !p.ignorable;
    function.parameters.iter().filter(is_input)
}

/// Whether it is looked at with a buffer or behind all of them. An operation that is no window's is a matter of the
/// datatype, so both come first.
fn is_late(function: &Function, p: &Parameter) -> bool {
    let reduces = function.proofs.access.is_none() && function.parameter("op").is_some();
    match p.kind {
        Kind::Handle(Class::Datatype | Class::Op) => !reduces,
        Kind::Handle(Class::Info) => true,
        _ => false,
    }
}

fn is_object(p: &&Parameter) -> bool {
    matches!(p.kind, Kind::Handle(Class::Comm | Class::Win | Class::File | Class::Session | Class::Message))
}

fn is_datatype(p: &Parameter) -> bool {
    matches!(p.kind, Kind::Handle(Class::Datatype))
}
