! A run-time error ends the program with a message that names the line.
! ranks: 1
! exit: nonzero
! stderr: failures.f90:12
! stderr-not: panicked
program failures
  implicit none
  integer :: i
  character(len=5) :: text
  text = 'bad'
  print *, 'before'
  read (text, *) i
  print *, i
end program
