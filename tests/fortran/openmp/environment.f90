! What omp_lib tells and sets: sizes, levels, nested teams, schedules, places, time; by the module, the header, and a
! declaration in the program.
! cc: -fopenmp -O2
! with: ../check.f90
! ranks: 1 2
! run: --threads-per-rank 4 --env OMP_SCHEDULE=guided,9 --env OMP_MAX_ACTIVE_LEVELS=2
program environment
  use mpi
  use checks
  use omp_lib
  implicit none
  integer :: ierror, provided, chunk, outer, inner, wrong, me
  integer(omp_sched_kind) :: kind
  integer :: seen(0:1, 0:2)
  double precision :: start

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
  start = omp_get_wtime()
  call check(openmp_version >= 201511, 'the version')
  call check(omp_get_num_procs() == 4 .and. omp_get_max_threads() == 4, 'as many threads as the command line says')
  call check(omp_get_num_threads() == 1 .and. omp_get_thread_num() == 0 .and. .not. omp_in_parallel(), 'outside of teams')
  call check(omp_get_level() == 0 .and. omp_get_active_level() == 0, 'its level')
  call check(omp_get_ancestor_thread_num(0) == 0 .and. omp_get_team_size(0) == 1, 'its ancestors')
  call check(omp_get_max_active_levels() == 2 .and. omp_get_thread_limit() > 4, 'what the environment says')
  call check(omp_get_num_devices() == 0 .and. omp_is_initial_device(), 'no device')
  call omp_get_schedule(kind, chunk)
  call check(iand(kind, 255) == omp_sched_guided .and. chunk == 9, 'the schedule of the environment')
  call omp_set_schedule(omp_sched_dynamic, 3)
  call omp_get_schedule(kind, chunk)
  call check(iand(kind, 255) == omp_sched_dynamic .and. chunk == 3, 'a schedule')
  call omp_set_dynamic(.false.)
  call check(.not. omp_get_dynamic() .and. .not. omp_get_cancellation(), 'logical values')

  call omp_set_num_threads(3)
  call check(omp_get_max_threads() == 3, 'how many there will be')
  wrong = 0
  !$omp parallel reduction(+: wrong) private(me)
  me = omp_get_thread_num()
  if (omp_get_num_threads() /= 3 .or. me < 0 .or. me > 2 .or. .not. omp_in_parallel()) wrong = wrong + 1
  if (omp_get_level() /= 1 .or. omp_get_ancestor_thread_num(1) /= me .or. omp_get_team_size(1) /= 3) wrong = wrong + 1
  !$omp end parallel
  call check(wrong == 0, 'in a team')
  !$omp parallel num_threads(2) reduction(+: wrong)
  if (omp_get_num_threads() /= 2) wrong = wrong + 1
  !$omp end parallel
  !$omp parallel if(.false.) reduction(+: wrong)
  if (omp_get_num_threads() /= 1) wrong = wrong + 1
  !$omp end parallel
  call check(wrong == 0, 'clauses of a team')

  seen = 0
  call omp_set_max_active_levels(2)
  !$omp parallel num_threads(2) private(outer, inner) reduction(+: wrong)
  outer = omp_get_thread_num()
  !$omp parallel num_threads(3) private(inner) firstprivate(outer) reduction(+: wrong)
  inner = omp_get_thread_num()
  seen(outer, inner) = seen(outer, inner) + 1
  if (omp_get_level() /= 2 .or. omp_get_ancestor_thread_num(1) /= outer .or. omp_get_num_threads() /= 3) wrong = wrong + 1
  !$omp end parallel
  !$omp end parallel
  call check(wrong == 0 .and. all(seen == 1), 'teams in teams')
  call omp_set_max_active_levels(1)
  !$omp parallel num_threads(2) reduction(+: wrong)
  !$omp parallel num_threads(3) reduction(+: wrong)
  if (omp_get_num_threads() /= 1) wrong = wrong + 1
  !$omp end parallel
  !$omp end parallel
  call check(wrong == 0, 'no teams in teams')
  call check(omp_get_wtime() >= start .and. omp_get_wtick() > 0, 'time goes on')
  call with_header
  call declared
  call finish
contains
  subroutine with_header
    include 'omp_lib.h'
    integer(omp_lock_kind) :: lock
    integer :: wrong
    call omp_init_lock(lock)
    call check(omp_test_lock(lock) .and. .not. omp_test_lock(lock), 'a lock by the header')
    call omp_unset_lock(lock)
    call omp_destroy_lock(lock)
    wrong = 0
    !$omp parallel num_threads(4) reduction(+: wrong)
    if (omp_get_num_threads() /= 4) wrong = wrong + 1
    !$omp end parallel
    call check(wrong == 0 .and. omp_get_wtime() > 0, 'functions by the header')
  end subroutine

  subroutine declared
    integer, external :: omp_get_num_threads, omp_get_thread_num
    double precision, external :: omp_get_wtime
    integer :: sum
    sum = 0
    call omp_set_num_threads(4)
    !$omp parallel reduction(+: sum)
    sum = sum + 10 * omp_get_num_threads() + omp_get_thread_num()
    !$omp end parallel
    call check(sum == 166 .and. omp_get_wtime() > 0, 'functions that the program declares')
  end subroutine
end program
