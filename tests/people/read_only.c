// A program that fails as it can't write where it may only read: the option that lets it, once for all ranks.
// ranks: 1 3
// run: --dir-ro {scratch}::data
// exit: 3
// stderr: may only read the folder in which result.txt is: add --dir
#include "../guests/check.h"
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    // These are no attempts to write, or lead elsewhere.
    CHECK(fopen("data/none", "r") == NULL);
    CHECK(fopen("data/../../none", "w") == NULL);
    // What was refused last is told.
    CHECK(mkdir("data/folder", 0777) != 0);
    CHECK_INT(errno, EPERM);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(fopen("data/result.txt", "w") == NULL);
    CHECK_INT(errno, EPERM);
    return check_end() == 0 ? 3 : 4;
}
