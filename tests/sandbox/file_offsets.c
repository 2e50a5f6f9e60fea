// Offsets, sizes, displacements and counts of files that are negative, odd, or whose sums and products overflow, through every family of accesses:
// each is an error or moves nothing, and the file, the memory around and everybody's pointers are as before.
// ranks: 1 2 3
// run: --dir {scratch}::/tmp
#include "variations.h"
#include "../guests/own_number.h"

enum { BYTES = 64, FAR = 8, LARGE_BYTES = 1 << 20 };
static const MPI_Offset far[FAR] = {INT64_MAX, INT64_MAX - 3, INT64_MIN, -1, -4, 1LL << 62, -(1LL << 62), (1LL << 61) - 1};
static char name[64], buffer[BYTES], large[LARGE_BYTES];
static MPI_File file;
static MPI_Request request;

static void plain_view(void)
{
    TRY(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
}

/* An access that may end well where the file simply ends: then nothing has been moved. */
static void none(int code, MPI_Status *status)
{
    int count = -1;
    if (code == MPI_SUCCESS) {
        TRY(MPI_Get_count(status, MPI_BYTE, &count));
        CHECK_INT(count, 0);
    }
}

/* How a nonblocking access ends. */
static int ended(int code)
{
    return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
}

static void written(void)
{
    for (int i = 0; i < FAR; i++) {
        REFUSED(MPI_File_write_at(file, far[i], buffer, 8, MPI_BYTE, MPI_STATUS_IGNORE));
        REFUSED(MPI_File_write_at_all(file, far[i], buffer, 8, MPI_BYTE, MPI_STATUS_IGNORE));
        REFUSED(ended(MPI_File_iwrite_at(file, far[i], buffer, 8, MPI_BYTE, &request)));
        REFUSED(ended(MPI_File_iwrite_at(file, far[i], large, LARGE_BYTES, MPI_BYTE, &request)));
    }
}

/* At the pointers, which nothing moves. */
static void written_there(void)
{
    MPI_Offset where = -1;
    for (int i = 0; i < FAR; i++) {
        if (MPI_File_seek(file, far[i], MPI_SEEK_SET) == MPI_SUCCESS) {
            REFUSED(ended(MPI_File_iwrite(file, buffer, 8, MPI_BYTE, &request)));
            TRY(MPI_File_seek(file, far[i], MPI_SEEK_SET));
            REFUSED(ended(MPI_File_iwrite(file, large, LARGE_BYTES, MPI_BYTE, &request)));
        }
        if (MPI_File_seek_shared(file, far[i], MPI_SEEK_SET) == MPI_SUCCESS)
            REFUSED(ended(MPI_File_iwrite_shared(file, buffer, 8, MPI_BYTE, &request)));
        TRY(MPI_Barrier(MPI_COMM_WORLD));
        TRY(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    }
    TRY(MPI_File_seek(file, 0, MPI_SEEK_SET));
    TRY(MPI_File_get_position_shared(file, &where));
    CHECK_INT(where, 0);
}

/* One rank writes there, and the others in the file: they may hear of it, and wait for nobody. */
static void written_together(void)
{
    const int odd = rank == size - 1;
    for (int i = 0; i < FAR; i++) {
        int code = ended(MPI_File_iwrite_at_all(file, odd ? far[i] : 0, buffer, 8, MPI_BYTE, &request));
        if (odd)
            REFUSED(code);
        code = ended(MPI_File_iwrite_at_all(file, odd ? far[i] : 0, odd ? large : buffer, odd ? LARGE_BYTES : 8, MPI_BYTE, &request));
        if (odd)
            REFUSED(code);
    }
}

static void read_there(void)
{
    MPI_Status status;
    for (int i = 0; i < FAR; i++) {
        memset(&status, 0, sizeof status);
        none(MPI_File_read_at(file, far[i], canary_before + 1, 8, MPI_BYTE, &status), &status);
        none(MPI_File_read_at_all(file, far[i], canary_before + 1, 8, MPI_BYTE, &status), &status);
        if (MPI_File_iread_at(file, far[i], canary_before + 1, 8, MPI_BYTE, &request) == MPI_SUCCESS)
            none(MPI_Wait(&request, &status), &status);
    }
}

/* The second half of a split access after a first one that failed. */
static void split(void)
{
    for (int i = 0; i < FAR; i++) {
        if (MPI_File_write_at_all_begin(file, far[i], buffer, 8, MPI_BYTE) == MPI_SUCCESS)
            MPI_File_write_at_all_end(file, buffer, MPI_STATUS_IGNORE);
        if (MPI_File_read_at_all_begin(file, far[i], canary_before, 0, MPI_BYTE) == MPI_SUCCESS)
            MPI_File_read_at_all_end(file, canary_before, MPI_STATUS_IGNORE);
    }
}

static void pointers(void)
{
    MPI_Offset where = -1;
    TRY(MPI_File_seek(file, 5, MPI_SEEK_SET));
    for (int i = 0; i < FAR; i++) {
        if (far[i] < 0) {
            REFUSED(MPI_File_seek(file, far[i] - (far[i] > -100 ? 100 : 0), MPI_SEEK_CUR));
            REFUSED(MPI_File_seek(file, far[i], MPI_SEEK_SET));
        } else if (MPI_File_seek(file, far[i], MPI_SEEK_SET) == MPI_SUCCESS) {
            REFUSED(MPI_File_write(file, buffer, 8, MPI_BYTE, MPI_STATUS_IGNORE));
            MPI_File_seek(file, far[i], MPI_SEEK_CUR);
            REFUSED(MPI_File_write(file, buffer, 8, MPI_BYTE, MPI_STATUS_IGNORE));
        }
        MPI_File_seek(file, far[i], MPI_SEEK_END);
        MPI_File_get_position(file, &where);
        TRY(MPI_File_seek(file, 5, MPI_SEEK_SET));
    }
    TRY(MPI_File_get_position(file, &where));
    CHECK_INT(where, 5);
    TRY(MPI_File_seek(file, 0, MPI_SEEK_SET));
}

/* The pointer that all share. */
static void shared(void)
{
    MPI_Offset where = -1;
    for (int i = 0; i < FAR; i++) {
        if (MPI_File_seek_shared(file, far[i], MPI_SEEK_SET) == MPI_SUCCESS)
            REFUSED(MPI_File_write_shared(file, buffer, 8, MPI_BYTE, MPI_STATUS_IGNORE));
        TRY(MPI_Barrier(MPI_COMM_WORLD));
        TRY(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    }
    TRY(MPI_File_get_position_shared(file, &where));
    CHECK_INT(where, 0);
}

static void sizes(void)
{
    MPI_Offset length = -1;
    for (int i = 0; i < FAR; i++) {
        REFUSED(MPI_File_set_size(file, far[i]));
        REFUSED(MPI_File_preallocate(file, far[i]));
    }
    TRY(MPI_File_get_size(file, &length));
    CHECK_INT(length, BYTES);
}

/* Views that begin there, and offsets within views whose elements are large or far apart. */
static void views(void)
{
    MPI_Datatype wide, sparse;
    MPI_Offset where;
    for (int i = 0; i < FAR; i++)
        if (MPI_File_set_view(file, far[i], MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL) == MPI_SUCCESS) {
            CHECK(far[i] >= 0);
            REFUSED(MPI_File_write_at(file, 8, buffer, 8, MPI_BYTE, MPI_STATUS_IGNORE));
            REFUSED(MPI_File_write_at(file, far[i], buffer, 8, MPI_BYTE, MPI_STATUS_IGNORE));
        }
    TRY(MPI_Type_contiguous(1 << 20, MPI_DOUBLE, &wide));
    TRY(MPI_Type_create_resized(MPI_INT, 0, 1 << 30, &sparse));
    TRY(MPI_Type_commit(&wide));
    TRY(MPI_Type_commit(&sparse));
    TRY(MPI_File_set_view(file, 0, wide, wide, "native", MPI_INFO_NULL));
    for (int i = 0; i < FAR; i++) {
        REFUSED(MPI_File_write_at(file, far[i], buffer, 8, MPI_BYTE, MPI_STATUS_IGNORE));
        MPI_File_get_byte_offset(file, far[i], &where);
    }
    // 2^41 elements of 2^23 bytes are 2^64.
    REFUSED(MPI_File_write_at(file, 1LL << 41, buffer, 0x800000, MPI_BYTE, MPI_STATUS_IGNORE));
    TRY(MPI_File_set_view(file, 0, MPI_INT, sparse, "native", MPI_INFO_NULL));
    for (int i = 0; i < FAR; i++) {
        REFUSED(MPI_File_write_at(file, far[i], buffer, 2, MPI_INT, MPI_STATUS_IGNORE));
        MPI_File_get_byte_offset(file, far[i], &where);
    }
    // 2^34 elements at every 2^30 bytes are 2^64.
    REFUSED(MPI_File_write_at(file, 1LL << 34, buffer, 2, MPI_INT, MPI_STATUS_IGNORE));
    REFUSED(MPI_File_write_at_all(file, 1LL << 34, buffer, 2, MPI_INT, MPI_STATUS_IGNORE));
    TRY(MPI_Type_free(&wide));
    TRY(MPI_Type_free(&sparse));
    plain_view();
}

static void counts(void)
{
    static const MPI_Count many[] = {1LL << 62, (1LL << 61) + 1, INT64_MAX, 1LL << 32, -1, INT64_MIN};
    for (unsigned i = 0; i < sizeof many / sizeof *many; i++) {
        REFUSED(MPI_File_write_at_c(file, 0, buffer, many[i], MPI_DOUBLE, MPI_STATUS_IGNORE));
        REFUSED(MPI_File_read_at_c(file, 0, canary_before, many[i], MPI_DOUBLE, MPI_STATUS_IGNORE));
        REFUSED(MPI_File_iread_at_c(file, 0, canary_before, many[i], MPI_DOUBLE, &request));
        REFUSED(MPI_File_write_shared_c(file, buffer, many[i], MPI_DOUBLE, MPI_STATUS_IGNORE));
        REFUSED(MPI_File_iwrite_c(file, buffer, many[i], MPI_DOUBLE, &request));
    }
}

/* Memory that is not all there, before anything is read into it. */
static void places(void)
{
    REFUSED(MPI_File_read_at(file, 0, near_end(7), 8, MPI_BYTE, MPI_STATUS_IGNORE));
    REFUSED(MPI_File_iread_at(file, 0, near_end(0), 1, MPI_BYTE, &request));
    REFUSED(MPI_File_read_shared(file, near_end(7), 8, MPI_BYTE, MPI_STATUS_IGNORE));
    REFUSED(MPI_File_write_at(file, 0, near_end(7), 8, MPI_BYTE, MPI_STATUS_IGNORE));
    REFUSED(MPI_File_read_at(file, 0, (void *)-4, 8, MPI_BYTE, MPI_STATUS_IGNORE));
    REFUSED(MPI_File_read_at(file, 0, buffer, 1, MPI_BYTE, near_end(4)));
}

/* Modes and whence that are none, and accesses that the mode has ruled out. */
static void modes(void)
{
    static const int wrong[] = {
        0, -1, INT32_MIN, MPI_MODE_RDONLY | MPI_MODE_WRONLY, MPI_MODE_RDONLY | MPI_MODE_CREATE, MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL,
    };
    MPI_File other;
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        REFUSED(MPI_File_open(MPI_COMM_SELF, name, wrong[i], MPI_INFO_NULL, &other));
        CHECK(other == MPI_FILE_NULL || !embedded());
    }
    REFUSED(MPI_File_seek(file, 0, -1));
    REFUSED(MPI_File_seek_shared(file, 0, 12345));
    TRY(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &other));
    REFUSED(MPI_File_write(other, buffer, 8, MPI_BYTE, MPI_STATUS_IGNORE));
    REFUSED(MPI_File_set_size(other, 0));
    REFUSED(MPI_File_preallocate(other, 1 << 20));
    TRY(MPI_File_close(&other));
}

/* The file is as it was. */
static void as_before(void)
{
    char after[BYTES];
    MPI_Offset length = -1;
    TRY(MPI_File_read_at(file, 0, after, BYTES, MPI_BYTE, MPI_STATUS_IGNORE));
    CHECK_BYTES(after, buffer, BYTES);
    TRY(MPI_File_get_size(file, &length));
    CHECK_INT(length, BYTES);
}

/* The last of all: it is closed and deleted. */
static void closed(void)
{
    after_each = NULL;
    TRY(MPI_File_close(&file));
    REFUSED(MPI_File_read_at(file, 0, buffer, 8, MPI_BYTE, MPI_STATUS_IGNORE));
    if (rank == 0)
        TRY(MPI_File_delete(name, MPI_INFO_NULL));
}

int main(int argc, char **argv)
{
    static const struct variation all[] = {
        {"written", written}, {"written there", written_there}, {"written together", written_together}, {"read", read_there}, {"split", split}, {"pointers", pointers}, {"shared", shared}, {"sizes", sizes},
        {"views", views}, {"counts", counts}, {"places", places}, {"modes", modes},
        {"closed", closed},
    };
    hostile_begin(&argc, &argv);
    snprintf(name, sizeof name, "/tmp/rankine-offsets-%d-%d", size, own_number());
    TRY(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
    for (int i = 0; i < BYTES; i++)
        buffer[i] = (char)i;
    if (rank == 0)
        TRY(MPI_File_write_at(file, 0, buffer, BYTES, MPI_BYTE, MPI_STATUS_IGNORE));
    TRY(MPI_File_sync(file));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    after_each = as_before;
    return VARIATIONS(all);
}
