//! `Rc`, `Arc` and their weak references.

use std::marker::PhantomData;
use std::rc::{self, Rc};
use std::sync::{self, Arc};

use crate::Transportable;
use crate::derived::{Fields, Invalid, Place, Reader, Types, Writer};
use crate::read::Build;

macro_rules! shared {
    ($pointer:ident, $weak:path, $building:ident) => {
        /// A value that is shared: allocated first, filled later, and held until everybody who refers to it exists.
        pub(crate) struct $building<T>(PhantomData<T>);

        impl<T: Transportable> Build for $building<T> {
            type Pointer = $pointer<T>;
            const SIZE: usize = T::SIZE;
            const ALIGN: usize = T::ALIGN;

            fn check(image: &Reader<'_>, at: usize, count: usize) -> Result<(), Invalid> {
                (0..count).try_for_each(|index| T::check(image, at + index * T::SIZE))
            }

            fn prepare() -> usize {
                // Nobody but this crate sees it before it is filled.
                $pointer::into_raw($pointer::<T>::new_uninit()).expose_provenance()
            }

            unsafe fn make(image: &mut Reader<'_>, at: usize, _: usize, prepared: usize) -> usize {
                // SAFETY: `check` has been through the object, and an object is made once, so its record is read once.
                let value = unsafe { T::read(image, at) };
                // SAFETY: `prepare` has allocated it, and nobody reads it before all are filled.
                unsafe { std::ptr::with_exposed_provenance_mut::<T>(prepared).write(value) };
                prepared
            }

            unsafe fn finish(made: usize) {
                // SAFETY: this is the reference that `prepare` made, and the value was filled.
                drop(unsafe { $pointer::from_raw(std::ptr::with_exposed_provenance::<T>(made)) });
            }
        }

        // SAFETY: the record is one reference.
        unsafe impl<T: Transportable> Transportable for $pointer<T> {
            const SIZE: usize = 4;
            const ALIGN: usize = 4;
            const REFERENCE: bool = true;

            fn place(types: &mut Types, fields: &mut Fields, place: Place) {
                let target = types.shared::<T, $building<T>>();
                fields.shared(place, target);
            }

            fn write(&self, image: &mut Writer, at: usize) {
                let number = image.shared::<T>(self);
                image.put(at, &number.to_le_bytes());
            }

            fn check(_: &Reader<'_>, _: usize) -> Result<(), Invalid> {
                Ok(())
            }

            unsafe fn read(image: &mut Reader<'_>, at: usize) -> Self {
                let value = std::ptr::with_exposed_provenance::<T>(image.look(at));
                // SAFETY: `prepare` has made it, and `finish` lets go of it only after everything was read.
                unsafe { $pointer::increment_strong_count(value) };
                // SAFETY: the count that was just added is this reference's.
                unsafe { $pointer::from_raw(value) }
            }
        }

        // SAFETY: the record is one reference.
        unsafe impl<T: Transportable> Transportable for $weak {
            const SIZE: usize = 4;
            const ALIGN: usize = 4;

            fn place(types: &mut Types, fields: &mut Fields, place: Place) {
                let target = types.shared::<T, $building<T>>();
                fields.weak(place, target);
            }

            fn write(&self, image: &mut Writer, at: usize) {
                if self.strong_count() > 0 {
                    image.weak(at, self.as_ptr().addr());
                }
            }

            fn check(_: &Reader<'_>, _: usize) -> Result<(), Invalid> {
                Ok(())
            }

            unsafe fn read(image: &mut Reader<'_>, at: usize) -> Self {
                if image.word(at) == 0 {
                    return Self::new();
                }
                // SAFETY: the host has checked that the reference is to such an object, and the record is read once.
                $pointer::downgrade(&unsafe { $pointer::<T>::read(image, at) })
            }
        }
    };
}

shared!(Rc, rc::Weak<T>, SharedByRc);
shared!(Arc, sync::Weak<T>, SharedByArc);
