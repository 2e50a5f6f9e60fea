! The module mpi: choice buffers of every type and rank, sections by copy, MPI_BOTTOM, MPI_IN_PLACE, statuses.
! ranks: 1 2 3 4
! with: ../check.f90
program choice
  use mpi
  use checks
  implicit none
  type :: point
    sequence
    integer :: n
    real(8) :: x(2)
  end type
  integer :: ierror, rank, size, next, previous, status(MPI_STATUS_SIZE), count, i
  integer :: scalar, matrix(3, 4), got(3, 4), types(2), lengths(2), newtype, requests(2)
  integer(MPI_ADDRESS_KIND) :: places(2), lower, extent
  integer, pointer :: field(:, :)
  real(8) :: x(10)
  character(len=12) :: text
  logical :: flags(3)
  complex :: z
  type(point) :: p
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  next = mod(rank + 1, size)
  previous = mod(rank + size - 1, size)

  call MPI_Sendrecv(rank, 1, MPI_INTEGER, next, 3, scalar, 1, MPI_INTEGER, previous, 3, MPI_COMM_WORLD, status, ierror)
  call check(scalar == previous .and. status(MPI_SOURCE) == previous .and. status(MPI_TAG) == 3, 'scalar')

  matrix = reshape([(100*rank + i, i=1, 12)], [3, 4])
  got = -1
  call MPI_Sendrecv(matrix, 12, MPI_INTEGER, next, 1, got, 12, MPI_INTEGER, previous, MPI_ANY_TAG, MPI_COMM_WORLD, &
    status, ierror)
  call check(all(got == reshape([(100*previous + i, i=1, 12)], [3, 4])), 'matrix')
  call MPI_Get_count(status, MPI_INTEGER, count, ierror)
  call check(count == 12, 'Get_count')

  got = -1
  call MPI_Sendrecv(matrix(2, :), 4, MPI_INTEGER, next, 2, got(3, 1:4), 4, MPI_INTEGER, previous, 2, MPI_COMM_WORLD, &
    MPI_STATUS_IGNORE, ierror)
  call check(all(got(3, :) == [(100*previous + 2 + 3*i, i=0, 3)]) .and. all(got(1:2, :) == -1), 'sections by copy')

  text = 'rank '//achar(iachar('0') + rank)
  call MPI_Bcast(text, len(text), MPI_CHARACTER, size - 1, MPI_COMM_WORLD, ierror)
  call check(text == 'rank '//achar(iachar('0') + size - 1), 'CHARACTER buffer')

  flags = [.true., rank == 0, .false.]
  call MPI_Allreduce(MPI_IN_PLACE, flags, 3, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, ierror)
  call check(flags(1) .and. flags(2) .and. .not. flags(3), 'LOGICAL and MPI_IN_PLACE')

  z = (1.0, 2.0)
  call MPI_Allreduce(MPI_IN_PLACE, z, 1, MPI_COMPLEX, MPI_SUM, MPI_COMM_WORLD, ierror)
  call check(z == size*(1.0, 2.0), 'COMPLEX')

  p = point(rank, [rank*1d0, -1d0])
  call MPI_Get_address(p%n, places(1), ierror)
  call MPI_Get_address(p%x, places(2), ierror)
  lengths = [1, 2]
  types = [MPI_INTEGER, MPI_DOUBLE_PRECISION]
  call MPI_Type_create_struct(2, lengths, places, types, newtype, ierror)
  call MPI_Type_commit(newtype, ierror)
  call MPI_Bcast(MPI_BOTTOM, 1, newtype, 0, MPI_COMM_WORLD, ierror)
  call check(p%n == 0 .and. p%x(1) == 0d0 .and. p%x(2) == -1d0, 'MPI_BOTTOM')
  call MPI_Type_free(newtype, ierror)
  call check(newtype == MPI_DATATYPE_NULL, 'Type_free')

  call MPI_Type_vector(5, 1, 2, MPI_DOUBLE_PRECISION, newtype, ierror)
  call MPI_Type_get_extent(newtype, lower, extent, ierror)
  call check(lower == 0 .and. extent == 72, 'extent')
  call MPI_Type_commit(newtype, ierror)
  x = rank
  if (rank == 0) x = -5
  call MPI_Bcast(x, 1, newtype, 0, MPI_COMM_WORLD, ierror)
  call check(all(x(1::2) == -5) .and. (rank == 0 .or. all(x(2::2) == rank)), 'vector')
  call MPI_Type_free(newtype, ierror)

  call MPI_Irecv(x, 10, MPI_DOUBLE_PRECISION, previous, 9, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_Isend(matrix, 5, MPI_INTEGER8, next, 9, MPI_COMM_WORLD, requests(2), ierror)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
  call check(ierror == MPI_SUCCESS .and. all(requests == MPI_REQUEST_NULL), 'Waitall')

  matrix = reshape([(100*rank + i, i=1, 12)], [3, 4])
  allocate(field(0:2, 0:3))
  field = matrix
  got = -1
  call elements(matrix, got)
  call check(all(got == reshape([(100*previous + i, i=1, 12)], [3, 4])), 'elements of assumed shape')
  got = -1
  call MPI_Sendrecv(field(1, 1), 6, MPI_INTEGER, next, 4, got(2, 2), 6, MPI_INTEGER, previous, 4, MPI_COMM_WORLD, &
    MPI_STATUS_IGNORE, ierror)
  call check(got(2, 2) == 100*previous + 5 .and. got(1, 4) == 100*previous + 10 .and. got(1, 1) == -1 .and. got(2, 4) == -1, &
    'an element of a pointer')
  got = -1
  call whole(matrix(:, ::2), got(:, 1:3:2))
  call check(all(got(:, 1) == [(100*previous + i, i=1, 3)]) .and. all(got(:, 3) == [(100*previous + 6 + i, i=1, 3)]) &
    .and. all(got(:, 2::2) == -1), 'an array of assumed shape that is a section')
  call finish
contains
  subroutine elements(from, to)
    integer, intent(in) :: from(0:, 0:)
    integer, intent(inout) :: to(0:, 0:)
    call MPI_Sendrecv(from(0, 0), 12, MPI_INTEGER, next, 5, to(0, 0), 12, MPI_INTEGER, previous, 5, MPI_COMM_WORLD, &
      MPI_STATUS_IGNORE, ierror)
  end subroutine
  subroutine whole(from, to)
    integer, intent(in) :: from(:, :)
    integer, intent(inout) :: to(:, :)
    call MPI_Sendrecv(from, 6, MPI_INTEGER, next, 6, to, 6, MPI_INTEGER, previous, 6, MPI_COMM_WORLD, &
      MPI_STATUS_IGNORE, ierror)
  end subroutine
end program
