// Collectives of several communicators between one another, with messages in flight, hundreds of times.
// native: 1 2
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Comm dup, half;
    MPI_Request requests[2];
    check_begin(&argc, &argv);
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    TRY(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half));
    int half_rank, half_size, next = (rank + 1) % size, before = (rank + size - 1) % size;
    TRY(MPI_Comm_rank(half, &half_rank));
    TRY(MPI_Comm_size(half, &half_size));
    for (int round = 0; round < 300; round++) {
        int got = -1, sum = 0, all = 0, value = rank + round;
        TRY(MPI_Irecv(&got, 1, MPI_INT, before, 0, MPI_COMM_WORLD, &requests[0]));
        TRY(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, half));
        TRY(MPI_Isend(&value, 1, MPI_INT, next, 0, MPI_COMM_WORLD, &requests[1]));
        TRY(MPI_Allreduce(&value, &all, 1, MPI_INT, MPI_MAX, dup));
        if (round % 3 == 0)
            TRY(MPI_Barrier(MPI_COMM_WORLD));
        CHECK_INT(all, size - 1 + round);
        int expected = 0;
        for (int r = rank % 2; r < size; r += 2)
            expected += r + round;
        CHECK_INT(sum, expected);
        TRY(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        CHECK_INT(got, before + round);
        int root = round % half_size, shared = half_rank == root ? round * 10 + rank % 2 : -1;
        TRY(MPI_Bcast(&shared, 1, MPI_INT, root, half));
        CHECK_INT(shared, round * 10 + rank % 2);
    }
    TRY(MPI_Comm_free(&dup));
    TRY(MPI_Comm_free(&half));
    return check_end();
}
