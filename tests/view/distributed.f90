! Distributed arrays of Fortran that the page shows, two of those of arrays.c, and vectors; until the button `stop` is pressed.
program distributed
  use mpi_f08
  use rankine_arrays
  use rankine_view
  implicit none
  integer, parameter :: columns = 10, rows = 7
  integer :: step
  integer, pointer :: stop_now
  type(rankine_grid) :: grid
  type(rankine_array) :: blocks, cyclic, x, y

  call MPI_Init()
  call grid%create(MPI_COMM_WORLD, 2)
  call blocks%create('blocks', grid, [rankine_block(columns, ghosts=1), rankine_block(rows, ghosts=1)], MPI_DOUBLE_PRECISION)
  call cyclic%create('cyclic', grid, [rankine_cyclic(columns, 2), rankine_cyclic(rows)], MPI_DOUBLE_PRECISION)
  call x%create('x', grid, [rankine_cyclic(columns), rankine_block(rows)], MPI_DOUBLE_PRECISION)
  call y%create('y', grid, [rankine_block(columns, ghosts=1), rankine_block(rows, ghosts=1)], MPI_DOUBLE_PRECISION)
  call x%fill(10d0)
  call y%fill(1d0)
  call rankine_view_button('stop', stop_now)
  step = 0
  do while (stop_now == 0 .and. rankine_view_on())
    call rankine_view_update(MPI_COMM_WORLD)
    call fill(blocks)
    call fill(cyclic)
    call blocks%show('blocks', step)
    call cyclic%show('cyclic ', step)
    call rankine_show_arrows('wind', step, [x, y], blocks)
    step = step + 1
  end do
  call blocks%free()
  call cyclic%free()
  call x%free()
  call y%free()
  call grid%free()
  call MPI_Finalize()
contains
  ! Ghost cells are filled too, with other numbers than those they are copies of.
  subroutine fill(array)
    type(rankine_array), intent(inout) :: array
    real(8), pointer :: a(:, :)
    integer :: i, j, column, row
    call array%fill(-1d0)
    call array%local(a)
    do j = lbound(a, 2), ubound(a, 2)
      do i = lbound(a, 1), ubound(a, 1)
        column = array%global(1, i - lbound(a, 1) + 1)
        row = array%global(2, j - lbound(a, 2) + 1)
        if (is_own(array, 1, column, i) .and. is_own(array, 2, row, j)) &
          a(i, j) = column - 1 + 100*(row - 1) + 10000*modulo(step, 10)
      end do
    end do
  end subroutine

  ! Of blocks, whose bounds are those of the whole, ghost cells are not; what is dealt out in turn has none.
  logical function is_own(array, dimension, index, at)
    type(rankine_array), intent(in) :: array
    integer, intent(in) :: dimension, index, at
    is_own = index /= at .or. (at >= array%first(dimension) .and. at <= array%last(dimension))
  end function
end program
