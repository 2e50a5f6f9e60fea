! What is refused, by name: types that nothing is known of, variables that are not there, messages that do not fit.
! ranks: 2
! with: ../check.f90
! stderr: the type holder has pointers, as target: say with rankine_describe which of them travel
! stderr: the type holder has no pointer targte
! stderr: the type holder has been described or used already
! stderr: in type anything: what is CLASS(*)
! stderr: in type holder_of_numbers: numbers is weak, but is not a scalar pointer to a derived type
! stderr: objects are of derived type
! stderr: the variable is not allocated or associated
! stderr: the elements of the array section do not lie side by side
! stderr: the part of rank 1, 2 from 2 on, is not in the array of 3 objects
! stderr: of different types
module kinds
  implicit none
  type holder
    integer :: number = 0
    type(holder), pointer :: target => null()
    real(8), pointer :: row(:) => null()
  end type
  type, extends(holder) :: extended
    integer :: more = 0
  end type
  type anything
    class(*), allocatable :: what
  end type
  type polymorphic
    class(holder), pointer :: target => null()
  end type
  type holder_of_numbers
    real(8), pointer :: numbers(:) => null()
  end type
  type plain
    integer, allocatable :: numbers(:)
  end type
  type other
    integer, allocatable :: numbers(:)
    integer :: more = 0
  end type
end module

program refused
  use mpi_f08
  use rankine
  use kinds
  use checks
  implicit none
  integer :: rank, ierror
  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
  call descriptions
  call variables
  call messages
  call finish
contains
  subroutine fails(class, what)
    integer, intent(in) :: class
    character(len=*), intent(in) :: what
    integer :: found
    call MPI_Error_class(ierror, found)
    call check(found == class, what)
    ierror = MPI_SUCCESS
  end subroutine

  subroutine descriptions
    type(holder) :: one
    type(anything) :: a
    type(holder_of_numbers) :: h
    integer :: number
    call rankine_send(one, 0, 0, MPI_COMM_SELF, ierror)
    call fails(MPI_ERR_TYPE, 'a type with pointers that nothing is said of')
    call rankine_describe(one, transport='targte', ierror=ierror)
    call fails(MPI_ERR_ARG, 'a name that is none')
    call rankine_describe(one, transport='target', weak='more', ierror=ierror)
    call fails(MPI_ERR_ARG, 'a name that is not a pointer of this type')
    call rankine_describe(one, transport='row target', ierror=ierror)
    call check(ierror == MPI_SUCCESS, 'a good description')
    call rankine_describe(one, ierror=ierror)
    call fails(MPI_ERR_TYPE, 'a second description')
    call rankine_describe(a, ierror=ierror)
    call fails(MPI_ERR_TYPE, 'something of any type')
    call rankine_describe(h, weak='numbers', ierror=ierror)
    call fails(MPI_ERR_TYPE, 'a weak array')
    call rankine_describe(number, ierror=ierror)
    call fails(MPI_ERR_TYPE, 'no derived type')
  end subroutine

  subroutine variables
    type(holder), target :: one
    type(holder), pointer :: nowhere
    type(polymorphic) :: any
    type(plain) :: three(3), came(3)
    type(extended), target :: more
    real(8), target :: numbers(10)
    integer :: plain_number
    nullify(nowhere)
    call rankine_send(nowhere, 0, 0, MPI_COMM_SELF, ierror)
    call fails(MPI_ERR_BUFFER, 'nothing')
    call rankine_send(three(1:3:2), 0, 0, MPI_COMM_SELF, ierror)
    call fails(MPI_ERR_BUFFER, 'a section with gaps')
    call rankine_send(plain_number, 0, 0, MPI_COMM_SELF, ierror)
    call fails(MPI_ERR_TYPE, 'a number')
    one%row => numbers(1:9:2)
    call rankine_send(one, 0, 0, MPI_COMM_SELF, ierror)
    call fails(MPI_ERR_TYPE, 'a pointer to a section with gaps')
    call rankine_describe(any, transport='target')
    any%target => more
    call rankine_send(any, 0, 0, MPI_COMM_SELF, ierror)
    call fails(MPI_ERR_TYPE, 'a target that is of an extended type')
    if (rank == 0) then
      call rankine_scatter(three, [2, 2], came, 0, MPI_COMM_WORLD, ierror=ierror)
      call fails(MPI_ERR_COUNT, 'a part that is not in the array')
    end if
  end subroutine

  subroutine messages
    type(plain) :: own(3), came(2)
    type(other) :: odd, odds(3)
    type(MPI_Status) :: status
    integer :: count, bytes
    call rankine_sendrecv(own(1:1), MPI_PROC_NULL, 0, odd, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call fails(MPI_ERR_TYPE, 'two types')
    if (rank == 0) then
      own(1)%numbers = [1, 2, 3]
      call rankine_send(own, 1, 0, MPI_COMM_WORLD)
      call rankine_send(own, 1, 0, MPI_COMM_WORLD)
      call rankine_send(own, 1, 0, MPI_COMM_WORLD)
      call MPI_Send(rank, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD)
      call rankine_send(own, 1, 7, MPI_COMM_WORLD)
      return
    end if
    call rankine_recv(came, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call fails(MPI_ERR_TRUNCATE, 'three where there is room for two')
    odd%numbers = [5]
    call rankine_recv(odds, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call fails(MPI_ERR_TYPE, 'another type')
    call rankine_set_limits(objects=3_8)
    call rankine_recv(own, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call fails(MPI_ERR_TRUNCATE, 'four objects where three are accepted')
    call rankine_set_limits
    call rankine_recv(own, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call fails(MPI_ERR_TYPE, 'a number')
    call rankine_probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, status)
    call MPI_Get_count(status, MPI_BYTE, bytes)
    call check(status%MPI_TAG == 7 .and. bytes > 0, 'a probe')
    call rankine_recv(own, status%MPI_SOURCE, status%MPI_TAG, MPI_COMM_WORLD, status)
    call rankine_get_count(status, count)
    call check(count == 3 .and. own(1)%numbers(3) == 3, 'three come after all')
    own(1)%numbers = [7]
    call rankine_recv(own, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(own(1)%numbers(1) == 7, 'nothing comes from nobody')
  end subroutine
end program
