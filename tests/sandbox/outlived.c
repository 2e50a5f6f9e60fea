// Operations that can't begin because the rank has no request left for them: nothing goes on of any, whatever becomes of the buffer, and
// whoever listens hears nothing.
// engines: local
// Over an MPI library a million requests take minutes.
// ranks: 2
// run: --dir {scratch}::/tmp
#include "hostile.h"
#include "../guests/grequest.h"
#include "../guests/own_number.h"

enum { MOST = 1 << 20, WAYS = 27, N = 5000 };
static MPI_Request full[MOST + 1], request;
static MPI_Win window;
static MPI_File file;
static MPI_Comm comm, made;
static MPI_Message message;
static int *out, *in, other, counts[2] = {1, 1}, places[2] = {0, 1};
static MPI_Datatype types[2];
static char attached[MPI_BSEND_OVERHEAD + 1000];

static int begin(int way)
{
    switch (way) {
    case 0: return MPI_Isend(out, N, MPI_INT, other, 1, comm, &request);
    case 1: return MPI_Issend(out, 1, MPI_INT, other, 1, comm, &request);
    case 2: return MPI_Irsend(out, N, MPI_INT, other, 1, comm, &request);
    case 3: return MPI_Ibsend(out, 1, MPI_INT, other, 1, comm, &request);
    case 4: return MPI_Irecv(in, N, MPI_INT, other, 1, comm, &request);
    case 5: return MPI_Isendrecv(out, N, MPI_INT, other, 1, in, N, MPI_INT, other, 1, comm, &request);
    case 6: return MPI_Isendrecv_replace(in, N, MPI_INT, other, 1, other, 1, comm, &request);
    case 7: return MPI_Imrecv(in, N, MPI_INT, &message, &request);
    case 8: return MPI_Psend_init(out, 2, N / 2, MPI_INT, other, 1, comm, MPI_INFO_NULL, &request);
    case 9: return MPI_Precv_init(in, 2, N / 2, MPI_INT, other, 1, comm, MPI_INFO_NULL, &request);
    case 10: return MPI_Rput(out, N, MPI_INT, other, 0, N, MPI_INT, window, &request);
    case 11: return MPI_Rget(in, N, MPI_INT, other, 0, N, MPI_INT, window, &request);
    case 12: return MPI_Raccumulate(out, N, MPI_INT, other, 0, N, MPI_INT, MPI_SUM, window, &request);
    case 13: return MPI_Rget_accumulate(out, N, MPI_INT, in, N, MPI_INT, other, 0, N, MPI_INT, MPI_SUM, window, &request);
    case 14: return MPI_File_iwrite_at(file, 0, out, N, MPI_INT, &request);
    case 15: return MPI_File_iread_at(file, 0, in, N, MPI_INT, &request);
    case 16: return MPI_File_iwrite_shared(file, out, N, MPI_INT, &request);
    case 17: return MPI_Grequest_start(grequest_query, grequest_free, grequest_cancel, NULL, &request);
    case 18: return MPI_Recv_init(in, N, MPI_INT, other, 1, comm, &request);
    case 19: return MPI_Bcast_init(in, N, MPI_INT, 0, MPI_COMM_SELF, MPI_INFO_NULL, &request);
    case 20: return MPI_Iallreduce(out, in, N, MPI_INT, MPI_SUM, MPI_COMM_SELF, &request);
    case 21: return MPI_Ialltoallw(out, counts, places, types, in, counts, places, types, MPI_COMM_SELF, &request);
    case 22: return MPI_Comm_idup(MPI_COMM_SELF, &made, &request);
    // What would leave at once.
    case 23: return MPI_Isend(out, 1, MPI_INT, other, 1, comm, &request);
    case 24: return MPI_Irsend(out, 1, MPI_INT, other, 1, comm, &request);
    case 25: return MPI_Irecv(in, 1, MPI_INT, rank, 3, comm, &request);
    default: return MPI_File_iwrite_at_all(file, 0, out, N, MPI_INT, &request);
    }
}

int main(int argc, char **argv)
{
    char name[64];
    int taken = 0, code;
    hostile_begin(&argc, &argv);
    other = 1 - rank;
    types[0] = types[1] = MPI_INT;
    out = malloc(N * sizeof *out);
    in = malloc(N * sizeof *in);
    snprintf(name, sizeof name, "/tmp/rankine-outlived-%d-%d", rank, own_number());
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    TRY(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    int *cells = calloc(N, sizeof *cells), value = 7, got = 0, flag, bytes;
    void *old;
    TRY(MPI_Win_create(cells, N * sizeof *cells, sizeof *cells, MPI_INFO_NULL, comm, &window));
    TRY(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
    TRY(MPI_Win_lock_all(0, window));
    TRY(MPI_Buffer_attach(attached, sizeof attached));
    TRY(MPI_Send(&value, 1, MPI_INT, rank, 3, comm));
    TRY(MPI_Send(&value, 1, MPI_INT, rank, 2, MPI_COMM_WORLD));
    TRY(MPI_Mprobe(rank, 2, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
    for (int i = 0; i < N; i++)
        out[i] = in[i] = 4711;
    while ((code = MPI_Send_init(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &full[taken])) == MPI_SUCCESS)
        taken++;
    FAILS(code, MPI_ERR_NO_MEM);
    for (int way = 0; way < WAYS; way++) {
        code = begin(way);
        if (code == MPI_SUCCESS)
            check_fail(__FILE__, __LINE__, "begin", "way %d began", way);
        FAILS(code, MPI_ERR_NO_MEM);
    }
    // What only one of two could not begin, they begin together later.
    for (int way = 0; way < 3 && rank == 0; way++)
        FAILS(way == 0   ? MPI_Iallreduce(out, in, 1, MPI_INT, MPI_SUM, comm, &request)
              : way == 1 ? MPI_Barrier_init(comm, MPI_INFO_NULL, &request)
                         : MPI_Comm_idup(comm, &made, &request),
              MPI_ERR_NO_MEM);
    // The buffers are something else from here on.
    memset(out, 0x11, N * sizeof *out);
    memset(in, 0x11, N * sizeof *in);
    // Until a call has failed, the other may see what it took back.
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < 1000; i++)
        TRY(MPI_Iprobe(other, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE));
    CHECK_INT(flag, 0);
    TRY(MPI_Barrier(comm));
    while (taken > 0)
        TRY(MPI_Request_free(&full[--taken]));
    // The message that was found is still there, and a receive that never began takes none.
    TRY(MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
    CHECK_INT(got, 7);
    TRY(MPI_Recv(&got, 1, MPI_INT, rank, 3, comm, MPI_STATUS_IGNORE));
    CHECK_INT(got, 7);
    TRY(MPI_Sendrecv(&rank, 1, MPI_INT, other, 1, &got, 1, MPI_INT, other, 1, comm, MPI_STATUS_IGNORE));
    CHECK_INT(got, other);
    for (int i = 0; i < N; i++)
        CHECK_INT(in[i], 0x11111111);
    TRY(MPI_Iallreduce(&value, &got, 1, MPI_INT, MPI_SUM, comm, &request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_INT(got, 2 * value);
    TRY(MPI_Buffer_detach(&old, &bytes));
    TRY(MPI_Win_unlock_all(window));
    TRY(MPI_Barrier(comm));
    for (int way = 0; way < N; way++)
        CHECK(cells[way] == 0 || cells[way] % 4711 == 0);
    TRY(MPI_Win_free(&window));
    TRY(MPI_File_close(&file));
    TRY(MPI_Comm_free(&comm));
    return hostile_end();
}
