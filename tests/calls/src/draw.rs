//! Draws cases: which calls, and what they are passed, from bytes that a fuzzer or a random generator provides.

use arbitrary::{Result, Unstructured};
use rankine_abi::ValueType;
use rankine_gen::functions::Class;

use crate::beginning;
use crate::catalogue::{Callee, Catalogue, Origin, What};
use crate::guest::{callback, table_size};
use crate::memory::{
    AXES, BUFFERS, COMMANDS, FACTORS, HANDLES, LETTERS, MAX_PAGES, NUMBERS, ORDERS, PAGES, PROCESSES, STRINGS, TEXTS,
    strings,
};
use crate::program::{Argument, Call, Case, Mode, Program};

/// Calls of a program after its beginning, and of its callbacks, at most.
const CALLS: usize = 60;
const CALLBACKS: usize = 12;
/// Handles that a class remembers.
const SLOTS: u32 = 16;

/// The numbers that arithmetic goes wrong with.
const EDGES: &[i64] = &[
    0,
    1,
    2,
    3,
    4,
    7,
    8,
    64,
    1000,
    -1,
    -2,
    -3,
    i32::MAX as i64,
    i32::MIN as i64,
    (i32::MAX as i64) + 1,
    u32::MAX as i64,
    1 << 32,
    (1 << 32) + 1,
    1 << 40,
    1 << 62,
    i64::MAX,
    i64::MIN,
];

/// Addresses at the ends of what there is.
const PLACES: &[i64] = &[
    0,
    1,
    -1,
    -3,
    0xfffc,
    0x1_0000,
    PAGES as i64 * 0x1_0000 - 4,
    PAGES as i64 * 0x1_0000,
    MAX_PAGES as i64 * 0x1_0000 - 1,
    0x7fff_fffc,
    0x8000_0000,
    0xffff_fff0,
];

/// Numbers with a fraction.
const REALS: &[f64] = &[0.0, 1.0, -1.0, 0.1, 1e300, 5e-324, f64::INFINITY, f64::NAN];

/// Which functions are drawn, and how often: a position stands here more than once if it is to be drawn more often.
pub struct Choice {
    positions: Vec<u16>,
    /// Those that there are, by position.
    there: Vec<bool>,
    /// The job bounds how many ranks are started, however many a call asks for.
    is_bounded: bool,
}

impl Choice {
    /// Those that an engine has. Calls that may wait end many cases, and are drawn less often.
    /// Without bounds for a job's ranks, a launcher would start as many as it is told.
    pub fn of(catalogue: &Catalogue, has: impl Fn(&Callee) -> bool, is_bounded: bool) -> Choice {
        let weight = |callee: &Callee| match callee.name.as_str() {
            // What is drawn stands behind one another: none of it is repeated (`growth`).
            "MPI_Abort" | "MPI_Finalize" | "Repeat" => 0,
            _ if !matches!(callee.origin, Origin::Guest(_)) && !has(callee) => 0,
            "MPI_Type_commit" | "Store32" | "Store64" => 24,
            // What is wrong with a matrix ends the rank.
            _ if callee.origin == Origin::Module("rankine_math") => 3,
            _ if callee.waits => 2,
            _ => 6,
        };
        let weights: Vec<usize> = catalogue.functions.iter().map(weight).collect();
        let positions = weights.iter().zip(0..).flat_map(|(&weight, position)| std::iter::repeat_n(position, weight));
        let there = weights.iter().map(|&weight| weight > 0).collect();
        Choice { positions: positions.collect(), there, is_bounded }
    }
}

impl Choice {
    /// Whether a function is there.
    pub fn has(&self, function: u16) -> bool {
        self.there[usize::from(function)]
    }
}

/// A case of up to four ranks.
pub fn draw(u: &mut Unstructured, catalogue: &Catalogue, choice: &Choice) -> Result<Case> {
    let ranks = usize::from(u.int_in_range(1..=4_u8)?);
    let fibers = u.arbitrary()?;
    let twice = u.ratio(1, 6)?;
    let mode = match u.int_in_range(0..=11)? {
        0 => Mode::Interpreted,
        1 => Mode::HeapChecked,
        2 => Mode::Wide,
        3 => Mode::Large,
        _ => Mode::Compiled,
    };
    // Ranks that do the same get further together.
    let programs = if u.ratio(3, 4)? { 1 } else { ranks };
    let has = |function| choice.there[usize::from(function)];
    let beginning = beginning::draw(u, catalogue, has)?;
    let mut programs: Vec<Program> =
        (0..programs).map(|_| program(u, catalogue, choice, beginning.clone())).collect::<Result<_>>()?;
    if let [first, second, ..] = &mut programs[..] {
        beginning::draw_pair(u, catalogue, has, [&mut first.calls, &mut second.calls])?;
    }
    Ok(Case { ranks, fibers, twice, mode, programs })
}

/// A case of one rank whose arguments are zero, null, or stand for nobody more often than not: what each engine says of them
/// is compared.
pub fn draw_nothing(u: &mut Unstructured, catalogue: &Catalogue, choice: &Choice) -> Result<Case> {
    let beginning = beginning::draw(u, catalogue, |function| choice.there[usize::from(function)])?;
    let first = beginning.len();
    let mut program = program(u, catalogue, choice, beginning)?;
    program.callbacks.clear();
    // What waits for another rank would be waited for in vain.
    program.calls.retain(|call| !catalogue.functions[usize::from(call.function)].may_differ());
    for call in program.calls.iter_mut().skip(first) {
        let parameters = &catalogue.functions[usize::from(call.function)].parameters;
        for (argument, (_, what)) in call.arguments.iter_mut().zip(parameters) {
            if u.ratio(1, 4)? {
                *argument = nothing(what).unwrap_or(*argument);
            }
        }
    }
    Ok(Case { ranks: 1, fibers: false, twice: false, mode: Mode::Compiled, programs: vec![program] })
}

/// What stands for nothing in the place of a parameter.
fn nothing(what: &What) -> Option<Argument> {
    Some(Argument::Is(match what {
        // Null handles are the last of those that are always there, or the only one.
        What::Handle(Class::Message) => 0x128,
        What::Handle(Class::Group) => 0x108,
        What::Handle(Class::Info) => 0x130,
        What::Handle(class) => *predefined(*class).last()?,
        What::Rank => -3,
        What::Tool | What::Count | What::Int | What::Displacement | What::Buffer | What::Pointer | What::Numbers(_) => {
            0
        }
        _ => return None,
    }))
}

fn program(u: &mut Unstructured, catalogue: &Catalogue, choice: &Choice, mut calls: Vec<Call>) -> Result<Program> {
    let (first, mut callbacks) = (calls.len(), Vec::new());
    while calls.len() - first < CALLS && !u.is_empty() {
        if callbacks.len() < CALLBACKS && u.ratio(1, 8)? {
            callbacks.push(call(u, catalogue, choice)?);
        } else {
            calls.push(call(u, catalogue, choice)?);
        }
    }
    Ok(Program { calls, callbacks })
}

pub(crate) fn call(u: &mut Unstructured, catalogue: &Catalogue, choice: &Choice) -> Result<Call> {
    let function = *u.choose(&choice.positions)?;
    let callee = &catalogue.functions[usize::from(function)];
    let arguments = callee.parameters.iter().map(|(value, what)| argument(u, catalogue, choice, *value, what));
    Ok(Call { function, arguments: arguments.collect::<Result<_>>()? })
}

pub(crate) fn argument(
    u: &mut Unstructured,
    catalogue: &Catalogue,
    choice: &Choice,
    value: ValueType,
    what: &What,
) -> Result<Argument> {
    let is_careful = matches!(what, What::Place | What::Processes | What::ManyProcesses);
    // Once in a while what has nothing to do with it.
    if !is_careful && u.ratio(1, 40)? {
        return Ok(Argument::Is(if value == ValueType::I32 { u.arbitrary::<i32>()?.into() } else { u.arbitrary()? }));
    }
    Ok(match what {
        What::Handle(class) => handle(u, *class)?,
        What::Handles(class) => {
            let at = slot(u, index(*class))?;
            pointer(u, at.into())?
        }
        What::Tool if u.ratio(3, 4)? => Argument::At(slot(u, TOOLS)?),
        What::Tools => {
            let at = slot(u, TOOLS)?;
            pointer(u, at.into())?
        }
        What::Rank if u.ratio(1, 4)? => Argument::FromRank(u.int_in_range(-1..=1)?),
        What::Rank => Argument::Is(*u.choose(&[0, 0, 1, 2, 3, 4, -1, -2, -3, -4, i64::from(i32::MAX)])?),
        What::Tag => Argument::Is(*u.choose(&[0, 0, 1, 2, -1, -2, 32767, i64::from(i32::MAX)])?),
        What::Keyval => match u.ratio(1, 3)? {
            true => Argument::Is(*u.choose(&[0, 1, 501, 502, 503, 504, 505, 506, 507, 511, 551, 553, -1])?),
            false => Argument::At(NUMBERS + 4 * u.int_in_range(0..=31)?),
        },
        What::Count if u.ratio(3, 4)? => Argument::Is(u.int_in_range(0..=4)?),
        What::Int if u.ratio(1, 2)? => Argument::Is(u.int_in_range(0..=4)?),
        What::Displacement if u.ratio(1, 2)? => Argument::Is(4 * u.int_in_range(-2..=16)?),
        What::Among(numbers) if u.ratio(7, 8)? => Argument::Is(*u.choose(numbers)?),
        What::Count | What::Int | What::Displacement | What::Tool | What::Word | What::Among(_) => edge(u)?,
        What::Processes | What::ManyProcesses => processes(u, choice, what)?,
        What::Real => Argument::Is(u.choose(REALS)?.to_bits() as i64),
        What::Letter => within(u, LETTERS, 1)?,
        What::Factor => within(u, FACTORS, 8)?,
        What::Texts => within(u, COMMANDS, 4)?,
        What::Order | What::Axes if u.ratio(1, 8)? => numbers(u, 4)?,
        What::Order => within(u, ORDERS, 4)?,
        What::Axes => within(u, AXES, 12)?,
        What::Numbers(size) => numbers(u, *size)?,
        What::Buffer => {
            let place = i64::from(BUFFERS + 8 * u.int_in_range(0..=0x400)?);
            pointer(u, place)?
        }
        What::Text => text(u)?,
        What::Pointer => {
            let place = i64::from(NUMBERS + 0x1000 + 4 * u.int_in_range(0..=0x100)?);
            pointer(u, place)?
        }
        What::Function(c_type) if u.ratio(9, 10)? => Argument::Is(callback(catalogue, c_type).into()),
        What::Function(_) => Argument::Is(u.int_in_range(-4..=i64::from(table_size(catalogue)) + 4)?),
        What::Place => Argument::Is(place_to_store(u)?),
    })
}

/// How many processes are started; without bounds not more than a few, or more than there can be.
fn processes(u: &mut Unstructured, choice: &Choice, what: &What) -> Result<Argument> {
    Ok(match (what, choice.is_bounded) {
        (What::ManyProcesses, true) => within(u, PROCESSES, 4)?,
        (What::ManyProcesses, false) => Argument::Is(i64::from(PROCESSES + 4 * u.int_in_range(0..=3)?)),
        _ if u.ratio(3, 4)? => Argument::Is(u.int_in_range(0..=3)?),
        (_, true) => edge(u)?,
        (_, false) => Argument::Is(*u.choose(&[-1, i32::MIN.into(), i32::MAX.into()])?),
    })
}

/// The number of a class, and what comes after the last: the tools'.
fn index(class: Class) -> u32 {
    Class::ALL.iter().position(|&other| other == class).expect("ALL has all") as u32
}
pub(crate) const TOOLS: u32 = Class::ALL.len() as u32;

/// Where handles of a class are kept.
pub(crate) fn place(class: u32, number: u32) -> u32 {
    HANDLES + 4 * (SLOTS * class + number)
}

/// Where all handles of a class are kept.
pub(crate) fn slots(class: Class) -> std::ops::Range<u32> {
    place(index(class), 0)..place(index(class), SLOTS)
}

/// A place where a handle of a class is kept. The first few are used most.
fn slot(u: &mut Unstructured, class: u32) -> Result<u32> {
    let last = if u.ratio(3, 4)? { 2 } else { SLOTS - 1 };
    Ok(place(class, u.int_in_range(0..=last)?))
}

fn handle(u: &mut Unstructured, class: Class) -> Result<Argument> {
    Ok(match u.int_in_range(0..=19)? {
        0..=8 => Argument::At(slot(u, index(class))?),
        9..=15 => Argument::Is(*u.choose(predefined(class))?),
        // Of another class.
        16 => {
            let class = u.int_in_range(0..=TOOLS)?;
            Argument::At(slot(u, class)?)
        }
        // Predefined ones of every class, and numbers between them.
        17 | 18 => Argument::Is(u.int_in_range(0..=0x300)?),
        _ => edge(u)?,
    })
}

/// Handles that are always there.
pub(crate) fn predefined(class: Class) -> &'static [i64] {
    match class {
        Class::Comm => &[0x101, 0x101, 0x101, 0x102, 0x100],
        Class::Group => &[0x109, 0x108],
        Class::Datatype => &[0x209, 0x209, 0x20a, 0x207, 0x240, 0x248, 0x24a, 0x250, 0x258, 0x260, 0x268, 0x270, 0x200],
        Class::Op => &[0x21, 0x22, 0x24, 0x28, 0x30, 0x38, 0x3c, 0x3d, 0x20],
        Class::Request => &[0x180],
        Class::Errhandler => &[0x143, 0x143, 0x143, 0x142, 0x140],
        Class::Info => &[0x130, 0x130, 0x131],
        Class::Message => &[0x128, 0x129],
        Class::Win => &[0x110],
        Class::File => &[0x118],
        Class::Session => &[0x120],
    }
}

pub(crate) fn edge(u: &mut Unstructured) -> Result<Argument> {
    Ok(Argument::Is(*u.choose(EDGES)?))
}

/// A handle of no class, or of any.
pub(crate) fn wild_handle(u: &mut Unstructured) -> Result<Argument> {
    if u.arbitrary()? { edge(u) } else { Ok(Argument::Is(u.int_in_range(0..=0x300)?)) }
}

/// An address at the ends of what there is.
pub(crate) fn wild_place(u: &mut Unstructured) -> Result<Argument> {
    Ok(Argument::Is(*u.choose(PLACES)?))
}

/// A place, or once in a while one where nothing is.
fn pointer(u: &mut Unstructured, place: i64) -> Result<Argument> {
    Ok(Argument::Is(if u.ratio(1, 12)? { *u.choose(PLACES)? } else { place }))
}

/// A place in an array of eight elements of some size.
fn within(u: &mut Unstructured, array: u32, size: u32) -> Result<Argument> {
    let place = array + size * u.int_in_range(0..=7)?;
    pointer(u, place.into())
}

/// An array of small numbers, of wild ones, of addresses, or one that ends where the memory does.
fn numbers(u: &mut Unstructured, size: u32) -> Result<Argument> {
    let (small, wild) = if size == 8 { (0x200, 0x600) } else { (0, 0xa00) };
    let at = match u.int_in_range(0..=7)? {
        0..=4 => small,
        5 => wild,
        6 => 0xc00,
        _ => return pointer(u, i64::from(HANDLES)),
    };
    let place = i64::from(NUMBERS + at + size * u.int_in_range(0..=8)?);
    pointer(u, place)
}

fn text(u: &mut Unstructured) -> Result<Argument> {
    let number = usize::from(u.int_in_range(0..=STRINGS.len() as u8)?);
    // The last is the long one.
    let place = strings().nth(number).map_or(TEXTS + 0x1000, |(place, _)| place);
    pointer(u, place.into())
}

/// Where a store changes what later calls see: handles, arrays, messages; never what runs the program.
fn place_to_store(u: &mut Unstructured) -> Result<i64> {
    Ok(i64::from(*u.choose(&[HANDLES, NUMBERS, NUMBERS + 0xc00, BUFFERS])? + 4 * u.int_in_range(0..=63)?))
}
