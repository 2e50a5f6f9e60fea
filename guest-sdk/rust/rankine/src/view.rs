//! The live view: what a program shows in the page of `rankine run --view`, and what is changed there.
//!
//! ```no_run
//! use rankine::Universe;
//! use rankine::view::{Block, View};
//!
//! # fn compute(step: i64, inflow: f64) -> (Vec<f64>, f64) { (Vec::new(), 0.0) }
//! fn main() -> rankine::Result<()> {
//!     let universe = Universe::new()?;
//!     let world = universe.world();
//!     let mut view = View::new();
//!     let inflow = view.number("inflow", 0.9, 0.1..=2.0, 0.05)?;
//!     let rows = 100 / world.size() as usize;
//!     let block = Block::new([100, 50], [rows * world.rank() as usize, 0], [rows, 50]);
//!     for step in 0..1000 {
//!         view.update(&world)?;
//!         let (density, residual) = compute(step, inflow.get());
//!         view.field("density", step, &block, &density)?;
//!         if world.rank() == 0 {
//!             view.curve("residual", step as f64, residual)?;
//!         }
//!     }
//!     Ok(())
//! }
//! ```
//!
//! Without `--view` all of it does nothing: controls keep their values, and publishing costs a call. Things are known by
//! their names. An error is told on the standard error stream and in the page too, so that a program may ignore it.

use std::cell::Cell;
use std::ffi::{CString, c_char, c_int};
use std::ops::RangeInclusive;
use std::rc::Rc;
use std::time::Duration;

use mpi_sys::{MPI_BYTE, MPI_Bcast, MPI_DOUBLE, MPI_Datatype, MPI_FLOAT, MPI_INT32_T, MPI_INT64_T};

use crate::error::check;
use crate::{Communicator, Error, Result};

#[link(wasm_import_module = "rankine_view")]
unsafe extern "C" {
    safe fn Rankine_View_on() -> c_int;
    safe fn Rankine_View_waits() -> c_int;
    fn Rankine_View_field(
        name: *const c_char,
        step: i64,
        dimensions: c_int,
        shape: *const c_int,
        start: *const c_int,
        count: *const c_int,
        strides: *const c_int,
        element: MPI_Datatype,
        values: *const u8,
    ) -> c_int;
    fn Rankine_View_arrows(
        name: *const c_char,
        step: i64,
        dimensions: c_int,
        shape: *const c_int,
        start: *const c_int,
        count: *const c_int,
        strides: *const c_int,
        element: MPI_Datatype,
        values: *const u8,
        x: *const u8,
        y: *const u8,
        z: *const u8,
    ) -> c_int;
    fn Rankine_View_scale(name: *const c_char, unit: *const c_char, least: f64, greatest: f64) -> c_int;
    fn Rankine_View_axis(
        name: *const c_char,
        axis: c_int,
        label: *const c_char,
        unit: *const c_char,
        first: f64,
        spacing: f64,
    ) -> c_int;
    fn Rankine_View_points(
        name: *const c_char,
        step: i64,
        ranks: c_int,
        dimensions: c_int,
        count: c_int,
        within: *const f64,
        element: MPI_Datatype,
        places: *const u8,
        values: *const u8,
        strides: *const c_int,
    ) -> c_int;
    fn Rankine_View_curve(name: *const c_char, x: f64, y: f64) -> c_int;
    fn Rankine_View_text(name: *const c_char, text: *const c_char) -> c_int;
    fn Rankine_View_declare(
        name: *const c_char,
        kind: c_int,
        value: f64,
        least: f64,
        greatest: f64,
        step: f64,
        count: c_int,
        labels: *const *const c_char,
        id: *mut c_int,
    ) -> c_int;
    fn Rankine_View_take(count: c_int, ids: *const c_int, values: *mut f64) -> c_int;
}

/// The most controls of a program.
pub const CONTROLS: usize = 64;

/// Whether somebody may look: the same on all ranks.
pub fn is_on() -> bool {
    Rankine_View_on() != 0
}

/// What an element of a field, or a coordinate of a point, can be: `f32`, `f64`, `i32` or `i64`. They are shown in single precision.
pub trait Element: Copy + sealed::Sealed {}

mod sealed {
    pub trait Sealed {
        const TYPE: super::MPI_Datatype;
    }
}

macro_rules! elements {
    ($($number:ty: $datatype:ident)*) => {$(
        impl Element for $number {}

        impl sealed::Sealed for $number {
            const TYPE: MPI_Datatype = $datatype;
        }
    )*};
}

elements! { f32: MPI_FLOAT f64: MPI_DOUBLE i32: MPI_INT32_T i64: MPI_INT64_T }

/// This rank's part of a field: a box of elements in a whole of two or three dimensions. The last dimension runs to the
/// right, the one before it downwards; of three a plane is shown, the middle one until the page chooses another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block<const R: usize> {
    /// Of the whole.
    pub shape: [usize; R],
    /// The first element of the box.
    pub start: [usize; R],
    /// How many there are.
    pub count: [usize; R],
    /// Elements between neighbours in memory, where the box is not stored densely in C's order.
    pub strides: Option<[usize; R]>,
}

impl<const R: usize> Block<R> {
    /// A box that is stored densely, the last dimension running fastest.
    pub fn new(shape: [usize; R], start: [usize; R], count: [usize; R]) -> Block<R> {
        Block { shape, start, count, strides: None }
    }

    /// This box with so many elements between neighbours in memory.
    #[must_use]
    pub fn strided(self, strides: [usize; R]) -> Block<R> {
        Block { strides: Some(strides), ..self }
    }

    /// Elements from the first to the last one, both included.
    fn reach(&self) -> Option<usize> {
        if self.count.contains(&0) {
            return Some(0);
        }
        let Some(strides) = self.strides else {
            return self.count.iter().try_fold(1, |all, n| usize::checked_mul(all, *n));
        };
        let far = |(count, stride): (&usize, usize)| (count - 1).checked_mul(stride);
        self.count.iter().zip(strides).map(far).try_fold(1usize, |all, far| all.checked_add(far?))
    }
}

/// This rank's vectors, one for each element of its block of a field, stored as the block says.
#[derive(Clone, Copy, Debug)]
pub struct Arrows<'a, T, const R: usize> {
    parts: [&'a [T]; R],
    values: Option<&'a [T]>,
}

impl<'a, T: Element, const R: usize> Arrows<'a, T, R> {
    /// Vectors with these parts along x, y and z: x is the last dimension, and there are as many as dimensions. Colours show
    /// how long they are.
    pub fn new(parts: [&'a [T]; R]) -> Arrows<'a, T, R> {
        Arrows { parts, values: None }
    }

    /// These vectors over a field of these values.
    #[must_use]
    pub fn over(self, values: &'a [T]) -> Arrows<'a, T, R> {
        Arrows { values: Some(values), ..self }
    }
}

/// This rank's points, such as particles: their places, x to the right and y upwards, and what colours them.
#[derive(Clone, Copy, Debug)]
pub struct Points<'a, T, const R: usize> {
    places: &'a [[T; R]],
    values: Option<&'a [T]>,
    within: Option<[[f64; 2]; R]>,
    ranks: usize,
}

impl<'a, T: Element, const R: usize> Points<'a, T, R> {
    /// Points with 2 or 3 coordinates each.
    pub fn new(places: &'a [[T; R]]) -> Points<'a, T, R> {
        Points { places, values: None, within: None, ranks: 0 }
    }

    /// These points with a value for each.
    #[must_use]
    pub fn values(self, values: &'a [T]) -> Points<'a, T, R> {
        Points { values: Some(values), ..self }
    }

    /// These points in a picture with these bounds, the least and the greatest of each coordinate; without, with those of the
    /// points.
    #[must_use]
    pub fn within(self, within: [[f64; 2]; R]) -> Points<'a, T, R> {
        Points { within: Some(within), ..self }
    }

    /// These points where so many ranks publish, instead of all of the job.
    #[must_use]
    pub fn of_ranks(self, ranks: usize) -> Points<'a, T, R> {
        Points { ranks, ..self }
    }
}

fn int(number: usize) -> c_int {
    // What is too large for an int is negative, which the host refuses by name.
    c_int::try_from(number).unwrap_or(-1)
}

fn ints<const R: usize>(numbers: [usize; R]) -> [c_int; R] {
    numbers.map(int)
}

/// Publishes the box of a field with its shape, start and count, each of as many numbers as there are dimensions.
///
/// # Safety
///
/// Elements lie wherever the strides lead to from the first one; without strides, as many as are counted behind it.
unsafe fn put_field<T: Element>(
    name: &str,
    step: i64,
    boxed: [&[usize]; 3],
    strides: Option<&[c_int]>,
    first: *const T,
) -> Result<()> {
    let name = text(name)?;
    let [shape, start, count] = boxed.map(|numbers| numbers.iter().map(|&number| int(number)).collect::<Vec<c_int>>());
    // SAFETY: the name ends with a zero, and there are as many numbers of each kind as dimensions; elements are where the
    // caller says.
    check(unsafe {
        Rankine_View_field(
            name.as_ptr(),
            step,
            shape.len() as c_int,
            shape.as_ptr(),
            start.as_ptr(),
            count.as_ptr(),
            strides.map_or(std::ptr::null(), <[c_int]>::as_ptr),
            T::TYPE,
            first.cast(),
        )
    })
}

fn text(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error::Invalid("a name or text of the view has a zero byte in it"))
}

/// What the page may change and the program reads. Its clones are the same.
#[derive(Clone, Debug)]
pub struct Control(Rc<Cell<f64>>);

impl Control {
    /// Its value as of the last update.
    pub fn get(&self) -> f64 {
        self.0.get()
    }
}

/// One of several, as the page chose.
#[derive(Clone, Debug)]
pub struct Choice(Control);

impl Choice {
    /// The number of the label, from 0, as of the last update.
    pub fn get(&self) -> usize {
        self.0.get() as usize
    }
}

/// A button of the page.
#[derive(Clone, Debug)]
pub struct Button(Control);

impl Button {
    /// How often it was pressed between the last two updates.
    pub fn presses(&self) -> usize {
        self.0.get() as usize
    }
}

/// What a program shows and what it lets the page change: one for a rank.
#[derive(Debug, Default)]
pub struct View {
    controls: Vec<(c_int, Control)>,
}

/// What the first rank has learned: which controls it has, and their values.
#[repr(C)]
struct News {
    count: u64,
    ids: [c_int; CONTROLS],
    values: [f64; CONTROLS],
}

impl View {
    /// A view without controls.
    pub fn new() -> View {
        View::default()
    }

    /// Shows this rank's part of a field as it is at a step. A frame is shown when the parts of all ranks cover the whole,
    /// so each publishes once a step; a rank that has nothing need not.
    pub fn field<T: Element, const R: usize>(
        &self,
        name: &str,
        step: i64,
        block: &Block<R>,
        values: &[T],
    ) -> Result<()> {
        if !is_on() {
            return Ok(());
        }
        if block.reach().is_none_or(|reach| reach > values.len()) {
            return Err(Error::Invalid("a field of the view has fewer values than its block says"));
        }
        let strides = block.strides.map(ints);
        let strides = strides.as_ref().map(<[c_int; R]>::as_slice);
        // SAFETY: the values are as many as the block reaches over.
        unsafe { put_field(name, step, [&block.shape, &block.start, &block.count], strides, values.as_ptr()) }
    }

    /// Shows this rank's part of a field with arrows over it. They point to where coordinates grow; field and vectors are of
    /// one step, and shown together.
    pub fn arrows<T: Element, const R: usize>(
        &self,
        name: &str,
        step: i64,
        block: &Block<R>,
        arrows: &Arrows<'_, T, R>,
    ) -> Result<()> {
        if !is_on() {
            return Ok(());
        }
        let has_all = |values: &[T]| block.reach().is_some_and(|reach| reach <= values.len());
        if !arrows.parts.iter().copied().chain(arrows.values).all(has_all) {
            return Err(Error::Invalid("vectors of the view have fewer values than their block says"));
        }
        let name = text(name)?;
        let [shape, start, count] = [block.shape, block.start, block.count].map(ints);
        let strides = block.strides.map(ints);
        let part = |n: usize| arrows.parts.get(n).map_or(std::ptr::null(), |part| part.as_ptr().cast());
        // SAFETY: the name ends with a zero, there are `R` numbers of each kind, and all parts and values are as many as the
        // block reaches over.
        check(unsafe {
            Rankine_View_arrows(
                name.as_ptr(),
                step,
                R as c_int,
                shape.as_ptr(),
                start.as_ptr(),
                count.as_ptr(),
                strides.as_ref().map_or(std::ptr::null(), |strides| strides.as_ptr()),
                T::TYPE,
                arrows.values.map_or(std::ptr::null(), |values| values.as_ptr().cast()),
                part(0),
                part(1),
                part(2),
            )
        })
    }

    /// Says what the values of a field, of points or of a curve are: their unit, which may be empty, and what the ends of the
    /// colours stand for; of a curve, the ends of y. Where both are the same, or one is NaN, they are found from the values.
    /// Like [`axis`](View::axis) it may be called by any rank or by all, before the thing of this name is published or between
    /// two steps.
    pub fn scale(&self, name: &str, unit: &str, least: f64, greatest: f64) -> Result<()> {
        if !is_on() {
            return Ok(());
        }
        let (name, unit) = (text(name)?, text(unit)?);
        // SAFETY: both end with a zero.
        check(unsafe { Rankine_View_scale(name.as_ptr(), unit.as_ptr(), least, greatest) })
    }

    /// Says what an axis is: `'x'`, `'y'` or `'z'`. Of a field x is the last dimension, which runs to the right, y the one before
    /// it, and z the first of three. The element with the index n has the coordinate `first + n * spacing`, which descends where
    /// the spacing is less than 0; with a spacing of 0 elements are counted. Points and curves have coordinates of their own,
    /// and only a label (empty: the letter) and a unit.
    pub fn axis(&self, name: &str, axis: char, label: &str, unit: &str, first: f64, spacing: f64) -> Result<()> {
        if !is_on() {
            return Ok(());
        }
        let (name, label, unit) = (text(name)?, text(label)?, text(unit)?);
        // SAFETY: all end with a zero.
        check(unsafe {
            Rankine_View_axis(name.as_ptr(), axis as c_int, label.as_ptr(), unit.as_ptr(), first, spacing)
        })
    }

    /// A field for libraries that know where its elements are: `shape`, `start` and `count` of the box, and strides of any
    /// sign.
    ///
    /// # Safety
    ///
    /// Elements lie wherever the strides lead to from the first one.
    #[doc(hidden)]
    pub unsafe fn field_at<T: Element>(
        &self,
        name: &str,
        step: i64,
        boxed: [&[usize]; 3],
        strides: &[isize],
        first: *const T,
    ) -> Result<()> {
        if !is_on() {
            return Ok(());
        }
        assert!(boxed.iter().all(|numbers| numbers.len() == strides.len()), "there is a number for each dimension");
        let strides: Vec<c_int> = strides.iter().map(|&stride| stride as c_int).collect();
        // SAFETY: elements lie wherever the strides lead to, which is what `field_at` asks of its caller.
        unsafe { put_field(name, step, boxed, Some(&strides), first) }
    }

    /// What [`arrows`](View::arrows) does with parts of vectors, and values, that lie anywhere, all with the same strides.
    ///
    /// # Safety
    /// Each of `parts` and `values` is where the first of its elements lies, and the others lie where the strides, counted in
    /// elements, lead to.
    #[doc(hidden)]
    pub unsafe fn arrows_at<T: Element>(
        &self,
        name: &str,
        step: i64,
        boxed: [&[usize]; 3],
        strides: &[isize],
        parts: &[*const T],
        values: Option<*const T>,
    ) -> Result<()> {
        if !is_on() {
            return Ok(());
        }
        assert!(boxed.iter().all(|numbers| numbers.len() == strides.len()), "there is a number for each dimension");
        let name = text(name)?;
        let ints = |numbers: &[usize]| numbers.iter().map(|&number| number as c_int).collect::<Vec<_>>();
        let [shape, start, count] = boxed.map(ints);
        let strides: Vec<c_int> = strides.iter().map(|&stride| stride as c_int).collect();
        let part = |n: usize| parts.get(n).map_or(std::ptr::null(), |part| part.cast());
        // SAFETY: the name ends with a zero, there are as many numbers of each kind as dimensions, and elements lie where
        // `arrows_at` asks of its caller.
        check(unsafe {
            Rankine_View_arrows(
                name.as_ptr(),
                step,
                shape.len() as c_int,
                shape.as_ptr(),
                start.as_ptr(),
                count.as_ptr(),
                strides.as_ptr(),
                T::TYPE,
                values.map_or(std::ptr::null(), |values| values.cast()),
                part(0),
                part(1),
                part(2),
            )
        })
    }

    /// Shows this rank's points as they are at a step. A frame is shown when all ranks have published, each once a step,
    /// those that have no points too.
    pub fn points<T: Element, const R: usize>(&self, name: &str, step: i64, points: &Points<'_, T, R>) -> Result<()> {
        if !is_on() {
            return Ok(());
        }
        if points.values.is_some_and(|values| values.len() != points.places.len()) {
            return Err(Error::Invalid("points of the view have another number of values than there are points"));
        }
        let name = text(name)?;
        let [ranks, count] = ints([points.ranks, points.places.len()]);
        let within = points.within.as_ref().map_or(std::ptr::null(), |within| within.as_ptr().cast());
        let values = points.values.map_or(std::ptr::null(), |values| values.as_ptr().cast());
        // SAFETY: the name ends with a zero; there are as many places and values as it says, and two bounds for each of
        // the `R` coordinates.
        check(unsafe {
            Rankine_View_points(
                name.as_ptr(),
                step,
                ranks,
                R as c_int,
                count,
                within,
                T::TYPE,
                points.places.as_ptr().cast(),
                values,
                std::ptr::null(),
            )
        })
    }

    /// Adds a point to a curve: of one rank, or of several under different names.
    pub fn curve(&self, name: &str, x: f64, y: f64) -> Result<()> {
        if !is_on() {
            return Ok(());
        }
        let name = text(name)?;
        // SAFETY: the name ends with a zero.
        check(unsafe { Rankine_View_curve(name.as_ptr(), x, y) })
    }

    /// Shows a text in place of the one before.
    pub fn text(&self, name: &str, shown: &str) -> Result<()> {
        if !is_on() {
            return Ok(());
        }
        let (name, shown) = (text(name)?, text(shown)?);
        // SAFETY: both end with a zero.
        check(unsafe { Rankine_View_text(name.as_ptr(), shown.as_ptr()) })
    }

    /// Lets the page change a number within bounds, in steps of `step` (0: any).
    pub fn number(&mut self, name: &str, value: f64, within: RangeInclusive<f64>, step: f64) -> Result<Control> {
        self.declare(name, 0, value, [*within.start(), *within.end(), step], &[])
    }

    /// Lets the page choose a label, the first one to begin with.
    pub fn choice(&mut self, name: &str, labels: &[&str]) -> Result<Choice> {
        self.declare(name, 1, 0.0, [0.0; 3], labels).map(Choice)
    }

    /// A button for the page.
    pub fn button(&mut self, name: &str) -> Result<Button> {
        self.declare(name, 2, 0.0, [0.0; 3], &[]).map(Button)
    }

    fn declare(&mut self, name: &str, kind: c_int, value: f64, bounds: [f64; 3], labels: &[&str]) -> Result<Control> {
        let control = Control(Rc::new(Cell::new(value)));
        if !is_on() {
            return Ok(control);
        }
        let name = text(name)?;
        let texts = labels.iter().map(|label| text(label)).collect::<Result<Vec<CString>>>()?;
        let labels: Vec<*const c_char> = texts.iter().map(|label| label.as_ptr()).collect();
        let [least, greatest, step] = bounds;
        let (count, mut id) = (labels.len() as c_int, 0);
        // SAFETY: texts end with a zero, there are as many labels as it says, and the number outlives the call.
        check(unsafe {
            let labels = labels.as_ptr();
            Rankine_View_declare(name.as_ptr(), kind, value, least, greatest, step, count, labels, &mut id)
        })?;
        if self.controls.len() == CONTROLS {
            return Err(Error::Invalid("a view has more than 64 controls"));
        }
        self.controls.push((id, control.clone()));
        Ok(control)
    }

    /// Collective: gives all controls what the page says now, the same on all ranks, and waits while the page has the
    /// program pause.
    pub fn update(&self, comm: &Communicator) -> Result<()> {
        if !is_on() {
            return Ok(());
        }
        let mut news = News { count: 0, ids: [0; CONTROLS], values: [0.0; CONTROLS] };
        let mut taken = Ok(());
        if comm.rank() == 0 {
            while Rankine_View_waits() != 0 {
                std::thread::sleep(Duration::from_millis(20));
            }
            news.count = self.controls.len() as u64;
            for (id, (known, _)) in news.ids.iter_mut().zip(&self.controls) {
                *id = *known;
            }
            // SAFETY: both arrays have as many elements.
            taken =
                check(unsafe { Rankine_View_take(news.count as c_int, news.ids.as_ptr(), news.values.as_mut_ptr()) });
            if taken.is_err() {
                news.count = 0;
            }
        }
        // SAFETY: the news are plain numbers, and as long as it says.
        check(unsafe { MPI_Bcast((&raw mut news).cast(), size_of::<News>() as c_int, MPI_BYTE, 0, comm.raw()) })?;
        taken?;
        for (id, value) in news.ids.iter().zip(news.values).take(news.count as usize) {
            for (_, control) in self.controls.iter().filter(|(known, _)| known == id) {
                control.0.set(value);
            }
        }
        Ok(())
    }
}
