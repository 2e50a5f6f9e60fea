! Distributed arrays over MPI: make a grid, write halos, gather. A thin layer over rankine/arrays.h, whose comments say more.
!
!     type(rankine_grid) :: grid
!     type(rankine_array) :: u
!     real(8), pointer :: a(:, :)
!     call grid%create(MPI_COMM_WORLD, 2)
!     call u%create('u', grid, [rankine_block(500, ghosts=1), rankine_block(500, ghosts=1)], MPI_DOUBLE_PRECISION)
!     call u%local(a)                       ! this rank's part; its bounds are those of the whole array, from 1 on
!     call u%write_halo()
!     do j = u%first(2), u%last(2)
!       do i = u%first(1), u%last(1)
!         ... a(i - 1, j) ...
!
! Dimensions, indices and the grid's dimensions count from 1; the first dimension of an array runs fastest. Where ranges are
! dealt out in turn the bounds of a part are 1 and its size, and u%global(d, k) is the index in the whole array. Calls are
! collective except local, first, last, global, owner. A wrong use ends the job with an error that names array, dimension and
! rank, unless the communicator's error handler is MPI_ERRORS_RETURN: then ierror is not 0, and rankine_arrays_error() has
! the text.
module rankine_arrays
  use, intrinsic :: iso_c_binding
  use mpi_f08_types, only: MPI_Comm, MPI_Datatype, MPI_Op
  implicit none
  private
  public :: rankine_grid, rankine_array, rankine_remap, rankine_range, rankine_block, rankine_cyclic, rankine_irregular, &
            rankine_collapsed, rankine_copy, rankine_transpose, rankine_shift, rankine_cshift, rankine_arrays_error

  integer, parameter, public :: rankine_faces = 0, rankine_corners = 1
  integer, parameter :: collapsed = 0, block = 1, cyclic = 2, irregular = 3

  type :: rankine_range
    private
    integer :: extent = 0, kind = collapsed, block = 0, below = 0, above = 0, along = 0
    logical :: periodic = .false.
    integer, allocatable :: blocks(:)
  end type

  ! Rankine_Range of C, and Rankine_Dimension.
  type, bind(C) :: c_range
    integer(c_int) :: extent, kind, block
    type(c_ptr) :: blocks
    integer(c_int) :: below, above, periodic, along
  end type
  type, bind(C) :: c_dimension
    integer(c_int) :: extent, first, count, below, above, room, stride
  end type

  type :: rankine_grid
    private
    type(c_ptr) :: handle = c_null_ptr
    integer :: dimensions = 0
  contains
    procedure :: create => grid_create
    procedure :: free => grid_free
    procedure :: shape => grid_shape
    procedure :: coords => grid_coords
  end type

  type :: rankine_array
    private
    type(c_ptr) :: handle = c_null_ptr
    integer :: dimensions = 0
  contains
    procedure :: create => array_create
    procedure :: free => array_free
    procedure :: first => array_first
    procedure :: last => array_last
    procedure :: global => array_global
    procedure :: owner => array_owner
    procedure :: fill => array_fill
    procedure :: write_halo => array_write_halo
    procedure :: start_halo => array_start_halo
    procedure :: finish_halo => array_finish_halo
    procedure :: gather => array_gather
    procedure :: scatter => array_scatter
    procedure :: reduce => array_reduce
    procedure :: extreme => array_extreme
    procedure :: dot => array_dot
    procedure :: write_npy => array_write_npy
    procedure :: read_npy => array_read_npy
    ! Makes a pointer to this rank's part, ghost cells included.
    generic :: local => local_r8_1, local_r8_2, local_r8_3, local_r8_4, &
      local_r4_1, local_r4_2, local_r4_3, local_r4_4, &
      local_i4_1, local_i4_2, local_i4_3, local_i4_4, &
      local_i8_1, local_i8_2, local_i8_3, local_i8_4, &
      local_c8_1, local_c8_2, local_c8_3, local_c8_4
    procedure, private :: part => array_part
    procedure, private :: local_r8_1, local_r8_2, local_r8_3, local_r8_4, &
      local_r4_1, local_r4_2, local_r4_3, local_r4_4, &
      local_i4_1, local_i4_2, local_i4_3, local_i4_4, &
      local_i8_1, local_i8_2, local_i8_3, local_i8_4, &
      local_c8_1, local_c8_2, local_c8_3, local_c8_4
  end type

  ! A copy between two distributions, compiled.
  type :: rankine_remap
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => remap_create
    procedure :: run => remap_run
    procedure :: free => remap_free
  end type

  interface
    function c_grid_create(comm, dimensions, shape, grid) result(code) bind(C, name='Rankine_Grid_create')
      import
      integer(c_int), value :: comm, dimensions
      integer(c_int), intent(in) :: shape(*)
      type(c_ptr), intent(out) :: grid
      integer(c_int) :: code
    end function
    subroutine c_in_fortran(grid) bind(C, name='arrays_in_fortran')
      import
      type(c_ptr), value :: grid
    end subroutine
    function c_grid_free(grid) result(code) bind(C, name='Rankine_Grid_free')
      import
      type(c_ptr), intent(inout) :: grid
      integer(c_int) :: code
    end function
    function c_grid_get(grid, shape, coords) result(code) bind(C, name='Rankine_Grid_get')
      import
      type(c_ptr), value :: grid
      integer(c_int), intent(out) :: shape(*), coords(*)
      integer(c_int) :: code
    end function
    function c_array_create(name, grid, dimensions, ranges, element, array) result(code) bind(C, name='Rankine_Array_create')
      import
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: grid
      integer(c_int), value :: dimensions, element
      type(c_range), intent(in) :: ranges(*)
      type(c_ptr), intent(out) :: array
      integer(c_int) :: code
    end function
    function c_array_free(array) result(code) bind(C, name='Rankine_Array_free')
      import
      type(c_ptr), intent(inout) :: array
      integer(c_int) :: code
    end function
    function c_array_local(array) result(local) bind(C, name='Rankine_Array_local')
      import
      type(c_ptr), value :: array
      type(c_ptr) :: local
    end function
    function c_array_dimension(array, dimension, of) result(code) bind(C, name='Rankine_Array_dimension')
      import
      type(c_ptr), value :: array
      integer(c_int), value :: dimension
      type(c_dimension), intent(out) :: of
      integer(c_int) :: code
    end function
    function c_array_global(array, dimension, local) result(global) bind(C, name='Rankine_Array_global')
      import
      type(c_ptr), value :: array
      integer(c_int), value :: dimension, local
      integer(c_int) :: global
    end function
    function c_array_owner(array, index, rank) result(code) bind(C, name='Rankine_Array_owner')
      import
      type(c_ptr), value :: array
      integer(c_int), intent(in) :: index(*)
      integer(c_int), intent(out) :: rank
      integer(c_int) :: code
    end function
    function c_array_fill(array, element) result(code) bind(C, name='Rankine_Array_fill')
      import
      type(c_ptr), value :: array
      type(*), intent(in) :: element
      integer(c_int) :: code
    end function
    function c_start_halo(array, which) result(code) bind(C, name='Rankine_Start_halo')
      import
      type(c_ptr), value :: array
      integer(c_int), value :: which
      integer(c_int) :: code
    end function
    function c_finish_halo(array) result(code) bind(C, name='Rankine_Finish_halo')
      import
      type(c_ptr), value :: array
      integer(c_int) :: code
    end function
    function c_gather(array, root, all) result(code) bind(C, name='Rankine_Array_gather')
      import
      type(c_ptr), value :: array
      integer(c_int), value :: root
      type(*) :: all(*)
      integer(c_int) :: code
    end function
    function c_scatter(array, root, all) result(code) bind(C, name='Rankine_Array_scatter')
      import
      type(c_ptr), value :: array
      integer(c_int), value :: root
      type(*), intent(in) :: all(*)
      integer(c_int) :: code
    end function
    function c_reduce(array, op, result) result(code) bind(C, name='Rankine_Reduce')
      import
      type(c_ptr), value :: array
      integer(c_int), value :: op
      type(*) :: result
      integer(c_int) :: code
    end function
    function c_extreme(array, op, result, index) result(code) bind(C, name='Rankine_Extreme')
      import
      type(c_ptr), value :: array
      integer(c_int), value :: op
      type(*) :: result
      integer(c_int), intent(out) :: index(*)
      integer(c_int) :: code
    end function
    function c_dot(a, b, result) result(code) bind(C, name='Rankine_Dot')
      import
      type(c_ptr), value :: a, b
      real(c_double), intent(out) :: result
      integer(c_int) :: code
    end function
    function c_npy(array, path, writes, is_fortran) result(code) bind(C, name='arrays_npy')
      import
      type(c_ptr), value :: array
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: writes, is_fortran
      integer(c_int) :: code
    end function
    function c_copy(target, source) result(code) bind(C, name='Rankine_Copy')
      import
      type(c_ptr), value :: target, source
      integer(c_int) :: code
    end function
    function c_transpose(target, source, order) result(code) bind(C, name='Rankine_Transpose')
      import
      type(c_ptr), value :: target, source
      integer(c_int), intent(in) :: order(*)
      integer(c_int) :: code
    end function
    function c_shift(target, source, dimension, by) result(code) bind(C, name='Rankine_Shift')
      import
      type(c_ptr), value :: target, source
      integer(c_int), value :: dimension, by
      integer(c_int) :: code
    end function
    function c_cshift(target, source, dimension, by) result(code) bind(C, name='Rankine_Cshift')
      import
      type(c_ptr), value :: target, source
      integer(c_int), value :: dimension, by
      integer(c_int) :: code
    end function
    function c_remap_create(target, source, remap) result(code) bind(C, name='Rankine_Remap_create')
      import
      type(c_ptr), value :: target, source
      type(c_ptr), intent(out) :: remap
      integer(c_int) :: code
    end function
    function c_remap_run(remap, target, source) result(code) bind(C, name='Rankine_Remap_run')
      import
      type(c_ptr), value :: remap, target, source
      integer(c_int) :: code
    end function
    function c_remap_free(remap) result(code) bind(C, name='Rankine_Remap_free')
      import
      type(c_ptr), intent(inout) :: remap
      integer(c_int) :: code
    end function
    function c_error() result(text) bind(C, name='Rankine_Arrays_error')
      import
      type(c_ptr) :: text
    end function
    function c_length(text) result(length) bind(C, name='strlen')
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
  end interface
contains
  subroutine report(code, ierror)
    integer(c_int), intent(in) :: code
    integer, optional, intent(out) :: ierror
    if (present(ierror)) ierror = code
  end subroutine

  ! The text of the last error.
  function rankine_arrays_error() result(text)
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: n
    call c_f_pointer(c_error(), letters, [c_length(c_error())])
    allocate (character(len=size(letters)) :: text)
    do n = 1, size(letters)
      text(n:n) = letters(n)
    end do
  end function

  ! Ranges. Each takes the next free dimension of the grid unless `along` names one.

  ! A block for each rank, as even as can be.
  pure function rankine_block(extent, ghosts, periodic, along) result(range)
    integer, intent(in) :: extent
    integer, optional, intent(in) :: ghosts, along
    logical, optional, intent(in) :: periodic
    type(rankine_range) :: range
    range%extent = extent
    range%kind = block
    call add(range, ghosts, periodic, along)
  end function

  ! Blocks of these lengths.
  pure function rankine_irregular(blocks, ghosts, periodic, along) result(range)
    integer, intent(in) :: blocks(:)
    integer, optional, intent(in) :: ghosts, along
    logical, optional, intent(in) :: periodic
    type(rankine_range) :: range
    range%extent = sum(blocks)
    range%kind = irregular
    range%block = size(blocks)
    range%blocks = blocks
    call add(range, ghosts, periodic, along)
  end function

  ! Blocks of one length, dealt out in turn.
  pure function rankine_cyclic(extent, length, along) result(range)
    integer, intent(in) :: extent
    integer, optional, intent(in) :: length, along
    type(rankine_range) :: range
    range%extent = extent
    range%kind = cyclic
    range%block = 1
    if (present(length)) range%block = length
    call add(range, along=along)
  end function

  ! Not distributed.
  pure function rankine_collapsed(extent, ghosts, periodic) result(range)
    integer, intent(in) :: extent
    integer, optional, intent(in) :: ghosts
    logical, optional, intent(in) :: periodic
    type(rankine_range) :: range
    range%extent = extent
    call add(range, ghosts, periodic)
  end function

  pure subroutine add(range, ghosts, periodic, along)
    type(rankine_range), intent(inout) :: range
    integer, optional, intent(in) :: ghosts, along
    logical, optional, intent(in) :: periodic
    if (present(ghosts)) range%below = ghosts
    range%above = range%below
    if (present(periodic)) range%periodic = periodic
    if (present(along)) range%along = along
  end subroutine

  ! Of a shape that is chosen where `shape` is absent or 0.
  subroutine grid_create(self, comm, dimensions, shape, ierror)
    class(rankine_grid), intent(inout) :: self
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: dimensions
    integer, optional, intent(in) :: shape(dimensions)
    integer, optional, intent(out) :: ierror
    integer(c_int) :: wanted(dimensions), code
    wanted = 0
    if (present(shape)) wanted = shape
    code = c_grid_create(comm%MPI_VAL, dimensions, wanted, self%handle)
    if (code == 0) call c_in_fortran(self%handle)
    self%dimensions = dimensions
    call report(code, ierror)
  end subroutine

  subroutine grid_free(self, ierror)
    class(rankine_grid), intent(inout) :: self
    integer, optional, intent(out) :: ierror
    call report(c_grid_free(self%handle), ierror)
  end subroutine

  function grid_shape(self) result(shape)
    class(rankine_grid), intent(in) :: self
    integer :: shape(self%dimensions), coords(self%dimensions), code
    code = c_grid_get(self%handle, shape, coords)
  end function

  ! Where this rank is, from 1 on.
  function grid_coords(self) result(coords)
    class(rankine_grid), intent(in) :: self
    integer :: shape(self%dimensions), coords(self%dimensions), code
    code = c_grid_get(self%handle, shape, coords)
    coords = coords + 1
  end function

  ! An array of zeros.
  subroutine array_create(self, name, grid, ranges, element, ierror)
    class(rankine_array), intent(inout) :: self
    character(len=*), intent(in) :: name
    type(rankine_grid), intent(in) :: grid
    type(rankine_range), target, intent(in) :: ranges(:)
    type(MPI_Datatype), intent(in) :: element
    integer, optional, intent(out) :: ierror
    type(c_range) :: reversed(size(ranges))
    integer, allocatable, target :: blocks(:, :)
    logical :: taken(grid%dimensions)
    integer :: d, along(size(ranges))
    ! The grid's dimensions are given out in our order; the ranges are reversed.
    along = ranges%along - 1
    taken = .false.
    do d = 1, size(ranges)
      if (along(d) >= 0 .and. along(d) < grid%dimensions .and. ranges(d)%kind /= collapsed) taken(along(d) + 1) = .true.
    end do
    do d = 1, size(ranges)
      if (along(d) >= 0 .or. ranges(d)%kind == collapsed .or. all(taken)) cycle
      along(d) = findloc(taken, .false., dim=1) - 1
      taken(along(d) + 1) = .true.
    end do
    allocate (blocks(max(1, maxval(ranges%block)), size(ranges)))
    do d = 1, size(ranges)
      associate (range => ranges(d), to => reversed(size(ranges) + 1 - d))
        to = c_range(range%extent, range%kind, range%block, c_null_ptr, range%below, range%above, &
                     merge(1, 0, range%periodic), along(d))
        if (range%kind == irregular) then
          blocks(1:range%block, d) = range%blocks
          to%blocks = c_loc(blocks(1, d))
        end if
      end associate
    end do
    self%dimensions = size(ranges)
    call report(c_array_create(trim(name)//c_null_char, grid%handle, size(ranges), reversed, element%MPI_VAL, &
                               self%handle), ierror)
  end subroutine

  subroutine array_free(self, ierror)
    class(rankine_array), intent(inout) :: self
    integer, optional, intent(out) :: ierror
    call report(c_array_free(self%handle), ierror)
  end subroutine

  ! A dimension as C tells it.
  function array_part(self, dimension) result(of)
    class(rankine_array), intent(in) :: self
    integer, intent(in) :: dimension
    type(c_dimension) :: of
    integer(c_int) :: code
    code = c_array_dimension(self%handle, self%dimensions - dimension, of)
  end function

  ! The bounds of a pointer to the local part.
  function lower(self) result(bounds)
    class(rankine_array), intent(in) :: self
    integer :: bounds(4), d
    type(c_dimension) :: of
    bounds = 1
    do d = 1, self%dimensions
      of = self%part(d)
      ! Where indices follow each other, the last one is count - 1 behind the first.
      if (of%count == 0) cycle
      if (c_array_global(self%handle, self%dimensions - d, of%below + of%count - 1) - of%first == of%count - 1) &
        bounds(d) = of%first - of%below + 1
    end do
  end function

  function rooms(self) result(shape)
    class(rankine_array), intent(in) :: self
    integer :: shape(self%dimensions), d
    type(c_dimension) :: of
    do d = 1, self%dimensions
      of = self%part(d)
      shape(d) = of%room
    end do
  end function

  ! The first index of a dimension that this rank owns; with a margin, outside of so many indices at the whole array's ends.
  function array_first(self, dimension, margin) result(first)
    class(rankine_array), intent(in) :: self
    integer, intent(in) :: dimension
    integer, optional, intent(in) :: margin
    integer :: first
    type(c_dimension) :: of
    of = self%part(dimension)
    first = of%first + 1
    if (present(margin)) first = max(first, 1 + margin)
  end function

  ! The last one.
  function array_last(self, dimension, margin) result(last)
    class(rankine_array), intent(in) :: self
    integer, intent(in) :: dimension
    integer, optional, intent(in) :: margin
    integer :: last
    type(c_dimension) :: of
    of = self%part(dimension)
    last = of%first + of%count
    if (present(margin)) last = min(last, of%extent - margin)
  end function

  ! The index in the whole array of the k-th one of this rank's part, ghost cells included.
  function array_global(self, dimension, k) result(global)
    class(rankine_array), intent(in) :: self
    integer, intent(in) :: dimension, k
    integer :: global
    global = c_array_global(self%handle, self%dimensions - dimension, k - 1) + 1
  end function

  ! The rank that owns an element.
  subroutine array_owner(self, index, rank, ierror)
    class(rankine_array), intent(in) :: self
    integer, intent(in) :: index(:)
    integer, intent(out) :: rank
    integer, optional, intent(out) :: ierror
    call report(c_array_owner(self%handle, index(size(index):1:-1) - 1, rank), ierror)
  end subroutine

  ! Sets everything that this rank stores.
  subroutine array_fill(self, element, ierror)
    class(rankine_array), intent(inout) :: self
    type(*), intent(in) :: element
    integer, optional, intent(out) :: ierror
    call report(c_array_fill(self%handle, element), ierror)
  end subroutine

  ! Copies the neighbours' rims to the ghost cells: rankine_faces, or rankine_corners with edges and corners.
  subroutine array_write_halo(self, which, ierror)
    class(rankine_array), intent(inout) :: self
    integer, optional, intent(in) :: which
    integer, optional, intent(out) :: ierror
    integer :: code
    call self%start_halo(which, code)
    if (code == 0) code = c_finish_halo(self%handle)
    call report(code, ierror)
  end subroutine

  subroutine array_start_halo(self, which, ierror)
    class(rankine_array), intent(inout) :: self
    integer, optional, intent(in) :: which
    integer, optional, intent(out) :: ierror
    integer(c_int) :: kind
    kind = rankine_faces
    if (present(which)) kind = which
    call report(c_start_halo(self%handle, kind), ierror)
  end subroutine

  subroutine array_finish_halo(self, ierror)
    class(rankine_array), intent(inout) :: self
    integer, optional, intent(out) :: ierror
    call report(c_finish_halo(self%handle), ierror)
  end subroutine

  ! The whole array in the memory of one rank; the others' `all` is not used.
  subroutine array_gather(self, root, all, ierror)
    class(rankine_array), intent(in) :: self
    integer, intent(in) :: root
    type(*) :: all(*)
    integer, optional, intent(out) :: ierror
    call report(c_gather(self%handle, root, all), ierror)
  end subroutine

  subroutine array_scatter(self, root, all, ierror)
    class(rankine_array), intent(inout) :: self
    integer, intent(in) :: root
    type(*), intent(in) :: all(*)
    integer, optional, intent(out) :: ierror
    call report(c_scatter(self%handle, root, all), ierror)
  end subroutine

  ! Reduces all elements to one, of the array's type.
  subroutine array_reduce(self, op, result, ierror)
    class(rankine_array), intent(in) :: self
    type(MPI_Op), intent(in) :: op
    type(*) :: result
    integer, optional, intent(out) :: ierror
    call report(c_reduce(self%handle, op%MPI_VAL, result), ierror)
  end subroutine

  ! The greatest or least element, by MPI_MAX or MPI_MIN, and where it is.
  subroutine array_extreme(self, op, result, index, ierror)
    class(rankine_array), intent(in) :: self
    type(MPI_Op), intent(in) :: op
    type(*) :: result
    integer, intent(out) :: index(:)
    integer, optional, intent(out) :: ierror
    integer(c_int) :: reversed(self%dimensions), code
    code = c_extreme(self%handle, op%MPI_VAL, result, reversed)
    if (code == 0) index(:self%dimensions) = reversed(self%dimensions:1:-1) + 1
    call report(code, ierror)
  end subroutine

  ! The sum of products, of arrays of double precision that are distributed alike.
  subroutine array_dot(self, other, result, ierror)
    class(rankine_array), intent(in) :: self
    type(rankine_array), intent(in) :: other
    real(c_double), intent(out) :: result
    integer, optional, intent(out) :: ierror
    call report(c_dot(self%handle, other%handle, result), ierror)
  end subroutine

  ! As NumPy saves arrays, in Fortran's order.
  subroutine array_write_npy(self, path, ierror)
    class(rankine_array), intent(in) :: self
    character(len=*), intent(in) :: path
    integer, optional, intent(out) :: ierror
    call report(c_npy(self%handle, trim(path)//c_null_char, 1, 1), ierror)
  end subroutine

  subroutine array_read_npy(self, path, ierror)
    class(rankine_array), intent(inout) :: self
    character(len=*), intent(in) :: path
    integer, optional, intent(out) :: ierror
    call report(c_npy(self%handle, trim(path)//c_null_char, 0, 1), ierror)
  end subroutine

  ! target = source, whatever the distributions.
  subroutine rankine_copy(target, source, ierror)
    type(rankine_array), intent(inout) :: target
    type(rankine_array), intent(in) :: source
    integer, optional, intent(out) :: ierror
    call report(c_copy(target%handle, source%handle), ierror)
  end subroutine

  ! The target's dimension d is the source's dimension order(d).
  subroutine rankine_transpose(target, source, order, ierror)
    type(rankine_array), intent(inout) :: target
    type(rankine_array), intent(in) :: source
    integer, intent(in) :: order(:)
    integer, optional, intent(out) :: ierror
    call report(c_transpose(target%handle, source%handle, size(order) - order(size(order):1:-1)), ierror)
  end subroutine

  ! target(.., k, ..) = source(.., k + by, ..), leaving what has no source.
  subroutine rankine_shift(target, source, dimension, by, ierror)
    type(rankine_array), intent(inout) :: target
    type(rankine_array), intent(in) :: source
    integer, intent(in) :: dimension, by
    integer, optional, intent(out) :: ierror
    call report(c_shift(target%handle, source%handle, target%dimensions - dimension, by), ierror)
  end subroutine

  ! The same around the end, as the intrinsic cshift.
  subroutine rankine_cshift(target, source, dimension, by, ierror)
    type(rankine_array), intent(inout) :: target
    type(rankine_array), intent(in) :: source
    integer, intent(in) :: dimension, by
    integer, optional, intent(out) :: ierror
    call report(c_cshift(target%handle, source%handle, target%dimensions - dimension, by), ierror)
  end subroutine

  subroutine remap_create(self, target, source, ierror)
    class(rankine_remap), intent(inout) :: self
    type(rankine_array), intent(in) :: target, source
    integer, optional, intent(out) :: ierror
    call report(c_remap_create(target%handle, source%handle, self%handle), ierror)
  end subroutine

  subroutine remap_run(self, target, source, ierror)
    class(rankine_remap), intent(in) :: self
    type(rankine_array), intent(inout) :: target
    type(rankine_array), intent(in) :: source
    integer, optional, intent(out) :: ierror
    call report(c_remap_run(self%handle, target%handle, source%handle), ierror)
  end subroutine

  subroutine remap_free(self, ierror)
    class(rankine_remap), intent(inout) :: self
    integer, optional, intent(out) :: ierror
    call report(c_remap_free(self%handle), ierror)
  end subroutine

  ! One for each type and rank.
  subroutine local_r8_1(self, local)
    class(rankine_array), intent(in) :: self
    real(c_double), pointer, intent(out) :: local(:)
    real(c_double), pointer :: part(:)
    integer :: low(4)
    low = lower(self)
    call c_f_pointer(c_array_local(self%handle), part, rooms(self))
    local(low(1):) => part
  end subroutine

  subroutine local_r8_2(self, local)
    class(rankine_array), intent(in) :: self
    real(c_double), pointer, intent(out) :: local(:, :)
    real(c_double), pointer :: part(:, :)
    integer :: low(4)
    low = lower(self)
    call c_f_pointer(c_array_local(self%handle), part, rooms(self))
    local(low(1):, low(2):) => part
  end subroutine

  subroutine local_r8_3(self, local)
    class(rankine_array), intent(in) :: self
    real(c_double), pointer, intent(out) :: local(:, :, :)
    real(c_double), pointer :: part(:, :, :)
    integer :: low(4)
    low = lower(self)
    call c_f_pointer(c_array_local(self%handle), part, rooms(self))
    local(low(1):, low(2):, low(3):) => part
  end subroutine

  subroutine local_r8_4(self, local)
    class(rankine_array), intent(in) :: self
    real(c_double), pointer, intent(out) :: local(:, :, :, :)
    real(c_double), pointer :: part(:, :, :, :)
    integer :: low(4)
    low = lower(self)
    call c_f_pointer(c_array_local(self%handle), part, rooms(self))
    local(low(1):, low(2):, low(3):, low(4):) => part
  end subroutine

  subroutine local_r4_1(self, local)
    class(rankine_array), intent(in) :: self
    real(c_float), pointer, intent(out) :: local(:)
    real(c_float), pointer :: part(:)
    integer :: low(4)
    low = lower(self)
    call c_f_pointer(c_array_local(self%handle), part, rooms(self))
    local(low(1):) => part
  end subroutine

  subroutine local_r4_2(self, local)
    class(rankine_array), intent(in) :: self
    real(c_float), pointer, intent(out) :: local(:, :)
    real(c_float), pointer :: part(:, :)
    integer :: low(4)
    low = lower(self)
    call c_f_pointer(c_array_local(self%handle), part, rooms(self))
    local(low(1):, low(2):) => part
  end subroutine

  subroutine local_r4_3(self, local)
    class(rankine_array), intent(in) :: self
    real(c_float), pointer, intent(out) :: local(:, :, :)
    real(c_float), pointer :: part(:, :, :)
    integer :: low(4)
    low = lower(self)
    call c_f_pointer(c_array_local(self%handle), part, rooms(self))
    local(low(1):, low(2):, low(3):) => part
  end subroutine

  subroutine local_r4_4(self, local)
    class(rankine_array), intent(in) :: self
    real(c_float), pointer, intent(out) :: local(:, :, :, :)
    real(c_float), pointer :: part(:, :, :, :)
    integer :: low(4)
    low = lower(self)
    call c_f_pointer(c_array_local(self%handle), part, rooms(self))
    local(low(1):, low(2):, low(3):, low(4):) => part
  end subroutine

  subroutine local_i4_1(self, local)
    class(rankine_array), intent(in) :: self
    integer(c_int32_t), pointer, intent(out) :: local(:)
    integer(c_int32_t), pointer :: part(:)
    integer :: low(4)
    low = lower(self)
    call c_f_pointer(c_array_local(self%handle), part, rooms(self))
    local(low(1):) => part
  end subroutine

  subroutine local_i4_2(self, local)
    class(rankine_array), intent(in) :: self
    integer(c_int32_t), pointer, intent(out) :: local(:, :)
    integer(c_int32_t), pointer :: part(:, :)
    integer :: low(4)
    low = lower(self)
    call c_f_pointer(c_array_local(self%handle), part, rooms(self))
    local(low(1):, low(2):) => part
  end subroutine

  subroutine local_i4_3(self, local)
    class(rankine_array), intent(in) :: self
    integer(c_int32_t), pointer, intent(out) :: local(:, :, :)
    integer(c_int32_t), pointer :: part(:, :, :)
    integer :: low(4)
    low = lower(self)
    call c_f_pointer(c_array_local(self%handle), part, rooms(self))
    local(low(1):, low(2):, low(3):) => part
  end subroutine

  subroutine local_i4_4(self, local)
    class(rankine_array), intent(in) :: self
    integer(c_int32_t), pointer, intent(out) :: local(:, :, :, :)
    integer(c_int32_t), pointer :: part(:, :, :, :)
    integer :: low(4)
    low = lower(self)
    call c_f_pointer(c_array_local(self%handle), part, rooms(self))
    local(low(1):, low(2):, low(3):, low(4):) => part
  end subroutine

  subroutine local_i8_1(self, local)
    class(rankine_array), intent(in) :: self
    integer(c_int64_t), pointer, intent(out) :: local(:)
    integer(c_int64_t), pointer :: part(:)
    integer :: low(4)
    low = lower(self)
    call c_f_pointer(c_array_local(self%handle), part, rooms(self))
    local(low(1):) => part
  end subroutine

  subroutine local_i8_2(self, local)
    class(rankine_array), intent(in) :: self
    integer(c_int64_t), pointer, intent(out) :: local(:, :)
    integer(c_int64_t), pointer :: part(:, :)
    integer :: low(4)
    low = lower(self)
    call c_f_pointer(c_array_local(self%handle), part, rooms(self))
    local(low(1):, low(2):) => part
  end subroutine

  subroutine local_i8_3(self, local)
    class(rankine_array), intent(in) :: self
    integer(c_int64_t), pointer, intent(out) :: local(:, :, :)
    integer(c_int64_t), pointer :: part(:, :, :)
    integer :: low(4)
    low = lower(self)
    call c_f_pointer(c_array_local(self%handle), part, rooms(self))
    local(low(1):, low(2):, low(3):) => part
  end subroutine

  subroutine local_i8_4(self, local)
    class(rankine_array), intent(in) :: self
    integer(c_int64_t), pointer, intent(out) :: local(:, :, :, :)
    integer(c_int64_t), pointer :: part(:, :, :, :)
    integer :: low(4)
    low = lower(self)
    call c_f_pointer(c_array_local(self%handle), part, rooms(self))
    local(low(1):, low(2):, low(3):, low(4):) => part
  end subroutine

  subroutine local_c8_1(self, local)
    class(rankine_array), intent(in) :: self
    complex(c_double), pointer, intent(out) :: local(:)
    complex(c_double), pointer :: part(:)
    integer :: low(4)
    low = lower(self)
    call c_f_pointer(c_array_local(self%handle), part, rooms(self))
    local(low(1):) => part
  end subroutine

  subroutine local_c8_2(self, local)
    class(rankine_array), intent(in) :: self
    complex(c_double), pointer, intent(out) :: local(:, :)
    complex(c_double), pointer :: part(:, :)
    integer :: low(4)
    low = lower(self)
    call c_f_pointer(c_array_local(self%handle), part, rooms(self))
    local(low(1):, low(2):) => part
  end subroutine

  subroutine local_c8_3(self, local)
    class(rankine_array), intent(in) :: self
    complex(c_double), pointer, intent(out) :: local(:, :, :)
    complex(c_double), pointer :: part(:, :, :)
    integer :: low(4)
    low = lower(self)
    call c_f_pointer(c_array_local(self%handle), part, rooms(self))
    local(low(1):, low(2):, low(3):) => part
  end subroutine

  subroutine local_c8_4(self, local)
    class(rankine_array), intent(in) :: self
    complex(c_double), pointer, intent(out) :: local(:, :, :, :)
    complex(c_double), pointer :: part(:, :, :, :)
    integer :: low(4)
    low = lower(self)
    call c_f_pointer(c_array_local(self%handle), part, rooms(self))
    local(low(1):, low(2):, low(3):, low(4):) => part
  end subroutine
end module
