// MPI_Intercomm_create_from_groups: the ranks with even and with odd numbers, without any communicator before.
// ranks: 2 4
// native: no (MPICH 5.0.2 looks at the remote group of every rank)
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Group world, mine, others;
    MPI_Comm comm;
    int even[8], odd[8], evens = 0, odds = 0, remote = -1, got = -1;
    check_begin(&argc, &argv);
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
    for (int n = 0; n < size; n++)
        if (n % 2 == 0)
            even[evens++] = n;
        else
            odd[odds++] = n;
    TRY(MPI_Group_incl(world, rank % 2 == 0 ? evens : odds, rank % 2 == 0 ? even : odd, &mine));
    TRY(MPI_Group_incl(world, rank % 2 == 0 ? odds : evens, rank % 2 == 0 ? odd : even, &others));
    // Only the leaders know the other group.
    TRY(MPI_Intercomm_create_from_groups(mine, 0, rank < 2 ? others : MPI_GROUP_NULL, rank < 2 ? 0 : -7, "even and odd", MPI_INFO_NULL,
                                         MPI_ERRORS_RETURN, &comm));
    TRY(MPI_Comm_remote_size(comm, &remote));
    CHECK_INT(remote, rank % 2 == 0 ? odds : evens);
    TRY(MPI_Sendrecv(&rank, 1, MPI_INT, rank / 2, 0, &got, 1, MPI_INT, rank / 2, 0, comm, MPI_STATUS_IGNORE));
    CHECK_INT(got, rank ^ 1);
    FAILS(MPI_Send(&rank, 1, MPI_INT, 99, 0, comm), MPI_ERR_RANK);
    TRY(MPI_Comm_free(&comm));
    TRY(MPI_Group_free(&mine));
    TRY(MPI_Group_free(&others));
    TRY(MPI_Group_free(&world));
    return check_end();
}
