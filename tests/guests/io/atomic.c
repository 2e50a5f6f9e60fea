// Atomic mode: what several ranks write to the same bytes is that of one of them as a whole, and whoever reads sees no half of it.
// ranks: 1 2 4
// native: no (the file lies where the harness has granted a folder)
// run: --dir {scratch}::/tmp
#include "../check.h"
#include "../own_number.h"

enum { N = 3000, LONG = 40000, ROUNDS = 12 };

static MPI_File file;
static int out[LONG], in[LONG];

static void all_alike(const char *what, int count)
{
    for (int i = 1; i < count; i++)
        if (in[i] != in[0])
            check_fail(__FILE__, __LINE__, what, "element 0 is %d, element %d is %d", in[0], i, in[i]);
}

/* All write the same elements of the view and read them, as often as they like. */
static void beside_each_other(int count, const char *what)
{
    MPI_Status status;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < count; i++)
            out[i] = 100 * (round + 1) + rank;
        memset(in, -1, sizeof in);
        TRY(MPI_File_write_at(file, 0, out, count, MPI_INT, &status));
        CHECK_COUNT(status, MPI_INT, count);
        TRY(MPI_File_read_at(file, 0, in, count, MPI_INT, &status));
        CHECK_COUNT(status, MPI_INT, count);
        all_alike(what, count);
        CHECK(in[0] % 100 < size && in[0] >= 100);
        if (size == 1)
            CHECK_INT(in[0], out[0]);
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    // All see the last that was written: without MPI_File_sync, as the mode promises.
    TRY(MPI_File_read_at(file, 0, in, count, MPI_INT, &status));
    int first = in[0];
    TRY(MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD));
    CHECK_INT(in[0], first);
    all_alike(what, count);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
}

/* The same while the rank goes on. */
static void without_waiting(void)
{
    MPI_Request request;
    for (int round = 0; round < ROUNDS / 2; round++) {
        for (int i = 0; i < LONG; i++)
            out[i] = 100 * (round + 1) + rank;
        TRY(MPI_File_iwrite_at(file, 0, out, LONG, MPI_INT, &request));
        TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
        TRY(MPI_File_iread_at(file, 0, in, LONG, MPI_INT, &request));
        TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
        all_alike("without waiting", LONG);
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    char name[64];
    int mark = 0, atomic = -1;
    MPI_Datatype every;
    check_begin(&argc, &argv);
    mark = own_number();
    snprintf(name, sizeof name, "/tmp/rankine-atomic-%d-%d", size, mark);
    TRY(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    TRY(MPI_File_get_atomicity(file, &atomic));
    CHECK_INT(atomic, 0);
    TRY(MPI_File_set_atomicity(file, 1));
    TRY(MPI_File_get_atomicity(file, &atomic));
    CHECK_INT(atomic, 1);
    TRY(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    beside_each_other(LONG, "one piece");
    without_waiting();
    // Many pieces, which no system writes at once.
    TRY(MPI_Type_create_resized(MPI_INT, 0, 3 * sizeof(int), &every));
    TRY(MPI_Type_commit(&every));
    TRY(MPI_File_set_view(file, 0, MPI_INT, every, "native", MPI_INFO_NULL));
    beside_each_other(N, "pieces");
    TRY(MPI_Type_free(&every));
    TRY(MPI_File_close(&file));
    return check_end();
}
