! OpenMP's module and its header in a program that is compiled without OpenMP, as with other compilers.
! with: ../check.f90
! ranks: 1 2
program main
  use mpi
  use checks
  use omp_lib
  implicit none
  integer(omp_lock_kind) :: lock
  integer(omp_nest_lock_kind) :: nested
  integer(omp_sched_kind) :: schedule
  integer :: chunk, ierror, sum, i
  double precision :: start

  call MPI_Init(ierror)
  start = omp_get_wtime()
  call omp_set_num_threads(4)
  call check(omp_get_max_threads() == 1 .and. omp_get_num_threads() == 1, 'a team of one')
  call check(omp_get_thread_num() == 0, 'its thread')
  call check(.not. omp_in_parallel() .and. omp_in_final() .and. omp_is_initial_device(), 'logical functions')
  call check(omp_get_team_size(0) == 1 .and. omp_get_team_size(1) == -1, 'levels')
  sum = 0
  !$omp parallel do reduction(+: sum)
  do i = 1, 10
    sum = sum + i
  end do
  call check(sum == 55, 'directives are comments')

  call omp_init_lock(lock)
  call check(omp_test_lock(lock) .and. .not. omp_test_lock(lock), 'a lock is held once')
  call omp_unset_lock(lock)
  call omp_set_lock(lock)
  call omp_unset_lock(lock)
  call omp_destroy_lock(lock)
  call omp_init_nest_lock(nested)
  call omp_set_nest_lock(nested)
  call check(omp_test_nest_lock(nested) == 2, 'a nestable lock is held twice')
  call omp_unset_nest_lock(nested)
  call check(omp_test_nest_lock(nested) == 2, 'a nestable lock is given back')

  call omp_set_schedule(omp_sched_dynamic, 7)
  call omp_get_schedule(schedule, chunk)
  call check(schedule == omp_sched_static, 'schedules')
  call check(omp_get_wtime() >= start .and. omp_get_wtick() > 0, 'time goes on')
  call with_header
  call declared
  call finish
contains
  subroutine with_header
    include 'omp_lib.h'
    integer(omp_lock_kind) :: own
    call omp_init_lock(own)
    call check(omp_test_lock(own) .and. .not. omp_test_lock(own), 'a lock by the header')
    call check(omp_get_num_procs() == 1 .and. omp_get_wtime() > 0, 'functions by the header')
  end subroutine

  subroutine declared
    integer, external :: omp_get_team_num
    call check(omp_get_team_num() == 0, 'a function that the program declares')
  end subroutine
end program
