! Allocatable components, which are part of a value: arrays of rank 1 to 3, of derived types, strings, numbers of all kinds; unallocated and empty ones.
! No type needs a description.
! ranks: 1 2
! with: ../check.f90
module records
  use, intrinsic :: iso_c_binding, only: c_ptr, c_null_ptr, c_loc, c_associated
  implicit none
  integer, parameter :: wide = selected_int_kind(18)
  type cell
    integer(1), allocatable :: small(:)
    character(len=:), allocatable :: text
  end type
  type list
    integer :: number = 0
    type(list), allocatable :: rest
  end type
  type record
    integer :: number = -1
    character(len=3) :: code = '---'
    real(8), allocatable :: row(:), table(:, :)
    complex(4), allocatable :: block(:, :, :)
    integer(wide), allocatable :: single
    logical(2), allocatable :: flags(:)
    character(len=:), allocatable :: text, texts(:)
    character(len=6), allocatable :: words(:)
    type(cell), allocatable :: cells(:, :)
    type(cell) :: fixed(2)
    type(c_ptr) :: address = c_null_ptr
  end type
end module

program values
  use mpi_f08
  use rankine
  use records
  use checks
  implicit none
  integer :: rank, size, next, before
  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  next = mod(rank + 1, size)
  before = mod(rank + size - 1, size)
  call kinds
  call nothing
  call lists
  call sections
  call finish
contains
  subroutine fill(r)
    type(record), intent(out), target :: r
    integer :: i
    r%number = 7
    r%code = 'abc'
    r%row = [1d0, 2d0, 3d0]
    allocate(r%table(-1:0, 3), r%block(2, 1, 2), r%cells(2, 2))
    r%table = reshape([(i, i = 1, 6)], [2, 3])
    r%block = reshape([((1., 2.) * i, i = 1, 4)], [2, 1, 2])
    r%single = 2_wide**40
    r%flags = [.true._2, .false._2, .true._2]
    r%text = 'of any length'
    r%texts = ['alpha', 'beta ', 'gamma']
    r%words = ['words ', 'of six']
    r%cells(2, 1)%small = [1_1, -2_1]
    r%cells(1, 2)%text = ''
    r%fixed(2)%text = 'fixed'
    r%address = c_loc(r%number)
  end subroutine

  subroutine kinds
    type(record) :: own, came
    call fill(own)
    allocate(came%row(1000), came%cells(1, 1))
    came%cells(1, 1)%text = 'is deallocated'
    call rankine_sendrecv(own, next, 0, came, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(came%number == 7 .and. came%code == 'abc', 'numbers and text of fixed size')
    call check(all(came%row == own%row), 'an array of rank 1')
    call check(all(lbound(came%table) == [-1, 1]) .and. all(came%table == own%table), 'an array of rank 2')
    call check(all(shape(came%block) == [2, 1, 2]) .and. all(came%block == own%block), 'an array of rank 3')
    call check(came%single == 2_wide**40, 'an allocatable scalar')
    call check(all(came%flags .eqv. own%flags), 'logicals')
    call check(came%text == own%text .and. len(came%text) == 13, 'a string of any length')
    call check(len(came%texts) == 5 .and. all(came%texts == own%texts), 'strings of any length')
    call check(all(came%words == own%words), 'strings of fixed length')
    call check(all(came%cells(2, 1)%small == [1, -2]), 'an array of derived type')
    call check(.not. allocated(came%cells(1, 1)%text), 'no string')
    call check(allocated(came%cells(1, 2)%text), 'an empty string')
    if (allocated(came%cells(1, 2)%text)) call check(len(came%cells(1, 2)%text) == 0, 'its length')
    call check(came%fixed(2)%text == 'fixed' .and. .not. allocated(came%fixed(1)%text), 'an array inside')
    call check(.not. c_associated(came%address), 'an address stays behind')
    ! They are allocatables like all others: they grow, move and go.
    came%row = [came%row, 4d0]
    came%text = came%text // '!'
    call check(came%row(4) == 4 .and. came%text(14:) == '!', 'what came can be reallocated')
    deallocate(came%table, came%cells)
    own = came
    call check(own%single == came%single, 'and assigned')
  end subroutine

  subroutine nothing
    type(record) :: own, came
    call fill(came)
    allocate(own%row(0), own%table(3, 0), own%cells(0, 2))
    call rankine_sendrecv(own, next, 0, came, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(allocated(came%row) .and. allocated(came%table) .and. allocated(came%cells), 'empty arrays are allocated')
    call check(all(shape(came%table) == [3, 0]) .and. all(shape(came%cells) == [0, 2]), 'and have a shape')
    call check(.not. (allocated(came%block) .or. allocated(came%single) .or. allocated(came%text)), 'the rest is not')
    came%row = [1d0]
    deallocate(came%table)
  end subroutine

  ! A type that holds itself: as long as a stack allows.
  subroutine lists
    type(list), target :: own, came
    type(list), pointer :: at
    integer :: i
    at => own
    do i = 1, 200
      at%number = i
      allocate(at%rest)
      at => at%rest
    end do
    call rankine_sendrecv(own, next, 0, came, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    at => came
    do i = 1, 200
      call check(at%number == i .and. allocated(at%rest), 'an element of the list')
      at => at%rest
    end do
  end subroutine

  ! A part of an array, scalars of arrays, and a message that is shorter than the array it comes to.
  subroutine sections
    type(record), allocatable :: rows(:)
    type(record) :: table(2, 3)
    type(MPI_Status) :: status
    integer :: i, count
    allocate(rows(10))
    rows%number = [(i, i = 1, 10)]
    rows(4)%text = 'the fourth'
    call rankine_sendrecv(rows(3:6), next, 0, table(:, 2:3), before, 0, MPI_COMM_WORLD, status)
    call rankine_get_count(status, count)
    call check(count == 4 .and. all(table%number == reshape([-1, -1, 3, 4, 5, 6], [2, 3])), 'four of ten')
    call check(table(2, 2)%text == 'the fourth', 'and their text')
    call rankine_sendrecv(rows(4), next, 0, rows(7:9), before, 0, MPI_COMM_WORLD, status)
    call rankine_get_count(status, count)
    call check(count == 1 .and. rows(7)%number == 4 .and. rows(7)%text == 'the fourth', 'one of three')
    call check(rows(8)%number == 8, 'the others are as they were')
  end subroutine
end program
