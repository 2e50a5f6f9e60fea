//! Describing records to the host, once for each type.

use std::any::TypeId;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{CString, c_char, c_int};

use crate::Transportable;
use crate::error::{Result, check};
use crate::places::Place;
use crate::read::{Build, Building, Owned};

/// As the host reads it (`Rankine_Field` in rankine.h).
#[repr(C)]
struct Field {
    kind: c_int,
    offset: c_int,
    target: c_int,
    count: c_int,
    count_at: c_int,
    capacity_at: c_int,
    when_at: c_int,
    when: c_int,
    name: *const c_char,
}

const REFERENCE: c_int = 1;
const ARRAY: c_int = 2;
const INLINE: c_int = 5;
const OWNED: c_int = 0x100;
const REQUIRED: c_int = 0x200;
const WEAK: c_int = 0x400;

#[link(wasm_import_module = "rankine")]
unsafe extern "C" {
    fn Rankine_Type_create(name: *const c_char, size: c_int, align: c_int, handle: *mut c_int) -> c_int;
    fn Rankine_Type_define(handle: c_int, count: c_int, fields: *const Field) -> c_int;
}

/// The fields of one record, as they are described.
#[derive(Default)]
pub struct Fields(Vec<Field>);

impl Fields {
    fn add(&mut self, kind: c_int, place: Place, target: c_int, count: usize, count_at: c_int) {
        let (when_at, when) = place.when.map_or((-1, 0), |(at, value)| (at as c_int, value));
        let name = place.name.as_ptr().cast();
        let (offset, count) = (place.offset as c_int, count as c_int);
        self.0.push(Field { kind, offset, target, count, count_at, capacity_at: -1, when_at, when, name });
    }

    /// A reference to an object that nothing else refers to.
    pub(crate) fn owned(&mut self, place: Place, target: c_int) {
        let required = if place.may_be_null { 0 } else { REQUIRED };
        self.add(REFERENCE | OWNED | required, place, target, 1, -1);
    }

    /// A reference to an object that may be shared.
    pub(crate) fn shared(&mut self, place: Place, target: c_int) {
        let required = if place.may_be_null { 0 } else { REQUIRED };
        self.add(REFERENCE | required, place, target, 1, -1);
    }

    /// A reference to an object that is there only if others refer to it.
    pub(crate) fn weak(&mut self, place: Place, target: c_int) {
        self.add(REFERENCE | WEAK, place, target, 1, -1);
    }

    /// A reference to objects in a row, and how many behind it.
    pub(crate) fn array(&mut self, place: Place, target: c_int) {
        self.add(ARRAY | OWNED, place, target, 0, place.offset as c_int + 4);
    }

    /// Records inside of this one.
    pub(crate) fn inline(&mut self, place: Place, target: c_int, count: usize) {
        self.add(INLINE, place, target, count, -1);
    }
}

/// Bytes of a name that the host reads, at most; those of generic types can be longer.
const LONGEST_NAME: usize = 1000;

/// What is known about the types of this program.
#[derive(Default)]
struct Known {
    handles: HashMap<TypeId, c_int>,
    buildings: HashMap<c_int, Building>,
}

thread_local! {
    static KNOWN: RefCell<Known> = RefCell::default();
}

/// How an object of a described type is made.
pub(crate) fn building(handle: c_int) -> Option<Building> {
    KNOWN.with_borrow(|known| known.buildings.get(&handle).copied())
}

type Describe = fn(&mut Types, &mut Fields);

/// Types that are being described.
#[derive(Default)]
pub struct Types {
    /// Declared, and still to be described: references may lead in circles.
    left: Vec<(c_int, Describe)>,
    failed: Option<crate::Error>,
}

impl Types {
    /// The handle of a type, which is described now if it was not before.
    pub(crate) fn handle<T: Transportable>() -> Result<c_int> {
        let mut types = Types::default();
        let handle = types.declared::<T>();
        while let Some((handle, describe)) = types.left.pop() {
            types.describe(handle, describe);
        }
        types.failed.map_or(Ok(handle), Err)
    }

    /// The handle of what a reference may refer to.
    pub(crate) fn declared<T: Transportable>(&mut self) -> c_int {
        if T::datatype() != 0 {
            let building = Building::of::<Owned<T>>();
            KNOWN.with_borrow_mut(|known| known.buildings.insert(T::datatype(), building));
            return T::datatype();
        }
        self.declare::<Owned<T>>(T::fields)
    }

    /// The handle of the same record as what an `Rc` or `Arc` shares.
    pub(crate) fn shared<T: Transportable, B: Build>(&mut self) -> c_int {
        self.declare::<B>(shared_fields::<T>)
    }

    /// The handle of a type that lies inline, so that it has to be described at once.
    pub(crate) fn inline<T: Transportable>(&mut self) -> c_int {
        let handle = self.declared::<T>();
        if let Some(index) = self.left.iter().position(|(left, _)| *left == handle) {
            let (handle, describe) = self.left.swap_remove(index);
            self.describe(handle, describe);
        }
        handle
    }

    /// Describes a type as part of another one.
    pub fn place_inline<T: Transportable>(&mut self, fields: &mut Fields, place: Place) {
        let target = self.inline::<T>();
        fields.inline(place, target, 1);
    }

    fn declare<B: Build>(&mut self, describe: Describe) -> c_int {
        // One type may be known in several ways: as what is owned, and as what is shared.
        let key = TypeId::of::<B>();
        if let Some(handle) = KNOWN.with_borrow(|known| known.handles.get(&key).copied()) {
            return handle;
        }
        let name = std::any::type_name::<B::Pointer>();
        let name = CString::new(&name[..name.floor_char_boundary(LONGEST_NAME)]).unwrap_or_default();
        let mut handle = 0;
        // SAFETY: the name ends with a zero, and the handle outlives the call.
        let code = unsafe { Rankine_Type_create(name.as_ptr(), B::SIZE as c_int, B::ALIGN as c_int, &mut handle) };
        self.note(code);
        KNOWN.with_borrow_mut(|known| {
            known.handles.insert(key, handle);
            known.buildings.insert(handle, Building::of::<B>());
        });
        self.left.push((handle, describe));
        handle
    }

    fn describe(&mut self, handle: c_int, describe: Describe) {
        let mut fields = Fields::default();
        describe(self, &mut fields);
        // SAFETY: the array has as many fields as it says, and names end with zeros.
        let code = unsafe { Rankine_Type_define(handle, fields.0.len() as c_int, fields.0.as_ptr()) };
        self.note(code);
    }

    fn note(&mut self, code: c_int) {
        if let Err(error) = check(code) {
            self.failed.get_or_insert(error);
        }
    }
}

/// What is shared lies inline in its cell, so that owned and shared objects are of different types.
fn shared_fields<T: Transportable>(types: &mut Types, fields: &mut Fields) {
    T::place(types, fields, Place::START);
}
