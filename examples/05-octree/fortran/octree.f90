! Every rank sorts its bodies into an octree; then all ranks get all trees, and each adds up the potential of its bodies in them.
module trees
  implicit none
  integer, parameter :: bodies = 600, long = selected_int_kind(18)

  type branch
    type(cell), pointer :: cell => null()
  end type
  type cell
    real(8) :: mass = 0, at(3) = 0   ! of all bodies inside, and their centre
    real(8) :: size = 0              ! length of an edge
    type(branch) :: child(0:7)
  end type
contains
  ! The same bodies on every machine and for every number of ranks.
  function body(number) result(at)
    integer, intent(in) :: number
    real(8) :: at(3)
    integer(long) :: state
    integer :: axis
    state = iand(number * 2654435761_long, 4294967295_long) + 12345
    do axis = 1, 3
      state = state * 6364136223846793005_long + 1442695040888963407_long
      at(axis) = real(ishft(state, -40), 8) / 2**24
    end do
  end function

  function new_cell(size) result(new)
    real(8), intent(in) :: size
    type(cell), pointer :: new
    allocate(new)
    new%size = size
  end function

  ! Puts a body of mass 1 into a cell that begins at `corner`.
  recursive subroutine insert(into, at, corner)
    type(cell), intent(inout) :: into
    real(8), intent(in) :: at(3), corner(3)
    if (into%mass == 1) call push_down(into%at)   ! a leaf: its body moves down
    if (into%mass > 0) call push_down(at)
    into%at = (into%at * into%mass + at) / (into%mass + 1)
    into%mass = into%mass + 1
  contains
    recursive subroutine push_down(moved)
      real(8), intent(in) :: moved(3)
      logical :: upper(3)
      integer :: index
      upper = moved >= corner + into%size / 2
      index = sum(merge([1, 2, 4], 0, upper))
      if (.not. associated(into%child(index)%cell)) into%child(index)%cell => new_cell(into%size / 2)
      call insert(into%child(index)%cell, moved, corner + merge(into%size / 2, 0d0, upper))
    end subroutine
  end subroutine

  recursive real(8) function potential(of, at) result(total)
    type(cell), intent(in) :: of
    real(8), intent(in) :: at(3)
    real(8) :: square
    integer :: index
    total = 0
    square = sum((of%at - at)**2)
    if (of%mass <= 1 .or. of%size**2 < 0.1d0 * square) then
      if (square > 0) total = -of%mass / sqrt(square)
      return
    end if
    do index = 0, 7
      if (associated(of%child(index)%cell)) total = total + potential(of%child(index)%cell, at)
    end do
  end function

  recursive integer function cells(of) result(count)
    type(cell), intent(in) :: of
    integer :: index
    count = 1
    do index = 0, 7
      if (associated(of%child(index)%cell)) count = count + cells(of%child(index)%cell)
    end do
  end function

  real(8) function direct() result(total)
    real(8) :: square
    integer :: i, j
    total = 0
    do i = 0, bodies - 1
      do j = 0, bodies - 1
        square = sum((body(i) - body(j))**2)
        if (square > 0) total = total - 1 / sqrt(square)
      end do
    end do
  end function
end module

program octree
  use mpi_f08
  use rankine
  use trees
  implicit none
  type(cell) :: tree
  type(branch) :: any
  type(cell), allocatable :: all(:)
  integer :: rank, ranks, first, last, r, i, count, most
  real(8) :: energy, total
  character(len=3) :: near
  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call rankine_describe(any, transport='cell')

  tree%size = 1
  first = bodies * rank / ranks
  last = bodies * (rank + 1) / ranks - 1
  do i = first, last
    call insert(tree, body(i), [0d0, 0d0, 0d0])
  end do

  ! Here it happens: one call, and everybody has everybody's tree.
  allocate(all(ranks))
  call rankine_allgather(tree, all, MPI_COMM_WORLD)

  energy = 0
  count = 0
  do r = 1, ranks
    do i = first, last
      energy = energy + potential(all(r), body(i))
    end do
    count = count + cells(all(r))
  end do
  call MPI_Reduce(energy, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
  call MPI_Reduce(count, most, 1, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD)
  call rankine_free(all)
  call rankine_free(tree)
  if (rank == 0) then
    near = merge('   ', 'NOT', abs(total - direct()) < 0.01d0 * abs(total))
    print '(i0,a,i0,a,i0,a)', bodies, ' bodies in ', ranks, ' trees of ', most, &
      ' cells: the potential is ' // trim(adjustl(near // ' within 1 % of the direct sum'))
  end if
  call MPI_Finalize
end program
