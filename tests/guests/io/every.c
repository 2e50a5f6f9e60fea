// Every function that moves data between memory and file, by what it moves: each writes a pattern of its own, and reads it back.
// ranks: 1 2
// large: yes
// native: no (the file lies where the harness has granted a folder)
// run: --dir {scratch}::/tmp
#include "../check.h"
#include "../own_number.h"

enum { N = 8 };

static MPI_File file;
static int out[N], in[N], round_;

/* A pattern that no other round has written. */
static void prepare(void)
{
    round_++;
    for (int n = 0; n < N; n++) {
        out[n] = 100000 * round_ + 1000 * rank + n;
        in[n] = -1;
    }
}

static void compare(const char *what, int owner)
{
    for (int n = 0; n < N; n++)
        if (in[n] != 100000 * round_ + 1000 * owner + n)
            check_fail(__FILE__, __LINE__, what, "element %d is %d", n, in[n]);
}

/* All ranks see what all have written. */
static void settle(void)
{
    TRY(MPI_File_sync(file));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_File_sync(file));
}

static void finish(MPI_Request *request)
{
    MPI_Status status;
    TRY(MPI_Wait(request, &status));
    CHECK_COUNT(status, MPI_INT, N);
}

#define HERE ((MPI_Offset)rank * sizeof out)

/* A pair with explicit offsets. */
#define AT(write, read) \
    do { \
        MPI_Status status; \
        prepare(); \
        TRY(write(file, HERE, out, N, MPI_INT, &status)); \
        CHECK_COUNT(status, MPI_INT, N); \
        settle(); \
        TRY(read(file, HERE, in, N, MPI_INT, &status)); \
        CHECK_COUNT(status, MPI_INT, N); \
        compare(#read, rank); \
        settle(); \
    } while (0)

#define IAT(write, read) \
    do { \
        MPI_Request request; \
        prepare(); \
        TRY(write(file, HERE, out, N, MPI_INT, &request)); \
        finish(&request); \
        settle(); \
        TRY(read(file, HERE, in, N, MPI_INT, &request)); \
        finish(&request); \
        compare(#read, rank); \
        settle(); \
    } while (0)

/* A pair at the rank's own pointer. */
#define OWN(write, read) \
    do { \
        MPI_Status status; \
        prepare(); \
        TRY(MPI_File_seek(file, HERE, MPI_SEEK_SET)); \
        TRY(write(file, out, N, MPI_INT, &status)); \
        settle(); \
        TRY(MPI_File_seek(file, HERE, MPI_SEEK_SET)); \
        TRY(read(file, in, N, MPI_INT, &status)); \
        CHECK_COUNT(status, MPI_INT, N); \
        compare(#read, rank); \
        settle(); \
    } while (0)

#define IOWN(write, read) \
    do { \
        MPI_Request request; \
        prepare(); \
        TRY(MPI_File_seek(file, HERE, MPI_SEEK_SET)); \
        TRY(write(file, out, N, MPI_INT, &request)); \
        finish(&request); \
        settle(); \
        TRY(MPI_File_seek(file, HERE, MPI_SEEK_SET)); \
        TRY(read(file, in, N, MPI_INT, &request)); \
        finish(&request); \
        compare(#read, rank); \
        settle(); \
    } while (0)

/* A pair at the shared pointer: one rank at a time, so that everybody finds its own. */
#define SHARED(write, read) \
    do { \
        prepare(); \
        for (int turn = 0; turn < size; turn++) { \
            TRY(MPI_File_seek_shared(file, 0, MPI_SEEK_SET)); \
            if (turn == rank) \
                write; \
            settle(); \
            TRY(MPI_File_seek_shared(file, 0, MPI_SEEK_SET)); \
            if (turn == rank) { \
                read; \
                compare(#read, rank); \
            } \
            settle(); \
        } \
    } while (0)

/* In the order of ranks. */
#define ORDERED(write, read) \
    do { \
        prepare(); \
        TRY(MPI_File_seek_shared(file, 0, MPI_SEEK_SET)); \
        write; \
        settle(); \
        TRY(MPI_File_seek_shared(file, 0, MPI_SEEK_SET)); \
        read; \
        compare(#read, rank); \
        settle(); \
    } while (0)

static void with_offsets(void)
{
    MPI_Status status;
    AT(MPI_File_write_at, MPI_File_read_at);
    AT(MPI_File_write_at_all, MPI_File_read_at_all);
    IAT(MPI_File_iwrite_at, MPI_File_iread_at);
    IAT(MPI_File_iwrite_at_all, MPI_File_iread_at_all);
    prepare();
    TRY(MPI_File_write_at_all_begin(file, HERE, out, N, MPI_INT));
    TRY(MPI_File_write_at_all_end(file, out, &status));
    settle();
    TRY(MPI_File_read_at_all_begin(file, HERE, in, N, MPI_INT));
    TRY(MPI_File_read_at_all_end(file, in, &status));
    CHECK_COUNT(status, MPI_INT, N);
    compare("read_at_all_end", rank);
    settle();
}

static void with_pointers(void)
{
    MPI_Status status;
    MPI_Offset position = -1;
    OWN(MPI_File_write, MPI_File_read);
    OWN(MPI_File_write_all, MPI_File_read_all);
    IOWN(MPI_File_iwrite, MPI_File_iread);
    IOWN(MPI_File_iwrite_all, MPI_File_iread_all);
    prepare();
    TRY(MPI_File_seek(file, HERE, MPI_SEEK_SET));
    TRY(MPI_File_write_all_begin(file, out, N, MPI_INT));
    TRY(MPI_File_write_all_end(file, out, &status));
    settle();
    TRY(MPI_File_seek(file, HERE, MPI_SEEK_SET));
    TRY(MPI_File_read_all_begin(file, in, N, MPI_INT));
    TRY(MPI_File_read_all_end(file, in, &status));
    compare("read_all_end", rank);
    TRY(MPI_File_get_position(file, &position));
    CHECK_INT(position, HERE + sizeof out);
    TRY(MPI_File_get_byte_offset(file, position, &position));
    CHECK_INT(position, HERE + sizeof out);
    settle();
}

static void shared(void)
{
    MPI_Status status;
    MPI_Request request;
    SHARED(TRY(MPI_File_write_shared(file, out, N, MPI_INT, &status)), TRY(MPI_File_read_shared(file, in, N, MPI_INT, &status)));
    SHARED((check_call(__FILE__, __LINE__, "shared", MPI_File_iwrite_shared(file, out, N, MPI_INT, &request)), finish(&request)),
           (check_call(__FILE__, __LINE__, "shared", MPI_File_iread_shared(file, in, N, MPI_INT, &request)), finish(&request)));
    ORDERED(TRY(MPI_File_write_ordered(file, out, N, MPI_INT, &status)), TRY(MPI_File_read_ordered(file, in, N, MPI_INT, &status)));
    ORDERED((check_call(__FILE__, __LINE__, "shared", MPI_File_write_ordered_begin(file, out, N, MPI_INT)), check_call(__FILE__, __LINE__, "shared", MPI_File_write_ordered_end(file, out, &status))),
            (check_call(__FILE__, __LINE__, "shared", MPI_File_read_ordered_begin(file, in, N, MPI_INT)), check_call(__FILE__, __LINE__, "shared", MPI_File_read_ordered_end(file, in, &status))));
}

static void about(void)
{
    MPI_Info info;
    MPI_Offset bytes = -1;
    aint_t extent = -1;
    int atomic = -1;
    TRY(MPI_File_set_atomicity(file, 1));
    TRY(MPI_File_get_atomicity(file, &atomic));
    CHECK_INT(atomic, 1);
    TRY(MPI_File_set_atomicity(file, 0));
    TRY(MPI_File_get_type_extent(file, MPI_INT, &extent));
    CHECK_INT(extent, 4);
    TRY(MPI_Info_create(&info));
    TRY(MPI_File_set_info(file, info));
    TRY(MPI_Info_free(&info));
    TRY(MPI_File_preallocate(file, 4096));
    TRY(MPI_File_set_size(file, 100));
    TRY(MPI_File_get_size(file, &bytes));
    CHECK_INT(bytes, 100);
}

int main(int argc, char **argv)
{
    char name[64];
    int mark = 0;
    check_begin(&argc, &argv);
    mark = own_number();
    snprintf(name, sizeof name, "/tmp/rankine-every-%d-%d-%d", size, (int)sizeof(count_t), mark);
    TRY(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    with_offsets();
    with_pointers();
    shared();
    about();
    TRY(MPI_File_close(&file));
    // What it does where it works: datarep.c.
    if (!embedded())
        FAILS(MPI_Register_datarep("mine", NULL, NULL, NULL, NULL), MPI_ERR_UNSUPPORTED_OPERATION);
    return check_end();
}
