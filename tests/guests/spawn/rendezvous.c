// Groups of several ranks meet over a port again and again; who comes to a port that is closed hears of it.
// ranks: 2 5
// native: no (MPICH's fails when its launcher is busy)
#include "../check.h"

/* What comes of a port that is closed, and of a name that is taken back. */
static void closed(MPI_Comm half, int side, int mine, const char *port, char *found)
{
    MPI_Comm other;
    int members = -1;
    TRY(MPI_Comm_size(half, &members));
    // Whoever waits at a port that is closed is told; all ranks of its group hear of it.
    if (side == 1)
        FAILS(MPI_Comm_connect(found, MPI_INFO_NULL, 0, half, &other), MPI_ERR_PORT);
    else if (mine == members - 1)
        TRY(MPI_Close_port(port));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    FAILS(MPI_Comm_connect(found, MPI_INFO_NULL, 0, half, &other), MPI_ERR_PORT);
    FAILS(MPI_Comm_accept(found, MPI_INFO_NULL, 0, half, &other), MPI_ERR_PORT);
    FAILS(MPI_Comm_accept(found, MPI_INFO_NULL, members, half, &other), MPI_ERR_ROOT);
    FAILS(MPI_Close_port(found), MPI_ERR_PORT);
    if (side == 0 && mine == members - 1) {
        FAILS(MPI_Unpublish_name("meeting", MPI_INFO_NULL, "another"), MPI_ERR_PORT);
        TRY(MPI_Unpublish_name("meeting", MPI_INFO_NULL, port));
        FAILS(MPI_Unpublish_name("meeting", MPI_INFO_NULL, port), MPI_ERR_SERVICE);
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    FAILS(MPI_Lookup_name("meeting", MPI_INFO_NULL, found), MPI_ERR_NAME);
}

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME] = "", found[MPI_MAX_PORT_NAME] = "";
    MPI_Comm half, other, merged;
    int side, mine = -1, theirs = -1, members = -1;
    check_begin(&argc, &argv);
    side = rank % 2;
    TRY(MPI_Comm_split(MPI_COMM_WORLD, side, -rank, &half));
    TRY(MPI_Comm_rank(half, &mine));
    TRY(MPI_Comm_size(half, &members));
    int root = members - 1;
    if (side == 0 && mine == root) {
        TRY(MPI_Open_port(MPI_INFO_NULL, port));
        TRY(MPI_Publish_name("meeting", MPI_INFO_NULL, port));
        // MPICH publishes it once more.
        if (embedded())
            FAILS(MPI_Publish_name("meeting", MPI_INFO_NULL, port), MPI_ERR_SERVICE);
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_Lookup_name("meeting", MPI_INFO_NULL, found));
    for (int round = 0; round < 20; round++) {
        // The name counts at the root alone.
        const char *name = mine == root ? found : "nobody reads this";
        if (side == 0)
            TRY(MPI_Comm_accept(name, MPI_INFO_NULL, root, half, &other));
        else
            TRY(MPI_Comm_connect(name, MPI_INFO_NULL, root, half, &other));
        TRY(MPI_Comm_remote_size(other, &theirs));
        CHECK_INT(theirs, size - members);
        int sum = -1;
        TRY(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, other));
        int expected = 0;
        for (int i = 1 - side; i < size; i += 2)
            expected += i;
        CHECK_INT(sum, expected);
        TRY(MPI_Intercomm_merge(other, side, &merged));
        TRY(MPI_Barrier(merged));
        TRY(MPI_Comm_free(&merged));
        TRY(MPI_Comm_disconnect(&other));
        CHECK(other == MPI_COMM_NULL);
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    // Whoever connects to a port of MPICH's that is closed waits for ever.
    if (embedded())
        closed(half, side, mine, port, found);
    else if (side == 0 && mine == root)
        TRY(MPI_Close_port(port));
    TRY(MPI_Comm_free(&half));
    return check_end();
}
