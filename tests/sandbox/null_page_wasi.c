// Every function of WASI with pointers into the null page, and buffers whose addresses another rank exchanges while they
// are read: they are refused, and the host lives on.
// ranks: 2
// run: --dir {scratch}::/tmp
#include "hostile.h"
#include "own_folder.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wasi/api.h>

#define IMPORT(name) __attribute__((import_module("wasi_snapshot_preview1"), import_name(#name)))

/* As the system has them, without the C library's checks. */
int32_t raw_args_get(uint32_t, uint32_t) IMPORT(args_get);
int32_t raw_args_sizes_get(uint32_t, uint32_t) IMPORT(args_sizes_get);
int32_t raw_environ_get(uint32_t, uint32_t) IMPORT(environ_get);
int32_t raw_environ_sizes_get(uint32_t, uint32_t) IMPORT(environ_sizes_get);
int32_t raw_clock_res_get(int32_t, uint32_t) IMPORT(clock_res_get);
int32_t raw_clock_time_get(int32_t, int64_t, uint32_t) IMPORT(clock_time_get);
int32_t raw_fd_fdstat_get(int32_t, uint32_t) IMPORT(fd_fdstat_get);
int32_t raw_fd_filestat_get(int32_t, uint32_t) IMPORT(fd_filestat_get);
int32_t raw_fd_pread(int32_t, uint32_t, uint32_t, int64_t, uint32_t) IMPORT(fd_pread);
int32_t raw_fd_prestat_get(int32_t, uint32_t) IMPORT(fd_prestat_get);
int32_t raw_fd_prestat_dir_name(int32_t, uint32_t, uint32_t) IMPORT(fd_prestat_dir_name);
int32_t raw_fd_pwrite(int32_t, uint32_t, uint32_t, int64_t, uint32_t) IMPORT(fd_pwrite);
int32_t raw_fd_read(int32_t, uint32_t, uint32_t, uint32_t) IMPORT(fd_read);
int32_t raw_fd_readdir(int32_t, uint32_t, uint32_t, int64_t, uint32_t) IMPORT(fd_readdir);
int32_t raw_fd_seek(int32_t, int64_t, int32_t, uint32_t) IMPORT(fd_seek);
int32_t raw_fd_tell(int32_t, uint32_t) IMPORT(fd_tell);
int32_t raw_fd_write(int32_t, uint32_t, uint32_t, uint32_t) IMPORT(fd_write);
int32_t raw_path_create_directory(int32_t, uint32_t, uint32_t) IMPORT(path_create_directory);
int32_t raw_path_filestat_get(int32_t, int32_t, uint32_t, uint32_t, uint32_t) IMPORT(path_filestat_get);
int32_t raw_path_filestat_set_times(int32_t, int32_t, uint32_t, uint32_t, int64_t, int64_t, int32_t) IMPORT(path_filestat_set_times);
int32_t raw_path_link(int32_t, int32_t, uint32_t, uint32_t, int32_t, uint32_t, uint32_t) IMPORT(path_link);
int32_t raw_path_open(int32_t, int32_t, uint32_t, uint32_t, int32_t, int64_t, int64_t, int32_t, uint32_t) IMPORT(path_open);
int32_t raw_path_readlink(int32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t) IMPORT(path_readlink);
int32_t raw_path_remove_directory(int32_t, uint32_t, uint32_t) IMPORT(path_remove_directory);
int32_t raw_path_rename(int32_t, uint32_t, uint32_t, int32_t, uint32_t, uint32_t) IMPORT(path_rename);
int32_t raw_path_symlink(uint32_t, uint32_t, int32_t, uint32_t, uint32_t) IMPORT(path_symlink);
int32_t raw_path_unlink_file(int32_t, uint32_t, uint32_t) IMPORT(path_unlink_file);
int32_t raw_poll_oneoff(uint32_t, uint32_t, uint32_t, uint32_t) IMPORT(poll_oneoff);
int32_t raw_random_get(uint32_t, uint32_t) IMPORT(random_get);
int32_t raw_sock_accept(int32_t, int32_t, uint32_t) IMPORT(sock_accept);
int32_t raw_sock_recv(int32_t, uint32_t, uint32_t, int32_t, uint32_t, uint32_t) IMPORT(sock_recv);
int32_t raw_sock_send(int32_t, uint32_t, uint32_t, int32_t, uint32_t) IMPORT(sock_send);

enum { FOLDER = 3, ROUNDS = 3000 };

/* That is how the system answers natively. */
#define LOW(call) CHECK_INT(call, __WASI_ERRNO_FAULT)

static void each(uint32_t at, int file)
{
    static char buffer[70000];
    uint32_t good = (uint32_t)buffer;
    LOW(raw_args_get(good, at)); LOW(raw_args_get(at, good));
    LOW(raw_args_sizes_get(at, good)); LOW(raw_args_sizes_get(good, at));
    LOW(raw_environ_get(good, at)); LOW(raw_environ_get(at, good));
    LOW(raw_environ_sizes_get(at, good)); LOW(raw_environ_sizes_get(good, at));
    LOW(raw_clock_res_get(0, at)); LOW(raw_clock_time_get(0, 1, at));
    LOW(raw_fd_fdstat_get(1, at)); LOW(raw_fd_fdstat_get(FOLDER, at)); LOW(raw_fd_filestat_get(file, at));
    LOW(raw_fd_pread(file, at, 1, 0, good)); LOW(raw_fd_pread(file, good, 0, 0, at));
    LOW(raw_fd_prestat_get(FOLDER, at)); LOW(raw_fd_prestat_dir_name(FOLDER, at, 4));
    LOW(raw_fd_pwrite(file, at, 1, 0, good)); LOW(raw_fd_pwrite(file, good, 0, 0, at));
    LOW(raw_fd_read(file, at, 1, good)); LOW(raw_fd_read(file, good, 0, at));
    LOW(raw_fd_readdir(FOLDER, at, 1000, 0, good)); LOW(raw_fd_readdir(FOLDER, good, 64, 0, at));
    LOW(raw_fd_seek(file, 0, 0, at)); LOW(raw_fd_tell(file, at));
    LOW(raw_fd_write(file, at, 1, good)); LOW(raw_fd_write(file, good, 0, at));
    LOW(raw_path_create_directory(FOLDER, at, 4)); LOW(raw_path_remove_directory(FOLDER, at, 4));
    LOW(raw_path_unlink_file(FOLDER, at, 4));
    LOW(raw_path_filestat_get(FOLDER, 0, at, 4, good)); LOW(raw_path_filestat_get(FOLDER, 0, good, 1, at));
    LOW(raw_path_filestat_set_times(FOLDER, 0, at, 4, 0, 0, 0));
    LOW(raw_path_link(FOLDER, 0, at, 4, FOLDER, good, 1)); LOW(raw_path_link(FOLDER, 0, good, 1, FOLDER, at, 4));
    LOW(raw_path_open(FOLDER, 0, at, 4, 0, 0, 0, 0, good)); LOW(raw_path_open(FOLDER, 0, good, 1, 0, 0, 0, 0, at));
    LOW(raw_path_readlink(FOLDER, at, 4, good, 64, good)); LOW(raw_path_readlink(FOLDER, good, 1, at, 64, good));
    LOW(raw_path_readlink(FOLDER, good, 1, good, 64, at));
    LOW(raw_path_rename(FOLDER, at, 4, FOLDER, good, 1)); LOW(raw_path_rename(FOLDER, good, 1, FOLDER, at, 4));
    LOW(raw_path_symlink(at, 4, FOLDER, good, 1)); LOW(raw_path_symlink(good, 1, FOLDER, at, 4));
    LOW(raw_poll_oneoff(at, good, 1, good)); LOW(raw_poll_oneoff(good, at, 1, good)); LOW(raw_poll_oneoff(good, good, 1, at));
    LOW(raw_random_get(at, 64)); LOW(raw_random_get(at, 70000));
    LOW(raw_sock_accept(file, 0, at));
    LOW(raw_sock_recv(file, at, 1, 0, good, good)); LOW(raw_sock_recv(file, good, 0, 0, at, good));
    LOW(raw_sock_send(file, at, 1, 0, good)); LOW(raw_sock_send(file, good, 0, 0, at));
    /* Buffers there, of which the first with any bytes counts, and none. */
    static uint32_t iovs[6], got;
    iovs[0] = at, iovs[2] = at, iovs[3] = 70000, iovs[4] = good, iovs[5] = 8;
    LOW(raw_fd_pwrite(file, (uint32_t)iovs, 3, 0, (uint32_t)&got)); LOW(raw_fd_pread(file, (uint32_t)iovs, 3, 0, (uint32_t)&got));
    LOW(raw_fd_write(file, (uint32_t)iovs, 3, (uint32_t)&got)); LOW(raw_fd_read(file, (uint32_t)iovs, 3, (uint32_t)&got));
    iovs[3] = 0;
    CHECK_INT(raw_fd_pwrite(file, (uint32_t)iovs, 3, 0, (uint32_t)&got), 0); CHECK_INT(got, 8);
    CHECK_INT(raw_fd_pwrite(file, (uint32_t)iovs, 2, 0, (uint32_t)&got), 0); CHECK_INT(got, 0);
    CHECK_INT(raw_fd_pwrite(file, at, 0, 0, (uint32_t)&got), 0); CHECK_INT(got, 0);
    CHECK_INT(raw_random_get(at, 0), 0);
    CHECK_INT(raw_path_unlink_file(FOLDER, at, 0), __WASI_ERRNO_NOENT);
}

/* Rank 1 exchanges the address of a buffer that rank 0 writes from and reads into. */
static void exchanged(int file)
{
    static char bytes[64];
    static uint32_t iovs[4], got;
    MPI_Win win;
    iovs[0] = iovs[2] = (uint32_t)bytes;
    iovs[1] = iovs[3] = sizeof bytes;
    TRY(MPI_Win_create(iovs, sizeof iovs, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    uint32_t theirs = (uint32_t)bytes;
    TRY(MPI_Bcast(&theirs, 1, MPI_UINT32_T, 0, MPI_COMM_WORLD));
    TRY(MPI_Win_lock_all(0, win));
    for (int i = 0; i < ROUNDS; i++) {
        if (rank == 0) {
            raw_fd_pwrite(file, (uint32_t)iovs, 2, 0, (uint32_t)&got);
            raw_fd_pread(file, (uint32_t)iovs, 2, 0, (uint32_t)&got);
            raw_fd_write(file, (uint32_t)iovs, 2, (uint32_t)&got);
            raw_fd_seek(file, 0, 0, (uint32_t)bytes);
            raw_fd_read(file, (uint32_t)iovs, 2, (uint32_t)&got);
        } else {
            uint32_t at = i % 3 == 0 ? 0 : i % 3 == 1 ? 65500 : theirs;
            TRY(MPI_Put(&at, 1, MPI_UINT32_T, 0, i % 2 * 2, 1, MPI_UINT32_T, win));
            TRY(MPI_Win_flush(0, win));
        }
    }
    TRY(MPI_Win_unlock_all(win));
    TRY(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    snprintf(folder, sizeof folder, "/tmp/rankine-page-%d", own_number());
    if (rank == 0)
        CHECK_INT(mkdir(folder, 0777), 0);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    int file = open(in(0, rank == 0 ? "0" : "1"), O_RDWR | O_CREAT, 0600);
    CHECK(file >= 0);
    uint32_t low[] = {0, 8, 4096, 65528};
    for (unsigned i = 0; i < sizeof low / sizeof *low; i++)
        each(low[i], file);
    exchanged(file);
    CHECK_INT(unlink(in(0, rank == 0 ? "0" : "1")), 0);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        CHECK_INT(rmdir(folder), 0);
    return hostile_end();
}
