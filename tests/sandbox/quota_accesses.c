// Accesses to a window by the million that nothing completes, while their target computes: the same.
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
    MPI_Win window;
    hostile_begin(&argc, &argv);
    TRY(MPI_Win_create(data, sizeof data, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
    TRY(MPI_Win_lock_all(0, window));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        for (int i = 0; i < ENOUGH; i++)
            TRY(MPI_Put(data, sizeof data, MPI_BYTE, 1, 0, sizeof data, MPI_BYTE, window));
    for (volatile int forever = 1; forever;)
        ;
    return hostile_end();
}
