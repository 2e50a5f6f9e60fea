// Files: names that lead out, bytes outside of the memory, offsets and sizes that overflow, handles made up, more files than a rank may have.
// engines: local
// ranks: 1 2 4
// run: --dir {scratch}::/data
#include "hostile.h"
#include "../guests/own_number.h"
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], path[256];

static const char *in(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* No name opens or deletes what lies outside. */
static void names(void)
{
    static const char *const out[] = {"/etc/passwd", "etc/passwd", "../etc/passwd", "/data/../etc/passwd", "/data/./../../etc/passwd",
                                      "//etc//passwd", "/proc/self/mem", "/dev/null", "/tmp/x", "", "/data/\xff/../../../etc/passwd"};
    static const char *const links[] = {"relative", "folder/passwd", "loop", "dangling"};
    MPI_File file;
    for (unsigned i = 0; i < sizeof out / sizeof *out; i++) {
        REFUSED(MPI_File_open(MPI_COMM_SELF, out[i], MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
        REFUSED(MPI_File_open(MPI_COMM_SELF, out[i], MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
        REFUSED(MPI_File_delete(out[i], MPI_INFO_NULL));
        CHECK(file == MPI_FILE_NULL);
    }
    CHECK_INT(symlink("../../etc/passwd", in("relative")), 0);
    CHECK_INT(symlink("../../etc", in("folder")), 0);
    CHECK_INT(symlink("loop", in("loop")), 0);
    CHECK_INT(symlink("../../rankine-none", in("dangling")), 0);
    for (unsigned i = 0; i < sizeof links / sizeof *links; i++) {
        REFUSED(MPI_File_open(MPI_COMM_SELF, in(links[i]), MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
        REFUSED(MPI_File_open(MPI_COMM_SELF, in(links[i]), MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
    }
    FAILS(MPI_File_open(MPI_COMM_SELF, folder, MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_BAD_FILE);
    REFUSED(MPI_File_open(MPI_COMM_SELF, near_end(3), MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    REFUSED(MPI_File_open(MPI_COMM_SELF, NULL, MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    for (unsigned i = 0; i < sizeof links / sizeof *links; i++)
        unlink(in(links[i]));
    unlink(in("folder"));
}

/* What is accessed is ours, and what is refused touches nothing. */
static void accesses(MPI_File file)
{
    static const MPI_Offset far[] = {INT64_MAX, INT64_MIN, -1, 1LL << 62, -(1LL << 62), (1LL << 61) - 1};
    static const MPI_File made_up[] = {(MPI_File)0x12345678, (MPI_File)0xc0000fff, (MPI_File)0xffffffff, (MPI_File)0x10000000};
    MPI_Request request;
    MPI_Datatype wide, deep;
    MPI_Offset place;
    int value = 7;
    for (unsigned i = 0; i < sizeof far / sizeof *far; i++) {
        REFUSED(MPI_File_write_at(file, far[i], &value, 1, MPI_INT, MPI_STATUS_IGNORE));
        REFUSED(MPI_File_read_at(file, far[i], canary_before + 1, 1, MPI_INT, MPI_STATUS_IGNORE));
        REFUSED(MPI_File_iread_at(file, far[i], canary_before + 1, 1, MPI_INT, &request));
        if (i < 5)
            REFUSED(MPI_File_set_view(file, far[i], MPI_INT, MPI_DOUBLE_INT, "native", MPI_INFO_NULL));
        MPI_File_get_byte_offset(file, far[i], &place);
    }
    REFUSED(MPI_File_read_at(file, 0, near_end(3), 1, MPI_INT, MPI_STATUS_IGNORE));
    REFUSED(MPI_File_iwrite_at(file, 0, near_end(3), 1, MPI_INT, &request));
    REFUSED(MPI_File_read_at_c(file, 0, canary_before, (MPI_Count)1 << 40, MPI_INT, MPI_STATUS_IGNORE));
    REFUSED(MPI_File_write_at_c(file, 0, canary_before, INT64_MAX, MPI_DOUBLE, MPI_STATUS_IGNORE));
    REFUSED(MPI_File_write_at(file, 0, canary_before, -1, MPI_INT, MPI_STATUS_IGNORE));
    TRY(MPI_Type_create_hvector(2, 1, 1 << 30, MPI_INT, &wide));
    TRY(MPI_Type_commit(&wide));
    REFUSED(MPI_File_read_at(file, 0, canary_before, 1, wide, MPI_STATUS_IGNORE));
    TRY(MPI_Type_create_hvector_c(1 << 20, 1, (MPI_Count)1 << 40, MPI_INT, &deep));
    TRY(MPI_Type_commit(&deep));
    TRY(MPI_File_set_view(file, 0, MPI_INT, deep, "native", MPI_INFO_NULL));
    REFUSED(MPI_File_write_at(file, INT64_MAX / 4, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    REFUSED(MPI_File_write_at(file, 1 << 22, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    MPI_File_read_at(file, 1, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    REFUSED(MPI_File_seek(file, INT64_MAX, MPI_SEEK_END));
    REFUSED(MPI_File_seek(file, 1, 12345));
    TRY(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    for (unsigned i = 0; i < sizeof made_up / sizeof *made_up; i++) {
        FAILS(MPI_File_get_size(made_up[i], &place), MPI_ERR_FILE);
        FAILS(MPI_File_write(made_up[i], &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_FILE);
        MPI_File same = made_up[i];
        FAILS(MPI_File_close(&same), MPI_ERR_FILE);
    }
    REFUSED(MPI_File_read_all_end(file, &value, MPI_STATUS_IGNORE));
    TRY(MPI_Type_free(&wide));
    TRY(MPI_Type_free(&deep));
}

/* A rank has only so many files, whatever it does with them. */
static void many(void)
{
    static MPI_File files[2000];
    int opened = 0;
    while (opened < 2000 && MPI_File_open(MPI_COMM_SELF, in("many"), MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &files[opened]) == MPI_SUCCESS)
        opened++;
    CHECK(opened > 100 && opened < 2000);
    for (int i = 0; i < opened; i++)
        TRY(MPI_File_close(&files[i]));
    TRY(MPI_File_open(MPI_COMM_SELF, in("many"), MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, files));
    TRY(MPI_File_close(files));
}

int main(int argc, char **argv)
{
    MPI_File file;
    hostile_begin(&argc, &argv);
    snprintf(folder, sizeof folder, "/data/rankine-out-%d-%d-%d", rank, size, own_number());
    CHECK_INT(mkdir(folder, 0777), 0);
    names();
    TRY(MPI_File_open(MPI_COMM_SELF, in("own"), MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    accesses(file);
    TRY(MPI_File_close(&file));
    many();
    CHECK_INT(rmdir(folder), 0);
    return hostile_end();
}
