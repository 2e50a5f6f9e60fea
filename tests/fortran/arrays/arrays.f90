! Distributed arrays in Fortran: bounds, halos, copies between distributions, reductions, files, errors.
! with: ../check.f90
! ranks: 1 2 3 4 7 12
! run: --dir {scratch}::/tmp
program arrays
  use mpi_f08
  use rankine_arrays
  use checks, only: check, finish
  implicit none
  integer, parameter :: rows = 29, columns = 31
  integer :: rank, ranks
  type(rankine_grid) :: grid

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call grid%create(MPI_COMM_WORLD, 2)
  call check(product(grid%shape()) == ranks, 'the shape of a grid')
  call halos
  call moves
  call types
  call files
  call misuse
  call shows
  call grid%free()
  call finish
contains
  ! The number of an element, whatever its distribution.
  elemental integer function number(i, j)
    integer, intent(in) :: i, j
    number = i + 100*j
  end function

  ! Makes every element its number, by global indices.
  subroutine fill(array)
    type(rankine_array), intent(inout) :: array
    real(8), pointer :: a(:, :)
    integer :: i, j
    call array%fill(-1d0)
    call array%local(a)
    do j = lbound(a, 2), ubound(a, 2)
      do i = lbound(a, 1), ubound(a, 1)
        if (owned(array, a, i, j)) a(i, j) = number(place(array, a, 1, i), place(array, a, 2, j))
      end do
    end do
  end subroutine

  ! The global index of one of a pointer.
  integer function place(array, a, dimension, k)
    type(rankine_array), intent(in) :: array
    real(8), pointer, intent(in) :: a(:, :)
    integer, intent(in) :: dimension, k
    place = array%global(dimension, k - lbound(a, dimension) + 1)
  end function

  logical function owned(array, a, i, j)
    type(rankine_array), intent(in) :: array
    real(8), pointer, intent(in) :: a(:, :)
    integer, intent(in) :: i, j
    integer :: index(2), owner
    index = [place(array, a, 1, i), place(array, a, 2, j)]
    owned = .false.
    if (any(index < 1) .or. any(index > [rows, columns])) return
    call array%owner(index, owner)
    owned = owner == rank
  end function

  subroutine halos
    type(rankine_array) :: u
    real(8), pointer :: a(:, :)
    integer :: i, j
    logical :: right
    call u%create('u', grid, [rankine_block(rows, ghosts=1), rankine_block(columns, ghosts=2, periodic=.true.)], &
                  MPI_DOUBLE_PRECISION)
    call u%local(a)
    call check(lbound(a, 1) == u%first(1) - 1 .and. ubound(a, 1) == u%last(1) + 1, 'bounds of rows')
    call check(lbound(a, 2) == u%first(2) - 2 .and. ubound(a, 2) == u%last(2) + 2, 'bounds of columns')
    call check(u%first(1, margin=1) >= 2 .and. u%last(1, margin=1) <= rows - 1, 'a margin')
    call fill(u)
    call u%write_halo()
    right = .true.
    do j = lbound(a, 2), ubound(a, 2)
      do i = u%first(1), u%last(1)
        right = right .and. a(i, j) == number(i, modulo(j - 1, columns) + 1)
      end do
    end do
    call check(right, 'a halo along columns')
    call u%start_halo(rankine_corners)
    call u%finish_halo()
    do j = lbound(a, 2), ubound(a, 2)
      do i = lbound(a, 1), ubound(a, 1)
        if (i < 1 .or. i > rows) cycle
        right = right .and. a(i, j) == number(i, modulo(j - 1, columns) + 1)
      end do
    end do
    call check(right, 'a halo with corners')
    call u%free()
  end subroutine

  ! Compares with an array at rank 0.
  subroutine compare(array, whole, what)
    type(rankine_array), intent(in) :: array
    real(8), intent(in) :: whole(:, :)
    character(len=*), intent(in) :: what
    real(8), allocatable :: gathered(:, :)
    allocate (gathered(size(whole, 1), size(whole, 2)))
    call array%gather(0, gathered)
    if (rank == 0) call check(all(gathered == whole), what)
  end subroutine

  subroutine moves
    type(rankine_array) :: from, to, turned
    type(rankine_remap) :: remap
    real(8) :: whole(rows, columns), sum_of_all, greatest
    integer :: i, j, index(2)
    whole = reshape([((number(i, j), i=1, rows), j=1, columns)], [rows, columns])
    call from%create('from', grid, [rankine_block(rows), rankine_cyclic(columns)], MPI_DOUBLE_PRECISION)
    call to%create('to', grid, [rankine_cyclic(rows, length=3, along=2), rankine_collapsed(columns)], MPI_DOUBLE_PRECISION)
    call turned%create('turned', grid, [rankine_cyclic(columns), rankine_block(rows)], MPI_DOUBLE_PRECISION)
    call fill(from)
    call compare(from, whole, 'gather')
    call rankine_copy(to, from)
    call compare(to, whole, 'copy')
    call rankine_cshift(to, from, 1, 5)
    call compare(to, cshift(whole, 5, 1), 'cshift of rows')
    call rankine_cshift(to, from, 2, -7)
    call compare(to, cshift(whole, -7, 2), 'cshift of columns')
    call to%fill(0d0)
    call rankine_shift(to, from, 2, 4)
    call compare(to, eoshift(whole, 4, dim=2), 'shift')
    call rankine_transpose(turned, from, [2, 1])
    call compare(turned, transpose(whole), 'transpose')
    call remap%create(from, to)
    call to%scatter(0, whole*2)
    call remap%run(from, to)
    call compare(from, whole*2, 'scatter and a remap')
    call remap%free()
    call from%reduce(MPI_SUM, sum_of_all)
    call check(sum_of_all == 2*sum(whole), 'a sum')
    call to%extreme(MPI_MAX, greatest, index)
    call check(greatest == 2*maxval(whole) .and. index(1) == rows .and. index(2) == columns, 'the greatest')
    call from%dot(from, sum_of_all)
    call check(sum_of_all == 4*sum(whole**2), 'a product')
    call from%free()
    call to%free()
    call turned%free()
  end subroutine

  ! Other types and ranks.
  subroutine types
    type(rankine_array) :: line, cube, cells, waves
    integer, pointer :: i1(:)
    real, pointer :: r3(:, :, :)
    integer(8), pointer :: i4(:, :, :, :)
    complex(8), pointer :: c2(:, :)
    integer :: total
    call line%create('line', grid, [rankine_block(40)], MPI_INTEGER)
    call line%local(i1)
    i1 = 1
    call line%reduce(MPI_SUM, total)
    call check(total == 40, 'an array that is held several times')
    call cube%create('cube', grid, [rankine_collapsed(3), rankine_block(8), rankine_block(9)], MPI_REAL)
    call cube%local(r3)
    call check(size(r3, 1) == 3 .and. lbound(r3, 1) == 1, 'a cube')
    call cells%create('cells', grid, [rankine_block(5), rankine_collapsed(2), rankine_collapsed(2), rankine_block(6)], MPI_INTEGER8)
    call cells%local(i4)
    call check(size(i4, 2) == 2 .and. size(i4, 3) == 2, 'four dimensions')
    call waves%create('waves', grid, [rankine_block(6), rankine_block(7)], MPI_DOUBLE_COMPLEX)
    call waves%local(c2)
    call check(lbound(c2, 1) == waves%first(1) .or. size(c2, 1) == 0, 'complex numbers')
    call line%free()
    call cube%free()
    call cells%free()
    call waves%free()
  end subroutine

  subroutine files
    type(rankine_array) :: written, read
    character(len=80) :: path
    integer(8) :: ticks
    integer :: unit, status
    call system_clock(ticks)
    write (path, '(a,i0,a,i0)') '/tmp/rankine-arrays-f-', ranks, '-', ticks
    call MPI_Bcast(path, len(path), MPI_CHARACTER, 0, MPI_COMM_WORLD)
    call written%create('written', grid, [rankine_block(rows), rankine_cyclic(columns)], MPI_DOUBLE_PRECISION)
    call read%create('read', grid, [rankine_cyclic(rows, 2), rankine_block(columns)], MPI_DOUBLE_PRECISION)
    call fill(written)
    call written%write_npy(path)
    call read%read_npy(path)
    block
      real(8) :: whole(rows, columns)
      integer :: i, j
      whole = reshape([((number(i, j), i=1, rows), j=1, columns)], [rows, columns])
      call compare(read, whole, 'a file')
    end block
    if (rank == 0) then
      open (newunit=unit, file=path, iostat=status)
      close (unit, status='delete', iostat=status)
    end if
    call written%free()
    call read%free()
  end subroutine

  ! Without --view nothing is shown, and what is wrong is an error all the same.
  subroutine shows
    type(rankine_array) :: array
    type(rankine_grid) :: other
    integer :: error
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call other%create(MPI_COMM_WORLD, 1)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)
    call array%create('shown', grid, [rankine_block(rows, ghosts=1), rankine_cyclic(columns)], MPI_INTEGER)
    call array%show('numbers', 1, error)
    call check(error == 0, 'what is shown')
    call array%free()
    call array%create('c', other, [rankine_block(rows)], MPI_DOUBLE_COMPLEX)
    call array%show('numbers', 1, error)
    call check(error /= 0 .and. index(rankine_arrays_error(), 'array "c", rank') == 1, rankine_arrays_error())
    call array%free()
    call array%create('none', other, [rankine_block(0), rankine_collapsed(3)], MPI_REAL)
    call array%show('numbers', 1, error)
    call check(error /= 0 .and. index(rankine_arrays_error(), 'array "none", dimension 1, rank') == 1, rankine_arrays_error())
    call array%free()
    call other%free()
  end subroutine

  ! Errors count as Fortran does.
  subroutine misuse
    type(rankine_array) :: u, v
    type(rankine_grid) :: other
    character(len=10) :: who
    integer :: error, owner
    write (who, '(i0)') rank
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call other%create(MPI_COMM_WORLD, 1)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)
    call u%create('u', other, [rankine_block(2*ranks, ghosts=3, periodic=.true.), rankine_collapsed(3)], &
                  MPI_DOUBLE_PRECISION, error)
    call check(error /= 0, 'a ghost that is too wide')
    call check(rankine_arrays_error() == 'array "u", dimension 1, rank '//trim(who)// &
               ': its ghosts are 3 wide, but block 0 has only 2 elements', rankine_arrays_error())
    call u%create('u', other, [rankine_collapsed(3), rankine_block(4*ranks)], MPI_DOUBLE_PRECISION)
    call u%owner([4, 1], owner, error)
    call check(rankine_arrays_error() == 'array "u", dimension 1, rank '//trim(who)// &
               ': nobody owns the index 4: it has 3 indices', rankine_arrays_error())
    call v%create('v', other, [rankine_collapsed(3), rankine_block(4*ranks + 1)], MPI_DOUBLE_PRECISION)
    call rankine_copy(u, v, error)
    call check(error /= 0 .and. index(rankine_arrays_error(), 'array "u", dimension 2, rank') == 1, 'other extents')
    call u%free()
    call v%free()
    call other%free()
  end subroutine
end program
