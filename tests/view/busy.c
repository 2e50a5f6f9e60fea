// Rank 0 waits for rank 2, and rank 1 for both; until the button `stop` is pressed. Rank 1 has 48 MiB more than the others.
//
// With the argument `count` the ranks move messages short and long and access a window, then say as texts what the counters of
// the tools interface have of them, and move nothing more.
#include <mpi.h>
#include <rankine/view.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LONG = 1 << 20, MORE = 48 << 20 };

static const char *const NAMES[] = {"rankine_short_bytes", "rankine_long_bytes", "rankine_accessed_bytes"};
static char message[LONG];

static void nap(int milliseconds)
{
    nanosleep(&(struct timespec){.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000}, NULL);
}

static void move(int rank, int size)
{
    MPI_Win window;
    char part[4096] = {0};
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int n = 0; n < 10 * (rank + 1); n++)
        MPI_Send(message, 100, MPI_CHAR, next, 1, MPI_COMM_WORLD);
    for (int n = 0; n < 10 * (before + 1); n++)
        MPI_Recv(message, 100, MPI_CHAR, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(message, LONG / 2, MPI_CHAR, next, 2, message + LONG / 2, LONG / 2, MPI_CHAR, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_create(part, sizeof part, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(message, 1000 * rank, MPI_CHAR, next, 0, 1000 * rank, MPI_CHAR, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

static void count(int rank, int size, MPI_T_pvar_session session, MPI_T_pvar_handle handles[3])
{
    char name[32], text[64];
    unsigned long long all = 0, value;
    move(rank, size);
    MPI_Barrier(MPI_COMM_WORLD);
    // What others do for this rank in a barrier is over by then.
    nap(300);
    for (int n = 0; n < 3; n++) {
        MPI_T_pvar_read(session, handles[n], &value);
        all += value;
    }
    snprintf(name, sizeof name, "sent by %d", rank);
    snprintf(text, sizeof text, "%llu", all);
    Rankine_View_text(name, text);
    for (;;)
        nap(1000);
}

int main(int argc, char **argv)
{
    int rank, size, provided, stop = 0, values;
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handles[3];
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    for (int n = 0; n < 3; n++) {
        int index;
        MPI_T_pvar_get_index(NAMES[n], MPI_T_PVAR_CLASS_AGGREGATE, &index);
        MPI_T_pvar_handle_alloc(session, index, NULL, &handles[n], &values);
        MPI_T_pvar_start(session, handles[n]);
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1 && strcmp(argv[1], "count") == 0)
        count(rank, size, session, handles);
    char *more = rank == 1 ? malloc(MORE) : NULL;
    if (more != NULL)
        memset(more, 1, MORE);
    Rankine_View_button("stop", &stop);
    while (!stop) {
        if (rank == 2) {
            nap(1500);
            MPI_Send(message, LONG, MPI_CHAR, 0, 7, MPI_COMM_WORLD);
        }
        if (rank == 0)
            MPI_Recv(message, LONG, MPI_CHAR, 2, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        Rankine_View_update(MPI_COMM_WORLD);
    }
    free(more);
    MPI_Finalize();
    return 0;
}
