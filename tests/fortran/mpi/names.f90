! The modules: names of Appendix A that Fortran shares with C, with their kinds; the types of mpi_f08 in the module mpi.
! ranks: 1 2
! with: ../check.f90
module by_integers
  use mpi
  implicit none
contains
  subroutine integers(right)
    logical, intent(out) :: right
    type(MPI_Comm) :: one, two
    type(MPI_Status) :: status
    integer :: info, ierror, array(MPI_STATUS_SIZE), back(MPI_STATUS_SIZE)
    integer(kind=MPI_OFFSET_KIND), parameter :: current = MPI_DISPLACEMENT_CURRENT
    one%MPI_VAL = MPI_COMM_WORLD
    two%MPI_VAL = MPI_COMM_SELF
    right = one == one .and. one /= two .and. current == -1 .and. kind(MPI_DISPLACEMENT_CURRENT) == MPI_OFFSET_KIND
    right = right .and. MPI_C_COMPLEX == MPI_C_FLOAT_COMPLEX .and. MPI_LONG_LONG_INT == MPI_LONG_LONG
    array = [1, 2, 3, 4, 5, 6, 7, 8]
    call MPI_Status_f2f08(array, status, ierror)
    right = right .and. status%MPI_SOURCE == 1 .and. status%MPI_TAG == 2 .and. status%MPI_ERROR == 3
    call MPI_Status_f082f(status, back, ierror)
    right = right .and. all(back == array)
    call MPI_Info_create_env(info, ierror)
    right = right .and. ierror == MPI_SUCCESS .and. info /= MPI_INFO_NULL
    call MPI_Info_free(info, ierror)
  end subroutine
end module

program names
  use mpi_f08
  use checks
  use by_integers, only: integers
  implicit none
  type(MPI_Datatype) :: t(4)
  type(MPI_Info) :: info
  logical :: right, yes, no, is_set
  integer(kind=MPI_OFFSET_KIND) :: at
  integer :: ierror, n
  call MPI_Init
  call integers(right)
  call check(right, 'the module mpi')
  t = [MPI_C_COMPLEX, MPI_LONG_LONG_INT, MPI_C_FLOAT_COMPLEX, MPI_LONG_LONG]
  call check(t(1) == t(3) .and. t(2) == t(4) .and. t(1) /= t(2), 'second names of datatypes')
  at = MPI_DISPLACEMENT_CURRENT
  call check(at == -1 .and. kind(MPI_DISPLACEMENT_CURRENT) == MPI_OFFSET_KIND, 'MPI_DISPLACEMENT_CURRENT')
  call MPI_Info_create_env(info)
  call check(info /= MPI_INFO_NULL, 'MPI_Info_create_env')
  call MPI_Info_free(info)
  call MPI_Sizeof(at, n)
  call check(n == 8, 'MPI_Sizeof')
  ! A library that knows them already takes no others.
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call MPI_Abi_set_fortran_booleans(4, .true., .false., ierror)
  call MPI_Abi_get_fortran_booleans(4, yes, no, is_set)
  if (is_set) call check(yes .and. .not. no, 'MPI_Abi_get_fortran_booleans')
  call check(ierror /= MPI_SUCCESS .or. is_set, 'MPI_Abi_set_fortran_booleans')
  call MPI_Abi_get_fortran_info(info)
  call check(info /= MPI_INFO_NULL, 'MPI_Abi_get_fortran_info')
  call MPI_Info_free(info)
  call finish
end program
