// MPI_Intercomm_create, MPI_Intercomm_merge, MPI_Comm_remote_size, MPI_Comm_remote_group, MPI_Comm_test_inter: two groups that talk.
// ranks: 2 3 4 8
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Comm half, inter, merged;
    MPI_Group remote;
    int side, n, me, remote_size, flag = -1, got = -1, count;
    check_begin(&argc, &argv);
    side = rank % 2;
    TRY(MPI_Comm_split(MPI_COMM_WORLD, side, rank, &half));
    TRY(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 12, &inter));
    TRY(MPI_Comm_test_inter(inter, &flag));
    CHECK_INT(flag, 1);
    TRY(MPI_Comm_size(inter, &n));
    TRY(MPI_Comm_rank(inter, &me));
    TRY(MPI_Comm_remote_size(inter, &remote_size));
    CHECK_INT(n + remote_size, size);
    TRY(MPI_Comm_remote_group(inter, &remote));
    TRY(MPI_Group_size(remote, &count));
    CHECK_INT(count, remote_size);
    TRY(MPI_Group_free(&remote));
    // The ranks of a message are those of the other side.
    if (me < remote_size) {
        TRY(MPI_Sendrecv(&rank, 1, MPI_INT, me, 0, &got, 1, MPI_INT, me, 0, inter, MPI_STATUS_IGNORE));
        CHECK_INT(got, 2 * me + 1 - side);
    }
    TRY(MPI_Intercomm_merge(inter, side, &merged));
    TRY(MPI_Comm_size(merged, &count));
    CHECK_INT(count, size);
    TRY(MPI_Comm_rank(merged, &me));
    CHECK_INT(me, side == 0 ? rank / 2 : (size + 1) / 2 + rank / 2);
    TRY(MPI_Barrier(inter));
    TRY(MPI_Comm_free(&merged));
    TRY(MPI_Comm_free(&inter));
    TRY(MPI_Comm_free(&half));
    return check_end();
}
