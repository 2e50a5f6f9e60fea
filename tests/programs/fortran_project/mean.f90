program main
  use mpi_f08
  use numbers, only: many
  implicit none
  real(8), external :: total
  real(8) :: values(many), sum
  integer :: rank, ranks
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  values = rank
  call MPI_Allreduce(total(values, many, "a name"), sum, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(a, f5.2)', "mean", sum / (many * ranks)
  call MPI_Finalize()
end program
