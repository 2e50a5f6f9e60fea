// What the host holds for a rank counts as the rank's memory: objects of every kind are refused by the same limit, and
// when they are freed there is room for the next kind.
// ranks: 1 2
// engines: local
// bounded: mpi
// Over an MPI library most of this is the library's (see quota_library).
// run: --memory-limit 64M
// peak: limits + 96
#include "quota.h"

enum { MOST = 400000, LONG = 100000, BLOCKS = 10000, KEYS = 100 };
static char buffer[4 << 20];
static int zeros[LONG], lengths[LONG], places[LONG], keys[KEYS];

static void attributes(void)
{
    static MPI_Comm comms[MOST];
    MPI_Comm first;
    TRY(MPI_Comm_dup(MPI_COMM_SELF, &first));
    for (int i = 0; i < KEYS; i++) {
        TRY(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keys[i], NULL));
        TRY(MPI_Comm_set_attr(first, keys[i], buffer));
    }
    EXHAUST(MOST, MPI_Comm_dup(first, &comms[made]));
    for (int i = 0; i < made; i++)
        TRY(MPI_Comm_free(&comms[i]));
    TRY(MPI_Comm_free(&first));
    for (int i = 0; i < KEYS; i++)
        TRY(MPI_Comm_free_keyval(&keys[i]));
}

static MPI_Request requests[MOST];

static void free_requests(void)
{
    for (int i = 0; i < made; i++)
        TRY(MPI_Request_free(&requests[i]));
}

static void partitions(void)
{
    EXHAUST(MOST, MPI_Psend_init(buffer, 60000, 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[made]));
    free_requests();
    EXHAUST(MOST, MPI_Precv_init(buffer, 60000, 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[made]));
    free_requests();
}

static void persistent_requests(void)
{
    EXHAUST(MOST, MPI_Send_init(buffer, 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[made]));
    free_requests();
    EXHAUST(MOST, MPI_Barrier_init(MPI_COMM_SELF, MPI_INFO_NULL, &requests[made]));
    free_requests();
}

static void topologies(void)
{
    static MPI_Comm comms[MOST];
    EXHAUST(MOST, MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, LONG, zeros, MPI_UNWEIGHTED, LONG, zeros, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                           &comms[made]));
    for (int i = 0; i < made; i++)
        TRY(MPI_Comm_free(&comms[i]));
    int ends[1] = {LONG};
    EXHAUST(MOST, MPI_Graph_create(MPI_COMM_SELF, 1, ends, zeros, 0, &comms[made]));
    for (int i = 0; i < made; i++)
        TRY(MPI_Comm_free(&comms[i]));
}

static void graph_of_neighbours(void)
{
    MPI_Comm graph;
    TRY(MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, LONG, zeros, MPI_UNWEIGHTED, LONG, zeros, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph));
    EXHAUST(MOST, MPI_Neighbor_alltoallv_init(buffer, zeros, zeros, MPI_CHAR, buffer, zeros, zeros, MPI_CHAR, graph, MPI_INFO_NULL,
                                        &requests[made]));
    free_requests();
    TRY(MPI_Comm_free(&graph));
}

static void datatypes(void)
{
    static MPI_Datatype types[MOST];
    EXHAUST(MOST, MPI_Type_indexed(BLOCKS, lengths, places, MPI_CHAR, &types[made]));
    for (int i = 0; i < made; i++)
        TRY(MPI_Type_free(&types[i]));
}

// Starts a receive with a type of its own, which is freed: its layout stays.
static int receive(MPI_Request *request)
{
    MPI_Datatype type;
    int code = MPI_Type_indexed(BLOCKS, lengths, places, MPI_CHAR, &type);
    if (code != MPI_SUCCESS)
        return code;
    TRY(MPI_Type_commit(&type));
    code = MPI_Irecv(buffer, 1, type, 0, 9, MPI_COMM_SELF, request);
    TRY(MPI_Type_free(&type));
    return code;
}

static void layouts(void)
{
    EXHAUST(MOST, receive(&requests[made]));
    for (int i = 0; i < made; i++) {
        TRY(MPI_Cancel(&requests[i]));
        TRY(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
    }
}

static void infos(void)
{
    static MPI_Info all[MOST];
    EXHAUST(MOST, fill(&all[made]));
    for (int i = 0; i <= made; i++)
        TRY(MPI_Info_free(&all[i]));
}

static int describe(int code)
{
    static char text[MPI_MAX_ERROR_STRING];
    memset(text, 'x', sizeof text - 1);
    return MPI_Add_error_string(code, text);
}

static void error_strings(void)
{
    static int codes[MOST];
    EXHAUST(MOST, MPI_Add_error_code(MPI_ERR_OTHER, &codes[made]) != MPI_SUCCESS ? MPI_ERR_NO_MEM : describe(codes[made]));
    for (int i = 0; i <= made && codes[i] != 0; i++) {
        MPI_Remove_error_string(codes[i]);
        TRY(MPI_Remove_error_code(codes[i]));
    }
}

// Each communicator has a buffer of its own: the same bytes, which are only counted.
static void buffers(void)
{
    enum { COMMS = 40, BYTES = 1 << 20 };
    MPI_Comm comms[COMMS];
    void *detached;
    int bytes, n = 0;
    for (int i = 0; i < COMMS; i++) {
        TRY(MPI_Comm_dup(MPI_COMM_SELF, &comms[i]));
        TRY(MPI_Comm_attach_buffer(comms[i], buffer, sizeof buffer));
    }
    EXHAUST(MOST, MPI_Bsend(buffer, BYTES, MPI_CHAR, 0, 0, comms[made % COMMS]));
    for (n = 0; n < made; n++)
        TRY(MPI_Recv(buffer, BYTES, MPI_CHAR, 0, 0, comms[n % COMMS], MPI_STATUS_IGNORE));
    for (int i = 0; i < COMMS; i++) {
        TRY(MPI_Comm_detach_buffer(comms[i], &detached, &bytes));
        TRY(MPI_Comm_free(&comms[i]));
    }
}

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    scatter(LONG, lengths, places);
    attributes();
    partitions();
    persistent_requests();
    topologies();
    graph_of_neighbours();
    datatypes();
    layouts();
    infos();
    error_strings();
    buffers();
    return hostile_end();
}
