! A run-time error ends the program with a message that names the line, and a status.
! ranks: 1
! exit: nonzero
! stderr: failures.f90
! stderr-not: panicked
program failures
  implicit none
  integer, allocatable :: a(:)
  allocate (a(3))
  a = 1
  print *, sum(a)
  allocate (a(4))
end program
