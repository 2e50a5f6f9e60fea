! mpi_f08: sections that are not contiguous, as origins of one-sided operations until a synchronisation, and in files.
! ranks: 1 2 3
! with: ../check.f90
! run: --dir {scratch}::/tmp
! stderr: memory that MPI is given must be contiguous
program remote_sections
  use mpi_f08
  use checks
  implicit none
  integer :: rank, size, right, left, i
  integer, asynchronous :: a(4, 6), b(4, 6), shelf(0:11)
  type(MPI_Win) :: win
  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  right = modulo(rank + 1, size)
  left = modulo(rank - 1, size)
  a = reshape([(100*rank + i, i=1, 24)], [4, 6])
  call MPI_Win_create(shelf, 48_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  call fences
  call locks
  call groups
  call MPI_Win_free(win)
  call kept
  call split_access
  call finish
contains
  subroutine fences
    type(MPI_Datatype) :: pair
    call MPI_Type_contiguous(2, MPI_INTEGER, pair)
    call MPI_Type_commit(pair)
    shelf = -1
    call MPI_Win_fence(0, win)
    call MPI_Put(a(2, :), 3, pair, right, 3_MPI_ADDRESS_KIND, 6, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call check(all(shelf(3:8) == 100*left + [(4*i - 2, i=1, 6)]) .and. count(shelf == -1) == 6, 'Put')
    b = -1
    call MPI_Get(b(3, ::2), 3, MPI_INTEGER, right, 4_MPI_ADDRESS_KIND, 3, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call check(all(b(3, ::2) == 100*rank + [6, 10, 14]) .and. count(b == -1) == 21, 'Get')
    shelf = 0
    call MPI_Win_fence(0, win)
    call MPI_Accumulate(a(1, 1:6:5), 2, MPI_INTEGER, 0, 0_MPI_ADDRESS_KIND, 2, MPI_INTEGER, MPI_SUM, win)
    call MPI_Win_fence(0, win)
    if (rank == 0) call check(all(shelf(:1) == 50*size*(size - 1) + [1, 21]*size), 'Accumulate')
    call MPI_Type_free(pair)
    call MPI_Barrier(MPI_COMM_WORLD)
  end subroutine

  subroutine locks
    type(MPI_Request) :: request
    shelf = [(1000*rank + i, i=0, 11)]
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Win_lock_all(0, win)
    b = -1
    call MPI_Get(b(2, :), 6, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, 6, MPI_INTEGER, win)
    call MPI_Win_flush(right, win)
    call check(all(b(2, :) == 1000*right + [0, 1, 2, 3, 4, 5]), 'Get until a flush')
    call MPI_Rget(b(4, :), 6, MPI_INTEGER, right, 6_MPI_ADDRESS_KIND, 6, MPI_INTEGER, win, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(all(b(4, :) == 1000*right + [6, 7, 8, 9, 10, 11]) .and. count(b == -1) == 12, 'Rget')
    call MPI_Fetch_and_op(0, b(1, 1:3:2), MPI_INTEGER, right, 5_MPI_ADDRESS_KIND, MPI_SUM, win)
    call MPI_Win_unlock_all(win)
    call check(b(1, 1) == 1000*right + 5 .and. b(1, 3) == -1, 'Fetch_and_op')
    call MPI_Barrier(MPI_COMM_WORLD)
  end subroutine

  subroutine groups
    type(MPI_Group) :: everyone, to, from
    call MPI_Comm_group(MPI_COMM_WORLD, everyone)
    call MPI_Group_incl(everyone, 1, [right], to)
    call MPI_Group_incl(everyone, 1, [left], from)
    call MPI_Win_post(from, 0, win)
    call MPI_Win_start(to, 0, win)
    b = -1
    call MPI_Get(b(1, :), 6, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, 6, MPI_INTEGER, win)
    call MPI_Win_complete(win)
    call MPI_Win_wait(win)
    call check(all(b(1, :) == 1000*right + [0, 1, 2, 3, 4, 5]), 'Get until Win_complete')
    call MPI_Group_free(everyone)
    call MPI_Group_free(to)
    call MPI_Group_free(from)
  end subroutine

  ! The memory of a window is one piece.
  subroutine kept
    type(MPI_Win) :: other
    integer :: code
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call MPI_Win_create(a(1, :), 24_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, other, code)
    call check(code == MPI_ERR_BUFFER, 'Win_create refuses a section')
  end subroutine

  subroutine split_access
    type(MPI_File) :: file
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    integer(MPI_OFFSET_KIND) :: mine
    integer :: got, stamp
    integer(8) :: ticks
    character(len=80) :: name
    call system_clock(ticks)
    stamp = int(mod(ticks, 1000000000_8))
    call MPI_Bcast(stamp, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
    write (name, '(a, i0)') '/tmp/rankine-remote-sections-', stamp
    call MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE + MPI_MODE_RDWR + &
      MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file)
    mine = 24*rank
    call MPI_File_write_at_all_begin(file, mine, a(3, :), 6, MPI_INTEGER)
    call MPI_File_write_at_all_end(file, a(3, :), status)
    call MPI_File_sync(file)
    call MPI_Barrier(MPI_COMM_WORLD)
    b = -1
    mine = 24*right
    call MPI_File_read_at_all_begin(file, mine, b(1, :), 6, MPI_INTEGER)
    call MPI_File_read_at_all_end(file, b(1, :), status)
    call MPI_Get_count(status, MPI_INTEGER, got)
    call check(all(b(1, :) == 100*right + [(4*i - 1, i=1, 6)]) .and. count(b == -1) == 18 .and. got == 6, 'split access')
    call MPI_File_iread_at(file, mine, b(4, ::2), 3, MPI_INTEGER, request)
    call MPI_Wait(request, status)
    call check(all(b(4, ::2) == b(1, :3)) .and. count(b == -1) == 15, 'File_iread_at')
    call MPI_File_close(file)
  end subroutine
end program
