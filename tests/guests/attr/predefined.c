// The predefined attributes of MPI_COMM_WORLD: MPI_TAG_UB, MPI_IO, MPI_HOST, MPI_WTIME_IS_GLOBAL, MPI_UNIVERSE_SIZE, MPI_APPNUM, MPI_LASTUSEDCODE.
#include "../check.h"

int main(int argc, char **argv)
{
    int *value = NULL, flag = 0, in = -1;
    check_begin(&argc, &argv);
    TRY(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag));
    CHECK_INT(flag, 1);
    int tag_ub = *value;
    CHECK(tag_ub >= 32767);
    // The largest tag works, and the next does not.
    TRY(MPI_Sendrecv(&rank, 1, MPI_INT, rank, tag_ub, &in, 1, MPI_INT, rank, tag_ub, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_INT(in, rank);
    if (tag_ub < INT32_MAX)
        FAILS(MPI_Send(&rank, 1, MPI_INT, rank, tag_ub + 1, MPI_COMM_WORLD), MPI_ERR_TAG);
    TRY(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag));
    if (flag)
        CHECK(*value == 0 || *value == 1);
    TRY(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &flag));
    if (flag)
        CHECK(*value == MPI_ANY_SOURCE || *value == MPI_PROC_NULL || (*value >= 0 && *value < size));
    TRY(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_HOST, &value, &flag));
    if (flag)
        CHECK(*value == MPI_PROC_NULL || (*value >= 0 && *value < size));
    TRY(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &flag));
    if (flag)
        CHECK(*value >= size);
    TRY(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &flag));
    if (flag)
        CHECK_INT(*value, 0);
    TRY(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag));
    CHECK_INT(flag, 1);
    CHECK(*value >= MPI_ERR_LASTCODE);
    // They can't be changed.
    int key = MPI_TAG_UB;
    CHECK(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, &in) != MPI_SUCCESS);
    CHECK(MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_TAG_UB) != MPI_SUCCESS);
    CHECK(MPI_Comm_free_keyval(&key) != MPI_SUCCESS);
    // A duplicate of the world has them as well.
    MPI_Comm dup;
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    TRY(MPI_Comm_get_attr(dup, MPI_TAG_UB, &value, &flag));
    CHECK_INT(flag, 1);
    CHECK_INT(*value, tag_ub);
    TRY(MPI_Comm_free(&dup));
    return check_end();
}
