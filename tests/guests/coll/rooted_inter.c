// MPI_Gather and MPI_Scatter between two groups, of sizes at which a library goes another way: the side of the root and the
// other one have to agree on it. Blocking, nonblocking, and persistent.
// ranks: 2 3 4 7
// large: yes
#include "../check.h"

enum { MOST = 32768, GROUP = 4 };
static int parts[MOST * GROUP], part[MOST];
static MPI_Comm inter;
static int left, root, others;

enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

static void ends(MPI_Request *request)
{
    TRY(MPI_Wait(request, MPI_STATUS_IGNORE));
}

static void starts(MPI_Request *request)
{
    TRY(MPI_Start(request));
    TRY(MPI_Wait(request, MPI_STATUS_IGNORE));
    TRY(MPI_Request_free(request));
}

/* The root has a part for each member of the other group; nobody else of its group takes part. */
static void scatter(enum form form, int n)
{
    MPI_Request request;
    const void *out = left ? parts : NULL;
    void *in = left ? NULL : part;
    const int outs = left ? n : 0, ins = left ? 0 : n;
    if (form == BLOCKING)
        TRY(MPI_Scatter(out, outs, MPI_INT, in, ins, MPI_INT, root, inter));
    else if (form == NONBLOCKING) {
        TRY(MPI_Iscatter(out, outs, MPI_INT, in, ins, MPI_INT, root, inter, &request));
        ends(&request);
    } else {
        TRY(MPI_Scatter_init(out, outs, MPI_INT, in, ins, MPI_INT, root, inter, MPI_INFO_NULL, &request));
        starts(&request);
    }
}

static void gather(enum form form, int n)
{
    MPI_Request request;
    const void *out = left ? NULL : part;
    void *in = left ? parts : NULL;
    const int outs = left ? 0 : n, ins = left ? n : 0;
    if (form == BLOCKING)
        TRY(MPI_Gather(out, outs, MPI_INT, in, ins, MPI_INT, root, inter));
    else if (form == NONBLOCKING) {
        TRY(MPI_Igather(out, outs, MPI_INT, in, ins, MPI_INT, root, inter, &request));
        ends(&request);
    } else {
        TRY(MPI_Gather_init(out, outs, MPI_INT, in, ins, MPI_INT, root, inter, MPI_INFO_NULL, &request));
        starts(&request);
    }
}

/* A part goes out and comes back: what the root has afterwards is what it had. */
static void there_and_back(enum form form, int n)
{
    int me;
    MPI_Comm_rank(inter, &me);
    for (int i = 0; i < n * others; i++)
        parts[i] = left ? n + i : -1;
    for (int i = 0; i < n; i++)
        part[i] = -1;
    scatter(form, n);
    for (int i = 0; i < n; i++)
        CHECK_INT(part[i], left ? -1 : n + me * n + i);
    for (int i = 0; i < n * others; i++)
        parts[i] = -1;
    gather(form, n);
    for (int i = 0; i < n * others; i++)
        CHECK_INT(parts[i], root == MPI_ROOT ? n + i : -1);
}

int main(int argc, char **argv)
{
    MPI_Comm mine;
    int me;
    check_begin(&argc, &argv);
    left = rank < (size + 1) / 2;
    TRY(MPI_Comm_split(MPI_COMM_WORLD, left, rank, &mine));
    TRY(MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, left ? (size + 1) / 2 : 0, 5, &inter));
    MPI_Comm_remote_size(inter, &others);
    MPI_Comm_rank(inter, &me);
    root = !left ? 0 : me == 0 ? MPI_ROOT : MPI_PROC_NULL;
    for (enum form form = BLOCKING; form < FORMS; form++)
        for (int n = 1; n <= MOST; n *= 2)
            there_and_back(form, n);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&mine);
    return check_end();
}
