// Every function of WASI with pointers into the null page, and buffers whose addresses another rank exchanges while they
// are read: the host lives on, and the page is closed again behind each call.
// ranks: 2
// run: --null-page --dir /tmp::/tmp
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

static char zeros[70000];

/* Makes all of the null page zero, by way of a file: the program itself can't. What lies there is taken for buffers, and
 * others than those of no bytes would trap. */
static void clear(int file)
{
    static uint32_t iovs[2], got;
    iovs[0] = (uint32_t)zeros, iovs[1] = 65536;
    CHECK_INT(raw_fd_pwrite(file, (uint32_t)iovs, 1, 0, (uint32_t)&got), 0);
    iovs[0] = 0;
    CHECK_INT(raw_fd_pread(file, (uint32_t)iovs, 1, 0, (uint32_t)&got), 0);
    CHECK_INT(got, 65536);
}

/* Whatever comes of it, the process goes on. */
static void each(uint32_t at, int file)
{
    static char buffer[70000];
    uint32_t good = (uint32_t)buffer;
    raw_args_get(at, at), raw_args_get(good, at), raw_args_get(at, good);
    raw_args_sizes_get(at, good), raw_args_sizes_get(good, at);
    raw_environ_get(at, at), raw_environ_get(good, at), raw_environ_get(at, good);
    raw_environ_sizes_get(at, good), raw_environ_sizes_get(good, at);
    raw_clock_res_get(0, at), raw_clock_time_get(0, 1, at);
    raw_fd_fdstat_get(1, at), raw_fd_fdstat_get(FOLDER, at), raw_fd_filestat_get(file, at);
    clear(file), raw_fd_pread(file, at, 1, 0, good), raw_fd_pread(file, good, 0, 0, at);
    raw_fd_prestat_get(FOLDER, at), raw_fd_prestat_dir_name(FOLDER, at, 4);
    clear(file), raw_fd_pwrite(file, at, 1, 0, good), raw_fd_pwrite(file, good, 0, 0, at);
    clear(file), raw_fd_read(file, at, 1, good), raw_fd_read(file, good, 0, at);
    raw_fd_readdir(FOLDER, at, 1000, 0, good), raw_fd_readdir(FOLDER, good, 64, 0, at);
    raw_fd_seek(file, 0, 0, at), raw_fd_tell(file, at);
    clear(file), raw_fd_write(file, at, 1, good), raw_fd_write(file, good, 0, at);
    clear(file), raw_path_create_directory(FOLDER, at, 4), raw_path_remove_directory(FOLDER, at, 4), raw_path_unlink_file(FOLDER, at, 4);
    clear(file), raw_path_filestat_get(FOLDER, 0, at, 4, good), raw_path_filestat_get(FOLDER, 0, good, 1, at);
    clear(file), raw_path_filestat_set_times(FOLDER, 0, at, 4, 0, 0, 0);
    clear(file), raw_path_link(FOLDER, 0, at, 4, FOLDER, good, 1), raw_path_link(FOLDER, 0, good, 1, FOLDER, at, 4);
    clear(file), raw_path_open(FOLDER, 0, at, 4, 0, 0, 0, 0, good), raw_path_open(FOLDER, 0, good, 1, 0, 0, 0, 0, at);
    clear(file), raw_path_readlink(FOLDER, at, 4, good, 64, good), raw_path_readlink(FOLDER, good, 1, at, 64, at);
    clear(file), raw_path_rename(FOLDER, at, 4, FOLDER, good, 1), raw_path_rename(FOLDER, good, 1, FOLDER, at, 4);
    clear(file), raw_path_symlink(at, 4, FOLDER, good, 1), raw_path_symlink(good, 1, FOLDER, at, 4);
    clear(file), raw_poll_oneoff(at, good, 1, good), raw_poll_oneoff(good, at, 1, at);
    raw_sock_accept(file, 0, at);
    clear(file), raw_sock_recv(file, at, 1, 0, good, good), raw_sock_recv(file, good, 0, 0, at, at);
    clear(file), raw_sock_send(file, at, 1, 0, good), raw_sock_send(file, good, 0, 0, at);
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
    for (unsigned i = 0; i < sizeof low / sizeof *low; i++) {
        CHECK_INT(raw_random_get(low[i], 64), 0);
        CHECK_INT(raw_random_get(low[i], 70000), 0);
    }
    CHECK_INT(unlink(in(0, rank == 0 ? "0" : "1")), 0);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        CHECK_INT(rmdir(folder), 0);
    return hostile_end();
}
