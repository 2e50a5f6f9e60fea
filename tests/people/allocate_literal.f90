! The extents are numbers in the source: the size is known when it is compiled, and is not cut there either.
! ranks: 1
! exit: nonzero
! stderr: no memory to allocate field: 5000000000 bytes
program main
  implicit none
  real(8), allocatable :: field(:, :), few(:, :)
  allocate(few(0:24, -5:5))
  few = 1
  allocate(field(25000, 0:24999))
  field(1, 1) = sum(few)
  print *, "allocated", field(1, 1)
end program
