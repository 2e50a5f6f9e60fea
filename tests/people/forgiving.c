// Calls through pointers of another type than the function has work as they do natively, if they are linked to forgive; what MPI calls
// of the program's is called as before, and so is what qsort calls.
// ranks: 1 2
// cc: -O1 -fforgiving-calls -Wno-cast-function-type-mismatch
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*nothing_t)(void *);
typedef int (*result_t)(int);
typedef long long (*wide_t)(long long, int, double, int *);

static int freed;

static __attribute__((noinline)) int release(int *block, int *more)
{
    freed += *block + (more == NULL);
    return 7;
}

static __attribute__((noinline)) void count(int by) { freed += by; }
static __attribute__((noinline)) int twice(int n) { return 2 * n; }
static __attribute__((noinline)) double half(double x, int digits) { return x / 2 + digits; }
static void product(int *in, int *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        inout[i] *= in[i];
}
// qsort passes two pointers.
static int backwards(const int *a, const int *b) { return *b - *a; }

int main(int argc, char **argv)
{
    int block = argc, size, sum = 3, expected = 1, numbers[] = {2, 9, 4};
    void *volatile functions[] = {(void *)release, (void *)count, (void *)twice, (void *)half};
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ((nothing_t)functions[0])(&block);                          // an argument is missing, the result is not wanted
    int none = ((result_t)functions[1])(5);                     // a result is wanted that there is not
    long long wide = ((wide_t)functions[2])(-21, 1, 2.0, NULL); // of another width, with too many arguments
    double halved = ((double (*)(double))functions[3])(9);
    qsort(numbers, 3, sizeof *numbers, (int (*)(const void *, const void *))backwards);
    MPI_Op_create((MPI_User_function *)product, 1, &op);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    for (int i = 0; i < size; i++)
        expected *= 3;
    int is_right = freed == 1 + 1 + 5 && none == 0 && wide == -42 && halved == 4.5 && numbers[0] == 9 && sum == expected;
    int all;
    MPI_Reduce(&is_right, &all, 1, MPI_INT, MPI_LAND, 0, MPI_COMM_WORLD);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        puts(all ? "OK" : "wrong");
    MPI_Finalize();
    return !is_right;
}
