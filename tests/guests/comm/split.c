// MPI_Comm_split: colours, keys, ties by the old rank, MPI_UNDEFINED; splits of splits.
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Comm half, reverse, none, quarter;
    int n, me, result, sum;
    check_begin(&argc, &argv);
    TRY(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half));
    TRY(MPI_Comm_size(half, &n));
    TRY(MPI_Comm_rank(half, &me));
    CHECK_INT(n, (size + (rank % 2 == 0)) / 2);
    CHECK_INT(me, rank / 2);
    TRY(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half));
    CHECK_INT(sum, n * (n - 1) + n * (rank % 2));
    TRY(MPI_Comm_split(MPI_COMM_WORLD, 5, -rank, &reverse));
    TRY(MPI_Comm_rank(reverse, &me));
    CHECK_INT(me, size - 1 - rank);
    TRY(MPI_Comm_compare(MPI_COMM_WORLD, reverse, &result));
    CHECK_INT(result, size == 1 ? MPI_CONGRUENT : MPI_SIMILAR);
    TRY(MPI_Comm_compare(MPI_COMM_WORLD, half, &result));
    CHECK_INT(result, size == 1 ? MPI_CONGRUENT : MPI_UNEQUAL);
    TRY(MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, 0, &none));
    CHECK((none == MPI_COMM_NULL) == (rank == 0));
    if (none != MPI_COMM_NULL) {
        TRY(MPI_Comm_size(none, &n));
        CHECK_INT(n, size - 1);
        TRY(MPI_Comm_free(&none));
    }
    TRY(MPI_Comm_split(half, rank / 4, rank, &quarter));
    TRY(MPI_Comm_size(quarter, &n));
    CHECK(n <= 2);
    TRY(MPI_Barrier(quarter));
    TRY(MPI_Comm_free(&quarter));
    TRY(MPI_Comm_free(&half));
    // Ranks are those of the communicator.
    int next, got = -1;
    TRY(MPI_Comm_rank(reverse, &me));
    next = (me + 1) % size;
    MPI_Status status;
    TRY(MPI_Sendrecv(&me, 1, MPI_INT, next, 0, &got, 1, MPI_INT, MPI_ANY_SOURCE, 0, reverse, &status));
    CHECK_INT(got, (me + size - 1) % size);
    CHECK_INT(status.MPI_SOURCE, got);
    TRY(MPI_Comm_free(&reverse));
    if (embedded()) // MPICH 5.0 takes any colour.
        FAILS(MPI_Comm_split(MPI_COMM_WORLD, -5, 0, &none), MPI_ERR_ARG);
    return check_end();
}
