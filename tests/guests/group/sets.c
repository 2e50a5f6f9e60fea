// MPI_Group_union, MPI_Group_intersection, MPI_Group_difference, MPI_Group_compare: members and their order.
// ranks: 4 8
// native: 4
#include "../check.h"

static MPI_Group world;

static MPI_Group of(int n, const int *ranks)
{
    MPI_Group group;
    TRY(MPI_Group_incl(world, n, ranks, &group));
    return group;
}

static int compare(MPI_Group a, MPI_Group b)
{
    int result = -1;
    TRY(MPI_Group_compare(a, b, &result));
    return result;
}

int main(int argc, char **argv)
{
    MPI_Group a, b, c, expected;
    check_begin(&argc, &argv);
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
    a = of(3, (int[]){2, 0, 1});
    b = of(2, (int[]){3, 0});
    // The first group's members in their order, then those of the second that are not in it.
    TRY(MPI_Group_union(a, b, &c));
    expected = of(4, (int[]){2, 0, 1, 3});
    CHECK_INT(compare(c, expected), MPI_IDENT);
    TRY(MPI_Group_free(&c));
    TRY(MPI_Group_free(&expected));
    TRY(MPI_Group_union(b, a, &c));
    expected = of(4, (int[]){3, 0, 2, 1});
    CHECK_INT(compare(c, expected), MPI_IDENT);
    TRY(MPI_Group_free(&c));
    TRY(MPI_Group_free(&expected));
    TRY(MPI_Group_intersection(a, b, &c));
    expected = of(1, (int[]){0});
    CHECK_INT(compare(c, expected), MPI_IDENT);
    TRY(MPI_Group_free(&c));
    TRY(MPI_Group_free(&expected));
    TRY(MPI_Group_difference(a, b, &c));
    expected = of(2, (int[]){2, 1});
    CHECK_INT(compare(c, expected), MPI_IDENT);
    TRY(MPI_Group_free(&c));
    TRY(MPI_Group_free(&expected));
    c = of(3, (int[]){0, 1, 2});
    CHECK_INT(compare(a, c), MPI_SIMILAR);
    CHECK_INT(compare(a, b), MPI_UNEQUAL);
    CHECK_INT(compare(a, a), MPI_IDENT);
    CHECK_INT(compare(MPI_GROUP_EMPTY, MPI_GROUP_EMPTY), MPI_IDENT);
    CHECK_INT(compare(MPI_GROUP_EMPTY, a), MPI_UNEQUAL);
    TRY(MPI_Group_free(&c));
    TRY(MPI_Group_difference(a, a, &c));
    CHECK(c == MPI_GROUP_EMPTY);
    TRY(MPI_Group_intersection(a, MPI_GROUP_EMPTY, &c));
    CHECK(c == MPI_GROUP_EMPTY);
    TRY(MPI_Group_union(MPI_GROUP_EMPTY, a, &c));
    CHECK_INT(compare(a, c), MPI_IDENT);
    TRY(MPI_Group_free(&c));
    TRY(MPI_Group_free(&a));
    TRY(MPI_Group_free(&b));
    TRY(MPI_Group_free(&world));
    return check_end();
}
