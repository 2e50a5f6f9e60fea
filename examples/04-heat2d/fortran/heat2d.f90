! Heat in a square plate: the left edge is hot, the others are cold, the inside finds its balance (Jacobi's method).
!
! The plate is cut into blocks, one for each rank of a Cartesian grid. In each step a rank sends the rim of its block to its
! four neighbours and receives theirs into the ghost cells around its own (the halo exchange), while it computes the inside,
! which needs no ghost cells. Rows and columns of the rim are array sections: those along the first dimension lie
! together in memory, the others are described to MPI by a datatype that the bindings make.
!
! Usage: heat2d [CELLS [STEPS]]. Every cell is computed from the same four numbers in the same order, whatever rank owns
! them; the results are the same, to the last bit, with any number of ranks, and those of the program in C.
module plate
  use mpi_f08
  implicit none
  integer, parameter :: real64 = selected_real_kind(15)
  enum, bind(C)
    enumerator :: up = 1, down, left, right
  end enum

  type :: block_of_cells
    integer :: rows, columns, first_row, first_column
    ! With a ring of ghost cells.
    real(real64), allocatable :: now(:, :), next(:, :)
  end type
contains
  ! The share of `cells` that the place `index` of `count` gets; the first ones get one more if they don't divide.
  pure subroutine share(cells, count, index, first, length)
    integer, intent(in) :: cells, count, index
    integer, intent(out) :: first, length
    first = index*(cells/count) + min(index, mod(cells, count))
    length = cells/count + merge(1, 0, index < mod(cells, count))
  end subroutine

  function new_block(cells, dims, coords) result(block)
    integer, intent(in) :: cells, dims(2), coords(2)
    type(block_of_cells) :: block
    call share(cells, dims(1), coords(1), block%first_row, block%rows)
    call share(cells, dims(2), coords(2), block%first_column, block%columns)
    allocate (block%now(0:block%rows + 1, 0:block%columns + 1), source=0.0_real64)
    ! The hot edge lies in the ghost cells of the blocks on the left.
    if (coords(2) == 0) block%now(:, 0) = 100
    block%next = block%now
  end function

  ! Starts to send the rim and to receive the ghost cells; nothing moves across an edge of the plate (MPI_PROC_NULL).
  subroutine start_exchange(a, rows, columns, grid, neighbour, requests)
    integer, intent(in) :: rows, columns, neighbour(4)
    real(real64), asynchronous, intent(inout) :: a(0:rows + 1, 0:columns + 1)
    type(MPI_Comm), intent(in) :: grid
    type(MPI_Request), intent(out) :: requests(8)
    associate (number => MPI_DOUBLE_PRECISION)
      call MPI_Irecv(a(0, 1:columns), columns, number, neighbour(up), down, grid, requests(1))
      call MPI_Irecv(a(rows + 1, 1:columns), columns, number, neighbour(down), up, grid, requests(2))
      call MPI_Irecv(a(1:rows, 0), rows, number, neighbour(left), right, grid, requests(3))
      call MPI_Irecv(a(1:rows, columns + 1), rows, number, neighbour(right), left, grid, requests(4))
      call MPI_Isend(a(1, 1:columns), columns, number, neighbour(up), up, grid, requests(5))
      call MPI_Isend(a(rows, 1:columns), columns, number, neighbour(down), down, grid, requests(6))
      call MPI_Isend(a(1:rows, 1), rows, number, neighbour(left), left, grid, requests(7))
      call MPI_Isend(a(1:rows, columns), rows, number, neighbour(right), right, grid, requests(8))
    end associate
  end subroutine

  ! Computes the cells of a rectangle; `change` becomes the largest change of a cell.
  subroutine relax(block, top, bottom, first, last, change)
    type(block_of_cells), intent(inout) :: block
    integer, intent(in) :: top, bottom, first, last
    real(real64), intent(inout) :: change
    integer :: row, column
    do column = first, last
      do row = top, bottom
        block%next(row, column) = 0.25_real64*(((block%now(row - 1, column) + block%now(row + 1, column)) &
          + block%now(row, column - 1)) + block%now(row, column + 1))
        change = max(change, abs(block%next(row, column) - block%now(row, column)))
      end do
    end do
  end subroutine

  ! One step; gives the largest change of a cell of this block.
  function step(block, grid, neighbour) result(change)
    type(block_of_cells), intent(inout) :: block
    type(MPI_Comm), intent(in) :: grid
    integer, intent(in) :: neighbour(4)
    real(real64) :: change
    real(real64), allocatable :: swap(:, :)
    type(MPI_Request) :: requests(8)
    change = 0
    associate (rows => block%rows, columns => block%columns)
      call start_exchange(block%now, rows, columns, grid, neighbour, requests)
      call relax(block, 2, rows - 1, 2, columns - 1, change)
      call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE)
      ! The rim: the first and last row, and what is left of the first and last column.
      call relax(block, 1, 1, 1, columns, change)
      if (rows > 1) call relax(block, rows, rows, 1, columns, change)
      call relax(block, 2, rows - 1, 1, 1, change)
      if (columns > 1) call relax(block, 2, rows - 1, columns, columns, change)
    end associate
    call move_alloc(block%now, swap)
    call move_alloc(block%next, block%now)
    call move_alloc(swap, block%next)
  end function

  ! The temperature in the middle of the plate, on every rank: its owner has it, the others add nothing.
  function middle(block, cells, grid) result(temperature)
    type(block_of_cells), intent(in) :: block
    integer, intent(in) :: cells
    type(MPI_Comm), intent(in) :: grid
    real(real64) :: mine, temperature
    integer :: row, column
    row = cells/2 - block%first_row + 1
    column = cells/2 - block%first_column + 1
    mine = 0
    if (row >= 1 .and. row <= block%rows .and. column >= 1 .and. column <= block%columns) mine = block%now(row, column)
    call MPI_Allreduce(mine, temperature, 1, MPI_DOUBLE_PRECISION, MPI_MAX, grid)
  end function

  integer function argument(position, otherwise)
    integer, intent(in) :: position, otherwise
    character(len=20) :: text
    argument = otherwise
    if (command_argument_count() < position) return
    call get_command_argument(position, text)
    read (text, *) argument
  end function
end module

program heat2d
  use, intrinsic :: iso_fortran_env, only: error_unit
  use plate
  implicit none
  integer :: rank, size, cells, steps, n, dims(2), coords(2), neighbour(4)
  real(real64) :: change, residual, temperature
  double precision :: start
  type(MPI_Comm) :: grid
  type(block_of_cells) :: block

  call MPI_Init()
  cells = argument(1, 64)
  steps = argument(2, 2000)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  dims = 0
  call MPI_Dims_create(size, 2, dims)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.false., .false.], .true., grid)
  call MPI_Comm_rank(grid, rank)
  call MPI_Cart_coords(grid, rank, 2, coords)
  call MPI_Cart_shift(grid, 0, 1, neighbour(up), neighbour(down))
  call MPI_Cart_shift(grid, 1, 1, neighbour(left), neighbour(right))
  if (cells < dims(1)) then
    if (rank == 0) write (error_unit, '(a,i0,a,i0,a)') 'heat2d: ', size, ' ranks are too many for ', cells, ' cells'
    call MPI_Abort(grid, 2)
  end if
  block = new_block(cells, dims, coords)

  if (rank == 0) print '(4(i0,a))', cells, ' x ', cells, ' cells, ', dims(1), ' x ', dims(2), ' ranks'
  start = MPI_Wtime()
  do n = 1, steps
    change = step(block, grid, neighbour)
    if (mod(n, 500) /= 0 .and. n /= steps) cycle
    call MPI_Allreduce(change, residual, 1, MPI_DOUBLE_PRECISION, MPI_MAX, grid)
    temperature = middle(block, cells, grid)
    if (rank == 0) call report(n, residual, temperature)
  end do
  if (rank == 0) write (error_unit, '(f0.3,a)') MPI_Wtime() - start, ' seconds'
  call MPI_Comm_free(grid)
  call MPI_Finalize()
contains
  ! In the form that C's printf gives the numbers.
  subroutine report(n, residual, temperature)
    integer, intent(in) :: n
    real(real64), intent(in) :: residual, temperature
    character(len=20) :: number
    write (number, '(es18.12e2)') residual
    number(index(number, 'E'):index(number, 'E')) = 'e'
    print '(a,i5,3a,f0.12)', 'step ', n, ': residual ', trim(number), ', middle ', temperature
  end subroutine
end program
