
  ! Starting, profiling's level, time, and sums of addresses.

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

  interface MPI_Info_create_env
    subroutine MPI_Info_create_env_f08(info, ierror)
      import
      implicit none
      type(MPI_Info), intent(out) :: info
      integer, optional, intent(out) :: ierror
    end subroutine MPI_Info_create_env_f08
  end interface

  interface PMPI_Info_create_env
    subroutine PMPI_Info_create_env_f08(info, ierror)
      import
      implicit none
      type(MPI_Info), intent(out) :: info
      integer, optional, intent(out) :: ierror
    end subroutine PMPI_Info_create_env_f08
  end interface

  interface MPI_Abi_get_fortran_booleans
    subroutine MPI_Abi_get_fortran_booleans_f08(logical_size, logical_true, logical_false, is_set, ierror)
      import
      implicit none
      integer, intent(in) :: logical_size
      logical :: logical_true, logical_false
      logical, intent(out) :: is_set
      integer, optional, intent(out) :: ierror
    end subroutine MPI_Abi_get_fortran_booleans_f08
  end interface

  interface PMPI_Abi_get_fortran_booleans
    subroutine PMPI_Abi_get_fortran_booleans_f08(logical_size, logical_true, logical_false, is_set, ierror)
      import
      implicit none
      integer, intent(in) :: logical_size
      logical :: logical_true, logical_false
      logical, intent(out) :: is_set
      integer, optional, intent(out) :: ierror
    end subroutine PMPI_Abi_get_fortran_booleans_f08
  end interface

  interface MPI_Abi_set_fortran_booleans
    subroutine MPI_Abi_set_fortran_booleans_f08(logical_size, logical_true, logical_false, ierror)
      import
      implicit none
      integer, intent(in) :: logical_size
      logical, intent(in) :: logical_true, logical_false
      integer, optional, intent(out) :: ierror
    end subroutine MPI_Abi_set_fortran_booleans_f08
  end interface

  interface PMPI_Abi_set_fortran_booleans
    subroutine PMPI_Abi_set_fortran_booleans_f08(logical_size, logical_true, logical_false, ierror)
      import
      implicit none
      integer, intent(in) :: logical_size
      logical, intent(in) :: logical_true, logical_false
      integer, optional, intent(out) :: ierror
    end subroutine PMPI_Abi_set_fortran_booleans_f08
  end interface
