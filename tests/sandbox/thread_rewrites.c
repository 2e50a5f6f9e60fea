// A second thread rewrites counts, displacements, datatypes, requests, strings and buffers while MPI reads them. What comes
// of the calls is the program's own affair; nothing is touched that isn't the rank's.
// ranks: 1 2
// cc: -pthread -O1
#include "hostile.h"
#include <pthread.h>

enum { N = 64, ROUNDS = 400 };

static struct {
    int counts[N], displacements[N];
    MPI_Datatype types[N];
    MPI_Request requests[N];
    MPI_Aint addresses[N];
    char name[4096];
    char buffer[1 << 16];
    char *argv[N];
} volatile shared;
static volatile int done;

/* Valid for a moment, and wild the next. */
static void *rewrite(void *argument)
{
    unsigned seed = 1;
    while (!done) {
        for (int i = 0; i < N; i++) {
            seed = seed * 1664525 + 1013904223;
            int wild = (int)seed;
            shared.counts[i] = seed & 1 ? 1 : wild;
            shared.displacements[i] = seed & 2 ? i : wild;
            shared.types[i] = seed & 4 ? MPI_INT : (MPI_Datatype)(uintptr_t)(seed >> 8);
            shared.addresses[i] = seed & 8 ? 4 * i : wild;
            shared.requests[i] = seed & 16 ? MPI_REQUEST_NULL : (MPI_Request)(uintptr_t)(seed & 0xffff);
            shared.argv[i] = seed & 32 ? NULL : (char *)(uintptr_t)seed;
        }
        for (size_t i = 0; i < sizeof shared.name; i += 16)
            shared.name[i] = seed & 64 ? 'x' : 0;
        shared.name[sizeof shared.name - 1] = seed & 128 ? 'x' : 0;
        for (size_t i = 0; i < sizeof shared.buffer; i += 512)
            shared.buffer[i] = (char)seed;
    }
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    check_begin_threads(&argc, &argv, MPI_THREAD_FUNNELED);
    set_canaries();
    memset((void *)&shared, 'y', sizeof shared);
    CHECK_INT(pthread_create(&thread, NULL, rewrite, NULL), 0);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_Info info = MPI_INFO_NULL;
        MPI_Group all, some = MPI_GROUP_NULL;
        MPI_Request request[2];
        MPI_Status statuses[N];
        char copy[sizeof shared.buffer];
        int indices[N], flag, outcount, one = 1, zero = 0;
        if (MPI_Type_create_struct(N, (int *)shared.counts, (MPI_Aint *)shared.addresses, (MPI_Datatype *)shared.types,
                                   &type) == MPI_SUCCESS) {
            MPI_Type_commit(&type);
            int position = 0;
            MPI_Pack((void *)shared.buffer, 1, type, copy, sizeof copy, &position, MPI_COMM_SELF);
            MPI_Type_free(&type);
        }
        if (MPI_Type_indexed(N, (int *)shared.counts, (int *)shared.displacements, MPI_INT, &type) == MPI_SUCCESS)
            MPI_Type_free(&type);
        MPI_Alltoallv((void *)shared.buffer, (int *)shared.counts, (int *)shared.displacements, MPI_INT, copy, &one, &zero,
                      MPI_INT, MPI_COMM_SELF);
        MPI_Testall(N, (MPI_Request *)shared.requests, &flag, statuses);
        MPI_Testsome(N, (MPI_Request *)shared.requests, &outcount, indices, statuses);
        if (MPI_Info_create(&info) == MPI_SUCCESS) {
            MPI_Info_set(info, (char *)shared.name, (char *)shared.name);
            MPI_Info_free(&info);
        }
        MPI_Comm_set_name(MPI_COMM_SELF, (char *)shared.name);
        MPI_Comm_group(MPI_COMM_SELF, &all);
        if (MPI_Group_incl(all, 1, (int *)shared.displacements, &some) == MPI_SUCCESS && some != MPI_GROUP_EMPTY)
            MPI_Group_free(&some);
        MPI_Group_free(&all);
        // The bytes of a message that is under way.
        TRY(MPI_Irecv(copy, sizeof copy, MPI_CHAR, (rank + size - 1) % size, 3, MPI_COMM_WORLD, &request[0]));
        TRY(MPI_Isend((void *)shared.buffer, sizeof shared.buffer, MPI_CHAR, (rank + 1) % size, 3, MPI_COMM_WORLD,
                      &request[1]));
        TRY(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
        CHECK(copy[1] == 'y');
    }
    done = 1;
    CHECK_INT(pthread_join(thread, NULL), 0);
    still_fine();
    return check_end();
}
