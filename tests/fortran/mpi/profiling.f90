! A program's own MPI_Send takes the place of the library's, which is still there as PMPI_Send.
! ranks: 2 3
! with: ../check.f90 profiling_own.f90
program profiling
  use mpi
  use checks
  implicit none
  integer :: rank, x, ierror, sent
  common /counted/ sent
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  sent = 0
  x = 5
  if (rank == 0) call MPI_Send(x, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierror)
  if (rank == 1) call MPI_Recv(x, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  call check(x == 5 .and. sent == merge(1, 0, rank == 0), 'the own MPI_Send is called')
  call finish
end program
