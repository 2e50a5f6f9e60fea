/* The variables whose addresses stand for something: MPI_BOTTOM, MPI_STATUS_IGNORE and their like. mpif.h and the
 * module mpi have each in a COMMON block of its own; mpi_f08 shares them, but for statuses, which have a type of their
 * own. */
#include "glue.h"

#define SENTINEL __attribute__((weak))
SENTINEL int mpi_fortran_bottom_[1];
SENTINEL int mpi_fortran_in_place_[1];
SENTINEL int mpi_fortran_buffer_automatic_[1];
SENTINEL int mpi_fortran_status_ignore_[8];
SENTINEL int mpi_fortran_statuses_ignore_[8];
SENTINEL int mpi_fortran_errcodes_ignore_[1];
SENTINEL int mpi_fortran_unweighted_[1];
SENTINEL int mpi_fortran_weights_empty_[1];
SENTINEL char mpi_fortran_argv_null_[1];
SENTINEL char mpi_fortran_argvs_null_[1];
MPI_Status mpi_f08_status_ignore;
MPI_Status mpi_f08_statuses_ignore[1];

void *rankine_address(const void *buffer)
{
    if (buffer == mpi_fortran_bottom_)
        return MPI_BOTTOM;
    if (buffer == mpi_fortran_in_place_)
        return MPI_IN_PLACE;
    if (buffer == mpi_fortran_buffer_automatic_)
        return MPI_BUFFER_AUTOMATIC;
    return (void *)buffer;
}

MPI_Status *rankine_status(MPI_Status *status)
{
    const void *address = status;
    if (address == mpi_fortran_status_ignore_ || address == &mpi_f08_status_ignore ||
        address == mpi_fortran_statuses_ignore_ || address == mpi_f08_statuses_ignore)
        return MPI_STATUS_IGNORE;
    return status;
}

int *rankine_weights(const int *weights)
{
    if (weights == mpi_fortran_unweighted_)
        return MPI_UNWEIGHTED;
    if (weights == mpi_fortran_weights_empty_)
        return MPI_WEIGHTS_EMPTY;
    return (int *)weights;
}

int *rankine_errcodes(int *codes)
{
    return codes == mpi_fortran_errcodes_ignore_ ? MPI_ERRCODES_IGNORE : codes;
}
