// MPI_Comm_create: from a group, for its members; several disjoint groups in one call.
#include "../check.h"

int main(int argc, char **argv)
{
    enum { MAX_RANKS = 64 };
    int ranks[MAX_RANKS], n = 0, me, count, sum;
    MPI_Group world, group;
    MPI_Comm comm;
    check_begin(&argc, &argv);
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
    // All but the last, backwards.
    for (int r = size - 2; r >= 0; r--)
        ranks[n++] = r;
    TRY(MPI_Group_incl(world, n, ranks, &group));
    TRY(MPI_Comm_create(MPI_COMM_WORLD, group, &comm));
    CHECK((comm == MPI_COMM_NULL) == (rank == size - 1));
    if (comm != MPI_COMM_NULL) {
        TRY(MPI_Comm_rank(comm, &me));
        TRY(MPI_Comm_size(comm, &count));
        CHECK_INT(me, size - 2 - rank);
        CHECK_INT(count, size - 1);
        TRY(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
        CHECK_INT(sum, (size - 1) * (size - 2) / 2);
        TRY(MPI_Comm_free(&comm));
    }
    if (group != MPI_GROUP_EMPTY)
        TRY(MPI_Group_free(&group));
    // The even and the odd ones, each their own group.
    n = 0;
    for (int r = rank % 2; r < size; r += 2)
        ranks[n++] = r;
    TRY(MPI_Group_incl(world, n, ranks, &group));
    TRY(MPI_Comm_create(MPI_COMM_WORLD, group, &comm));
    TRY(MPI_Comm_size(comm, &count));
    CHECK_INT(count, n);
    TRY(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_MIN, comm));
    CHECK_INT(sum, rank % 2);
    TRY(MPI_Comm_free(&comm));
    TRY(MPI_Group_free(&group));
    TRY(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &comm));
    CHECK(comm == MPI_COMM_NULL);
    TRY(MPI_Group_free(&world));
    return check_end();
}
