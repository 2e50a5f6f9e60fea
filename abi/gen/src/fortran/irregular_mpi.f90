
  ! What follows no rule of the tables.

  interface MPI_Init
    subroutine MPI_Init(ierror)
      import
      implicit none
      integer :: ierror
    end subroutine MPI_Init
  end interface

  interface PMPI_Init
    subroutine PMPI_Init(ierror)
      import
      implicit none
      integer :: ierror
    end subroutine PMPI_Init
  end interface

  interface MPI_Init_thread
    subroutine MPI_Init_thread(required, provided, ierror)
      import
      implicit none
      integer, intent(in) :: required
      integer, intent(out) :: provided
      integer :: ierror
    end subroutine MPI_Init_thread
  end interface

  interface PMPI_Init_thread
    subroutine PMPI_Init_thread(required, provided, ierror)
      import
      implicit none
      integer, intent(in) :: required
      integer, intent(out) :: provided
      integer :: ierror
    end subroutine PMPI_Init_thread
  end interface

  interface MPI_Pcontrol
    subroutine MPI_Pcontrol(level)
      import
      implicit none
      integer, intent(in) :: level
    end subroutine MPI_Pcontrol
  end interface

  interface PMPI_Pcontrol
    subroutine PMPI_Pcontrol(level)
      import
      implicit none
      integer, intent(in) :: level
    end subroutine PMPI_Pcontrol
  end interface

  interface MPI_Wtime
    function MPI_Wtime() result(value)
      import
      implicit none
      double precision :: value
    end function MPI_Wtime
  end interface

  interface PMPI_Wtime
    function PMPI_Wtime() result(value)
      import
      implicit none
      double precision :: value
    end function PMPI_Wtime
  end interface

  interface MPI_Wtick
    function MPI_Wtick() result(value)
      import
      implicit none
      double precision :: value
    end function MPI_Wtick
  end interface

  interface PMPI_Wtick
    function PMPI_Wtick() result(value)
      import
      implicit none
      double precision :: value
    end function PMPI_Wtick
  end interface

  interface MPI_Aint_add
    function MPI_Aint_add(base, disp) result(value)
      import
      implicit none
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: base, disp
      integer(kind=MPI_ADDRESS_KIND) :: value
    end function MPI_Aint_add
  end interface

  interface PMPI_Aint_add
    function PMPI_Aint_add(base, disp) result(value)
      import
      implicit none
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: base, disp
      integer(kind=MPI_ADDRESS_KIND) :: value
    end function PMPI_Aint_add
  end interface

  interface MPI_Aint_diff
    function MPI_Aint_diff(addr1, addr2) result(value)
      import
      implicit none
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: addr1, addr2
      integer(kind=MPI_ADDRESS_KIND) :: value
    end function MPI_Aint_diff
  end interface

  interface PMPI_Aint_diff
    function PMPI_Aint_diff(addr1, addr2) result(value)
      import
      implicit none
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: addr1, addr2
      integer(kind=MPI_ADDRESS_KIND) :: value
    end function PMPI_Aint_diff
  end interface

  interface MPI_Comm_create_keyval
    subroutine MPI_Comm_create_keyval(comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, extra_state, ierror)
      import
      implicit none
      external :: comm_copy_attr_fn, comm_delete_attr_fn
      integer, intent(out) :: comm_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer :: ierror
    end subroutine MPI_Comm_create_keyval
  end interface

  interface PMPI_Comm_create_keyval
    subroutine PMPI_Comm_create_keyval(comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, extra_state, ierror)
      import
      implicit none
      external :: comm_copy_attr_fn, comm_delete_attr_fn
      integer, intent(out) :: comm_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer :: ierror
    end subroutine PMPI_Comm_create_keyval
  end interface

  interface MPI_Comm_set_attr
    subroutine MPI_Comm_set_attr(comm, comm_keyval, attribute_val, ierror)
      import
      implicit none
      integer, intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: attribute_val
      integer :: ierror
    end subroutine MPI_Comm_set_attr
  end interface

  interface PMPI_Comm_set_attr
    subroutine PMPI_Comm_set_attr(comm, comm_keyval, attribute_val, ierror)
      import
      implicit none
      integer, intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: attribute_val
      integer :: ierror
    end subroutine PMPI_Comm_set_attr
  end interface

  interface MPI_Comm_get_attr
    subroutine MPI_Comm_get_attr(comm, comm_keyval, attribute_val, flag, ierror)
      import
      implicit none
      integer, intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer :: ierror
    end subroutine MPI_Comm_get_attr
  end interface

  interface PMPI_Comm_get_attr
    subroutine PMPI_Comm_get_attr(comm, comm_keyval, attribute_val, flag, ierror)
      import
      implicit none
      integer, intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer :: ierror
    end subroutine PMPI_Comm_get_attr
  end interface

  interface MPI_Type_create_keyval
    subroutine MPI_Type_create_keyval(type_copy_attr_fn, type_delete_attr_fn, type_keyval, extra_state, ierror)
      import
      implicit none
      external :: type_copy_attr_fn, type_delete_attr_fn
      integer, intent(out) :: type_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer :: ierror
    end subroutine MPI_Type_create_keyval
  end interface

  interface PMPI_Type_create_keyval
    subroutine PMPI_Type_create_keyval(type_copy_attr_fn, type_delete_attr_fn, type_keyval, extra_state, ierror)
      import
      implicit none
      external :: type_copy_attr_fn, type_delete_attr_fn
      integer, intent(out) :: type_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer :: ierror
    end subroutine PMPI_Type_create_keyval
  end interface

  interface MPI_Type_set_attr
    subroutine MPI_Type_set_attr(datatype, type_keyval, attribute_val, ierror)
      import
      implicit none
      integer, intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: attribute_val
      integer :: ierror
    end subroutine MPI_Type_set_attr
  end interface

  interface PMPI_Type_set_attr
    subroutine PMPI_Type_set_attr(datatype, type_keyval, attribute_val, ierror)
      import
      implicit none
      integer, intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: attribute_val
      integer :: ierror
    end subroutine PMPI_Type_set_attr
  end interface

  interface MPI_Type_get_attr
    subroutine MPI_Type_get_attr(datatype, type_keyval, attribute_val, flag, ierror)
      import
      implicit none
      integer, intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer :: ierror
    end subroutine MPI_Type_get_attr
  end interface

  interface PMPI_Type_get_attr
    subroutine PMPI_Type_get_attr(datatype, type_keyval, attribute_val, flag, ierror)
      import
      implicit none
      integer, intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer :: ierror
    end subroutine PMPI_Type_get_attr
  end interface

  interface MPI_Win_create_keyval
    subroutine MPI_Win_create_keyval(win_copy_attr_fn, win_delete_attr_fn, win_keyval, extra_state, ierror)
      import
      implicit none
      external :: win_copy_attr_fn, win_delete_attr_fn
      integer, intent(out) :: win_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer :: ierror
    end subroutine MPI_Win_create_keyval
  end interface

  interface PMPI_Win_create_keyval
    subroutine PMPI_Win_create_keyval(win_copy_attr_fn, win_delete_attr_fn, win_keyval, extra_state, ierror)
      import
      implicit none
      external :: win_copy_attr_fn, win_delete_attr_fn
      integer, intent(out) :: win_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer :: ierror
    end subroutine PMPI_Win_create_keyval
  end interface

  interface MPI_Win_set_attr
    subroutine MPI_Win_set_attr(win, win_keyval, attribute_val, ierror)
      import
      implicit none
      integer, intent(in) :: win
      integer, intent(in) :: win_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: attribute_val
      integer :: ierror
    end subroutine MPI_Win_set_attr
  end interface

  interface PMPI_Win_set_attr
    subroutine PMPI_Win_set_attr(win, win_keyval, attribute_val, ierror)
      import
      implicit none
      integer, intent(in) :: win
      integer, intent(in) :: win_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: attribute_val
      integer :: ierror
    end subroutine PMPI_Win_set_attr
  end interface

  interface MPI_Win_get_attr
    subroutine MPI_Win_get_attr(win, win_keyval, attribute_val, flag, ierror)
      import
      implicit none
      integer, intent(in) :: win
      integer, intent(in) :: win_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer :: ierror
    end subroutine MPI_Win_get_attr
  end interface

  interface PMPI_Win_get_attr
    subroutine PMPI_Win_get_attr(win, win_keyval, attribute_val, flag, ierror)
      import
      implicit none
      integer, intent(in) :: win
      integer, intent(in) :: win_keyval
      integer(kind=MPI_ADDRESS_KIND), intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer :: ierror
    end subroutine PMPI_Win_get_attr
  end interface

  interface MPI_Keyval_create
    subroutine MPI_Keyval_create(copy_fn, delete_fn, keyval, extra_state, ierror)
      import
      implicit none
      external :: copy_fn, delete_fn
      integer, intent(out) :: keyval
      integer, intent(in) :: extra_state
      integer :: ierror
    end subroutine MPI_Keyval_create
  end interface

  interface PMPI_Keyval_create
    subroutine PMPI_Keyval_create(copy_fn, delete_fn, keyval, extra_state, ierror)
      import
      implicit none
      external :: copy_fn, delete_fn
      integer, intent(out) :: keyval
      integer, intent(in) :: extra_state
      integer :: ierror
    end subroutine PMPI_Keyval_create
  end interface

  interface MPI_Attr_put
    subroutine MPI_Attr_put(comm, keyval, attribute_val, ierror)
      import
      implicit none
      integer, intent(in) :: comm, keyval, attribute_val
      integer :: ierror
    end subroutine MPI_Attr_put
  end interface

  interface PMPI_Attr_put
    subroutine PMPI_Attr_put(comm, keyval, attribute_val, ierror)
      import
      implicit none
      integer, intent(in) :: comm, keyval, attribute_val
      integer :: ierror
    end subroutine PMPI_Attr_put
  end interface

  interface MPI_Attr_get
    subroutine MPI_Attr_get(comm, keyval, attribute_val, flag, ierror)
      import
      implicit none
      integer, intent(in) :: comm, keyval
      integer, intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer :: ierror
    end subroutine MPI_Attr_get
  end interface

  interface PMPI_Attr_get
    subroutine PMPI_Attr_get(comm, keyval, attribute_val, flag, ierror)
      import
      implicit none
      integer, intent(in) :: comm, keyval
      integer, intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer :: ierror
    end subroutine PMPI_Attr_get
  end interface

  interface MPI_Grequest_start
    subroutine MPI_Grequest_start(query_fn, free_fn, cancel_fn, extra_state, request, ierror)
      import
      implicit none
      external :: query_fn, free_fn, cancel_fn
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, intent(out) :: request
      integer :: ierror
    end subroutine MPI_Grequest_start
  end interface

  interface PMPI_Grequest_start
    subroutine PMPI_Grequest_start(query_fn, free_fn, cancel_fn, extra_state, request, ierror)
      import
      implicit none
      external :: query_fn, free_fn, cancel_fn
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, intent(out) :: request
      integer :: ierror
    end subroutine PMPI_Grequest_start
  end interface

  interface MPI_Register_datarep
    subroutine MPI_Register_datarep(datarep, read_conversion_fn, write_conversion_fn, &
        dtype_file_extent_fn, extra_state, ierror)
      import
      implicit none
      character(len=*), intent(in) :: datarep
      external :: read_conversion_fn, write_conversion_fn, dtype_file_extent_fn
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer :: ierror
    end subroutine MPI_Register_datarep
  end interface

  interface PMPI_Register_datarep
    subroutine PMPI_Register_datarep(datarep, read_conversion_fn, write_conversion_fn, &
        dtype_file_extent_fn, extra_state, ierror)
      import
      implicit none
      character(len=*), intent(in) :: datarep
      external :: read_conversion_fn, write_conversion_fn, dtype_file_extent_fn
      integer(kind=MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer :: ierror
    end subroutine PMPI_Register_datarep
  end interface

  interface MPI_Comm_spawn
    subroutine MPI_Comm_spawn(command, argv, maxprocs, info, root, comm, intercomm, &
        array_of_errcodes, ierror)
      import
      implicit none
      character(len=*), intent(in) :: command, argv(*)
      integer, intent(in) :: maxprocs, root
      integer, intent(in) :: info
      integer, intent(in) :: comm
      integer, intent(out) :: intercomm
      integer :: array_of_errcodes(*)
      integer :: ierror
    end subroutine MPI_Comm_spawn
  end interface

  interface PMPI_Comm_spawn
    subroutine PMPI_Comm_spawn(command, argv, maxprocs, info, root, comm, intercomm, &
        array_of_errcodes, ierror)
      import
      implicit none
      character(len=*), intent(in) :: command, argv(*)
      integer, intent(in) :: maxprocs, root
      integer, intent(in) :: info
      integer, intent(in) :: comm
      integer, intent(out) :: intercomm
      integer :: array_of_errcodes(*)
      integer :: ierror
    end subroutine PMPI_Comm_spawn
  end interface

  interface MPI_Comm_spawn_multiple
    subroutine MPI_Comm_spawn_multiple(count, array_of_commands, array_of_argv, &
        array_of_maxprocs, array_of_info, root, comm, intercomm, array_of_errcodes, ierror)
      import
      implicit none
      integer, intent(in) :: count, array_of_maxprocs(*), root
      character(len=*), intent(in) :: array_of_commands(*), array_of_argv(count, *)
      integer, intent(in) :: array_of_info(*)
      integer, intent(in) :: comm
      integer, intent(out) :: intercomm
      integer :: array_of_errcodes(*)
      integer :: ierror
    end subroutine MPI_Comm_spawn_multiple
  end interface

  interface PMPI_Comm_spawn_multiple
    subroutine PMPI_Comm_spawn_multiple(count, array_of_commands, array_of_argv, &
        array_of_maxprocs, array_of_info, root, comm, intercomm, array_of_errcodes, ierror)
      import
      implicit none
      integer, intent(in) :: count, array_of_maxprocs(*), root
      character(len=*), intent(in) :: array_of_commands(*), array_of_argv(count, *)
      integer, intent(in) :: array_of_info(*)
      integer, intent(in) :: comm
      integer, intent(out) :: intercomm
      integer :: array_of_errcodes(*)
      integer :: ierror
    end subroutine PMPI_Comm_spawn_multiple
  end interface

  interface MPI_Sizeof
    subroutine MPI_Sizeof(x, size, ierror)
      import
      implicit none
      type(*), dimension(..) :: x
      integer, intent(out) :: size
      integer :: ierror
    end subroutine MPI_Sizeof
  end interface

  interface PMPI_Sizeof
    subroutine PMPI_Sizeof(x, size, ierror)
      import
      implicit none
      type(*), dimension(..) :: x
      integer, intent(out) :: size
      integer :: ierror
    end subroutine PMPI_Sizeof
  end interface

  interface MPI_F_sync_reg
    subroutine MPI_F_sync_reg(buf)
      import
      implicit none
      type(*), dimension(..) :: buf
    end subroutine MPI_F_sync_reg
  end interface

  interface PMPI_F_sync_reg
    subroutine PMPI_F_sync_reg(buf)
      import
      implicit none
      type(*), dimension(..) :: buf
    end subroutine PMPI_F_sync_reg
  end interface

  interface MPI_Info_create_env
    subroutine MPI_Info_create_env(info, ierror)
      import
      implicit none
      integer, intent(out) :: info
      integer :: ierror
    end subroutine MPI_Info_create_env
  end interface

  interface PMPI_Info_create_env
    subroutine PMPI_Info_create_env(info, ierror)
      import
      implicit none
      integer, intent(out) :: info
      integer :: ierror
    end subroutine PMPI_Info_create_env
  end interface

  interface MPI_Abi_get_fortran_booleans
    subroutine MPI_Abi_get_fortran_booleans(logical_size, logical_true, logical_false, is_set, ierror)
      import
      implicit none
      integer, intent(in) :: logical_size
      logical :: logical_true, logical_false
      logical, intent(out) :: is_set
      integer :: ierror
    end subroutine MPI_Abi_get_fortran_booleans
  end interface

  interface PMPI_Abi_get_fortran_booleans
    subroutine PMPI_Abi_get_fortran_booleans(logical_size, logical_true, logical_false, is_set, ierror)
      import
      implicit none
      integer, intent(in) :: logical_size
      logical :: logical_true, logical_false
      logical, intent(out) :: is_set
      integer :: ierror
    end subroutine PMPI_Abi_get_fortran_booleans
  end interface

  interface MPI_Abi_set_fortran_booleans
    subroutine MPI_Abi_set_fortran_booleans(logical_size, logical_true, logical_false, ierror)
      import
      implicit none
      integer, intent(in) :: logical_size
      logical, intent(in) :: logical_true, logical_false
      integer :: ierror
    end subroutine MPI_Abi_set_fortran_booleans
  end interface

  interface PMPI_Abi_set_fortran_booleans
    subroutine PMPI_Abi_set_fortran_booleans(logical_size, logical_true, logical_false, ierror)
      import
      implicit none
      integer, intent(in) :: logical_size
      logical, intent(in) :: logical_true, logical_false
      integer :: ierror
    end subroutine PMPI_Abi_set_fortran_booleans
  end interface

  interface MPI_Status_f2f08
    subroutine MPI_Status_f2f08(f_status, f08_status, ierror)
      import
      implicit none
      integer, intent(in) :: f_status(MPI_STATUS_SIZE)
      type(MPI_Status), intent(out) :: f08_status
      integer :: ierror
    end subroutine MPI_Status_f2f08
  end interface

  interface PMPI_Status_f2f08
    subroutine PMPI_Status_f2f08(f_status, f08_status, ierror)
      import
      implicit none
      integer, intent(in) :: f_status(MPI_STATUS_SIZE)
      type(MPI_Status), intent(out) :: f08_status
      integer :: ierror
    end subroutine PMPI_Status_f2f08
  end interface

  interface MPI_Status_f082f
    subroutine MPI_Status_f082f(f08_status, f_status, ierror)
      import
      implicit none
      type(MPI_Status), intent(in) :: f08_status
      integer, intent(out) :: f_status(MPI_STATUS_SIZE)
      integer :: ierror
    end subroutine MPI_Status_f082f
  end interface

  interface PMPI_Status_f082f
    subroutine PMPI_Status_f082f(f08_status, f_status, ierror)
      import
      implicit none
      type(MPI_Status), intent(in) :: f08_status
      integer, intent(out) :: f_status(MPI_STATUS_SIZE)
      integer :: ierror
    end subroutine PMPI_Status_f082f
  end interface

  external :: MPI_COMM_NULL_COPY_FN
  external :: MPI_COMM_DUP_FN
  external :: MPI_COMM_NULL_DELETE_FN
  external :: MPI_TYPE_NULL_COPY_FN
  external :: MPI_TYPE_DUP_FN
  external :: MPI_TYPE_NULL_DELETE_FN
  external :: MPI_WIN_NULL_COPY_FN
  external :: MPI_WIN_DUP_FN
  external :: MPI_WIN_NULL_DELETE_FN
  external :: MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, MPI_DUP_FN, MPI_CONVERSION_FN_NULL
