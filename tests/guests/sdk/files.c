// Temporary files and folders, and the file calls that WASI lacks.
// ranks: 1 3
// native: no
// run: --dir {scratch}::/tmp
#include "../check.h"
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char name[] = "/tmp/rankineXXXXXX", folder[] = "/tmp/rankineXXXXXX", wrong[] = "/tmp/none", path[] = "/a/b.c";
    char buffer[L_tmpnam];
    struct stat status;
    struct statfs file_system;
    FILE *file;
    int descriptor, value = 0;
    check_begin(&argc, &argv);
    descriptor = mkstemp(name);
    CHECK(descriptor >= 0);
    CHECK(strcmp(name, "/tmp/rankineXXXXXX") != 0);
    CHECK_INT(write(descriptor, "hallo", 5), 5);
    CHECK_INT(fstat(descriptor, &status), 0);
    CHECK(status.st_uid == getuid() && status.st_gid == getgid() && (status.st_mode & 0777) == 0600);
    CHECK_INT(status.st_size, 5);
    CHECK(flock(descriptor, LOCK_EX) == -1 && errno == ENOSYS);
    CHECK_INT(close(descriptor), 0);
    CHECK_INT(chown(name, getuid(), getgid()), 0);
    CHECK_INT(unlink(name), 0);
    CHECK(chown(name, getuid(), getgid()) == -1 && errno == ENOENT);
    CHECK(mkdtemp(folder) == folder);
    CHECK(stat(folder, &status) == 0 && S_ISDIR(status.st_mode));
    CHECK(status.st_uid == geteuid() && (status.st_mode & 0777) == 0700);
    CHECK_INT(rmdir(folder), 0);
    CHECK(mkstemp(wrong) == -1 && errno == EINVAL);
    file = tmpfile();
    CHECK(file != NULL);
    CHECK(fprintf(file, "x%d", 42) > 0);
    rewind(file);
    CHECK_INT(fscanf(file, "x%d", &value), 1);
    CHECK_INT(value, 42);
    CHECK_INT(fclose(file), 0);
    CHECK(tmpnam(buffer) == buffer && buffer[0] == '/');
    CHECK_INT(statfs("/tmp", &file_system), 0);
    CHECK_INT(umask(077), 022);
    CHECK_INT(umask(022), 077);
    CHECK_STR(basename(path), "b.c");
    CHECK_INT(dup2(1, 40), 40);
    CHECK_INT(close(40), 0);
    return check_end();
}
