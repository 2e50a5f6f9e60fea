! The MPI_Send of profiling.f90.
! part: yes
subroutine MPI_Send(buf, count, datatype, dest, tag, comm, ierror)
  implicit none
  integer :: buf(*), count, datatype, dest, tag, comm, ierror, sent
  common /counted/ sent
  external :: PMPI_Send
  sent = sent + 1
  call PMPI_Send(buf, count, datatype, dest, tag, comm, ierror)
end subroutine
