
  ! What follows no rule of the tables.

  interface MPI_Init
    subroutine MPI_Init_f08(ierror)
      import
      implicit none
      integer, optional, intent(out) :: ierror
    end subroutine MPI_Init_f08
  end interface

  interface PMPI_Init
    subroutine PMPI_Init_f08(ierror)
      import
      implicit none
      integer, optional, intent(out) :: ierror
    end subroutine PMPI_Init_f08
  end interface

  interface MPI_Init_thread
    subroutine MPI_Init_thread_f08(required, provided, ierror)
      import
      implicit none
      integer, intent(in) :: required
      integer, intent(out) :: provided
      integer, optional, intent(out) :: ierror
    end subroutine MPI_Init_thread_f08
  end interface

  interface PMPI_Init_thread
    subroutine PMPI_Init_thread_f08(required, provided, ierror)
      import
      implicit none
      integer, intent(in) :: required
      integer, intent(out) :: provided
      integer, optional, intent(out) :: ierror
    end subroutine PMPI_Init_thread_f08
  end interface

  interface MPI_Pcontrol
    subroutine MPI_Pcontrol_f08(level)
      import
      implicit none
      integer, intent(in) :: level
    end subroutine MPI_Pcontrol_f08
  end interface

  interface PMPI_Pcontrol
    subroutine PMPI_Pcontrol_f08(level)
      import
      implicit none
      integer, intent(in) :: level
    end subroutine PMPI_Pcontrol_f08
  end interface

  interface MPI_Wtime
    function MPI_Wtime_f08() result(value)
      import
      implicit none
      double precision :: value
    end function MPI_Wtime_f08
  end interface

  interface PMPI_Wtime
    function PMPI_Wtime_f08() result(value)
      import
      implicit none
      double precision :: value
    end function PMPI_Wtime_f08
  end interface

  interface MPI_Wtick
    function MPI_Wtick_f08() result(value)
      import
      implicit none
      double precision :: value
    end function MPI_Wtick_f08
  end interface

  interface PMPI_Wtick
    function PMPI_Wtick_f08() result(value)
      import
      implicit none
      double precision :: value
    end function PMPI_Wtick_f08
  end interface

  interface MPI_Aint_add
    function MPI_Aint_add_f08(base, disp) result(value)
      import
      implicit none
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: base, disp
      integer(kind=MPI_ADDRESS_KIND) :: value
    end function MPI_Aint_add_f08
  end interface

  interface PMPI_Aint_add
    function PMPI_Aint_add_f08(base, disp) result(value)
      import
      implicit none
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: base, disp
      integer(kind=MPI_ADDRESS_KIND) :: value
    end function PMPI_Aint_add_f08
  end interface

  interface MPI_Aint_diff
    function MPI_Aint_diff_f08(addr1, addr2) result(value)
      import
      implicit none
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: addr1, addr2
      integer(kind=MPI_ADDRESS_KIND) :: value
    end function MPI_Aint_diff_f08
  end interface

  interface PMPI_Aint_diff
    function PMPI_Aint_diff_f08(addr1, addr2) result(value)
      import
      implicit none
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: addr1, addr2
      integer(kind=MPI_ADDRESS_KIND) :: value
    end function PMPI_Aint_diff_f08
  end interface

  interface MPI_Comm_create_keyval
    subroutine MPI_Comm_create_keyval_f08(comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, extra_state, ierror)
      import
      implicit none
      procedure(MPI_Comm_copy_attr_function) :: comm_copy_attr_fn
      procedure(MPI_Comm_delete_attr_function) :: comm_delete_attr_fn
      integer, intent(out) :: comm_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, optional, intent(out) :: ierror
    end subroutine MPI_Comm_create_keyval_f08
  end interface

  interface PMPI_Comm_create_keyval
    subroutine PMPI_Comm_create_keyval_f08(comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, extra_state, ierror)
      import
      implicit none
      procedure(MPI_Comm_copy_attr_function) :: comm_copy_attr_fn
      procedure(MPI_Comm_delete_attr_function) :: comm_delete_attr_fn
      integer, intent(out) :: comm_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, optional, intent(out) :: ierror
    end subroutine PMPI_Comm_create_keyval_f08
  end interface

  interface MPI_Comm_set_attr
    subroutine MPI_Comm_set_attr_f08(comm, comm_keyval, attribute_val, ierror)
      import
      implicit none
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: attribute_val
      integer, optional, intent(out) :: ierror
    end subroutine MPI_Comm_set_attr_f08
  end interface

  interface PMPI_Comm_set_attr
    subroutine PMPI_Comm_set_attr_f08(comm, comm_keyval, attribute_val, ierror)
      import
      implicit none
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: attribute_val
      integer, optional, intent(out) :: ierror
    end subroutine PMPI_Comm_set_attr_f08
  end interface

  interface MPI_Comm_get_attr
    subroutine MPI_Comm_get_attr_f08(comm, comm_keyval, attribute_val, flag, ierror)
      import
      implicit none
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer, optional, intent(out) :: ierror
    end subroutine MPI_Comm_get_attr_f08
  end interface

  interface PMPI_Comm_get_attr
    subroutine PMPI_Comm_get_attr_f08(comm, comm_keyval, attribute_val, flag, ierror)
      import
      implicit none
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer, optional, intent(out) :: ierror
    end subroutine PMPI_Comm_get_attr_f08
  end interface

  interface MPI_Type_create_keyval
    subroutine MPI_Type_create_keyval_f08(type_copy_attr_fn, type_delete_attr_fn, type_keyval, extra_state, ierror)
      import
      implicit none
      procedure(MPI_Type_copy_attr_function) :: type_copy_attr_fn
      procedure(MPI_Type_delete_attr_function) :: type_delete_attr_fn
      integer, intent(out) :: type_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, optional, intent(out) :: ierror
    end subroutine MPI_Type_create_keyval_f08
  end interface

  interface PMPI_Type_create_keyval
    subroutine PMPI_Type_create_keyval_f08(type_copy_attr_fn, type_delete_attr_fn, type_keyval, extra_state, ierror)
      import
      implicit none
      procedure(MPI_Type_copy_attr_function) :: type_copy_attr_fn
      procedure(MPI_Type_delete_attr_function) :: type_delete_attr_fn
      integer, intent(out) :: type_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, optional, intent(out) :: ierror
    end subroutine PMPI_Type_create_keyval_f08
  end interface

  interface MPI_Type_set_attr
    subroutine MPI_Type_set_attr_f08(datatype, type_keyval, attribute_val, ierror)
      import
      implicit none
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: attribute_val
      integer, optional, intent(out) :: ierror
    end subroutine MPI_Type_set_attr_f08
  end interface

  interface PMPI_Type_set_attr
    subroutine PMPI_Type_set_attr_f08(datatype, type_keyval, attribute_val, ierror)
      import
      implicit none
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: attribute_val
      integer, optional, intent(out) :: ierror
    end subroutine PMPI_Type_set_attr_f08
  end interface

  interface MPI_Type_get_attr
    subroutine MPI_Type_get_attr_f08(datatype, type_keyval, attribute_val, flag, ierror)
      import
      implicit none
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer, optional, intent(out) :: ierror
    end subroutine MPI_Type_get_attr_f08
  end interface

  interface PMPI_Type_get_attr
    subroutine PMPI_Type_get_attr_f08(datatype, type_keyval, attribute_val, flag, ierror)
      import
      implicit none
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer, optional, intent(out) :: ierror
    end subroutine PMPI_Type_get_attr_f08
  end interface

  interface MPI_Win_create_keyval
    subroutine MPI_Win_create_keyval_f08(win_copy_attr_fn, win_delete_attr_fn, win_keyval, extra_state, ierror)
      import
      implicit none
      procedure(MPI_Win_copy_attr_function) :: win_copy_attr_fn
      procedure(MPI_Win_delete_attr_function) :: win_delete_attr_fn
      integer, intent(out) :: win_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, optional, intent(out) :: ierror
    end subroutine MPI_Win_create_keyval_f08
  end interface

  interface PMPI_Win_create_keyval
    subroutine PMPI_Win_create_keyval_f08(win_copy_attr_fn, win_delete_attr_fn, win_keyval, extra_state, ierror)
      import
      implicit none
      procedure(MPI_Win_copy_attr_function) :: win_copy_attr_fn
      procedure(MPI_Win_delete_attr_function) :: win_delete_attr_fn
      integer, intent(out) :: win_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, optional, intent(out) :: ierror
    end subroutine PMPI_Win_create_keyval_f08
  end interface

  interface MPI_Win_set_attr
    subroutine MPI_Win_set_attr_f08(win, win_keyval, attribute_val, ierror)
      import
      implicit none
      type(MPI_Win), intent(in) :: win
      integer, intent(in) :: win_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: attribute_val
      integer, optional, intent(out) :: ierror
    end subroutine MPI_Win_set_attr_f08
  end interface

  interface PMPI_Win_set_attr
    subroutine PMPI_Win_set_attr_f08(win, win_keyval, attribute_val, ierror)
      import
      implicit none
      type(MPI_Win), intent(in) :: win
      integer, intent(in) :: win_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: attribute_val
      integer, optional, intent(out) :: ierror
    end subroutine PMPI_Win_set_attr_f08
  end interface

  interface MPI_Win_get_attr
    subroutine MPI_Win_get_attr_f08(win, win_keyval, attribute_val, flag, ierror)
      import
      implicit none
      type(MPI_Win), intent(in) :: win
      integer, intent(in) :: win_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer, optional, intent(out) :: ierror
    end subroutine MPI_Win_get_attr_f08
  end interface

  interface PMPI_Win_get_attr
    subroutine PMPI_Win_get_attr_f08(win, win_keyval, attribute_val, flag, ierror)
      import
      implicit none
      type(MPI_Win), intent(in) :: win
      integer, intent(in) :: win_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer, optional, intent(out) :: ierror
    end subroutine PMPI_Win_get_attr_f08
  end interface

  interface MPI_Grequest_start
    subroutine MPI_Grequest_start_f08(query_fn, free_fn, cancel_fn, extra_state, request, ierror)
      import
      implicit none
      procedure(MPI_Grequest_query_function) :: query_fn
      procedure(MPI_Grequest_free_function) :: free_fn
      procedure(MPI_Grequest_cancel_function) :: cancel_fn
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine MPI_Grequest_start_f08
  end interface

  interface PMPI_Grequest_start
    subroutine PMPI_Grequest_start_f08(query_fn, free_fn, cancel_fn, extra_state, request, ierror)
      import
      implicit none
      procedure(MPI_Grequest_query_function) :: query_fn
      procedure(MPI_Grequest_free_function) :: free_fn
      procedure(MPI_Grequest_cancel_function) :: cancel_fn
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine PMPI_Grequest_start_f08
  end interface

  interface MPI_Register_datarep
    subroutine MPI_Register_datarep_f08(datarep, read_conversion_fn, write_conversion_fn, &
        dtype_file_extent_fn, extra_state, ierror)
      import
      implicit none
      character(len=*), intent(in) :: datarep
      procedure(MPI_Datarep_conversion_function) :: read_conversion_fn, write_conversion_fn
      procedure(MPI_Datarep_extent_function) :: dtype_file_extent_fn
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, optional, intent(out) :: ierror
    end subroutine MPI_Register_datarep_f08
  end interface

  interface PMPI_Register_datarep
    subroutine PMPI_Register_datarep_f08(datarep, read_conversion_fn, write_conversion_fn, &
        dtype_file_extent_fn, extra_state, ierror)
      import
      implicit none
      character(len=*), intent(in) :: datarep
      procedure(MPI_Datarep_conversion_function) :: read_conversion_fn, write_conversion_fn
      procedure(MPI_Datarep_extent_function) :: dtype_file_extent_fn
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, optional, intent(out) :: ierror
    end subroutine PMPI_Register_datarep_f08
  end interface

  interface MPI_Register_datarep_c
    subroutine MPI_Register_datarep_c_f08(datarep, read_conversion_fn, write_conversion_fn, &
        dtype_file_extent_fn, extra_state, ierror)
      import
      implicit none
      character(len=*), intent(in) :: datarep
      procedure(MPI_Datarep_conversion_function_c) :: read_conversion_fn, write_conversion_fn
      procedure(MPI_Datarep_extent_function) :: dtype_file_extent_fn
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, optional, intent(out) :: ierror
    end subroutine MPI_Register_datarep_c_f08
  end interface

  interface PMPI_Register_datarep_c
    subroutine PMPI_Register_datarep_c_f08(datarep, read_conversion_fn, write_conversion_fn, &
        dtype_file_extent_fn, extra_state, ierror)
      import
      implicit none
      character(len=*), intent(in) :: datarep
      procedure(MPI_Datarep_conversion_function_c) :: read_conversion_fn, write_conversion_fn
      procedure(MPI_Datarep_extent_function) :: dtype_file_extent_fn
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, optional, intent(out) :: ierror
    end subroutine PMPI_Register_datarep_c_f08
  end interface

  interface MPI_Comm_spawn
    subroutine MPI_Comm_spawn_f08(command, argv, maxprocs, info, root, comm, intercomm, &
        array_of_errcodes, ierror)
      import
      implicit none
      character(len=*), intent(in) :: command, argv(*)
      integer, intent(in) :: maxprocs, root
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm), intent(out) :: intercomm
      integer :: array_of_errcodes(*)
      integer, optional, intent(out) :: ierror
    end subroutine MPI_Comm_spawn_f08
  end interface

  interface PMPI_Comm_spawn
    subroutine PMPI_Comm_spawn_f08(command, argv, maxprocs, info, root, comm, intercomm, &
        array_of_errcodes, ierror)
      import
      implicit none
      character(len=*), intent(in) :: command, argv(*)
      integer, intent(in) :: maxprocs, root
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm), intent(out) :: intercomm
      integer :: array_of_errcodes(*)
      integer, optional, intent(out) :: ierror
    end subroutine PMPI_Comm_spawn_f08
  end interface

  interface MPI_Comm_spawn_multiple
    subroutine MPI_Comm_spawn_multiple_f08(count, array_of_commands, array_of_argv, &
        array_of_maxprocs, array_of_info, root, comm, intercomm, array_of_errcodes, ierror)
      import
      implicit none
      integer, intent(in) :: count, array_of_maxprocs(*), root
      character(len=*), intent(in) :: array_of_commands(*), array_of_argv(count, *)
      type(MPI_Info), intent(in) :: array_of_info(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm), intent(out) :: intercomm
      integer :: array_of_errcodes(*)
      integer, optional, intent(out) :: ierror
    end subroutine MPI_Comm_spawn_multiple_f08
  end interface

  interface PMPI_Comm_spawn_multiple
    subroutine PMPI_Comm_spawn_multiple_f08(count, array_of_commands, array_of_argv, &
        array_of_maxprocs, array_of_info, root, comm, intercomm, array_of_errcodes, ierror)
      import
      implicit none
      integer, intent(in) :: count, array_of_maxprocs(*), root
      character(len=*), intent(in) :: array_of_commands(*), array_of_argv(count, *)
      type(MPI_Info), intent(in) :: array_of_info(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm), intent(out) :: intercomm
      integer :: array_of_errcodes(*)
      integer, optional, intent(out) :: ierror
    end subroutine PMPI_Comm_spawn_multiple_f08
  end interface

  interface MPI_Sizeof
    subroutine MPI_Sizeof_f08(x, size, ierror)
      import
      implicit none
      type(*), dimension(..) :: x
      integer, intent(out) :: size
      integer, optional, intent(out) :: ierror
    end subroutine MPI_Sizeof_f08
  end interface

  interface PMPI_Sizeof
    subroutine PMPI_Sizeof_f08(x, size, ierror)
      import
      implicit none
      type(*), dimension(..) :: x
      integer, intent(out) :: size
      integer, optional, intent(out) :: ierror
    end subroutine PMPI_Sizeof_f08
  end interface

  interface MPI_F_sync_reg
    subroutine MPI_F_sync_reg_f08(buf)
      import
      implicit none
      type(*), dimension(..) :: buf
    end subroutine MPI_F_sync_reg_f08
  end interface

  interface PMPI_F_sync_reg
    subroutine PMPI_F_sync_reg_f08(buf)
      import
      implicit none
      type(*), dimension(..) :: buf
    end subroutine PMPI_F_sync_reg_f08
  end interface

  interface MPI_Status_f2f08
    subroutine MPI_Status_f2f08_f08(f_status, f08_status, ierror)
      import
      implicit none
      integer, intent(in) :: f_status(MPI_STATUS_SIZE)
      type(MPI_Status), intent(out) :: f08_status
      integer, optional, intent(out) :: ierror
    end subroutine MPI_Status_f2f08_f08
  end interface

  interface PMPI_Status_f2f08
    subroutine PMPI_Status_f2f08_f08(f_status, f08_status, ierror)
      import
      implicit none
      integer, intent(in) :: f_status(MPI_STATUS_SIZE)
      type(MPI_Status), intent(out) :: f08_status
      integer, optional, intent(out) :: ierror
    end subroutine PMPI_Status_f2f08_f08
  end interface

  interface MPI_Status_f082f
    subroutine MPI_Status_f082f_f08(f08_status, f_status, ierror)
      import
      implicit none
      type(MPI_Status), intent(in) :: f08_status
      integer, intent(out) :: f_status(MPI_STATUS_SIZE)
      integer, optional, intent(out) :: ierror
    end subroutine MPI_Status_f082f_f08
  end interface

  interface PMPI_Status_f082f
    subroutine PMPI_Status_f082f_f08(f08_status, f_status, ierror)
      import
      implicit none
      type(MPI_Status), intent(in) :: f08_status
      integer, intent(out) :: f_status(MPI_STATUS_SIZE)
      integer, optional, intent(out) :: ierror
    end subroutine PMPI_Status_f082f_f08
  end interface

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
