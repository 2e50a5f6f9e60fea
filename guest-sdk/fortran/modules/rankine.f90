! Object graphs as messages: variables of derived type, with all that their pointers and allocatables refer to, sent as simply as arrays of numbers.
!
!     call rankine_describe(tree, transport='left right')   ! once: which pointers travel; allocatables always do
!     if (rank == 0) call rankine_send(tree, 1, 0, MPI_COMM_WORLD)
!     if (rank == 1) call rankine_recv(tree, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
!
! An argument `objects` is a scalar, an array, or a part of one that lies in a row. Its values travel, and arrive in the receiver's variable; what they refer
! to is allocated there, and deallocated as usual. Before a variable gets new values its allocatable components are deallocated. Communicators, statuses and
! requests are those of mpi_f08 or of mpi.
module rankine
  use mpi_f08_types, only: MPI_Comm, MPI_Status, MPI_Request
  implicit none
  private
  public :: rankine_describe, rankine_send, rankine_recv, rankine_sendrecv, rankine_isend, rankine_irecv, &
            rankine_probe, rankine_iprobe, rankine_get_count, rankine_get_objects, rankine_bcast, &
            rankine_scatter, rankine_gather, rankine_allgather, rankine_alltoall, rankine_free, &
            rankine_set_limits

  interface
    ! Says which pointers of a type travel, by their names: 'left right', or '*' for all. Those in `weak` arrive disassociated unless their target travels
    ! anyway, as a parent's does; all others arrive disassociated. Any variable of the type will do. A type without pointers needs no description.
    subroutine rankine_describe(variable, transport, weak, ierror)
      implicit none
      class(*), dimension(..), intent(in) :: variable
      character(len=*), optional, intent(in) :: transport, weak
      integer, optional, intent(out) :: ierror
    end subroutine

    ! Frees everything that can be reached from the pointers that travel and from allocatables, each object once, but not the variable itself.
    subroutine rankine_free(objects, ierror)
      implicit none
      class(*), dimension(..) :: objects
      integer, optional, intent(out) :: ierror
    end subroutine

    ! What this rank accepts in one message: bytes, objects, references from a value to the farthest object.
    subroutine rankine_set_limits(bytes, objects, depth, ierror)
      implicit none
      integer(kind=8), optional, intent(in) :: bytes, objects, depth
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface

  interface rankine_send
    subroutine rankine_send_f08(objects, dest, tag, comm, ierror)
      import
      implicit none
      class(*), dimension(..), intent(in) :: objects
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine rankine_send_f90(objects, dest, tag, comm, ierror)
      implicit none
      class(*), dimension(..), intent(in) :: objects
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface

  ! Receives at most as many as there is room for; rankine_get_count says how many came.
  interface rankine_recv
    subroutine rankine_recv_f08(objects, source, tag, comm, status, ierror)
      import
      implicit none
      class(*), dimension(..) :: objects
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine rankine_recv_f90(objects, source, tag, comm, status, ierror)
      implicit none
      class(*), dimension(..) :: objects
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer :: status(*)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface

  interface rankine_sendrecv
    subroutine rankine_sendrecv_f08(sendobjects, dest, sendtag, recvobjects, source, recvtag, comm, status, ierror)
      import
      implicit none
      class(*), dimension(..), intent(in) :: sendobjects
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      class(*), dimension(..) :: recvobjects
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine rankine_sendrecv_f90(sendobjects, dest, sendtag, recvobjects, source, recvtag, comm, status, ierror)
      implicit none
      class(*), dimension(..), intent(in) :: sendobjects
      integer, intent(in) :: dest
      integer, intent(in) :: sendtag
      class(*), dimension(..) :: recvobjects
      integer, intent(in) :: source
      integer, intent(in) :: recvtag
      integer, intent(in) :: comm
      integer :: status(*)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface

  ! The graph is copied at once: it may change before the request is complete.
  interface rankine_isend
    subroutine rankine_isend_f08(objects, dest, tag, comm, request, ierror)
      import
      implicit none
      class(*), dimension(..), intent(in) :: objects
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine rankine_isend_f90(objects, dest, tag, comm, request, ierror)
      implicit none
      class(*), dimension(..), intent(in) :: objects
      integer, intent(in) :: dest
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface

  ! The objects are built when the request is completed by MPI_Wait, MPI_Test or another of them.
  interface rankine_irecv
    subroutine rankine_irecv_f08(objects, source, tag, comm, request, ierror)
      import
      implicit none
      class(*), dimension(..), asynchronous :: objects
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Request), intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine rankine_irecv_f90(objects, source, tag, comm, request, ierror)
      implicit none
      class(*), dimension(..), asynchronous :: objects
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer, intent(out) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface

  ! What comes next.
  interface rankine_probe
    subroutine rankine_probe_f08(source, tag, comm, status, ierror)
      import
      implicit none
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine rankine_probe_f90(source, tag, comm, status, ierror)
      implicit none
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      integer :: status(*)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface

  interface rankine_iprobe
    subroutine rankine_iprobe_f08(source, tag, comm, flag, status, ierror)
      import
      implicit none
      integer, intent(in) :: source
      integer, intent(in) :: tag
      type(MPI_Comm), intent(in) :: comm
      logical, intent(out) :: flag
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine rankine_iprobe_f90(source, tag, comm, flag, status, ierror)
      implicit none
      integer, intent(in) :: source
      integer, intent(in) :: tag
      integer, intent(in) :: comm
      logical, intent(out) :: flag
      integer :: status(*)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface

  ! How many values a message holds.
  interface rankine_get_count
    subroutine rankine_get_count_f08(status, count, ierror)
      import
      implicit none
      type(MPI_Status), intent(in) :: status
      integer, intent(out) :: count
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine rankine_get_count_f90(status, count, ierror)
      implicit none
      integer, intent(in) :: status(*)
      integer, intent(out) :: count
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface

  ! How many objects: the values and all that they refer to.
  interface rankine_get_objects
    subroutine rankine_get_objects_f08(status, count, ierror)
      import
      implicit none
      type(MPI_Status), intent(in) :: status
      integer, intent(out) :: count
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine rankine_get_objects_f90(status, count, ierror)
      implicit none
      integer, intent(in) :: status(*)
      integer, intent(out) :: count
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface

  interface rankine_bcast
    subroutine rankine_bcast_f08(objects, root, comm, ierror)
      import
      implicit none
      class(*), dimension(..) :: objects
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine rankine_bcast_f90(objects, root, comm, ierror)
      implicit none
      class(*), dimension(..) :: objects
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface

  ! Rank i gets sendcounts(i+1) values, from displs(i+1) on (counted from 0), or one part after another: a graph of its own.
  interface rankine_scatter
    subroutine rankine_scatter_f08(sendobjects, sendcounts, recvobjects, root, comm, received, displs, ierror)
      import
      implicit none
      class(*), dimension(..), intent(in) :: sendobjects
      integer, intent(in) :: sendcounts(*)
      class(*), dimension(..) :: recvobjects
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(out) :: received
      integer, optional, intent(in) :: displs(*)
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine rankine_scatter_f90(sendobjects, sendcounts, recvobjects, root, comm, received, displs, ierror)
      implicit none
      class(*), dimension(..), intent(in) :: sendobjects
      integer, intent(in) :: sendcounts(*)
      class(*), dimension(..) :: recvobjects
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, optional, intent(out) :: received
      integer, optional, intent(in) :: displs(*)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface

  ! All parts, in the order of ranks; recvcounts(i+1) is how many values came from rank i.
  interface rankine_gather
    subroutine rankine_gather_f08(sendobjects, recvobjects, root, comm, recvcounts, ierror)
      import
      implicit none
      class(*), dimension(..), intent(in) :: sendobjects
      class(*), dimension(..) :: recvobjects
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(inout) :: recvcounts(*)
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine rankine_gather_f90(sendobjects, recvobjects, root, comm, recvcounts, ierror)
      implicit none
      class(*), dimension(..), intent(in) :: sendobjects
      class(*), dimension(..) :: recvobjects
      integer, intent(in) :: root
      integer, intent(in) :: comm
      integer, optional, intent(inout) :: recvcounts(*)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface

  interface rankine_allgather
    subroutine rankine_allgather_f08(sendobjects, recvobjects, comm, recvcounts, ierror)
      import
      implicit none
      class(*), dimension(..), intent(in) :: sendobjects
      class(*), dimension(..) :: recvobjects
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(inout) :: recvcounts(*)
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine rankine_allgather_f90(sendobjects, recvobjects, comm, recvcounts, ierror)
      implicit none
      class(*), dimension(..), intent(in) :: sendobjects
      class(*), dimension(..) :: recvobjects
      integer, intent(in) :: comm
      integer, optional, intent(inout) :: recvcounts(*)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface

  interface rankine_alltoall
    subroutine rankine_alltoall_f08(sendobjects, sendcounts, recvobjects, comm, recvcounts, displs, ierror)
      import
      implicit none
      class(*), dimension(..), intent(in) :: sendobjects
      integer, intent(in) :: sendcounts(*)
      class(*), dimension(..) :: recvobjects
      type(MPI_Comm), intent(in) :: comm
      integer, optional, intent(inout) :: recvcounts(*)
      integer, optional, intent(in) :: displs(*)
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine rankine_alltoall_f90(sendobjects, sendcounts, recvobjects, comm, recvcounts, displs, ierror)
      implicit none
      class(*), dimension(..), intent(in) :: sendobjects
      integer, intent(in) :: sendcounts(*)
      class(*), dimension(..) :: recvobjects
      integer, intent(in) :: comm
      integer, optional, intent(inout) :: recvcounts(*)
      integer, optional, intent(in) :: displs(*)
      integer, optional, intent(out) :: ierror
    end subroutine
  end interface
end module
