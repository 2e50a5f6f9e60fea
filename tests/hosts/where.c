// Says how many ranks share a node with this one, after messages of all sizes went round. With the argument `abort`, rank 0 aborts;
// with `forever` and a name for the job, the ranks exchange messages until somebody ends them; with `linger` and a name rank 0 comes to its
// end, and the others compute for ever; with `resume` the messages go round when rank 0 has read a line; with `for`, a number of seconds and a name for the job the ranks exchange messages for so long, and then say so.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 1 << 20 };

// Messages of all sorts, until rank 0 has seen so much time pass.
static void exchange_for(double seconds, int rank, int size)
{
    enum { ROW = 48 << 10 };
    static char out[ROW], in[ROW];
    double begin = MPI_Wtime(), sum, own = rank;
    for (int is_over = 0; !is_over;) {
        MPI_Sendrecv(out, ROW, MPI_BYTE, (rank + 1) % size, 5, in, ROW, MPI_BYTE, (rank + size - 1) % size, 5, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        is_over = MPI_Wtime() - begin > seconds;
        MPI_Bcast(&is_over, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank, size, here, sum;
    MPI_Comm node;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &here);
    if (argc > 1 && strcmp(argv[1], "abort") == 0) {
        if (rank == 0)
            MPI_Abort(MPI_COMM_WORLD, 7);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (argc > 1 && strcmp(argv[1], "forever") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            puts("running");
            fflush(stdout);
        }
        for (;;)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    if (argc > 2 && strcmp(argv[1], "for") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            puts("running");
            fflush(stdout);
        }
        exchange_for(atof(argv[2]), rank, size);
    }
    if (argc > 1 && strcmp(argv[1], "linger") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            puts("running");
        MPI_Finalize();
        // No wait, of which others would learn that nobody is at work.
        for (volatile int computes = rank > 0; computes;)
            ;
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "resume") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            puts("running");
            fflush(stdout);
            getchar();
        }
    }
    char *out = malloc(LARGEST), *in = malloc(LARGEST);
    for (int bytes = 1; bytes <= LARGEST; bytes *= 32) {
        memset(out, rank + bytes % 7, bytes);
        MPI_Sendrecv(out, bytes, MPI_BYTE, (rank + 1) % size, 3, in, bytes, MPI_BYTE, (rank + size - 1) % size, 3,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < bytes; i++)
            if (in[i] != (rank + size - 1) % size + bytes % 7) {
                printf("rank %d: byte %d of %d is wrong\n", rank, i, bytes);
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
    }
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("%d of %d, %d here: %d\n", rank, size, here, sum);
    MPI_Comm_free(&node);
    free(out);
    free(in);
    return MPI_Finalize();
}
