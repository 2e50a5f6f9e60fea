// Messages that came and that no receive took are told at the end, rank by rank, also those of ranks that had ended; the status stays.
// ranks: 3 4
// engines: local
// stderr: rankine: rank 0 never received 1 message: from rank 2 with tag 5 in MPI_COMM_WORLD
// stderr: rankine: rank 1 never received 3 messages: from rank 0 with tag 11 in MPI_COMM_WORLD, from rank 0 with tag 3 in halo
// stderr: rankine: --check names the calls that sent them
// stderr-not: rank 2 never
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static int numbers[5000];

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm halo;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &halo);
    MPI_Comm_set_name(halo, "halo");
    if (rank == 0) {
        MPI_Send(numbers, 1, MPI_INT, 1, 11, MPI_COMM_WORLD);
        MPI_Send(numbers, 1, MPI_INT, 1, 12, MPI_COMM_WORLD);
        // A long one, and one of a communicator of the program's own.
        MPI_Send(numbers, 5000, MPI_INT, 1, 11, MPI_COMM_WORLD);
        MPI_Send(numbers, 1, MPI_INT, 1, 3, halo);
    } else if (rank == 1) {
        MPI_Recv(numbers, 1, MPI_INT, MPI_ANY_SOURCE, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2) {
        // Rank 0 has left, or is about to.
        usleep(10000);
        MPI_Send(numbers, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    }
    if (rank == 0)
        puts("OK");
    MPI_Finalize();
    return 0;
}
