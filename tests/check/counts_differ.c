// A gather whose root expects other elements than are sent, and an exchange of blocks in which one pair disagrees.
// ranks: 2 3
// engines: local
// run: --check
// exit: 4
// stderr: rankine: check: 2 findings
// stderr: ranks name different amounts or types of data in a collective (MPI-5.0 section 6.1)
// stderr: MPI_Igather(
// stderr: MPI_Alltoallv(
// stderr: rank 1 is the one, rank 0 the other: element 0 is a 4-byte integer in the one and a 4-byte floating-point
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, number = 1, counts[3] = {1, 1, 1}, places[3] = {0, 1, 2};
    float sent[3] = {0}, received[3], all[3];
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Igather(&number, 1, rank == 1 ? MPI_INT : MPI_FLOAT, all, 1, MPI_FLOAT, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Alltoallv(sent, counts, places, rank == 1 ? MPI_INT : MPI_FLOAT, received, counts, places, MPI_FLOAT,
                  MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
