! COMMON blocks that differ in size between files, BLOCK DATA, EQUIVALENCE, blank COMMON.
! ranks: 1
! reference: flang
! with: common_other.f
program common_main
  implicit none
  integer :: small(2), i, blank(3), guard(4)
  real :: x, y
  double precision :: d
  integer :: parts(2)
  common /sized/ small
  common /guards/ guard
  common /initial/ x, y
  common blank
  equivalence (d, parts)
  guard = 7
  small = [1, 2]
  blank = [10, 20, 30]
  call other_fills
  print *, small, blank
  print *, guard
  print *, x, y
  d = 1
  print *, parts(1), parts(2) /= 0
  call other_shows
  do i = 1, 3
    call counts(i)
  end do
end program

subroutine counts(n)
  implicit none
  integer, intent(in) :: n
  integer, save :: calls = 0
  calls = calls + n
  print *, 'calls', calls
end subroutine
