//! The predefined callbacks that copy an attribute. In C they are numbers that the host knows; a Rust function pointer
//! can't be a mere number, so here they are functions that do the same.

use core::ffi::{c_int, c_void};

use crate::constants::{MPI_Comm, MPI_Datatype, MPI_SUCCESS, MPI_Win};

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
