! A module of a library, which CMake wants in a folder of its own.
module numbers
  implicit none
  integer, parameter :: many = 4
end module
