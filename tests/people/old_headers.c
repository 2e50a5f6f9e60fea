// What programs of another time write: errno declared by hand, sizes of file systems, OpenMP where there is none.
// ranks: 1
// run: --dir {scratch}::.
#define _GNU_SOURCE
#include "../guests/check.h"
#include <errno.h>
#include <omp.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

extern int errno;

static int by_hand(void)
{
    extern int errno;
    return errno;
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    CHECK(fopen("not-there/input.dat", "r") == NULL);
    CHECK_INT(by_hand(), ENOENT);
    errno = 0;
    CHECK_INT(by_hand(), 0);

    const char *path = "results/run.dat";
    CHECK(strcmp(basename(path), "run.dat") == 0 && strcmp(path, "results/run.dat") == 0);

    struct statvfs room;
    CHECK_INT(statvfs(".", &room), 0);
    CHECK(room.f_bavail > 0 && room.f_frsize > 0);
    CHECK_INT(statvfs("not-there", &room), -1);
    CHECK_INT(errno, ENOENT);

    char folder[] = "people-XXXXXX/";
    folder[13] = 0;
    CHECK(mkdtemp(folder) != NULL);
    folder[13] = '/';
    CHECK_INT(rmdir(folder), 0);

    int sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 10; i++)
        sum += omp_get_thread_num() + omp_get_num_threads();
    CHECK_INT(sum, 10);
    double start = omp_get_wtime();
    CHECK(start <= omp_get_wtime());
    return check_end();
}
