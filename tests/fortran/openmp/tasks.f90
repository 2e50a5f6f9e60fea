! OpenMP in Fortran: tasks, what they wait for, depend on and carry with them, and loops of tasks.
! cc: -fopenmp -O2
! with: ../check.f90
! ranks: 1 2
! run: --threads-per-rank 3
program tasks
  use mpi
  use checks
  use omp_lib
  implicit none
  type node
    integer :: value
    type(node), pointer :: next => null()
  end type
  type(node), pointer :: list, at
  integer :: ierror, provided, result, i, total, a, b, c, stage, done, times(100), chain(3)
  integer, allocatable :: carried(:)

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
  call omp_set_num_threads(3)
  !$omp parallel
  !$omp single
  result = fibonacci(14)
  !$omp end single
  !$omp end parallel
  call check(result == 377, 'tasks that make tasks')

  nullify (list)
  do i = 1, 50
    allocate (at)
    at%value = i
    at%next => list
    list => at
  end do
  total = 0
  !$omp parallel private(at)
  !$omp single
  at => list
  do while (associated(at))
    !$omp task firstprivate(at) shared(total)
    !$omp atomic
    total = total + at%value
    !$omp end task
    at => at%next
  end do
  !$omp end single
  !$omp end parallel
  call check(total == 1275, 'a task for each of a list')

  a = 0
  b = 0
  c = 0
  !$omp parallel
  !$omp single
  !$omp task shared(a) depend(out: a)
  a = 1
  !$omp end task
  !$omp task shared(a, b) depend(in: a) depend(out: b)
  b = a + 1
  !$omp end task
  !$omp task shared(a, c) depend(in: a) depend(out: c)
  c = a + 2
  !$omp end task
  !$omp task shared(a, b, c) depend(in: b, c) depend(inout: a)
  a = 10 * b + c
  !$omp end task
  !$omp taskwait
  chain = 0
  do i = 1, 30
    !$omp task depend(inout: chain(2)) shared(chain) firstprivate(i)
    if (chain(2) == i - 1) chain(2) = i
    !$omp end task
  end do
  !$omp end single
  !$omp end parallel
  call check(a == 23, 'tasks in the order of what they depend on')
  call check(chain(2) == 30, 'a chain of tasks')

  stage = 0
  done = 0
  !$omp parallel
  !$omp single
  !$omp taskgroup
  do i = 1, 20
    !$omp task shared(done)
    !$omp task shared(done)
    !$omp atomic
    done = done + 1
    !$omp end task
    !$omp end task
  end do
  !$omp end taskgroup
  stage = done
  !$omp end single
  !$omp end parallel
  call check(stage == 20, 'a group waits for tasks of tasks')

  times = 0
  total = 0
  !$omp parallel
  !$omp single
  !$omp taskloop grainsize(7) shared(times)
  do i = 1, 100
    times(i) = times(i) + i
  end do
  !$omp taskloop num_tasks(5) shared(total)
  do i = 100, 1, -1
    !$omp atomic
    total = total + 1
  end do
  !$omp end single
  !$omp end parallel
  call check(all(times == [(i, i = 1, 100)]) .and. total == 100, 'loops of tasks')

  allocate (carried(5), source=3)
  total = 0
  !$omp parallel
  !$omp single
  !$omp task firstprivate(carried) shared(total)
  carried = carried + 1
  !$omp atomic
  total = total + sum(carried)
  !$omp end task
  !$omp task if(.false.) shared(total)
  !$omp atomic
  total = total + 1000
  !$omp end task
  !$omp task final(.true.) shared(total)
  if (omp_in_final()) then
    !$omp atomic
    total = total + 5000
  end if
  !$omp end task
  !$omp task untied shared(total) priority(2) mergeable
  !$omp atomic
  total = total + 100000
  !$omp taskyield
  !$omp end task
  !$omp end single
  !$omp end parallel
  call check(total == 106020 .and. all(carried == 3), 'what a task carries, and its clauses')
  call finish
contains
  recursive integer function fibonacci(n) result(value)
    integer, intent(in) :: n
    integer :: one, other
    if (n < 2) then
      value = n
      return
    end if
    !$omp task shared(one) if(n > 6)
    one = fibonacci(n - 1)
    !$omp end task
    !$omp task shared(other) if(n > 6)
    other = fibonacci(n - 2)
    !$omp end task
    !$omp taskwait
    value = one + other
  end function
end program
