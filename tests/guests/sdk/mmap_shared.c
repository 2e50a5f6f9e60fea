// A mapping of a file that is shared and may be written: what is stored reaches the file, or the mapping is refused.
// ranks: 1
// native: no (the file lies where the harness has granted a folder)
// run: --dir {scratch}::/tmp
#include "../check.h"
#include "../own_number.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char back[4] = "", name[64];
    check_begin(&argc, &argv);
    snprintf(name, sizeof name, "/tmp/rankine-mapped-%d", own_number());
    int file = open(name, O_CREAT | O_RDWR | O_TRUNC, 0600);
    CHECK(file >= 0 && ftruncate(file, 4096) == 0);
    char *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (map != MAP_FAILED) {
        map[0] = 'x';
        CHECK(msync(map, 4096, MS_SYNC) == 0);
        CHECK(munmap(map, 4096) == 0);
        CHECK(pread(file, back, 1, 0) == 1);
        CHECK_INT(back[0], 'x');
    }
    close(file);
    unlink(name);
    return check_end();
}
