// A message that a matched probe has taken out is received as another type.
// ranks: 2
// engines: local
// run: --check
// exit: 4
// stderr: another type than it was sent as
// stderr: received by rank 1 at
// stderr: MPI_Mrecv(
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    double numbers[2] = {1, 2};
    long long wide[2];
    MPI_Message message;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(numbers, 2, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD);
    } else {
        MPI_Mprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(wide, 2, MPI_LONG_LONG, &message, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
