// A rank's own files, descriptors and folders by the thousand, until the host gives it no more.
// ranks: 2
// run: --memory-limit 64M
// peak: limits + 96
#include "quota.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char block[1 << 16];

static void contents(void)
{
    int file = open("/tmp/large", O_CREAT | O_RDWR, 0600), pieces = 0;
    CHECK(file >= 0);
    while (pieces < 10000 && write(file, block, sizeof block) == sizeof block)
        pieces++;
    CHECK(errno == ENOSPC && pieces > 100 && pieces < 2000);
    CHECK(ftruncate(file, 1LL << 40) == -1 && pwrite(file, "x", 1, 1LL << 40) == -1);
    CHECK(ftruncate(file, 0) == 0 && lseek(file, 0, SEEK_SET) == 0);
    CHECK_INT(write(file, block, sizeof block), sizeof block);
    CHECK(close(file) == 0 && unlink("/tmp/large") == 0);
}

static void names(void)
{
    char name[300] = "/tmp/";
    int made = 0;
    memset(name + 5, 'x', 240);
    for (; made < 1000000; made++) {
        snprintf(name + 245, 12, "%d", made);
        int file = open(name, O_CREAT | O_WRONLY, 0600);
        if (file < 0)
            break;
        close(file);
    }
    CHECK(errno == ENOSPC && made > 1000 && made < 1000000);
}

static void descriptors(void)
{
    int given = 0, last = 0;
    while (given < 1000000 && (last = dup(1)) >= 0)
        given++;
    CHECK(last == -1 && errno == EMFILE && given < 1000000);
    CHECK(dup2(1, 1 << 24) == -1);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    contents();
    names();
    descriptors();
    return check_end();
}
