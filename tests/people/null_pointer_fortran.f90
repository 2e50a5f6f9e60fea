! A pointer that was never associated.
! ranks: 1
! cc: -g -O0
! exit: 134
! stderr: rank 0 trapped: a null pointer was used
! stderr: null_pointer_fortran.f90:11
program main
  implicit none
  real(8), pointer :: field(:)
  nullify(field)
  field(5) = 1
  print *, field(5)
end program
