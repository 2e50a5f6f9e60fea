// Without a folder a rank has devices and a /tmp of its own; descriptors are given twice.
// ranks: 1 3
// native: no
#include "../check.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void devices(void)
{
    char bytes[64], zeros[64] = {0}, random[2][64];
    struct stat status;
    int file = open("/dev/null", O_RDWR);
    CHECK_INT(write(file, "lost", 4), 4);
    CHECK_INT(read(file, bytes, sizeof bytes), 0);
    CHECK(fstat(file, &status) == 0 && S_ISCHR(status.st_mode));
    CHECK_INT(isatty(file), 0);
    CHECK_INT(close(file), 0);
    CHECK(write(file, "x", 1) == -1 && errno == EBADF);
    file = open("/dev/zero", O_RDONLY);
    memset(bytes, 1, sizeof bytes);
    CHECK_INT(read(file, bytes, sizeof bytes), sizeof bytes);
    CHECK(memcmp(bytes, zeros, sizeof bytes) == 0);
    CHECK_INT(close(file), 0);
    file = open("/dev/urandom", O_RDONLY);
    for (int i = 0; i < 2; i++)
        CHECK_INT(read(file, random[i], sizeof random[i]), sizeof random[i]);
    CHECK(memcmp(random[0], random[1], sizeof random[0]) != 0);
    CHECK_INT(close(file), 0);
    file = open("/dev/stdout", O_WRONLY);
    CHECK_INT(write(file, "", 0), 0);
    CHECK_INT(close(file), 0);
    CHECK(unlink("/dev/null") == -1 && errno == EPERM);
    CHECK(open("/dev/more", O_CREAT | O_WRONLY, 0600) == -1 && errno == EPERM);
}

static int count(const char *path)
{
    int entries = 0;
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        entries += entry->d_name[0] != '.';
    if (folder)
        closedir(folder);
    return entries;
}

static void folders(void)
{
    struct stat status;
    char name[32];
    FILE *file;
    CHECK_INT(mkdir("/tmp/deep", 0700), 0);
    CHECK(mkdir("/tmp/deep", 0700) == -1 && errno == EEXIST);
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "/tmp/deep/%d", i);
        file = fopen(name, "w");
        CHECK(file && fprintf(file, "%d", i) > 0 && fclose(file) == 0);
    }
    CHECK_INT(count("/tmp/deep"), 40);
    CHECK(rmdir("/tmp/deep") == -1 && errno == ENOTEMPTY);
    CHECK_INT(rename("/tmp/deep/7", "/tmp/deep/8"), 0);
    CHECK(stat("/tmp/deep/8", &status) == 0 && status.st_size == 1);
    CHECK(stat("/tmp/deep/7", &status) == -1 && errno == ENOENT);
    CHECK_INT(link("/tmp/deep/8", "/tmp/linked"), 0);
    CHECK(stat("/tmp/linked", &status) == 0 && status.st_nlink == 2);
    CHECK_INT(chdir("/tmp/deep"), 0);
    CHECK(access("39", R_OK) == 0 && access("../linked", R_OK) == 0 && access("/tmp/deep/../linked", R_OK) == 0);
    CHECK_INT(chdir(".."), 0);
    CHECK(access("linked", R_OK) == 0 && access("39", R_OK) == -1);
    CHECK_INT(chdir("/"), 0);
    /* Entries are removed while they are listed. */
    DIR *folder = opendir("/tmp/deep");
    for (struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] != '.') {
            snprintf(name, sizeof name, "/tmp/deep/%.9s", entry->d_name);
            CHECK_INT(unlink(name), 0);
        }
    closedir(folder);
    CHECK_INT(rmdir("/tmp/deep"), 0);
    CHECK_INT(unlink("/tmp/linked"), 0);
    CHECK_INT(count("/tmp"), 0);
    CHECK_INT(count("/"), 2);
}

static void contents(void)
{
    static char block[100000], again[100000];
    struct stat status;
    struct pollfd ready;
    int file = open("/tmp/file", O_CREAT | O_RDWR | O_EXCL, 0600);
    memset(block, 'a' + rank, sizeof block);
    CHECK_INT(write(file, block, sizeof block), sizeof block);
    CHECK_INT(pwrite(file, "xyz", 3, 10), 3);
    CHECK_INT(lseek(file, 9, SEEK_SET), 9);
    CHECK_INT(read(file, again, 5), 5);
    CHECK(again[0] == block[0] && memcmp(again + 1, "xyz", 3) == 0 && again[4] == block[0]);
    CHECK_INT(pread(file, again, sizeof again, 50000), 50000);
    CHECK_INT(lseek(file, 0, SEEK_CUR), 14);
    CHECK_INT(ftruncate(file, 200000), 0);
    CHECK(fstat(file, &status) == 0 && status.st_size == 200000 && S_ISREG(status.st_mode));
    CHECK_INT(pread(file, again, 1, 150000), 1);
    CHECK_INT(again[0], 0);
    ready = (struct pollfd){.fd = file, .events = POLLIN};
    CHECK(poll(&ready, 1, 1000) == 1 && ready.revents & POLLIN);
    CHECK_INT(unlink("/tmp/file"), 0);
    CHECK_INT(pread(file, again, 3, 10), 3);
    CHECK(memcmp(again, "xyz", 3) == 0);
    CHECK_INT(close(file), 0);
    file = open("/tmp/log", O_CREAT | O_WRONLY | O_APPEND, 0600);
    CHECK(write(file, "ab", 2) == 2 && lseek(file, 0, SEEK_SET) == 0 && write(file, "cd", 2) == 2);
    CHECK(fstat(file, &status) == 0 && status.st_size == 4);
    CHECK(read(file, again, 1) == -1 && errno == EBADF);
    CHECK_INT(close(file), 0);
    CHECK_INT(unlink("/tmp/log"), 0);
    FILE *temporary = tmpfile();
    CHECK(temporary && fputs("hallo", temporary) >= 0 && fclose(temporary) == 0);
}

static void duplicates(void)
{
    char bytes[8] = "";
    int file = open("/tmp/twice", O_CREAT | O_RDWR, 0600), other = dup(file), third;
    CHECK(other >= 0 && other != file);
    third = fcntl(file, F_DUPFD, other + 5);
    CHECK_INT(third, other + 5);
    CHECK(fcntl(file, F_DUPFD, third) == third + 1 && close(third) == 0 && close(third + 1) == 0);
    CHECK(fcntl(file, F_DUPFD, -1) == -1 && errno == EINVAL);
    CHECK(fcntl(third, F_DUPFD, 0) == -1 && errno == EBADF);
    CHECK_INT(write(file, "abcdef", 6), 6);
    /* They share the place in the file. */
    CHECK_INT(lseek(other, 0, SEEK_CUR), 6);
    CHECK_INT(lseek(other, 2, SEEK_SET), 2);
    CHECK_INT(close(other), 0);
    CHECK_INT(read(file, bytes, 3), 3);
    CHECK_STR(bytes, "cde");
    CHECK_INT(dup2(file, 20), 20);
    CHECK_INT(close(file), 0);
    CHECK_INT(pread(20, bytes, 1, 5), 1);
    CHECK_INT(bytes[0], 'f');
    /* The lowest that is free. */
    third = dup(20);
    CHECK_INT(third, file);
    CHECK(close(20) == 0 && close(third) == 0);
    CHECK(dup(third) == -1 && errno == EBADF);
    CHECK(dup2(1, -1) == -1 && errno == EBADF);
    CHECK(dup2(1, 1 << 30) == -1 && errno == EBADF);
    CHECK_INT(unlink("/tmp/twice"), 0);
    /* A stream is led to a file, and back. */
    other = dup(2);
    file = open("/tmp/errors", O_CREAT | O_RDWR, 0600);
    CHECK_INT(dup2(file, 2), 2);
    fprintf(stderr, "into the file");
    CHECK_INT(dup2(other, 2), 2);
    CHECK_INT(lseek(file, 0, SEEK_CUR), 13);
    CHECK(close(file) == 0 && close(other) == 0 && unlink("/tmp/errors") == 0);
}

static void times(void)
{
    struct timespec before, after;
    volatile double sum = 0;
    CHECK_INT(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before), 0);
    for (int i = 0; i < 20000000; i++)
        sum += i;
    CHECK_INT(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after), 0);
    CHECK(after.tv_sec > before.tv_sec || after.tv_nsec > before.tv_nsec);
    CHECK(CLOCK_PROCESS_CPUTIME_ID != CLOCK_MONOTONIC && CLOCK_THREAD_CPUTIME_ID != CLOCK_MONOTONIC);
}

int main(int argc, char **argv)
{
    char here[100];
    check_begin(&argc, &argv);
    CHECK(getcwd(here, sizeof here) != NULL && count(here) == 2);
    devices();
    folders();
    contents();
    duplicates();
    times();
    return check_end();
}
