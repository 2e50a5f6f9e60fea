! A file that Fortran opens where no folder is granted. The line is shown, and nothing of what the runtime is made of.
! ranks: 1
! exit: 134
! stderr: looks for the file input.dat, and no folder is granted: add --dir .
! stderr: Fortran's runtime ended it
! stderr: no_folder_fortran.f90:11
! stderr-not: Fortran::runtime
program main
  implicit none
  integer :: n
  open(10, file="input.dat", status="old")
  read(10, *) n
  print *, n
end program
