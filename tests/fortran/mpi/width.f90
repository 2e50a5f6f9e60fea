! What is as wide as addresses are, in programs of either width: kinds of C's types, strings that go to C, descriptors,
! MPI_ADDRESS_KIND, handles alone and in arrays, attributes; with mpi_f08.
! ranks: 1 2 3
! with: ../check.f90 width_c.c
module shapes
  use, intrinsic :: iso_c_binding
  implicit none
  type, bind(C) :: c_part
    integer(c_long) :: key
    type(c_ptr) :: next
    integer(c_size_t) :: size
    integer(c_int) :: after
  end type
  type :: particle
    integer :: tag
    real(8) :: position(3)
    character(5) :: name
  end type
  interface
    integer(c_int) function c_widths(pointers, longs, sizes) bind(C)
      import
      integer(c_int), intent(out) :: pointers, longs, sizes
    end function
    integer(c_size_t) function c_length(text) bind(C)
      import
      character(kind=c_char), intent(in) :: text(*)
    end function
    integer(c_long) function c_bump(part) bind(C)
      import
      type(c_part), intent(inout) :: part
    end function
    integer(c_intptr_t) function c_elements(array) bind(C)
      import
      real(c_double), intent(in) :: array(:, :)
    end function
  end interface
  ! By Fortran's rules, with the lengths of its strings behind all other arguments.
  integer, external :: blanks
contains
  subroutine double_it(values)
    real(8), allocatable, intent(inout) :: values(:)
    real(8), allocatable :: twice(:)
    allocate (twice(2 * size(values)))
    twice(:size(values)) = values
    twice(size(values) + 1:) = -values
    call move_alloc(twice, values)
  end subroutine
end module

program width
  use, intrinsic :: iso_c_binding
  use mpi_f08
  use checks, only: check, finish
  use shapes
  implicit none
  integer :: rank, ranks, pointers, longs, sizes
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call check(c_widths(pointers, longs, sizes) == 1, 'result of a function of C')
  call kinds
  call strings
  call arrays
  call types
  call many_handles
  call each_with_its_type
  call attributes
  call windows
  call finish

contains
  subroutine kinds
    type(c_part) :: part
    integer(c_long) :: long
    integer(MPI_ADDRESS_KIND) :: address
    integer(c_long), target :: here
    call check(c_long * 8 == bit_size(long) .and. c_long == longs, 'c_long')
    call check(c_size_t == sizes .and. c_intptr_t == pointers .and. c_ptrdiff_t == pointers, 'c_size_t')
    call check(c_sizeof(long) == longs .and. c_sizeof(c_null_ptr) == pointers, 'c_sizeof')
    call check(MPI_ADDRESS_KIND == pointers .and. MPI_COUNT_KIND == 8 .and. kind(address) == pointers, 'MPI_ADDRESS_KIND')
    part = c_part(-3, c_loc(here), 7, 11)
    here = 40
    call check(c_bump(part) == 42, 'a structure of C')
    call check(part%key == -1 .and. part%size == 8 .and. part%after == 12 .and. here == 41, 'what C changed')
    if (pointers == 8) then
      long = shiftl(1_c_long, 8 * longs - 24)
      call check(long == 1099511627776_8, 'a long of 64 bits')
    end if
  end subroutine

  subroutine strings
    character(20) :: text, read_back
    real(8) :: number
    integer(8) :: large
    call check(c_length('abc'//c_null_char) == 3, 'the length of a string')
    call check(blanks('a b c', '  ') == 25, 'strings of Fortran''s')
    write (text, '(i12, f8.3)') 8589934592_8, 3.125d0
    call check(text == '  8589934592   3.125', 'formatted output '//text)
    read (text, *) large, number
    call check(large == 8589934592_8 .and. number == 3.125d0, 'formatted input')
    write (read_back, '(es12.4)') 6.02214076e23_8
    read (read_back, *) number
    call check(abs(number - 6.0221e23_8) < 1e12_8, 'exponents')
  end subroutine

  subroutine arrays
    real(8), allocatable :: values(:), grid(:, :), total(:)
    integer :: i, status
    character(80) :: message
    integer(8) :: too_many
    values = [(real(i, 8), i = 1, 5)]
    call double_it(values)
    call check(size(values) == 10 .and. sum(values) == 0 .and. values(10) == -5, 'allocatable arrays')
    allocate (grid(4, 6), total(10))
    grid = reshape([(real(i, 8), i = 1, 24)], [4, 6])
    call check(c_elements(grid(::2, 2:5)) == 8, 'a descriptor')
    values = values * (rank + 1)
    call MPI_Allreduce(values, total, 10, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    call check(all(total == values / (rank + 1) * (ranks * (ranks + 1) / 2)), 'a sum over ranks')
    ! A section that is not contiguous.
    grid = rank
    call MPI_Bcast(grid(::2, 2:5), 8, MPI_DOUBLE_PRECISION, ranks - 1, MPI_COMM_WORLD)
    call check(sum(grid) == 8 * (ranks - 1) + 16 * rank, 'a section')
    too_many = 5000000000_8
    deallocate (values)
    allocate (values(too_many), stat=status, errmsg=message)
    call check(status /= 0 .and. .not. allocated(values), 'memory that there is not')
  end subroutine

  subroutine types
    type(particle) :: some(2), got(2)
    type(MPI_Datatype) :: raw, type, parts(3)
    integer(MPI_ADDRESS_KIND) :: at(4), lower, extent, apart
    integer :: integers(16), count_i, count_a, count_d, combiner
    integer(MPI_ADDRESS_KIND) :: addresses(4)
    type(MPI_Datatype) :: within(3)
    call MPI_Get_address(some(1)%tag, at(1))
    call MPI_Get_address(some(1)%position, at(2))
    call MPI_Get_address(some(1)%name, at(3))
    call MPI_Get_address(some(2)%tag, at(4))
    apart = MPI_Aint_diff(at(4), at(1))
    at(:3) = at(:3) - at(1)
    parts = [MPI_INTEGER, MPI_DOUBLE_PRECISION, MPI_CHARACTER]
    call MPI_Type_create_struct(3, [1, 3, 5], at, parts, raw)
    call MPI_Type_create_resized(raw, 0_MPI_ADDRESS_KIND, apart, type)
    call MPI_Type_commit(type)
    call MPI_Type_get_extent(type, lower, extent)
    call check(lower == 0 .and. extent == apart .and. extent == storage_size(some) / 8, 'MPI_Type_get_extent')
    call MPI_Type_get_envelope(raw, count_i, count_a, count_d, combiner)
    call MPI_Type_get_contents(raw, count_i, count_a, count_d, integers, addresses, within)
    call check(count_d == 3 .and. combiner == MPI_COMBINER_STRUCT .and. addresses(2) == at(2), 'what a type is made of')
    call check(within(2) == MPI_DOUBLE_PRECISION .and. within(3) == MPI_CHARACTER, 'types in an array')
    some(1) = particle(rank, [1d0, 2d0, 3d0] * rank, 'first')
    some(2) = particle(-rank, [4d0, 5d0, 6d0] * rank, 'other')
    call MPI_Sendrecv(some, 2, type, modulo(rank + 1, ranks), 0, got, 2, type, modulo(rank - 1, ranks), 0, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE)
    call check(got(2)%tag == -modulo(rank - 1, ranks) .and. got(2)%name == 'other', 'derived types')
    call check(all(got(1)%position == [1d0, 2d0, 3d0] * modulo(rank - 1, ranks)), 'arrays in derived types')
    call MPI_Type_free(type)
    call check(type == MPI_DATATYPE_NULL, 'a handle of nothing')
  end subroutine

  subroutine many_handles
    type(MPI_Request) :: requests(6)
    type(MPI_Status) :: statuses(6)
    integer :: got(3), sent(3), i, done, indices(6), n
    logical :: flag
    sent = [rank, 10 * rank, 100 * rank]
    do i = 1, 3
      call MPI_Irecv(got(i), 1, MPI_INTEGER, modulo(rank - 1, ranks), i, MPI_COMM_WORLD, requests(i))
      call MPI_Isend(sent(i), 1, MPI_INTEGER, modulo(rank + 1, ranks), i, MPI_COMM_WORLD, requests(3 + i))
    end do
    call MPI_Waitall(6, requests, statuses)
    call check(all(got == [1, 10, 100] * modulo(rank - 1, ranks)), 'many messages')
    call check(all([(requests(i) == MPI_REQUEST_NULL, i = 1, 6)]), 'requests that are over')
    call check(statuses(2)%MPI_TAG == 2 .and. statuses(3)%MPI_SOURCE == modulo(rank - 1, ranks), 'statuses')
    do i = 1, 3
      call MPI_Recv_init(got(i), 1, MPI_INTEGER, modulo(rank - 1, ranks), i, MPI_COMM_WORLD, requests(i))
      call MPI_Send_init(sent(i), 1, MPI_INTEGER, modulo(rank + 1, ranks), i, MPI_COMM_WORLD, requests(3 + i))
    end do
    got = -1
    call MPI_Startall(6, requests)
    n = 0
    do while (n < 6)
      call MPI_Waitsome(6, requests, done, indices, statuses)
      call check(all(indices(:done) >= 1) .and. all(indices(:done) <= 6), 'MPI_Waitsome')
      n = n + done
    end do
    call check(all(got == [1, 10, 100] * modulo(rank - 1, ranks)), 'persistent messages')
    call MPI_Testall(6, requests, flag, statuses)
    call check(flag .and. requests(6) /= MPI_REQUEST_NULL, 'persistent requests stay')
    do i = 1, 6
      call MPI_Request_free(requests(i))
    end do
    call check(requests(6) == MPI_REQUEST_NULL, 'MPI_Request_free')
  end subroutine

  ! MPI_Alltoallw has an array of datatypes, as long as there are ranks.
  subroutine each_with_its_type
    integer :: sent(ranks), got(ranks), counts(ranks), places(ranks), i
    type(MPI_Datatype) :: given(ranks)
    type(MPI_Request) :: request
    sent = [(100 * rank + i, i = 0, ranks - 1)]
    counts = 1
    places = [(4 * i, i = 0, ranks - 1)]
    given = MPI_INTEGER
    call MPI_Alltoallw(sent, counts, places, given, got, counts, places, given, MPI_COMM_WORLD)
    call check(all(got == [(100 * i + rank, i = 0, ranks - 1)]), 'MPI_Alltoallw')
    got = -1
    call MPI_Ialltoallw(sent, counts, places, given, got, counts, places, given, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(all(got == [(100 * i + rank, i = 0, ranks - 1)]), 'MPI_Ialltoallw')
    got = sent
    call MPI_Alltoallw(MPI_IN_PLACE, counts, places, given, got, counts, places, given, MPI_COMM_WORLD)
    call check(all(got == [(100 * i + rank, i = 0, ranks - 1)]), 'MPI_Alltoallw in place')
  end subroutine

  subroutine attributes
    integer :: key
    integer(MPI_ADDRESS_KIND) :: value, large
    type(MPI_Comm) :: other
    logical :: flag
    large = ishft(3_MPI_ADDRESS_KIND, 8 * MPI_ADDRESS_KIND - 4)
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, 5_MPI_ADDRESS_KIND)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, large)
    call MPI_Comm_dup(MPI_COMM_WORLD, other)
    call MPI_Comm_get_attr(other, key, value, flag)
    call check(flag .and. value == large, 'all bits of an attribute')
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag)
    call check(flag .and. value >= 32767, 'MPI_TAG_UB')
    call MPI_Comm_free(other)
    call check(other == MPI_COMM_NULL, 'MPI_Comm_free')
    call MPI_Comm_free_keyval(key)
  end subroutine

  subroutine windows
    type(MPI_Win) :: win
    type(c_ptr) :: base
    integer, pointer :: own(:)
    integer :: given
    integer(MPI_ADDRESS_KIND) :: bytes, value
    logical :: flag
    bytes = 16
    call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
    call c_f_pointer(base, own, [4])
    own = -1
    call MPI_Win_get_attr(win, MPI_WIN_SIZE, value, flag)
    call check(flag .and. value == 16, 'MPI_WIN_SIZE')
    call MPI_Win_fence(0, win)
    given = 7 + rank
    call MPI_Put(given, 1, MPI_INTEGER, modulo(rank + 1, ranks), 2_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call check(all(own == [-1, -1, 7 + modulo(rank - 1, ranks), -1]), 'MPI_Put')
    call MPI_Win_free(win)
  end subroutine
end program
