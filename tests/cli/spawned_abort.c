// MPI_Abort of a rank that was started ends the whole job, with its code.
// engines: local
// ranks: 1 3
// run: --dir-ro {guests}
// exit: 7
// stderr: rankine: rank 1 of world 1 aborted the job with code 7
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Comm parent, children;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
        MPI_Comm_disconnect(&children);
    } else {
        MPI_Comm_disconnect(&parent);
        if (rank == 1)
            MPI_Abort(MPI_COMM_WORLD, 7);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_SELF);
    MPI_Recv(&rank, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
