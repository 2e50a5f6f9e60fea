// Of several wrong arguments the same one is named on every engine: communicator, window or file; root, since it says which
// buffers count; arrays of counts; for each buffer in turn datatype, count, buffer; tag, rank; of a target rank, datatype,
// count, place; a window's operation; hints. The operation of a reduction belongs to its datatype.
// ranks: 1 2
// native: no (a library has an order of its own, the file lies where the harness has granted a folder)
// run: --dir {scratch}::/tmp
#include "../check.h"
#include "../own_number.h"

#define NOBODY 1000
#define NO_TAG (-7)

static int word;
/* Just below the end of what a guest can address, where no memory of this program is. */
static void *far;
/* A handle that nobody gave. */
static MPI_Info made_up;

/* The class of what is wrong with a call. */
#define EXPECT(call, class) \
    do { \
        int code_ = (call), class_ = -1; \
        MPI_Error_class(code_, &class_); \
        CHECK_INT(class_, class); \
    } while (0)

/* A send or receive of any kind, `f(buffer, count, datatype, rank, tag, comm, …)`: right before an argument, wrong from
 * there on. */
#define MESSAGE(f, ...) \
    do { \
        EXPECT(f(NULL, -1, MPI_DATATYPE_NULL, NOBODY, NO_TAG, MPI_COMM_NULL __VA_ARGS__), MPI_ERR_COMM); \
        EXPECT(f(NULL, -1, MPI_DATATYPE_NULL, NOBODY, NO_TAG, MPI_COMM_WORLD __VA_ARGS__), MPI_ERR_TYPE); \
        EXPECT(f(NULL, -1, MPI_INT, NOBODY, NO_TAG, MPI_COMM_WORLD __VA_ARGS__), MPI_ERR_COUNT); \
        EXPECT(f(far, 1, MPI_INT, NOBODY, NO_TAG, MPI_COMM_WORLD __VA_ARGS__), MPI_ERR_BUFFER); \
        EXPECT(f(&word, 1, MPI_INT, NOBODY, NO_TAG, MPI_COMM_WORLD __VA_ARGS__), MPI_ERR_TAG); \
        EXPECT(f(&word, 1, MPI_INT, NOBODY, 1, MPI_COMM_WORLD __VA_ARGS__), MPI_ERR_RANK); \
    } while (0)

static void messages(void)
{
    MPI_Request request;
    MPI_Status status;
    MESSAGE(MPI_Send);
    MESSAGE(MPI_Ssend);
    MESSAGE(MPI_Rsend);
    MESSAGE(MPI_Isend, , &request);
    MESSAGE(MPI_Issend, , &request);
    MESSAGE(MPI_Send_init, , &request);
    MESSAGE(MPI_Recv, , &status);
    MESSAGE(MPI_Irecv, , &request);
    MESSAGE(MPI_Recv_init, , &request);
    MESSAGE(MPI_Bsend);
    MESSAGE(MPI_Ibsend, , &request);
    MESSAGE(MPI_Bsend_init, , &request);
    CHECK(request == MPI_REQUEST_NULL);

    EXPECT(MPI_Probe(NOBODY, NO_TAG, MPI_COMM_NULL, &status), MPI_ERR_COMM);
    EXPECT(MPI_Probe(NOBODY, NO_TAG, MPI_COMM_WORLD, &status), MPI_ERR_TAG);
    EXPECT(MPI_Probe(NOBODY, 1, MPI_COMM_WORLD, &status), MPI_ERR_RANK);
}

static void both_ways(void)
{
    int in, out = 0;
    MPI_Request request;
    MPI_Status status;
#define SENDRECV(f, last) \
    do { \
        EXPECT(f(NULL, -1, MPI_DATATYPE_NULL, NOBODY, NO_TAG, NULL, -1, MPI_DATATYPE_NULL, NOBODY, NO_TAG, \
            MPI_COMM_NULL, last), MPI_ERR_COMM); \
        EXPECT(f(NULL, -1, MPI_DATATYPE_NULL, NOBODY, NO_TAG, NULL, -1, MPI_DATATYPE_NULL, NOBODY, NO_TAG, \
            MPI_COMM_WORLD, last), MPI_ERR_TYPE); \
        EXPECT(f(NULL, -1, MPI_INT, NOBODY, NO_TAG, NULL, -1, MPI_DATATYPE_NULL, NOBODY, NO_TAG, MPI_COMM_WORLD, \
            last), MPI_ERR_COUNT); \
        EXPECT(f(far, 1, MPI_INT, NOBODY, NO_TAG, NULL, -1, MPI_DATATYPE_NULL, NOBODY, NO_TAG, MPI_COMM_WORLD, \
            last), MPI_ERR_BUFFER); \
        EXPECT(f(&out, 1, MPI_INT, NOBODY, NO_TAG, NULL, -1, MPI_DATATYPE_NULL, NOBODY, NO_TAG, MPI_COMM_WORLD, \
            last), MPI_ERR_TYPE); \
        EXPECT(f(&out, 1, MPI_INT, NOBODY, NO_TAG, NULL, -1, MPI_INT, NOBODY, NO_TAG, MPI_COMM_WORLD, last), \
            MPI_ERR_COUNT); \
        EXPECT(f(&out, 1, MPI_INT, NOBODY, NO_TAG, far, 1, MPI_INT, NOBODY, NO_TAG, MPI_COMM_WORLD, last), \
            MPI_ERR_BUFFER); \
        EXPECT(f(&out, 1, MPI_INT, NOBODY, NO_TAG, &in, 1, MPI_INT, NOBODY, 1, MPI_COMM_WORLD, last), MPI_ERR_TAG); \
        EXPECT(f(&out, 1, MPI_INT, NOBODY, 1, &in, 1, MPI_INT, NOBODY, NO_TAG, MPI_COMM_WORLD, last), MPI_ERR_TAG); \
        EXPECT(f(&out, 1, MPI_INT, NOBODY, 1, &in, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, last), MPI_ERR_RANK); \
    } while (0)
    SENDRECV(MPI_Sendrecv, &status);
    SENDRECV(MPI_Isendrecv, &request);
#define REPLACE(buf, count, type, tag, comm) \
    MPI_Sendrecv_replace(buf, count, type, NOBODY, tag, NOBODY, tag, comm, &status)
    EXPECT(REPLACE(NULL, -1, MPI_DATATYPE_NULL, NO_TAG, MPI_COMM_NULL), MPI_ERR_COMM);
    EXPECT(REPLACE(NULL, -1, MPI_DATATYPE_NULL, NO_TAG, MPI_COMM_WORLD), MPI_ERR_TYPE);
    EXPECT(REPLACE(NULL, -1, MPI_INT, NO_TAG, MPI_COMM_WORLD), MPI_ERR_COUNT);
    EXPECT(REPLACE(far, 1, MPI_INT, NO_TAG, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    EXPECT(REPLACE(&in, 1, MPI_INT, NO_TAG, MPI_COMM_WORLD), MPI_ERR_TAG);
    EXPECT(REPLACE(&in, 1, MPI_INT, 1, MPI_COMM_WORLD), MPI_ERR_RANK);
}

static void partitions(void)
{
    MPI_Request request;
#define PARTITIONED(f) \
    do { \
        EXPECT(f(NULL, 0, -1, MPI_DATATYPE_NULL, NOBODY, NO_TAG, MPI_COMM_NULL, made_up, &request), MPI_ERR_COMM); \
        EXPECT(f(NULL, 0, -1, MPI_DATATYPE_NULL, NOBODY, NO_TAG, MPI_COMM_WORLD, made_up, &request), MPI_ERR_ARG); \
        EXPECT(f(NULL, -1, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request), MPI_ERR_ARG); \
        EXPECT(f(NULL, 2, -1, MPI_DATATYPE_NULL, NOBODY, NO_TAG, MPI_COMM_WORLD, made_up, &request), MPI_ERR_TYPE); \
        EXPECT(f(NULL, 2, -1, MPI_INT, NOBODY, NO_TAG, MPI_COMM_WORLD, made_up, &request), MPI_ERR_COUNT); \
        EXPECT(f(far, 2, 1, MPI_INT, NOBODY, NO_TAG, MPI_COMM_WORLD, made_up, &request), MPI_ERR_BUFFER); \
        EXPECT(f(&word, 1, 1, MPI_INT, NOBODY, NO_TAG, MPI_COMM_WORLD, made_up, &request), MPI_ERR_TAG); \
        EXPECT(f(&word, 1, 1, MPI_INT, NOBODY, 1, MPI_COMM_WORLD, made_up, &request), MPI_ERR_RANK); \
        EXPECT(f(&word, 1, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, made_up, &request), MPI_ERR_INFO); \
        CHECK(request == MPI_REQUEST_NULL); \
    } while (0)
    PARTITIONED(MPI_Psend_init);
    PARTITIONED(MPI_Precv_init);
}

static void matched(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    int out = 7;
    EXPECT(MPI_Mrecv(NULL, -1, MPI_DATATYPE_NULL, &message, &status), MPI_ERR_REQUEST);
    EXPECT(MPI_Imrecv(NULL, -1, MPI_DATATYPE_NULL, &message, &request), MPI_ERR_REQUEST);
    TRY(MPI_Isend(&out, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, &request));
    TRY(MPI_Mprobe(rank, 5, MPI_COMM_WORLD, &message, &status));
    EXPECT(MPI_Mrecv(NULL, -1, MPI_DATATYPE_NULL, &message, &status), MPI_ERR_TYPE);
    EXPECT(MPI_Mrecv(NULL, -1, MPI_INT, &message, &status), MPI_ERR_COUNT);
    EXPECT(MPI_Mrecv(far, 1, MPI_INT, &message, &status), MPI_ERR_BUFFER);
    TRY(MPI_Mrecv(&word, 1, MPI_INT, &message, &status));
    CHECK_INT(word, 7);
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* A collective with a buffer each to send from and to receive in, `f(…, …)`, in which this rank is the root. */
#define TWO_SIDED(f, ...) \
    do { \
        EXPECT(f(far, -1, MPI_DATATYPE_NULL, far, -1, MPI_DATATYPE_NULL __VA_ARGS__), MPI_ERR_TYPE); \
        EXPECT(f(far, -1, MPI_INT, far, -1, MPI_DATATYPE_NULL __VA_ARGS__), MPI_ERR_COUNT); \
        EXPECT(f(far, 1, MPI_INT, far, -1, MPI_DATATYPE_NULL __VA_ARGS__), MPI_ERR_BUFFER); \
        EXPECT(f(in, 1, MPI_INT, far, -1, MPI_DATATYPE_NULL __VA_ARGS__), MPI_ERR_TYPE); \
        EXPECT(f(in, 1, MPI_INT, far, -1, MPI_INT __VA_ARGS__), MPI_ERR_COUNT); \
        EXPECT(f(in, 1, MPI_INT, far, 1, MPI_INT __VA_ARGS__), MPI_ERR_BUFFER); \
    } while (0)

/* One whose two sides have counts and displacements each. */
#define VARIED(f, null, ints, comm) \
    do { \
        EXPECT(f(far, minus, NULL, null, far, minus, displs, null, comm), MPI_ERR_ARG); \
        EXPECT(f(far, minus, displs, null, far, NULL, displs, null, comm), MPI_ERR_ARG); \
        EXPECT(f(far, minus, displs, null, far, minus, displs, null, comm), MPI_ERR_TYPE); \
        EXPECT(f(far, minus, displs, ints, far, minus, displs, null, comm), MPI_ERR_COUNT); \
        EXPECT(f(far, ones, displs, ints, far, minus, displs, null, comm), MPI_ERR_BUFFER); \
        EXPECT(f(in, ones, displs, ints, far, minus, displs, null, comm), MPI_ERR_TYPE); \
        EXPECT(f(in, ones, displs, ints, far, minus, displs, ints, comm), MPI_ERR_COUNT); \
        EXPECT(f(in, ones, displs, ints, far, ones, displs, ints, comm), MPI_ERR_BUFFER); \
    } while (0)

static void two_sided(void)
{
    int in[2] = {0}, minus[2] = {-1, -1}, ones[2] = {1, 1}, displs[2] = {0}, ring[1] = {1};
    MPI_Aint places[2] = {0};
    MPI_Datatype ints[2] = {MPI_INT, MPI_INT}, nulls[2] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL};
    MPI_Request request;
    MPI_Comm grid;
    EXPECT(MPI_Gather(far, -1, MPI_DATATYPE_NULL, far, -1, MPI_DATATYPE_NULL, NOBODY, MPI_COMM_NULL), MPI_ERR_COMM);
    EXPECT(MPI_Gather(far, -1, MPI_DATATYPE_NULL, far, -1, MPI_DATATYPE_NULL, NOBODY, MPI_COMM_SELF), MPI_ERR_ROOT);
    EXPECT(MPI_Scatter(far, -1, MPI_DATATYPE_NULL, far, -1, MPI_DATATYPE_NULL, NOBODY, MPI_COMM_SELF), MPI_ERR_ROOT);
    TWO_SIDED(MPI_Gather, , 0, MPI_COMM_SELF);
    TWO_SIDED(MPI_Igather, , 0, MPI_COMM_SELF, &request);
    TWO_SIDED(MPI_Scatter, , 0, MPI_COMM_SELF);
    TWO_SIDED(MPI_Allgather, , MPI_COMM_SELF);
    TWO_SIDED(MPI_Alltoall, , MPI_COMM_SELF);
    TWO_SIDED(MPI_Alltoall_init, , MPI_COMM_SELF, made_up, &request);
    EXPECT(MPI_Gatherv(far, -1, MPI_DATATYPE_NULL, far, NULL, displs, MPI_DATATYPE_NULL, 0, MPI_COMM_SELF), MPI_ERR_ARG);
    EXPECT(MPI_Gatherv(far, -1, MPI_DATATYPE_NULL, far, minus, displs, MPI_DATATYPE_NULL, 0, MPI_COMM_SELF),
        MPI_ERR_TYPE);
    EXPECT(MPI_Gatherv(in, 1, MPI_INT, far, minus, displs, MPI_DATATYPE_NULL, 0, MPI_COMM_SELF), MPI_ERR_TYPE);
    EXPECT(MPI_Gatherv(in, 1, MPI_INT, far, minus, displs, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_COUNT);
    EXPECT(MPI_Scatterv(far, NULL, displs, MPI_DATATYPE_NULL, far, -1, MPI_DATATYPE_NULL, 0, MPI_COMM_SELF), MPI_ERR_ARG);
    EXPECT(MPI_Scatterv(far, minus, displs, MPI_INT, far, -1, MPI_DATATYPE_NULL, 0, MPI_COMM_SELF), MPI_ERR_COUNT);
    EXPECT(MPI_Scatterv(in, ones, displs, MPI_INT, far, -1, MPI_DATATYPE_NULL, 0, MPI_COMM_SELF), MPI_ERR_TYPE);
    EXPECT(MPI_Allgatherv(far, -1, MPI_DATATYPE_NULL, far, NULL, displs, MPI_INT, MPI_COMM_SELF), MPI_ERR_ARG);
    EXPECT(MPI_Allgatherv(far, -1, MPI_INT, far, minus, displs, MPI_DATATYPE_NULL, MPI_COMM_SELF), MPI_ERR_COUNT);
    VARIED(MPI_Alltoallv, MPI_DATATYPE_NULL, MPI_INT, MPI_COMM_SELF);
    VARIED(MPI_Alltoallw, nulls, ints, MPI_COMM_SELF);

    TRY(MPI_Cart_create(MPI_COMM_SELF, 1, ring, ring, 0, &grid));
    EXPECT(MPI_Neighbor_alltoall(far, -1, MPI_DATATYPE_NULL, far, -1, MPI_DATATYPE_NULL, MPI_COMM_NULL), MPI_ERR_COMM);
    TWO_SIDED(MPI_Neighbor_allgather, , grid);
    TWO_SIDED(MPI_Neighbor_alltoall, , grid);
    TWO_SIDED(MPI_Ineighbor_alltoall, , grid, &request);
    VARIED(MPI_Neighbor_alltoallv, MPI_DATATYPE_NULL, MPI_INT, grid);
    EXPECT(MPI_Neighbor_alltoallw(far, minus, places, nulls, far, NULL, places, nulls, grid), MPI_ERR_ARG);
    EXPECT(MPI_Neighbor_alltoallw(far, minus, places, nulls, far, minus, places, nulls, grid), MPI_ERR_TYPE);
    EXPECT(MPI_Neighbor_alltoallw(far, minus, places, ints, far, minus, places, nulls, grid), MPI_ERR_COUNT);
    EXPECT(MPI_Neighbor_alltoallw(in, ones, places, ints, far, minus, places, nulls, grid), MPI_ERR_TYPE);
    TRY(MPI_Comm_free(&grid));
}

/* An access to a window, `f(address, count, datatype, rank, displacement, count, datatype, …)`; the window comes last. */
#define ACCESS(f, after, ...) \
    do { \
        EXPECT(f(far, -1, MPI_DATATYPE_NULL, NOBODY, -1, -1, MPI_DATATYPE_NULL, after MPI_WIN_NULL __VA_ARGS__), \
            MPI_ERR_WIN); \
        EXPECT(f(far, -1, MPI_DATATYPE_NULL, NOBODY, -1, -1, MPI_DATATYPE_NULL, after win __VA_ARGS__), MPI_ERR_TYPE); \
        EXPECT(f(far, -1, MPI_INT, NOBODY, -1, -1, MPI_DATATYPE_NULL, after win __VA_ARGS__), MPI_ERR_COUNT); \
        EXPECT(f(far, 1, MPI_INT, NOBODY, -1, -1, MPI_DATATYPE_NULL, after win __VA_ARGS__), MPI_ERR_BUFFER); \
        EXPECT(f(&in, 1, MPI_INT, NOBODY, -1, -1, MPI_DATATYPE_NULL, after win __VA_ARGS__), MPI_ERR_RANK); \
        EXPECT(f(&in, 1, MPI_INT, 0, -1, -1, MPI_DATATYPE_NULL, after win __VA_ARGS__), MPI_ERR_TYPE); \
        EXPECT(f(&in, 1, MPI_INT, 0, -1, -1, MPI_INT, after win __VA_ARGS__), MPI_ERR_COUNT); \
        EXPECT(f(&in, 1, MPI_INT, 0, -1, 1, MPI_INT, after win __VA_ARGS__), MPI_ERR_RMA_RANGE); \
    } while (0)

#define NO_OP_AT_ALL MPI_OP_NULL,

static void windows(void)
{
    int in = 0, result = 0;
    MPI_Win win;
    MPI_Request request;
    EXPECT(MPI_Win_create(far, 8, 1, made_up, MPI_COMM_NULL, &win), MPI_ERR_COMM);
    EXPECT(MPI_Win_create(far, 8, 1, made_up, MPI_COMM_SELF, &win), MPI_ERR_BUFFER);
    EXPECT(MPI_Win_create(&word, sizeof word, 1, made_up, MPI_COMM_SELF, &win), MPI_ERR_INFO);
    TRY(MPI_Win_create(&word, sizeof word, sizeof word, MPI_INFO_NULL, MPI_COMM_SELF, &win));
    TRY(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    TRY(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    ACCESS(MPI_Put, );
    ACCESS(MPI_Get, );
    ACCESS(MPI_Rput, , , &request);
    ACCESS(MPI_Rget, , , &request);
    ACCESS(MPI_Accumulate, NO_OP_AT_ALL);
    ACCESS(MPI_Raccumulate, NO_OP_AT_ALL, , &request);
    EXPECT(MPI_Accumulate(&in, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, win), MPI_ERR_OP);
    EXPECT(MPI_Raccumulate(&in, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, win, &request), MPI_ERR_OP);
#define GET_ACCUMULATE(from, count, type, to, room, into, target, disp, number, of, class) \
    do { \
        EXPECT(MPI_Get_accumulate(from, count, type, to, room, into, target, disp, number, of, MPI_OP_NULL, win), class); \
        EXPECT(MPI_Rget_accumulate(from, count, type, to, room, into, target, disp, number, of, MPI_OP_NULL, win, \
            &request), class); \
    } while (0)
    EXPECT(MPI_Get_accumulate(far, -1, MPI_DATATYPE_NULL, far, -1, MPI_DATATYPE_NULL, NOBODY, -1, -1, MPI_DATATYPE_NULL,
        MPI_OP_NULL, MPI_WIN_NULL), MPI_ERR_WIN);
    GET_ACCUMULATE(far, -1, MPI_DATATYPE_NULL, far, -1, MPI_DATATYPE_NULL, NOBODY, -1, -1, MPI_DATATYPE_NULL,
        MPI_ERR_TYPE);
    GET_ACCUMULATE(far, -1, MPI_INT, far, -1, MPI_DATATYPE_NULL, NOBODY, -1, -1, MPI_DATATYPE_NULL, MPI_ERR_COUNT);
    GET_ACCUMULATE(far, 1, MPI_INT, far, -1, MPI_DATATYPE_NULL, NOBODY, -1, -1, MPI_DATATYPE_NULL, MPI_ERR_BUFFER);
    GET_ACCUMULATE(&in, 1, MPI_INT, far, -1, MPI_DATATYPE_NULL, NOBODY, -1, -1, MPI_DATATYPE_NULL, MPI_ERR_TYPE);
    GET_ACCUMULATE(&in, 1, MPI_INT, far, -1, MPI_INT, NOBODY, -1, -1, MPI_DATATYPE_NULL, MPI_ERR_COUNT);
    GET_ACCUMULATE(&in, 1, MPI_INT, far, 1, MPI_INT, NOBODY, -1, -1, MPI_DATATYPE_NULL, MPI_ERR_BUFFER);
    GET_ACCUMULATE(&in, 1, MPI_INT, &result, 1, MPI_INT, NOBODY, -1, -1, MPI_DATATYPE_NULL, MPI_ERR_RANK);
    GET_ACCUMULATE(&in, 1, MPI_INT, &result, 1, MPI_INT, 0, -1, -1, MPI_DATATYPE_NULL, MPI_ERR_TYPE);
    GET_ACCUMULATE(&in, 1, MPI_INT, &result, 1, MPI_INT, 0, -1, -1, MPI_INT, MPI_ERR_COUNT);
    GET_ACCUMULATE(&in, 1, MPI_INT, &result, 1, MPI_INT, 0, -1, 1, MPI_INT, MPI_ERR_RMA_RANGE);
    GET_ACCUMULATE(&in, 1, MPI_INT, &result, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_ERR_OP);

#define FETCH(from, to, type, target, disp, w, class) \
    EXPECT(MPI_Fetch_and_op(from, to, type, target, disp, MPI_OP_NULL, w), class)
    FETCH(far, far, MPI_DATATYPE_NULL, NOBODY, -1, MPI_WIN_NULL, MPI_ERR_WIN);
    FETCH(far, far, MPI_DATATYPE_NULL, NOBODY, -1, win, MPI_ERR_TYPE);
    FETCH(far, &result, MPI_INT, NOBODY, -1, win, MPI_ERR_BUFFER);
    FETCH(&in, far, MPI_INT, NOBODY, -1, win, MPI_ERR_BUFFER);
    FETCH(&in, &result, MPI_INT, NOBODY, -1, win, MPI_ERR_RANK);
    FETCH(&in, &result, MPI_INT, 0, -1, win, MPI_ERR_RMA_RANGE);
    FETCH(&in, &result, MPI_INT, 0, 0, win, MPI_ERR_OP);
#define SWAP(from, type, target, disp, w, class) \
    EXPECT(MPI_Compare_and_swap(from, &in, &result, type, target, disp, w), class)
    SWAP(far, MPI_DATATYPE_NULL, NOBODY, -1, MPI_WIN_NULL, MPI_ERR_WIN);
    SWAP(far, MPI_DATATYPE_NULL, NOBODY, -1, win, MPI_ERR_TYPE);
    SWAP(far, MPI_INT, NOBODY, -1, win, MPI_ERR_BUFFER);
    SWAP(&in, MPI_INT, NOBODY, -1, win, MPI_ERR_RANK);
    SWAP(&in, MPI_INT, 0, -1, win, MPI_ERR_RMA_RANGE);
    TRY(MPI_Win_unlock(0, win));
    TRY(MPI_Win_free(&win));
}

/* A transfer of any kind, `f(file, …, buffer, count, datatype, last)`. */
#define TRANSFER(f, last, ...) \
    do { \
        EXPECT(f(MPI_FILE_NULL, __VA_ARGS__ far, -1, MPI_DATATYPE_NULL, last), MPI_ERR_FILE); \
        EXPECT(f(file, __VA_ARGS__ far, -1, MPI_DATATYPE_NULL, last), MPI_ERR_TYPE); \
        EXPECT(f(file, __VA_ARGS__ far, -1, MPI_INT, last), MPI_ERR_COUNT); \
        EXPECT(f(file, __VA_ARGS__ far, 1, MPI_INT, last), MPI_ERR_BUFFER); \
    } while (0)

static void files(void)
{
    char name[64];
    MPI_File file;
    MPI_Request request;
    MPI_Status status;
    snprintf(name, sizeof name, "/tmp/rankine-order-%d-%d", own_number(), rank);
    int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    EXPECT(MPI_File_open(MPI_COMM_NULL, name, mode, made_up, &file), MPI_ERR_COMM);
    TRY(MPI_File_open(MPI_COMM_SELF, name, mode, MPI_INFO_NULL, &file));
    TRANSFER(MPI_File_write, &status, );
    TRANSFER(MPI_File_read, &status, );
    TRANSFER(MPI_File_write_all, &status, );
    TRANSFER(MPI_File_iread, &request, );
    TRANSFER(MPI_File_write_shared, &status, );
    TRANSFER(MPI_File_write_at, &status, (MPI_Offset)-1, );
    TRANSFER(MPI_File_read_at, &status, (MPI_Offset)-1, );
    TRANSFER(MPI_File_iwrite_at, &request, (MPI_Offset)-1, );
    EXPECT(MPI_File_write_at(file, -1, &word, 1, MPI_INT, &status), MPI_ERR_ARG);
    TRY(MPI_File_close(&file));
}

static void packing(void)
{
    int position = 0;
#define PACK(buf, count, type, comm) MPI_Pack(buf, count, type, &word, sizeof word, &position, comm)
#define UNPACK(packed, buf, count, type, comm) MPI_Unpack(packed, sizeof word, &position, buf, count, type, comm)
    EXPECT(PACK(far, -1, MPI_DATATYPE_NULL, MPI_COMM_NULL), MPI_ERR_COMM);
    EXPECT(PACK(far, -1, MPI_DATATYPE_NULL, MPI_COMM_WORLD), MPI_ERR_TYPE);
    EXPECT(PACK(far, -1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_COUNT);
    EXPECT(PACK(far, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    EXPECT(UNPACK(far, far, -1, MPI_DATATYPE_NULL, MPI_COMM_NULL), MPI_ERR_COMM);
    EXPECT(UNPACK(far, far, -1, MPI_DATATYPE_NULL, MPI_COMM_WORLD), MPI_ERR_TYPE);
    EXPECT(UNPACK(far, far, -1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_COUNT);
    EXPECT(UNPACK(far, &word, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_BUFFER);
}

static void hints(void)
{
    int in = 0, out = 0;
    void *block;
    MPI_Comm comm;
    MPI_Request request;
    EXPECT(MPI_Barrier_init(MPI_COMM_NULL, made_up, &request), MPI_ERR_COMM);
    EXPECT(MPI_Barrier_init(MPI_COMM_WORLD, made_up, &request), MPI_ERR_INFO);
    EXPECT(MPI_Bcast_init(far, 1, MPI_INT, 0, MPI_COMM_WORLD, made_up, &request), MPI_ERR_BUFFER);
    EXPECT(MPI_Bcast_init(&in, 1, MPI_INT, 0, MPI_COMM_WORLD, made_up, &request), MPI_ERR_INFO);
    EXPECT(MPI_Allreduce_init(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, made_up, &request), MPI_ERR_INFO);
    EXPECT(MPI_Gather_init(&in, 1, MPI_INT, &out, 1, MPI_INT, 0, MPI_COMM_SELF, made_up, &request), MPI_ERR_INFO);
    CHECK(request == MPI_REQUEST_NULL);
    EXPECT(MPI_Alloc_mem(8, made_up, &block), MPI_ERR_INFO);
    EXPECT(MPI_Comm_dup_with_info(MPI_COMM_NULL, made_up, &comm), MPI_ERR_COMM);
    EXPECT(MPI_Comm_dup_with_info(MPI_COMM_SELF, made_up, &comm), MPI_ERR_INFO);
}

static void collectives(void)
{
    int in = 0, out;
    EXPECT(MPI_Bcast(&word, -1, MPI_DATATYPE_NULL, NOBODY, MPI_COMM_NULL), MPI_ERR_COMM);
    EXPECT(MPI_Bcast(&word, -1, MPI_DATATYPE_NULL, NOBODY, MPI_COMM_WORLD), MPI_ERR_ROOT);
    EXPECT(MPI_Bcast(&word, -1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    EXPECT(MPI_Bcast(&word, -1, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);

    EXPECT(MPI_Reduce(&in, &out, -1, MPI_DATATYPE_NULL, MPI_OP_NULL, NOBODY, MPI_COMM_NULL), MPI_ERR_COMM);
    EXPECT(MPI_Reduce(&in, &out, -1, MPI_DATATYPE_NULL, MPI_OP_NULL, NOBODY, MPI_COMM_WORLD), MPI_ERR_ROOT);
    EXPECT(MPI_Allreduce(&in, &out, -1, MPI_DATATYPE_NULL, MPI_OP_NULL, MPI_COMM_NULL), MPI_ERR_COMM);
    EXPECT(MPI_Allreduce(&in, &out, -1, MPI_DATATYPE_NULL, MPI_OP_NULL, MPI_COMM_WORLD), MPI_ERR_TYPE);
    EXPECT(MPI_Allreduce(&in, &out, -1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD), MPI_ERR_OP);
    EXPECT(MPI_Allreduce(&in, &out, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_COUNT);

    EXPECT(MPI_Allgather(&in, -1, MPI_DATATYPE_NULL, &out, 1, MPI_INT, MPI_COMM_NULL), MPI_ERR_COMM);
    EXPECT(MPI_Allgather(&in, -1, MPI_DATATYPE_NULL, &out, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_TYPE);
    EXPECT(MPI_Allgather(&in, -1, MPI_INT, &out, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_COUNT);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    far = (void *)-0x100L;
    made_up = (MPI_Info)(uintptr_t)0x7abcdef0u;
    messages();
    both_ways();
    partitions();
    matched();
    collectives();
    two_sided();
    windows();
    files();
    packing();
    hints();
    return check_end();
}
