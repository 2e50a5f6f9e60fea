! Memory of MPI: type(c_ptr) and addresses, attached buffers, packing with positions, contents of datatypes.
! ranks: 1 2 3 4
! with: ../check.f90
program memory
  use, intrinsic :: iso_c_binding
  use mpi
  use checks
  implicit none
  type(c_ptr) :: p
  integer(MPI_ADDRESS_KIND) :: address, addresses(4)
  real(8), pointer :: x(:)
  integer :: ierror, rank, n, position, overhead, sizes(4), combiner, integers(10), types(4), newtype, got
  integer :: status(MPI_STATUS_SIZE)
  character, target :: space(2000), packed(100)
  complex(8) :: z
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Alloc_mem(80_MPI_ADDRESS_KIND, MPI_INFO_NULL, p, ierror)
  call check(c_associated(p), 'Alloc_mem')
  call c_f_pointer(p, x, [10])
  x = rank
  call check(sum(x) == 10*rank, 'memory is usable')
  call MPI_Free_mem(x, ierror)
  call MPI_Alloc_mem(80_MPI_ADDRESS_KIND, MPI_INFO_NULL, address, ierror)
  call check(address /= 0, 'Alloc_mem with an address')

  call MPI_Buffer_attach(space, 2000, ierror)
  call MPI_Bsend(rank, 1, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, ierror)
  call MPI_Recv(got, 1, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, status, ierror)
  call MPI_Buffer_detach(space, n, ierror)
  call check(n == 2000 .and. got == rank, 'Buffer_detach')

  position = 0
  z = (1d0, 2d0)
  call MPI_Pack(rank, 1, MPI_INTEGER, packed, 100, position, MPI_COMM_WORLD, ierror)
  call MPI_Pack(z, 1, MPI_DOUBLE_COMPLEX, packed, 100, position, MPI_COMM_WORLD, ierror)
  call check(position >= 20, 'Pack')
  position = 0
  z = 0
  call MPI_Unpack(packed, 100, position, n, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call MPI_Unpack(packed, 100, position, z, 1, MPI_DOUBLE_COMPLEX, MPI_COMM_WORLD, ierror)
  call check(n == rank .and. z == (1d0, 2d0), 'Unpack')

  call MPI_Type_create_hvector(3, 2, 64_MPI_ADDRESS_KIND, MPI_REAL, newtype, ierror)
  call MPI_Type_get_envelope(newtype, sizes(1), sizes(2), sizes(3), combiner, ierror)
  call check(combiner == MPI_COMBINER_HVECTOR .and. sizes(1) == 2 .and. sizes(2) == 1 .and. sizes(3) == 1, 'Type_get_envelope')
  call MPI_Type_get_contents(newtype, 10, 4, 4, integers, addresses, types, ierror)
  call check(integers(1) == 3 .and. integers(2) == 2 .and. addresses(1) == 64 .and. types(1) == MPI_REAL, 'Type_get_contents')
  call MPI_Type_free(newtype, ierror)
  call MPI_Type_create_f90_real(12, MPI_UNDEFINED, newtype, ierror)
  call MPI_Type_size(newtype, n, ierror)
  call check(n == 8, 'Type_create_f90_real')
  call MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 8, newtype, ierror)
  call check(newtype == MPI_INTEGER8, 'Type_match_size')
  call finish
end program
