// Messages of other ranks have come, in several communicators: a few are named, those of the right rank first.
// engines: local
// ranks: 8
// exit: 3
// stderr: deadlock
// stderr: ; rank 3 has sent tag 1, rank 1 has sent tag 0, rank 1 has sent tag 9 in MPI_COMM_WORLD, not received, and there is more
// stderr: ; rank 5 has sent tag 0 in halo, not received
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, in[2];
    MPI_Comm halo;
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &halo);
    MPI_Comm_set_name(halo, "halo");
    if (rank == 1)
        MPI_Send(&rank, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
    if (rank == 5)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, halo);
    if (rank != 0)
        MPI_Send(&rank, 1, MPI_INT, 0, rank == 3, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Irecv(&in[0], 1, MPI_INT, 3, 4, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&in[1], 1, MPI_INT, 3, 4, halo, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
