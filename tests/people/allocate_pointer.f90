! The same where the runtime allocates: it knows the line.
! ranks: 1
! exit: nonzero
! stderr: allocate_pointer.f90:14
! stderr: no memory to allocate 5000000000 bytes
program main
  implicit none
  type :: node
    real(8), allocatable :: more(:)
  end type
  class(*), allocatable :: nodes(:, :)
  integer :: n
  n = 25000
  allocate(real(8) :: nodes(n, n))
  print *, "allocated"
end program
