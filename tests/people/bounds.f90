! Bounds are not checked: who asks for it is told when the program is compiled.
! ranks: 1
! cc: -fcheck=bounds
! compiler: warning: -fcheck=bounds does nothing: LLVM's flang checks no bounds
program main
  implicit none
  print '(a)', "OK"
end program
