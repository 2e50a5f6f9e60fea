// MPI_Wait, MPI_Test: active, complete, null; what becomes of the handle.
#include "../check.h"

int main(int argc, char **argv)
{
    int in = -1, flag = -1;
    MPI_Request request = MPI_REQUEST_NULL, send;
    MPI_Status status;
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    TRY(MPI_Wait(&request, &status));
    CHECK_EMPTY(status, MPI_ANY_SOURCE);
    TRY(MPI_Test(&request, &flag, &status));
    CHECK_INT(flag, 1);
    CHECK_EMPTY(status, MPI_ANY_SOURCE);
    // Nothing was sent yet: not complete, and the handle stays.
    TRY(MPI_Irecv(&in, 1, MPI_INT, before, 4, MPI_COMM_WORLD, &request));
    for (int i = 0; i < 10; i++) {
        TRY(MPI_Test(&request, &flag, &status));
        CHECK_INT(flag, 0);
        CHECK(request != MPI_REQUEST_NULL);
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_Issend(&rank, 1, MPI_INT, next, 4, MPI_COMM_WORLD, &send));
    do
        TRY(MPI_Test(&request, &flag, &status));
    while (!flag);
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_STATUS(status, before, 4);
    CHECK_INT(in, before);
    TRY(MPI_Wait(&send, MPI_STATUS_IGNORE));
    CHECK(send == MPI_REQUEST_NULL);
    // A polling receiver and a sender that is late.
    if (rank == 0)
        for (int from = 1; from < size; from++) {
            TRY(MPI_Irecv(&in, 1, MPI_INT, from, 5, MPI_COMM_WORLD, &request));
            do
                TRY(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
            while (!flag);
            CHECK_INT(in, from * from);
        }
    else {
        int square = rank * rank;
        TRY(MPI_Send(&square, 1, MPI_INT, 0, 5, MPI_COMM_WORLD));
    }
    return check_end();
}
