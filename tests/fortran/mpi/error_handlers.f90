! Error handlers written in Fortran, and ierror that is not asked for.
! ranks: 1 2 3 4
! with: ../check.f90
module handlers
  use mpi_f08
  implicit none
  integer :: calls = 0, last = 0
contains
  subroutine note(comm, error_code)
    type(MPI_Comm) :: comm
    integer :: error_code
    calls = calls + 1
    call MPI_Error_class(error_code, last)
    if (comm /= MPI_COMM_WORLD) calls = calls + 100
  end subroutine
  subroutine note_session(session, error_code)
    type(MPI_Session) :: session
    integer :: error_code
    calls = calls + 1
  end subroutine
end module

program error_handlers
  use handlers
  use checks
  implicit none
  type(MPI_Errhandler) :: own, of_session, found
  type(MPI_Session) :: session
  integer :: ierror, x
  call MPI_Init
  call MPI_Comm_create_errhandler(note, own)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, own)
  x = 1
  call MPI_Send(x, 1, MPI_INTEGER, -55, 0, MPI_COMM_WORLD, ierror)
  call check(calls == 1 .and. last == MPI_ERR_RANK .and. ierror /= MPI_SUCCESS, 'the handler is called')
  call MPI_Send(x, -1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD)
  call check(calls == 2 .and. last == MPI_ERR_COUNT, 'without ierror')
  call MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER)
  call check(calls == 3 .and. last == MPI_ERR_OTHER, 'Comm_call_errhandler')
  call MPI_Comm_get_errhandler(MPI_COMM_WORLD, found)
  call check(found == own, 'Comm_get_errhandler')
  call MPI_Errhandler_free(found)
  call MPI_Errhandler_free(own)
  call check(own == MPI_ERRHANDLER_NULL, 'Errhandler_free')
  call MPI_Session_create_errhandler(note_session, of_session)
  call MPI_Session_init(MPI_INFO_NULL, of_session, session)
  call MPI_Session_call_errhandler(session, MPI_ERR_OTHER)
  call check(calls == 4, 'Session_call_errhandler')
  call MPI_Session_finalize(session)
  call MPI_Errhandler_free(of_session)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call MPI_Bcast(x, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD, ierror)
  call check(ierror /= MPI_SUCCESS .and. calls == 4, 'MPI_ERRORS_RETURN')
  call finish
end program
