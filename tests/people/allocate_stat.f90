! An array of 5 GB: STAT= says that there is no memory.
! ranks: 1
program main
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi_f08
  implicit none
  type :: node
    real(8) :: value
    real(8), allocatable :: more(:)
  end type
  real(8), allocatable :: a(:, :), b(:)
  real(8), pointer :: p(:, :)
  type(node), allocatable :: nodes(:, :)
  character(80) :: message
  integer :: n, status(5)
  call MPI_Init()
  n = 25000
  status = 0
  allocate(a(n, n), stat=status(1), errmsg=message)
  allocate(p(n, n), stat=status(2))
  allocate(nodes(n, n), stat=status(3))
  ! Exactly 4 GiB.
  allocate(b(2_int64**29), stat=status(4))
  ! The extents in numbers.
  allocate(a(25000, 25000), stat=status(5))
  if (any(status == 0) .or. allocated(a) .or. allocated(nodes) .or. allocated(b)) then
    print *, "wrong", status, allocated(a), allocated(nodes), allocated(b)
  else if (message == "") then
    print *, "no message"
  else
    ! What fits works, in one piece.
    allocate(b(300000000), stat=status(1))
    if (status(1) /= 0) error stop "2.4 GB do not fit"
    b(1) = 1
    b(300000000) = 2
    if (b(1) + b(300000000) /= 3) error stop "not the same place"
    deallocate(b)
    print '(a)', "OK"
  end if
  call MPI_Finalize()
end program
