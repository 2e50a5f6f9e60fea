// What ranks say of their sizes, counts and units to each other is multiplied where it arrives: what doesn't fit there, or in 64 bits, is an
// error there, and nothing is written.
// ranks: 2
#include "hostile.h"

enum { ROOM = 64 };
static int room[3 * ROOM], *const got = room + ROOM, sent[ROOM];

/* Parts and bytes of one side, against the room of the other. */
static void partitions(void)
{
    static const struct {
        int parts;
        MPI_Count count;
        int pieces;
        MPI_Count each;
    } all[] = {{4, 16, 4, 8}, {64, 1, 1, 1}, {1, 64, 64, 0}, {2, 32, 1, 63}, {16, 4, 3, 20}, {64, 1, 1, 64}, {8, 8, 64, 1}};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        int fits = all[i].parts * all[i].count <= all[i].pieces * all[i].each, code;
        MPI_Request request;
        memset(room, 0x55, sizeof room);
        if (rank == 0) {
            TRY(MPI_Psend_init(sent, all[i].parts, all[i].count, MPI_INT, 1, i, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
            TRY(MPI_Start(&request));
            TRY(MPI_Pready_range(0, all[i].parts - 1, request));
            code = MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            TRY(MPI_Precv_init(got, all[i].pieces, all[i].each, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
            TRY(MPI_Start(&request));
            code = MPI_Wait(&request, MPI_STATUS_IGNORE);
            if (fits)
                TRY(code);
            else
                REFUSED(code);
            for (int n = 0; n < ROOM; n++)
                CHECK_INT(room[n], 0x55555555);
            for (int n = all[i].pieces * (int)all[i].each; n < 2 * ROOM; n++)
                CHECK_INT(got[n], 0x55555555);
        }
        TRY(MPI_Request_free(&request));
    }
}

/* The other's unit counts, whatever this rank's is, and the other's size. */
static void units(void)
{
    static const struct {
        int size, unit;
        MPI_Aint displ;
        int fits;
    } all[] = {
        {64, 1, 60, 1},          {64, 1, 61, 0},           {64, 32, 1, 1},           {64, 32, 2, 0},      {64, INT32_MAX, 0, 1}, {64, INT32_MAX, 1, 0},
        {64, 65536, 65536, 0},   {64, 1 << 30, 4, 0},      {64, INT32_MAX, INT32_MAX, 0}, {64, 4, 1 << 30, 0}, {64, 4, -1, 0},        {0, 1, 0, 0},
        {64, INT32_MAX, -INT32_MAX, 0}, {64, 32, 1 << 27, 0}, {3, 1, 0, 0},             {64, 16, INT32_MIN, 0},
    };
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        MPI_Win window;
        int value = 77;
        memset(room, 0x55, sizeof room);
        TRY(MPI_Win_create(got, rank == 1 ? all[i].size : 128, rank == 1 ? all[i].unit : 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
        TRY(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
        TRY(MPI_Win_fence(0, window));
        if (rank == 0) {
            int class = all[i].fits ? MPI_SUCCESS : MPI_ERR_RMA_RANGE;
            FAILS(MPI_Put(&value, 1, MPI_INT, 1, all[i].displ, 1, MPI_INT, window), class);
            FAILS(MPI_Accumulate(&value, 1, MPI_INT, 1, all[i].displ, 1, MPI_INT, MPI_REPLACE, window), class);
        }
        TRY(MPI_Win_fence(0, window));
        for (int n = 0; n < 3 * ROOM; n++)
            CHECK(room[n] == 0x55555555 || (all[i].fits && rank == 1 && room[n] == 77 && n >= ROOM && n < ROOM + 16));
        TRY(MPI_Win_free(&window));
    }
}

/* A message that is longer than its receiver's room, by one or by far, in each kind of receive. */
static void messages(void)
{
    for (int way = 0; way < 10; way++) {
        int count = way % 2 ? ROOM : 2, fits = 1;
        MPI_Request request;
        MPI_Message message;
        MPI_Datatype two;
        memset(room, 0x55, sizeof room);
        if (rank == 0) {
            TRY(MPI_Send(sent, count, MPI_INT, 1, way, MPI_COMM_WORLD));
            continue;
        }
        switch (way / 2) {
        case 0: FAILS(MPI_Recv(got, 1, MPI_INT, 0, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE); break;
        case 1:
            TRY(MPI_Irecv(got, 7, MPI_BYTE, 0, way, MPI_COMM_WORLD, &request));
            FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
            break;
        case 2:
            TRY(MPI_Mprobe(0, way, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
            FAILS(MPI_Mrecv(got, 1, MPI_INT, &message, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
            break;
        case 3:
            TRY(MPI_Type_vector(2, 1, 8, MPI_SHORT, &two));
            TRY(MPI_Type_commit(&two));
            FAILS(MPI_Recv(got, 1, two, 0, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
            TRY(MPI_Type_free(&two));
            break;
        default:
            TRY(MPI_Recv_init(got, 0, MPI_INT, 0, way, MPI_COMM_WORLD, &request));
            TRY(MPI_Start(&request));
            FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
            TRY(MPI_Request_free(&request));
        }
        for (int n = 0; n < 3 * ROOM; n++)
            fits = fits && (room[n] == 0x55555555 || (n >= ROOM && n < ROOM + 5));
        CHECK(fits);
    }
}

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    partitions();
    units();
    messages();
    return hostile_end();
}
