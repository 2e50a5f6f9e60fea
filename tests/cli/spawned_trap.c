// A trap in a rank that was started is told as any other, and ends the job.
// engines: local
// ranks: 2
// run: --dir-ro {guests}
// exit: 134
// stderr: rankine: rank 0 of world 1 trapped: `unreachable` was executed
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Comm parent, children;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        __builtin_trap();
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    MPI_Barrier(children);
    MPI_Finalize();
    return 0;
}
