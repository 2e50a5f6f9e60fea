// MPI_THREAD_MULTIPLE: threads make and free communicators, attributes, types, operations, groups and windows at once, and
// reduce with operations of their own while others do.
// ranks: 1 2 3
// cc: -pthread
#include "../check.h"
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 3, ROUNDS = 12, LONG = 3000 };

static MPI_Comm comms[THREADS];
static int key;
static atomic_int copies, deletions, additions;

static int copied(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag)
{
    int ranks;
    (void)keyval;
    CHECK(state == &key);
    TRY(MPI_Comm_size(comm, &ranks));
    CHECK_INT(ranks, size);
    *(void **)out = (char *)in + 1;
    *flag = 1;
    copies++;
    return MPI_SUCCESS;
}

static int deleted(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm, (void)keyval, (void)value, (void)state;
    deletions++;
    return MPI_SUCCESS;
}

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    int bytes;
    TRY(MPI_Type_size(*type, &bytes));
    CHECK_INT(bytes, sizeof(int));
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
    additions++;
}

/* A duplicate with its attribute, and a part of it. */
static void communicators(int thread, int round)
{
    char places[2];
    MPI_Comm made, part;
    void *value;
    int found, all = -1, one = 1, ranks;
    TRY(MPI_Comm_set_attr(comms[thread], key, places));
    TRY(MPI_Comm_dup(comms[thread], &made));
    TRY(MPI_Comm_get_attr(made, key, &value, &found));
    CHECK(found && value == places + 1);
    TRY(MPI_Comm_split(made, (rank + round) % 2, rank, &part));
    TRY(MPI_Comm_size(part, &ranks));
    TRY(MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, part));
    CHECK_INT(all, ranks);
    TRY(MPI_Comm_free(&part));
    TRY(MPI_Comm_free(&made));
    TRY(MPI_Comm_delete_attr(comms[thread], key));
}

/* Operations of the program's own, which the library may call on any thread that is in it. */
static void reductions(int thread, int round)
{
    static _Thread_local int mine[LONG], all[LONG], later[LONG];
    MPI_Op op;
    MPI_Request request;
    for (int i = 0; i < LONG; i++)
        mine[i] = rank + thread + round + i;
    TRY(MPI_Op_create(add, 1, &op));
    TRY(MPI_Iallreduce(mine, later, LONG, MPI_INT, op, comms[thread], &request));
    TRY(MPI_Allreduce(mine, all, LONG, MPI_INT, op, comms[thread]));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    TRY(MPI_Op_free(&op));
    for (int i = 0; i < LONG; i += LONG - 1) {
        CHECK_INT(all[i], size * (size - 1) / 2 + size * (thread + round + i));
        CHECK_INT(later[i], all[i]);
    }
}

/* A type, and the group of a communicator. */
static void types(int thread, int round)
{
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    int sent[9], got[9], ranks;
    MPI_Datatype type;
    MPI_Group group, first;
    for (int i = 0; i < 9; i++)
        sent[i] = 100 * thread + 10 * round + i, got[i] = -1;
    TRY(MPI_Type_vector(3, 1, 4, MPI_INT, &type));
    TRY(MPI_Type_commit(&type));
    TRY(MPI_Sendrecv(sent, 1, type, next, thread, got, 1, type, before, thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    TRY(MPI_Type_free(&type));
    for (int i = 0; i < 9; i++)
        CHECK_INT(got[i], i % 4 ? -1 : sent[i]);
    TRY(MPI_Comm_group(comms[thread], &group));
    TRY(MPI_Group_incl(group, 1, (int[]){0}, &first));
    TRY(MPI_Group_size(first, &ranks));
    CHECK_INT(ranks, 1);
    TRY(MPI_Group_free(&first));
    TRY(MPI_Group_free(&group));
}

/* A window of the thread's own. */
static void windows(int thread, int round)
{
    int cell = -1, number = 1000 * thread + round;
    MPI_Win win;
    TRY(MPI_Win_create(&cell, sizeof cell, sizeof cell, MPI_INFO_NULL, comms[thread], &win));
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Put(&number, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win));
    TRY(MPI_Win_fence(0, win));
    CHECK_INT(cell, number);
    TRY(MPI_Win_free(&win));
}

static void *work(void *argument)
{
    const int thread = (int)(size_t)argument;
    for (int round = 0; round < ROUNDS; round++) {
        communicators(thread, round);
        reductions(thread, round);
        types(thread, round);
        windows(thread, round);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    check_begin_threads(&argc, &argv, MPI_THREAD_MULTIPLE);
    TRY(MPI_Comm_create_keyval(copied, deleted, &key, &key));
    for (int i = 0; i < THREADS; i++)
        TRY(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]));
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, work, (void *)(size_t)i), 0);
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_join(threads[i], NULL), 0);
    CHECK_INT(copies, THREADS * ROUNDS);
    CHECK_INT(deletions, 2 * THREADS * ROUNDS);
    {
        int mine = additions, all;
        TRY(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        CHECK(size == 1 || all > 0);
    }
    for (int i = 0; i < THREADS; i++)
        TRY(MPI_Comm_free(&comms[i]));
    TRY(MPI_Comm_free_keyval(&key));
    return check_end();
}
