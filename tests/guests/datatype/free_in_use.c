// A type freed while a message of it is pending, or while other types are made of it, lives on where it is needed.
#include "../check.h"

int main(int argc, char **argv)
{
    enum { N = 1000 };
    static int out[2 * N], in[2 * N];
    MPI_Datatype type, outer;
    MPI_Request requests[2], persistent;
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int i = 0; i < 2 * N; i++) {
        out[i] = rank + i;
        in[i] = -1;
    }
    TRY(MPI_Type_vector(N, 1, 2, MPI_INT, &type));
    TRY(MPI_Type_commit(&type));
    TRY(MPI_Irecv(in, 1, type, before, 0, MPI_COMM_WORLD, &requests[0]));
    TRY(MPI_Type_free(&type));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_Type_vector(N, 1, 2, MPI_INT, &type));
    TRY(MPI_Type_commit(&type));
    TRY(MPI_Isend(out, 1, type, next, 0, MPI_COMM_WORLD, &requests[1]));
    TRY(MPI_Type_free(&type));
    TRY(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < 2 * N; i++)
        CHECK_INT(in[i], i % 2 ? -1 : before + i);
    // Made of a type that is gone.
    TRY(MPI_Type_contiguous(2, MPI_INT, &type));
    TRY(MPI_Type_vector(2, 1, 2, type, &outer));
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_commit(&outer));
    TRY(MPI_Recv_init(in, 2, outer, before, 1, MPI_COMM_WORLD, &persistent));
    TRY(MPI_Type_free(&outer));
    for (int round = 0; round < 3; round++) {
        memset(in, -1, sizeof in);
        TRY(MPI_Start(&persistent));
        TRY(MPI_Send(out, 8, MPI_INT, next, 1, MPI_COMM_WORLD));
        TRY(MPI_Wait(&persistent, MPI_STATUS_IGNORE));
        static const int place[] = {0, 1, 4, 5, 6, 7, 10, 11};
        for (int i = 0; i < 8; i++)
            CHECK_INT(in[place[i]], before + i);
        CHECK_INT(in[2], -1);
    }
    TRY(MPI_Request_free(&persistent));
    return check_end();
}
