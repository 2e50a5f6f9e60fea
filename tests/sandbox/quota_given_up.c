// Messages by the million whose requests are given up at once, to a rank that computes: what the library keeps of them has an end, which the
// job is told.
// ranks: 2
// engines: mpi
// run: --memory-limit 100M
// peak: 2000
// exit: nonzero
// stderr: memory, most of them the MPI library's, and --memory-limit leaves a rank 100 MiB
#include "hostile.h"

/* The library keeps between one and two KiB for each: together about twice as much as the process may have, and no more, since
   nothing says how soon the job is ended for it. */
enum { ENOUGH = 800000 };

static char data[8192];

int main(int argc, char **argv)
{
    MPI_Request request;
    hostile_begin(&argc, &argv);
    if (rank == 0)
        for (int i = 0; i < ENOUGH; i++) {
            TRY(MPI_Isend(data, sizeof data, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request));
            TRY(MPI_Request_free(&request));
        }
    for (volatile int forever = 1; forever;)
        ;
    return hostile_end();
}
