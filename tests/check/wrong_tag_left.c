// A second message, sent with a tag that nobody asks for.
// ranks: 2
// engines: local
// run: --check
// exit: 4
// stderr: a message is never received
// stderr: tag=2, comm=MPI_COMM_WORLD
// stderr: wrong_tag_left.c:
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int number = 0;
    if (rank == 0) {
        MPI_Send(&number, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Send(&number, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&number, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return MPI_Finalize();
}
