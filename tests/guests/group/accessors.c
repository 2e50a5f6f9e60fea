// MPI_Comm_group, MPI_Group_size, MPI_Group_rank, MPI_Group_free, MPI_GROUP_EMPTY.
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Group world, self, empty = MPI_GROUP_EMPTY;
    int n = -1, me = -1;
    check_begin(&argc, &argv);
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
    TRY(MPI_Group_size(world, &n));
    TRY(MPI_Group_rank(world, &me));
    CHECK_INT(n, size);
    CHECK_INT(me, rank);
    TRY(MPI_Comm_group(MPI_COMM_SELF, &self));
    TRY(MPI_Group_size(self, &n));
    TRY(MPI_Group_rank(self, &me));
    CHECK_INT(n, 1);
    CHECK_INT(me, 0);
    TRY(MPI_Group_size(MPI_GROUP_EMPTY, &n));
    TRY(MPI_Group_rank(MPI_GROUP_EMPTY, &me));
    CHECK_INT(n, 0);
    CHECK_INT(me, MPI_UNDEFINED);
    TRY(MPI_Group_free(&world));
    CHECK(world == MPI_GROUP_NULL);
    TRY(MPI_Group_free(&self));
    TRY(MPI_Group_free(&empty));
    CHECK(empty == MPI_GROUP_NULL);
    FAILS(MPI_Group_size(MPI_GROUP_NULL, &n), MPI_ERR_GROUP);
    FAILS(MPI_Group_rank(MPI_GROUP_NULL, &n), MPI_ERR_GROUP);
    FAILS(MPI_Comm_group(MPI_COMM_NULL, &world), MPI_ERR_COMM);
    return check_end();
}
