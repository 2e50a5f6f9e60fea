! What is allocated in a procedure has its name too, and so has a component.
! ranks: 1
! each: local component pointer
! exit: nonzero
! stderr: no memory to allocate scratch: 5600000000 bytes | no memory to allocate pressure: 5600000000 bytes | no memory to allocate view: 5600000000 bytes
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
    real(8), pointer :: view(:)
    type(cell) :: mesh(3)
    integer :: at
    at = 2
    select case (way)
    case ('local')
      allocate(scratch(n))
      print *, scratch(1)
    case ('component')
      allocate(mesh(at)%pressure(n))
      print *, mesh(at)%pressure(1)
    case default
      allocate(view(n))
      print *, view(1)
    end select
  end subroutine
end program
