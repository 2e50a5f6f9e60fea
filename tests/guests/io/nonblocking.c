// Nonblocking writes, short ones and long ones, by every function for them, through views with and without holes: what was written lies there when the
// request is complete, and the status says how much it was.
// ranks: 1 2 3
// large: yes
// native: no (the file lies where the harness has granted a folder)
// run: --dir {scratch}::/tmp
#include "../check.h"
#include "../own_number.h"

enum { LONG = 1 << 20 };
static const int lengths[] = {0, 8, 4096, LONG};
static char name[64], data[LONG], back[LONG];
static MPI_File file;

static void fill(int which)
{
    for (int i = 0; i < LONG; i++)
        data[i] = (char)(i * 7 + 31 * which + 101 * rank + i / 251);
}

/* Completes a write of so many bytes. */
static void complete(MPI_Request *request, int length)
{
    MPI_Status status;
    memset(&status, 0x55, sizeof status);
    TRY(MPI_Wait(request, &status));
    CHECK(*request == MPI_REQUEST_NULL);
    CHECK_COUNT(status, MPI_BYTE, length);
}

/* This rank's bytes, at an offset of its view. */
static void lies_at(MPI_Offset offset, int length)
{
    memset(back, 0x77, length);
    TRY(MPI_File_read_at(file, offset, back, length, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_BYTES(back, data, length);
}

/* Each rank has a part of its own of what it sees. */
static void through_this_view(void)
{
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        MPI_Offset mine = (MPI_Offset)rank * LONG, where;
        MPI_Request request;
        int length = lengths[i];
        fill(1);
        TRY(MPI_File_iwrite_at(file, mine, data, length, MPI_BYTE, &request));
        complete(&request, length);
        lies_at(mine, length);
        fill(2);
        TRY(MPI_File_seek(file, mine, MPI_SEEK_SET));
        TRY(MPI_File_iwrite(file, data, length, MPI_BYTE, &request));
        complete(&request, length);
        TRY(MPI_File_get_position(file, &where));
        CHECK_INT(where, mine + length);
        lies_at(mine, length);
        fill(3);
        TRY(MPI_File_iwrite_at_all(file, mine, data, length, MPI_BYTE, &request));
        complete(&request, length);
        lies_at(mine, length);
        fill(4);
        TRY(MPI_File_seek(file, mine, MPI_SEEK_SET));
        TRY(MPI_File_iwrite_all(file, data, length, MPI_BYTE, &request));
        complete(&request, length);
        lies_at(mine, length);
    }
}

/* All write the same, as nobody knows who comes first. */
static void by_the_shared_pointer(void)
{
    MPI_Request request;
    MPI_Offset where;
    for (int i = 0; i < LONG; i++)
        data[i] = (char)(i * 5 + i / 253);
    TRY(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    TRY(MPI_File_iwrite_shared(file, data, LONG, MPI_BYTE, &request));
    complete(&request, LONG);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_File_get_position_shared(file, &where));
    CHECK_INT(where, (MPI_Offset)size * LONG);
    lies_at((MPI_Offset)rank * LONG, LONG);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    // From where it is, and from the end.
    TRY(MPI_File_seek_shared(file, -(MPI_Offset)size * LONG, MPI_SEEK_CUR));
    TRY(MPI_File_get_position_shared(file, &where));
    CHECK_INT(where, 0);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_File_seek(file, 17, MPI_SEEK_SET));
    TRY(MPI_File_seek_shared(file, -5, MPI_SEEK_END));
    TRY(MPI_File_get_position_shared(file, &where));
    CHECK_INT(where, (MPI_Offset)size * LONG - 5);
    TRY(MPI_File_get_position(file, &where));
    CHECK_INT(where, 17);
    FAILS(MPI_File_seek_shared(file, -(MPI_Offset)size * LONG, MPI_SEEK_CUR), MPI_ERR_ARG);
    FAILS(MPI_File_seek_shared(file, 0, 12345), MPI_ERR_ARG);
    FAILS(MPI_File_seek_shared(file, 0, rank == size - 1 ? 12345 : MPI_SEEK_SET), size > 1 && embedded() ? MPI_ERR_NOT_SAME : MPI_ERR_ARG);
    if (size > 1)
        FAILS(MPI_File_seek_shared(file, rank, MPI_SEEK_SET), MPI_ERR_NOT_SAME);
    TRY(MPI_File_get_position_shared(file, &where));
    CHECK_INT(where, (MPI_Offset)size * LONG - 5);
}

/* A seek from where the pointer is begins when all have come, also those who still write before it. */
static void sought_by_all(void)
{
    MPI_Offset where;
    TRY(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    for (double begin = MPI_Wtime(); rank > 0 && MPI_Wtime() < begin + 0.02;)
        ;
    TRY(MPI_File_write_shared(file, data, 8, MPI_BYTE, MPI_STATUS_IGNORE));
    TRY(MPI_File_seek_shared(file, -8 * size, MPI_SEEK_CUR));
    TRY(MPI_File_get_position_shared(file, &where));
    CHECK_INT(where, 0);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
}

/* What a call on two requests says, of which the second is a write that one rank had no room for. */
static void is_told(int code, int count, const int *indices, const MPI_Status *statuses)
{
    int fails = 0;
    for (int i = 0; i < count; i++)
        fails |= rank == size - 1 && indices[i] == 1;
    CHECK_INT(check_class(code), fails ? MPI_ERR_IN_STATUS : MPI_SUCCESS);
    for (int i = 0; fails && i < count; i++)
        CHECK_INT(check_class(statuses[i].MPI_ERROR), indices[i] == 1 ? MPI_ERR_NO_SPACE : MPI_SUCCESS);
}

/* A rank that has no room for its part of a collective hears of it from whatever completes its request, and the others don't. */
static void without_room(void)
{
    static const int both[] = {0, 1};
    int code, flag, count, number, indices[2];
    MPI_Request two[2];
    MPI_Status statuses[2];
    for (int how = 0; how < 5; how++) {
        MPI_Offset mine = rank == size - 1 ? (MPI_Offset)1 << 60 : (MPI_Offset)rank * LONG;
        int class = rank == size - 1 ? MPI_ERR_NO_SPACE : MPI_SUCCESS;
        memset(statuses, 0x55, sizeof statuses);
        TRY(MPI_Irecv(&number, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &two[0]));
        TRY(MPI_File_iwrite_at_all(file, mine, data, LONG, MPI_BYTE, &two[1]));
        TRY(MPI_Send(&how, 1, MPI_INT, rank, 1, MPI_COMM_WORLD));
        switch (how) {
        case 0:
            is_told(MPI_Waitall(2, two, statuses), 2, both, statuses);
            break;
        case 1:
            while ((code = MPI_Testall(2, two, &flag, statuses)) == MPI_SUCCESS && !flag)
                ;
            is_told(code, 2, both, statuses);
            break;
        case 2:
            for (int left = 2; left > 0; left -= count) {
                code = MPI_Waitsome(2, two, &count, indices, statuses);
                is_told(code, count, indices, statuses);
            }
            break;
        case 3:
            // What only looks fails for nobody.
            for (flag = 0; !flag;)
                TRY(MPI_Request_get_status_all(2, two, &flag, statuses));
            CHECK_INT(check_class(MPI_Wait(&two[1], statuses)), class);
            TRY(MPI_Wait(&two[0], statuses));
            break;
        case 4:
            TRY(MPI_Wait(&two[0], MPI_STATUS_IGNORE));
            CHECK_INT(check_class(MPI_Waitany(2, two, indices, statuses)), class);
            CHECK_INT(indices[0], 1);
        }
        CHECK_INT(number, how);
        CHECK(two[0] == MPI_REQUEST_NULL && two[1] == MPI_REQUEST_NULL);
    }
}

/* The file grows, keeps what it has, and does not shrink; what no disk has room for is refused at once. */
static void preallocated(void)
{
    MPI_Offset before, length;
    TRY(MPI_File_get_size(file, &before));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_File_preallocate(file, before + 100000));
    TRY(MPI_File_get_size(file, &length));
    CHECK_INT(length, before + 100000);
    TRY(MPI_File_preallocate(file, 1));
    TRY(MPI_File_preallocate(file, 0));
    TRY(MPI_File_get_size(file, &length));
    CHECK_INT(length, before + 100000);
    lies_at((MPI_Offset)rank * LONG, LONG);
    FAILS(MPI_File_preallocate(file, (MPI_Offset)1 << 60), MPI_ERR_NO_SPACE);
    FAILS(MPI_File_preallocate(file, -1), MPI_ERR_ARG);
    if (size > 1)
        FAILS(MPI_File_preallocate(file, 1 + rank), MPI_ERR_NOT_SAME);
    TRY(MPI_File_get_size(file, &length));
    CHECK_INT(length, before + 100000);
}

int main(int argc, char **argv)
{
    MPI_Datatype eight, sparse;
    check_begin(&argc, &argv);
    snprintf(name, sizeof name, "/tmp/rankine-nonblocking-%d-%d", size, own_number());
    TRY(MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD));
    TRY(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    sought_by_all();
    by_the_shared_pointer();
    preallocated();
    without_room();
    through_this_view();
    TRY(MPI_Type_contiguous(8, MPI_BYTE, &eight));
    TRY(MPI_Type_create_resized(eight, 0, 24, &sparse));
    TRY(MPI_Type_commit(&sparse));
    TRY(MPI_File_set_view(file, 24, MPI_BYTE, sparse, "native", MPI_INFO_NULL));
    through_this_view();
    TRY(MPI_Type_free(&eight));
    TRY(MPI_Type_free(&sparse));
    TRY(MPI_File_close(&file));
    return check_end();
}
