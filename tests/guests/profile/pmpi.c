// A program that defines its own MPI_Send profiles: the PMPI_ name is the library's.
#include "../check.h"

static int sends, barriers;

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    sends++;
    return PMPI_Send(buffer, count, type, to, tag, comm);
}

int MPI_Barrier(MPI_Comm comm)
{
    barriers++;
    return PMPI_Barrier(comm);
}

int main(int argc, char **argv)
{
    int in = -1;
    MPI_Request request;
    check_begin(&argc, &argv);
    TRY(MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request));
    TRY(MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_INT(in, (rank + size - 1) % size);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_INT(sends, 1);
    CHECK_INT(barriers, 1);
    return check_end();
}
