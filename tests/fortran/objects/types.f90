! Kinds of types: of C, with a sequence, with a kind as parameter, with procedures, procedure pointers and finalizers, and polymorphic variables, whose dynamic type travels.
! ranks: 1 2
! with: ../check.f90
module many_types
  use, intrinsic :: iso_c_binding, only: c_associated, c_double, c_funloc, c_funptr, c_int, c_null_funptr
  implicit none
  type, bind(c) :: of_c
    integer(c_int) :: n = 0
    real(c_double) :: x(3) = 0
  end type
  type :: with_sequence
    sequence
    integer :: a = 0
    character(len=:), allocatable :: b
  end type
  type :: with_kind(k)
    integer, kind :: k = 4
    real(k), allocatable :: row(:)
  end type
  type :: bound
    private
    integer, allocatable :: hidden(:)
    type(of_c) :: inner
  contains
    procedure :: set
    procedure :: get
    final :: finish_bound
  end type
  type, extends(bound) :: bound_further
    integer, allocatable :: more
  contains
    procedure :: get => get_more
  end type
  type :: active
    integer :: before = 1
    procedure(number_of), pointer, nopass :: plain => null()
    real(8), allocatable :: row(:)
    procedure(get_active), pointer :: action => null()
    integer :: behind = 2
    type(c_funptr) :: address = c_null_funptr
  end type
  abstract interface
    integer function number_of(n)
      integer, intent(in) :: n
    end function
  end interface
contains
  integer function get_active(this)
    class(active), intent(in) :: this
    get_active = this%before + this%behind + size(this%row)
  end function

  integer function thrice(n)
    integer, intent(in) :: n
    thrice = 3*n
  end function

  subroutine set(this, n)
    class(bound), intent(inout) :: this
    integer, intent(in) :: n
    this%hidden = [n, n + 1]
    this%inner%n = n
  end subroutine

  integer function get(this)
    class(bound), intent(in) :: this
    get = sum(this%hidden) + this%inner%n
  end function

  integer function get_more(this)
    class(bound_further), intent(in) :: this
    get_more = this%bound%get() + this%more
  end function

  subroutine finish_bound(this)
    type(bound), intent(inout) :: this
    if (allocated(this%hidden)) this%hidden = -1
  end subroutine
end module

program types
  use mpi_f08
  use rankine
  use many_types
  use checks
  implicit none
  integer :: rank, size, next, before
  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  next = mod(rank + 1, size)
  before = mod(rank + size - 1, size)
  call all_kinds
  call finish
contains
  subroutine all_kinds
    type(of_c) :: c, c_came
    type(with_sequence) :: s, s_came
    type(with_kind(8)) :: wide, wide_came
    type(with_kind(4)) :: narrow, narrow_came
    class(bound), allocatable :: b, b_came
    type(active) :: a(2), a_came(2)
    type(MPI_Status) :: status
    integer :: ierror
    c%n = 5
    c%x = [1, 2, 3]
    call rankine_sendrecv(c, next, 0, c_came, before, 0, MPI_COMM_WORLD, status)
    call check(c_came%n == 5 .and. all(c_came%x == [1, 2, 3]), 'a type of C')
    s%a = 6
    s%b = 'text'
    call rankine_sendrecv(s, next, 0, s_came, before, 0, MPI_COMM_WORLD, status)
    call check(s_came%a == 6 .and. s_came%b == 'text', 'a sequence')
    wide%row = [1d0, 2d0]
    narrow%row = [3., 4.]
    call rankine_sendrecv(wide, next, 0, wide_came, before, 0, MPI_COMM_WORLD, status)
    call rankine_sendrecv(narrow, next, 0, narrow_came, before, 0, MPI_COMM_WORLD, status)
    call check(all(wide_came%row == [1, 2]) .and. all(narrow_came%row == [3, 4]), 'kinds')

    ! A function is the same one in every rank of a program.
    a(2)%plain => thrice
    a(1)%action => get_active
    a(1)%row = [5d0, 6d0]
    a(2)%address = c_funloc(thrice)
    call rankine_sendrecv(a, next, 0, a_came, before, 0, MPI_COMM_WORLD, status)
    call check(a_came(1)%action() == 5 .and. a_came(2)%plain(4) == 12, 'procedure pointers')
    call check(.not. (associated(a_came(1)%plain) .or. associated(a_came(2)%action)), 'procedure pointers that point nowhere')
    call check(all(a_came%before == 1) .and. all(a_came%behind == 2) .and. all(a_came(1)%row == [5, 6]), 'what lies beside them')
    call check(c_associated(a_came(2)%address, c_funloc(thrice)), 'the address of a function')

    ! Of the declared type, and of an extension; where these differ the message is refused.
    allocate(bound :: b, b_came)
    call b%set(10)
    call rankine_sendrecv(b, next, 0, b_came, before, 0, MPI_COMM_WORLD, status)
    call check(b_came%get() == 31, 'components that are private')
    deallocate(b)
    allocate(bound_further :: b)
    call b%set(20)
    select type (b)
    type is (bound_further)
      b%more = 100
    end select
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call rankine_sendrecv(b, 0, 0, b_came, 0, 0, MPI_COMM_SELF, status, ierror)
    call check(ierror /= MPI_SUCCESS .and. b_came%get() == 31, 'another dynamic type')
    deallocate(b_came)
    allocate(bound_further :: b_came)
    call rankine_sendrecv(b, next, 0, b_came, before, 0, MPI_COMM_WORLD, status)
    call check(b_came%get() == 161, 'an extension')
  end subroutine
end program
