! OpenMP in Fortran: teams, what they share out (loops with every schedule, sections, single, master, workshare).
! cc: -fopenmp -O2
! with: ../check.f90
! ranks: 1 2
! run: --threads-per-rank 3
program teams
  use mpi
  use checks
  use omp_lib
  implicit none
  integer, parameter :: n = 1000
  integer :: times(n), ierror, provided, i, j, total, threads, once, masters, first, last, order
  integer(omp_sched_kind) :: kind
  integer(8) :: wide, many
  real :: a(n), b(n), largest

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
  call omp_set_num_threads(3)
  threads = 0
  !$omp parallel reduction(+: threads)
  threads = threads + 1
  !$omp end parallel
  call check(threads == 3, 'a team of three')

  times = 0
  !$omp parallel do schedule(static)
  do i = 1, n
    times(i) = times(i) + 1
  end do
  !$omp parallel do schedule(static, 7)
  do i = n, 1, -1
    times(i) = times(i) + 1
  end do
  !$omp parallel do schedule(dynamic)
  do i = 1, n
    times(i) = times(i) + 1
  end do
  !$omp parallel do schedule(dynamic, 11)
  do i = 1, n, 1
    times(i) = times(i) + 1
  end do
  !$omp parallel do schedule(guided)
  do i = 1, n
    times(i) = times(i) + 1
  end do
  !$omp parallel do schedule(auto)
  do i = 1, n
    times(i) = times(i) + 1
  end do
  call check(all(times == 6), 'each iteration once, by every schedule')
  do kind = omp_sched_static, omp_sched_auto
    call omp_set_schedule(kind, 5)
    !$omp parallel do schedule(runtime)
    do i = 1, n
      times(i) = times(i) + 1
    end do
  end do
  call check(all(times == 10), 'schedules that are chosen when it runs')

  wide = 0
  !$omp parallel do schedule(dynamic, 100_8) reduction(+: wide)
  do many = 3000000000_8, 3000001000_8, 10_8
    wide = wide + many - 3000000000_8
  end do
  call check(wide == 50500, 'a loop of 64 bits')

  total = 0
  !$omp parallel do collapse(2) reduction(+: total) schedule(dynamic, 3)
  do i = 1, 20
    do j = 1, 30
      total = total + i * j
    end do
  end do
  call check(total == 210 * 465, 'nested loops as one')

  first = 1
  !$omp parallel do firstprivate(first) lastprivate(last)
  do i = 1, n
    last = first * i
  end do
  call check(last == n, 'the last iteration counts')

  order = 0
  !$omp parallel do ordered schedule(dynamic)
  do i = 1, 60
    !$omp ordered
    if (order == i - 1) order = i
    !$omp end ordered
  end do
  call check(order == 60, 'in order')

  once = 0
  masters = 0
  total = 0
  !$omp parallel
  !$omp single
  once = once + 1
  !$omp end single
  !$omp master
  if (omp_get_thread_num() == 0) masters = masters + 1
  !$omp end master
  !$omp barrier
  !$omp sections reduction(+: total)
  !$omp section
  total = total + 1
  !$omp section
  total = total + 10
  !$omp section
  total = total + 100
  !$omp section
  total = total + 1000
  !$omp end sections
  !$omp masked
  masters = masters + 1
  !$omp end masked
  !$omp end parallel
  call check(once == 1 .and. masters == 2, 'one thread of the team')
  call check(total == 1111, 'sections')

  !$omp parallel workshare
  a = 2.0
  b(1:n/2) = 3.0
  b(n/2+1:) = 4.0
  where (b > 3.5) a = a + b
  !$omp end parallel workshare
  call check(sum(a) == 2.0 * n + 4.0 * (n / 2), 'array assignments are shared out')

  largest = 0
  !$omp parallel do simd reduction(max: largest)
  do i = 1, n
    largest = max(largest, a(i))
  end do
  call check(largest == 6.0, 'simd')

  call finish
end program
