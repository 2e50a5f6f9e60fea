// Sends that a rank would sleep for are copied away, up to what a receiver may be left: not one for each that is listed.
// ranks: 2
// engines: local
// bounded: mpi
// run: --memory-limit 64M
// peak: limits + 96
#include "hostile.h"

enum { BYTES = 60000, MOST = 20000 };

int main(int argc, char **argv)
{
    static char message[BYTES];
    static MPI_Request requests[MOST];
    hostile_begin(&argc, &argv);
    if (rank == 0) {
        for (int i = 0; i < MOST; i++)
            TRY(MPI_Isend(message, BYTES, MPI_CHAR, 1, 4, MPI_COMM_WORLD, &requests[i]));
        TRY(MPI_Waitall(MOST, requests, MPI_STATUSES_IGNORE));
    } else {
        double start = MPI_Wtime();
        while (MPI_Wtime() - start < 1)
            ;
        for (int i = 0; i < MOST; i++)
            TRY(MPI_Recv(message, BYTES, MPI_CHAR, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    return hostile_end();
}
