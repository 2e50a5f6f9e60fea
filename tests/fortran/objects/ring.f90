! Random graphs with sharing, cycles, arrays, and pointers into arrays go around a ring: what comes back is the same graph.
! ranks: 1 2 4
! with: ../check.f90
module random_graphs
  use, intrinsic :: iso_c_binding, only: c_intptr_t, c_loc, c_f_pointer
  implicit none
  integer, parameter :: long = selected_int_kind(18)
  type node
    integer :: id = 0
    type(node), pointer :: one => null(), two => null(), weak => null(), left => null()
    type(node), pointer :: some(:) => null()
    real(8), pointer :: number => null()
    real(8), allocatable :: row(:), table(:, :)
    character(len=:), allocatable :: text
  end type
  type graph
    type(node), allocatable :: pool(:)
    type(node), pointer :: first => null()
  end type
  type place
    type(node), pointer :: node => null()
  end type
  ! A description that does not depend on addresses: nodes by the order in which they are met.
  type canon
    type(place), allocatable :: met(:)
    integer, allocatable :: words(:)
  end type
  integer(long) :: state
contains
  integer function below(n)
    integer, intent(in) :: n
    state = state * 6364136223846793005_long + 1442695040888963407_long
    below = int(mod(iand(ishft(state, -33), 2147483647_long), int(n, long)))
  end function

  subroutine make(g)
    type(graph), intent(inout), target :: g
    type(place), allocatable :: all(:)
    integer :: pooled, count, i, first
    pooled = below(20)
    count = pooled + 1 + below(30)
    allocate(g%pool(pooled), all(count))
    do i = 1, count
      if (i <= pooled) then
        all(i)%node => g%pool(i)
      else
        allocate(all(i)%node)
      end if
      if (below(2) == 0) all(i)%node%row = [(i + first / 8d0, first = 1, below(5))]
    end do
    do i = 1, count
      associate (node => all(i)%node)
        node%id = i
        if (i < count) node%one => all(i + 1)%node
        if (below(3) > 0) node%two => all(1 + below(count))%node
        if (below(2) == 0) node%weak => all(1 + below(count))%node
        node%left => all(1 + below(count))%node
        if (pooled > 0 .and. below(2) == 0) then
          first = 1 + below(pooled)
          node%some(below(3):) => g%pool(first:first + below(pooled - first + 1))
        end if
        if (below(3) == 0) then
          allocate(node%table(0:below(3), 2:1 + below(3)))
          node%table = i
        end if
        if (below(2) == 0) node%text = repeat('ab', below(5))
        call point(node%number, all(1 + below(count))%node)
      end associate
    end do
    g%first => all(1)%node
  end subroutine

  ! To one of the numbers of a node, if it has any.
  subroutine point(number, into)
    real(8), pointer, intent(inout) :: number
    type(node), intent(in), target :: into
    if (.not. allocated(into%row)) return
    if (size(into%row) > 0) number => into%row(1 + below(size(into%row)))
  end subroutine

  function canon_of(g) result(c)
    type(graph), intent(in), target :: g
    type(canon) :: c
    integer :: i, next
    allocate(c%met(0), c%words(0))
    do i = 1, size(g%pool)
      call meet(c, g%pool(i))
    end do
    call meet(c, g%first)
    next = 1
    do while (next <= size(c%met))
      associate (node => c%met(next)%node)
        call say(c, node%id)
        call meet(c, node%one)
        call meet(c, node%two)
        call say(c, merge(1, 0, associated(node%some)))
        if (associated(node%some)) then
          call say(c, lbound(node%some, 1))
          do i = lbound(node%some, 1), ubound(node%some, 1)
            call meet(c, node%some(i))
          end do
        end if
        call say(c, merge(1, 0, allocated(node%row)) + merge(2, 0, allocated(node%table)) + merge(4, 0, allocated(node%text)))
        if (allocated(node%row)) c%words = [c%words, size(node%row), int(8 * node%row)]
        if (allocated(node%table)) c%words = [c%words, lbound(node%table), ubound(node%table), int(sum(node%table))]
        if (allocated(node%text)) c%words = [c%words, len(node%text), index(node%text, 'ab')]
      end associate
      next = next + 1
    end do
    do i = 1, size(c%met)
      call say(c, number_of(c, c%met(i)%node%weak))
      call say_number(c, c%met(i)%node%number)
    end do
  end function

  subroutine say(c, word)
    type(canon), intent(inout) :: c
    integer, intent(in) :: word
    c%words = [c%words, word]
  end subroutine

  integer function number_of(c, one) result(number)
    type(canon), intent(in) :: c
    type(node), intent(in), target, optional :: one
    number = 0
    if (.not. present(one)) return
    do number = 1, size(c%met)
      if (loc(c%met(number)%node) == loc(one)) return
    end do
    number = -1
  end function

  subroutine meet(c, one)
    type(canon), intent(inout) :: c
    type(node), intent(in), target, optional :: one
    integer :: number
    number = number_of(c, one)
    if (number < 0) then
      c%met = [c%met, place(one)]
      number = size(c%met)
    end if
    call say(c, number)
  end subroutine

  ! Whose number it is, and which.
  subroutine say_number(c, number)
    type(canon), intent(inout) :: c
    real(8), pointer, intent(in) :: number
    integer :: i, j
    if (.not. associated(number)) return
    do i = 1, size(c%met)
      if (.not. allocated(c%met(i)%node%row)) cycle
      do j = 1, size(c%met(i)%node%row)
        if (associated(number, c%met(i)%node%row(j))) c%words = [c%words, i, j]
      end do
    end do
  end subroutine
end module

program ring
  use mpi_f08
  use rankine
  use random_graphs
  use checks
  implicit none
  type(graph), target :: own, two(0:1)
  type(node) :: any
  type(canon) :: before, after
  integer :: rank, size_, round, hop
  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size_)
  call rankine_describe(any, transport='one two some number', weak='weak')
  call rankine_describe(own, transport='first')
  do round = 1, 40
    state = round * 1000 + rank
    call make(own)
    before = canon_of(own)
    call rankine_sendrecv(own, mod(rank + 1, size_), round, two(0), mod(rank + size_ - 1, size_), round, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call rankine_free(own)
    do hop = 1, size_ - 1
      call rankine_sendrecv(two(mod(hop + 1, 2)), mod(rank + 1, size_), round, two(mod(hop, 2)), mod(rank + size_ - 1, size_), round, &
        MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call rankine_free(two(mod(hop + 1, 2)))
    end do
    after = canon_of(two(mod(size_ - 1, 2)))
    call check(size(after%words) == size(before%words), 'as much as before')
    if (size(after%words) == size(before%words)) call check(all(after%words == before%words), 'the same as before')
    call rankine_free(two(mod(size_ - 1, 2)))
  end do
  call finish
end program
