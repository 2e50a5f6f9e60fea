// MPI_PROC_NULL in every call: a send to nobody and a receive from nobody complete at once and touch nothing.
#include "../check.h"

int main(int argc, char **argv)
{
    int value = 42;
    MPI_Status status;
    MPI_Request requests[6];
    MPI_Status statuses[6];
    check_begin(&argc, &argv);
    TRY(MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
    TRY(MPI_Ssend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
    TRY(MPI_Rsend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
    TRY(MPI_Bsend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
    TRY(MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status));
    CHECK_EMPTY(status, MPI_PROC_NULL);
    TRY(MPI_Recv(NULL, 0, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    TRY(MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]));
    TRY(MPI_Issend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]));
    TRY(MPI_Irsend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[2]));
    TRY(MPI_Ibsend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[3]));
    TRY(MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[4]));
    TRY(MPI_Isend(&value, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[5]));
    TRY(MPI_Waitall(6, requests, statuses));
    CHECK_EMPTY(statuses[4], MPI_PROC_NULL);
    CHECK_INT(value, 42);
    return check_end();
}
