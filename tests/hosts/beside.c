// Each rank says which ranks share its node. With the argument `stuck` all wait for messages that nobody sends then.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 16 };

int main(int argc, char **argv)
{
    int rank, here, beside[MOST];
    char line[128];
    MPI_Comm node;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &here);
    MPI_Allgather(&rank, 1, MPI_INT, beside, 1, MPI_INT, node);
    int length = sprintf(line, "%d:", rank);
    for (int i = 0; i < here; i++)
        length += sprintf(line + length, " %d", beside[i]);
    puts(line);
    if (argc > 1 && strcmp(argv[1], "stuck") == 0)
        MPI_Recv(&here, 1, MPI_INT, MPI_ANY_SOURCE, rank, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_free(&node);
    return MPI_Finalize();
}
