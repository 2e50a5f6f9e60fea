! Generalised requests: callbacks with an extra state of address kind and a logical.
! ranks: 1 2 3 4
! with: ../check.f90
module operations
  use mpi_f08
  implicit none
  integer :: queried = 0, freed = 0
  logical :: completed_before_cancel = .true.
contains
  subroutine query(extra_state, status, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    type(MPI_Status) :: status
    integer :: ierror
    queried = queried + 1
    call MPI_Status_set_elements(status, MPI_INTEGER, int(extra_state))
    call MPI_Status_set_cancelled(status, .false.)
    status%MPI_SOURCE = 3
    status%MPI_TAG = 4
    ierror = MPI_SUCCESS
  end subroutine
  subroutine release(extra_state, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    integer :: ierror
    freed = freed + 1
    ierror = MPI_SUCCESS
  end subroutine
  subroutine cancel(extra_state, complete, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    logical :: complete
    integer :: ierror
    completed_before_cancel = complete
    ierror = MPI_SUCCESS
  end subroutine
end module

program generalised_requests
  use operations
  use checks
  implicit none
  type(MPI_Request) :: request
  type(MPI_Status) :: status
  integer :: n, array(MPI_STATUS_SIZE)
  logical :: flag
  call MPI_Init
  call MPI_Grequest_start(query, release, cancel, 11_MPI_ADDRESS_KIND, request)
  call MPI_Test(request, flag, status)
  call check(.not. flag, 'not complete')
  call MPI_Cancel(request)
  call check(.not. completed_before_cancel, 'the cancel callback')
  call MPI_Grequest_complete(request)
  call MPI_Wait(request, status)
  call MPI_Get_elements(status, MPI_INTEGER, n)
  call check(n == 11 .and. queried == 1 .and. freed == 1, 'query and free callbacks')
  call check(status%MPI_SOURCE == 3 .and. status%MPI_TAG == 4, 'status')
  call MPI_Test_cancelled(status, flag)
  call check(.not. flag, 'Test_cancelled')
  call MPI_Status_f082f(status, array)
  call check(array(MPI_SOURCE) == 3 .and. array(MPI_TAG) == 4, 'Status_f082f')
  array(MPI_TAG) = 8
  call MPI_Status_f2f08(array, status)
  call MPI_Get_elements(status, MPI_INTEGER, n)
  call check(status%MPI_TAG == 8 .and. n == 11, 'Status_f2f08')
  call finish
end program
