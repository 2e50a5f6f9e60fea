// The same in C++: basename comes with <string.h>, in a form that leaves a path as it is, and POSIX's with <libgen.h>.
// ranks: 1
#include "../guests/check.h"
#include <cerrno>
#include <cstring>
#include <omp.h>

extern int errno;

static const char *name(const char *path) { return basename(path); }

#include <libgen.h>

static char *name_of_folder(char *path) { return basename(path); }

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    char folder[] = "results/runs/";
    CHECK(std::strcmp(name("results/run.dat"), "run.dat") == 0);
    CHECK(std::strcmp(name("results/runs/"), "") == 0);
    CHECK(std::strcmp(name_of_folder(folder), "runs") == 0);
    errno = EDOM;
    CHECK_INT(errno, EDOM);
    CHECK_INT(omp_get_max_threads(), 1);
    return check_end();
}
