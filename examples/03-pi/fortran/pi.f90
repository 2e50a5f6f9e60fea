! Pi, as the area under 4 / (1 + x * x) between 0 and 1: each rank adds up its share of narrow strips.
program pi_of_strips
  use mpi_f08
  implicit none
  integer, parameter :: real64 = selected_real_kind(15)
  integer :: rank, size, strips, i
  real(real64) :: x, mine, pi
  character(len=20) :: argument

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  strips = 1000000
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *) strips
  end if

  ! Rank 0 knows best: its number is everybody's.
  call MPI_Bcast(strips, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
  mine = 0
  do i = rank, strips - 1, size
    x = (i + 0.5_real64)/strips
    mine = mine + 4/(1 + x*x)
  end do
  mine = mine/strips
  call MPI_Reduce(mine, pi, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)

  if (rank == 0) print '(a,f12.10,a,i0,a)', 'pi is about ', pi, ', with ', strips, ' strips'
  call MPI_Finalize()
end program
