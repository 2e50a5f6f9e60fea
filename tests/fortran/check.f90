! What the test programs share: check counts what is wrong, finish says OK if nothing was on any rank.
! part: yes
module checks
  use mpi
  implicit none
  private
  public :: check, finish
  integer :: failures = 0
contains
  subroutine check(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    integer :: rank, ierror
    if (right) return
    failures = failures + 1
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    print '(a,i0,2a)', 'rank ', rank, ': wrong: ', what
  end subroutine

  subroutine finish
    integer :: rank, total, ierror
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Allreduce(failures, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    if (rank == 0 .and. total == 0) print '(a)', 'OK'
    call MPI_Finalize(ierror)
    if (total /= 0) stop 1
  end subroutine
end module
