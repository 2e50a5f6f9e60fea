// MPI_Group_incl, MPI_Group_excl: in the order given, by rank; everybody and nobody.
#include "../check.h"

static void check_members(MPI_Group group, int n, const int *world_ranks)
{
    MPI_Group world;
    int count = -1, me = -1, expected = MPI_UNDEFINED;
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
    TRY(MPI_Group_size(group, &count));
    CHECK_INT(count, n);
    for (int i = 0; i < n; i++) {
        int place = -1;
        TRY(MPI_Group_translate_ranks(group, 1, &i, world, &place));
        CHECK_INT(place, world_ranks[i]);
        if (world_ranks[i] == rank)
            expected = i;
    }
    TRY(MPI_Group_rank(group, &me));
    CHECK_INT(me, expected);
    TRY(MPI_Group_free(&world));
}

int main(int argc, char **argv)
{
    enum { MAX_RANKS = 64 };
    int ranks[MAX_RANKS], expected[MAX_RANKS], n;
    MPI_Group world, group, inner;
    check_begin(&argc, &argv);
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
    for (int i = 0; i < size; i++)
        ranks[i] = size - 1 - i;
    TRY(MPI_Group_incl(world, size, ranks, &group));
    check_members(group, size, ranks);
    // A group of the group: ranks are those of the group it is made from.
    TRY(MPI_Group_incl(group, 1, (int[]){size - 1}, &inner));
    check_members(inner, 1, (int[]){0});
    TRY(MPI_Group_free(&inner));
    TRY(MPI_Group_excl(group, 1, (int[]){0}, &inner));
    check_members(inner, size - 1, ranks + 1);
    TRY(MPI_Group_free(&inner));
    TRY(MPI_Group_free(&group));
    // The odd ones, and all but these.
    n = 0;
    for (int r = 1; r < size; r += 2)
        ranks[n++] = r;
    TRY(MPI_Group_incl(world, n, ranks, &group));
    check_members(group, n, ranks);
    TRY(MPI_Group_free(&group));
    TRY(MPI_Group_excl(world, n, ranks, &group));
    n = 0;
    for (int r = 0; r < size; r += 2)
        expected[n++] = r;
    check_members(group, n, expected);
    TRY(MPI_Group_free(&group));
    TRY(MPI_Group_incl(world, 0, NULL, &group));
    CHECK(group == MPI_GROUP_EMPTY);
    TRY(MPI_Group_excl(world, 0, NULL, &group));
    check_members(group, size, (int[]){0, 1, 2, 3, 4, 5, 6, 7});
    TRY(MPI_Group_free(&group));
    for (int r = 0; r < size; r++)
        ranks[r] = r;
    TRY(MPI_Group_excl(world, size, ranks, &group));
    CHECK(group == MPI_GROUP_EMPTY);
    FAILS(MPI_Group_incl(world, 1, (int[]){size}, &group), MPI_ERR_RANK);
    FAILS(MPI_Group_incl(world, 1, (int[]){-1}, &group), MPI_ERR_RANK);
    FAILS(MPI_Group_excl(world, 1, (int[]){size}, &group), MPI_ERR_RANK);
    if (size > 1 && embedded()) // MPICH 5.0 lets a rank come twice.
        FAILS(MPI_Group_incl(world, 2, (int[]){0, 0}, &group), MPI_ERR_RANK);
    TRY(MPI_Group_free(&world));
    return check_end();
}
