// Functions that convert a file's data, and tell how long it is, and the allocator behind them: they lie about lengths and addresses, change the
// view under the access, start more of it, grow the memory, end the type. The access fails or says what was moved, and nothing else changes.
// engines: local
// ranks: 1 2 4
// run: --dir {scratch}::/tmp
#include "hostile.h"
#include "../guests/own_number.h"

enum { N = 1000 };
static MPI_File file, other;
static MPI_Datatype pair;
static char name[64];
static int trick, depth, data[N], back[N];
static void *lie;
static int lies;

/* The whole allocator has to be the program's own: what MPI is given of it is a lie. This one never takes anything back. */
static char pool[16 << 20];
static size_t used;

void *malloc(size_t bytes)
{
    size_t at = (used + 15) & ~(size_t)15;
    if (bytes > sizeof pool - at)
        return NULL;
    used = at + bytes;
    return pool + at;
}

void free(void *block)
{
    (void)block;
}

void *calloc(size_t n, size_t bytes)
{
    return malloc(n * bytes);
}

void *realloc(void *block, size_t bytes)
{
    char *moved = malloc(bytes);
    if (moved && block)
        memmove(moved, block, bytes);
    return moved;
}

void *aligned_alloc(size_t align, size_t bytes)
{
    (void)align;
    return lies ? lie : malloc(bytes);
}

static int extent(MPI_Datatype datatype, MPI_Aint *bytes, void *extra)
{
    static const MPI_Aint wrong[] = {-1, INT32_MIN, INT32_MAX, 1 << 20, 65537};
    MPI_Offset offset;
    (void)extra;
    *bytes = datatype == MPI_INT ? 8 : 1;
    if (trick < 5)
        *bytes = wrong[trick];
    if (trick == 5)
        return MPI_ERR_OTHER;
    if (trick == 6 && depth++ < 3)
        MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "lies", MPI_INFO_NULL);
    if (trick == 7)
        *bytes = 0;
    if (trick == 8 && MPI_File_get_position(file, &offset) == MPI_SUCCESS)
        MPI_File_seek(file, 1 << 20, MPI_SEEK_CUR);
    return MPI_SUCCESS;
}

static int convert(void *user, MPI_Datatype datatype, int count, void *filebuf, MPI_Offset position, void *extra)
{
    MPI_Request request;
    (void)extra, (void)position;
    CHECK(count >= 0 && count <= N);
    if (depth++ < 3)
        switch (trick) {
        case 20: MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL); break;
        case 21: MPI_File_set_size(file, 0); break;
        case 22: MPI_File_write_at_all(file, 0, data, N, MPI_INT, MPI_STATUS_IGNORE); break;
        case 23: MPI_File_iwrite(file, data, N, MPI_INT, &request), MPI_Request_free(&request); break;
        case 24: __builtin_wasm_memory_grow(0, 16); break;
        case 25: MPI_File_write_all_begin(file, data, N, MPI_INT), MPI_File_write_all_end(file, data, MPI_STATUS_IGNORE); break;
        case 26: memset(filebuf, 0xff, 8 * count), memset(user, 0xff, 4 * count); break;
        case 27: MPI_File_seek_shared(file, 1LL << 60, MPI_SEEK_SET); break;
        case 28: MPI_Type_free(&datatype), MPI_Type_free(&pair); break;
        case 29: return INT32_MIN;
        case 30: MPI_File_delete(name, MPI_INFO_NULL); break;
        case 31: MPI_File_set_atomicity(file, 1), MPI_File_read_at(file, 0, back, 1, MPI_INT, MPI_STATUS_IGNORE); break;
        case 32: MPI_File_close(&other), MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR, MPI_INFO_NULL, &other); break;
        }
    return MPI_SUCCESS;
}

static void open_both(void)
{
    TRY(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
    TRY(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR, MPI_INFO_NULL, &other));
}

/* Every kind of access; what comes of them is not the point. */
static void access_all(void)
{
    MPI_Request request;
    depth = 0;
    MPI_File_write_at(file, 0, data, N, MPI_INT, MPI_STATUS_IGNORE);
    depth = 0;
    MPI_File_read_at(file, 0, back, N, MPI_INT, MPI_STATUS_IGNORE);
    depth = 0;
    MPI_File_write_shared(file, data, N / 2, pair == MPI_DATATYPE_NULL ? MPI_INT : pair, MPI_STATUS_IGNORE);
    depth = 0;
    if (MPI_File_iread_at_all(file, 0, back, N, MPI_INT, &request) == MPI_SUCCESS)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    depth = 0;
    if (MPI_File_read_ordered_begin(file, back, N, MPI_INT) == MPI_SUCCESS)
        MPI_File_read_ordered_end(file, back, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    snprintf(name, sizeof name, "/tmp/rankine-convert-%d-%d-%d", rank, size, own_number());
    TRY(MPI_Register_datarep("lies", convert, convert, extent, NULL));
    TRY(MPI_Type_contiguous(2, MPI_INT, &pair));
    TRY(MPI_Type_commit(&pair));
    open_both();
    // Lengths that no element has.
    for (trick = 0; trick < 6; trick++)
        REFUSED(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "lies", MPI_INFO_NULL));
    for (; trick < 9; trick++)
        MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "lies", MPI_INFO_NULL);
    // Addresses at which there are not as many bytes, or the data itself.
    void *const where[] = {near_end(0), near_end(1), near_end(8 * N - 1), (void *)0xffffff00, (void *)-1, NULL, data, back, (char *)data + 1, (void *)1};
    for (trick = 10; trick < 20; trick++) {
        TRY(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "lies", MPI_INFO_NULL));
        lie = where[trick - 10];
        lies = 1;
        int code = MPI_File_write_at(file, 0, data, N, MPI_INT, MPI_STATUS_IGNORE);
        lies = 0;
        if (trick < 16)
            FAILS(code, MPI_ERR_NO_MEM);
    }
    for (; trick < 33; trick++) {
        TRY(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "lies", MPI_INFO_NULL));
        access_all();
        MPI_File_close(&file);
        MPI_File_close(&other);
        open_both();
    }
    // What is refused of them all is remembered as little as what was done.
    for (int i = 0; i < N; i++)
        data[i] = i;
    trick = 99;
    TRY(MPI_File_set_size(file, 0));
    TRY(MPI_File_write_at(file, 0, data, N, MPI_INT, MPI_STATUS_IGNORE));
    TRY(MPI_File_read_at(file, 0, back, N, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(memcmp(data, back, sizeof data) == 0);
    TRY(MPI_File_close(&other));
    TRY(MPI_File_close(&file));
    TRY(MPI_File_delete(name, MPI_INFO_NULL));
    return hostile_end();
}
