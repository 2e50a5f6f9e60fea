// MPI_Group_range_incl, MPI_Group_range_excl: strides forwards and backwards, several ranges.
// ranks: 4 8
// native: 4
#include "../check.h"

static void expect(MPI_Group world, MPI_Group group, int n, const int *world_ranks)
{
    int count = -1, places[16], all[16];
    TRY(MPI_Group_size(group, &count));
    CHECK_INT(count, n);
    for (int i = 0; i < n; i++)
        all[i] = i;
    TRY(MPI_Group_translate_ranks(group, n, all, world, places));
    for (int i = 0; i < n; i++)
        CHECK_INT(places[i], world_ranks[i]);
}

int main(int argc, char **argv)
{
    MPI_Group world, group;
    check_begin(&argc, &argv);
    int last = size - 1;
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
    int even[][3] = {{0, last, 2}};
    TRY(MPI_Group_range_incl(world, 1, even, &group));
    expect(world, group, size / 2, (int[]){0, 2, 4, 6});
    TRY(MPI_Group_free(&group));
    TRY(MPI_Group_range_excl(world, 1, even, &group));
    expect(world, group, size / 2, (int[]){1, 3, 5, 7});
    TRY(MPI_Group_free(&group));
    int backwards[][3] = {{3, 0, -1}};
    TRY(MPI_Group_range_incl(world, 1, backwards, &group));
    expect(world, group, 4, (int[]){3, 2, 1, 0});
    TRY(MPI_Group_free(&group));
    int several[][3] = {{3, 3, 1}, {0, 2, 2}};
    TRY(MPI_Group_range_incl(world, 2, several, &group));
    expect(world, group, 3, (int[]){3, 0, 2});
    TRY(MPI_Group_free(&group));
    // A range from below to above with a negative stride is empty.
    int none[][3] = {{0, 3, -1}};
    if (MPI_Group_range_incl(world, 1, none, &group) == MPI_SUCCESS)
        CHECK(group == MPI_GROUP_EMPTY);
    TRY(MPI_Group_range_incl(world, 0, NULL, &group));
    CHECK(group == MPI_GROUP_EMPTY);
    int outside[][3] = {{0, size, 1}}, still[][3] = {{0, 2, 0}};
    CHECK(MPI_Group_range_incl(world, 1, outside, &group) != MPI_SUCCESS);
    CHECK(MPI_Group_range_incl(world, 1, still, &group) != MPI_SUCCESS);
    TRY(MPI_Group_free(&world));
    return check_end();
}
