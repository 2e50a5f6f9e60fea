// MPI_Comm_create_group: only the members call it.
#include "../check.h"

int main(int argc, char **argv)
{
    enum { MAX_RANKS = 64 };
    int ranks[MAX_RANKS], n = 0, me, count, sum;
    MPI_Group world, group;
    MPI_Comm comm;
    check_begin(&argc, &argv);
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
    for (int r = 0; r < size; r += 2)
        ranks[n++] = r;
    TRY(MPI_Group_incl(world, n, ranks, &group));
    if (rank % 2 == 0)
        for (int tag = 0; tag < 3; tag++) {
            TRY(MPI_Comm_create_group(MPI_COMM_WORLD, group, tag, &comm));
            TRY(MPI_Comm_rank(comm, &me));
            TRY(MPI_Comm_size(comm, &count));
            CHECK_INT(me, rank / 2);
            CHECK_INT(count, n);
            TRY(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm));
            CHECK_INT(sum, n * (n - 1) / 2);
            TRY(MPI_Comm_free(&comm));
        }
    TRY(MPI_Group_free(&group));
    TRY(MPI_Group_free(&world));
    return check_end();
}
