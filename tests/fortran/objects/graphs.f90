! Trees, rings and meshes of pointers: sharing and cycles are kept, what does not travel arrives disassociated, and all can be deallocated.
! ranks: 1 2 4
! with: ../check.f90
module shapes
  implicit none
  type node
    real(8) :: value = 0
    integer :: visits = 0
    type(node), pointer :: left => null(), right => null(), parent => null(), cache => null()
  end type
  type, extends(node) :: marked
    character(len=8) :: mark = ''
    type(marked), pointer :: next => null()
  end type
  type corner
    real(8) :: at(2) = 0
    type(triangle), pointer :: of => null()
  end type
  type triangle
    integer :: number = 0
    type(corner), pointer :: corners(:) => null()
    real(8), pointer :: weight => null()
    real(8), pointer :: some(:) => null()
  end type
  type mesh
    type(triangle), allocatable :: triangles(:)
    type(corner), allocatable :: all(:)
    real(8), allocatable :: weights(:)
    type(triangle), pointer :: first => null()
  end type
end module

program graphs
  use mpi_f08
  use rankine
  use shapes
  use checks
  implicit none
  integer :: rank, size, next, before
  type(MPI_Status) :: status

  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  next = mod(rank + 1, size)
  before = mod(rank + size - 1, size)
  call trees
  call rings
  call meshes
  call finish
contains
  recursive function grow(depth, number) result(tree)
    integer, intent(in) :: depth, number
    type(node), pointer :: tree
    allocate(tree)
    tree%value = number
    if (depth == 0) return
    tree%left => grow(depth - 1, 2 * number)
    tree%right => grow(depth - 1, 2 * number + 1)
    tree%left%parent => tree
    tree%right%parent => tree
    tree%cache => tree%left
  end function

  recursive integer function count_of(tree, number) result(count)
    type(node), pointer, intent(in) :: tree
    integer, intent(in) :: number
    count = 0
    if (.not. associated(tree)) return
    call check(tree%value == number, 'the value of a node')
    call check(.not. associated(tree%cache), 'what does not travel arrives disassociated')
    if (associated(tree%left)) call check(associated(tree%left%parent, tree), 'the parent of a left node')
    count = 1 + count_of(tree%left, 2 * number) + count_of(tree%right, 2 * number + 1)
  end function

  recursive subroutine fell(tree)
    type(node), pointer, intent(inout) :: tree
    integer :: stat
    if (.not. associated(tree)) return
    call fell(tree%left)
    call fell(tree%right)
    deallocate(tree, stat=stat)
    call check(stat == 0, 'a received node can be deallocated')
  end subroutine

  subroutine trees
    type(node), pointer :: own, came, branch
    integer :: count, objects
    type(MPI_Request) :: request
    call rankine_describe(own, transport='LEFT, right', weak='parent')
    own => grow(7, 1)
    allocate(came)
    call rankine_isend(own, next, 1, MPI_COMM_WORLD, request)
    call rankine_recv(came, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call rankine_get_count(status, count)
    call rankine_get_objects(status, objects)
    call check(count == 1 .and. objects == 255, 'one tree of 255 nodes')
    call check(status%MPI_SOURCE == before .and. status%MPI_TAG == 1, 'source and tag')
    call check(count_of(came, 1) == 255, '255 nodes came')
    call fell(came%left)
    ! A branch alone: its parent stays behind.
    branch => own%right
    call rankine_sendrecv(branch, next, 2, came, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(count_of(came, 3) == 127 .and. .not. associated(came%parent), 'a branch without its parent')
    call rankine_free(came)
    call check(.not. associated(came%left) .and. .not. associated(came%right), 'nothing is left of what was freed')
    deallocate(came)
    own%cache => null()
    call rankine_free(own)
    deallocate(own)
  end subroutine

  ! A ring that closes on its first element, which lies in the variable itself; of a type that extends another.
  subroutine rings
    type(marked), target :: ring, came
    type(node), target, save :: fixed
    type(marked), pointer :: at
    integer :: i
    type(MPI_Request) :: request
    call rankine_describe(ring, transport='next left')
    ring%mark = 'first'
    ring%next => ring
    do i = 1, 1000
      allocate(at)
      at%next => ring%next
      at%value = i
      ring%next => at
    end do
    if (mod(rank, 2) == 0) then
      allocate(ring%left)
    else
      ring%left => fixed   ! which is not freed with the others
    end if
    ring%left%value = 77
    call rankine_irecv(came, before, 3, MPI_COMM_WORLD, request)
    call rankine_send(ring, next, 3, MPI_COMM_WORLD)
    call MPI_Wait(request, status)
    at => came%next
    do i = 1000, 1, -1
      call check(at%value == i, 'an element of the ring')
      at => at%next
    end do
    call check(associated(at, came) .and. came%mark == 'first', 'the ring is closed')
    call check(came%left%value == 77, 'a pointer that is inherited')
    call rankine_free(came)
    call rankine_free(ring)
  end subroutine

  ! Pointers into arrays: to an element, to a part, to a number.
  subroutine meshes
    type(mesh), target :: own, came
    integer :: i
    call rankine_describe(own%all, transport='*')
    call rankine_describe(own%triangles, transport='corners weight some')
    call rankine_describe(own, transport='first')
    allocate(own%triangles(5), own%all(15), own%weights(0:6))
    own%weights = [(real(i, 8), i = 0, 6)]
    do i = 1, 5
      own%triangles(i)%number = i
      own%triangles(i)%corners => own%all(3 * i - 2:3 * i)
      own%triangles(i)%weight => own%weights(i)
      own%triangles(i)%some(-1:) => own%weights(i - 1:i + 1)
      own%all(3 * i)%of => own%triangles(i)
      own%all(3 * i)%at = [i, rank]
    end do
    own%first => own%triangles(2)
    call rankine_sendrecv(own, next, 4, came, before, 4, MPI_COMM_WORLD, status)
    call check(lbound(came%weights, 1) == 0 .and. ubound(came%weights, 1) == 6, 'bounds')
    call check(associated(came%first, came%triangles(2)), 'a pointer to an element')
    do i = 1, 5
      associate (one => came%triangles(i))
        call check(one%number == i .and. associated(one%corners, came%all(3 * i - 2:3 * i)), 'a pointer to a part')
        call check(associated(one%weight, came%weights(i)), 'a pointer to a number')
        call check(lbound(one%some, 1) == -1 .and. associated(one%some, came%weights(i - 1:i + 1)), 'parts that overlap')
        call check(associated(one%corners(3)%of, came%triangles(i)), 'and back')
      end associate
      call check(all(came%all(3 * i)%at == [i, before]), 'the numbers of a corner')
    end do
    deallocate(came%triangles, came%all, came%weights)
  end subroutine
end program
