//! Calls with arguments that say nothing: the table's marks say which do not (`@root`, `@in_place`, `@operand`, `@behind`), and
//! whatever stands there, the call does what it would do without.
//!
//! A case has three ranks. What is right in an argument of a collective is chosen by its kind, in other chapters by its name
//! (`setting.rs`); what says nothing is drawn.

use anyhow::{Context, Result};
use arbitrary::Unstructured;
use rankine_abi::{MPI_IN_PLACE, MPI_PROC_NULL, MPI_ROOT};
use rankine_gen::functions::{self, Class, Function};
use rankine_gen::parameters::{Direction, InPlace, Kind, Parameter};

use crate::beginning::{argument, parse, place_of};
use crate::catalogue::Catalogue;
use crate::draw::{edge, wild_handle, wild_place};
use crate::memory::{BUFFERS, NUMBERS};
use crate::program::{Argument, Call, Case, Mode, Program};
use crate::setting::Setting;

/// How many ranks a case has.
pub const RANKS: usize = 3;

/// Arrays that calls before write: ones of 32 and of 64 bits, displacements, datatypes.
const ONES: u32 = NUMBERS + 0xc00;
const WIDE_ONES: u32 = NUMBERS + 0xc20;
const PLACES: u32 = NUMBERS + 0xc60;
const TYPES: u32 = NUMBERS + 0xc80;

/// Why something says nothing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Why {
    /// The rank is not the root.
    Elsewhere,
    /// The buffer that it describes is in place.
    InPlace,
    /// The rank is in the root's group of an intercommunicator and not the root, or it is the root, which only sends or only
    /// receives.
    Between,
    /// The operation has no operands.
    NoOperands,
    /// The rank is the first, which nobody is before.
    First,
}

/// Every function that has marks, with each reason for which some of its arguments may say nothing, and whether the large
/// variant is meant.
pub fn all() -> Result<Vec<(Function, bool, Why)>> {
    let mut found = Vec::new();
    for function in functions::parse(include_str!("../../../abi/functions.toml"))?.functions {
        let has = |is: fn(&Parameter) -> bool| function.parameters.iter().any(is);
        let whys = [
            (Why::Elsewhere, has(|p| p.root_only)),
            (Why::NoOperands, has(|p| p.operand)),
            (Why::First, has(|p| p.behind)),
            (Why::InPlace, has(|p| p.in_place.is_some())),
            (Why::Between, has(|p| matches!(p.kind, Kind::Root)) && has(|p| matches!(p.kind, Kind::Buffer(..)))),
        ];
        for (why, _) in whys.into_iter().filter(|(_, is_possible)| *is_possible) {
            for (_, large) in function.variants() {
                found.push((function.clone(), large, why));
            }
        }
    }
    Ok(found)
}

/// A case of such a call.
pub fn case(
    u: &mut Unstructured,
    catalogue: &Catalogue,
    (function, large, why): (&Function, bool, Why),
    fibers: bool,
) -> Result<Case> {
    let maker = Maker { catalogue, function, large, why, setting: Setting::of(function) };
    let programs = (0..RANKS as i64).map(|rank| maker.program(u, rank)).collect::<Result<_>>()?;
    Ok(Case { ranks: RANKS, fibers, twice: false, mode: Mode::Compiled, programs })
}

struct Maker<'a> {
    catalogue: &'a Catalogue,
    function: &'a Function,
    large: bool,
    why: Why,
    /// None for collectives.
    setting: Option<Setting>,
}

/// What a rank is to a call.
struct Role {
    rank: i64,
    root: i64,
    is_root: bool,
    /// It neither sends nor receives.
    is_idle: bool,
}

impl Maker<'_> {
    fn program(&self, u: &mut Unstructured, rank: i64) -> Result<Program> {
        let mut calls = Vec::new();
        let text = |calls: &mut Vec<Call>, text: String| -> Result<()> {
            calls.extend(parse(self.catalogue, &text)?);
            Ok(())
        };
        for element in 0..4 {
            text(&mut calls, format!("Store32 {} 1; Store64 {} 1", ONES + 4 * element, WIDE_ONES + 8 * element))?;
            // Displacements are those of bytes in one function: none of them overlap in any.
            text(&mut calls, format!("Store32 {} {}", PLACES + 4 * element, 4 * element))?;
            text(&mut calls, format!("Store32 {} 521", TYPES + 4 * element))?;
        }
        if let Some(setting) = &self.setting {
            text(&mut calls, setting.before(rank).to_owned())?;
        }
        if self.why == Why::Between {
            let (color, far) = if rank == 2 { (1, 0) } else { (0, 2) };
            text(&mut calls, format!("MPI_Comm_split 257 {color} 0 &comm"))?;
            text(&mut calls, format!("MPI_Intercomm_create *comm 0 257 {far} 5 &comm1"))?;
        }
        // In two groups the last rank leads its own.
        let is_root = rank == 0 || rank == 2 && self.setting.as_ref().is_some_and(Setting::has_groups);
        let role = match self.why {
            Why::Between if rank == 1 => Role { rank, root: MPI_PROC_NULL.into(), is_root: false, is_idle: true },
            Why::Between if is_root => Role { rank, root: MPI_ROOT.into(), is_root, is_idle: false },
            _ => Role { rank, root: 0, is_root, is_idle: false },
        };
        match self.setting.as_ref().and_then(|setting| setting.instead(rank)) {
            Some(other) => text(&mut calls, other)?,
            None => calls.push(self.call(u, &role)?),
        }
        let name = &self.function.name;
        if name.ends_with("_init") {
            text(&mut calls, "MPI_Start &request; MPI_Wait &request 0; MPI_Request_free &request".to_owned())?;
        } else if self.function.parameters.iter().any(|p| matches!(p.kind, Kind::Handle(Class::Request))) {
            text(&mut calls, "MPI_Wait &request 0".to_owned())?;
        }
        if let Some(after) = self.setting.as_ref().and_then(Setting::after) {
            text(&mut calls, after.to_owned())?;
        }
        Ok(Program { calls, callbacks: Vec::new() })
    }

    fn call(&self, u: &mut Unstructured, role: &Role) -> Result<Call> {
        let name = self.function.variants().find(|(_, large)| *large == self.large).context("no such variant")?.0;
        let function = self.catalogue.position(&name).with_context(|| format!("{name} is not in the catalogue"))?;
        let mut arguments = Vec::new();
        for p in self.function.of_variant(self.large) {
            arguments.push(match () {
                () if self.is_in_place(p, role) => Argument::Is(MPI_IN_PLACE.0 as i64),
                () if self.says_nothing(p, role) => rubbish(u, p)?,
                () => self.right(p, role)?,
            });
        }
        Ok(Call { function: function as u16, arguments })
    }

    fn is_in_place(&self, p: &Parameter, role: &Role) -> bool {
        self.why == Why::InPlace
            && match p.in_place {
                Some(InPlace::Everyone) => true,
                Some(InPlace::Root) => role.is_root,
                None => false,
            }
    }

    fn says_nothing(&self, p: &Parameter, role: &Role) -> bool {
        if self.setting.is_some() {
            return p.operand || p.root_only && !role.is_root;
        }
        if p.behind && self.why == Why::First {
            return role.rank == 0;
        }
        if matches!(p.kind, Kind::Root | Kind::Handle(Class::Comm | Class::Request | Class::Info)) {
            return false;
        }
        if role.is_idle || p.root_only && !role.is_root {
            return true;
        }
        // What describes nothing but buffers that say nothing.
        let buffers = || self.function.parameters.iter().filter(|b| matches!(b.kind, Kind::Buffer(..)));
        let counts = |b: &Parameter| {
            // Between groups the root sends or receives, as its marks say.
            let is_the_others =
                self.why == Why::Between && role.is_root && !b.root_only && b.direction != Direction::InOut;
            !is_the_others && !self.is_in_place(b, role) && (!b.root_only || role.is_root)
        };
        if matches!(p.kind, Kind::Buffer(..)) {
            return !counts(p);
        }
        let mut described = buffers().filter(|b| b.uses().contains(&p.name.as_str())).peekable();
        described.peek().is_some() && !described.any(counts)
    }

    fn right(&self, p: &Parameter, role: &Role) -> Result<Argument> {
        if let Some(setting) = &self.setting {
            let word = setting.right(&p.name, role.rank);
            return argument(self.catalogue, &word.with_context(|| format!("nothing is right for {}", p.name))?);
        }
        let is_array = !p.lengths.is_empty();
        Ok(Argument::Is(match &p.kind {
            // A block for each, with room between those of one and those of the others.
            Kind::Buffer(..) if p.direction == Direction::In => BUFFERS.into(),
            Kind::Buffer(..) => (BUFFERS + 0x1000).into(),
            Kind::Count if is_array && self.large => WIDE_ONES.into(),
            Kind::Count if is_array => ONES.into(),
            Kind::Displ if is_array => PLACES.into(),
            Kind::Handle(Class::Datatype) if is_array => TYPES.into(),
            Kind::Count => 1,
            Kind::Handle(Class::Datatype) => 521,
            Kind::Handle(Class::Op) => 33,
            Kind::Handle(Class::Info) => 304,
            Kind::Root => role.root,
            Kind::Handle(Class::Comm) if self.why == Why::Between => return Ok(Argument::At(place_of("comm1")?)),
            Kind::Handle(Class::Comm) => 257,
            Kind::Handle(Class::Request) => place_of("request")?.into(),
            kind => anyhow::bail!("{}: nothing is right for {kind:?}", p.name),
        }))
    }
}

/// What no call could use, more often than not.
fn rubbish(u: &mut Unstructured, p: &Parameter) -> arbitrary::Result<Argument> {
    match p.kind {
        Kind::Handle(_) if p.lengths.is_empty() => wild_handle(u),
        Kind::Buffer(..) | Kind::String(_) | Kind::Raw(_) => wild_place(u),
        _ if !p.lengths.is_empty() => wild_place(u),
        _ => edge(u),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_marked_function_has_its_cases() {
        let catalogue = Catalogue::new().unwrap();
        let all = all().unwrap();
        let mut bytes = (0..4096_u32).map(|n| (n * 7) as u8).collect::<Vec<u8>>();
        for (function, large, why) in &all {
            bytes.rotate_left(1);
            case(&mut Unstructured::new(&bytes), &catalogue, (function, *large, *why), false)
                .unwrap_or_else(|error| panic!("{}: {error:#}", function.name));
        }
        let has = |name: &str, why| all.iter().any(|(function, _, other)| function.name == name && *other == why);
        assert!(
            has("MPI_Gatherv", Why::Elsewhere)
                && has("MPI_Ireduce", Why::Between)
                && has("MPI_Alltoallw", Why::InPlace)
        );
        assert!(has("MPI_Bcast_init", Why::Between) && !has("MPI_Bcast", Why::Elsewhere));
        assert!(has("MPI_Rget_accumulate", Why::NoOperands) && has("MPI_Iexscan", Why::First));
        for elsewhere in ["MPI_Comm_spawn_multiple", "MPI_Comm_connect", "MPI_Intercomm_create_from_groups"] {
            assert!(has(elsewhere, Why::Elsewhere), "{elsewhere}");
        }
    }
}
