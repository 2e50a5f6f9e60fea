// Ranks that disagree on what they do together: on counts, types, operations, parts, neighbours, sizes of windows and files, colours, orders and
// leaders. Those who can know of it get an error, what is written lies where the rank said, and the next communicator is right.
// ranks: 2 3
#include "variations.h"

enum { ROOM = 4096 };
static int in[ROOM], out[2 * ROOM];
static MPI_Comm comm;
static int odd;

static void begin(void)
{
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    for (int i = 0; i < 2 * ROOM; i++)
        out[i] = -7;
}

static void end(void)
{
    TRY(MPI_Comm_free(&comm));
}

/* Nothing lies beyond what this rank had room for. */
static void untouched(int from)
{
    for (int i = from; i < 2 * ROOM; i++)
        CHECK_INT(out[i], -7);
}

static void broadcasts(void)
{
    for (int n = 1; n <= 1024; n *= 4) {
        begin();
        MPI_Bcast(rank == 0 ? in : out, rank == 0 ? 2 * n : n, MPI_INT, 0, comm);
        untouched(n);
        end();
    }
}

static void gathers(void)
{
    begin();
    MPI_Gather(in, rank == size - 1 ? 64 : 4, MPI_INT, out, 4, MPI_INT, 0, comm);
    untouched(4 * size);
    end();
    begin();
    MPI_Scatter(in, 64, MPI_INT, out, rank == size - 1 ? 3 : 64, MPI_INT, 0, comm);
    untouched(64);
    end();
}

static void all_to_all(void)
{
    int sends[8], gets[8], places[8];
    for (int i = 0; i < size; i++) {
        sends[i] = 10 + 20 * odd;
        gets[i] = 10;
        places[i] = 16 * i;
    }
    sends[rank] = 10;
    begin();
    MPI_Alltoallv(in, sends, places, MPI_INT, out, gets, places, MPI_INT, comm);
    for (int i = 0; i < size; i++)
        for (int n = 10; n < 16; n++)
            CHECK_INT(out[16 * i + n], -7);
    end();
    begin();
    MPI_Alltoall(in, 4, MPI_INT, out, 4, MPI_INT, comm);
    untouched(4 * size);
    end();
}

static void reductions(void)
{
    begin();
    MPI_Allreduce(in, out, 8, MPI_INT, odd ? MPI_MAX : MPI_SUM, comm);
    untouched(8);
    end();
    begin();
    MPI_Reduce(in, out, odd ? 16 : 8, odd ? MPI_SHORT : MPI_INT, MPI_SUM, 0, comm);
    untouched(8);
    end();
    begin();
    MPI_Scan(in, out, odd ? 4 : 8, odd ? MPI_DOUBLE : MPI_INT, odd ? MPI_PROD : MPI_BAND, comm);
    untouched(8);
    end();
}

/* Neighbours that one names and the other doesn't. */
static void neighbours(void)
{
    MPI_Comm graph = MPI_COMM_NULL;
    int all[8], weights[8];
    for (int i = 0; i < size; i++) {
        all[i] = i;
        weights[i] = -i;
    }
    begin();
    if (MPI_Dist_graph_create_adjacent(comm, size, all, weights, size, all, weights, MPI_INFO_NULL, odd, &graph) == MPI_SUCCESS) {
        MPI_Neighbor_allgather(in, 4, MPI_INT, out, 4, MPI_INT, graph);
        untouched(4 * size);
        TRY(MPI_Comm_free(&graph));
    }
    end();
    begin();
    int degree = rank == 0 ? size : 0;
    if (MPI_Dist_graph_create(comm, rank == 0, &(int){0}, &degree, all, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph) == MPI_SUCCESS) {
        MPI_Neighbor_alltoall(in, 4, MPI_INT, out, 4, MPI_INT, graph);
        untouched(4);
        TRY(MPI_Comm_free(&graph));
    }
    end();
}

static void grids(void)
{
    MPI_Comm grid = MPI_COMM_NULL;
    begin();
    int dims[2] = {odd ? 1 : size, odd ? size : 1}, periods[2] = {odd, !odd};
    if (MPI_Cart_create(comm, 2, dims, periods, 0, &grid) == MPI_SUCCESS) {
        MPI_Comm part = MPI_COMM_NULL;
        int source, dest;
        MPI_Cart_shift(grid, 0, 1, &source, &dest);
        if (MPI_Cart_sub(grid, (int[]){1, 0}, &part) == MPI_SUCCESS && part != MPI_COMM_NULL)
            MPI_Comm_free(&part);
        TRY(MPI_Comm_free(&grid));
    }
    end();
}

/* Windows of a size, a unit and a place that differ, up to nothing. */
static void windows(void)
{
    MPI_Win window;
    begin();
    TRY(MPI_Win_create(odd ? in : NULL, odd ? 16 : 0, odd ? 3 : 64, MPI_INFO_NULL, comm, &window));
    TRY(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
    TRY(MPI_Win_lock_all(0, window));
    for (int target = 0; target < size; target++) {
        int room = target % 2 ? 16 : 0, unit = target % 2 ? 3 : 64;
        for (int at = 0; at < 8; at++) {
            int code = MPI_Put(out, 4, MPI_BYTE, target, at, 4, MPI_BYTE, window);
            CHECK_INT(code == MPI_SUCCESS, at * unit + 4 <= room);
        }
    }
    TRY(MPI_Win_unlock_all(window));
    TRY(MPI_Win_free(&window));
    end();
}

static void splits(void)
{
    MPI_Comm made = MPI_COMM_NULL;
    begin();
    static const int keys[] = {INT32_MIN, INT32_MAX, 0, -1};
    for (int i = 0; i < 4; i++) {
        FAILS(MPI_Comm_split(comm, odd ? INT32_MAX - 1 : 0, keys[(i + rank) % 4], &made), MPI_SUCCESS);
        int members;
        TRY(MPI_Comm_size(made, &members));
        CHECK_INT(members, odd ? size / 2 : size - size / 2);
        TRY(MPI_Barrier(made));
        TRY(MPI_Comm_free(&made));
        TRY(MPI_Comm_split(comm, odd ? MPI_UNDEFINED : 7, keys[i], &made));
        CHECK_INT(made == MPI_COMM_NULL, odd);
        if (made != MPI_COMM_NULL)
            TRY(MPI_Comm_free(&made));
    }
    if (embedded()) // MPICH takes any number
        REFUSED(MPI_Comm_split(comm, -3, 0, &made));
    end();
}

/* Receives of other types and lengths than what was sent. */
static void messages(void)
{
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Datatype sparse;
    TRY(MPI_Type_vector(4, 1, 3, MPI_INT, &sparse));
    TRY(MPI_Type_commit(&sparse));
    for (int n = 1; n <= ROOM; n *= 8) {
        MPI_Request request;
        begin();
        TRY(MPI_Irecv(out, n / 2, MPI_INT, before, 1, comm, &request));
        TRY(MPI_Send(in, n, MPI_INT, next, 1, comm));
        FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
        untouched(n / 2);
        TRY(MPI_Irecv(out, 1, sparse, before, 2, comm, &request));
        TRY(MPI_Send(in, 4, MPI_INT, next, 2, comm));
        TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_INT(out[ROOM + 1], -7);
        end();
    }
    TRY(MPI_Type_free(&sparse));
}

/* Leaders, sides and tags of intercommunicators. */
static void sides(void)
{
    MPI_Comm mine, other = MPI_COMM_NULL, merged = MPI_COMM_NULL;
    begin();
    TRY(MPI_Comm_split(comm, odd, 0, &mine));
    TRY(MPI_Intercomm_create(mine, 0, comm, !odd, 1, &other));
    // Nobody wants to be the first.
    if (MPI_Intercomm_merge(other, 1, &merged) == MPI_SUCCESS) {
        TRY(MPI_Barrier(merged));
        TRY(MPI_Comm_free(&merged));
    }
    MPI_Comm_remote_size(other, &(int){0});
    TRY(MPI_Comm_free(&other));
    TRY(MPI_Comm_free(&mine));
    end();
}

int main(int argc, char **argv)
{
    static const struct variation all[] = {
        {"broadcasts", broadcasts}, {"gathers", gathers}, {"all to all", all_to_all}, {"reductions", reductions}, {"neighbours", neighbours},
        {"grids", grids}, {"windows", windows}, {"splits", splits}, {"messages", messages}, {"sides", sides},
    };
    hostile_begin(&argc, &argv);
    odd = rank % 2;
    return VARIATIONS(all);
}
