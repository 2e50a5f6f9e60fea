! Fields of Fortran that the page shows and steers: each rank has some columns of the whole, until the button `stop`.
!
! Element (i, j) of the field `u` is i + 100 j + 1000 level, where `level` is a number of the page; `single` is the same in
! another precision, `cells` in whole numbers and `long` in long ones. Of `box`, whose element (i, j, k) is i + 100 j + 1000 k,
! every second element in each direction is shown, and each rank has some planes. Of `bodies` each rank has three, whose places
! and values are parts of a table; so are those of `wind`, whose vectors are (i, j) over the numbers of `u`. The vectors of `flow` are
! (2, 3, 6) everywhere.
program fortran
  use, intrinsic :: iso_fortran_env, only: real32, real64, int32, int64
  use mpi_f08
  use rankine_view
  implicit none
  integer, parameter :: rows = 7, each = 3
  integer :: rank, ranks, step, i, j, k, first, code
  integer, pointer :: shape_of, stop_now
  real(real64), pointer :: level
  real(real64) :: u(0:rows + 1, 0:each + 1)
  integer :: box(8, 6, 4)
  real(real32) :: bodies(5, 3)
  real(real64) :: bounds(2, 3), flow(3, 2, 2, 2)
  real(real32) :: wind(3, rows, each)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  first = rank*each + 1
  call rankine_view_number('level  ', level, 1._real64, 0._real64, 5._real64, 0.5_real64)
  call rankine_view_choice('shape', shape_of, ['round ', 'square'])
  call rankine_view_button('stop', stop_now)
  call rankine_view_text('what', 'a text & <i>no markup</i>   ')
  if (rank == 0) then
    call rankine_view_field('outside', 0, [rows, 2], [1, 0], u(1:rows, 1:2), code)
    if (rankine_view_on() .and. code /= MPI_ERR_ARG) error stop 'a place before the first one'
  end if
  do k = 1, 4
    do j = 1, 6
      do i = 1, 8
        box(i, j, k) = i + 100*j + 1000*(4*rank + k)
      end do
    end do
  end do
  do i = 1, 3
    bodies(:, i) = [real(real32) :: rank, i, 7, -1, 10*rank + i]
  end do
  bounds = reshape([-1, 4, 0, 4, 0, 9], [2, 3])
  do i = 1, 3
    flow(i, :, :, :) = merge(6, 1 + i, i == 3)
  end do
  call rankine_view_scale('wind', 'm/s', 0._real64, 3000._real64)
  call rankine_view_axis('wind', 'x', 'height', 'km', 1.5_real64, -0.5_real64)
  call rankine_view_axis('wind', 'y', ' ', 'mi  ')
  call rankine_view_scale('level', 'rungs')
  if (rank == 0) then
    call rankine_view_axis('wind', 'w', 'no', 'axis', ierror=code)
    if (rankine_view_on() .and. code /= MPI_ERR_ARG) error stop 'an axis that there is not'
    call rankine_view_arrows('apart', 0, [rows, each], [1, 1], u(1:rows, 1:each), u(0:rows - 1, 1:each), u(1:rows:2, 1:each), code)
    if (rankine_view_on() .and. code /= MPI_ERR_DIMS) error stop 'values of another shape'
  end if
  step = 0
  do
    ! With the handle of the module mpi every second time.
    if (modulo(step, 2) == 0) call rankine_view_update(MPI_COMM_WORLD)
    if (modulo(step, 2) == 1) call rankine_view_update(MPI_COMM_WORLD%MPI_VAL)
    if (stop_now > 0 .or. .not. rankine_view_on()) exit
    u = -1
    do j = 1, each
      do i = 1, rows
        u(i, j) = i + 100*(first + j - 1) + 1000*level
      end do
    end do
    call rankine_view_field('u', step, [rows, each*ranks], [1, first], u(1:rows, 1:each))
    call rankine_view_field('single', step, [rows, each*ranks], [1, first], real(u(1:rows, 1:each), real32))
    call rankine_view_field('cells', step, [rows, each*ranks], [1, first], int(u(1:rows, 1:each), int32))
    call rankine_view_field('long', step, [rows, each*ranks], [1, first], int(u(1:rows, 1:each), int64))
    wind(3, :, :) = real(u(1:rows, 1:each), real32)
    do j = 1, each
      do i = 1, rows
        wind(1:2, i, j) = [real(real32) :: i, first + j - 1]
      end do
    end do
    call rankine_view_arrows('wind', step, [rows, each*ranks], [1, first], wind(1, :, :), wind(2, :, :), values=wind(3, :, :))
    if (rank == 0) call rankine_view_arrows('flow', step, [2, 2, 2], [1, 1, 1], flow(1, :, :, :), flow(2, :, :, :), flow(3, :, :, :))
    call rankine_view_field('box', step, [4, 3, 2*ranks], [1, 1, 2*rank + 1], box(1:8:2, 1:6:2, 1:4:2))
    call rankine_view_points('bodies', step, bodies(1:3, :), bodies(5, :), bounds)
    if (rank == 0) call rankine_view_points('alone', step, bodies(1:2, :), ranks=1)
    if (rank == 0) call rankine_view_curve('level', step, level)
    ! No rank is far ahead of the others.
    call MPI_Barrier(MPI_COMM_WORLD)
    if (rank == 0) call rankine_view_curve('half', 0.5_real64*step, level)
    step = step + 1
  end do
  if (rank == 0) print '(a, f0.1, a, i0)', 'stopped at level ', level, ', shape ', shape_of
  call MPI_Finalize()
end program
