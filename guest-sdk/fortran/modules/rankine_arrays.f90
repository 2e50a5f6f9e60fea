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
!
! A view (section, at, transposed, spread) is an array too for whatever is done to all elements. It shares the elements of the
! array that it was made of, has no local part, and must be freed before that array is.
module rankine_arrays
  use, intrinsic :: iso_c_binding
  use mpi_f08_types, only: MPI_Comm, MPI_Datatype, MPI_Op
  implicit none
  private
  public :: rankine_grid, rankine_array, rankine_remap, rankine_range, rankine_block, rankine_cyclic, rankine_irregular, &
            rankine_collapsed, rankine_copy, rankine_transpose, rankine_shift, rankine_cshift, rankine_skew, &
            rankine_lookup, rankine_show_arrows, rankine_arrays_error

  integer, parameter, public :: rankine_faces = 0, rankine_corners = 1, rankine_all = -1
  integer, parameter, public :: rankine_norm_1 = 0, rankine_norm_2 = 1, rankine_norm_max = 2
  integer, parameter, public :: rankine_npy = 0, rankine_raw = 1, rankine_mpi_io = 16
  integer, parameter :: collapsed = 0, block = 1, cyclic = 2, irregular = 3

  type :: rankine_range
    private
    integer :: extent = 0, kind = collapsed, block = 0, below = 0, above = 0, along = 0
    logical :: periodic = .false.
    integer, allocatable :: blocks(:)
  end type

  ! Rankine_Range of C, Rankine_Dimension, and Rankine_Halo.
  type, bind(C) :: c_range
    integer(c_int) :: extent, kind, block
    type(c_ptr) :: blocks
    integer(c_int) :: below, above, periodic, along
  end type
  type, bind(C) :: c_dimension
    integer(c_int) :: extent = 0, first = 0, count = 0, below = 0, above = 0, room = 0, stride = 0
  end type
  type, bind(C) :: c_halo
    integer(c_int) :: corners = 0, widths(2, 4) = -1, wrong = -1
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
    procedure :: reduce_along => array_reduce_along
    procedure :: norm => array_norm
    procedure :: extreme => array_extreme
    procedure :: dot => array_dot
    procedure :: show => array_show
    procedure :: write_npy => array_write_npy
    procedure :: read_npy => array_read_npy
    procedure :: write_file => array_write_file
    procedure :: read_file => array_read_file
    procedure :: section => array_section
    procedure :: at => array_at
    procedure :: transposed => array_transposed
    procedure :: spread => array_spread
    ! Makes a pointer to this rank's part, ghost cells included.
    generic :: local => local_r8_1, local_r8_2, local_r8_3, local_r8_4, &
      local_r4_1, local_r4_2, local_r4_3, local_r4_4, &
      local_i4_1, local_i4_2, local_i4_3, local_i4_4, &
      local_i8_1, local_i8_2, local_i8_3, local_i8_4, &
      local_i2_1, local_i2_2, local_i2_3, local_i2_4, &
      local_i1_1, local_i1_2, local_i1_3, local_i1_4, &
      local_c8_1, local_c8_2, local_c8_3, local_c8_4, &
      local_c4_1, local_c4_2, local_c4_3, local_c4_4
    procedure, private :: part => array_part
    procedure, private :: local_r8_1, local_r8_2, local_r8_3, local_r8_4, &
      local_r4_1, local_r4_2, local_r4_3, local_r4_4, &
      local_i4_1, local_i4_2, local_i4_3, local_i4_4, &
      local_i8_1, local_i8_2, local_i8_3, local_i8_4, &
      local_i2_1, local_i2_2, local_i2_3, local_i2_4, &
      local_i1_1, local_i1_2, local_i1_3, local_i1_4, &
      local_c8_1, local_c8_2, local_c8_3, local_c8_4, &
      local_c4_1, local_c4_2, local_c4_3, local_c4_4
  end type

  ! A copy between two distributions, compiled.
  type :: rankine_remap
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => remap_create
    procedure :: create_shift => remap_create_shift
    procedure :: create_cshift => remap_create_cshift
    procedure :: create_skew => remap_create_skew
    procedure :: run => remap_run
    procedure :: free => remap_free
  end type

  ! Where the elements of a table are that arrays of indices name.
  type :: rankine_lookup
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: create => lookup_create
    procedure :: take => lookup_take
    procedure :: put => lookup_put
    procedure :: free => lookup_free
  end type

  include 'rankine_arrays/c_functions.inc'
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

  include 'rankine_arrays/ranges.inc'
  include 'rankine_arrays/grids.inc'
  include 'rankine_arrays/arrays.inc'
  include 'rankine_arrays/collective.inc'
  include 'rankine_arrays/copies.inc'
  include 'rankine_arrays/views.inc'
  include 'rankine_arrays/lookups.inc'
  include 'rankine_arrays/local.inc'
end module
