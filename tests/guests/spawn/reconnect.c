// Ranks that were started disconnect from those that started them, and connect to them again over a port, in turns as who accepts.
// ranks: 1 2 3
// native: no (it starts itself as a module)
// run: --dir-ro {guests}
#include "../check.h"

enum { CHILDREN = 2, ROUNDS = 6 };

/* All of both sides are there, and hear each other. */
static void exchange(MPI_Comm other, int mine, int round)
{
    int theirs = -1, remote = -1, got[8];
    TRY(MPI_Comm_remote_size(other, &remote));
    TRY(MPI_Comm_size(other, &theirs));
    CHECK_INT(theirs, size);
    int value = 100 * round + 10 * mine + rank;
    TRY(MPI_Allgather(&value, 1, MPI_INT, got, 1, MPI_INT, other));
    for (int i = 0; i < remote; i++)
        CHECK_INT(got[i], 100 * round + 10 * !mine + i);
    // What is sent by one pair of ranks, while it is connected, comes before it parts.
    if (rank == 0) {
        int sent = value, came = -1;
        TRY(MPI_Sendrecv(&sent, 1, MPI_INT, 0, round, &came, 1, MPI_INT, 0, round, other, MPI_STATUS_IGNORE));
        CHECK_INT(came, got[0]);
    }
}

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm other;
    check_begin(&argc, &argv);
    int child = argc > 1;
    if (child) {
        TRY(MPI_Comm_get_parent(&other));
        CHECK(other != MPI_COMM_NULL);
    } else {
        char *arguments[] = {"child", NULL};
        int codes[CHILDREN];
        TRY(MPI_Comm_spawn(argv[0], arguments, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other, codes));
    }
    exchange(other, child, 0);
    for (int round = 1; round <= ROUNDS; round++) {
        // Whose port it is changes with the round.
        int accepts = child == round % 2;
        if (accepts && rank == 0)
            TRY(MPI_Open_port(MPI_INFO_NULL, port));
        if (accepts)
            TRY(MPI_Bcast(port, sizeof port, MPI_CHAR, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, other));
        else
            TRY(MPI_Bcast(port, sizeof port, MPI_CHAR, 0, other));
        TRY(MPI_Comm_disconnect(&other));
        CHECK(other == MPI_COMM_NULL);
        if (accepts)
            TRY(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other));
        else
            TRY(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other));
        if (accepts && rank == 0)
            TRY(MPI_Close_port(port));
        exchange(other, child, round);
    }
    TRY(MPI_Barrier(other));
    TRY(MPI_Comm_disconnect(&other));
    if (child) {
        TRY(MPI_Finalize());
        return 0;
    }
    return check_end();
}
