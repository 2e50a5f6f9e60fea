// MPI_COMM_SELF, MPI_Comm_test_inter, MPI_Comm_get_parent, MPI_Comm_disconnect.
#include "../check.h"

int main(int argc, char **argv)
{
    int n, me, flag = -1, result, got = 0;
    MPI_Comm parent, dup;
    check_begin(&argc, &argv);
    TRY(MPI_Comm_size(MPI_COMM_SELF, &n));
    TRY(MPI_Comm_rank(MPI_COMM_SELF, &me));
    CHECK_INT(n, 1);
    CHECK_INT(me, 0);
    TRY(MPI_Comm_compare(MPI_COMM_SELF, MPI_COMM_WORLD, &result));
    CHECK_INT(result, size == 1 ? MPI_CONGRUENT : MPI_UNEQUAL);
    TRY(MPI_Comm_test_inter(MPI_COMM_WORLD, &flag));
    CHECK_INT(flag, 0);
    TRY(MPI_Comm_test_inter(MPI_COMM_SELF, &flag));
    CHECK_INT(flag, 0);
    TRY(MPI_Allreduce(&rank, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF));
    CHECK_INT(got, rank);
    // Nobody spawned us.
    TRY(MPI_Comm_get_parent(&parent));
    CHECK(parent == MPI_COMM_NULL);
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    TRY(MPI_Comm_disconnect(&dup));
    CHECK(dup == MPI_COMM_NULL);
    dup = MPI_COMM_WORLD;
    FAILS(MPI_Comm_free(&dup), MPI_ERR_COMM);
    return check_end();
}
