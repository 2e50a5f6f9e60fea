// A rank computes in the host for minutes while another one aborts: the job ends.
// ranks: 2
// exit: 7
#include "math.h"

enum { N = 4096 };

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    if (rank == 1) {
        MPI_Recv(NULL, 0, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Abort(MPI_COMM_WORLD, 7);
    }
    double *a = calloc(2 * N * N, sizeof *a), factor[2] = {1, 0};
    int n = N;
    MPI_Send(NULL, 0, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    for (int i = 0; i < 100; i++)
        host_zgemm("C", "C", &n, &n, &n, factor, a, &n, a, &n, factor, a, &n);
    return check_end();
}
