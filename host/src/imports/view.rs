//! The functions of the import module `rankine_view`: what a program shows in the page of `--view`, and what it learns from
//! there. The same on all engines.
//!
//! Without `--view` they do nothing. A wrong use does not end a job that somebody only wants to look at: the function gives
//! an error class of MPI, and what was wrong is told once, on the standard error stream and in the page.

use rankine_abi::{Addr, Datatype, MPI_ERR_ARG, MPI_ERR_COUNT, MPI_ERR_DIMS, MPI_ERR_TYPE};
use rankine_guest::{Error, Memory, Result};
use rankine_view::{
    Block, Element, Kind, LONGEST_LABEL, Layout, Local, LocalPoints, MOST_CHOICES, MOST_DIMENSIONS, Publisher,
};
use wasmtime::{Caller, FuncType, Linker, ValType, WasmTy};

use crate::guest::team;
use crate::guest::{Guest, Rank};
use rankine_system::{shown, tell};

/// The import module's name.
pub(crate) const MODULE: &str = crate::module::VIEW;

/// The longest name.
const LONGEST_NAME: usize = 200;
/// The longest text.
const LONGEST_TEXT: usize = 4096;
/// Controls that are asked for at once.
const MOST_CONTROLS: u32 = 64;

/// The function that gives the values of controls.
const TAKE: &str = "Rankine_View_take";

/// An address or a handle, as wide as a program's words.
trait Word: WasmTy + Into<u64> + Copy {}

impl Word for u32 {}
impl Word for u64 {}

/// Registers the function `name` of this type, if there is one; says whether there is.
pub(crate) fn define<R: Rank>(linker: &mut Linker<Guest<R>>, ty: &FuncType, name: &str) -> wasmtime::Result<bool> {
    // All begin with one but this.
    let address = if name == TAKE { 1 } else { 0 };
    match ty.param(address) {
        Some(ValType::I64) => define_for::<R, u64>(linker, name),
        _ => define_for::<R, u32>(linker, name),
    }
}

fn define_for<R: Rank, W: Word>(linker: &mut Linker<Guest<R>>, name: &str) -> wasmtime::Result<bool> {
    type In<'a, R> = Caller<'a, Guest<R>>;
    match name {
        "Rankine_View_on" => {
            linker.func_wrap(MODULE, name, |caller: In<'_, R>| -> i32 { caller.data().publisher().is_some().into() })
        }
        "Rankine_View_waits" => linker.func_wrap(MODULE, name, waits),
        "Rankine_View_field" => define_field::<R, W>(linker, name),
        "Rankine_View_arrows" => define_arrows::<R, W>(linker, name),
        "Rankine_View_points" => define_points::<R, W>(linker, name),
        "Rankine_View_curve" => linker.func_wrap(MODULE, name, |caller: In<'_, R>, name: W, x: f64, y: f64| {
            call(caller, "Rankine_View_curve", Some(name), |p, _, name| p.curve(name, x, y))
        }),
        "Rankine_View_scale" => {
            linker.func_wrap(MODULE, name, |caller: In<'_, R>, name: W, unit: W, least: f64, greatest: f64| {
                call(caller, "Rankine_View_scale", Some(name), |p, memory, name| {
                    p.scale(name, &label(memory, unit, "the unit")?, [least, greatest])
                })
            })
        }
        "Rankine_View_axis" => linker.func_wrap(
            MODULE,
            name,
            |caller: In<'_, R>, name: W, axis: i32, title: W, unit: W, first: f64, spacing: f64| {
                call(caller, "Rankine_View_axis", Some(name), |p, memory, name| {
                    let axis = number_of_axis(axis)?;
                    let title = label(memory, title, "the label")?;
                    p.axis(name, axis, [&title, &label(memory, unit, "the unit")?], first, spacing)
                })
            },
        ),
        "Rankine_View_text" => linker.func_wrap(MODULE, name, |caller: In<'_, R>, name: W, text: W| {
            call(caller, "Rankine_View_text", Some(name), |p, memory, name| {
                p.text(name, &memory.read_string(addr(text), LONGEST_TEXT, "the text")?)
            })
        }),
        "Rankine_View_declare" => define_declare::<R, W>(linker, name),
        TAKE => linker.func_wrap(MODULE, name, |caller: In<'_, R>, count: i32, ids: W, values: W| {
            call(caller, TAKE, None::<u32>, |p, memory, _| take(p, memory, count, ids, values))
        }),
        _ => return Ok(false),
    }?;
    Ok(true)
}

/// A function was registered.
type Defined<'l, R> = wasmtime::Result<&'l mut Linker<Guest<R>>>;

/// Publishes a field.
fn define_field<'l, R: Rank, W: Word>(linker: &'l mut Linker<Guest<R>>, name: &str) -> Defined<'l, R> {
    linker.func_wrap(
        MODULE,
        name,
        |caller: Caller<'_, Guest<R>>,
         name: W,
         step: i64,
         dimensions: i32,
         shape: W,
         start: W,
         count: W,
         strides: W,
         element: W,
         values: W| {
            let thread = caller.data().member().map_or(team::MAIN, |member| member.number);
            call(caller, "Rankine_View_field", Some(name), |p, memory, name| {
                let words = Words { dimensions, shape, start, count, strides, element, values };
                p.field(thread, name, step, &words.local(memory, None)?)
            })
        },
    )
}

/// Publishes a field with vectors over it, or of their lengths.
fn define_arrows<'l, R: Rank, W: Word>(linker: &'l mut Linker<Guest<R>>, name: &str) -> Defined<'l, R> {
    linker.func_wrap(
        MODULE,
        name,
        |caller: Caller<'_, Guest<R>>,
         name: W,
         step: i64,
         dimensions: i32,
         shape: W,
         start: W,
         count: W,
         strides: W,
         element: W,
         values: W,
         x: W,
         y: W,
         z: W| {
            let thread = caller.data().member().map_or(team::MAIN, |member| member.number);
            call(caller, "Rankine_View_arrows", Some(name), |p, memory, name| {
                let words = Words { dimensions, shape, start, count, strides, element, values };
                p.field(thread, name, step, &words.local(memory, Some([x, y, z]))?)
            })
        },
    )
}

/// Publishes points.
fn define_points<'l, R: Rank, W: Word>(linker: &'l mut Linker<Guest<R>>, name: &str) -> Defined<'l, R> {
    linker.func_wrap(
        MODULE,
        name,
        |caller: Caller<'_, Guest<R>>,
         name: W,
         step: i64,
         ranks: i32,
         dimensions: i32,
         count: i32,
         within: W,
         element: W,
         places: W,
         values: W,
         strides: W| {
            let thread = caller.data().member().map_or(team::MAIN, |member| member.number);
            call(caller, "Rankine_View_points", Some(name), |p, memory, name| {
                let words =
                    PointWords { numbers: [ranks, dimensions, count], within, element, places, values, strides };
                p.points(thread, name, step, &words.local(memory)?)
            })
        },
    )
}

/// Asks for a control.
fn define_declare<'l, R: Rank, W: Word>(linker: &'l mut Linker<Guest<R>>, name: &str) -> Defined<'l, R> {
    linker.func_wrap(
        MODULE,
        name,
        |caller: Caller<'_, Guest<R>>,
         name: W,
         kind: i32,
         value: f64,
         least: f64,
         greatest: f64,
         step: f64,
         count: i32,
         labels: W,
         id: W| {
            call(caller, "Rankine_View_declare", Some(name), |p, memory, name| {
                let kind = match kind {
                    0 => Kind::Number { least, greatest, step },
                    1 => Kind::Choice(choices(memory, count, labels)?),
                    2 => Kind::Button,
                    _ => return Err(Error::new(MPI_ERR_ARG, format!("there are no controls of kind {kind}"))),
                };
                memory.check(addr(id), 4, "id")?;
                let made = p.control(name, kind, value)?;
                memory.write_i32(addr(id), made as i32, "id")
            })
        },
    )
}

fn addr(word: impl Into<u64>) -> Addr {
    Addr(word.into())
}

/// Whether the program shall wait here, because a page has said so. Meanwhile other ranks' parts arrive.
fn waits<R: Rank>(mut caller: Caller<'_, Guest<R>>) -> wasmtime::Result<i32> {
    let Some(publisher) = caller.data().publisher().cloned() else { return Ok(0) };
    if publisher.view().apart().is_some() {
        let _turn = Guest::begin(&mut caller, "Rankine_View_update", true)?;
        R::carry_view(&mut caller)?;
    }
    Ok(publisher.view().shall_wait().into())
}

/// Runs a body that may be given the name of what the call is about, which stands at an address of the guest.
fn call<R: Rank>(
    mut caller: Caller<'_, Guest<R>>,
    function: &'static str,
    name: Option<impl Word>,
    body: impl FnOnce(&Publisher, &Memory, &str) -> Result<()>,
) -> wasmtime::Result<i32> {
    if caller.data().publisher().is_none() {
        return Ok(0);
    }
    let _turn = Guest::begin(&mut caller, function, true)?;
    R::carry_view(&mut caller)?;
    let guest = caller.data();
    let (memory, who) = (guest.rank().memory(), guest.rank().who());
    let Some(publisher) = guest.publisher() else { return Ok(0) };
    let named = match name {
        None => Ok(String::new()),
        Some(at) => memory.read_string(addr(at), LONGEST_NAME, "the name"),
    };
    let (name, outcome) = match named {
        Ok(name) => {
            let outcome = body(publisher, memory, &name);
            (name, outcome)
        }
        Err(error) => (String::new(), Err(error)),
    };
    R::carry_view(&mut caller)?;
    let Err(error) = outcome else { return Ok(0) };
    let Some(publisher) = caller.data().publisher() else { return Ok(0) };
    let of = if name.is_empty() { String::new() } else { format!(" of `{name}`") };
    let text = shown::line(&format!("{function}{of}: {error}"));
    if publisher.view().notice(&format!("{who}: {text}")) {
        tell!("rankine: {who}: {text}");
    }
    Ok(error.class)
}

/// A label or a unit.
fn label(memory: &Memory, at: impl Word, what: &str) -> Result<String> {
    memory.read_string(addr(at), LONGEST_LABEL + 1, what)
}

/// The number of an axis, which a guest names by a letter.
fn number_of_axis(letter: i32) -> Result<usize> {
    let known = b"xyz".iter().position(|known| i32::from(*known) == letter);
    known.ok_or_else(|| {
        let letter = u8::try_from(letter).ok().filter(u8::is_ascii_graphic).map_or('?', char::from);
        Error::new(MPI_ERR_ARG, format!("there is no axis `{letter}`; there are x, y and z"))
    })
}

/// The words of a call that publishes a field.
struct Words<W> {
    dimensions: i32,
    shape: W,
    start: W,
    count: W,
    strides: W,
    element: W,
    values: W,
}

impl<W: Word> Words<W> {
    /// With vectors, if there are parts of them along x, y and z at these addresses. Without values their lengths are shown.
    fn local<'a>(&self, memory: &'a Memory, vectors: Option<[W; 3]>) -> Result<Local<'a>> {
        let dimensions = match usize::try_from(self.dimensions) {
            Ok(dimensions @ 2..=MOST_DIMENSIONS) => dimensions,
            _ => {
                let text = format!("a field of {} dimensions; 2 or {MOST_DIMENSIONS} can be shown", self.dimensions);
                return Err(Error::new(MPI_ERR_DIMS, text));
            }
        };
        let element = element(memory, self.element)?;
        let read = |at: W, what: &str| memory.read_i32s(addr(at), dimensions, what);
        let (shape, start, count) =
            (read(self.shape, "shape")?, read(self.start, "start")?, read(self.count, "count")?);
        let strides = if self.strides.into() == 0 { None } else { Some(read(self.strides, "strides")?) };
        let block = Block { shape: &shape, start: &start, count: &count, strides: strides.as_deref() };
        let values = addr(self.values);
        let Some(vectors) = vectors else {
            return Local::new(memory, values, element, block);
        };
        if dimensions == 2 && vectors[2].into() != 0 {
            return Err(Error::new(MPI_ERR_ARG, "in two dimensions a vector has no part along z"));
        }
        let parts = &vectors.map(addr)[..dimensions];
        if values == Addr::NULL {
            return Local::of_vectors(memory, parts, element, block);
        }
        Local::new(memory, values, element, block)?.with_vectors(parts)
    }
}

/// What a guest's type is.
fn element(memory: &Memory, datatype: impl Word) -> Result<Element> {
    Ok(match Datatype(u32::try_from(datatype.into()).unwrap_or(u32::MAX)) {
        Datatype::LONG if memory.is_wide() => Element::Long,
        Datatype::LONG => Element::Int,
        Datatype::FLOAT | Datatype::REAL | Datatype::REAL4 => Element::Single,
        Datatype::DOUBLE | Datatype::DOUBLE_PRECISION | Datatype::REAL8 => Element::Double,
        Datatype::INT | Datatype::INT32_T | Datatype::INTEGER | Datatype::INTEGER4 => Element::Int,
        Datatype::LONG_LONG | Datatype::INT64_T | Datatype::INTEGER8 => Element::Long,
        other => {
            let text = format!(
                "its elements are of type {:#x}; reals and integers of 4 or 8 bytes can be shown, MPI_DOUBLE say",
                other.0
            );
            return Err(Error::new(MPI_ERR_TYPE, text));
        }
    })
}

/// The words of a call that publishes points.
struct PointWords<W> {
    /// Ranks that publish, coordinates of a point, and points.
    numbers: [i32; 3],
    within: W,
    element: W,
    places: W,
    values: W,
    strides: W,
}

impl<W: Word> PointWords<W> {
    fn local<'a>(&self, memory: &'a Memory) -> Result<LocalPoints<'a>> {
        let [_, dimensions, _] = self.numbers;
        let strides = match addr(self.strides) {
            Addr::NULL => [dimensions, 1, 1],
            at => memory.read_i32s(at, 3, "strides")?.try_into().unwrap_or([0; 3]),
        };
        // Of so many coordinates as can't be shown, none is read.
        let within = match usize::try_from(dimensions) {
            Ok(dimensions @ 2..=MOST_DIMENSIONS) if self.within.into() != 0 => {
                let bytes = memory.read_bytes(addr(self.within), 16 * dimensions as u64, "the bounds")?;
                Some(bytes.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect::<Vec<f64>>())
            }
            _ => None,
        };
        let (places, values, element) = (addr(self.places), addr(self.values), element(memory, self.element)?);
        LocalPoints::new(memory, self.numbers, within.as_deref(), Layout { places, values, element, strides })
    }
}

/// The texts of a control's choices.
fn choices(memory: &Memory, count: i32, labels: impl Word) -> Result<Vec<String>> {
    let Some(count) = usize::try_from(count).ok().filter(|count| (1..=MOST_CHOICES).contains(count)) else {
        return Err(Error::new(MPI_ERR_COUNT, format!("{count} choices; there can be 1 to {MOST_CHOICES}")));
    };
    let labels = memory.read_addresses(addr(labels), count as i64, "choices")?;
    labels.into_iter().map(|at| memory.read_string(at, LONGEST_NAME, "a choice")).collect()
}

/// Stores the values of controls.
fn take(publisher: &Publisher, memory: &Memory, count: i32, ids: impl Word, values: impl Word) -> Result<()> {
    if let Some(apart) = publisher.view().apart()
        && !apart.is_first()
    {
        let who = if apart.is_by_node() {
            "with the engine nodes, controls have effect where a rank of the first node, which has the page,"
        } else {
            "over an MPI library, controls have effect where rank 0 of MPI_COMM_WORLD, which has the page,"
        };
        let text = format!("{who} is the first rank of the communicator that is given");
        return Err(Error::new(MPI_ERR_ARG, text));
    }
    if count as u32 > MOST_CONTROLS {
        return Err(Error::new(MPI_ERR_COUNT, format!("{count} controls; there can be {MOST_CONTROLS}")));
    }
    let ids = memory.read_i32s(addr(ids), count as usize, "controls")?;
    memory.check(addr(values), u64::from(count as u32) * 8, "values")?;
    let value = |id: &i32| publisher.take(*id as u32).ok_or_else(|| unknown(*id));
    let taken = ids.iter().map(value).collect::<Result<Vec<f64>>>()?;
    let bytes: Vec<[u8; 8]> = taken.iter().map(|value| value.to_le_bytes()).collect();
    memory.write_bytes(addr(values), bytes.as_flattened(), "values")
}

fn unknown(id: i32) -> Error {
    Error::new(MPI_ERR_ARG, format!("there is no control {id}"))
}
