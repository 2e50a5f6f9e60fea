// Who accepts at a port need not have opened it: the last rank does, and all others connect, one after another.
// engines: local
// ranks: 2 3 4
// native: no (an MPI library's port is that of the process that has opened it)
#include "../check.h"

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm other;
    check_begin(&argc, &argv);
    int last = size - 1;
    if (rank == 0)
        TRY(MPI_Open_port(MPI_INFO_NULL, port));
    TRY(MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD));
    for (int round = 0; round < 30; round++)
        for (int caller = 0; caller < last; caller++) {
            int sent = 100 * round + rank, received = -1, theirs = -1;
            TRY(MPI_Barrier(MPI_COMM_WORLD));
            if (rank == last)
                TRY(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other));
            else if (rank == caller)
                TRY(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other));
            if (rank != last && rank != caller)
                continue;
            TRY(MPI_Comm_remote_size(other, &theirs));
            CHECK_INT(theirs, 1);
            TRY(MPI_Sendrecv(&sent, 1, MPI_INT, 0, 0, &received, 1, MPI_INT, 0, 0, other, MPI_STATUS_IGNORE));
            CHECK_INT(received, 100 * round + (rank == last ? caller : last));
            TRY(MPI_Comm_disconnect(&other));
        }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    // Whoever waits for somebody to come is told when nobody will.
    if (rank == last)
        FAILS(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other), MPI_ERR_PORT);
    else if (rank == 0)
        TRY(MPI_Close_port(port));
    if (rank == last) {
        FAILS(MPI_Close_port(port), MPI_ERR_PORT);
        FAILS(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other), MPI_ERR_PORT);
    }
    return check_end();
}
