! Laplace's equation on a square one of whose edges has the potential 1, by successive over-relaxation: cells of one colour of
! a chessboard read only those of the other, and are computed in place. With --view it can be watched.
!
! Usage: laplace [CELLS [STEPS]]
program laplace
  use mpi_f08
  use rankine_arrays
  use rankine_view
  implicit none
  integer, parameter :: real64 = selected_real_kind(15)
  integer :: n, steps, step, colour, i, j, first, rank, middle, owner
  real(real64), pointer :: u(:, :)
  real(real64), allocatable :: all(:, :)
  real(real64) :: omega, mean, total
  type(rankine_grid) :: grid
  type(rankine_array) :: potential

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  n = argument(1, 64)
  steps = argument(2, 200)
  call grid%create(MPI_COMM_WORLD, 2)
  call potential%create('potential', grid, [rankine_block(n, ghosts=1), rankine_block(n, ghosts=1)], MPI_DOUBLE_PRECISION)
  ! The bounds are those of the whole square, so that every rank has its part of one and the same u.
  call potential%local(u)
  if (potential%first(2) == 1) u(potential%first(1):potential%last(1), 1) = 1

  middle = n/2 + 1
  call potential%owner([middle, middle], owner)
  omega = 2/(1 + sin(acos(-1.0_real64)/n))
  do step = 1, steps
    call rankine_view_update(MPI_COMM_WORLD)
    do colour = 0, 1
      call potential%write_halo()
      do j = potential%first(2, margin=1), potential%last(2, margin=1)
        first = potential%first(1, margin=1)
        do i = first + modulo(first + j + colour, 2), potential%last(1, margin=1), 2
          mean = 0.25_real64*(((u(i, j - 1) + u(i, j + 1)) + u(i - 1, j)) + u(i + 1, j))
          u(i, j) = u(i, j) + omega*(mean - u(i, j))
        end do
      end do
    end do
    call potential%show('potential', step)
    if (rank == owner) call rankine_view_curve('middle', step, u(middle, middle))
  end do

  allocate (all(n, merge(n, 0, rank == 0)))
  call potential%gather(0, all)
  if (rank == 0) then
    total = 0
    do j = 1, n
      do i = 1, n
        total = total + all(i, j)
      end do
    end do
    print '(3(i0,a),f0.12,a,f0.9)', n, ' x ', n, ' cells, ', steps, ' steps: middle 0', all(middle, middle), ', sum ', total
  end if
  call potential%free()
  call grid%free()
  call MPI_Finalize()
contains
  integer function argument(position, otherwise)
    integer, intent(in) :: position, otherwise
    character(len=20) :: text
    argument = otherwise
    if (command_argument_count() < position) return
    call get_command_argument(position, text)
    read (text, *) argument
  end function
end program
