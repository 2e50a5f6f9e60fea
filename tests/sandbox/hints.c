// Hints that a library would divide by, allocate by or look for: they are as if they had not been given.
// ranks: 1 2
// run: --dir {scratch}::/data
#include "hostile.h"
#include "../guests/own_number.h"
#include <stdio.h>

static const char *const hints[][2] = {
    {"cb_buffer_size", "0"}, {"cb_buffer_size", "-1"}, {"cb_buffer_size", "1"}, {"cb_buffer_size", "2147483647"},
    {"cb_buffer_size", "99999999999999999999"}, {"cb_buffer_size", "x"}, {"cb_nodes", "0"}, {"cb_nodes", "-1"}, {"cb_nodes", "2147483647"},
    {"ind_rd_buffer_size", "0"}, {"ind_rd_buffer_size", "-1"}, {"ind_wr_buffer_size", "0"}, {"ind_wr_buffer_size", "-1"},
    {"ind_wr_buffer_size", "1"}, {"striping_unit", "0"}, {"striping_unit", "-1"}, {"striping_factor", "-1"}, {"romio_cb_write", "perhaps"},
    {"cb_config_list", "*:0"}, {"cb_config_list", ",,,:::"}, {"romio_hintfile", "/etc/passwd"}, {"file_perm", "99999999999"},
    {"romio_min_fdomain_size", "-1"}, {"romio_cb_fr_alignment", "0"}, {"romio_cb_fr_types", "9"}, {"romio_cb_ds_threshold", "-1"},
    {"romio_filesystem_type", "nfs:"}, {"start_iodevice", "-7"}, {"romio_synchronized_flush", "x"}, {"direct_read", "true"},
};

int main(int argc, char **argv)
{
    static int data[30000], back[30000];
    MPI_Datatype type;
    MPI_File file;
    MPI_Info info, used;
    char value[64], path[64];
    int flag, length;
    hostile_begin(&argc, &argv);
    // A name of this job's own.
    int mark = own_number();
    snprintf(path, sizeof path, "/data/rankine-hints-%d-%d", size, mark);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    TRY(MPI_Type_vector(1000, 1, 3, MPI_INT, &type));
    TRY(MPI_Type_commit(&type));
    for (int i = 0; i < 30000; i++)
        data[i] = i;
    for (unsigned i = 0; i < sizeof hints / sizeof *hints; i++) {
        TRY(MPI_Info_create(&info));
        TRY(MPI_Info_set(info, "romio_cb_write", "enable"));
        TRY(MPI_Info_set(info, "romio_cb_read", "enable"));
        TRY(MPI_Info_set(info, hints[i][0], hints[i][1]));
        TRY(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, info, &file));
        TRY(MPI_File_set_view(file, 4 * rank * 3001, MPI_INT, type, "native", info));
        TRY(MPI_File_set_info(file, info));
        TRY(MPI_File_write_all(file, data, 1000, MPI_INT, MPI_STATUS_IGNORE));
        TRY(MPI_File_write_at(file, 100, data, 900, MPI_INT, MPI_STATUS_IGNORE));
        TRY(MPI_File_read_at_all(file, 100, back, 900, MPI_INT, MPI_STATUS_IGNORE));
        CHECK_INT(back[899], 899);
        TRY(MPI_File_close(&file));
        TRY(MPI_Info_free(&info));
    }
    // Those that make sense arrive.
    TRY(MPI_Info_create(&info));
    TRY(MPI_Info_set(info, "cb_buffer_size", "65536"));
    TRY(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, info, &file));
    TRY(MPI_File_get_info(file, &used));
    length = sizeof value;
    TRY(MPI_Info_get_string(used, "cb_buffer_size", &length, value, &flag));
    CHECK(flag);
    CHECK_STR(value, "65536");
    TRY(MPI_Info_free(&used));

    // Places that no file has.
    static const MPI_Offset far[] = {INT64_MAX, INT64_MIN, -1, 1LL << 62, -(1LL << 62)};
    for (unsigned i = 0; i < sizeof far / sizeof *far; i++) {
        REFUSED(MPI_File_write_at(file, far[i], data, 1, MPI_INT, MPI_STATUS_IGNORE));
        REFUSED(MPI_File_read_at(file, far[i], back, 1, MPI_INT, MPI_STATUS_IGNORE));
        REFUSED(MPI_File_set_size(file, far[i]));
        REFUSED(MPI_File_set_view(file, far[i], MPI_INT, type, "native", MPI_INFO_NULL));
        REFUSED(MPI_File_seek(file, far[i], MPI_SEEK_SET));
    }
    TRY(MPI_File_close(&file));
    TRY(MPI_Info_free(&info));

    // Promises about windows and communicators that are not kept.
    static const char *const promises[] = {"same_size", "same_disp_unit", "no_locks", "mpi_assert_exact_length"};
    int window[4] = {0}, got = -1;
    MPI_Comm dup;
    MPI_Win win;
    TRY(MPI_Info_create(&info));
    for (unsigned i = 0; i < sizeof promises / sizeof *promises; i++)
        TRY(MPI_Info_set(info, promises[i], "true"));
    TRY(MPI_Win_create(window, sizeof window, rank ? 1 : 4, info, MPI_COMM_WORLD, &win));
    TRY(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    TRY(MPI_Get(&got, 1, MPI_INT, 0, 3, 1, MPI_INT, win));
    TRY(MPI_Win_unlock(0, win));
    CHECK_INT(got, 0);
    TRY(MPI_Win_free(&win));
    TRY(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &dup));
    TRY(MPI_Sendrecv(data, 100, MPI_INT, rank, 0, back, 200, MPI_INT, rank, 0, dup, MPI_STATUS_IGNORE));
    TRY(MPI_Comm_free(&dup));
    TRY(MPI_Info_free(&info));
    TRY(MPI_Type_free(&type));
    return hostile_end();
}
