// Who was told that requests are complete may use their buffers, though the requests are still there: no mistake.
// ranks: 2
// engines: local
// run: --check
// stderr: rankine: check: nothing found
#include <mpi.h>
#include <stdio.h>

static void exchange(int rank, int way)
{
    int numbers[2] = {1, 2}, flag = 0, done = 0, count, index, indices[2];
    MPI_Request requests[2];
    MPI_Status statuses[2];
    for (int at = 0; at < 2; at++)
        if (rank == 0)
            MPI_Isend(&numbers[at], 1, MPI_INT, 1, at, MPI_COMM_WORLD, &requests[at]);
        else
            MPI_Irecv(&numbers[at], 1, MPI_INT, 0, at, MPI_COMM_WORLD, &requests[at]);
    while (way == 0 && !flag)
        MPI_Request_get_status_all(2, requests, &flag, statuses);
    while (way == 1 && done < 2) {
        MPI_Request_get_status_some(2, requests, &count, indices, statuses);
        done = count;
    }
    while (way == 2 && !flag)
        MPI_Request_get_status_any(1, &requests[1], &index, &flag, statuses);
    numbers[1] = 7;
    if (way != 2)
        numbers[0] = 8;
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int way = 0; way < 3; way++)
        exchange(rank, way);
    if (rank == 0)
        puts("OK");
    return MPI_Finalize();
}
