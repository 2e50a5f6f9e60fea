//! Types that are neither handles nor constants.

use core::ffi::{c_int, c_void};

use crate::constants::*;

/// An address or a distance between addresses.
pub type MPI_Aint = isize;
/// A position in a file.
pub type MPI_Offset = i64;
/// A large count.
pub type MPI_Count = i64;
/// A default `INTEGER` of Fortran.
pub type MPI_Fint = c_int;

/// What is known about a message.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq)]
#[repr(C)]
pub struct MPI_Status {
    /// The rank that sent it.
    pub MPI_SOURCE: c_int,
    /// Its tag.
    pub MPI_TAG: c_int,
    /// The error of this one of several operations.
    pub MPI_ERROR: c_int,
    /// What the host keeps there.
    pub MPI_internal: [c_int; 5],
}

macro_rules! opaque {
    ($($handle:ident $object:ident)*) => {$(
        #[doc = concat!("What a `", stringify!($handle), "` points to; nobody sees inside.")]
        #[repr(C)]
        pub struct $object {
            _private: [u8; 0],
        }
        #[doc = concat!("`", stringify!($handle), "` of the tools interface.")]
        pub type $handle = *mut $object;
    )*};
}

opaque! {
    MPI_T_enum MPI_ABI_T_enum
    MPI_T_cvar_handle MPI_ABI_T_cvar_handle
    MPI_T_pvar_handle MPI_ABI_T_pvar_handle
    MPI_T_pvar_session MPI_ABI_T_pvar_session
    MPI_T_event_registration MPI_ABI_T_event_registration
    MPI_T_event_instance MPI_ABI_T_event_instance
}

/// What an event's callback may do.
pub type MPI_T_cb_safety = c_int;
/// Order of an event source.
pub type MPI_T_source_order = c_int;

macro_rules! callbacks {
    ($($name:ident($($parameter:ty),*) $(-> $result:ty)?;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`")]
        pub type $name = unsafe extern "C" fn($($parameter),*) $(-> $result)?;
    )*};
}

// In wasm a variadic function takes a pointer to its further arguments: the last parameter of an error handler.
callbacks! {
    MPI_User_function(*mut c_void, *mut c_void, *mut c_int, *mut MPI_Datatype);
    MPI_User_function_c(*mut c_void, *mut c_void, *mut MPI_Count, *mut MPI_Datatype);
    MPI_Grequest_query_function(*mut c_void, *mut MPI_Status) -> c_int;
    MPI_Grequest_free_function(*mut c_void) -> c_int;
    MPI_Grequest_cancel_function(*mut c_void, c_int) -> c_int;
    MPI_Copy_function(MPI_Comm, c_int, *mut c_void, *mut c_void, *mut c_void, *mut c_int) -> c_int;
    MPI_Delete_function(MPI_Comm, c_int, *mut c_void, *mut c_void) -> c_int;
    MPI_Comm_copy_attr_function(MPI_Comm, c_int, *mut c_void, *mut c_void, *mut c_void, *mut c_int) -> c_int;
    MPI_Comm_delete_attr_function(MPI_Comm, c_int, *mut c_void, *mut c_void) -> c_int;
    MPI_Type_copy_attr_function(MPI_Datatype, c_int, *mut c_void, *mut c_void, *mut c_void, *mut c_int) -> c_int;
    MPI_Type_delete_attr_function(MPI_Datatype, c_int, *mut c_void, *mut c_void) -> c_int;
    MPI_Win_copy_attr_function(MPI_Win, c_int, *mut c_void, *mut c_void, *mut c_void, *mut c_int) -> c_int;
    MPI_Win_delete_attr_function(MPI_Win, c_int, *mut c_void, *mut c_void) -> c_int;
    MPI_Comm_errhandler_function(*mut MPI_Comm, *mut c_int, *mut c_void);
    MPI_Win_errhandler_function(*mut MPI_Win, *mut c_int, *mut c_void);
    MPI_File_errhandler_function(*mut MPI_File, *mut c_int, *mut c_void);
    MPI_Session_errhandler_function(*mut MPI_Session, *mut c_int, *mut c_void);
    MPI_Datarep_extent_function(MPI_Datatype, *mut MPI_Aint, *mut c_void) -> c_int;
    MPI_Datarep_conversion_function(*mut c_void, MPI_Datatype, c_int, *mut c_void, MPI_Offset, *mut c_void) -> c_int;
    MPI_Datarep_conversion_function_c(*mut c_void, MPI_Datatype, MPI_Count, *mut c_void, MPI_Offset, *mut c_void)
        -> c_int;
    MPI_T_event_cb_function(MPI_T_event_instance, MPI_T_event_registration, MPI_T_cb_safety, *mut c_void);
    MPI_T_event_free_cb_function(MPI_T_event_registration, MPI_T_cb_safety, *mut c_void);
    MPI_T_event_dropped_cb_function(MPI_Count, MPI_T_event_registration, c_int, MPI_T_cb_safety, *mut c_void);
}
