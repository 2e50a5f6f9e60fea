// rand, random, random_r and their kin give the GNU C library's numbers; getrandom gives bytes; ftw walks a folder, and what it calls may walk too.
// ranks: 1
// native: no
// run: --dir {scratch}::/tmp
#include "../check.h"
#include <errno.h>
#include <ftw.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

// What glibc gives after a thousand numbers, for each size of a state.
static const struct {
    size_t bytes;
    int numbers[3];
} expected[] = {
    {8, {1012109939, 505845040, 721573289}},     {32, {1164858255, 1454294514, 220775249}},
    {64, {1668232926, 1180828381, 724774199}},   {128, {812235816, 34676898, 880759892}},
    {256, {1566954369, 945125501, 381114419}},   {200, {1414381277, 620436337, 390542718}},
};

static int next(struct random_data *data)
{
    int number = -1;
    CHECK_INT(random_r(data, &number), 0);
    return number;
}

static void numbers(void)
{
    int state[64], other[32];
    for (unsigned kind = 0; kind < sizeof expected / sizeof *expected; kind++) {
        struct random_data data = {0};
        CHECK_INT(initstate_r(2026 + kind, (char *)state, expected[kind].bytes, &data), 0);
        for (int i = 0; i < 1000; i++)
            next(&data);
        for (int i = 0; i < 3; i++)
            CHECK_INT(next(&data), expected[kind].numbers[i]);
    }
    struct random_data data = {0};
    CHECK_INT(initstate_r(0x80000001u, (char *)state, 128, &data), 0);
    CHECK_INT(next(&data), 1081815585);
    CHECK_INT(srandom_r(0, &data), 0);
    CHECK_INT(next(&data), 1804289383);
    // A state goes on where it was left.
    CHECK_INT(initstate_r(7, (char *)other, sizeof other, &data), 0);
    CHECK_INT(setstate_r((char *)state, &data), 0);
    CHECK_INT(next(&data), 846930886);
    CHECK_INT(initstate_r(1, (char *)other, 7, &data), -1);
    CHECK_INT(errno, EINVAL);
    other[0] = 1 + 5 * 99;
    CHECK_INT(setstate_r((char *)other, &data), -1);
}

// One generator for rand and random, seeded by 1 before anybody does.
static void shared(void)
{
    int state[16];
    CHECK_INT(rand(), 1804289383);
    CHECK_INT(random(), 846930886);
    srand(42);
    CHECK_INT(random(), 71876166);
    CHECK_INT(rand(), 708592740);
    srandom(42);
    CHECK_INT(rand(), 71876166);
    char *before = initstate(2028, (char *)state, sizeof state);
    CHECK(before != NULL);
    for (int i = 0; i < 1000; i++)
        random();
    CHECK_INT(rand(), expected[2].numbers[0]);
    CHECK(setstate(before) == (char *)state);
    CHECK_INT(rand(), 708592740);
    CHECK(initstate(1, (char *)state, 7) == NULL);
}

static void bytes(void)
{
    unsigned char bytes[1000] = {0};
    int differ = 0;
    CHECK_INT(getrandom(bytes, sizeof bytes, 0), sizeof bytes);
    for (int i = 1; i < 1000; i++)
        differ += bytes[i] != bytes[i - 1];
    CHECK(differ > 900);
    CHECK(bytes[997] | bytes[998] | bytes[999]);
}

static int files, folders, within;

static int count_again(const char *path, const struct stat *status, int kind)
{
    (void)path, (void)status, (void)kind;
    within++;
    return 0;
}

static int count(const char *path, const struct stat *status, int kind)
{
    if (kind == FTW_D) {
        folders++;
        CHECK_INT(ftw(path, count_again, 4), 0);
    }
    if (kind == FTW_F && strstr(path, "/b")) {
        CHECK_INT(status->st_size, 3);
        files++;
    }
    return 0;
}

static int stop(const char *path, const struct stat *status, int kind)
{
    (void)path, (void)status, (void)kind;
    return 42;
}

static void walk(void)
{
    CHECK_INT(mkdir("/tmp/walked", 0700), 0);
    CHECK_INT(mkdir("/tmp/walked/a", 0700), 0);
    FILE *file = fopen("/tmp/walked/a/b", "w");
    CHECK(file && fputs("abc", file) >= 0 && fclose(file) == 0);
    CHECK_INT(ftw("/tmp/walked", count, 4), 0);
    CHECK_INT(folders, 2);
    CHECK_INT(files, 1);
    CHECK_INT(within, 3 + 2);
    CHECK_INT(ftw("/tmp/walked", stop, 4), 42);
    CHECK_INT(ftw("/tmp/none", count, 4), -1);
    CHECK(remove("/tmp/walked/a/b") == 0 && rmdir("/tmp/walked/a") == 0 && rmdir("/tmp/walked") == 0);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    numbers();
    shared();
    bytes();
    walk();
    // Memory is as it is.
    void *page = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    CHECK(page != MAP_FAILED);
    CHECK_INT(mprotect(page, 65536, PROT_READ | PROT_WRITE), 0);
    CHECK_INT(mprotect(page, 65536, PROT_READ), -1);
    CHECK_INT(errno, EACCES);
    CHECK_INT(munmap(page, 65536), 0);
    return check_end();
}
