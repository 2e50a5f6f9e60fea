! Windows: memory as type(c_ptr), targets' displacements, sections as origins, attributes, names, callbacks; with mpi_f08.
! ranks: 1 2 3
! with: ../check.f90
module window_callbacks
  use mpi_f08
  implicit none
  integer :: called = 0, deleted = 0
contains
  subroutine handler(win, code)
    type(MPI_Win) :: win
    integer :: code
    if (win /= MPI_WIN_NULL .and. code /= MPI_SUCCESS) called = called + 1
  end subroutine

  subroutine remove(win, keyval, value, extra, ierror)
    type(MPI_Win) :: win
    integer :: keyval, ierror
    integer(MPI_ADDRESS_KIND) :: value, extra
    if (value == 7 .and. extra == 5) deleted = deleted + 1
    ierror = MPI_SUCCESS
  end subroutine
end module

program windows
  use, intrinsic :: iso_c_binding
  use mpi_f08
  use checks
  use window_callbacks
  implicit none
  integer :: rank, size
  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call fences
  call locks
  call groups
  call what_it_knows
  call shared
  call finish
contains
  ! Every rank writes to its right neighbour and reads from its left one.
  subroutine fences
    integer, asynchronous :: shelf(0:9), matrix(4, 4), got(3)
    type(MPI_Win) :: win
    integer :: i, right, left
    right = modulo(rank + 1, size)
    left = modulo(rank - 1, size)
    shelf = -1
    matrix = reshape([(100*rank + i, i = 1, 16)], [4, 4])
    call MPI_Win_create(shelf, 40_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_fence(MPI_MODE_NOPRECEDE, win)
    call MPI_Put(matrix(:, 1), 4, MPI_INTEGER, right, 2_MPI_ADDRESS_KIND, 4, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call check(all(shelf(2:5) == 100*left + [1, 2, 3, 4]) .and. shelf(1) == -1 .and. shelf(6) == -1, 'Put')
    call MPI_Win_fence(0, win)
    ! A row is not contiguous; each of its elements is one of the type.
    call MPI_Put(matrix(2, :), 4, MPI_INTEGER, right, 6_MPI_ADDRESS_KIND, 4, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call check(all(shelf(6:9) == 100*left + [2, 6, 10, 14]), 'Put of a section')
    call MPI_Get(got, 3, MPI_INTEGER, left, 3_MPI_ADDRESS_KIND, 3, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call check(all(got == 100*modulo(left - 1, size) + [2, 3, 4]), 'Get')
    shelf(0) = 0
    call MPI_Win_fence(0, win)
    call MPI_Accumulate(rank + 1, 1, MPI_INTEGER, 0, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, MPI_SUM, win)
    call MPI_Win_fence(MPI_MODE_NOSUCCEED, win)
    if (rank == 0) call check(shelf(0) == size*(size + 1)/2, 'Accumulate')
    call MPI_Win_free(win)
    call check(win == MPI_WIN_NULL, 'Win_free')
  end subroutine

  subroutine locks
    type(c_ptr) :: base
    integer, pointer :: counter(:)
    type(MPI_Win) :: win
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    integer, asynchronous :: old, seen(2)
    call MPI_Win_allocate(8_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
    call c_f_pointer(base, counter, [2])
    counter = 0
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win)
    call MPI_Fetch_and_op(1, old, MPI_INTEGER, 0, 0_MPI_ADDRESS_KIND, MPI_SUM, win)
    call MPI_Win_unlock(0, win)
    call check(old >= 0 .and. old < size, 'Fetch_and_op')
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Win_lock_all(0, win)
    ! Whoever came first finds 0 there; nobody else does.
    call MPI_Compare_and_swap(rank + 1, 0, old, MPI_INTEGER, 0, 1_MPI_ADDRESS_KIND, win)
    call MPI_Win_flush(0, win)
    call MPI_Rget(seen, 2, MPI_INTEGER, 0, 0_MPI_ADDRESS_KIND, 2, MPI_INTEGER, win, request)
    call MPI_Wait(request, status)
    call MPI_Win_unlock_all(win)
    call check(seen(1) == size .and. seen(2) >= 1 .and. seen(2) <= size, 'Rget')
    call check(merge(seen(2) == rank + 1, seen(2) == old, old == 0), 'Compare_and_swap')
    call MPI_Win_free(win)
  end subroutine

  subroutine groups
    integer, asynchronous :: inbox
    type(MPI_Win) :: win
    type(MPI_Group) :: all, to, from
    call MPI_Comm_group(MPI_COMM_WORLD, all)
    call MPI_Group_incl(all, 1, [modulo(rank + 1, size)], to)
    call MPI_Group_incl(all, 1, [modulo(rank - 1, size)], from)
    inbox = -1
    call MPI_Win_create(inbox, 4_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_post(from, 0, win)
    call MPI_Win_start(to, 0, win)
    call MPI_Put(rank, 1, MPI_INTEGER, modulo(rank + 1, size), 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
    call MPI_Win_complete(win)
    call MPI_Win_wait(win)
    call check(inbox == modulo(rank - 1, size), 'Win_post, _start, _complete, _wait')
    call MPI_Group_free(all)
    call MPI_Group_free(to)
    call MPI_Group_free(from)
    call MPI_Win_free(win)
  end subroutine

  subroutine what_it_knows
    integer, target, asynchronous :: room(5)
    type(MPI_Win) :: win
    type(MPI_Errhandler) :: mine
    character(len=MPI_MAX_OBJECT_NAME) :: name
    integer :: length, key
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    call MPI_Win_create(room, 20_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_set_name(win, 'the shelf  ')
    call MPI_Win_get_name(win, name, length)
    call check(name == 'the shelf' .and. length == 9, 'Win_get_name')
    call MPI_Win_get_attr(win, MPI_WIN_SIZE, value, flag)
    call check(flag .and. value == 20, 'MPI_WIN_SIZE')
    call MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, value, flag)
    call check(flag .and. value == 4, 'MPI_WIN_DISP_UNIT')
    call MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, value, flag)
    call check(flag .and. value == MPI_WIN_FLAVOR_CREATE, 'MPI_WIN_CREATE_FLAVOR')
    call MPI_Win_get_attr(win, MPI_WIN_BASE, value, flag)
    call check(flag .and. value == transfer(c_loc(room), value), 'MPI_WIN_BASE')
    call MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, remove, key, 5_MPI_ADDRESS_KIND)
    call MPI_Win_set_attr(win, key, 7_MPI_ADDRESS_KIND)
    call MPI_Win_get_attr(win, key, value, flag)
    call check(flag .and. value == 7, 'an attribute of a window')
    call MPI_Win_create_errhandler(handler, mine)
    call MPI_Win_set_errhandler(win, mine)
    call MPI_Win_call_errhandler(win, MPI_ERR_OTHER)
    call check(called == 1, 'the error handler of a window')
    call MPI_Errhandler_free(mine)
    call MPI_Win_free(win)
    call check(deleted == 1, 'the attribute is deleted with its window')
    call MPI_Win_free_keyval(key)
  end subroutine

  ! Each rank shares with itself.
  subroutine shared
    type(c_ptr) :: base, same
    integer(MPI_ADDRESS_KIND) :: bytes
    integer :: unit
    type(MPI_Win) :: win
    call MPI_Win_allocate_shared(16_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_SELF, base, win)
    call MPI_Win_shared_query(win, 0, bytes, unit, same)
    call check(bytes == 16 .and. unit == 8 .and. c_associated(base, same), 'Win_shared_query')
    call MPI_Win_free(win)
  end subroutine
end program
