// The same bits however ranks are placed, and on both engines: reductions have one order, NaNs one form.
// ranks: 4
// run: --reproducible
#include <mpi.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 200000 };

static int rank, size;
static double *mine, *result;

static uint64_t bits(double x)
{
    uint64_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}

static void show(const char *what, int count)
{
    uint64_t digest = 14695981039346656037u;
    for (int i = 0; i < count; i++)
        digest = (digest ^ bits(result[i])) * 1099511628211u;
    printf("%s of %d: %016llx\n", what, count, (unsigned long long)digest);
}

// Numbers of very different sizes: each order of adding them gives a sum of its own.
static void fill(int count)
{
    uint64_t seed = 88172645463325252u + 7919u * rank;
    for (int i = 0; i < count; i++) {
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        mine[i] = ldexp((double)(int64_t)seed, (int)(seed >> 8) % 40 - 80);
    }
    memset(result, 0, count * sizeof *result);
}

// Neither commutative nor, in floating point, associative: x + y/2.
static void half(void *in, void *inout, int *count, MPI_Datatype *type)
{
    double *x = in, *y = inout;
    (void)type;
    for (int i = 0; i < *count; i++)
        y[i] = x[i] + y[i] / 2;
}

int main(int argc, char **argv)
{
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    mine = malloc(LONGEST * sizeof *mine), result = malloc(LONGEST * sizeof *result);
    int lengths[] = {1, 1000, LONGEST};
    for (int i = 0; i < 3; i++) {
        int count = lengths[i];
        fill(count);
        MPI_Allreduce(mine, result, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (rank == size - 1)
            show("sum", count);
        memcpy(result, mine, count * sizeof *mine);
        MPI_Allreduce(MPI_IN_PLACE, result, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 0)
            show("in place", count);
        MPI_Reduce(mine, result, count, MPI_DOUBLE, MPI_PROD, 2, MPI_COMM_WORLD);
        if (rank == 2)
            show("product", count);
        MPI_Scan(mine, result, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (rank > 0)
            show(rank == 1 ? "scan to 1" : rank == 2 ? "scan to 2" : "scan to 3", count);
        MPI_Exscan(mine, result, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (rank == size - 1)
            show("exscan", count);
    }
    fill(LONGEST);
    MPI_Reduce_scatter_block(mine, result, LONGEST / size, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 1)
        show("block", LONGEST / size);
    int counts[] = {5, 0, 1234, 700};
    MPI_Reduce_scatter(mine, result, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank > 1)
        show(rank == 2 ? "part 2" : "part 3", counts[rank]);
    memcpy(result, mine, LONGEST * sizeof *mine);
    MPI_Reduce_scatter(MPI_IN_PLACE, result, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 3)
        show("part 3 in place", counts[rank]);
    MPI_Op_create(half, 0, &op);
    MPI_Allreduce(mine, result, 1000, MPI_DOUBLE, op, MPI_COMM_WORLD);
    if (rank == 0)
        show("own operation", 1000);
    MPI_Op_free(&op);
    volatile double zero = 0, infinite = INFINITY;
    if (rank == 0) {
        printf("0/0 %016llx\n", (unsigned long long)bits(zero / zero));
        printf("inf-inf %016llx\n", (unsigned long long)bits(infinite - infinite));
        printf("-(0/0)+1 %016llx\n", (unsigned long long)bits(-(zero / zero) + 1));
    }
    return MPI_Finalize();
}
