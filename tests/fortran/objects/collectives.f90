! The collectives, with parts of different lengths; once with the communicators of mpi_f08, once with those of the module mpi.
! ranks: 1 2 4
! with: ../check.f90
module tasks
  implicit none
  type step
    integer :: number = 0
    type(step), pointer :: next => null()
  end type
  type task
    integer :: number = -1
    real(8), allocatable :: numbers(:)
    type(step), pointer :: steps => null()
  end type
contains
  type(task) function new(number)
    integer, intent(in) :: number
    type(step), pointer :: at
    integer :: i
    new%number = number
    new%numbers = [(real(number + i, 8), i = 1, number)]
    do i = 1, number
      allocate(at)
      at%number = i * number
      at%next => new%steps
      new%steps => at
    end do
  end function

  logical function right(one, number)
    type(task), intent(in) :: one
    integer, intent(in) :: number
    type(step), pointer :: at
    integer :: i
    right = one%number == number .and. allocated(one%numbers)
    if (right) right = size(one%numbers) == number .and. all(one%numbers == [(real(number + i, 8), i = 1, number)])
    at => one%steps
    do i = number, 1, -1
      if (right) right = associated(at)
      if (.not. right) return
      right = at%number == i * number
      at => at%next
    end do
    right = right .and. .not. associated(at)
  end function
end module

module with_f08
  implicit none
contains
  subroutine everything(rank, size)
    use mpi_f08
    include 'collectives.inc'
  end subroutine
end module

module with_mpi
  implicit none
contains
  subroutine everything_mpi(rank, size)
    use mpi
    include 'collectives.inc'
  end subroutine
end module

program collectives
  use mpi_f08
  use with_f08
  use with_mpi
  use rankine
  use tasks
  use checks
  implicit none
  integer :: rank, size
  type(task) :: any
  type(step) :: one
  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call rankine_describe(one, transport='next')
  call rankine_describe(any, transport='steps')
  call everything(rank, size)
  call everything_mpi(rank, size)
  call finish
end program
