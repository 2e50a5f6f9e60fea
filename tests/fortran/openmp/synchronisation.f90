! OpenMP in Fortran: critical sections, atomic updates, barriers, and the locks of omp_lib; a section's name is one lock in
! all files and in C.
! cc: -fopenmp -O2
! with: ../check.f90 synchronisation_other.f90
! ranks: 1 2
! run: --threads-per-rank 4
program synchronisation
  use mpi
  use checks
  use omp_lib
  implicit none
  integer, parameter :: rounds = 3000
  integer :: ierror, provided, i, unnamed, named, counter, before, wrong, me, held, tries
  integer :: stages(0:3)
  real(8) :: real_sum, largest
  logical :: flag
  integer(omp_lock_kind) :: lock
  integer(omp_nest_lock_kind) :: nested
  integer, volatile :: shared_by_files
  common /shared/ shared_by_files

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
  call omp_set_num_threads(4)
  unnamed = 0
  named = 0
  shared_by_files = 0
  !$omp parallel do
  do i = 1, rounds
    !$omp critical
    unnamed = unnamed + 1
    !$omp end critical
    !$omp critical (counting) hint(omp_sync_hint_contended)
    named = named + 2
    !$omp end critical (counting)
    if (mod(i, 2) == 0) then
      call add_elsewhere
    else
      !$omp critical (elsewhere)
      shared_by_files = shared_by_files + 1
      !$omp end critical (elsewhere)
    end if
  end do
  call check(unnamed == rounds .and. named == 2 * rounds, 'critical sections')
  call check(shared_by_files == rounds, 'one lock for a name in two files')

  counter = 0
  real_sum = 0
  largest = 0
  flag = .false.
  wrong = 0
  !$omp parallel do private(before) reduction(+: wrong)
  do i = 1, rounds
    !$omp atomic
    counter = counter + 1
    !$omp atomic update
    real_sum = real_sum + 0.5d0
    !$omp atomic
    largest = max(largest, real(i, 8))
    !$omp atomic
    flag = flag .or. i == 7
    !$omp atomic read
    before = counter
    if (before < 1 .or. before > 2 * rounds) wrong = wrong + 1
    !$omp atomic capture
    before = counter
    counter = counter + 1
    !$omp end atomic
    if (before < 1 .or. before >= 2 * rounds) wrong = wrong + 1
  end do
  call check(counter == 2 * rounds .and. real_sum == 0.5d0 * rounds .and. wrong == 0, 'atomic updates')
  call check(largest == rounds .and. flag, 'atomic maximum and or')
  !$omp parallel
  !$omp atomic write
  counter = -5
  !$omp end parallel
  call check(counter == -5, 'an atomic write')

  stages = 0
  wrong = 0
  !$omp parallel private(me, i) reduction(+: wrong)
  me = omp_get_thread_num()
  do i = 1, 200
    stages(me) = i
    !$omp barrier
    if (any(stages /= i)) wrong = wrong + 1
    !$omp barrier
  end do
  !$omp end parallel
  call check(wrong == 0, 'nobody passes a barrier before all have come')

  held = 0
  tries = 0
  call omp_init_lock(lock)
  call omp_init_nest_lock(nested)
  !$omp parallel do schedule(dynamic)
  do i = 1, rounds
    call omp_set_lock(lock)
    held = held + 1
    call omp_unset_lock(lock)
    call omp_set_nest_lock(nested)
    call twice
    call omp_unset_nest_lock(nested)
  end do
  call check(held == rounds .and. tries == rounds, 'locks')
  call omp_set_lock(lock)
  wrong = 0
  !$omp parallel reduction(+: wrong)
  if (omp_get_thread_num() /= 0) then
    if (omp_test_lock(lock)) wrong = wrong + 1
  end if
  !$omp end parallel
  call omp_unset_lock(lock)
  call check(wrong == 0 .and. omp_test_lock(lock), 'a lock that is held')
  call omp_unset_lock(lock)
  call omp_destroy_lock(lock)
  call check(omp_test_nest_lock(nested) == 1 .and. omp_test_nest_lock(nested) == 2, 'a nestable lock')
  call omp_unset_nest_lock(nested)
  call omp_unset_nest_lock(nested)
  call omp_destroy_nest_lock(nested)
  call finish
contains
  subroutine twice
    call omp_set_nest_lock(nested)
    tries = tries + 1
    call omp_unset_nest_lock(nested)
  end subroutine
end program
