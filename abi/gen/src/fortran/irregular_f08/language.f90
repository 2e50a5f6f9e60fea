
  ! What only Fortran has.

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
