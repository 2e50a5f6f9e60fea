// A fatal error whose class is a small number (MPI_ERR_TYPE is 3) ends the job as any other does, and not as a deadlock.
// ranks: 1 4
// native: no (the status is a library's own)
// exit: 5
// stderr: MPI_Type_size
// stderr: MPI_ERR_TYPE
// stderr-not: deadlock
#include <mpi.h>

int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Type_size(MPI_DATATYPE_NULL, &size);
    return 0;
}
