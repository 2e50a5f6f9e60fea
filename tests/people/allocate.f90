! Without STAT= the program ends, and says which array it was and how large.
! ranks: 1
! exit: nonzero
! stderr: no memory to allocate field: 5000000000 bytes
program main
  implicit none
  real(8), allocatable :: field(:, :)
  integer :: n
  n = 25000
  allocate(field(n, n))
  field(1, 1) = 1
  print *, "allocated", field(1, 1)
end program
