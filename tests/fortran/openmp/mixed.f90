! Fortran and C with OpenMP in one program: a team of one language in the other, locks and threads' numbers of both, and a
! critical section whose name both know.
! cc: -fopenmp -O2
! with: ../check.f90 mixed_c.c
! ranks: 1 2
! run: --threads-per-rank 4
module for_c
  use, intrinsic :: iso_c_binding
  use omp_lib
  implicit none
contains
  ! Called by C, in a team of C's.
  subroutine add_in_fortran(sum) bind(C)
    integer(c_int), intent(inout) :: sum
    !$omp critical (both)
    sum = sum + omp_get_thread_num() + 1
    !$omp end critical (both)
  end subroutine

  ! Called by C, outside of teams.
  subroutine fill_in_fortran(n, values) bind(C)
    integer(c_int), value :: n
    integer(c_int), intent(out) :: values(n)
    integer :: i
    !$omp parallel do schedule(dynamic)
    do i = 1, n
      values(i) = i
    end do
  end subroutine
end module

program mixed
  use mpi
  use checks
  use for_c
  implicit none
  interface
    integer(c_int) function team_of_c(threads) bind(C)
      import
      integer(c_int), value :: threads
    end function
    integer(c_int) function number_in_c() bind(C)
      import
    end function
    integer(c_int) function one_more(number) bind(C)
      import
      integer(c_int), value :: number
    end function
    subroutine add_in_c(sum) bind(C)
      import
      integer(c_int), intent(inout) :: sum
    end subroutine
    integer(c_int) function sum_in_c(n) bind(C)
      import
      integer(c_int), value :: n
    end function
    subroutine locked_in_c(lock, sum) bind(C)
      import
      integer(omp_lock_kind), intent(inout) :: lock
      integer(c_int), intent(inout) :: sum
    end subroutine
  end interface
  integer(c_int) :: sum
  integer :: ierror, provided, i, wrong
  integer(omp_lock_kind) :: lock

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
  call omp_set_num_threads(4)
  call check(team_of_c(4) == 10, 'a team of C that calls Fortran')
  wrong = 0
  !$omp parallel reduction(+: wrong)
  if (number_in_c() /= omp_get_thread_num()) wrong = wrong + 1
  !$omp end parallel
  call check(wrong == 0, 'a team of Fortran that calls C')
  call check(sum_in_c(500) == 125250, 'C calls Fortran, which has a team')

  sum = 0
  !$omp parallel do
  do i = 1, 20000
    if (mod(i, 2) == 0) then
      call add_in_c(sum)
    else
      !$omp critical (both)
      sum = one_more(sum)
      !$omp end critical (both)
    end if
  end do
  call check(sum == 20000, 'a critical section in both languages')

  sum = 0
  call omp_init_lock(lock)
  !$omp parallel do
  do i = 1, 20000
    if (mod(i, 2) == 0) then
      call locked_in_c(lock, sum)
    else
      call omp_set_lock(lock)
      sum = sum + 1
      call omp_unset_lock(lock)
    end if
  end do
  call omp_destroy_lock(lock)
  call check(sum == 20000, 'a lock in both languages')
  call finish
end program
