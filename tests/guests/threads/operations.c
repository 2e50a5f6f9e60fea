// An operation that one thread makes serves all of them, and several threads' operations don't get in each other's way.
// ranks: 1 2 3
// cc: -pthread
#include "../check.h"
#include <pthread.h>

static MPI_Op sum, product;

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void multiply(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] *= ((int *)in)[i];
}

static void use(void)
{
    int mine[2] = {rank + 1, 3}, with[2] = {5, 7}, all[2] = {-1, -1}, factorial = 1;
    for (int i = 0; i < size; i++)
        factorial *= i + 1;
    TRY(MPI_Reduce_local(mine, with, 2, MPI_INT, sum));
    CHECK_INT(with[0], rank + 6);
    CHECK_INT(with[1], 10);
    TRY(MPI_Allreduce(mine, all, 2, MPI_INT, sum, MPI_COMM_WORLD));
    CHECK_INT(all[0], size * (size + 1) / 2);
    CHECK_INT(all[1], 3 * size);
    TRY(MPI_Allreduce(mine, all, 1, MPI_INT, product, MPI_COMM_WORLD));
    CHECK_INT(all[0], factorial);
}

static void *work(void *argument)
{
    TRY(MPI_Op_create(multiply, 1, &product));
    use();
    return argument;
}

static void *give_up(void *argument)
{
    use();
    TRY(MPI_Op_free(&sum));
    TRY(MPI_Op_free(&product));
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    check_begin_threads(&argc, &argv, MPI_THREAD_SERIALIZED);
    // More than there is room for at a time.
    for (int round = 0; round < 200; round++) {
        TRY(MPI_Op_create(add, 1, &sum));
        CHECK_INT(pthread_create(&thread, NULL, work, NULL), 0);
        CHECK_INT(pthread_join(thread, NULL), 0);
        use();
        CHECK_INT(pthread_create(&thread, NULL, give_up, NULL), 0);
        CHECK_INT(pthread_join(thread, NULL), 0);
    }
    return check_end();
}
