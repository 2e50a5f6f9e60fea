! MPI and OpenMP in Fortran: a heat equation whose rows belong to ranks and to threads in them, messages by the first thread,
! and sums over all.
! cc: -fopenmp -O2
! with: ../check.f90
! ranks: 1 2 3 4
! run: --threads-per-rank 2
program hybrid
  use mpi_f08
  use checks
  use omp_lib
  implicit none
  integer, parameter :: columns = 60, rows = 24, steps = 40
  real(8), allocatable :: now(:, :), next(:, :)
  real(8) :: alone(0:columns + 1, 0:rows + 1), stepped(0:columns + 1, 0:rows + 1), warmth, difference
  integer :: provided, rank, size, first, last, step, i, j, up, down
  logical :: is_main
  type(MPI_Request) :: requests(4)

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided)
  call check(provided >= MPI_THREAD_FUNNELED, 'the level of threads')
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  first = rank * rows / size + 1
  last = (rank + 1) * rows / size
  up = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  down = merge(rank + 1, MPI_PROC_NULL, rank < size - 1)
  allocate (now(0:columns + 1, first - 1:last + 1), source=0d0)
  now(:, first - 1) = merge(100d0, 0d0, rank == 0)
  next = now
  call omp_set_num_threads(2)
  !$omp parallel private(step, i, is_main) shared(warmth)
  do step = 1, steps
    !$omp master
    call MPI_Is_thread_main(is_main)
    call check(is_main, 'the first thread calls MPI')
    call MPI_Irecv(now(:, first - 1), columns + 2, MPI_DOUBLE_PRECISION, up, 0, MPI_COMM_WORLD, requests(1))
    call MPI_Irecv(now(:, last + 1), columns + 2, MPI_DOUBLE_PRECISION, down, 1, MPI_COMM_WORLD, requests(2))
    call MPI_Isend(now(:, first), columns + 2, MPI_DOUBLE_PRECISION, up, 1, MPI_COMM_WORLD, requests(3))
    call MPI_Isend(now(:, last), columns + 2, MPI_DOUBLE_PRECISION, down, 0, MPI_COMM_WORLD, requests(4))
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)
    !$omp end master
    !$omp barrier
    !$omp do schedule(static)
    do j = first, last
      do i = 1, columns
        next(i, j) = now(i, j) + 0.2d0 * (now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1) - 4 * now(i, j))
      end do
    end do
    !$omp workshare
    now(1:columns, first:last) = next(1:columns, first:last)
    !$omp end workshare
    !$omp single
    warmth = 0
    !$omp end single
    !$omp do reduction(+: warmth)
    do j = first, last
      warmth = warmth + sum(now(1:columns, j))
    end do
    !$omp master
    call MPI_Allreduce(MPI_IN_PLACE, warmth, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    !$omp end master
    !$omp barrier
  end do
  !$omp end parallel

  alone = 0
  alone(:, 0) = 100
  do step = 1, steps
    stepped = alone
    do j = 1, rows
      do i = 1, columns
        stepped(i, j) = alone(i, j) + 0.2d0 * (alone(i - 1, j) + alone(i + 1, j) + alone(i, j - 1) + alone(i, j + 1) &
                                              - 4 * alone(i, j))
      end do
    end do
    alone = stepped
  end do
  call check(all(now(1:columns, first:last) == alone(1:columns, first:last)), 'what one thread computes alone')
  difference = abs(warmth - sum(alone(1:columns, 1:rows)))
  call check(difference < 1d-9 * warmth, 'the sum over all')
  call finish
end program
