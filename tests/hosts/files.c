// Reads data.txt in its working folder, on every rank; rank 0 writes out.txt, the last rank last.txt, and each node's ranks
// each.txt, with what differs from node to node.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, value = 0, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    FILE *data = fopen("data.txt", "r");
    if (!data || fscanf(data, "%d", &value) != 1) {
        printf("rank %d can't read data.txt\n", rank);
        MPI_Abort(MPI_COMM_WORLD, 9);
    }
    fclose(data);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    const char *name = rank == 0 ? "out.txt" : rank == size - 1 ? "last.txt" : NULL;
    FILE *out = name ? fopen(name, "w") : NULL;
    if (out) {
        fprintf(out, "%d from %d\n", sum, rank);
        fclose(out);
        out = fopen("each.txt", "w");
        fprintf(out, "of %d\n", rank);
        fclose(out);
    }
    return MPI_Finalize();
}
