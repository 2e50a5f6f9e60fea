// A datatype that was not committed.
// ranks: 2
// engines: local
// run: --check
// exit: 5
// stderr: the datatype has not been committed (MPI_ERR_TYPE)
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int numbers[4] = {0};
    MPI_Datatype type;
    MPI_Type_contiguous(4, MPI_INT, &type);
    if (rank == 0)
        MPI_Send(numbers, 1, type, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(numbers, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    return MPI_Finalize();
}
