// Messages of a rank to itself whose buffers overlap that of another one under way. Between processes nothing comes of it; in a communicator
// of its own a library copies from buffer to buffer, and MPICH would end the job.
// ranks: 1 2
#include "hostile.h"

enum { COUNT = 3000, TAG = 5 };
static char room[4 * COUNT], elsewhere[2 * COUNT];
static MPI_Comm comm;
static MPI_Datatype late;

/* The embedded engine copies what overlaps, as it does what overlaps by a race. */
#define OVERLAPS(call) FAILS(call, embedded() ? MPI_SUCCESS : MPI_ERR_BUFFER)

/* Takes or sends what the other side is left with, if a call was refused. */
#define IF_REFUSED(call) do { if (!embedded()) TRY(call); } while (0)

static void send_into_receive(int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm))
{
    MPI_Request request;
    TRY(MPI_Irecv(room, COUNT, MPI_CHAR, 0, TAG, comm, &request));
    OVERLAPS(send(room + COUNT - 1, COUNT, MPI_CHAR, 0, TAG, comm));
    IF_REFUSED(send(room + COUNT, COUNT, MPI_CHAR, 0, TAG, comm));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    // It is over: the same bytes may be sent.
    TRY(MPI_Irecv(elsewhere, COUNT, MPI_CHAR, 0, TAG, comm, &request));
    TRY(send(room, COUNT, MPI_CHAR, 0, TAG, comm));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void blocking(void)
{
    send_into_receive(MPI_Send);
    send_into_receive(MPI_Ssend);
    send_into_receive(MPI_Rsend);
}

static void received_over_what_is_sent(void)
{
    MPI_Request request;
    TRY(MPI_Isend(room, COUNT, MPI_CHAR, 0, TAG, comm, &request));
    OVERLAPS(MPI_Recv(room + 1, COUNT, MPI_CHAR, 0, TAG, comm, MPI_STATUS_IGNORE));
    IF_REFUSED(MPI_Recv(room + COUNT, COUNT, MPI_CHAR, 0, TAG, comm, MPI_STATUS_IGNORE));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void matched(void)
{
    MPI_Request request;
    MPI_Message message;
    TRY(MPI_Issend(room, COUNT, MPI_CHAR, 0, TAG, comm, &request));
    TRY(MPI_Mprobe(0, TAG, comm, &message, MPI_STATUS_IGNORE));
    OVERLAPS(MPI_Mrecv(room + 1, COUNT, MPI_CHAR, &message, MPI_STATUS_IGNORE));
    IF_REFUSED(MPI_Mrecv(elsewhere, COUNT, MPI_CHAR, &message, MPI_STATUS_IGNORE));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void both_ways(void)
{
    MPI_Request request;
    TRY(MPI_Irecv(room, COUNT, MPI_CHAR, 0, TAG + 1, comm, &request));
    OVERLAPS(MPI_Sendrecv(room, COUNT, MPI_CHAR, 0, TAG, elsewhere, COUNT, MPI_CHAR, 0, TAG, comm, MPI_STATUS_IGNORE));
    TRY(MPI_Sendrecv(room + COUNT, COUNT, MPI_CHAR, 0, TAG, elsewhere, COUNT, MPI_CHAR, 0, TAG, comm, MPI_STATUS_IGNORE));
    TRY(MPI_Send(elsewhere, COUNT, MPI_CHAR, 0, TAG + 1, comm));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    TRY(MPI_Sendrecv_replace(room, COUNT, MPI_CHAR, 0, TAG, 0, TAG, comm, MPI_STATUS_IGNORE));
}

static void persistent(void)
{
    MPI_Request pair[2];
    TRY(MPI_Send_init(room, COUNT, MPI_CHAR, 0, TAG, comm, &pair[0]));
    TRY(MPI_Recv_init(room + COUNT / 2, COUNT, MPI_CHAR, 0, TAG, comm, &pair[1]));
    for (int round = 0; round < 2; round++) {
        // The first of them is started.
        OVERLAPS(MPI_Startall(2, pair));
        if (!embedded()) {
            OVERLAPS(MPI_Start(&pair[1]));
            TRY(MPI_Recv(elsewhere, COUNT, MPI_CHAR, 0, TAG, comm, MPI_STATUS_IGNORE));
            TRY(MPI_Wait(&pair[0], MPI_STATUS_IGNORE));
            // One after the other is no harm.
            TRY(MPI_Start(&pair[1]));
            TRY(MPI_Send(elsewhere, COUNT, MPI_CHAR, 0, TAG, comm));
        }
        TRY(MPI_Waitall(2, pair, MPI_STATUSES_IGNORE));
    }
    TRY(MPI_Request_free(&pair[0]));
    TRY(MPI_Request_free(&pair[1]));
    TRY(MPI_Sendrecv(room, COUNT, MPI_CHAR, 0, TAG, elsewhere, COUNT, MPI_CHAR, 0, TAG, comm, MPI_STATUS_IGNORE));
}

static void given_up(void)
{
    MPI_Request request;
    TRY(MPI_Isend(room, COUNT, MPI_CHAR, 0, TAG, comm, &request));
    TRY(MPI_Request_free(&request));
    OVERLAPS(MPI_Recv(room + 1, COUNT, MPI_CHAR, 0, TAG, comm, MPI_STATUS_IGNORE));
    IF_REFUSED(MPI_Recv(elsewhere, COUNT, MPI_CHAR, 0, TAG, comm, MPI_STATUS_IGNORE));
    // It is complete, which nobody was told.
    TRY(MPI_Isend(elsewhere, COUNT, MPI_CHAR, 0, TAG, comm, &request));
    TRY(MPI_Recv(room, COUNT, MPI_CHAR, 0, TAG, comm, MPI_STATUS_IGNORE));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* A type whose bytes are one piece that begins after the address of an element. */
static void elsewhere_than_its_address(void)
{
    MPI_Request request;
    TRY(MPI_Irecv(room, 1, late, 0, TAG, comm, &request));
    OVERLAPS(MPI_Send(room + COUNT + 8, COUNT, MPI_CHAR, 0, TAG, comm));
    IF_REFUSED(MPI_Send(room, COUNT, MPI_CHAR, 0, TAG, comm));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* Every other byte is one's own: nothing overlaps. */
static void interleaved(void)
{
    MPI_Request request;
    MPI_Datatype every_other;
    TRY(MPI_Type_vector(COUNT / 2, 1, 2, MPI_CHAR, &every_other));
    TRY(MPI_Type_commit(&every_other));
    room[0] = 42;
    TRY(MPI_Irecv(room + 1, 1, every_other, 0, TAG, comm, &request));
    TRY(MPI_Send(room, 1, every_other, 0, TAG, comm));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_INT(room[1], 42);
    TRY(MPI_Type_free(&every_other));
}

static void collective(void)
{
    const int ones[2] = {1, 1}, apart[2] = {0, 9}, across[2] = {20, 9};
    MPI_Comm grid;
    const int dims[1] = {1}, around[1] = {1};
    TRY(MPI_Cart_create(comm, 1, dims, around, 0, &grid));
    // The second blocks are the same, the first are not.
    OVERLAPS(MPI_Neighbor_alltoallv(room, ones, apart, MPI_CHAR, room, ones, across, MPI_CHAR, grid));
    OVERLAPS(MPI_Neighbor_alltoall(room, 2, MPI_CHAR, room + 3, 2, MPI_CHAR, grid));
    TRY(MPI_Neighbor_alltoall(room, 2, MPI_CHAR, room + 4, 2, MPI_CHAR, grid));
    TRY(MPI_Comm_free(&grid));
}

int main(int argc, char **argv)
{
    MPI_Aint place[1] = {COUNT};
    hostile_begin(&argc, &argv);
    TRY(MPI_Type_create_hindexed_block(1, COUNT, place, MPI_CHAR, &late));
    TRY(MPI_Type_commit(&late));
    MPI_Comm ours[3] = {MPI_COMM_SELF};
    TRY(MPI_Comm_dup(MPI_COMM_SELF, &ours[1]));
    TRY(MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &ours[2]));
    for (int i = 0; i < 3; i++) {
        comm = ours[i];
        TRY(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
        blocking();
        received_over_what_is_sent();
        matched();
        both_ways();
        persistent();
        given_up();
        elsewhere_than_its_address();
        interleaved();
        collective();
    }
    TRY(MPI_Type_free(&late));
    return hostile_end();
}
