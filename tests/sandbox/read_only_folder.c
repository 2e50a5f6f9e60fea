// A folder that may only be read: nothing in it can be made, changed or removed, however it is asked for.
// engines: local mpi
// ranks: 1 2
// run: --dir-ro {guests}
#include "hostile.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char other[4096], magic[4] = "";
    struct stat before, after;
    hostile_begin(&argc, &argv);
    snprintf(other, sizeof other, "%s.other", argv[0]);
    CHECK_INT(stat(argv[0], &before), 0);
    int file = open(argv[0], O_RDONLY);
    CHECK(file >= 0 && read(file, magic, 4) == 4 && memcmp(magic, "\0asm", 4) == 0);
    CHECK(write(file, "x", 1) < 0);
    CHECK(ftruncate(file, 1) < 0);
    CHECK(close(file) == 0);
    CHECK(open(argv[0], O_WRONLY) < 0);
    CHECK(open(argv[0], O_RDWR) < 0);
    CHECK(open(argv[0], O_RDONLY | O_TRUNC) < 0);
    CHECK(open(other, O_WRONLY | O_CREAT, 0666) < 0);
    CHECK(open(other, O_RDONLY | O_CREAT | O_EXCL, 0666) < 0);
    CHECK(truncate(argv[0], 1) < 0);
    CHECK(rename(argv[0], other) < 0);
    CHECK(link(argv[0], other) < 0);
    CHECK(symlink("other", other) < 0);
    CHECK(mkdir(other, 0777) < 0);
    CHECK(unlink(argv[0]) < 0);
    CHECK(utimensat(AT_FDCWD, argv[0], NULL, 0) < 0);
    CHECK(stat(other, &after) < 0);
    CHECK_INT(stat(argv[0], &after), 0);
    CHECK(before.st_size == after.st_size && before.st_mtime == after.st_mtime);
    return hostile_end();
}
