// The null pointer is no buffer for any bytes, although a memory has an address 0; it is one for none, and MPI_BOTTOM, the
// same pointer, is one with addresses in the datatype.
// ranks: 1 2
// native: no (a library believes that there is something, and the file lies where the harness has granted a folder)
// run: --dir {scratch}::/tmp
#include "../check.h"
#include "../own_number.h"

static int words[4];
/* Two of the words, wherever they are. */
static MPI_Datatype absolute;
/* No bytes at all. */
static MPI_Datatype nothing;

static void types(void)
{
    MPI_Aint address;
    int two = 2;
    TRY(MPI_Get_address(&words[1], &address));
    TRY(MPI_Type_create_hindexed(1, &two, &address, MPI_INT, &absolute));
    TRY(MPI_Type_commit(&absolute));
    TRY(MPI_Type_contiguous(0, MPI_INT, &nothing));
    TRY(MPI_Type_commit(&nothing));
}

static void messages(void)
{
    MPI_Request request;
    MPI_Status status;
    int in[2] = {0};
    MPI_Datatype vector;
    FAILS(MPI_Send(NULL, 1, MPI_INT, rank, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Recv(NULL, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &status), MPI_ERR_BUFFER);
    FAILS(MPI_Isend(NULL, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER);
    FAILS(MPI_Irecv(NULL, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER);
    FAILS(MPI_Send_init(NULL, 1, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER);
    FAILS(MPI_Sendrecv_replace(NULL, 1, MPI_INT, rank, 0, rank, 0, MPI_COMM_WORLD, &status), MPI_ERR_BUFFER);
    FAILS(MPI_Psend_init(NULL, 1, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request), MPI_ERR_BUFFER);
    FAILS(MPI_Buffer_attach(NULL, 4096), MPI_ERR_BUFFER);
    /* A type with holes. */
    TRY(MPI_Type_vector(2, 1, 2, MPI_INT, &vector));
    TRY(MPI_Type_commit(&vector));
    FAILS(MPI_Send(NULL, 1, vector, rank, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Recv(NULL, 1, vector, rank, 0, MPI_COMM_WORLD, &status), MPI_ERR_BUFFER);
    TRY(MPI_Type_free(&vector));

    words[1] = 11, words[2] = 12;
    TRY(MPI_Sendrecv(MPI_BOTTOM, 1, absolute, rank, 1, in, 2, MPI_INT, rank, 1, MPI_COMM_WORLD, &status));
    CHECK_INT(in[0], 11);
    CHECK_INT(in[1], 12);
    in[0] = 21, in[1] = 22;
    TRY(MPI_Sendrecv(in, 2, MPI_INT, rank, 1, MPI_BOTTOM, 1, absolute, rank, 1, MPI_COMM_WORLD, &status));
    CHECK_INT(words[1], 21);
    CHECK_INT(words[2], 22);

    TRY(MPI_Sendrecv(NULL, 0, MPI_INT, rank, 2, NULL, 0, MPI_INT, rank, 2, MPI_COMM_WORLD, &status));
    TRY(MPI_Sendrecv(NULL, 3, nothing, rank, 2, NULL, 3, nothing, rank, 2, MPI_COMM_WORLD, &status));
    TRY(MPI_Isend(NULL, 0, MPI_INT, rank, 3, MPI_COMM_WORLD, &request));
    TRY(MPI_Recv(NULL, 0, MPI_INT, rank, 3, MPI_COMM_WORLD, &status));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void collectives(void)
{
    enum { MOST = 2 };
    int out[2 * MOST] = {0}, counts[MOST] = {1, 1}, displs[MOST] = {0, 4}, none[MOST] = {0};
    MPI_Datatype ints[MOST] = {MPI_INT, MPI_INT};
    MPI_Request request;
    FAILS(MPI_Bcast(NULL, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Ibcast(NULL, 1, MPI_INT, 0, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER);
    FAILS(MPI_Allreduce(NULL, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Allreduce(out, NULL, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Allreduce(MPI_IN_PLACE, NULL, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Allgather(out, 1, MPI_INT, NULL, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Alltoall(NULL, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Allgatherv(out, 1, MPI_INT, NULL, counts, displs, MPI_INT, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Alltoallv(NULL, counts, displs, MPI_INT, out, counts, displs, MPI_INT, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Alltoallw(NULL, counts, displs, ints, out, counts, displs, ints, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Alltoallw(out, counts, displs, ints, NULL, counts, displs, ints, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Reduce_local(NULL, out, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);

    words[1] = words[2] = rank == 0 ? 31 : 0;
    TRY(MPI_Bcast(MPI_BOTTOM, 1, absolute, 0, MPI_COMM_WORLD));
    CHECK_INT(words[1], 31);
    CHECK_INT(words[2], 31);
    /* Addresses as displacements. */
    int from[MOST], in[MOST] = {0};
    MPI_Aint at_words, at_in;
    TRY(MPI_Get_address(words, &at_words));
    TRY(MPI_Get_address(in, &at_in));
    int to[MOST];
    for (int i = 0; i < MOST; i++) {
        words[i] = 100 * rank + i;
        from[i] = (int)at_words + i * (int)sizeof(int);
        to[i] = (int)at_in + i * (int)sizeof(int);
    }
    TRY(MPI_Alltoallw(MPI_BOTTOM, counts, from, ints, MPI_BOTTOM, counts, to, ints, MPI_COMM_WORLD));
    for (int i = 0; i < size; i++)
        CHECK_INT(in[i], 100 * i + rank);

    TRY(MPI_Bcast(NULL, 0, MPI_INT, 0, MPI_COMM_WORLD));
    TRY(MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    TRY(MPI_Alltoallw(NULL, none, none, ints, NULL, none, none, ints, MPI_COMM_WORLD));
}

static void windows(void)
{
    int memory[2] = {0}, in = 0;
    MPI_Win win, empty;
    TRY(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_SELF, &empty));
    FAILS(MPI_Win_create(NULL, 8, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win), MPI_ERR_BUFFER);
    TRY(MPI_Win_free(&empty));
    TRY(MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_SELF, &win));
    TRY(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    TRY(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    FAILS(MPI_Put(NULL, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_BUFFER);
    FAILS(MPI_Get(NULL, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_BUFFER);
    FAILS(MPI_Accumulate(NULL, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win), MPI_ERR_BUFFER);
    FAILS(MPI_Get_accumulate(&in, 1, MPI_INT, NULL, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win), MPI_ERR_BUFFER);
    FAILS(MPI_Fetch_and_op(NULL, &in, MPI_INT, 0, 0, MPI_SUM, win), MPI_ERR_BUFFER);
    FAILS(MPI_Compare_and_swap(&in, NULL, &in, MPI_INT, 0, 0, win), MPI_ERR_BUFFER);
    /* What only looks has no operands. */
    TRY(MPI_Fetch_and_op(NULL, &in, MPI_INT, 0, 0, MPI_NO_OP, win));
    TRY(MPI_Get_accumulate(NULL, 0, MPI_INT, &in, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, win));
    TRY(MPI_Get_accumulate(NULL, 1, MPI_INT, &in, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, win));
    words[1] = 41, words[2] = 42;
    TRY(MPI_Put(MPI_BOTTOM, 1, absolute, 0, 0, 2, MPI_INT, win));
    TRY(MPI_Win_unlock(0, win));
    CHECK_INT(memory[0], 41);
    CHECK_INT(memory[1], 42);
    TRY(MPI_Win_free(&win));
}

static void files(void)
{
    char name[64];
    int back[2] = {0};
    MPI_File file;
    MPI_Status status;
    snprintf(name, sizeof name, "/tmp/rankine-null-buffers-%d-%d", own_number(), rank);
    TRY(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
        &file));
    FAILS(MPI_File_write(file, NULL, 1, MPI_INT, &status), MPI_ERR_BUFFER);
    FAILS(MPI_File_read_at(file, 0, NULL, 1, MPI_INT, &status), MPI_ERR_BUFFER);
    words[1] = 51, words[2] = 52;
    TRY(MPI_File_write_at(file, 0, MPI_BOTTOM, 1, absolute, &status));
    TRY(MPI_File_write_at(file, 8, NULL, 0, MPI_INT, &status));
    TRY(MPI_File_read_at(file, 0, back, 2, MPI_INT, &status));
    CHECK_INT(back[0], 51);
    CHECK_INT(back[1], 52);
    TRY(MPI_File_close(&file));
}

static void packing(void)
{
    char packed[8];
    int position = 0, back[2] = {0};
    FAILS(MPI_Pack(NULL, 1, MPI_INT, packed, 8, &position, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Pack(words, 1, MPI_INT, NULL, 8, &position, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Unpack(NULL, 8, &position, words, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Unpack(packed, 8, &position, NULL, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Pack_external("external32", NULL, 1, MPI_INT, packed, 8, &(MPI_Aint){0}), MPI_ERR_BUFFER);
    CHECK_INT(position, 0);
    words[1] = 61, words[2] = 62;
    TRY(MPI_Pack(MPI_BOTTOM, 1, absolute, packed, 8, &position, MPI_COMM_WORLD));
    position = 0;
    TRY(MPI_Unpack(packed, 8, &position, back, 2, MPI_INT, MPI_COMM_WORLD));
    CHECK_INT(back[0], 61);
    CHECK_INT(back[1], 62);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    types();
    messages();
    collectives();
    windows();
    files();
    packing();
    TRY(MPI_Type_free(&absolute));
    TRY(MPI_Type_free(&nothing));
    return check_end();
}
