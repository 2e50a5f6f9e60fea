
  ! The functions that the standard defines itself, to be passed as callbacks.

  interface
    subroutine MPI_COMM_NULL_COPY_FN(oldhandle, keyval, extra_state, &
        attribute_val_in, attribute_val_out, flag, ierror)
      import
      implicit none
      type(MPI_Comm) :: oldhandle
      integer :: keyval, ierror
      integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
      logical :: flag
    end subroutine MPI_COMM_NULL_COPY_FN
    subroutine MPI_COMM_DUP_FN(oldhandle, keyval, extra_state, &
        attribute_val_in, attribute_val_out, flag, ierror)
      import
      implicit none
      type(MPI_Comm) :: oldhandle
      integer :: keyval, ierror
      integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
      logical :: flag
    end subroutine MPI_COMM_DUP_FN
    subroutine MPI_COMM_NULL_DELETE_FN(handle, keyval, attribute_val, extra_state, ierror)
      import
      implicit none
      type(MPI_Comm) :: handle
      integer :: keyval, ierror
      integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
    end subroutine MPI_COMM_NULL_DELETE_FN
    subroutine MPI_TYPE_NULL_COPY_FN(oldhandle, keyval, extra_state, &
        attribute_val_in, attribute_val_out, flag, ierror)
      import
      implicit none
      type(MPI_Datatype) :: oldhandle
      integer :: keyval, ierror
      integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
      logical :: flag
    end subroutine MPI_TYPE_NULL_COPY_FN
    subroutine MPI_TYPE_DUP_FN(oldhandle, keyval, extra_state, &
        attribute_val_in, attribute_val_out, flag, ierror)
      import
      implicit none
      type(MPI_Datatype) :: oldhandle
      integer :: keyval, ierror
      integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
      logical :: flag
    end subroutine MPI_TYPE_DUP_FN
    subroutine MPI_TYPE_NULL_DELETE_FN(handle, keyval, attribute_val, extra_state, ierror)
      import
      implicit none
      type(MPI_Datatype) :: handle
      integer :: keyval, ierror
      integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
    end subroutine MPI_TYPE_NULL_DELETE_FN
    subroutine MPI_WIN_NULL_COPY_FN(oldhandle, keyval, extra_state, &
        attribute_val_in, attribute_val_out, flag, ierror)
      import
      implicit none
      type(MPI_Win) :: oldhandle
      integer :: keyval, ierror
      integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
      logical :: flag
    end subroutine MPI_WIN_NULL_COPY_FN
    subroutine MPI_WIN_DUP_FN(oldhandle, keyval, extra_state, &
        attribute_val_in, attribute_val_out, flag, ierror)
      import
      implicit none
      type(MPI_Win) :: oldhandle
      integer :: keyval, ierror
      integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
      logical :: flag
    end subroutine MPI_WIN_DUP_FN
    subroutine MPI_WIN_NULL_DELETE_FN(handle, keyval, attribute_val, extra_state, ierror)
      import
      implicit none
      type(MPI_Win) :: handle
      integer :: keyval, ierror
      integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
    end subroutine MPI_WIN_NULL_DELETE_FN
    subroutine MPI_CONVERSION_FN_NULL(userbuf, datatype, count, filebuf, position, &
        extra_state, ierror)
      use, intrinsic :: iso_c_binding, only: c_ptr
      import
      implicit none
      type(c_ptr), value :: userbuf, filebuf
      type(MPI_Datatype) :: datatype
      integer :: count
      integer :: ierror
      integer(kind=MPI_OFFSET_KIND) :: position
      integer(kind=MPI_ADDRESS_KIND) :: extra_state
    end subroutine MPI_CONVERSION_FN_NULL
    subroutine MPI_CONVERSION_FN_NULL_C(userbuf, datatype, count, filebuf, position, &
        extra_state, ierror)
      use, intrinsic :: iso_c_binding, only: c_ptr
      import
      implicit none
      type(c_ptr), value :: userbuf, filebuf
      type(MPI_Datatype) :: datatype
      integer(kind=MPI_COUNT_KIND) :: count
      integer :: ierror
      integer(kind=MPI_OFFSET_KIND) :: position
      integer(kind=MPI_ADDRESS_KIND) :: extra_state
    end subroutine MPI_CONVERSION_FN_NULL_C
  end interface
