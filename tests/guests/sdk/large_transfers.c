// Reads and writes of some MiB move all their bytes in one call, as they do natively; at the end of a file what is there.
// ranks: 1
// native: no (the file lies where the harness has granted a folder)
// run: --dir {scratch}::/tmp
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { BYTES = (5 << 20) + 12345, PLACE = 777 };

static unsigned char bytes[BYTES], back[BYTES + 1000];

static void fill(unsigned seed)
{
    for (int i = 0; i < BYTES; i++)
        bytes[i] = (seed = seed * 1664525 + 1013904223) >> 24;
}

static void check(ssize_t moved, ssize_t expected, const unsigned char *from)
{
    if (moved != expected || memcmp(back, from, expected) != 0) {
        printf("%zd bytes of %zd, or others: %s\n", moved, expected, strerror(errno));
        exit(1);
    }
    memset(back, 0, sizeof back);
}

int main(void)
{
    char name[] = "/tmp/rankine-large-XXXXXX";
    int file = mkstemp(name);
    assert(file >= 0);

    fill(1);
    assert(write(file, bytes, BYTES) == BYTES);
    assert(lseek(file, 0, SEEK_CUR) == BYTES && lseek(file, 0, SEEK_SET) == 0);
    check(read(file, back, sizeof back), BYTES, bytes);
    assert(read(file, back, sizeof back) == 0);

    fill(2);
    assert(pwrite(file, bytes, BYTES, PLACE) == BYTES);
    assert(lseek(file, 0, SEEK_CUR) == BYTES);
    check(pread(file, back, BYTES, PLACE), BYTES, bytes);
    check(pread(file, back, sizeof back, PLACE + 100000), BYTES - 100000, bytes + 100000);
    assert(pread(file, back, sizeof back, PLACE + BYTES) == 0);

    // The first buffer that has any bytes; a call may do no more.
    struct iovec parts[] = {{NULL, 0}, {bytes, BYTES}, {bytes, 10}};
    assert(lseek(file, 0, SEEK_SET) == 0);
    ssize_t moved = writev(file, parts, 3);
    assert(moved >= BYTES && lseek(file, 0, SEEK_CUR) == moved);
    parts[1].iov_base = back;
    assert(lseek(file, 0, SEEK_SET) == 0 && readv(file, parts, 2) == BYTES);
    check(BYTES, BYTES, bytes);

    int appended = open(name, O_WRONLY | O_APPEND);
    assert(appended >= 0 && ftruncate(file, 5) == 0);
    assert(write(appended, bytes, BYTES) == BYTES && pread(file, back, sizeof back, 5) == BYTES);
    check(BYTES, BYTES, bytes);

    assert(write(-1, bytes, BYTES) == -1 && errno == EBADF);
    assert(unlink(name) == 0);
    puts("OK");
    return 0;
}
