! The same critical section as in synchronisation.f90, in a file of its own.
! part: yes
subroutine add_elsewhere
  implicit none
  integer, volatile :: shared_by_files
  common /shared/ shared_by_files
  !$omp critical (elsewhere)
  shared_by_files = shared_by_files + 1
  !$omp end critical (elsewhere)
end subroutine
