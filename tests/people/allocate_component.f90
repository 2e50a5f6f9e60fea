! What is allocated in a procedure has its name too, and so has a component.
! ranks: 1
! each: local component
! exit: nonzero
! stderr: no memory to allocate scratch: 5600000000 bytes | no memory to allocate pressure: 5600000000 bytes
! stderr: at step
program main
  implicit none
  type cell
    real(8), allocatable :: pressure(:)
  end type
  character(20) :: way
  call get_command_argument(1, way)
  call step(700000000)
contains
  subroutine step(n)
    integer, intent(in) :: n
    real(8), allocatable :: scratch(:)
    type(cell) :: mesh(3)
    integer :: at
    at = 2
    if (way == 'local') then
      allocate(scratch(n))
      print *, scratch(1)
    else
      allocate(mesh(at)%pressure(n))
      print *, mesh(at)%pressure(1)
    end if
  end subroutine
end program
