// Ranks that don't agree about a file: on its name, its mode, its size, on what is done with it, and in which direction. All hear of it, and
// the file is theirs as before.
// engines: local
// ranks: 2 3 8
// run: --dir {scratch}::/tmp
#include "hostile.h"
#include "../guests/own_number.h"

enum { N = 64 };
static MPI_File file;
static char name[64], others[72];
static int data[N], back[N];

/* Everybody writes and reads back what is its own. */
static void still_ours(void)
{
    for (int i = 0; i < N; i++)
        data[i] = 1000 * rank + i;
    memset(back, 0, sizeof back);
    TRY(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    TRY(MPI_File_write_at_all(file, (MPI_Offset)rank * N, data, N, MPI_INT, MPI_STATUS_IGNORE));
    TRY(MPI_File_read_at_all(file, (MPI_Offset)rank * N, back, N, MPI_INT, MPI_STATUS_IGNORE));
    for (int i = 0; i < N; i++)
        CHECK_INT(back[i], data[i]);
}

/* One rank opens what the others don't. */
static void opening(int odd)
{
    const int all = MPI_MODE_RDWR | MPI_MODE_CREATE;
    const int modes[] = {MPI_MODE_RDONLY, all | MPI_MODE_APPEND, all | MPI_MODE_UNIQUE_OPEN, 0, -1, MPI_MODE_RDWR | MPI_MODE_WRONLY};
    MPI_File wrong;
    REFUSED(MPI_File_open(MPI_COMM_WORLD, rank == odd ? others : name, all, MPI_INFO_NULL, &wrong));
    REFUSED(MPI_File_open(MPI_COMM_WORLD, rank == odd ? "/etc/passwd" : name, all, MPI_INFO_NULL, &wrong));
    REFUSED(MPI_File_open(MPI_COMM_WORLD, rank == odd ? "" : name, all, MPI_INFO_NULL, &wrong));
    for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++)
        REFUSED(MPI_File_open(MPI_COMM_WORLD, name, rank == odd ? modes[i] : all, MPI_INFO_NULL, &wrong));
    CHECK(wrong == MPI_FILE_NULL);
    still_ours();
}

/* One rank says another number, or what is none. */
static void numbers(int odd)
{
    static const MPI_Offset wrong[] = {4096, -1, INT64_MAX, INT64_MIN, 1LL << 61};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        MPI_Offset mine = rank == odd ? wrong[i] : 8192;
        REFUSED(MPI_File_set_size(file, mine));
        REFUSED(MPI_File_preallocate(file, mine));
        REFUSED(MPI_File_seek_shared(file, mine, MPI_SEEK_SET));
        if (i > 0) // A view may begin elsewhere in each rank.
            REFUSED(MPI_File_set_view(file, mine, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    }
    FAILS(MPI_File_set_atomicity(file, rank == odd), MPI_ERR_NOT_SAME);
    FAILS(MPI_File_set_view(file, 0, rank == odd ? MPI_BYTE : MPI_INT, MPI_INT, "native", MPI_INFO_NULL), MPI_ERR_NOT_SAME);
    FAILS(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, rank == odd ? "external32" : "native", MPI_INFO_NULL), MPI_ERR_NOT_SAME);
    REFUSED(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, rank == odd ? "nobody's" : "native", MPI_INFO_NULL));
    still_ours();
}

/* One rank reads while the others write. */
static void directions(int odd)
{
    MPI_Request request;
    const int reads = rank == odd;
    memset(back, 0x77, sizeof back);
    FAILS(reads ? MPI_File_read_at_all(file, 0, back, N, MPI_INT, MPI_STATUS_IGNORE) : MPI_File_write_at_all(file, 0, data, N, MPI_INT, MPI_STATUS_IGNORE),
          MPI_ERR_NOT_SAME);
    FAILS(reads ? MPI_File_read_all(file, back, N, MPI_INT, MPI_STATUS_IGNORE) : MPI_File_write_all(file, data, N, MPI_INT, MPI_STATUS_IGNORE),
          MPI_ERR_NOT_SAME);
    FAILS(reads ? MPI_File_read_ordered(file, back, N, MPI_INT, MPI_STATUS_IGNORE) : MPI_File_write_ordered(file, data, N, MPI_INT, MPI_STATUS_IGNORE),
          MPI_ERR_NOT_SAME);
    TRY(reads ? MPI_File_iread_at_all(file, 0, back, N, MPI_INT, &request) : MPI_File_iwrite_at_all(file, 0, data, N, MPI_INT, &request));
    FAILS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_NOT_SAME);
    TRY(reads ? MPI_File_read_all_begin(file, back, N, MPI_INT) : MPI_File_write_all_begin(file, data, N, MPI_INT));
    FAILS(reads ? MPI_File_read_all_end(file, back, MPI_STATUS_IGNORE) : MPI_File_write_all_end(file, data, MPI_STATUS_IGNORE), MPI_ERR_NOT_SAME);
    CHECK_INT(back[0], 0x77777777);
    // Those who come with what can't be read or written help the others all the same.
    int code = MPI_File_write_at_all(file, 0, rank == odd ? near_end(4) : data, N, MPI_INT, MPI_STATUS_IGNORE);
    FAILS(code, rank == odd ? MPI_ERR_BUFFER : MPI_SUCCESS);
    code = MPI_File_read_at_all(file, rank == odd ? -1 : 0, back, N, MPI_INT, MPI_STATUS_IGNORE);
    FAILS(code, rank == odd ? MPI_ERR_ARG : MPI_SUCCESS);
    still_ours();
}

/* What was begun is ended by what has begun it, once, and by nothing else. */
static void split(void)
{
    MPI_Status status;
    TRY(MPI_File_write_at_all_begin(file, (MPI_Offset)rank * N, data, N, MPI_INT));
    FAILS(MPI_File_write_all_begin(file, data, N, MPI_INT), MPI_ERR_PENDING);
    FAILS(MPI_File_read_ordered_begin(file, back, N, MPI_INT), MPI_ERR_PENDING);
    REFUSED(MPI_File_write_all_end(file, data, &status));
    REFUSED(MPI_File_read_at_all_end(file, back, &status));
    REFUSED(MPI_File_write_ordered_end(file, data, &status));
    REFUSED(MPI_File_write_at_all_end(MPI_FILE_NULL, data, &status));
    MPI_File same = file;
    REFUSED(MPI_File_close(&same));
    REFUSED(MPI_File_write_at_all_end(file, data, near_end(4)));
    MPI_File_write_at_all_end(file, data, &status);
    REFUSED(MPI_File_write_at_all_end(file, data, &status));
    still_ours();
}

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    snprintf(name, sizeof name, "/tmp/rankine-disagree-%d-%d", size, own_number());
    TRY(MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD));
    snprintf(others, sizeof others, "%s-other", name);
    TRY(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    for (int odd = 0; odd < size; odd += size - 1) {
        opening(odd);
        numbers(odd);
        directions(odd);
        split();
    }
    TRY(MPI_File_close(&file));
    MPI_File_delete(others, MPI_INFO_NULL);
    return hostile_end();
}
