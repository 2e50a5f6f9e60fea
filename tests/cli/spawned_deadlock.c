// A deadlock across worlds: the report says of each rank which one it is.
// engines: local
// ranks: 2
// run: --dir-ro {guests}
// exit: 3
// stderr: deadlock
// stderr: rank 0 waits in MPI_Recv: a message from rank 1 with tag 5 in
// stderr: rank 1 waits in MPI_Comm_accept: somebody to connect to the port rankine#
// stderr: rank 0 of world 1 waits in MPI_Barrier
// stderr: rank 1 of world 1 waits in MPI_Recv: a message from rank 0 with tag 6 in MPI_COMM_PARENT
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Comm parent, children;
    char port[MPI_MAX_PORT_NAME];
    int rank, in;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
        if (rank == 0)
            MPI_Recv(&in, 1, MPI_INT, 1, 5, children, MPI_STATUS_IGNORE);
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children);
    }
    if (rank == 1)
        MPI_Recv(&in, 1, MPI_INT, 0, 6, parent, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
