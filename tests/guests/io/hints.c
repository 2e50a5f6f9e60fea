// Hints of files: those that are given come back from MPI_File_get_info, and MPI_File_set_info and MPI_File_set_view change them.
// ranks: 1 2 4
// native: no (the file lies where the harness has granted a folder)
// run: --dir {scratch}::/tmp
#include "../check.h"
#include "../own_number.h"

/* The value of a hint; empty, if there is none. */
static const char *hint(MPI_File file, const char *key)
{
    static char value[MPI_MAX_INFO_VAL + 1];
    MPI_Info info;
    int flag = -1, length = sizeof value;
    value[0] = 0;
    TRY(MPI_File_get_info(file, &info));
    TRY(MPI_Info_get_string(info, key, &length, value, &flag));
    TRY(MPI_Info_free(&info));
    return flag ? value : "";
}

/* An object with one hint. */
static MPI_Info one(const char *key, const char *value)
{
    MPI_Info info;
    TRY(MPI_Info_create(&info));
    TRY(MPI_Info_set(info, key, value));
    return info;
}

int main(int argc, char **argv)
{
    char name[64];
    int mark = 0;
    const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    MPI_File file;
    MPI_Info info;
    check_begin(&argc, &argv);
    mark = own_number();
    snprintf(name, sizeof name, "/tmp/rankine-hints-%d-%d", size, mark);
    info = one("cb_buffer_size", "2097152");
    TRY(MPI_Info_set(info, "access_style", "write_once,sequential"));
    TRY(MPI_File_open(MPI_COMM_WORLD, name, mode, info, &file));
    // The file has taken what it wants.
    TRY(MPI_Info_set(info, "cb_buffer_size", "1"));
    TRY(MPI_Info_free(&info));
    CHECK_STR(hint(file, "cb_buffer_size"), "2097152");
    // ROMIO shows the hints that it uses, and no others.
    if (embedded())
        CHECK_STR(hint(file, "access_style"), "write_once,sequential");

    info = one("cb_buffer_size", "4194304");
    TRY(MPI_File_set_info(file, info));
    TRY(MPI_Info_free(&info));
    CHECK_STR(hint(file, "cb_buffer_size"), "4194304");
    if (embedded())
        CHECK_STR(hint(file, "access_style"), "write_once,sequential");
    info = one("cb_buffer_size", "1048576");
    TRY(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", info));
    TRY(MPI_Info_free(&info));
    CHECK_STR(hint(file, "cb_buffer_size"), "1048576");
    TRY(MPI_File_close(&file));

    // A file without hints says what is true of it.
    TRY(MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &file));
    if (embedded())
        CHECK_STR(hint(file, "collective_buffering"), "true");
    CHECK_STR(hint(file, "access_style"), "");
    TRY(MPI_File_close(&file));
    return check_end();
}
