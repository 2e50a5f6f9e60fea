! Files: names and representations as strings with blanks at their ends, views, offsets, statuses, error handlers; with `use mpi`.
! ranks: 1 2
! with: ../check.f90
! run: --dir {scratch}::/tmp
module file_callbacks
  use mpi
  implicit none
  integer :: called = 0
contains
  subroutine handler(file, code)
    integer :: file, code
    if (file /= MPI_FILE_NULL .and. code /= MPI_SUCCESS) called = called + 1
  end subroutine
end module

program files
  use mpi
  use checks
  use file_callbacks
  implicit none
  integer, parameter :: n = 16
  integer :: rank, size, ierror, file, request, mine, filetype, etype, type, amode, count, i, stamp
  integer(8) :: ticks
  integer :: status(MPI_STATUS_SIZE), numbers(n), got(n)
  integer(MPI_OFFSET_KIND) :: offset, bytes
  character(len=80) :: name
  character(len=MPI_MAX_DATAREP_STRING) :: representation
  logical :: flag
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  call system_clock(ticks)
  stamp = int(mod(ticks, 1000000000_8))
  call MPI_Bcast(stamp, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  write (name, '(a, i0, a, i0)') '/tmp/rankine-fortran-', size, '-', stamp
  numbers = [(1000*rank + i, i = 1, n)]

  call MPI_File_open(MPI_COMM_WORLD, name, ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_INFO_NULL, file, ierror)
  call check(ierror == MPI_SUCCESS, 'File_open')
  call MPI_File_get_amode(file, amode, ierror)
  call check(iand(amode, MPI_MODE_RDWR) /= 0, 'File_get_amode')
  offset = 4*n*rank
  call MPI_File_write_at_all(file, offset, numbers, n, MPI_INTEGER, status, ierror)
  call MPI_Get_count(status, MPI_INTEGER, count, ierror)
  call check(count == n, 'the status of File_write_at_all')
  call MPI_File_sync(file, ierror)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call MPI_File_get_size(file, bytes, ierror)
  call check(bytes == 4*n*size, 'File_get_size')
  offset = 4*n*modulo(rank + 1, size)
  call MPI_File_iread_at(file, offset, got, n, MPI_INTEGER, request, ierror)
  call MPI_Wait(request, status, ierror)
  call check(all(got == 1000*modulo(rank + 1, size) + [(i, i = 1, n)]), 'File_iread_at')

  ! Every second integer of the first rank's part.
  call MPI_Type_vector(n/2, 1, 2, MPI_INTEGER, filetype, ierror)
  call MPI_Type_commit(filetype, ierror)
  call MPI_File_set_view(file, 4_MPI_OFFSET_KIND, MPI_INTEGER, filetype, 'native   ', MPI_INFO_NULL, ierror)
  call check(ierror == MPI_SUCCESS, 'File_set_view')
  representation = repeat('x', MPI_MAX_DATAREP_STRING)
  call MPI_File_get_view(file, offset, etype, type, representation, ierror)
  call check(offset == 4 .and. etype == MPI_INTEGER .and. representation == 'native', 'File_get_view')
  got = 0
  call MPI_File_read_all(file, got, n/2, MPI_INTEGER, status, ierror)
  call check(all(got(1:n/2) == [(i, i = 2, n, 2)]), 'File_read_all through a view')
  call MPI_File_get_position(file, offset, ierror)
  call check(offset == n/2, 'File_get_position')
  call MPI_File_get_byte_offset(file, 2_MPI_OFFSET_KIND, offset, ierror)
  call check(offset == 20, 'File_get_byte_offset')
  call MPI_File_set_atomicity(file, .true., ierror)
  call MPI_File_get_atomicity(file, flag, ierror)
  call check(flag, 'File_get_atomicity')
  call MPI_Type_free(filetype, ierror)

  call MPI_File_create_errhandler(handler, mine, ierror)
  call MPI_File_set_errhandler(file, mine, ierror)
  call MPI_File_call_errhandler(file, MPI_ERR_IO, ierror)
  call check(called == 1, 'the error handler of a file')
  call MPI_Errhandler_free(mine, ierror)
  call MPI_File_close(file, ierror)
  call check(file == MPI_FILE_NULL, 'File_close')
  if (rank == 0) then
    call MPI_File_delete(name, MPI_INFO_NULL, ierror)
    call check(ierror == MPI_SUCCESS, 'File_delete')
    call MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDONLY, MPI_INFO_NULL, file, ierror)
    call MPI_Error_class(ierror, count, ierror)
    call check(count == MPI_ERR_NO_SUCH_FILE, 'a file that is not there')
  end if
  call finish
end program
