// What WASI holds for a program: files that are opened and never closed, and all names of a folder while they are listed.
// ranks: 1 2
// each: open list
// run: --memory-limit 64M --dir {scratch}::/tmp
// peak: limits + 96
#include "quota.h"
#include "../guests/own_number.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wasi/api.h>

enum { NAMES = 6000, FILES = 900 };
static int files[FILES];
static uint8_t names[NAMES * 48];
static char folder[64], path[128];

/* The program has all that the rank may have, and the host is left its reserve. */
static void take_the_rest(void)
{
    while (__builtin_wasm_memory_grow(0, 1) != (size_t)-1)
        ;
}

/* Opens until it is refused; how many there are then. */
static int open_all(void)
{
    int count = 0;
    while (count < FILES && (files[count] = open(path, O_RDONLY)) >= 0)
        count++;
    CHECK_INT(errno, ENOMEM);
    return count;
}

static void opened(void)
{
    take_the_rest();
    int count = open_all();
    CHECK(count > 1 && count < FILES);
    // What is moved over another takes no more than one; what is closed can be opened again.
    TRY(__wasi_fd_renumber(files[0], files[1]));
    CHECK((files[0] = open(path, O_RDONLY)) >= 0);
    CHECK(open(path, O_RDONLY) < 0);
    for (int i = 0; i < count; i++)
        CHECK(close(files[i]) == 0);
    CHECK_INT(open_all(), count);
    for (int i = 0; i < count; i++)
        CHECK(close(files[i]) == 0);
}

static int listed(int fd)
{
    __wasi_size_t bytes = 0;
    int code = __wasi_fd_readdir(fd, names, sizeof names, 0, &bytes);
    CHECK(code != 0 || bytes > NAMES * sizeof(__wasi_dirent_t));
    return code;
}

static void listing(void)
{
    for (int i = 0; i < NAMES; i++) {
        snprintf(path, sizeof path, "%s/%d", folder, i);
        int fd = open(path, O_CREAT | O_WRONLY, 0600);
        CHECK(fd >= 0 && close(fd) == 0);
    }
    int fd = open(folder, O_RDONLY | O_DIRECTORY);
    CHECK(fd >= 0);
    CHECK_INT(listed(fd), 0);
    take_the_rest();
    CHECK_INT(listed(fd), __WASI_ERRNO_NOMEM);
}

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    snprintf(folder, sizeof folder, "/tmp/%d-%d", own_number(), rank);
    CHECK(mkdir(folder, 0700) == 0);
    snprintf(path, sizeof path, "%s/file", folder);
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    CHECK(fd >= 0 && close(fd) == 0);
    if (strcmp(argv[1], "open") == 0)
        opened();
    else
        listing();
    return hostile_end();
}
