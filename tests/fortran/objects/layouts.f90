! Types that lie in others at places their sizes do not tell, types without components, rows of children with weak parents; what freeing leaves.
! ranks: 1 2 4
! with: ../check.f90
module layouts_of_types
  implicit none
  type point
    real(4) :: x = 0, y = 0
  end type
  type numbers
    complex(4) :: c = 0
    real(4) :: a(2) = 0
    integer(2) :: short(2) = 0
    logical(1) :: flags(4) = .false.
  end type
  type empty
  end type
  type holds_empty
    type(empty) :: one
    type(empty) :: some(3)
  end type
  type body
    integer :: id = 0
    type(point) :: p
    character(len=3) :: text = ''
    type(numbers) :: n(2)
    type(point), allocatable :: more(:)
    integer(1) :: last = 0
  end type
  type, extends(point) :: weighted
    real(4) :: weight = 0
    type(body) :: inside
  end type
  type holder
    integer :: id = 0
    type(empty) :: here
    type(empty), allocatable :: one
    type(empty), allocatable :: none
    type(holds_empty), allocatable :: row(:)
    type(empty), pointer :: target => null()
    type(empty), pointer :: targets(:) => null()
    type(empty), pointer :: parent => null()
    integer :: last = 0
  end type
  type person
    integer :: number = 0
    type(person), allocatable :: children(:)
    type(person), pointer :: parent => null()
    type(person), pointer :: stays => null()
  end type
end module

program layouts
  use mpi_f08
  use rankine
  use layouts_of_types
  use checks
  implicit none
  integer :: rank, size_, next, before

  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size_)
  next = mod(rank + 1, size_)
  before = mod(rank + size_ - 1, size_)
  call places
  call without_components
  call families
  call freed
  call finish
contains
  subroutine places
    type(body) :: own(3), came(3)
    type(weighted) :: heavy, light
    integer :: i
    do i = 1, 3
      own(i)%id = 10 * rank + i
      own(i)%p = point(i, -i)
      own(i)%text = 'abc'
      own(i)%n(2)%c = cmplx(i, rank)
      own(i)%n(2)%a = [1.5, 2.5]
      own(i)%n(2)%short = [7_2, 8_2]
      own(i)%n(1)%flags(3) = .true.
      own(i)%last = 5
      own(i)%more = [point(i, 1), point(rank, 2)]
    end do
    call rankine_sendrecv(own, next, 1, came, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    do i = 1, 3
      call check(came(i)%id == 10 * before + i .and. came(i)%p%x == i .and. came(i)%p%y == -i, 'points at four')
      call check(came(i)%n(2)%c == cmplx(i, before) .and. all(came(i)%n(2)%a == [1.5, 2.5]), 'complex numbers and rows')
      call check(all(came(i)%n(2)%short == [7, 8]) .and. came(i)%n(1)%flags(3), 'small numbers')
      call check(came(i)%text == 'abc' .and. came(i)%last == 5, 'what lies around them')
      call check(size(came(i)%more) == 2 .and. came(i)%more(1)%x == i .and. came(i)%more(2)%x == before, 'more points')
    end do
    heavy%x = rank
    heavy%weight = 2.5
    heavy%inside = own(2)
    call rankine_sendrecv(heavy, next, 2, light, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(light%x == before .and. light%weight == 2.5 .and. light%inside%id == 10 * before + 2, 'inherited and inside')
    call check(light%inside%more(2)%y == 2, 'the points of what lies inside')
  end subroutine

  subroutine without_components
    type(holder) :: own(2), came(2)
    integer :: i
    call rankine_describe(own(1), transport='target targets', weak='parent')
    do i = 1, 2
      own(i)%id = i
      own(i)%last = rank
      allocate(own(i)%target)
      allocate(own(i)%targets(2:4))
      own(i)%parent => own(1)%target
    end do
    allocate(own(1)%one, own(1)%row(-1:2))
    call rankine_sendrecv(own, next, 3, came, before, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(allocated(came(1)%one) .and. .not. allocated(came(1)%none) .and. .not. allocated(came(2)%one), 'what is there')
    call check(lbound(came(1)%row, 1) == -1 .and. ubound(came(1)%row, 1) == 2, 'bounds of what has no bytes')
    do i = 1, 2
      call check(came(i)%id == i .and. came(i)%last == before, 'numbers around nothing')
      call check(associated(came(i)%target) .eqv. associated(own(i)%target), 'a pointer to nothing')
      call check(lbound(came(i)%targets, 1) == 2 .and. size(came(i)%targets) == 3, 'a pointer to a row of nothing')
      deallocate(came(i)%target, came(i)%targets, own(i)%target, own(i)%targets)
    end do
    deallocate(came(1)%one, came(1)%row)
  end subroutine

  recursive subroutine grow(at, depth)
    type(person), intent(inout), target :: at
    integer, intent(in) :: depth
    integer :: i
    if (depth == 0) return
    allocate(at%children(depth))
    do i = 1, depth
      at%children(i)%number = 10 * at%number + i
      at%children(i)%parent => at
      call grow(at%children(i), depth - 1)
    end do
  end subroutine

  recursive subroutine check_family(at, depth, count)
    type(person), intent(in), target :: at
    integer, intent(in) :: depth
    integer, intent(inout) :: count
    integer :: i
    count = count + 1
    if (depth == 0) return
    do i = 1, depth
      call check(associated(at%children(i)%parent, at), 'every parent has come')
      call check(at%children(i)%number == 10 * at%number + i, 'the number of a child')
      call check_family(at%children(i), depth - 1, count)
    end do
  end subroutine

  ! Parents lie in arrays, but for the first one.
  subroutine families
    type(person), target :: own, came
    type(MPI_Request) :: request
    integer :: count
    call rankine_describe(own, weak='parent')
    own%number = 1
    call grow(own, 5)
    call rankine_sendrecv(own, next, 4, came, before, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    count = 0
    call check_family(came, 5, count)
    call check(count == 326, 'a family of 326')
    ! A branch, as messages and in one collective.
    call rankine_isend(own%children(2), next, 5, MPI_COMM_WORLD, request)
    call rankine_recv(came, before, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    count = 0
    call check_family(came, 4, count)
    call check(.not. associated(came%parent) .and. came%number == 12, 'its own parent stays behind')
    call rankine_bcast(own, 0, MPI_COMM_WORLD)
    count = 0
    call check_family(own, 5, count)
  end subroutine

  ! Pointers that do not travel are not freed, and stay what they were; no block of an allocatable is lost.
  subroutine freed
    type(person), target :: friend
    type(person) :: own
    type(holder) :: rows
    integer(8) :: lowest, highest
    integer :: i
    own%stays => friend
    own%parent => friend
    allocate(own%children(3))
    call rankine_free(own)
    call check(associated(own%stays, friend), 'what is not freed stays')
    call check(.not. associated(own%parent) .and. .not. allocated(own%children), 'what is freed does not')
    ! The memory of the first ones is taken again, so they do not spread.
    lowest = huge(lowest)
    highest = 0
    do i = 1, 20000
      allocate(own%children(0), rows%row(5), rows%one)
      lowest = min(lowest, loc(own%children), loc(rows%row))
      highest = max(highest, loc(own%children), loc(rows%row))
      call rankine_free(own)
      call rankine_free(rows)
      if (allocated(own%children) .or. allocated(rows%row) .or. allocated(rows%one)) exit
    end do
    call check(i == 20001 .and. highest - lowest < 100000, 'blocks without bytes are freed')
  end subroutine
end program
