! Attributes across languages: stored, read, copied and deleted by MPI-1's functions in mpif.h, by mpi_f08 and by C, each with each.
! ranks: 1 2
! with: ../check.f90 attributes_old.f attributes_mixed_c.c
module new_keys
  use mpi_f08
  implicit none
  integer :: gone = 0
contains
  subroutine copy(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    type(MPI_Comm) :: oldcomm
    integer :: comm_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    attribute_val_out = attribute_val_in + extra_state
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine
  subroutine remove(comm, comm_keyval, attribute_val, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: comm_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
    gone = gone + 1
    ierror = MPI_SUCCESS
  end subroutine
end module

program attributes_mixed
  use, intrinsic :: iso_c_binding
  use new_keys
  use checks
  implicit none
  interface
    integer(c_int) function c_box(value) bind(C)
      import
      integer(c_int), value :: value
    end function
    integer(c_int) function c_copied() bind(C)
      import
    end function
    integer(c_int) function c_gone() bind(C)
      import
    end function
    integer(c_int) function c_key() bind(C)
      import
    end function
    integer(c_int) function c_key_that_duplicates() bind(C)
      import
    end function
    subroutine c_set(comm, key) bind(C)
      import
      integer(c_int), value :: comm, key
    end subroutine
    integer(c_int) function c_get(comm, key) bind(C)
      import
      integer(c_int), value :: comm, key
    end function
    integer(c_int) function c_get_type(type, key) bind(C)
      import
      integer(c_int), value :: type, key
    end function
    integer(c_int) function c_get_win(win, key) bind(C)
      import
      integer(c_int), value :: win, key
    end function
    integer(c_int) function c_base_of(win) bind(C)
      import
      integer(c_int), value :: win
    end function
  end interface
  integer, parameter :: OLD = 1, NEW = 2, C = 3, STEP = 3
  integer :: gone_old
  common /DELETD/ gone_old
  external :: oldkey, oldput, oldget
  character(len=3), parameter :: names(3) = ['old', 'new', 'C  ']
  integer :: keys(3), creator, setter, value
  gone_old = 0
  call MPI_Init
  call oldkey(keys(OLD))
  call MPI_Comm_create_keyval(copy, remove, keys(NEW), int(STEP, MPI_ADDRESS_KIND))
  keys(C) = c_key()
  value = 4000
  do creator = OLD, C
    do setter = OLD, C
      value = value + 10
      call pass(creator, setter, value)
    end do
  end do
  call duplicated
  call of_others
  call predefined
  call finish
contains
  ! A value is set, read by each, copied, read by each, and deleted with both communicators.
  subroutine pass(creator, setter, value)
    integer, intent(in) :: creator, setter, value
    type(MPI_Comm) :: one, two
    integer :: stored, deletions
    call MPI_Comm_dup(MPI_COMM_SELF, one)
    stored = c_box(value)
    call set(one, keys(creator), setter, value)
    ! C's attribute is the address of its box, and an integer to Fortran.
    if (setter /= C) stored = value
    call reads(one, creator, stored, value, 'set by '//names(setter))
    call MPI_Comm_dup(one, two)
    if (creator == C) then
      call reads(two, creator, c_copied(), value + STEP, 'copied by C')
    else
      call reads(two, creator, stored + STEP, stored + STEP, 'copied by '//names(creator))
    end if
    call reads(one, creator, stored, value, 'after the copy')
    ! What is set again is deleted first.
    call set(one, keys(creator), OLD, value + 1)
    call reads(one, creator, value + 1, value + 1, 'set again')
    call MPI_Comm_free(two)
    call MPI_Comm_free(one)
    deletions = gone + gone_old + c_gone()
    call check(deletions == 3, 'deleted by '//names(creator))
    gone = 0
    gone_old = 0
  end subroutine

  subroutine set(comm, key, setter, value)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: key, setter, value
    select case (setter)
    case (OLD)
      call oldput(comm%MPI_VAL, key, value)
    case (NEW)
      call MPI_Comm_set_attr(comm, key, int(value, MPI_ADDRESS_KIND))
    case default
      call c_set(comm%MPI_VAL, key)
    end select
  end subroutine

  subroutine reads(comm, creator, fortran, behind, what)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: creator, fortran, behind
    character(len=*), intent(in) :: what
    integer(kind=MPI_ADDRESS_KIND) :: value
    integer :: old_value
    logical :: flag
    call oldget(comm%MPI_VAL, keys(creator), old_value, flag)
    call check(flag .and. old_value == fortran, 'read by old, of a key by '//names(creator)//', '//what)
    call MPI_Comm_get_attr(comm, keys(creator), value, flag)
    call check(flag .and. value == fortran, 'read by new, of a key by '//names(creator)//', '//what)
    call check(c_get(comm%MPI_VAL, keys(creator)) == behind, 'read by C, of a key by '//names(creator)//', '//what)
  end subroutine

  ! MPI_COMM_DUP_FN keeps what it is, an address or an integer.
  subroutine duplicated
    integer :: setter, at
    type(MPI_Comm) :: one, two
    keys(C) = c_key_that_duplicates()
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, keys(NEW), 0_MPI_ADDRESS_KIND)
    do setter = OLD, C
      call MPI_Comm_dup(MPI_COMM_SELF, one)
      at = c_box(77)
      if (setter /= C) at = 77
      call set(one, keys(C), setter, 77)
      call set(one, keys(NEW), setter, 77)
      call MPI_Comm_dup(one, two)
      call MPI_Comm_free(one)
      call reads(two, C, at, 77, 'duplicated, set by '//names(setter))
      call reads(two, NEW, at, 77, 'duplicated, set by '//names(setter))
      call MPI_Comm_free(two)
    end do
  end subroutine

  subroutine of_others
    type(MPI_Datatype) :: t
    type(MPI_Win) :: w
    integer :: key
    integer, target, asynchronous :: memory(4)
    call MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND)
    call MPI_Type_dup(MPI_INTEGER, t)
    call MPI_Type_set_attr(t, key, 91_MPI_ADDRESS_KIND)
    call check(c_get_type(t%MPI_VAL, key) == 91, 'of a datatype')
    call MPI_Type_free(t)
    call MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND)
    call MPI_Win_create(memory, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_SELF, w)
    call MPI_Win_set_attr(w, key, 92_MPI_ADDRESS_KIND)
    call check(c_get_win(w%MPI_VAL, key) == 92, 'of a window')
    call of_window(w)
    call MPI_Win_free(w)
  end subroutine

  subroutine of_window(w)
    type(MPI_Win), intent(in) :: w
    integer :: i, predefined(4)
    integer(kind=MPI_ADDRESS_KIND) :: value
    logical :: flag
    predefined = [MPI_WIN_SIZE, MPI_WIN_DISP_UNIT, MPI_WIN_CREATE_FLAVOR, MPI_WIN_MODEL]
    do i = 1, size(predefined)
      call MPI_Win_get_attr(w, predefined(i), value, flag)
      call check(flag .and. value == c_get_win(w%MPI_VAL, predefined(i)), 'predefined by windows')
    end do
    call MPI_Win_get_attr(w, MPI_WIN_BASE, value, flag)
    call check(flag .and. value == c_base_of(w%MPI_VAL), 'MPI_WIN_BASE is an address to each')
  end subroutine

  subroutine predefined
    integer :: i, keys(4), old_value
    integer(kind=MPI_ADDRESS_KIND) :: value
    logical :: flag
    keys = [MPI_TAG_UB, MPI_IO, MPI_WTIME_IS_GLOBAL, MPI_UNIVERSE_SIZE]
    do i = 1, size(keys)
      call MPI_Comm_get_attr(MPI_COMM_WORLD, keys(i), value, flag)
      if (.not. flag) cycle
      call oldget(MPI_COMM_WORLD%MPI_VAL, keys(i), old_value, flag)
      call check(flag .and. old_value == value, 'predefined, read by old')
      call check(c_get(MPI_COMM_WORLD%MPI_VAL, keys(i)) == value, 'predefined, read by C')
    end do
  end subroutine
end program
