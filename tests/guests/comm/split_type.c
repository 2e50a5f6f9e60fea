// MPI_Comm_split_type: who shares memory; MPI_UNDEFINED.
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Comm shared, none;
    int n, me, sum;
    check_begin(&argc, &argv);
    TRY(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &shared));
    CHECK(shared != MPI_COMM_NULL);
    TRY(MPI_Comm_size(shared, &n));
    TRY(MPI_Comm_rank(shared, &me));
    CHECK(n >= 1 && n <= size);
    TRY(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, shared));
    CHECK_INT(sum, n * (n - 1) / 2);
    if (n == size)
        CHECK_INT(me, size - 1 - rank);
    TRY(MPI_Comm_free(&shared));
    TRY(MPI_Comm_split_type(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &none));
    CHECK((none == MPI_COMM_NULL) == (rank == 0));
    if (none != MPI_COMM_NULL)
        TRY(MPI_Comm_free(&none));
    return check_end();
}
