// MPI_Cancel, MPI_Test_cancelled: a receive that nothing came for is cancelled, one that something came for is not.
#include "../check.h"

int main(int argc, char **argv)
{
    int in[2] = {-1, -1}, flag = -1;
    MPI_Request request;
    MPI_Status status;
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    TRY(MPI_Irecv(in, 1, MPI_INT, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &request));
    TRY(MPI_Cancel(&request));
    CHECK(request != MPI_REQUEST_NULL);
    TRY(MPI_Wait(&request, &status));
    TRY(MPI_Test_cancelled(&status, &flag));
    CHECK_INT(flag, 1);
    CHECK(request == MPI_REQUEST_NULL);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    // What was cancelled takes no message away.
    TRY(MPI_Sendrecv(&rank, 1, MPI_INT, next, 77, in, 1, MPI_INT, before, 77, MPI_COMM_WORLD, &status));
    CHECK_INT(in[0], before);
    TRY(MPI_Test_cancelled(&status, &flag));
    CHECK_INT(flag, 0);
    // Of two receives the first is cancelled: the second gets the message.
    MPI_Request two[2];
    TRY(MPI_Irecv(&in[0], 1, MPI_INT, before, 78, MPI_COMM_WORLD, &two[0]));
    TRY(MPI_Irecv(&in[1], 1, MPI_INT, before, 78, MPI_COMM_WORLD, &two[1]));
    TRY(MPI_Cancel(&two[0]));
    in[0] = in[1] = -1;
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_Send(&rank, 1, MPI_INT, next, 78, MPI_COMM_WORLD));
    MPI_Status statuses[2] = {{0}, {0}};
    TRY(MPI_Waitall(2, two, statuses));
    TRY(MPI_Test_cancelled(&statuses[0], &flag));
    CHECK_INT(flag, 1);
    TRY(MPI_Test_cancelled(&statuses[1], &flag));
    CHECK_INT(flag, 0);
    CHECK_INT(in[0], -1);
    CHECK_INT(in[1], before);
    // A receive that is complete can't be cancelled any more.
    TRY(MPI_Irecv(in, 1, MPI_INT, rank, 79, MPI_COMM_WORLD, &request));
    TRY(MPI_Send(&rank, 1, MPI_INT, rank, 79, MPI_COMM_WORLD));
    do
        TRY(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
    while (!flag);
    TRY(MPI_Cancel(&request));
    TRY(MPI_Wait(&request, &status));
    TRY(MPI_Test_cancelled(&status, &flag));
    CHECK_INT(flag, 0);
    CHECK_INT(in[0], rank);
    // A persistent receive, cancelled, can be started again.
    TRY(MPI_Recv_init(in, 1, MPI_INT, rank, 80, MPI_COMM_WORLD, &request));
    TRY(MPI_Start(&request));
    TRY(MPI_Cancel(&request));
    TRY(MPI_Wait(&request, &status));
    TRY(MPI_Test_cancelled(&status, &flag));
    CHECK_INT(flag, 1);
    TRY(MPI_Start(&request));
    TRY(MPI_Send(&size, 1, MPI_INT, rank, 80, MPI_COMM_WORLD));
    TRY(MPI_Wait(&request, &status));
    TRY(MPI_Test_cancelled(&status, &flag));
    CHECK_INT(flag, 0);
    CHECK_INT(in[0], size);
    TRY(MPI_Request_free(&request));
    return check_end();
}
