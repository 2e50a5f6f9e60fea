//! What records are made of: numbers, text, and the standard library's containers.

use std::cell::{Cell, RefCell};
use std::marker::PhantomData;

use crate::Transportable;
use crate::derived::{Fields, Invalid, Place, Reader, Types, Writer, after, largest};

macro_rules! numbers {
    ($($number:ty: $datatype:ident)*) => {$(
        // SAFETY: the record is the number's bytes.
        unsafe impl Transportable for $number {
            const SIZE: usize = size_of::<$number>();
            const ALIGN: usize = align_of::<$number>();
            const PLAIN: bool = true;

            fn datatype() -> i32 {
                mpi_sys::$datatype as usize as i32
            }

            fn place(_: &mut Types, _: &mut Fields, _: Place) {}

            #[inline]
            fn write(&self, image: &mut Writer, at: usize) {
                image.put(at, &self.to_le_bytes());
            }

            fn check(_: &Reader<'_>, _: usize) -> Result<(), Invalid> {
                Ok(())
            }

            #[inline]
            unsafe fn read(image: &mut Reader<'_>, at: usize) -> Self {
                <$number>::from_le_bytes(image.get(at))
            }
        }
    )*};
}

numbers! {
    u8: MPI_UINT8_T u16: MPI_UINT16_T u32: MPI_UINT32_T u64: MPI_UINT64_T usize: MPI_UINT32_T
    i8: MPI_INT8_T i16: MPI_INT16_T i32: MPI_INT32_T i64: MPI_INT64_T isize: MPI_INT32_T
    f32: MPI_FLOAT f64: MPI_DOUBLE
}

// SAFETY: the record is one byte, 0 or 1.
unsafe impl Transportable for bool {
    const SIZE: usize = 1;
    const ALIGN: usize = 1;

    fn place(_: &mut Types, _: &mut Fields, _: Place) {}

    fn write(&self, image: &mut Writer, at: usize) {
        image.put(at, &[u8::from(*self)]);
    }

    fn check(image: &Reader<'_>, at: usize) -> Result<(), Invalid> {
        if image.get::<1>(at)[0] <= 1 { Ok(()) } else { Err(Invalid("a truth value is neither 0 nor 1")) }
    }

    unsafe fn read(image: &mut Reader<'_>, at: usize) -> Self {
        image.get::<1>(at)[0] != 0
    }
}

// SAFETY: the record is the character's number.
unsafe impl Transportable for char {
    const SIZE: usize = 4;
    const ALIGN: usize = 4;

    fn place(_: &mut Types, _: &mut Fields, _: Place) {}

    fn write(&self, image: &mut Writer, at: usize) {
        image.put(at, &u32::from(*self).to_le_bytes());
    }

    fn check(image: &Reader<'_>, at: usize) -> Result<(), Invalid> {
        char::from_u32(image.word(at)).map(drop).ok_or(Invalid("a character is none"))
    }

    unsafe fn read(image: &mut Reader<'_>, at: usize) -> Self {
        char::from_u32(image.word(at)).unwrap_or(char::REPLACEMENT_CHARACTER)
    }
}

// SAFETY: the record is one reference.
unsafe impl<T: Transportable> Transportable for Box<T> {
    const SIZE: usize = 4;
    const ALIGN: usize = 4;
    const REFERENCE: bool = true;

    fn place(types: &mut Types, fields: &mut Fields, place: Place) {
        let target = types.declared::<T>();
        fields.owned(place, target);
    }

    fn write(&self, image: &mut Writer, at: usize) {
        let number = image.object(std::slice::from_ref::<T>(self));
        image.put(at, &number.to_le_bytes());
    }

    fn check(_: &Reader<'_>, _: usize) -> Result<(), Invalid> {
        Ok(())
    }

    unsafe fn read(image: &mut Reader<'_>, at: usize) -> Self {
        // SAFETY: it was made as a box of one value of this type, and is taken once.
        unsafe { Box::from_raw(std::ptr::with_exposed_provenance_mut(image.take(at))) }
    }
}

// SAFETY: the record is a reference and the number of elements, of which none needs no reference.
unsafe impl<T: Transportable> Transportable for Vec<T> {
    const SIZE: usize = 8;
    const ALIGN: usize = 4;

    fn place(types: &mut Types, fields: &mut Fields, place: Place) {
        let target = types.declared::<T>();
        fields.array(place, target);
    }

    fn write(&self, image: &mut Writer, at: usize) {
        if !self.is_empty() {
            let number = image.object(self.as_slice());
            image.put(at, &number.to_le_bytes());
            image.put(at + 4, &(self.len() as u32).to_le_bytes());
        }
    }

    fn check(_: &Reader<'_>, _: usize) -> Result<(), Invalid> {
        Ok(())
    }

    unsafe fn read(image: &mut Reader<'_>, at: usize) -> Self {
        if image.word(at) == 0 {
            return Vec::new();
        }
        let length = image.word(at + 4) as usize;
        // SAFETY: it was made as a boxed slice of as many values of this type, and is taken once.
        unsafe { Vec::from_raw_parts(std::ptr::with_exposed_provenance_mut(image.take(at)), length, length) }
    }
}

// SAFETY: the record is that of its bytes.
unsafe impl Transportable for String {
    const SIZE: usize = 8;
    const ALIGN: usize = 4;

    fn place(types: &mut Types, fields: &mut Fields, place: Place) {
        Vec::<u8>::place(types, fields, place);
    }

    fn write(&self, image: &mut Writer, at: usize) {
        if !self.is_empty() {
            let number = image.object(self.as_bytes());
            image.put(at, &number.to_le_bytes());
            image.put(at + 4, &(self.len() as u32).to_le_bytes());
        }
    }

    fn check(image: &Reader<'_>, at: usize) -> Result<(), Invalid> {
        match image.word(at) {
            0 => Ok(()),
            _ => {
                let text = image.object(at, image.word(at + 4) as usize);
                std::str::from_utf8(text).map(drop).map_err(|_| Invalid("text is not UTF-8"))
            }
        }
    }

    unsafe fn read(image: &mut Reader<'_>, at: usize) -> Self {
        // SAFETY: the record was checked and is read for the first time, and `check` has seen that the text is UTF-8.
        unsafe { String::from_utf8_unchecked(Vec::read(image, at)) }
    }
}

/// Where the value of an `Option` lies behind the number that says whether there is one.
const fn inside<T: Transportable>() -> usize {
    after(4, T::ALIGN)
}

// SAFETY: the record is that of the value, which is never null, or a number and the value.
unsafe impl<T: Transportable> Transportable for Option<T> {
    const SIZE: usize = if T::REFERENCE { T::SIZE } else { after(inside::<T>() + T::SIZE, Self::ALIGN) };
    const ALIGN: usize = if T::ALIGN < 4 { 4 } else { T::ALIGN };

    fn fields(types: &mut Types, fields: &mut Fields) {
        if T::REFERENCE {
            T::place(types, fields, Place::START.or_null());
        } else {
            T::place(types, fields, Place::new(inside::<T>(), "Some\0").when(0, 1));
        }
    }

    fn place(types: &mut Types, fields: &mut Fields, place: Place) {
        if T::REFERENCE {
            T::place(types, fields, place.or_null());
        } else if !T::PLAIN {
            let target = types.inline::<Self>();
            fields.inline(place, target, 1);
        }
    }

    fn write(&self, image: &mut Writer, at: usize) {
        match self {
            Some(value) if T::REFERENCE => value.write(image, at),
            Some(value) => {
                image.put(at, &1i32.to_le_bytes());
                value.write(image, at + inside::<T>());
            }
            None => {}
        }
    }

    fn check(image: &Reader<'_>, at: usize) -> Result<(), Invalid> {
        match image.word(at) {
            0 => Ok(()),
            _ if T::REFERENCE => T::check(image, at),
            1 => T::check(image, at + inside::<T>()),
            _ => Err(Invalid("an option is neither None nor Some")),
        }
    }

    unsafe fn read(image: &mut Reader<'_>, at: usize) -> Self {
        if image.word(at) == 0 {
            return None;
        }
        let at = if T::REFERENCE { at } else { at + inside::<T>() };
        // SAFETY: `check` has been through the value that a checked, unread record of `Some` holds.
        Some(unsafe { T::read(image, at) })
    }
}

// SAFETY: the record is that of the elements, one after another.
unsafe impl<T: Transportable, const N: usize> Transportable for [T; N] {
    const SIZE: usize = largest(&[N * T::SIZE]);
    const ALIGN: usize = T::ALIGN;

    fn fields(types: &mut Types, fields: &mut Fields) {
        if !T::PLAIN && N > 0 {
            let target = types.inline::<T>();
            fields.inline(Place::START, target, N);
        }
    }

    fn place(types: &mut Types, fields: &mut Fields, place: Place) {
        if !T::PLAIN && N > 0 {
            let target = types.inline::<T>();
            fields.inline(place, target, N);
        }
    }

    fn write(&self, image: &mut Writer, at: usize) {
        for (index, value) in self.iter().enumerate() {
            value.write(image, at + index * T::SIZE);
        }
    }

    fn check(image: &Reader<'_>, at: usize) -> Result<(), Invalid> {
        (0..N).try_for_each(|index| T::check(image, at + index * T::SIZE))
    }

    unsafe fn read(image: &mut Reader<'_>, at: usize) -> Self {
        // SAFETY: `check` has been through each element, and the record is read for the first time.
        std::array::from_fn(|index| unsafe { T::read(image, at + index * T::SIZE) })
    }
}

macro_rules! inside_out {
    ($($cell:ident: $bound:path, $value:ident => $get:expr;)*) => {$(
        // SAFETY: the record is that of the value inside.
        unsafe impl<T: Transportable + $bound> Transportable for $cell<T> {
            const SIZE: usize = T::SIZE;
            const ALIGN: usize = T::ALIGN;
            const REFERENCE: bool = T::REFERENCE;

            fn fields(types: &mut Types, fields: &mut Fields) {
                T::fields(types, fields);
            }

            fn place(types: &mut Types, fields: &mut Fields, place: Place) {
                T::place(types, fields, place);
            }

            fn write(&self, image: &mut Writer, at: usize) {
                let $value = self;
                $get.write(image, at);
            }

            fn check(image: &Reader<'_>, at: usize) -> Result<(), Invalid> {
                T::check(image, at)
            }

            unsafe fn read(image: &mut Reader<'_>, at: usize) -> Self {
                // SAFETY: the cell's record is its value's, which was checked and is read for the first time.
                $cell::new(unsafe { T::read(image, at) })
            }
        }
    )*};
}

inside_out! {
    Cell: Copy, cell => cell.get();
    RefCell: Sized, cell => cell.borrow();
}

// SAFETY: there is nothing in it; a record has at least a byte.
unsafe impl<T: 'static> Transportable for PhantomData<T> {
    const SIZE: usize = 1;
    const ALIGN: usize = 1;

    fn place(_: &mut Types, _: &mut Fields, _: Place) {}

    fn write(&self, _: &mut Writer, _: usize) {}

    fn check(_: &Reader<'_>, _: usize) -> Result<(), Invalid> {
        Ok(())
    }

    unsafe fn read(_: &mut Reader<'_>, _: usize) -> Self {
        PhantomData
    }
}

macro_rules! tuples {
    ($($($part:ident $value:ident $offset:ident),+;)*) => {$(
        // SAFETY: the record is that of the parts, laid out as a struct.
        unsafe impl<$($part: Transportable),+> Transportable for ($($part,)+) {
            const SIZE: usize = {
                let mut end = 0;
                $(end = after(end, $part::ALIGN) + $part::SIZE;)+
                after(end, largest(&[$($part::ALIGN),+]))
            };
            const ALIGN: usize = largest(&[$($part::ALIGN),+]);

            fn fields(types: &mut Types, fields: &mut Fields) {
                let mut end = 0;
                $(
                    let $offset = after(end, $part::ALIGN);
                    $part::place(types, fields, Place::new($offset, concat!(stringify!($part), "\0")));
                    end = $offset + $part::SIZE;
                )+
                let _ = end;
            }

            fn place(types: &mut Types, fields: &mut Fields, place: Place) {
                let target = types.inline::<Self>();
                fields.inline(place, target, 1);
            }

            fn write(&self, image: &mut Writer, at: usize) {
                let ($($value,)+) = self;
                let mut end = 0;
                $(
                    let $offset = after(end, $part::ALIGN);
                    $value.write(image, at + $offset);
                    end = $offset + $part::SIZE;
                )+
                let _ = end;
            }

            fn check(image: &Reader<'_>, at: usize) -> Result<(), Invalid> {
                let mut end = 0;
                $(
                    let $offset = after(end, $part::ALIGN);
                    $part::check(image, at + $offset)?;
                    end = $offset + $part::SIZE;
                )+
                let _ = end;
                Ok(())
            }

            unsafe fn read(image: &mut Reader<'_>, at: usize) -> Self {
                let mut end = 0;
                $(
                    let $offset = after(end, $part::ALIGN);
                    // SAFETY: `check` has seen the part at this offset, and the record is read for the first time.
                    let $value = unsafe { $part::read(image, at + $offset) };
                    end = $offset + $part::SIZE;
                )+
                let _ = end;
                ($($value,)+)
            }
        }
    )*};
}

tuples! {
    A a a_at;
    A a a_at, B b b_at;
    A a a_at, B b b_at, C c c_at;
    A a a_at, B b b_at, C c c_at, D d d_at;
}
