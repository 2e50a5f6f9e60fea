// What a check has to understand and must not take for a mistake: wildcards whose statuses are ignored, messages of
// several types that are told apart by their tags, probes, cancelled receives, persistent requests, types that are made
// in different ways, in place, blocks of different lengths, roots of several rounds, objects that callbacks free.
// ranks: 1 2 3 4
// engines: local
// run: --check
// stderr: rankine: check: nothing found
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;

static int free_type(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm, (void)keyval, (void)extra;
    MPI_Type_free(value);
    return MPI_SUCCESS;
}

static void anybody(void)
{
    int number, next = (rank + 1) % size;
    double real = 0.5, reals[2];
    MPI_Request requests[4];

    // The first takes whatever comes first, of any source.
    MPI_Irecv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&reals[0], 1, MPI_DOUBLE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&real, 1, MPI_DOUBLE, next, 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&rank, 1, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        for (int from = 1; from < size; from++) {
            MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(&real, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
        MPI_Send(&real, 1, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD);
    }
}

static void by_request(void)
{
    int number = 3, other, flag = 0, index, next = (rank + 1) % size, last = (rank + size - 1) % size;
    MPI_Request requests[2];
    MPI_Message message;
    MPI_Status status;

    MPI_Send_init(&number, 1, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(&other, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
    for (int turn = 0; turn < 3; turn++) {
        MPI_Startall(2, requests);
        for (int done = 0; done < 2; done++)
            MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        // Of a later turn nothing may come before all have this one.
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);

    // A receive that is cancelled; the next message is another's.
    MPI_Irecv(&other, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Isend(&number, 1, MPI_INT, next, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Mprobe(last, 4, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(&other, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    while (!flag)
        MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(&other, 1, MPI_INT, next, 9, last, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&other, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

static void types(void)
{
    int numbers[12] = {0}, others[12], next = (rank + 1) % size, last = (rank + size - 1) % size, position = 0;
    char packed[64];
    MPI_Datatype column, pair;
    MPI_Request request;

    MPI_Type_vector(3, 2, 4, MPI_INT, &column);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&column);
    MPI_Type_commit(&pair);
    MPI_Isend(numbers, 1, column, next, 0, MPI_COMM_WORLD, &request);
    MPI_Type_free(&column);
    MPI_Recv(others, 6, pair, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Type_free(&pair);
    MPI_Pack(numbers, 4, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
    MPI_Isend(packed, position, MPI_PACKED, next, 0, MPI_COMM_WORLD, &request);
    MPI_Recv(others, 4, MPI_INT, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// Whether the second of two requests is complete, asked in one of four ways; the first is null.
static int is_complete(int way, MPI_Request *requests)
{
    int flag = 0, at[2] = {0, 0};
    switch (way) {
    case 0: MPI_Request_get_status(requests[1], &flag, MPI_STATUS_IGNORE); return flag;
    case 1: MPI_Request_get_status_all(2, requests, &flag, MPI_STATUSES_IGNORE); return flag;
    case 2: MPI_Request_get_status_any(2, requests, at, &flag, MPI_STATUS_IGNORE); return flag && at[0] == 1;
    default: MPI_Request_get_status_some(2, requests, &flag, at, MPI_STATUSES_IGNORE); return flag == 1 && at[0] == 1;
    }
}

// Columns of a matrix, whose elements lie between one another; and one buffer of several sends.
static void buffers(void)
{
    int matrix[4][4] = {{0}}, next = (rank + 1) % size, last = (rank + size - 1) % size;
    MPI_Datatype column;
    MPI_Request requests[6];

    MPI_Type_vector(4, 1, 4, MPI_INT, &column);
    MPI_Type_commit(&column);
    for (int at = 0; at < 2; at++)
        MPI_Irecv(&matrix[0][at], 1, column, last, at, MPI_COMM_WORLD, &requests[at]);
    for (int at = 0; at < 4; at++)
        MPI_Isend(&matrix[0][2 + at % 2], 1, column, at < 2 ? next : MPI_PROC_NULL, at, MPI_COMM_WORLD, &requests[2 + at]);
    MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
    MPI_Type_free(&column);
    for (int way = 0; way < 4; way++) {
        requests[0] = MPI_REQUEST_NULL;
        MPI_Irecv(&matrix[0][0], 1, MPI_INT, last, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Send(&rank, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
        while (!is_complete(way, requests))
            ;
        // It is complete, though its request is still there.
        matrix[0][0]++;
        MPI_Bcast(&matrix[0][0], 16, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    }
}

static void collectives(void)
{
    int number = rank, sum, all[8] = {0}, counts[8], places[8], keyval;
    double mine[8] = {0}, gathered[64];
    MPI_Comm half;
    MPI_Request requests[2];
    static MPI_Datatype kept;

    for (int root = 0; root < size; root++) {
        MPI_Bcast(&number, 1, MPI_INT, root, MPI_COMM_WORLD);
        if (rank == root)
            MPI_Reduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
        else
            MPI_Reduce(&number, NULL, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    }
    for (int at = 0; at < size; at++) {
        counts[at] = at;
        places[at] = at * 8;
    }
    MPI_Gatherv(mine, rank, MPI_DOUBLE, rank == 0 ? gathered : NULL, counts, places, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Allgatherv(mine, rank, MPI_DOUBLE, gathered, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
    all[rank] = rank;
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Scatterv(gathered, counts, places, MPI_DOUBLE, mine, rank, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Ibarrier(half, &requests[0]);
    MPI_Iallreduce(&number, &sum, 1, MPI_INT, rank % 2 ? MPI_MAX : MPI_MIN, half, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&half);

    MPI_Type_contiguous(3, MPI_INT, &kept);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_type, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &kept);
    MPI_Comm_free_keyval(&keyval);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    anybody();
    by_request();
    types();
    buffers();
    collectives();
    if (rank == 0)
        printf("OK\n");
    MPI_Finalize();
    return 0;
}
