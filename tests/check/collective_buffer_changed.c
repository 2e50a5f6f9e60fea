// The contribution to a nonblocking sum is changed before the sum is there.
// ranks: 2 3
// engines: local
// run: --check
// exit: 4
// stderr: the buffer of a send is changed before the send is complete
// stderr: MPI_Iallreduce(
// stderr: collective_buffer_changed.c:
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double part = rank, sum;
    MPI_Request request;
    MPI_Iallreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    part = -1;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
