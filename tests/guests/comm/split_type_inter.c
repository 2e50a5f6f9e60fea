// MPI_Comm_split_type of an intercommunicator: each side's ranks that share memory, opposite each other.
// ranks: 2 3 4
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Comm half, inter, out;
    int is_inter = 0, near, far, mine, theirs, sum = -1;
    check_begin(&argc, &argv);
    if (!embedded() && size > 2) // MPICH 5.0 waits for ever.
        return check_end();
    TRY(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half));
    TRY(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &inter));
    TRY(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
    TRY(MPI_Comm_split_type(inter, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &out));
    CHECK(out != MPI_COMM_NULL);
    TRY(MPI_Comm_test_inter(out, &is_inter));
    CHECK_INT(is_inter, 1);
    TRY(MPI_Comm_size(out, &near));
    TRY(MPI_Comm_remote_size(out, &far));
    TRY(MPI_Comm_size(inter, &mine));
    TRY(MPI_Comm_remote_size(inter, &theirs));
    CHECK_INT(near, mine);
    CHECK_INT(far, theirs);
    TRY(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, out));
    mine = 0;
    for (int r = 1 - rank % 2; r < size; r += 2)
        mine += r;
    CHECK_INT(sum, mine);
    TRY(MPI_Comm_rank(out, &mine));
    CHECK_INT(mine, near - 1 - rank / 2);
    TRY(MPI_Comm_free(&out));
    TRY(MPI_Comm_split_type(inter, MPI_UNDEFINED, 0, MPI_INFO_NULL, &out));
    CHECK(out == MPI_COMM_NULL);
    TRY(MPI_Comm_free(&inter));
    TRY(MPI_Comm_free(&half));
    return check_end();
}
