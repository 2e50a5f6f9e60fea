//! The predefined callbacks that copy an attribute, and the functions that take them. In C these callbacks are numbers
//! that the host knows; a Rust function pointer can't be a mere number, so here they are functions that do the same.

use core::ffi::{c_int, c_void};

use crate::constants::{MPI_ABI_Comm, MPI_ABI_Datatype, MPI_ABI_Win, MPI_Comm, MPI_Datatype, MPI_SUCCESS, MPI_Win};
use crate::types::{
    MPI_Comm_copy_attr_function, MPI_Comm_delete_attr_function, MPI_Copy_function, MPI_Delete_function,
    MPI_Type_copy_attr_function, MPI_Type_delete_attr_function, MPI_Win_copy_attr_function,
    MPI_Win_delete_attr_function,
};

macro_rules! duplicating {
    ($($name:ident $object:ty;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`: the copy of an object gets the same attribute value.")]
        ///
        /// # Safety
        /// Only MPI calls it.
        pub unsafe extern "C" fn $name(
            _: $object,
            _keyval: c_int,
            _extra_state: *mut c_void,
            attribute_val_in: *mut c_void,
            attribute_val_out: *mut c_void,
            flag: *mut c_int,
        ) -> c_int {
            // SAFETY: MPI passes the addresses of a pointer and of an int.
            unsafe {
                attribute_val_out.cast::<*mut c_void>().write(attribute_val_in);
                flag.write(1);
            }
            MPI_SUCCESS
        }
    )*};
}

duplicating! {
    MPI_COMM_DUP_FN MPI_Comm;
    MPI_TYPE_DUP_FN MPI_Datatype;
    MPI_WIN_DUP_FN MPI_Win;
    MPI_DUP_FN MPI_Comm;
}

/// In C, `MPI_COMM_DUP_FN` and its like are the function pointer 1. In a module that was not linked for MPI, that is
/// also the number of some ordinary function: such a one registers this function, which calls it.
unsafe extern "C" fn number_one<Object>(
    object: *mut Object,
    keyval: c_int,
    extra_state: *mut c_void,
    attribute_val_in: *mut c_void,
    attribute_val_out: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    type Copy<Object> =
        unsafe extern "C" fn(*mut Object, c_int, *mut c_void, *mut c_void, *mut c_void, *mut c_int) -> c_int;
    // SAFETY: it is registered only in place of a function of this type whose pointer is 1, and MPI's arguments are
    // passed on.
    unsafe {
        let function: Copy<Object> = core::mem::transmute(1_usize);
        function(object, keyval, extra_state, attribute_val_in, attribute_val_out, flag)
    }
}

macro_rules! creating_keyvals {
    ($($name:ident $imported:ident $object:ty, $copy:ty, $delete:ty;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`")]
        ///
        /// # Safety
        /// The arguments are those that C's function of this name takes.
        pub unsafe extern "C" fn $name(
            copy_attr_fn: Option<$copy>,
            delete_attr_fn: Option<$delete>,
            keyval: *mut c_int,
            extra_state: *mut c_void,
        ) -> c_int {
            let copy_attr_fn = match copy_attr_fn {
                Some(function) if function as usize == 1 => Some(number_one::<$object> as $copy),
                other => other,
            };
            // SAFETY: MPI gets the pointers that this function got, and wants the same of them.
            unsafe { crate::functions::$imported(copy_attr_fn, delete_attr_fn, keyval, extra_state) }
        }
    )*};
}

creating_keyvals! {
    MPI_Comm_create_keyval imported_MPI_Comm_create_keyval
        MPI_ABI_Comm, MPI_Comm_copy_attr_function, MPI_Comm_delete_attr_function;
    MPI_Type_create_keyval imported_MPI_Type_create_keyval
        MPI_ABI_Datatype, MPI_Type_copy_attr_function, MPI_Type_delete_attr_function;
    MPI_Win_create_keyval imported_MPI_Win_create_keyval
        MPI_ABI_Win, MPI_Win_copy_attr_function, MPI_Win_delete_attr_function;
    MPI_Keyval_create imported_MPI_Keyval_create
        MPI_ABI_Comm, MPI_Copy_function, MPI_Delete_function;
}
