! Distributed arrays in Fortran: views, parts of halos, skews, reductions along a dimension, norms, elements named by indices,
! files, further types of elements.
! with: ../check.f90
! ranks: 1 2 3 4 7 12
! run: --dir {scratch}::/tmp
program verbs
  use mpi_f08
  use rankine_arrays
  use checks, only: check, finish
  implicit none
  integer, parameter :: rows = 29, columns = 31
  integer :: rank, ranks, i, j
  real(8), parameter :: whole(rows, columns) = reshape([((real(i + 100*j, 8), i=1, rows), j=1, columns)], [rows, columns])
  type(rankine_grid) :: grid, tolerant

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call grid%create(MPI_COMM_WORLD, 2)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call tolerant%create(MPI_COMM_WORLD, 1)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)
  call views
  call halos
  call skews
  call along
  call lookups
  call files
  call types
  call misuse
  call grid%free()
  call tolerant%free()
  call finish
contains
  ! An array with the numbers of `whole`, dealt out in blocks of rows and in turn along columns.
  subroutine numbers(array)
    type(rankine_array), intent(inout) :: array
    call array%create('numbers', grid, [rankine_block(rows), rankine_cyclic(columns, 2)], MPI_DOUBLE_PRECISION)
    call array%scatter(0, whole)
  end subroutine

  ! Compares with an array, at all ranks.
  subroutine compare(array, expected, what)
    type(rankine_array), intent(in) :: array
    real(8), intent(in) :: expected(:, :)
    character(len=*), intent(in) :: what
    real(8) :: gathered(size(expected, 1), size(expected, 2))
    call array%gather(rankine_all, gathered)
    call check(all(gathered == expected), what)
  end subroutine

  subroutine compare_line(array, expected, what)
    type(rankine_array), intent(in) :: array
    real(8), intent(in) :: expected(:)
    character(len=*), intent(in) :: what
    real(8) :: gathered(size(expected))
    call array%gather(rankine_all, gathered)
    call check(all(gathered == expected), what)
  end subroutine

  subroutine views
    type(rankine_array) :: u, line, part, turned, wide, copy
    real(8) :: sum_of_all, expected(rows, columns)
    integer :: index(2)
    call numbers(u)
    call u%section(1, 3, 9, part, step=2)
    call compare(part, whole(3:19:2, :), 'a section')
    call part%reduce(MPI_SUM, sum_of_all)
    call check(sum_of_all == sum(whole(3:19:2, :)), 'the sum of a section')
    call part%extreme(MPI_MAX, sum_of_all, index)
    call check(sum_of_all == whole(19, columns) .and. all(index == [9, columns]), 'the greatest of a section')
    call part%free()
    call u%section(2, columns, columns, part, step=-1)
    call compare(part, whole(:, columns:1:-1), 'columns backwards')
    call part%transposed([2, 1], turned)
    call compare(turned, transpose(whole(:, columns:1:-1)), 'a transposed view')
    call copy%create('copy', grid, [rankine_block(columns), rankine_block(rows)], MPI_DOUBLE_PRECISION)
    call rankine_copy(copy, turned)
    call compare(copy, transpose(whole(:, columns:1:-1)), 'a copy of a view')
    call turned%free()
    call part%free()
    call u%at(2, 7, line)
    call compare_line(line, whole(:, 7), 'a column')
    call line%spread(2, columns, wide)
    call compare(wide, spread(whole(:, 7), 2, columns), 'a column along all columns')
    call wide%norm(rankine_norm_max, sum_of_all)
    call check(sum_of_all == maxval(whole(:, 7)), 'the norm of a view')
    call wide%free()
    call line%fill(-1d0)
    expected = whole
    expected(:, 7) = -1
    call compare(u, expected, 'a column that was filled')
    call line%free()
    call copy%free()
    call u%free()
  end subroutine

  ! One cell below along rows, two above and none below along columns.
  subroutine halos
    type(rankine_array) :: u
    real(8), pointer :: a(:, :)
    integer :: i, j
    real(8) :: expected
    logical :: right
    call u%create('u', grid, [rankine_block(rows, ghosts=2, periodic=.true.), &
                              rankine_block(columns, ghosts=2, periodic=.true.)], MPI_DOUBLE_PRECISION)
    call u%local(a)
    call u%fill(-1d0)
    call u%scatter(0, whole)
    call u%write_halo(below=[1, 0], above=[0, 2])
    right = .true.
    do j = lbound(a, 2), ubound(a, 2)
      do i = lbound(a, 1), ubound(a, 1)
        expected = -1
        if (i >= u%first(1) - 1 .and. i <= u%last(1) .and. j >= u%first(2) .and. j <= u%last(2) + 2) &
          expected = whole(modulo(i - 1, rows) + 1, modulo(j - 1, columns) + 1)
        if (i < u%first(1) .and. j > u%last(2)) expected = -1
        right = right .and. a(i, j) == expected
      end do
    end do
    call check(right, 'a part of a halo')
    call u%fill(-1d0)
    call u%scatter(0, whole)
    call u%start_halo(rankine_corners, skip=[2])
    call u%finish_halo()
    right = .true.
    do j = lbound(a, 2), ubound(a, 2)
      do i = lbound(a, 1), ubound(a, 1)
        expected = -1
        if (j >= u%first(2) .and. j <= u%last(2)) expected = whole(modulo(i - 1, rows) + 1, j)
        right = right .and. a(i, j) == expected
      end do
    end do
    call check(right, 'a halo without one dimension')
    call u%free()
  end subroutine

  subroutine skews
    type(rankine_array) :: u, v
    type(rankine_remap) :: remap
    real(8) :: expected(rows, columns)
    integer :: j
    call numbers(u)
    call v%create('v', grid, [rankine_cyclic(rows), rankine_collapsed(columns)], MPI_DOUBLE_PRECISION)
    do j = 1, columns
      expected(:, j) = cshift(whole(:, j), 3*(j - 1))
    end do
    call rankine_skew(v, u, 1, 2, 3)
    call compare(v, expected, 'a skew')
    call v%fill(0d0)
    call remap%create_skew(v, u, 1, 2, 3)
    call remap%run(v, u)
    call compare(v, expected, 'a skew that is compiled')
    call remap%free()
    call remap%create_cshift(v, u, 2, -4)
    call remap%run(v, u)
    call compare(v, cshift(whole, -4, 2), 'a cshift that is compiled')
    call remap%free()
    call v%fill(0d0)
    call remap%create_shift(v, u, 1, 5)
    call remap%run(v, u)
    call compare(v, eoshift(whole, 5, dim=1), 'a shift that is compiled')
    call remap%free()
    call u%free()
    call v%free()
  end subroutine

  subroutine along
    type(rankine_array) :: u, sums, part
    real(8) :: norm
    call numbers(u)
    call u%reduce_along(1, MPI_SUM, sums)
    call compare_line(sums, sum(whole, 1), 'sums of columns')
    call sums%free()
    call u%reduce_along(2, MPI_MAX, sums)
    call compare_line(sums, maxval(whole, 2), 'the greatest of rows')
    call sums%free()
    call u%section(1, 5, 3, part)
    call part%reduce_along(1, MPI_SUM, sums)
    call compare_line(sums, sum(whole(5:7, :), 1), 'sums of a section')
    call sums%free()
    call part%free()
    call u%norm(rankine_norm_1, norm)
    call check(norm == sum(whole), 'the norm of magnitudes')
    call u%norm(rankine_norm_2, norm)
    call check(abs(norm - norm2(whole)) < 1d-12*norm, 'the norm of squares')
    call u%norm(rankine_norm_max, norm)
    call check(norm == maxval(whole), 'the greatest magnitude')
    call u%free()
  end subroutine

  ! values(k) = table(ix(k), iy(k)), and the reverse.
  subroutine lookups
    integer, parameter :: many = 50
    type(rankine_array) :: values, table, ix, iy
    type(rankine_lookup) :: lookup
    integer :: k, error
    integer, parameter :: at(many) = [(1 + modulo(7*k, rows), k=1, many)], of(many) = [(1 + modulo(3*k, columns), k=1, many)]
    real(8) :: expected(rows, columns)
    character(len=80) :: text
    call numbers(table)
    call values%create('values', tolerant, [rankine_cyclic(many)], MPI_DOUBLE_PRECISION)
    call values%free()
    call values%create('values', grid, [rankine_cyclic(many, along=2)], MPI_DOUBLE_PRECISION)
    call ix%create('ix', grid, [rankine_cyclic(many, along=2)], MPI_INTEGER)
    call iy%create('iy', grid, [rankine_cyclic(many, along=2)], MPI_INTEGER)
    call ix%scatter(0, at)
    call iy%scatter(0, of)
    call lookup%create(values, [ix, iy], table)
    call lookup%take(values, table)
    call compare_line(values, [(whole(at(k), of(k)), k=1, many)], 'elements that are named')
    call lookup%free()
    call values%free()
    call ix%free()
    call iy%free()
    call table%free()
    ! Over a grid of one dimension no rank holds copies.
    call table%create('table', tolerant, [rankine_collapsed(rows), rankine_block(columns)], MPI_DOUBLE_PRECISION)
    call values%create('values', tolerant, [rankine_block(many)], MPI_DOUBLE_PRECISION)
    call ix%create('ix', tolerant, [rankine_block(many)], MPI_INTEGER)
    call iy%create('iy', tolerant, [rankine_block(many)], MPI_INTEGER)
    call ix%scatter(0, at)
    call iy%scatter(0, of)
    call values%scatter(0, [(real(k, 8), k=1, many)])
    call lookup%create(values, [ix, iy], table)
    call lookup%put(table, values, MPI_SUM)
    expected = 0
    do k = 1, many
      expected(at(k), of(k)) = expected(at(k), of(k)) + k
    end do
    call compare(table, expected, 'elements that values were added to')
    call lookup%free()
    call iy%fill(columns + 1)
    call lookup%create(values, [ix, iy], table, error)
    write (text, '(a,i0,a,i0,a)') 'it has the extents [', rows, ', ', columns, ']'
    call check(error /= 0, 'an index that nobody owns')
    if (index(rankine_arrays_error(), 'had an error in this operation') == 0) then
      call check(index(rankine_arrays_error(), 'array "table", dimension 2, rank') == 1, rankine_arrays_error())
      call check(index(rankine_arrays_error(), trim(text)) > 0, rankine_arrays_error())
    end if
    call lookup%create(values, [ix], table, error)
    call check(error /= 0 .and. index(rankine_arrays_error(), 'it has 2 dimensions, and 1 arrays of indices were given') > 0, &
               rankine_arrays_error())
    call values%free()
    call ix%free()
    call iy%free()
    call table%free()
  end subroutine

  subroutine files
    type(rankine_array) :: u, v
    character(len=80) :: path
    integer(8) :: ticks
    integer :: unit, status, way
    integer, parameter :: formats(4) = [rankine_npy, rankine_raw, rankine_npy + rankine_mpi_io, rankine_raw + rankine_mpi_io]
    call system_clock(ticks)
    write (path, '(a,i0,a,i0)') '/tmp/rankine-verbs-f-', ranks, '-', ticks
    call MPI_Bcast(path, len(path), MPI_CHARACTER, 0, MPI_COMM_WORLD)
    call numbers(u)
    call v%create('v', grid, [rankine_cyclic(rows, 2), rankine_block(columns)], MPI_DOUBLE_PRECISION)
    do way = 1, 4
      call u%write_file(path, formats(way))
      call v%fill(-1d0)
      call v%read_file(path, formats(1 + modulo(way + 1, 4)))
      call compare(v, whole, 'a file')
    end do
    call MPI_Barrier(MPI_COMM_WORLD)
    if (rank == 0) then
      open (newunit=unit, file=path, iostat=status)
      close (unit, status='delete', iostat=status)
    end if
    call u%free()
    call v%free()
  end subroutine

  ! Small integers, complex numbers, and elements of several numbers.
  subroutine types
    type(rankine_array) :: bytes, words, waves, states
    type(MPI_Datatype) :: three
    integer(1), pointer :: i1(:)
    integer(2), pointer :: i2(:, :)
    complex, pointer :: c1(:)
    real(8), pointer :: r2(:, :)
    real(8) :: norm
    integer(1) :: greatest
    call bytes%create('bytes', tolerant, [rankine_block(40)], MPI_INTEGER1)
    call bytes%local(i1)
    i1 = 3_1
    call bytes%reduce(MPI_MAX, greatest)
    call check(greatest == 3, 'integers of a byte')
    call words%create('words', grid, [rankine_block(9, ghosts=1), rankine_collapsed(2)], MPI_INTEGER2)
    call words%local(i2)
    call check(lbound(i2, 1) == words%first(1) - 1 .or. words%last(1) < words%first(1), 'integers of two bytes')
    call waves%create('waves', tolerant, [rankine_block(40)], MPI_COMPLEX)
    call waves%local(c1)
    c1 = (3.0, -4.0)
    call waves%norm(rankine_norm_1, norm)
    call check(norm == 200, 'single complex numbers')
    call MPI_Type_contiguous(3, MPI_DOUBLE_PRECISION, three)
    call MPI_Type_commit(three)
    call states%create('states', tolerant, [rankine_block(40)], three)
    call states%local(r2)
    call check(size(r2, 1) == 3 .and. lbound(r2, 1) == 1, 'elements of three numbers')
    call check(lbound(r2, 2) == states%first(1) .and. ubound(r2, 2) == states%last(1), 'and their bounds')
    call bytes%free()
    call words%free()
    call waves%free()
    call states%free()
    call MPI_Type_free(three)
  end subroutine

  subroutine misuse
    type(rankine_array) :: u, view
    real(8), pointer :: a(:, :)
    character(len=10) :: who
    integer :: error
    write (who, '(i0)') rank
    call u%create('u', tolerant, [rankine_collapsed(5), rankine_block(4*ranks, ghosts=1)], MPI_DOUBLE_PRECISION)
    call u%section(1, 2, 3, view, step=2, ierror=error)
    call check(rankine_arrays_error() == 'array "u", dimension 1, rank '//trim(who)// &
               ': a section of 3 indices from 2 to 6 was asked for, and it has the indices 1 to 5', rankine_arrays_error())
    call u%write_halo(below=[0, 2], ierror=error)
    call check(error /= 0 .and. index(rankine_arrays_error(), 'array "u", dimension 2, rank') == 1, rankine_arrays_error())
    call u%write_halo(skip=[3], ierror=error)
    call check(index(rankine_arrays_error(), 'it has no dimension 3, whose halo was asked for') > 0, rankine_arrays_error())
    call u%transposed([1], view, error)
    call check(index(rankine_arrays_error(), 'it has 2 dimensions, and 1 dimensions of an order were given') > 0, &
               rankine_arrays_error())
    call u%at(1, 5, view)
    call view%local(a)
    call check(size(a) == 0 .and. index(rankine_arrays_error(), 'it is a view with elements of 8 bytes') > 0, &
               rankine_arrays_error())
    call view%free()
    call rankine_show_arrows('wind', 1, [u, u], u)
    call rankine_show_arrows('wind', 1, [u], ierror=error)
    call check(index(rankine_arrays_error(), 'it has 2 dimensions, and 1 parts of vectors were given') > 0, rankine_arrays_error())
    call u%free()
  end subroutine
end program
