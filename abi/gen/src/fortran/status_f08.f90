
  ! What became of a message.
  type, bind(C) :: MPI_Status
    integer :: MPI_SOURCE
    integer :: MPI_TAG
    integer :: MPI_ERROR
    integer, private :: reserved(5)
  end type MPI_Status

  ! Variables whose addresses stand for something.
  type(MPI_Status), bind(C, name="mpi_f08_status_ignore") :: MPI_STATUS_IGNORE
  type(MPI_Status), bind(C, name="mpi_f08_statuses_ignore") :: MPI_STATUSES_IGNORE(1)
  integer, bind(C, name="mpi_fortran_bottom_") :: MPI_BOTTOM
  integer, bind(C, name="mpi_fortran_in_place_") :: MPI_IN_PLACE
  integer, bind(C, name="mpi_fortran_buffer_automatic_") :: MPI_BUFFER_AUTOMATIC
  integer, bind(C, name="mpi_fortran_errcodes_ignore_") :: MPI_ERRCODES_IGNORE(1)
  integer, bind(C, name="mpi_fortran_unweighted_") :: MPI_UNWEIGHTED(1)
  integer, bind(C, name="mpi_fortran_weights_empty_") :: MPI_WEIGHTS_EMPTY(1)
  character(len=1), bind(C, name="mpi_fortran_argv_null_") :: MPI_ARGV_NULL(1)
  character(len=1), bind(C, name="mpi_fortran_argvs_null_") :: MPI_ARGVS_NULL(1,1)
