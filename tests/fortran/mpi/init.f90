! Starting, asking and timing: what is a function in Fortran, optional ierror, logicals, strings with blanks.
! ranks: 1 2 3 4
! with: ../check.f90
program init
  use mpi_f08
  use checks
  implicit none
  integer :: provided, length, major, minor, ierror, rank, bytes
  logical :: flag
  double precision :: start
  character(len=MPI_MAX_PROCESSOR_NAME) :: name
  character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
  integer(MPI_ADDRESS_KIND) :: place, two(2)
  real(8) :: x(3)
  complex(8) :: z
  call MPI_Initialized(flag)
  call check(.not. flag, 'Initialized before')
  call MPI_Init_thread(MPI_THREAD_SINGLE, provided, ierror)
  call check(ierror == MPI_SUCCESS .and. provided >= MPI_THREAD_SINGLE, 'Init_thread')
  call MPI_Initialized(flag)
  call check(flag, 'Initialized')
  call MPI_Finalized(flag, ierror)
  call check(.not. flag, 'Finalized')
  call MPI_Is_thread_main(flag)
  call check(flag, 'Is_thread_main')
  start = MPI_Wtime()
  call check(MPI_Wtime() >= start .and. MPI_Wtick() > 0 .and. PMPI_Wtime() >= start, 'Wtime')
  name = repeat('?', len(name))
  call MPI_Get_processor_name(name, length)
  call check(length > 0 .and. name(length+1:) == ' ' .and. index(name, '?') == 0, 'Get_processor_name pads')
  call MPI_Get_library_version(version, length)
  call check(len_trim(version) == length, 'Get_library_version')
  call MPI_Get_version(major, minor)
  call check(major == MPI_VERSION .and. minor == MPI_SUBVERSION, 'Get_version')
  call MPI_Abi_get_version(major, minor)
  call check(major == MPI_ABI_VERSION, 'Abi_get_version')
  call MPI_Pcontrol(1)
  call MPI_Get_address(x(1), two(1))
  call MPI_Get_address(x(3), two(2))
  place = MPI_Aint_add(two(1), 16_MPI_ADDRESS_KIND)
  call check(place == two(2) .and. MPI_Aint_diff(two(2), two(1)) == 16, 'Aint_add and Aint_diff')
  call MPI_Sizeof(x, bytes)
  call check(bytes == 8, 'Sizeof real')
  call MPI_Sizeof(z, bytes)
  call check(bytes == 16, 'Sizeof complex')
  call MPI_F_sync_reg(x)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call check(MPI_COMM_WORLD == MPI_COMM_WORLD .and. MPI_COMM_WORLD /= MPI_COMM_SELF, 'comparison of handles')
  call check(MPI_COMM_WORLD%MPI_VAL == 257 .and. MPI_INTEGER /= MPI_REAL, 'values of handles')
  call finish
end program
