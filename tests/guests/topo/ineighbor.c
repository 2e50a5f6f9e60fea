// MPI_Ineighbor_* and MPI_Neighbor_*_init: the neighbourhood collectives, nonblocking and persistent, on a ring.
// large: yes
#include "../check.h"

enum { COUNT = 300 };
static int out[2 * COUNT], in[2 * COUNT];

static void clear(void)
{
    for (int i = 0; i < 2 * COUNT; i++) {
        out[i] = rank * 10000 + i;
        in[i] = -1;
    }
}

// Both neighbours' first part, or the part that each has for us.
static void check_parts(int left, int right, int own_part)
{
    for (int i = 0; i < COUNT; i++) {
        CHECK_INT(in[i], left * 10000 + (own_part ? COUNT : 0) + i);
        CHECK_INT(in[COUNT + i], right * 10000 + i);
    }
}

static void twice(MPI_Request *request)
{
    for (int round = 0; round < 2; round++) {
        TRY(MPI_Start(request));
        TRY(MPI_Wait(request, MPI_STATUS_IGNORE));
    }
    TRY(MPI_Request_free(request));
}

int main(int argc, char **argv)
{
    MPI_Comm ring;
    MPI_Request request;
    count_t counts[2] = {COUNT, COUNT};
    displ_t places[2] = {0, COUNT};
    MPI_Aint bytes[2] = {0, COUNT * sizeof(int)};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    TRY(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){1}, 0, &ring));
    // With two ranks, or one, both neighbours are the same, and which part goes where is another matter.
    int parts = size > 2;
    clear();
    TRY(MPI_Ineighbor_allgather(out, COUNT, MPI_INT, in, COUNT, MPI_INT, ring, &request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    check_parts(before, next, 0);
    clear();
    TRY(MPI_Ineighbor_allgatherv(out, COUNT, MPI_INT, in, counts, places, MPI_INT, ring, &request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    check_parts(before, next, 0);
    clear();
    TRY(MPI_Ineighbor_alltoall(out, COUNT, MPI_INT, in, COUNT, MPI_INT, ring, &request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (parts)
        check_parts(before, next, 1);
    clear();
    TRY(MPI_Ineighbor_alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, ring, &request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (parts)
        check_parts(before, next, 1);
    clear();
    TRY(MPI_Ineighbor_alltoallw(out, counts, bytes, types, in, counts, bytes, types, ring, &request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (parts)
        check_parts(before, next, 1);
    clear();
    TRY(MPI_Neighbor_allgather_init(out, COUNT, MPI_INT, in, COUNT, MPI_INT, ring, MPI_INFO_NULL, &request));
    twice(&request);
    check_parts(before, next, 0);
    clear();
    TRY(MPI_Neighbor_allgatherv_init(out, COUNT, MPI_INT, in, counts, places, MPI_INT, ring, MPI_INFO_NULL, &request));
    twice(&request);
    check_parts(before, next, 0);
    clear();
    TRY(MPI_Neighbor_alltoall_init(out, COUNT, MPI_INT, in, COUNT, MPI_INT, ring, MPI_INFO_NULL, &request));
    twice(&request);
    if (parts)
        check_parts(before, next, 1);
    clear();
    TRY(MPI_Neighbor_alltoallv_init(out, counts, places, MPI_INT, in, counts, places, MPI_INT, ring, MPI_INFO_NULL, &request));
    twice(&request);
    if (parts)
        check_parts(before, next, 1);
    clear();
    TRY(MPI_Neighbor_alltoallw_init(out, counts, bytes, types, in, counts, bytes, types, ring, MPI_INFO_NULL, &request));
    twice(&request);
    if (parts)
        check_parts(before, next, 1);
    TRY(MPI_Comm_free(&ring));
    return check_end();
}
