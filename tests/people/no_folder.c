// A file that is opened where no folder is granted: the option that is missing, once for all ranks, and the file's name.
// ranks: 1 3
// stderr: looks for the file input.dat, and no folder is granted: add --dir .
#include "../guests/check.h"
#include <errno.h>

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    CHECK(fopen("input.dat", "r") == NULL);
    CHECK_INT(errno, ENOENT);
    CHECK(fopen("/somewhere/output.dat", "w") == NULL);
    CHECK_INT(errno, ENOENT);
    return check_end();
}
